//! A durably stored token with the lists of members, and its text: one line with a checksum.

use super::{Lists, Members};
use crate::key::fingerprint;

/// No cluster reaches this token, at one leadership per token.
const IMPLAUSIBLE: u64 = 1 << 48;
/// The greatest step from one token to the next that a member accepts: a member that was away for a million leaderships catches up, and one
/// wrong value does not use up the tokens.
const STEP: u64 = 1 << 20;
const MARK: &str = "ringleader-state 2";
/// The mark of files without lists of members.
const EARLIER: &str = "ringleader-state 1 ";

/// The lists and the token that a member has stored, as its datagrams tell them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Standing {
    /// The lists of members.
    pub lists: Lists,
    /// The token.
    pub token: u64,
}

/// A durably stored token, the member that requested it, and the lists of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The token; 0 if none was stored.
    pub token: u64,
    /// The member that requested it.
    pub holder: usize,
    /// The incarnation of that member.
    pub life: u64,
    /// The lists of members; unknown if the file is fresh.
    pub lists: Lists,
}

/// The reason why a stored record is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The checksum is wrong, or that of another cluster.
    #[error("it is damaged, or belongs to another cluster")]
    Damaged,
    /// It is the record of another member.
    #[error("it belongs to member {owner}, and this is member {me}")]
    Foreign {
        /// The other member.
        owner: u64,
        /// This member.
        me: usize,
    },
    /// It was written by an earlier version and has no list of members.
    #[error("it has no list of members, since an earlier version wrote it")]
    Earlier,
    /// No cluster reaches this token.
    #[error("its token, {0}, is implausibly great")]
    Implausible(u64),
}

impl Record {
    /// Whether a member with this record may store the token: it is below the limit of the format and not too far ahead.
    pub(super) fn accepts(&self, token: u64) -> bool {
        token < IMPLAUSIBLE && token <= self.token.saturating_add(STEP)
    }

    /// Whether a member with this record may store the lists: the number is not too far ahead, and each list has members, all of them
    /// among `size` identities.
    pub(super) fn accepts_lists(&self, lists: &Lists, size: usize) -> bool {
        let number = lists.number < IMPLAUSIBLE && lists.number <= self.lists.number.saturating_add(STEP);
        number && lists.fit(size)
    }

    /// The same with at least this token. No request names incarnation 0.
    pub(super) fn reaching(&self, token: u64) -> Record {
        if token > self.token { Record { token, life: 0, ..*self } } else { *self }
    }

    /// The lists and the token.
    pub(super) fn standing(&self) -> Standing {
        Standing { lists: self.lists, token: self.token }
    }

    /// Whether this record may replace another one.
    pub(super) fn follows(&self, other: &Record) -> bool {
        self != other && self.token >= other.token && !other.lists.supersedes(&self.lists)
    }

    /// The text of the state file of member `me`.
    pub fn print(&self, cluster: &str, me: usize) -> String {
        let body = self.body(cluster, me);
        format!("{body} {:016x}\n", fingerprint(&[b"state", body.as_bytes()]))
    }

    fn body(&self, cluster: &str, me: usize) -> String {
        let Record { token, holder, life, lists } = self;
        let ids = |list: Members| match list.is_empty() {
            true => "-".into(),
            false => list.iter().map(|id| id.to_string()).collect::<Vec<_>>().join(","),
        };
        format!(
            "{MARK} cluster {:016x} id {me} token {token} holder {holder} life {life} list {} members {} proposal {}",
            fingerprint(&[cluster.as_bytes()]),
            lists.number,
            ids(lists.adopted),
            ids(lists.proposal.unwrap_or_default())
        )
    }

    /// The record in a text. A damaged, foreign or implausible one is refused: a token that only grows cannot recover from a
    /// wrong value.
    pub fn parse(text: &str, cluster: &str, me: usize) -> Result<Record, RecordError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let word = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1).copied()
        };
        let number = |name: &str| word(name)?.parse::<u64>().ok();
        if text.starts_with(EARLIER) {
            return Err(RecordError::Earlier);
        }
        let ids = |name: &str| match word(name)? {
            "-" => Some(Members::default()),
            ids => ids.split(',').map(|id| id.parse().ok()).collect::<Option<Members>>(),
        };
        let lists = || {
            let proposal = ids("proposal")?;
            let proposal = (!proposal.is_empty()).then_some(proposal);
            Some(Lists { number: number("list")?, adopted: ids("members")?, proposal })
        };
        let fields = (number("token"), number("holder"), number("life"), lists());
        let (Some(token), Some(holder), Some(life), Some(lists)) = fields else {
            return Err(RecordError::Damaged);
        };
        let record = Record { token, holder: holder as usize, life, lists };
        if record.print(cluster, me) != text {
            let other = number("id").filter(|&id| record.print(cluster, id as usize) == text);
            return Err(other.map_or(RecordError::Damaged, |owner| RecordError::Foreign { owner, me }));
        }
        if token >= IMPLAUSIBLE {
            return Err(RecordError::Implausible(token));
        }
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_undamaged_text_is_read() {
        let list: Members = [0, 1, 127].into_iter().collect();
        let lists = Lists { number: 3, adopted: list, proposal: Some([1].into_iter().collect()) };
        let record = Record { token: 17, holder: 2, life: 1_790_000_000_000_000, lists };
        let text = record.print("mine", 1);
        assert_eq!(Record::parse(&text, "mine", 1), Ok(record));
        for lists in [Lists::default(), Lists::first(list)] {
            let other = Record { lists, ..record };
            assert_eq!(Record::parse(&other.print("mine", 1), "mine", 1), Ok(other));
        }
        let earlier = text.replace(MARK, EARLIER.trim_end());
        assert_eq!(Record::parse(&earlier, "mine", 1), Err(RecordError::Earlier));
        assert_eq!(Record::parse(&text, "mine", 2), Err(RecordError::Foreign { owner: 1, me: 2 }));
        assert!(Record::parse(&text, "another", 1).is_err());
        for length in 0..text.len() {
            assert!(Record::parse(&text[..length], "mine", 1).is_err(), "{length} bytes");
        }
        for place in 0..text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[place] ^= 1;
            let damaged = String::from_utf8(damaged).unwrap();
            assert!(Record::parse(&damaged, "mine", 1).is_err(), "byte {place}");
        }
        let huge = Record { token: 1 << 48, ..record };
        assert_eq!(Record::parse(&huge.print("mine", 1), "mine", 1), Err(RecordError::Implausible(1 << 48)));
    }
}

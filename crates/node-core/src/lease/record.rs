//! A durably stored token, and its text: one line with a checksum.

use crate::key::fingerprint;

/// No cluster reaches this token, at one leadership per token.
const IMPLAUSIBLE: u64 = 1 << 48;
/// The greatest step from one token to the next that a member accepts: a member that was away for a million leaderships catches up, and one
/// wrong value does not use up the tokens.
const STEP: u64 = 1 << 20;
const MARK: &str = "ringleader-state 1";

/// A durably stored token, and the member that requested it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The token; 0 if none was stored.
    pub token: u64,
    /// The member that requested it.
    pub holder: usize,
    /// The incarnation of that member.
    pub life: u64,
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
    /// No cluster reaches this token.
    #[error("its token, {0}, is implausibly great")]
    Implausible(u64),
}

impl Record {
    /// Whether a member with this record may store the token: it is below the limit of the format and not too far ahead.
    pub(super) fn accepts(&self, token: u64) -> bool {
        token < IMPLAUSIBLE && token <= self.token.saturating_add(STEP)
    }

    /// The text of the state file of member `me`.
    pub fn print(&self, cluster: &str, me: usize) -> String {
        let body = self.body(cluster, me);
        format!("{body} {:016x}\n", fingerprint(&[b"state", body.as_bytes()]))
    }

    fn body(&self, cluster: &str, me: usize) -> String {
        let Record { token, holder, life } = self;
        format!(
            "{MARK} cluster {:016x} id {me} token {token} holder {holder} life {life}",
            fingerprint(&[cluster.as_bytes()])
        )
    }

    /// The record in a text. A damaged, foreign or implausible one is refused: a token that only grows cannot recover from a
    /// wrong value.
    pub fn parse(text: &str, cluster: &str, me: usize) -> Result<Record, RecordError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse::<u64>().ok()
        };
        let (Some(token), Some(holder), Some(life)) = (number("token"), number("holder"), number("life")) else {
            return Err(RecordError::Damaged);
        };
        let record = Record { token, holder: holder as usize, life };
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
        let record = Record { token: 17, holder: 2, life: 1_790_000_000_000_000 };
        let text = record.print("mine", 1);
        assert_eq!(Record::parse(&text, "mine", 1), Ok(record));
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

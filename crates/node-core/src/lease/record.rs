//! A token that is stored for good, and its text: one line that vouches for itself.

use crate::key::fingerprint;

/// No token gets here within any lifetime, one leadership at a time.
const IMPLAUSIBLE: u64 = 1 << 48;
const MARK: &str = "ringleader-state 1";

/// A token that is stored for good, and for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Record {
    /// The token; 0 if there has been none.
    pub token: u64,
    /// Who had it stored.
    pub holder: usize,
    /// In which life.
    pub life: u64,
}

impl Record {
    /// The text of a file of this member.
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

    /// Reads it back. What is damaged, another member's or beyond belief is refused: tokens that grow for ever cannot heal by
    /// themselves.
    pub fn parse(text: &str, cluster: &str, me: usize) -> Result<Record, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |name: &str| {
            let at = words.iter().position(|word| *word == name)?;
            words.get(at + 1)?.parse::<u64>().ok()
        };
        let record = match (number("token"), number("holder"), number("life")) {
            (Some(token), Some(holder), Some(life)) => Record { token, holder: holder as usize, life },
            _ => return Err("it is damaged".into()),
        };
        if let Some(other) = number("id").filter(|&id| id != me as u64 && record.print(cluster, id as usize) == text) {
            return Err(format!("it is of member {other}, and this is member {me}"));
        }
        if record.print(cluster, me) != text {
            return Err("it is damaged, or of another cluster".into());
        }
        if record.token >= IMPLAUSIBLE {
            return Err(format!("its token, {}, is beyond belief", record.token));
        }
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_whole_or_not_at_all() {
        let record = Record { token: 17, holder: 2, life: 1_790_000_000_000_000 };
        let text = record.print("mine", 1);
        assert_eq!(Record::parse(&text, "mine", 1), Ok(record));
        assert!(Record::parse(&text, "mine", 2).unwrap_err().contains("of member 1"));
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
        assert!(Record::parse(&huge.print("mine", 1), "mine", 1).unwrap_err().contains("beyond belief"));
    }
}

//! A message as bytes, by the same list of fields that serves its text and its corruption.
//!
//! Every field takes as many bytes as its domain needs, most significant first, as an offset from the least value. So
//! a message has exactly one encoding, and all other bytes are rejected.

use ringleader_model::{Domain, Name, Process, Visitor};

/// Appends every field.
struct FieldWriter<'a>(&'a mut Vec<u8>);

impl Visitor for FieldWriter<'_> {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        let offset = value.wrapping_sub(domain.low()).to_be_bytes();
        self.0.extend_from_slice(&offset[8 - width(domain)..]);
        value
    }
}

/// Sets every field from bytes, and records whether all were within their domains.
struct FieldReader<'a> {
    rest: &'a [u8],
    sound: bool,
}

impl Visitor for FieldReader<'_> {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
        let Some((bytes, rest)) = self.rest.split_at_checked(width(domain)).filter(|_| self.sound) else {
            self.sound = false;
            return domain.low();
        };
        self.rest = rest;
        let offset = bytes.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
        match domain.low().checked_add(offset).filter(|&value| domain.contains(value)) {
            Some(value) => value,
            None => {
                self.sound = false;
                domain.low()
            }
        }
    }
}

/// The number of bytes of a field with this domain.
fn width(domain: Domain<'_>) -> usize {
    let span = domain.high() - domain.low();
    (64 - span.leading_zeros()).div_ceil(8) as usize
}

/// Appends the message to `bytes`.
pub(crate) fn encode<A: Process>(algorithm: &A, message: &A::Message, bytes: &mut Vec<u8>) {
    algorithm.message_variables(&mut message.clone(), &mut FieldWriter(bytes));
}

/// The message that these bytes encode completely.
pub(crate) fn decode<A: Process>(algorithm: &A, bytes: &[u8]) -> Option<A::Message> {
    let mut message = A::Message::default();
    let mut reader = FieldReader { rest: bytes, sound: true };
    algorithm.message_variables(&mut message, &mut reader);
    (reader.sound && reader.rest.is_empty()).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coin::SplitMix;
    use ringleader_algorithms::robust::{s1::RobustS1, s2::RobustS2, s3::RobustS3, s4::RobustS4, s5::RobustS5};
    use ringleader_erased::{Entry, Parameters};
    use ringleader_model::{Coin, corrupt};

    #[test]
    fn a_field_is_as_wide_as_its_domain() {
        assert_eq!(width(Domain::Range(7, 7)), 0);
        assert_eq!(width(Domain::Range(0, 255)), 1);
        assert_eq!(width(Domain::Range(1, 256)), 1);
        assert_eq!(width(Domain::Range(0, 256)), 2);
        assert_eq!(width(Domain::Range(0, u64::MAX)), 8);
        assert_eq!(width(Domain::Symbols(&["yes", "no"])), 1);
    }

    #[test]
    fn only_complete_encodings_are_read() {
        let read = |domain, bytes: &[u8]| {
            let mut reader = FieldReader { rest: bytes, sound: true };
            let value = reader.field("x".into(), domain, 0);
            reader.sound.then_some(value)
        };
        assert_eq!(read(Domain::Range(5, 9), &[4]), Some(9));
        assert_eq!(read(Domain::Range(5, 9), &[5]), None, "above the domain");
        assert_eq!(read(Domain::Range(5, 9), &[]), None, "too short");
        assert_eq!(read(Domain::Range(u64::MAX - 1, u64::MAX), &[255]), None, "past the word");
        assert_eq!(read(Domain::Range(0, u64::MAX), &[255; 8]), Some(u64::MAX));
    }

    /// Messages of every robust algorithm are decoded as they were, and no bytes cause a panic.
    fn exercise<A: Entry + Process>() {
        for size in [2, 5] {
            let algorithm = A::build(&Parameters::new(size)).unwrap();
            let mut coin = SplitMix::new(1);
            for _ in 0..2000 {
                let mut message = A::Message::default();
                algorithm.message_variables(&mut message, &mut corrupt::Arbitrary(&mut coin));
                let mut bytes = vec![];
                encode(&algorithm, &message, &mut bytes);
                assert_eq!(decode(&algorithm, &bytes), Some(message));
                bytes.push(0);
                assert_eq!(decode(&algorithm, &bytes), None, "one byte too many");
            }
            for _ in 0..20_000 {
                let bytes: Vec<u8> = (0..coin.below(80)).map(|_| coin.word() as u8).collect();
                if let Some(message) = decode(&algorithm, &bytes) {
                    let mut again = vec![];
                    encode(&algorithm, &message, &mut again);
                    assert_eq!(again, bytes, "one encoding each");
                }
            }
        }
    }

    #[test]
    fn messages_of_every_robust_algorithm_are_decoded_and_no_bytes_cause_a_panic() {
        exercise::<RobustS5>();
        exercise::<RobustS4>();
        exercise::<RobustS3>();
        exercise::<RobustS2>();
        exercise::<RobustS1>();
    }
}

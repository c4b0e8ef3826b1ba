//! Words as bytes. Serializing a list of numbers one by one took longer than sending it.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// Words, the least significant byte of each first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Packed(Vec<u8>);

const BYTES: usize = size_of::<u32>();

impl Packed {
    pub(crate) fn new(words: &[u32]) -> Packed {
        let mut bytes = vec![0; words.len() * BYTES];
        for (bytes, word) in bytes.chunks_exact_mut(BYTES).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Packed(bytes)
    }

    /// Appends the words to a list.
    pub(crate) fn append_to(&self, words: &mut Vec<u32>) {
        let (chunks, _) = self.0.as_chunks();
        words.extend(chunks.iter().map(|&bytes| u32::from_le_bytes(bytes)));
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Packed, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = Packed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the bytes of words")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Packed, E> {
                self.visit_byte_buf(bytes.to_vec())
            }

            fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Packed, E> {
                if bytes.len().is_multiple_of(BYTES) {
                    Ok(Packed(bytes))
                } else {
                    Err(E::invalid_length(bytes.len(), &self))
                }
            }
        }
        deserializer.deserialize_byte_buf(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_words_are_unpacked() {
        for words in [vec![], vec![7], vec![u32::MAX, 0, 0x0102_0304, 1 << 31]] {
            let mut back = vec![5];
            Packed::new(&words).append_to(&mut back);
            assert_eq!(back, [&[5], &words[..]].concat());
        }
    }
}

//! The keys that authenticate datagrams.

use hmac_sha256::{HMAC, Hash};
use std::fmt;
use subtle::ConstantTimeEq;

/// The number of bytes of the MAC in a datagram.
pub(crate) const MAC_LENGTH: usize = 16;

/// A secret of 32 bytes. Its `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// A key of these bytes.
    pub fn new(bytes: [u8; 32]) -> Key {
        Key(bytes)
    }

    /// A key written as 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Key> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
            let digit = |d: u8| char::from(d).to_digit(16);
            *byte = (digit(pair[0])? * 16 + digit(pair[1])?) as u8;
        }
        Some(Key(bytes))
    }

    /// The first 16 bytes of the HMAC-SHA-256 of the bytes.
    pub(crate) fn sign(&self, bytes: &[u8]) -> [u8; MAC_LENGTH] {
        let whole = HMAC::mac(bytes, self.0);
        std::array::from_fn(|i| whole[i])
    }

    /// Whether this is the MAC of the bytes, in a time that does not depend on the place of a difference.
    fn verifies(&self, bytes: &[u8], mac: &[u8]) -> bool {
        self.sign(bytes)[..].ct_eq(mac).into()
    }
}

/// The reason why a key file is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The wrong number of keys.
    #[error("there must be one key, or two while a key is being replaced, not {0}")]
    Count(usize),
    /// A line that is not a key.
    #[error("line {0} is not 64 hexadecimal digits")]
    Line(usize),
}

/// The keys in use: the first signs, all verify. With two, a key can be replaced while the cluster runs: add the new key as the
/// second everywhere, then make it the first everywhere, then remove the old key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    keys: Vec<Key>,
    secret: bool,
}

impl Keys {
    /// One or two keys.
    pub fn new(keys: Vec<Key>) -> Result<Keys, KeyError> {
        match keys.len() {
            1 | 2 => Ok(Keys { keys, secret: true }),
            count => Err(KeyError::Count(count)),
        }
    }

    /// No secret: a key that anyone can compute. It separates clusters and detects damage, but no attacker.
    pub fn none() -> Keys {
        Keys { keys: vec![Key(Hash::hash(b"ringleader without a key"))], secret: false }
    }

    /// Whether there is a secret.
    pub fn secret(&self) -> bool {
        self.secret
    }

    /// Whether a node with these keys and one with the others understand each other in some way: they have a key in common.
    pub fn shares_with(&self, others: &Keys) -> bool {
        self.keys.iter().any(|key| others.keys.contains(key))
    }

    /// Whether the two keys are the same.
    pub fn repeats(&self) -> bool {
        matches!(&self.keys[..], [first, second] if first == second)
    }

    /// The keys in the text of a key file: one or two lines of 64 hexadecimal digits. Empty lines and lines that begin with `#`
    /// are ignored.
    pub fn parse(text: &str) -> Result<Keys, KeyError> {
        let lines = text.lines().map(str::trim).enumerate().filter(|(_, l)| !l.is_empty() && !l.starts_with('#'));
        let keys = lines.map(|(number, line)| Key::parse(line).ok_or(KeyError::Line(number + 1)));
        Keys::new(keys.collect::<Result<_, _>>()?)
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> [u8; MAC_LENGTH] {
        self.keys[0].sign(bytes)
    }

    pub(crate) fn verify(&self, bytes: &[u8], mac: &[u8]) -> bool {
        self.keys.iter().any(|key| key.verifies(bytes, mac))
    }
}

/// The first word of the SHA-256 of these parts.
pub(crate) fn fingerprint(parts: &[&[u8]]) -> u64 {
    let mut hash = Hash::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let whole = hash.finalize();
    u64::from_be_bytes(std::array::from_fn(|i| whole[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, test case 2, with its short key padded by zeros as HMAC does itself.
    #[test]
    fn the_mac_is_hmac_sha_256() {
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let mac = Key(key).sign(b"what do ya want for nothing?");
        assert_eq!(u128::from_be_bytes(mac), 0x5bdc_c146_bf60_754e_6a04_2426_0895_75c7);
    }

    #[test]
    fn two_keys_verify_and_the_first_signs() {
        let (old, new) = (Key([1; 32]), Key([2; 32]));
        let both = Keys::new(vec![new.clone(), old.clone()]).unwrap();
        assert_eq!(both.sign(b"x"), new.sign(b"x"));
        assert!(both.verify(b"x", &old.sign(b"x")) && both.verify(b"x", &new.sign(b"x")));
        assert!(!both.verify(b"x", &Key([3; 32]).sign(b"x")));
        assert!(!both.verify(b"x", &new.sign(b"x")[..15]), "a truncated MAC is refused");
        let only = |key: &Key| Keys::new(vec![key.clone()]).unwrap();
        assert!(both.shares_with(&only(&old)) && !only(&new).shares_with(&only(&old)));
        assert!(!both.repeats() && Keys::new(vec![old.clone(), old]).unwrap().repeats());
    }

    #[test]
    fn errors_in_key_files_are_located() {
        assert!(Keys::parse(&format!("# mine\n{}\n", "a0".repeat(32))).is_ok());
        assert_eq!(Keys::parse(""), Err(KeyError::Count(0)));
        assert_eq!(Keys::parse("secret"), Err(KeyError::Line(1)));
        assert!(Keys::parse(&format!("{}\n", "0ö".repeat(32))).is_err());
        assert_eq!(format!("{:?}", Key([7; 32])), "Key(..)");
    }
}

//! What travels: a datagram with a versioned header, one message, and a MAC over both.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..4 | `rlea` |
//! | 4 | the version that the sender speaks |
//! | 5 | the least version a reader must know to make sense of it |
//! | 6 | the length of the header; a later version may have a longer one |
//! | 7 | 0 |
//! | 8..16 | fingerprint of the cluster's name |
//! | 16..24 | fingerprint of the algorithm's name and parameters, and of n |
//! | 24..26 | the sender's identity |
//! | 26..28 | the receiver's identity |
//! | 28..36 | the sender's clock, microseconds since 1970 |
//! | then | the message: each field in as many bytes as its domain needs, most significant first |
//! | last 16 | HMAC-SHA-256 of all before it, truncated |
//!
//! A reader takes any version whose `least version` it knows, and skips header bytes it does not know: so a cluster
//! can be upgraded one host at a time.

use crate::key::{Keys, MAC_LENGTH, fingerprint};
use std::fmt;

/// The version this program speaks.
pub const VERSION: u8 = 1;
/// The longest datagram that is sent or taken.
pub const MAX_DATAGRAM: usize = 16 * 1024;

const MAGIC: &[u8; 4] = b"rlea";
const HEADER: usize = 36;

/// Why a datagram was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rejection {
    /// Shorter than its header says, or than any datagram.
    Truncated,
    /// Longer than any datagram.
    Oversized,
    /// It does not begin as datagrams of this program do.
    Foreign,
    /// It needs a newer reader.
    Version,
    /// It belongs to another cluster.
    Cluster,
    /// It is meant for another process, or comes from this one: a reflection.
    Misdirected,
    /// No peer has the identity it gives.
    UnknownPeer,
    /// Its MAC is not by any of the keys.
    Mac,
    /// Its sender runs another algorithm, or the same with other parameters.
    Algorithm,
    /// Its time is too far from the receiver's clock.
    Clock,
    /// It is not newer than the last one taken from its sender.
    Replay,
    /// It is authentic, but its message has no meaning.
    Message,
}

impl Rejection {
    /// All of them.
    pub const ALL: [Rejection; 12] = [
        Rejection::Truncated,
        Rejection::Oversized,
        Rejection::Foreign,
        Rejection::Version,
        Rejection::Cluster,
        Rejection::Misdirected,
        Rejection::UnknownPeer,
        Rejection::Mac,
        Rejection::Algorithm,
        Rejection::Clock,
        Rejection::Replay,
        Rejection::Message,
    ];

    /// Its name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Rejection::Truncated => "truncated",
            Rejection::Oversized => "oversized",
            Rejection::Foreign => "foreign",
            Rejection::Version => "version",
            Rejection::Cluster => "cluster",
            Rejection::Misdirected => "misdirected",
            Rejection::UnknownPeer => "unknown_peer",
            Rejection::Mac => "mac",
            Rejection::Algorithm => "algorithm",
            Rejection::Clock => "clock",
            Rejection::Replay => "replay",
            Rejection::Message => "message",
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What all datagrams of a cluster have in common.
#[derive(Clone, Debug)]
pub(crate) struct Seal {
    pub(crate) keys: Keys,
    cluster: u64,
    algorithm: u64,
}

/// What a datagram says of itself, besides its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) sender: u16,
    pub(crate) receiver: u16,
    pub(crate) time: u64,
}

impl Seal {
    /// `algorithm` is everything on which the meaning of a message depends.
    pub(crate) fn new(keys: Keys, cluster: &str, algorithm: &str, size: usize) -> Seal {
        Seal {
            keys,
            cluster: fingerprint(&[b"cluster", cluster.as_bytes()]),
            algorithm: fingerprint(&[b"algorithm", algorithm.as_bytes(), &(size as u64).to_be_bytes()]),
        }
    }

    /// A datagram; `write` appends the message.
    pub(crate) fn close(&self, address: Address, write: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(128);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[VERSION, VERSION, HEADER as u8, 0]);
        bytes.extend_from_slice(&self.cluster.to_be_bytes());
        bytes.extend_from_slice(&self.algorithm.to_be_bytes());
        bytes.extend_from_slice(&address.sender.to_be_bytes());
        bytes.extend_from_slice(&address.receiver.to_be_bytes());
        bytes.extend_from_slice(&address.time.to_be_bytes());
        debug_assert_eq!(bytes.len(), HEADER, "the table above and the code agree");
        write(&mut bytes);
        let mac = self.keys.sign(&bytes);
        bytes.extend_from_slice(&mac);
        bytes
    }

    /// The parts of an authentic datagram. `expected` is asked before the MAC is computed, which costs more.
    pub(crate) fn open<'a>(
        &self,
        datagram: &'a [u8],
        expected: impl FnOnce(Address) -> Result<(), Rejection>,
    ) -> Result<(Address, &'a [u8]), Rejection> {
        if datagram.len() > MAX_DATAGRAM {
            return Err(Rejection::Oversized);
        }
        let (signed, mac) = datagram.split_last_chunk::<MAC_LENGTH>().ok_or(Rejection::Truncated)?;
        let header = signed.first_chunk::<HEADER>().ok_or(Rejection::Truncated)?;
        if &header[..4] != MAGIC {
            return Err(Rejection::Foreign);
        }
        if header[5] > VERSION || header[4] == 0 {
            return Err(Rejection::Version);
        }
        let length = usize::from(header[6]);
        if length < HEADER || signed.len() < length {
            return Err(Rejection::Truncated);
        }
        let word = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| header[at + i]));
        let half = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        if word(8) != self.cluster {
            return Err(Rejection::Cluster);
        }
        let address = Address { sender: half(24), receiver: half(26), time: word(28) };
        expected(address)?;
        if !self.keys.verify(signed, mac) {
            return Err(Rejection::Mac);
        }
        if word(16) != self.algorithm {
            return Err(Rejection::Algorithm);
        }
        Ok((address, &signed[length..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn seal() -> Seal {
        Seal::new(Keys::new(vec![Key::new([9; 32])]).unwrap(), "test", "robust-s5", 3)
    }

    fn address() -> Address {
        Address { sender: 2, receiver: 1, time: 77 }
    }

    fn sample(seal: &Seal) -> Vec<u8> {
        seal.close(address(), |bytes| bytes.extend_from_slice(b"hello"))
    }

    #[test]
    fn what_is_closed_opens() {
        let datagram = sample(&seal());
        assert_eq!(datagram.len(), HEADER + 5 + MAC_LENGTH);
        assert_eq!(seal().open(&datagram, |_| Ok(())), Ok((address(), b"hello".as_slice())));
    }

    #[test]
    fn no_bit_can_be_changed_and_no_byte_lost() {
        let datagram = sample(&seal());
        for bit in 0..datagram.len() * 8 {
            let mut damaged = datagram.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(seal().open(&damaged, |_| Ok(())).is_err(), "bit {bit}");
        }
        for length in 0..datagram.len() {
            assert!(seal().open(&datagram[..length], |_| Ok(())).is_err(), "length {length}");
        }
        let longer = [&datagram[..], &[0]].concat();
        assert_eq!(seal().open(&longer, |_| Ok(())), Err(Rejection::Mac));
        assert_eq!(seal().open(&vec![0; MAX_DATAGRAM + 1], |_| Ok(())), Err(Rejection::Oversized));
    }

    #[test]
    fn other_clusters_algorithms_and_keys_are_told_apart() {
        let keys = seal().keys;
        let open = |other: Seal| seal().open(&sample(&other), |_| Ok(())).unwrap_err();
        assert_eq!(open(Seal::new(keys.clone(), "live", "robust-s5", 3)), Rejection::Cluster);
        assert_eq!(open(Seal::new(keys.clone(), "test", "robust-s2", 3)), Rejection::Algorithm);
        assert_eq!(open(Seal::new(keys, "test", "robust-s5", 4)), Rejection::Algorithm);
        assert_eq!(open(Seal::new(Keys::none(), "test", "robust-s5", 3)), Rejection::Mac);
    }

    /// A datagram of a later version, with a longer header.
    fn from_the_future(version: u8, needs: u8) -> Vec<u8> {
        let mut datagram = sample(&seal());
        datagram.truncate(datagram.len() - MAC_LENGTH);
        (datagram[4], datagram[5], datagram[6]) = (version, needs, HEADER as u8 + 3);
        datagram.splice(HEADER..HEADER, [1, 2, 3]);
        let mac = seal().keys.sign(&datagram);
        datagram.extend_from_slice(&mac);
        datagram
    }

    #[test]
    fn a_rolling_upgrade_works_where_the_newer_version_says_so() {
        assert_eq!(seal().open(&from_the_future(2, 1), |_| Ok(())), Ok((address(), b"hello".as_slice())));
        assert_eq!(seal().open(&from_the_future(2, 2), |_| Ok(())), Err(Rejection::Version));
    }
}

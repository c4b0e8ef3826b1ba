//! The datagram: a header with the version of the format, one message, and a MAC over both.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..4 | `rlea` |
//! | 4 | the version of the sender |
//! | 5 | the least version that a receiver must support |
//! | 6 | the length of the header; a later version may have a longer one |
//! | 7 | the purpose: a message of the algorithm, a greeting and its answer, a letter about the lease, or a problem of the receiver |
//! | 8..16 | fingerprint of the cluster's name |
//! | 16..24 | fingerprint of the algorithm's name and parameters, and of n |
//! | 24..26 | the sender's identity |
//! | 26..28 | the receiver's identity |
//! | 28..36 | the sender's clock, microseconds since 1970 |
//! | 36..44 | the sender's boot time, by its clock |
//! | 44..52 | the receiver's boot time as known to the sender; 0 if unknown |
//! | 52..60 | the sender's heartbeat, in microseconds |
//! | 60..62 | the sender's n |
//! | 62..66 | the milliseconds for which the sender has acted as leader; 0 if it does not act |
//! | 66..74 | with the guard: the digest of the members' settings; 0 without |
//! | 74 | with the guard: the kind of the letter about the lease; 0 for none |
//! | 75..99 | with the guard: the incarnation, time and token of the letter (8 each) |
//! | then | the message: each field in as many bytes as its domain needs, most significant first |
//! | last 16 | HMAC-SHA-256 of all bytes before it, truncated |
//!
//! A receiver accepts any later version whose least version it supports, and skips unknown bytes of a longer header.

use crate::key::{Keys, MAC_LENGTH, fingerprint};
use crate::lease::{Letter, LetterKind};
use strum::{Display, FromRepr, VariantArray};

/// The version of this program's datagrams; it accepts no earlier one.
const VERSION: u8 = 5;
/// The least version that a receiver of this program's datagrams must support.
const LEAST_VERSION: u8 = 5;
/// The length of the longest datagram that is sent or accepted.
pub const MAX_DATAGRAM: usize = 16 * 1024;

const MAGIC: &[u8; 4] = b"rlea";
/// The length of the header.
const HEADER: usize = 99;

/// The reason why a datagram was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Display, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Rejection {
    /// It is shorter than its header says, or than any datagram.
    Truncated,
    /// It is longer than any datagram.
    Oversized,
    /// It does not begin like a datagram of this program.
    Foreign,
    /// Its version is not supported.
    Version,
    /// It belongs to another cluster.
    Cluster,
    /// Its receiver is another process, or its sender is this one: a reflection.
    Misdirected,
    /// Its sender's identity is not that of a peer.
    UnknownPeer,
    /// No key verifies its MAC.
    Mac,
    /// Its sender runs another algorithm, or the same one with other parameters.
    Algorithm,
    /// Its time is outside of the window around the receiver's clock.
    Clock,
    /// It is not later than the last one accepted from its sender.
    Replay,
    /// It is authentic, but its message cannot be decoded.
    Message,
    /// Its sender has another heartbeat.
    Heartbeat,
    /// It does not echo this node's boot time: it may have been sent before.
    Unproven,
    /// Another node has the identity of its sender, and precedence.
    Doubled,
    /// Its sender has other members or another lease.
    Guard,
}

impl Rejection {
    /// All reasons.
    pub const ALL: &[Rejection] = Rejection::VARIANTS;
}

/// The purpose of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRepr)]
#[repr(u8)]
pub(crate) enum Purpose {
    /// It carries a message.
    Message,
    /// It announces the sender's boot time and asks for an acknowledgement.
    Hello,
    /// It acknowledges the receiver's boot time.
    Welcome,
    /// The receiver is not a peer of the sender.
    Stranger,
    /// Two nodes have the receiver's identity; the message is the boot time of the other one, and the milliseconds for which it acted.
    Doubled,
    /// It carries a letter about the lease.
    Lease,
}

/// The header fields of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GuardHeader {
    /// The digest of the members' settings.
    pub(crate) digest: u64,
    pub(crate) letter: Option<Letter>,
}

/// The header of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) purpose: Purpose,
    pub(crate) sender: u16,
    pub(crate) receiver: u16,
    pub(crate) time: u64,
    pub(crate) boot: u64,
    pub(crate) echo: u64,
    pub(crate) heartbeat: u64,
    pub(crate) size: u16,
    pub(crate) acting: u32,
    pub(crate) guard: Option<GuardHeader>,
}

/// An authentic datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opened<'a> {
    pub(crate) header: Header,
    /// Whether the sender runs the same algorithm with the same parameters.
    pub(crate) agrees: bool,
    pub(crate) message: &'a [u8],
}

/// The keys and fingerprints that all datagrams of a cluster share.
#[derive(Clone, Debug)]
pub(crate) struct Seal {
    pub(crate) keys: Keys,
    cluster: u64,
    algorithm: u64,
}

impl Seal {
    /// `algorithm` names all that the meaning of a message depends on.
    pub(crate) fn new(keys: Keys, cluster: &str, algorithm: &str, size: usize) -> Seal {
        Seal {
            keys,
            cluster: fingerprint(&[b"cluster", cluster.as_bytes()]),
            algorithm: fingerprint(&[b"algorithm", algorithm.as_bytes(), &(size as u64).to_be_bytes()]),
        }
    }

    pub(crate) fn close(&self, header: &Header, message: &[u8]) -> Vec<u8> {
        let Header { purpose, sender, receiver, time, boot, echo, heartbeat, size, acting, guard } = *header;
        let letter = guard.and_then(|guard| guard.letter);
        let mut bytes = Vec::with_capacity(HEADER + message.len() + MAC_LENGTH);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&[VERSION, LEAST_VERSION, HEADER as u8, purpose as u8]);
        bytes.extend_from_slice(&self.cluster.to_be_bytes());
        bytes.extend_from_slice(&self.algorithm.to_be_bytes());
        bytes.extend_from_slice(&sender.to_be_bytes());
        bytes.extend_from_slice(&receiver.to_be_bytes());
        for word in [time, boot, echo, heartbeat] {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        bytes.extend_from_slice(&size.to_be_bytes());
        bytes.extend_from_slice(&acting.to_be_bytes());
        bytes.extend_from_slice(&guard.map_or(0, |guard| guard.digest).to_be_bytes());
        bytes.push(letter.map_or(0, |letter| letter.kind as u8));
        for word in letter.map_or([0; 3], |letter| [letter.life, letter.at, letter.token]) {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        debug_assert_eq!(bytes.len(), HEADER, "the table above and the code agree");
        bytes.extend_from_slice(message);
        let mac = self.keys.sign(&bytes);
        bytes.extend_from_slice(&mac);
        bytes
    }

    /// The sender that a datagram names, before anything is verified.
    pub(crate) fn claimed(datagram: &[u8]) -> Option<usize> {
        let header = datagram.first_chunk::<HEADER>().filter(|header| &header[..4] == MAGIC)?;
        Some(usize::from(u16::from_be_bytes([header[24], header[25]])))
    }

    /// The parts of an authentic datagram. `expected` checks the header before the MAC is computed, which takes longer.
    pub(crate) fn open<'a>(
        &self,
        datagram: &'a [u8],
        expected: impl FnOnce(&Header) -> Result<(), Rejection>,
    ) -> Result<Opened<'a>, Rejection> {
        if datagram.len() > MAX_DATAGRAM {
            return Err(Rejection::Oversized);
        }
        let (signed, mac) = datagram.split_last_chunk::<MAC_LENGTH>().ok_or(Rejection::Truncated)?;
        let bytes = signed.first_chunk::<HEADER>().ok_or(Rejection::Truncated)?;
        if &bytes[..4] != MAGIC {
            return Err(Rejection::Foreign);
        }
        if bytes[4] < VERSION || bytes[5] > VERSION {
            return Err(Rejection::Version);
        }
        let length = usize::from(bytes[6]);
        if length < HEADER || signed.len() < length {
            return Err(Rejection::Truncated);
        }
        let word = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| bytes[at + i]));
        let half = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        if word(8) != self.cluster {
            return Err(Rejection::Cluster);
        }
        let letter =
            LetterKind::from_repr(bytes[74]).map(|kind| Letter { kind, life: word(75), at: word(83), token: word(91) });
        let header = Header {
            purpose: Purpose::from_repr(bytes[7]).unwrap_or(Purpose::Message),
            sender: half(24),
            receiver: half(26),
            time: word(28),
            boot: word(36),
            echo: word(44),
            heartbeat: word(52),
            size: half(60),
            acting: u32::from(half(62)) << 16 | u32::from(half(64)),
            guard: Some(GuardHeader { digest: word(66), letter }).filter(|guard| guard.digest != 0),
        };
        expected(&header)?;
        if !self.keys.verify(signed, mac) {
            return Err(Rejection::Mac);
        }
        Ok(Opened { header, agrees: word(16) == self.algorithm, message: &signed[length..] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn seal() -> Seal {
        Seal::new(Keys::new(vec![Key::new([9; 32])]).unwrap(), "test", "robust-s5", 3)
    }

    fn header() -> Header {
        Header {
            purpose: Purpose::Hello,
            sender: 2,
            receiver: 1,
            time: 77,
            boot: 5,
            echo: 6,
            heartbeat: 7,
            size: 8,
            acting: 9,
            guard: None,
        }
    }

    fn sample(seal: &Seal) -> Vec<u8> {
        seal.close(&header(), b"hello")
    }

    fn opened() -> Opened<'static> {
        Opened { header: header(), agrees: true, message: b"hello" }
    }

    #[test]
    fn a_closed_datagram_opens() {
        let datagram = sample(&seal());
        assert_eq!(datagram.len(), HEADER + 5 + MAC_LENGTH);
        assert_eq!(seal().open(&datagram, |_| Ok(())), Ok(opened()));
    }

    #[test]
    fn every_letter_about_the_lease_opens() {
        let letters = LetterKind::VARIANTS.iter().map(|&kind| Some(Letter { kind, life: 1, at: 2, token: 3 }));
        for letter in letters.chain([None]) {
            let header = Header { guard: Some(GuardHeader { digest: 77, letter }), ..header() };
            let datagram = seal().close(&header, b"hello");
            assert_eq!(seal().open(&datagram, |_| Ok(())), Ok(Opened { header, ..opened() }));
        }
    }

    #[test]
    fn a_changed_bit_and_a_lost_byte_are_detected() {
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
    fn other_clusters_algorithms_and_keys_are_distinguished() {
        let keys = seal().keys;
        let open = |keys: &Keys, cluster: &str, algorithm: &str, size| {
            let datagram = sample(&Seal::new(keys.clone(), cluster, algorithm, size));
            seal().open(&datagram, |_| Ok(())).map(|opened| opened.agrees)
        };
        assert_eq!(open(&keys, "live", "robust-s5", 3), Err(Rejection::Cluster));
        assert_eq!(open(&keys, "test", "robust-s2", 3), Ok(false));
        assert_eq!(open(&keys, "test", "robust-s5", 4), Ok(false));
        assert_eq!(open(&Keys::none(), "test", "robust-s5", 3), Err(Rejection::Mac));
    }

    /// A datagram of another version, with a longer header.
    fn of_version(version: u8, least: u8) -> Vec<u8> {
        let mut datagram = sample(&seal());
        datagram.truncate(datagram.len() - MAC_LENGTH);
        (datagram[4], datagram[5], datagram[6]) = (version, least, (HEADER + 3) as u8);
        datagram.splice(HEADER..HEADER, [1, 2, 3]);
        let mac = seal().keys.sign(&datagram);
        datagram.extend_from_slice(&mac);
        datagram
    }

    #[test]
    fn a_later_version_is_read_if_it_allows_that_and_an_earlier_one_is_not() {
        assert_eq!(seal().open(&of_version(VERSION + 1, VERSION), |_| Ok(())), Ok(opened()));
        assert_eq!(seal().open(&of_version(VERSION + 2, VERSION + 1), |_| Ok(())), Err(Rejection::Version));
        assert_eq!(seal().open(&of_version(VERSION - 1, 1), |_| Ok(())), Err(Rejection::Version));
    }
}

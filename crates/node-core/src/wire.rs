//! What travels: a datagram with a versioned header, one message, and a MAC over both.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..4 | `rlea` |
//! | 4 | the version that the sender speaks |
//! | 5 | the least version a reader must know to make sense of it |
//! | 6 | the length of the header; a later version may have a longer one |
//! | 7 | how many bytes of the message are at the end of the header: those that version 1 does not know |
//! | 8..16 | fingerprint of the cluster's name |
//! | 16..24 | fingerprint of the algorithm's name and parameters, and of n |
//! | 24..26 | the sender's identity |
//! | 26..28 | the receiver's identity |
//! | 28..36 | the sender's clock, microseconds since 1970 |
//! | 36..44 | when the sender began, by its clock; from here on since version 2 |
//! | 44..52 | when the receiver began, as far as the sender knows; 0 if it does not |
//! | 52..60 | the sender's heartbeat, in microseconds |
//! | 60..62 | the sender's n |
//! | 62..66 | for how many milliseconds the sender has acted as leader; 0 if it does not |
//! | 66 | what the datagram is for: a message of the algorithm, a greeting and its answer, or what is wrong with the receiver |
//! | 67..100 | from version 3 on, which only guarded members speak: the digest of what members were told (8), what is said of the lease (1; 0 for nothing), and its life, time and token (8 each) |
//! | then | the message: each field in as many bytes as its domain needs, most significant first |
//! | last 16 | HMAC-SHA-256 of all before it, truncated |
//!
//! A reader takes any version whose `least version` it knows, and skips header bytes it does not know: so a cluster
//! can be upgraded one host at a time.

use crate::key::{Keys, MAC_LENGTH, fingerprint};
use crate::lease::{Kind, Letter};
use std::fmt;

/// The version this program speaks.
const VERSION: u8 = 2;
/// The version that a reader of what this program sends must know.
const LEAST_VERSION: u8 = 1;
/// The longest datagram that is sent or taken.
pub const MAX_DATAGRAM: usize = 16 * 1024;

const MAGIC: &[u8; 4] = b"rlea";
const HEADER: usize = 36;
const EXTENDED: usize = 67;
/// The version of datagrams with the guard, and how much longer their header is.
const GUARDED_VERSION: u8 = 3;
const GUARDED: usize = 33;

/// Why a datagram was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
    /// Its sender beats at another pace.
    Heartbeat,
    /// It does not know when this node began: it may be from before.
    Unproven,
    /// Another node has the same identity as its sender, and more right to it.
    Doubled,
    /// Its sender was told other members or terms of the lease.
    Guard,
}

impl Rejection {
    /// All of them.
    pub const ALL: [Rejection; 16] = [
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
        Rejection::Heartbeat,
        Rejection::Unproven,
        Rejection::Doubled,
        Rejection::Guard,
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
            Rejection::Heartbeat => "heartbeat",
            Rejection::Unproven => "unproven",
            Rejection::Doubled => "doubled",
            Rejection::Guard => "guard",
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Its message.
    Message,
    /// "I have begun; tell me that you know."
    Hello,
    /// "I know."
    Welcome,
    /// "You are no member here."
    Stranger,
    /// "There are two of you": the message is when the other one began, and for how many milliseconds it has acted.
    Doubled,
    /// What it says of the lease.
    Lease,
}

impl Purpose {
    const ALL: [Purpose; 6] =
        [Purpose::Message, Purpose::Hello, Purpose::Welcome, Purpose::Stranger, Purpose::Doubled, Purpose::Lease];
}

/// What guarded members add to every datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sealed {
    /// Of what they were told.
    pub(crate) digest: u64,
    pub(crate) letter: Option<Letter>,
}

impl Sealed {
    const KINDS: [Kind; 4] = [Kind::Ask, Kind::Grant, Kind::Stored, Kind::Return];

    fn write(self, bytes: &mut Vec<u8>) {
        let kind = self.letter.map_or(0, |letter| letter.kind as u8 + 1);
        let words = self.letter.map_or([0; 3], |letter| [letter.life, letter.at, letter.token]);
        bytes.extend_from_slice(&self.digest.to_be_bytes());
        bytes.push(kind);
        words.iter().for_each(|word| bytes.extend_from_slice(&word.to_be_bytes()));
    }

    fn read(bytes: &[u8; GUARDED]) -> Sealed {
        let word = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| bytes[at + i]));
        let kind = usize::from(bytes[8]).checked_sub(1).and_then(|kind| Sealed::KINDS.get(kind).copied());
        let letter = kind.map(|kind| Letter { kind, life: word(9), at: word(17), token: word(25) });
        Sealed { digest: word(0), letter }
    }
}

/// What all datagrams of a cluster have in common.
#[derive(Clone, Debug)]
pub(crate) struct Seal {
    pub(crate) keys: Keys,
    cluster: u64,
    algorithm: u64,
    /// How many bytes of a message version 1 knows, if not all.
    known: usize,
}

/// What a datagram says of itself, besides its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) sender: u16,
    pub(crate) receiver: u16,
    pub(crate) time: u64,
    /// What version 1 does not have.
    pub(crate) more: Option<More>,
}

/// What version 2 adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct More {
    pub(crate) boot: u64,
    pub(crate) echo: u64,
    pub(crate) heartbeat: u64,
    pub(crate) size: u16,
    pub(crate) acting: u32,
    pub(crate) purpose: Purpose,
    /// What guarded members add.
    pub(crate) guard: Option<Sealed>,
}

/// An authentic datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opened {
    pub(crate) address: Address,
    /// Whether its sender runs the same algorithm, told the same.
    pub(crate) agrees: bool,
    pub(crate) message: Vec<u8>,
}

impl Seal {
    /// `algorithm` is everything on which the meaning of a message depends; `known`, how many bytes of a message version
    /// 1 of it has.
    pub(crate) fn new(keys: Keys, cluster: &str, algorithm: &str, size: usize, known: Option<usize>) -> Seal {
        Seal {
            keys,
            cluster: fingerprint(&[b"cluster", cluster.as_bytes()]),
            algorithm: fingerprint(&[b"algorithm", algorithm.as_bytes(), &(size as u64).to_be_bytes()]),
            known: known.unwrap_or(usize::MAX),
        }
    }

    pub(crate) fn close(&self, address: Address, message: &[u8]) -> Vec<u8> {
        let (body, tail) = message.split_at(self.known.min(message.len()));
        let mut bytes = Vec::with_capacity(EXTENDED + message.len() + MAC_LENGTH);
        bytes.extend_from_slice(MAGIC);
        let guard = address.more.and_then(|more| more.guard);
        let (version, added) = guard.map_or((VERSION, 0), |_| (GUARDED_VERSION, GUARDED));
        let length = address.more.map_or(HEADER, |_| EXTENDED) + added + tail.len();
        bytes.extend_from_slice(&[version, LEAST_VERSION, length as u8, tail.len() as u8]);
        bytes.extend_from_slice(&self.cluster.to_be_bytes());
        bytes.extend_from_slice(&self.algorithm.to_be_bytes());
        bytes.extend_from_slice(&address.sender.to_be_bytes());
        bytes.extend_from_slice(&address.receiver.to_be_bytes());
        bytes.extend_from_slice(&address.time.to_be_bytes());
        if let Some(More { boot, echo, heartbeat, size, acting, purpose, guard }) = address.more {
            for word in [boot, echo, heartbeat] {
                bytes.extend_from_slice(&word.to_be_bytes());
            }
            bytes.extend_from_slice(&size.to_be_bytes());
            bytes.extend_from_slice(&acting.to_be_bytes());
            bytes.push(purpose as u8);
            if let Some(guard) = guard {
                guard.write(&mut bytes);
            }
        }
        bytes.extend_from_slice(tail);
        debug_assert_eq!(bytes.len(), length, "the table above and the code agree");
        bytes.extend_from_slice(body);
        let mac = self.keys.sign(&bytes);
        bytes.extend_from_slice(&mac);
        bytes
    }

    /// What a datagram claims to be, before anything is verified: the sender, if it has the form of one.
    pub(crate) fn claimed(datagram: &[u8]) -> Option<usize> {
        let header = datagram.first_chunk::<HEADER>().filter(|header| &header[..4] == MAGIC)?;
        Some(usize::from(u16::from_be_bytes([header[24], header[25]])))
    }

    /// The parts of an authentic datagram. `expected` is asked before the MAC is computed, which costs more.
    pub(crate) fn open(
        &self,
        datagram: &[u8],
        expected: impl FnOnce(Address) -> Result<(), Rejection>,
    ) -> Result<Opened, Rejection> {
        if datagram.len() > MAX_DATAGRAM {
            return Err(Rejection::Oversized);
        }
        let (signed, mac) = datagram.split_last_chunk::<MAC_LENGTH>().ok_or(Rejection::Truncated)?;
        let header = signed.first_chunk::<HEADER>().ok_or(Rejection::Truncated)?;
        if &header[..4] != MAGIC {
            return Err(Rejection::Foreign);
        }
        if header[5] > GUARDED_VERSION || header[4] == 0 {
            return Err(Rejection::Version);
        }
        let (length, tail) = (usize::from(header[6]), usize::from(header[7]));
        let fixed = match header[4] {
            1 => HEADER,
            2 => EXTENDED + tail,
            _ => EXTENDED + GUARDED + tail,
        };
        if length < fixed || signed.len() < length {
            return Err(Rejection::Truncated);
        }
        let word = |at: usize| u64::from_be_bytes(std::array::from_fn(|i| signed[at + i]));
        let half = |at: usize| u16::from_be_bytes([signed[at], signed[at + 1]]);
        if word(8) != self.cluster {
            return Err(Rejection::Cluster);
        }
        let more = (header[4] > 1).then(|| More {
            boot: word(36),
            echo: word(44),
            heartbeat: word(52),
            size: half(60),
            acting: u32::from(half(62)) << 16 | u32::from(half(64)),
            guard: signed[EXTENDED..]
                .first_chunk()
                .filter(|_| header[4] > VERSION)
                .map(Sealed::read)
                .filter(|guard| guard.digest != 0),
            purpose: Purpose::ALL.get(usize::from(signed[66])).copied().unwrap_or(Purpose::Message),
        });
        let address = Address { sender: half(24), receiver: half(26), time: word(28), more };
        expected(address)?;
        if !self.keys.verify(signed, mac) {
            return Err(Rejection::Mac);
        }
        let tail = if more.is_some() { &signed[length - tail..length] } else { &[] };
        Ok(Opened { address, agrees: word(16) == self.algorithm, message: [&signed[length..], tail].concat() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;

    fn seal() -> Seal {
        Seal::new(Keys::new(vec![Key::new([9; 32])]).unwrap(), "test", "robust-s5", 3, Some(2))
    }

    fn address() -> Address {
        let more = More { boot: 5, echo: 6, heartbeat: 7, size: 8, acting: 9, purpose: Purpose::Hello, guard: None };
        Address { sender: 2, receiver: 1, time: 77, more: Some(more) }
    }

    fn sample(seal: &Seal) -> Vec<u8> {
        seal.close(address(), b"hello")
    }

    fn opened() -> Opened {
        Opened { address: address(), agrees: true, message: b"hello".to_vec() }
    }

    #[test]
    fn what_is_closed_opens() {
        let datagram = sample(&seal());
        assert_eq!(datagram.len(), EXTENDED + 5 + MAC_LENGTH);
        assert_eq!(seal().open(&datagram, |_| Ok(())), Ok(opened()));
        assert_eq!(datagram[EXTENDED..EXTENDED + 5], *b"llohe", "version 1 sees the first two bytes only");
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
        let open = |other: Seal| seal().open(&sample(&other), |_| Ok(()));
        let other = |keys: &Keys, cluster: &str, algorithm: &str, size| {
            open(Seal::new(keys.clone(), cluster, algorithm, size, None))
        };
        assert_eq!(other(&keys, "live", "robust-s5", 3), Err(Rejection::Cluster));
        assert!(!other(&keys, "test", "robust-s2", 3).unwrap().agrees);
        assert!(!other(&keys, "test", "robust-s5", 4).unwrap().agrees);
        assert_eq!(other(&Keys::none(), "test", "robust-s5", 3), Err(Rejection::Mac));
    }

    /// A datagram of a later version, with a longer header.
    fn from_the_future(version: u8, needs: u8) -> Vec<u8> {
        let mut datagram = sample(&seal());
        datagram.truncate(datagram.len() - MAC_LENGTH);
        (datagram[4], datagram[5], datagram[6]) = (version, needs, (EXTENDED + GUARDED + 6) as u8);
        datagram.splice(EXTENDED..EXTENDED, [&[0; GUARDED][..], &[1, 2, 3]].concat());
        let mac = seal().keys.sign(&datagram);
        datagram.extend_from_slice(&mac);
        datagram
    }

    #[test]
    fn a_rolling_upgrade_works_where_the_newer_version_says_so() {
        assert_eq!(seal().open(&from_the_future(4, 2), |_| Ok(())), Ok(opened()));
        assert_eq!(seal().open(&from_the_future(5, 4), |_| Ok(())), Err(Rejection::Version));
    }

    #[test]
    fn what_is_said_of_the_lease_opens_and_an_older_reader_skips_it() {
        for letter in [None, Some(Letter { kind: Kind::Stored, life: 1, at: 2, token: 3 })] {
            let guard = Some(Sealed { digest: 77, letter });
            let address = Address { more: Some(More { guard, ..address().more.unwrap() }), ..address() };
            let datagram = seal().close(address, b"hello");
            assert_eq!(datagram.len(), EXTENDED + GUARDED + 5 + MAC_LENGTH);
            let opened = seal().open(&datagram, |_| Ok(())).unwrap();
            assert_eq!((opened.address, opened.message.as_slice()), (address, &b"hello"[..]));
            // Version 2 goes by the lengths in the header.
            let (length, tail) = (usize::from(datagram[6]), usize::from(datagram[7]));
            assert_eq!((&datagram[length..length + 2], &datagram[length - tail..length]), (&b"he"[..], &b"llo"[..]));
        }
    }

    #[test]
    fn version_1_is_understood() {
        let mut datagram = sample(&seal());
        datagram.truncate(datagram.len() - MAC_LENGTH);
        datagram.drain(HEADER..EXTENDED + 3);
        (datagram[4], datagram[6], datagram[7]) = (1, HEADER as u8, 0);
        let mac = seal().keys.sign(&datagram);
        datagram.extend_from_slice(&mac);
        let opened = seal().open(&datagram, |_| Ok(())).unwrap();
        assert_eq!((opened.address.more, opened.message), (None, b"he".to_vec()));
    }
}

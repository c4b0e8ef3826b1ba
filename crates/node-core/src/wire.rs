//! The datagram: a header with the version of the format, one message, and a MAC over both.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0..4 | `rlea` |
//! | 4 | the version of the sender |
//! | 5 | the least version that a receiver must support |
//! | 6 | the length of the header; a later version may have a longer one |
//! | 7 | the purpose: a message of the algorithm, a greeting, a letter about the lease, or a problem of the receiver; the highest bit is set if the receiver has to answer immediately |
//! | 8..16 | fingerprint of the cluster's name |
//! | 16..24 | fingerprint of the algorithm's name and parameters, and of n |
//! | 24..26 | the sender's identity |
//! | 26..28 | the receiver's identity |
//! | 28..36 | the sender's uptime in microseconds, greater in each datagram |
//! | 36..44 | the sender's incarnation: a random number |
//! | 44..52 | the sender's latest challenge to the receiver; 0 for none |
//! | 52..60 | the receiver's incarnation as known to the sender; 0 if unknown |
//! | 60..68 | the receiver's latest challenge as known to the sender; 0 if unknown |
//! | 68..76 | the sender's clock, microseconds since 1970; a diagnostic only |
//! | 76..84 | the sender's heartbeat, in microseconds |
//! | 84..86 | the sender's n |
//! | 86..90 | the milliseconds for which the sender has acted as leader; 0 if it does not act |
//! | 90..98 | with the guard: the digest of the members' settings; 0 without |
//! | 98 | with the guard: the kind of the letter about the lease; 0 for none |
//! | 99..123 | with the guard: the incarnation, time and token of the letter (8 each) |
//! | 123..131 | with the guard: the number of the list of members that the sender has adopted; 0 if it knows none |
//! | 131..163 | with the guard: the adopted list, and the proposal for the next one or 0 (16 each): a bit for each member, the highest for 127 |
//! | 163..171 | with the guard: the token that the sender has stored |
//! | 171..179 | fingerprint of the sender's members; 0 for none |
//! | 179..183 | the milliseconds that the hooks of the sender may take; 0 if it does not say |
//! | then | the message: each field in as many bytes as its domain needs, most significant first |
//! | last 16 | HMAC-SHA-256 of all bytes before it, truncated |
//!
//! A receiver accepts any later version whose least version it supports, and skips unknown bytes of a longer header.

use crate::key::{Keys, MAC_LENGTH, fingerprint};
use crate::lease::{Letter, LetterKind, Lists, Members, Standing};
use strum::{Display, FromRepr, VariantArray};

/// The version of this program's datagrams; it accepts no earlier one.
const VERSION: u8 = 7;
/// The least version that a receiver of this program's datagrams must support.
const LEAST_VERSION: u8 = 7;
/// The length of the longest datagram that is sent or accepted.
pub const MAX_DATAGRAM: usize = 16 * 1024;

const MAGIC: &[u8; 4] = b"rlea";
/// The length of the header.
const HEADER: usize = 183;
/// The bit of the purpose by which a datagram asks for an answer.
const ASKS: u8 = 0x80;

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
    /// It may have been delayed for too long.
    Late,
    /// It is not later than the last one accepted from its sender.
    Replay,
    /// It is authentic, but its message cannot be decoded.
    Message,
    /// Its sender has another heartbeat.
    Heartbeat,
    /// It does not echo this node's challenge, or its sender has just started: it may be a copy of an old one. The sender is challenged.
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
    /// It answers a challenge, or asks for an answer; the message may be the uptime of a datagram that was rejected.
    Greeting,
    /// The receiver is not a peer of the sender.
    Stranger,
    /// Two nodes have the receiver's identity; the message is the uptime of the other one, and the milliseconds for which it acted.
    Doubled,
    /// It carries a letter about the lease.
    Lease,
    /// The sender led while it did not hear the receiver, and follows it now; the message is a number of that leadership.
    Led,
}

/// The incarnation of a node, and its challenge; 0 if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Echo {
    pub(crate) boot: u64,
    pub(crate) number: u64,
}

/// The header fields of the guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GuardHeader {
    /// The digest of the members' settings.
    pub(crate) digest: u64,
    /// The lists and the token that the sender has stored.
    pub(crate) standing: Standing,
    pub(crate) letter: Option<Letter>,
}

/// The header of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) purpose: Purpose,
    pub(crate) sender: u16,
    pub(crate) receiver: u16,
    pub(crate) asks: bool,
    pub(crate) time: u64,
    pub(crate) boot: u64,
    pub(crate) challenge: u64,
    pub(crate) echo: Echo,
    pub(crate) unix: u64,
    pub(crate) heartbeat: u64,
    pub(crate) size: u16,
    pub(crate) acting: u32,
    pub(crate) guard: Option<GuardHeader>,
    pub(crate) compared: Compared,
}

/// Settings that should be the same on all nodes, but whose difference is only reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Compared {
    /// The fingerprint of the members; 0 for none.
    pub(crate) members: u64,
    /// The milliseconds that hooks may take; 0 for none.
    pub(crate) handover: u32,
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
    /// The length of the longest datagram that is accepted.
    longest: usize,
}

/// The longest message that is not one of the algorithm: [`Purpose::Doubled`].
const LONGEST_NOTICE: usize = 12;

impl Seal {
    /// `algorithm` names all that the meaning of a message depends on.
    pub(crate) fn new(keys: Keys, cluster: &str, algorithm: &str, size: usize) -> Seal {
        Seal {
            keys,
            cluster: fingerprint(&[b"cluster", cluster.as_bytes()]),
            algorithm: fingerprint(&[b"algorithm", algorithm.as_bytes(), &(size as u64).to_be_bytes()]),
            longest: MAX_DATAGRAM,
        }
    }

    /// The same for an algorithm whose longest message has this length. A later version may have a longer header.
    pub(crate) fn up_to(self, message: usize) -> Seal {
        let longest = usize::from(u8::MAX) + message.max(LONGEST_NOTICE) + MAC_LENGTH;
        Seal { longest: longest.min(MAX_DATAGRAM), ..self }
    }

    pub(crate) fn close(&self, header: &Header, message: &[u8]) -> Vec<u8> {
        let Header { purpose, sender, receiver, asks, heartbeat, size, acting, guard, .. } = *header;
        let Header { time, boot, challenge, echo, unix, .. } = *header;
        let letter = guard.and_then(|guard| guard.letter);
        let mut bytes = Vec::with_capacity(HEADER + message.len() + MAC_LENGTH);
        bytes.extend_from_slice(MAGIC);
        let asks = if asks { ASKS } else { 0 };
        bytes.extend_from_slice(&[VERSION, LEAST_VERSION, HEADER as u8, purpose as u8 | asks]);
        bytes.extend_from_slice(&self.cluster.to_be_bytes());
        bytes.extend_from_slice(&self.algorithm.to_be_bytes());
        bytes.extend_from_slice(&sender.to_be_bytes());
        bytes.extend_from_slice(&receiver.to_be_bytes());
        for word in [time, boot, challenge, echo.boot, echo.number, unix, heartbeat] {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        bytes.extend_from_slice(&size.to_be_bytes());
        bytes.extend_from_slice(&acting.to_be_bytes());
        bytes.extend_from_slice(&guard.map_or(0, |guard| guard.digest).to_be_bytes());
        bytes.push(letter.map_or(0, |letter| letter.kind as u8));
        for word in letter.map_or([0; 3], |letter| [letter.life, letter.at, letter.token]) {
            bytes.extend_from_slice(&word.to_be_bytes());
        }
        let Standing { lists, token } = guard.map_or(Standing::default(), |guard| guard.standing);
        bytes.extend_from_slice(&lists.number.to_be_bytes());
        for list in [lists.adopted, lists.proposal.unwrap_or_default()] {
            bytes.extend_from_slice(&list.bits().to_be_bytes());
        }
        bytes.extend_from_slice(&token.to_be_bytes());
        bytes.extend_from_slice(&header.compared.members.to_be_bytes());
        bytes.extend_from_slice(&header.compared.handover.to_be_bytes());
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
        if datagram.len() > self.longest {
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
        let letter = LetterKind::from_repr(bytes[98]).map(|kind| Letter {
            kind,
            life: word(99),
            at: word(107),
            token: word(115),
        });
        let list = |at: usize| Members::from_bits(u128::from(word(at)) << 64 | u128::from(word(at + 8)));
        let proposal = Some(list(147)).filter(|list| !list.is_empty());
        let lists = Lists { number: word(123), adopted: list(131), proposal };
        let standing = Standing { lists, token: word(163) };
        let header = Header {
            purpose: Purpose::from_repr(bytes[7] & !ASKS).unwrap_or(Purpose::Message),
            sender: half(24),
            receiver: half(26),
            asks: bytes[7] & ASKS != 0,
            time: word(28),
            boot: word(36),
            challenge: word(44),
            echo: Echo { boot: word(52), number: word(60) },
            unix: word(68),
            heartbeat: word(76),
            size: half(84),
            acting: u32::from(half(86)) << 16 | u32::from(half(88)),
            guard: Some(GuardHeader { digest: word(90), standing, letter }).filter(|guard| guard.digest != 0),
            compared: Compared {
                members: word(HEADER - 12),
                handover: u32::from(half(HEADER - 4)) << 16 | u32::from(half(HEADER - 2)),
            },
        };
        expected(&header)?;
        if !self.keys.verify(signed, mac) {
            return Err(Rejection::Mac);
        }
        Ok(Opened { header, agrees: word(16) == self.algorithm, message: &signed[length..] })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::Key;

    fn seal() -> Seal {
        Seal::new(Keys::new(vec![Key::new([9; 32])]).unwrap(), "test", "robust-s5", 3)
    }

    pub(crate) fn header() -> Header {
        Header {
            purpose: Purpose::Greeting,
            sender: 2,
            receiver: 1,
            asks: true,
            time: 77,
            boot: 5,
            challenge: 11,
            echo: Echo { boot: 6, number: 12 },
            unix: 13,
            heartbeat: 7,
            size: 8,
            acting: 9,
            guard: None,
            compared: Compared { members: 10, handover: 11 },
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
        let adopted = [0, 1, 127].into_iter().collect();
        let lists = Lists { number: 9, adopted, proposal: Some([64].into_iter().collect()) };
        for letter in letters.chain([None]) {
            let lists = if letter.is_some() { lists } else { Lists { proposal: None, ..lists } };
            let standing = Standing { lists, token: 8 };
            let header = Header { guard: Some(GuardHeader { digest: 77, standing, letter }), ..header() };
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

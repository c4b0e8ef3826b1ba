//! The messages between the two ends of a link.

use crate::kind::NeighbourKind;

/// A message to a neighbour: an offer, a question, or the answer to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Packet<B> {
    /// The purpose of the message.
    pub kind: NeighbourKind,
    /// The number of the offer or of the question.
    pub number: u64,
    /// An offer carries the last ticket that its receiver sent, an answer to an offer the next ticket. Otherwise 0.
    pub ticket: u64,
    /// The offered state or message, the result of an offer, or the state that was asked for; `None` for the other kinds.
    pub body: Option<B>,
}

impl<B> Packet<B> {
    /// A packet with a body.
    pub fn new(kind: NeighbourKind, number: u64, ticket: u64, body: B) -> Packet<B> {
        Packet { kind, number, ticket, body: Some(body) }
    }

    /// A packet without a body.
    pub fn bare(kind: NeighbourKind, number: u64, ticket: u64) -> Packet<B> {
        Packet { kind, number, ticket, body: None }
    }

    /// The packet as bytes; `append` adds the body.
    pub fn encode(&self, append: impl FnOnce(&B, &mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = vec![self.kind as u8];
        bytes.extend_from_slice(&self.number.to_be_bytes());
        bytes.extend_from_slice(&self.ticket.to_be_bytes());
        if let Some(body) = &self.body {
            append(body, &mut bytes);
        }
        bytes
    }

    /// The packet that these bytes encode completely; `read` decodes the body from all remaining bytes.
    pub fn decode(bytes: &[u8], read: impl FnOnce(&[u8]) -> Option<B>) -> Option<Packet<B>> {
        let (&kind, rest) = bytes.split_first()?;
        let (number, rest) = rest.split_first_chunk::<8>()?;
        let (ticket, rest) = rest.split_first_chunk::<8>()?;
        let kind = NeighbourKind::from_repr(kind)?;
        let body = match kind.has_body() {
            true => Some(read(rest)?),
            false if rest.is_empty() => None,
            false => return None,
        };
        Some(Packet { kind, number: u64::from_be_bytes(*number), ticket: u64::from_be_bytes(*ticket), body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(bytes: &[u8]) -> Option<u64> {
        bytes.try_into().map(u64::from_be_bytes).ok()
    }

    #[test]
    fn every_packet_is_decoded_and_no_other_bytes_are() {
        for kind in (0..6).map(|code| NeighbourKind::from_repr(code).unwrap()) {
            let packet = Packet { kind, number: u64::MAX, ticket: 1 << 40, body: kind.has_body().then_some(5) };
            let bytes = packet.encode(|body: &u64, bytes| bytes.extend_from_slice(&body.to_be_bytes()));
            assert_eq!(Packet::decode(&bytes, word), Some(packet));
            assert_eq!(Packet::decode(&[&bytes[..], &[0]].concat(), word), None);
            assert_eq!(Packet::decode(&bytes[..bytes.len() - 1], word), None);
            assert_eq!(Packet::decode(&[&[6], &bytes[1..]].concat(), word), None);
        }
    }
}

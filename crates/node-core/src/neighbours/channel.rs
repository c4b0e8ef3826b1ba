//! One end of a link that delivers messages once and in order.

use super::book::word;
use super::{Book, Packet, Standing};
use crate::kind::NeighbourKind;
use ringleader_model::Coin;
use std::collections::VecDeque;

/// One end of a link: the messages that wait to be sent, and the memory of those received.
///
/// One message is in transit at a time. The receiver accepts it if its ticket is the next, and acknowledges every repeat of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel<M> {
    /// The messages to be sent; the first is in transit if `out`.
    pub waiting: VecDeque<M>,
    /// The number of the last message that was sent.
    pub number: u64,
    /// Whether a message is in transit.
    pub out: bool,
    /// The last ticket that the other end sent.
    pub named: u64,
    /// The memory of the messages received.
    pub book: Book<()>,
}

/// The result of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered<M> {
    /// The packet to send back, or the next to send.
    pub reply: Option<Packet<M>>,
    /// A message that has arrived.
    pub message: Option<M>,
}

impl<M: Clone> Channel<M> {
    /// An unused link. Number and ticket are random, so an earlier incarnation of this end had others.
    pub fn new(coin: &mut dyn Coin) -> Channel<M> {
        Channel { waiting: VecDeque::new(), number: word(coin), out: false, named: 0, book: Book::new(word(coin), ()) }
    }

    /// Sends a message, immediately or after those that wait.
    pub fn send(&mut self, message: M) -> Option<Packet<M>> {
        self.waiting.push_back(message);
        self.next()
    }

    fn next(&mut self) -> Option<Packet<M>> {
        if self.out || self.waiting.is_empty() {
            return None;
        }
        self.number = self.number.wrapping_add(1);
        self.out = true;
        self.repeat()
    }

    /// The message in transit, again.
    pub fn repeat(&self) -> Option<Packet<M>> {
        let body = self.waiting.front().filter(|_| self.out)?.clone();
        Some(Packet::new(NeighbourKind::Offer, self.number, self.named, body))
    }

    /// Receives a packet.
    pub fn receive(&mut self, packet: Packet<M>, coin: &mut dyn Coin) -> Delivered<M> {
        let Packet { kind, number, ticket, body } = packet;
        match (kind, body) {
            (NeighbourKind::Offer, Some(body)) => {
                let standing = self.book.standing(number, ticket);
                let new = standing == Standing::New;
                if new {
                    self.book.keep(number, (), word(coin));
                }
                let ticket = self.book.ticket;
                let reply = match standing {
                    Standing::Stale => Packet::bare(NeighbourKind::Stale, number, ticket),
                    // The message itself: a default value need not be encodable.
                    _ => Packet::new(NeighbourKind::Done, number, ticket, body.clone()),
                };
                Delivered { reply: Some(reply), message: new.then_some(body) }
            }
            (NeighbourKind::Done | NeighbourKind::Stale, _) if self.out && number == self.number => {
                (self.out, self.named) = (false, ticket);
                if kind == NeighbourKind::Done {
                    self.waiting.pop_front();
                }
                Delivered { reply: self.next(), message: None }
            }
            _ => Delivered { reply: None, message: None },
        }
    }
}

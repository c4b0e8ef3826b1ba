//! One end of a link through which messages arrive once and in order.

use super::book::word;
use super::{Book, Packet, Standing};
use ringleader_model::Coin;
use std::collections::VecDeque;

/// One end: what waits to be sent through it, and what has come.
///
/// One message is out at a time. Its receiver takes it if its ticket is the next and says so, again and again if asked again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Channel<M> {
    /// What waits; the first is out, if one is.
    pub waiting: VecDeque<M>,
    /// The number of the message that is out, or was last.
    pub number: u64,
    /// Whether one is out.
    pub out: bool,
    /// The ticket that the other side named last.
    pub named: u64,
    /// What was taken from the other side.
    pub book: Book<()>,
}

/// What came of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered<M> {
    /// What goes back, or goes out next.
    pub reply: Option<Packet<M>>,
    /// A message that has arrived.
    pub message: Option<M>,
}

impl<M: Clone> Channel<M> {
    /// A link through which nothing has gone. Number and ticket begin anywhere, so where no earlier life of it was.
    pub fn new(coin: &mut dyn Coin) -> Channel<M> {
        Channel { waiting: VecDeque::new(), number: word(coin), out: false, named: 0, book: Book::new(word(coin), ()) }
    }

    /// Sends a message, at once or after those that wait.
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

    /// The message that is out, again.
    pub fn repeat(&self) -> Option<Packet<M>> {
        let body = self.waiting.front().filter(|_| self.out)?.clone();
        Some(Packet::Offer { number: self.number, ticket: self.named, body })
    }

    /// Hears a packet.
    pub fn hear(&mut self, packet: Packet<M>, coin: &mut dyn Coin) -> Delivered<M> {
        let mut delivered = Delivered { reply: None, message: None };
        match packet {
            Packet::Offer { number, ticket, body } => {
                let standing = self.book.standing(number, ticket);
                if standing == Standing::New {
                    self.book.keep(number, (), word(coin));
                    delivered.message = Some(body.clone());
                }
                let ticket = self.book.ticket;
                delivered.reply = Some(match standing {
                    Standing::Stale => Packet::Stale { number, ticket },
                    // The message itself: the default value need not be a message that can be encoded.
                    _ => Packet::Done { number, ticket, body },
                });
            }
            Packet::Done { number, ticket, .. } if self.out && number == self.number => {
                (self.out, self.named) = (false, ticket);
                self.waiting.pop_front();
                delivered.reply = self.next();
            }
            Packet::Stale { number, ticket } if self.out && number == self.number => {
                (self.out, self.named) = (false, ticket);
                delivered.reply = self.next();
            }
            _ => {}
        }
        delivered
    }
}

//! A member of a ring, of a graph or of a complete network, as a core runs it.

use super::Packet;
use crate::core::{Algorithm, Message, Shown};
use crate::kind::{NeighbourKind, PayloadKind};
use crate::leadership::NOBODY;
use ringleader_model::{Coin, Marks, Port, Timing, Visitor};

mod graph;
mod message;
mod population;
mod ring;

pub use graph::GraphMember;
pub use message::MessageMember;
pub use population::PopulationMember;
pub use ring::RingMember;

/// A member starts an interaction once in this many iterations on average: ten times a heartbeat.
const OFFER_EVERY: u32 = 2;
/// It repeats an unanswered packet after this many iterations.
const REPEAT_AFTER: u32 = 2;
/// If answers take long, members that offer again immediately would always find each other busy. So a member is idle, on average,
/// for this many times as long as it last waited.
const IDLE_TIMES: u32 = 3;
/// A wait counts as at most this many iterations, a heartbeat.
const MOST_TOOK: u32 = 20;
/// A refused member is idle for longer, by at most this many iterations.
const MOST_BACKOFF: u32 = 64;
/// A member gives up on a neighbour after this many iterations, twenty heartbeats.
const GIVE_UP_AFTER: u32 = 400;
/// The same for a read of the neighbours, which leaves nothing behind: five heartbeats. Other neighbours find the member busy meanwhile.
const READ_FOR: u32 = 100;

/// The kind of a received packet, and the messages to send in return.
pub type Heard = (NeighbourKind, Vec<Message>);

/// The protocol that a member runs with its neighbours, one for each model.
pub trait NeighbourProtocol: Send {
    /// Starts an interaction, if none is in progress.
    fn begin(&mut self, coin: &mut dyn Coin) -> Vec<Message>;
    /// The unanswered messages.
    fn repeat(&self) -> Vec<Message>;
    /// The iterations after which it stops waiting for an answer.
    fn patience(&self) -> u32 {
        GIVE_UP_AFTER
    }
    /// Stops waiting for an answer.
    fn give_up(&mut self);
    /// Receives a message of a neighbour; `None` if the bytes are not one. If `held`, the token must not move.
    fn receive(&mut self, from: Port, bytes: &[u8], held: bool, coin: &mut dyn Coin) -> Option<Heard>;
    /// Whether the member holds the token, as far as it knows; `None` if the algorithm has no token.
    fn token(&self) -> Option<bool>;
    /// Whether a neighbour may have taken the token already, without this member knowing.
    fn may_have_passed(&self) -> bool {
        false
    }
    /// The marks of the member's state.
    fn marks(&self) -> Marks;
    /// Shows every variable, so that a fault can set any of them.
    fn variables(&mut self, visitor: &mut dyn Visitor);
    /// The algorithm's variables as text.
    fn text(&self) -> String;
}

/// The message that carries a packet whose body is a state.
fn message((to, packet): (Port, Packet<u64>)) -> Message {
    let bytes = packet.encode(|state, bytes| bytes.extend_from_slice(&state.to_be_bytes()));
    Message::between(to, packet.kind, bytes)
}

/// The packet in such a message.
fn packet(bytes: &[u8]) -> Option<Packet<u64>> {
    Packet::decode(bytes, |state| state.try_into().map(u64::from_be_bytes).ok())
}

/// A member, and the pace at which it sends.
pub struct Member {
    protocol: Box<dyn NeighbourProtocol>,
    size: usize,
    me: usize,
    /// Whether the token waits for an errand.
    holds: bool,
    /// The iterations since it started to wait.
    waited: u32,
    /// The iterations of its last wait.
    took: u32,
    /// The additional idle time since it was refused.
    backoff: u32,
    /// The errand that is in progress while it holds the token.
    errand: Option<u64>,
    /// Whether an errand has been run since it got the token.
    run: bool,
    /// The number of the last errand.
    errands: u64,
}

impl Member {
    /// A member of a network of this size; `me` is its identity, if it has one. If it `holds`, the token moves on only after
    /// [`Algorithm::errand_done`].
    pub fn new(protocol: Box<dyn NeighbourProtocol>, size: usize, me: usize, holds: bool) -> Member {
        Member { protocol, size, me, holds, waited: 0, took: 0, backoff: 0, errand: None, run: false, errands: 0 }
    }

    /// Starts one errand when the token arrives.
    fn look_for_token(&mut self) {
        let here = self.holds && self.protocol.token() == Some(true);
        if !here {
            self.run = false;
        }
        if here && !self.run && self.errand.is_none() {
            self.errands = self.errands.wrapping_add(1);
            self.errand = Some(self.errands);
        }
        if !self.holds {
            self.errand = None;
        }
    }
}

impl Algorithm for Member {
    fn size(&self) -> usize {
        self.size
    }

    fn timing(&self) -> Timing {
        Timing { alpha: 1, beta: 1, delta: 2 }
    }

    fn timeout(&self) -> u64 {
        0
    }

    // A pause of the loop invalidates none of its variables.
    fn restart(&mut self, _: bool) {}

    fn take(&mut self, from: usize, bytes: &[u8], coin: &mut dyn Coin, out: &mut Vec<Message>) -> Option<PayloadKind> {
        let held = self.errand.is_some() || (self.holds && !self.run);
        let (kind, sent) = self.protocol.receive(from, bytes, held, coin)?;
        out.extend(sent);
        match kind {
            NeighbourKind::Busy => self.backoff = (2 * self.backoff.min(MOST_BACKOFF) + 1).min(MOST_BACKOFF),
            // A process that reads several neighbours is not done after the first answer.
            NeighbourKind::Done | NeighbourKind::Shown if self.protocol.repeat().is_empty() => self.backoff = 0,
            _ => {}
        }
        self.look_for_token();
        Some(PayloadKind::Neighbour(kind))
    }

    fn errand_done(&mut self, errand: u64) {
        if self.errand == Some(errand) {
            (self.errand, self.run) = (None, true);
        }
    }

    fn iterate(&mut self, _: bool, coin: &mut dyn Coin) -> Vec<Message> {
        self.look_for_token();
        let waiting = self.protocol.repeat();
        if !waiting.is_empty() {
            self.waited = self.waited.saturating_add(1);
            if self.waited > self.protocol.patience() {
                self.protocol.give_up();
                // Its other neighbours have a turn before it tries again.
                self.took = std::mem::take(&mut self.waited);
                return vec![];
            }
            return if self.waited.is_multiple_of(REPEAT_AFTER) { waiting } else { vec![] };
        }
        if self.waited > 0 {
            self.took = std::mem::take(&mut self.waited);
        }
        let idle = OFFER_EVERY + IDLE_TIMES * self.took.min(MOST_TOOK) + self.backoff.min(MOST_BACKOFF);
        if self.errand.is_some() || coin.below(idle) != 0 {
            return vec![];
        }
        self.took = 0;
        self.protocol.begin(coin)
    }

    fn step(&mut self, _: &mut dyn Coin) -> Vec<Message> {
        vec![]
    }

    fn shown(&self) -> Shown {
        let leader = if self.protocol.marks().leader() { self.me } else { NOBODY };
        let token = self.protocol.token().map(|here| here && !self.protocol.may_have_passed());
        Shown { leader, stands: Some(true), token, errand: self.errand, ..Shown::default() }
    }

    fn memory(&mut self, visitor: &mut dyn Visitor) {
        self.protocol.variables(visitor);
        visitor.range("waited", 0, u64::from(u32::MAX), &mut self.waited);
        visitor.range("took", 0, u64::from(u32::MAX), &mut self.took);
        visitor.range("backoff", 0, u64::from(u32::MAX), &mut self.backoff);
        visitor.bit("run", &mut self.run);
        visitor.word("errands", &mut self.errands);
        let (mut out, mut errand) = (self.errand.is_some(), self.errand.unwrap_or_default());
        visitor.bit("on errand", &mut out);
        visitor.word("errand", &mut errand);
        self.errand = out.then_some(errand);
    }

    fn text(&self) -> String {
        self.protocol.text()
    }

    fn variables(&self) -> Option<String> {
        Some(self.text())
    }
}

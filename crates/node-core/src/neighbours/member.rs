//! A member of a ring, or of a complete network, as a core runs it.

use crate::core::{Algorithm, Message, Shown};
use crate::kind::{Kind, NeighbourKind};
use crate::leadership::NOBODY;
use ringleader_model::{Coin, Marks, Port, Timing, Visitor};

mod agent;
mod party;
mod process;

pub use agent::Agent;
pub use party::Party;
pub use process::Process;

/// A member offers once in so many iterations, on average: ten times a heartbeat.
const OFFER_EVERY: u32 = 2;
/// It repeats after so many iterations without an answer.
const REPEAT_AFTER: u32 = 2;
/// Where answers take long, members that offer again at once would always find each other busy: it is idle for so many times as
/// long as it last waited, on average.
const IDLE_TIMES: u32 = 3;
/// Of an answer that took longer than so many iterations, a heartbeat, it thinks no worse.
const MOST_TOOK: u32 = 20;
/// And longer, up to so many iterations, while it is refused.
const MOST_BACKOFF: u32 = 64;
/// It gives up on a neighbour after so many: twenty heartbeats.
const GIVE_UP_AFTER: u32 = 400;

/// One of the three things that a member can be.
pub trait Face: Send {
    /// What it says of its own accord, if it is free to.
    fn begin(&mut self, coin: &mut dyn Coin) -> Vec<Message>;
    /// What it has said and waits for an answer to.
    fn repeat(&self) -> Vec<Message>;
    /// Waits no longer.
    fn give_up(&mut self);
    /// Takes a message of a neighbour: its kind, or `None` if the bytes are none, and what is sent in return. If `held`, the token
    /// must not move.
    fn hear(
        &mut self,
        from: Port,
        bytes: &[u8],
        held: bool,
        coin: &mut dyn Coin,
    ) -> Option<(NeighbourKind, Vec<Message>)>;
    /// Where there is a token: whether it has seen that it holds it, and nothing since that says otherwise.
    fn token(&self) -> Option<bool>;
    /// Whether the token may have gone already, for all that it knows.
    fn may_have_passed(&self) -> bool {
        false
    }
    /// What it shows.
    fn marks(&self) -> Marks;
    /// Shows all that it remembers, so that a fault can be anything.
    fn variables(&mut self, visitor: &mut dyn Visitor);
    /// The algorithm's variables as text.
    fn text(&self) -> String;
}

/// A member, and when it says what.
pub struct Member {
    face: Box<dyn Face>,
    size: usize,
    me: usize,
    /// Whether the token waits for an errand.
    holds: bool,
    /// For how many iterations it has waited.
    waited: u32,
    /// For how many it waited the last time.
    took: u32,
    /// How much longer than usual it is idle, since it was refused.
    backoff: u32,
    /// The errand that is being run while it holds the token.
    errand: Option<u64>,
    /// Whether one has been run since it got the token.
    run: bool,
    /// The number of the last errand.
    errands: u64,
}

impl Member {
    /// A member of so many; `me` is its identity, if it has one. If it `holds`, the token moves on only after
    /// [`Algorithm::errand_done`].
    pub fn new(face: Box<dyn Face>, size: usize, me: usize, holds: bool) -> Member {
        Member { face, size, me, holds, waited: 0, took: 0, backoff: 0, errand: None, run: false, errands: 0 }
    }

    /// An errand begins as soon as the token is there, and one is enough until it has gone.
    fn look_for_token(&mut self) {
        let here = self.holds && self.face.token() == Some(true);
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

    // Time that has passed without it makes nothing wrong that it remembers.
    fn restart(&mut self) {}

    fn take(&mut self, from: usize, bytes: &[u8], coin: &mut dyn Coin, out: &mut Vec<Message>) -> Option<Kind> {
        let held = self.errand.is_some() || (self.holds && !self.run);
        let (kind, said) = self.face.hear(from, bytes, held, coin)?;
        out.extend(said);
        match kind {
            NeighbourKind::Busy => self.backoff = (2 * self.backoff.min(MOST_BACKOFF) + 1).min(MOST_BACKOFF),
            // One who reads both sides has not done with the first.
            NeighbourKind::Done | NeighbourKind::Shown if self.face.repeat().is_empty() => self.backoff = 0,
            _ => {}
        }
        self.look_for_token();
        Some(Kind::Neighbour(kind))
    }

    fn errand_done(&mut self, errand: u64) {
        if self.errand == Some(errand) {
            (self.errand, self.run) = (None, true);
        }
    }

    fn iterate(&mut self, _: bool, coin: &mut dyn Coin) -> Vec<Message> {
        self.look_for_token();
        let waiting = self.face.repeat();
        if waiting.is_empty() {
            if self.waited > 0 {
                self.took = std::mem::take(&mut self.waited);
            }
            let idle = OFFER_EVERY + IDLE_TIMES * self.took.min(MOST_TOOK) + self.backoff.min(MOST_BACKOFF);
            match self.errand.is_none() && coin.below(idle) == 0 {
                true => {
                    self.took = 0;
                    self.face.begin(coin)
                }
                false => vec![],
            }
        } else {
            self.waited = self.waited.saturating_add(1);
            match () {
                () if self.waited > GIVE_UP_AFTER => {
                    self.face.give_up();
                    self.waited = 0;
                    vec![]
                }
                () if self.waited.is_multiple_of(REPEAT_AFTER) => waiting,
                () => vec![],
            }
        }
    }

    fn step(&mut self, _: &mut dyn Coin) -> Vec<Message> {
        vec![]
    }

    fn shown(&self) -> Shown {
        let leader = if self.face.marks().leader() { self.me } else { NOBODY };
        let token = self.face.token().map(|here| here && !self.face.may_have_passed());
        Shown { leader, epoch: 0, stands: Some(true), holds: false, token, errand: self.errand }
    }

    fn memory(&mut self, visitor: &mut dyn Visitor) {
        self.face.variables(visitor);
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
        self.face.text()
    }

    fn variables(&self) -> Option<String> {
        Some(self.text())
    }
}

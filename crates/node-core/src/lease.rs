//! The guard: a leader is confirmed only while a majority of the members has granted it a lease.
//!
//! Every member, the leader included, grants to one node at a time, for the length L by its own clock, and nothing for L after it
//! has begun: it may have granted before. A grant echoes when it was asked for, on the asker's clock; the asker counts
//! from there, and only L·(1-d)/(1+d), where d bounds how far any clock's rate is off. So what the asker counts is over
//! before the grant is, however long either message took. Two majorities share a member: at most one node is
//! confirmed at a time, whatever the network does, as long as clocks keep the bound and memory is sound.
//!
//! With a token, being held by a majority is not enough: in each *tenure*, the time in which the lease is held without a gap, the
//! leader has a number stored by a majority before it is confirmed. A member stores only numbers above its own, and
//! tenures do not overlap: so the number grows from each confirmed leadership to the next.
//!
//! No sockets and no clock: time is an argument, in units of the caller's. Deadlines that no sound memory could
//! hold are cut when they are met, so a corrupted grant is over within L.

mod grants;
mod record;
mod tenure;

#[cfg(test)]
pub(crate) mod exhaustive;
#[cfg(test)]
pub(crate) mod hostile;

use grants::{Grants, Taken};
pub use record::Record;
use ringleader_model::Visitor;
use tenure::Claim;

/// What all members agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Terms {
    /// L, in units of the caller's clock.
    pub length: u64,
    /// d, in millionths: each clock goes at 1-d to 1+d times the true rate.
    pub drift: u32,
    /// How many members there are.
    pub members: usize,
    /// Whether a leader needs a stored number.
    pub token: bool,
}

impl Terms {
    /// Terms without a token.
    pub fn new(length: u64, drift: u32, members: usize) -> Terms {
        Terms { length, drift, members, token: false }
    }

    /// How long an asker may count on a grant, by its own clock, from when it asked.
    pub fn span(&self) -> u64 {
        let (length, drift) = (u128::from(self.length), u128::from(self.drift.min(999_999)));
        (length * (1_000_000 - drift) / (1_000_000 + drift)) as u64
    }

    /// How many members make a majority.
    pub fn majority(&self) -> usize {
        self.members / 2 + 1
    }
}

/// What a letter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::FromRepr, strum::VariantArray)]
#[repr(u8)]
pub enum LetterKind {
    /// "Grant me the lease", and store the token if it is not 0.
    Ask = 1,
    /// "Granted"; the token is the greatest that is stored here.
    Grant,
    /// "Granted, and your token is stored."
    Stored,
    /// "What you granted for askings up to this one is free."
    Return,
}

/// What members say to each other about the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter {
    /// What it says.
    pub kind: LetterKind,
    /// Which life of the asker it is about.
    pub life: u64,
    /// When it was asked, on the asker's clock.
    pub at: u64,
    /// A token, or 0.
    pub token: u64,
}

/// One member: what it has granted, and what it was granted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    terms: Terms,
    me: usize,
    life: u64,
    grants: Grants,
    claim: Claim,
}

impl Lease {
    /// A member that begins now, in a life of its own. `size` is how many identities there are; `record`, what was stored before.
    pub fn new(terms: Terms, me: usize, life: u64, size: usize, record: Record, now: u64) -> Lease {
        Lease { terms, me, life, grants: Grants::new(&terms, record, now), claim: Claim::new(size) }
    }

    /// Asks for the lease: what goes to every other member. Its own grant it asks for at once, if it is `willing`.
    pub fn ask(&mut self, now: u64, willing: bool) -> Option<Letter> {
        self.claim.lapse(now);
        let (at, token) = self.claim.ask(now)?;
        let letter = Letter { kind: LetterKind::Ask, life: self.life, at, token };
        if let Some(answer) = self.grants.ask(&self.terms, now, self.me, letter, willing) {
            self.hear(now, self.me, answer);
        }
        Some(letter)
    }

    /// Takes a letter of another member. An asking is granted only if this member is `willing`; the answer goes back to it.
    pub fn receive(&mut self, now: u64, from: usize, letter: Letter, willing: bool) -> Option<Letter> {
        match letter.kind {
            LetterKind::Ask => self.grants.ask(&self.terms, now, from, letter, willing),
            LetterKind::Return => {
                self.grants.free(&self.terms, now, from, letter);
                None
            }
            LetterKind::Grant | LetterKind::Stored => {
                self.hear(now, from, letter);
                None
            }
        }
    }

    fn hear(&mut self, now: u64, from: usize, letter: Letter) {
        self.claim.lapse(now);
        if letter.life == self.life {
            self.claim.hear(now, from, letter);
        }
        self.claim.renew(&self.terms, now);
    }

    /// Stops counting on what was granted, and gives it back: what goes to every other member. Whoever acts on the lease must have
    /// stopped before.
    pub fn give_back(&mut self, now: u64) -> Letter {
        let at = self.claim.abandon(now);
        let letter = Letter { kind: LetterKind::Return, life: self.life, at, token: 0 };
        self.grants.free(&self.terms, now, self.me, letter);
        letter
    }

    /// What was given back last, to be said again: letters get lost. None while it asks.
    pub fn given_back(&self) -> Option<Letter> {
        let at = self.claim.floor;
        (self.asking().is_none() && at > 0).then_some(Letter {
            kind: LetterKind::Return,
            life: self.life,
            at,
            token: 0,
        })
    }

    /// Stops counting on what was granted, and lets it run out.
    pub fn abandon(&mut self, now: u64) {
        self.claim.abandon(now);
    }

    /// Until when this member is confirmed, if it is.
    pub fn confirmed(&mut self, now: u64) -> Option<u64> {
        self.claim.lapse(now);
        self.claim.renew(&self.terms, now);
        self.claim.confirmed(&self.terms)
    }

    /// The token of the present tenure, once it is stored by a majority.
    pub fn token(&self) -> Option<u64> {
        self.claim.token(&self.terms)
    }

    /// Whether a majority has granted, confirmed or not.
    pub fn held(&self) -> bool {
        self.claim.held()
    }

    /// When it last asked, if it has not given back what it was granted since.
    pub fn asking(&self) -> Option<u64> {
        self.claim.asking()
    }

    /// What is to be stored before anything else can be, if there is something; [`Lease::stored`] is to be called when it is.
    pub fn to_store(&self) -> Option<Record> {
        self.grants.pending
    }

    /// A record is stored for good. Gives whom to tell, and what.
    pub fn stored(&mut self, now: u64, record: Record) -> Option<(usize, Letter)> {
        match self.grants.stored(now, record)? {
            Taken { from, letter } if from == self.me => {
                self.hear(now, from, letter);
                None
            }
            Taken { from, letter } => Some((from, letter)),
        }
    }

    /// What this member has stored.
    pub fn record(&self) -> Record {
        self.grants.record
    }

    /// Whom it has granted the lease, and until when.
    pub fn granted(&self, now: u64) -> Option<(usize, u64)> {
        self.grants.granted(&self.terms, now)
    }

    /// Cuts what no sound memory holds. Done at every moment, what was corrupted is over within L of that; else of when it is met.
    pub fn heal(&mut self, now: u64) {
        self.grants.heal(&self.terms, now);
    }

    /// Shows all that is remembered to a visitor that may replace it, but for what is stored for good.
    pub(crate) fn memory(&mut self, visitor: &mut dyn Visitor) {
        let size = self.claim.heard.len();
        self.grants.memory(size, visitor);
        self.claim.memory(visitor);
    }
}

//! A protocol that was found.

use crate::family::{Family, Topology};
use crate::safe::SafeSet;
use crate::table::{Entries, Entry};
use ringleader_model::{
    Circle, Coin, Goal, Marks, Population, Safety, Scheduler, Stabilizing, Told, Variables, Visitor,
};

/// One line of a protocol: agents in these states that hear this become those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Line {
    /// The initiator's state and the responder's.
    pub before: (u8, u8),
    /// Whether they hear that there is a leader; absent where they are told nothing, or where it makes no difference.
    pub hears: Option<bool>,
    /// Their states afterwards.
    pub after: (u8, u8),
}

/// A protocol: a table of what becomes of two agents that meet. Its first states are the leader states.
///
/// It is an algorithm as any other, so that every engine can run it; and it can be written as [text](Protocol::text).
#[derive(Clone, Debug)]
pub struct Protocol {
    pub(crate) family: Family,
    leaders: usize,
    /// By initiator, responder and what they hear.
    after: Vec<(u8, u8)>,
    words: Vec<&'static str>,
    pub(crate) safe: SafeSet,
}

const LEADERS: [&str; 5] = ["L", "M", "N", "O", "P"];
const OTHERS: [&str; 5] = ["a", "b", "c", "d", "e"];

impl Protocol {
    pub(crate) fn new(family: &Family, entries: &Entries, table: &[u8], safe: SafeSet) -> Protocol {
        let (states, leaders) = (family.states, entries.leaders());
        let mut after = vec![];
        for initiator in 0..states as u8 {
            for responder in 0..states as u8 {
                for hears in [false, true] {
                    let meeting = Entry { initiator, responder, hears: hears && family.detector };
                    // What never happens changes nothing.
                    let found = entries.find(meeting);
                    after.push(found.map_or((initiator, responder), |(entry, turned)| {
                        let (c, d) = entries.pair(table[entry]);
                        if turned { (d, c) } else { (c, d) }
                    }));
                }
            }
        }
        let words = LEADERS[..leaders].iter().chain(&OTHERS[..states - leaders]).copied().collect();
        Protocol { family: family.clone(), leaders, after, words, safe }
    }

    /// How many states it has.
    pub fn states(&self) -> usize {
        self.family.states
    }

    /// How many of these are leader states: the first ones.
    pub fn leaders(&self) -> usize {
        self.leaders
    }

    /// The name of a state: capitals lead.
    pub fn word(&self, state: u8) -> &'static str {
        self.words[usize::from(state)]
    }

    /// Who meets whom.
    pub fn topology(&self) -> Topology {
        self.family.topology
    }

    /// Under which schedules the promise is kept.
    pub fn scheduler(&self) -> Scheduler {
        self.family.scheduler
    }

    /// What becomes of an initiator and a responder in these states that are told whether there is a leader.
    pub fn after(&self, initiator: u8, responder: u8, hears: bool) -> (u8, u8) {
        let meeting = usize::from(initiator) * self.states() + usize::from(responder);
        self.after[2 * meeting + usize::from(hears && self.family.detector)]
    }

    /// All that changes something; what is not listed changes nothing.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = vec![];
        let states = 0..self.states() as u8;
        for before in states.clone().flat_map(|a| states.clone().map(move |b| (a, b))) {
            let [silence, voice] = [false, true].map(|hears| self.after(before.0, before.1, hears));
            let led = [before.0, before.1].iter().any(|&state| usize::from(state) < self.leaders);
            if !self.family.detector || led {
                // A leader that is there is heard of.
                let after = if led { voice } else { silence };
                lines.push(Line { before, hears: None, after });
            } else if silence == voice {
                lines.push(Line { before, hears: None, after: voice });
            } else {
                lines.push(Line { before, hears: Some(false), after: silence });
                lines.push(Line { before, hears: Some(true), after: voice });
            }
        }
        lines.retain(|line| line.before != line.after);
        lines
    }
}

impl Variables for Protocol {
    type State = u8;
    fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
        v.symbol("state", &self.words, state);
    }
}

impl Population for Protocol {
    fn hears(&self) -> bool {
        self.family.detector
    }

    fn interact(&self, u: u8, v: u8, told: Told, _: &mut impl Coin) -> (u8, u8) {
        self.after(u, v, told.initiator)
    }

    fn marks(&self, state: &u8) -> Marks {
        Marks::LEADER.when(usize::from(*state) < self.leaders)
    }
}

impl Stabilizing for Protocol {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    fn correct(&self, c: &[u8]) -> bool {
        Circle(c).only(|&state| usize::from(state) < self.leaders).is_some()
    }

    fn safe(&self, c: &[u8]) -> bool {
        self.correct(c) && self.safe.contains(c)
    }
}

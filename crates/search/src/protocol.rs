//! A protocol that the search found.

use crate::family::{Family, Topology};
use crate::safe::SafeSet;
use crate::table::{Entries, Entry};
use ringleader_model::{
    Circle, Coin, Goal, Marks, Population, Safety, Scheduler, Stabilizing, Told, Variables, Visitor,
};

/// One line of a protocol: a pair of states with its input, and the new states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Line {
    /// The initiator's state and the responder's.
    pub before: (u8, u8),
    /// Whether the detector says that there is a leader; absent without a detector, or if the answer makes no
    /// difference.
    pub hears: Option<bool>,
    /// Their states afterwards.
    pub after: (u8, u8),
}

/// A protocol: a table of interactions. Its first states are the leader states.
///
/// It implements the traits of the model, so every engine can run it. It can be written as [text](Protocol::text).
#[derive(Clone, Debug)]
pub struct Protocol {
    pub(crate) family: Family,
    leaders: usize,
    /// The new states, by initiator, responder and input.
    after: Vec<(u8, u8)>,
    words: Vec<&'static str>,
    pub(crate) safe: SafeSet,
}

const LEADERS: [&str; 5] = ["L", "M", "N", "O", "P"];
const OTHERS: [&str; 5] = ["a", "b", "c", "d", "e"];

impl Protocol {
    pub(crate) fn new(family: &Family, entries: &Entries, table: &[u8], safe: SafeSet) -> Protocol {
        let (states, leaders) = (family.states, entries.leaders);
        let mut after = vec![];
        for initiator in 0..states as u8 {
            for responder in 0..states as u8 {
                for hears in [false, true] {
                    let meeting = Entry { initiator, responder, hears: hears && family.detector };
                    // An interaction that never happens changes nothing.
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

    /// The number of states.
    pub fn states(&self) -> usize {
        self.family.states
    }

    /// The number of leader states, which are the first states.
    pub fn leaders(&self) -> usize {
        self.leaders
    }

    /// The name of a state: leader states are capitals.
    pub fn word(&self, state: u8) -> &'static str {
        self.words[usize::from(state)]
    }

    /// The communication graph.
    pub fn topology(&self) -> Topology {
        self.family.topology
    }

    /// The class of schedules under which the promise holds.
    pub fn scheduler(&self) -> Scheduler {
        self.family.scheduler
    }

    /// The new states of an initiator and a responder in these states, with this answer of the detector.
    pub fn after(&self, initiator: u8, responder: u8, hears: bool) -> (u8, u8) {
        let meeting = usize::from(initiator) * self.states() + usize::from(responder);
        self.after[2 * meeting + usize::from(hears && self.family.detector)]
    }

    /// The interactions that change something.
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = vec![];
        let states = 0..self.states() as u8;
        for before in states.clone().flat_map(|a| states.clone().map(move |b| (a, b))) {
            let [silence, voice] = [false, true].map(|hears| self.after(before.0, before.1, hears));
            let led = [before.0, before.1].iter().any(|&state| usize::from(state) < self.leaders);
            if !self.family.detector || led {
                // If one of the two is a leader, the detector says so.
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

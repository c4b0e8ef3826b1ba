//! Reading a ring agent by agent, when what is read depends on both neighbours.
//!
//! An agent can be read in several ways. Each way makes claims about the link to either neighbour: what it tells them, and what it
//! believes of them. Neighbours must claim the same, and so must the last agent and the first. Some beliefs hold all the way round only
//! if they have a reason somewhere.

/// A way to read one agent.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    pub(crate) left: u64,
    pub(crate) right: u64,
    /// What is believed and needs a reason; what has one here.
    pub(crate) believed: u64,
    pub(crate) reasons: u64,
    /// What is read.
    pub(crate) values: u64,
}

/// What is known after some agents: what the first claims to its left, the last to its right, and what still needs a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Run {
    first: u64,
    last: u64,
    unfounded: u64,
}

/// The ways to read each letter.
pub(crate) struct Ring {
    ways: Vec<Vec<Way>>,
    /// For each letter the first that is read like it.
    pub(crate) look: Vec<usize>,
}

impl Ring {
    pub(crate) fn new(mut ways: Vec<Vec<Way>>) -> Ring {
        for letter in &mut ways {
            letter.sort_unstable();
            letter.dedup();
        }
        let look = |letter: &Vec<Way>| ways.iter().position(|other| other == letter).unwrap_or_default();
        Ring { look: ways.iter().map(look).collect(), ways }
    }

    /// All ways to go on from a run, or to begin one, with what is read.
    pub(crate) fn read(&self, run: Option<Run>, letter: usize) -> impl Iterator<Item = (Option<Run>, u64)> {
        let ways = &self.ways[letter];
        // They are sorted by what they claim to the left.
        let fitting = run.map_or(0..ways.len(), |run| {
            ways.partition_point(|way| way.left < run.last)..ways.partition_point(|way| way.left <= run.last)
        });
        ways[fitting].iter().map(move |way| {
            let Run { first, unfounded, .. } =
                run.unwrap_or(Run { first: way.left, last: way.right, unfounded: way.believed });
            (Some(Run { first, last: way.right, unfounded: unfounded & !way.reasons }), way.values)
        })
    }
}

/// Whether a run may end: the ring closes, and nothing is believed without a reason.
pub(crate) fn closes(run: Option<Run>) -> bool {
    run.is_some_and(|run| run.last == run.first && run.unfounded == 0)
}

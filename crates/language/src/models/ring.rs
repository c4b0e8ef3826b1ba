//! Protocols in text on a ring or a line of processes.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::configurations::predicates::Stabilized;
use crate::domains::layout::State;
use crate::models::host::{Rules, marks};
use ringleader_model::{Chain, Coin, Marks, Place, Reads, Ring, View};

/// The rules and the marks of processes on a ring or a line.
pub(crate) struct Chained {
    chain: Chain,
    reads: Reads,
    rules: Rules,
    marks: Vec<(Marks, Code)>,
}

impl Stabilized<Chained> {
    pub(crate) fn new(built: &Built<'_>, chain: Chain, reads: Reads) -> Result<Self, Problem> {
        let rules = Rules::new(built, &built.view())?;
        Stabilized::with(built, Chained { chain, reads, rules, marks: built.marks(3)? })
    }
}

/// The states that a process reads, and whether it is at the bottom and at the top.
#[inline]
fn seen(view: View<State>) -> ([u64; 4], [bool; 2]) {
    ([view.own.0, view.left.0, view.right.0, 0], [view.at == Place::Bottom, view.at == Place::Top])
}

impl Ring for Stabilized<Chained> {
    fn chain(&self) -> Chain {
        self.model.chain
    }

    fn reads(&self) -> Reads {
        self.model.reads
    }

    #[inline]
    fn act(&self, view: View<State>, coin: &mut impl Coin) -> State {
        let (states, place) = seen(view);
        self.model.rules.step(states, place, coin)[0]
    }

    fn marks(&self, view: View<State>) -> Marks {
        let (states, place) = seen(view);
        marks(&self.model.marks, |code| code.value(states, [place[0].into(), place[1].into()]).unwrap_or(0))
    }
}

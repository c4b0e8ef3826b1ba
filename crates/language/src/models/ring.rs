//! Protocols in text on a ring or a line of processes.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::code::machine::{Registers, run, with_registers};
use crate::code::residual::Residual;
use crate::configurations::predicates::Predicates;
use crate::domains::layout::State;
use crate::models::host::{Doing, Nobody};
use crate::models::population::{marks, stabilizing};
use ringleader_model::{
    Chain, ClosedSet, Coin, Goal, Marks, Place, Reads, Ring, Safety, Stabilizing, Variables, View, Visitor,
};
use std::sync::OnceLock;

/// An algorithm for a ring or a line, compiled.
pub(crate) struct TextRing {
    predicates: Predicates,
    chain: Chain,
    reads: Reads,
    rules: Code,
    /// The specialised rules, for long runs without an observer.
    residual: OnceLock<Option<Residual>>,
    marks: Vec<(Marks, Code)>,
}

impl TextRing {
    pub(crate) fn new(built: &Built<'_>, chain: Chain, reads: Reads) -> Result<TextRing, Problem> {
        let groups: Vec<_> = built.unit.groups.iter().collect();
        let rules = built.rules(&groups, &built.view())?;
        let marks = built.marks(3)?;
        let (predicates, residual) = (Predicates::new(built)?, OnceLock::new());
        Ok(TextRing { predicates, chain, reads, rules, residual, marks })
    }

    /// Loads the states that a process reads into the registers.
    #[inline]
    fn see<const N: usize>(&self, code: &Code, view: View<State>, r: &mut Registers<N>) {
        code.load([view.own.0, view.left.0, view.right.0, 0], r);
        r.set(code.given, (view.at == Place::Bottom).into());
        r.set(code.given + 1, (view.at == Place::Top).into());
    }
}

impl Ring for TextRing {
    fn chain(&self) -> Chain {
        self.chain
    }

    fn reads(&self) -> Reads {
        self.reads
    }

    #[inline]
    fn act(&self, view: View<State>, coin: &mut impl Coin) -> State {
        let code = &self.rules;
        if !coin.listens()
            && let Some(residual) = self.residual.get_or_init(|| Residual::new(code))
        {
            let (seen, place) = ([view.own.0, view.left.0, view.right.0, 0], [Place::Bottom, Place::Top]);
            return State(
                residual.run(
                    seen,
                    place.map(|at| view.at == at),
                    &mut Doing { coin, out: &mut Nobody, code, messages: &[] },
                )[0],
            );
        }
        with_registers!(code, registers => {
            self.see(code, view, &mut registers);
            let done = run(code, &[], &mut registers, &mut Doing { coin, out: &mut Nobody, code, messages: &[] });
            debug_assert!(done.is_ok(), "a built rule writes only values of its domains");
            State(code.store([view.own.0, view.left.0, view.right.0, 0], &registers)[0])
        })
    }

    fn marks(&self, view: View<State>) -> Marks {
        marks(&self.marks, |code| {
            with_registers!(code, registers => {
                self.see(code, view, &mut registers);
                run(code, &[], &mut registers, &mut Nobody).unwrap_or(0)
            })
        })
    }
}

stabilizing!(TextRing);

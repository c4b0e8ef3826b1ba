//! Population protocols in text.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::code::machine::{Registers, run, with_registers};
use crate::code::residual::Residual;
use crate::configurations::predicates::Predicates;
use crate::domains::layout::State;
use crate::meaning::typed::Model;
use crate::models::host::{Doing, Nobody};
use ringleader_model::{ClosedSet, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};
use std::sync::OnceLock;

/// The maximum number of bits for which the marks of all combinations are precomputed.
const MOST_BITS: u32 = 14;

/// The bits of a state that marks depend on, from the lowest: shift, mask, and number of selected bits below.
struct Relevant(Vec<(u32, u64, u32)>, u32);

impl Relevant {
    fn new(marks: &[(Marks, Code)]) -> Relevant {
        let loads = marks.iter().flat_map(|(_, code)| &code.loads);
        let mut parts: Vec<(u32, u64)> =
            loads.map(|m| (u32::from(m.shift), m.mask)).filter(|(_, mask)| *mask > 0).collect();
        parts.sort_unstable();
        parts.dedup();
        let (mut joined, mut bits): (Vec<(u32, u64, u32)>, u32) = (vec![], 0);
        for (shift, mask) in parts {
            match joined.last_mut() {
                // Adjacent bit ranges are merged.
                Some((from, below, _)) if *from + below.count_ones() == shift => *below |= mask << (shift - *from),
                _ => joined.push((shift, mask, bits)),
            }
            bits += mask.count_ones();
        }
        Relevant(joined, bits)
    }

    #[inline]
    fn index(&self, state: u64) -> usize {
        if let [(shift, mask, _)] = self.0[..] {
            return (state >> shift & mask) as usize;
        }
        self.0.iter().fold(0, |index, (shift, mask, below)| index | (state >> shift & mask) << below) as usize
    }

    /// A state with these bits.
    fn state(&self, index: u64) -> u64 {
        self.0.iter().fold(0, |state, (shift, mask, below)| state | (index >> below & mask) << shift)
    }
}

/// A population protocol, compiled.
pub(crate) struct TextPopulation {
    predicates: Predicates,
    hears: bool,
    rules: Code,
    /// The specialised rules, for long runs without an observer.
    residual: OnceLock<Option<Residual>>,
    marks: Vec<(Marks, Code)>,
    relevant: Relevant,
    table: Vec<Marks>,
}

impl TextPopulation {
    pub(crate) fn new(built: &Built<'_>) -> Result<TextPopulation, Problem> {
        let hears = built.unit.model == Model::Population { hears: true };
        let groups: Vec<_> = built.unit.groups.iter().collect();
        let rules = built.rules(&groups, &built.pair())?;
        let marks = built.marks(1)?;
        let (relevant, predicates) = (Relevant::new(&marks), Predicates::new(built)?);
        let (residual, table) = (OnceLock::new(), vec![]);
        let mut protocol = TextPopulation { predicates, hears, rules, residual, marks, relevant, table };
        let bits = protocol.relevant.1;
        if bits <= MOST_BITS {
            protocol.table = (0..1 << bits).map(|at| protocol.evaluate(protocol.relevant.state(at))).collect();
        }
        Ok(protocol)
    }

    fn evaluate(&self, state: u64) -> Marks {
        marks(&self.marks, |code| {
            with_registers!(code, registers => {
                code.load([state; 4], &mut registers);
                run(code, &[], &mut registers, &mut Nobody).unwrap_or(0)
            })
        })
    }

    #[inline]
    fn meet<const N: usize>(
        &self,
        states: [u64; 2],
        told: Told,
        coin: &mut impl Coin,
        r: &mut Registers<N>,
    ) -> (State, State) {
        let [u, v] = states;
        self.rules.load([u, v, 0, 0], r);
        r.set(self.rules.given, told.initiator.into());
        r.set(self.rules.given + 1, told.responder.into());
        let done = run(&self.rules, &[], r, &mut Doing { coin, out: &mut Nobody, code: &self.rules, messages: &[] });
        debug_assert!(done.is_ok(), "a built rule writes only values of its domains");
        let [u, v, ..] = self.rules.store([u, v, 0, 0], r);
        (State(u), State(v))
    }
}

/// The marks whose conditions are not 0.
pub(crate) fn marks(all: &[(Marks, Code)], value: impl Fn(&Code) -> i64) -> Marks {
    all.iter().filter(|(_, code)| value(code) != 0).fold(Marks::NONE, |shown, (mark, _)| shown | *mark)
}

impl Population for TextPopulation {
    fn hears(&self) -> bool {
        self.hears
    }

    #[inline]
    fn interact(&self, u: State, v: State, told: Told, coin: &mut impl Coin) -> (State, State) {
        if !coin.listens()
            && let Some(residual) = self.residual.get_or_init(|| Residual::new(&self.rules))
        {
            let given = [told.initiator, told.responder];
            let [u, v] = residual.run(
                [u.0, v.0, 0, 0],
                given,
                &mut Doing { coin, out: &mut Nobody, code: &self.rules, messages: &[] },
            );
            return (State(u), State(v));
        }
        with_registers!(self.rules, registers => self.meet([u.0, v.0], told, coin, &mut registers))
    }

    fn marks(&self, state: &State) -> Marks {
        self.table.get(self.relevant.index(state.0)).copied().unwrap_or_else(|| self.evaluate(state.0))
    }
}

/// The variables and the predicates on configurations of a self-stabilizing protocol in text.
macro_rules! stabilizing {
    ($protocol:ident) => {
        impl Variables for $protocol {
            type State = State;
            fn variables(&self, state: &mut State, visitor: &mut dyn Visitor) {
                self.predicates.layout.visit(&mut state.0, visitor);
            }

            fn quick_rank(&self, state: &State) -> Option<u64> {
                self.predicates.layout.rank(state.0)
            }
        }

        impl Stabilizing for $protocol {
            fn goal(&self) -> Goal {
                self.predicates.goal
            }

            fn correct(&self, c: &[State]) -> bool {
                self.predicates.correct(c)
            }

            fn safety(&self) -> Safety {
                self.predicates.safety()
            }

            fn safe(&self, c: &[State]) -> bool {
                self.predicates.safe(c)
            }

            fn restore(&self, c: &mut [State]) {
                self.predicates.restore(c);
            }

            fn names_places(&self) -> bool {
                self.predicates.names_places
            }

            fn visible(&self, state: &State, to: ringleader_model::Reader) -> Option<u64> {
                self.predicates.visible(state, to)
            }

            fn safe_fast(&self, c: &[State]) -> bool {
                self.predicates.safe_fast(c)
            }

            fn safe_by_counts(&self, states: &[State]) -> Option<ringleader_model::CountCondition> {
                self.predicates.safe_by_counts(states)
            }

            fn closed_sets(&self) -> Vec<ClosedSet<'_, State>> {
                self.predicates.closed_sets()
            }

            fn at_once(&self, c: &[State]) -> Option<ringleader_model::Found> {
                self.predicates.at_once(c)
            }
        }
    };
}
pub(crate) use stabilizing;

stabilizing!(TextPopulation);

//! A population protocol that was a text.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::layout::State;
use crate::machine::{Host, Registers, run, with_registers};
use crate::predicates::Predicates;
use crate::typed::Model;
use ringleader_model::{ClosedSet, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// Up to so many bits of state the marks of every state are kept.
const MOST_BITS: u32 = 14;

/// A population protocol, compiled.
pub(crate) struct TextPopulation {
    predicates: Predicates,
    hears: bool,
    rules: Code,
    marks: Vec<(Marks, Code)>,
    table: Vec<Marks>,
}

/// A coin, and the numbers of the rules.
pub(crate) struct Tosser<'a, C> {
    pub(crate) coin: &'a mut C,
    pub(crate) rules: &'a Code,
}

impl<C: Coin> Host for Tosser<'_, C> {
    fn below(&mut self, n: u32) -> u32 {
        self.coin.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.coin.choose(n)
    }

    #[inline]
    fn fired(&mut self, rule: u8) {
        if let Some((Some(number), _)) = self.rules.rules.get(rule as usize) {
            self.coin.fired(*number);
        }
    }
}

impl TextPopulation {
    pub(crate) fn new(built: &Built<'_>) -> Result<TextPopulation, Problem> {
        let hears = built.unit.model == Model::Population { hears: true };
        let groups: Vec<_> = built.unit.groups.iter().collect();
        let rules = built.rules(&groups, &built.pair())?;
        let marks = built.unit.marks.iter().map(|(mark, when)| Ok((*mark, built.expression(1, 0, when)?)));
        let marks = marks.collect::<Result<Vec<_>, Problem>>()?;
        let mut protocol = TextPopulation { predicates: Predicates::new(built)?, hears, rules, marks, table: vec![] };
        let bits = built.layout.bits;
        if bits <= MOST_BITS {
            protocol.table = (0..1u64 << bits).map(|state| protocol.evaluate(state)).collect();
        }
        Ok(protocol)
    }

    fn evaluate(&self, state: u64) -> Marks {
        let holds = |code: &Code| {
            with_registers!(code, registers => {
                load(code, &self.predicates, [state; 3], &mut registers);
                run(code, &[], &mut registers, &mut Nobody).is_ok_and(|value| value != 0)
            })
        };
        self.marks.iter().filter(|(_, code)| holds(code)).fold(Marks::NONE, |all, (mark, _)| all | *mark)
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
        load(&self.rules, &self.predicates, [u, v, v], r);
        r.set(self.rules.given, told.initiator.into());
        r.set(self.rules.given + 1, told.responder.into());
        let done = run(&self.rules, &[], r, &mut Tosser { coin, rules: &self.rules });
        debug_assert!(done.is_ok(), "what is built writes only what it may");
        let [u, v, _] = store(&self.rules, &self.predicates, [u, v, v], r);
        (State(u), State(v))
    }
}

/// Whoever evaluates an expression without coins.
pub(crate) struct Nobody;

impl Host for Nobody {
    fn below(&mut self, _: u32) -> u32 {
        0
    }
    fn choose(&mut self, _: u32) -> u32 {
        0
    }
    fn fired(&mut self, _: u8) {}
}

/// Puts the variables that code reads into their registers.
#[inline]
pub(crate) fn load<const N: usize>(code: &Code, p: &Predicates, states: [u64; 3], r: &mut Registers<N>) {
    for slot in &code.slots {
        if slot.read || slot.written {
            r.set(slot.register, p.layout.fields[slot.slot].get(states[slot.role as usize % 3]));
        }
    }
}

/// The states with the variables that code wrote.
#[inline]
pub(crate) fn store<const N: usize>(code: &Code, p: &Predicates, mut states: [u64; 3], r: &Registers<N>) -> [u64; 3] {
    for slot in code.slots.iter().filter(|slot| slot.written) {
        let state = &mut states[slot.role as usize % 3];
        *state = p.layout.fields[slot.slot].set(*state, r.get(slot.register));
    }
    states
}

impl Variables for TextPopulation {
    type State = State;
    fn variables(&self, state: &mut State, visitor: &mut dyn Visitor) {
        self.predicates.layout.visit(&mut state.0, visitor);
    }
}

impl Population for TextPopulation {
    fn hears(&self) -> bool {
        self.hears
    }

    fn interact(&self, u: State, v: State, told: Told, coin: &mut impl Coin) -> (State, State) {
        with_registers!(self.rules, registers => self.meet([u.0, v.0], told, coin, &mut registers))
    }

    fn marks(&self, state: &State) -> Marks {
        self.table.get(state.0 as usize).copied().unwrap_or_else(|| self.evaluate(state.0))
    }
}

/// What a self-stabilizing protocol of this language says of configurations.
macro_rules! stabilizing {
    ($protocol:ident) => {
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

            fn safe_fast(&self, c: &[State]) -> bool {
                self.predicates.safe_fast(c)
            }

            fn closed_sets(&self) -> Vec<ClosedSet<'_, State>> {
                self.predicates.closed_sets()
            }
        }
    };
}
pub(crate) use stabilizing;

stabilizing!(TextPopulation);

//! The common part of the instances of both models: an algorithm whose states are numbers.

use crate::LeavesDomain;
use crate::judge::{Bench, Judge};
use crate::number::{Decoded, Number};
use ringleader_model::number::{self, OutOfDomain};
use ringleader_model::{Coin, CountCondition, Reader, Stabilizing, Visitor};
use std::sync::Arc;

/// The states that a rule wrote, by number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct After<const N: usize> {
    pub(crate) states: [u64; N],
    /// Whether one of them has a part that no variable shows.
    pub(crate) hides: bool,
}

impl After<1> {
    /// Adds a left neighbour, which a step does not change.
    pub(crate) fn beside(self, left: u64) -> After<2> {
        After { states: [left, self.states[0]], hides: self.hides }
    }
}

/// An algorithm and its decoded states.
pub(crate) struct Concrete<A: Stabilizing> {
    pub(crate) algorithm: Arc<A>,
    pub(crate) decoded: Arc<Decoded<A::State>>,
}

/// Queries about an algorithm's states and configurations. The trait is small because it is compiled once per
/// algorithm.
pub(crate) trait Configurations: Send + Sync {
    /// The variables of a state, or of that of a process.
    fn variables(&self, process: Option<usize>, state: u64, visitor: &mut dyn Visitor) -> u64;
    fn arbitrary_number(&self, coin: &mut dyn Coin) -> u64;
    fn correct(&self, configuration: &[Number]) -> bool;
    fn safe(&self, configuration: &[Number], fast: bool) -> bool;
    fn safe_compact(&self, configuration: &[u16]) -> bool;
    fn state_bytes(&self) -> usize;
    fn round_trips(&self, number: u64) -> bool;
    fn restore(&self, configuration: &mut [Number]);
    fn names_places(&self) -> bool;
    fn safe_by_counts(&self) -> Option<CountCondition>;
    fn visible(&self, state: u64, to: Reader) -> Option<u64>;
    fn set_names(&self) -> Vec<(String, String)>;
    fn in_set(&self, set: usize, configuration: &[Number]) -> bool;
    fn judge(&self, size: usize, possible: bool) -> Option<Box<dyn Judge + '_>>;
}

impl<A: Stabilizing<State: Copy>> Concrete<A> {
    pub(crate) fn new(algorithm: A, states: u64) -> Concrete<A> {
        Concrete { algorithm: Arc::new(algorithm), decoded: Arc::new(Decoded::new(states)) }
    }

    pub(crate) fn state(&self, number: u64) -> A::State {
        self.decoded.state(&*self.algorithm, number)
    }

    /// The number of a state that a rule wrote over another. Usually nothing changes, and then nothing is computed.
    pub(crate) fn after(&self, (number, before): (u64, A::State), after: A::State) -> Result<After<1>, OutOfDomain> {
        if after == before {
            return Ok(After { states: [number], hides: false });
        }
        let number = number::checked_rank(&*self.algorithm, &after)?;
        Ok(After { states: [number], hides: self.state(number) != after })
    }

    fn configuration(&self, numbers: &[Number]) -> Vec<A::State> {
        self.decoded.configuration(&*self.algorithm, numbers)
    }
}

impl<A: Stabilizing<State: Copy>> Configurations for Concrete<A> {
    fn variables(&self, process: Option<usize>, state: u64, visitor: &mut dyn Visitor) -> u64 {
        let mut state = self.state(state);
        match process {
            Some(process) => self.algorithm.variables_at(process, &mut state, visitor),
            None => self.algorithm.variables(&mut state, visitor),
        }
        number::rank(&*self.algorithm, &state)
    }

    fn arbitrary_number(&self, coin: &mut dyn Coin) -> u64 {
        self.decoded.arbitrary(&*self.algorithm, coin)
    }

    fn correct(&self, configuration: &[Number]) -> bool {
        self.algorithm.correct(&self.configuration(configuration))
    }

    fn safe(&self, configuration: &[Number], fast: bool) -> bool {
        let configuration = self.configuration(configuration);
        if fast { self.algorithm.safe_fast(&configuration) } else { self.algorithm.safe(&configuration) }
    }

    fn safe_compact(&self, configuration: &[u16]) -> bool {
        let states = self.decoded.all(&*self.algorithm).expect("fewer than 2^16 states");
        let mut decoded = Vec::with_capacity(configuration.len());
        for &number in configuration {
            decoded.push(states[usize::from(number)]);
        }
        self.algorithm.safe_fast(&decoded)
    }

    fn state_bytes(&self) -> usize {
        size_of::<A::State>()
    }

    fn round_trips(&self, number: u64) -> bool {
        number::checked_rank(&*self.algorithm, &self.state(number)) == Ok(number)
    }

    fn names_places(&self) -> bool {
        self.algorithm.names_places()
    }

    fn safe_by_counts(&self) -> Option<CountCondition> {
        self.algorithm.safe_by_counts(self.decoded.all(&*self.algorithm)?)
    }

    fn visible(&self, state: u64, to: Reader) -> Option<u64> {
        self.algorithm.visible(&self.state(state), to)
    }

    fn restore(&self, configuration: &mut [Number]) {
        if self.algorithm.restores_nothing() {
            return;
        }
        let before = self.configuration(configuration);
        let mut states = before.clone();
        self.algorithm.restore(&mut states);
        for (i, number) in configuration.iter_mut().enumerate() {
            // Usually nothing changes.
            if states[i] != before[i] {
                *number = Number(number::rank(&*self.algorithm, &states[i]));
            }
        }
    }

    fn set_names(&self) -> Vec<(String, String)> {
        let mut names = vec![];
        for set in &self.algorithm.closed_sets() {
            names.push((set.name.to_string(), set.claim.to_string()));
        }
        names
    }

    fn in_set(&self, set: usize, configuration: &[Number]) -> bool {
        (self.algorithm.closed_sets()[set].contains)(&self.configuration(configuration))
    }

    fn judge(&self, size: usize, possible: bool) -> Option<Box<dyn Judge + '_>> {
        Some(Box::new(Bench::new(&*self.algorithm, &self.decoded, size, possible)?))
    }
}

/// The states that a step writes; a value outside its domain is an error with the rules that fired and the states that were read.
pub(crate) fn tried<const N: usize>(
    coin: &mut dyn Coin,
    step: impl FnOnce(&mut dyn Coin) -> Result<After<N>, OutOfDomain>,
    texts: impl FnOnce() -> Vec<String>,
) -> Result<[u64; N], LeavesDomain> {
    let mut heard = Listener { coin, rules: vec![] };
    let after = step(&mut heard);
    let outside = |written| LeavesDomain { rules: heard.rules, states: texts(), written };
    after.map(|after| after.states).map_err(outside)
}

/// A coin that records the rules that fired, for a message.
pub(crate) struct Listener<'a> {
    pub(crate) coin: &'a mut dyn Coin,
    pub(crate) rules: Vec<u8>,
}

impl Coin for Listener<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.coin.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.coin.choose(n)
    }

    fn fired(&mut self, rule: u8) {
        self.rules.push(rule);
        self.coin.fired(rule);
    }

    fn listens(&self) -> bool {
        self.coin.listens()
    }
}

/// The common methods of all kinds of instances, which have the fields `shell`, `states`, `goal` and `safety`. One of them may have its own
/// `variables_at`.
macro_rules! instance {
    ($instance:ident $($variables_at:tt)*) => {
        impl $instance {
            /// The number of local states.
            pub fn states(&self) -> u64 {
                self.states
            }

            /// Checks the declarations of the algorithm: on all inputs of its rule, or on a sample if there are many.
            ///
            /// Engines rely on the declared reads and variables. Engines would disagree about an algorithm with a wrong
            /// declaration.
            pub fn check_declarations(&self) -> Result<(), Unfit> {
                self.as_declared(sample::TUPLES_ON_CHECK)
            }

            /// Checks that encoding a sample of decoded states gives the same numbers.
            fn round_trips(&self, most: u64) -> Result<(), Unfit> {
                let last = [self.states - 1];
                let mut tried = tuples(self.states, most).chain([last]);
                if tried.all(|[number]| self.shell.round_trips(number)) { Ok(()) } else { Err(Unfit::Narrow) }
            }

            /// The number of bytes of a state in the algorithm's own form.
            pub fn state_bytes(&self) -> usize {
                self.shell.state_bytes()
            }

            /// [`safe_fast`](Stabilizing::safe_fast) of a configuration with 16-bit numbers.
            ///
            /// # Panics If there are more than 2^16 states.
            pub fn safe_compact(&self, configuration: &[u16]) -> bool {
                self.shell.safe_compact(configuration)
            }

            /// [`safe_by_counts`](Stabilizing::safe_by_counts), with the counts in the order of the states' numbers.
            pub fn safe_by_counts(&self) -> Option<ringleader_model::CountCondition> {
                self.shell.safe_by_counts()
            }

            /// A state in the text form.
            pub fn text(&self, state: u64) -> String {
                ringleader_model::text::print_state(self, &Number(state))
            }

            /// The names of the closed sets of the proof, each with the place in the paper that claims closure.
            pub fn set_names(&self) -> Vec<(String, String)> {
                self.shell.set_names()
            }

            /// A judge for many configurations of `size` agents; `None` if there are more than 2^16 local states.
            pub fn judge(&self, size: usize) -> Option<Box<dyn Judge + '_>> {
                self.shell.judge(size, false)
            }
        }

        impl std::fmt::Debug for $instance {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($instance)).field("states", &self.states).field("goal", &self.goal).finish()
            }
        }

        impl Variables for $instance {
            type State = Number;
            fn variables(&self, state: &mut Number, visitor: &mut dyn Visitor) {
                state.0 = self.shell.variables(None, state.0, visitor);
            }

            $($variables_at)*
        }

        impl Stabilizing for $instance {
            fn goal(&self) -> Goal {
                self.goal
            }

            fn safety(&self) -> Safety {
                self.safety
            }

            fn correct(&self, configuration: &[Number]) -> bool {
                self.shell.correct(configuration)
            }

            fn safe(&self, configuration: &[Number]) -> bool {
                self.shell.safe(configuration, false)
            }

            fn safe_fast(&self, configuration: &[Number]) -> bool {
                self.shell.safe(configuration, true)
            }

            fn restore(&self, configuration: &mut [Number]) {
                self.shell.restore(configuration);
            }

            fn names_places(&self) -> bool {
                self.shell.names_places()
            }

            fn visible(&self, state: &Number, to: Reader) -> Option<u64> {
                self.shell.visible(state.0, to)
            }

            fn closed_sets(&self) -> Vec<ClosedSet<'_, Number>> {
                let set = |(i, (name, claim))| ClosedSet::new(name, claim, move |c: &[Number]| self.shell.in_set(i, c));
                self.set_names().into_iter().enumerate().map(set).collect()
            }
        }
    };
}
pub(crate) use instance;

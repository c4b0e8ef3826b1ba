//! Tables and sets with several copies of each state: an agent that is watched, or that the daemon has chosen, is in another copy. A state of copy k
//! has a number that is greater by k times the number of states. Formulas do not see which copy it is.

use crate::{Automaton, Mark, Possible, Rules, State, Variable, Window};

/// The same algorithm with copies of each state. Its moves stay in the first copy.
pub(crate) fn copied(rules: &Rules, copies: usize) -> Rules {
    let states = rules.states.len();
    let every = |list: &[State]| -> Vec<State> { list.iter().flat_map(|s| copies_of(*s, states, copies)).collect() };
    let windows = |mark: &Mark| mark.windows.iter().flat_map(|w| copied_window(w, states, copies)).collect();
    let possible = &rules.possible;
    Rules {
        states: (0..copies).flat_map(|_| rules.states.clone()).collect(),
        variables: rules.variables.iter().map(|v| Variable { values: v.values.repeat(copies), ..v.clone() }).collect(),
        marks: rules.marks.iter().map(|m| Mark { name: m.name.clone(), windows: windows(m) }).collect(),
        possible: Possible {
            bottom: every(&possible.bottom),
            middle: every(&possible.middle),
            top: every(&possible.top),
        },
        detector: rules.detector.as_ref().map(|leaders| every(leaders)),
        ..rules.clone()
    }
}

/// The numbers of a state in all copies.
fn copies_of(state: State, states: usize, copies: usize) -> impl Iterator<Item = State> {
    (0..copies).map(move |copy| state + (copy * states) as State)
}

/// A window of agents in any copies.
pub(crate) fn copied_window(window: &Window, states: usize, copies: usize) -> Vec<Window> {
    let each = |seen: Option<State>| match seen {
        None => vec![None],
        Some(s) => copies_of(s, states, copies).map(Some).collect(),
    };
    let all = every(each(window.left), each(window.own), each(window.right));
    all.into_iter().map(|(left, own, right)| Window { left, own, right, ..*window }).collect()
}

/// All combinations of what three neighbours may be.
pub(crate) fn every<T: Copy>(lefts: Vec<T>, owns: Vec<T>, rights: Vec<T>) -> Vec<(T, T, T)> {
    let pairs = lefts.iter().flat_map(|left| owns.iter().map(move |own| (*left, *own)));
    pairs.flat_map(|(left, own)| rights.iter().map(move |right| (left, own, *right))).collect()
}

impl Automaton {
    /// The same set of agents in any copies.
    pub(crate) fn copied(&self, copies: usize) -> Automaton {
        let next = self.next.iter().map(|row| row.repeat(copies)).collect();
        Automaton { next, ..self.clone() }
    }
}

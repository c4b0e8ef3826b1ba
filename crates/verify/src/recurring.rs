//! Conditions that hold at every agent again and again. One agent is watched: while it waits the measures fall.

use crate::automaton::Dfa;
use crate::check::Check;
use crate::meaning::{Meaning, measures};
use crate::rejection::{Malformed, ensure};
use crate::{
    Automaton, Cell, Certificate, Claim, Formula, Mark, Move, Possible, Recurring, Rejection, Rules, State, Variable,
    Window,
};

/// Whether, within the safe set, a condition holds at every agent again and again.
///
/// From every safe configuration in which it does not hold at the watched agent, the measures fall: until it does. Steps do not leave the
/// safe set, so this happens again and again, and the watched agent may be any.
pub(crate) fn recurring(certificate: &Certificate) -> Result<(), Rejection> {
    let Some(Recurring { formula, measures: texts }) = &certificate.recurring else { return Ok(()) };
    let unread = |e: Malformed| Malformed(format!("the recurring condition cannot be read: {e}"));
    let condition: Formula = formula.parse().map_err(unread)?;
    // It speaks of the algorithm, not of the watched agent.
    Meaning::default().add(&certificate.rules, &condition).map_err(unread)?;
    let measures = measures(texts)?;
    let rules = watched(&certificate.rules, HERE)?;
    rules.validate()?;
    let check = Check::new(&rules, &certificate.sizes, false)?;
    let next = certificate.safe.next.iter().map(|row| row.repeat(2)).collect();
    let safe = check.set(&Automaton { next, ..certificate.safe.clone() })?;
    let here = Formula::Name(HERE.into());
    let holding = |set: &Dfa, formula: &Formula, wanted| {
        check.holding(set, "the recurring condition", formula, move |total| total == wanted)
    };
    let waiting = holding(&safe, &here, 1)?;
    let waiting = holding(&waiting, &Formula::And(here.into(), condition.into()), 0)?;
    let served = check.all.split(&waiting, |letter| letter, |_, inside| u8::from(!inside))?;
    let states = certificate.rules.states.len();
    let claim = |_, word: &[State]| Claim::Recurs(watched_agent(word, states));
    let found = check.descent(certificate.scheduler, &served, &measures);
    found.map_err(|rejection| rejection.unlabelled(states, claim))
}

/// The watched agent of a configuration.
pub(crate) fn watched_agent(word: &[State], states: usize) -> usize {
    word.iter().position(|s| usize::from(*s) >= states).unwrap_or_default()
}

/// The variable that is true at the watched agent.
pub(crate) const HERE: &str = "here";

/// The same algorithm with agents that are watched or not, and a variable that tells them apart. A state of a watched agent has a number that is greater by the number of states.
pub(crate) fn watched(rules: &Rules, name: &str) -> Result<Rules, Malformed> {
    let states = rules.states.len();
    ensure(states <= 127, || {
        format!(
            "{states} local states; with a recurring condition, or weak or local fairness, up to 127 can be handled"
        )
    })?;
    let both = |list: &[State]| -> Vec<State> { list.iter().flat_map(|s| [*s, *s + states as State]).collect() };
    let state = |seen: Option<State>| seen.map_or(vec![None], |s| both(&[s]).into_iter().map(Some).collect());
    let cell = |seen: Option<Cell>| match seen {
        None => vec![None],
        Some(Cell { before, after }) => {
            let befores = both(&[before]).into_iter();
            befores.zip(both(&[after])).map(|(before, after)| Some(Cell { before, after })).collect()
        }
    };
    let mark = |mark: &Mark| {
        let windows = mark.windows.iter().flat_map(|w| {
            let all = every(state(w.left), state(w.own), state(w.right));
            all.into_iter().map(|(left, own, right)| Window { left, own, right, ..*w })
        });
        Mark { name: mark.name.clone(), windows: windows.collect() }
    };
    let moves = rules.moves.iter().flat_map(|m| {
        let all = every(cell(m.left), cell(Some(m.own)), cell(m.right));
        all.into_iter().map(|(left, own, right)| Move { left, own: own.unwrap_or(m.own), right, ..*m })
    });
    let variable = |v: &Variable| Variable { values: v.values.repeat(2), ..v.clone() };
    let here = Variable { name: name.into(), size: 2, values: [vec![0; states], vec![1; states]].concat() };
    let possible = &rules.possible;
    Ok(Rules {
        states: [&rules.states[..]; 2].concat(),
        variables: rules.variables.iter().map(variable).chain([here]).collect(),
        marks: rules.marks.iter().map(mark).collect(),
        moves: moves.collect(),
        possible: Possible { bottom: both(&possible.bottom), middle: both(&possible.middle), top: both(&possible.top) },
        detector: rules.detector.as_ref().map(|leaders| both(leaders)),
        ..rules.clone()
    })
}

fn every<T: Copy>(lefts: Vec<T>, owns: Vec<T>, rights: Vec<T>) -> Vec<(T, T, T)> {
    let pairs = lefts.iter().flat_map(|left| owns.iter().map(move |own| (*left, *own)));
    pairs.flat_map(|(left, own)| rights.iter().map(move |right| (left, own, *right))).collect()
}

//! Conditions that hold at every agent again and again. One agent is watched: while it waits the measures fall.

use crate::automaton::Dfa;
use crate::check::Check;
use crate::copies::{copied, every};
use crate::meaning::{Meaning, measures};
use crate::rejection::{Malformed, ensure};
use crate::{Cell, Certificate, Claim, Formula, Move, Recurring, Rejection, Rules, State, Variable};

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
    let safe = check.set(&certificate.safe.copied(2))?;
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
    let cell = |seen: Option<Cell>| match seen {
        None => vec![None],
        Some(Cell { before, after }) => {
            let watched = Cell { before: before + states as State, after: after + states as State };
            vec![seen, Some(watched)]
        }
    };
    let moves = rules.moves.iter().flat_map(|m| {
        let all = every(cell(m.left), cell(Some(m.own)), cell(m.right));
        all.into_iter().map(|(left, own, right)| Move { left, own: own.unwrap_or(m.own), right, ..*m })
    });
    let here = Variable { name: name.into(), size: 2, values: [vec![0; states], vec![1; states]].concat() };
    let mut all = copied(rules, 2);
    all.variables.push(here);
    all.moves = moves.collect();
    Ok(all)
}

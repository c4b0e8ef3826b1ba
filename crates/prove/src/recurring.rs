//! Conditions that hold at every agent again and again: measures that fall while one agent, the watched one, waits.

use crate::decide::space::{Hypothesis, Words};
use crate::decide::table::Dfa;
use crate::formulas::atoms::atoms;
use crate::formulas::evaluate::{Evaluator, LARGEST, everyone, expression};
use crate::hints;
use crate::rings::Moves;
use crate::search::Prover;
use crate::watch::{Options, Progress, Watch};
use crate::{Recurrence, Starvation, Unsolved, Unsuitable, refuse_if};
use ringleader_verify::{
    Automaton, Cell, Certificate, Coins, Formula, Goal, Mark, Move, Place, Possible, Recurring, Rules, Scheduler,
    State, Variable, Window, verify,
};
use std::collections::HashMap;

/// All safe configurations of a size are examined, if there are at most this many.
const MOST_SAFE: usize = 20_000;
/// The largest ring that is examined.
const LARGEST_RING: usize = 8;
/// The most local states if one agent is watched: its states have numbers of their own.
pub(crate) const MOST_WATCHED: usize = State::MAX as usize / 2;
/// Formulas are scored on whole rings, until these have this many configurations with a watched agent together.
const SAMPLE: usize = 1_000;

/// The condition that an agent has the token, for a goal of exactly one token or enabled rule.
///
/// `None` if the goal is a leader, which stays where it is, or a condition on all agents.
///
/// ```
/// # use ringleader_prove::{Rules, token};
/// # use ringleader_verify::{Goal, Possible};
/// # let goal = |of: &[&str], stays| Rules {
/// #     states: vec!["0".into()], variables: vec![], marks: vec![], rules: vec![], moves: vec![],
/// #     tosses: vec![],
/// #     given: None,
/// #     possible: Possible::all(1), detector: None,
/// #     goal: Goal::ExactlyOne { of: of.iter().map(|s| s.to_string()).collect(), stays },
/// # };
/// assert_eq!(token(&goal(&["up", "down"], false)).as_deref(), Some("(up | down)"));
/// assert_eq!(token(&goal(&["isLeader"], true)), None);
/// ```
pub fn token(rules: &Rules) -> Option<String> {
    let Goal::ExactlyOne { of, stays: false } = &rules.goal else { return None };
    of.iter().cloned().reduce(|some, other| format!("({some} | {other})"))
}

/// Searches for a proof that in the safe set of a certificate a condition holds at every agent again and again. The result is
/// the certificate with this claim added.
///
/// On a ring where every agent may toggle its bit, every bit is set again and again under globally fair schedules. An unfair
/// schedule can leave out an agent for ever:
///
/// ```
/// use ringleader_prove::{Options, Outcome, Recurrence, prove, recurring};
/// use ringleader_verify::{Cell, Goal, Move, Possible, Rules, Scheduler, Sizes, Variable, verify};
///
/// let toggle = |before: u8| Move {
///     rule: 0, place: None, seen: None, left: None, own: Cell { before, after: 1 - before }, right: None,
/// };
/// let rules = Rules {
///     states: vec!["0".into(), "1".into()],
///     variables: vec![Variable { name: "x".into(), size: 2, values: vec![0, 1] }],
///     marks: vec![],
///     rules: vec!["toggle".into()],
///     moves: vec![toggle(0), toggle(1)],
///     tosses: vec![],
///     given: None,
///     possible: Possible::all(2),
///     detector: None,
///     goal: Goal::Everywhere { formula: "1".into() },
/// };
/// let options = Options::seconds(60);
/// for (scheduler, recurs) in [(Scheduler::GloballyFair, true), (Scheduler::Unfair, false)] {
///     let outcome = prove("toggle", &rules, &Sizes::from(2), scheduler, &options).unwrap();
///     let Outcome::Proved(proof) = outcome else { panic!("{outcome:?}") };
///     match recurring(&proof.certificate, "x", &options).unwrap() {
///         Recurrence::Proved(certificate) => assert!(recurs && verify(&certificate).is_ok()),
///         Recurrence::Fails(starvation) => assert!(!recurs && starvation.size == 2),
///         Recurrence::NotProved(remainder) => panic!("{remainder:?}"),
///     }
/// }
/// ```
pub fn recurring(certificate: &Certificate, condition: &str, options: &Options) -> Result<Recurrence, Unsuitable> {
    let Certificate { rules, sizes, scheduler, safe, .. } = certificate;
    let single = matches!(scheduler, Scheduler::GloballyFair | Scheduler::Unfair);
    refuse_if(!single || certificate.coins == Coins::Fair, Unsuitable::RecurringDaemon)?;
    let alone = Certificate { recurring: None, ..certificate.clone() };
    verify(&alone).map_err(Unsuitable::Certificate)?;
    let no_formula = || Unsuitable::Goal(condition.to_owned());
    let formula: Formula = condition.parse().map_err(|_| no_formula())?;
    let watch = Watch::new(*options);
    let own_atoms = atoms(rules);
    let own = Evaluator::new(rules, &own_atoms)?;
    let holds = expression(&formula, &own_atoms, rules).ok_or_else(no_formula)?;
    let mut examined: Vec<Vec<Vec<State>>> = vec![];
    let own_moves = Moves::new(rules, None);
    for n in (sizes.from..=LARGEST_RING).filter(|n| sizes.contains(*n)) {
        let Some(words) = safe_words(rules, safe, n).filter(|_| !watch.over()) else { break };
        watch.tell(Progress::Ring { size: n });
        let words: Vec<Vec<State>> = words.into_iter().filter(|w| own.given(w)).collect();
        let held: Vec<u16> = words.iter().map(|w| own.values(&holds, w)).collect();
        if let Some((start, agent)) = starvation(&own_moves, &words, held, *scheduler) {
            return Ok(Recurrence::Fails(Starvation { size: n, start, agent }));
        }
        examined.push(words);
    }
    let rules = watched(rules)?;
    let atoms = atoms(&rules);
    let text = format!("(1 S (here & {condition}))");
    let somewhere = text.parse().ok().and_then(|f| expression(&f, &atoms, &rules)).ok_or_else(no_formula)?;
    let somewhere = hints::automaton(&somewhere, &atoms, rules.states.len()).ok_or_else(no_formula)?;
    let served = served(safe, &somewhere, certificate.rules.states.len());
    let search = Prover {
        subject: &certificate.subject,
        rules: &rules,
        sizes,
        scheduler: *scheduler,
        watch: &watch,
        atoms: &atoms,
        evaluator: &Evaluator::new(&rules, &atoms)?,
        moves: &Moves::new(&rules, None),
    };
    let found = || {
        let space = Words::new(&rules, None, sizes, &atoms, watch.cancel())?;
        let states = certificate.rules.states.len() as State;
        let mut sample = vec![];
        for words in &examined {
            let all = words.iter().flat_map(|w| (0..w.len()).map(|agent| at(w, agent, states)));
            if sample.len() < SAMPLE {
                sample.extend(all.filter(|w| !served.accepts(w)));
            }
        }
        let (measures, _) = search.measures(&Hypothesis::new(&space, &served)?, &served, &[], &sample)?;
        let measures = search.texts(&measures);
        let recurring = Some(Recurring { formula: condition.to_owned(), measures });
        let certificate = Certificate { recurring, ..alone.clone() };
        watch.tell(Progress::Verify);
        verify(&certificate).is_ok().then_some(certificate)
    };
    let found = found().filter(|_| !watch.cancelled());
    let size = |words: &Vec<Vec<State>>| words.first().map(Vec::len);
    Ok(match found {
        Some(certificate) => Recurrence::Proved(Box::new(certificate)),
        None => {
            let mut left = watch.remainder(examined.iter().rev().find_map(size));
            let states = certificate.rules.states.len() as State;
            if let Some(Unsolved { before, after, waits }) = &mut left.open {
                *waits = before.iter().position(|s| *s >= states);
                before.iter_mut().chain(after.iter_mut().flatten()).for_each(|s| *s %= states);
            }
            Recurrence::NotProved(left)
        }
    })
}

/// The safe configurations of a size, if there are not too many.
fn safe_words(rules: &Rules, safe: &Automaton, n: usize) -> Option<Vec<Vec<State>>> {
    let mut open = vec![(safe.start, Vec::new())];
    for i in 0..n {
        let possible = rules.possible.at(Place::of(i, n));
        let longer = |(at, word): &(usize, Vec<State>)| {
            let step = |&s: &State| Some((safe.next[*at][usize::from(s)]?, [&word[..], &[s]].concat()));
            possible.iter().filter_map(step).collect::<Vec<_>>()
        };
        open = open.iter().flat_map(longer).collect();
        if open.len() > 8 * MOST_SAFE {
            return None;
        }
    }
    let words: Vec<_> = open.into_iter().filter(|(at, _)| safe.accepting.contains(at)).map(|(_, word)| word).collect();
    (words.len() <= MOST_SAFE && n <= LARGEST).then_some(words)
}

/// A configuration and an agent that waits for ever, or (unfair) may do so. `served` has the agents at which the condition holds.
fn starvation(
    moves: &Moves,
    words: &[Vec<State>],
    mut served: Vec<u16>,
    scheduler: Scheduler,
) -> Option<(Vec<State>, usize)> {
    let number: HashMap<&[State], usize> = words.iter().enumerate().map(|(i, w)| (&w[..], i)).collect();
    let steps = |w: &Vec<State>| {
        let mut next = vec![];
        moves.each(w, &mut Vec::new(), |_, _, v| next.extend(number.get(v).copied()));
        next
    };
    let next: Vec<Vec<usize>> = words.iter().map(steps).collect();
    loop {
        let mut changed = false;
        for i in 0..words.len() {
            let after = next[i].iter().map(|&to| served[to]);
            let reached = match scheduler {
                Scheduler::GloballyFair => after.reduce(|a, b| a | b),
                _ => after.reduce(|a, b| a & b),
            };
            let more = served[i] | reached.unwrap_or(0);
            changed |= more != served[i];
            served[i] = more;
        }
        if !changed {
            break;
        }
    }
    let unserved = |i: usize| everyone(words[i].len()) & !served[i];
    let start = (0..words.len()).find(|&i| unserved(i) != 0)?;
    Some((words[start].clone(), unserved(start).trailing_zeros() as usize))
}

/// A configuration with one agent watched.
pub(crate) fn at(word: &[State], agent: usize, states: State) -> Vec<State> {
    word.iter().enumerate().map(|(i, s)| s + if i == agent { states } else { 0 }).collect()
}

/// The same algorithm with agents that are watched or not. No move is about two watched agents: there is only one.
pub(crate) fn watched(rules: &Rules) -> Result<Rules, Unsuitable> {
    let states = rules.states.len();
    refuse_if(states > MOST_WATCHED, Unsuitable::TooManyToWatch(states))?;
    let seen = |s: State| s + states as State;
    let twice = |list: &Vec<State>| list.iter().copied().chain(list.iter().map(|s| seen(*s))).collect::<Vec<_>>();
    let mut all = rules.clone();
    all.states.extend(rules.states.iter().map(|name| format!("{name}, watched")));
    for Variable { values, .. } in &mut all.variables {
        values.extend_from_within(..);
    }
    let here = (0..2 * states).map(|s| u8::from(s >= states)).collect();
    all.variables.push(Variable { name: "here".into(), size: 2, values: here });
    for (m, Mark { windows, .. }) in rules.marks.iter().zip(&mut all.marks) {
        for w in &m.windows {
            windows.extend(w.left.map(|s| Window { left: Some(seen(s)), ..*w }));
            windows.extend(w.own.map(|s| Window { own: Some(seen(s)), ..*w }));
            windows.extend(w.right.map(|s| Window { right: Some(seen(s)), ..*w }));
        }
    }
    let cell = |c: Cell| Cell { before: seen(c.before), after: seen(c.after) };
    for m in &rules.moves {
        all.moves.extend(m.left.map(|c| Move { left: Some(cell(c)), ..*m }));
        all.moves.push(Move { own: cell(m.own), ..*m });
        all.moves.extend(m.right.map(|c| Move { right: Some(cell(c)), ..*m }));
    }
    let Possible { bottom, middle, top } = &rules.possible;
    all.possible = Possible { bottom: twice(bottom), middle: twice(middle), top: twice(top) };
    all.detector = rules.detector.as_ref().map(twice);
    all.validate()?;
    Ok(all)
}

/// The configurations, except the safe ones with one watched agent at which the condition does not hold. `somewhere` has those with
/// a watched agent at which it does.
fn served(safe: &Automaton, somewhere: &Automaton, states: usize) -> Automaton {
    type At = Option<(usize, Option<usize>, bool)>;
    let step = |at: At, letter: usize| -> At {
        let (at, held, watched) = at?;
        let watches = letter >= states;
        let next = safe.next[at][letter % states].filter(|_| !(watched && watches))?;
        Some((next, held.and_then(|held| somewhere.next[held][letter]), watched || watches))
    };
    let waits = |at: At| {
        let held = |held: Option<usize>| held.is_some_and(|held| somewhere.accepting.contains(&held));
        at.is_some_and(|(at, at_held, watched)| watched && safe.accepting.contains(&at) && !held(at_held))
    };
    let start: At = Some((safe.start, Some(somewhere.start), false));
    let (go, class) = (|at: &At, letter: usize| Some(step(*at, letter)), |at: &At| u8::from(!waits(*at)));
    let all = Dfa::build(2 * states, |_| false, start, go, class).expect("a set of any size is taken");
    all.automaton()
}

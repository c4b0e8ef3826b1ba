//! Traps for locally fair schedules. One arc is watched: the initiator on it is the watched agent. Whenever a move is possible there, the
//! daemon can stay in the trap until it makes this move. So in a strongly connected component of such steps that none of them leaves, an
//! execution that takes each step of the component again and again is fair to every move.

use crate::check::STAYS;
use crate::meaning::measures;
use crate::measure::{FALLS, LOST, judged};
use crate::recurring::{HERE, watched, watched_agent};
use crate::rejection::{Malformed, ensure};
use crate::rounds::watching;
use crate::{Claim, FailureCertificate, Formula, Rejection, Rules, State, Turn};

/// Whether, from every configuration of a trap in which a move is possible on the watched arc, steps that stay in the trap can lead to this
/// move, which stays there, too.
pub(crate) fn turns(certificate: &FailureCertificate, rules: &Rules) -> Result<(), Rejection> {
    let turns = &certificate.turns;
    for (place, Turn { of, .. }) in turns.iter().enumerate() {
        ensure(*of < rules.moves.len(), || format!("a turn is of move {of}, and the table has none of this number"))?;
        ensure(turns[..place].iter().all(|other| other.of != *of), || format!("move {of} has two turns"))?;
    }
    let states = rules.states.len();
    let table = watched(rules, HERE)?;
    let (check, trap) = watching(certificate, &table)?;
    let pairs = &check.alphabet.pairs;
    let [before, after] = [0, 1].map(|i| move |pair: usize| pairs[pair][i]);
    let kept = check.steps_of_trap(&trap, &check.promised(&trap, false)?)?.sorted(|class| u8::from(class == STAYS));
    for (number, m) in rules.moves.iter().enumerate() {
        let turn = turns.iter().find(|turn| turn.of == number);
        let measures = measures(turn.map_or(&[], |turn| &turn.measures[..]))?;
        let unread = |e: Malformed| Malformed(format!("the formula of a turn cannot be read: {e}"));
        let within: Formula = turn.map_or("0", |turn| &turn.within).parse().map_err(unread)?;
        let within = Formula::And(Formula::Name(HERE.into()).into(), within.into());
        let within = check.holding(&trap, "the formula of a turn", &within, |total| total == 1)?;
        let own = |copy: &Rules| copy.moves.iter().copied().filter(|c| usize::from(c.own.before) >= states).collect();
        let copies =
            Rules { moves: own(&watched(&Rules { moves: vec![*m], ..rules.clone() }, HERE)?), ..table.clone() };
        let made = check.alphabet.with(&copies).steps(&check.all)?;
        let impossible = trap.unshown(&made, before)?;
        let made = kept.split(&made, |pair| pair, |_, made| u8::from(made))?;
        let unready = trap.unshown(&made, before)?;
        let ready = trap.split(&unready, |letter| letter, |_, unready| u8::from(!unready))?;
        let tracked = trap.split(&impossible, |letter| letter, |_, impossible| 1 + u8::from(impossible))?;
        let tracked = tracked.split(&within, |letter| letter, |class, within| u8::from(class == 1 || within))?;
        let waiting = tracked.split(&ready, |letter| letter, |_, ready| u8::from(!ready))?;
        let steps = kept.split(&tracked, after, |_, inside| u8::from(inside))?;
        let steps = steps.split(&ready, after, |class, ready| if ready { FALLS } else { class })?;
        let nearer = |class, change| Some(judged(class, change)).filter(|class| *class != LOST).unwrap_or(0);
        let steps = check.ranked(steps, &ready, &measures, nearer)?;
        let claim = |_, word: &[State]| Claim::Turns(watched_agent(word, states), number);
        let found = check.without(Claim::Caught, &waiting, &steps, FALLS);
        found.map_err(|rejection| rejection.unlabelled(states, claim))?;
    }
    Ok(())
}

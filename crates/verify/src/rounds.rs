//! Traps for weakly fair schedules. One agent is watched: the daemon can stay in the trap until this agent acts or is disabled. So it can
//! go round the agents for ever.

use crate::automaton::Dfa;
use crate::check::{Check, STAYS};
use crate::meaning::measures;
use crate::measure::{FALLS, LOST, judged};
use crate::recurring::{HERE, watched, watched_agent};
use crate::rejection::{Malformed, ensure};
use crate::steps::Alphabet;
use crate::{Claim, FailureCertificate, Formula, Rejection, Rules, Scheduler, State};

/// Whether a certificate is of a kind for which this is decided.
pub(crate) fn fits(certificate: &FailureCertificate) -> Result<(), Malformed> {
    let FailureCertificate { rules, scheduler, measures, turns, .. } = certificate;
    let (weakly, locally) = (*scheduler == Scheduler::WeaklyFair, *scheduler == Scheduler::LocallyFair);
    ensure(weakly || measures.is_empty(), || "measures of a trap are for weakly fair schedules".into())?;
    ensure(!(weakly || locally) || rules.tosses.is_empty(), || "a trap for fair schedules: without coins".into())?;
    ensure(locally || turns.is_empty(), || "turns are for locally fair schedules".into())?;
    ensure(!locally || rules.detector.is_none() && rules.is_of_arcs(), || {
        "a trap for locally fair schedules: every move is of an agent and its right neighbour, without a detector"
            .into()
    })
}

/// Whether, from every configuration of a trap in which the watched agent is enabled, some step stays in the trap, and the watched agent
/// acts, or is disabled after it, or the measures fall.
pub(crate) fn rounds(certificate: &FailureCertificate, rules: &Rules) -> Result<(), Rejection> {
    let measures = measures(&certificate.measures)?;
    let states = rules.states.len();
    let table = watched(rules, HERE)?;
    let (check, trap) = watching(certificate, &table)?;
    let moves = table.moves.iter().copied().filter(|m| usize::from(m.own.before) >= states).collect();
    let acting = Rules { moves, ..table.clone() };
    let own = check.alphabet.with(&acting).steps(&check.all)?;
    let pairs = &check.alphabet.pairs;
    let [before, after] = [0, 1].map(|i| move |pair: usize| pairs[pair][i]);
    let disabled = trap.unshown(&own, before)?;
    let waiting = trap.split(&disabled, |letter| letter, |_, disabled| u8::from(!disabled))?;
    let steps = check.steps_of_trap(&trap, &check.promised(&trap, false)?)?.sorted(|class| u8::from(class == STAYS));
    let done = |class, done| if done { FALLS } else { class };
    let steps = steps.split(&own, |pair| pair, done)?.split(&disabled, after, done)?;
    let nearer = |class, change| Some(judged(class, change)).filter(|class| *class != LOST).unwrap_or(0);
    let steps = check.ranked(steps, &disabled, &measures, nearer)?;
    let claim = |_, word: &[State]| Claim::Waits(watched_agent(word, states));
    check.without(Claim::Caught, &waiting, &steps, FALLS).map_err(|rejection| rejection.unlabelled(states, claim))
}

/// The configurations with one watched agent, with their steps, and those of the trap.
pub(crate) fn watching<'t>(certificate: &FailureCertificate, table: &'t Rules) -> Result<(Check<'t>, Dfa), Rejection> {
    table.validate()?;
    let mut check = Check::configurations(Alphabet::new(table, false), &certificate.sizes)?;
    let here = Formula::Name(HERE.into());
    check.all = check.holding(&check.all, "the watched agent", &here, |total| total == 1)?;
    check.steps = check.alphabet.steps(&check.all)?;
    let trap = check.set(&certificate.trap.copied(2))?;
    Ok((check, trap))
}

//! Weakly fair schedules. Some agents are helpful: their steps lower the measures, and they stay enabled until the measures fall.

use crate::automaton::Dfa;
use crate::check::Check;
use crate::measure::{LOST, OPEN, Order, judged, refined};
use crate::recurring::watched;
use crate::rejection::{Malformed, ensure};
use crate::steps::Alphabet;
use crate::{Automaton, Cell, Certificate, Claim, Coins, Formula, Mark, Measure, Rejection, Rules, State};

/// The variable that is true at the agent that acts. No formula can use this name.
const ACTS: &str = "(acts)";

/// Whether, outside the safe set, some agent is helpful until the measures fall; they never rise.
///
/// If they never fell again, a helpful agent would stay helpful, so enabled, and not act. No weakly fair schedule allows this.
pub(crate) fn fairness(
    certificate: &Certificate,
    base: &Check,
    safe: &Dfa,
    measures: &[Measure],
) -> Result<(), Rejection> {
    let Certificate { rules, sizes, coins, lasting, recurring, .. } = certificate;
    let plain = *coins == Coins::Adversarial && rules.tosses.is_empty() && lasting.is_none() && recurring.is_none();
    ensure(plain, || {
        "weakly fair schedules: without coins, without a recurring condition, and without a set in which leaders last"
            .into()
    })?;
    let text = certificate.helpful.as_ref();
    let text = text.ok_or_else(|| Malformed("weakly fair schedules need a formula of helpful agents".into()))?;
    let unread = |e: Malformed| Malformed(format!("the formula of helpful agents cannot be read: {e}"));
    let helpful: Formula = text.parse().map_err(unread)?;
    const OF: &str = "the formula of helpful agents";
    base.configuration(Claim::Helped, &base.holding(&base.outside(safe)?, OF, &helpful, |total| total == 0)?)?;
    let table = acting(rules)?;
    let mut check = Check::configurations(Alphabet::new(&table, false), sizes)?;
    let acts = Formula::Name(ACTS.into());
    check.all = check.holding(&check.all, OF, &acts, |total| total == 1)?;
    check.steps = check.alphabet.steps(&check.all)?;
    let next = certificate.safe.next.iter().map(|row| row.repeat(2)).collect();
    let safe = check.set(&Automaton { next, ..certificate.safe.clone() })?;
    let helps = Formula::And(acts.into(), helpful.clone().into());
    let decided = || {
        let (outside, steps) = (check.outside(&safe)?, check.from(&safe, false)?);
        let helping = check.holding(&outside, OF, &helps, |total| total == 1)?;
        check.without(Claim::Able, &helping, &steps, OPEN)?;
        let steps = check.ranked(steps, &safe, measures, judged)?;
        check.step(Claim::NoneRises, &steps, &[LOST])?;
        let both = |pair: usize| check.alphabet.pairs[pair];
        let wrong = |class, found| if found > 0 { LOST } else { class };
        let steps = refined(&steps, |pair| [both(pair)[0]; 2], &check.ring(OF, &[&helps])?, &Order::Total, wrong)?;
        check.step(Claim::HelpFalls, &steps, &[LOST])?;
        let steps = refined(&steps, both, &check.ring(OF, &[&helpful])?, &Order::Lapse, wrong)?;
        check.step(Claim::HelpStays, &steps, &[LOST])
    };
    let states = rules.states.len() as State;
    let plain = |word: Vec<State>| word.into_iter().map(|s| s % states).collect();
    decided().map_err(|rejection| match rejection {
        Rejection::Fails(claim, before, after) => Rejection::Fails(claim, plain(before), after.map(plain)),
        other => other,
    })
}

/// The same algorithm with one agent that acts, and no other. That a rule is enabled is said of all agents.
fn acting(rules: &Rules) -> Result<Rules, Malformed> {
    let states = rules.states.len() as State;
    let mut table = watched(rules, ACTS)?;
    let asks = |rule| rules.moves.iter().any(|m| m.rule == rule && m.seen.is_some());
    for (rule, name) in rules.rules.iter().enumerate().filter(|(rule, _)| !asks(*rule)) {
        let windows = table.moves.iter().filter(|m| m.rule == rule).map(|m| m.window()).collect();
        table.marks.push(Mark { name: name.clone(), windows });
    }
    table.rules.clear();
    let waits = |cell: Option<Cell>| cell.is_none_or(|c| c.before < states);
    table.moves.retain(|m| m.own.before >= states && waits(m.left) && waits(m.right));
    Ok(table)
}

//! Weakly fair schedules. Some agents are helpful: their steps lower the measures, and they stay enabled until the measures fall.

use crate::automaton::Dfa;
use crate::check::Check;
use crate::daemon::{LABELLED, choices};
use crate::measure::{FALLS, LOST, OPEN, Order, judged, refined};
use crate::recurring::watched;
use crate::rejection::{Malformed, ensure};
use crate::steps::Alphabet;
use crate::{Cell, Certificate, Claim, Coins, Formula, Mark, Measure, Rejection, Rules, Scheduler, State};

/// The variable that is true at the agent that acts. No formula can use this name.
const ACTS: &str = "(acts)";

/// What the formula of helpful agents is called where it cannot be read.
const OF: &str = "the formula of helpful agents";

/// Whether, outside the safe set, some agent is helpful until the measures fall; they never rise.
///
/// If they never fell again, a helpful agent would stay helpful, so enabled, and not act. No weakly fair schedule allows this.
/// With fair coins this is asked only of those choices of the daemon of which no outcome lowers the measures.
pub(crate) fn fairness(
    certificate: &Certificate,
    base: &Check,
    safe: &Dfa,
    measures: &[Measure],
) -> Result<(), Rejection> {
    let Certificate { rules, sizes, coins, lasting, recurring, .. } = certificate;
    ensure(lasting.is_none() && recurring.is_none(), || {
        "weakly fair schedules: without a recurring condition, and without a set in which leaders last".into()
    })?;
    ensure(*coins == Coins::Fair || rules.tosses.is_empty(), || {
        "weakly fair schedules: without coins of an adversary".into()
    })?;
    let arcs = *coins == Coins::Adversarial && rules.is_of_arcs();
    ensure(certificate.scheduler == Scheduler::WeaklyFair || arcs, || {
        "locally fair schedules: every move is of an agent and its right neighbour, without coins".into()
    })?;
    let text = certificate.helpful.as_ref();
    let text = text.ok_or_else(|| Malformed("weakly fair schedules need a formula of helpful agents".into()))?;
    let unread = |e: Malformed| Malformed(format!("the formula of helpful agents cannot be read: {e}"));
    let helpful: Formula = text.parse().map_err(unread)?;
    base.configuration(Claim::Helped, &base.holding(&base.outside(safe)?, OF, &helpful, |total| total == 0)?)?;
    let table = acting(rules)?;
    let mut check = Check::configurations(Alphabet::new(&table, false), sizes)?;
    let acts = Formula::Name(ACTS.into());
    check.all = check.holding(&check.all, OF, &acts, |total| total == 1)?;
    check.steps = check.alphabet.steps(&check.all)?;
    let safe = check.set(&certificate.safe.copied(2))?;
    let decided = || {
        let helps = Formula::And(acts.clone().into(), helpful.clone().into());
        let helping = check.holding(&check.outside(&safe)?, OF, &helps, |total| total == 1)?;
        check.without(Claim::Able, &helping, &check.from(&safe, false)?, OPEN)?;
        match choices(rules, Scheduler::WeaklyFair, *coins)? {
            None => helped(&check, &safe, [&acts, &helpful], measures, false),
            Some(choices) => {
                let table = choices.table(rules);
                let (check, safe, _) = choices.words(&table, sizes, Scheduler::WeaklyFair, &certificate.safe)?;
                helped(&check, &safe, [&Formula::Name(LABELLED.into()), &helpful], measures, true)
            }
        }
    };
    decided().map_err(|rejection| rejection.unlabelled(rules.states.len(), |claim, _| claim))
}

/// Whether the measures fall whenever a helpful agent acts, and until then it stays helpful. The words say which agent acts; with coins,
/// also by which choice, and of the steps only those of a choice matter that has no step on which the measures fall.
fn helped(
    check: &Check,
    safe: &Dfa,
    [acts, helpful]: [&Formula; 2],
    measures: &[Measure],
    coins: bool,
) -> Result<(), Rejection> {
    let both = |pair: usize| check.alphabet.pairs[pair];
    let mut steps = check.ranked(check.from(safe, false)?, safe, measures, judged)?;
    if coins {
        let falling = steps.sorted(|class| u8::from(class == FALLS));
        let hopeless = check.outside(safe)?.unshown(&falling, |pair| both(pair)[0])?;
        steps = steps.split(&hopeless, |pair| both(pair)[0], |class, inside| if inside { class } else { FALLS })?;
    }
    check.step(Claim::NoneRises, &steps, &[LOST])?;
    let helps = Formula::And(acts.clone().into(), helpful.clone().into());
    let wrong = |class, found| if found > 0 { LOST } else { class };
    let steps = refined(&steps, |pair| [both(pair)[0]; 2], &check.ring(OF, &[&helps])?, &Order::Total, wrong)?;
    check.step(Claim::HelpFalls, &steps, &[LOST])?;
    let steps = refined(&steps, both, &check.ring(OF, &[helpful])?, &Order::Lapse, wrong)?;
    check.step(Claim::HelpStays, &steps, &[LOST])
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

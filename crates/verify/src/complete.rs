//! Complete graphs: any two agents may meet. They are rings whose moves reach as far as they like.

use crate::automaton::Dfa;
use crate::check::Check;
use crate::meaning::{Meaning, goal, measures};
use crate::rejection::{Malformed, ensure};
use crate::{
    CompleteCertificate, Formula, Measure, Move, Place, Range, Rejection, Rules, Scheduler, Sizes, State, Window,
};

/// Checks a certificate about complete graphs: accepted means that the claim holds for every size from the first on.
pub fn verify_complete(certificate: &CompleteCertificate) -> Result<(), Rejection> {
    let CompleteCertificate { version, rules, from, safe, scheduler, .. } = certificate;
    ensure(*version == 1, || format!("version {version} of the format is not known; 1 is"))?;
    rules.validate()?;
    meetings(rules)?;
    ensure((2..=64).contains(from), || format!("complete graphs from {from} agents on: from 2 to 64"))?;
    let one_by_one = matches!(scheduler, Scheduler::GloballyFair | Scheduler::Unfair);
    ensure(one_by_one, || "on complete graphs agents meet one pair after the other: globally-fair or unfair".into())?;
    let measures = measures(&certificate.measures)?;
    for formula in goal(rules)?.0.iter().chain(measures.iter().flat_map(Measure::formulas)) {
        local(rules, formula)?;
    }
    let in_a_row = measures.iter().any(|m| matches!(m, Measure::FromBottom(_) | Measure::FromTop(_)));
    ensure(!in_a_row, || "on a complete graph agents are not in a row: measures are `C:` or `safe`".into())?;
    let sizes = Sizes { from: *from, modulus: 1, residues: vec![0] };
    let check = Check::new(rules, &sizes, true)?;
    let safe = within(&check, safe)?;
    check.promise(&safe)?;
    check.closed(&safe)?;
    check.descent(*scheduler, &safe, &measures)
}

/// Every move is a meeting of two agents, and every state possible for each.
fn meetings(rules: &Rules) -> Result<(), Malformed> {
    let meeting = |m: &Move| m.place.is_none() && m.left.is_none() && m.right.is_some();
    ensure(rules.moves.iter().all(meeting), || {
        "on complete graphs a move has `own` and `right`, no `left` and no `place`".into()
    })?;
    ensure(rules.given.is_none(), || "on complete graphs there is no assumption about all agents together".into())?;
    let all = |place: &Place| (0..rules.states.len()).all(|s| rules.possible.at(*place).contains(&(s as State)));
    ensure(Place::ALL.iter().all(all), || "on complete graphs every state is possible for every agent".into())
}

/// A formula may speak of the agent's own state only.
fn local(rules: &Rules, formula: &Formula) -> Result<(), Malformed> {
    let mut meaning = Meaning::default();
    meaning.add(rules, formula)?;
    let own = |w: &Window| *w == Window { own: w.own, ..Window::default() };
    let local = meaning.links.is_empty() && meaning.windows.values().flatten().all(own);
    ensure(local, || "on a complete graph formulas speak of an agent's own state".into())
}

/// More counts than this are not followed.
const MOST: usize = 1 << 20;

/// The configurations in which, by one of the lists, every state's count lies in its range. Counts are followed up to where each range has
/// all counts or none.
fn within(check: &Check, lists: &[Vec<Range>]) -> Result<Dfa, Rejection> {
    let states = check.alphabet.rules.states.len();
    let whole = lists.iter().all(|list| list.len() == states);
    ensure(whole, || format!("each part of the safe set needs a range for each of {states} local states"))?;
    let bounds =
        lists.iter().flatten().map(|range| range.least.max(range.most.map_or(0, |most| most.saturating_add(1))));
    let bound = bounds.max().unwrap_or(0);
    let many = bound.checked_add(1).and_then(|counts| counts.checked_pow(states as u32));
    many.filter(|many| *many <= MOST).ok_or(Rejection::TooLarge)?;
    let count = |counts: &Vec<usize>, letter| {
        let mut counts = counts.clone();
        let count = &mut counts[usize::from(check.alphabet.state(letter))];
        *count = (*count + 1).min(bound);
        Some(counts)
    };
    let contains =
        |(range, count): (&Range, &usize)| *count >= range.least && range.most.is_none_or(|most| *count <= most);
    let accepts = |counts: &Vec<usize>| u8::from(lists.iter().any(|list| list.iter().zip(counts).all(contains)));
    let counted = Dfa::new(check.alphabet.singles(), vec![0; states], count, accepts)?;
    check.all.split(&counted, |letter| letter, |_, inside| u8::from(inside))
}

//! Complete graphs: any two agents may meet, so a configuration is how many agents have each local state.
//!
//! Whether a count lies in a range does not change once it is beyond all bounds of the ranges, and a meeting takes at most two
//! agents from a state. So counts beyond a cutoff behave alike: what holds of all configurations with at most that many
//! agents in each state holds of all. Measures are weighted sums of counts, whose change on a meeting is always the same.

use crate::check::Rejection;
use crate::fault::{Fault, planted};
use crate::meaning::{Node, Nodes};
use crate::reading::row;
use crate::{Flaw, Formula, Goal, Measure, Move, Place, Rules, Scheduler, State};
use serde::{Deserialize, Serialize};

/// Which graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Graph {
    /// Complete ones.
    Complete,
}

/// Numbers of agents: at least, and at most if there is an upper bound. As JSON `[1, 1]` or `[0, null]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(usize, Option<usize>)", into = "(usize, Option<usize>)")]
pub struct Range {
    /// The least number.
    pub least: usize,
    /// The largest.
    pub most: Option<usize>,
}

impl Range {
    fn contains(&self, count: usize) -> bool {
        count >= self.least && self.most.is_none_or(|most| count <= most)
    }

    /// From here on all counts are in it, or none.
    fn bound(&self) -> usize {
        self.most.map_or(self.least, |most| self.least.max(most.saturating_add(1)))
    }
}

impl From<(usize, Option<usize>)> for Range {
    fn from((least, most): (usize, Option<usize>)) -> Range {
        Range { least, most }
    }
}

impl From<Range> for (usize, Option<usize>) {
    fn from(range: Range) -> (usize, Option<usize>) {
        (range.least, range.most)
    }
}

/// A proof that a population protocol stabilizes on every complete graph from some size on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompleteCertificate {
    /// The format's version: 1.
    pub version: u32,
    /// Tells it from certificates about rings.
    pub graph: Graph,
    /// What the algorithm is called; the check does not use it.
    pub subject: String,
    /// The text protocol that the rules were taken from, if it was one; the check does not use it, but whoever has it can compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The algorithm. Every move is a meeting: `own` the initiator, `right` the responder, any two agents.
    pub rules: Rules,
    /// The claim is about this many agents, and all larger numbers,
    pub from: usize,
    /// under this scheduler.
    pub scheduler: Scheduler,
    /// A configuration is safe if in one of these lists every state's count lies in its range.
    pub safe: Vec<Vec<Range>>,
    /// The measures, the most important first: `safe`, or `C:` of formulas about the agent's own state.
    pub measures: Vec<String>,
}

impl CompleteCertificate {
    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<CompleteCertificate, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }

    /// Whether a configuration, as the number of agents in each state, is safe.
    pub fn accepts(&self, counts: &[usize]) -> bool {
        self.safe.iter().any(|ranges| ranges.iter().zip(counts).all(|(range, count)| range.contains(*count)))
    }
}

/// More configurations than this are not looked at.
const MOST: usize = 4_000_000;

/// Where a formula holds: for each local state.
type Holds = Vec<bool>;

/// A measure: `safe`, or what an agent in each state weighs.
enum Weights {
    Unsafe,
    Sum(Vec<i64>),
}

struct Check<'a> {
    certificate: &'a CompleteCertificate,
    goal: Vec<Holds>,
    measures: Vec<Weights>,
}

/// Checks a certificate: accepted means that the claim holds for every size. Returns how many configurations stand for all.
pub fn verify_complete(certificate: &CompleteCertificate) -> Result<usize, Rejection> {
    if certificate.version != 1 {
        return Err(Rejection::Version(certificate.version));
    }
    let rules = &certificate.rules;
    rules.validate().map_err(Rejection::Rules)?;
    meetings(rules).map_err(Rejection::Rules)?;
    let states = rules.states.len();
    if certificate.from < 2 || certificate.from > 64 {
        return Err(Rejection::Sizes(format!("complete graphs from {} agents on: from 2 to 64", certificate.from)));
    }
    if certificate.safe.iter().any(|ranges| ranges.len() != states) {
        return Err(Rejection::Safe(format!("each part of the safe set needs a range for each of {states} states")));
    }
    let check = Check::new(certificate)?;
    let bounds = certificate.safe.iter().flatten().map(Range::bound);
    let bound = if planted(Fault::Cutoff) { 0 } else { bounds.max().unwrap_or(0) };
    let cutoff = bound.max(certificate.from).saturating_add(2);
    let many = |count: Option<usize>| count.filter(|count| *count <= MOST).ok_or(Rejection::TooLarge);
    many(cutoff.checked_add(1).and_then(|counts| counts.checked_pow(states as u32)))?;
    let mut counts = vec![0; states];
    let mut seen = 0;
    loop {
        if counts.iter().sum::<usize>() >= certificate.from {
            check.configuration(&counts)?;
            seen += 1;
        }
        let Some(digit) = counts.iter().position(|count| *count < cutoff) else { return Ok(seen) };
        counts[..digit].fill(0);
        counts[digit] += 1;
    }
}

/// Every move is a meeting of two agents, and every state possible for each.
fn meetings(rules: &Rules) -> Result<(), Flaw> {
    let meeting = |m: &Move| m.place.is_none() && m.left.is_none() && m.right.is_some();
    if !rules.moves.iter().all(meeting) {
        return Err(Flaw("on complete graphs a move has `own` and `right`, no `left` and no `place`".into()));
    }
    let all = |place: &Place| (0..rules.states.len()).all(|s| rules.possible.at(*place).contains(&(s as State)));
    if !Place::ALL.iter().all(all) {
        return Err(Flaw("on complete graphs every state is possible for every agent".into()));
    }
    Ok(())
}

/// In which states a formula holds; it may speak of the agent's own state only.
fn local(rules: &Rules, formula: &Formula) -> Result<Holds, String> {
    use Node::{And, Constant, Not, Or, Own};
    let own = |node: &Node| matches!(node, Constant(_) | Own(_) | Not(_) | And(..) | Or(..));
    if !Nodes::new(rules, [formula])?.nodes.iter().all(own) {
        return Err("on a complete graph formulas speak of an agent's own state".to_string());
    }
    // One agent of each state: who is beside whom does not matter.
    row(rules, formula, &(0..rules.states.len()).map(|state| state as State).collect::<Vec<_>>())
}

impl<'a> Check<'a> {
    fn new(certificate: &'a CompleteCertificate) -> Result<Check<'a>, Rejection> {
        let rules = &certificate.rules;
        let texts = match &rules.goal {
            Goal::ExactlyOne { of, .. } => of.clone(),
            Goal::Everywhere { formula } => vec![formula.clone()],
        };
        let goal = texts.iter().map(|text| {
            let formula = text.parse().map_err(|e| Rejection::Text(None, e))?;
            local(rules, &formula).map_err(|e| Rejection::Meaning(None, e))
        });
        let goal = goal.collect::<Result<_, _>>()?;
        let measures = certificate.measures.iter().enumerate().map(|(i, text)| {
            let wrong = |what: String| Rejection::Meaning(Some(i), what);
            match text.parse().map_err(|e| Rejection::Text(Some(i), e))? {
                Measure::Unsafe => Ok(Weights::Unsafe),
                Measure::Count(terms) => {
                    let mut weights = vec![0; rules.states.len()];
                    for (weight, formula) in &terms {
                        let holds = local(rules, formula).map_err(wrong)?;
                        let held = weights.iter_mut().zip(holds).filter(|(_, holds)| *holds);
                        held.for_each(|(sum, _)| *sum += i64::from(*weight));
                    }
                    Ok(Weights::Sum(weights))
                }
                _ => Err(wrong("on a complete graph agents are not in a row: `C:` or `safe`".into())),
            }
        });
        Ok(Check { certificate, goal, measures: measures.collect::<Result<_, _>>()? })
    }

    /// A configuration written as the states of its agents.
    fn word(&self, counts: &[usize]) -> Vec<State> {
        counts.iter().enumerate().flat_map(|(s, count)| std::iter::repeat_n(s as State, *count)).collect()
    }

    /// The meetings that can happen, with what becomes of the counts.
    fn steps(&self, counts: &[usize]) -> Vec<(Move, Vec<usize>)> {
        let rules = &self.certificate.rules;
        let seen = rules.detector.as_ref().is_some_and(|d| d.iter().any(|s| counts[usize::from(*s)] > 0));
        let mut found = Vec::new();
        for m in rules.moves.iter().filter(|m| m.seen.is_none_or(|s| s == seen)) {
            let cells = m.cells();
            let mut after = counts.to_vec();
            let taken = cells.iter().all(|cell| {
                let count = &mut after[usize::from(cell.before)];
                *count = count.wrapping_sub(1);
                *count != usize::MAX
            });
            if taken {
                cells.iter().for_each(|cell| after[usize::from(cell.after)] += 1);
                found.push((*m, after));
            }
        }
        found
    }

    fn configuration(&self, counts: &[usize]) -> Result<(), Rejection> {
        let steps = self.steps(counts);
        if self.certificate.accepts(counts) {
            return self.safe(counts, &steps);
        }
        let falls = |(m, after): &(Move, Vec<usize>)| self.falls(m, after);
        match self.certificate.scheduler {
            Scheduler::GloballyFair if !steps.iter().any(falls) => Err(Rejection::NoDescent(self.word(counts))),
            Scheduler::Unfair if steps.is_empty() => Err(Rejection::Stuck(self.word(counts))),
            Scheduler::Unfair => steps
                .iter()
                .find(|step| !falls(step))
                .map_or(Ok(()), |(_, after)| Err(Rejection::Rises(self.word(counts), self.word(after)))),
            Scheduler::GloballyFair => Ok(()),
        }
    }

    /// A safe configuration keeps the promise, and so does what its steps lead to.
    fn safe(&self, counts: &[usize], steps: &[(Move, Vec<usize>)]) -> Result<(), Rejection> {
        let number = |holds: &Holds, wanted: bool| -> usize {
            counts.iter().zip(holds).filter(|(_, holds)| **holds == wanted).map(|(count, _)| *count).sum()
        };
        let (kept, stays) = match &self.certificate.rules.goal {
            Goal::ExactlyOne { stays, .. } => (self.goal.iter().map(|f| number(f, true)).sum::<usize>() == 1, *stays),
            Goal::Everywhere { .. } => (number(&self.goal[0], false) == 0, false),
        };
        if !kept {
            return Err(Rejection::NotPromised(self.word(counts)));
        }
        for (m, after) in steps {
            if !self.certificate.accepts(after) {
                return Err(Rejection::NotClosed(self.word(counts), self.word(after)));
            }
            let same = |f: &Holds| m.cells().iter().all(|c| f[usize::from(c.before)] == f[usize::from(c.after)]);
            if stays && !self.goal.iter().all(same) {
                return Err(Rejection::Moves(self.word(counts), self.word(after)));
            }
        }
        Ok(())
    }

    /// Whether the first measure that changes on a step from outside the safe set falls.
    fn falls(&self, m: &Move, after: &[usize]) -> bool {
        let change = |measure: &Weights| match measure {
            Weights::Unsafe => -i64::from(self.certificate.accepts(after)),
            Weights::Sum(weights) => {
                let weight = |state: State| weights[usize::from(state)];
                m.cells().iter().map(|cell| weight(cell.after) - weight(cell.before)).sum()
            }
        };
        self.measures.iter().map(change).find(|change| *change != 0).is_some_and(|change| change < 0)
    }
}

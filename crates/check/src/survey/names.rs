//! The local states that the digits of a system stand for.

use crate::memory;
use crate::merge::Merged;
use crate::space::{MOST_AGENTS, MixedRadix};
use crate::{Question, Stop, Uncheckable};
use ringleader_erased::{GraphInstance, Judge, LocalStates, RuleTable, Verdict};
use std::sync::Arc;

/// The most states of an algorithm for a graph: those of a table.
const MOST_STATES: u64 = 1 << 16;

/// The local states that the digits of a system stand for.
#[derive(Clone, Debug)]
pub(crate) enum Names {
    /// A digit is the number of a state.
    Same,
    /// A digit is a class of states.
    Merged(Arc<Merged>),
    /// A digit counts the states that the process may be in.
    Local(Arc<LocalStates>),
}

impl Names {
    /// The number of local states; the largest, if processes differ.
    pub(crate) fn states(&self, space: &MixedRadix) -> u64 {
        match self {
            Names::Merged(merged) => merged.states(),
            Names::Same | Names::Local(_) => space.radix.into(),
        }
    }

    /// The state, or the least state, that a digit of an agent stands for.
    #[inline]
    fn state(&self, agent: usize, digit: u32) -> u32 {
        match self {
            Names::Same => digit,
            Names::Merged(merged) => merged.least(digit),
            Names::Local(local) => local.of(agent)[digit as usize],
        }
    }

    /// The states of a configuration.
    pub(crate) fn lift(&self, mut digits: Vec<u32>) -> Vec<u32> {
        if !matches!(self, Names::Same) {
            digits.iter_mut().enumerate().for_each(|(agent, digit)| *digit = self.state(agent, *digit));
        }
        digits
    }

    /// The digits of a configuration of the algorithm.
    pub(crate) fn lower(&self, states: &[u32]) -> Vec<u32> {
        match self {
            Names::Same => states.to_vec(),
            Names::Merged(merged) => merged.lower(states),
            Names::Local(local) => {
                let digit = |(agent, &state)| local.digit(agent, state).expect("a configuration of the algorithm");
                states.iter().enumerate().map(digit).collect()
            }
        }
    }

    /// A judge of digits.
    pub(crate) fn judging<'a>(&self, judge: Box<dyn Judge + 'a>) -> Box<dyn Judge + 'a> {
        match self {
            Names::Same => judge,
            names => Box::new(LiftedJudge { judge, names: names.clone() }),
        }
    }
}

/// A judge that judges the states of digits.
struct LiftedJudge<'a> {
    judge: Box<dyn Judge + 'a>,
    names: Names,
}

impl Judge for LiftedJudge<'_> {
    fn judge(&mut self, digits: &[u32]) -> Verdict {
        let mut states = [0; MOST_AGENTS];
        for (agent, &digit) in digits.iter().enumerate() {
            states[agent] = self.names.state(agent, digit);
        }
        self.judge.judge(&states[..digits.len()])
    }
}

/// The states of the processes of a graph and their configurations, if tables of the rules fit into memory.
pub(crate) fn of_graph(algorithm: &GraphInstance, question: &Question) -> Result<(LocalStates, MixedRadix), Stop> {
    let (states, agents) = (algorithm.states(), algorithm.size());
    Uncheckable::TooManyConfigurations { states, agents }.refuse_if(states > MOST_STATES || agents > MOST_AGENTS)?;
    let local = LocalStates::new(algorithm);
    let counts: Vec<u64> = local.counts().collect();
    let space = MixedRadix::mixed(&counts).ok_or_else(|| match local.are_all() {
        true => Uncheckable::TooManyConfigurations { states, agents },
        false => Uncheckable::TooManyTogether { states: counts.clone() },
    })?;
    let bytes = |process: usize| {
        let contexts = local.contexts(process).unwrap_or(u64::MAX);
        RuleTable::bytes([local.firsts(process), counts[process]], contexts)
    };
    let bytes = (0..agents).fold(0, |sum: u64, process| sum.saturating_add(bytes(process)));
    memory::admit(bytes, question.memory, Some(space.size()))?;
    if let Some(start) = question.starts.iter().find(|start| {
        let mut states = start.states.iter().enumerate();
        states.any(|(process, &state)| local.digit(process, state).is_none())
    }) {
        return Err(Uncheckable::NoConfiguration(start.name.clone()).into());
    }
    Ok((local, space))
}

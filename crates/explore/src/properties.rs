//! The properties of every election by messages, each with a path to a state that violates it.

use crate::{DecisionGraph, Elections, Failure, Peers, Run, Space, StateView, avoidable};
use ringleader_model::Promise;
use std::collections::VecDeque;
use std::fmt;

/// A property of all reachable states, and a run that breaks it, if there is one.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// The run after which it does not hold.
    pub broken: Option<Run>,
}

/// A set of states.
pub type StateCondition = Box<dyn Fn(&StateView<'_, '_>) -> bool + Send + Sync>;

/// A claim about an algorithm besides the properties of every election.
pub struct Claim {
    /// Its name.
    pub name: String,
    /// The meaning of the claim for executions.
    pub promise: Promise,
    /// The states where it holds.
    pub holds: StateCondition,
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claim").field("name", &self.name).field("promise", &self.promise).finish()
    }
}

impl Space<'_> {
    /// All properties of an election, the invariants of the algorithm and the claims, and the number of undecided final states.
    /// Without the graph, properties of whole executions are left out, and a claim about them is refused.
    ///
    /// ```
    /// use ringleader_algorithms::message::franklin::Franklin;
    /// use ringleader_erased::MessageInstance;
    /// use ringleader_explore::{Alone, Options, Space};
    ///
    /// let franklin = MessageInstance::new(Franklin { size: 2, ids: 2, keeps_identity: false });
    /// let space = Space::explore(&franklin, &Options::default(), &mut |_| true)?;
    /// let (properties, _) = space.properties(Some(&space.graph()), &[], &mut Alone::default(), &|| true)?;
    /// assert!(properties.len() >= 4 && properties.iter().all(|property| property.broken.is_none()));
    /// # Ok::<(), ringleader_explore::Failure>(())
    /// ```
    pub fn properties(
        &self,
        graph: Option<&DecisionGraph>,
        claims: &[Claim],
        peers: &mut dyn Peers,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Vec<Property>, u64), Failure> {
        let invariants = self.algorithm.invariant_names().into_iter().map(|(name, _)| name).collect();
        let (mut properties, undecided) = of_states(invariants, self, peers, keep_going)?;
        if let Some(graph) = graph {
            properties.extend(of_executions(self, graph, keep_going).ok_or(Failure::Stopped)?);
        }
        for claim in claims {
            properties.push(claim.judged(self, graph, peers, keep_going)?);
        }
        Ok((properties, undecided))
    }
}

impl Claim {
    /// Whether the claim holds in every reachable state, or every execution reaches a state where it holds.
    pub fn judged(
        &self,
        space: &Space<'_>,
        graph: Option<&DecisionGraph>,
        peers: &mut dyn Peers,
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Result<Property, Failure> {
        Ok(match self.promise {
            Promise::Invariant | Promise::Always => Property {
                name: format!("{} in every reachable state", self.name),
                broken: found(space, &|state| !(self.holds)(state), peers, keep_going)?,
            },
            // Executions of these processes end, so a condition that recurs is one that is reached.
            Promise::Eventually | Promise::Recurring | Promise::Response => {
                let graph = graph.ok_or_else(|| Failure::NoGraph(self.name.clone()))?;
                let reached: Vec<bool> = (0..graph.len()).map(|state| (self.holds)(&space.view(state))).collect();
                let way = avoiding(graph, &reached, keep_going).ok_or(Failure::Stopped)?;
                let name = format!("every execution reaches {}", self.name);
                Property { name, broken: way.map(|way| space.run_along(&way)) }
            }
        })
    }
}

/// The properties that need no graph, and the number of undecided final states. The algorithm's own invariants have these names.
pub fn of_states(
    invariants: Vec<String>,
    space: &Space<'_>,
    peers: &mut dyn Peers,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<(Vec<Property>, u64), Failure> {
    let mut properties = vec![];
    let mut judge = |name: String, bad: &(dyn Fn(&StateView<'_, '_>) -> bool + Sync)| -> Result<(), Failure> {
        properties.push(Property { name, broken: found(space, bad, peers, keep_going)? });
        Ok(())
    };
    judge("never two leaders".into(), &|state| state.leaders() > 1)?;
    let terminated = |state: &StateView<'_, '_>| state.stopped() && !state.cut_off() && state.leaders() != 1;
    judge("on every terminated run exactly one leader".into(), &terminated)?;
    for (number, name) in invariants.into_iter().enumerate() {
        judge(format!("{name} in every reachable state"), &|state| !state.holds(number))?;
    }
    let undecided = space.count_with(|state| state.stopped() && state.cut_off(), peers)?;
    Ok((properties, undecided))
}

/// A shortest execution to a bad state, if there is one. The look at all states can be stopped.
fn found(
    space: &Space<'_>,
    bad: &(dyn Fn(&StateView<'_, '_>) -> bool + Sync),
    peers: &mut dyn Peers,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Run>, Failure> {
    let run = space.run_where(|state| keep_going() && bad(state), peers)?;
    if keep_going() { Ok(run) } else { Err(Failure::Stopped) }
}

/// The properties of whole executions: an election is always reachable, and it is final.
pub fn of_executions(
    space: &Space<'_>,
    graph: &DecisionGraph,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Property>> {
    let hopeless = Elections::new(graph).while_told(keep_going).hopeless(|state| space.view(state).cut_off())?;
    let resigns = |state: usize| graph.edges(state).iter().find(|edge| fewer(graph, state, edge.target as usize));
    let mut resigned = way(graph, |_| true, |state| resigns(state).is_some());
    if let Some(way) = &mut resigned {
        way.extend(way.last().and_then(|&state| resigns(state)).map(|edge| edge.target as usize));
    }
    let run = |way: Option<Vec<usize>>| way.map(|way| space.run_along(&way));
    Some(vec![
        Property {
            name: "a leader can be elected from every reachable state".into(),
            broken: run(way(graph, |_| true, |state| hopeless[state])),
        },
        Property { name: "a leader stays leader for ever".into(), broken: run(resigned) },
    ])
}

fn fewer(graph: &DecisionGraph, state: usize, next: usize) -> bool {
    graph.leaders(next) < graph.leaders(state)
}

/// A path from the start, outside the set that should be reached, to a state from which a scheduler can avoid the set for ever;
/// `None` if the search was stopped.
fn avoiding(
    graph: &DecisionGraph,
    reached: &[bool],
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Option<Option<Vec<usize>>> {
    let away = avoidable(graph, reached, keep_going)?;
    Some(way(graph, |state| !reached[state], |state| away[state]))
}

/// A shortest path from the start, through some states, to one of the wanted states.
fn way(graph: &DecisionGraph, through: impl Fn(usize) -> bool, end: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
    let mut before = vec![usize::MAX; graph.len()];
    let mut queue = VecDeque::from_iter(through(0).then_some(0));
    while let Some(state) = queue.pop_front() {
        if end(state) {
            let mut way = vec![state];
            while let Some(&last) = way.last()
                && last != 0
            {
                way.push(before[last]);
            }
            way.reverse();
            return Some(way);
        }
        for edge in graph.edges(state) {
            let target = edge.target as usize;
            if target != 0 && through(target) && before[target] == usize::MAX {
                before[target] = state;
                queue.push_back(target);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;

    fn graph(states: &[&[&[u32]]]) -> DecisionGraph {
        let mut graph = DecisionGraph::default();
        for choices in states {
            let outcome = |outcomes: &&[u32]| {
                let odds = 1.0 / outcomes.len() as f64;
                outcomes.iter().map(|&target| (target, odds, Action::Internal, 0)).collect()
            };
            graph.push(0, &choices.iter().map(outcome).collect::<Vec<_>>());
        }
        graph
    }

    #[test]
    fn a_scheduler_can_avoid_a_set_for_ever_and_a_coin_cannot() {
        // A coin leads back to 0 or to the end, 2.
        let coin = graph(&[&[&[0, 1]], &[&[2]], &[]]);
        assert_eq!(avoiding(&coin, &[false, false, true], &|| true), Some(None));
        assert_eq!(avoiding(&coin, &[false, true, false], &|| true), Some(None));
        // Here the scheduler chooses.
        let choice = graph(&[&[&[0], &[1]], &[&[2]], &[]]);
        assert_eq!(avoiding(&choice, &[false, false, true], &|| true), Some(Some(vec![0])));
        // Here the execution may end outside the set.
        let fork = graph(&[&[&[1, 2]], &[], &[]]);
        assert_eq!(avoiding(&fork, &[false, true, false], &|| true), Some(Some(vec![0, 2])));
        assert_eq!(avoiding(&fork, &[true, false, false], &|| true), Some(None));
    }
}

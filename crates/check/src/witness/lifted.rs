//! Executions of states, from executions of classes.

use super::Scene;
use super::walk::Walk;
use crate::merge::Merged;
use crate::report::{Counterexample, Step};
use crate::space::{Edge, MOST_AGENTS, StateGraph};
use ringleader_model::trace::Actor;

/// A configuration of states on its way, and the rotation of its class.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cursor {
    states: Vec<u32>,
    turn: usize,
}

impl<G: StateGraph> Scene<'_, G> {
    /// An execution that follows `prefix` and then repeats `cycle`, both between classes, from the least states of the
    /// first classes. The states of a cycle may differ from lap to lap, until they repeat.
    pub(super) fn lifted(&self, merged: &Merged, shows: String, prefix: &Walk, cycle: &Walk) -> Counterexample {
        let first = prefix.first().or(cycle.first()).map_or(0, |(node, _)| *node);
        let start = self.start(first);
        let mut now = Cursor { states: start.clone(), turn: 0 };
        let mut prefix: Vec<Step> =
            prefix.iter().map(|&(node, edge)| self.lifted_step(merged, &mut now, node, edge)).collect();
        let (mut begun, mut laps) = (vec![], Vec::<Vec<Step>>::new());
        let again = loop {
            if let Some(lap) = begun.iter().position(|lap| *lap == now) {
                break lap;
            }
            begun.push(now.clone());
            laps.push(cycle.iter().map(|&(node, edge)| self.lifted_step(merged, &mut now, node, edge)).collect());
        };
        let repeated = laps.split_off(again);
        prefix.extend(laps.into_iter().flatten());
        let cycle = repeated.into_iter().flatten().collect();
        Counterexample { shows, start, prefix, cycle, ..Counterexample::default() }
    }

    /// The step of the states that an edge between classes represents.
    fn lifted_step(&self, merged: &Merged, now: &mut Cursor, node: u32, edge: Edge) -> Step {
        let system = &self.survey.system;
        let agents = system.space.agents;
        let site = &system.sites[edge.site as usize];
        let turned = |agent: usize, turn: usize| (agent + turn) % agents;
        let [left, right, beyond] = [site.left, site.right, site.beyond].map(|agent| turned(agent, now.turn));
        let turn = turned(edge.turn as usize, now.turn);
        let mut after = self.digits(edge.target);
        after.rotate_right(turn);
        let mut digits = [0; MOST_AGENTS];
        system.space.decode(self.configuration(node), &mut digits);
        let context = if merged.reads_states { now.states[beyond] as usize } else { system.context_of(site, &digits) };
        let (table, class) = (&merged.tables[site.table], &merged.partition.class);
        let wanted = |&at: &usize| {
            let change = table.changes()[at];
            let to = [change.left, change.right].map(|state| class[usize::from(state)]);
            to == [after[left], after[right]]
        };
        let mut cell = table.cell(context, now.states[left], now.states[right]);
        let at = cell.find(wanted).expect("states of one class have the same outcomes up to classes");
        let change = table.changes()[at];
        (now.states[left], now.states[right]) = (change.left.into(), change.right.into());
        now.turn = turn;
        let truth = system.leaders_of(&digits) != 0;
        Step {
            actor: if system.is_ring { Actor::Process(right) } else { Actor::Arc(left, right) },
            inputs: system.has_inputs().then_some((truth, truth)),
            coin: table.draws(at).to_vec(),
            rules: table.rules(change).to_vec(),
            after: now.states.clone(),
        }
    }
}

//! Recurring sets by brute force: repeated reachability, and removal of nodes that violate fairness.

use super::{Arrow, Node, Twin};
use ringleader_model::Scheduler;
use std::collections::{HashMap, HashSet};

type Arrows = HashMap<Node, Vec<Arrow>>;

/// The nodes reachable from a node inside a set, by at least one step.
fn reach(arrows: &Arrows, set: &HashSet<Node>, from: &Node) -> HashSet<Node> {
    let mut seen = HashSet::new();
    let mut todo = vec![from.clone()];
    while let Some(node) = todo.pop() {
        for arrow in arrows[&node].iter().filter(|a| set.contains(&a.to)) {
            if seen.insert(arrow.to.clone()) {
                todo.push(arrow.to.clone());
            }
        }
    }
    seen
}

/// The strongly connected parts of a set that have a step inside.
fn components(arrows: &Arrows, set: &HashSet<Node>) -> Vec<HashSet<Node>> {
    let reaches: HashMap<&Node, HashSet<Node>> = set.iter().map(|n| (n, reach(arrows, set, n))).collect();
    let mut done = HashSet::new();
    let mut found = vec![];
    for n in set {
        if done.contains(n) || !reaches[n].contains(n) {
            continue;
        }
        let part: HashSet<Node> = reaches[n].iter().filter(|m| reaches[*m].contains(n)).cloned().collect();
        done.extend(part.iter().cloned());
        found.push(part);
    }
    found
}

impl Twin<'_> {
    /// Whether one of the strongly connected parts outside the really safe set is of this size and has this configuration.
    pub(super) fn has_part(&self, digits: &[u32], size: u64) -> bool {
        let outside = self.outside();
        outside.iter().filter(|n| n.0 == digits).any(|n| {
            let reached = reach(&self.arrows, &outside, n);
            let back = |m: &&Node| *m == n || reach(&self.arrows, &outside, m).contains(n);
            reached.iter().filter(back).count().max(1) as u64 == size
        })
    }

    /// Whether some execution outside the really safe set schedules every agent infinitely often.
    pub(super) fn every_agent_can_recur(&self) -> bool {
        let outside = self.outside();
        components(&self.arrows, &outside).into_iter().any(|part| {
            let inside = part.iter().flat_map(|n| self.arrows[n].iter()).filter(|a| part.contains(&a.to));
            let agents: HashSet<usize> = inside.flat_map(|a| a.actors.clone()).collect();
            agents.len() == self.system().space.agents
        })
    }

    /// Whether some accepted part of a set takes every action that it enables.
    pub(super) fn fair_set_exists(
        &self,
        arrows: &Arrows,
        set: HashSet<Node>,
        accept: impl Fn(&HashSet<Node>) -> bool + Copy,
    ) -> bool {
        components(arrows, &set).into_iter().any(|part| {
            let taken: HashSet<String> = part
                .iter()
                .flat_map(|n| arrows[n].iter())
                .filter(|a| part.contains(&a.to))
                .flat_map(|a| self.obligations(a))
                .collect();
            let fair = |n: &Node| arrows[n].iter().flat_map(|a| self.obligations(a)).all(|o| taken.contains(&o));
            let rest: HashSet<Node> = part.iter().filter(|n| fair(n)).cloned().collect();
            if rest.len() == part.len() { accept(&part) } else { self.fair_set_exists(arrows, rest, accept) }
        })
    }

    /// Under global fairness every step is an action of its own; a detector's choice is not an action.
    fn obligations(&self, arrow: &Arrow) -> Vec<String> {
        if arrow.transition.is_empty() {
            vec![]
        } else if self.question.scheduler == Scheduler::LocallyFair {
            self.actions(arrow)
        } else {
            vec![arrow.transition.clone()]
        }
    }

    /// Whether a detector that lies infinitely often can make leaders come and go for ever.
    pub(super) fn lies_succeed(&self) -> bool {
        let globally = self.question.scheduler != Scheduler::LocallyFair;
        let n = self.system().space.agents;
        let mut arrows = Arrows::new();
        for silent in self.arrows.keys() {
            let mut choices = vec![];
            for bits in 0..1_u32 << n {
                let told: Vec<bool> = (0..n).map(|i| bits >> i & 1 == 1).collect();
                let spoken = (silent.0.clone(), vec![], Some(told.clone()));
                let mut steps = self.steps(silent, Some(&told));
                if globally {
                    // The action of a step includes the whole configuration with all inputs.
                    steps.iter_mut().for_each(|a| a.transition = format!("{spoken:?} {}", a.transition));
                }
                let transition = String::new();
                let (to, actors, rules, coin) = (spoken.clone(), vec![], vec![], vec![]);
                let (site, probability, enabled) = (0, 0.0, true);
                choices.push(Arrow { to, actors, site, transition, rules, coin, probability, enabled });
                arrows.insert(spoken, steps);
            }
            arrows.insert(silent.clone(), choices);
        }
        let all = arrows.keys().cloned().collect();
        self.fair_set_exists(&arrows, all, |part| {
            part.iter().any(|node| self.led(node)) && part.iter().any(|node| !self.led(node))
        })
    }
}

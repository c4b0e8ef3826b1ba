//! Builds a readable execution from a node that shows a failure.

mod lifted;
mod strategy;
pub(crate) mod walk;

use crate::report::{Counterexample, Step};
use crate::schedule::{Alternating, Daemon, Misled, Together};
use crate::search::{Longest, components};
use crate::space::{
    Bits, Edge, INCORRECT, MOST_AGENTS, Markov as _, NOBODY, Part, StateGraph, Subgroup, Symmetries, gcd,
};
use crate::{Monitor, Stop, Survey};
use ringleader_model::Goal;
use ringleader_model::components::Components;
use ringleader_model::trace::Actor;
use walk::Walk;

/// The components of the nodes of a graph, besides configurations.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nodes<'a> {
    /// Configurations.
    Plain,
    /// Configurations in which several step at once.
    Together(&'a Together<'a>),
    /// Configurations with tokens.
    Tokens(&'a Alternating<'a>),
    /// Configurations with the detector's answers to the agents.
    Told(&'a Misled<'a>),
    /// Configurations of a closed part of another graph; those of the last kind step together.
    Part(&'a Part, Option<&'a Together<'a>>),
}

/// A graph whose nodes represent configurations.
#[derive(Debug)]
pub(crate) struct Scene<'a, G> {
    /// The survey of the system.
    pub survey: &'a Survey,
    /// The graph that was explored.
    pub graph: &'a G,
    /// The kind of its nodes.
    pub nodes: Nodes<'a>,
    /// If present, an execution begins at one of the first nodes and stays among the second ones.
    pub lead: Option<[&'a Bits; 2]>,
    /// If executions do not start everywhere: the nodes at which they start, and those that they reach.
    pub begun: Option<[&'a Bits; 2]>,
}

impl<'a, G: StateGraph> Scene<'a, G> {
    /// A scene in which an execution may begin anywhere.
    pub(crate) fn new(survey: &'a Survey, graph: &'a G, nodes: Nodes<'a>) -> Scene<'a, G> {
        Scene { survey, graph, nodes, lead: None, begun: None }
    }

    /// A scene in which an execution begins at one of the first nodes, if they are given, and reaches the second ones.
    pub(crate) fn from_starts(
        survey: &'a Survey,
        graph: &'a G,
        nodes: Nodes<'a>,
        begun: Option<&'a [Bits; 2]>,
    ) -> Scene<'a, G> {
        let begun = begun.map(|[starts, reached]| [starts, reached]);
        Scene { lead: begun, begun, ..Scene::new(survey, graph, nodes) }
    }
}

impl<G: StateGraph> Scene<'_, G> {
    /// The system's node that is a component of a node.
    pub(crate) fn base(&self, node: u32) -> u32 {
        match self.nodes {
            Nodes::Plain | Nodes::Together(_) => node,
            Nodes::Tokens(product) => product.base(node),
            Nodes::Told(misled) => misled.node(node).0,
            Nodes::Part(part, _) => part.place(node).base,
        }
    }

    /// The configuration of a node, or its representative.
    pub(crate) fn configuration(&self, node: u32) -> u32 {
        match self.nodes {
            Nodes::Part(part, _) => part.place(node).configuration,
            _ => self.survey.system.configuration(self.base(node)),
        }
    }

    /// The nodes of local states: one, or one for each position of the tokens.
    pub(crate) fn nodes_of(&self, states: &[u32]) -> Vec<u32> {
        let base = self.survey.system.node(self.survey.lower(states)).0;
        match self.nodes {
            Nodes::Tokens(product) => {
                let nodes = product.orientations().map(|turns| product.node(base, turns));
                nodes.filter(|&node| self.possible(node)).collect()
            }
            _ => vec![base],
        }
    }

    /// The nodes at which executions start, unless they start everywhere.
    pub(crate) fn starts(&self) -> Option<&Bits> {
        self.begun.map(|[starts, _]| starts)
    }

    /// The graph in which several processes step at once, if they do.
    pub(crate) fn together(&self) -> Option<&Together<'_>> {
        match self.nodes {
            Nodes::Together(graph) | Nodes::Part(_, Some(graph)) => Some(graph),
            _ => None,
        }
    }

    /// Whether a node's combination of local states is a configuration of the algorithm that executions reach.
    pub(crate) fn possible(&self, node: u32) -> bool {
        self.survey.possible(self.base(node)) && self.begun.is_none_or(|[_, reached]| reached.contains(node))
    }

    /// The number of configurations (with tokens) that a node represents.
    pub(crate) fn members(&self, node: u32) -> u64 {
        self.survey.system.members(self.base(node))
    }

    /// Whether every node represents one start.
    pub(crate) fn starts_singly(&self) -> bool {
        self.survey.starts.is_none() && self.survey.system.is_plain()
    }

    /// The number of starts (with tokens) that a node represents.
    pub(crate) fn starting(&self, node: u32) -> u64 {
        match &self.survey.starts {
            Some(starts) if !starts.contains(self.base(node)) => 0,
            _ => self.members(node),
        }
    }

    /// The number of configurations (with tokens) that a strongly connected, sorted set of nodes represents.
    ///
    /// Up to rotation a node represents all rotations of its configuration. The set then represents one or several sets
    /// of configurations that are rotations of each other; one of them is counted. A walk from a node back to it ends
    /// in those rotations that differ by multiples of `apart`. So each node has `agents / apart` rotations, or fewer
    /// where several are the same configuration.
    fn extent(&self, set: &[u32]) -> u64 {
        if let Some(symmetries) = self.survey.system.automorphisms() {
            return self.extent_up_to(symmetries, set);
        }
        let agents = self.survey.system.space.agents as u32;
        let mut apart = agents;
        let turned = self.turns_along(set, |turn, before| apart = gcd(apart, turn.abs_diff(before)));
        let distinct = |(at, &node): (usize, &u32)| {
            let mut itself = 0;
            for turn in (0..agents).step_by(self.survey.system.orbit(self.base(node)) as usize) {
                // This rotation leaves the configuration unchanged; it may change the tokens.
                let Ok(same) = set.binary_search(&self.turned_back(node, turn)) else { continue };
                if (turned[at] + turn).abs_diff(turned[same]).is_multiple_of(apart) {
                    if same < at {
                        return 0;
                    }
                    itself += u32::from(same == at);
                }
            }
            u64::from(agents / apart / itself) * self.survey.system.weight(self.configuration(node))
        };
        set.iter().enumerate().map(distinct).sum()
    }

    /// The same up to the automorphisms of a graph. The symmetries that map one of the sets of configurations to itself are generated by
    /// those at the ends of walks from the first node back to it, and by those that leave its configuration unchanged. They map any two
    /// configurations of the set with the same node to each other.
    fn extent_up_to(&self, symmetries: &Symmetries, set: &[u32]) -> u64 {
        let system = &self.survey.system;
        let mut kept = Subgroup::new(symmetries);
        let first = self.digits(set[0]);
        let unchanged = |&one: &u32| symmetries.moved(one, &first) == first;
        (0..symmetries.order()).filter(unchanged).for_each(|one| _ = kept.add(one));
        self.turns_along(set, |turn, before| _ = kept.add(symmetries.product(turn, symmetries.inverse(before))));
        let share = kept.order();
        set.iter().map(|&node| system.orbit(self.base(node)) * share / u64::from(symmetries.order())).sum()
    }

    /// The symmetry at each node of a strongly connected, sorted set after a walk from the first node. Where walks meet, `again` gets the
    /// symmetries of both.
    fn turns_along(&self, set: &[u32], mut again: impl FnMut(u32, u32)) -> Vec<u32> {
        let (mut turned, mut open) = (vec![None; set.len()], vec![0]);
        turned[0] = Some(0);
        while let Some(at) = open.pop() {
            let turn = turned[at].unwrap_or(0);
            self.graph.each_successor(set[at], &mut |edge| {
                let Ok(to) = set.binary_search(&edge.target) else { return };
                let turn = self.survey.system.turned_twice(turn, edge.turn);
                match turned[to] {
                    None => {
                        turned[to] = Some(turn);
                        open.push(to);
                    }
                    Some(before) => again(turn, before),
                }
            });
        }
        turned.into_iter().flatten().collect()
    }

    /// A node, with its tokens rotated back.
    fn turned_back(&self, node: u32, by: u32) -> u32 {
        match self.nodes {
            Nodes::Tokens(product) => product.node(product.base(node), product.turned_back(product.turns(node), by)),
            _ => node,
        }
    }

    /// The local states of a node's configuration.
    pub(crate) fn states(&self, node: u32) -> Vec<u32> {
        self.survey.lift(self.digits(node))
    }

    /// The digits of a node's configuration.
    pub(crate) fn digits(&self, node: u32) -> Vec<u32> {
        self.survey.system.space.digits(self.configuration(node))
    }

    /// The configuration at which the longest executions begin. If no node has a step, the engines name the first node,
    /// which may not be a configuration.
    pub(crate) fn start(&self, node: u32) -> Vec<u32> {
        let begins = |base: u32| match &self.survey.starts {
            Some(starts) => starts.contains(base),
            None => self.survey.possible(base),
        };
        let first = || (0..self.survey.system.size() as u32).find(|&node| begins(node));
        let node = match self.nodes {
            // A wait inside the safe set begins there, not at a start.
            Nodes::Part(..) => node,
            _ if begins(self.base(node)) => node,
            _ => first().unwrap_or(node),
        };
        self.states(node)
    }

    /// The processes that have the turn on the edge to their left, under alternating schedules.
    pub(crate) fn turns(&self, node: u32) -> Option<Vec<usize>> {
        let turns = self.turned(node, 0).1?;
        Some((0..self.survey.system.space.agents).filter(|i| turns >> i & 1 == 1).collect())
    }

    /// A step from a node after the symmetry `turn`.
    fn step(&self, node: u32, edge: Edge, turn: u32) -> Step {
        let system = &self.survey.system;
        let after = self.turned(edge.target, system.turned_twice(turn, edge.turn)).0;
        if let Some(graph) = self.together() {
            return self.step_together(graph.daemon, &graph.actors(self.configuration(node), edge), after);
        }
        let site = &system.sites[edge.site as usize];
        let [left, right] = [site.left, site.right].map(|agent| system.turned_agent(agent, turn));
        if system.automorphisms().is_some() {
            return self.step_of(right, &self.turned(node, turn).0, after, system.rules(edge));
        }
        let actor = if system.is_ring { Actor::Process(right) } else { Actor::Arc(left, right) };
        let inputs = system.has_inputs().then(|| match self.nodes {
            Nodes::Told(misled) => {
                let said = misled.node(node).1.unwrap_or_default();
                (said >> site.left & 1 == 1, said >> site.right & 1 == 1)
            }
            _ => {
                let truth = system.leaders(self.configuration(node)) != 0;
                (truth, truth)
            }
        });
        Step {
            actor,
            inputs,
            coin: system.coin(edge).to_vec(),
            rules: system.rules(edge).to_vec(),
            after: self.survey.lift(after),
        }
    }

    /// A step of a process of a graph. Its coins and choices are its own: those of its image may name other ports.
    fn step_of(&self, process: usize, before: &[u32], after: Vec<u32>, rules: &[u8]) -> Step {
        let system = &self.survey.system;
        let (site, mut digits) = (&system.sites[process], [0; MOST_AGENTS]);
        digits[..before.len()].copy_from_slice(before);
        let table = &system.tables[site.table];
        let fired = |at: usize| table.rules(table.changes()[at]);
        let cell = table.cell(system.context(site, &digits), before[site.left], before[process]);
        let leads = |&at: &usize| u32::from(table.changes()[at].right) == after[process];
        let at = cell.filter(leads).max_by_key(|&at| fired(at) == rules).expect("an automorphism maps steps to steps");
        let (actor, coin) = (Actor::Process(process), table.draws(at).to_vec());
        Step { actor, inputs: None, coin, rules: fired(at).to_vec(), after: self.survey.lift(after) }
    }

    /// A step of several processes, each with the outcome of its table, to these digits.
    fn step_together(&self, daemon: Daemon, acting: &[(usize, usize)], after: Vec<u32>) -> Step {
        let system = &self.survey.system;
        let table = |process: usize| &system.tables[system.sites[process].table];
        let coin = acting.iter().flat_map(|&(process, outcome)| table(process).draws(outcome).to_vec()).collect();
        let fired = |&(process, outcome): &(usize, usize)| {
            let table = table(process);
            table.rules(table.changes()[outcome]).to_vec()
        };
        let (actor, rules) = match (daemon, acting) {
            (Daemon::Synchronous, _) => (Actor::All, vec![]),
            (_, [one]) => (Actor::Process(one.0), fired(one)),
            _ => (Actor::Processes(acting.iter().map(|one| one.0).collect()), acting.iter().flat_map(fired).collect()),
        };
        Step { actor, inputs: None, coin, rules, after: self.survey.lift(after) }
    }

    /// The digits of a node after a symmetry, and its turns.
    pub(crate) fn turned(&self, node: u32, turn: u32) -> (Vec<u32>, Option<u32>) {
        let digits = self.survey.system.turned(self.digits(node), turn);
        let product = match self.nodes {
            Nodes::Tokens(product) => product,
            Nodes::Part(part, _) => return (digits, part.place(node).turns),
            _ => return (digits, None),
        };
        (digits, Some(product.turned_back(product.turns(node), self.survey.system.space.agents as u32 - turn)))
    }

    /// The steps of a walk from a node after a symmetry, and the final symmetry.
    fn steps(&self, walk: &Walk, mut turn: u32) -> (Vec<Step>, u32) {
        let mut steps = vec![];
        for &(node, edge) in walk.iter().filter(|(_, e)| e.site != NOBODY) {
            steps.push(self.step(node, edge, turn));
            turn = self.survey.system.turned_twice(turn, edge.turn);
        }
        (steps, turn)
    }

    /// An execution that follows `prefix` and then repeats `cycle`.
    pub(crate) fn run(&self, shows: String, prefix: &Walk, cycle: &Walk, recurring: Option<u64>) -> Counterexample {
        let first = prefix.first().or(cycle.first()).map_or(0, |(node, _)| *node);
        let lead = self.leading(|node| node == first);
        let start = lead.first().map_or(first, |(node, _)| *node);
        if let Some(merged) = self.survey.merged() {
            return self.lifted(merged, shows, prefix, cycle);
        }
        let prefix: Walk = lead.iter().chain(prefix).copied().collect();
        let (prefix, turn) = self.steps(&prefix, 0);
        let mut laps = vec![];
        if let Some(&(first, _)) = cycle.first() {
            // A cycle of classes may return to another member of its first class. Then it continues.
            let begun = self.turned(first, turn);
            let mut now = turn;
            while laps.is_empty() || self.turned(first, now) != begun {
                let (lap, turned) = self.steps(cycle, now);
                laps.extend(lap);
                now = turned;
            }
        }
        Counterexample { shows, start: self.states(start), prefix, cycle: laps, recurring, ..Counterexample::default() }
    }

    /// An execution that ends at a node.
    pub(crate) fn ending(&self, node: u32, shows: String) -> Counterexample {
        match self.leading(|reached| reached == node) {
            lead if lead.is_empty() => Counterexample { shows, start: self.states(node), ..Counterexample::default() },
            lead => self.run(shows, &lead, &vec![], None),
        }
    }

    /// An execution around a cycle, with the failure on it.
    fn around(&self, cycle: &Walk, recurring: u64, adding: &str) -> Counterexample {
        let lead = cycle.first().map_or_else(Walk::new, |(first, _)| self.leading(|node| node == *first));
        let run = self.run(String::new(), &lead, cycle, Some(recurring));
        Counterexample { shows: self.describe(cycle, &run) + adding, ..run }
    }

    /// A shortest walk from a node at which an execution must begin to a wanted one.
    fn leading(&self, wanted: impl Fn(u32) -> bool) -> Walk {
        let Some([first, all]) = self.lead else { return vec![] };
        if first.iter().any(&wanted) {
            return vec![];
        }
        walk::path(self.graph, first.iter(), |_, e| all.contains(e.target), |_, e| wanted(e.target)).unwrap_or_default()
    }

    /// The permanent failure on a cycle, in words.
    fn describe(&self, cycle: &Walk, run: &Counterexample) -> String {
        let system = &self.survey.system;
        if self.survey.goal != Goal::OneLeader {
            let wrong = cycle.iter().filter(|(node, _)| self.survey.label(self.base(*node), 0) == INCORRECT).count();
            return match wrong {
                0 => "the goal is met on the cycle, but a step that leaves the cycle breaks it".into(),
                n if n == cycle.len() => "the goal is never met".into(),
                _ => "the goal is met and lost infinitely often".into(),
            };
        }
        let leaders: Vec<u32> = run.cycle.iter().map(|step| system.leaders(self.survey.lower(&step.after))).collect();
        leaders_for_ever(&leaders, |m| m.count_ones() as usize)
            .unwrap_or_else(|| "one leader stays on the cycle, but a step that leaves the cycle can end that".into())
    }

    /// An execution that cannot reach the nodes in `reached`: it enters a closed set outside them.
    pub(crate) fn trap(&self, reached: &Bits, monitor: &Monitor) -> Result<Option<Counterexample>, Stop> {
        // No step leads from these nodes to the others.
        let missing: Vec<u32> = reached.missing().collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let mut smallest: Option<Vec<u32>> = None;
        let all = |_| true;
        let mut search = Components::new(self.graph.size() as usize);
        components(&mut search, self.graph, &missing, monitor, all, |component| {
            if smallest.as_ref().is_none_or(|s| component.len() < s.len()) {
                let mut set = component.to_vec();
                set.sort_unstable();
                let mut closed = true;
                let mut look = |e: Edge| closed &= set.binary_search(&e.target).is_ok();
                component.iter().for_each(|&node| self.graph.each_successor(node, &mut look));
                if closed {
                    smallest = Some(set);
                }
            }
            true
        })?;
        let set = smallest.unwrap_or_default();
        let size = self.extent(&set);
        let cycle = if set.len() <= 24 {
            // Outcomes of coins that lead to the same configuration are one step: there may be thousands of them.
            let at = |node: u32| set.binary_search(&node).unwrap_or_default() as u64;
            walk::covering_cycle(self.graph, &set, |node, edge, visit| {
                visit(at(node) << 56 | u64::from(edge.turn) << 32 | u64::from(edge.target));
            })
        } else {
            walk::shortest_cycle(self.graph, &set, |node, e| e.moves(node))
        };
        let cycle = cycle.unwrap_or_default();
        let where_it_is = match size {
            1 => ": no step leaves this configuration".to_string(),
            _ => format!(": no step leaves these {size} configurations"),
        };
        let mut run = self.around(&cycle, size, &where_it_is);
        // The execution may be short although the set is large.
        let met = |node: &u32| self.survey.label(self.base(*node), 0) != INCORRECT;
        if self.survey.goal != Goal::OneLeader && set.iter().any(met) && !cycle.iter().any(|(node, _)| met(node)) {
            run.shows = format!("the goal is met and lost again, or never met{where_it_is}");
        }
        Ok(Some(run))
    }

    /// An execution around a short cycle outside `target` that passes through or near `node`.
    fn cycle(&self, node: u32, target: &Bits, monitor: &Monitor) -> Result<Counterexample, Stop> {
        let mut set = vec![node];
        let (mut search, outside) = (Components::new(self.graph.size() as usize), |n| !target.contains(n));
        components(&mut search, self.graph, &[node], monitor, outside, |component| {
            if component.len() > 1 && (set.len() == 1 || component.contains(&node)) {
                set = component.to_vec();
            }
            true
        })?;
        set.sort_unstable();
        let inside = |n: u32, e: Edge| e.moves(n) && set.binary_search(&e.target).is_ok();
        let tries = (8_000_000 / set.len().max(1)).clamp(16, 4096);
        let stride = set.len().div_ceil(tries).max(1);
        let starts: Vec<u32> = set.iter().copied().step_by(stride).collect();
        let cycle = walk::shortest_cycle(self.graph, &starts, inside).unwrap_or_default();
        Ok(self.around(&cycle, self.extent(&set), ""))
    }

    /// An execution that avoids `target` for ever, if the search for the longest one found that there is one.
    pub(crate) fn avoiding(
        &self,
        found: &Longest,
        target: &Bits,
        monitor: &Monitor,
    ) -> Result<Option<Counterexample>, Stop> {
        let (node, adding) = match *found {
            Longest::Steps { .. } => return Ok(None),
            Longest::Cycle(node) => return self.cycle(node, target, monitor).map(Some),
            Longest::Stuck(node) => (node, ": no step changes anything"),
            Longest::Rests(node) => (node, ": a step that changes nothing is taken for ever"),
        };
        // The execution stays at this node. Where no step changes anything, this is the first step.
        let mut cycle = vec![];
        self.graph.each_successor(node, &mut |e| {
            if cycle.is_empty() && !e.moves(node) {
                cycle.push((node, e));
            }
        });
        Ok(Some(self.around(&cycle, self.extent(&[node]), adding)))
    }

    /// An execution around a whole set that meets every obligation of the set.
    pub(crate) fn covering(
        &self,
        set: &[u32],
        obligations: impl Fn(u32, Edge, &mut dyn FnMut(u64)),
    ) -> Result<Counterexample, Stop> {
        let cycle = walk::covering_cycle(self.graph, set, obligations).unwrap_or_default();
        Ok(self.around(&cycle, set.len() as u64, ""))
    }

    /// An execution from a set that the proof calls safe to a configuration where the promise is broken.
    pub(crate) fn breach(&self, node: u32) -> Counterexample {
        let label = |node: u32, turn| self.survey.label(self.base(node), turn);
        let walk = walk::path(self.graph, [node], |_, _| true, |from, e| label(e.target, e.turn) != label(from, 0));
        let shows =
            "a configuration that the algorithm's proof calls safe is not safe: a run from it breaks the promise";
        match walk {
            Some(walk) => self.run(shows.into(), &walk, &vec![], None),
            None => {
                let shows = "a configuration that the algorithm's proof calls safe does not meet the promise";
                Counterexample { start: self.start(node), ..self.run(shows.into(), &vec![], &vec![], None) }
            }
        }
    }
}

/// The failure of a cycle with these sets of leaders, in words; `None` if one leader stays. `count` is the size of a set.
pub fn leaders_for_ever<T: PartialEq>(leaders: &[T], count: impl Fn(&T) -> usize) -> Option<String> {
    let (least, most) = leaders.iter().map(count).fold((usize::MAX, 0), |(least, most), k| (least.min(k), most.max(k)));
    let same = leaders.iter().all(|those| *those == leaders[0]);
    Some(match (least, most) {
        (0, 0) => "there is no leader, for ever".into(),
        (1, 1) if same => return None,
        (1, 1) => "the leader changes for ever".into(),
        (k, l) if k == l && same => format!("the same {k} leaders stay for ever"),
        (k, l) if k == l => format!("there are {k} leaders for ever"),
        (k, l) => format!("the number of leaders changes between {k} and {l} for ever"),
    })
}

//! The strategy of a daemon against fair coins: played with coins by a seed, and verified for every outcome of the coins.

use super::fairness::{Grain, Owed};
use super::{Broken, Findings, Lasso, Played, Possible, acting, broken};
use ringleader_erased::Number;
use ringleader_model::trace::{Actor, Situation, Step, Trace};
use ringleader_model::{Chain, Coin, Odometer, ParseError, Ring as _, Scheduler};
use std::collections::{HashMap, HashSet};

/// A configuration, with the turns of an alternating schedule.
type Node = (Vec<Number>, Option<Vec<usize>>);

/// The same trace with another execution of its strategy: `steps` steps, the coins by `seed`.
///
/// # Errors
///
/// If a step is not possible, or if the strategy does not name a configuration that the execution reaches.
pub fn unfold(played: &Played<'_>, trace: &Trace, seed: u64, steps: usize) -> Result<Trace, ParseError> {
    let nodes = nodes(played, &trace.strategy)?;
    let number: HashMap<&Node, usize> = nodes.iter().enumerate().map(|(at, node)| (node, at)).collect();
    let mut states = played.start(&trace.start)?;
    let turns = turns_along(played, &trace.steps, trace.start.size);
    let (mut all, mut taken, mut random) = (vec![], vec![0; nodes.len()], seed);
    // The execution may begin outside the strategy; it then enters by the recorded steps.
    let mut recorded = trace.steps.iter();
    let mut at = loop {
        let inside = nodes.iter().position(|node| fits(node, &states, &turns[all.len()]));
        match (inside, recorded.next()) {
            (Some(at), _) => break at,
            (None, Some(step)) => {
                played.take(&mut states, step)?;
                all.push(step.clone());
            }
            (None, None) => {
                let line = trace.strategy.first().map_or(0, |situation| situation.line);
                return Err(ParseError::new(line, 1, "the run never enters the strategy"));
            }
        }
    };
    while all.len() < steps && !trace.strategy[at].steps.is_empty() {
        let choices = &trace.strategy[at].steps;
        let choice = &with_partner(played, &choices[taken[at] % choices.len()], &mut random)?;
        taken[at] += 1;
        let (mut states, turns) = nodes[at].clone();
        let mut coin = Tossed { random: &mut random, choices: choice.coin.iter(), draws: vec![] };
        played.apply(&mut states, choice, &mut coin)?;
        all.push(Step { line: 0, coin: coin.draws, ..choice.clone() });
        let next = (states, turns.map(|turns| turned(played, &turns, &choice.actor, trace.start.size)));
        match number.get(&next) {
            Some(&next) => at = next,
            None => return Err(ParseError::new(choice.line, 6, "this step leads out of the strategy")),
        }
    }
    Ok(Trace { steps: all, ..trace.clone() })
}

/// The arcs of an initiator.
pub(super) fn arcs_from(played: &Played<'_>, initiator: usize) -> Vec<Actor> {
    let Played::Population(_, graph) = played else { return vec![] };
    let own = graph.arcs().iter().filter(|(u, _)| *u as usize == initiator);
    own.map(|&(u, v)| Actor::Arc(u as usize, v as usize)).collect()
}

/// A choice of an initiator as a step with a partner by a fair coin; every other choice is a step already.
fn with_partner(played: &Played<'_>, choice: &Step, random: &mut u64) -> Result<Step, ParseError> {
    let (Played::Population(..), &Actor::Process(initiator)) = (played, &choice.actor) else {
        return Ok(choice.clone());
    };
    let arcs = arcs_from(played, initiator);
    let mut coin = Tossed { random, choices: [].iter(), draws: vec![] };
    let arc = arcs.get(coin.below(arcs.len() as u32) as usize).cloned();
    let nobody = || ParseError::new(choice.line, 6, format!("agent {initiator} has no neighbour"));
    Ok(Step { actor: arc.ok_or_else(nobody)?, ..choice.clone() })
}

/// The configurations in which the strategy of a trace keeps the execution.
///
/// # Errors
///
/// If a state is unknown.
pub fn strategy_configurations(played: &Played<'_>, trace: &Trace) -> Result<Vec<Vec<Number>>, ParseError> {
    Ok(nodes(played, &trace.strategy)?.into_iter().map(|(states, _)| states).collect())
}

fn nodes(played: &Played<'_>, strategy: &[Situation]) -> Result<Vec<Node>, ParseError> {
    let node = |situation: &Situation| {
        let states = match played {
            Played::Population(algorithm, _) => situation.states(*algorithm),
            Played::Ring(algorithm) => situation.states(*algorithm),
            Played::Graph(algorithm) => situation.states(*algorithm),
        };
        Ok((states?, situation.turns.clone()))
    };
    strategy.iter().map(node).collect()
}

/// The edges to the left and to the right of a process, by the process to their right. A line has no edge before its
/// first process.
fn edges(played: &Played<'_>, process: usize, size: usize) -> [Option<usize>; 2] {
    let line = matches!(played, Played::Ring(algorithm) if algorithm.chain() == Chain::Line);
    let right = (process + 1) % size;
    [process, right].map(|edge| (!line || edge > 0).then_some(edge))
}

/// The turns after a step.
fn turned(played: &Played<'_>, turns: &[usize], actor: &Actor, size: usize) -> Vec<usize> {
    let mut after: Vec<usize> = turns.to_vec();
    for process in acting(actor, size) {
        let [left, right] = edges(played, process, size);
        after.retain(|edge| Some(*edge) != left);
        after.extend(right);
    }
    after.sort_unstable();
    after.dedup();
    after
}

/// Whether each process has the turn on the edge to its left; `None` if the recorded steps do not show it.
type Turns = Vec<Option<bool>>;

/// The turns of an alternating schedule before each of its steps, and after the last one. At the start, that neighbour has
/// the turn which steps first.
fn turns_along(played: &Played<'_>, steps: &[Step], size: usize) -> Vec<Turns> {
    let mut turns: Turns = vec![None; size];
    for step in steps {
        for process in acting(&step.actor, size) {
            for (edge, left) in edges(played, process, size).into_iter().zip([true, false]) {
                edge.into_iter().for_each(|edge| _ = turns[edge].get_or_insert(left));
            }
        }
    }
    let mut all = vec![turns];
    for step in steps {
        let mut turns = all[all.len() - 1].clone();
        for process in acting(&step.actor, size) {
            for (edge, left) in edges(played, process, size).into_iter().zip([false, true]) {
                edge.into_iter().for_each(|edge| turns[edge] = Some(left));
            }
        }
        all.push(turns);
    }
    all
}

/// Whether a node of a strategy has these states, and the known turns.
fn fits(node: &Node, states: &[Number], known: &Turns) -> bool {
    let same =
        |turns: &Vec<usize>| (0..).zip(known).all(|(edge, turn)| turn.is_none_or(|t| t == turns.contains(&edge)));
    node.0 == states && node.1.as_ref().is_none_or(same)
}

/// Fair coins, with given choices of the scheduler.
struct Tossed<'a> {
    random: &'a mut u64,
    choices: std::slice::Iter<'a, u32>,
    draws: Vec<u32>,
}

impl Coin for Tossed<'_> {
    fn below(&mut self, n: u32) -> u32 {
        // SplitMix64.
        *self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let drawn = ((u128::from(z ^ z >> 31) * u128::from(n)) >> 64) as u32;
        self.draws.push(drawn);
        drawn
    }

    fn choose(&mut self, n: u32) -> u32 {
        let chosen = if n > 1 { self.choices.next().copied().filter(|chosen| *chosen < n) } else { None };
        self.draws.push(chosen.unwrap_or(0));
        chosen.unwrap_or(0)
    }
}

/// Every outcome of the coins, with given choices of the scheduler.
struct Every<'a> {
    odometer: &'a mut Odometer,
    choices: std::slice::Iter<'a, u32>,
    wrong: bool,
}

impl Coin for Every<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.odometer.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        if n <= 1 {
            return 0;
        }
        let chosen = self.choices.next().copied().filter(|chosen| *chosen < n);
        self.wrong |= chosen.is_none();
        chosen.unwrap_or(0)
    }

    fn fired(&mut self, rule: u8) {
        self.odometer.fired(rule);
    }
}

/// One choice of a daemon that steps one arc or process, with everything that its outcomes do.
struct Offer {
    actor: (usize, usize),
    choices: Vec<u32>,
    moves: bool,
    owed: Vec<Owed>,
}

impl Lasso<'_> {
    /// Checks that a strategy keeps every execution in its configurations, whatever the coins show, and that it is one of
    /// this scheduler.
    pub(super) fn strategy(&self, scheduler: Scheduler, findings: &mut Findings) -> Result<(), Broken> {
        let strategy = &self.trace.strategy;
        let nodes = nodes(self.played, strategy).map_err(|error| Broken(error.to_string()))?;
        let number: HashMap<&Node, usize> = nodes.iter().enumerate().map(|(at, node)| (node, at)).collect();
        if number.len() < nodes.len() {
            return broken("the strategy names a configuration twice");
        }
        let mut leads: Vec<HashSet<usize>> = vec![];
        for ((situation, node), at) in strategy.iter().zip(&nodes).zip(1..) {
            if !self.played.possible(&node.0) {
                return broken(format!("no fault can produce configuration {at} of the strategy"));
            }
            if situation.steps.is_empty() && self.offers(&node.0).iter().any(|offer| offer.moves) {
                return broken(format!("the strategy has no step in its configuration {at}, but one is possible"));
            }
            let mut targets = HashSet::new();
            for step in &situation.steps {
                for next in self.outcomes(scheduler, node, step, at)? {
                    match number.get(&next) {
                        Some(&next) => targets.insert(next),
                        None => {
                            let leaves = format!("{} in configuration {at} can lead out of the strategy", step.actor);
                            return broken(leaves);
                        }
                    };
                }
            }
            leads.push(targets);
        }
        self.connected(&leads)?;
        self.fair(scheduler, &nodes)?;
        self.follows(scheduler, &nodes)?;
        let correct = nodes.iter().filter(|node| self.played.correct(&node.0)).count();
        let count = nodes.len();
        findings
            .verified
            .push(format!("the strategy stays in its {count} configurations for every outcome of the coins"));
        findings.verified.push(format!("the goal is met in {correct} of them"));
        findings.verified.push(format!("the schedule is {scheduler}"));
        Ok(())
    }

    /// The configurations to which a choice leads.
    fn outcomes(&self, scheduler: Scheduler, node: &Node, step: &Step, at: usize) -> Result<Vec<Node>, Broken> {
        use Scheduler::{
            Alternating, Distributed, Fair, FairRandomPartner, LocallyCentral, LocallyFair, RandomPartner, Synchronous,
            Unfair,
        };
        let refuse = |why: &str| broken(format!("configuration {at} of the strategy, {}: {why}", step.actor));
        let size = node.0.len();
        let several = matches!(step.actor, Actor::All | Actor::Processes(_));
        match scheduler {
            Synchronous if step.actor != Actor::All => return refuse("not all processes step"),
            LocallyCentral if self.neighbours(step) => return refuse("two neighbours step at once"),
            Unfair | Fair | LocallyFair | Alternating if several => return refuse("several processes step at once"),
            Synchronous | LocallyCentral | Distributed | Unfair | Fair | LocallyFair | Alternating => {}
            RandomPartner | FairRandomPartner => {}
            _ => return broken(format!("the {scheduler} scheduler has no strategy")),
        }
        let turns = match (scheduler, &node.1) {
            (Alternating, Some(turns)) => {
                for process in acting(&step.actor, size) {
                    let [left, right] = edges(self.played, process, size);
                    let may = left.is_none_or(|edge| turns.contains(&edge))
                        && right.is_none_or(|edge| !turns.contains(&edge));
                    if !may {
                        return refuse("it is not the turn of this process");
                    }
                }
                Some(turned(self.played, turns, &step.actor, size))
            }
            (Alternating, None) => return refuse("\"turns\" is missing"),
            _ => None,
        };
        // A coin chooses the partner of an initiator.
        let partners = scheduler.picks_initiators();
        let steps: Vec<Step> = match step.actor {
            _ if !partners => vec![step.clone()],
            Actor::Process(initiator) => {
                arcs_from(self.played, initiator).into_iter().map(|actor| Step { actor, ..step.clone() }).collect()
            }
            _ => return refuse("the daemon picks an initiator only"),
        };
        let (mut all, mut changes, mut problem) = (vec![], vec![false; size], None);
        for step in &steps {
            Odometer::each(|odometer| {
                let mut states = node.0.clone();
                let mut coin = Every { odometer, choices: step.coin.iter(), wrong: partners && !step.coin.is_empty() };
                if let Err(error) = self.played.apply(&mut states, step, &mut coin) {
                    problem.get_or_insert(error.to_string());
                }
                if coin.wrong || coin.choices.next().is_some() {
                    let own = "its choices between rules are not those that the rules have";
                    let late = "the daemon chooses between rules after the coin";
                    problem.get_or_insert(if partners { late } else { own }.into());
                }
                (0..size).for_each(|p| changes[p] |= states[p] != node.0[p]);
                all.push((states, turns.clone()));
            });
        }
        if let Some(problem) = problem {
            return refuse(&problem);
        }
        let enabled = match &step.actor {
            _ if partners => changes.contains(&true),
            Actor::Arc(u, v) => changes[*u] || changes[*v],
            actor => acting(actor, size).into_iter().all(|process| changes[process]),
        };
        match scheduler {
            Synchronous | Alternating | Fair | FairRandomPartner => {}
            _ if !enabled => return refuse("no outcome of the coins changes anything"),
            _ => {}
        }
        Ok(all)
    }

    /// The choices of a daemon that schedules one arc or process.
    fn offers(&self, states: &[Number]) -> Vec<Offer> {
        let mut found: HashMap<((usize, usize), Vec<u32>), Offer> = HashMap::new();
        for step in self.played.true_steps(states) {
            let (actor, choices) = (step.actor, step.choices.clone());
            let new = || Offer { actor, choices: step.choices.clone(), moves: false, owed: vec![] };
            let offer = found.entry((actor, choices.clone())).or_insert_with(new);
            offer.moves |= step.after != states;
            // The outcome of a coin is not the daemon's to choose.
            let chosen = Possible { coin: choices, inputs: None, ..step };
            offer.owed.extend(Grain::Action(self.level).owed(states, &chosen));
        }
        found.into_values().collect()
    }

    /// Every configuration of the strategy leads to every other.
    fn connected(&self, leads: &[HashSet<usize>]) -> Result<(), Broken> {
        let mut backward = vec![HashSet::new(); leads.len()];
        for (from, targets) in leads.iter().enumerate() {
            targets.iter().for_each(|&to| {
                backward[to].insert(from);
            });
        }
        let reached = |edges: &[HashSet<usize>]| {
            let (mut seen, mut open) = (HashSet::from([0]), vec![0]);
            while let Some(at) = open.pop() {
                open.extend(edges[at].iter().copied().filter(|&to| seen.insert(to)));
            }
            seen.len()
        };
        if reached(leads) < leads.len() || reached(&backward) < leads.len() {
            return broken("the configurations of the strategy do not all lead to each other");
        }
        Ok(())
    }

    /// A fair daemon meets its obligations inside the strategy.
    fn fair(&self, scheduler: Scheduler, nodes: &[Node]) -> Result<(), Broken> {
        if !matches!(scheduler, Scheduler::Fair | Scheduler::LocallyFair | Scheduler::FairRandomPartner) {
            return Ok(());
        }
        let initiators = scheduler.picks_initiators();
        let size = nodes[0].0.len();
        let (mut met, mut owing) = (HashSet::new(), vec![]);
        // An agent without arcs of its own cannot initiate.
        let mut served: Vec<bool> =
            (0..size).map(|agent| initiators && arcs_from(self.played, agent).is_empty()).collect();
        for (situation, (states, _)) in self.trace.strategy.iter().zip(nodes) {
            let offers = self.offers(states);
            let able: HashSet<(usize, usize)> = offers.iter().filter(|offer| offer.moves).map(|o| o.actor).collect();
            // A process that is not enabled need not be scheduled; two agents that change nothing must still meet.
            let excused =
                |actor| able.is_empty() || (!matches!(self.played, Played::Population(..)) && !able.contains(&actor));
            for Offer { actor, choices, moves, owed } in offers {
                let taken = situation.steps.iter().any(|step| {
                    let who = match step.actor {
                        Actor::Arc(u, v) => (u, v),
                        Actor::Process(p) if initiators => return p == actor.0,
                        Actor::Process(p) => (p, p),
                        _ => return false,
                    };
                    who == actor && step.coin == choices
                });
                if taken || excused(actor) {
                    served[actor.0] = true;
                    served[actor.1] |= !initiators;
                }
                if taken && moves {
                    met.extend(owed);
                } else if moves {
                    owing.extend(owed);
                }
            }
        }
        match scheduler {
            Scheduler::Fair | Scheduler::FairRandomPartner => match served.iter().position(|served| !served) {
                Some(p) => {
                    let member = self.played.member();
                    let takes = if initiators { "initiates nothing" } else { "takes no step" };
                    broken(format!("{member} {p} {takes} in the strategy: the schedule is not fair"))
                }
                None => Ok(()),
            },
            _ if owing.iter().any(|owed| !met.contains(owed)) => {
                broken("the strategy never takes an action that is possible in it: the schedule is not locally fair")
            }
            _ => Ok(()),
        }
    }

    /// The recorded execution enters the strategy by steps of this scheduler, and then takes the steps of the strategy.
    fn follows(&self, scheduler: Scheduler, nodes: &[Node]) -> Result<(), Broken> {
        let turns = turns_along(self.played, &self.trace.steps, nodes[0].0.len());
        let inside = |(states, turns): (&Vec<Number>, &Turns)| nodes.iter().any(|node| fits(node, states, turns));
        let Some(entered) = self.configurations.iter().zip(&turns).position(inside) else {
            return broken("the execution never enters the strategy");
        };
        if entered > 0 {
            self.steps(scheduler)?;
        }
        let steps = self.trace.steps.iter().zip(self.configurations).enumerate();
        for (i, (step, states)) in steps.skip(entered) {
            let here = self.trace.strategy.iter().zip(nodes).filter(|(_, node)| fits(node, states, &turns[i]));
            let mut chosen = here.flat_map(|(situation, _)| &situation.steps);
            let takes = |choice: &Actor| match (choice, &step.actor) {
                (Actor::Process(initiator), Actor::Arc(u, _)) => initiator == u,
                (choice, actor) => choice == actor,
            };
            if !chosen.any(|choice| takes(&choice.actor)) {
                return broken(format!("step {} is not one of the strategy", i + 1));
            }
        }
        Ok(())
    }
}

//! The slow reference: explicit nodes and edges, and the textbook algorithm for each question.

use ringleader_check::parts::{Bits, INCORRECT, Marked, MixedRadix, NamedSet, Site, StateGraph as _, Survey, System};
use ringleader_check::{Counterexample, Detector, Level, Monitor, Question, Step};
use ringleader_erased::RuleTable;
use ringleader_model::trace::Actor;
use ringleader_model::{Goal, Scheduler};
use std::collections::{HashMap, HashSet};

mod dice;
mod random;
mod sets;

pub(crate) use dice::Dice;
pub(crate) use random::random_surveys;

/// The surveys of one system: of every configuration, and of every rotation class if the system is anonymous.
pub(crate) struct Surveys {
    pub(crate) plain: Survey,
    pub(crate) folded: Survey,
}

/// A configuration, the turns (alternating), and the detector's answers (a lying detector).
pub(crate) type Node = (Vec<u32>, Vec<bool>, Option<Vec<bool>>);

/// A step: target, actor, transition, rules, outcomes of the coins, and probability.
#[derive(Clone, Debug)]
pub(crate) struct Arrow {
    pub(crate) to: Node,
    pub(crate) actors: Vec<usize>,
    pub(crate) site: usize,
    pub(crate) transition: String,
    pub(crate) rules: Vec<u8>,
    pub(crate) coin: Vec<u32>,
    pub(crate) probability: f64,
    /// Whether the step can change something, perhaps with other coins.
    pub(crate) enabled: bool,
}

/// The possible new states of the two agents of a site.
#[derive(Clone, Debug)]
struct Change {
    left: u32,
    right: u32,
    probability: f64,
    rules: Vec<u8>,
    coin: Vec<u32>,
    enabled: bool,
}

pub(crate) struct Twin<'a> {
    pub(crate) survey: &'a Survey,
    question: &'a Question,
    /// The graph under truthful inputs.
    pub(crate) arrows: HashMap<Node, Vec<Arrow>>,
    really_safe: HashSet<Node>,
}

impl<'a> Twin<'a> {
    pub(crate) fn new(survey: &'a Survey, question: &'a Question) -> Twin<'a> {
        let mut twin = Twin { survey, question, arrows: HashMap::new(), really_safe: HashSet::new() };
        for c in (0..survey.system.space.size() as u32).filter(|&c| survey.possible(c)) {
            let digits = survey.system.space.digits(c);
            for turns in twin.orientations() {
                let node = (digits.clone(), turns, None);
                let arrows = twin.steps(&node, None);
                twin.arrows.insert(node, arrows);
            }
        }
        twin.really_safe = twin.greatest_closed();
        twin
    }

    /// The same for executions from certain configurations: only nodes that they reach.
    pub(crate) fn from(survey: &'a Survey, question: &'a Question, starts: &dyn Fn(&[u32]) -> bool) -> Twin<'a> {
        let mut twin = Twin::new(survey, question);
        twin.keep_reached(starts);
        twin.really_safe = twin.greatest_closed();
        twin
    }

    fn keep_reached(&mut self, starts: &dyn Fn(&[u32]) -> bool) {
        let mut open: Vec<Node> = self.arrows.keys().filter(|node| starts(&node.0)).cloned().collect();
        let mut reached: HashSet<Node> = open.iter().cloned().collect();
        while let Some(node) = open.pop() {
            open.extend(
                self.arrows[&node].iter().map(|arrow| arrow.to.clone()).filter(|to| reached.insert(to.clone())),
            );
        }
        self.arrows.retain(|node, _| reached.contains(node));
    }

    /// The same for executions that end in a set: only nodes that they reach, and this set instead of the really safe one.
    pub(crate) fn until(
        survey: &'a Survey,
        question: &'a Question,
        starts: &dyn Fn(&[u32]) -> bool,
        set: &dyn Fn(&[u32]) -> bool,
    ) -> Twin<'a> {
        let mut twin = Twin::new(survey, question);
        for (node, arrows) in &mut twin.arrows {
            if set(&node.0) {
                arrows.clear();
            }
        }
        twin.keep_reached(starts);
        twin.really_safe = twin.arrows.keys().filter(|node| set(&node.0)).cloned().collect();
        twin
    }

    fn system(&self) -> &System {
        &self.survey.system
    }

    fn orientations(&self) -> Vec<Vec<bool>> {
        let n = self.system().space.agents;
        if self.question.scheduler != Scheduler::Alternating {
            return vec![vec![]];
        }
        let all = (0..1_u32 << n).map(|bits| (0..n).map(|i| bits >> i & 1 == 1).collect::<Vec<_>>());
        // A line has no edge 0.
        let line = self.system().is_line;
        all.filter(|turns| if line { !turns[0] } else { turns.contains(&true) && turns.contains(&false) }).collect()
    }

    pub(crate) fn label(&self, node: &Node) -> u8 {
        self.survey.label(self.system().space.encode(&node.0), 0)
    }

    pub(crate) fn led(&self, node: &Node) -> bool {
        self.system().leaders(self.system().space.encode(&node.0)) != 0
    }

    fn truth(&self, digits: &[u32]) -> Vec<bool> {
        vec![self.system().leaders(self.system().space.encode(digits)) != 0; digits.len()]
    }

    /// Every step from a node, with these inputs or true ones.
    pub(crate) fn steps(&self, node: &Node, told: Option<&[bool]>) -> Vec<Arrow> {
        let (digits, turns, _) = node;
        let n = digits.len();
        let told = told.map_or_else(|| self.truth(digits), <[bool]>::to_vec);
        let sites = &self.system().sites;
        match self.question.scheduler {
            Scheduler::Synchronous => return self.steps_of_all(digits, &(0..n).collect::<Vec<_>>()),
            Scheduler::Distributed | Scheduler::LocallyCentral => return self.steps_of_some(digits),
            _ => {}
        }
        let mut arrows = vec![];
        for (index, site) in sites.iter().enumerate() {
            let mut turns = turns.clone();
            if !turns.is_empty() {
                let line = self.system().is_line;
                let (left, right) = (!line || index > 0, !line || index + 1 < n);
                if (left && !turns[index]) || (right && turns[(index + 1) % n]) {
                    continue;
                }
                if left {
                    turns[index] = false;
                }
                if right {
                    turns[(index + 1) % n] = true;
                }
            }
            for (draw, change) in self.cell(site, digits, &told).into_iter().enumerate() {
                let mut after = digits.clone();
                after[site.left] = change.left;
                after[site.right] = change.right;
                let inputs = self.system().has_inputs().then(|| (told[site.left], told[site.right]));
                let seen = (digits[site.left], digits[site.right], self.context(site, digits, &told));
                let transition = format!("{index} {seen:?} {inputs:?} {draw}");
                let actors = if self.system().is_ring { vec![site.right] } else { vec![site.left, site.right] };
                let (to, probability) = ((after, turns.clone(), None), change.probability / sites.len() as f64);
                let (rules, coin, enabled) = (change.rules, change.coin, change.enabled);
                arrows.push(Arrow { to, actors, site: index, transition, rules, coin, probability, enabled });
            }
        }
        arrows
    }

    /// All combinations of simultaneous steps of a set of processes.
    fn steps_of_all(&self, digits: &[u32], set: &[usize]) -> Vec<Arrow> {
        let to = (digits.to_vec(), vec![], None);
        let (actors, transition) = (set.to_vec(), String::new());
        let (rules, coin, probability, enabled) = (vec![], vec![], 1.0, true);
        let mut arrows = vec![Arrow { to, actors, site: 0, transition, rules, coin, probability, enabled }];
        for &process in set {
            let site = self.system().sites.iter().find(|site| site.right == process).unwrap();
            let changes = self.cell(site, digits, &[]);
            let with = |arrow: &Arrow, change: &Change| {
                let mut arrow = arrow.clone();
                arrow.to.0[process] = change.right;
                arrow.probability *= change.probability;
                arrow.rules.extend(&change.rules);
                arrow.coin.extend(&change.coin);
                arrow
            };
            arrows = arrows.iter().flat_map(|arrow| changes.iter().map(|c| with(arrow, c))).collect();
        }
        arrows
    }

    /// Every set of processes in which each one changes; if there is none, the idle step of all processes.
    fn steps_of_some(&self, digits: &[u32]) -> Vec<Arrow> {
        let n = digits.len();
        let sets = (1..1_u32 << n).map(|bits| (0..n).filter(|i| bits >> i & 1 == 1).collect::<Vec<_>>());
        let anywhere = self.question.scheduler == Scheduler::Distributed;
        let ring = !self.system().is_line;
        let apart = |set: &Vec<usize>| {
            set.windows(2).all(|two| two[1] - two[0] > 1) && !(ring && set[0] == 0 && set.last() == Some(&(n - 1)))
        };
        let all = sets.filter(|set| anywhere || apart(set)).flat_map(|set| {
            let arrows = self.steps_of_all(digits, &set);
            arrows.into_iter().filter(move |a| set.iter().all(|&p| a.to.0[p] != digits[p])).collect::<Vec<_>>()
        });
        let arrows: Vec<Arrow> = all.collect();
        let trying = if anywhere { n } else { 1 };
        let in_vain = || self.steps_of_all(digits, &(0..trying).collect::<Vec<_>>());
        if arrows.is_empty() { in_vain() } else { arrows }
    }

    fn context(&self, site: &Site, digits: &[u32], told: &[bool]) -> usize {
        match self.system().tables[site.table].contexts() {
            1 => 0,
            _ if self.system().is_ring => digits[(site.right + 1) % digits.len()] as usize,
            _ => 2 * usize::from(told[site.left]) + usize::from(told[site.right]),
        }
    }

    /// The outcomes of a site.
    fn cell(&self, site: &Site, digits: &[u32], told: &[bool]) -> Vec<Change> {
        let table: &RuleTable = &self.system().tables[site.table];
        let range = table.cell(self.context(site, digits, told), digits[site.left], digits[site.right]);
        let changes = |at: usize| {
            let o = table.changes()[at];
            (u32::from(o.left), u32::from(o.right)) != (digits[site.left], digits[site.right])
        };
        let change = |at: usize| {
            let o = table.changes()[at];
            let enabled = range.clone().any(|other| table.choices(other) == table.choices(at) && changes(other));
            let probability = f64::from(o.weight) / f64::from(table.whole());
            let (rules, coin) = (table.rules(o).to_vec(), table.draws(at).to_vec());
            Change { left: o.left.into(), right: o.right.into(), probability, rules, coin, enabled }
        };
        range.clone().map(change).collect()
    }

    /// Removes configurations that break the promise or lead out, until nothing changes.
    fn greatest_closed(&self) -> HashSet<Node> {
        let mut set: HashSet<Node> = self.arrows.keys().filter(|n| self.label(n) != INCORRECT).cloned().collect();
        loop {
            let stays =
                |n: &Node| self.arrows[n].iter().all(|a| set.contains(&a.to) && self.label(&a.to) == self.label(n));
            let next: HashSet<Node> = set.iter().filter(|n| stays(n)).cloned().collect();
            if next.len() == set.len() {
                return set;
            }
            set = next;
        }
    }

    pub(crate) fn really_safe_configurations(&self) -> u64 {
        let turns = self.orientations();
        let all =
            |digits: &Vec<u32>| turns.iter().all(|t| self.really_safe.contains(&(digits.clone(), t.clone(), None)));
        self.arrows.keys().map(|n| &n.0).collect::<HashSet<_>>().into_iter().filter(|d| all(d)).count() as u64
    }

    pub(crate) fn is_really_safe(&self, node: &Node) -> bool {
        self.really_safe.contains(node)
    }

    /// Whether no step leaves a set of configurations.
    pub(crate) fn is_closed(&self, set: &Bits) -> bool {
        let inside = |n: &Node| self.contains(set, &n.0);
        self.arrows.iter().filter(|(n, _)| inside(n)).all(|(_, arrows)| arrows.iter().all(|a| inside(&a.to)))
    }

    /// Whether a configuration is in a set of the plain survey.
    pub(crate) fn contains(&self, set: &Bits, digits: &[u32]) -> bool {
        set.contains(self.system().space.encode(digits))
    }

    fn outside(&self) -> HashSet<Node> {
        self.arrows.keys().filter(|n| !self.really_safe.contains(*n)).cloned().collect()
    }

    /// Whether every execution of the scheduler's class reaches the really safe set.
    pub(crate) fn converges(&self) -> bool {
        let truthful = match self.question.scheduler {
            Scheduler::Random | Scheduler::GloballyFair => self.all_can_reach(),
            Scheduler::Synchronous if self.is_markov() => self.all_can_reach(),
            Scheduler::Unfair
            | Scheduler::Alternating
            | Scheduler::Synchronous
            | Scheduler::Distributed
            | Scheduler::LocallyCentral => self.lengths().is_some(),
            Scheduler::Fair => !self.every_agent_can_recur(),
            _ => !self.fair_set_exists(&self.arrows, self.outside(), |_| true),
        };
        truthful && (self.question.detector == Detector::Perfect || !self.lies_succeed())
    }

    /// Whether only coins decide under the synchronous daemon.
    fn is_markov(&self) -> bool {
        self.system().tosses() && !self.system().chooses()
    }

    fn all_can_reach(&self) -> bool {
        let mut reached = self.really_safe.clone();
        loop {
            let more: Vec<Node> = (self.arrows.iter())
                .filter(|(n, arrows)| !reached.contains(*n) && arrows.iter().any(|a| reached.contains(&a.to)))
                .map(|(n, _)| n.clone())
                .collect();
            if more.is_empty() {
                return reached.len() == self.arrows.len();
            }
            reached.extend(more);
        }
    }

    /// The longest execution from each node outside, by repeated sweeps; `None` if some execution never ends or is
    /// stuck.
    pub(crate) fn lengths(&self) -> Option<HashMap<Node, u32>> {
        let mut length: HashMap<Node, u32> = self.really_safe.iter().map(|n| (n.clone(), 0)).collect();
        loop {
            let mut more = vec![];
            for (n, arrows) in self.arrows.iter().filter(|(n, _)| !length.contains_key(*n)) {
                let moves: Vec<_> = arrows.iter().filter(|a| a.to != *n).collect();
                // If all processes step at once and may choose rules that change nothing, the execution may never
                // change anything.
                let rests = self.question.scheduler == Scheduler::Synchronous && moves.len() < arrows.len();
                if !rests && !moves.is_empty() && moves.iter().all(|a| length.contains_key(&a.to)) {
                    more.push((n.clone(), 1 + moves.iter().map(|a| length[&a.to]).max().unwrap_or(0)));
                }
            }
            if more.is_empty() {
                return (length.len() == self.arrows.len()).then_some(length);
            }
            length.extend(more);
        }
    }

    /// The longest execution from the worst start, and the mean over all starts.
    pub(crate) fn longest(&self) -> (u32, f64) {
        let lengths: Vec<u32> = self.lengths().expect("it converges").into_values().collect();
        let sum: u32 = lengths.iter().sum();
        (lengths.iter().copied().max().unwrap_or(0), f64::from(sum) / lengths.len() as f64)
    }

    /// The number of steps that change something; if null steps are scheduled too, the number of all steps.
    pub(crate) fn transitions(&self) -> u64 {
        self.arrows
            .iter()
            .map(|(n, arrows)| arrows.iter().filter(|a| self.scheduled() || a.to != *n).count() as u64)
            .sum()
    }

    fn scheduled(&self) -> bool {
        matches!(self.question.scheduler, Scheduler::Alternating | Scheduler::Synchronous)
    }

    pub(crate) fn own_safe(&self) -> u64 {
        self.survey.own_safe.count()
    }

    /// Worst and mean expected steps.
    pub(crate) fn expected(&self) -> (f64, f64) {
        let values = self.expectations();
        let worst = values.values().copied().fold(0.0, f64::max);
        (worst, values.values().sum::<f64>() / self.arrows.len() as f64)
    }

    /// The expected steps from each node outside, by plain elimination.
    pub(crate) fn expectations(&self) -> HashMap<Node, f64> {
        let unknown: Vec<Node> = self.outside().into_iter().collect();
        let index: HashMap<&Node, usize> = unknown.iter().enumerate().map(|(i, n)| (n, i)).collect();
        let n = unknown.len();
        let mut rows = vec![vec![0.0; n + 1]; n];
        for (i, node) in unknown.iter().enumerate() {
            rows[i][i] += 1.0;
            rows[i][n] = 1.0;
            for arrow in &self.arrows[node] {
                if let Some(&j) = index.get(&arrow.to) {
                    rows[i][j] -= arrow.probability;
                }
            }
        }
        for column in 0..n {
            let pivot = (column..n).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs())).unwrap();
            rows.swap(column, pivot);
            let lead = rows[column].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != column) {
                let factor = row[column] / lead[column];
                if factor != 0.0 {
                    row.iter_mut().zip(&lead).skip(column).for_each(|(a, b)| *a -= factor * b);
                }
            }
        }
        let values: Vec<f64> = (0..n).map(|i| rows[i][n] / rows[i][i]).collect();
        unknown.into_iter().zip(values).collect()
    }

    /// Whether a counterexample is an execution of the system that shows its claim.
    pub(crate) fn accepts(&self, run: &Counterexample, converges: bool) -> Result<(), String> {
        let mut digits = run.start.clone();
        let mut at_cycle = None;
        let mut seen = vec![digits.clone()];
        for (i, step) in run.prefix.iter().chain(&run.cycle).enumerate() {
            if i == run.prefix.len() {
                at_cycle = Some(digits.clone());
                seen = vec![digits.clone()];
            }
            let told = step.inputs.map(|(x, y)| {
                let Actor::Arc(u, v) = step.actor else { panic!("only arcs have inputs") };
                let mut told = self.truth(&digits);
                (told[u], told[v]) = (x, y);
                told
            });
            let node = (digits.clone(), vec![], None);
            let fits = |a: &Arrow| takes(a, step) && a.to.0 == step.after;
            if !self.steps(&node, told.as_deref()).iter().any(fits) {
                return Err(format!("step {i} is no step"));
            }
            digits = step.after.clone();
            seen.push(digits.clone());
        }
        if !converges && at_cycle.as_ref() != Some(&digits) {
            return Err("the cycle does not close".into());
        }
        let safe = |d: &Vec<u32>| self.really_safe.iter().any(|n| n.0 == *d);
        let truthful = self.question.detector == Detector::Perfect;
        let plain = self.question.scheduler != Scheduler::Alternating;
        if !converges && truthful && plain && seen.iter().any(safe) {
            return Err("the cycle passes a safe configuration".into());
        }
        let folds = self.question.up_to_symmetry() && self.arrows.len() <= 2000;
        if let (true, Some(size), Some(digits)) = (folds && !converges, run.recurring, &at_cycle)
            && !self.has_part(digits, size)
        {
            return Err(format!("the recurring set does not have {size} members"));
        }
        if !converges && self.question.scheduler == Scheduler::LocallyFair && truthful {
            return self.takes_what_it_enables(run);
        }
        Ok(())
    }

    fn takes_what_it_enables(&self, run: &Counterexample) -> Result<(), String> {
        let (mut enabled, mut taken) = (HashSet::new(), HashSet::new());
        let mut digits = run.cycle.last().map_or(run.start.clone(), |s| s.after.clone());
        for step in &run.cycle {
            let node = (digits.clone(), vec![], None);
            for arrow in self.steps(&node, None) {
                enabled.extend(self.actions(&arrow));
                if takes(&arrow, step) {
                    taken.extend(self.actions(&arrow));
                }
            }
            digits = step.after.clone();
        }
        match enabled.difference(&taken).next() {
            None => Ok(()),
            Some(action) => Err(format!("action {action} is enabled and never taken")),
        }
    }

    /// The actions of local fairness. Arcs and rules count only where they are enabled.
    pub(crate) fn actions(&self, arrow: &Arrow) -> Vec<String> {
        match self.question.level {
            Level::Rule | Level::Arc if !arrow.enabled => vec![],
            Level::Transition => vec![arrow.transition.clone()],
            Level::Rule => arrow.rules.iter().map(|r| format!("{} {r}", arrow.site)).collect(),
            Level::Arc => vec![arrow.site.to_string()],
        }
    }
}

/// Whether an arrow is the step of a counterexample: the same actors, coins and rules.
fn takes(arrow: &Arrow, step: &Step) -> bool {
    let actors = match &step.actor {
        Actor::Arc(u, v) => vec![*u, *v],
        Actor::Process(p) => vec![*p],
        Actor::Processes(several) => several.clone(),
        Actor::All => (0..step.after.len()).collect(),
    };
    let rules = step.actor == Actor::All || arrow.rules == step.rules;
    arrow.actors == actors && arrow.coin == step.coin && rules
}

//! Rounds and moves on random systems, compared with their definitions: executions are followed step by step, and with coins
//! the product with the pending processes is solved by policy iteration in exact fractions or by repeated steps.

use crate::decisions::{Choice, Process, contains, fraction, really_safe, site_outcomes};
use crate::liveness::{Class, Conditions};
use crate::twin::{Dice, random_surveys};
use num_rational::BigRational;
use ringleader_check::parts::{
    Bits, Choices, Daemon, LikelyRounds, Longest, Outcome, Rewards, Rounds, StateGraph as _, System, Together,
    WorstRounds, check, longest_by,
};
use ringleader_check::{Bounds, Claim, Claimed, Monitor, Question, Report, Uncheckable, Value};
use ringleader_model::Scheduler;
use std::collections::{BTreeMap, BTreeSet};

fn bits(set: &[bool]) -> Bits {
    let bits = Bits::new(set.len() as u64);
    (0..set.len() as u32).filter(|&c| set[c as usize]).for_each(|c| assert!(bits.insert(c)));
    bits
}

/// The enabled processes of each configuration, by the definition.
fn enabled(system: &System) -> Vec<u32> {
    let changes = |c: usize, choice: &Choice| choice.outcomes.iter().any(|(to, _)| *to != c);
    let central = Process::central(system);
    let of = |c: usize| {
        let moving = central.choices[c].iter().filter(|choice| changes(c, choice));
        moving.flat_map(|choice| &choice.agents).fold(0, |set, i| set | 1 << i)
    };
    (0..system.space.size() as usize).map(of).collect()
}

/// The pending processes after a step, and whether a round begins.
fn after(pending: u32, agents: &BTreeSet<usize>, enabled: u32) -> (u32, bool) {
    let waits = |i: &u32| pending >> i & 1 == 1 && !agents.contains(&(*i as usize)) && enabled >> i & 1 == 1;
    let left = (0..32).filter(waits).fold(0, |set, i| set | 1 << i);
    if left == 0 { (enabled, true) } else { (left, false) }
}

/// The most rounds in executions with a bounded number of steps, for every configuration with pending processes.
fn rounds_by_steps(process: &Process, enabled: &[u32], agents: u32, target: &[bool], steps: usize) -> Vec<u32> {
    let full = 1_usize << agents;
    let mut most = vec![0_u32; target.len() * full];
    for _ in 0..steps {
        let mut next = most.clone();
        for c in 0..target.len() {
            for pending in 1..full as u32 {
                for choice in &process.choices[c] {
                    let (to, _) = choice.outcomes[0];
                    if to == c || target[to] {
                        continue;
                    }
                    let (left, begins) = after(pending, &choice.agents, enabled[to]);
                    let value = u32::from(begins) + most[to * full + left as usize];
                    let here = &mut next[c * full + pending as usize];
                    *here = (*here).max(value);
                }
            }
        }
        most = next;
    }
    most
}

#[test]
fn rounds_agree_with_executions_step_by_step() {
    let (mut dice, mut bounded, mut unbounded) = (Dice::new(33), 0, 0);
    for _ in 0..600 {
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        let agents = system.space.agents as u32;
        if !system.is_ring || system.tosses() || system.chooses() || system.space.size() > 16 {
            continue;
        }
        let known = enabled(system);
        for class in Class::all(system) {
            let all = class.scheduler == Scheduler::Synchronous;
            if matches!(class.scheduler, Scheduler::Random | Scheduler::GloballyFair) {
                continue;
            }
            let target: Vec<bool> = (0..system.size()).map(|_| dice.below(3) == 0).collect();
            let set = bits(&target);
            // Half of the counts start everywhere outside the target, half inside.
            let inside = dice.below(2) == 0;
            let starts: Vec<u32> = (0..target.len() as u32).filter(|&c| target[c as usize] == inside).collect();
            let monitor = Monitor::new(1);
            let (configurations, enabled) = ((0..system.size() as u32).collect(), known.clone());
            let found = match Daemon::of(class.scheduler) {
                None => {
                    Rounds { graph: system, system, configurations, enabled, target: &set, all }.most(&starts, &monitor)
                }
                Some(daemon) => {
                    let graph = &Together::new(system, daemon, u64::MAX, &monitor).unwrap();
                    Rounds { graph, system, configurations, enabled, target: &set, all }.most(&starts, &monitor)
                }
            };
            let nodes = target.len() << agents;
            // An execution that does not repeat a node of the product has fewer steps than there are nodes.
            let [short, long] =
                [nodes, 2 * nodes].map(|steps| rounds_by_steps(&class.process, &known, agents, &target, steps));
            let at = |c: &u32| ((*c as usize) << agents) + known[*c as usize] as usize;
            let grows = starts.iter().map(at).any(|at| long[at] > short[at]);
            let all: Vec<u32> = starts.iter().map(|c| long[at(c)] + 1).collect();
            match found.unwrap().unwrap() {
                WorstRounds::Bounded { worst, sum, .. } => {
                    let exact = (all.iter().copied().max().unwrap_or(0), all.iter().map(|&x| u64::from(x)).sum());
                    assert!(!grows && (worst, sum) == exact, "{}: {worst}, {sum}, not {exact:?}", class.scheduler);
                    bounded += 1;
                }
                WorstRounds::Unbounded(_) => {
                    assert!(grows, "{}", class.scheduler);
                    unbounded += 1;
                }
            }
        }
    }
    assert!(bounded > 500 && unbounded > 20, "{bounded}, {unbounded}");
}

/// An outcome of a choice: the processes that move, the configuration after it, its probability.
type Move = (BTreeSet<usize>, usize, BigRational);

/// The choices of every configuration.
type Moves = Vec<Vec<Vec<Move>>>;

/// The choices of a daemon.
fn chosen(process: &Process) -> Moves {
    let choice = |choice: &Choice| {
        choice.outcomes.iter().map(|(to, p)| (choice.agents.clone(), *to, p.clone())).collect::<Vec<_>>()
    };
    process.choices.iter().map(|choices| choices.iter().map(choice).collect()).collect()
}

/// The random scheduler: one choice, whose outcomes differ in the process that moves.
fn by_chance(system: &System) -> Moves {
    let agents = system.space.agents;
    let outcomes = |c: u32, i: usize| {
        let all = site_outcomes(system, c, i).into_iter();
        all.map(move |(to, p, _)| {
            ([system.sites[i].right].into(), system.space.encode(&to) as usize, p / fraction(agents as u32, 1))
        })
    };
    (0..system.size() as u32).map(|c| vec![(0..agents).flat_map(|i| outcomes(c, i)).collect()]).collect()
}

/// The product of a decision process with pending processes. Its last node is the target.
struct Product {
    process: Process,
    /// The expected number of rounds that begin, for each choice of each node.
    begun: Vec<Vec<BigRational>>,
    starts: Vec<usize>,
}

impl Product {
    fn new(moves: &Moves, enabled: &[u32], target: &[bool], starts: &[u32]) -> Product {
        let mut numbers = BTreeMap::new();
        let mut places = vec![];
        let mut number = |place: (usize, u32), places: &mut Vec<(usize, u32)>| {
            *numbers.entry(place).or_insert_with(|| {
                places.push(place);
                places.len() - 1
            })
        };
        let starts: Vec<usize> =
            starts.iter().map(|&c| number((c as usize, enabled[c as usize]), &mut places)).collect();
        let (mut choices, mut begun, mut at) = (vec![], vec![], 0);
        while at < places.len() {
            let (c, pending) = places[at];
            let (mut mine, mut rewards) = (vec![], vec![]);
            for choice in &moves[c] {
                let (mut outcomes, mut reward) = (vec![], fraction(0, 1));
                for (agents, to, p) in choice {
                    if target[*to] {
                        outcomes.push((usize::MAX, p.clone()));
                        continue;
                    }
                    let (left, begins) = after(pending, agents, enabled[*to]);
                    outcomes.push((number((*to, left), &mut places), p.clone()));
                    reward += if begins { p.clone() } else { fraction(0, 1) };
                }
                mine.push(Choice::new(BTreeSet::new(), outcomes));
                rewards.push(reward);
            }
            choices.push(mine);
            begun.push(rewards);
            at += 1;
        }
        let last = places.len();
        let outcomes = choices.iter_mut().flatten().flat_map(|choice| &mut choice.outcomes);
        outcomes.filter(|(to, _)| *to == usize::MAX).for_each(|(to, _)| *to = last);
        choices.push(vec![Choice::new(BTreeSet::new(), vec![(last, fraction(1, 1))])]);
        Product { process: Process { idle: vec![vec![]; choices.len()], choices }, begun, starts }
    }

    fn target(&self) -> Vec<bool> {
        (0..self.process.choices.len()).map(|node| node + 1 == self.process.choices.len()).collect()
    }

    /// The rounds from every start, exactly, if no daemon stays outside the target.
    fn exactly(&self) -> Option<Vec<BigRational>> {
        let target = self.target();
        if self.process.avoids(&target).contains(&true) || target.len() > 24 {
            return None;
        }
        let totals = self.process.earned(&target, &|node, choice| self.begun[node][choice].clone());
        Some(self.starts.iter().map(|&node| &totals[node] + fraction(1, 1)).collect())
    }

    /// The rounds from every start within a number of steps.
    fn within(&self, steps: usize) -> Vec<f64> {
        let number = |p: &BigRational| {
            let [p, q] = [p.numer(), p.denom()].map(|x| x.to_string().parse::<f64>().unwrap());
            p / q
        };
        let rows: Vec<Vec<Row>> = self
            .begun
            .iter()
            .zip(&self.process.choices)
            .map(|(begun, choices)| {
                let row = |(reward, choice): (&BigRational, &Choice)| {
                    (number(reward), choice.outcomes.iter().map(|(to, p)| (*to, number(p))).collect())
                };
                begun.iter().zip(choices).map(row).collect()
            })
            .collect();
        let mut values = vec![0.0; self.process.choices.len()];
        for _ in 0..steps {
            let next = |row: &Vec<Row>| {
                let worth = row.iter().map(|(r, after)| r + after.iter().map(|(to, p)| p * values[*to]).sum::<f64>());
                worth.fold(0.0, f64::max)
            };
            values = rows.iter().map(next).chain([0.0]).collect();
        }
        self.starts.iter().map(|&node| values[node] + 1.0).collect()
    }
}

/// The rounds that a choice begins, and the probabilities of the nodes after it.
type Row = (f64, Vec<(usize, f64)>);

#[derive(Debug, Default)]
struct Seen {
    exact: u32,
    approximate: u32,
    unbounded: u32,
}

/// Compares the worst rounds, and their sum over all starts, with the product.
fn agree(product: &Product, worst: Option<Bounds>, sum: Option<Bounds>, what: &str, seen: &mut Seen) {
    let [short, long] = [6000, 12_000].map(|steps| product.within(steps));
    let grows = short.iter().zip(&long).any(|(short, long)| long - short > 0.5);
    let Some(worst) = worst else {
        assert!(grows, "{what}: {short:?}");
        seen.unbounded += 1;
        return;
    };
    assert!(!grows, "{what}: {worst:?}, not {long:?}");
    let known = long.iter().copied().fold(0.0, f64::max);
    assert!(
        worst.low <= known + 1e-7 && known <= worst.high + 1e-9 && worst.high - worst.low < 1e-6,
        "{what}: {worst:?}, {known}"
    );
    if let Some(all) = product.exactly() {
        let greatest = all.iter().max().cloned().unwrap_or_else(|| fraction(0, 1));
        assert!(contains(worst, &greatest), "{what}: {worst:?}, not {greatest}");
        assert!(sum.is_none_or(|sum| contains(sum, &all.iter().sum())), "{what}: {sum:?}");
        seen.exact += 1;
    } else {
        let known = long.iter().sum::<f64>();
        assert!(sum.is_none_or(|sum| sum.low <= known + 1e-6 && known <= sum.high + 1e-6), "{what}: {sum:?}, {known}");
        seen.approximate += 1;
    }
}

/// The steps of a daemon, with the processes that each choice schedules.
fn likely_steps<'a>(
    choices: &'a Choices,
    system: &'a System,
    together: bool,
) -> impl Fn(u32, &mut dyn FnMut(Outcome)) + Sync + 'a {
    move |node, visit| {
        for choice in choices.of(node) {
            let (actor, _) = choices.chosen(choice);
            let acting = if together { actor } else { system.actors(actor) };
            for (&target, &weight) in choices.targets(choice).iter().zip(choices.weights(choice)) {
                visit(Outcome { choice, acting, target, weight });
            }
        }
    }
}

#[test]
fn expected_rounds_agree_with_the_product() {
    let mut seen = Seen::default();
    for seed in 0..1200 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        if !system.is_ring || !system.tosses() || system.chooses() || system.space.size() > 16 {
            continue;
        }
        let enabled = enabled(system);
        let monitor = Monitor::new(1);
        for daemon in [None, Some(Daemon::Distributed), Some(Daemon::LocallyCentral), Some(Daemon::Synchronous)] {
            let target: Vec<bool> = enabled.iter().map(|&enabled| enabled == 0 || dice.below(3) == 0).collect();
            let inside = dice.below(3) == 0;
            let starts: Vec<u32> = (0..target.len() as u32).filter(|&c| target[c as usize] == inside).collect();
            let (choices, process) = match daemon {
                None => (Choices::one_at_a_time(system, system, u64::MAX, &monitor), Process::central(system)),
                Some(daemon) => {
                    (Choices::together(system, daemon, u64::MAX, &monitor), Process::together(system, daemon))
                }
            };
            let choices = choices.unwrap();
            // A start without any enabled process has no step.
            let starts: Vec<u32> = starts.into_iter().filter(|&c| enabled[c as usize] != 0).collect();
            let steps = likely_steps(&choices, system, daemon.is_some());
            let set = bits(&target);
            let likely =
                LikelyRounds { steps: &steps, enabled: enabled.clone(), target: &set, width: 1e-9, memory: u64::MAX };
            let found = likely.worst(&starts, system, &monitor).unwrap();
            let product = Product::new(&chosen(&process), &enabled, &target, &starts);
            let (worst, sum) = match found {
                WorstRounds::Bounded { worst, sum, .. } => (Some(worst), Some(sum)),
                WorstRounds::Unbounded(_) => (None, None),
            };
            agree(&product, worst, sum, &format!("seed {seed}, {daemon:?}"), &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.exact > 300 && seen.approximate > 10 && seen.unbounded > 20, "{seen:?}");
}

/// The most moves of executions outside a set, for each configuration; every execution must end.
fn most_moves(process: &Process, moves: &dyn Fn(usize, &Choice) -> u32, target: &[bool]) -> Option<Vec<u32>> {
    let mut known: Vec<Option<u32>> = target.iter().map(|inside| inside.then_some(0)).collect();
    loop {
        let of = |c: usize| {
            let steps = process.choices[c].iter().filter(|choice| choice.outcomes[0].0 != c);
            let lengths = steps.map(|choice| Some(known[choice.outcomes[0].0]? + moves(c, choice)));
            lengths.collect::<Option<Vec<_>>>()?.into_iter().max()
        };
        let next: Vec<Option<u32>> = (0..target.len()).map(|c| known[c].or_else(|| of(c))).collect();
        if next == known {
            return known.into_iter().collect();
        }
        known = next;
    }
}

#[test]
fn moves_agree_with_executions_step_by_step() {
    let (mut dice, mut exact, mut expected, mut more) = (Dice::new(34), 0, 0, 0);
    for _ in 0..1500 {
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        if !system.is_ring || system.chooses() || system.space.size() > 16 {
            continue;
        }
        let enabled = enabled(system);
        for daemon in [Daemon::Distributed, Daemon::LocallyCentral, Daemon::Synchronous] {
            let target: Vec<bool> = (0..system.size()).map(|_| dice.below(2) == 0).collect();
            let (set, monitor) = (bits(&target), Monitor::new(1));
            let process = Process::together(system, daemon);
            // The synchronous daemon schedules all processes; those that are enabled move.
            let moves =
                |c: usize, choice: &Choice| choice.agents.iter().filter(|i| enabled[c] >> **i & 1 == 1).count() as u32;
            if !system.tosses() {
                let graph = Together::new(system, daemon, u64::MAX, &monitor).unwrap();
                let found = longest_by(&graph, &set, |_| 1, |node, edge| graph.moves(node, edge), &monitor).unwrap();
                let known = most_moves(&process, &moves, &target);
                let Longest::Steps { worst, sum, .. } = found else {
                    assert!(known.is_none(), "{daemon:?}: {found:?}");
                    continue;
                };
                let known = known.expect("it is bounded");
                assert_eq!(Some(worst), known.iter().copied().max(), "{daemon:?}");
                assert_eq!(sum, known.iter().map(|&x| u128::from(x)).sum::<u128>(), "{daemon:?}");
                exact += 1;
                let Longest::Steps { worst: steps, .. } =
                    ringleader_check::parts::longest(&graph, &set, |_| 1, &monitor).unwrap()
                else {
                    panic!("it is bounded")
                };
                more += u32::from(worst > steps);
                continue;
            }
            if process.avoids(&target).contains(&true) || target.iter().filter(|inside| !**inside).count() > 10 {
                continue;
            }
            let choices = Choices::together(system, daemon, u64::MAX, &monitor).unwrap();
            let mut weighted = vec![];
            for c in 0..target.len() {
                for (number, choice) in choices.of(c as u32).zip(&process.choices[c]) {
                    let whole: u32 = choices.weights(number).iter().sum();
                    weighted.push(f64::from(moves(c, choice)) * f64::from(whole));
                }
            }
            let rewards = Rewards { choices: &choices, weighted: &weighted, target: &set, inner: &[] };
            let totals = rewards.totals("moves", 1e-9, &monitor).unwrap();
            let known = process.earned(&target, &|c, choice| fraction(moves(c, &process.choices[c][choice]), 1));
            for (c, known) in known.iter().enumerate().filter(|(c, _)| !target[*c]) {
                let bounds = totals.at(c as u32);
                assert!(contains(bounds, known), "{daemon:?} from {c}: {bounds:?}, not {known}");
                assert!(bounds.high - bounds.low < 1e-6, "{bounds:?}");
            }
            expected += 1;
        }
    }
    println!("{exact} {expected} {more}");
    assert!(exact > 100 && expected > 100 && more > 50, "{exact} {expected} {more}");
}

/// Rounds from one condition to another, of every daemon that has rounds.
#[test]
fn responses_have_rounds() {
    let (mut answered, mut fair) = (Seen::default(), 0);
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        if !system.is_ring || system.chooses() || system.space.size() > 32 {
            continue;
        }
        let (enabled, agents) = (enabled(system), system.space.agents);
        let [first, then] = [(); 2].map(|()| Conditions::random(system, agents, &mut dice));
        for class in Class::all(system) {
            let scheduler = class.scheduler;
            if scheduler == Scheduler::GloballyFair {
                continue;
            }
            let mut question = Question::new(scheduler);
            (question.rounds, question.only_claims) = (true, true);
            let claimed = Claimed::Response(first.each(system), then.each(system));
            question.claims = vec![Claim { name: "answer".into(), claimed, places: true }];
            let report: Report = check(&survey, &question, &Monitor::new(1)).unwrap();
            let Some(service) = &report.claims[0].service else { continue };
            let rounds = service.rounds.as_ref().expect("they are asked for");
            let waits = (0..agents).map(|i| {
                let (first, target) = (first.set(i), then.set(i));
                let starts: Vec<u32> =
                    (0..target.len() as u32).filter(|&c| first[c as usize] && !target[c as usize]).collect();
                let product = Product::new(&chosen(&class.process), &enabled, &target, &starts);
                (product.within(6000).into_iter().fold(0.0, f64::max), product)
            });
            let (_, product) = waits.max_by(|(a, _), (b, _)| a.total_cmp(b)).expect("a process");
            assert_eq!(rounds.expected, system.tosses(), "seed {seed}, {scheduler}");
            let worst = rounds.worst.as_ref().map(Value::bounds);
            agree(&product, worst, None, &format!("seed {seed}, {scheduler}"), &mut answered);
            fair += u32::from(service.worst.is_none() && worst.is_some());
        }
    }
    println!("{answered:?} {fair}");
    assert!(
        answered.exact > 40 && answered.approximate > 5 && answered.unbounded > 3 && fair > 10,
        "{answered:?} {fair}"
    );
}

/// Complete reports: rounds and moves until the goal, and rounds between two visits.
#[test]
fn reports_count_rounds_and_moves() {
    let (mut seen, mut served, mut moved, mut chained) = (Seen::default(), Seen::default(), 0, 0);
    for seed in 0..1500 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        if !system.is_ring || system.chooses() {
            continue;
        }
        let (enabled, agents) = (enabled(system), system.space.agents);
        let visits = Conditions::random(system, agents, &mut dice);
        for class in Class::all(system) {
            let scheduler = class.scheduler;
            if scheduler == Scheduler::GloballyFair {
                continue;
            }
            let mut question = Question::new(scheduler);
            question.rounds = true;
            question.moves = Daemon::of(scheduler).is_some();
            let claimed = Claimed::Recurring(visits.each(system));
            question.claims = vec![Claim { name: "visits".into(), claimed, places: true }];
            let report: Report = check(&survey, &question, &Monitor::new(1)).unwrap();
            let safe = really_safe(&survey, &class.process);
            let what = format!("seed {seed}, {scheduler}");
            let moves = if scheduler == Scheduler::Random { by_chance(system) } else { chosen(&class.process) };
            let bounds = |value: &Option<Value>| value.as_ref().map(Value::bounds);
            if let Some(rounds) = &report.rounds {
                assert_eq!(rounds.expected, system.tosses() || scheduler == Scheduler::Random, "{what}");
                let starts: Vec<u32> = (0..safe.len() as u32).filter(|&c| !safe[c as usize]).collect();
                if scheduler == Scheduler::Synchronous && system.tosses() {
                    let steps = report.expected_steps.as_ref().and_then(|times| times.to_really_safe.as_ref());
                    assert_eq!(rounds.worst.as_ref(), steps.map(|time| &time.worst), "{what}");
                    chained += 1;
                }
                let all = safe.len() as f64;
                let sum = bounds(&rounds.mean).map(|mean| Bounds { low: mean.low * all, high: mean.high * all });
                let sum = sum.map(|sum| Bounds { low: sum.low * (1.0 - 1e-15), high: sum.high * (1.0 + 1e-15) });
                if !starts.is_empty() && starts.len() << agents <= 512 {
                    let product = Product::new(&moves, &enabled, &safe, &starts);
                    agree(&product, bounds(&rounds.worst), sum, &what, &mut seen);
                }
            }
            let counted = report.expected_moves.as_ref().zip(report.expected_steps.as_ref());
            if let Some((moves, steps)) = counted.or(report.moves.as_ref().zip(report.steps.as_ref())) {
                // Each step has at least one move, and at most one of each process.
                for (moves, steps) in
                    [(&moves.to_really_safe, &steps.to_really_safe), (&moves.to_own_safe, &steps.to_own_safe)]
                {
                    assert_eq!(moves.is_some(), steps.is_some(), "{what}");
                    let Some((moves, steps)) = moves.as_ref().zip(steps.as_ref()) else { continue };
                    for (moves, steps) in [(&moves.worst, &steps.worst), (&moves.mean, &steps.mean)] {
                        let (moves, steps) = (moves.bounds(), steps.bounds());
                        let slack = 1e-6 * (1.0 + steps.high);
                        assert!(moves.high + slack >= steps.low, "{what}: {moves:?}, {steps:?}");
                        assert!(moves.low <= agents as f64 * steps.high + slack, "{what}: {moves:?}, {steps:?}");
                    }
                }
                moved += 1;
            }
            assert_eq!(
                question.moves && report.rounds.is_some(),
                counted.is_some() || report.moves.is_some(),
                "{what}"
            );
            let Some(service) = &report.claims[0].service else { continue };
            let rounds = service.rounds.as_ref().expect("they are asked for");
            let inside = if report.own_is_reached == Some(true) {
                (0..safe.len()).map(|c| survey.own_safe.contains(c as u32) || !survey.names_safe && safe[c]).collect()
            } else {
                safe.clone()
            };
            let mut worst = None::<(f64, Product)>;
            for i in 0..agents {
                let target = visits.set(i);
                let starts: Vec<u32> = (0..target.len() as u32)
                    .filter(|&c| inside[c as usize] && target[c as usize] && enabled[c as usize] != 0)
                    .collect();
                let product = Product::new(&moves, &enabled, &target, &starts);
                let most = product.within(6000).into_iter().fold(0.0, f64::max);
                if worst.as_ref().is_none_or(|(known, _)| most > *known) {
                    worst = Some((most, product));
                }
            }
            let Some((most, product)) = worst.filter(|(most, _)| *most > 0.0) else { continue };
            if scheduler == Scheduler::Synchronous && system.tosses() {
                let bounds = bounds(&rounds.worst).expect("it is bounded");
                assert!(bounds.low - 1e-6 <= most && most <= bounds.high + 1e-6, "{what}: {bounds:?}, {most}");
            } else {
                agree(&product, bounds(&rounds.worst), None, &what, &mut served);
            }
        }
    }
    println!("{seen:?} {served:?} {moved} {chained}");
    assert!(seen.exact > 20 && seen.approximate > 20 && moved > 20 && chained > 10, "{seen:?}");
    assert!(served.exact > 40, "{served:?}");
}

#[test]
fn rounds_and_moves_are_refused_where_they_mean_nothing() {
    let survey = random_surveys(&mut Dice::new(1)).plain;
    let ask = |scheduler, rounds, moves| {
        let mut question = Question::new(scheduler);
        (question.rounds, question.moves) = (rounds, moves);
        check(&survey, &question, &Monitor::new(1)).map(|_| ()).unwrap_err()
    };
    assert_eq!(ask(Scheduler::GloballyFair, true, false), Uncheckable::NoRounds.into());
    assert_eq!(ask(Scheduler::Unfair, false, true), Uncheckable::NoMoves.into());
    assert_eq!(ask(Scheduler::Random, false, true), Uncheckable::NoMoves.into());
}

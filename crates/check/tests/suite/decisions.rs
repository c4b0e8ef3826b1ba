//! Fair coins against daemons, compared with brute force on random systems: end components by listing all sets of nodes,
//! probabilities and expected steps by policy iteration in exact fractions.

use crate::strategies::{attains, stays};
use crate::twin::{Dice, random_surveys};
use num_rational::BigRational;
use ringleader_check::parts::{
    Bits, Choices, Daemon, Effort, Extreme, Fairness, INCORRECT, StateGraph as _, Successors, Survey, System, bounded,
    check, end_components, greatest_probability,
};
use ringleader_check::{Bounds, Level, Monitor, Question};
use ringleader_model::Scheduler;
use std::collections::BTreeSet;

/// One choice of the daemon: the processes that step, the obligations that it meets, and the outcomes.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) agents: BTreeSet<usize>,
    transitions: BTreeSet<String>,
    sites: BTreeSet<usize>,
    rules: BTreeSet<(usize, u8)>,
    pub(crate) outcomes: Vec<(usize, BigRational)>,
}

impl Choice {
    pub(crate) fn new(agents: BTreeSet<usize>, outcomes: Vec<(usize, BigRational)>) -> Choice {
        let (transitions, sites, rules) = Default::default();
        Choice { agents, transitions, sites, rules, outcomes }
    }
}

/// The reward of a choice at a node.
pub(crate) type Earned<'a> = dyn Fn(usize, usize) -> BigRational + 'a;

/// A decision process, node by node.
#[derive(Clone, Debug)]
pub(crate) struct Process {
    pub(crate) choices: Vec<Vec<Choice>>,
    /// The sets of agents that can be scheduled at a node without any change.
    pub(crate) idle: Vec<Vec<BTreeSet<usize>>>,
}

pub(crate) fn fraction(p: u32, q: u32) -> BigRational {
    BigRational::new(p.into(), q.into())
}

/// The outcomes of a site: the new configuration, the weight of the outcome, and the rules that fired.
pub(crate) fn site_outcomes(system: &System, c: u32, index: usize) -> Vec<(Vec<u32>, BigRational, Vec<u8>)> {
    let digits = system.space.digits(c);
    let site = &system.sites[index];
    let table = &system.tables[site.table];
    let context = match (system.is_ring, table.contexts()) {
        (true, 2..) => digits[site.beyond] as usize,
        (false, 2..) if system.leaders(c) != 0 => 3,
        _ => 0,
    };
    let outcome = |at: usize| {
        let change = table.changes()[at];
        let mut after = digits.clone();
        (after[site.left], after[site.right]) = (change.left.into(), change.right.into());
        if system.is_ring {
            after[site.left] = digits[site.left];
            after[site.right] = change.right.into();
        }
        (after, fraction(change.weight, table.whole()), table.rules(change).to_vec())
    };
    table.cell(context, digits[site.left], digits[site.right]).map(outcome).collect()
}

impl Process {
    pub(crate) fn central(system: &System) -> Process {
        let (mut choices, mut idle) = (vec![], vec![]);
        for c in 0..system.space.size() as u32 {
            let (mut here, mut resting) = (vec![], vec![]);
            for (index, site) in system.sites.iter().enumerate() {
                let agents: BTreeSet<usize> =
                    if system.is_ring { [site.right].into() } else { [site.left, site.right].into() };
                let all = site_outcomes(system, c, index);
                let outcomes: Vec<(usize, BigRational)> =
                    all.iter().map(|(to, p, _)| (system.space.encode(to) as usize, p.clone())).collect();
                if outcomes.iter().all(|(to, _)| *to == c as usize) {
                    resting.push(agents);
                    continue;
                }
                let digits = system.space.digits(c);
                let (left, right, beyond) = (digits[site.left], digits[site.right], digits[site.beyond]);
                let context = if system.is_ring && system.tables[site.table].contexts() > 1 {
                    beyond
                } else {
                    u32::from(system.has_inputs() && system.leaders(c) != 0)
                };
                let rules = all.iter().flat_map(|(_, _, rules)| rules.iter().map(|rule| (index, *rule))).collect();
                let transitions = [format!("{index}: {left} {right} {context}")].into();
                here.push(Choice { agents, transitions, sites: [index].into(), rules, outcomes });
            }
            if here.is_empty() {
                resting.push((0..system.space.agents).collect());
            }
            choices.push(or_stay(here, c as usize));
            idle.push(resting);
        }
        Process { choices, idle }
    }

    /// The daemon picks an agent, a fair coin one of the arcs on which it is the initiator.
    pub(crate) fn by_initiator(system: &System) -> Process {
        let (mut choices, mut idle) = (vec![], vec![]);
        for c in 0..system.space.size() as u32 {
            let (mut here, mut resting) = (vec![], vec![]);
            for agent in 0..system.space.agents {
                let arcs: Vec<usize> =
                    (0..system.sites.len()).filter(|&site| system.sites[site].left == agent).collect();
                let share = |p: BigRational| p / BigRational::from_integer(arcs.len().into());
                let all = arcs.iter().flat_map(|&arc| site_outcomes(system, c, arc));
                let outcomes: Vec<_> = all.map(|(to, p, _)| (system.space.encode(&to) as usize, share(p))).collect();
                if outcomes.iter().any(|(to, _)| *to != c as usize) {
                    let (transitions, sites, rules) = Default::default();
                    here.push(Choice { agents: [agent].into(), transitions, sites, rules, outcomes });
                } else {
                    resting.push([agent].into());
                }
            }
            choices.push(or_stay(here, c as usize));
            idle.push(resting);
        }
        Process { choices, idle }
    }

    /// The same with a choice that changes nothing where agents can be scheduled without a change: an execution that is
    /// fair to agents counts those steps, too.
    fn resting(&self) -> Process {
        let mut choices = self.choices.clone();
        for (c, idle) in self.idle.iter().enumerate() {
            for agents in idle.iter().cloned() {
                choices[c].push(Choice::new(agents, vec![(c, fraction(1, 1))]));
            }
        }
        Process { choices, idle: vec![vec![]; self.idle.len()] }
    }

    /// Several processes of a ring at once.
    pub(crate) fn together(system: &System, daemon: Daemon) -> Process {
        let n = system.space.agents;
        let (mut choices, mut idle) = (vec![], vec![]);
        for c in 0..system.space.size() as u32 {
            let digits = system.space.digits(c);
            let enabled = |i: usize| site_outcomes(system, c, i).iter().any(|(to, ..)| *to != digits);
            let neighbours =
                |i: usize, j: usize| i.abs_diff(j) == 1 || (!system.is_line && i.abs_diff(j) == n - 1 && i != j);
            let mut here = vec![];
            for set in 1..1_u32 << n {
                let acting: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
                let fits = match daemon {
                    Daemon::Synchronous => acting.len() == n,
                    Daemon::Distributed => acting.iter().all(|&i| enabled(i)),
                    Daemon::LocallyCentral => {
                        let apart = |&i: &usize| acting.iter().all(|&j| !neighbours(i, j));
                        acting.iter().all(|i| enabled(*i) && apart(i))
                    }
                };
                if !fits {
                    continue;
                }
                let mut outcomes = vec![(digits.clone(), fraction(1, 1))];
                for &i in &acting {
                    let mine = site_outcomes(system, c, i);
                    outcomes = outcomes
                        .into_iter()
                        .flat_map(|(digits, p)| {
                            mine.iter().map(move |(to, q, _)| {
                                let mut digits = digits.clone();
                                digits[i] = to[i];
                                (digits, &p * q)
                            })
                        })
                        .collect();
                }
                let outcomes = outcomes.into_iter().map(|(to, p)| (system.space.encode(&to) as usize, p)).collect();
                here.push(Choice::new(acting.into_iter().collect(), outcomes));
            }
            choices.push(or_stay(here, c as usize));
            idle.push(vec![]);
        }
        Process { choices, idle }
    }

    /// Whether some set outside the target keeps a run for ever, and the daemon meets its obligations there.
    pub(crate) fn can_stay(&self, target: &[bool], fairness: Option<Fairness>, agents: usize) -> bool {
        self.staying(target, fairness, agents).contains(&true)
    }

    /// The nodes of all sets outside the target that keep a run for ever, and in which the daemon meets its obligations.
    pub(crate) fn staying(&self, target: &[bool], fairness: Option<Fairness>, agents: usize) -> Vec<bool> {
        if fairness == Some(Fairness::Agents) && self.idle.iter().any(|idle| !idle.is_empty()) {
            return self.resting().staying(target, fairness, agents);
        }
        let outside: Vec<usize> = (0..self.choices.len()).filter(|&c| !target[c]).collect();
        assert!(outside.len() <= 16, "too many sets");
        let place = |c: &usize| outside.binary_search(c).ok();
        // The choices of each node that do not lead to the target, each with its outcomes as bits.
        let outcomes =
            |choice: &Choice| choice.outcomes.iter().try_fold(0_u32, |set, (to, _)| Some(set | 1 << place(to)?));
        let choices: Vec<Vec<(u32, &Choice)>> = outside
            .iter()
            .map(|&c| self.choices[c].iter().filter_map(|choice| Some((outcomes(choice)?, choice))).collect())
            .collect();
        let mut union = 0_u32;
        for set in 1..1_u32 << outside.len() {
            let members = || (0..outside.len()).filter(move |i| set >> i & 1 == 1);
            let inside = |i: usize| choices[i].iter().filter(move |(to, _)| to & !set == 0);
            if set & !union == 0 || members().any(|i| inside(i).next().is_none()) {
                continue;
            }
            let after: Vec<u32> = (0..outside.len()).map(|i| inside(i).fold(0, |all, (to, _)| all | to)).collect();
            let reached = |from: usize| {
                let (mut seen, mut open) = (0_u32, after[from]);
                while open & !seen != 0 {
                    seen |= open;
                    open = (0..outside.len()).filter(|i| seen >> i & 1 == 1).fold(0, |all, i| all | after[i]);
                }
                seen
            };
            if members().any(|i| reached(i) != set) {
                continue;
            }
            let taken = || members().flat_map(inside).map(|(_, choice)| *choice);
            let fair = match fairness {
                None => true,
                Some(Fairness::Agents) => {
                    taken().flat_map(|choice| &choice.agents).collect::<BTreeSet<_>>().len() == agents
                }
                Some(fairness) => {
                    let met: BTreeSet<String> = taken().flat_map(|choice| obligations(choice, fairness)).collect();
                    let owed = members().flat_map(|i| &self.choices[outside[i]]);
                    owed.flat_map(|choice| obligations(choice, fairness)).all(|owed| met.contains(&owed))
                }
            };
            if fair {
                union |= set;
            }
        }
        (0..target.len()).map(|c| place(&c).is_some_and(|i| union >> i & 1 == 1)).collect()
    }

    /// The nodes from which the daemon surely avoids the target for ever.
    pub(crate) fn avoids(&self, target: &[bool]) -> Vec<bool> {
        let mut set: Vec<bool> = target.iter().map(|reached| !reached).collect();
        loop {
            let stays =
                |c: &usize| self.choices[*c].iter().any(|choice| choice.outcomes.iter().all(|(to, _)| set[*to]));
            let next: Vec<bool> = (0..set.len()).map(|c| set[c] && stays(&c)).collect();
            if next == set {
                return set;
            }
            set = next;
        }
    }

    /// Solves x = a + P x for one choice per open node; the other nodes have fixed values.
    pub(crate) fn solve(
        &self,
        open: &[usize],
        policy: &[usize],
        fixed: &[BigRational],
        a: &Earned<'_>,
    ) -> Vec<BigRational> {
        let at = |c: usize| open.iter().position(|&open| open == c);
        let n = open.len();
        let mut rows: Vec<Vec<BigRational>> = vec![];
        for (i, &c) in open.iter().enumerate() {
            let mut row = vec![fraction(0, 1); n + 1];
            row[i] += fraction(1, 1);
            row[n] += a(c, policy[i]);
            for (to, p) in &self.choices[c][policy[i]].outcomes {
                match at(*to) {
                    Some(j) => row[j] -= p,
                    None => row[n] += p * &fixed[*to],
                }
            }
            rows.push(row);
        }
        for i in 0..n {
            let pivot = (i..n).find(|&j| rows[j][i] != fraction(0, 1)).expect("every policy ends");
            rows.swap(i, pivot);
            let head = rows[i][i].clone();
            rows[i].iter_mut().for_each(|x| *x /= &head);
            let own = rows[i].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(j, row)| *j != i && row[i] != fraction(0, 1)) {
                let factor = row[i].clone();
                row.iter_mut().zip(&own).for_each(|(x, y)| *x -= &factor * y);
            }
        }
        let mut values = fixed.to_vec();
        open.iter().zip(rows).for_each(|(&c, row)| values[c] = row[n].clone());
        values
    }

    /// Policy iteration: the least or greatest solution over all policies, from a first one that ends.
    pub(crate) fn optimum(
        &self,
        open: &[usize],
        fixed: &[BigRational],
        a: &Earned<'_>,
        least: bool,
        mut policy: Vec<usize>,
    ) -> Vec<BigRational> {
        loop {
            let values = self.solve(open, &policy, fixed, a);
            let worth = |c: usize, choice: usize| {
                self.choices[c][choice].outcomes.iter().map(|(to, p)| p * &values[*to]).sum::<BigRational>()
                    + a(c, choice)
            };
            let mut changed = false;
            for (i, &c) in open.iter().enumerate() {
                for other in 0..self.choices[c].len() {
                    let (now, then) = (worth(c, policy[i]), worth(c, other));
                    if if least { then < now } else { then > now } {
                        policy[i] = other;
                        changed = true;
                    }
                }
            }
            if !changed {
                return values;
            }
        }
    }

    /// The least probability of reaching the target.
    fn least_probability(&self, target: &[bool]) -> Vec<BigRational> {
        let avoided = self.avoids(target);
        let fixed: Vec<BigRational> = target.iter().map(|&reached| fraction(u32::from(reached), 1)).collect();
        let open: Vec<usize> = (0..target.len()).filter(|&c| !target[c] && !avoided[c]).collect();
        self.optimum(&open, &fixed, &|_, _| fraction(0, 1), true, vec![0; open.len()])
    }

    /// The greatest probability of reaching `sought` before `target`.
    pub(crate) fn greatest_probability(&self, sought: &[bool], target: &[bool]) -> Vec<BigRational> {
        // The first policy leads every node towards the sought ones, as far as it can; improvements keep this.
        let (mut led, mut policy) = (sought.to_vec(), vec![0; target.len()]);
        loop {
            let leads =
                |c: usize| self.choices[c].iter().position(|choice| choice.outcomes.iter().any(|(to, _)| led[*to]));
            let next = (0..led.len()).filter(|&c| !led[c] && !target[c]).find_map(|c| Some((c, leads(c)?)));
            let Some((c, choice)) = next else { break };
            (led[c], policy[c]) = (true, choice);
        }
        let fixed: Vec<BigRational> = sought.iter().map(|&reached| fraction(u32::from(reached), 1)).collect();
        let open: Vec<usize> = (0..led.len()).filter(|&c| led[c] && !sought[c]).collect();
        let first = open.iter().map(|&c| policy[c]).collect();
        self.optimum(&open, &fixed, &|_, _| fraction(0, 1), false, first)
    }

    /// The worst or best expected steps to a target that every daemon reaches.
    pub(crate) fn expected(&self, target: &[bool], extreme: Extreme) -> Vec<BigRational> {
        let fixed = vec![fraction(0, 1); target.len()];
        let open: Vec<usize> = (0..target.len()).filter(|&c| !target[c]).collect();
        self.optimum(&open, &fixed, &|_, _| fraction(1, 1), extreme == Extreme::Best, vec![0; open.len()])
    }

    /// The greatest expected total of rewards until a target that every daemon reaches.
    pub(crate) fn earned(&self, target: &[bool], earned: &Earned<'_>) -> Vec<BigRational> {
        let fixed = vec![fraction(0, 1); target.len()];
        let open: Vec<usize> = (0..target.len()).filter(|&c| !target[c]).collect();
        self.optimum(&open, &fixed, earned, false, vec![0; open.len()])
    }
}

fn or_stay(mut choices: Vec<Choice>, c: usize) -> Vec<Choice> {
    if choices.is_empty() {
        choices.push(Choice::new(BTreeSet::new(), vec![(c, fraction(1, 1))]));
    }
    choices
}

fn obligations(choice: &Choice, fairness: Fairness) -> Vec<String> {
    match fairness {
        Fairness::Actions(Level::Transition) => choice.transitions.iter().cloned().collect(),
        Fairness::Actions(Level::Arc) => choice.sites.iter().map(|site| site.to_string()).collect(),
        Fairness::Actions(Level::Rule) => choice.rules.iter().map(|rule| format!("{rule:?}")).collect(),
        Fairness::Agents | Fairness::Steps => vec![],
    }
}

pub(crate) fn contains(bounds: Bounds, exact: &BigRational) -> bool {
    let of = |x: f64| BigRational::from_float(x).expect("a number");
    of(bounds.low) <= *exact && *exact <= of(bounds.high)
}

/// What the comparisons met, so that the test fails if it compares nothing.
#[derive(Debug, Default)]
struct Seen {
    stays: u32,
    leaves: u32,
    fair: u32,
    likely: u32,
    fairly_likely: u32,
    timed: u32,
    /// The times that fairness to initiators changes the answer.
    initiators: u32,
}

fn compare(
    system: &System,
    choices: &Choices,
    process: &Process,
    target: &[bool],
    kinds: &[Fairness],
    seen: &mut Seen,
) {
    let monitor = Monitor::new(1);
    let agents = system.space.agents;
    let set = Bits::new(target.len() as u64);
    (0..target.len() as u32).filter(|&c| target[c as usize]).for_each(|c| assert!(set.insert(c)));
    for fairness in std::iter::once(None).chain(kinds.iter().copied().map(Some)) {
        let found = end_components(choices, system, &set, fairness, &monitor).unwrap();
        let expected = process.staying(target, fairness, agents);
        let sought = Bits::new(target.len() as u64);
        found.iter().flat_map(|component| &component.nodes).for_each(|&node| assert!(sought.insert(node)));
        let nodes: Vec<bool> = (0..target.len() as u32).map(|c| sought.contains(c)).collect();
        assert_eq!(nodes, expected, "{fairness:?}: {found:?}");
        match (fairness, expected.contains(&true)) {
            (None, true) => seen.stays += 1,
            (None, false) => seen.leaves += 1,
            (Some(_), true) => seen.fair += 1,
            _ => {}
        }
        let both = set.clone();
        sought.iter().for_each(|node| assert!(both.insert(node)));
        let inner = end_components(choices, system, &both, None, &monitor).unwrap();
        let likely = greatest_probability(choices, &sought, &set, &inner, 1e-9, &monitor).unwrap();
        let kept = process.greatest_probability(&expected, target);
        if fairness.is_none() {
            assert!(inner.is_empty());
            let least = process.least_probability(target);
            assert!(least.iter().zip(&kept).all(|(least, kept)| fraction(1, 1) - least == *kept));
        }
        for (c, kept) in kept.iter().enumerate() {
            let bounds = likely.at(c as u32);
            assert!(contains(bounds, kept) && bounds.high - bounds.low < 1e-8, "{c}: {bounds:?}, not {kept}");
            let between = kept > &fraction(0, 1) && kept < &fraction(1, 1);
            let seen = if fairness.is_none() { &mut seen.likely } else { &mut seen.fairly_likely };
            *seen += u32::from(between);
        }
    }
    if process.avoids(target).contains(&true) || !target.contains(&true) {
        return;
    }
    for extreme in [Extreme::Worst, Extreme::Best] {
        let (steps, size) = (Successors::Chosen(choices, extreme), choices.size());
        let found = bounded(choices, &steps, (&set, None), size, Effort::new(1e-9), None, &monitor).unwrap();
        let exact = process.expected(target, extreme);
        for (c, exact) in exact.iter().enumerate().filter(|(c, _)| !target[*c]) {
            let steps = found.at(c as u32);
            assert!(contains(steps, exact), "{extreme:?} from {c}: {steps:?}, not {exact}");
            seen.timed += 1;
        }
    }
}

/// Every daemon, thousands of random systems with coins.
#[test]
fn daemons_against_fair_coins() {
    let mut seen = Seen::default();
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let surveys = random_surveys(&mut dice);
        let system = &surveys.plain.system;
        let size = system.space.size() as usize;
        let many = size.saturating_sub(10) as u32;
        // Few nodes stay outside the target, so that all sets of them can be listed.
        let target: Vec<bool> = (0..size).map(|_| dice.below(many + 10) < many.max(3)).collect();
        if target.iter().filter(|reached| !**reached).count() > 12 {
            continue;
        }
        let monitor = Monitor::new(1);
        let choices = Choices::one_at_a_time(system, system, u64::MAX, &monitor).unwrap();
        let kinds = [
            Fairness::Agents,
            Fairness::Actions(Level::Transition),
            Fairness::Actions(Level::Arc),
            Fairness::Actions(Level::Rule),
        ];
        compare(system, &choices, &Process::central(system), &target, &kinds, &mut seen);
        if !system.is_ring && !system.chooses() {
            let choices = Choices::by_initiator(system, u64::MAX, &monitor).unwrap();
            let process = Process::by_initiator(system);
            compare(system, &choices, &process, &target, &[Fairness::Agents], &mut seen);
            let agents = system.space.agents;
            let staying = |fairness| process.staying(&target, fairness, agents);
            seen.initiators += u32::from(staying(None) != staying(Some(Fairness::Agents)));
        }
        if system.is_ring {
            for daemon in [Daemon::Distributed, Daemon::LocallyCentral, Daemon::Synchronous] {
                let choices = Choices::together(system, daemon, u64::MAX, &monitor).unwrap();
                compare(system, &choices, &Process::together(system, daemon), &target, &[], &mut seen);
            }
        }
    }
    println!("{seen:?}");
    let Seen { stays, leaves, fair, likely, fairly_likely, timed, initiators } = seen;
    assert!(initiators > 20, "{seen:?}");
    assert!([stays, leaves, fair, likely, fairly_likely, timed].into_iter().all(|count| count > 200), "{seen:?}");
}

/// The configurations in which the goal is met and stays met, for every choice and every coin.
pub(crate) fn really_safe(survey: &Survey, process: &Process) -> Vec<bool> {
    let label = |c: usize| survey.label(c as u32, 0);
    let mut safe: Vec<bool> = (0..process.choices.len()).map(|c| label(c) != INCORRECT).collect();
    loop {
        let stays = |c: usize| {
            let outcomes = || process.choices[c].iter().flat_map(|choice| &choice.outcomes);
            safe[c] && outcomes().all(|(to, _)| safe[*to] && label(*to) == label(c))
        };
        let next: Vec<bool> = (0..safe.len()).map(stays).collect();
        if next == safe {
            return safe;
        }
        safe = next;
    }
}

/// Complete verdicts with fair coins: verdict, probability, expected steps and strategy.
#[test]
fn verdicts_against_fair_coins() {
    use Scheduler::{Distributed, Fair, FairRandomPartner, LocallyCentral, LocallyFair, RandomPartner, Unfair};
    let (mut held, mut failed, mut delayed, mut partners) = (0, 0, 0, [0; 4]);
    for seed in 0..5000 {
        let mut dice = Dice::new(seed);
        let survey = random_surveys(&mut dice).plain;
        let system = &survey.system;
        let mut schedulers = if system.tosses() { vec![Unfair, Fair, LocallyFair] } else { vec![] };
        match system.is_ring {
            true if system.tosses() => schedulers.extend([Distributed, LocallyCentral]),
            false if !system.chooses() => schedulers.extend([RandomPartner, FairRandomPartner]),
            _ => {}
        }
        for scheduler in schedulers {
            let mut question = Question::new(scheduler);
            question.strategy = true;
            question.level = [Level::Transition, Level::Rule, Level::Arc][dice.below(3) as usize];
            let process = match Daemon::of(scheduler) {
                Some(daemon) => Process::together(system, daemon),
                None if scheduler.picks_initiators() => Process::by_initiator(system),
                None => Process::central(system),
            };
            let fairness = match (scheduler, question.level) {
                (Fair | FairRandomPartner, _) => Some(Fairness::Agents),
                (LocallyFair, level) => Some(Fairness::Actions(level)),
                _ => None,
            };
            let what = format!("seed {seed}, {question:?}");
            let target = really_safe(&survey, &process);
            if target.iter().filter(|safe| !**safe).count() > 12 {
                continue;
            }
            let report = check(&survey, &question, &Monitor::new(1)).unwrap();
            assert_eq!(report.really_safe, target.iter().filter(|safe| **safe).count() as u64, "{what}");
            let agents = system.space.agents;
            let fails = process.can_stay(&target, fairness, agents);
            partners[usize::from(fails)] += u32::from(scheduler == RandomPartner);
            partners[2 + usize::from(fails)] += u32::from(scheduler == FairRandomPartner);
            assert_eq!(report.least_probability.is_some(), fails, "{what}: {report:?}");
            assert!(report.almost_surely && !(fails && report.holds), "{what}");
            let mean = |values: &[BigRational]| {
                values.iter().sum::<BigRational>() / BigRational::from_integer(values.len().into())
            };
            if fails {
                failed += 1;
                let scheduled = if fairness == Some(Fairness::Agents) { process.resting() } else { process.clone() };
                stays(&report, &scheduled, system, &target);
                let least = report.least_probability.expect("it fails").mean;
                let kept = process.greatest_probability(&process.staying(&target, fairness, agents), &target);
                let exact = fraction(1, 1) - mean(&kept);
                assert!(contains(least, &exact), "{what}: {least:?}, not {exact}");
                continue;
            }
            held += 1;
            assert_eq!(report.worst_strategy.is_some(), report.expected_steps.is_some(), "{what}");
            let unbounded = fairness.is_some() && process.can_stay(&target, None, agents);
            delayed += u32::from(unbounded);
            assert_eq!((report.delay.is_some(), report.expected_steps.is_none()), (unbounded, unbounded), "{what}");
            if unbounded {
                continue;
            }
            let (worst, best) = (&report.expected_steps, &report.best_expected_steps);
            for (times, extreme) in [(worst, Extreme::Worst), (best, Extreme::Best)] {
                let time = times.as_ref().and_then(|times| times.to_really_safe.as_ref()).expect("it holds");
                let exact = process.expected(&target, extreme);
                assert!(exact.iter().max().is_some_and(|x| contains(time.worst.bounds(), x)), "{what}: {time:?}");
                assert!(contains(time.mean.bounds(), &mean(&exact)), "{what}: {time:?}");
                if extreme == Extreme::Worst {
                    attains(&report, &process, system, &target, &exact);
                }
            }
        }
    }
    assert!(held > 100 && failed > 100 && delayed > 5, "{held} {failed} {delayed}");
    assert!(partners.iter().all(|count| *count > 50), "{partners:?}");
}

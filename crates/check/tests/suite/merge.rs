//! Merged states against all states, on random protocols with states that nothing distinguishes.

use crate::twin::Dice;
use ringleader_check::parts::{Partition, Rules, check_merged};
use ringleader_check::replay::{Played, play};
use ringleader_check::{Monitor, Question, Report, Subject, Time};
use ringleader_erased::{Number, PopulationInstance, RingInstance, RuleTable};
use ringleader_model::text::Document;
use ringleader_model::trace::Assumptions;
use ringleader_model::{
    Chain, ClosedSet, Coin, Goal, Graph, Marks, Population, Reader, Reads, Ring, Safety, Scheduler, Stabilizing, Told,
    Variables, View, Visitor,
};

/// A random protocol. Its states come in groups; a rule chooses the groups of the outcome by the groups of the partners, and
/// states of these groups at random. Another random protocol chooses everything by states.
#[derive(Clone)]
struct Scrambled {
    states: u32,
    group: Vec<u32>,
    leads: Vec<bool>,
    hears: bool,
    /// The outcomes for each answer of the detector and each pair; a coin chooses if there are two.
    rules: Vec<Vec<(u32, u32)>>,
    /// Groups that count as bad for the safe set and for a set of the proof.
    bad: [Vec<bool>; 2],
    names_safe: bool,
    goal: Goal,
}

impl Scrambled {
    fn new(dice: &mut Dice) -> Scrambled {
        let groups = 2 + dice.below(3);
        let states = groups + 1 + dice.below(4);
        // Every group has a state.
        let group: Vec<u32> = (0..states).map(|s| if s < groups { s } else { dice.below(groups) }).collect();
        let leads = (0..groups).map(|g| g == 0 || dice.below(4) == 0).collect();
        let (hears, coins, spoilt) = (dice.below(4) == 0, dice.below(3) == 0, dice.below(6) == 0);
        let lazy = 2 + dice.below(3);
        let mut of_groups = vec![];
        for _ in 0..4 * groups * groups {
            let pair = |dice: &mut Dice| (dice.below(lazy) == 0).then(|| (dice.below(groups), dice.below(groups)));
            let second = (coins && dice.below(2) == 0).then(|| pair(dice));
            of_groups.push((pair(dice), second));
        }
        let some_of = |dice: &mut Dice, wanted: u32| {
            let all: Vec<u32> = (0..states).filter(|&s| group[s as usize] == wanted).collect();
            all[dice.below(all.len() as u32) as usize]
        };
        let mut rules = vec![];
        for told in 0..4 {
            let told = if hears { told } else { 0 };
            for (l, r) in (0..states).flat_map(|l| (0..states).map(move |r| (l, r))) {
                let at = (told * groups + group[l as usize]) * groups + group[r as usize];
                let (first, second) = of_groups[at as usize];
                let mut outcome = |to: Option<(u32, u32)>| match to {
                    _ if spoilt && dice.below(30) == 0 => (dice.below(states), dice.below(states)),
                    Some((a, b)) => (some_of(dice, a), some_of(dice, b)),
                    // States may change inside their groups.
                    None if dice.below(3) == 0 => (some_of(dice, group[l as usize]), some_of(dice, group[r as usize])),
                    None => (l, r),
                };
                let mut outcomes = vec![outcome(first)];
                outcomes.extend(second.map(&mut outcome));
                rules.push(outcomes);
            }
        }
        // Without a detector all answers lead to the same outcomes.
        if !hears {
            let cells = (states * states) as usize;
            let first = rules[..cells].to_vec();
            rules = first.iter().cycle().take(4 * cells).cloned().collect();
        }
        let bad = [(); 2].map(|()| (0..groups).map(|_| dice.below(3) == 0).collect());
        let goal = if dice.below(3) == 0 { Goal::Agreement } else { Goal::OneLeader };
        Scrambled { states, group, leads, hears, rules, bad, names_safe: dice.below(2) == 0, goal }
    }

    fn of(&self, state: u32) -> usize {
        self.group[state as usize] as usize
    }

    fn without(&self, set: usize, c: &[u32]) -> bool {
        c.iter().all(|&s| !self.bad[set][self.of(s)])
    }
}

impl Variables for Scrambled {
    type State = u32;
    fn variables(&self, s: &mut u32, v: &mut dyn Visitor) {
        v.range("s", 0, u64::from(self.states) - 1, s);
    }
}

impl Population for Scrambled {
    fn hears(&self) -> bool {
        self.hears
    }

    fn interact(&self, l: u32, r: u32, told: Told, coin: &mut impl Coin) -> (u32, u32) {
        let told = 2 * u32::from(told.initiator) + u32::from(told.responder);
        let outcomes = &self.rules[((told * self.states + l) * self.states + r) as usize];
        coin.fired(1);
        if outcomes.len() == 1 { outcomes[0] } else { outcomes[coin.below(2) as usize] }
    }

    fn marks(&self, s: &u32) -> Marks {
        Marks::LEADER.when(self.leads[self.of(*s)])
    }
}

impl Stabilizing for Scrambled {
    fn goal(&self) -> Goal {
        self.goal
    }

    fn correct(&self, c: &[u32]) -> bool {
        let leaders = c.iter().filter(|&&s| self.leads[self.of(s)]).count();
        if self.goal == Goal::OneLeader { leaders == 1 } else { leaders != 1 }
    }

    fn safety(&self) -> Safety {
        if self.names_safe { Safety::ForEver } else { Safety::Unknown }
    }

    fn safe(&self, c: &[u32]) -> bool {
        self.correct(c) && (!self.names_safe || self.without(0, c))
    }

    fn visible(&self, s: &u32, to: Reader) -> Option<u64> {
        let leads = u64::from(self.leads[self.of(*s)]);
        let bad = self.bad.each_ref().map(|bad| u64::from(bad[self.of(*s)]));
        Some(if to == Reader::Goal { leads } else { leads << 2 | bad[0] << 1 | bad[1] })
    }

    fn closed_sets(&self) -> Vec<ClosedSet<'_, u32>> {
        vec![ClosedSet::new("A", "Lemma 1", |c| self.without(1, c))]
    }
}

fn graph(dice: &mut Dice, states: u32) -> Graph {
    let n = if states < 5 { 3 + dice.below(2) as usize } else { 3 };
    match dice.below(4) {
        0 => Graph::undirected_ring(n).unwrap(),
        1 => Graph::complete(n).unwrap(),
        _ => Graph::directed_ring(n).unwrap(),
    }
}

fn same_time(a: &Time, b: &Time, what: &str) {
    for (a, b) in [(&a.worst, &b.worst), (&a.mean, &b.mean)] {
        let (x, y) = (a.bounds(), b.bounds());
        assert!(x.low <= y.high && y.low <= x.high, "{what}: {a} and {b}");
    }
}

/// The worst number of steps and the mean.
fn longest(time: &Option<Time>) -> Option<[f64; 2]> {
    time.as_ref().map(|time| [&time.worst, &time.mean].map(|value| value.bounds().low))
}

fn same(merged: &Report, plain: &Report, what: &str) {
    let sizes = |r: &Report| (r.agents, r.states, r.configurations, r.transitions, r.really_safe, r.own_safe);
    assert_eq!(sizes(merged), sizes(plain), "{what}");
    let own = |r: &Report| (r.own_is_named, r.own_is_really_safe, r.own_is_closed, r.own_is_silent, r.own_is_reached);
    assert_eq!(own(merged), own(plain), "{what}");
    assert_eq!(
        (merged.holds, merged.almost_surely, merged.tosses),
        (plain.holds, plain.almost_surely, plain.tosses),
        "{what}"
    );
    let sets = |r: &Report| r.sets.iter().map(|s| (s.name.clone(), s.configurations, s.closed)).collect::<Vec<_>>();
    assert_eq!(sets(merged), sets(plain), "{what}");
    let steps = |r: &Report| r.steps.as_ref().map(|times| [&times.to_really_safe, &times.to_own_safe].map(longest));
    assert_eq!(steps(merged), steps(plain), "{what}");
    assert_eq!(merged.expected_steps.is_some(), plain.expected_steps.is_some(), "{what}");
    if let (Some(a), Some(b)) = (&merged.expected_steps, &plain.expected_steps) {
        for (a, b) in [(&a.to_really_safe, &b.to_really_safe), (&a.to_own_safe, &b.to_own_safe)] {
            assert_eq!(a.is_some(), b.is_some(), "{what}");
            if let (Some(a), Some(b)) = (a, b) {
                same_time(a, b, what);
            }
        }
    }
}

/// Replays a counterexample by the rules of the protocol.
fn replayed(algorithm: &PopulationInstance, graph: &Graph, question: &Question, report: &Report, what: &str) {
    let runs = report.sets.iter().filter_map(|set| set.counterexample.as_ref()).chain(&report.counterexample);
    for run in runs {
        let start: Vec<Number> = run.start.iter().map(|&digit| Number(digit.into())).collect();
        let document = Document::new("x", algorithm, vec![], &start);
        let scheduler = Some(question.scheduler);
        let assumed = Assumptions { graph: None, scheduler, fairness: None, oracle: None, coins: None };
        let trace = run.trace(document, assumed, |_| vec![]);
        let played = play(&Played::Population(algorithm, graph), &trace).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert!(played.closes != Some(false), "{what}: the cycle does not close");
        let after: Vec<Vec<u32>> = run.prefix.iter().chain(&run.cycle).map(|step| step.after.clone()).collect();
        let found: Vec<Vec<u32>> =
            played.configurations[1..].iter().map(|c| c.iter().map(|s| s.0 as u32).collect()).collect();
        assert_eq!(after, found, "{what}: the states after the steps");
    }
}

#[test]
fn merged_states_give_the_numbers_of_all_states() {
    let (mut merged, mut holds, mut timed) = (0, 0, 0);
    for seed in 0..3000 {
        let mut dice = Dice::new(seed);
        let protocol = Scrambled::new(&mut dice);
        let graph = graph(&mut dice, protocol.states);
        use Scheduler::{Fair, GloballyFair, Random, Unfair};
        let scheduler = [Random, Random, GloballyFair, Fair, Unfair][dice.below(5) as usize];
        let mut question = Question::new(scheduler);
        question.symmetry = dice.below(3) > 0;
        let what = format!("seed {seed}, {scheduler}, {graph:?}");
        let algorithm = PopulationInstance::new(protocol).unwrap();
        let monitor = Monitor::new(1);
        let plain = ringleader_check::population(&algorithm, &graph, &question.clone().without_merging(), &monitor);
        let plain = plain.unwrap();
        assert_eq!(plain.state_classes, None);
        let by_default = ringleader_check::population(&algorithm, &graph, &question, &monitor).unwrap();
        same(&by_default, &plain, &what);
        let Some(report) = check_merged(&Subject::Population(&algorithm, &graph), &question, &monitor).unwrap() else {
            continue;
        };
        assert!(report.state_classes.is_some_and(|classes| classes < report.states), "{what}");
        same(&report, &plain, &what);
        replayed(&algorithm, &graph, &question, &report, &what);
        merged += 1;
        holds += u32::from(report.holds);
        timed += u32::from(report.expected_steps.is_some());
    }
    println!("{merged} protocols merged, {holds} of them hold, {timed} have expected steps");
    assert!(merged > 1500 && timed > 60 && holds > 50 && holds < merged, "{merged} {holds} {timed}");
}

/// A partition in which a single state is in the wrong class is no congruence.
#[test]
fn a_wrong_merge_is_refused() {
    let (mut planted, mut refused) = (0, 0);
    for seed in 0..400 {
        let protocol = Scrambled::new(&mut Dice::new(seed));
        let algorithm = PopulationInstance::new(protocol.clone()).unwrap();
        let tables = [RuleTable::population(&algorithm).unwrap()];
        let rules = Rules { tables: &tables, reads_states: false, marks: vec![] };
        let keys: Vec<u64> = (0..protocol.states).map(|s| protocol.leads[protocol.of(s)].into()).collect();
        let right = Partition::coarsest(&keys, &rules, &|_| true).unwrap();
        assert!(right.is_congruence(&rules), "seed {seed}");
        // Two classes of the coarsest partition with equal keys become one: some row must differ, if no other class is touched
        // the partition would be a coarser congruence.
        let class = &right.class;
        let pairs = (0..right.classes() as u32).flat_map(|b| (0..b).map(move |a| (a, b)));
        for (a, b) in pairs.filter(|&(a, b)| keys[right.of[a as usize] as usize] == keys[right.of[b as usize] as usize])
        {
            let wrong = Partition::by_key(class.iter().map(|&c| if c == b { a } else { c }));
            planted += 1;
            refused += u32::from(!wrong.is_congruence(&rules));
        }
    }
    assert!(planted > 100, "{planted}");
    assert_eq!(planted, refused);
}

/// The same protocol on a ring or a line of processes: a process takes the part of the responder. If it reads both neighbours,
/// the group of the right one replaces the answers of a detector.
#[derive(Clone)]
struct Chained {
    rules: Scrambled,
    chain: Chain,
    reads: Reads,
}

impl Variables for Chained {
    type State = u32;
    fn variables(&self, s: &mut u32, v: &mut dyn Visitor) {
        self.rules.variables(s, v);
    }
}

impl Ring for Chained {
    fn chain(&self) -> Chain {
        self.chain
    }

    fn reads(&self) -> Reads {
        self.reads
    }

    fn act(&self, view: View<u32>, coin: &mut impl Coin) -> u32 {
        let right = if self.reads == Reads::BothSides { self.rules.of(view.right) % 4 } else { 0 };
        self.rules.interact(view.left, view.own, Told::each(right > 1, right % 2 == 1), coin).1
    }

    fn marks(&self, view: View<u32>) -> Marks {
        Population::marks(&self.rules, &view.own)
    }
}

impl Stabilizing for Chained {
    fn goal(&self) -> Goal {
        self.rules.goal()
    }

    fn correct(&self, c: &[u32]) -> bool {
        self.rules.correct(c)
    }

    fn safety(&self) -> Safety {
        self.rules.safety()
    }

    fn safe(&self, c: &[u32]) -> bool {
        self.rules.safe(c)
    }

    fn visible(&self, s: &u32, to: Reader) -> Option<u64> {
        self.rules.visible(s, to)
    }

    fn closed_sets(&self) -> Vec<ClosedSet<'_, u32>> {
        self.rules.closed_sets()
    }
}

#[test]
fn merged_states_of_rings_and_lines_give_the_numbers_of_all_states() {
    let (mut merged, mut holds, mut timed) = (0, 0, 0);
    for seed in 0..1000 {
        let mut dice = Dice::new(seed);
        let rules = Scrambled::new(&mut dice);
        let chain = if dice.below(3) == 0 { Chain::Line } else { Chain::Ring };
        let reads = if dice.below(3) == 0 { Reads::BothSides } else { Reads::Left };
        use Scheduler::{Fair, GloballyFair, Random, Unfair};
        let scheduler = [Random, Random, GloballyFair, Fair, Unfair][dice.below(5) as usize];
        let mut question = Question::new(scheduler);
        question.symmetry = dice.below(3) > 0;
        let what = format!("seed {seed}, {scheduler}, {chain:?}, {reads:?}");
        let algorithm = RingInstance::new(Chained { rules, chain, reads }).unwrap();
        let monitor = Monitor::new(1);
        let plain = ringleader_check::ring(&algorithm, 3, &question.clone().without_merging(), &monitor).unwrap();
        let report = check_merged(&Subject::Ring(&algorithm, 3), &question, &monitor).unwrap();
        let Some(report) = report else { continue };
        assert!(report.state_classes.is_some_and(|classes| classes < report.states), "{what}");
        same(&report, &plain, &what);
        merged += 1;
        holds += u32::from(report.holds);
        timed += u32::from(report.expected_steps.is_some());
    }
    println!("{merged} protocols merged, {holds} of them hold, {timed} have expected steps");
    assert!(merged > 300 && timed > 10 && holds > 10 && holds < merged, "{merged} {holds} {timed}");
}

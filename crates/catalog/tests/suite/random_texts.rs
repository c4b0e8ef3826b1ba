//! Random texts for random graphs: the compiled text against an evaluation of its tree, and the checker against the naive twin.

use ringleader_check::{Counterexample, Monitor, Question, Report, graph};
use ringleader_erased::{GraphInstance, Instance, Number, Parameters};
use ringleader_language::Source;
use ringleader_model::graph::Neighbours;
use ringleader_model::text::print_state_at;
use ringleader_model::trace::{Actor, Script};
use ringleader_model::{
    Coin, Goal, Graph, Marks, Networked, Odometer, Scheduler, Stabilizing, Variables, Vicinity, Visitor,
};
use ringleader_testkit::configurations::{Network, Together, count, greatest_closed, longest, unable_to_reach};
use std::collections::BTreeSet;

/// A generator (SplitMix64).
pub(super) struct Mix(pub(super) u64);

impl Mix {
    pub(super) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 32) % n
    }
}

/// A number. Neighbours are those of the quantifiers around it, by depth from the outside.
#[derive(Clone, Debug)]
enum Num {
    Const(i64),
    Own,
    Neighbour(usize),
    Pointed,
    Degree,
    Identity,
    Plus(Box<Num>, Box<Num>),
    Count(Box<Cond>),
    Least(Box<Num>),
    Greatest(Box<Num>),
    Either(Box<Cond>, Box<Num>, Box<Num>),
}

#[derive(Clone, Debug)]
enum Cond {
    Compare(&'static str, Num, Num),
    Root,
    None,
    PointsAt(usize),
    PointsHere(usize),
    Not(Box<Cond>),
    Both(Box<Cond>, Box<Cond>),
    OneOf(Box<Cond>, Box<Cond>),
    Some(Box<Cond>),
    All(Box<Cond>),
}

/// `x := number mod 3`, and `p := none` or `p := j`.
#[derive(Clone, Debug)]
struct Rule {
    each: bool,
    guard: Cond,
    x: Num,
    points: Option<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Written {
    any: bool,
    pointer: bool,
    identities: bool,
    rules: Vec<Rule>,
    right: Cond,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct State {
    x: u8,
    p: u8,
}

impl Written {
    pub(super) fn new(mix: &mut Mix, pointer: bool) -> Written {
        let (any, identities) = (mix.below(2) == 1, mix.below(2) == 1);
        let mut written = Written { any, pointer, identities, rules: vec![], right: Cond::Root };
        for _ in 0..1 + mix.below(3) {
            let each = any && mix.below(2) == 1;
            let (guard, x) = (written.cond(mix, usize::from(each), 3), written.num(mix, usize::from(each), 2));
            let points = (pointer && mix.below(3) > 0).then_some(each);
            written.rules.push(Rule { each, guard, x, points });
        }
        written.right = written.cond(mix, 0, 3);
        written
    }

    fn num(&self, mix: &mut Mix, bound: usize, fuel: u64) -> Num {
        let inner = |mix: &mut Mix, bound| Box::new(self.num(mix, bound, fuel - 1));
        match mix.below(if fuel == 0 { 6 } else { 11 }) {
            0 => Num::Const(mix.below(4) as i64),
            1 if bound > 0 => Num::Neighbour(mix.below(bound as u64) as usize),
            2 if self.pointer => Num::Pointed,
            3 => Num::Degree,
            4 if self.identities => Num::Identity,
            6 => Num::Plus(inner(mix, bound), inner(mix, bound)),
            7 if bound < 2 => Num::Count(Box::new(self.cond(mix, bound + 1, fuel - 1))),
            8 if bound < 2 => Num::Least(inner(mix, bound + 1)),
            9 if bound < 2 => Num::Greatest(inner(mix, bound + 1)),
            10 => Num::Either(Box::new(self.cond(mix, bound, fuel - 1)), inner(mix, bound), inner(mix, bound)),
            _ => Num::Own,
        }
    }

    fn cond(&self, mix: &mut Mix, bound: usize, fuel: u64) -> Cond {
        let inner = |mix: &mut Mix, bound| Box::new(self.cond(mix, bound, fuel - 1));
        match mix.below(if fuel == 0 { 5 } else { 11 }) {
            0 => Cond::Root,
            1 if self.pointer => Cond::None,
            2 if self.pointer && bound > 0 => Cond::PointsAt(mix.below(bound as u64) as usize),
            3 if self.pointer && bound > 0 => Cond::PointsHere(mix.below(bound as u64) as usize),
            6 => Cond::Not(inner(mix, bound)),
            7 => Cond::Both(inner(mix, bound), inner(mix, bound)),
            8 => Cond::OneOf(inner(mix, bound), inner(mix, bound)),
            9 if bound < 2 => Cond::Some(inner(mix, bound + 1)),
            10 if bound < 2 => Cond::All(inner(mix, bound + 1)),
            _ => {
                let sign = ["=", "!=", "<", "<="][mix.below(4) as usize];
                Cond::Compare(sign, self.num(mix, bound, fuel.min(2)), self.num(mix, bound, fuel.min(1)))
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let pointer = if self.pointer { "state p : neighbour or none\n" } else { "" };
        let rule = |rule: &Rule| {
            let (each, bound) = if rule.each { ("for some j0 : ", 1) } else { ("", 0) };
            let points = rule.points.map_or("", |each| if each { "; p := j0" } else { "; p := none" });
            // The value is computed before the pointer changes.
            format!("  {each}{} -> x := ({}) mod 3{points}\n", rule.guard.text(bound), rule.x.text(bound))
        };
        format!(
            "protocol random\nmodel graph\n{}state x : 0..2\n{pointer}let right = {}\n{}:\n{}goal all i : right[i] \"random\"\n",
            if self.identities { "identities\n" } else { "" },
            self.right.text(0),
            if self.any { "any" } else { "first" },
            self.rules.iter().map(rule).collect::<String>()
        )
    }
}

impl Num {
    fn text(&self, bound: usize) -> String {
        match self {
            Num::Const(value) => value.to_string(),
            Num::Own => "x".into(),
            Num::Neighbour(j) => format!("x[j{j}]"),
            Num::Pointed => "x[p]".into(),
            Num::Degree => "degree".into(),
            Num::Identity => "identity".into(),
            Num::Plus(a, b) => format!("({} + {})", a.text(bound), b.text(bound)),
            Num::Count(c) => format!("(count j{bound} : {})", c.text(bound + 1)),
            Num::Least(a) => format!("(min j{bound} : {})", a.text(bound + 1)),
            Num::Greatest(a) => format!("(max j{bound} : {})", a.text(bound + 1)),
            Num::Either(c, a, b) => {
                format!("(if {} then {} else {})", c.text(bound), a.text(bound), b.text(bound))
            }
        }
    }

    fn of(&self, view: &Vicinity<'_, State>, ports: &[usize]) -> i64 {
        let all = |a: &Num| -> Vec<i64> {
            (0..view.neighbours.len()).map(|port| a.of(view, &[ports, &[port]].concat())).collect()
        };
        match self {
            Num::Const(value) => *value,
            Num::Own => view.own.x.into(),
            Num::Neighbour(j) => view.neighbours[ports[*j]].x.into(),
            Num::Pointed => {
                let port = (view.own.p as usize).checked_sub(1);
                port.and_then(|port| view.neighbours.get(port)).unwrap_or(&view.own).x.into()
            }
            Num::Degree => view.neighbours.len() as i64,
            Num::Identity => view.process as i64 + 1,
            Num::Plus(a, b) => a.of(view, ports) + b.of(view, ports),
            Num::Count(c) => {
                (0..view.neighbours.len()).filter(|&port| c.of(view, &[ports, &[port]].concat())).count() as i64
            }
            Num::Least(a) => all(a).into_iter().min().expect("a neighbour"),
            Num::Greatest(a) => all(a).into_iter().max().expect("a neighbour"),
            Num::Either(c, a, b) => if c.of(view, ports) { a } else { b }.of(view, ports),
        }
    }
}

impl Cond {
    fn text(&self, bound: usize) -> String {
        match self {
            Cond::Compare(sign, a, b) => format!("({} {sign} {})", a.text(bound), b.text(bound)),
            Cond::Root => "root".into(),
            Cond::None => "p = none".into(),
            Cond::PointsAt(j) => format!("p = j{j}"),
            Cond::PointsHere(j) => format!("p[j{j}] = me"),
            Cond::Not(c) => format!("(not ({}))", c.text(bound)),
            Cond::Both(a, b) => format!("(({}) and ({}))", a.text(bound), b.text(bound)),
            Cond::OneOf(a, b) => format!("(({}) or ({}))", a.text(bound), b.text(bound)),
            Cond::Some(c) => format!("(some j{bound} : {})", c.text(bound + 1)),
            Cond::All(c) => format!("(all j{bound} : {})", c.text(bound + 1)),
        }
    }

    fn of(&self, view: &Vicinity<'_, State>, ports: &[usize]) -> bool {
        let mut each = (0..view.neighbours.len()).map(|port| [ports, &[port]].concat());
        match self {
            Cond::Compare(sign, a, b) => {
                let (a, b) = (a.of(view, ports), b.of(view, ports));
                match *sign {
                    "=" => a == b,
                    "!=" => a != b,
                    "<" => a < b,
                    _ => a <= b,
                }
            }
            Cond::Root => view.process == 0,
            Cond::None => view.own.p == 0,
            Cond::PointsAt(j) => view.own.p as usize == ports[*j] + 1,
            Cond::PointsHere(j) => u32::from(view.neighbours[ports[*j]].p) == view.back[ports[*j]],
            Cond::Not(c) => !c.of(view, ports),
            Cond::Both(a, b) => a.of(view, ports) && b.of(view, ports),
            Cond::OneOf(a, b) => a.of(view, ports) || b.of(view, ports),
            Cond::Some(c) => each.any(|ports| c.of(view, &ports)),
            Cond::All(c) => each.all(|ports| c.of(view, &ports)),
        }
    }
}

/// The tree of a text on a graph.
#[derive(Clone)]
struct Tree {
    written: Written,
    neighbours: Neighbours,
}

impl Tree {
    /// The states after each rule that may be taken.
    fn options(&self, view: &Vicinity<'_, State>) -> Vec<State> {
        let mut options = vec![];
        for rule in &self.written.rules {
            let ports: Vec<Vec<usize>> =
                if rule.each { (0..view.neighbours.len()).map(|port| vec![port]).collect() } else { vec![vec![]] };
            for ports in ports.iter().filter(|ports| rule.guard.of(view, ports)) {
                let p = rule.points.map_or(view.own.p, |each| if each { ports[0] as u8 + 1 } else { 0 });
                options.push(State { x: rule.x.of(view, ports).rem_euclid(3) as u8, p });
            }
        }
        options.truncate(if self.written.any { usize::MAX } else { 1 });
        options
    }
}

impl Variables for Tree {
    type State = State;
    fn variables(&self, state: &mut State, v: &mut dyn Visitor) {
        v.range("x", 0, 2, &mut state.x);
        if self.written.pointer {
            v.range("p", 0, self.neighbours.most() as u64, &mut state.p);
        }
    }
}

impl Networked for Tree {
    fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }
    fn act(&self, view: Vicinity<'_, State>, coin: &mut impl Coin) -> State {
        let options = self.options(&view);
        match options.len() {
            0 => view.own,
            1 => options[0],
            several => options[coin.choose(several as u32) as usize],
        }
    }
    fn marks(&self, _: Vicinity<'_, State>) -> Marks {
        Marks::NONE
    }
    fn pointers(&self) -> Vec<String> {
        if self.written.pointer { vec!["p".into()] } else { vec![] }
    }
}

impl Stabilizing for Tree {
    fn goal(&self) -> Goal {
        Goal::Holds("random")
    }
    fn correct(&self, c: &[State]) -> bool {
        (0..c.len()).all(|process| {
            let neighbours: Vec<State> = self.neighbours.of(process).iter().map(|&at| c[at as usize]).collect();
            let back = self.neighbours.back(process);
            self.written.right.of(&Vicinity { process, own: c[process], neighbours: &neighbours, back }, &[])
        })
    }
    /// A pointer points at a neighbour that exists.
    fn restore(&self, c: &mut [State]) {
        for (process, state) in c.iter_mut().enumerate() {
            state.p = state.p.min(self.neighbours.of(process).len() as u8);
        }
    }
    fn names_places(&self) -> bool {
        true
    }
}

/// All states that a process can have after a step in which it reads these.
fn after(instance: &GraphInstance, process: usize, read: &[u64]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    Odometer::each(|coin| {
        let own = instance.try_act(process, read, coin).unwrap_or_else(|wrong| panic!("{wrong}"));
        found.insert(print_state_at(instance, process, &ringleader_erased::Number(own)));
    });
    found
}

#[test]
fn random_texts_on_random_graphs_do_what_they_say() {
    use Scheduler::{Distributed, GloballyFair, LocallyCentral, Synchronous, Unfair};
    let graphs: Vec<Graph> = (2..=4).flat_map(|size| Graph::all_connected(size).unwrap()).collect();
    let (mut held, mut failed, mut steps_seen, mut warned) = (0, 0, 0, 0);
    for seed in 0..150 {
        let mut mix = Mix(seed);
        let on = &graphs[mix.below(graphs.len() as u64) as usize];
        let written = Written::new(&mut mix, on.size() < 4 && seed % 2 == 0);
        let text = written.text();
        let protocol = Source::parse("random.ring", &text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        warned += usize::from(!protocol.warnings().is_empty());
        let parameters = Parameters::new(on.size()).on(on.clone());
        let Ok(Instance::Graph(instance)) = protocol.instance(&parameters) else { panic!("{text}") };
        let tree = GraphInstance::new(Tree { written, neighbours: on.neighbours() }).unwrap();
        assert_eq!(instance.states(), tree.states(), "{text}");
        let neighbours = on.neighbours();
        for process in 0..on.size() {
            let degree = neighbours.of(process).len() as u32;
            for at in 0..instance.states().pow(degree + 1) {
                let read: Vec<u64> = (0..=degree).map(|i| at / instance.states().pow(i) % instance.states()).collect();
                let places = std::iter::once(process as u32).chain(neighbours.of(process).iter().copied());
                let mut whole = vec![ringleader_erased::Number(0); on.size()];
                places.zip(&read).for_each(|(place, &state)| whole[place as usize].0 = state);
                let mut restored = whole.clone();
                tree.restore(&mut restored);
                if restored == whole {
                    assert_eq!(
                        after(&instance, process, &read),
                        after(&tree, process, &read),
                        "{text}{process} {read:?}"
                    );
                    steps_seen += 1;
                }
            }
        }
        for (scheduler, daemon) in [
            (Unfair, Together::One),
            (Distributed, Together::Any),
            (LocallyCentral, Together::Apart),
            (Synchronous, Together::All),
            (GloballyFair, Together::One),
        ] {
            let report =
                graph(&instance, &Question::new(scheduler), &Monitor::new(1)).unwrap_or_else(|stop| panic!("{stop}"));
            let twin = Network::new(tree.clone(), daemon);
            let safe = greatest_closed(&twin, twin.set(|a, c| a.correct(c)), |_, _| true);
            let sizes = (report.configurations, report.really_safe);
            assert_eq!(
                sizes,
                (twin.configurations() as u64, count(&safe) as u64),
                "{scheduler} on {}\n{text}",
                on.words()
            );
            let steps = longest(&twin, &safe);
            let holds = match scheduler {
                GloballyFair => unable_to_reach(&twin, &safe).is_none(),
                _ => steps.is_ok(),
            };
            assert_eq!(report.holds, holds, "{scheduler} on {}\n{text}", on.words());
            let worst = report.steps.as_ref().and_then(|times| times.to_really_safe.as_ref());
            if let (Some(worst), Ok(steps)) = (worst, steps) {
                assert_eq!(worst.worst.bounds().high, f64::from(steps), "{scheduler} on {}\n{text}", on.words());
            }
            if holds { held += 1 } else { failed += 1 }
        }
    }
    assert!(held > 60 && failed > 60 && steps_seen > 10_000, "{held} {failed} {steps_seen} {warned}");
}

/// The counts and the times of a report. Bounds on the times may differ in their last digits.
fn numbers(report: &Report) -> (Vec<u64>, Vec<f64>) {
    let yes = [report.holds, report.own_is_closed, report.own_is_silent, report.own_is_reached == Some(true)];
    let counts = [report.configurations, report.transitions, report.really_safe, report.own_safe];
    let times = [&report.steps, &report.expected_steps].into_iter().flatten();
    let times = times.flat_map(|times| [&times.to_really_safe, &times.to_own_safe]).flatten();
    let times = times.flat_map(|time| [time.worst.bounds().high, time.mean.bounds().high]);
    (counts.into_iter().chain(yes.map(u64::from)).collect(), times.collect())
}

/// Takes the steps of a counterexample with their coins. Returns the configuration in which its cycle begins.
pub(super) fn replayed(instance: &GraphInstance, run: &Counterexample, what: &str) -> Vec<Number> {
    let numbers = |states: &[u32]| -> Vec<Number> { states.iter().map(|&state| Number(state.into())).collect() };
    let mut now = numbers(&run.start);
    let mut begun = None;
    for (at, step) in run.prefix.iter().chain(&run.cycle).enumerate() {
        if at == run.prefix.len() {
            begun = Some(now.clone());
        }
        let Actor::Process(process) = step.actor else { panic!("{what}") };
        let mut coin = Script::new(&step.coin);
        let own = instance.try_act(process, &instance.read(process, &now), &mut coin);
        now[process].0 = own.unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        let coin = coin.finish(at).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
        assert_eq!((&now, &coin.rules), (&numbers(&step.after), &step.rules), "{what}");
    }
    let begun = begun.unwrap_or_else(|| now.clone());
    assert!(run.cycle.is_empty() || begun == now, "{what}: the cycle does not close");
    begun
}

/// The number of configurations that can be reached.
fn reachable(instance: &GraphInstance, from: Vec<Number>) -> u64 {
    let (mut seen, mut open) = (BTreeSet::from([from.clone()]), vec![from]);
    while let Some(now) = open.pop() {
        for process in 0..now.len() {
            Odometer::each(|coin| {
                let mut next = now.clone();
                next[process].0 = instance.try_act(process, &instance.read(process, &now), coin).unwrap();
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            });
        }
    }
    seen.len() as u64
}

/// With and without the automorphisms of the graph, every number is the same.
#[test]
fn automorphisms_change_no_number() {
    use Scheduler::{Distributed, Fair, GloballyFair, LocallyCentral, LocallyFair, Random, Synchronous, Unfair};
    let graphs: Vec<Graph> = (2..=4).flat_map(|size| Graph::all_connected(size).unwrap()).collect();
    // How often there were orbits, by the kind of text; and counterexamples among them.
    let (mut folded, mut shown, mut trapped) = ([0; 8], 0, 0);
    for seed in 0..240 {
        let mut mix = Mix(seed + 1000);
        let on = &graphs[mix.below(graphs.len() as u64) as usize];
        let written = Written::new(&mut mix, on.size() < 4 && seed % 2 == 0);
        let leads = seed % 3 == 0;
        let text = match leads {
            true => {
                written.text().replace("goal all i : right[i] \"random\"", "show leader when right\ngoal one leader")
            }
            false => written.text(),
        };
        let protocol = Source::parse("random.ring", &text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        let Ok(Instance::Graph(instance)) = protocol.instance(&Parameters::new(on.size()).on(on.clone())) else {
            panic!("{text}")
        };
        for scheduler in [Unfair, GloballyFair, Random, Fair, LocallyFair, Distributed, LocallyCentral, Synchronous] {
            let what = format!("{scheduler} on {}\n{text}", on.words());
            let ask = |question: Question| {
                graph(&instance, &question, &Monitor::new(1)).unwrap_or_else(|stop| panic!("{what}{stop}"))
            };
            let (found, plain) = (ask(Question::new(scheduler)), ask(Question::new(scheduler).without_symmetry()));
            let ((counts, times), (known, known_times)) = (numbers(&found), numbers(&plain));
            assert_eq!((counts, times.len()), (known, known_times.len()), "{what}");
            for (time, known) in times.iter().zip(&known_times) {
                assert!((time - known).abs() <= 1e-6 * (1.0 + known), "{what}: {time}, not {known}");
            }
            assert!(plain.classes.is_none() && found.counterexample.is_some() == plain.counterexample.is_some());
            let Some(classes) = found.classes else { continue };
            assert!(classes.count < found.configurations, "{what}");
            folded[usize::from(leads) + 2 * usize::from(written.pointer) + 4 * usize::from(text.contains("root"))] += 1;
            let Some(run) = &found.counterexample else { continue };
            shown += 1;
            let begun = replayed(&instance, run, &what);
            if let (GloballyFair | Random, Some(size)) = (scheduler, run.recurring) {
                assert_eq!(size, reachable(&instance, begun), "{what}");
                trapped += u32::from(size > 1);
            }
        }
    }
    assert!(folded.iter().all(|&count| count > 2) && shown > 40 && trapped > 5, "{folded:?} {shown} {trapped}");
}

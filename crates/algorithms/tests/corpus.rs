//! The cases of the corpus that concern population protocols and rings, judged by the naive checker.

mod naive;

use naive::{Alternating, Changing, Moves, System, count, expected_steps, leaving, longest, unable_to_reach};
use ringleader_algorithms::catalog::{self, Visitor};
use ringleader_algorithms::{Kind, Layers, Parameters, Topology};
use ringleader_model::{Population, Ring, Scheduler, Stabilizing, Terminating, Timed, number};
use std::collections::BTreeMap;
use std::path::Path;
use toml::{Table, Value};

/// More configurations than this are left to better checkers.
const MOST: u64 = 34_000_000;

const KEYS: [&str; 16] = [
    "algorithm",
    "size",
    "parameters",
    "scheduler",
    "oracle",
    "layers",
    "expect",
    "configurations",
    "really_safe",
    "own_safe",
    "worst_steps",
    "worst_expected_steps",
    "mean_expected_steps",
    "closed_sets",
    "tolerance",
    "source",
];

#[derive(Default)]
struct Verdict {
    holds: bool,
    counts: BTreeMap<&'static str, usize>,
    closed_sets: BTreeMap<&'static str, usize>,
    expected: BTreeMap<&'static str, f64>,
}

struct Judge<'a> {
    case: &'a Table,
    size: usize,
    topology: Topology,
    scheduler: Scheduler,
}

impl Judge<'_> {
    fn fits<A: Stabilizing>(&self, algorithm: &A) -> bool {
        number::states(algorithm).and_then(|states| states.checked_pow(self.size as u32)).is_some_and(|all| all <= MOST)
    }

    fn wants(&self, key: &str) -> bool {
        self.case.contains_key(key)
    }

    /// What is the same under every scheduler.
    fn counts<A: Stabilizing<State: Copy>>(&self, system: &System<A>, own: &[bool]) -> Verdict {
        let mut verdict = Verdict { holds: leaving(system, own).is_none(), ..Verdict::default() };
        verdict.counts.insert("configurations", (0..system.len()).filter(|&c| system.exists(c)).count());
        verdict.counts.insert("own_safe", count(own));
        let mut sets = A::closed_sets();
        if let Some(last) = sets.pop() {
            verdict.closed_sets.insert(last.name, count(own));
        }
        for set in sets {
            let members = system.set(set.contains);
            verdict.holds &= leaving(system, &members).is_none();
            verdict.closed_sets.insert(set.name, count(&members));
        }
        verdict
    }

    /// Under global fairness: everything reaches the algorithm's own safe set, and that is really safe.
    fn globally<A: Stabilizing<State: Copy>>(&self, system: &System<A>) -> Verdict {
        let own = system.set(|a, c| a.safe(c));
        let mut verdict = self.counts(system, &own);
        let safe = system.really_safe();
        verdict.counts.insert("really_safe", count(&safe));
        verdict.holds &= own.iter().zip(&safe).all(|(&own, &real)| real || !own);
        verdict.holds &= unable_to_reach(system, &own).is_none();
        if verdict.holds && self.wants("worst_expected_steps") {
            let steps = expected_steps(system, &safe);
            let mean = steps.iter().sum::<f64>() / verdict.counts["configurations"] as f64;
            verdict.expected.insert("worst_expected_steps", steps.iter().copied().fold(0.0, f64::max));
            verdict.expected.insert("mean_expected_steps", mean);
        }
        verdict
    }

    /// Under every schedule of a class: no run stays outside the safe set for ever.
    fn always<A: Stabilizing<State: Copy>>(&self, system: &System<A>) -> Verdict {
        let own = system.set(|a, c| a.safe(c));
        let mut verdict = self.counts(system, &own);
        if self.wants("really_safe") {
            verdict.counts.insert("really_safe", count(&system.really_safe()));
        }
        let steps = match self.scheduler {
            Scheduler::Alternating => longest(&Alternating(system), &Alternating(system).lift(&own)),
            _ => longest(&Changing(system), &own),
        };
        verdict.holds &= steps.is_ok();
        if let Ok(steps) = steps {
            verdict.counts.insert("worst_steps", steps as usize);
        }
        verdict
    }
}

impl Visitor for Judge<'_> {
    type Output = Option<Verdict>;

    fn population<A: Population + Stabilizing + 'static>(self, algorithm: A) -> Self::Output {
        let known = matches!(self.scheduler, Scheduler::Random | Scheduler::GloballyFair) && self.fits(&algorithm);
        known.then(|| self.globally(&System::population(algorithm, &naive::graph(self.topology, self.size))))
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, algorithm: A) -> Self::Output {
        let known = matches!(self.scheduler, Scheduler::Unfair | Scheduler::Alternating) && self.fits(&algorithm);
        known.then(|| self.always(&System::ring(algorithm, self.size)))
    }

    fn message<A: Terminating + 'static>(self, _: A) -> Self::Output {
        None
    }

    fn robust<A: Timed + 'static>(self, _: A) -> Self::Output {
        None
    }
}

fn word<'a>(case: &'a Table, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("{key} is missing or no word in {case}"))
}

fn number(value: &Value) -> f64 {
    value.as_float().or(value.as_integer().map(|n| n as f64)).unwrap_or_else(|| panic!("{value} is no number"))
}

fn parameters(case: &Table) -> Parameters {
    let size = case["size"].as_integer().expect("size is a number") as usize;
    let given = case.get("parameters").and_then(Value::as_table).into_iter().flatten();
    let parameters = given.fold(Parameters::new(size), |all, (name, value)| {
        all.with(name, value.as_str().expect("parameters are words"))
    });
    let layers = case.get("layers").and_then(Value::as_array).into_iter().flatten();
    let layers: Vec<_> = layers.map(|layer| layer.as_str().expect("layers are words")).collect();
    if layers.is_empty() { parameters } else { parameters.with("layers", layers.join(",")) }
}

/// Judges a case, and compares every number that it gives; whether it could.
fn run(case: &Table) -> bool {
    let name = word(case, "algorithm");
    let card = catalog::card(name).expect("the corpus names algorithms of the catalogue");
    let parameters = parameters(case);
    if !matches!(card.kind, Kind::Population | Kind::Ring) {
        return false;
    }
    let scheduler: Scheduler = word(case, "scheduler").parse().expect("the corpus names schedulers");
    assert!(case.keys().all(|key| KEYS.contains(&key.as_str())), "unknown key in {case}");
    if word(case, "expect") == "refused" {
        let refusal = catalog::supports(name, &parameters);
        assert!(refusal.is_err(), "{case} is not refused");
        return true;
    }
    let layers: Layers = parameters.layers().expect("the corpus names layers");
    if layers.oracle(card).is_some() {
        assert_eq!(word(case, "oracle"), "perfect", "the naive checker knows no other oracle");
    }
    let judge = Judge { case, size: parameters.size, topology: layers.topology(card), scheduler };
    let Some(verdict) = catalog::visit(name, &parameters, judge).expect("the checker builds every size") else {
        return false;
    };
    assert_eq!(verdict.holds, word(case, "expect") == "holds", "{case}");
    for (key, value) in verdict.counts {
        if let Some(expected) = case.get(key) {
            assert_eq!(value as f64, number(expected), "{key} of {case}");
        }
    }
    for (key, value) in case.get("closed_sets").and_then(Value::as_table).into_iter().flatten() {
        assert_eq!(verdict.closed_sets.get(key.as_str()).map(|&n| n as f64), Some(number(value)), "{key} of {case}");
    }
    for (key, value) in verdict.expected {
        if let Some(expected) = case.get(key) {
            let tolerance = number(&case["tolerance"]);
            assert!((value - number(expected)).abs() < tolerance, "{key} is {value}, not that of {case}");
        }
    }
    true
}

#[test]
fn the_naive_checker_agrees_with_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut judged = 0;
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus is there").map(|f| f.unwrap().path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let table: Table = text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for case in table["case"].as_array().expect("a file is a list of cases") {
            let case = case.as_table().expect("a case is a table");
            assert!(!word(case, "source").is_empty(), "every case says where it comes from");
            judged += usize::from(run(case));
        }
    }
    assert!(judged > 40, "only {judged} cases were judged");
}

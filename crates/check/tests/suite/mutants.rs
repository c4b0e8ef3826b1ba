//! Broken variants of every algorithm: the number that the checker detects, and the properties of the others.
//!
//! `MUTANTS=overwrite cargo test -p ringleader-check --test suite mutants::` writes docs/mutants.md anew; otherwise it is compared.

mod mutation;

use mutation::{Fields, Mutation};
use ringleader_algorithms::population::angluin_ring::AngluinRing;
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::layers::Distance;
use ringleader_algorithms::population::layers::two_hop_colouring::TwoHopColouring;
use ringleader_algorithms::population::ring_orientation::RingOrientation;
use ringleader_algorithms::population::token_circulation::TokenCirculation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::alternator::Alternator;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_algorithms::ring::stack::Stack;
use ringleader_check::parts::{self, StateGraph as _, Survey};
use ringleader_check::{Monitor, Question, Report, Subject, Time};
use ringleader_erased::{PopulationInstance, RingInstance, RuleTable};
use ringleader_model::{Graph, Population, Ring, Scheduler, Stabilizing};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

/// An algorithm at one size.
struct Size {
    name: String,
    survey: Survey,
    fields: Fields,
    question: Question,
    mutations: Vec<Mutation>,
}

impl Size {
    fn population<A: Population + Stabilizing + 'static>(
        name: &str,
        algorithm: A,
        graph: &Graph,
        scheduler: Scheduler,
    ) -> Size {
        let question = Question::new(scheduler);
        let fields = Fields::of(&algorithm);
        let algorithm = PopulationInstance::new(algorithm).unwrap();
        let survey = Survey::of(&Subject::Population(&algorithm, graph), &question, &Monitor::new(2)).unwrap();
        Size::new(name, survey, fields, question)
    }

    fn on_ring<A: Population + Stabilizing + 'static>(name: &str, algorithm: A, n: usize) -> Size {
        Size::population(name, algorithm, &Graph::directed_ring(n).unwrap(), Scheduler::Random)
    }

    fn ring<A: Ring + Stabilizing + 'static>(name: &str, algorithm: A, n: usize, scheduler: Scheduler) -> Size {
        let question = Question::new(scheduler);
        let fields = Fields::of(&algorithm);
        let algorithm = RingInstance::new(algorithm).unwrap();
        let survey = Survey::of(&Subject::Ring(&algorithm, n), &question, &Monitor::new(2)).unwrap();
        Size::new(name, survey, fields, question)
    }

    fn new(name: &str, survey: Survey, fields: Fields, question: Question) -> Size {
        let tables = &survey.system.tables;
        let rules: BTreeSet<u8> =
            tables.iter().flat_map(|t| t.changes().iter().flat_map(|&o| t.rules(o).to_vec())).collect();
        let mutations = Mutation::all(rules.into_iter(), &fields);
        Size { name: name.into(), survey, fields, question, mutations }
    }

    fn mutant(&self, mutation: Mutation) -> Vec<RuleTable> {
        self.survey.system.tables.iter().map(|table| mutation.apply(table, &self.fields)).collect()
    }

    fn check(&self, tables: Vec<RuleTable>) -> Report {
        parts::check(&self.survey.with_tables(tables), &self.question, &Monitor::new(2)).unwrap()
    }

    /// The pairs of states (with table and input choice) at which a mutant differs, if some configuration has one of them.
    fn differs_somewhere(&self, mutant: &[RuleTable]) -> bool {
        let system = &self.survey.system;
        (0..system.size() as u32).filter(|&node| self.survey.possible(node)).any(|node| {
            let c = system.configuration(node);
            let digits = system.space.digits(c);
            let choice = if system.has_inputs() && system.leaders(c) != 0 { 3 } else { 0 };
            system.sites.iter().any(|site| {
                let (old, new) = (&system.tables[site.table], &mutant[site.table]);
                let cell = old.cell(choice, digits[site.left], digits[site.right]);
                cell.into_iter().any(|at| {
                    let (a, b) = (old.changes()[at], new.changes()[at]);
                    (a.left, a.right) != (b.left, b.right)
                })
            })
        })
    }
}

fn time(report: &Report) -> Option<&Time> {
    report.steps.as_ref().or(report.expected_steps.as_ref())?.to_really_safe.as_ref()
}

/// How a correct mutant compares with the original, whose times are exact to nine digits.
fn compare(original: &Report, mutant: &Report) -> (&'static str, String) {
    let Some((old, new)) = time(original).zip(time(mutant)) else {
        return ("still correct", "this scheduler has no times to compare".into());
    };
    let shown = |old: f64, new: f64| if near(old, new) { format!("{old:.4}") } else { format!("{old:.4} to {new:.4}") };
    let [old_mean, new_mean] = [old, new].map(|time| time.mean.bounds().high);
    let [old_worst, new_worst] = [old, new].map(|time| time.worst.bounds().high);
    let what = match () {
        () if !near(old_mean, new_mean) && new_mean > old_mean => "slower",
        () if !near(old_mean, new_mean) => "faster",
        () if near(old_worst, new_worst) => "as fast",
        () if new_worst > old_worst => "slower",
        () => "faster",
    };
    (what, format!("mean {}, worst {}", shown(old_mean, new_mean), shown(old_worst, new_worst)))
}

fn near(x: f64, y: f64) -> bool {
    (x - y).abs() <= 1e-8 * x.max(y)
}

/// Checks all mutants of an algorithm at all sizes. Returns a line for the table, and the properties of every survivor.
fn section(name: &str, sizes: &[Size]) -> (String, String) {
    let originals: Vec<Report> = sizes.iter().map(|size| size.check(size.survey.system.tables.to_vec())).collect();
    assert!(originals.iter().all(|o| o.holds && o.own_is_reached == Some(true)), "{name}");
    let (mut seen, mut survivors) = (HashSet::new(), String::new());
    let (mut all, mut caught) = (0, 0);
    let mut kinds = [("unused", 0), ("slower", 0), ("faster", 0), ("as fast", 0)];
    for &mutation in &sizes[0].mutations {
        let tables: Vec<_> = sizes.iter().map(|size| size.mutant(mutation)).collect();
        let effects: Vec<Vec<(u16, u16)>> = tables
            .iter()
            .map(|t| t.iter().flat_map(|t| t.changes().iter().map(|o| (o.left, o.right))).collect())
            .collect();
        let same = |(size, new): (&Size, &Vec<RuleTable>)| {
            let old = &size.survey.system.tables;
            old.iter()
                .zip(new)
                .all(|(a, b)| a.changes().iter().zip(b.changes()).all(|(x, y)| (x.left, x.right) == (y.left, y.right)))
        };
        // A table without changes is no mutant, and a table that another mutant has is not counted again.
        if sizes.iter().zip(&tables).all(same) || !seen.insert(effects) {
            continue;
        }
        all += 1;
        let mut last = None;
        let survives = sizes.iter().zip(&tables).zip(&originals).all(|((size, tables), original)| {
            let report = size.check(tables.clone());
            // The safe set of the proof must be closed, really safe and reached; otherwise the checker reports it.
            let fine = report.holds && report.own_is_reached == Some(true);
            if fine && (last.is_none() || time(&report).is_some()) {
                last = Some(compare(original, &report));
            }
            fine
        });
        if !survives {
            caught += 1;
            continue;
        }
        let used = sizes.iter().zip(&tables).any(|(size, tables)| size.differs_somewhere(tables));
        let unused = ("unused", "changes only pairs of states that occur in no configuration".to_string());
        let (kind, why) = if used { last.expect("it was checked") } else { unused };
        kinds.iter_mut().filter(|k| k.0 == kind).for_each(|k| k.1 += 1);
        writeln!(survivors, "- {}: {kind}; {why}", mutation.describe(&sizes[0].fields)).unwrap();
    }
    let at: Vec<&str> = sizes.iter().map(|size| size.name.as_str()).collect();
    let share = 100.0 * f64::from(caught) / f64::from(all);
    let [unused, slower, faster, as_fast] = kinds.map(|k| k.1);
    let line = format!(
        "| {name} | {} | {} | {all} | {caught} | {share:.0}% | {slower} | {faster} | {as_fast} | {unused} |",
        at.join("; "),
        sizes[0].question.scheduler
    );
    (line, format!("### {name}\n\n{survivors}"))
}

/// Compares a text with a file of this repository, or writes it there.
fn settle(path: &str, text: &str) {
    let file = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("MUTANTS").is_ok_and(|v| v == "overwrite") {
        std::fs::write(&file, text).unwrap();
    }
    assert!(std::fs::read_to_string(&file).unwrap_or_default() == text, "{path} says something else than:\n{text}");
}

const HEAD: &str = "\
# Mutants

Each mutant breaks one rule of one algorithm in one of three ways: the rule is dropped; the rule does not assign one variable; the rule compares
one variable the wrong way round (a bit is negated, smaller numbers become larger). The mutants are made in the compiled rule table and checked over
all configurations. [Checking](checking.md#does-the-checker-check) says more.

A mutant is *caught* if the verdict is *fails* at one of the sizes, or if the algorithm's own safe set is no longer always reached. The check is
exhaustive, so a surviving mutant *is* correct at these sizes. It is slower than the original, faster, or as fast, by the mean and then by the
worst-case number of (expected) steps over all starts. *Unused*: it changes only pairs of states that no configuration contains. Times are those of
the largest size with times. At n = N = 3 `yokota-ring` is checked under global fairness, which gives the same verdict and no times;
so is `ring-orientation`, whose survivors therefore count in none of the last columns.

| algorithm | sizes | scheduler | mutants | caught | share | slower | faster | as fast | unused |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// The line of an algorithm that takes too long to be checked with the others.
const ORIENTATION: &str = "| ring-orientation | n = 3 | globally-fair | 19 | 11 | 58% | 0 | 0 | 0 | 0 |";

const TAIL: &str = "
`MUTANTS=overwrite cargo test -p ringleader-check --test suite mutants::` writes the table, and the list of survivors in
[crates/check/tests/mutants](../crates/check/tests/mutants); the test compares both. Ten million configurations for each mutant of `ring-orientation` take a
minute: the same command with `-- --ignored` checks them.
";

fn population_protocols() -> Vec<(String, String)> {
    let complete = |n| Graph::complete(n).unwrap();
    let undirected = |n| Graph::undirected_ring(n).unwrap();
    let distance = Distance { inner: FischerJiangRing, bound: 3 };
    let yokota = YokotaRing { bound: 2 };
    let (random, fair) = (Scheduler::Random, Scheduler::GloballyFair);
    vec![
        section(
            "fischer-jiang-complete",
            &[3, 5].map(|n| Size::population(&format!("n = {n}"), FischerJiangComplete, &complete(n), random)),
        ),
        section("fischer-jiang-ring", &[3, 4, 5].map(|n| Size::on_ring(&format!("n = {n}"), FischerJiangRing, n))),
        section(
            "yokota-ring",
            &[
                Size::on_ring("n = N = 2", yokota, 2),
                Size::population("n = N = 3", YokotaRing { bound: 3 }, &Graph::directed_ring(3).unwrap(), fair),
            ],
        ),
        section("angluin-ring, k = 2", &[Size::on_ring("n = 3", AngluinRing { modulus: 2 }, 3)]),
        section("token-circulation", &[2, 3, 4].map(|n| Size::on_ring(&format!("n = {n}"), TokenCirculation, n))),
        section("two-hop-colouring", &[Size::population("n = 3", TwoHopColouring, &undirected(3), random)]),
        section("fischer-jiang-ring, distance layer", &[Size::on_ring("n = N = 3", distance, 3)]),
    ]
}

fn rings_of_processes() -> Vec<(String, String)> {
    let alternated = |n: u32| Alternator::new(FichJohnen { size: n }, n as usize);
    let token = Alternator::new(Stack { lower: FichJohnen { size: 2 }, upper: GoudaHaddix }, 2);
    let (alternating, unfair) = (Scheduler::Alternating, Scheduler::Unfair);
    vec![
        section(
            "fich-johnen",
            &[2, 3].map(|n| Size::ring(&format!("n = {n}"), FichJohnen { size: n }, n as usize, alternating)),
        ),
        section(
            "fich-johnen, alternator",
            &[2, 3].map(|n| Size::ring(&format!("n = {n}"), alternated(n), n as usize, unfair)),
        ),
        section("fich-johnen-token", &[Size::ring("n = 2", token, 2, unfair)]),
        section("burns-pachl", &[Size::ring("n = 5", BurnsPachl { size: 5 }, 5, unfair)]),
        section("gouda-haddix", &[2, 3, 4].map(|n| Size::ring(&format!("n = {n}"), GoudaHaddix, n, unfair))),
    ]
}

#[test]
fn mutants_are_caught_or_explained() {
    let (lines, survivors): (Vec<_>, Vec<_>) =
        [population_protocols(), rings_of_processes()].concat().into_iter().unzip();
    settle("tests/mutants/survivors.md", &survivors.join("\n"));
    settle("../../docs/mutants.md", &format!("{HEAD}{}\n{ORIENTATION}\n{TAIL}", lines.join("\n")));
}

/// The layer's own rules and variables; those of the colouring below have their own section. Ten million configurations for
/// each mutant: run by hand.
#[test]
#[ignore = "minutes"]
fn mutants_of_ring_orientation() {
    let graph = Graph::undirected_ring(3).unwrap();
    let mut size = Size::population("n = 3", RingOrientation, &graph, Scheduler::GloballyFair);
    let own = |mutation: &Mutation| match *mutation {
        Mutation::Dropped(rule) => rule > 2,
        Mutation::Lost(rule, _, field) | Mutation::Flipped(rule, _, field) => {
            rule > 2 && ["pre", "suc"].contains(&size.fields.names[field].as_str())
        }
    };
    size.mutations = size.mutations.iter().copied().filter(own).collect();
    let (line, survivors) = section("ring-orientation", &[size]);
    assert_eq!(line, ORIENTATION);
    settle("tests/mutants/orientation.md", &survivors);
}

//! Broken variants of every algorithm: how many does the checker catch, and what of the others?
//!
//! Mutants are made in the compiled table: all transitions of a rule are dropped, or lose what they assign to the left or to
//! the right agent, or one transition is redirected. docs/checking.md shows the table that this test prints.

use ringleader_algorithms::population::angluin_ring::AngluinRing;
use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
use ringleader_algorithms::population::fischer_jiang_ring::FischerJiangRing;
use ringleader_algorithms::population::token_circulation::TokenCirculation;
use ringleader_algorithms::population::yokota_ring::YokotaRing;
use ringleader_algorithms::ring::burns_pachl::BurnsPachl;
use ringleader_algorithms::ring::fich_johnen::FichJohnen;
use ringleader_algorithms::ring::gouda_haddix::GoudaHaddix;
use ringleader_check::table::Outcome;
use ringleader_check::{Options, Report, Survey, Table, Watch, check};
use ringleader_model::{Graph, Scheduler};
use std::collections::BTreeSet;

/// A number below `n` that looks random, the same on every run.
fn pick(seed: &mut u64, n: u32) -> u32 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*seed >> 33) % u64::from(n)) as u32
}

fn rules(tables: &[Table]) -> BTreeSet<u8> {
    tables.iter().flat_map(|t| t.outcomes().iter().flat_map(|&o| t.rules(o).to_vec())).collect()
}

/// What becomes of an outcome for two states and the rules that fired.
type Change<'a> = &'a dyn Fn(u32, u32, Outcome, &[u8]) -> Outcome;

/// Every mutant of a system, with what was done to it.
fn mutants(survey: &Survey) -> Vec<(String, Vec<Table>)> {
    let tables = survey.system.tables();
    let mut found = vec![];
    let mut add = |what: String, change: Change<'_>| {
        let changed = tables.iter().map(|t| t.altered(|_, l, r, o, fired| change(l, r, o, fired)));
        found.push((what, changed.collect::<Vec<_>>()));
    };
    for rule in rules(tables) {
        add(format!("rule {rule} dropped"), &|l, r, o, fired| match fired.contains(&rule) {
            true => Outcome { left: l as u16, right: r as u16, ..o },
            false => o,
        });
        add(format!("rule {rule} leaves the left agent"), &|l, _, o, fired| match fired.contains(&rule) {
            true => Outcome { left: l as u16, ..o },
            false => o,
        });
        add(format!("rule {rule} leaves the right agent"), &|_, r, o, fired| match fired.contains(&rule) {
            true => Outcome { right: r as u16, ..o },
            false => o,
        });
    }
    let (s, mut seed) = (tables[0].radix(), 1);
    for _ in 0..30 {
        let (a, b, to) = (pick(&mut seed, s), pick(&mut seed, s), pick(&mut seed, s) as u16);
        add(format!("states {a} and {b}: the right one becomes {to}"), &|l, r, o, _| match (l, r) == (a, b) {
            true => Outcome { right: to, ..o },
            false => o,
        });
    }
    // What changes nothing is no mutant.
    let same = |new: &[Table]| new.iter().zip(tables).all(|(x, y)| x.outcomes() == y.outcomes());
    found.retain(|(_, new)| !same(new));
    found
}

fn mean(report: &Report) -> Option<f64> {
    let times = report.steps.as_ref().or(report.expected_steps.as_ref())?;
    Some(times.to_really_safe.as_ref()?.mean.bounds().high)
}

/// One line of the table: how many mutants, how many caught, and how the survivors compare with the original.
fn line(name: &str, survey: &Survey, options: &Options) -> String {
    let watch = Watch::new(2);
    let original = check::check(survey, options, &watch).unwrap();
    assert!(original.holds, "{name}");
    let usual = mean(&original).unwrap_or(0.0);
    let (mut all, mut caught, mut slower, mut faster, mut same) = (0, 0, 0, 0, 0);
    for (what, tables) in mutants(survey) {
        let report = check::check(&survey.with_tables(tables), options, &watch).unwrap();
        all += 1;
        // What the proof calls safe must be closed, really safe and reached; otherwise the checker complains.
        if !report.holds || report.own_is_reached == Some(false) {
            caught += 1;
            continue;
        }
        let difference = mean(&report).unwrap_or(0.0) - usual;
        let verdict = match () {
            () if difference > 1e-6 => &mut slower,
            () if difference < -1e-6 => &mut faster,
            () => &mut same,
        };
        *verdict += 1;
        println!("  {name}: {what} survives, mean {usual:.4} {difference:+.4}");
    }
    format!("| {name} | {} | {all} | {caught} | {slower} | {faster} | {same} |", options.scheduler)
}

#[test]
fn mutants_are_caught_or_explained() {
    let watch = Watch::new(2);
    let ring = |n| Graph::directed_ring(n).unwrap();
    let random = Options::new(Scheduler::Random);
    let fair = Options::new(Scheduler::GloballyFair);
    let unfair = Options::new(Scheduler::Unfair);
    let alternating = Options::new(Scheduler::Alternating);
    let complete = Graph::complete(4).unwrap();
    let lines = [
        line(
            "fischer-jiang-complete, n = 4",
            &Survey::population(&FischerJiangComplete, &complete, &random, &watch).unwrap(),
            &random,
        ),
        line(
            "fischer-jiang-ring, n = 5",
            &Survey::population(&FischerJiangRing, &ring(5), &random, &watch).unwrap(),
            &fair,
        ),
        line(
            "fischer-jiang-ring, n = 3",
            &Survey::population(&FischerJiangRing, &ring(3), &random, &watch).unwrap(),
            &random,
        ),
        line(
            "yokota-ring, n = N = 2",
            &Survey::population(&YokotaRing { bound: 2 }, &ring(2), &random, &watch).unwrap(),
            &random,
        ),
        line(
            "angluin-ring, n = 3",
            &Survey::population(&AngluinRing { modulus: 2 }, &ring(3), &random, &watch).unwrap(),
            &random,
        ),
        line(
            "token-circulation, n = 3",
            &Survey::population(&TokenCirculation, &ring(3), &random, &watch).unwrap(),
            &random,
        ),
        line("fich-johnen, n = 3", &Survey::ring(&FichJohnen { size: 3 }, 3, &random, &watch).unwrap(), &alternating),
        line("burns-pachl, n = 5", &Survey::ring(&BurnsPachl { size: 5 }, 5, &random, &watch).unwrap(), &unfair),
        line("gouda-haddix, n = 4", &Survey::ring(&GoudaHaddix, 4, &random, &watch).unwrap(), &unfair),
    ];
    let documented = include_str!("../../../docs/checking.md");
    for line in &lines {
        println!("{line}");
    }
    for line in lines {
        assert!(documented.contains(&line), "docs/checking.md does not say {line}");
    }
}

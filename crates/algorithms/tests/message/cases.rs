//! The cases of the corpus that concern message passing, judged by the naive explorer.

use crate::explore::Space;
use ringleader_algorithms::catalog::{self, Visitor};
use ringleader_algorithms::message::franklin::Franklin;
use ringleader_algorithms::message::franklin_tables::FranklinTables;
use ringleader_algorithms::{Entry, Kind, Parameters};
use ringleader_model::{Channels, Population, Ring, Stabilizing, Terminating, Timed};
use std::path::Path;
use toml::{Table, Value};

/// More snapshots than this are left to better explorers.
const MOST: usize = 60_000;

const KEYS: [&str; 10] = [
    "algorithm",
    "size",
    "parameters",
    "scheduler",
    "channels",
    "reading",
    "expect",
    "states",
    "transitions",
    "source",
];

struct Judge(Channels);

impl Judge {
    /// Whether all is as it should be, and how many snapshots and transitions there are; `None` if too many.
    fn judge<A: Terminating>(&self, algorithm: &A) -> Option<(bool, (usize, usize))> {
        let space = Space::explore(algorithm, self.0, MOST)?;
        Some((space.check(algorithm).is_ok(), space.counts()))
    }
}

impl Visitor for Judge {
    type Output = Option<(bool, (usize, usize))>;

    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Self::Output {
        None
    }

    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Self::Output {
        None
    }

    fn message<A: Terminating + 'static>(self, algorithm: A) -> Self::Output {
        self.judge(&algorithm)
    }

    fn robust<A: Timed + 'static>(self, _: A) -> Self::Output {
        None
    }
}

fn word<'a>(case: &'a Table, key: &str) -> Option<&'a str> {
    case.get(key).map(|value| value.as_str().unwrap_or_else(|| panic!("{key} is no word in {case}")))
}

fn count(case: &Table, key: &str) -> Option<usize> {
    case.get(key).map(|value| value.as_integer().unwrap_or_else(|| panic!("{key} is no number in {case}")) as usize)
}

/// Judges a case, and compares every number that it gives; whether it could.
fn run(case: &Table) -> bool {
    let name = word(case, "algorithm").expect("a case names its algorithm");
    if catalog::card(name).expect("the corpus names algorithms of the catalogue").kind != Kind::Message {
        return false;
    }
    assert!(case.keys().all(|key| KEYS.contains(&key.as_str())), "unknown key in {case}");
    assert_eq!(word(case, "scheduler"), Some("random"), "the naive explorer knows no other scheduler");
    let given = case.get("parameters").and_then(Value::as_table).into_iter().flatten();
    let start = Parameters::new(count(case, "size").expect("a case has a size"));
    let parameters = given.fold(start, |all, (name, value)| all.with(name, value.as_str().expect("a word")));
    let expect = word(case, "expect").expect("a case expects something");
    if expect == "refused" {
        assert!(catalog::supports(name, &parameters).is_err(), "{case} is not refused");
        return true;
    }
    if count(case, "states").is_some_and(|states| states > MOST) {
        return false;
    }
    let judge = Judge(word(case, "channels").expect("a case names its channels").parse().expect("bag or fifo"));
    let judged = match word(case, "reading") {
        Some(reading) => {
            let algorithm = Franklin::build(&parameters).expect("only franklin has readings");
            judge.judge(&FranklinTables { algorithm, reading: reading.parse().expect("a reading") })
        }
        None => catalog::visit(name, &parameters, judge).expect("the algorithm can be built"),
    };
    let Some((holds, (states, transitions))) = judged else {
        return false;
    };
    assert_eq!(expect, if holds { "holds" } else { "fails" }, "{case}");
    assert_eq!(count(case, "states").unwrap_or(states), states, "{case}");
    assert_eq!(count(case, "transitions").unwrap_or(transitions), transitions, "{case}");
    true
}

#[test]
fn the_naive_explorer_agrees_with_the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut judged = 0;
    for file in std::fs::read_dir(folder).expect("the corpus is there") {
        let file = file.expect("a file").path();
        let text = std::fs::read_to_string(&file).expect("text");
        let table: Table = text.parse().unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        for case in table["case"].as_array().expect("a file is a list of cases") {
            judged += usize::from(run(case.as_table().expect("a case is a table")));
        }
    }
    assert!(judged >= 60, "only {judged} cases were judged");
}

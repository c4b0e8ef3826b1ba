//! Texts with values that grow with the ring: variants of Dijkstra's K-state ring, true ones and broken ones.

use ringleader_catalog::{Catalog, growing};
use ringleader_erased::Parameters;
use ringleader_language::Source;
use ringleader_prove::{Options, ValuesOutcome, prove_values};
use ringleader_verify::{Scheduler, verify_values};

/// A text with this domain of `x`, these requirements, token and rules.
fn text([domain, more, token, first, second]: [&str; 5]) -> String {
    format!(
        "protocol mine\nmodel ring\nparameter k : 2..2^30 = n \"values\"\nrequire n >= 2 \"two\"\n{more}\nstate x : {domain}\n\
         show token when {token}\ngoal one token\nfirst:\n  1: {first}\n  2: {second}\n"
    )
}

const ROOT: &str = "bottom and x = left.x -> x := (x + 1) mod k";
const COPY: &str = "not bottom and x != left.x -> x := left.x";
const VALUES: &str = "0..k - 1";

/// The outcome in a word, or the reason of a refusal.
fn outcome(parts: [&str; 5], scheduler: Scheduler) -> String {
    let protocol = match Source::known("mine.ring", &text(parts)) {
        Ok(protocol) => protocol,
        Err(e) => panic!("{parts:?}: {e}"),
    };
    let catalog = Catalog::empty().text(&protocol);
    let card = catalog.card("mine").unwrap();
    let parameters = Parameters::new(3);
    if growing::parameter(&catalog, card, &parameters).is_none() {
        return "not growing".into();
    }
    let rules = match growing::rules(&catalog, card, &parameters, 3) {
        Ok(rules) => rules,
        Err(refusal) => return refusal.to_string(),
    };
    let options = Options { attempts: 1, ..Options::seconds(60) };
    match prove_values("mine", &rules, 3, scheduler, &options) {
        Err(unsuitable) => unsuitable.to_string(),
        Ok(ValuesOutcome::Proved(proof)) => {
            verify_values(&proof.certificate).unwrap();
            format!("proved for K >= n - {}", proof.certificate.fewer)
        }
        Ok(ValuesOutcome::Refuted(found)) => format!("refuted for n = {}, K = {}", found.size, found.values),
        Ok(ValuesOutcome::NotProved(why)) => format!("not proved: {why}"),
    }
}

#[test]
fn a_text_is_proved_however_it_is_written() {
    let bound = |parts, scheduler| outcome(parts, scheduler);
    assert_eq!(bound([VALUES, "", "enabled", ROOT, COPY], Scheduler::Unfair), "proved for K >= n - 1");
    let written = [
        VALUES,
        "let equal = x = left.x",
        "bottom and equal or not bottom and not equal",
        "bottom and equal -> x := (1 + left.x) mod k",
        "not bottom -> x := if equal then x else left.x",
    ];
    assert_eq!(bound(written, Scheduler::Distributed), "proved for K >= n - 0");
}

#[test]
fn broken_variants_are_not_proved() {
    for (parts, said) in [
        ([VALUES, "", "enabled", "bottom and x != left.x -> x := left.x", COPY], "agent 0 must take the next value"),
        (
            [VALUES, "", "enabled", "bottom and x != left.x -> x := (x + 1) mod k", COPY],
            "where a neighbour has its value",
        ),
        (
            [VALUES, "", "enabled", ROOT, "not bottom and x != left.x -> x := (left.x + 1) mod k"],
            "its rules or tokens are not those",
        ),
        (
            [VALUES, "", "enabled", ROOT, "top and x = left.x -> x := (x + 1) mod k"],
            "an agent other than agent 0 must take the value",
        ),
        ([VALUES, "", "x != left.x", ROOT, COPY], "refuted for n = 3"),
        ([VALUES, "", "enabled", ROOT, "top and x != left.x -> x := left.x"], "refuted for n = 3"),
        ([VALUES, "", "enabled", "bottom and x = left.x -> x := (x + 2) mod k", COPY], "line 10 does something else"),
        (
            [VALUES, "", "enabled", "bottom and x = left.x -> x := (x + k - 1) mod k", COPY],
            "line 10 does something else",
        ),
        ([VALUES, "", "enabled", ROOT, "not bottom and x < left.x -> x := left.x"], "line 11 does something else"),
        ([VALUES, "", "enabled and x != 0", ROOT, COPY], "line 7 does something else"),
        ([VALUES, "require k <= 100 \"few\"", "enabled", ROOT, COPY], "line 5 does something else"),
        ([VALUES, "", "enabled", "bottom and n != 7 and x = left.x -> x := (x + 1) mod k", COPY], "line 10"),
        ([VALUES, "start = all i : x[i] = 0", "enabled", ROOT, COPY], "its executions start where"),
        (["0..k", "", "enabled", "bottom and x = left.x -> x := (x + 1) mod (k + 1)", COPY], "not growing"),
    ] {
        let found = outcome(parts, Scheduler::Unfair);
        assert!(found.contains(said), "{parts:?}: {found}");
    }
}

#[test]
fn a_given_number_of_values_asks_for_an_ordinary_proof() {
    let catalog = Catalog::builtin();
    let card = catalog.card("dijkstra-k-state").unwrap();
    assert_eq!(growing::parameter(&catalog, card, &Parameters::new(3)), Some("k"));
    assert_eq!(growing::parameter(&catalog, card, &Parameters::new(3).with("k", "4")), None);
    for name in ["dijkstra-four-state", "dijkstra-three-state", "herman", "yokota-ring", "fich-johnen"] {
        let card = catalog.card(name).unwrap();
        assert_eq!(growing::parameter(&catalog, card, &Parameters::new(3)), None, "{name}");
    }
}

//! The corpus cases of the robust algorithms.

use ringleader_algorithms::{Parameters, catalog};
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};
use ringleader_simulate::network::{Campaign, Settlement, Source};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Corpus {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    algorithm: String,
    #[serde(default)]
    parameters: BTreeMap<String, String>,
    size: usize,
    system: Option<String>,
    adversary: Option<String>,
    #[serde(default)]
    crash: usize,
    expect: String,
    final_links: Option<usize>,
    source: String,
}

struct Runner(Campaign);

impl catalog::Visitor for Runner {
    type Output = Vec<(u64, Settlement)>;
    fn population<A: Population + Stabilizing + 'static>(self, _: A) -> Self::Output {
        panic!("not a robust algorithm")
    }
    fn ring<A: Ring + Stabilizing + 'static>(self, _: A) -> Self::Output {
        panic!("not a robust algorithm")
    }
    fn message<A: Terminating + 'static>(self, _: A) -> Self::Output {
        panic!("not a robust algorithm")
    }
    fn robust<A: Timed + 'static>(self, algorithm: A) -> Self::Output {
        self.0.all(&algorithm, 20, &|_| true)
    }
}

/// "settles": every one of 20 runs does. "does not settle": some run does not within 2000 δ.
#[test]
fn every_case_is_as_expected() {
    let corpus: Corpus = toml::from_str(include_str!("../../../cases/robust.toml")).unwrap();
    for case in corpus.case {
        let source = match (&case.system, &case.adversary) {
            (Some(system), None) => Source::System(system.parse().unwrap()),
            (None, Some(adversary)) => Source::Adversary(adversary.parse().unwrap()),
            _ => panic!("{}: a case has a system or an adversary", case.algorithm),
        };
        let settles = match case.expect.as_str() {
            "settles" => true,
            "does not settle" => false,
            other => panic!("expect is \"settles\" or \"does not settle\", not {other:?}"),
        };
        let horizon = if settles { None } else { Some(2000) };
        let campaign = Campaign { crashes: case.crash, horizon, ..Campaign::new(source, 1) };
        let parameters =
            case.parameters.iter().fold(Parameters::new(case.size), |p, (name, value)| p.with(name, value));
        let outcomes = catalog::visit(&case.algorithm, &parameters, Runner(campaign)).unwrap();
        let settled: Vec<_> = outcomes.iter().filter_map(|(_, o)| o.settled.as_ref()).collect();
        let context = format!("{} in {source:?} ({}): {} settled", case.algorithm, case.source, settled.len());
        assert_eq!(settled.len() == outcomes.len(), settles, "{context}");
        if let Some(links) = case.final_links {
            assert!(settled.iter().all(|s| s.links.len() == links), "{context}");
        }
    }
}

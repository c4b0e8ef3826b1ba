//! The corpus `cases/`: facts from the papers, with the source of each.

use ringleader_erased::Parameters;
use ringleader_model::Graph;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// One fact.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Whose.
    pub algorithm: String,
    /// At which size.
    pub size: usize,
    /// On which graph of processes: its edges, as in "0 1, 0 2".
    pub graph: Option<String>,
    /// With which parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// In which layers.
    #[serde(default)]
    pub layers: Vec<String>,
    /// Under which scheduler; robust algorithms are timed.
    pub scheduler: Option<String>,
    /// With which leader detector.
    pub oracle: Option<String>,
    /// With which channels.
    pub channels: Option<String>,
    /// In which steps.
    pub reading: Option<String>,
    /// In which network.
    pub system: Option<String>,
    /// Against which adversary.
    pub adversary: Option<String>,
    /// How many processes crash.
    #[serde(default)]
    pub crash: usize,
    /// What is to come out: `holds`, `fails`, `refused`, `settles`, `does not settle`.
    pub expect: String,
    /// How many configurations there are.
    pub configurations: Option<u64>,
    /// How many are really safe.
    pub really_safe: Option<u64>,
    /// How many are in the algorithm's own safe set.
    pub own_safe: Option<u64>,
    /// The most steps to the own safe set.
    pub worst_steps: Option<f64>,
    /// The expected steps to the really safe set from the worst start.
    pub worst_expected_steps: Option<f64>,
    /// The same, from a random one.
    pub mean_expected_steps: Option<f64>,
    /// The expected steps to the algorithm's safe set from single configurations, states by number.
    #[serde(default)]
    pub expected_from: BTreeMap<String, f64>,
    /// How far off these may be.
    pub tolerance: Option<f64>,
    /// How many configurations the closed sets of the proof have.
    #[serde(default)]
    pub closed_sets: BTreeMap<String, u64>,
    /// How many states are reachable.
    pub states: Option<u64>,
    /// How many transitions there are between them.
    pub transitions: Option<u64>,
    /// How many links are used in the end.
    pub final_links: Option<usize>,
    /// Where the fact comes from.
    pub source: String,
}

impl Case {
    /// What the algorithm is built from.
    ///
    /// # Panics
    /// If the case names layers or a graph that there are not.
    pub fn parameters(&self) -> Parameters {
        let named = self.parameters.iter().fold(Parameters::new(self.size), |all, (name, value)| all.with(name, value));
        let named = named.layered(self.layers.join(",").parse().expect("the corpus names layers"));
        match &self.graph {
            Some(edges) => named.on(Graph::parse(&edges.replace(", ", "\n")).expect("the corpus has graphs")),
            None => named,
        }
    }

    /// Holds a number against what the case says of it, if it does.
    ///
    /// # Panics
    /// If they differ.
    pub fn holds_against(&self, what: &str, expected: Option<u64>, found: u64) {
        assert_eq!(expected.unwrap_or(found), found, "{what} of {self:?}");
    }

    /// Holds an interval against what the case says of a value, if it does.
    ///
    /// # Panics
    /// If it does not contain the value, up to the tolerance of the case.
    pub fn lies_between(&self, what: &str, expected: Option<f64>, (low, high): (f64, f64)) {
        let tolerance = self.tolerance.unwrap_or(0.0);
        if let Some(expected) = expected {
            let inside = low - tolerance <= expected && expected <= high + tolerance;
            assert!(
                inside && high - low <= tolerance.max(1e-6 * high),
                "{what} is {low}..{high}, not that of {self:?}"
            );
        }
    }
}

/// All facts.
///
/// # Panics
/// If a file cannot be read, or says something unknown, or a case does not say where it comes from.
pub fn corpus() -> Vec<Case> {
    #[derive(Deserialize)]
    struct File {
        case: Vec<Case>,
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the corpus").map(|f| f.expect("a file").path()).collect();
    files.sort();
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).expect("text");
        let File { case } = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        case
    };
    let cases: Vec<Case> = files.into_iter().flat_map(read).collect();
    assert!(cases.iter().all(|case| !case.source.is_empty()), "every case says where it comes from");
    cases
}

//! The report of an experiment: a table, JSON, a plot, and the law of growth.
//!
//! ```
//! use ringleader_algorithms::population::yokota_ring::YokotaRing;
//! use ringleader_erased::{Entry, Parameters};
//! use ringleader_report::experiment::{ExperimentReport, RunRecord, Setting};
//!
//! let setting = |size| Setting { parameters: Parameters::new(size), corrupt: 0, x: size };
//! let record = |point, run, steps| RunRecord { point, run, reached: true, steps, ..RunRecord::default() };
//! let report = ExperimentReport {
//!     card: &YokotaRing::CARD,
//!     start: "arbitrary".into(),
//!     said: vec![],
//!     seed: 1,
//!     kernel: "table",
//!     oracle: None,
//!     until: "safe",
//!     axis: "size",
//!     settings: &[setting(16), setting(32)],
//!     records: &[record(0, 0, 90), record(0, 1, 110), record(1, 0, 390), record(1, 1, 410)],
//!     interrupted: false,
//! };
//! assert_eq!(report.json()["sizes"][1]["mean_steps"], 400.0);
//! let mut table = vec![];
//! report.text(&mut table).unwrap();
//! assert!(String::from_utf8(table).unwrap().contains("exponents of mean steps between neighbouring sizes: 2.00"));
//! ```

mod json;
mod laws;
mod plot;
mod row;
mod table;
mod together;

pub use ringleader_simulate::RunRecord;
pub use together::plot_together;

use ringleader_erased::{Card, Parameters};

/// One setting of an experiment: a size, its parameters, and the number of agents that a fault corrupts.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Size, parameters and layers.
    pub parameters: Parameters,
    /// The number of agents that a fault corrupts.
    pub corrupt: usize,
    /// The value that varies from one setting to the next.
    pub x: usize,
}

/// An experiment and all its runs.
#[derive(Clone, Debug)]
pub struct ExperimentReport<'a> {
    /// The algorithm.
    pub card: &'a Card,
    /// The start of the runs.
    pub start: String,
    /// Further settings of the runs, by name.
    pub said: Vec<(String, String)>,
    /// The seed of everything random.
    pub seed: u64,
    /// The kernel that computed the runs.
    pub kernel: &'a str,
    /// The oracle that the agents ask, if they ask one.
    pub oracle: Option<String>,
    /// The event until which steps are counted: `safe`, or the first time that the goal is met.
    pub until: &'a str,
    /// The varied quantity: `size`, `corrupt` or the name of a parameter.
    pub axis: &'a str,
    /// The settings, in order.
    pub settings: &'a [Setting],
    /// The runs, in any order.
    pub records: &'a [RunRecord],
    /// Whether runs are missing.
    pub interrupted: bool,
}

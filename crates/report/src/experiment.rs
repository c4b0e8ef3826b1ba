//! What an experiment of many runs measured: a table, JSON, a plot, and the law of growth.
//!
//! ```
//! use ringleader_algorithms::population::yokota_ring::YokotaRing;
//! use ringleader_erased::{Entry, Parameters};
//! use ringleader_report::experiment::{ExperimentReport, Record, Setting};
//!
//! let setting = |size| Setting { parameters: Parameters::new(size), corrupt: 0, x: size };
//! let record = |point, run, steps| Record { point, run, reached: true, steps, ..Record::default() };
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

pub use together::plot_together;

use ringleader_erased::{Card, Law, Parameters};
use ringleader_simulate::End;

/// One setting of an experiment: a size, its parameters, and how many agents a fault corrupts.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Size, parameters and layers.
    pub parameters: Parameters,
    /// How many agents a fault corrupts.
    pub corrupt: usize,
    /// What varies from one setting to the next.
    pub x: usize,
}

/// What one run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Which setting.
    pub point: usize,
    /// Which run of it.
    pub run: u64,
    /// Whether it reached its goal.
    pub reached: bool,
    /// After how many steps, or how many it took in vain.
    pub steps: u64,
    /// After how many steps an output changed last.
    pub last_output_change: Option<u64>,
    /// How many messages were sent.
    pub messages: Option<u64>,
    /// How many rounds there were.
    pub rounds: Option<u64>,
    /// How many steps each recovery took.
    pub recoveries: Vec<u64>,
    /// After how many steps a recovery was given up.
    pub unhealed: Option<u64>,
    /// Its processor time in seconds, which is never the same twice.
    pub cpu: Option<f64>,
}

impl Record {
    /// What an end says, unless the run was interrupted.
    #[must_use]
    pub fn of(end: End) -> Option<Record> {
        let (reached, steps) = match end {
            End::Reached(steps) => (true, steps),
            End::Limit(steps) | End::Stuck(steps) => (false, steps),
            End::Interrupted => return None,
        };
        Some(Record { reached, steps, ..Record::default() })
    }
}

/// An experiment and all its runs.
#[derive(Clone, Debug)]
pub struct ExperimentReport<'a> {
    /// The algorithm.
    pub card: &'a Card,
    /// Where the runs start.
    pub start: String,
    /// What else was said about them.
    pub said: Vec<(String, String)>,
    /// The seed of everything random.
    pub seed: u64,
    /// How it was computed.
    pub kernel: &'a str,
    /// What the agents ask, where they ask an oracle.
    pub oracle: Option<String>,
    /// Until when steps are counted: safe, or what else is measured.
    pub until: &'a str,
    /// What varies: `size`, `corrupt` or the name of a parameter.
    pub axis: &'a str,
    /// The settings, in order.
    pub settings: &'a [Setting],
    /// The runs, in any order.
    pub records: &'a [Record],
    /// Whether there should have been more.
    pub interrupted: bool,
}

impl Record {
    /// Whether nothing of it was given up.
    #[must_use]
    pub fn whole(&self) -> bool {
        self.reached && self.unhealed.is_none()
    }
}

impl ExperimentReport<'_> {
    fn law(&self) -> Option<Law> {
        self.card.law
    }
}

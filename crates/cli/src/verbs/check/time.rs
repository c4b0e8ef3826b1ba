//! `ringleader check --within T --quantile P`: probabilities within bounds of the time.

use crate::terminal::exit::{Failure, bail};
use crate::terminal::files;
use ringleader_check::Horizon;
use ringleader_report::curve::Curve;
use std::path::{Path, PathBuf};

/// The flags about time bounds.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Time bounds")]
pub(super) struct TimeArguments {
    /// The probability of reaching the goal within 0, 1, .. T steps: from the worst start and on average over all starts; least
    /// and greatest over all daemons. For message passing: of a leader, minimum, under the uniform scheduler, and maximum
    #[arg(long, value_name = "T")]
    pub(super) within: Option<u64>,
    /// The number of steps within which the goal is reached with this probability, such as 0.99
    #[arg(long, value_name = "P", value_parser = probability)]
    pub(super) quantile: Option<f64>,
    /// With --within or --quantile, write the probabilities to this CSV file
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// With --within or --quantile, draw the curves to this file: FILE.svg, FILE.png or FILE.tex (TikZ)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(p) if p > 0.0 && p <= 1.0 => Ok(p),
        _ => Err("it must be a probability, greater than 0 and at most 1, such as 0.99".into()),
    }
}

impl TimeArguments {
    /// The bound of the question, if there is one.
    pub(super) fn horizon(&self) -> Option<Horizon> {
        let horizon = Horizon { steps: self.within, quantile: self.quantile };
        (horizon != Horizon::default()).then_some(horizon)
    }

    /// Refuses files that cannot be written, before any work.
    pub(super) fn prepare(&self) -> Result<(), Failure> {
        for (flag, file) in [("--csv", &self.csv), ("--plot", &self.plot)] {
            if file.is_some() && self.horizon().is_none() {
                bail!("{flag} needs --within T or --quantile P");
            }
        }
        if self.csv.as_deref() == Some(Path::new("-")) {
            bail!("--csv needs a file: the result goes to standard output");
        }
        self.csv.as_deref().map(files::writable).transpose()?;
        self.plot.as_deref().map(files::writable_picture).transpose()?;
        Ok(())
    }

    /// Writes the curves of the probability of a goal to the given files.
    pub(super) fn write(&self, title: &str, goal: &str, curves: &[Curve]) -> Result<(), Failure> {
        if let Some(path) = &self.csv {
            files::write(path, Curve::csv(curves))?;
        }
        if let Some(path) = &self.plot {
            files::write_picture(path, &Curve::picture(title, goal, curves))?;
        }
        Ok(())
    }
}

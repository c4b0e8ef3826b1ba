//! One step of a run on one line: the ring after it, who took it, and what changed.
//!
//! ```
//! use ringleader_model::{Marks, trace::Actor};
//! use ringleader_report::step::StepLine;
//!
//! let [before, after] = [["lead=1", "lead=1"], ["lead=1", "lead=0"]].map(|states| states.map(String::from));
//! let taken = StepLine {
//!     marks: &[Marks::LEADER, Marks::NONE],
//!     actor: &Actor::Arc(0, 1),
//!     rules: &[1],
//!     inputs: None,
//!     before: &before,
//!     after: &after,
//! };
//! assert!(taken.line(7, 80).ends_with("0 → 1, rule 1: 1: lead=0"));
//! ```

use crate::number::joined;
use crate::ring;
use ringleader_model::Marks;
use ringleader_model::trace::Actor;

/// A step that was taken.
#[derive(Clone, Copy, Debug)]
pub struct StepLine<'a> {
    /// What the agents show after it.
    pub marks: &'a [Marks],
    /// Who took it.
    pub actor: &'a Actor,
    /// The rules that fired.
    pub rules: &'a [u8],
    /// What the two agents were told.
    pub inputs: Option<(bool, bool)>,
    /// The states before, as text.
    pub before: &'a [String],
    /// The states after, as text.
    pub after: &'a [String],
}

impl StepLine<'_> {
    /// The step with its number on one line, the ring on at most `width` columns of it.
    #[must_use]
    pub fn line(&self, number: usize, width: usize) -> String {
        let picture = ring::line(self.marks, None, width);
        let who = match self.actor {
            Actor::Arc(u, v) => format!("{u} → {v}"),
            Actor::Process(p) => format!("process {p}"),
            Actor::Processes(processes) => format!("processes {} at once", joined(processes, " ")),
            Actor::All => "all at once".to_string(),
        };
        let rule = match self.rules {
            [] => String::new(),
            [one] => format!(", rule {one}"),
            several => format!(", rules {}", joined(several, " ")),
        };
        let told = match self.inputs {
            Some((x, y)) if x == y => format!(", told {x}"),
            Some((x, y)) => format!(", told {x} and {y}"),
            None => String::new(),
        };
        let changed = (0..self.after.len()).filter(|&i| self.before[i] != self.after[i]);
        let changes: Vec<_> = changed.map(|i| format!("{i}: {}", self.after[i])).collect();
        let change = if changes.is_empty() { "nothing changes".to_string() } else { changes.join("; ") };
        format!("{number:>6}  {picture}  {who}{rule}{told}: {change}")
    }
}

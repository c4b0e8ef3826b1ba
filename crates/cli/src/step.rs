//! One step of a run on one line: the ring after it, who took it, and what changed.

use crate::failure::Failure;
use crate::picture;
use ringleader_model::Marks;
use ringleader_model::trace::Actor;
use std::io::Write;

/// A step to draw.
pub(crate) struct Drawn<'a> {
    /// What the agents show after it.
    pub(crate) marks: &'a [Marks],
    pub(crate) actor: &'a Actor,
    pub(crate) rules: &'a [u8],
    /// What the two agents were told.
    pub(crate) inputs: Option<(bool, bool)>,
    /// The states before, as text.
    pub(crate) before: &'a [String],
    /// The states after, as text.
    pub(crate) after: &'a [String],
}

impl Drawn<'_> {
    pub(crate) fn draw(&self, out: &mut impl Write, number: usize) -> Result<(), Failure> {
        let picture = picture::line(self.marks, None, picture::width());
        let who = match self.actor {
            Actor::Arc(u, v) => format!("{u} → {v}"),
            Actor::Process(p) => format!("process {p}"),
            Actor::Processes(processes) => {
                let processes: Vec<_> = processes.iter().map(ToString::to_string).collect();
                format!("processes {} at once", processes.join(" "))
            }
            Actor::All => "all at once".to_string(),
        };
        let rules: Vec<_> = self.rules.iter().map(|rule| rule.to_string()).collect();
        let rule = match rules.len() {
            0 => String::new(),
            1 => format!(", rule {}", rules[0]),
            _ => format!(", rules {}", rules.join(" ")),
        };
        let told = match self.inputs {
            Some((x, y)) if x == y => format!(", told {x}"),
            Some((x, y)) => format!(", told {x} and {y}"),
            None => String::new(),
        };
        let changed = (0..self.after.len()).filter(|&i| self.before[i] != self.after[i]);
        let changes: Vec<_> = changed.map(|i| format!("{i}: {}", self.after[i])).collect();
        let change = if changes.is_empty() { "nothing changes".to_string() } else { changes.join("; ") };
        writeln!(out, "{number:>6}  {picture}  {who}{rule}{told}: {change}")?;
        Ok(())
    }
}

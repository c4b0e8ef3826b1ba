//! State spaces in the formats of other tools.
//!
//! - `.aut`, Aldebaran: labelled transition systems, for mCRL2, CADP and MERC;
//! - `.drn`, Storm's explicit format;
//! - `.tra`, `.sta`, `.lab`: PRISM's explicit format (`prism -importmodel`), readable by Storm too;
//! - `.prism`, a module in PRISM's language with one variable for the number of the state, for small models;
//! - `.dot`, for Graphviz.
//!
//! Details that a reduction drops are not written: no costs where steps were skipped, no process where rotations are one
//! state. A state without a choice loops on itself, at no cost, since these tools require a choice in every state.

mod configurations;
mod explicit;
mod language;
mod picture;
mod states;

pub use configurations::ConfigurationGraph;
pub use explicit::{drn, lab, sta, tra};
pub use language::prism;
pub use picture::dot;
pub use ringleader_explore::export::{Labelled, aut, dot as dot_labelled};
pub use states::StateSpace;

/// The extensions of file names.
pub const FORMATS: [&str; 5] = ["aut", "drn", "tra", "dot", "prism"];

/// A choice of the scheduler, or a whole step where chance alone decides.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedChoice {
    /// Its name: a word of letters, digits and `_`.
    pub name: String,
    /// Its targets with their probabilities, each target once.
    pub outcomes: Vec<(u32, f64)>,
    /// Its costs, in the order of [`Exported::costs`].
    pub costs: Vec<f64>,
}

/// A state space for the formats with probabilities.
pub trait Exported: Labelled {
    /// Whether the scheduler is random: then every state has at most one choice.
    fn is_chain(&self) -> bool;

    /// The names of the named sets of states.
    fn labels(&self) -> &'static [&'static str];

    /// Whether a state is in a named set.
    fn labelled(&self, state: usize, label: usize) -> bool;

    /// The names of the costs.
    fn costs(&self) -> &'static [&'static str];

    /// The choices of a state.
    fn choices(&self, state: usize) -> Vec<ExportedChoice>;

    /// The variables of a state by name, as numbers.
    fn values(&self, state: usize) -> Vec<(String, u64)>;

    /// The state as text: one line per process.
    fn text(&self, state: usize) -> Vec<String>;
}

/// The choices of a state; a loop if it has none.
fn choices(system: &dyn Exported, state: usize) -> Vec<ExportedChoice> {
    let mut choices = system.choices(state);
    if choices.is_empty() {
        let costs = vec![0.0; system.costs().len()];
        choices.push(ExportedChoice { name: "stays".into(), outcomes: vec![(state as u32, 1.0)], costs });
    }
    choices
}

/// The numbers of choices and of outcomes in the probabilistic formats.
fn totals(system: &dyn Exported) -> (usize, usize) {
    let all = (0..system.states()).flat_map(|state| choices(system, state));
    all.fold((0, 0), |(count, outcomes), choice| (count + 1, outcomes + choice.outcomes.len()))
}

/// Whether a run may begin in a state.
fn begins(system: &dyn Exported, state: usize) -> bool {
    system.start().is_none_or(|start| start as usize == state)
}

/// Outcomes merged and sorted by target.
fn merged(outcomes: impl Iterator<Item = (u32, f64)>) -> Vec<(u32, f64)> {
    let mut targets: Vec<(u32, f64)> = outcomes.collect();
    targets.sort_by_key(|&(target, _)| target);
    targets.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    targets.iter_mut().for_each(|(_, p)| *p = plain(*p));
    targets
}

/// A sum of probabilities without its rounding error: four fifths are 0.8.
fn plain(p: f64) -> f64 {
    let short = (p * 1e12).round() / 1e12;
    if (short - p).abs() < 4e-16 { short } else { p }
}

/// A name that every format accepts.
fn word(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_probabilities_are_plain() {
        let fifths = merged([(1, 0.2), (0, 0.2), (1, 0.2), (1, 0.2), (1, 0.2)].into_iter());
        assert_eq!(fifths, [(0, 0.2), (1, 0.8)]);
        assert_eq!(merged([(0, 1.0 / 3.0), (1, 2.0 / 3.0)].into_iter()), [(0, 1.0 / 3.0), (1, 2.0 / 3.0)]);
        assert_eq!(merged([(0, 1.0 / 7.0)].into_iter()), [(0, 1.0 / 7.0)]);
    }
}

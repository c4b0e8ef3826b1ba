//! State spaces in the formats of other tools.
//!
//! - `.aut`, Aldebaran: labelled transition systems, for mCRL2, CADP and MERC;
//! - `.drn`, Storm's explicit format;
//! - `.tra`, `.sta`, `.lab`: PRISM's explicit format (`prism -importmodel`), readable by Storm too;
//! - `.prism`, a module in PRISM's language with one variable for the number of the state, for small models;
//! - `.dot`, for Graphviz.
//!
//! What a reduction does not keep is not written: no costs where steps were passed over, no process where rotations are one
//! state. A state without a choice loops on itself, at no cost, as these tools want every state to have a choice.

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

/// The file names' endings.
pub const FORMATS: [&str; 5] = ["aut", "drn", "tra", "dot", "prism"];

/// A choice of the scheduler, or all of a step where chance alone decides.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedChoice {
    /// Who does what: a word of letters, digits and `_`.
    pub name: String,
    /// Where it leads, with which probability; no target twice.
    pub outcomes: Vec<(u32, f64)>,
    /// What it costs, in the order of [`Exported::costs`].
    pub costs: Vec<f64>,
}

/// What the formats with probabilities say of a state space.
pub trait Exported: Labelled {
    /// Whether the scheduler is a matter of chance, too: then every state has one choice at most.
    fn is_chain(&self) -> bool;

    /// The sets of states that have a name.
    fn labels(&self) -> &'static [&'static str];

    /// Whether a state is in such a set.
    fn labelled(&self, state: usize, label: usize) -> bool;

    /// What is counted along the way.
    fn costs(&self) -> &'static [&'static str];

    /// What may happen in a state.
    fn choices(&self, state: usize) -> Vec<ExportedChoice>;

    /// The variables of a state by name, as numbers.
    fn values(&self, state: usize) -> Vec<(String, u64)>;

    /// The state for people: one line per process.
    fn text(&self, state: usize) -> Vec<String>;
}

/// The choices of a state; a loop if there is none.
fn choices(system: &dyn Exported, state: usize) -> Vec<ExportedChoice> {
    let mut choices = system.choices(state);
    if choices.is_empty() {
        let costs = vec![0.0; system.costs().len()];
        choices.push(ExportedChoice { name: "stays".into(), outcomes: vec![(state as u32, 1.0)], costs });
    }
    choices
}

/// How many choices and how many outcomes the probabilistic formats list.
fn totals(system: &dyn Exported) -> (usize, usize) {
    let all = (0..system.states()).flat_map(|state| choices(system, state));
    all.fold((0, 0), |(count, outcomes), choice| (count + 1, outcomes + choice.outcomes.len()))
}

/// Whether a run may begin in a state.
fn begins(system: &dyn Exported, state: usize) -> bool {
    system.start().is_none_or(|start| start as usize == state)
}

/// Outcomes with the same target as one, by target.
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

/// A sum of probabilities without what rounding left behind: four fifths are 0.8.
fn plain(p: f64) -> f64 {
    let short = (p * 1e12).round() / 1e12;
    if (short - p).abs() < 4e-16 { short } else { p }
}

/// A word that every format takes as a name.
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

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

    /// The names of the named sets of states: words of letters, digits and `_`. The last set is the goal.
    fn labels(&self) -> Vec<String>;

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

/// For each state, whether a run may begin there.
fn begins(system: &dyn Exported) -> Vec<bool> {
    let mut begins = vec![false; system.states()];
    system.starts().iter().for_each(|&start| begins[start as usize] = true);
    begins
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
    targets
}

/// The greatest denominator of a fraction. Two different fractions differ by more than 2^-44, which is far more than the rounding
/// error of a probability, so at most one of them is near enough.
const MOST: f64 = (1_u64 << 22) as f64;

/// A number without its rounding error, as an integer or a fraction. A number that is no such fraction has decimals.
fn exact(number: f64) -> String {
    let (mut before, mut now) = ((0.0, 1.0), (1.0, 0.0));
    let mut rest = number;
    // The continued fraction of the number. Each round at least doubles the denominator of two rounds before.
    for _ in 0..64 {
        let whole = rest.floor();
        (before, now) = (now, (whole * now.0 + before.0, whole * now.1 + before.1));
        let (over, under) = now;
        if under > MOST {
            break;
        }
        if (over / under - number).abs() <= number.abs() * 2_f64.powi(-48) {
            return if under == 1.0 { over.to_string() } else { format!("{over}/{under}") };
        }
        rest = (rest - whole).recip();
    }
    number.to_string()
}

/// A name that every format accepts.
fn word(text: &str) -> String {
    let letters = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}

/// The labels of named sets: the kind and the name of each, as words, all different.
fn labels_of<'a>(sets: impl Iterator<Item = (&'static str, &'a str)>) -> Vec<String> {
    let mut labels: Vec<String> = vec![];
    for (kind, name) in sets {
        let mut label = word(&format!("{kind}_{name}"));
        while labels.contains(&label) {
            label.push('_');
        }
        labels.push(label);
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_fraction_is_exact() {
        for under in 1..300_u32 {
            for over in 0..=2 * under {
                let (mut a, mut b) = (over, under);
                while b != 0 {
                    (a, b) = (b, a % b);
                }
                let (over, under) = (over / a, under / a);
                let known = if under == 1 { over.to_string() } else { format!("{over}/{under}") };
                assert_eq!(exact(f64::from(over) / f64::from(under)), known);
            }
        }
        // Sums have rounding errors.
        assert_eq!((exact(0.1 + 0.2), exact(0.2 + 0.2 + 0.2 + 0.2)), ("3/10".into(), "4/5".into()));
        assert_eq!(exact((1..=100).map(|_| 0.01).sum()), "1");
        assert_eq!(exact(3_f64.powi(-13)), "1/1594323");
        assert_eq!(exact(7_f64.powi(-9)), 7_f64.powi(-9).to_string());
    }

    #[test]
    fn outcomes_with_the_same_target_are_merged() {
        let fifths = merged([(1, 0.25), (0, 0.25), (1, 0.5)].into_iter());
        assert_eq!(fifths, [(0, 0.25), (1, 0.75)]);
    }

    #[test]
    fn labels_are_words_and_differ() {
        let sets = [("eventually", "all-done"), ("eventually", "all done"), ("closed", "init")];
        assert_eq!(labels_of(sets.into_iter()), ["eventually_all_done", "eventually_all_done_", "closed_init"]);
    }
}

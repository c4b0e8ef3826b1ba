//! Fair coins against a daemon: a Markov decision process. The daemon chooses with full knowledge, coins are fair.
//!
//! A run stays outside a set with positive probability only if it enters an *end component* outside it: nodes with
//! choices whose outcomes all stay among these nodes, and that lead from each node to every other (de Alfaro 1997). So
//! the least probability of reaching the set is 1 if no end component outside it meets the obligations of the daemon.

mod choices;
mod components;
mod probability;

pub use choices::{Choices, Choosing, Extreme};
pub use components::{EndComponent, end_components};
pub use probability::{Likelihood, greatest_probability};

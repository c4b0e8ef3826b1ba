//! Fair coins against a daemon: a Markov decision process. The daemon chooses with full knowledge, coins are fair.
//!
//! A run stays outside a set with positive probability only if it enters an *end component* outside it: nodes with
//! choices whose outcomes all stay among these nodes, and that lead from each node to every other (de Alfaro 1997). So
//! the least probability of reaching the set is 1 if no end component outside it meets the obligations of the daemon.

mod choices;
mod collapsed;
mod components;
mod listing;
mod probability;
mod rounds;
mod totals;

pub use choices::{Choices, Extreme};
pub use components::{EndComponent, end_components};
pub(crate) use listing::Listing;
pub(crate) use probability::reached_by_some;
pub use probability::{Probabilities, greatest_probability};
pub use rounds::{LikelyRounds, Outcome, Outcomes};
pub use totals::{Rewards, Totals};

use crate::question::{Coins, Question};
use crate::rules::System;
use ringleader_model::Scheduler;

/// Whether the question is about a daemon that chooses, while coins are fair.
pub(crate) fn applies(system: &System, question: &Question) -> bool {
    meets_coins(system, question) && question.coins == Coins::Fair
}

/// Whether the question is about a daemon that chooses, while rules toss coins.
pub(crate) fn meets_coins(system: &System, question: &Question) -> bool {
    use Scheduler::{Alternating, Distributed, Fair, LocallyCentral, LocallyFair, Synchronous, Unfair};
    if question.scheduler.picks_initiators() {
        return true;
    }
    let chooses = match question.scheduler {
        Unfair | Fair | LocallyFair | Alternating | Distributed | LocallyCentral => true,
        Synchronous => system.chooses(),
        _ => false,
    };
    chooses && system.tosses()
}

//! Explicit state spaces of message-passing algorithms: all states that are reachable from the clean start, under every
//! scheduler and for all outcomes of the coins.
//!
//! The modules, each using only those before it: `run` (an execution as text), `system` (the rules of processes and their inboxes
//! over numbers, and the transitions of packed states), `crew` (threads), `store` (sets of states), `search`, `graph` (a Markov
//! decision process, its quotients, probabilities and exports), `space` (the result and the questions about it), `properties` (those of
//! every election).
//!
//! [`Space::explore`] searches on all cores, with packed states. A [`Space`] has the counts of the published tables, the first
//! state with a property ([`Space::first`]), a shortest execution to it ([`Space::run_to`]) and its chart
//! ([`Run::chart`]), and the explicit [`DecisionGraph`], which is a Markov decision process. The graph can be minimized
//! ([`minimize()`]), asked for probabilities and expectations ([`Elections`]), and exported ([`export`]).
//!
//! ```
//! use ringleader_algorithms::message::franklin::Franklin;
//! use ringleader_erased::MessageInstance;
//! use ringleader_explore::{Cost, Decider, Elections, Options, Space};
//!
//! let franklin = MessageInstance::new(Franklin { size: 2, ids: 2, keeps_identity: false });
//! let space = Space::explore(&franklin, &Options { rotation: true, ..Options::default() }, &mut |_| true)?;
//! assert_eq!(space.first(|state| state.stopped() && state.leaders() != 1), None);
//! let graph = space.graph();
//! let elections = Elections::new(&graph);
//! assert_eq!(elections.certain(), Some(true));
//! let steps = elections.expected(Cost::Steps, Decider::Greatest).expect("every scheduler elects");
//! assert!(steps.low <= steps.high);
//! # Ok::<(), ringleader_explore::Failure>(())
//! ```

mod action;
mod crew;
#[cfg(any(feature = "cuda", all(test, unix)))]
mod device;
#[cfg(feature = "distributed")]
pub mod distributed;
mod graph;
mod options;
mod peers;
pub mod properties;
mod run;
mod search;
mod space;
mod store;
mod system;

pub use action::{Action, UnknownName, Visible};
#[cfg(feature = "cuda")]
pub use device::{Searched, explore_on};
pub use graph::{
    Cost, Decider, DecisionGraph, Edge, Elections, Equivalence, Figures, Interval, Quotient, avoidable, export,
    minimize,
};
pub use options::{Failure, Options, Progress, Storage, Watch};
pub use peers::{Alone, Peers};
pub use properties::{Claim, Property, StateCondition};
pub use run::{Received, Run, Step};
pub use space::{Space, StateView, StateViews, Summary, Verified};

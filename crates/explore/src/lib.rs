//! Explicit state spaces of message-passing algorithms: everything that is reachable from the clean start, whatever the
//! scheduler does and the coins show.
//!
//! The rooms, each knowing only those before it: `run` (an execution as text), `system` (the rules of processes and their
//! inboxes over numbers, and the transitions of packed states), `crew` (threads), `store` (sets of states), `search`, `graph` (a Markov decision process,
//! its quotients, probabilities and exports), `space` (what has been found, and all that can be asked of it).
//!
//! [`Space::explore`] searches, on all cores, with packed states. From a [`Space`] come the counts of the published tables,
//! the first state with a property ([`Space::first`]), a shortest run to it ([`Space::run_to`]) and its chart
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
#[cfg(feature = "distributed")]
pub mod distributed;
mod graph;
mod interner;
mod options;
mod peers;
mod run;
mod search;
mod space;
mod store;
mod system;

pub use action::{Action, Visible};
pub use graph::{
    Cost, Decider, DecisionGraph, Edge, Elections, Equivalence, Interval, Quotient, avoidable, export, minimize,
};
pub use options::{Failure, Options, Progress, Storage, UnknownName, Watch};
pub use peers::{Alone, Peers};
pub use run::{Received, Run, Step};
pub use space::{Space, StateView, StateViews, Verified};

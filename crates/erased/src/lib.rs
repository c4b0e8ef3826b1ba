//! Type-erased algorithms of ringleader: values whose states are numbers.
//!
//! An engine that is generic over the algorithm is compiled again for each algorithm. Here an algorithm of any type
//! becomes a [`PopulationInstance`], a [`RingInstance`] or a [`GraphInstance`], and engines take those. So engines are compiled once, and
//! algorithms from other crates or from texts work like built-in ones. An instance implements the model's traits
//! itself, with [`Number`]s for states. So a layer can wrap an instance like any algorithm, and the result is an
//! instance.
//!
//! A [`Card`] describes an algorithm. [`Parameters`] are the input of its construction. A type that has a card and can
//! be built is an [`Entry`] of a catalog.
//!
//! Two inner loops keep the concrete type: [`Agents`] and [`Processes`], which run a batch of steps at a time, and the
//! verdict about a configuration ([`Judge`]).
//!
//! ```
//! use ringleader_erased::PopulationInstance;
//! use ringleader_model::{Coin, Goal, Marks, NoCoin, Population, Stabilizing, Told, Variables, Visitor};
//!
//! /// Two leaders meet, one resigns.
//! struct Duel;
//! impl Variables for Duel {
//!     type State = bool;
//!     fn variables(&self, leads: &mut bool, v: &mut dyn Visitor) {
//!         v.bit("leads", leads);
//!     }
//! }
//! impl Population for Duel {
//!     fn interact(&self, u: bool, v: bool, _: Told, _: &mut impl Coin) -> (bool, bool) {
//!         (u, v && !u)
//!     }
//!     fn marks(&self, leads: &bool) -> Marks {
//!         Marks::LEADER.when(*leads)
//!     }
//! }
//! impl Stabilizing for Duel {
//!     fn goal(&self) -> Goal {
//!         Goal::OneLeader
//!     }
//!     fn correct(&self, c: &[bool]) -> bool {
//!         c.iter().filter(|leads| **leads).count() == 1
//!     }
//! }
//!
//! let duel = PopulationInstance::new(Duel).unwrap();
//! assert_eq!(duel.states(), 2);
//! assert_eq!(duel.try_interact(1, 1, Told::both(true), &mut NoCoin), Ok((1, 0)));
//! assert_eq!(duel.text(1), "leads=1");
//! ```

mod agents;
mod card;
mod concrete;
mod error;
mod graph;
mod identities;
mod instance;
mod judge;
mod law;
mod layers;
mod local_states;
mod memory;
mod message;
mod message_processes;
mod number;
mod outcomes;
mod parameters;
mod population;
mod processes;
mod refusal;
mod ring;
mod rule_table;
mod sample;
mod vertices;

pub use agents::{Agents, Met};
pub use card::{Card, Entry, Kind, Reading, Topology};
pub use error::{LeavesDomain, Unfit};
pub use graph::GraphInstance;
pub use identities::Identities;
pub use instance::Instance;
pub use judge::{Judge, Verdict};
pub use law::Law;
pub use layers::{DetectorLayer, Layer, Layers};
pub use local_states::LocalStates;
pub use message::{InvariantJudge, MessageInstance, Words};
pub use message_processes::MessageProcesses;
pub use number::Number;
pub use outcomes::Outcome;
pub use parameters::{Parameter, ParameterKind, Parameters};
pub use population::PopulationInstance;
pub use processes::Processes;
pub use refusal::Refusal;
pub use ring::RingInstance;
pub use rule_table::{Change, NoTable, RuleTable, common_denominator};
pub use sample::declared;

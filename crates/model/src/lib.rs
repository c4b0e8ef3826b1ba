//! The vocabulary of ringleader: what a state, a rule, a graph and a configuration are.
//!
//! An algorithm is a pure state machine in one of four models:
//!
//! | model | a step | trait |
//! | --- | --- | --- |
//! | population protocol | two agents meet on an arc and both change | [`Population`] |
//! | ring or line with composite atomicity | a process reads its neighbours and rewrites itself | [`Ring`] |
//! | any graph with composite atomicity | a process reads all its neighbours and rewrites itself | [`Networked`] |
//! | message passing | a process takes one event and sends messages | [`Process`] |
//!
//! This crate does no I/O, reads no clock, holds no random generator and depends on nothing. Randomness enters through a
//! [`Coin`], which a generator drives in a simulation and an [`Odometer`] in an exhaustive search; time is ticks counted
//! in the state. The variables of a state are listed once ([`Variables`]), and from that one list come the numbering of
//! all states ([`number`]), their text ([`text`], [`trace`]) and arbitrary corruption ([`corrupt`]).

pub mod circle;
pub mod coin;
pub mod components;
pub mod corrupt;
mod described;
pub mod ensemble;
mod file;
pub mod graph;
mod grouped;
mod interner;
mod lock;
pub mod marks;
pub mod message_trace;
pub mod network;
pub mod number;
pub mod parse_error;
pub mod population;
pub mod process;
pub mod ring;
pub mod scheduler;
mod shell;
pub mod stabilizing;
pub mod text;
pub mod trace;
pub mod variables;

pub use circle::Circle;
pub use coin::{Coin, NoCoin, Odometer};
pub use described::{Described, described};
pub use ensemble::Ensemble;
pub use graph::{Graph, GraphError, Shape};
pub use grouped::Grouped;
pub use interner::Interner;
pub use lock::lock;
pub use marks::Marks;
pub use network::{Knowledge, Networked, Vicinity};
pub use parse_error::ParseError;
pub use population::{Population, Told};
pub use process::{
    Channels, Event, Invariant, LEFT, MessageKind, Network, Outbox, Port, Process, RIGHT, Snapshot, SnapshotOf,
    Terminating, Timed, Timing, TimingError, Worst,
};
pub use ring::{Chain, Place, Reads, Ring, View};
pub use scheduler::{Scheduler, UnknownScheduler};
pub use shell::shell_word;
pub use stabilizing::{ClosedSet, CountCondition, Found, Goal, Promise, Property, Reader, Safety, Stabilizing};
pub use variables::{Domain, Name, Scalar, Variables, Visitor};

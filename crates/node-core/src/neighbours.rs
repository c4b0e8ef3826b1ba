//! Interaction of neighbours over datagrams that are lost, duplicated and reordered: no sockets, no clock, no threads.
//!
//! The models of the papers assume that two neighbours change at the same time, that a neighbour's state is read in one step, or
//! that channels lose nothing. Three protocols provide that:
//!
//! - [`Handshake`]: an agent of a population protocol, whose interactions take place exactly once or not at all.
//! - [`Polling`]: a process of a ring or a graph, whose steps are those of a process that reads and writes in one step.
//! - [`Channel`]: one end of a link that delivers messages once and in order.
//!
//! A [`Member`] runs one of these in a [`Core`](crate::Core), which authenticates its datagrams and counts them.
//!
//! No process waits while others wait for it: a busy process replies so immediately, and the asker withdraws. A [`Book`] tells
//! old offers from new ones; it works from any contents, and no number in it can block a link.
//!
//! With live neighbours and clean memory this is exact. An initiator that [gives up](Handshake::withdraw) on a silent
//! neighbour, or a crash during an interaction, may leave half of one behind: a transient fault. From arbitrary memory and
//! arbitrary datagrams in transit there is at most one wrong interaction for each of them, and then none. The tests of this
//! crate explore all of that.

mod book;
mod channel;
mod handshake;
mod member;
mod packet;
mod polling;

pub use book::{Book, Standing};
pub use channel::{Channel, Delivered};
pub use handshake::{Answer, Handshake, Interacted, LinkMemory};
pub use member::{GraphMember, Heard, Member, MessageMember, NeighbourProtocol, PopulationMember, RingMember};
pub use packet::Packet;
pub use polling::Polling;

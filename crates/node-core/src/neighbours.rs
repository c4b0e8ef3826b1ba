//! What neighbours do together over datagrams that get lost, doubled and reordered: no sockets, no clock, no threads.
//!
//! The models of the papers assume that two neighbours change at once, that a neighbour's state is read in one step, or
//! that channels lose nothing. Three faces of one idea make that true:
//!
//! - [`Meeting`]: an agent of a population protocol, whose interactions happen exactly once or not at all.
//! - [`Reading`]: a process of a ring, whose steps are those of a process that reads and writes in one step.
//! - [`Channel`]: one end of a link through which messages arrive once and in order.
//!
//! A [`Member`] is one of these, as a [`Core`](crate::Core) runs it: authenticated, counted, and shown like any other.
//!
//! Nobody waits while others wait for it: who is busy says so at once, and who is told so withdraws. What tells an old
//! offer from a new one is a [`Book`]; it works from any contents, and no number that it holds can block it.
//!
//! With live neighbours and clean memory this is exact. An initiator that [gives up](Meeting::withdraw) on a silent
//! neighbour, and a crash in the middle, may leave half an interaction behind: a transient fault. From arbitrary memory and
//! arbitrary datagrams under way there is at most one wrong interaction for each of them, and then none. The tests of this
//! crate explore all of that.

mod book;
mod channel;
mod meeting;
mod member;
mod packet;
mod reading;

pub use book::{Book, Standing};
pub use channel::{Channel, Delivered};
pub use meeting::{Answer, Heard, Link, Meeting};
pub use member::{Agent, Face, Member, Party, Process};
pub use packet::Packet;
pub use reading::{Glance, Reading, Sight};

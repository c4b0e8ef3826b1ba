//! A cluster of real nodes in one process, on loopback, with a network that can be broken and is tapped: what `ringleader cluster` shows in a
//! terminal and the lab in a browser.

mod aim;
mod fleet;
pub(crate) mod live;
mod relay;

pub use fleet::{Condition, Deed, Fleet, Plan};
pub use relay::Datagram;

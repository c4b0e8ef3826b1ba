//! Population protocols: two agents meet on an arc.

use crate::{Coin, Marks, Variables};
use std::fmt::Debug;

/// What an oracle tells an agent before an interaction.
pub trait Input: Copy + PartialEq + Debug + 'static {
    /// Every input there is.
    const ALL: &'static [Self];
    /// The input of an agent to which the leader detector Ω? says this.
    fn from_detector(leader_exists: bool) -> Self;
}

/// No oracle.
impl Input for () {
    const ALL: &'static [()] = &[()];
    fn from_detector(_: bool) {}
}

/// The leader detector Ω?: whether a leader exists.
impl Input for bool {
    const ALL: &'static [bool] = &[false, true];
    fn from_detector(leader_exists: bool) -> bool {
        leader_exists
    }
}

/// A population protocol: one transition function for all agents.
///
/// An agent knows neither its index nor the graph. On a directed ring the initiator is the left agent of the arc.
pub trait Population: Variables<State: Copy> {
    /// What an oracle tells an agent: `()` without one, `bool` for the leader detector Ω?.
    type Input: Input;

    /// One interaction: the new states of initiator and responder.
    fn interact(
        &self,
        initiator: (Self::State, Self::Input),
        responder: (Self::State, Self::Input),
        coin: &mut impl Coin,
    ) -> (Self::State, Self::State);

    /// What an agent in this state shows of itself.
    fn marks(&self, state: &Self::State) -> Marks;
}

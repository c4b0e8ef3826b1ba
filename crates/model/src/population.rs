//! Population protocols: two agents meet on an arc.

use crate::{Coin, Marks, Variables};

/// What the leader detector Ω? tells the two agents of an interaction: whether a leader exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// What the initiator is told.
    pub initiator: bool,
    /// What the responder is told.
    pub responder: bool,
}

impl Told {
    /// Everything that the two can be told.
    pub const ALL: [Told; 4] =
        [Told::each(false, false), Told::each(false, true), Told::each(true, false), Told::each(true, true)];

    /// Each its own.
    pub const fn each(initiator: bool, responder: bool) -> Told {
        Told { initiator, responder }
    }

    /// Both the same.
    pub const fn both(leader_exists: bool) -> Told {
        Told::each(leader_exists, leader_exists)
    }

    /// The same with initiator and responder exchanged.
    pub const fn swapped(self) -> Told {
        Told::each(self.responder, self.initiator)
    }
}

/// A population protocol: one transition function for all agents.
///
/// An agent knows neither its index nor the graph. On a directed ring the initiator is the left agent of the arc.
pub trait Population: Variables<State: Copy> {
    /// Whether it asks the leader detector Ω?; if not, what it is told must not matter.
    fn hears(&self) -> bool {
        false
    }

    /// One interaction: the new states of initiator and responder.
    fn interact(
        &self,
        initiator: Self::State,
        responder: Self::State,
        told: Told,
        coin: &mut impl Coin,
    ) -> (Self::State, Self::State);

    /// What an agent in this state shows of itself.
    fn marks(&self, state: &Self::State) -> Marks;

    /// What the agents show in a picture of all of them: their marks, unless their neighbours have a part in it.
    fn drawn(&self, agents: &[Self::State]) -> Vec<Marks> {
        agents.iter().map(|state| self.marks(state)).collect()
    }
}

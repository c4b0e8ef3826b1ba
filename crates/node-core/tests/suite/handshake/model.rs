//! Interactions on a ring whose channels lose, repeat and reorder.
//!
//! A packet that was sent can arrive any number of times or never: the weakest channel. Repeating an offer adds nothing to that, so
//! no agent repeats. (The explorer of message-passing algorithms has channels that lose nothing, in which a duplicate would be
//! another message; a set of the packets sent is smaller and simpler.)

use super::history::Entry;
use ringleader_erased::PopulationInstance;
use ringleader_model::{Coin, Goal, LEFT, Marks, Population, Port, RIGHT, Stabilizing, Told, Variables, Visitor};
use ringleader_node_core::NeighbourKind;
use ringleader_node_core::neighbours::{Answer, Handshake, Packet, Standing};
use ringleader_testkit::reachable::search;
use std::collections::BTreeSet;

/// A small rule that forgets nothing: initiator and responder exchange their states and turn them.
pub(crate) struct Swap;

impl Variables for Swap {
    type State = u8;
    fn variables(&self, state: &mut u8, v: &mut dyn Visitor) {
        v.range("state", 0, 2, state);
    }
}

impl Population for Swap {
    fn interact(&self, u: u8, v: u8, _: Told, _: &mut impl Coin) -> (u8, u8) {
        ((v + 1) % 3, (u + 2) % 3)
    }

    fn marks(&self, _: &u8) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for Swap {
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn correct(&self, _: &[u8]) -> bool {
        true
    }
}

/// A planted bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A repeated offer is accepted again.
    AnswersForgotten,
    /// A refused offer is accepted when it is repeated.
    RefusedTakenLater,
    /// A stale offer is accepted.
    OldTaken,
    /// An agent that waits for an answer does not answer.
    WaitsWhileLocked,
}

/// The explored ring.
pub(crate) struct Ring {
    /// The number of times that an agent may give up.
    pub(crate) losses: u8,
    pub(crate) fault: Option<Fault>,
    pub(crate) protocol: PopulationInstance,
}

/// An agent, the packets it has sent by port, and its interactions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Agent {
    pub(crate) handshake: Handshake,
    pub(crate) sent: BTreeSet<(Port, Packet<u64>)>,
    /// The number of offers that it may still make.
    pub(crate) offers: u8,
    pub(crate) gave_up: u8,
    /// The number of wrong values in its start.
    pub(crate) wrong: u8,
    pub(crate) first: u64,
    pub(crate) log: Vec<Entry>,
}

pub(crate) type World = Vec<Agent>;

impl Agent {
    pub(crate) fn new(handshake: Handshake, offers: u8) -> Agent {
        let sent = handshake.repeat().into_iter().collect();
        Agent { first: handshake.state, handshake, sent, offers, gave_up: 0, wrong: 0, log: vec![] }
    }
}

impl Ring {
    pub(crate) fn new() -> Ring {
        Ring { losses: 0, fault: None, protocol: PopulationInstance::new(Swap).expect("three states") }
    }

    /// The number of reachable worlds, or the first that is not sound; `sound` is told whether a world has no successor.
    pub(crate) fn explore(
        &self,
        starts: impl IntoIterator<Item = World>,
        sound: impl Fn(&World, bool) -> bool,
    ) -> Result<usize, World> {
        let wrong = |world: &World, next: &[World]| !sound(world, next.is_empty());
        search(starts, usize::MAX, World::clone, |world| self.successors(world), wrong).map_err(|wrong| wrong.state)
    }

    /// The successors of a world, without itself.
    fn successors(&self, world: &World) -> Vec<World> {
        let (size, mut next) = (world.len(), vec![]);
        for (i, agent) in world.iter().enumerate() {
            let mut with = |changed: Agent| {
                if changed != *agent {
                    let mut world = world.clone();
                    world[i] = changed;
                    next.push(world);
                }
            };
            let mut offering = agent.clone();
            if agent.offers > 0
                && let Some(sent) = offering.handshake.offer(RIGHT)
            {
                offering.offers -= 1;
                offering.sent.insert(sent);
                with(offering);
            }
            if agent.gave_up < self.losses && agent.handshake.out.is_some() {
                let mut tired = agent.clone();
                tired.gave_up += 1;
                tired.handshake.withdraw();
                with(tired);
            }
            for (port, neighbour, theirs) in [(LEFT, (i + size - 1) % size, RIGHT), (RIGHT, (i + 1) % size, LEFT)] {
                for &(_, packet) in world[neighbour].sent.iter().filter(|(through, _)| *through == theirs) {
                    with(self.deliver(agent.clone(), port, packet));
                }
            }
        }
        next
    }

    /// Hands a packet to the agent, and logs an interaction.
    fn deliver(&self, mut agent: Agent, port: Port, packet: Packet<u64>) -> Agent {
        let Packet { kind, number, ticket, body } = packet;
        if kind == NeighbourKind::Offer {
            let locked = agent.handshake.out.is_some();
            let book = &mut agent.handshake.links[port].book;
            let (standing, refused) = (book.standing(number, ticket), book.answer == Answer::Refused);
            match self.fault {
                Some(Fault::WaitsWhileLocked) if locked => return agent,
                Some(Fault::AnswersForgotten) if standing == Standing::Repeated && !refused => book.ticket = ticket,
                Some(Fault::RefusedTakenLater) if standing == Standing::Repeated && refused => book.ticket = ticket,
                Some(Fault::OldTaken) if standing == Standing::Stale => book.ticket = ticket,
                _ => {}
            }
        }
        let mut fresh = Fresh::after(agent.handshake.links[port].book.ticket);
        let interacted = agent.handshake.receive(port, packet, &self.protocol, false, &mut fresh);
        let after = agent.handshake.state;
        agent.log.extend(interacted.before.zip(body).map(|(before, theirs)| match kind {
            NeighbourKind::Offer => Entry::Took { number, theirs, before, after },
            _ => Entry::Gave { number, before, after },
        }));
        agent.sent.extend(interacted.reply.map(|reply| (port, reply)));
        agent
    }
}

/// The next ticket, digit by digit: a word that does not occur in any start, as a random word would not.
struct Fresh {
    word: u64,
    digits: u32,
}

impl Fresh {
    const FIRST: u64 = 1 << 32;

    fn after(ticket: u64) -> Fresh {
        let known = (Self::FIRST..2 * Self::FIRST).contains(&ticket);
        Fresh { word: if known { ticket + 1 } else { Self::FIRST }, digits: 4 }
    }
}

impl Coin for Fresh {
    fn below(&mut self, n: u32) -> u32 {
        assert_eq!(n, 1 << 16, "the rule is deterministic");
        self.digits -= 1;
        (self.word >> (16 * self.digits)) as u32 & 0xffff
    }
}

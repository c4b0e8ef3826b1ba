//! Meetings on a ring whose channels lose, repeat and reorder.
//!
//! Whatever was sent stays where it can arrive, any number of times or never: the weakest channel there is. Repeating an offer
//! adds nothing to that, so nobody repeats. (The explorer of message-passing algorithms has channels that lose nothing, in
//! which a datagram that arrives again would be another one; a set of all that was sent is smaller and says it plainly.)

use super::history::Entry;
use ringleader_erased::PopulationInstance;
use ringleader_model::{Coin, Goal, LEFT, Marks, Population, Port, RIGHT, Stabilizing, Told, Variables, Visitor};
use ringleader_node_core::neighbours::{Answer, Meeting, Packet, Standing};
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

/// What is done wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A repeated offer is taken again.
    AnswersForgotten,
    /// A refused offer is taken when it comes again.
    RefusedTakenLater,
    /// An offer from long ago is taken.
    OldTaken,
    /// Whoever waits for an answer gives none.
    WaitsWhileLocked,
}

/// What is explored.
pub(crate) struct Ring {
    /// How often an agent gives up.
    pub(crate) losses: u8,
    pub(crate) fault: Option<Fault>,
    pub(crate) protocol: PopulationInstance,
}

/// An agent, what it has sent to whom, and what it did.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Agent {
    pub(crate) meeting: Meeting,
    pub(crate) sent: BTreeSet<(Port, Packet<u64>)>,
    /// How many offers it may still make.
    pub(crate) offers: u8,
    pub(crate) gave_up: u8,
    /// How much of its start is wrong.
    pub(crate) wrong: u8,
    pub(crate) first: u64,
    pub(crate) log: Vec<Entry>,
}

pub(crate) type World = Vec<Agent>;

impl Agent {
    pub(crate) fn new(meeting: Meeting, offers: u8) -> Agent {
        let sent = meeting.repeat().into_iter().collect();
        Agent { first: meeting.state, meeting, sent, offers, gave_up: 0, wrong: 0, log: vec![] }
    }
}

impl Ring {
    pub(crate) fn new() -> Ring {
        Ring { losses: 0, fault: None, protocol: PopulationInstance::new(Swap).expect("three states") }
    }

    /// How many worlds can be reached from these, or the first that is not sound; `sound` is told whether nothing can follow.
    pub(crate) fn explore(
        &self,
        starts: impl IntoIterator<Item = World>,
        sound: impl Fn(&World, bool) -> bool,
    ) -> Result<usize, World> {
        let wrong = |world: &World, next: &[World]| !sound(world, next.is_empty());
        search(starts, usize::MAX, World::clone, |world| self.successors(world), wrong).map_err(|wrong| wrong.state)
    }

    /// What may happen next, as far as it changes anything.
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
                && let Some(packet) = offering.meeting.offer(RIGHT)
            {
                offering.offers -= 1;
                offering.sent.insert((RIGHT, packet));
                with(offering);
            }
            if agent.gave_up < self.losses && agent.meeting.out.is_some() {
                let mut tired = agent.clone();
                tired.gave_up += 1;
                tired.meeting.withdraw();
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

    /// Hands a packet to the meeting, and notes what came of it.
    fn deliver(&self, mut agent: Agent, port: Port, packet: Packet<u64>) -> Agent {
        if let Packet::Offer { number, ticket, .. } = packet {
            let locked = agent.meeting.out.is_some();
            let book = &mut agent.meeting.links[port].book;
            let (standing, refused) = (book.standing(number, ticket), book.answer == Answer::Refused);
            match self.fault {
                Some(Fault::WaitsWhileLocked) if locked => return agent,
                Some(Fault::AnswersForgotten) if standing == Standing::Repeated && !refused => book.ticket = ticket,
                Some(Fault::RefusedTakenLater) if standing == Standing::Repeated && refused => book.ticket = ticket,
                Some(Fault::OldTaken) if standing == Standing::Stale => book.ticket = ticket,
                _ => {}
            }
        }
        let mut fresh = Fresh::after(agent.meeting.links[port].book.ticket);
        let heard = agent.meeting.hear(port, packet, &self.protocol, false, &mut fresh);
        let after = agent.meeting.state;
        match (heard.met, packet) {
            (Some(before), Packet::Offer { number, body, .. }) => {
                agent.log.push(Entry::Took { number, theirs: body, before, after });
            }
            (Some(before), Packet::Done { number, .. }) => agent.log.push(Entry::Gave { number, before, after }),
            _ => {}
        }
        agent.sent.extend(heard.reply.map(|reply| (port, reply)));
        agent
    }
}

/// The next ticket, digit by digit: none that was there at the start, as a random word would not be.
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

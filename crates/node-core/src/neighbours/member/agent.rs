//! A member that is an agent of a population protocol.

use super::Face;
use crate::core::Message;
use crate::kind::NeighbourKind;
use crate::neighbours::{Meeting, Packet};
use ringleader_erased::{Number, PopulationInstance};
use ringleader_model::{Coin, Goal, Marks, Population, Port, Stabilizing, Visitor, corrupt};

/// An agent of a population protocol among its neighbours.
pub struct Agent {
    protocol: PopulationInstance,
    meeting: Meeting,
    /// Through which ports it offers.
    ports: Vec<Port>,
    /// Whether it is the given leader, where there is one.
    given: bool,
}

impl Agent {
    /// An agent in an arbitrary state, with so many neighbours, that offers through these ports. `given`: it is the leader that
    /// the protocol is given.
    pub fn new(
        protocol: PopulationInstance,
        neighbours: usize,
        ports: Vec<Port>,
        given: bool,
        mut coin: &mut dyn Coin,
    ) -> Agent {
        let state = corrupt::arbitrary(&protocol, &mut coin).0;
        let mut agent = Agent { meeting: Meeting::new(state, neighbours, coin), protocol, ports, given };
        agent.restore();
        agent
    }

    /// Puts back what no fault can change: agent 0 of a configuration is the given leader.
    fn restore(&mut self) {
        let mut both = [Number(self.meeting.state); 2];
        self.protocol.restore(&mut both);
        self.meeting.state = both[usize::from(!self.given)].0;
    }

    fn said(to: Port, packet: Packet<u64>) -> Message {
        let bytes = packet.encode(|state, bytes| bytes.extend_from_slice(&state.to_be_bytes()));
        Message::between(to, packet.kind(), bytes)
    }
}

impl Face for Agent {
    fn begin(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        let port = self.ports[coin.below(self.ports.len() as u32) as usize];
        self.meeting.offer(port).map(|packet| Agent::said(port, packet)).into_iter().collect()
    }

    fn repeat(&self) -> Vec<Message> {
        self.meeting.repeat().map(|(port, packet)| Agent::said(port, packet)).into_iter().collect()
    }

    fn give_up(&mut self) {
        self.meeting.withdraw();
    }

    fn hear(
        &mut self,
        from: Port,
        bytes: &[u8],
        held: bool,
        coin: &mut dyn Coin,
    ) -> Option<(NeighbourKind, Vec<Message>)> {
        let packet = Packet::decode(bytes, |state| state.try_into().map(u64::from_be_bytes).ok())?;
        let held = held && self.token() == Some(true);
        let heard = self.meeting.hear(from, packet, &self.protocol, held, coin);
        Some((packet.kind(), heard.reply.map(|reply| Agent::said(from, reply)).into_iter().collect()))
    }

    fn token(&self) -> Option<bool> {
        (self.protocol.goal() == Goal::OneToken).then(|| self.marks().token())
    }

    fn may_have_passed(&self) -> bool {
        self.meeting.out.is_some()
    }

    fn marks(&self) -> Marks {
        self.protocol.marks(&Number(self.meeting.state))
    }

    fn variables(&mut self, visitor: &mut dyn Visitor) {
        self.meeting.variables(&self.protocol, visitor);
        self.restore();
    }

    fn text(&self) -> String {
        self.protocol.text(self.meeting.state)
    }
}

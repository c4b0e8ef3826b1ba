//! A member that is an agent of a population protocol.

use super::{Heard, NeighbourProtocol, message, packet};
use crate::core::Message;
use crate::neighbours::Handshake;
use ringleader_erased::{Number, PopulationInstance};
use ringleader_model::{Coin, Goal, Marks, Population, Port, Stabilizing, Visitor, corrupt};

/// An agent of a population protocol and its links.
pub struct PopulationMember {
    protocol: PopulationInstance,
    handshake: Handshake,
    /// The ports through which it offers.
    ports: Vec<Port>,
    /// Whether it is the given leader of a protocol that has one.
    given: bool,
}

impl PopulationMember {
    /// An agent in an arbitrary state, with this many neighbours, that offers through these ports; `given` if it is the given
    /// leader of the protocol.
    pub fn new(
        protocol: PopulationInstance,
        neighbours: usize,
        ports: Vec<Port>,
        given: bool,
        mut coin: &mut dyn Coin,
    ) -> PopulationMember {
        let state = corrupt::arbitrary(&protocol, &mut coin).0;
        let handshake = Handshake::new(state, neighbours, coin);
        let mut member = PopulationMember { handshake, protocol, ports, given };
        member.restore();
        member
    }

    /// Restores the variables that no fault can change: agent 0 of a configuration is the given leader.
    fn restore(&mut self) {
        let mut both = [Number(self.handshake.state); 2];
        self.protocol.restore(&mut both);
        self.handshake.state = both[usize::from(!self.given)].0;
    }
}

impl NeighbourProtocol for PopulationMember {
    fn begin(&mut self, coin: &mut dyn Coin) -> Vec<Message> {
        let port = self.ports[coin.below(self.ports.len() as u32) as usize];
        self.handshake.offer(port).map(message).into_iter().collect()
    }

    fn repeat(&self) -> Vec<Message> {
        self.handshake.repeat().map(message).into_iter().collect()
    }

    fn give_up(&mut self) {
        self.handshake.withdraw();
    }

    fn receive(&mut self, from: Port, bytes: &[u8], held: bool, coin: &mut dyn Coin) -> Option<Heard> {
        let packet = packet(bytes)?;
        let held = held && self.token() == Some(true);
        let reply = self.handshake.receive(from, packet, &self.protocol, held, coin).reply;
        Some((packet.kind, reply.map(|reply| message((from, reply))).into_iter().collect()))
    }

    fn token(&self) -> Option<bool> {
        (self.protocol.goal() == Goal::OneToken).then(|| self.marks().token())
    }

    fn may_have_passed(&self) -> bool {
        self.handshake.out.is_some()
    }

    fn marks(&self) -> Marks {
        self.protocol.marks(&Number(self.handshake.state))
    }

    fn variables(&mut self, visitor: &mut dyn Visitor) {
        self.handshake.variables(&self.protocol, visitor);
        self.restore();
    }

    fn text(&self) -> String {
        self.protocol.text(self.handshake.state)
    }
}

//! A member that is a process of a graph.

use super::{Heard, NeighbourProtocol, READ_FOR, message, packet};
use crate::core::Message;
use crate::neighbours::{Packet, Polling};
use ringleader_erased::{GraphInstance, Number};
use ringleader_model::{Coin, Goal, Marks, Networked as _, Port, Stabilizing, Visitor};

/// A process of a graph among its neighbours. Its peers are the processes of the graph, by number.
pub struct GraphMember {
    algorithm: GraphInstance,
    process: usize,
    polling: Polling,
    /// The neighbours' states as last read, by port; the marks may depend on them.
    seen: Vec<u64>,
}

impl GraphMember {
    /// A process of the algorithm's graph, in an arbitrary state.
    pub fn new(algorithm: GraphInstance, process: usize, mut coin: &mut dyn Coin) -> GraphMember {
        let state = algorithm.arbitrary(process, &mut coin).0;
        let seen = vec![0; algorithm.neighbours().of(process).len()];
        let polling = Polling::new(state, seen.len(), algorithm.states(), coin);
        let mut member = GraphMember { algorithm, process, polling, seen };
        member.restore();
        member
    }

    /// Restores the variables that no fault can change.
    fn restore(&mut self) {
        let mut all = vec![Number(self.polling.state); self.algorithm.size()];
        self.algorithm.restore(&mut all);
        self.polling.state = all[self.process].0;
    }

    /// The states that its rules read: its own, then its neighbours', by port.
    fn view(&self) -> Vec<u64> {
        std::iter::once(self.polling.state).chain(self.seen.iter().copied()).collect()
    }

    /// The message that carries a packet through a port.
    fn message(&self, (port, packet): (Port, Packet<u64>)) -> Message {
        message((self.algorithm.neighbours().of(self.process)[port] as usize, packet))
    }
}

impl NeighbourProtocol for GraphMember {
    fn begin(&mut self, _: &mut dyn Coin) -> Vec<Message> {
        let asked = self.polling.look();
        asked.into_iter().map(|sent| self.message(sent)).collect()
    }

    fn repeat(&self) -> Vec<Message> {
        self.polling.repeat().into_iter().map(|sent| self.message(sent)).collect()
    }

    fn patience(&self) -> u32 {
        READ_FOR
    }

    fn give_up(&mut self) {
        self.polling.withdraw();
    }

    fn receive(&mut self, from: Port, bytes: &[u8], held: bool, coin: &mut dyn Coin) -> Option<Heard> {
        let packet = packet(bytes)?;
        let port = self.algorithm.neighbours().of(self.process).iter().position(|&peer| peer as usize == from)?;
        let (reply, seen) = self.polling.receive(port, packet);
        if let Some(seen) = seen {
            self.seen = seen;
            let held = held && self.token() == Some(true);
            // A rule whose result leaves the domain takes no step.
            if let (false, Ok(after)) = (held, self.algorithm.try_act(self.process, &self.view(), coin)) {
                self.polling.step(after);
            }
        }
        Some((packet.kind, reply.map(|reply| self.message(reply)).into_iter().collect()))
    }

    fn token(&self) -> Option<bool> {
        (self.algorithm.goal() == Goal::OneToken).then(|| self.marks().token())
    }

    fn marks(&self) -> Marks {
        self.algorithm.marks_of(self.process, &self.view())
    }

    fn variables(&mut self, visitor: &mut dyn Visitor) {
        self.polling.variables(visitor);
        let most = self.algorithm.states() - 1;
        for (port, state) in self.seen.iter_mut().enumerate() {
            visitor.range(("seen", port), 0, most, state);
        }
        self.restore();
    }

    fn text(&self) -> String {
        self.algorithm.text(self.polling.state)
    }
}

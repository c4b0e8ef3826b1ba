//! A member that is a process of a ring.

use super::{Heard, NeighbourProtocol, READ_FOR, message, packet};
use crate::core::Message;
use crate::neighbours::Polling;
use ringleader_erased::{Number, RingInstance};
use ringleader_model::{Coin, Goal, LEFT, Marks, Place, Port, RIGHT, Reads, Ring, Stabilizing, View, Visitor, corrupt};

/// A process of a ring between its neighbours.
pub struct RingMember {
    algorithm: RingInstance,
    polling: Polling,
    at: Place,
    /// The neighbours' states as last read; the marks may depend on them.
    left: u64,
    right: u64,
    /// Whether any process can hold a token.
    tokens: bool,
}

/// An algorithm with more views than this is not searched for a token.
const MOST_VIEWS: u64 = 1 << 18;

/// Whether a process of this algorithm holds a token in some view: a goal in words may be about one, too.
fn tokens(algorithm: &RingInstance) -> bool {
    let states = algorithm.states();
    let few = states.checked_pow(3).is_some_and(|views| views <= MOST_VIEWS);
    let shown = |at, view: u64| {
        let (left, own, right) = (view % states, view / states % states, view / states / states);
        algorithm.marks_of(View { at, left, own, right }).token()
    };
    algorithm.goal() == Goal::OneToken
        || few && Place::ALL.iter().any(|&at| (0..states.pow(3)).any(|view| shown(at, view)))
}

impl RingMember {
    /// A process in an arbitrary state at this place of the ring.
    pub fn new(algorithm: RingInstance, at: Place, mut coin: &mut dyn Coin) -> RingMember {
        let state = corrupt::arbitrary(&algorithm, &mut coin).0;
        let tokens = tokens(&algorithm);
        let ports = if algorithm.reads() == Reads::BothSides { 2 } else { 1 };
        let polling = Polling::new(state, ports, algorithm.states(), coin);
        let mut member = RingMember { polling, algorithm, at, left: 0, right: 0, tokens };
        member.restore();
        member
    }

    /// Restores the variables that no fault can change.
    fn restore(&mut self) {
        let mut all = [Number(self.polling.state); 3];
        self.algorithm.restore(&mut all);
        let place = Place::ALL.iter().position(|&place| place == self.at).unwrap_or_default();
        self.polling.state = all[place].0;
    }

    fn view(&self) -> View<u64> {
        View { at: self.at, left: self.left, own: self.polling.state, right: self.right }
    }
}

impl NeighbourProtocol for RingMember {
    fn begin(&mut self, _: &mut dyn Coin) -> Vec<Message> {
        self.polling.look().into_iter().map(message).collect()
    }

    fn repeat(&self) -> Vec<Message> {
        self.polling.repeat().into_iter().map(message).collect()
    }

    fn patience(&self) -> u32 {
        READ_FOR
    }

    fn give_up(&mut self) {
        self.polling.withdraw();
    }

    fn receive(&mut self, from: Port, bytes: &[u8], held: bool, coin: &mut dyn Coin) -> Option<Heard> {
        let packet = packet(bytes).filter(|_| from == LEFT || from == RIGHT)?;
        let (reply, seen) = self.polling.receive(from, packet);
        if let Some(seen) = seen {
            let own = self.polling.state;
            (self.left, self.right) = (seen[LEFT], seen.get(RIGHT).copied().unwrap_or(own));
            let held = held && self.token() == Some(true);
            // A rule whose result leaves the domain takes no step.
            if let (false, Ok(after)) = (held, self.algorithm.try_act(self.view(), coin)) {
                self.polling.step(after);
            }
        }
        Some((packet.kind, reply.map(message).into_iter().collect()))
    }

    fn token(&self) -> Option<bool> {
        self.tokens.then(|| self.marks().token())
    }

    fn marks(&self) -> Marks {
        self.algorithm.marks_of(self.view())
    }

    fn variables(&mut self, visitor: &mut dyn Visitor) {
        self.polling.variables(visitor);
        let most = self.algorithm.states() - 1;
        visitor.range("seen left", 0, most, &mut self.left);
        visitor.range("seen right", 0, most, &mut self.right);
        self.restore();
    }

    fn text(&self) -> String {
        self.algorithm.text(self.polling.state)
    }
}

//! A member that is a process of a ring.

use super::Face;
use crate::core::Message;
use crate::kind::NeighbourKind;
use crate::neighbours::{Glance, Reading};
use ringleader_erased::{Number, RingInstance};
use ringleader_model::{Coin, Goal, LEFT, Marks, Place, Port, RIGHT, Stabilizing, View, Visitor, corrupt};

/// A process of a ring between its neighbours.
pub struct Process {
    algorithm: RingInstance,
    reading: Reading,
    at: Place,
    /// What it saw of its neighbours when it last looked: what it shows may depend on that.
    left: u64,
    right: u64,
    /// Whether anybody ever holds a token.
    tokens: bool,
}

/// Views beyond so many are not searched for a token.
const MOST_VIEWS: u64 = 1 << 18;

/// Whether a process of this algorithm shows a token in some view: a goal in words of its own may be about one, too.
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

impl Process {
    /// A process in an arbitrary state that stands at this place.
    pub fn new(algorithm: RingInstance, at: Place, mut coin: &mut dyn Coin) -> Process {
        let state = corrupt::arbitrary(&algorithm, &mut coin).0;
        let tokens = tokens(&algorithm);
        let mut process = Process { reading: Reading::new(state, coin), algorithm, at, left: 0, right: 0, tokens };
        process.restore();
        process
    }

    /// Puts back what no fault can change.
    fn restore(&mut self) {
        let mut all = [Number(self.reading.state); 3];
        self.algorithm.restore(&mut all);
        let place = Place::ALL.iter().position(|&place| place == self.at).unwrap_or_default();
        self.reading.state = all[place].0;
    }

    fn view(&self) -> View<u64> {
        View { at: self.at, left: self.left, own: self.reading.state, right: self.right }
    }

    fn said((to, glance): (Port, Glance)) -> Message {
        Message::between(to, glance.kind(), glance.encode())
    }
}

impl Face for Process {
    fn begin(&mut self, _: &mut dyn Coin) -> Vec<Message> {
        self.reading.look().map(Process::said).into_iter().collect()
    }

    fn repeat(&self) -> Vec<Message> {
        self.reading.repeat().map(Process::said).into_iter().collect()
    }

    fn give_up(&mut self) {
        self.reading.withdraw();
    }

    fn hear(
        &mut self,
        from: Port,
        bytes: &[u8],
        held: bool,
        coin: &mut dyn Coin,
    ) -> Option<(NeighbourKind, Vec<Message>)> {
        let glance = Glance::decode(bytes).filter(|_| from == LEFT || from == RIGHT)?;
        let (said, seen) = self.reading.hear(from, glance, &self.algorithm);
        if let Some(seen) = seen {
            (self.left, self.right) = (seen.left, seen.right);
            match held && self.token() == Some(true) {
                true => self.reading.withdraw(),
                // A rule that leaves its domain takes no step.
                false => drop(self.reading.act(self.view(), &self.algorithm, coin)),
            }
        }
        Some((glance.kind(), said.map(Process::said).into_iter().collect()))
    }

    fn token(&self) -> Option<bool> {
        self.tokens.then(|| self.marks().token())
    }

    fn marks(&self) -> Marks {
        self.algorithm.marks_of(self.view())
    }

    fn variables(&mut self, visitor: &mut dyn Visitor) {
        self.reading.variables(&self.algorithm, visitor);
        let most = self.algorithm.states() - 1;
        visitor.range("seen left", 0, most, &mut self.left);
        visitor.range("seen right", 0, most, &mut self.right);
        self.restore();
    }

    fn text(&self) -> String {
        self.algorithm.text(self.reading.state)
    }
}

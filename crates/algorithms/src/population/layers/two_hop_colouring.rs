//! A colouring in which the two neighbours of every agent differ: on a ring, a way to tell them apart.
//!
//! After D. Angluin, J. Aspnes, M. J. Fischer, H. Jiang: *Self-stabilizing population protocols*, ACM TAAS 3(4), 2008,
//! in the form of one colour and one bit per colour. Two agents keep a bit for each other, under the other's colour, and flip both when they meet. If the bits differ, somebody else of the same colour has flipped one of them.

use ringleader_model::{Circle, Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};

/// The number of colours. Three are enough for rings, where an agent has two neighbours.
pub const COLOURS: u8 = 3;

/// The layer, for undirected rings of at least 3 agents.
#[derive(Clone, Copy, Debug)]
pub struct TwoHopColouring;

/// A colour, and a bit for each colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// c, in 0..3.
    pub colour: u8,
    /// `F[c]`: shared with the neighbour of colour c.
    pub flags: [bool; 3],
}

impl State {
    fn flag(&mut self, other: &State) -> &mut bool {
        &mut self.flags[other.colour as usize]
    }
}

impl Variables for TwoHopColouring {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.range("colour", 0, (COLOURS - 1).into(), &mut s.colour);
        for (c, flag) in s.flags.iter_mut().enumerate() {
            v.bit(("flag", c), flag);
        }
    }
}

impl Population for TwoHopColouring {
    /// If the bits differ the initiator takes one of the other colours, by a coin, and the responder's bit for it.
    fn interact(&self, mut u: State, mut v: State, _: Told, coin: &mut impl Coin) -> (State, State) {
        if *u.flag(&v) == *v.flag(&u) {
            coin.fired(1);
            *u.flag(&v) ^= true;
            *v.flag(&u) ^= true;
        } else {
            coin.fired(2);
            u.colour = (u.colour + 1 + coin.below(u32::from(COLOURS) - 1) as u8) % COLOURS;
            *u.flag(&v) = *v.flag(&u);
        }
        (u, v)
    }

    fn marks(&self, _: &State) -> Marks {
        Marks::NONE
    }
}

impl Stabilizing for TwoHopColouring {
    /// All agents agree on their colours.
    fn goal(&self) -> Goal {
        Goal::Agreement
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    /// The two neighbours of every agent have different colours.
    fn correct(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        (0..c.len()).all(|i| ring[i].colour != ring[i + 2].colour)
    }

    /// Correct, and every two neighbours' bits for each other are equal.
    ///
    /// They stay so, since no bit of an agent is shared with both its neighbours; so nobody takes another colour.
    fn safe(&self, c: &[State]) -> bool {
        let ring = Circle(c);
        let agree = |(mut u, mut v): (State, State)| *u.flag(&v) == *v.flag(&u);
        self.correct(c) && (0..c.len()).all(|i| agree((ring[i], ring[i + 1])))
    }
}

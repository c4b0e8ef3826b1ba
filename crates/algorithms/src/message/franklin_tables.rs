//! Probabilistic Franklin in the small steps that the published state spaces count.
//!
//! R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: *Leader election in anonymous rings: Franklin goes probabilistic*,
//! IFIP TCS 2008, Tables 1 to 3. The algorithm itself ([`Franklin`]) receives, decides and sends in one atomic step. The
//! paper's process-algebra model does each of these by itself, and so does this one; `leader` is the only step that a
//! bystander sees. Not an entry of the catalog: another reading of the entry `franklin`.

use crate::message::franklin::{Franklin, Message};
use ringleader_model::{
    Coin, Event, LEFT, Marks, Network, Outbox, Port, Process, RIGHT, Terminating, Variables, Visitor, scalar_enum,
};

/// The order in which an active process sends and receives the two messages of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// Table 1: sends to the left, then to the right; receives in either order and remembers it while it compares.
    Both,
    /// Tables 2 and 3, "normal": sends to the right, then to the left; receives from the left, then from the right.
    LeftFirst,
}

/// Both readings, for the card of `franklin`.
pub(crate) const READINGS: &[ringleader_erased::Reading] = &[
    ringleader_erased::Reading { name: "both", meaning: "Table 1" },
    ringleader_erased::Reading { name: "left-first", meaning: "Tables 2 and 3" },
];

/// The table-faithful model of an instance of Franklin.
///
/// ```
/// use ringleader_algorithms::message::franklin::Franklin;
/// use ringleader_algorithms::message::franklin_tables::{FranklinTables, Reading};
/// let algorithm = Franklin { size: 3, ids: 2, keeps_identity: false };
/// let table_1 = FranklinTables { algorithm, reading: Reading::Both };
/// # let _ = table_1;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FranklinTables {
    /// The algorithm: size, identities and variant.
    pub algorithm: Franklin,
    /// The order of sending and receiving.
    pub reading: Reading,
}

/// The position of a process in its round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// About to choose an identity and send the first message.
    #[default]
    Start,
    /// Has sent the first of its two messages.
    Sent,
    /// Waits for the messages of its neighbours.
    Wait,
    /// Has both messages. Behaves as passive or as at a start, but is a separate state until its next step.
    Compare,
    /// Waits for a message to forward.
    Passive,
    /// About to forward the received message.
    Forward,
    /// About to announce that it is the leader.
    Declare,
    /// Has announced it, and takes no more steps.
    Leader,
}

scalar_enum!(Mode: Start, Sent, Wait, Compare, Passive, Forward, Declare, Leader);

/// The state of a process; the variables that a mode does not use are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Its position in its round.
    pub mode: Mode,
    /// Its round modulo 2, or the bit of the message that it forwards.
    pub bit: bool,
    /// Its identity, or that of the message that it forwards.
    pub id: u32,
    /// The identities received in this round from [`LEFT`] and [`RIGHT`]; 0 for none yet.
    pub heard: [u32; 2],
    /// The hop of the message last received in this round, or of the one that it forwards.
    pub hop: u32,
    /// While comparing under [`Reading::Both`], the port of the message last received; while forwarding, the port to send to.
    pub port: Port,
}

impl Variables for FranklinTables {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let ids = self.algorithm.ids.into();
        let modes = &["start", "sent", "wait", "compare", "passive", "forward", "declare", "leader"];
        v.symbol("mode", modes, &mut s.mode);
        v.bit("bit", &mut s.bit);
        v.range("id", 0, ids, &mut s.id);
        v.range("left", 0, ids, &mut s.heard[LEFT]);
        v.range("right", 0, ids, &mut s.heard[RIGHT]);
        v.range("hop", 0, self.algorithm.size.into(), &mut s.hop);
        v.range("port", 0, 1, &mut s.port);
    }
}

impl FranklinTables {
    fn sends_first(&self) -> Port {
        match self.reading {
            Reading::Both => LEFT,
            Reading::LeftFirst => RIGHT,
        }
    }

    fn survives(s: &State) -> bool {
        s.heard.iter().all(|&id| id <= s.id)
    }

    /// Whether the process is passive, or compares and has lost.
    fn relays(s: &State) -> bool {
        s.mode == Mode::Passive || s.mode == Mode::Compare && !Self::survives(s)
    }

    fn first_send(&self, s: &mut State, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        let compares = s.mode == Mode::Compare;
        let bit = s.bit != compares;
        let keeps = compares && self.algorithm.keeps_identity && !s.heard.contains(&s.id);
        let id = if keeps { s.id } else { 1 + coin.below(self.algorithm.ids) };
        *s = State { mode: Mode::Sent, bit, id, ..State::default() };
        out.send(self.sends_first(), Message { id, hop: 1, bit });
    }

    fn step(&self, s: &mut State, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match s.mode {
            Mode::Start | Mode::Compare => self.first_send(s, out, coin),
            Mode::Sent => {
                out.send(LEFT + RIGHT - self.sends_first(), Message { id: s.id, hop: 1, bit: s.bit });
                s.mode = Mode::Wait;
            }
            Mode::Forward => {
                out.send(s.port, Message { id: s.id, hop: s.hop, bit: s.bit });
                *s = State { mode: Mode::Passive, ..State::default() };
            }
            Mode::Declare => s.mode = Mode::Leader,
            Mode::Wait | Mode::Passive | Mode::Leader => {}
        }
    }

    fn receive(&self, s: &mut State, from: Port, m: Message) {
        if Self::relays(s) {
            let port = LEFT + RIGHT - from;
            *s = State { mode: Mode::Forward, bit: m.bit, id: m.id, hop: m.hop + 1, port, ..State::default() };
        } else if m.hop == self.algorithm.size {
            *s = State { mode: Mode::Declare, ..State::default() };
        } else {
            s.heard[from] = m.id;
            s.hop = m.hop;
            if !s.heard.contains(&0) {
                s.mode = Mode::Compare;
                s.port = if self.reading == Reading::Both { from } else { 0 };
            }
        }
    }
}

impl Process for FranklinTables {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        self.algorithm.message_variables(m, v);
    }

    fn start(&self, _: usize) -> State {
        State { bit: true, ..State::default() }
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match event {
            Event::Step => match s.mode {
                Mode::Start | Mode::Sent | Mode::Forward | Mode::Declare => true,
                Mode::Compare => Self::survives(s),
                Mode::Wait | Mode::Passive | Mode::Leader => false,
            },
            Event::Message { from, message } if s.mode == Mode::Wait => {
                let in_turn = self.reading == Reading::Both || *from == LEFT || s.heard[LEFT] != 0;
                message.bit == s.bit && s.heard[*from] == 0 && in_turn
            }
            Event::Message { .. } => Self::relays(s),
            Event::Tick => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, coin: &mut impl Coin) {
        match e {
            Event::Step => self.step(s, out, coin),
            Event::Message { from, message } => self.receive(s, from, message),
            Event::Tick => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        match s.mode {
            Mode::Start => Marks::NONE,
            Mode::Leader => Marks::LEADER,
            Mode::Forward => Marks::PASSIVE,
            _ if Self::relays(s) => Marks::PASSIVE,
            _ => Marks::ACTIVE,
        }
    }
}

impl Terminating for FranklinTables {
    fn network(&self) -> Network {
        self.algorithm.network()
    }
}

//! Hirschberg and Sinclair's election on bidirectional rings in O(n log n) messages.
//!
//! D. S. Hirschberg, J. B. Sinclair: *Decentralized extrema-finding in circular configurations of processors*,
//! Communications of the ACM 23(11), 1980. In phase k a candidate sends its identity 2^k hops both ways; whoever has a larger
//! one swallows it, the last hop answers. A candidate that gets both answers goes on to the next phase; an identity that comes
//! all the way around leads.

use ringleader::Cli;
use ringleader::algorithms::message::{Identities, Mode};
use ringleader::erased::{Card, Entry, Kind, Parameters, Refusal, Topology};
use ringleader::model::{
    Coin, Event, LEFT, Marks, Network, Outbox, Port, Process, RIGHT, Terminating, Variables, Visitor,
};
use std::cmp::Ordering;
use std::process::ExitCode;

/// The algorithm for a ring with these identities.
struct HirschbergSinclair {
    identities: Identities,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct State {
    /// Active as long as it is a candidate.
    mode: Mode,
    /// Its identity, for ever.
    id: u32,
    /// k
    phase: u32,
    /// How many answers of this phase are in.
    answers: u32,
}

/// An identity on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    /// Away from its owner, for so many more hops.
    Probe { id: u32, hops: u32 },
    /// Back to its owner.
    Answer { id: u32 },
}

impl Default for Message {
    fn default() -> Self {
        Message::Answer { id: 0 }
    }
}

/// The port opposite to the one a message came through.
fn onward(from: Port) -> Port {
    if from == LEFT { RIGHT } else { LEFT }
}

impl HirschbergSinclair {
    /// The first phase whose probes come all the way around.
    fn last_phase(&self) -> u32 {
        self.identities.size().next_power_of_two().ilog2()
    }

    fn probe(&self, s: &State, out: &mut impl Outbox<Message>) {
        out.round();
        for port in [LEFT, RIGHT] {
            out.send(port, Message::Probe { id: s.id, hops: 1 << s.phase });
        }
    }
}

impl Variables for HirschbergSinclair {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        v.range("id", 0, self.identities.size().into(), &mut s.id);
        v.range("phase", 0, self.last_phase().into(), &mut s.phase);
        v.range("answers", 0, 1, &mut s.answers);
    }
}

impl Process for HirschbergSinclair {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        let (mut answers, mut id, mut hops) = match *m {
            Message::Probe { id, hops } => (false, id, hops),
            Message::Answer { id } => (true, id, 0),
        };
        v.kind(&["probe", "answer"], &mut answers);
        v.range("id", 1, self.identities.size().into(), &mut id);
        if answers {
            *m = Message::Answer { id };
        } else {
            v.range("hops", 1, 1 << self.last_phase(), &mut hops);
            *m = Message::Probe { id, hops };
        }
    }

    fn start(&self, me: usize) -> State {
        State { id: self.identities.identity(me), ..State::default() }
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        match event {
            Event::Step => s.mode == Mode::Start,
            Event::Message { .. } => matches!(s.mode, Mode::Active | Mode::Passive),
            Event::Tick => false,
        }
    }

    fn on(&self, _: usize, s: &mut State, event: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        match event {
            Event::Step => {
                s.mode = Mode::Active;
                self.probe(s, out);
            }
            Event::Message { from, message: Message::Probe { id, hops } } => match id.cmp(&s.id) {
                Ordering::Less => {}
                Ordering::Equal => s.mode = Mode::Leader,
                Ordering::Greater => {
                    s.mode = Mode::Passive;
                    match hops {
                        1 => out.send(from, Message::Answer { id }),
                        _ => out.send(onward(from), Message::Probe { id, hops: hops - 1 }),
                    }
                }
            },
            Event::Message { from, message: Message::Answer { id } } if id != s.id => {
                out.send(onward(from), Message::Answer { id });
            }
            Event::Message { .. } if s.mode == Mode::Active && s.answers == 0 => s.answers = 1,
            Event::Message { .. } if s.mode == Mode::Active => {
                (s.phase, s.answers) = (s.phase + 1, 0);
                self.probe(s, out);
            }
            Event::Message { .. } | Event::Tick => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for HirschbergSinclair {
    fn network(&self) -> Network {
        Network::Ring(self.identities.size() as usize)
    }
}

impl Entry for HirschbergSinclair {
    const CARD: Card = Card {
        name: "hirschberg-sinclair",
        source: include_str!("main.rs"),
        summary: "candidates probe twice as far in each phase",
        citation: "D. S. Hirschberg, J. B. Sinclair, Communications of the ACM 23(11), 1980",
        kind: Kind::Message,
        topology: Topology::BidirectionalRing,
        sizes: "n >= 2",
        knowledge: "its own identity",
        assumes: "any",
        states: "O(n log n)",
        claim: "terminates, the largest identity leads; at most about 8n(1 + log2 n) messages",
        default_size: 8,
        parameters: &[Identities::PARAMETER],
        rules: "\
- Phase k of a candidate: send its identity 2^k hops both ways.
- A larger identity: pass it on, or answer if this was its last hop; no candidate any more. A smaller one: swallow it.
- Both answers: next phase. Its own identity from the other side: leader.",
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(HirschbergSinclair { identities: Identities::of(p)? })
    }
}

fn main() -> ExitCode {
    Cli::new().message::<HirschbergSinclair>().main()
}

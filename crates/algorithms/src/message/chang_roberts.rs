//! Chang and Roberts: only the largest identity travels around the whole ring.
//!
//! E. Chang, R. Roberts: *An improved algorithm for decentralized extrema-finding in circular configurations of
//! processes*, Communications of the ACM 22(5), 1979.

use crate::message::{Identities, Mode};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{
    Coin, Event, Invariant, Marks, Network, Outbox, Process, RIGHT, Terminating, Variables, Visitor,
};
use std::cmp::Ordering;

/// The algorithm for a ring with these identities.
#[derive(Clone, Debug)]
pub struct ChangRoberts {
    /// The identities of the processes.
    pub identities: Identities,
}

/// The state of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Its mode: passive after it has received a larger identity.
    pub mode: Mode,
    /// Its identity, which never changes.
    pub id: u32,
}

/// An identity that travels to the right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message(pub u32);

impl Variables for ChangRoberts {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        s.mode.variable(v);
        v.range("id", 0, self.identities.size().into(), &mut s.id);
    }
}

impl Process for ChangRoberts {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.range("id", 1, self.identities.size().into(), &mut m.0);
    }

    fn start(&self, me: usize) -> State {
        State { mode: Mode::Start, id: self.identities.identity(me) }
    }

    fn ready(&self, s: &State, event: &Event<Message>) -> bool {
        s.mode.takes(event)
    }

    fn on(&self, _: usize, s: &mut State, e: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        match e {
            Event::Step => {
                s.mode = Mode::Active;
                out.round();
                out.send(RIGHT, Message(s.id));
            }
            Event::Message { message: Message(id), .. } => match id.cmp(&s.id) {
                Ordering::Greater => {
                    s.mode = Mode::Passive;
                    out.send(RIGHT, Message(id));
                }
                Ordering::Less => {}
                Ordering::Equal => s.mode = Mode::Leader,
            },
            Event::Tick => {}
        }
    }

    fn marks(&self, _: usize, s: &State) -> Marks {
        s.mode.marks()
    }
}

impl Terminating for ChangRoberts {
    fn network(&self) -> Network {
        Network::Ring(self.identities.size() as usize)
    }

    fn invariants(&self) -> Vec<Invariant<'_, Self>> {
        vec![super::only_the_largest_leads(&self.identities, |state: &State| state.mode)]
    }
}

impl Entry for ChangRoberts {
    const CARD: Card = Card {
        name: "chang-roberts",
        source: include_str!("chang_roberts.rs"),
        summary: "Chang-Roberts: unique identities, unidirectional rings, n·H_n messages on average",
        citation: "E. Chang, R. Roberts: An improved algorithm for decentralized extrema-finding in circular \
                   configurations of processes, Communications of the ACM 22(5), 1979",
        states: "4 for each identity",
        claim: "terminates with the process of the largest identity as the only leader, after 2n - 1 to n(n + 1)/2 \
                messages, n·H_n on average over all orders; not self-stabilizing",
        rules: "\
Messages (id), to the right; every link crossed counts as a message.
- Start: send (own id).
- A larger id than its own: become passive and forward it.
- A smaller id: drop it, active or passive.
- Its own id: become leader.",
        ..super::WITH_IDENTITIES
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(ChangRoberts { identities: super::identities(p)? })
    }
}

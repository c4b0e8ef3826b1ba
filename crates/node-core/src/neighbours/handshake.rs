//! An agent of a population protocol that interacts with its neighbours by datagrams.

use super::book::word;
use super::{Book, Packet, Standing};
use crate::kind::NeighbourKind;
use ringleader_erased::PopulationInstance;
use ringleader_model::{Coin, Port, Told, Visitor};

/// One agent, and its memory of each link.
///
/// It offers its state under a number. A neighbour that is free applies the rule once, changes its own state, and answers with
/// the new state of the offerer; a neighbour that is not free refuses immediately. While its offer is unanswered, the agent
/// refuses all offers. So the interaction takes place, for both agents, when the neighbour accepts the offer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handshake {
    /// The number of the agent's state.
    pub state: u64,
    /// The number of the last offer.
    pub number: u64,
    /// The port through which an unanswered offer was sent.
    pub out: Option<Port>,
    /// The memory of each link, by port.
    pub links: Vec<LinkMemory>,
}

/// An agent's memory of one neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkMemory {
    /// The last ticket that the neighbour sent.
    pub named: u64,
    /// The answer to the neighbour's last offer.
    pub book: Book<Answer>,
}

/// The answer to an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// Not accepted.
    Refused,
    /// The new state of the offerer.
    Met(u64),
}

/// The result of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Interacted {
    /// The packet to send back.
    pub reply: Option<Packet<u64>>,
    /// The agent's state before, if an interaction took place for it.
    pub before: Option<u64>,
}

impl Handshake {
    /// An agent with this many neighbours. Number and tickets are random, so an earlier incarnation of the agent had others.
    pub fn new(state: u64, ports: usize, coin: &mut dyn Coin) -> Handshake {
        let links = (0..ports).map(|_| LinkMemory { named: 0, book: Book::new(word(coin), Answer::Refused) }).collect();
        Handshake { state, number: word(coin), out: None, links }
    }

    /// Offers the state through a port, unless an offer is unanswered.
    pub fn offer(&mut self, port: Port) -> Option<(Port, Packet<u64>)> {
        if self.out.is_some() || port >= self.links.len() {
            return None;
        }
        self.number = self.number.wrapping_add(1);
        self.out = Some(port);
        self.repeat()
    }

    /// The unanswered offer, again.
    pub fn repeat(&self) -> Option<(Port, Packet<u64>)> {
        let port = self.out?;
        let ticket = self.links.get(port)?.named;
        Some((port, Packet::new(NeighbourKind::Offer, self.number, ticket, self.state)))
    }

    /// Gives up on the neighbour that has not answered. If the neighbour has accepted the offer, half of an interaction is
    /// left, from which only a self-stabilizing protocol recovers.
    pub fn withdraw(&mut self) {
        self.out = None;
    }

    /// Receives a packet; if `held`, offers are refused.
    pub fn receive(
        &mut self,
        port: Port,
        packet: Packet<u64>,
        protocol: &PopulationInstance,
        held: bool,
        coin: &mut dyn Coin,
    ) -> Interacted {
        if packet.body.is_some_and(|state| state >= protocol.states()) {
            return Interacted::default();
        }
        let awaited = self.out == Some(port) && packet.number == self.number;
        match (packet.kind, packet.body) {
            (NeighbourKind::Offer, Some(theirs)) => self.answer(port, packet, theirs, protocol, held, coin),
            (NeighbourKind::Done | NeighbourKind::Busy | NeighbourKind::Stale, state) if awaited => {
                self.out = None;
                self.links[port].named = packet.ticket;
                Interacted { reply: None, before: state.map(|state| std::mem::replace(&mut self.state, state)) }
            }
            _ => Interacted::default(),
        }
    }

    fn answer(
        &mut self,
        port: Port,
        offer: Packet<u64>,
        theirs: u64,
        protocol: &PopulationInstance,
        held: bool,
        coin: &mut dyn Coin,
    ) -> Interacted {
        let (number, free) = (offer.number, self.out.is_none() && !held);
        let Some(LinkMemory { book, .. }) = self.links.get_mut(port) else { return Interacted::default() };
        let mut before = None;
        match book.standing(number, offer.ticket) {
            Standing::Stale => {
                let reply = Some(Packet::bare(NeighbourKind::Stale, number, book.ticket));
                return Interacted { reply, before };
            }
            Standing::Repeated => {}
            Standing::New => {
                // An interaction whose result leaves the domain is refused.
                let rule =
                    |coin: &mut dyn Coin| protocol.try_interact(theirs, self.state, Told::both(false), coin).ok();
                let answer = match free.then(|| rule(coin)).flatten() {
                    Some((after, own)) => {
                        before = Some(std::mem::replace(&mut self.state, own));
                        Answer::Met(after)
                    }
                    None => Answer::Refused,
                };
                book.keep(number, answer, word(coin));
            }
        }
        let reply = match book.answer {
            Answer::Met(state) => Packet::new(NeighbourKind::Done, number, book.ticket, state),
            Answer::Refused => Packet::bare(NeighbourKind::Busy, number, book.ticket),
        };
        Interacted { reply: Some(reply), before }
    }

    /// Shows every variable, so that a fault can set any of them.
    pub fn variables(&mut self, protocol: &PopulationInstance, visitor: &mut dyn Visitor) {
        let (most, ports) = (protocol.states() - 1, self.links.len() as u64);
        visitor.range("state", 0, most, &mut self.state);
        visitor.word("number", &mut self.number);
        let mut out = self.out.map_or(0, |port| port + 1);
        visitor.range("out", 0, ports, &mut out);
        self.out = out.checked_sub(1);
        for LinkMemory { named, book } in &mut self.links {
            visitor.word("named", named);
            book.variables(visitor);
            let (mut met, mut state) = match book.answer {
                Answer::Refused => (false, 0),
                Answer::Met(state) => (true, state),
            };
            visitor.bit("met", &mut met);
            visitor.range("answer", 0, most, &mut state);
            book.answer = if met { Answer::Met(state) } else { Answer::Refused };
        }
    }
}

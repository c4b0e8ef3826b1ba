//! An agent of a population protocol that meets its neighbours by datagrams.

use super::book::word;
use super::{Book, Packet, Standing};
use ringleader_erased::{LeavesDomain, PopulationInstance};
use ringleader_model::{Coin, Port, Told, Visitor};

/// One agent, and what it remembers of its links.
///
/// It offers its state under a number. A neighbour that is free applies the rule, once, changes, and answers with what the
/// offerer becomes; one that is not free refuses at once. While an offer is out the agent's state is promised: it refuses
/// all others. So the interaction happens, for both, at the moment at which the neighbour takes the offer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Meeting {
    /// The state's number.
    pub state: u64,
    /// The number of the last offer made.
    pub number: u64,
    /// Through which port it is out, if it is.
    pub out: Option<Port>,
    /// By port.
    pub links: Vec<Link>,
}

/// What an agent remembers of one neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Link {
    /// The ticket that the neighbour named last.
    pub named: u64,
    /// What was answered to the neighbour's offers.
    pub book: Book<Answer>,
}

/// How an offer was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answer {
    /// Not now.
    Refused,
    /// The offerer's new state.
    Met(u64),
}

/// What came of a packet.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Heard {
    /// What goes back.
    pub reply: Option<Packet<u64>>,
    /// The state before, if an interaction took place for this agent.
    pub met: Option<u64>,
    /// Whether its own offer was refused.
    pub refused: bool,
    /// What the rule did wrong: such an interaction does not take place.
    pub mistake: Option<LeavesDomain>,
}

impl Meeting {
    /// An agent with so many neighbours. Number and tickets begin anywhere, so where no earlier life of it was.
    pub fn new(state: u64, ports: usize, coin: &mut dyn Coin) -> Meeting {
        let links = (0..ports).map(|_| Link { named: 0, book: Book::new(word(coin), Answer::Refused) }).collect();
        Meeting { state, number: word(coin), out: None, links }
    }

    /// Offers the state through a port, unless an offer is out.
    pub fn offer(&mut self, port: Port) -> Option<Packet<u64>> {
        if self.out.is_some() || port >= self.links.len() {
            return None;
        }
        self.number = self.number.wrapping_add(1);
        self.out = Some(port);
        self.repeat().map(|(_, packet)| packet)
    }

    /// The offer that is out, again.
    pub fn repeat(&self) -> Option<(Port, Packet<u64>)> {
        let port = self.out?;
        let ticket = self.links.get(port)?.named;
        Some((port, Packet::Offer { number: self.number, ticket, body: self.state }))
    }

    /// Gives up on the neighbour to which an offer is out. It may have taken it: half an interaction, which only a protocol
    /// that heals gets over.
    pub fn withdraw(&mut self) {
        self.out = None;
    }

    /// Hears a packet; if `held`, offers are refused.
    pub fn hear(
        &mut self,
        port: Port,
        packet: Packet<u64>,
        protocol: &PopulationInstance,
        held: bool,
        coin: &mut dyn Coin,
    ) -> Heard {
        let awaited = self.out == Some(port);
        let (Packet::Offer { number, .. }
        | Packet::Done { number, .. }
        | Packet::Busy { number, .. }
        | Packet::Stale { number, .. }) = packet;
        let ours = awaited && number == self.number;
        match packet {
            Packet::Offer { body, .. } | Packet::Done { body, .. } if body >= protocol.states() => Heard::default(),
            Packet::Offer { ticket, body, .. } => self.answer(port, number, ticket, body, protocol, held, coin),
            Packet::Done { ticket, body, .. } if ours => {
                self.settle(port, ticket);
                Heard { met: Some(std::mem::replace(&mut self.state, body)), ..Heard::default() }
            }
            Packet::Busy { ticket, .. } if ours => {
                self.settle(port, ticket);
                Heard { refused: true, ..Heard::default() }
            }
            Packet::Stale { ticket, .. } if ours => {
                self.settle(port, ticket);
                Heard::default()
            }
            _ => Heard::default(),
        }
    }

    fn settle(&mut self, port: Port, ticket: u64) {
        self.out = None;
        self.links[port].named = ticket;
    }

    #[allow(clippy::too_many_arguments)]
    fn answer(
        &mut self,
        port: Port,
        number: u64,
        ticket: u64,
        theirs: u64,
        protocol: &PopulationInstance,
        held: bool,
        coin: &mut dyn Coin,
    ) -> Heard {
        let mut heard = Heard::default();
        let free = self.out.is_none() && !held;
        let Some(link) = self.links.get_mut(port) else { return heard };
        match link.book.standing(number, ticket) {
            Standing::Stale => {
                heard.reply = Some(Packet::Stale { number, ticket: link.book.ticket });
                return heard;
            }
            Standing::Repeated => {}
            Standing::New if free => match protocol.try_interact(theirs, self.state, Told::both(false), coin) {
                Ok((after, own)) => {
                    link.book.keep(number, Answer::Met(after), word(coin));
                    heard.met = Some(std::mem::replace(&mut self.state, own));
                }
                Err(mistake) => {
                    link.book.keep(number, Answer::Refused, word(coin));
                    heard.mistake = Some(mistake);
                }
            },
            Standing::New => link.book.keep(number, Answer::Refused, word(coin)),
        }
        let Book { ticket, answer, .. } = link.book;
        heard.reply = Some(match answer {
            Answer::Met(body) => Packet::Done { number, ticket, body },
            Answer::Refused => Packet::Busy { number, ticket },
        });
        heard
    }

    /// Shows everything that it remembers, so that a fault can be anything.
    pub fn variables(&mut self, protocol: &PopulationInstance, visitor: &mut dyn Visitor) {
        let (most, ports) = (protocol.states() - 1, self.links.len() as u64);
        visitor.range("state", 0, most, &mut self.state);
        visitor.word("number", &mut self.number);
        let mut out = self.out.map_or(0, |port| port + 1);
        visitor.range("out", 0, ports, &mut out);
        self.out = out.checked_sub(1);
        for Link { named, book } in &mut self.links {
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

//! Arbitrary starts: every small value of everything that is remembered, and every small datagram under way.

use super::model::{Agent, World};
use ringleader_model::{LEFT, Port, RIGHT};
use ringleader_node_core::NeighbourKind;
use ringleader_node_core::neighbours::{Answer, Book, Link, Meeting, Packet};

/// Numbers and tickets: the last before the field's end, and the first after it.
const WORDS: [u64; 2] = [u64::MAX, 0];

/// Every way to be the asking side: the number, whether an offer is out, and the ticket it knows.
fn asking() -> Vec<(u64, bool, u64)> {
    let mut all = vec![];
    for number in WORDS {
        for out in [false, true] {
            all.extend(WORDS.map(|named| (number, out, named)));
        }
    }
    all
}

/// Every way to be the answering side.
fn answering() -> Vec<Book<Answer>> {
    let mut all = vec![];
    for ticket in WORDS {
        for last in WORDS {
            for number in WORDS {
                for answer in [Answer::Refused, Answer::Met(2)] {
                    all.push(Book { ticket, last, number, answer });
                }
            }
        }
    }
    all
}

/// The same for larger worlds: the last ticket is one value only.
fn answering_some() -> Vec<Book<Answer>> {
    answering().into_iter().filter(|book| book.last == WORDS[0]).collect()
}

/// Nothing, or one datagram of any kind.
fn datagrams(offers: bool) -> Vec<Option<Packet<u64>>> {
    let mut all = vec![None];
    for number in WORDS {
        for ticket in WORDS {
            all.push(Some(match offers {
                true => Packet::Offer { number, ticket, body: 1 },
                false => Packet::Done { number, ticket, body: 2 },
            }));
            if !offers {
                all.push(Some(Packet::Busy { number, ticket }));
                all.push(Some(Packet::Stale { number, ticket }));
            }
        }
    }
    all
}

fn agent(state: u64, (number, out, named): (u64, bool, u64), book: Book<Answer>, offers: u8) -> Agent {
    let idle = Link { named: 0, book: Book::new(0, Answer::Refused) };
    let links = vec![Link { book, ..idle }, Link { named, ..idle }];
    let mut agent = Agent::new(Meeting { state, number, out: out.then_some(RIGHT), links }, offers);
    // An offer that is out, and an answer that is kept.
    agent.wrong = u8::from(out) + u8::from(book.answer != Answer::Refused);
    agent
}

const CLEAN: (u64, bool, u64) = (0, false, 0);

fn blank() -> Book<Answer> {
    Book::new(0, Answer::Refused)
}

/// The same with a datagram that it never sent.
fn under_way(mut sender: Agent, port: Port, packet: Option<Packet<u64>>) -> Agent {
    sender.wrong += u8::from(packet.is_some());
    sender.sent.extend(packet.map(|packet| (port, packet)));
    sender
}

/// Agents that may make so many offers.
pub(crate) fn clean(offers: &[u8]) -> World {
    offers.iter().map(|&offers| agent(0, CLEAN, blank(), offers)).collect()
}

/// Two agents, one of which offers, twice: every start of both, with a datagram that nobody sent.
pub(crate) fn pair() -> Vec<World> {
    let mut worlds = vec![];
    for asking in asking() {
        for book in answering() {
            let (offerer, other) = (|| agent(0, asking, blank(), 2), || agent(1, CLEAN, book, 0));
            worlds.extend(datagrams(true).into_iter().map(|p| vec![under_way(offerer(), RIGHT, p), other()]));
            worlds.extend(datagrams(false).into_iter().map(|p| vec![offerer(), under_way(other(), LEFT, p)]));
        }
    }
    worlds
}

/// Two agents that offer to each other, once each, and remember anything.
pub(crate) fn both_arcs() -> Vec<World> {
    let mut agents = vec![];
    for asking in asking() {
        agents.extend(answering_some().into_iter().map(|book| agent(1, asking, book, 1)));
    }
    let pair = |i: usize| agents[i..].iter().map(|v| vec![agents[i].clone(), v.clone()]).collect::<Vec<_>>();
    (0..agents.len()).flat_map(pair).collect()
}

/// Three agents with one offer each, of which one remembers anything and is told something by nobody.
pub(crate) fn three() -> Vec<World> {
    let mut worlds = vec![];
    let one = || agent(0, CLEAN, blank(), 1);
    for asking in asking() {
        for book in answering_some() {
            for packet in datagrams(true) {
                worlds.push(vec![agent(0, asking, book, 1), one(), under_way(one(), RIGHT, packet)]);
            }
            for packet in datagrams(false).into_iter().filter(|p| p.is_some_and(|p| p.kind() == NeighbourKind::Done)) {
                worlds.push(vec![agent(0, asking, book, 1), under_way(one(), LEFT, packet), one()]);
            }
        }
    }
    worlds
}

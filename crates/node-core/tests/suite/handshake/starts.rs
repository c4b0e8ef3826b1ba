//! Arbitrary starts: every small value of every variable, and every small packet in transit.

use super::model::{Agent, World};
use ringleader_model::{LEFT, Port, RIGHT};
use ringleader_node_core::NeighbourKind;
use ringleader_node_core::neighbours::{Answer, Book, Handshake, LinkMemory, Packet};

/// Numbers and tickets: the last before the field's end, and the first after it.
const WORDS: [u64; 2] = [u64::MAX, 0];

/// Every state of the offering end: the number, whether an offer is unanswered, and the known ticket.
fn asking() -> Vec<(u64, bool, u64)> {
    let mut all = vec![];
    for number in WORDS {
        for out in [false, true] {
            all.extend(WORDS.map(|named| (number, out, named)));
        }
    }
    all
}

/// Every state of the answering end.
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

/// The same for larger worlds, with one value of the last ticket.
fn answering_some() -> Vec<Book<Answer>> {
    answering().into_iter().filter(|book| book.last == WORDS[0]).collect()
}

/// No packet, or one of any kind.
fn packets(offers: bool) -> Vec<Option<Packet<u64>>> {
    let mut all = vec![None];
    for number in WORDS {
        for ticket in WORDS {
            if offers {
                all.push(Some(Packet::new(NeighbourKind::Offer, number, ticket, 1)));
                continue;
            }
            all.push(Some(Packet::new(NeighbourKind::Done, number, ticket, 2)));
            all.push(Some(Packet::bare(NeighbourKind::Busy, number, ticket)));
            all.push(Some(Packet::bare(NeighbourKind::Stale, number, ticket)));
        }
    }
    all
}

fn agent(state: u64, (number, out, named): (u64, bool, u64), book: Book<Answer>, offers: u8) -> Agent {
    let idle = LinkMemory { named: 0, book: Book::new(0, Answer::Refused) };
    let links = vec![LinkMemory { book, ..idle }, LinkMemory { named, ..idle }];
    let mut agent = Agent::new(Handshake { state, number, out: out.then_some(RIGHT), links }, offers);
    // An unanswered offer, and a kept answer.
    agent.wrong = u8::from(out) + u8::from(book.answer != Answer::Refused);
    agent
}

const CLEAN: (u64, bool, u64) = (0, false, 0);

fn blank() -> Book<Answer> {
    Book::new(0, Answer::Refused)
}

/// The same with a packet in transit that it never sent.
fn in_transit(mut sender: Agent, port: Port, packet: Option<Packet<u64>>) -> Agent {
    sender.wrong += u8::from(packet.is_some());
    sender.sent.extend(packet.map(|packet| (port, packet)));
    sender
}

/// Clean agents that may make these numbers of offers.
pub(crate) fn clean(offers: &[u8]) -> World {
    offers.iter().map(|&offers| agent(0, CLEAN, blank(), offers)).collect()
}

/// Two agents, one of which offers twice: every start of both, with a packet that nobody sent.
pub(crate) fn pair() -> Vec<World> {
    let mut worlds = vec![];
    for asking in asking() {
        for book in answering() {
            let (offerer, other) = (|| agent(0, asking, blank(), 2), || agent(1, CLEAN, book, 0));
            worlds.extend(packets(true).into_iter().map(|p| vec![in_transit(offerer(), RIGHT, p), other()]));
            worlds.extend(packets(false).into_iter().map(|p| vec![offerer(), in_transit(other(), LEFT, p)]));
        }
    }
    worlds
}

/// Two agents that offer to each other, once each, from arbitrary memory.
pub(crate) fn both_arcs() -> Vec<World> {
    let mut agents = vec![];
    for asking in asking() {
        agents.extend(answering_some().into_iter().map(|book| agent(1, asking, book, 1)));
    }
    let pair = |i: usize| agents[i..].iter().map(|v| vec![agents[i].clone(), v.clone()]).collect::<Vec<_>>();
    (0..agents.len()).flat_map(pair).collect()
}

/// Three agents with one offer each, one of them with arbitrary memory and a packet that nobody sent.
pub(crate) fn three() -> Vec<World> {
    let mut worlds = vec![];
    let one = || agent(0, CLEAN, blank(), 1);
    for asking in asking() {
        for book in answering_some() {
            for packet in packets(true) {
                worlds.push(vec![agent(0, asking, book, 1), one(), in_transit(one(), RIGHT, packet)]);
            }
            for packet in packets(false).into_iter().filter(|p| p.is_some_and(|p| p.kind == NeighbourKind::Done)) {
                worlds.push(vec![agent(0, asking, book, 1), in_transit(one(), LEFT, packet), one()]);
            }
        }
    }
    worlds
}

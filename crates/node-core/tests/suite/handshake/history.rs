//! The interactions that took place, and whether some serial execution of the protocol has the same.

use super::model::{Agent, Ring};
use ringleader_model::{NoCoin, Told};

/// One interaction of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Entry {
    /// As initiator, in the interaction with this number.
    Gave { number: u64, before: u64, after: u64 },
    /// As responder, to the left neighbour's offer with this number and state.
    Took { number: u64, theirs: u64, before: u64, after: u64 },
}

/// The number of the unanswered offer.
fn out(agent: &Agent) -> Option<u64> {
    agent.handshake.out.map(|_| agent.handshake.number)
}

fn rule(ring: &Ring, u: u64, v: u64) -> (u64, u64) {
    ring.protocol.try_interact(u, v, Told::both(false), &mut NoCoin).expect("within the domain")
}

/// Whether the interactions are those of some execution of the protocol. An interaction whose initiator has no answer yet has taken place.
pub(crate) fn serial(world: &[Agent], ring: &Ring) -> bool {
    let size = world.len();
    let mut now: Vec<u64> = world.iter().map(|agent| agent.first).collect();
    let mut done = vec![0; size];
    // Offers that were accepted while their initiators still wait.
    let mut ahead = vec![false; size];
    loop {
        let next = (0..size).find(|&v| {
            let u = (v + size - 1) % size;
            let Some(&Entry::Took { number, .. }) = world[v].log.get(done[v]) else { return false };
            match world[u].log.get(done[u]) {
                Some(&Entry::Gave { number: given, .. }) => given == number,
                Some(_) => false,
                None => out(&world[u]) == Some(number) && !ahead[u],
            }
        });
        let Some(v) = next else { break };
        let u = (v + size - 1) % size;
        let Entry::Took { theirs, before, after, .. } = world[v].log[done[v]] else { return false };
        let both = rule(ring, now[u], now[v]);
        if (theirs, before) != (now[u], now[v]) || after != both.1 {
            return false;
        }
        match world[u].log.get(done[u]) {
            Some(&Entry::Gave { before, after, .. }) => {
                if (before, after) != (now[u], both.0) {
                    return false;
                }
                done[u] += 1;
            }
            _ => ahead[u] = true,
        }
        done[v] += 1;
        (now[u], now[v]) = both;
    }
    (0..size).all(|i| done[i] == world[i].log.len() && (ahead[i] || world[i].handshake.state == now[i]))
}

/// The number of wrong interactions: half of one is missing, or it took place twice, or it has a wrong result.
pub(crate) fn anomalies(world: &[Agent], ring: &Ring) -> usize {
    let size = world.len();
    let mut count = 0;
    for (u, agent) in world.iter().enumerate() {
        let v = (u + 1) % size;
        let gave = |e: &Entry| {
            if let Entry::Gave { number, before, after } = *e { Some((number, before, after)) } else { None }
        };
        let took = |e: &Entry| {
            if let Entry::Took { number, theirs, before, after } = *e {
                Some((number, theirs, before, after))
            } else {
                None
            }
        };
        let gave: Vec<_> = agent.log.iter().filter_map(gave).collect();
        let took: Vec<_> = world[v].log.iter().filter_map(took).collect();
        let mut numbers: Vec<u64> = gave.iter().map(|g| g.0).chain(took.iter().map(|t| t.0)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        count += numbers
            .iter()
            .filter(|&&number| {
                let gave: Vec<_> = gave.iter().filter(|g| g.0 == number).collect();
                let took: Vec<_> = took.iter().filter(|t| t.0 == number).collect();
                match (&gave[..], &took[..]) {
                    ([(_, u0, u1)], [(_, theirs, v0, v1)]) => u0 != theirs || rule(ring, *u0, *v0) != (*u1, *v1),
                    ([], [(_, theirs, v0, v1)]) => {
                        let waits = out(agent) == Some(number) && agent.handshake.state == *theirs;
                        !waits || rule(ring, *theirs, *v0).1 != *v1
                    }
                    _ => true,
                }
            })
            .count();
    }
    count
}

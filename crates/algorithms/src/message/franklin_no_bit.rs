//! Probabilistic Franklin without the round bit: wrong unless channels keep the order.
//!
//! R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: *Leader election in anonymous rings: Franklin goes probabilistic*,
//! IFIP TCS 2008, section 3 (the flaw) and Proposition 1 (FIFO channels).

use crate::message::IDS;
use crate::message::franklin::Probabilistic;
use crate::{Card, Entry, Parameter, Parameters, Refusal, Topology};

/// The algorithm without the round bit.
pub type FranklinNoBit = Probabilistic<false>;

impl Entry for FranklinNoBit {
    const CARD: Card = Card {
        name: "franklin-no-bit",
        source: include_str!("franklin_no_bit.rs"),
        summary: "probabilistic Franklin without its round bit: all may give up",
        citation: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol: Leader election in anonymous rings: Franklin goes \
                   probabilistic, IFIP TCS 2008, section 3 and Proposition 1",
        topology: Topology::BidirectionalRing,
        assumes: "any scheduler, starting clean, FIFO channels (Proposition 1)",
        channels: Some("reliable; right with FIFO, wrong with bags"),
        states: "2 + k(k + 1)² and start",
        claim: "with FIFO channels: terminates with probability 1, and then exactly one process is leader; not \
                self-stabilizing",
        default_size: 3,
        parameters: &[Parameter { default: "3", ..IDS }],
        rules: "\
Messages (id, hop); an active process has an identity.
- Start of a round: choose id uniformly from 1..k, send (id, 1) both ways.
- Passive: forward in the same direction with hop + 1.
- Active: hop = n: become leader. Otherwise keep the message until one from each direction is in; then passive if either
  id is larger than its own, else start a new round.",
        flaw: Some(
            "with bag channels a message can be overtaken by one of the next round and then count in a round it does not \
             belong to, so that all processes may become passive (section 3, for n = 3, k = 3; n = 2, k = 3 and n = 3, \
             k = 2 are enough). With FIFO channels it is right (Proposition 1); franklin, with its bit, is right with bags",
        ),
        ..super::ANONYMOUS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(FranklinNoBit { size: super::ring_size(p)?, ids: super::ids(p, 3)?, keeps_identity: false })
    }
}

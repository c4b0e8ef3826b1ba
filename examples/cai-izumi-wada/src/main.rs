//! Cai, Izumi and Wada's self-stabilizing leader election on complete graphs, in n states.
//!
//! S. Cai, T. Izumi, K. Wada: *How to prove impossibility under global fairness: on space complexity of self-stabilizing
//! leader election on a population protocol model*, Theory of Computing Systems 50(3), 2012. Ranks 0 to n - 1; of two agents
//! of the same rank one moves on to the next. In the end all ranks are taken, and rank 0 leads.

use ringleader::Cli;
use ringleader::erased::{Card, Entry, Kind, Parameters, Refusal, Topology};
use ringleader::model::{Coin, Goal, Marks, Population, Safety, Stabilizing, Told, Variables, Visitor};
use std::process::ExitCode;

/// The protocol for exactly `size` agents.
struct CaiIzumiWada {
    size: u32,
}

impl Variables for CaiIzumiWada {
    type State = u32;
    fn variables(&self, rank: &mut u32, v: &mut dyn Visitor) {
        v.range("rank", 0, u64::from(self.size) - 1, rank);
    }
}

impl Population for CaiIzumiWada {
    fn interact(&self, u: u32, v: u32, _: Told, coin: &mut impl Coin) -> (u32, u32) {
        if u != v {
            return (u, v);
        }
        coin.fired(1);
        (u, (v + 1) % self.size)
    }

    fn marks(&self, rank: &u32) -> Marks {
        Marks::LEADER.when(*rank == 0)
    }
}

impl Stabilizing for CaiIzumiWada {
    fn goal(&self) -> Goal {
        Goal::OneLeader
    }

    fn correct(&self, c: &[u32]) -> bool {
        c.iter().filter(|rank| **rank == 0).count() == 1
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    /// Every rank once: nobody is enabled.
    fn safe(&self, c: &[u32]) -> bool {
        (0..self.size).all(|rank| c.contains(&rank))
    }
}

impl Entry for CaiIzumiWada {
    const CARD: Card = Card {
        name: "cai-izumi-wada",
        source: include_str!("main.rs"),
        summary: "n ranks, of which every one is taken in the end",
        citation: "S. Cai, T. Izumi, K. Wada, Theory of Computing Systems 50(3), 2012",
        kind: Kind::Population,
        topology: Topology::Complete,
        sizes: "n >= 2",
        knowledge: "the size n",
        assumes: "globally fair",
        states: "n",
        claim: "self-stabilizing and silent: from every configuration every rank is taken once, and rank 0 leads",
        default_size: 8,
        rules: "1. (i, i) -> (i, i + 1 mod n)",
        shade: Some("rank"),
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        if !(2..=1 << 20).contains(&p.size) {
            return Err(Refusal::new(format!("cai-izumi-wada needs 2 to 2^20 agents, not {}", p.size)));
        }
        Ok(CaiIzumiWada { size: p.size as u32 })
    }
}

fn main() -> ExitCode {
    Cli::new().population::<CaiIzumiWada>().main()
}

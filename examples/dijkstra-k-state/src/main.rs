//! Dijkstra's token ring in K states.
//!
//! E. W. Dijkstra: *Self-stabilizing systems in spite of distributed control*, Communications of the ACM 17(11), 1974. A
//! process has the privilege if its value differs from its left neighbour's, and takes that value over; the bottom process has
//! it if they are equal, and counts on. With at least as many values as other processes, exactly one privilege remains.

use ringleader::Cli;
use ringleader::erased::{Card, Entry, Kind, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader::model::{Chain, Coin, Goal, Marks, Ring, Safety, Scheduler, Stabilizing, Variables, View, Visitor};
use std::process::ExitCode;

/// The algorithm with K values.
struct DijkstraKState {
    values: u32,
}

impl Variables for DijkstraKState {
    type State = u32;
    fn variables(&self, value: &mut u32, v: &mut dyn Visitor) {
        v.range("value", 0, u64::from(self.values) - 1, value);
    }
}

fn privileged(view: View<u32>) -> bool {
    (view.left == view.own) == view.at.is_bottom()
}

impl Ring for DijkstraKState {
    fn act(&self, view: View<u32>, coin: &mut impl Coin) -> u32 {
        match (privileged(view), view.at.is_bottom()) {
            (true, true) => {
                coin.fired(1);
                (view.own + 1) % self.values
            }
            (true, false) => {
                coin.fired(2);
                view.left
            }
            (false, _) => view.own,
        }
    }

    fn marks(&self, view: View<u32>) -> Marks {
        Marks::TOKEN.when(privileged(view))
    }
}

impl Stabilizing for DijkstraKState {
    fn goal(&self) -> Goal {
        Goal::OneToken
    }

    fn correct(&self, c: &[u32]) -> bool {
        (0..c.len()).filter(|&i| privileged(View::of(c, i, Chain::Ring))).count() == 1
    }

    fn safety(&self) -> Safety {
        Safety::ForEver
    }

    /// One privilege: whoever gives it up hands it to the right, and no step makes one.
    fn safe(&self, c: &[u32]) -> bool {
        self.correct(c)
    }
}

impl Entry for DijkstraKState {
    const CARD: Card = Card {
        name: "dijkstra-k-state",
        source: include_str!("main.rs"),
        summary: "the first self-stabilizing algorithm: one privilege goes around",
        citation: "E. W. Dijkstra, Communications of the ACM 17(11), 1974",
        kind: Kind::Ring,
        topology: Topology::DirectedRing,
        sizes: "n >= 2",
        knowledge: "which process is the bottom one: process 0",
        scheduler: Scheduler::Random,
        assumes: "unfair",
        states: "K >= n - 1",
        claim: "self-stabilizing: from every configuration exactly one privilege, which goes around for ever",
        default_size: 8,
        parameters: &[Parameter {
            name: "values",
            meaning: "K, how many values there are",
            default: "the size",
            kind: ParameterKind::Number,
        }],
        rules: "1. bottom: if S = L then S := S + 1 mod K\n2. others: if S != L then S := L",
        shade: Some("value"),
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let values = p.number("values")?.unwrap_or(p.size as u64);
        if p.size < 2 || !(2..=1 << 20).contains(&values) {
            return Err(Refusal::new("dijkstra-k-state needs at least 2 processes and 2 to 2^20 values"));
        }
        Ok(DijkstraKState { values: values as u32 })
    }

    /// With fewer values the checker shows how it fails.
    fn supports(p: &Parameters) -> Result<(), Refusal> {
        let DijkstraKState { values } = Self::build(p)?;
        if (values as usize) + 1 < p.size {
            return Err(Refusal::new(format!(
                "{values} values are too few for {} processes: n - 1 are needed",
                p.size
            )));
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    Cli::new().ring::<DijkstraKState>().main()
}

//! Communication-efficient self-stabilizing leader election where all links are timely.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, Algorithm 1.
//! Identities are 0..n-1 here, 1..n in the paper.

use crate::robust::{
    ALPHA, BETA, DELTA, PACE, ROBUST, complete_network, fast, horizon, longest_silence, others, timing,
};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{Coin, Event, Marks, Outbox, Process, Timed, Timing, Variables, Visitor, Worst};
use std::fmt;

/// The algorithm for `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct RobustS5 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// The iterations without an ALIVE after which a process elects itself: 8⌈δ/α⌉ as printed.
    pub timeout: u64,
}

/// The paper's variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The leader that the process follows.
    pub leader: usize,
    /// Iterations since its last sending period ended.
    pub send_timer: u64,
    /// Iterations since it last heard from a leader.
    pub receive_timer: u64,
}

/// ALIVE: the sender leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Alive;

impl fmt::Display for Alive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ALIVE")
    }
}

impl Variables for RobustS5 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.range("leader", 0, self.size as u64 - 1, &mut s.leader);
        v.word("send_timer", &mut s.send_timer);
        v.word("receive_timer", &mut s.receive_timer);
    }
}

impl Process for RobustS5 {
    type Message = Alive;

    fn message_variables(&self, _: &mut Alive, _: &mut dyn Visitor) {}

    fn start(&self, me: usize) -> State {
        State { leader: me, ..State::default() }
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Alive>, out: &mut impl Outbox<Alive>, _: &mut impl Coin) {
        match event {
            Event::Step => {}
            Event::Message { from: q, message: Alive } => {
                if s.leader != p || q < p {
                    s.leader = q;
                }
                s.receive_timer = 0;
            }
            // At least, not equal: the timers may start above their limits.
            Event::Tick => {
                s.send_timer = s.send_timer.saturating_add(1);
                if s.send_timer >= self.timing.send_period() {
                    if s.leader == p {
                        others(self.size, p).for_each(|q| out.send(q, Alive));
                    }
                    s.send_timer = 0;
                }
                s.receive_timer = s.receive_timer.saturating_add(1);
                if s.receive_timer > self.timeout {
                    s.leader = p;
                    s.receive_timer = 0;
                }
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(s.leader == me)
    }
}

impl Timed for RobustS5 {
    fn timing(&self) -> Timing {
        self.timing
    }

    fn size(&self) -> usize {
        self.size
    }

    fn timeout(&self) -> u64 {
        self.timeout
    }

    fn leader(&self, _: usize, s: &State) -> usize {
        s.leader
    }

    fn horizon(&self, _: Worst) -> u64 {
        horizon::s5(self.timing, self.timeout)
    }
}

impl Entry for RobustS5 {
    const CARD: Card = Card {
        name: "robust-s5",
        source: include_str!("s5.rs"),
        summary: "crash-prone processes, all links timely; only the leader sends",
        citation: "C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, Algorithm 1",
        knowledge: "identities, and the bounds α, β (loop) and δ (timely links)",
        assumes: "system S5: every link delivers within δ (Theorem 3)",
        channels: Some("timely; one buffer slot per sender"),
        states: "n, and two timers of any width",
        claim: "self-stabilizing and communication-efficient: all live processes agree on one live leader, for ever; then \
                only its n - 1 links carry messages",
        parameters: &[ALPHA, BETA, DELTA, PACE],
        rules: "\
Each iteration of process p:
1. for each q whose ALIVE is in its slot: if Leader != p or q < p: Leader := q; in any case ReceiveTimer := 0
2. SendTimer + 1; when >= ⌊δ/β⌋: if Leader = p send ALIVE to all others; SendTimer := 0
3. ReceiveTimer + 1; when > 8⌈δ/α⌉: Leader := p; ReceiveTimer := 0
pace fast: 8⌈δ/α⌉ becomes ⌊(2δ+β)/α⌋, the longest silence of a timely leader.",
        system: Some("s5"),
        ..ROBUST
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let (size, timing) = (complete_network(Self::CARD.name, p.size)?, timing(p)?);
        let timeout = if fast(p)? { longest_silence(timing) } else { 8 * timing.iterations_per_delta() };
        Ok(RobustS5 { size, timing, timeout })
    }
}

//! Communication-efficient pseudo-stabilizing leader election where some process has timely links from and to everyone.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, Algorithm 2.
//! Identities are 0..n-1 here, so round r is led by r mod n.
//!
//! In the paper rounds grow without bound. In a word they end, and as printed the last round of the word is never left. By default they are
//! compared and advanced as in [`Rounds`].

use crate::robust::rounds::{self, Rounds};
use crate::robust::{ALPHA, AS_PRINTED, BETA, DELTA, PACE, ROBUST};
use crate::robust::{as_printed, complete_network, fast, horizon, others, timing};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{Coin, Event, Marks, MessageKind, Outbox, Process, Timed, Timing, Variables, Visitor, Worst};
use std::cmp::Ordering;
use std::fmt;

/// The algorithm for `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct RobustS4 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// The range of rounds; `None` as printed.
    pub rounds: Option<Rounds>,
    /// The iterations without a message after which a round is given up.
    pub timeout: u64,
}

/// The paper's variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The leader that the process follows.
    pub leader: usize,
    /// The round it is in.
    pub round: u64,
    /// Iterations since its last sending period ended.
    pub send_timer: u64,
    /// Iterations since it last heard of its round or a later one.
    pub receive_timer: u64,
}

/// (ALIVE, round) or (START, round).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// START rather than ALIVE.
    pub start: bool,
    /// The sender's round.
    pub round: u64,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.start { "START" } else { "ALIVE" }, self.round)
    }
}

impl RobustS4 {
    /// The leader of a round.
    pub fn led_by(&self, round: u64) -> usize {
        rounds::leader(round, self.size)
    }

    /// Compares round `k` with the process's own round `r`: `Greater` if `k` is ahead.
    fn compare(&self, k: u64, r: u64) -> Ordering {
        self.rounds.map_or(k.cmp(&r), |rounds| rounds.compare(k, r))
    }

    fn next(&self, round: u64) -> u64 {
        self.rounds.map_or(round.saturating_add(1), |rounds| rounds.next(round))
    }

    fn start_round(&self, p: usize, s: &mut State, round: u64, out: &mut impl Outbox<Message>) {
        if self.led_by(round) != p {
            out.send(self.led_by(round), Message { start: true, round });
        }
        s.round = round;
        s.send_timer = self.timing.send_period();
    }
}

impl Variables for RobustS4 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        v.range("leader", 0, self.size as u64 - 1, &mut s.leader);
        v.word("round", &mut s.round);
        v.word("send_timer", &mut s.send_timer);
        v.word("receive_timer", &mut s.receive_timer);
    }
}

impl Process for RobustS4 {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        v.bit("start", &mut m.start);
        v.word("round", &mut m.round);
    }

    fn start(&self, _: usize) -> State {
        State::default()
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        s.round = self.rounds.map_or(s.round, |rounds| rounds.plausible(s.round, self.size));
        match event {
            Event::Step => {}
            // A stale message must not feed the timer.
            Event::Message { from: q, message: m } => match self.compare(m.round, s.round) {
                Ordering::Less => out.send(q, Message { start: true, round: s.round }),
                Ordering::Equal => s.receive_timer = 0,
                Ordering::Greater => {
                    self.start_round(p, s, m.round, out);
                    s.receive_timer = 0;
                }
            },
            Event::Tick => {
                s.receive_timer = s.receive_timer.saturating_add(1);
                if s.receive_timer > self.timeout {
                    if self.led_by(s.round) != p {
                        self.start_round(p, s, self.next(s.round), out);
                    }
                    s.receive_timer = 0;
                }
                s.send_timer = s.send_timer.saturating_add(1);
                if s.send_timer >= self.timing.send_period() {
                    s.leader = self.led_by(s.round);
                    if s.leader == p {
                        others(self.size, p).for_each(|q| out.send(q, Message { start: false, round: s.round }));
                    }
                    s.send_timer = 0;
                }
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(s.leader == me)
    }
}

impl Timed for RobustS4 {
    fn timing(&self) -> Timing {
        self.timing
    }

    fn size(&self) -> usize {
        self.size
    }

    fn timeout(&self) -> u64 {
        self.timeout
    }

    fn kind(&self, m: &Message) -> MessageKind {
        if m.start { MessageKind::Start } else { MessageKind::Alive }
    }

    fn slot(&self, m: &Message) -> usize {
        usize::from(m.start)
    }

    fn leader(&self, _: usize, s: &State) -> usize {
        s.leader
    }

    fn horizon(&self, worst: Worst) -> u64 {
        horizon::s4(self.size, self.timing, self.timeout, worst)
    }

    fn epoch(&self, _: usize, s: &State) -> u64 {
        s.round
    }
}

impl Entry for RobustS4 {
    const CARD: Card = Card {
        name: "robust-s4",
        source: include_str!("s4.rs"),
        summary: "crash-prone processes, one with timely links from and to all; only the leader sends",
        citation: "C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, Algorithm 2",
        knowledge: "identities, n, and the bounds α, β (loop) and δ (timely links)",
        assumes: "system S4: at least one timely bi-source (Theorem 5); other links may lose and delay at will",
        channels: Some("one buffer slot per sender and type"),
        states: "n · 2^64 and two timers of any width",
        claim: "pseudo-stabilizing and communication-efficient: eventually all live processes agree on one live leader, for \
                ever, and only its n - 1 links carry messages (a few starts with rounds at both ends of the word excepted: \
                docs/robust.md)",
        parameters: &[ALPHA, BETA, DELTA, AS_PRINTED, PACE],
        rules: "\
Round r is led by r mod n. StartRound(s): unless p leads it, send (START, s) to its leader; Round := s; SendTimer := ⌊δ/β⌋.
Each iteration of process p:
1. for each (ALIVE, k) or (START, k) from q: if k is behind Round: send (START, Round) to q; otherwise StartRound(k) if k is
   ahead of Round, and ReceiveTimer := 0
2. ReceiveTimer + 1; when > 8⌈δ/α⌉: unless p leads its round, StartRound(Round + 1); ReceiveTimer := 0
3. SendTimer + 1; when >= ⌊δ/β⌋: if p leads its round send (ALIVE, Round) to all others; Leader := the round's leader;
   SendTimer := 0
Ahead: greater. Unless as-printed: own rounds from 2^48 on become Round mod n and heard ones are behind; after round 2^48 - 1
comes 0, and the first 2^20 rounds are ahead of the last 2^20.
pace fast: 8⌈δ/α⌉ becomes ⌊2(δ+β)/α⌋, the time in which START reaches a timely leader and its ALIVE comes back.",
        system: Some("s4"),
        ..ROBUST
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let (size, timing) = (complete_network(Self::CARD.name, p.size)?, timing(p)?);
        let timeout =
            if fast(p)? { 2 * (timing.delta + timing.beta) / timing.alpha } else { 8 * timing.iterations_per_delta() };
        Ok(RobustS4 { size, timing, rounds: (!as_printed(p)?).then_some(Rounds::WORD), timeout })
    }
}

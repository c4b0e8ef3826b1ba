//! Communication-efficient pseudo-stabilizing leader election where links are fair and some process has timely outputs.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, Algorithm 3, with ⌊δ/β⌋
//! for its ⌈δ/β⌉ as in the other algorithms: with the ceiling the sending period can exceed δ. OtherActives and OldLeader
//! are written before they are read in every iteration that uses them, so they are not part of the state. As printed, settling takes a time in
//! proportion to a corrupted counter. By default no counter is more than [`GAP`] above one that its process hears, and a counter of
//! [`IMPLAUSIBLE`] or more becomes 0.

use crate::robust::s2::quick::{PATIENCE, PERIOD, PREEMPT, WEIGHTS, YIELDS};
use crate::robust::{ALPHA, AS_PRINTED, BETA, DELTA, PACE, ROBUST};
use crate::robust::{as_printed, complete_network, fast, horizon, list, timing};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{Coin, Event, Marks, MessageKind, Outbox, Process, Timed, Timing, Variables, Visitor, Worst};

mod message;
mod printed;
mod quick;

pub use message::Message;
pub use quick::{Memory, Part, Quick};

/// The greatest distance of a process's counter above one that it hears.
pub const GAP: u64 = 1;
/// No counter gets here in practice, at one accusation per step.
pub const IMPLAUSIBLE: u64 = 1 << 48;

/// The algorithm for `size` processes.
#[derive(Clone, Debug)]
pub struct RobustS2 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// Whether counters are limited by those that are heard.
    pub heals: bool,
    /// The quick form, for practice, which has no windows.
    pub quick: Option<Quick>,
}

/// The paper's variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The leader that the process follows.
    pub leader: usize,
    /// Iterations since its last sending period ended.
    pub send_timer: u64,
    /// Valid accusations of each process, as far as this one knows.
    pub counter: Vec<u64>,
    /// Lost leaderships of each process, as far as this one knows.
    pub phase: Vec<u64>,
    /// Iterations in this window.
    pub receive_timer: u64,
    /// The processes that were heard in this window.
    pub collect: Vec<bool>,
    /// The variables of the quick form.
    pub quick: Memory,
}

impl Variables for RobustS2 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.size;
        v.range("leader", 0, n as u64 - 1, &mut s.leader);
        v.word("send_timer", &mut s.send_timer);
        list(v, "counter", n, u64::MAX, &mut s.counter);
        list(v, "phase", n, u64::MAX, &mut s.phase);
        if self.quick.is_some() {
            s.quick.variables(n, v);
        } else {
            v.word("receive_timer", &mut s.receive_timer);
            list(v, "collect", n, 1, &mut s.collect);
        }
    }
}

impl Process for RobustS2 {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        m.variables(self.quick.is_some(), v);
    }

    fn start(&self, me: usize) -> State {
        let n = self.size;
        let mut s = State { leader: me, counter: vec![0; n], phase: vec![0; n], ..State::default() };
        if self.quick.is_some() {
            s.quick = Memory::new(n);
        } else {
            s.collect = vec![false; n];
        }
        s
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        if self.heals && s.counter[p] >= IMPLAUSIBLE {
            s.counter[p] = 0;
        }
        if let Some(quick) = &self.quick {
            return self.on_quick(quick, p, s, event, out);
        }
        match event {
            Event::Step => {}
            Event::Message { from: q, message } => {
                self.receive(p, s, q, message);
                s.collect[q] |= message.kind == MessageKind::Alive;
            }
            Event::Tick => {
                self.send(p, s, out);
                self.end_window(p, s, out);
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(s.leader == me && (self.quick.is_none() || s.quick.acts()))
    }
}

impl Timed for RobustS2 {
    fn timing(&self) -> Timing {
        self.timing
    }

    fn size(&self) -> usize {
        self.size
    }

    fn timeout(&self) -> u64 {
        let windows = 5 * self.timing.iterations_per_delta();
        self.quick.as_ref().map_or(windows, |quick| self.longest_timer(quick))
    }

    fn kind(&self, m: &Message) -> MessageKind {
        m.kind
    }

    fn slot(&self, m: &Message) -> usize {
        m.code()
    }

    fn leader(&self, _: usize, s: &State) -> usize {
        s.leader
    }

    fn horizon(&self, worst: Worst) -> u64 {
        horizon::s2(self.size, self.timing, self.timeout(), worst)
    }

    fn epoch(&self, _: usize, s: &State) -> u64 {
        s.phase[s.leader]
    }

    fn accusation(&self, me: usize, s: &State) -> Option<Message> {
        Some(Message::accusation(s.phase[me]))
    }

    fn holds_place(&self, _: usize, s: &State) -> bool {
        self.quick.is_some() && s.quick.part == Part::Yielding
    }

    fn asks_in_vain(&self, _: usize, s: &State) -> bool {
        self.quick.as_ref().is_some_and(|quick| RobustS2::asks_in_vain(self, quick, s))
    }

    fn doubt(&self, me: usize, s: &mut State, other: usize, out: &mut impl Outbox<Message>) {
        if let Some(quick) = self.quick.as_ref().filter(|_| other == s.leader) {
            self.ask_leader(quick, me, s, out);
        }
    }

    fn stalled(&self, _: usize, s: &mut State, iterations: u64) {
        if let Some(quick) = &self.quick {
            self.measure_stall(quick, s, iterations);
        }
    }

    fn hand_over(&self, me: usize, s: &mut State, heirs: &[usize], out: &mut impl Outbox<Message>) {
        if let Some(quick) = &self.quick {
            self.leave_to(quick, me, s, heirs, out);
        }
    }

    fn again(&self, me: usize, s: &State, behind: bool) -> State {
        let mut again = self.start(me);
        if self.quick.is_some() {
            self.remember(&mut again, s, behind);
        }
        again
    }

    fn patience(&self, _: usize, s: &State) -> Option<u64> {
        self.quick.as_ref().map(|quick| self.present_patience(quick, s))
    }

    fn most_patience(&self) -> Option<u64> {
        self.quick.as_ref().map(|quick| self.greatest_patience(quick))
    }

    fn stands(&self, me: usize, s: &State) -> Option<bool> {
        self.quick.as_ref().map(|quick| self.stands_by_its_leader(quick, me, s))
    }
}

impl Entry for RobustS2 {
    const CARD: Card = Card {
        name: "robust-s2",
        source: include_str!("s2.rs"),
        summary: "crash-prone processes, fair links, one with timely outputs; only the leader sends",
        citation: "C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, Algorithm 3",
        knowledge: "identities, and the bounds α, β (loop) and δ (timely links)",
        assumes: "system S2: at least one timely source, and all links fair (Theorem 7)",
        channels: Some("one buffer slot per sender and type"),
        states: "2n words, n bits, two timers of any width",
        claim: "pseudo-stabilizing and communication-efficient: eventually all live processes agree on one live leader, for \
                ever, and only its n - 1 links carry messages",
        parameters: &[ALPHA, BETA, DELTA, AS_PRINTED, PACE, PERIOD, PREEMPT, YIELDS, PATIENCE, WEIGHTS],
        rules: "\
Each iteration of process p:
1. for each (ALIVE, c, h) from q: q joins Collect, Counter[q] := c, Phase[q] := h;
   unless as-printed: Counter[p] := min(Counter[p], c + 1)
   for each (ACCUSATION, h): if h = Phase[p]: Counter[p] + 1; unless as-printed: from 2^48 on, Counter[p] := 0
2. SendTimer + 1; when >= ⌊δ/β⌋: if Leader = p send (ALIVE, Counter[p], Phase[p]) to all others; SendTimer := 0
3. ReceiveTimer + 1; when > 5⌈δ/α⌉: Actives := Collect and p; if Leader is not among them send (ACCUSATION,
   Phase[Leader]) to it; Leader := the active q with the least (Counter[q], q); if p just stopped being leader: Phase[p] + 1;
   Collect := none; ReceiveTimer := 0
pace fast: instead of 2 and 3, only an acting process sends ALIVE, with a number. Active are all heard within a patience, which is never
below ⌊(period·β+δ+β)/α⌋ iterations and grows with the loss; a late leader is asked, and its ANSWER counts as ALIVE. p follows
the active q with the least (Counter[q], -Weight[q], q), and accuses a leader that is not active any more. If none is active, and
before p takes over from an acting leader, p sends CANDIDATE; a leader hands over by RESIGN to a ready one.
Only an acting p counts accusations.",
        system: Some("s2"),
        ..ROBUST
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let size = complete_network(Self::CARD.name, p.size)?;
        let timing = timing(p)?;
        let quick = fast(p)?.then(|| Quick::build(p, timing)).transpose()?;
        Ok(RobustS2 { size, timing, heals: !as_printed(p)?, quick })
    }
}

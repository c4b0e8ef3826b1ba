//! Communication-efficient pseudo-stabilizing leader election where links are fair and some process has timely outputs.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, Algorithm 3, with ⌊δ/β⌋
//! for its ⌈δ/β⌉ as in the other algorithms: with the ceiling the sending period can exceed δ. OtherActives and OldLeader
//! are written before they are read in every iteration that uses them, so they are no part of the state. As printed,
//! settling takes time in proportion to a corrupted counter. By default a process never stands more than [`GAP`] above a
//! counter it hears, and a counter of [`IMPLAUSIBLE`] or more becomes 0.

use crate::robust::{ALPHA, AS_PRINTED, BETA, DELTA, PACE};
use crate::robust::{as_printed, complete_network, fast, horizon, longest_silence, others, timing};
use crate::{Card, Entry, Kind, Parameters, Refusal, Topology};
use ringleader_model::{Coin, Event, Marks, Outbox, Process, Scheduler, Timed, Timing, Variables, Visitor, Worst};

mod message;
mod quick;

pub use message::Message;

/// How far a process may stand above a counter it hears.
pub const GAP: u64 = 1;
/// No counter gets here within any lifetime, one accusation at a time.
pub const IMPLAUSIBLE: u64 = 1 << 48;

/// The algorithm for `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct RobustS2 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// Whether counters heal.
    pub heals: bool,
    /// Whether to look at every message's arrival instead of at the end of a window.
    pub quick: bool,
}

/// The paper's variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Whom the process follows.
    pub leader: usize,
    /// Iterations since it last could have sent.
    pub send_timer: u64,
    /// How often each process was rightly accused, as far as this one knows.
    pub counter: Vec<u64>,
    /// How often each process lost the leadership, as far as this one knows.
    pub phase: Vec<u64>,
    /// Iterations in this window.
    pub receive_timer: u64,
    /// Who was heard in this window.
    pub collect: Vec<bool>,
    /// The quick form, instead of a window: iterations since each process was heard.
    pub silence: Vec<u64>,
    /// The quick form: for how many iterations more the process will not lead.
    pub abstain: u64,
}

impl RobustS2 {
    fn receive(&self, p: usize, s: &mut State, q: usize, message: Message) {
        match message {
            Message::Alive(counter, phase) => {
                s.counter[q] = counter;
                s.phase[q] = phase;
                if self.heals {
                    s.counter[p] = s.counter[p].min(counter.saturating_add(GAP));
                }
            }
            Message::Accusation(phase) if phase == s.phase[p] => s.counter[p] = s.counter[p].saturating_add(1),
            Message::Accusation(_) | Message::Resign => {}
        }
    }

    /// Follows the active process with the least counter; giving up the leadership begins a phase.
    fn choose(&self, p: usize, s: &mut State, active: impl Fn(usize) -> bool) {
        let old = s.leader;
        s.leader = (0..self.size).filter(|&q| active(q)).min_by_key(|&q| (s.counter[q], q)).unwrap_or(p);
        if old == p && s.leader != p {
            s.phase[p] = s.phase[p].wrapping_add(1);
        }
    }

    fn send(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.send_timer = s.send_timer.saturating_add(1);
        if s.send_timer >= self.timing.send_period() {
            if s.leader == p && s.abstain == 0 {
                others(self.size, p).for_each(|q| out.send(q, Message::Alive(s.counter[p], s.phase[p])));
            }
            s.send_timer = 0;
        }
    }

    fn end_window(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.receive_timer = s.receive_timer.saturating_add(1);
        if s.receive_timer > self.timeout() {
            let actives: Vec<bool> = (0..self.size).map(|q| q == p || s.collect[q]).collect();
            if !actives[s.leader] {
                out.send(s.leader, Message::Accusation(s.phase[s.leader]));
            }
            self.choose(p, s, |q| actives[q]);
            s.collect.fill(false);
            s.receive_timer = 0;
        }
    }
}

impl Variables for RobustS2 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.size;
        v.range("leader", 0, n as u64 - 1, &mut s.leader);
        v.word("send_timer", &mut s.send_timer);
        s.counter.resize(n, 0);
        s.counter.iter_mut().enumerate().for_each(|(q, counter)| v.word(("counter", q), counter));
        s.phase.resize(n, 0);
        s.phase.iter_mut().enumerate().for_each(|(q, phase)| v.word(("phase", q), phase));
        if self.quick {
            s.silence.resize(n, 0);
            s.silence.iter_mut().enumerate().for_each(|(q, silence)| v.word(("silence", q), silence));
            v.word("abstain", &mut s.abstain);
        } else {
            v.word("receive_timer", &mut s.receive_timer);
            s.collect.resize(n, false);
            s.collect.iter_mut().enumerate().for_each(|(q, heard)| v.bit(("collect", q), heard));
        }
    }
}

impl Process for RobustS2 {
    type Message = Message;

    fn start(&self, me: usize) -> State {
        let n = self.size;
        let mut s = State { leader: me, counter: vec![0; n], phase: vec![0; n], ..State::default() };
        if self.quick {
            s.silence = vec![self.timeout() + 1; n];
        } else {
            s.collect = vec![false; n];
        }
        s
    }

    fn ready(&self, _: &State, event: &Event<Message>) -> bool {
        *event != Event::Step
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        if self.heals && s.counter[p] >= IMPLAUSIBLE {
            s.counter[p] = 0;
        }
        match event {
            Event::Step => self.resign(p, s, out),
            Event::Message { from: q, message } => {
                self.receive(p, s, q, message);
                match self.quick {
                    true => self.hear(p, s, q, message),
                    false => s.collect[q] |= matches!(message, Message::Alive(..)),
                }
            }
            Event::Tick if self.quick => self.watch(p, s, out),
            Event::Tick => {
                self.send(p, s, out);
                self.end_window(p, s, out);
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(s.leader == me)
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
        if self.quick { longest_silence(self.timing) } else { 5 * self.timing.iterations_per_delta() }
    }

    fn slot(&self, m: &Message) -> usize {
        match m {
            Message::Alive(..) => 0,
            Message::Accusation(_) => 1,
            Message::Resign => 2,
        }
    }

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        let mut kind = self.slot(m);
        v.range("kind", 0, if self.quick { 2 } else { 1 }, &mut kind);
        let (mut counter, mut phase) = match *m {
            Message::Alive(counter, phase) => (counter, phase),
            Message::Accusation(phase) => (0, phase),
            Message::Resign => (0, 0),
        };
        v.word("counter", &mut counter);
        v.word("phase", &mut phase);
        *m = [Message::Alive(counter, phase), Message::Accusation(phase), Message::Resign][kind];
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
}

impl Entry for RobustS2 {
    const CARD: Card = Card {
        name: "robust-s2",
        source: include_str!("s2.rs"),
        summary: "crash-prone processes, fair links, one with timely outputs; only the leader sends",
        citation: "C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, Algorithm 3",
        kind: Kind::Robust,
        topology: Topology::Complete,
        sizes: "2 <= n <= 1000",
        knowledge: "identities, and the bounds α, β (loop) and δ (timely links)",
        scheduler: Scheduler::Timed,
        assumes: "system S2: at least one timely source, and all links fair (Theorem 7)",
        channels: Some("one buffer slot per sender and type"),
        states: "2n words, n bits, two timers of any width",
        claim: "pseudo-stabilizing and communication-efficient: eventually all live processes agree on one live leader, for \
                ever, and only its n - 1 links carry messages",
        default_size: 5,
        parameters: &[ALPHA, BETA, DELTA, AS_PRINTED, PACE],
        rules: "\
Each iteration of process p:
1. for each (ALIVE, c, h) from q: q joins Collect, Counter[q] := c, Phase[q] := h;
   unless as-printed: Counter[p] := min(Counter[p], c + 1)
   for each (ACCUSATION, h): if h = Phase[p]: Counter[p] + 1; unless as-printed: from 2^48 on, Counter[p] := 0
2. SendTimer + 1; when >= ⌊δ/β⌋: if Leader = p send (ALIVE, Counter[p], Phase[p]) to all others; SendTimer := 0
3. ReceiveTimer + 1; when > 5⌈δ/α⌉: Actives := Collect and p; if Leader is not among them send (ACCUSATION,
   Phase[Leader]) to it; Leader := the active q with the least (Counter[q], q); if p just stopped being leader: Phase[p] + 1;
   Collect := none; ReceiveTimer := 0
pace fast: instead of 3, active are p and whoever was heard within ⌊(2δ+β)/α⌋ iterations, and Leader is chosen anew, or
accused, in every iteration; a new leader sends at once, and a leader asked to resign says so and abstains a while.",
        system: Some("s2"),
        ..Card::BLANK
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let size = complete_network(Self::CARD.name, p.size)?;
        Ok(RobustS2 { size, timing: timing(p)?, heals: !as_printed(p)?, quick: fast(p)? })
    }
}

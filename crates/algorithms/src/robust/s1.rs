//! Pseudo-stabilizing leader election where some process has timely outputs and nothing else is known of the links.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, section 8, says that such
//! an algorithm exists and leaves it out. This is a design of this project's, checked by simulation only: counters of
//! silences, spread by everyone to everyone, choose a local favourite; the leader is the favourite's favourite.
//!
//! With unbounded counters settling takes time in proportion to a corrupted one. By default no counter stands more than 16
//! above the least of its array, and of two arrays whose least counters are more than 4 apart the lower one counts;
//! while messages older than the last few counts arrive, that can go around in circles (docs/robust.md).

use crate::robust::s2::IMPLAUSIBLE;
use crate::robust::{ALPHA, AS_PRINTED, BETA, DELTA};
use crate::robust::{as_printed, complete_network, others, timing};
use crate::{Card, Entry, Kind, Parameters, Refusal, Topology};
use ringleader_model::{Coin, Event, Marks, Outbox, Process, Scheduler, Timed, Timing, Variables, Visitor};
use std::fmt;

/// How far a counter may stand above the least one of its array.
pub const SPAN: u64 = 16;
/// How far the least counters of two arrays may be apart for both to count.
pub const GAP: u64 = 4;

/// The algorithm for `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct RobustS1 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// Whether counters heal.
    pub heals: bool,
}

/// The design's variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// Whom the process follows: its favourite's favourite.
    pub leader: usize,
    /// Its favourite: the process with the least counter.
    pub local: usize,
    /// Iterations since it last sent.
    pub send_timer: u64,
    /// How often each process was found silent.
    pub counter: Vec<u64>,
    /// Iterations since each process was heard.
    pub receive_timer: Vec<u64>,
    /// Each process's favourite, as far as this one knows.
    pub opinion: Vec<usize>,
    /// Who was heard since it last sent.
    pub fresh: Vec<bool>,
}

/// (ALIVE, Counter, Local, opinions): what the sender counts, whom it favours, and what it heard of others' favourites.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Alive {
    /// The sender's counters.
    pub counter: Vec<u64>,
    /// The sender's favourite.
    pub local: usize,
    /// The favourites of those the sender heard since it last sent; n where it heard nothing.
    pub opinion: Vec<usize>,
}

impl fmt::Display for Alive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ALIVE {:?} {} {:?}", self.counter, self.local, self.opinion)
    }
}

impl RobustS1 {
    fn receive(&self, p: usize, s: &mut State, q: usize, m: &Alive) {
        self.merge(s, &m.counter);
        s.receive_timer[q] = 0;
        s.opinion[q] = m.local;
        s.fresh[q] = true;
        for x in others(self.size, p).filter(|&x| x != q && m.opinion[x] < self.size) {
            s.opinion[x] = m.opinion[x];
        }
    }

    /// Pointwise max. Arrays far apart cannot both be right, and the lower one wins: of a much higher one only the
    /// differences count, and one's own is forgotten for a much lower one.
    fn merge(&self, s: &mut State, heard: &[u64]) {
        let least = |counters: &[u64]| counters.iter().copied().min().unwrap_or(0);
        let (own, low) = (least(&s.counter), least(heard));
        let apart = self.heals && own.abs_diff(low) > GAP;
        if apart && own > low {
            s.counter.copy_from_slice(heard);
        } else {
            let excess = if apart { low - own } else { 0 };
            s.counter.iter_mut().zip(heard).for_each(|(own, heard)| *own = (*own).max(heard - excess));
        }
        self.heal(s);
    }

    fn heal(&self, s: &mut State) {
        if self.heals {
            let least = s.counter.iter().copied().min().unwrap_or(0);
            let excess = if least >= IMPLAUSIBLE { least } else { 0 };
            s.counter.iter_mut().for_each(|c| *c = (*c).min(least.saturating_add(SPAN)) - excess);
        }
    }

    fn watch(&self, p: usize, s: &mut State) {
        for q in others(self.size, p) {
            s.receive_timer[q] = s.receive_timer[q].saturating_add(1);
            if s.receive_timer[q] > self.timeout() {
                s.counter[q] = s.counter[q].saturating_add(1);
                s.receive_timer[q] = 0;
            }
        }
        self.heal(s);
        s.local = (0..self.size).min_by_key(|&q| (s.counter[q], q)).unwrap_or(p);
        s.opinion[p] = s.local;
        s.leader = s.opinion[s.local];
    }

    fn send(&self, p: usize, s: &mut State, out: &mut impl Outbox<Alive>) {
        s.send_timer = s.send_timer.saturating_add(1);
        if s.send_timer >= self.timing.send_period() {
            let opinion = (0..self.size).map(|x| if s.fresh[x] { s.opinion[x] } else { self.size }).collect();
            let alive = Alive { counter: s.counter.clone(), local: s.local, opinion };
            others(self.size, p).for_each(|q| out.send(q, alive.clone()));
            s.fresh.fill(false);
            s.send_timer = 0;
        }
    }
}

impl Variables for RobustS1 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let n = self.size;
        let last = n as u64 - 1;
        v.range("leader", 0, last, &mut s.leader);
        v.range("local", 0, last, &mut s.local);
        v.word("send_timer", &mut s.send_timer);
        s.counter.resize(n, 0);
        s.receive_timer.resize(n, 0);
        s.opinion.resize(n, 0);
        s.fresh.resize(n, false);
        for q in 0..n {
            v.word(("counter", q), &mut s.counter[q]);
            v.word(("receive_timer", q), &mut s.receive_timer[q]);
            v.range(("opinion", q), 0, last, &mut s.opinion[q]);
            v.bit(("fresh", q), &mut s.fresh[q]);
        }
    }
}

impl Process for RobustS1 {
    type Message = Alive;

    fn start(&self, me: usize) -> State {
        let n = self.size;
        State {
            leader: me,
            local: me,
            send_timer: 0,
            counter: vec![0; n],
            receive_timer: vec![0; n],
            opinion: vec![me; n],
            fresh: vec![false; n],
        }
    }

    fn ready(&self, _: &State, event: &Event<Alive>) -> bool {
        *event != Event::Step
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Alive>, out: &mut impl Outbox<Alive>, _: &mut impl Coin) {
        match event {
            Event::Step => {}
            Event::Message { from: q, message } => self.receive(p, s, q, &message),
            Event::Tick => {
                self.watch(p, s);
                self.send(p, s, out);
            }
        }
    }

    fn marks(&self, me: usize, s: &State) -> Marks {
        Marks::LEADER.when(s.leader == me)
    }
}

impl Timed for RobustS1 {
    fn timing(&self) -> Timing {
        self.timing
    }

    fn size(&self) -> usize {
        self.size
    }

    /// 8⌈δ/α⌉.
    fn timeout(&self) -> u64 {
        8 * self.timing.iterations_per_delta()
    }

    fn slot(&self, _: &Alive) -> usize {
        0
    }

    fn message_variables(&self, m: &mut Alive, v: &mut dyn Visitor) {
        let n = self.size;
        v.range("local", 0, n as u64 - 1, &mut m.local);
        m.counter.resize(n, 0);
        m.opinion.resize(n, n);
        for q in 0..n {
            v.word(("counter", q), &mut m.counter[q]);
            v.range(("opinion", q), 0, n as u64, &mut m.opinion[q]);
        }
    }

    fn leader(&self, _: usize, s: &State) -> usize {
        s.leader
    }
}

impl Entry for RobustS1 {
    const CARD: Card = Card {
        name: "robust-s1",
        source: include_str!("s1.rs"),
        summary: "crash-prone processes, one with timely outputs, all other links lossy and slow; everyone sends",
        citation: "after C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, \
                   section 8, which leaves the algorithm out; this project's own design",
        kind: Kind::Robust,
        topology: Topology::Complete,
        sizes: "2 <= n <= 1000",
        knowledge: "identities, and the bounds α, β (loop) and δ (timely links)",
        scheduler: Scheduler::Timed,
        assumes: "system S1: at least one timely source; other links may lose and delay at will",
        oracle: None,
        channels: Some("one buffer slot per sender"),
        states: "2n words, n favourites, n bits",
        claim: "pseudo-stabilizing, by simulation only: eventually all live processes agree on one live leader, for ever",
        default_size: 5,
        parameters: &[ALPHA, BETA, DELTA, AS_PRINTED],
        rules: "\
Each iteration of process p:
1. for each (ALIVE, C, l, O) from q: Counter := pointwise max with C; ReceiveTimer[q] := 0; Opinion[q] := l; q is fresh;
   Opinion[x] := O[x] for every x reported, other than p and q
2. for each q: ReceiveTimer[q] + 1; when > 8⌈δ/α⌉: Counter[q] + 1; ReceiveTimer[q] := 0
3. Local := the q with the least (Counter[q], q); Opinion[p] := Local; Leader := Opinion[Local]
4. SendTimer + 1; when >= ⌊δ/β⌋: send (ALIVE, Counter, Local, {(x, Opinion[x]) : x fresh}) to all others; none is fresh;
   SendTimer := 0
Unless as-printed: if the least of Counter is more than 4 above that of C, Counter := C in 1; if it is more than 4 below,
C is lowered to it first; no counter stands more than 16 above the least; a least counter of 2^48 is subtracted from all.",
        flaw: None,
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let size = complete_network(Self::CARD.name, p.size)?;
        Ok(RobustS1 { size, timing: timing(p)?, heals: !as_printed(p)? })
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        Self::build(p).map(|_| ())
    }
}

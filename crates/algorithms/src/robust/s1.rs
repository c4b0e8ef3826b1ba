//! Pseudo-stabilizing leader election where some process has timely outputs and nothing else is known of the links.
//!
//! C. Delporte-Gallet, S. Devismes, H. Fauconnier: *Robust stabilizing leader election*, SSS 2007, section 8, says that such
//! an algorithm exists and leaves it out. This is a design of this project; docs/robust.md has the proof.
//!
//! Every process reports the processes that it misses. A process that misses the leader of its round, or hears it accused, begins the next round,
//! and rounds spread from every process to every other. But a process that nobody hears may be in a round of its own: so each process follows
//! the round of the first process that it has not found bad, and if all are bad, none counts as bad any more.

use crate::robust::rounds::{Rounds, leader as leader_of};
use crate::robust::{ALPHA, AS_PRINTED, BETA, DELTA, ROBUST};
use crate::robust::{as_printed, complete_network, horizon, others, repeats, timing};
use crate::{Card, Entry, Parameters, Refusal};
use ringleader_model::{Coin, Event, Marks, Outbox, Process, Timed, Timing, Variables, Visitor, Worst};

mod counters;
mod message;

pub use counters::Counters;
pub use message::Message;

/// The algorithm for `size` processes.
#[derive(Clone, Copy, Debug)]
pub struct RobustS1 {
    /// n.
    pub size: usize,
    /// α, β and δ.
    pub timing: Timing,
    /// Whether to use the first design, with counters.
    pub counts: bool,
}

/// The variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State {
    /// The leader that the process follows.
    pub leader: usize,
    /// The process whose leader it follows.
    pub local: usize,
    /// Iterations since it last sent.
    pub send_timer: u64,
    /// Iterations since each process was heard; in the first design, since it was heard or found silent.
    pub receive_timer: Vec<u64>,
    /// Its round.
    pub round: u64,
    /// The processes that it finds bad.
    pub bad: Vec<bool>,
    /// The further messages in which it accuses each process.
    pub accuse: Vec<u64>,
    /// The last round that each process reported.
    pub heard: Vec<u64>,
    /// First design: the number of times that each process was found silent.
    pub counter: Vec<u64>,
    /// First design: the favourite of each process, as far as this one knows.
    pub opinion: Vec<usize>,
    /// First design: the processes that were heard since it last sent.
    pub fresh: Vec<bool>,
}

impl RobustS1 {
    fn resize(&self, s: &mut State) {
        let (rounds, counters) = if self.counts { (0, self.size) } else { (self.size, 0) };
        s.receive_timer.resize(self.size, 0);
        s.bad.resize(rounds, false);
        s.accuse.resize(rounds, 0);
        s.heard.resize(rounds, 0);
        s.counter.resize(counters, 0);
        s.opinion.resize(counters, 0);
        s.fresh.resize(counters, false);
    }

    fn receive(&self, p: usize, s: &mut State, q: usize, message: &Message) {
        s.receive_timer[q] = 0;
        match message {
            Message::Alive(round, accused) if !self.counts => {
                s.heard[q] = *round;
                if Rounds::WORD.compare(*round, s.round).is_gt() {
                    s.round = *round;
                }
                s.bad.iter_mut().zip(accused).for_each(|(bad, accused)| *bad |= accused);
                if accused[leader_of(s.round, self.size)] {
                    s.round = Rounds::WORD.next(s.round);
                }
            }
            Message::Counters(counters) if self.counts => self.merge(p, s, q, counters),
            _ => {}
        }
    }

    fn judge(&self, p: usize, s: &mut State) {
        s.receive_timer[p] = 0;
        let silent: Vec<bool> = s.receive_timer.iter().map(|&timer| timer > self.timeout()).collect();
        for q in (0..self.size).filter(|&q| silent[q]) {
            s.bad[q] = true;
            s.accuse[q] = repeats(self.timing);
        }
        if !s.bad.contains(&false) {
            s.bad.fill(false);
        }
        while silent[leader_of(s.round, self.size)] {
            s.round = Rounds::WORD.next(s.round);
        }
        s.local = s.bad.iter().position(|bad| !bad).unwrap_or(p);
        s.leader = leader_of(if s.local == p { s.round } else { s.heard[s.local] }, self.size);
    }

    fn iterate(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.receive_timer.iter_mut().for_each(|timer| *timer = timer.saturating_add(1));
        if self.counts {
            self.count(p, s)
        } else {
            self.judge(p, s)
        }
        s.send_timer = s.send_timer.saturating_add(1);
        if s.send_timer >= self.timing.send_period() {
            let message = if self.counts { self.report(s) } else { self.tell(s) };
            others(self.size, p).for_each(|q| out.send(q, message.clone()));
            s.send_timer = 0;
        }
    }
}

impl Variables for RobustS1 {
    type State = State;
    fn variables(&self, s: &mut State, v: &mut dyn Visitor) {
        let last = self.size as u64 - 1;
        self.resize(s);
        v.range("leader", 0, last, &mut s.leader);
        v.range("local", 0, last, &mut s.local);
        v.word("send_timer", &mut s.send_timer);
        if !self.counts {
            v.word("round", &mut s.round);
        }
        for q in 0..self.size {
            v.word(("receive_timer", q), &mut s.receive_timer[q]);
            if self.counts {
                v.word(("counter", q), &mut s.counter[q]);
                v.range(("opinion", q), 0, last, &mut s.opinion[q]);
                v.bit(("fresh", q), &mut s.fresh[q]);
            } else {
                v.bit(("bad", q), &mut s.bad[q]);
                v.word(("accuse", q), &mut s.accuse[q]);
                v.word(("heard", q), &mut s.heard[q]);
            }
        }
    }
}

impl Process for RobustS1 {
    type Message = Message;

    fn message_variables(&self, m: &mut Message, v: &mut dyn Visitor) {
        if self.counts { m.counters(self.size, v) } else { m.alive(self.size, v) }
    }

    fn start(&self, me: usize) -> State {
        let mut s = State { leader: me, local: me, ..State::default() };
        self.resize(&mut s);
        s.opinion.fill(me);
        s
    }

    fn on(&self, p: usize, s: &mut State, event: Event<Message>, out: &mut impl Outbox<Message>, _: &mut impl Coin) {
        s.round = Rounds::WORD.plausible(s.round, self.size);
        match event {
            Event::Step => {}
            Event::Message { from: q, message } => self.receive(p, s, q, &message),
            Event::Tick => self.iterate(p, s, out),
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

    fn timeout(&self) -> u64 {
        8 * self.timing.iterations_per_delta()
    }

    fn leader(&self, _: usize, s: &State) -> usize {
        s.leader
    }

    /// It stands by the leader of a round that it heard from a process that it still hears, whether or not it hears the leader itself.
    fn stands(&self, me: usize, s: &State) -> Option<bool> {
        (s.leader != me && !self.counts).then(|| s.local == me || s.receive_timer[s.local] <= self.timeout())
    }

    fn horizon(&self, worst: Worst) -> u64 {
        horizon::s1(self.size, self.timing, self.timeout(), worst)
    }

    fn epoch(&self, _: usize, s: &State) -> u64 {
        s.round
    }
}

impl Entry for RobustS1 {
    const CARD: Card = Card {
        name: "robust-s1",
        source: include_str!("s1.rs"),
        summary: "crash-prone processes, one with timely outputs, all other links lossy and slow; everyone sends",
        citation: "after C. Delporte-Gallet, S. Devismes, H. Fauconnier: Robust stabilizing leader election, SSS 2007, \
                   section 8, which leaves the algorithm out; this project's own design",
        knowledge: "identities, n, and the bounds α, β (loop) and δ (timely links)",
        assumes: "system S1: at least one timely source; other links may lose and delay at will",
        channels: Some("one buffer slot per sender"),
        states: "n + 1 words, n bits, timers of any width",
        claim: "pseudo-stabilizing: eventually all live processes agree on one live leader, for ever (a few starts with rounds at \
                both ends of the word excepted: docs/robust.md)",
        parameters: &[ALPHA, BETA, DELTA, AS_PRINTED],
        rules: "\
Round r is led by r mod n. Each iteration of process p:
1. for each (ALIVE, k, A) from q: ReceiveTimer[q] := 0; Heard[q] := k; Round := k if k is ahead of Round; everyone in A is Bad;
   Round + 1 if its leader is in A
2. for each q but p: ReceiveTimer[q] + 1; while > 8⌈δ/α⌉: q is silent, and Bad, and accused in this and the next few messages
3. if all are Bad, none is; while Round's leader is silent: Round + 1
4. Local := the first that is not Bad; Leader := the leader of Heard[Local], or of Round if Local = p
5. SendTimer + 1; when >= ⌊δ/β⌋: send (ALIVE, Round, {q accused}) to all others; SendTimer := 0
Ahead: greater; own rounds from 2^48 on become Round mod n and heard ones are behind; after round 2^48 - 1 comes 0, and the
first 2^20 rounds are ahead of the last 2^20.
as-printed: counters of silences instead, spread as pointwise maxima; Local has the least, and Leader is Local's Local.",
        system: Some("s1"),
        ..ROBUST
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        let size = complete_network(Self::CARD.name, p.size)?;
        Ok(RobustS1 { size, timing: timing(p)?, counts: as_printed(p)? })
    }
}

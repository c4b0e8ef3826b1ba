//! Algorithm 3 for practice: no windows, a leader that is asked before it is given up, and a change of leaders without a gap.
//!
//! A process *acts* or it does not, and only who acts sends ALIVE. Active is whoever was heard within a patience that
//! is never below the longest silence of a timely leader; `asking` says how it grows with what links lose, and how a leader that
//! is late is asked. Whoever hears an active process follows one; to lead instead, or where none is active, it stands
//! as a candidate first: `standing`. The proof of Theorem 7 needs of the windows only this: a timely source is
//! found silent only after it has stopped leading, that is, in a later phase than the one it is accused of. That
//! candidates wait for a bounded time delays it and takes nothing away (docs/robust.md).

use super::message::{Kind, Message, Said};
use super::{GAP, IMPLAUSIBLE, RobustS2, State};
use crate::robust::others;
use crate::{Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::{Event, Outbox, Timing};
use std::sync::Arc;

mod asking;
mod company;
mod memory;
mod standing;

pub use memory::{Memory, Part};

/// What the quick form is told besides α, β and δ, all in iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quick {
    /// How often a leader sends; ⌊δ/β⌋ if nothing else is said.
    pub period: u64,
    /// For how long a candidate proves itself before it takes the leadership from one that acts.
    pub proof: u64,
    /// Whether a candidate may take it for its weight or identity, or only for its counter.
    pub preempts: bool,
    /// For how long a leader that has stopped acting may take before it lets go.
    pub yields: u64,
    /// By identity; 0 where there is none. Of equal counters the greatest weight goes first.
    pub weights: Arc<[u16]>,
}

pub(super) const PERIOD: Parameter = Parameter {
    name: "period",
    meaning: "pace fast: iterations between two ALIVEs",
    default: "⌊δ/β⌋",
    kind: ParameterKind::Number,
};
pub(super) const PREEMPT: Parameter = Parameter {
    name: "preempt",
    meaning: "pace fast: after how many iterations a candidate takes over from one that acts; no: not for weight or identity",
    default: "10 periods",
    kind: ParameterKind::Text,
};
pub(super) const YIELDS: Parameter = Parameter {
    name: "yields",
    meaning: "pace fast: for how many iterations a leader holds its place for an heir",
    default: "0",
    kind: ParameterKind::Number,
};
pub(super) const WEIGHTS: Parameter = Parameter {
    name: "weights",
    meaning: "pace fast: a weight for each process, with commas; the greatest leads",
    default: "all 0",
    kind: ParameterKind::Text,
};

/// How many periods a candidate proves itself, if nothing else is said.
const PROOF: u64 = 10;

impl Quick {
    /// The default for this timing.
    pub fn new(timing: Timing) -> Quick {
        let period = timing.send_period();
        Quick { period, proof: PROOF * period, preempts: true, yields: 0, weights: [].into() }
    }

    pub(super) fn build(p: &Parameters, timing: Timing) -> Result<Quick, Refusal> {
        let period = p.number("period")?.unwrap_or(timing.send_period());
        if !(1..=1 << 20).contains(&period) {
            return Err(Refusal::new(format!("period must be 1 to 2^20 iterations, not {period}")));
        }
        let (preempts, proof) = match p.word("preempt") {
            None | Some("yes") => (true, PROOF * period),
            Some("no") => (false, PROOF * period),
            Some(_) => (true, p.number("preempt")?.unwrap_or(0)),
        };
        let weights = p.word("weights").unwrap_or("").split(',').filter(|word| !word.is_empty());
        let weights: Result<Arc<[u16]>, _> = weights.map(str::parse).collect();
        let weights = weights.map_err(|_| Refusal::new("weights must be numbers up to 65535 with commas between"))?;
        let yields = p.number("yields")?.unwrap_or(0);
        if proof.max(yields) > 1 << 32 {
            return Err(Refusal::new("preempt and yields must be at most 2^32 iterations"));
        }
        Ok(Quick { period, proof, preempts, yields, weights })
    }
}

impl RobustS2 {
    /// The quick form with healing counters and a leader that sends every `period` iterations.
    pub fn quick(size: usize, timing: Timing, period: u64) -> RobustS2 {
        let quick = Quick { period, proof: PROOF * period, ..Quick::new(timing) };
        RobustS2 { size, timing, heals: true, quick: Some(quick) }
    }

    /// After how many iterations the last timer fires.
    pub(super) fn longest_timer(&self, quick: &Quick) -> u64 {
        (quick.proof + self.grace(quick)).max(self.most_patience(quick)).max(self.abstention())
    }

    pub(super) fn stands_by_its_leader(&self, quick: &Quick, p: usize, s: &State) -> bool {
        match s.leader == p {
            true => s.quick.acts(),
            false => s.quick.silence[s.leader] <= self.borne(quick, s, s.leader),
        }
    }

    pub(super) fn on_quick(
        &self,
        quick: &Quick,
        p: usize,
        s: &mut State,
        event: Event<Message>,
        out: &mut impl Outbox<Message>,
    ) {
        s.quick.weight[p] = quick.weights.get(p).copied().unwrap_or(0);
        match event {
            Event::Step => self.step_back(quick, p, s, out),
            Event::Message { from, message: Message::Said(said) } => self.hear(quick, p, s, from, said, out),
            // No process of the quick form says anything else.
            Event::Message { .. } => {}
            Event::Tick => {
                self.age(p, s);
                self.stand(quick, p, s, out);
                self.ask(quick, p, s, out);
                self.say_alive(quick, p, s, out);
            }
        }
    }

    fn hear(&self, quick: &Quick, p: usize, s: &mut State, q: usize, said: Said, out: &mut impl Outbox<Message>) {
        s.quick.meet(q);
        match said.kind {
            Kind::Alive | Kind::Answer => {
                let owed = std::mem::take(&mut s.quick.owed[q]) && s.phase[q] == said.phase;
                let again = owed && self.was_silent_alone(s, q);
                if again {
                    out.send(q, Message::Said(self.accusation(s, q)));
                }
                (s.counter[q], s.phase[q], s.quick.weight[q]) = (said.counter, said.phase, said.weight);
                // As it will be when the accusation has arrived; if it does not, the next message says so.
                s.counter[q] = s.counter[q].saturating_add(u64::from(again));
                let silence = std::mem::take(&mut s.quick.silence[q]);
                (s.quick.lonely, s.quick.claim[q]) = (0, u64::MAX);
                if self.heals {
                    s.counter[p] = s.counter[p].min(said.counter.saturating_add(GAP));
                }
                if s.quick.part == Part::Idle {
                    s.quick.heir = self.size;
                }
                self.take_place(p, s, said.counter);
                match said.kind {
                    Kind::Alive => {
                        self.measure_outage(quick, s, q, said.number, silence);
                        self.measure_loss(s, q, said.number);
                    }
                    _ => {
                        self.measure_trip(quick, s, said.number);
                        self.measure_answers(s);
                    }
                }
                if said.flag && s.quick.part == Part::Idle && s.quick.abstain == 0 {
                    out.send(q, Message::Said(self.candidacy(p, s, true)));
                }
            }
            Kind::Accusation if said.phase == s.phase[p] => s.counter[p] = s.counter[p].saturating_add(1),
            Kind::Accusation => {}
            Kind::Resign => {
                // Whoever takes over, or has led all the time.
                if let Some(leader) = (0..self.size).find(|&r| r as u64 + 1 == said.counter) {
                    s.quick.meet(leader);
                }
                self.hear_resignation(quick, p, s, q, said.counter);
            }
            Kind::Candidate => {
                // It does not lead: if it was silent, it was right to be.
                s.quick.owed[q] = false;
                // And nobody steps down for it, unless it has just begun, and this was overtaken.
                if q != s.leader && s.quick.silence[q] > self.one_way() {
                    s.quick.silence[q] = u64::MAX;
                }
                (s.counter[q], s.quick.weight[q], s.quick.claim[q]) = (said.counter, said.weight, 0);
                if said.flag && s.quick.part == Part::Acting && self.rank(s, q) < self.rank(s, p) {
                    let heir = self.foremost_candidate(p, s, quick.period + self.one_way()).unwrap_or(q);
                    (s.quick.part, s.quick.stage, s.quick.heir) = (Part::Yielding, 0, heir);
                }
            }
            Kind::Ask if s.quick.part != Part::Idle => {
                s.quick.owed[q] = false;
                out.send(q, Message::Said(Said { kind: Kind::Answer, number: said.number, ..self.presence(p, s) }));
            }
            Kind::Ask => {
                s.quick.owed[q] = false;
                // Each has stepped down for the other; unless that one has begun again since.
                if said.flag && q == s.leader && s.quick.silence[q] > 0 {
                    self.hear_resignation(quick, p, s, q, 0);
                }
            }
        }
    }

    /// Whoever has just begun stands level with the leader, since it has forgotten what it was accused of; whoever resigned
    /// stands behind its successor, or it would take the leadership back.
    fn take_place(&self, p: usize, s: &mut State, counter: u64) {
        if std::mem::take(&mut s.quick.fresh) && counter < IMPLAUSIBLE {
            s.counter[p] = s.counter[p].max(counter);
        }
        if s.quick.abstain > 0 && s.quick.behind {
            s.counter[p] = s.counter[p].max(counter.saturating_add(1));
        }
    }

    fn age(&self, p: usize, s: &mut State) {
        let m = &mut s.quick;
        m.ticks = m.ticks.wrapping_add(1);
        for word in [&mut m.stage, &mut m.lonely, &mut m.asked] {
            *word = word.saturating_add(1);
        }
        m.abstain = m.abstain.min(self.abstention()).saturating_sub(1);
        m.behind &= m.abstain > 0 || m.part != Part::Idle;
        others(self.size, p).for_each(|q| m.silence[q] = m.silence[q].saturating_add(1));
        for words in [&mut m.claim, &mut m.met] {
            words.iter_mut().for_each(|word| *word = word.saturating_add(1));
        }
    }

    fn say_alive(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.send_timer = s.send_timer.saturating_add(1);
        // Who has just begun says so a few times: until it is heard there may be two. So does who looks for an heir.
        let again = match s.quick.part {
            Part::Acting => [2, 5, 9].contains(&s.quick.stage),
            Part::Leaving => [2, 4].contains(&s.quick.stage),
            Part::Idle | Part::Yielding => false,
        };
        let again = again && quick.period > 10;
        if s.quick.part == Part::Idle || (s.send_timer < quick.period && !again) {
            return;
        }
        s.send_timer = if again { s.send_timer } else { 0 };
        s.quick.number[p] = s.quick.number[p].wrapping_add(1).max(1);
        let alive = Said { number: s.quick.number[p], flag: s.quick.part == Part::Leaving, ..self.presence(p, s) };
        others(self.size, p).for_each(|q| out.send(q, Message::Said(alive)));
    }

    fn presence(&self, p: usize, s: &State) -> Said {
        Said { counter: s.counter[p], phase: s.phase[p], weight: s.quick.weight[p], ..Said::default() }
    }

    /// Who goes before whom: the least counter, the greatest weight, the least identity.
    fn rank(&self, s: &State, q: usize) -> (u64, u16, usize) {
        (s.counter[q], u16::MAX - s.quick.weight[q], q)
    }
}

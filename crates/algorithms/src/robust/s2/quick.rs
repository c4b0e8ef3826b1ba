//! Algorithm 3 for practice: no windows, a late leader is asked before it is given up, and a handover has no gap.
//!
//! A process *acts* or not, and only an acting process sends ALIVE. A process is active if it was heard within a patience, which is never
//! below the longest silence of a timely leader; `asking` describes how patience grows with the loss, and how a late leader is asked. A
//! process that hears active ones follows one of them; to lead instead, or if none is active, it becomes a candidate first: `standing`.
//! The proof of Theorem 7 needs only this of the windows: a timely source is found silent only after it has stopped leading, that is, in a
//! later phase than the accused one. Candidates ask an acting leader until it hands over: links are fair (docs/robust.md).

use super::{GAP, IMPLAUSIBLE, Message, RobustS2, State};
use crate::robust::others;
use ringleader_model::{Event, MessageKind, Outbox, Timing};
use std::sync::Arc;

mod asking;
mod company;
mod memory;
mod parameters;
mod standing;

pub use memory::{Memory, Part};
pub(super) use parameters::{PATIENCE, PERIOD, PREEMPT, WEIGHTS, YIELDS};

/// The parameters of the quick form besides α, β and δ, all in iterations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quick {
    /// The time between two ALIVEs of a leader; by default ⌊δ/β⌋.
    pub period: u64,
    /// The time for which a candidate proves itself before it takes over from an acting leader.
    pub proof: u64,
    /// Whether a candidate may take over because of its weight or identity, or only because of its counter.
    pub preempts: bool,
    /// The time for which a leader that has stopped acting may hold its place.
    pub yields: u64,
    /// The greatest patience with a silent leader, unless a timely leader may be silent for longer.
    pub most: u64,
    /// The weights by identity, 0 if absent. Of equal counters the greatest weight has precedence.
    pub weights: Arc<[u16]>,
}

/// The periods for which a candidate proves itself by default.
const PROOF: u64 = 10;
/// The periods of the greatest patience by default: three lost messages in a row, and a stall of three periods after any message.
const PATIENT: u64 = 4;

impl Quick {
    /// The default for this period.
    pub fn new(period: u64) -> Quick {
        Quick { period, proof: PROOF * period, preempts: true, yields: 0, most: PATIENT * period, weights: [].into() }
    }
}

impl RobustS2 {
    /// The quick form with healing counters and a leader that sends every `period` iterations.
    pub fn quick(size: usize, timing: Timing, period: u64) -> RobustS2 {
        RobustS2 { size, timing, heals: true, quick: Some(Quick::new(period)) }
    }

    /// The iterations after which the last timer fires.
    pub(super) fn longest_timer(&self, quick: &Quick) -> u64 {
        (self.patient_stage(quick) + quick.period).max(self.greatest_patience(quick)).max(self.abstention())
    }

    pub(super) fn stands_by_its_leader(&self, quick: &Quick, p: usize, s: &State) -> bool {
        match s.leader == p {
            true => s.quick.acts(),
            false => s.quick.silence[s.leader] <= self.present_patience(quick, s),
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
            Event::Message { from, message } => self.hear(quick, p, s, from, message, out),
            Event::Tick => {
                self.age(p, s);
                self.stand(quick, p, s, out);
                self.ask(quick, p, s, out);
                self.say_alive(quick, p, s, out);
            }
        }
    }

    fn hear(&self, quick: &Quick, p: usize, s: &mut State, q: usize, m: Message, out: &mut impl Outbox<Message>) {
        s.quick.meet(q);
        match m.kind {
            MessageKind::Alive | MessageKind::Answer => {
                let owed = std::mem::take(&mut s.quick.owed[q]) && s.phase[q] == m.phase;
                self.measure_return(quick, s, owed);
                let again = owed && self.was_silent_alone(s, q);
                if again {
                    out.send(q, Message::accusation(s.phase[q]));
                }
                (s.counter[q], s.phase[q], s.quick.weight[q]) = (m.counter, m.phase, m.weight);
                // The counter after the arrival of the accusation; if it is lost, the next message corrects this.
                s.counter[q] = s.counter[q].saturating_add(u64::from(again));
                let silence = std::mem::take(&mut s.quick.silence[q]);
                (s.quick.lonely, s.quick.claim[q]) = (0, u64::MAX);
                if self.heals {
                    s.counter[p] = s.counter[p].min(m.counter.saturating_add(GAP));
                }
                if s.quick.part == Part::Idle {
                    s.quick.heir = self.size;
                }
                self.take_place(p, s, m.counter);
                match m.kind {
                    MessageKind::Alive => {
                        self.measure_outage(quick, s, q, m.number, silence);
                        self.measure_loss(quick, s, q, m.number);
                    }
                    _ => {
                        self.measure_trip(quick, s, m.number);
                        self.measure_answers(s);
                    }
                }
                if m.flag && s.quick.part == Part::Idle && s.quick.abstain == 0 {
                    out.send(q, self.candidacy(p, s, true));
                }
            }
            MessageKind::Accusation => self.be_accused(p, s, m.phase),
            MessageKind::Start => {}
            MessageKind::Resign if m.number > 0 => self.hear_patience(quick, s, m),
            MessageKind::Resign => {
                // The successor, or the process that has led all the time.
                if let Some(leader) = (0..self.size).find(|&r| r as u64 + 1 == m.counter) {
                    s.quick.meet(leader);
                }
                self.hear_resignation(quick, p, s, q, m.counter);
            }
            MessageKind::Candidate => {
                // It does not lead, so its silence was no fault.
                s.quick.owed[q] = false;
                // It is not active, unless it has just begun to act and this message was overtaken.
                if q != s.leader && s.quick.silence[q] > self.one_way() {
                    s.quick.silence[q] = u64::MAX;
                }
                (s.counter[q], s.quick.weight[q], s.quick.claim[q]) = (m.counter, m.weight, 0);
                self.tell_of_patience(quick, p, s, q, m.number, out);
                if m.flag && s.quick.part == Part::Acting && self.rank(s, q) < self.rank(s, p) {
                    let heir = self.foremost_candidate(p, s, quick.period + self.one_way()).unwrap_or(q);
                    (s.quick.part, s.quick.stage, s.quick.heir) = (Part::Yielding, 0, heir);
                }
            }
            MessageKind::Ask if s.quick.part != Part::Idle => {
                s.quick.owed[q] = false;
                out.send(q, Message { number: m.number, ..self.presence(MessageKind::Answer, p, s) });
            }
            MessageKind::Ask => {
                s.quick.owed[q] = false;
                // Each has stepped down for the other, unless that one has acted again since.
                if m.flag && q == s.leader && s.quick.silence[q] > 0 {
                    self.hear_resignation(quick, p, s, q, 0);
                }
            }
        }
    }

    /// A process that has just started takes over the leader's counter, since it has forgotten its accusations. A process that resigned takes a
    /// greater counter than its successor, otherwise it would take the leadership back.
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
        // A process that has just begun to act repeats ALIVE: until it is heard there may be two leaders. So does one that looks for a successor.
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
        let (number, flag) = (s.quick.number[p], s.quick.part == Part::Leaving);
        let alive = Message { number, flag, ..self.presence(MessageKind::Alive, p, s) };
        others(self.size, p).for_each(|q| out.send(q, alive));
    }

    /// A message with the counter, phase and weight of the process.
    fn presence(&self, kind: MessageKind, p: usize, s: &State) -> Message {
        Message { counter: s.counter[p], phase: s.phase[p], weight: s.quick.weight[p], ..Message::new(kind) }
    }

    /// The precedence of a process: the least counter, then the greatest weight, then the least identity.
    fn rank(&self, s: &State, q: usize) -> (u64, u16, usize) {
        (s.counter[q], u16::MAX - s.quick.weight[q], q)
    }
}

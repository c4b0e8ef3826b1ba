//! The variables of the quick form.

use crate::robust::list;
use ringleader_model::{Visitor, scalar_enum};

/// The part of a process in the leadership.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// It follows, or waits for a leader.
    #[default]
    Idle,
    /// It leads.
    Acting,
    /// It leads, and looks for a successor.
    Leaving,
    /// It has stopped acting, and holds its place for its successor.
    Yielding,
}

scalar_enum!(Part: Idle, Acting, Leaving, Yielding);

/// The variables of the quick form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memory {
    /// Its part.
    pub part: Part,
    /// Iterations in this part; of an idle process, as a candidate, or since it resigned.
    pub stage: u64,
    /// Iterations since it heard a leader, or started.
    pub lonely: u64,
    /// The further iterations in which it will not lead.
    pub abstain: u64,
    /// Whether it resigned, and must have a greater counter than its successor.
    pub behind: bool,
    /// Whether it has just started and heard no leader.
    pub fresh: bool,
    /// Its successor; n for none. An idle process has resigned in favour of this one, and has not heard a leader since.
    pub heir: usize,
    /// Iterations since each process was heard as leader; the greatest word if it resigned or was given up.
    pub silence: Vec<u64>,
    /// The processes that it found silent and accused; the accusation may have been lost.
    pub owed: Vec<bool>,
    /// Iterations since each process was first heard, or heard of, after the last leader was given up; the greatest word if it was not.
    pub met: Vec<u64>,
    /// Iterations since the last CANDIDATE of each process; for itself, since the first one of the candidacy.
    pub claim: Vec<u64>,
    /// The weight of each process, as far as this one knows.
    pub weight: Vec<u16>,
    /// The number of the last ALIVE of each process, 0 if none was heard; its own for itself.
    pub number: Vec<u32>,
    /// The fraction of messages from leaders that are lost, in units of 1/65536.
    pub loss: u64,
    /// The iterations for which a running leader was not heard, or the longest stall of this process, less some for messages since.
    pub outage: u64,
    /// The iterations from a question to its answer.
    pub trip: u64,
    /// Iterations since the last question.
    pub asked: u64,
    /// Questions asked since the leader was last heard.
    pub questions: u64,
    /// Iterations so far; they number questions.
    pub ticks: u64,
}

impl Memory {
    pub(in crate::robust::s2) fn new(size: usize) -> Memory {
        Memory {
            fresh: true,
            heir: size,
            silence: vec![u64::MAX; size],
            owed: vec![false; size],
            met: vec![u64::MAX; size],
            claim: vec![u64::MAX; size],
            weight: vec![0; size],
            number: vec![0; size],
            trip: 1,
            ..Memory::default()
        }
    }

    /// Whether the process acts.
    pub fn acts(&self) -> bool {
        matches!(self.part, Part::Acting | Part::Leaving)
    }

    pub(in crate::robust::s2) fn variables(&mut self, n: usize, v: &mut dyn Visitor) {
        v.range("part", 0, 3, &mut self.part);
        v.word("stage", &mut self.stage);
        v.word("lonely", &mut self.lonely);
        v.word("abstain", &mut self.abstain);
        v.bit("behind", &mut self.behind);
        v.bit("fresh", &mut self.fresh);
        v.range("heir", 0, n as u64, &mut self.heir);
        let top = |bits: u32| u64::MAX >> (64 - bits);
        list(v, "silence", n, top(64), &mut self.silence);
        list(v, "owed", n, 1, &mut self.owed);
        list(v, "met", n, top(64), &mut self.met);
        list(v, "claim", n, top(64), &mut self.claim);
        list(v, "weight", n, top(16), &mut self.weight);
        list(v, "number", n, top(32), &mut self.number);
        v.range("loss", 0, 65535, &mut self.loss);
        v.word("outage", &mut self.outage);
        v.word("trip", &mut self.trip);
        v.word("asked", &mut self.asked);
        v.word("questions", &mut self.questions);
        v.word("ticks", &mut self.ticks);
    }
}

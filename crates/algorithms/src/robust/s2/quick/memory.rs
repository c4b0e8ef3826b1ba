//! What a process of the quick form remembers.

use ringleader_model::Visitor;

/// Whether a process leads, and how firmly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// It follows, or waits for someone to follow.
    #[default]
    Idle,
    /// It leads.
    Acting,
    /// It leads, and looks for an heir.
    Leaving,
    /// It no longer acts, but still holds the place for its heir.
    Yielding,
}

impl Part {
    const ALL: [Part; 4] = [Part::Idle, Part::Acting, Part::Leaving, Part::Yielding];
}

/// The variables of the quick form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Memory {
    /// Its part.
    pub part: Part,
    /// Iterations in this part; of an idle process, as a candidate, or since it resigned.
    pub stage: u64,
    /// Iterations since it heard anyone lead, or began.
    pub lonely: u64,
    /// For how many iterations more it will not lead.
    pub abstain: u64,
    /// Whether it resigned, and is to stand behind its successor.
    pub behind: bool,
    /// Whether it has just begun and heard nobody.
    pub fresh: bool,
    /// Who is to lead next; n for nobody. An idle process has resigned in favour of this one, and has not heard yet that anyone leads.
    pub heir: usize,
    /// Iterations since each process was heard to lead; the greatest word for one that resigned or was given up.
    pub silence: Vec<u64>,
    /// Whom it found silent and accused, perhaps in vain: a link that loses everything loses accusations, too.
    pub owed: Vec<bool>,
    /// Iterations since each process was first heard, or heard of, after the last leader was given up; the greatest word for one that was not.
    pub met: Vec<u64>,
    /// Iterations since each process said that it is a candidate; for itself, since it began to say so.
    pub claim: Vec<u64>,
    /// The weight of each process, as far as this one knows.
    pub weight: Vec<u16>,
    /// The number of the last ALIVE of each process, 0 if it does not count them; its own for itself.
    pub number: Vec<u32>,
    /// What part of the messages from leaders is lost, of 65536.
    pub loss: u64,
    /// For how many iterations a leader that lived was not heard, less one for each message since.
    pub outage: u64,
    /// Iterations that a question takes, with its answer.
    pub trip: u64,
    /// Iterations since the last question.
    pub asked: u64,
    /// Questions asked since the leader was last heard.
    pub questions: u64,
    /// Iterations so far: what numbers questions.
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
        let mut part = self.part as usize;
        v.range("part", 0, 3, &mut part);
        self.part = Part::ALL[part];
        v.word("stage", &mut self.stage);
        v.word("lonely", &mut self.lonely);
        v.word("abstain", &mut self.abstain);
        v.bit("behind", &mut self.behind);
        v.bit("fresh", &mut self.fresh);
        v.range("heir", 0, n as u64, &mut self.heir);
        self.silence.resize(n, 0);
        self.silence.iter_mut().enumerate().for_each(|(q, silence)| v.word(("silence", q), silence));
        self.owed.resize(n, false);
        self.owed.iter_mut().enumerate().for_each(|(q, owed)| v.bit(("owed", q), owed));
        self.met.resize(n, 0);
        self.met.iter_mut().enumerate().for_each(|(q, met)| v.word(("met", q), met));
        self.claim.resize(n, 0);
        self.claim.iter_mut().enumerate().for_each(|(q, claim)| v.word(("claim", q), claim));
        self.weight.resize(n, 0);
        self.weight.iter_mut().enumerate().for_each(|(q, weight)| {
            let mut word = u64::from(*weight);
            v.range(("weight", q), 0, u64::from(u16::MAX), &mut word);
            *weight = word as u16;
        });
        self.number.resize(n, 0);
        self.number.iter_mut().enumerate().for_each(|(q, number)| {
            let mut word = u64::from(*number);
            v.range(("number", q), 0, u64::from(u32::MAX), &mut word);
            *number = word as u32;
        });
        v.range("loss", 0, 65535, &mut self.loss);
        v.word("outage", &mut self.outage);
        v.word("trip", &mut self.trip);
        v.word("asked", &mut self.asked);
        v.word("questions", &mut self.questions);
        v.word("ticks", &mut self.ticks);
    }
}

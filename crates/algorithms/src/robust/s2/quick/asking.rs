//! How long a leader's silence is borne, and what is done meanwhile.
//!
//! A follower that misses a heartbeat asks its leader, once every round trip, as often as what is lost requires. Any answer
//! counts as a heartbeat, so asking only ever lengthens patience. S2 promises nothing of links to the leader: patience is
//! never below the longest silence of a timely one, whether or not it can be asked.

use super::{Kind, Memory, Part, Quick, Said};
use crate::robust::s2::{Message, RobustS2, State};
use ringleader_model::Outbox;

/// In iterations: by how much a heartbeat may be late before the leader is asked.
pub(super) const SLACK: u64 = 2;
/// The most questions before a leader is given up.
const QUESTIONS: u64 = 64;
/// All questions or answers may get lost once in this many times, if the measured loss is right.
const FAILURES: u64 = 1 << 18;
/// One in this many is how much a lost message counts towards the measured loss, and one that came half of that: patience that
/// is too long costs less than patience that is too short.
const MEMORY: u64 = 16;

impl RobustS2 {
    /// The longest silence of a timely leader, in iterations of a reader: sent at most a period apart, on the way between 0
    /// and δ, read within β.
    pub(in crate::robust::s2) fn longest_quiet(&self, quick: &Quick) -> u64 {
        (quick.period * self.timing.beta + self.timing.delta + self.timing.beta) / self.timing.alpha
    }

    /// Sent over a timely link, and read.
    pub(in crate::robust::s2) fn one_way(&self) -> u64 {
        (self.timing.delta + self.timing.beta).div_ceil(self.timing.alpha)
    }

    /// No patience is longer: three messages lost in a row, and some. Leaders are waited for so long that cannot be asked; where much
    /// is lost, questions are put so closely that they fit in. A corrupted measure of loss costs no more either.
    pub(in crate::robust::s2) fn most_patience(&self, quick: &Quick) -> u64 {
        self.longest_quiet(quick).max(quick.period * 7 / 2)
    }

    /// For how many iterations the silence of this leader is borne.
    pub(in crate::robust::s2) fn borne(&self, quick: &Quick, s: &State, q: usize) -> u64 {
        match s.quick.number[q] {
            // A program that does not count its messages answers no questions either.
            0 => self.most_patience(quick),
            _ => self.patience(quick, s),
        }
    }

    /// For how many iterations the silence of a leader is borne that answers.
    pub(super) fn patience(&self, quick: &Quick, s: &State) -> u64 {
        let pace = self.pace(quick, s);
        // The last question, too, is given the time to be answered.
        let asking =
            (questions(s.quick.loss) * pace).max(pace + 1 + self.notice(quick, s)) + self.trip(quick, s) - pace;
        let patience = self.longest_quiet(quick).max(quick.period + SLACK + asking).max(s.quick.outage);
        patience.min(self.most_patience(quick))
    }

    /// How early candidates say so: what a question takes with its answer, and some.
    pub(super) fn notice(&self, quick: &Quick, s: &State) -> u64 {
        (self.pace(quick, s) + 3).min(self.one_way())
    }

    /// The round trip, in iterations. Of what was measured, one is spent waiting for an iteration to begin.
    fn trip(&self, quick: &Quick, s: &State) -> u64 {
        s.quick.trip.saturating_sub(1).clamp(1, quick.period.min(self.one_way()).max(1))
    }

    /// Iterations between two questions: a round trip, or less where that many would not fit in.
    fn pace(&self, quick: &Quick, s: &State) -> u64 {
        let trip = self.trip(quick, s);
        let room = self.most_patience(quick).saturating_sub(quick.period + SLACK + trip);
        trip.min(room / questions(s.quick.loss)).max(1)
    }

    pub(super) fn ask(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        if s.quick.fresh && s.quick.part == Part::Idle {
            let question = Said { kind: Kind::Ask, number: s.quick.ticks as u32, ..Said::default() };
            // Whoever leads answers a newcomer before the next heartbeat is due.
            if s.quick.lonely % (quick.period / 2).max(1) == 1 % (quick.period / 2).max(1) {
                crate::robust::others(self.size, p).for_each(|q| out.send(q, Message::Said(question)));
            }
            return;
        }
        let silence = s.quick.silence[s.leader];
        if silence > quick.period + SLACK && silence != u64::MAX {
            self.ask_leader(quick, p, s, out);
        }
    }

    /// A question to the leader, if it is another that answers questions and was not asked a moment ago.
    pub(in crate::robust::s2) fn ask_leader(
        &self,
        quick: &Quick,
        p: usize,
        s: &mut State,
        out: &mut impl Outbox<Message>,
    ) {
        let follows = s.leader != p && s.quick.part == Part::Idle && s.quick.number[s.leader] != 0;
        if follows && s.quick.asked >= self.pace(quick, s) {
            s.quick.asked = 0;
            s.quick.questions = s.quick.questions.min(QUESTIONS) + 1;
            let question = Said { kind: Kind::Ask, number: s.quick.ticks as u32, ..Said::default() };
            out.send(s.leader, Message::Said(question));
        }
    }

    /// Loss is what is missing between two messages that came, never what has not come yet.
    pub(super) fn measure_loss(&self, s: &mut State, q: usize, number: u32) {
        let missing = u64::from(number.wrapping_sub(s.quick.number[q]));
        if s.quick.number[q] != 0 && (1..=MEMORY).contains(&missing) {
            s.quick.count_lost(missing - 1);
        }
        (s.quick.number[q], s.quick.questions) = (number, 0);
    }

    /// A leader that was silent for longer than a timely one, and yet lived: it went on numbering its messages. A link that was
    /// dead for so long may be so again, and no question gets through: such an outage is borne until it has not been seen for long.
    pub(super) fn measure_outage(&self, quick: &Quick, s: &mut State, q: usize, number: u32, silence: u64) {
        let missing = u64::from(number.wrapping_sub(s.quick.number[q]));
        let lived = s.quick.number[q] != 0 && (1..=MEMORY).contains(&missing);
        // Of one that was given up only the numbers tell how long that is ago.
        let silence = if silence == u64::MAX { missing * quick.period } else { silence };
        s.quick.outage = if lived && silence > self.longest_quiet(quick) {
            (silence + self.one_way()).max(s.quick.outage).min(self.most_patience(quick))
        } else {
            s.quick.outage.min(self.most_patience(quick)).saturating_sub(1)
        };
    }

    /// Of several questions one is answered: the others, or their answers, are lost, but for those on their way.
    pub(super) fn measure_answers(&self, s: &mut State) {
        let lost = s.quick.questions.saturating_sub(2).min(MEMORY);
        if lost > 0 {
            s.quick.count_lost(lost);
        }
        s.quick.questions = 0;
    }

    pub(super) fn measure_trip(&self, quick: &Quick, s: &mut State, number: u32) {
        let took = u64::from((s.quick.ticks as u32).wrapping_sub(number)).max(1);
        if took <= 4 * quick.period {
            s.quick.trip = if took > s.quick.trip { took } else { (3 * s.quick.trip.min(4 * quick.period) + took) / 4 };
        }
    }
}

impl Memory {
    /// So many messages in a row were lost, and then one came.
    fn count_lost(&mut self, lost: u64) {
        for _ in 0..lost {
            self.loss = (self.loss * (MEMORY - 1) + 65535) / MEMORY;
        }
        self.loss -= self.loss / (2 * MEMORY);
    }
}

/// How many questions it takes until all of them, or their answers, have got lost only as seldom as is allowed. What is lost on
/// the way to the leader is not known; it is taken to be as much as on the way back, and some loss there always is.
fn questions(loss: u64) -> u64 {
    let arrives = 65536 - (loss + 4096).min(64000);
    let fails = 65536 - arrives * arrives / 65536;
    let (mut all, mut count) = (FAILURES << 16, 0);
    while all > 1 << 16 && count < QUESTIONS {
        all = all / 65536 * fails + all % 65536 * fails / 65536;
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::questions;

    #[test]
    fn more_loss_takes_more_questions() {
        let counts = [0, 5, 10, 20, 50, 99].map(|percent| percent * 65535 / 100).map(questions);
        assert!(counts.is_sorted() && counts[0] <= 6 && counts[5] == super::QUESTIONS, "{counts:?}");
        assert_eq!(counts[3], 16, "a fifth lost");
    }
}

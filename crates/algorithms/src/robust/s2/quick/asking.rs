//! The patience with a silent leader, and the questions to it meanwhile.
//!
//! A follower that misses a heartbeat asks its leader, once every round trip, as often as the loss requires. Any answer counts as a
//! heartbeat, so asking only lengthens patience. S2 assumes nothing about links to the leader: patience is never below the longest silence
//! of a timely leader, whether or not questions reach it.

use super::{Memory, Part, Quick};
use crate::robust::s2::{Message, RobustS2, State};
use ringleader_model::{MessageKind, Outbox};

/// The iterations by which a heartbeat may be late before the leader is asked.
pub(super) const SLACK: u64 = 2;
/// The most questions before a leader is given up.
const QUESTIONS: u64 = 64;
/// If the measured loss is right, all questions or their answers are lost once in this many times.
const FAILURES: u64 = 1 << 18;
/// A lost message moves the measured loss by one in this many, a received one by half of that: patience that is too long costs less than
/// patience that is too short.
const MEMORY: u64 = 16;

/// The periods after which an answer is not measured any more.
const LONGEST_TRIP: u64 = 4;
/// The messages after which patience that covers outages and stalls decreases by one iteration.
const FORGETS: u32 = 4;

impl RobustS2 {
    /// The longest silence of a timely leader, in iterations of a receiver: messages are sent at most a period apart, take 0 to δ, and are
    /// read within β.
    pub(in crate::robust::s2) fn longest_quiet(&self, quick: &Quick) -> u64 {
        (quick.period * self.timing.beta + self.timing.delta + self.timing.beta) / self.timing.alpha
    }

    /// The iterations until a message over a timely link is read.
    pub(in crate::robust::s2) fn one_way(&self) -> u64 {
        (self.timing.delta + self.timing.beta).div_ceil(self.timing.alpha)
    }

    /// The greatest patience. If the loss is high, questions follow each other so closely that they fit in. It also limits the effect of a
    /// corrupted measure of loss.
    pub(in crate::robust::s2) fn greatest_patience(&self, quick: &Quick) -> u64 {
        self.longest_quiet(quick).max(quick.most)
    }

    /// The iterations of a leader's silence after which it is given up.
    pub(in crate::robust::s2) fn present_patience(&self, quick: &Quick, s: &State) -> u64 {
        let questions = questions(s.quick.loss);
        let pace = self.pace_of(questions, quick, s);
        // This includes the time to answer the last question.
        let asking = (questions * pace).max(pace + 1 + self.notice_at(pace)) + self.trip(quick, s) - pace;
        let patience = self.longest_quiet(quick).max(quick.period + SLACK + asking).max(s.quick.outage);
        patience.min(self.greatest_patience(quick))
    }

    /// The iterations for which a candidate announces itself before it acts: a question with its answer, and some more.
    pub(super) fn notice(&self, quick: &Quick, s: &State) -> u64 {
        self.notice_at(self.pace(quick, s))
    }

    fn notice_at(&self, pace: u64) -> u64 {
        (pace + 3).min(self.one_way())
    }

    /// The round trip, in iterations. One iteration of the measured time is the wait for the next iteration.
    fn trip(&self, quick: &Quick, s: &State) -> u64 {
        s.quick.trip.saturating_sub(1).clamp(1, quick.period.min(self.one_way()).max(1))
    }

    /// Iterations between two questions: a round trip, or less if the questions would not fit in.
    fn pace(&self, quick: &Quick, s: &State) -> u64 {
        self.pace_of(questions(s.quick.loss), quick, s)
    }

    fn pace_of(&self, questions: u64, quick: &Quick, s: &State) -> u64 {
        let trip = self.trip(quick, s);
        let room = self.greatest_patience(quick).saturating_sub(quick.period + SLACK + trip);
        trip.min(room / questions).max(1)
    }

    pub(super) fn ask(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        if s.quick.fresh && s.quick.part == Part::Idle {
            // A leader answers a new process before the next heartbeat is due.
            if s.quick.lonely % (quick.period / 2).max(1) == 1 % (quick.period / 2).max(1) {
                crate::robust::others(self.size, p).for_each(|q| out.send(q, question(s)));
            }
            return;
        }
        let silence = s.quick.silence[s.leader];
        if silence > quick.period + SLACK && silence != u64::MAX {
            self.ask_leader(quick, p, s, out);
        }
    }

    /// Asks the leader, unless this process leads or has just asked.
    pub(in crate::robust::s2) fn ask_leader(
        &self,
        quick: &Quick,
        p: usize,
        s: &mut State,
        out: &mut impl Outbox<Message>,
    ) {
        if s.leader != p && s.quick.part == Part::Idle && s.quick.asked >= self.pace(quick, s) {
            s.quick.asked = 0;
            s.quick.questions = s.quick.questions.min(QUESTIONS) + 1;
            out.send(s.leader, question(s));
        }
    }

    /// Measures the loss by the numbers missing between two received messages; a message that has not arrived yet does not count.
    pub(super) fn measure_loss(&self, quick: &Quick, s: &mut State, q: usize, number: u32) {
        let missing = u64::from(number.wrapping_sub(s.quick.number[q]));
        if s.quick.number[q] != 0 && (1..=MEMORY).contains(&missing) {
            s.quick.count_lost(missing - 1);
        }
        (s.quick.number[q], s.quick.questions) = (number, 0);
        // No answer that takes so long is measured: memory was corrupted.
        if s.quick.trip > LONGEST_TRIP * quick.period {
            s.quick.trip = 1;
        }
    }

    /// Measures an outage: a leader was silent for longer than a timely one, but the numbers of its messages show that it kept running. Its link
    /// may fail again, and no question gets through. So patience covers the outage, and decreases with every message without one.
    pub(super) fn measure_outage(&self, quick: &Quick, s: &mut State, q: usize, number: u32, silence: u64) {
        let missing = u64::from(number.wrapping_sub(s.quick.number[q]));
        let lived = s.quick.number[q] != 0 && (1..=MEMORY).contains(&missing);
        // For a leader that was given up, only the numbers show the time.
        let silence = if silence == u64::MAX { missing * quick.period } else { silence };
        s.quick.outage = if lived && silence > self.longest_quiet(quick) {
            (silence + self.one_way()).max(s.quick.outage).min(self.greatest_patience(quick))
        } else {
            let decays = u64::from(number.is_multiple_of(FORGETS));
            s.quick.outage.min(self.greatest_patience(quick)).saturating_sub(decays)
        };
    }

    /// A leader that this process gave up has led on all the time: it, or its link, stood still for longer than the patience, which doubles.
    pub(super) fn measure_return(&self, quick: &Quick, s: &mut State, returns: bool) {
        if returns {
            s.quick.outage = (2 * self.present_patience(quick, s)).min(self.greatest_patience(quick));
        }
    }

    /// The loop of this process stood still, so a leader sends what is overdue. The loops of other processes may stand still for as long, since
    /// they often share a machine: patience covers that, too.
    pub(in crate::robust::s2) fn measure_stall(&self, quick: &Quick, s: &mut State, iterations: u64) {
        if s.quick.part != Part::Idle {
            s.send_timer = s.send_timer.saturating_add(iterations);
        }
        let longest = self.longest_quiet(quick).saturating_add(iterations);
        s.quick.outage = s.quick.outage.max(longest).min(self.greatest_patience(quick));
    }

    /// A process that starts again keeps its measurements of links and of stalls. If it led and another process
    /// leads now, it ranks behind that process.
    pub(in crate::robust::s2) fn remember(&self, again: &mut State, s: &State, behind: bool) {
        (again.quick.loss, again.quick.outage, again.quick.trip) = (s.quick.loss, s.quick.outage, s.quick.trip);
        if behind || s.quick.behind {
            (again.quick.behind, again.quick.abstain) = (true, self.abstention());
        }
    }

    /// Another process waits for the same leader for longer: so does this one. One process that has met no stall would depose a leader for
    /// which all others wait.
    pub(super) fn hear_patience(&self, quick: &Quick, s: &mut State, m: Message) {
        if m.counter == s.leader as u64 + 1 && s.quick.silence[s.leader] != u64::MAX {
            s.quick.outage = s.quick.outage.max(u64::from(m.number)).min(self.greatest_patience(quick));
        }
    }

    /// Counts unanswered questions as lost, except for two that may be in transit.
    pub(super) fn measure_answers(&self, s: &mut State) {
        let lost = s.quick.questions.saturating_sub(2).min(MEMORY);
        if lost > 0 {
            s.quick.count_lost(lost);
        }
        s.quick.questions = 0;
    }

    pub(super) fn measure_trip(&self, quick: &Quick, s: &mut State, number: u32) {
        let took = u64::from((s.quick.ticks as u32).wrapping_sub(number)).max(1);
        let longest = LONGEST_TRIP * quick.period;
        if took <= longest {
            s.quick.trip = if took > s.quick.trip { took } else { (3 * s.quick.trip.min(longest) + took) / 4 };
        }
    }
}

/// The next question of a process.
pub(super) fn question(s: &State) -> Message {
    Message { number: s.quick.ticks as u32, ..Message::new(MessageKind::Ask) }
}

impl Memory {
    /// Counts lost messages in a row, and the one received after them.
    fn count_lost(&mut self, lost: u64) {
        for _ in 0..lost {
            self.loss = (self.loss * (MEMORY - 1) + 65535) / MEMORY;
        }
        self.loss -= self.loss / (2 * MEMORY);
    }
}

/// The number of questions such that all of them, or their answers, are lost rarely enough. The loss on the way to the leader is unknown; it is
/// assumed to equal the loss on the way back, and never to be 0.
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
    fn more_loss_needs_more_questions() {
        let counts = [0, 5, 10, 20, 50, 99].map(|percent| percent * 65535 / 100).map(questions);
        assert!(counts.is_sorted() && counts[0] <= 6 && counts[5] == super::QUESTIONS, "{counts:?}");
        assert_eq!(counts[3], 16, "a fifth lost");
    }
}

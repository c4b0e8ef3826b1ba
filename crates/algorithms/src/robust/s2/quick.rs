//! Algorithm 3 for practice: no windows, and a leader that can leave in peace.
//!
//! A process is active while its last ALIVE is no older than the longest silence of a timely leader, so a crash is noticed
//! after ⌊(2δ+β)/α⌋ iterations instead of up to two windows of 5⌈δ/α⌉, and a better leader is followed as soon as it is
//! heard. The proof of Theorem 7 needs of the windows only this: a timely source is found silent only after it has
//! stopped leading, that is, in a later phase than the one it is accused of.

use super::{Message, RobustS2, State};
use crate::robust::others;
use ringleader_model::{Outbox, Timed};

impl RobustS2 {
    pub(super) fn hear(&self, p: usize, s: &mut State, q: usize, message: Message) {
        match message {
            Message::Alive(counter, _) => {
                s.silence[q] = 0;
                // Whoever resigned stands behind the successor, or it would take the leadership back.
                if s.abstain > 0 {
                    s.counter[p] = s.counter[p].max(counter.saturating_add(1));
                }
            }
            Message::Resign => s.silence[q] = u64::MAX,
            Message::Accusation(_) => {}
        }
    }

    /// One iteration: accuse a silent leader, choose, send.
    pub(super) fn watch(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        let limit = self.timeout();
        s.abstain = s.abstain.min(self.abstention()).saturating_sub(1);
        for q in others(self.size, p) {
            s.silence[q] = s.silence[q].saturating_add(1);
        }
        // One that resigned is beyond every silence that is counted, and not to blame.
        if s.leader != p && s.silence[s.leader] > limit && s.silence[s.leader] != u64::MAX {
            out.send(s.leader, Message::Accusation(s.phase[s.leader]));
        }
        let led = s.leader == p;
        let silence = s.silence.clone();
        let eligible = s.abstain == 0;
        self.choose(p, s, |q| if q == p { eligible } else { silence[q] <= limit });
        if s.leader == p && !led {
            s.send_timer = self.timing.send_period();
        }
        self.send(p, s, out);
    }

    /// Leaves the leadership to others for a while, without being accused of it.
    pub(super) fn resign(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        if self.quick && s.leader == p {
            s.abstain = self.abstention();
            s.phase[p] = s.phase[p].wrapping_add(1);
            others(self.size, p).for_each(|q| out.send(q, Message::Resign));
        }
    }

    /// Long enough for the others to hear that it resigned, and for it to hear a new leader.
    fn abstention(&self) -> u64 {
        3 * self.timeout()
    }
}

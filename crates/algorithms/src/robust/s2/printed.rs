//! Algorithm 3 as printed: at the end of each window, the process follows the best process that it heard.

use super::{GAP, Message, RobustS2, State};
use crate::robust::others;
use ringleader_model::{MessageKind, Outbox, Timed};

impl RobustS2 {
    pub(super) fn receive(&self, p: usize, s: &mut State, q: usize, message: Message) {
        if message.kind == MessageKind::Alive {
            (s.counter[q], s.phase[q]) = (message.counter, message.phase);
            if self.heals {
                s.counter[p] = s.counter[p].min(message.counter.saturating_add(GAP));
            }
        } else if message.phase == s.phase[p] {
            s.counter[p] = s.counter[p].saturating_add(1);
        }
    }

    /// Follows the active process with the least counter; the end of a leadership begins a phase.
    fn choose(&self, p: usize, s: &mut State, active: impl Fn(usize) -> bool) {
        let old = s.leader;
        s.leader = (0..self.size).filter(|&q| active(q)).min_by_key(|&q| (s.counter[q], q)).unwrap_or(p);
        if old == p && s.leader != p {
            s.phase[p] = s.phase[p].wrapping_add(1);
        }
    }

    pub(super) fn send(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.send_timer = s.send_timer.saturating_add(1);
        if s.send_timer >= self.timing.send_period() {
            if s.leader == p {
                others(self.size, p).for_each(|q| out.send(q, Message::alive(s.counter[p], s.phase[p])));
            }
            s.send_timer = 0;
        }
    }

    pub(super) fn end_window(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        s.receive_timer = s.receive_timer.saturating_add(1);
        if s.receive_timer > self.timeout() {
            let actives: Vec<bool> = (0..self.size).map(|q| q == p || s.collect[q]).collect();
            if !actives[s.leader] {
                out.send(s.leader, Message::accusation(s.phase[s.leader]));
            }
            self.choose(p, s, |q| actives[q]);
            s.collect.fill(false);
            s.receive_timer = 0;
        }
    }
}

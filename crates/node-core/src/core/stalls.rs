//! A loop that stood still: what the process does when it runs again.
//!
//! The process counts iterations, so a pause by itself makes no peer seem silent. A leader goes on if no follower can have given it up. After a
//! longer pause it doubts, and asks the others whether one of them leads. It sends its heartbeats meanwhile, unless every follower has given it
//! up: then it is silent, and starts again as a follower if another node leads. If nobody else leads, it has lost nothing.

use super::Core;
use crate::interface::Now;
use crate::leadership::Role;
use crate::tempo::ITERATIONS;
use std::time::Duration;

/// The iterations after which a question is repeated.
const REPEAT: u64 = 2;

/// The questions of a leader that stood still for long.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stall {
    /// Whether it asks now.
    asks: bool,
    /// Whether it sends nothing meanwhile.
    silent: bool,
    /// The last iteration before the pause.
    since: Duration,
    /// The time of the questions.
    asked: Duration,
    /// The last pause that was longer than half a heartbeat: its begin and its end.
    stood: (Duration, Duration),
}

/// The result of a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It goes on.
    On,
    /// It sends nothing in this iteration.
    Silent,
    /// It starts again, as a follower.
    Anew,
}

impl Core {
    /// Measures the pause since the last iteration, and decides how the process goes on.
    pub(super) fn resume(&mut self, now: Now) -> Outcome {
        let last = std::mem::replace(&mut self.last_iteration, now.elapsed);
        let pause = now.elapsed.saturating_sub(last);
        let missed = pause.as_micros() as u64 / self.algorithm.timing().beta.max(1);
        if missed > 1 {
            self.algorithm.stalled(missed - 1);
        }
        if pause > self.config.heartbeat / 2 {
            self.stall.stood = (last, now.elapsed);
        }
        if pause > self.config.away && !self.survives(now, last, pause) {
            self.stall.asks = false;
            return Outcome::Anew;
        }
        // Corrupted memory may ask without a reason, but not for long.
        if !self.stall.asks || self.shown.state != Role::Leader || now.micros() >= self.doubt_until {
            self.stall.asks = false;
            return Outcome::On;
        }
        let Stall { since, asked, .. } = self.stall;
        let others = self.others();
        let heard = |q: usize, since: Duration| self.peers[q].present.last > since;
        // A leader that is not silent leaves it to the algorithm which of two steps down.
        let (waiting, outdone) =
            if self.stall.silent { (Outcome::Silent, Outcome::Anew) } else { (Outcome::On, Outcome::On) };
        if others.iter().any(|&q| heard(q, since) && self.peers[q].present.acting > 0) {
            self.stall.asks = false;
            return outdone;
        }
        let unheard: Vec<usize> = others.into_iter().filter(|&q| !heard(q, asked)).collect();
        if !unheard.is_empty() {
            // A question that was lost, or overtaken by a later datagram, is repeated.
            if self.counters.iterations.is_multiple_of(REPEAT) {
                unheard.into_iter().for_each(|to| self.greet_peer(now, to));
            }
            return waiting;
        }
        // All have answered, and none of them leads.
        (self.stall.asks, self.doubt_until) = (false, 0);
        Outcome::On
    }

    /// Whether it goes on after a pause above its limit, possibly with questions.
    fn survives(&mut self, now: Now, last: Duration, pause: Duration) -> bool {
        let heartbeat = self.config.heartbeat;
        let shown = self.algorithm.shown();
        let stands = shown.stands == Some(true);
        let leads = self.shown.state == Role::Leader && stands;
        if let Some(silence) = self.config.silence {
            return leads && pause <= silence;
        }
        let most_patience = self.most_patience();
        if shown.leader != self.config.me {
            // It has counted no silence meanwhile, and hears a later leader first.
            return stands && pause <= most_patience;
        }
        if self.guarded.is_some() || !leads {
            return leads && self.holds_lease(now);
        }
        let delta = Duration::from_micros(self.algorithm.timing().delta);
        let quiet = now.elapsed.saturating_sub(self.last_alive);
        let silent = quiet > most_patience;
        if silent || quiet >= heartbeat + delta {
            // In a second pause it still does not know the answers of the first.
            let since = if self.stall.asks { self.stall.since.min(last) } else { last };
            self.stall = Stall { asks: true, silent, since, asked: now.elapsed, ..self.stall };
            // A question and its answer over timely links, read by both within an iteration.
            let lasts = if silent { heartbeat.min(2 * delta + heartbeat / 10) } else { heartbeat };
            self.doubt_until = (now.elapsed + lasts).as_micros() as u64;
            for to in self.others() {
                self.greet_peer(now, to);
            }
        }
        true
    }

    /// The silence of a leader after which every follower has given it up; without a bound, any silence.
    fn most_patience(&self) -> Duration {
        let iterations = self.algorithm.most_patience().and_then(|iterations| u32::try_from(iterations).ok());
        self.config.heartbeat / ITERATIONS * iterations.unwrap_or(0)
    }

    /// The time since then for which the loop ran: without the present pause, and without the last long one.
    pub(super) fn ran_since(&self, since: Duration) -> Duration {
        let (from, to) = self.stall.stood;
        self.last_iteration.saturating_sub(since).saturating_sub(to.saturating_sub(from.max(since)))
    }

    /// Whether it asks the others whether one of them leads, and sends nothing meanwhile.
    pub(super) fn is_silent(&self) -> bool {
        self.stall.asks && self.stall.silent
    }

    /// Shows the variables.
    pub(super) fn stall_memory(&mut self, visitor: &mut dyn ringleader_model::Visitor) {
        visitor.word("doubt until", &mut self.doubt_until);
        let Stall { asks, silent, since, asked, stood: _ } = &mut self.stall;
        visitor.bit("asks who leads", asks);
        visitor.bit("asks in silence", silent);
        for (name, time) in [("stalled since", since), ("asked who leads", asked), ("last alive", &mut self.last_alive)]
        {
            let mut micros = time.as_micros() as u64;
            visitor.word(name, &mut micros);
            *time = Duration::from_micros(micros);
        }
    }
}

//! Freshness by challenge and response: a datagram is accepted once, in order, and soon after it was sent. No clock is compared with the
//! clock of another host.
//!
//! A receiver issues numbers, its *challenges*. Every datagram echoes the receiver's incarnation and the latest challenge that the sender
//! knows, so it was sent after that challenge was issued. The first answer to a challenge begins a *session* with the incarnation that sent
//! it. Later datagrams belong to the session if they have the same incarnation, echo its challenge, and carry a greater uptime of the sender.
//! All other datagrams are rejected, and lead to a new challenge. So neither datagrams of earlier boots nor those to earlier boots count.
//!
//! The delay of a datagram is bounded by both uptimes. Let a challenge be issued at T and answered at the sender's uptime t. A datagram with
//! the uptime t + x, received at T + y, was sent at T + x or later, so its delay is at most y - x. This bound is exact except for the
//! different rates of the two clocks, so a session is renewed after [`RENEWAL`]. A peer that does not hear this node cannot renew it; then it
//! ends after [`RENEWALS`] times as long.
//!
//! Every variable recovers from any value: a wrong one leads to a rejection or to a renewal, and the next answer replaces it.

use crate::coin::SplitMix;
use crate::wire::{Echo, Header};
use ringleader_model::Visitor;
use std::time::Duration;

/// The least age at which a session is renewed.
const RENEWAL: Duration = Duration::from_secs(60);
/// The age at which a session ends, in times of its renewal.
const RENEWALS: u64 = 60;

/// The limits of a link, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The greatest delay of a datagram.
    pub(crate) delay: u64,
    /// The age at which a session is renewed, if its peer sends.
    pub(crate) renewal: u64,
    /// The time without an accepted datagram after which a sequence that does not grow counts as broken.
    pub(crate) patience: u64,
}

impl Limits {
    /// The limits for this heartbeat and δ.
    pub(crate) fn new(heartbeat: Duration, delta: Duration) -> Limits {
        let micros = |time: Duration| time.as_micros() as u64;
        Limits {
            delay: micros((4 * heartbeat).max(Duration::from_secs(1)) + 2 * delta),
            renewal: micros((10 * heartbeat).max(RENEWAL)),
            patience: micros(heartbeat / 2),
        }
    }
}

/// A number that this node has issued.
#[derive(Clone, Copy, Debug, Default)]
struct Challenge {
    /// 0 for none.
    number: u64,
    at: u64,
}

/// The freshness of the datagrams of one peer. All times are in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link {
    /// The incarnation with which there is a session; 0 for none.
    boot: u64,
    /// The challenge that began the session.
    begun: Challenge,
    /// The peer's uptime in its answer.
    answered: u64,
    /// The peer's uptime in the last accepted datagram.
    last: u64,
    /// The time of the last accepted datagram.
    accepted: u64,
    /// The challenge that has not been answered yet.
    pending: Challenge,
    /// The incarnation and challenge of the peer, for the datagrams to it.
    pub(crate) echo: Echo,
    /// The time of the last reply to a datagram that was not fresh.
    replied: u64,
    /// The time of the last greeting to the peer's own address.
    greeted: u64,
}

/// The reason why a datagram is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fresh {
    /// It belongs to the session, which is to be renewed if `aging`.
    InSession { aging: bool },
    /// It answers the pending challenge, and its sender is another incarnation than that of the session.
    Newcomer,
}

/// The reason why a datagram is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stale {
    /// It echoes no challenge of this process, or its incarnation has no session.
    Unproven,
    /// It is not later than the last one of its session; `broken` if no later one has been accepted for some time.
    Replay { broken: bool },
    /// It may have been delayed for too long.
    Late,
}

impl Link {
    /// Whether there is a session.
    pub(crate) fn established(&self) -> bool {
        self.boot != 0
    }

    /// Accepts a datagram to the incarnation `own`, if it is fresh. A newcomer is accepted by [`Link::begin`].
    pub(crate) fn take(&mut self, own: u64, header: &Header, now: u64, limits: Limits) -> Result<Fresh, Stale> {
        self.heal(now);
        let age = |challenge: Challenge| now.saturating_sub(challenge.at);
        let answers =
            |challenge: Challenge| challenge.number != 0 && header.echo == Echo { boot: own, number: challenge.number };
        if answers(self.pending) && age(self.pending) <= limits.delay && header.boot != 0 {
            if header.boot != self.boot {
                return Ok(Fresh::Newcomer);
            }
            self.begin(header, now);
            return Ok(Fresh::InSession { aging: false });
        }
        if !self.established() || header.boot != self.boot || !answers(self.begun) {
            return Err(Stale::Unproven);
        }
        if header.time <= self.last {
            let broken = header.time < self.last && now.saturating_sub(self.accepted) >= limits.patience;
            return Err(Stale::Replay { broken });
        }
        let wide = i128::from;
        let delay = wide(now) - wide(self.begun.at) - (wide(header.time) - wide(self.answered));
        if delay > wide(limits.delay) || age(self.begun) > RENEWALS * limits.renewal {
            return Err(Stale::Late);
        }
        (self.last, self.accepted) = (header.time, now);
        Ok(Fresh::InSession { aging: delay.abs() > wide(limits.delay) / 2 || age(self.begun) > limits.renewal })
    }

    /// Begins a session with the sender of a datagram that answers the pending challenge.
    pub(crate) fn begin(&mut self, header: &Header, now: u64) {
        (self.boot, self.begun) = (header.boot, std::mem::take(&mut self.pending));
        (self.answered, self.last, self.accepted) = (header.time, header.time, now);
    }

    /// Uses up the pending challenge without a session.
    pub(crate) fn decline(&mut self) {
        self.pending = Challenge::default();
    }

    /// Forgets times in the future, which uncorrupted memory cannot contain.
    fn heal(&mut self, now: u64) {
        if self.pending.at > now {
            self.pending = Challenge::default();
        }
        for time in [&mut self.accepted, &mut self.replied, &mut self.greeted] {
            *time = if *time > now { 0 } else { *time };
        }
    }

    /// Issues a challenge, unless one of the last time is pending.
    pub(crate) fn challenge(&mut self, now: u64, limits: Limits, numbers: &mut SplitMix) {
        self.heal(now);
        if self.pending.number == 0 || now - self.pending.at > limits.delay / 2 {
            self.pending = Challenge { number: numbers.word().max(1), at: now };
        }
    }

    /// The challenge that the peer has to echo; 0 for none.
    pub(crate) fn number(&self) -> u64 {
        if self.pending.number == 0 { self.begun.number } else { self.pending.number }
    }

    /// Whether a datagram that is not fresh may have a reply, at most one in `pause`.
    pub(crate) fn may_reply(&mut self, now: u64, pause: u64) -> bool {
        self.heal(now);
        is_due(&mut self.replied, now, pause)
    }

    /// Whether the peer may be greeted at its own address, at most once in `pause`.
    pub(crate) fn may_greet(&mut self, now: u64, pause: u64) -> bool {
        self.heal(now);
        is_due(&mut self.greeted, now, pause)
    }

    /// Whether a challenge has been pending for this long: replies did not reach the peer.
    pub(crate) fn unanswered(&self, now: u64, time: u64) -> bool {
        self.pending.number != 0 && now.saturating_sub(self.pending.at) >= time
    }

    /// Shows every variable.
    pub(crate) fn memory(&mut self, peer: usize, visitor: &mut dyn Visitor) {
        let Link { boot, begun, answered, last, accepted, pending, echo, replied, greeted } = self;
        for (name, word) in [
            ("boot", boot),
            ("begun", &mut begun.number),
            ("begun at", &mut begun.at),
            ("answered", answered),
            ("last", last),
            ("accepted", accepted),
            ("pending", &mut pending.number),
            ("pending at", &mut pending.at),
            ("echoed boot", &mut echo.boot),
            ("echoed", &mut echo.number),
            ("replied", replied),
            ("greeted", greeted),
        ] {
            visitor.word((name, peer), word);
        }
    }
}

/// Whether a time is at least `pause` ago, or 0 for never; then it becomes `now`.
fn is_due(last: &mut u64, now: u64, pause: u64) -> bool {
    let due = *last == 0 || now - *last >= pause;
    *last = if due { now } else { *last };
    due
}

/// The uptime that the next datagram carries, in microseconds: later than that of the last datagram. A last uptime far ahead is corrupted
/// memory and ignored.
pub(crate) fn stamp(sent: &mut u64, uptime: Duration) -> u64 {
    let (uptime, ahead) = (uptime.as_micros() as u64, 1_000_000);
    let plausible = *sent < uptime.saturating_add(ahead);
    *sent = if plausible { uptime.max(*sent + 1) } else { uptime };
    *sent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::tests::header;
    use ringleader_model::{Domain, Name};

    const OWN: u64 = 77;
    const LIMITS: Limits = Limits { delay: 1000, renewal: 60_000, patience: 50 };

    fn from(boot: u64, time: u64, number: u64) -> Header {
        Header { boot, time, echo: Echo { boot: OWN, number }, ..header() }
    }

    /// A link with a session: the challenge was issued at 100, and incarnation 5 answered at its uptime 40.
    fn linked() -> (Link, u64) {
        let mut link = Link::default();
        link.challenge(100, LIMITS, &mut SplitMix::new(1));
        let number = link.number();
        assert_eq!(link.take(OWN, &from(5, 40, number), 110, LIMITS), Ok(Fresh::Newcomer));
        link.begin(&from(5, 40, number), 110);
        (link, number)
    }

    #[test]
    fn a_datagram_is_accepted_once_in_order_and_in_its_session_only() {
        let (mut link, number) = linked();
        let mut take = |header: Header, now| link.take(OWN, &header, now, LIMITS);
        assert_eq!(take(from(5, 50, number), 120), Ok(Fresh::InSession { aging: false }));
        assert_eq!(take(from(5, 50, number), 300), Err(Stale::Replay { broken: false }), "a duplicate");
        assert_eq!(take(from(5, 49, number), 121), Err(Stale::Replay { broken: false }), "reordered");
        assert_eq!(take(from(5, 49, number), 300), Err(Stale::Replay { broken: true }), "or a broken sequence");
        assert_eq!(take(from(6, 51, number), 121), Err(Stale::Unproven), "another incarnation");
        assert_eq!(take(from(5, 51, number + 1), 121), Err(Stale::Unproven), "another challenge");
        let earlier = Header { echo: Echo { boot: OWN - 1, number }, ..from(5, 51, number) };
        assert_eq!(take(earlier, 121), Err(Stale::Unproven), "to an earlier incarnation");
    }

    #[test]
    fn a_challenge_begins_one_session() {
        let (mut link, first) = linked();
        link.challenge(200, LIMITS, &mut SplitMix::new(2));
        let second = link.number();
        assert_ne!(first, second);
        assert!(link.take(OWN, &from(5, 60, first), 201, LIMITS).is_ok(), "until the answer the session goes on");
        assert_eq!(link.take(OWN, &from(9, 3, second), 210, LIMITS), Ok(Fresh::Newcomer));
        link.begin(&from(9, 3, second), 210);
        assert_eq!(link.take(OWN, &from(5, 70, first), 211, LIMITS), Err(Stale::Unproven));
        assert_eq!(link.take(OWN, &from(9, 3, second), 211, LIMITS), Err(Stale::Replay { broken: false }));
        assert_eq!(link.take(OWN, &from(5, 70, second), 211, LIMITS), Err(Stale::Unproven), "it is used up");
    }

    /// A sender's datagrams are withheld and released one by one, each as late as possible.
    #[test]
    fn withheld_datagrams_are_rejected_after_the_greatest_delay() {
        let (mut link, number) = linked();
        let released = |x: u64| from(5, 40 + x, number);
        assert!(link.take(OWN, &released(10), 110 + 900, LIMITS).is_ok());
        assert_eq!(link.take(OWN, &released(20), 120 + 1001, LIMITS), Err(Stale::Late));
        assert!(link.take(OWN, &released(500), 600 + 1000, LIMITS).is_ok());
        assert_eq!(link.take(OWN, &released(501), 600 + 1002, LIMITS), Err(Stale::Late));
    }

    #[test]
    fn a_late_answer_begins_no_session() {
        let mut link = Link::default();
        link.challenge(100, LIMITS, &mut SplitMix::new(1));
        let number = link.number();
        assert_eq!(link.take(OWN, &from(5, 40, number), 1101, LIMITS), Err(Stale::Unproven));
    }

    /// Clocks with different rates make the bound of the delay inexact: the session is renewed before it matters, and ends in the end.
    #[test]
    fn a_session_ages() {
        let (mut link, number) = linked();
        let mut take = |y: u64, x: u64| link.take(OWN, &from(5, 40 + x, number), 100 + y, LIMITS);
        assert_eq!(take(30_000, 29_600), Ok(Fresh::InSession { aging: false }));
        assert_eq!(take(30_100, 29_610), Ok(Fresh::InSession { aging: false }));
        assert_eq!(take(30_200, 29_620), Ok(Fresh::InSession { aging: true }), "it seems to be late");
        assert_eq!(take(30_300, 30_900), Ok(Fresh::InSession { aging: true }), "it seems to come from the future");
        assert_eq!(take(60_001, 60_001), Ok(Fresh::InSession { aging: true }));
        assert_eq!(take(3_600_000, 3_600_000), Ok(Fresh::InSession { aging: true }));
        assert_eq!(take(3_600_001, 3_600_001), Err(Stale::Late));
    }

    /// Overwrites one variable.
    struct Overwrite(usize, u64);

    impl Visitor for Overwrite {
        fn field(&mut self, _: Name<'_>, _: Domain<'_>, value: u64) -> u64 {
            let hit = self.0 == 0;
            self.0 = self.0.wrapping_sub(1);
            if hit { self.1 } else { value }
        }
    }

    /// Whatever one variable contains, a live peer is heard again after one answered challenge.
    #[test]
    fn every_variable_recovers() {
        for (variable, value) in (0..12).flat_map(|v| [0, 1, 90, 115, 500, u64::MAX - 1, u64::MAX].map(|x| (v, x))) {
            let (mut link, mut number) = linked();
            link.memory(0, &mut Overwrite(variable, value));
            let (mut numbers, mut accepted) = (SplitMix::new(3), vec![]);
            for step in 1..=20 {
                let (now, time) = (110 + 60 * step, 40 + 60 * step);
                match link.take(OWN, &from(5, time, number), now, LIMITS) {
                    Ok(Fresh::Newcomer) => link.begin(&from(5, time, number), now),
                    Ok(Fresh::InSession { .. }) => accepted.push(step),
                    Err(Stale::Replay { broken: false }) => {}
                    Err(_) if link.may_reply(now, 5) => {
                        link.challenge(now, LIMITS, &mut numbers);
                        number = link.number();
                    }
                    Err(_) => {}
                }
            }
            assert!(accepted.ends_with(&[17, 18, 19, 20]), "variable {variable} = {value}: {accepted:?}");
        }
    }

    #[test]
    fn stamps_grow_and_a_corrupted_one_is_replaced() {
        let mut sent = 0;
        let mut next = |micros| stamp(&mut sent, Duration::from_micros(micros));
        assert_eq!([1000, 1000, 1000, 1001, 1010].map(&mut next), [1000, 1001, 1002, 1003, 1010]);
        let mut wrong = u64::MAX;
        assert_eq!(stamp(&mut wrong, Duration::from_micros(7)), 7);
    }
}

//! How a process comes to lead, and how it stops.
//!
//! Where nobody leads, candidates say so, and after a patience the first of them acts. Whoever would go before an acting
//! leader proves itself first; then the leader hands over, or else the candidate acts all the same after a bounded time:
//! an unbounded one would lose convergence. A leader that is to leave looks for an heir while it acts, and says whom it found.

use super::asking::SLACK;
use super::{Kind, Part, Quick, Said};
use crate::robust::others;
use crate::robust::s2::{Message, RobustS2, State};
use ringleader_model::Outbox;

/// Candidates, and who has resigned, repeat themselves every so many iterations.
const REPEAT: u64 = 2;

impl RobustS2 {
    /// How long a candidate waits for the acting leader to hand over, once it is ready.
    pub(in crate::robust::s2) fn grace(&self, quick: &Quick) -> u64 {
        quick.yields + 2 * self.longest_quiet(quick)
    }

    /// Long enough for the others to hear that it resigned, and for it to hear a new leader.
    pub(super) fn abstention(&self) -> u64 {
        let quick = self.quick.as_ref().map_or(0, |quick| self.longest_quiet(quick));
        3 * quick
    }

    /// One iteration: accuse a silent leader, choose among those that act, stand as a candidate or hold the place.
    pub(super) fn stand(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        let heard = |q: &usize| s.quick.silence[*q] <= self.borne(quick, s, *q);
        let best = others(self.size, p).filter(heard).min_by_key(|&q| self.rank(s, q));
        let leader_heard = s.leader == p || heard(&s.leader);
        if s.quick.part != Part::Idle {
            s.leader = p;
            match best.filter(|&q| self.rank(s, q) < self.rank(s, p)) {
                Some(better) => self.step_down(s, p, better, out),
                None => {
                    self.correct(p, s, out);
                    self.hold(quick, p, s, out);
                }
            }
            return;
        }
        // One that resigned is beyond every silence that is counted, and not to blame.
        if !leader_heard && s.quick.silence[s.leader] != u64::MAX {
            self.give_up(s, out);
        }
        // Whoever was given up is heard again only when it speaks, not when patience grows.
        for q in others(self.size, p) {
            if s.quick.silence[q] > self.borne(quick, s, q) {
                s.quick.silence[q] = u64::MAX;
            }
        }
        self.repeat_resignation(quick, p, s, out);
        match best {
            Some(leader) => {
                self.tell_of_leader(p, s, leader, out);
                self.follow(quick, p, s, leader, out);
            }
            None => self.stand_no_more(s),
        }
        self.compete(quick, p, s, best, out);
    }

    fn follow(&self, quick: &Quick, p: usize, s: &mut State, leader: usize, out: &mut impl Outbox<Message>) {
        if s.leader != leader {
            (s.leader, s.quick.questions) = (leader, 0);
            if s.quick.number[leader] != 0 {
                s.quick.asked = 0;
                let question = Said { kind: Kind::Ask, number: s.quick.ticks as u32, ..Said::default() };
                out.send(leader, Message::Said(question));
            }
        }
        let goes_before = match quick.preempts {
            true => self.rank(s, p) < self.rank(s, leader),
            false => s.counter[p] < s.counter[leader],
        };
        // A program that does not number its messages knows no candidates either: there is nothing to wait for.
        let grace = if s.quick.number[leader] == 0 { 0 } else { self.grace(quick) };
        if !goes_before || s.quick.abstain > 0 {
            self.stand_no_more(s);
        } else if s.quick.stage > quick.proof + grace {
            self.act(quick, p, s);
        } else if s.quick.stage % quick.period == 1 % quick.period {
            let ready = s.quick.stage > quick.proof;
            let candidacy = self.candidacy(p, s, ready);
            others(self.size, p).for_each(|q| out.send(q, Message::Said(candidacy)));
        }
    }

    /// Nobody leads that this process hears, or soon nobody will: so that by then all know who would.
    fn compete(&self, quick: &Quick, p: usize, s: &mut State, leader: Option<usize>, out: &mut impl Outbox<Message>) {
        let end = leader.map_or(self.patience(quick, s), |q| self.borne(quick, s, q));
        let notice = self.notice(quick, s);
        let rival = |q: usize| s.quick.claim[q] <= 2 * notice && self.rank(s, q) < self.rank(s, p);
        let rivalled = others(self.size, p).any(rival);
        if s.quick.part != Part::Idle || s.quick.abstain > 0 || s.quick.lonely.saturating_add(notice) <= end {
            s.quick.claim[p] = u64::MAX;
            return;
        }
        // Nobody stands for longer than this without acting: it has just begun to.
        if s.quick.claim[p] > self.most_patience(quick) {
            s.quick.claim[p] = 0;
        }
        if rivalled {
            return;
        }
        // However long it was alone, the others hear of it first, or several would act at once.
        if leader.is_none() && s.quick.lonely > end && s.quick.claim[p] >= notice {
            self.act(quick, p, s);
        } else if s.quick.claim[p].is_multiple_of(REPEAT) {
            let candidacy = self.candidacy(p, s, false);
            others(self.size, p).for_each(|q| out.send(q, Message::Said(candidacy)));
        }
    }

    pub(super) fn candidacy(&self, p: usize, s: &State, ready: bool) -> Said {
        Said { kind: Kind::Candidate, phase: 0, flag: ready, ..self.presence(p, s) }
    }

    fn act(&self, quick: &Quick, p: usize, s: &mut State) {
        (s.leader, s.quick.part, s.quick.stage, s.quick.heir) = (p, Part::Acting, 0, self.size);
        (s.quick.fresh, s.send_timer) = (false, quick.period);
    }

    /// Giving up the leadership begins a phase. Two may do so for each other at the same moment: the question tells.
    fn step_down(&self, s: &mut State, p: usize, leader: usize, out: &mut impl Outbox<Message>) {
        s.phase[p] = s.phase[p].wrapping_add(1);
        (s.leader, s.quick.part, s.quick.stage, s.quick.asked) = (leader, Part::Idle, 0, 0);
        let question = Said { kind: Kind::Ask, number: s.quick.ticks as u32, flag: true, ..Said::default() };
        out.send(leader, Message::Said(question));
    }

    /// On the way from acting to having handed over.
    fn hold(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        match s.quick.part {
            Part::Leaving if s.quick.stage > self.one_way() => {
                // Whoever answered at once did so when this part began.
                let heir = self.foremost_candidate(p, s, 2 * self.one_way());
                (s.quick.part, s.quick.stage, s.quick.heir) = (Part::Yielding, 0, heir.unwrap_or(self.size));
                if quick.yields == 0 {
                    self.let_go(p, s, out);
                }
            }
            Part::Yielding if s.quick.stage > quick.yields => self.let_go(p, s, out),
            _ => {}
        }
    }

    /// The first of those that said within so many iterations that they could lead.
    pub(super) fn foremost_candidate(&self, p: usize, s: &State, within: u64) -> Option<usize> {
        others(self.size, p).filter(|&q| s.quick.claim[q] <= within).min_by_key(|&q| self.rank(s, q))
    }

    /// Whoever leads and goes after this one has not heard that this one does.
    fn correct(&self, p: usize, s: &State, out: &mut impl Outbox<Message>) {
        let answer = Said { kind: Kind::Answer, ..self.presence(p, s) };
        others(self.size, p).filter(|&q| s.quick.silence[q] == 1).for_each(|q| out.send(q, Message::Said(answer)));
    }

    fn let_go(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        self.say_resigned(p, s, out);
        s.phase[p] = s.phase[p].wrapping_add(1);
        (s.quick.part, s.quick.stage, s.quick.lonely) = (Part::Idle, 0, 0);
        s.quick.abstain = self.abstention();
    }

    fn say_resigned(&self, p: usize, s: &State, out: &mut impl Outbox<Message>) {
        let heir = if s.quick.heir < self.size { s.quick.heir as u64 + 1 } else { 0 };
        let resignation = Said { kind: Kind::Resign, counter: heir, ..Said::default() };
        others(self.size, p).for_each(|q| out.send(q, Message::Said(resignation)));
    }

    /// Until the heir is heard, or for a period: what an heir does not hear leaves all without a leader.
    fn repeat_resignation(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        if s.quick.heir >= self.size || s.quick.stage > quick.period {
            s.quick.heir = self.size;
        } else if s.quick.stage.is_multiple_of(REPEAT) {
            self.say_resigned(p, s, out);
        }
    }

    /// It is no candidate; unless what it counts is the time since it resigned.
    fn stand_no_more(&self, s: &mut State) {
        if s.quick.heir == self.size {
            s.quick.stage = 0;
        }
    }

    /// The heir acts at once; the others give it the time to.
    pub(super) fn hear_resignation(&self, quick: &Quick, p: usize, s: &mut State, q: usize, heir: u64) {
        (s.quick.silence[q], s.quick.claim[q], s.quick.owed[q]) = (u64::MAX, u64::MAX, false);
        if q != s.leader || s.quick.part != Part::Idle {
            return;
        }
        let patience = self.patience(quick, s);
        if heir == p as u64 + 1 && s.quick.abstain == 0 {
            s.quick.claim.fill(u64::MAX);
            s.quick.claim[p] = self.one_way();
            // Whoever is late, too, may have handed over long ago, unheard.
            for silence in s.quick.silence.iter_mut().filter(|silence| **silence > quick.period + SLACK) {
                *silence = u64::MAX;
            }
            s.quick.lonely = self.most_patience(quick) + 1;
        } else {
            let wait = if heir == 0 { self.notice(quick, s) } else { 2 * self.one_way() };
            s.quick.lonely = s.quick.lonely.max(patience.saturating_sub(wait));
        }
    }

    /// Asked not to lead: a leader looks for an heir and lets go, everyone else does not begin to. Asked again while it holds
    /// the place, a leader lets go at once; asked again and again, a process comes back when that ends, as if it had been away.
    pub(super) fn step_back(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        match s.quick.part {
            Part::Acting => {
                (s.quick.part, s.quick.stage, s.quick.behind) = (Part::Leaving, 0, true);
                s.send_timer = quick.period;
                self.say_alive(quick, p, s, out);
            }
            Part::Leaving => {}
            Part::Yielding => self.let_go(p, s, out),
            Part::Idle => {
                // Long enough to hear a leader when that ends, however long the network takes to come back.
                s.quick.abstain = s.quick.abstain.max(2 * self.longest_quiet(quick));
                (s.quick.behind, s.quick.lonely) = (false, 0);
                self.stand_no_more(s);
            }
        }
    }
}

//! The way of a process to the leadership, and its end.
//!
//! If no process leads, candidates announce themselves, and the one with precedence acts after its patience. A candidate with precedence over
//! an acting leader proves itself first, and then asks it to hand over for as long as it hears it: if it acted by itself, there would be two
//! leaders wherever the leader does not hear the candidate. A leader that has to leave looks for a successor while it acts, and names it.

use super::asking::{SLACK, question};
use super::{Part, Quick};
use crate::robust::others;
use crate::robust::s2::{Message, RobustS2, State};
use ringleader_model::{MessageKind, Outbox};

/// The iterations after which CANDIDATE and RESIGN are repeated.
const REPEAT: u64 = 2;

impl RobustS2 {
    /// The stage of a candidate after which the acting leader would have handed over if it had heard the request.
    pub(in crate::robust::s2) fn patient_stage(&self, quick: &Quick) -> u64 {
        quick.proof + quick.yields + 2 * self.longest_quiet(quick)
    }

    /// Whether it has asked the leader to hand over for longer than a handover takes.
    pub(in crate::robust::s2) fn asks_in_vain(&self, quick: &Quick, s: &State) -> bool {
        let counts_candidacy = s.quick.part == Part::Idle && s.quick.heir == self.size;
        counts_candidacy && s.quick.stage > self.patient_stage(quick)
    }

    /// The iterations after a resignation in which the process does not lead: the others hear of it, and it hears the new leader.
    pub(in crate::robust::s2) fn abstention(&self) -> u64 {
        let quick = self.quick.as_ref().map_or(0, |quick| self.longest_quiet(quick));
        3 * quick
    }

    /// One iteration: accuses a silent leader, follows the best acting process, becomes a candidate, or holds its place.
    pub(super) fn stand(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        let patience = self.present_patience(quick, s);
        let heard = |q: &usize| s.quick.silence[*q] <= patience;
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
        // A process that resigned has the greatest silence, and is not accused.
        if !leader_heard && s.quick.silence[s.leader] != u64::MAX {
            self.give_up(s, out);
        }
        // A process that was given up becomes active again only by a message, not by greater patience.
        for q in others(self.size, p) {
            if s.quick.silence[q] > patience {
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
            (s.leader, s.quick.questions, s.quick.asked) = (leader, 0, 0);
            out.send(leader, question(s));
        }
        let goes_before = match quick.preempts {
            true => self.rank(s, p) < self.rank(s, leader),
            false => s.counter[p] < s.counter[leader],
        };
        if !goes_before || s.quick.abstain > 0 {
            return self.stand_no_more(s);
        }
        // The last period of the wait repeats itself. A later stage is corrupted memory, and returns to that period, too.
        let patient = self.patient_stage(quick);
        if s.quick.stage > patient {
            s.quick.stage = patient + 1 + (s.quick.stage - patient - 1) % quick.period;
        }
        if s.quick.stage % quick.period == 1 % quick.period || s.quick.stage == quick.proof + 1 {
            let ready = s.quick.stage > quick.proof;
            let candidacy = self.candidacy(p, s, ready);
            others(self.size, p).for_each(|q| out.send(q, candidacy));
        }
    }

    /// Announces a candidacy if this process hears no leader, or soon will hear none: so the best candidate is known in time.
    fn compete(&self, quick: &Quick, p: usize, s: &mut State, leader: Option<usize>, out: &mut impl Outbox<Message>) {
        let end = self.present_patience(quick, s);
        let notice = self.notice(quick, s);
        let rival = |q: usize| s.quick.claim[q] <= 2 * notice && self.rank(s, q) < self.rank(s, p);
        let rivalled = others(self.size, p).any(rival);
        if s.quick.part != Part::Idle || s.quick.abstain > 0 || s.quick.lonely.saturating_add(notice) <= end {
            s.quick.claim[p] = u64::MAX;
            return;
        }
        // No candidacy lasts longer than this, so this one has just begun.
        if s.quick.claim[p] > self.greatest_patience(quick) {
            s.quick.claim[p] = 0;
        }
        if rivalled {
            return;
        }
        // The others hear of the candidate before it acts, otherwise several would act.
        if leader.is_none() && s.quick.lonely > end && s.quick.claim[p] >= notice {
            self.act(quick, p, s);
        } else if s.quick.claim[p].is_multiple_of(REPEAT) {
            let candidacy = Message { number: end as u32, ..self.candidacy(p, s, false) };
            others(self.size, p).for_each(|q| out.send(q, candidacy));
        }
    }

    pub(super) fn candidacy(&self, p: usize, s: &State, ready: bool) -> Message {
        Message { phase: 0, flag: ready, ..self.presence(MessageKind::Candidate, p, s) }
    }

    fn act(&self, quick: &Quick, p: usize, s: &mut State) {
        (s.leader, s.quick.part, s.quick.stage, s.quick.heir) = (p, Part::Acting, 0, self.size);
        (s.quick.fresh, s.send_timer) = (false, quick.period);
    }

    /// Steps down for another leader, which begins a phase. Two may step down for each other at the same time: the question shows that.
    fn step_down(&self, s: &mut State, p: usize, leader: usize, out: &mut impl Outbox<Message>) {
        s.phase[p] = s.phase[p].wrapping_add(1);
        (s.leader, s.quick.part, s.quick.stage, s.quick.asked) = (leader, Part::Idle, 0, 0);
        out.send(leader, Message { flag: true, ..question(s) });
    }

    /// Continues a handover.
    fn hold(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        match s.quick.part {
            Part::Leaving if s.quick.stage > self.one_way() => {
                // A candidate that answered immediately did so when this part began.
                self.choose_heir(quick, p, s, 2 * self.one_way(), out);
            }
            Part::Yielding if s.quick.stage > quick.yields => self.let_go(p, s, out),
            _ => {}
        }
    }

    fn choose_heir(&self, quick: &Quick, p: usize, s: &mut State, within: u64, out: &mut impl Outbox<Message>) {
        let heir = self.foremost_candidate(p, s, within).unwrap_or(self.size);
        (s.quick.part, s.quick.stage, s.quick.heir) = (Part::Yielding, 0, heir);
        if quick.yields == 0 {
            self.let_go(p, s, out);
        }
    }

    /// A leader that hears nobody hands over to the best of these processes: it would not hear candidates.
    pub(in crate::robust::s2) fn leave_to(
        &self,
        quick: &Quick,
        p: usize,
        s: &mut State,
        heirs: &[usize],
        out: &mut impl Outbox<Message>,
    ) {
        if !s.quick.acts() {
            return;
        }
        for &heir in heirs.iter().filter(|&&heir| heir < self.size) {
            s.quick.claim[heir] = 0;
        }
        s.quick.behind = true;
        self.choose_heir(quick, p, s, 0, out);
    }

    /// The best candidate that announced itself within this many iterations.
    pub(super) fn foremost_candidate(&self, p: usize, s: &State, within: u64) -> Option<usize> {
        others(self.size, p).filter(|&q| s.quick.claim[q] <= within).min_by_key(|&q| self.rank(s, q))
    }

    /// Answers processes that act without precedence: they have not heard that this process leads.
    fn correct(&self, p: usize, s: &State, out: &mut impl Outbox<Message>) {
        let answer = self.presence(MessageKind::Answer, p, s);
        others(self.size, p).filter(|&q| s.quick.silence[q] == 1).for_each(|q| out.send(q, answer));
    }

    fn let_go(&self, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        self.say_resigned(p, s, out);
        s.phase[p] = s.phase[p].wrapping_add(1);
        (s.quick.part, s.quick.stage, s.quick.lonely) = (Part::Idle, 0, 0);
        s.quick.abstain = self.abstention();
    }

    fn say_resigned(&self, p: usize, s: &State, out: &mut impl Outbox<Message>) {
        let heir = if s.quick.heir < self.size { s.quick.heir as u64 + 1 } else { 0 };
        let resignation = Message { counter: heir, ..Message::new(MessageKind::Resign) };
        others(self.size, p).for_each(|q| out.send(q, resignation));
    }

    /// Repeats a resignation until the successor is heard, for at most a period: if the successor does not hear it, there is no leader.
    fn repeat_resignation(&self, quick: &Quick, p: usize, s: &mut State, out: &mut impl Outbox<Message>) {
        if s.quick.heir >= self.size || s.quick.stage > quick.period {
            s.quick.heir = self.size;
        } else if s.quick.stage.is_multiple_of(REPEAT) {
            self.say_resigned(p, s, out);
        }
    }

    /// Ends a candidacy, unless the stage counts the time since a resignation.
    fn stand_no_more(&self, s: &mut State) {
        if s.quick.heir == self.size {
            s.quick.stage = 0;
        }
    }

    /// The successor acts immediately; the others give it the time to.
    pub(super) fn hear_resignation(&self, quick: &Quick, p: usize, s: &mut State, q: usize, heir: u64) {
        (s.quick.silence[q], s.quick.claim[q], s.quick.owed[q]) = (u64::MAX, u64::MAX, false);
        if q != s.leader || s.quick.part != Part::Idle {
            return;
        }
        let patience = self.present_patience(quick, s);
        if heir == p as u64 + 1 && s.quick.abstain == 0 {
            s.quick.claim.fill(u64::MAX);
            s.quick.claim[p] = self.one_way();
            // A late process may have resigned before, unheard.
            for silence in s.quick.silence.iter_mut().filter(|silence| **silence > quick.period + SLACK) {
                *silence = u64::MAX;
            }
            s.quick.lonely = self.greatest_patience(quick) + 1;
        } else {
            let wait = if heir == 0 { self.notice(quick, s) } else { 2 * self.one_way() };
            s.quick.lonely = s.quick.lonely.max(patience.saturating_sub(wait));
        }
    }

    /// A request not to lead: a leader looks for a successor and releases its place, any other process does not begin to lead. At a repeated
    /// request, a leader that holds its place releases it. When the requests end, the process takes part again as after a pause.
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
                // Long enough to hear a leader when the requests end, even if the network returns late.
                s.quick.abstain = s.quick.abstain.max(2 * self.longest_quiet(quick));
                (s.quick.behind, s.quick.lonely) = (false, 0);
                self.stand_no_more(s);
            }
        }
    }
}

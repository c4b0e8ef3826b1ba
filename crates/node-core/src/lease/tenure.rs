//! The asking side of a member: the grants that it received, and its tenure.

use super::{LeaseTerms, Letter, LetterKind, Lists, Members, Record};
use ringleader_model::Visitor;

/// One granter, as far as the asker knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Granter {
    /// The time of the last request that it granted; 0 for none.
    pub(super) at: u64,
    /// The least token that it may still store for this member, as far as known.
    pub(super) next: u64,
    /// Whether it has stored the token of this tenure.
    pub(super) stored: bool,
}

/// A time in which the lease is held without a gap, and its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tenure {
    pub(super) until: u64,
    pub(super) token: u64,
    /// Whether the leadership that it was for has ended: the next one needs a new tenure.
    pub(super) over: bool,
    /// Whether members that granted and had stored the token were majorities at one time.
    pub(super) stored: bool,
}

/// The asking side of one member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Applicant {
    /// Requests up to this time do not count any more.
    pub(super) floor: u64,
    /// The time of the last request; at most `floor` if there is none.
    pub(super) asked: u64,
    /// Whether the requests up to `floor` were returned, and not abandoned.
    pub(super) returned: bool,
    /// The end of a lease on which something may still act: no grant is returned before.
    pub(super) owed: u64,
    pub(super) granters: Vec<Granter>,
    pub(super) tenure: Option<Tenure>,
    /// The greatest token that it has requested: each tenure has its own.
    pub(super) used: u64,
}

impl Applicant {
    pub(super) fn new(size: usize) -> Applicant {
        Applicant {
            floor: 0,
            asked: 0,
            returned: false,
            owed: 0,
            granters: vec![Granter::default(); size],
            tenure: None,
            used: 0,
        }
    }

    /// A new request: its time, and the token to be stored. There is none at the time of a return, which names the last request that
    /// it covers.
    pub(super) fn ask(&mut self, now: u64) -> Option<(u64, u64)> {
        self.heal(now);
        self.asked = now;
        (now > self.floor).then_some((now, self.tenure.map_or(0, |tenure| tenure.token)))
    }

    /// Forgets times in the future, which uncorrupted memory cannot contain.
    fn heal(&mut self, now: u64) {
        self.asked = self.asked.min(now);
        self.floor = self.floor.min(now);
        for heard in &mut self.granters {
            heard.at = if heard.at > self.asked || heard.at <= self.floor { 0 } else { heard.at };
        }
    }

    /// Forgets tokens that this member could not store: memory was corrupted.
    fn heal_tokens(&mut self, own: &Record) {
        for token in self.granters.iter_mut().map(|heard| &mut heard.next).chain([&mut self.used]) {
            *token = if own.accepts(*token) { *token } else { 0 };
        }
        if self.tenure.is_some_and(|tenure| !own.accepts(tenure.token)) {
            self.end();
        }
    }

    /// Ends the tenure if the lease was not renewed in time.
    pub(super) fn lapse(&mut self, now: u64) {
        if self.tenure.is_some_and(|tenure| tenure.until <= now) {
            self.end();
        }
    }

    fn end(&mut self) {
        self.tenure = None;
        self.granters.iter_mut().for_each(|heard| heard.stored = false);
    }

    /// Marks the leadership of the tenure as ended. Its hooks may act until the end of the lease.
    pub(super) fn retire(&mut self) {
        if let Some(tenure) = &mut self.tenure {
            tenure.over = true;
            self.owed = self.owed.max(tenure.until);
        }
    }

    /// Ends a tenure whose leadership has ended; the same grants may begin another, with another token.
    pub(super) fn begin_anew(&mut self) {
        if self.tenure.is_some_and(|tenure| tenure.over) {
            self.end();
        }
    }

    /// Whether something may still act on a lease that was not returned.
    pub(super) fn owes(&mut self, terms: &LeaseTerms, now: u64) -> bool {
        // A later end is the result of corrupted memory.
        self.owed = self.owed.min(now.saturating_add(terms.span()));
        self.owed > now
    }

    /// Takes a grant; `own` is the stored record of this member. A token that it could not store is ignored.
    pub(super) fn hear(&mut self, now: u64, from: usize, letter: Letter, own: &Record) {
        self.heal(now);
        self.heal_tokens(own);
        let Some(heard) = self.granters.get_mut(from) else { return };
        if own.accepts(letter.token) {
            // Without `Stored`, it has stored this token for another leadership.
            let used = u64::from(letter.kind == LetterKind::Grant && letter.token > 0);
            heard.next = heard.next.max(letter.token + used);
        }
        if letter.at > self.floor && letter.at <= self.asked {
            heard.at = heard.at.max(letter.at);
        }
        let wanted = self.tenure.map_or(0, |tenure| tenure.token);
        heard.stored |= letter.kind == LetterKind::Stored && wanted > 0 && letter.token == wanted;
    }

    /// The time until which majorities of all lists have granted.
    fn until(&self, terms: &LeaseTerms, lists: &Lists) -> u64 {
        let granted = |list: Members| {
            let mut times: Vec<u64> =
                list.iter().filter_map(|id| self.granters.get(id)).map(|heard| heard.at).filter(|&at| at > 0).collect();
            times.sort_unstable_by(|a, b| b.cmp(a));
            times.get(list.majority() - 1).map_or(0, |at| at.saturating_add(terms.span()))
        };
        lists.active().map(granted).min().filter(|_| lists.known()).unwrap_or(0)
    }

    /// Continues the tenure, or begins one; `own` is the stored record of this member.
    pub(super) fn renew(&mut self, terms: &LeaseTerms, now: u64, own: &Record) {
        self.heal(now);
        // A proposal ends no lease that majorities of the list before granted: it is adopted after the end of all of them.
        let earlier = self.tenure.filter(|_| own.lists.proposal.is_some()).map_or(0, |tenure| tenure.until);
        let until = self.until(terms, &own.lists).max(earlier);
        if until <= now {
            self.end();
            return;
        }
        // A deadline beyond any possible grant is shortened.
        let until = until.min(now.saturating_add(terms.span()));
        let next = self.granters.iter().map(|heard| heard.next).max().unwrap_or(0);
        let stored = terms.token && self.stored(terms, now, &own.lists);
        let tenure = self.tenure.get_or_insert(Tenure { until, token: 0, over: false, stored: false });
        tenure.until = until;
        tenure.stored |= stored && tenure.token > 0;
        let exceeded = next.max(own.token) > tenure.token && !tenure.stored;
        if terms.token && (tenure.token == 0 || exceeded) {
            tenure.token = next.max(self.used.max(own.token).saturating_add(1));
            tenure.stored = false;
            self.used = tenure.token;
            self.granters.iter_mut().for_each(|heard| heard.stored = false);
        }
    }

    /// The members whose grants last.
    pub(super) fn lasting(&self, terms: &LeaseTerms, now: u64) -> Members {
        let lasts = |heard: &Granter| heard.at > 0 && heard.at.saturating_add(terms.span()) > now;
        (0..self.granters.len()).filter(|&id| lasts(&self.granters[id])).collect()
    }

    /// Whether majorities of members that grant have stored the token of this tenure. A member counts while its grant lasts: it may have lost
    /// its file since.
    fn stored(&self, terms: &LeaseTerms, now: u64, lists: &Lists) -> bool {
        let stored = self.lasting(terms, now).iter().filter(|&id| self.granters[id].stored);
        lists.have_majorities_in(stored.collect())
    }

    pub(super) fn token(&self) -> Option<u64> {
        self.tenure.filter(|tenure| tenure.stored).map(|tenure| tenure.token)
    }

    pub(super) fn confirmed(&self, terms: &LeaseTerms) -> Option<u64> {
        let tenure = self.tenure?;
        (!terms.token || tenure.stored).then_some(tenure.until)
    }

    pub(super) fn asking(&self) -> Option<u64> {
        (self.asked > self.floor).then_some(self.asked)
    }

    /// Stops relying on all grants so far, which are returned or expire. Returns the time of the last request.
    pub(super) fn leave(&mut self, now: u64, returned: bool) -> u64 {
        self.heal(now);
        if let Some(tenure) = self.tenure.filter(|_| !returned) {
            self.owed = self.owed.max(tenure.until);
        }
        (self.floor, self.returned) = (self.asked, returned);
        self.end();
        self.granters.iter_mut().for_each(|heard| heard.at = 0);
        self.asked
    }

    pub(super) fn memory(&mut self, visitor: &mut dyn Visitor) {
        visitor.word("floor", &mut self.floor);
        visitor.word("asked", &mut self.asked);
        let mut until = self.tenure.map_or(0, |tenure| tenure.until);
        visitor.word("tenure", &mut until);
        let mut token = self.tenure.map_or(0, |tenure| tenure.token);
        visitor.word("token", &mut token);
        let [over, stored] = self.tenure.map_or([false; 2], |tenure| [tenure.over, tenure.stored]);
        self.tenure = (until > 0).then_some(Tenure { until, token, over, stored });
        visitor.word("owed", &mut self.owed);
        visitor.bit("returned", &mut self.returned);
        visitor.word("used", &mut self.used);
        for (q, heard) in self.granters.iter_mut().enumerate() {
            visitor.word(("heard", q), &mut heard.at);
            visitor.word(("next", q), &mut heard.next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::Lease;

    const LENGTH: u64 = 100;

    fn record(members: usize, token: u64) -> Record {
        Record { token, lists: Lists::first((0..members).collect()), ..Record::default() }
    }

    /// Member 0 of this many, whose wait after its start is over.
    fn lease(members: usize, token: bool) -> Lease {
        let terms = LeaseTerms { token, ..LeaseTerms::new(LENGTH, 0) };
        Lease::new(terms, 0, 1, members, record(members, 0), 0)
    }

    #[test]
    fn a_lease_whose_leadership_has_just_ended_is_not_returned() {
        for retires in [false, true] {
            let mut lease = lease(1, false);
            lease.ask(200, true).unwrap();
            assert_eq!(lease.confirmed(201), Some(300));
            if retires {
                lease.retire();
            }
            assert_eq!(lease.give_back(202).is_none(), retires, "its hooks may act until 300");
        }
    }

    /// Another leadership, which ended before a majority had stored its token, has left the token with one member.
    #[test]
    fn a_token_that_another_leadership_has_used_is_not_requested_again() {
        let mut lease = lease(3, true);
        let asked = lease.ask(200, true).unwrap();
        let grant = |at: u64, token: u64| Letter { kind: LetterKind::Grant, life: 1, at, token };
        let standing = lease.standing();
        lease.receive(201, 2, grant(asked.at, 0), standing, true);
        let asked = lease.ask(202, true).unwrap();
        assert_eq!(asked.token, 1);
        lease.receive(203, 1, grant(asked.at, 1), standing, true);
        assert_eq!(lease.ask(204, true).unwrap().token, 2);
    }

    /// The member has taken a token along with a list of members, and cannot store a smaller one for its own tenure.
    #[test]
    fn a_token_below_the_own_one_is_not_requested_again() {
        let mut lease = lease(3, true);
        let (asked, standing) = (lease.ask(200, true).unwrap(), lease.standing());
        let grant = Letter { kind: LetterKind::Grant, life: 1, at: asked.at, token: 0 };
        lease.receive(201, 2, grant, standing, true);
        assert_eq!(lease.ask(202, true).unwrap().token, 1);
        lease.stored(203, record(3, 5));
        assert_eq!(lease.confirmed(204), None);
        assert_eq!(lease.ask(205, true).unwrap().token, 6);
    }
}

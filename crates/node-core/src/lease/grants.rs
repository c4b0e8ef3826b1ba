//! The granting side of a member: its grants, and the tokens that it stores.

use super::{LeaseTerms, Letter, LetterKind, Lists, Record};
use ringleader_model::Visitor;

/// A grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Granted {
    pub(super) to: usize,
    pub(super) life: u64,
    /// The time of the last request, on the asker's clock.
    pub(super) at: u64,
    /// The end, on this member's clock.
    pub(super) until: u64,
}

/// The grants of one member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Grants {
    /// It grants nothing until this time, since it has just started.
    pub(super) quiet: u64,
    pub(super) granted: Option<Granted>,
    /// The grant that was returned last: a request that was sent before must not be granted afterwards.
    pub(super) returned: Option<Granted>,
    pub(super) record: Record,
    /// The record that is being stored.
    pub(super) pending: Option<Record>,
}

impl Grants {
    pub(super) fn new(terms: &LeaseTerms, record: Record, now: u64) -> Grants {
        Grants { quiet: now.saturating_add(terms.length), granted: None, returned: None, record, pending: None }
    }

    /// Shortens deadlines that uncorrupted memory cannot contain, and forgets expired grants.
    pub(super) fn heal(&mut self, terms: &LeaseTerms, now: u64) {
        let latest = now.saturating_add(terms.length);
        self.quiet = self.quiet.min(latest);
        self.pending = self.to_store();
        for grant in [&mut self.granted, &mut self.returned] {
            *grant = grant.map(|grant| Granted { until: grant.until.min(latest), ..grant });
            *grant = grant.filter(|grant| grant.until > now);
        }
    }

    pub(super) fn ask(
        &mut self,
        terms: &LeaseTerms,
        now: u64,
        from: usize,
        letter: Letter,
        lists: &Lists,
        willing: bool,
    ) -> Option<Letter> {
        self.heal(terms, now);
        let same = |grant: &Granted| (grant.to, grant.life) == (from, letter.life);
        let stale = self.returned.is_some_and(|returned| same(&returned) && letter.at <= returned.at);
        let taken = self.granted.is_some_and(|grant| !same(&grant));
        if self.quiet > now || stale || taken || !willing || !self.record.lists.allow(lists) {
            return None;
        }
        let at = self.granted.map_or(letter.at, |grant| grant.at.max(letter.at));
        self.granted = Some(Granted { to: from, life: letter.life, at, until: now.saturating_add(terms.length) });
        let wanted = Record { token: letter.token, holder: from, life: letter.life, lists: self.record.lists };
        self.adopt(wanted);
        let kind = if letter.token > 0 && self.record == wanted { LetterKind::Stored } else { LetterKind::Grant };
        Some(Letter { kind, token: self.record.token, ..letter })
    }

    /// Stores a greater token next, if it is plausible.
    pub(super) fn adopt(&mut self, record: Record) {
        if record.token > self.record.token {
            self.store(record);
        }
    }

    /// Stores a record next, if it may replace the present one and no other is being stored. One at a time: so a member that stores a proposal
    /// has stored the tokens of all grants that it gave before.
    pub(super) fn store(&mut self, record: Record) {
        if self.pending.is_none() && self.may_store(&record) {
            self.pending = Some(record);
        }
    }

    fn may_store(&self, record: &Record) -> bool {
        record.follows(&self.record) && self.record.accepts(record.token)
    }

    /// The record to be stored next. Another one than it may store is the result of corrupted memory.
    pub(super) fn to_store(&self) -> Option<Record> {
        self.pending.filter(|record| self.may_store(record))
    }

    pub(super) fn stored(&mut self, now: u64, record: Record) -> Option<(usize, Letter)> {
        self.pending = self.pending.filter(|pending| *pending != record);
        if !record.follows(&self.record) {
            return None;
        }
        let before = std::mem::replace(&mut self.record, record);
        if record.token == before.token {
            return None;
        }
        let grant = self.granted.filter(|grant| grant.until > now)?;
        let letter = Letter { kind: LetterKind::Stored, life: record.life, at: grant.at, token: record.token };
        ((grant.to, grant.life) == (record.holder, record.life)).then_some((grant.to, letter))
    }

    pub(super) fn free(&mut self, terms: &LeaseTerms, now: u64, from: usize, letter: Letter) {
        self.heal(terms, now);
        let same = |grant: &Granted| (grant.to, grant.life) == (from, letter.life);
        if self.granted.is_some_and(|grant| same(&grant) && grant.at <= letter.at) {
            self.granted = None;
        }
        let returned = Granted { to: from, life: letter.life, at: letter.at, until: now.saturating_add(terms.length) };
        let later = self.returned.is_none_or(|known| !same(&known) || known.at < letter.at);
        if later {
            self.returned = Some(returned);
        }
    }

    pub(super) fn memory(&mut self, size: usize, visitor: &mut dyn Visitor) {
        visitor.word("quiet", &mut self.quiet);
        for (name, grant) in [("granted", &mut self.granted), ("returned", &mut self.returned)] {
            let mut known = grant.unwrap_or_default();
            visitor.range((name, 0), 0, size as u64 - 1, &mut known.to);
            visitor.word((name, 1), &mut known.life);
            visitor.word((name, 2), &mut known.at);
            visitor.word((name, 3), &mut known.until);
            // A grant with the end 0 is none.
            *grant = (known.until > 0).then_some(known);
        }
        let mut next = self.pending.unwrap_or_default();
        visitor.range(("pending", 0), 0, size as u64 - 1, &mut next.holder);
        visitor.word(("pending", 1), &mut next.life);
        visitor.word(("pending", 2), &mut next.token);
        // A record without a token and without lists is none.
        self.pending = (next.token > 0 || next.lists.known()).then_some(next);
    }
}

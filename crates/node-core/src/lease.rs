//! The guard: a leader is confirmed only while a majority of the members has granted it a lease.
//!
//! Every member, the leader included, grants the lease to one node at a time, for the length L by its own clock. It grants nothing
//! for L after its start, since it may have granted before. A grant echoes the time of the request, on the asker's clock. The
//! asker counts from that time, and only L·(1-d)/(1+d), where d bounds the deviation of any clock's rate. So the asker's
//! lease ends before the grant does, whatever the delay of either message. Two majorities share a member: at most one node is
//! confirmed at a time, whatever the network does, as long as clocks keep the bound and memory is not corrupted.
//!
//! With fencing tokens, a majority of grants is not enough. A *tenure* is a time in which the lease is held without a gap. In each
//! tenure a majority stores the leader's token before the leader is confirmed. A member stores only tokens above its own, and
//! tenures do not overlap: so the token grows from each confirmed leadership to the next.
//!
//! The list of members can change while the cluster runs: `change.rs` has the rules, and why they are safe.
//!
//! No sockets and no clock: time is an argument, in any unit. A deadline that uncorrupted memory cannot contain is shortened when it
//! is met, so a corrupted grant ends within L.

mod change;
mod grants;
mod lists;
mod record;
mod tenure;

#[cfg(test)]
pub(crate) mod exhaustive;
#[cfg(test)]
pub(crate) mod hostile;
#[cfg(test)]
pub(crate) mod rolling;

pub use change::Stage;
use change::{Answer, Change, Wish};
use grants::Grants;
pub use lists::{Lists, Members};
pub use record::{Record, RecordError, Standing};
use ringleader_model::Visitor;
use tenure::Applicant;

/// The terms of the lease, the same for all members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeaseTerms {
    /// L, in the caller's unit of time.
    pub length: u64,
    /// d, in millionths: the rate of each clock is 1-d to 1+d times the true rate.
    pub drift: u32,
    /// Whether a leader needs a stored token.
    pub token: bool,
    /// Whether the list of members can change: then it is stored, too.
    pub changes: bool,
}

impl LeaseTerms {
    /// Terms without a token, for a fixed list.
    pub fn new(length: u64, drift: u32) -> LeaseTerms {
        LeaseTerms { length, drift, token: false, changes: false }
    }

    /// The time for which an asker may rely on a grant, by its own clock, from its request.
    pub fn span(&self) -> u64 {
        let (length, drift) = (u128::from(self.length), u128::from(self.drift.min(999_999)));
        (length * (1_000_000 - drift) / (1_000_000 + drift)) as u64
    }

    /// The time after which every lease has expired whose grants ended by now, by any clock within the bound: L/(1-d).
    pub fn over(&self) -> u64 {
        let (length, drift) = (u128::from(self.length), u128::from(self.drift.min(999_999)));
        (length * 1_000_000).div_ceil(1_000_000 - drift) as u64
    }
}

/// The kind of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::FromRepr, strum::VariantArray)]
#[repr(u8)]
pub enum LetterKind {
    /// A request for the lease, and to store the token if it is not 0.
    Ask = 1,
    /// The lease is granted; the token is the greatest that the granter has stored.
    Grant,
    /// The lease is granted, and the requested token is stored.
    Stored,
    /// The asker returns the grants for its requests up to this one.
    Return,
    /// A question for the lists and the token that the receiver has stored.
    Inquire,
    /// The answer to it.
    Told,
}

/// A message between members about the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Letter {
    /// Its kind.
    pub kind: LetterKind,
    /// The incarnation of the asker.
    pub life: u64,
    /// The time of the request, on the asker's clock.
    pub at: u64,
    /// A token, or 0.
    pub token: u64,
}

/// One member as granter and as asker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    terms: LeaseTerms,
    me: usize,
    life: u64,
    grants: Grants,
    applicant: Applicant,
    change: Change,
}

impl Lease {
    /// A member that starts now, in the incarnation `life`, among `size` identities; `record` was stored before.
    pub fn new(terms: LeaseTerms, me: usize, life: u64, size: usize, record: Record, now: u64) -> Lease {
        let (grants, applicant) = (Grants::new(&terms, record, now), Applicant::new(size));
        Lease { terms, me, life, grants, applicant, change: Change::new(size) }
    }

    /// The lists and the token that it has stored: they go with every datagram.
    pub fn standing(&self) -> Standing {
        self.grants.record.standing()
    }

    /// Whether it is in one of the lists that it knows.
    pub fn is_listed(&self) -> bool {
        self.grants.record.lists.everyone().contains(self.me)
    }

    /// Requests the lease. Returns the letter to every other member; the member grants its own request if it is `willing`.
    pub fn ask(&mut self, now: u64, willing: bool) -> Option<Letter> {
        let lists = self.grants.record.lists;
        if !lists.known() {
            return None;
        }
        self.applicant.lapse(now);
        let (at, token) = self.applicant.ask(now)?;
        let letter = Letter { kind: LetterKind::Ask, life: self.life, at, token };
        if let Some(answer) = self.grants.ask(&self.terms, now, self.me, letter, &lists, willing) {
            self.hear(now, self.me, answer);
        }
        Some(letter)
    }

    /// Receives a letter of another member with that member's standing, and returns the reply. A request is granted only if this member is
    /// `willing`.
    pub fn receive(
        &mut self,
        now: u64,
        from: usize,
        letter: Letter,
        standing: Standing,
        willing: bool,
    ) -> Option<Letter> {
        match letter.kind {
            LetterKind::Ask => self.grants.ask(&self.terms, now, from, letter, &standing.lists, willing),
            LetterKind::Inquire => Some(Letter { kind: LetterKind::Told, ..letter }),
            LetterKind::Told => {
                let plausible = !standing.lists.known() || self.accepts_lists(&standing.lists);
                if letter.life == self.life && self.terms.changes && plausible {
                    self.change.hear(now, from, Answer { at: letter.at, standing });
                    self.advance(now);
                }
                None
            }
            LetterKind::Return => {
                self.grants.free(&self.terms, now, from, letter);
                None
            }
            LetterKind::Grant | LetterKind::Stored => {
                self.hear(now, from, letter);
                None
            }
        }
    }

    fn hear(&mut self, now: u64, from: usize, letter: Letter) {
        self.applicant.lapse(now);
        if letter.life == self.life {
            self.applicant.hear(now, from, letter, &self.grants.record);
        }
        if self.terms.token {
            // A member whose file is behind those of the others catches up. No request names incarnation 0.
            self.grants.adopt(Record { token: letter.token, holder: from, life: 0, ..self.grants.record });
        }
        self.applicant.renew(&self.terms, now, &self.grants.record);
    }

    /// Stores the lists of another member, if they are later than its own, and that member's token with them. Returns whether it does.
    pub fn learn(&mut self, standing: Standing) -> bool {
        let waiting = self.grants.to_store();
        let own = self.grants.record;
        let later = standing.lists.supersedes(&own.lists) && !standing.lists.contradict(&own.lists);
        if self.terms.changes
            && own.lists.known()
            && later
            && self.accepts_lists(&standing.lists)
            && own.accepts(standing.token)
        {
            self.grants.store(Record { lists: standing.lists, ..own.reaching(standing.token) });
        }
        waiting != self.grants.to_store()
    }

    fn accepts_lists(&self, lists: &Lists) -> bool {
        self.grants.record.accepts_lists(lists, self.change.answers.len())
    }

    /// An operator wants another list here. It is proposed once majorities of the old and of the new list answer, and refused if another
    /// change is under way. A member with a fresh file proposes nothing.
    pub fn wish(&mut self, list: Members) {
        let lists = self.grants.record.lists;
        self.change.refused = None;
        self.change.wish = lists.known().then_some(Wish { list, number: lists.number });
        self.change.review(&lists);
    }

    /// Whether this list was refused here.
    pub fn has_refused(&self, list: Members) -> bool {
        self.change.refused.is_some_and(|(refused, _)| refused == list)
    }

    /// The inquiry to every other member, if this one has a fresh file or takes part in a change.
    pub fn inquire(&mut self, now: u64) -> Option<Letter> {
        let lists = self.grants.record.lists;
        let joins = !lists.known() && self.grants.quiet <= now;
        let changes = lists.known() && (lists.proposal.is_some() || self.change.wish.is_some());
        let letter = Letter { kind: LetterKind::Inquire, life: self.life, at: now, token: 0 };
        (self.terms.changes && (joins || changes)).then_some(letter)
    }

    /// Takes the next step of a change, if it is time: joins, proposes or adopts a list.
    pub fn advance(&mut self, now: u64) {
        if !self.terms.changes {
            return;
        }
        let own = self.grants.record;
        if !own.lists.known() {
            if let Some(record) = self.change.learned(self.me, &own) {
                self.grants.store(record);
            }
            return;
        }
        self.change.review(&own.lists);
        if let Some(wish) = self.change.wish
            && let Some(lists) = own.lists.with(wish.list)
            && self.unheard(now, &lists).is_none()
        {
            self.grants.store(Record { lists, ..own });
        }
        let Some(next) = own.lists.next() else { return };
        if self.change.decided > now {
            // Uncorrupted memory contains no future time.
            self.change.decided = 0;
        }
        if !own.lists.have_majorities_in(self.holders(now)) {
            return;
        }
        if self.change.decided == 0 {
            self.change.decided = now;
        }
        // Majorities are necessary at the adoption, too: a corrupted time alone adopts nothing.
        if now - self.change.decided >= self.terms.over() {
            self.grants.store(Record { lists: next, ..self.change.with_tokens(&own) });
        }
    }

    /// The earliest inquiry whose answer counts.
    fn since(&self, now: u64) -> u64 {
        (now + 1).saturating_sub(self.terms.span())
    }

    /// The members known to have stored the same lists, this one included.
    fn holders(&self, now: u64) -> Members {
        let own = self.grants.record.lists;
        let others = self.change.answered(self.since(now), |lists| *lists == own);
        others.or([self.me].into_iter().collect())
    }

    /// Those of both lists that have not answered with the same lists, unless majorities of both have. A new member counts once it has joined:
    /// before, it grants nothing, and a lease under the proposal may need it.
    fn unheard(&self, now: u64, lists: &Lists) -> Option<Members> {
        let heard = self.holders(now);
        (!lists.have_majorities_in(heard)).then_some(lists.everyone().minus(heard))
    }

    /// The stage of a change of members at this member.
    pub fn stage(&self, now: u64) -> Stage {
        let lists = self.grants.record.lists;
        match (lists.proposal, self.change.wish, self.change.refused) {
            _ if !lists.known() => self.change.joining(self.me),
            (Some(list), ..) if self.change.decided > 0 => Stage::Stored { list },
            (Some(list), ..) => Stage::Proposed { list, missing: lists.everyone().minus(self.holders(now)) },
            (None, Some(wish), _) => {
                let missing = lists.with(wish.list).and_then(|lists| self.unheard(now, &lists));
                Stage::Asking { list: wish.list, missing: missing.unwrap_or_default() }
            }
            _ if !self.is_listed() => Stage::Removed,
            (_, _, Some((list, other))) => Stage::Refused { list, other },
            _ => Stage::None,
        }
    }

    /// Stops relying on the lease and returns it: the letter goes to every other member. The caller must have stopped acting on the
    /// lease before. `None` if an earlier lease was abandoned and has not expired: this one expires, too, since a return covers all
    /// requests before it.
    pub fn give_back(&mut self, now: u64) -> Option<Letter> {
        if self.applicant.owes(&self.terms, now) {
            self.abandon(now);
            return None;
        }
        let at = self.applicant.leave(now, true);
        let letter = self.returned(at);
        self.grants.free(&self.terms, now, self.me, letter);
        Some(letter)
    }

    /// The last returned lease, to be sent again since letters are lost. `None` while the member requests the lease, and if it abandoned
    /// the last one.
    pub fn given_back(&self) -> Option<Letter> {
        let at = self.applicant.floor;
        (self.asking().is_none() && self.applicant.returned && at > 0).then(|| self.returned(at))
    }

    /// All that acted on leases of this member has ended: an abandoned one need not expire.
    pub fn nothing_acts(&mut self) {
        self.applicant.owed = 0;
    }

    /// The leadership that this tenure was for has ended.
    pub fn retire(&mut self) {
        self.applicant.retire();
    }

    /// Begins a new tenure, with a new token, if the leadership of the present one has ended.
    pub fn begin_anew(&mut self) {
        self.applicant.begin_anew();
    }

    /// Whether this member may store a token: it is below the limit of the format and at most 2^20 above its own.
    pub fn accepts(&self, token: u64) -> bool {
        self.grants.record.accepts(token)
    }

    fn returned(&self, at: u64) -> Letter {
        Letter { kind: LetterKind::Return, life: self.life, at, token: 0 }
    }

    /// Stops relying on the lease, and lets the grants expire.
    pub fn abandon(&mut self, now: u64) {
        self.applicant.leave(now, false);
    }

    /// The end of the lease, if this member is confirmed.
    pub fn confirmed(&mut self, now: u64) -> Option<u64> {
        self.applicant.lapse(now);
        self.applicant.renew(&self.terms, now, &self.grants.record);
        self.applicant.confirmed(&self.terms)
    }

    /// The token of the present tenure, once a majority has stored it.
    pub fn token(&self) -> Option<u64> {
        self.applicant.token()
    }

    /// The other members whose grants last.
    pub fn granters(&self, now: u64) -> Members {
        self.applicant.lasting(&self.terms, now).without(self.me)
    }

    /// The time of the last request, if the lease has not been returned since.
    pub fn asking(&self) -> Option<u64> {
        self.applicant.asking()
    }

    /// The record to be stored next; [`Lease::stored`] is to be called when it is.
    pub fn to_store(&self) -> Option<Record> {
        self.grants.to_store()
    }

    /// A record is stored durably. Returns a letter and its receiver.
    pub fn stored(&mut self, now: u64, record: Record) -> Option<(usize, Letter)> {
        let before = self.grants.record.lists;
        let answer = self.grants.stored(now, record);
        if self.grants.record.lists != before {
            self.change.begin_anew();
            self.change.review(&self.grants.record.lists);
        }
        let (to, letter) = answer?;
        if to == self.me {
            self.hear(now, to, letter);
        }
        (to != self.me).then_some((to, letter))
    }

    /// Shortens deadlines that uncorrupted memory cannot contain, so that corrupted ones end within L.
    pub fn heal(&mut self, now: u64) {
        self.grants.heal(&self.terms, now);
    }

    /// Shows every variable except the stored record to a visitor that may replace it.
    pub(crate) fn memory(&mut self, visitor: &mut dyn Visitor) {
        let size = self.applicant.granters.len();
        self.grants.memory(size, visitor);
        self.applicant.memory(visitor);
    }
}

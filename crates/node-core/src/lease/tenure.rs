//! What a member was granted by others, and what it makes of it.

use super::{Letter, LetterKind, Terms};
use ringleader_model::Visitor;

/// One granter, as the asker knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Heard {
    /// The latest asking it granted; 0 for none.
    pub(super) at: u64,
    /// The greatest token it is known to have stored.
    pub(super) greatest: u64,
    /// Whether it has stored this tenure's.
    pub(super) stored: bool,
}

/// A time in which the lease is held without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Tenure {
    pub(super) until: u64,
    pub(super) token: u64,
}

/// What one member claims.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Claim {
    /// Askings up to here do not count any more.
    pub(super) floor: u64,
    /// The latest asking; not after the floor if there is none.
    pub(super) asked: u64,
    pub(super) heard: Vec<Heard>,
    pub(super) tenure: Option<Tenure>,
    /// The greatest token it has ever asked for: each tenure has its own.
    pub(super) used: u64,
}

impl Claim {
    pub(super) fn new(size: usize) -> Claim {
        Claim { floor: 0, asked: 0, heard: vec![Heard::default(); size], tenure: None, used: 0 }
    }

    /// A new asking: when, and the token to be stored. None at the very moment of giving back: a return must be able to say
    /// which askings it means.
    pub(super) fn ask(&mut self, now: u64) -> Option<(u64, u64)> {
        self.heal(now);
        self.asked = now;
        (now > self.floor).then_some((now, self.tenure.map_or(0, |tenure| tenure.token)))
    }

    /// Forgets what no sound memory holds: times that have not come.
    fn heal(&mut self, now: u64) {
        self.asked = self.asked.min(now);
        self.floor = self.floor.min(now);
        for heard in &mut self.heard {
            heard.at = if heard.at > self.asked || heard.at <= self.floor { 0 } else { heard.at };
        }
    }

    /// The lease was not renewed in time: what comes later begins another tenure.
    pub(super) fn lapse(&mut self, now: u64) {
        if self.tenure.is_some_and(|tenure| tenure.until <= now) {
            self.end();
        }
    }

    fn end(&mut self) {
        self.tenure = None;
        self.heard.iter_mut().for_each(|heard| heard.stored = false);
    }

    pub(super) fn hear(&mut self, now: u64, from: usize, letter: Letter) {
        self.heal(now);
        let Some(heard) = self.heard.get_mut(from) else { return };
        heard.greatest = heard.greatest.max(letter.token);
        if letter.at > self.floor && letter.at <= self.asked {
            heard.at = heard.at.max(letter.at);
        }
        let wanted = self.tenure.map_or(0, |tenure| tenure.token);
        heard.stored |= letter.kind == LetterKind::Stored && wanted > 0 && letter.token == wanted;
    }

    /// Until when a majority has granted.
    fn until(&self, terms: &Terms) -> u64 {
        let mut times: Vec<u64> = self.heard.iter().map(|heard| heard.at).filter(|&at| at > 0).collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        times.get(terms.majority() - 1).map_or(0, |at| at.saturating_add(terms.span()))
    }

    /// Takes the tenure on, or begins one.
    pub(super) fn renew(&mut self, terms: &Terms, now: u64) {
        self.heal(now);
        let until = self.until(terms);
        if until <= now {
            self.end();
            return;
        }
        // Deadlines beyond what could have been granted are cut.
        let until = until.min(now.saturating_add(terms.span()));
        let greatest = self.heard.iter().map(|heard| heard.greatest).max().unwrap_or(0).max(self.used);
        let stored = self.stored(terms);
        let tenure = self.tenure.get_or_insert(Tenure { until, token: 0 });
        tenure.until = until;
        if terms.token && (tenure.token == 0 || greatest > tenure.token) && !stored {
            tenure.token = greatest + 1;
            self.used = tenure.token;
            self.heard.iter_mut().for_each(|heard| heard.stored = false);
        }
    }

    /// Whether a majority has stored this tenure's token.
    fn stored(&self, terms: &Terms) -> bool {
        self.heard.iter().filter(|heard| heard.stored).count() >= terms.majority()
    }

    pub(super) fn held(&self) -> bool {
        self.tenure.is_some()
    }

    pub(super) fn token(&self, terms: &Terms) -> Option<u64> {
        self.tenure.filter(|_| terms.token && self.stored(terms)).map(|tenure| tenure.token)
    }

    pub(super) fn confirmed(&self, terms: &Terms) -> Option<u64> {
        let tenure = self.tenure?;
        (!terms.token || self.token(terms).is_some()).then_some(tenure.until)
    }

    pub(super) fn asking(&self) -> Option<u64> {
        (self.asked > self.floor).then_some(self.asked)
    }

    /// Nothing granted so far counts any more. Gives the last asking.
    pub(super) fn abandon(&mut self, now: u64) -> u64 {
        self.heal(now);
        self.floor = self.asked;
        self.end();
        self.heard.iter_mut().for_each(|heard| heard.at = 0);
        self.asked
    }

    pub(super) fn memory(&mut self, visitor: &mut dyn Visitor) {
        visitor.word("floor", &mut self.floor);
        visitor.word("asked", &mut self.asked);
        let mut until = self.tenure.map_or(0, |tenure| tenure.until);
        visitor.word("tenure", &mut until);
        let token = self.tenure.map_or(0, |tenure| tenure.token);
        self.tenure = (until > 0).then_some(Tenure { until, token });
        for (q, heard) in self.heard.iter_mut().enumerate() {
            visitor.word(("heard", q), &mut heard.at);
        }
    }
}

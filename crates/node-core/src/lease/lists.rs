//! Lists of members: sets of identities, and the numbered list that a member has adopted, with at most one proposal for the next one.

use std::fmt;

/// A set of identities below [`Members::MOST`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Members(u128);

impl Members {
    /// The number of identities that a list can have.
    pub const MOST: usize = 128;

    /// The identities whose flag is set. Those from [`Members::MOST`] on are left out.
    ///
    /// ```
    /// use ringleader_node_core::lease::Members;
    ///
    /// let list = Members::of(&[true, false, true]);
    /// assert_eq!((list.len(), list.majority(), list.to_string().as_str()), (2, 2, "0, 2"));
    /// ```
    pub fn of(flags: &[bool]) -> Members {
        flags.iter().enumerate().filter(|(_, member)| **member).map(|(id, _)| id).collect()
    }

    pub(crate) fn from_bits(bits: u128) -> Members {
        Members(bits)
    }

    pub(crate) fn bits(self) -> u128 {
        self.0
    }

    /// Whether an identity is in the set.
    pub fn contains(self, id: usize) -> bool {
        id < Members::MOST && self.0 >> id & 1 == 1
    }

    /// The number of members.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The identities in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let id = (rest != 0).then_some(rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            id
        })
    }

    /// The identities in one set or the other.
    #[must_use]
    pub fn or(self, other: Members) -> Members {
        Members(self.0 | other.0)
    }

    /// The identities in both.
    #[must_use]
    pub fn and(self, other: Members) -> Members {
        Members(self.0 & other.0)
    }

    /// The set without one identity.
    #[must_use]
    pub fn without(self, id: usize) -> Members {
        self.minus([id].into_iter().collect())
    }

    /// The identities that are not in the other set.
    #[must_use]
    pub fn minus(self, other: Members) -> Members {
        Members(self.0 & !other.0)
    }

    /// The number of members in a majority.
    pub fn majority(self) -> usize {
        self.len() / 2 + 1
    }

    /// Whether a majority of this list is among `those`.
    pub fn has_majority_in(self, those: Members) -> bool {
        self.and(those).len() >= self.majority()
    }
}

impl FromIterator<usize> for Members {
    fn from_iter<I: IntoIterator<Item = usize>>(ids: I) -> Members {
        Members(ids.into_iter().filter(|&id| id < Members::MOST).fold(0, |bits, id| bits | 1 << id))
    }
}

// By hand: a list for people, separated by commas.
impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<String> = self.iter().map(|id| id.to_string()).collect();
        f.write_str(if ids.is_empty() { "nobody".into() } else { ids.join(", ") }.as_str())
    }
}

/// The list that a member has adopted, its number, and at most one proposal for the next list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Lists {
    /// The number of the adopted list; 0 if the member knows no list, since its file is fresh.
    pub number: u64,
    /// The adopted list.
    pub adopted: Members,
    /// The list that has the next number, once it is adopted.
    pub proposal: Option<Members>,
}

impl Lists {
    /// The first list of a cluster.
    pub fn first(adopted: Members) -> Lists {
        Lists { number: 1, adopted, proposal: None }
    }

    /// Whether a list is known.
    pub fn known(&self) -> bool {
        self.number > 0
    }

    /// Whether these are later than others: a proposal follows its adopted list, and the next list follows the proposal.
    pub fn supersedes(&self, other: &Lists) -> bool {
        (self.number, self.proposal.is_some()) > (other.number, other.proposal.is_some())
    }

    /// Whether these are the next lists after others: the same with a proposal, or the adopted proposal.
    pub fn continues(&self, other: &Lists) -> bool {
        let adopts = self.number == other.number.saturating_add(1) && other.proposal == Some(self.adopted);
        adopts || (self.number == other.number && self.adopted == other.adopted)
    }

    /// The lists of which a lease needs majorities.
    pub fn active(&self) -> impl Iterator<Item = Members> {
        [Some(self.adopted), self.proposal].into_iter().flatten()
    }

    /// All members of the adopted list and of the proposal.
    pub fn everyone(&self) -> Members {
        self.adopted.or(self.proposal.unwrap_or_default())
    }

    /// Whether each list has members, all of them among `size` identities.
    pub fn fit(&self, size: usize) -> bool {
        self.active().all(|list| list.iter().last().is_some_and(|last| last < size))
    }

    /// The list at the end of the present change.
    pub fn target(&self) -> Members {
        self.proposal.unwrap_or(self.adopted)
    }

    /// Whether majorities of all active lists are among `those`.
    pub fn have_majorities_in(&self, those: Members) -> bool {
        self.active().all(|list| list.has_majority_in(those))
    }

    /// Whether others have another adopted list with the same number: the files of the two have no common beginning.
    pub fn contradict(&self, other: &Lists) -> bool {
        self.known() && self.number == other.number && self.adopted != other.adopted
    }

    /// Whether a member with these lists may grant to an asker with other lists: not if the asker needs fewer majorities than this member
    /// knows to be necessary, and not under another list with the same number or another proposal.
    pub(super) fn allow(&self, asker: &Lists) -> bool {
        let same = self.number != asker.number || self.proposal.is_none() || self.proposal == asker.proposal;
        self.known() && !self.contradict(asker) && !self.supersedes(asker) && same
    }

    /// The same with a proposal, unless there is one or it changes nothing.
    pub(super) fn with(self, proposal: Members) -> Option<Lists> {
        let free = self.proposal.is_none();
        (free && proposal != self.adopted).then_some(Lists { proposal: Some(proposal), ..self })
    }

    /// The lists after the adoption of the proposal.
    pub(super) fn next(self) -> Option<Lists> {
        Some(Lists { number: self.number.saturating_add(1), adopted: self.proposal?, proposal: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_iterated_in_ascending_order() {
        for ids in [vec![], vec![0], vec![127], vec![0, 1, 63, 64, 126, 127], (0..Members::MOST).collect()] {
            let list: Members = ids.iter().copied().collect();
            assert_eq!(list.iter().collect::<Vec<_>>(), ids);
            let without: Vec<usize> = list.without(64).iter().collect();
            assert_eq!(without, ids.into_iter().filter(|&id| id != 64).collect::<Vec<_>>());
            assert_eq!((list.without(Members::MOST), list.without(usize::MAX)), (list, list));
        }
    }

    #[test]
    fn an_asker_needs_all_majorities_that_its_granter_knows_of() {
        let [old, new, other]: [Members; 3] = [[0, 1, 2], [1, 2, 3], [0, 1, 4]].map(|ids| ids.into_iter().collect());
        let plain = Lists::first(old);
        let [proposed, against] = [new, other].map(|list| plain.with(list).unwrap());
        let after = proposed.next().unwrap();
        assert_eq!(proposed.with(other), None);
        let order = [Lists::default(), plain, proposed, after];
        for (i, granter) in order.iter().enumerate() {
            for (j, asker) in order.iter().enumerate() {
                assert_eq!(granter.allow(asker), i > 0 && j >= i, "{granter:?} and {asker:?}");
            }
        }
        assert!(!proposed.allow(&against) && !against.allow(&proposed) && against.allow(&after));
        let foreign = Lists::first(other);
        for theirs in [foreign, foreign.with(old).unwrap()] {
            assert!(!plain.allow(&theirs) && !theirs.allow(&plain) && plain.contradict(&theirs));
        }
        assert!(proposed.have_majorities_in([1, 2].into_iter().collect()));
        assert!(!proposed.have_majorities_in([0, 1].into_iter().collect()));
    }
}

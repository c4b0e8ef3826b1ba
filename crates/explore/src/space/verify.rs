//! Verification of an explored state space.

use crate::Space;
use crate::store::Memo;
use crate::system::Tally;

/// The number of states between two calls of `keep_going`.
const STRETCH: usize = 1 << 12;

/// The result of a verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of verified states.
    pub stored: u64,
    /// The number of states that are not found, or are not the representatives of their classes.
    pub lost: u64,
    /// The number of missing successors.
    pub missing: u64,
    /// The number of states of the full state space, counted again.
    pub states: u64,
    /// The number of their transitions.
    pub transitions: u64,
    /// The number of states that every rotation leaves unchanged.
    pub invariant: u64,
    /// The counts of this pass, and of the search.
    pub(crate) again: Tally,
    pub(crate) before: Tally,
}

impl Verified {
    /// Adds the states of a part of the set.
    pub(crate) fn add(&mut self, stored: u64, lost: u64, missing: u64, again: Tally) {
        self.stored += stored;
        self.lost += lost;
        self.missing += missing;
        self.again += again;
        (self.states, self.transitions, self.invariant) =
            (self.again.states, self.again.transitions, self.again.invariant);
    }

    /// Whether all states and successors are found, and the counts are the same.
    pub fn is_sound(&self) -> bool {
        self.lost == 0 && self.missing == 0 && self.again == self.before
    }
}

impl Space<'_> {
    /// Verifies every stored state: the set must have it and all its successors. Then the set is closed, contains the start, and has
    /// the counts of the search. `None` if `keep_going` returned `false`.
    pub fn verify(&self, keep_going: &(dyn Fn() -> bool + Sync)) -> Option<Verified> {
        let look = |states: &mut dyn Iterator<Item = u128>| {
            let (mut seen, mut memo) = (Verified::default(), Memo::default());
            let (mut stretch, mut targets, mut successors) = (vec![], vec![], vec![]);
            loop {
                stretch.clear();
                targets.clear();
                stretch.extend(states.take(STRETCH));
                if stretch.is_empty() {
                    return Some(seen);
                }
                if !keep_going() {
                    return None;
                }
                for &state in &stretch {
                    let kept = self.system.representative(state).is_ok_and(|kept| kept == state);
                    seen.lost += u64::from(!kept);
                    seen.missing += u64::from(self.system.kept_successors(state, &mut successors).is_err());
                    seen.again += self.system.count(state, successors.len() as u64);
                    targets.extend(successors.iter().map(|&(_, target)| target));
                }
                seen.stored += stretch.len() as u64;
                seen.lost += self.found.kept.absent(&stretch, &mut memo);
                seen.missing += self.found.kept.absent(&targets, &mut memo);
            }
        };
        let mut all = Verified { before: self.found.whole.counts, ..Verified::default() };
        for part in self.found.each(self.options.threads.max(1), look) {
            let part = part?;
            all.add(part.stored, part.lost, part.missing, part.again);
        }
        let start = self.system.representative(self.system.start_again());
        all.missing += start.map_or(1, |start| self.found.kept.absent(&[start], &mut Memo::default()));
        all.lost += self.kept_here().abs_diff(all.stored);
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use crate::crew::Crew;
    use crate::store::{Compact, Mail, Memo, Plain, Store};
    use crate::{Options, Space};
    use ringleader_algorithms::message::franklin::Franklin;
    use ringleader_erased::MessageInstance;

    /// The set of all states except some.
    fn without<S: Store>(space: &Space<'_>, lost: &[u128]) -> S {
        let (mut set, crew) = (S::new(space.system.layout, 3), Crew::new(2));
        let states: Vec<u128> = space.found.each(1, |states| states.collect::<Vec<_>>()).concat();
        let kept: Vec<u128> = states.into_iter().filter(|state| !lost.contains(state)).collect();
        set.meet(&kept, &crew);
        let (mut mail, mut strangers) = (Mail::new(), vec![]);
        set.address(&kept, &mut S::Memo::default(), &mut mail, &mut strangers);
        assert!(strangers.is_empty());
        mail.seal();
        set.insert(&[&mail], &crew);
        set.advance(&crew);
        set
    }

    #[test]
    fn a_missing_state_is_noticed() {
        let model = MessageInstance::new(Franklin { size: 3, ids: 2, keeps_identity: false });
        let mut space = Space::explore(&model, &Options::default(), &mut |_| true).expect("it fits");
        assert!(space.verify(&|| true).is_some_and(|verified| verified.is_sound()));
        let start = space.system.start_again();
        for lost in [vec![], vec![space.found.state(77)], vec![start]] {
            for compact in [false, true] {
                let sound = lost.is_empty();
                space.found.kept = if compact {
                    Box::new(without::<Compact>(&space, &lost))
                } else {
                    Box::new(without::<Plain>(&space, &lost))
                };
                let verified = space.verify(&|| true).expect("it is not stopped");
                assert_eq!(verified.is_sound(), sound, "{verified:?}");
                assert_eq!(verified.missing > 0, !sound);
                assert_eq!(verified.lost, 0);
                space = Space::explore(&model, &Options::default(), &mut |_| true).expect("it fits");
            }
        }
        assert_eq!(space.found.kept.absent(&[start, u128::MAX >> 1], &mut Memo::default()), 1);
        space.found.whole.counts.transitions += 1;
        assert!(!space.verify(&|| true).is_some_and(|verified| verified.is_sound()));
        assert_eq!(space.verify(&|| false), None);
    }
}

//! A second look at a state space that has been explored.

use crate::Space;
use crate::store::Memo;
use crate::system::Tally;

/// How many states are looked at before somebody may ask to stop.
const STRETCH: usize = 1 << 12;

/// What a second look found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// States that were looked at.
    pub stored: u64,
    /// Those of them that are not found, or are not the ones that are kept for their class.
    pub lost: u64,
    /// Successors that are not there.
    pub missing: u64,
    /// States of the full state space, counted again.
    pub states: u64,
    /// Their transitions.
    pub transitions: u64,
    /// Those that every rotation leaves as they are.
    pub invariant: u64,
    again: Tally,
    before: Tally,
}

impl Verified {
    /// Whether everything is in its place, and the counts are the same.
    pub fn is_sound(&self) -> bool {
        self.lost == 0 && self.missing == 0 && self.again == self.before
    }
}

impl Space<'_> {
    /// Looks at every stored state again: it must be found, and so must all its successors. Then the set is closed, holds the
    /// start, and has the counts that the search came to. `None` if it is told to stop.
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
                seen.lost += self.found.absent(&stretch, &mut memo);
                seen.missing += self.found.absent(&targets, &mut memo);
            }
        };
        let mut all = Verified { before: self.found.whole.counts, ..Verified::default() };
        for part in self.found.each(self.options.threads.max(1), look) {
            let part = part?;
            all.stored += part.stored;
            all.lost += part.lost;
            all.missing += part.missing;
            all.again += part.again;
        }
        let start = self.system.representative(self.system.start_again());
        all.missing += start.map_or(1, |start| self.found.absent(&[start], &mut Memo::default()));
        all.lost += self.kept_here().abs_diff(all.stored);
        (all.states, all.transitions, all.invariant) = (all.again.states, all.again.transitions, all.again.invariant);
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use crate::crew::Crew;
    use crate::search::Kept;
    use crate::store::{Compact, Mail, Memo, Plain, Store};
    use crate::{Options, Space};
    use ringleader_algorithms::message::franklin::Franklin;
    use ringleader_erased::MessageInstance;

    /// A set of all states but some.
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
    fn a_state_that_is_not_there_is_missed() {
        let model = MessageInstance::new(Franklin { size: 3, ids: 2, keeps_identity: false });
        let mut space = Space::explore(&model, &Options::default(), &mut |_| true).expect("it fits");
        assert!(space.verify(&|| true).is_some_and(|verified| verified.is_sound()));
        let start = space.system.start_again();
        for lost in [vec![], vec![space.found.state(77)], vec![start]] {
            for compact in [false, true] {
                let sound = lost.is_empty();
                space.found.kept = if compact {
                    Kept::Compact(without::<Compact>(&space, &lost))
                } else {
                    Kept::Plain(without::<Plain>(&space, &lost))
                };
                let verified = space.verify(&|| true).expect("nobody stops it");
                assert_eq!(verified.is_sound(), sound, "{verified:?}");
                assert_eq!(verified.missing > 0, !sound);
                assert_eq!(verified.lost, 0);
                space = Space::explore(&model, &Options::default(), &mut |_| true).expect("it fits");
            }
        }
        assert_eq!(space.found.absent(&[start, u128::MAX >> 1], &mut Memo::default()), 1);
        space.found.whole.counts.transitions += 1;
        assert!(!space.verify(&|| true).is_some_and(|verified| verified.is_sound()));
        assert_eq!(space.verify(&|| false), None);
    }
}

//! Whether nothing can change any more: no step of any agent, whatever is drawn or chosen.
//!
//! The rule itself is tested, outcome by outcome: all outcomes of all draws must leave the states unchanged.

use crate::kernel::arcs::{Arcs, Arena};
use ringleader_erased::{LeavesDomain, Number, PopulationInstance};
use ringleader_model::{Odometer, Told};

/// A rule with more outcomes than this is not tested.
const OUTCOMES: u32 = 4096;

/// The times of tests: ever more rare, so that they cost a run almost nothing.
#[derive(Clone, Debug)]
pub struct LookTimes {
    last: u64,
    next: u64,
    least: u64,
}

impl LookTimes {
    /// With at least `least` units of work between two looks.
    pub fn every(least: u64) -> LookTimes {
        LookTimes { last: 0, next: least, least }
    }

    /// With intervals that suit a run of this many agents.
    pub fn of_run(agents: usize) -> LookTimes {
        LookTimes::every(64 * agents as u64 + 512)
    }

    /// Whether a look is due after `done` units of work; if so, the number of questions that it may ask.
    pub fn due(&mut self, done: u64) -> Option<u64> {
        if done < self.next {
            return None;
        }
        let questions = (done - self.last) / 16;
        (self.last, self.next) = (done, done.saturating_add(self.least.max(done / 8)));
        Some(questions)
    }
}

/// Whether no interaction changes a state if every agent hears `heard`; `false` if this many questions do not decide it.
pub(crate) fn population(
    protocol: &PopulationInstance,
    arena: &Arena,
    states: &[Number],
    heard: bool,
    questions: u64,
) -> bool {
    let told = Told::both(heard);
    let still =
        |(u, v): (Number, Number)| never_changes(&(u.0, v.0), |coin| protocol.try_interact(u.0, v.0, told, coin));
    match arena {
        // Agents in the same state are interchangeable.
        Arena::Complete(_) => {
            let mut sorted = states.to_vec();
            sorted.sort_unstable_by_key(|state| state.0);
            let kinds: Vec<_> = sorted.chunk_by(Number::eq).map(|same| (same[0], same.len() > 1)).collect();
            let worth = (kinds.len() as u64).checked_mul(kinds.len() as u64).is_some_and(|all| all <= questions);
            let meet = |i: usize, j: usize| i != j || kinds[i].1;
            worth && (0..kinds.len()).all(|i| (0..kinds.len()).all(|j| !meet(i, j) || still((kinds[i].0, kinds[j].0))))
        }
        arena => {
            let between = |arc: u64| arena.ends(arc as usize);
            arena.count() <= questions && (0..arena.count()).map(between).all(|(u, v)| still((states[u], states[v])))
        }
    }
}

/// Whether every outcome of a rule equals the state before. A rule with too many outcomes counts as one that changes it.
pub(crate) fn never_changes<S: PartialEq>(before: &S, rule: impl Fn(&mut Odometer) -> Result<S, LeavesDomain>) -> bool {
    let (mut same, mut outcomes) = (true, 0);
    Odometer::each_while(|coin| {
        outcomes += 1;
        same = outcomes <= OUTCOMES && rule(coin).is_ok_and(|after| after == *before);
        same
    });
    same
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Coin;

    #[test]
    fn looks_become_rare_and_cost_a_sixteenth_at_most() {
        let mut looks = LookTimes::every(64);
        let asked: Vec<(u64, u64)> = (0..100_000).filter_map(|done| Some((done, looks.due(done)?))).collect();
        assert_eq!(asked[..2], [(64, 4), (128, 4)]);
        assert!(asked.len() < 70, "{} looks", asked.len());
        assert!(asked.iter().map(|(_, questions)| questions).sum::<u64>() <= 100_000 / 16);
    }

    #[test]
    fn only_a_rule_none_of_whose_outcomes_changes_anything_is_still() {
        assert!(never_changes(&7, |_| Ok(7)));
        assert!(never_changes(&7, |coin| Ok(7 + coin.below(5) / 5)));
        assert!(!never_changes(&7, |coin| Ok(if coin.below(100) == 99 { 8 } else { 7 })));
        assert!(!never_changes(&7, |coin| Ok(7 + coin.below(2) * coin.choose(3) / 2)));
        assert!(!never_changes(&7, |coin| Ok(7 + coin.below(1 << 20) / ((1 << 20) - 1))), "too many to look through");
    }
}

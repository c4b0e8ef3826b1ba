//! Whether an algorithm's sets depend on places. Rotations or permutations are equivalent only if they do not.

use crate::space::{MOST_AGENTS, MixedRadix};
use ringleader_erased::{Judge, Number};
use ringleader_model::Stabilizing;

/// Up to this many configurations are judged; of a larger space, a sample of this size spread over all of it.
const MOST_JUDGED: u64 = 1 << 14;

/// Whether the possible faults are the same at all places. If one agent is given as the leader, rotations are not
/// configurations.
pub(crate) fn same_faults_everywhere<A: Stabilizing<State = Number>>(algorithm: &A, states: u64, size: usize) -> bool {
    !algorithm.names_places()
        && (0..states).map(Number).all(|state| {
            let mut everywhere = vec![state; size];
            algorithm.restore(&mut everywhere);
            everywhere.iter().all(|s| *s == everywhere[0])
        })
}

/// Whether a rotation by one place leaves all judgements unchanged.
pub(crate) fn rotation_invariant(judge: &mut dyn Judge, space: &MixedRadix) -> bool {
    let (mut digits, mut turned) = ([0; MOST_AGENTS], [0; MOST_AGENTS]);
    let agents = space.agents();
    spread(space.size()).all(|c| {
        space.decode(c as u32, &mut digits);
        space.decode(space.turn_back(c as u32), &mut turned);
        judge.judge(&digits[..agents]) == judge.judge(&turned[..agents])
    })
}

/// Whether permutations of agents leave all judgements unchanged.
pub(crate) fn permutation_invariant(judge: &mut dyn Judge, states: u64, agents: usize) -> bool {
    let all = states.checked_pow(agents as u32).unwrap_or(u64::MAX);
    spread(all).all(|mut c| {
        let mut digits = vec![0; agents];
        for digit in &mut digits {
            *digit = (c % states) as u32;
            c /= states;
        }
        let verdict = judge.judge(&digits);
        digits.swap(0, 1);
        let swapped = judge.judge(&digits);
        digits.rotate_left(1);
        verdict == swapped && verdict == judge.judge(&digits)
    })
}

/// The numbers below `len` if there are few, otherwise a pseudo-random sample of them.
fn spread(len: u64) -> impl Iterator<Item = u64> {
    let scattered = move |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % len;
    (0..len.min(MOST_JUDGED)).map(move |i| if len <= MOST_JUDGED { i } else { scattered(i) })
}

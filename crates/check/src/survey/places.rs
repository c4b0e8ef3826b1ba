//! Whether an algorithm's sets know places. Only if not may rotations or permutations of a configuration stand for it.

use crate::space::{MOST_AGENTS, Space};
use ringleader_erased::{Judge, Number};
use ringleader_model::Stabilizing;

/// Up to so many configurations are judged; of more than these, so many that are spread over all of them.
const MOST_JUDGED: u64 = 1 << 14;

/// Whether no fault is ruled out at some places only: where one agent is given as the leader, rotations are no
/// configurations.
pub(crate) fn knows_no_place<A: Stabilizing<State = Number>>(algorithm: &A, states: u64, size: usize) -> bool {
    !algorithm.names_places()
        && (0..states).map(Number).all(|state| {
            let mut everywhere = vec![state; size];
            algorithm.restore(&mut everywhere);
            everywhere.iter().all(|s| *s == everywhere[0])
        })
}

/// Whether configurations are judged as they are when all agents move on by one place.
pub(crate) fn blind_to_rotation(judge: &mut dyn Judge, space: &Space) -> bool {
    let (mut digits, mut turned) = ([0; MOST_AGENTS], [0; MOST_AGENTS]);
    let agents = space.agents();
    spread(space.size()).all(|c| {
        space.decode(c as u32, &mut digits);
        space.decode(space.turn_back(c as u32), &mut turned);
        judge.judge(&digits[..agents]) == judge.judge(&turned[..agents])
    })
}

/// Whether configurations are judged as they are when two agents, or all, change places.
pub(crate) fn blind_to_permutation(judge: &mut dyn Judge, states: u64, agents: usize) -> bool {
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

/// The numbers below `len`, if there are few, or some that look as if drawn from all of them.
fn spread(len: u64) -> impl Iterator<Item = u64> {
    let scattered = move |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % len;
    (0..len.min(MOST_JUDGED)).map(move |i| if len <= MOST_JUDGED { i } else { scattered(i) })
}

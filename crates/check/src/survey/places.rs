//! Whether an algorithm's sets depend on places. Rotations or permutations are equivalent only if they do not.

use crate::question::{Claimed, Condition, Each, Question};
use crate::space::{MOST_AGENTS, MixedRadix};
use ringleader_erased::{Number, PopulationInstance};
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
pub(crate) fn rotation_invariant<J: PartialEq>(mut judge: impl FnMut(&[u32]) -> J, space: &MixedRadix) -> bool {
    let (mut digits, mut turned) = ([0; MOST_AGENTS], [0; MOST_AGENTS]);
    let agents = space.agents();
    spread(space.size()).all(|c| {
        space.decode(c as u32, &mut digits);
        space.decode(space.turn_back(c as u32), &mut turned);
        judge(&digits[..agents]) == judge(&turned[..agents])
    })
}

/// Whether a rotation by one place leaves the claims and the starts of the question unchanged. Claims on single processes are not
/// tested: their conditions turn with the processes.
pub(crate) fn same_questions_everywhere(question: &Question, space: &MixedRadix) -> bool {
    let same = |holds: &Condition| rotation_invariant(|digits| holds(digits), space);
    question.starting.as_ref().is_none_or(|starting| same(&starting.holds))
        && question.claims.iter().all(|claim| match &claim.claimed {
            Claimed::Invariant(holds) | Claimed::Always(holds) | Claimed::Eventually(holds) => same(holds),
            Claimed::Recurring(_) | Claimed::Response(..) => true,
        })
}

/// Whether an algorithm, a claim or the starts of the question depend on the numbers of the agents: then one graph does not stand for the
/// isomorphic ones. Algorithms in Rust and claims are judged by a sample of configurations, if there are many.
pub fn tells_agents_apart(algorithm: &PopulationInstance, size: usize, question: &Question) -> bool {
    let states = algorithm.states();
    let blind =
        algorithm.judge(size).is_none_or(|mut judge| permutation_invariant(|digits| judge.judge(digits), states, size));
    let mut claims = question.claims.iter();
    let starts = question.starting.as_ref();
    let alike = |states: &[u32]| states.iter().all(|state| *state == states[0]);
    !same_faults_everywhere(algorithm, states, size)
        || !question.starts.iter().all(|start| alike(&start.states))
        || !starts.is_none_or(|starting| permutation_invariant(&*starting.holds, states, size))
        || !blind
        || !claims.all(|claim| match &claim.claimed {
            Claimed::Invariant(holds) | Claimed::Always(holds) | Claimed::Eventually(holds) => {
                permutation_invariant(&**holds, states, size)
            }
            Claimed::Recurring(each) => same_everywhere(each, states, size),
            Claimed::Response(first, then) => {
                same_everywhere(first, states, size) && same_everywhere(then, states, size)
            }
        })
}

/// Whether permutations of agents permute the conditions on them.
fn same_everywhere(each: &Each, states: u64, size: usize) -> bool {
    let judge = |digits: &[u32]| {
        let bits = (each.holds)(digits);
        let bit = |i: usize| bits >> if each.count > 1 { i } else { 0 } & 1;
        let mut all: Vec<(u32, u32)> = digits.iter().enumerate().map(|(i, &digit)| (digit, bit(i))).collect();
        all.sort_unstable();
        all
    };
    permutation_invariant(judge, states, size)
}

/// Whether permutations of agents leave all judgements unchanged.
pub(crate) fn permutation_invariant<J: PartialEq>(
    mut judge: impl FnMut(&[u32]) -> J,
    states: u64,
    agents: usize,
) -> bool {
    let all = states.checked_pow(agents as u32).unwrap_or(u64::MAX);
    spread(all).all(|mut c| {
        let mut digits = vec![0; agents];
        for digit in &mut digits {
            *digit = (c % states) as u32;
            c /= states;
        }
        let verdict = judge(&digits);
        digits.swap(0, 1);
        let swapped = judge(&digits);
        digits.rotate_left(1);
        verdict == swapped && verdict == judge(&digits)
    })
}

/// The numbers below `len` if there are few, otherwise a pseudo-random sample of them.
fn spread(len: u64) -> impl Iterator<Item = u64> {
    let scattered = move |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % len;
    (0..len.min(MOST_JUDGED)).map(move |i| if len <= MOST_JUDGED { i } else { scattered(i) })
}

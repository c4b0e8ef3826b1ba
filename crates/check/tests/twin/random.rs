//! Random rule tables.

use super::*;

/// A random system of two to four agents with a few states. Half of them mostly make sense: of two leaders one resigns, and
/// where the detector sees none, or at the bottom process, one appears; the others change states at random, rarely.
///
/// The same system comes plain and, if it is anonymous, up to rotation.
pub(crate) fn random_surveys(dice: &mut Dice) -> Surveys {
    let (agents, states) = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)][dice.below(6) as usize];
    let ring = dice.below(2) == 0;
    let inputs = !ring && dice.below(2) == 0 && agents * states <= 8;
    let sides = if dice.below(4) == 0 { 2 } else { 1 };
    // State 0 is a leader's and state 1 is not.
    let leader: Vec<bool> = (0..states).map(|s| s == 0 || (s > 1 && dice.below(4) == 0)).collect();
    let sensible = dice.below(2) == 0;
    let lazy = 2 + dice.below(4);
    let table = |dice: &mut Dice, bottom: bool| {
        Table::from_rule(states as usize, if inputs { 4 } else { 1 }, sides, |choice, l, r| {
            let leads = |s: u32| leader[s as usize];
            let rules = vec![dice.below(3) as u8 + 1];
            if sensible && dice.below(12) > 0 {
                let (left, right) = match (ring, leads(l), leads(r)) {
                    (true, ..) => (l, if leads(r) == bottom { r } else { u32::from(!bottom) }),
                    (false, true, true) => (l, 1),
                    // Choices 0 and 1: the left agent is told that there is no leader.
                    (false, false, false) if inputs && choice < 2 => (0, r),
                    _ => (l, r),
                };
                return (left, right, rules);
            }
            let pick = |dice: &mut Dice, old: u32| if dice.below(lazy) > 0 { old } else { dice.below(states) };
            let left = if ring { l } else { pick(dice, l) };
            (left, pick(dice, r), rules)
        })
    };
    let other = table(dice, false);
    // Half of the rings have a bottom process.
    let bottom = if ring && dice.below(2) == 0 { table(dice, true) } else { other.clone() };
    let tables = if ring { vec![bottom, other] } else { vec![other] };
    let n = agents as usize;
    let arcs: Vec<(usize, usize, usize)> = match (ring, dice.below(3)) {
        (true, _) => (0..n).map(|i| ((i + n - 1) % n, i, usize::from(i != 0))).collect(),
        (false, 0) => (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j, 0))).collect(),
        (false, _) => (0..n).map(|i| (i, (i + 1) % n, 0)).collect(),
    };
    let space = Space::new(n, u64::from(states)).unwrap();
    let system = System::new(space, arcs, tables, Leaders::Own(leader), ring);
    let label = |digits: &[u32]| match system.leaders(system.space().encode(digits)) {
        mask if mask.count_ones() == 1 => mask.trailing_zeros() as u8,
        _ => INCORRECT,
    };
    // The own safe set is any set of correct configurations, up to rotation: whether it is closed is for the checker to find
    // out.
    let chosen: Vec<bool> = (0..system.space().size()).map(|_| dice.below(8) == 0).collect();
    let some = dice.below(4) == 0;
    let own = |digits: &[u32]| {
        let turned = (0..n).map(|by| [&digits[by..], &digits[..by]].concat());
        let least = turned.map(|digits| system.space().encode(&digits)).min().unwrap();
        some && label(digits) != INCORRECT && chosen[least as usize]
    };
    let folded = system.clone().folded(&Watch::new(2)).unwrap();
    Surveys {
        plain: Survey::from_parts(system.clone(), Goal::OneLeader, label, own),
        folded: Survey::from_parts(folded, Goal::OneLeader, label, own),
    }
}

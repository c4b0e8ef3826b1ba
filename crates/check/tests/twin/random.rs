//! Random rule tables.

use super::*;

/// A small generator; the same numbers for a seed everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % u64::from(n)) as u32
    }
}

/// A random system of two to four agents with a few states, whose transitions mostly change nothing or lose a leader.
pub fn random_survey(dice: &mut Dice) -> Survey {
    let (agents, states) = [(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)][dice.below(6) as usize];
    let ring = dice.below(2) == 0;
    let inputs = !ring && dice.below(3) == 0 && agents * states <= 8;
    let sides = if dice.below(4) == 0 { 2 } else { 1 };
    let leader: Vec<bool> = (0..states).map(|s| s == 0 || (states > 2 && dice.below(4) == 0)).collect();
    let lazy = 2 + dice.below(4);
    let table = |dice: &mut Dice| {
        Table::from_rule(states as usize, if inputs { 4 } else { 1 }, sides, |_, l, r| {
            let pick = |dice: &mut Dice, old: u32| if dice.below(lazy) > 0 { old } else { dice.below(states) };
            let left = if ring { l } else { pick(dice, l) };
            (left, pick(dice, r), vec![dice.below(3) as u8 + 1])
        })
    };
    let tables = if ring { vec![table(dice), table(dice)] } else { vec![table(dice)] };
    let n = agents as usize;
    let arcs: Vec<(usize, usize, usize)> = match (ring, dice.below(3)) {
        (true, _) => (0..n).map(|i| ((i + n - 1) % n, i, usize::from(i != 0))).collect(),
        (false, 0) => (0..n).flat_map(|i| (0..n).filter(move |&j| j != i).map(move |j| (i, j, 0))).collect(),
        (false, _) => (0..n).map(|i| (i, (i + 1) % n, 0)).collect(),
    };
    let space = Space::new(n, u64::from(states)).unwrap();
    let system = System::new(space, arcs, tables, Leaders::Own(leader), ring);
    let len = system.space().size() as u32;
    let labels: Vec<u8> = (0..len)
        .map(|c| match system.leaders(c) {
            mask if mask.count_ones() == 1 => mask.trailing_zeros() as u8,
            _ => INCORRECT,
        })
        .collect();
    // The own safe set is any set of correct configurations: whether it is closed is for the checker to find out.
    let own = Bits::new(u64::from(len));
    if dice.below(4) == 0 {
        let correct = |c: &u32| labels[*c as usize] != INCORRECT;
        (0..len).filter(correct).filter(|_| dice.below(8) == 0).for_each(|c| assert!(own.insert(c)));
    }
    Survey::from_parts(system, Goal::OneLeader, labels, own)
}

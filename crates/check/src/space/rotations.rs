//! Configurations up to rotation, for anonymous rings: each rotation class is a node, represented by its least member.
//!
//! A bitmap marks the representatives. Counting its bits numbers the classes without gaps, so finding the class of a
//! configuration takes a few divisions and one memory access.

use super::MixedRadix;
use crate::{Monitor, Stop};
use std::ops::Range;

/// All classes of a space under rotation.
#[derive(Debug)]
pub struct Rotations {
    space: MixedRadix,
    /// For each 64 configurations: a bitmap of the representatives, and the number of representatives before them.
    blocks: Vec<(u64, u32)>,
    least: Vec<u32>,
}

impl Rotations {
    /// Finds all classes.
    pub fn new(space: &MixedRadix, monitor: &Monitor) -> Result<Rotations, Stop> {
        monitor.enter("configurations up to rotation", Some(space.size()));
        let look = |found: &mut Vec<(u64, u64)>, range: Range<u64>| {
            for first in range.step_by(64) {
                let members = (first..space.size().min(first + 64)).filter(|&c| is_least(space, c as u32));
                found.push((first / 64, members.fold(0, |bits, c| bits | 1 << (c - first))));
            }
        };
        let found = monitor.blocks(space.size(), 1 << 16, look, Vec::new)?;
        let mut blocks = vec![(0, 0); space.size().div_ceil(64) as usize];
        found.into_iter().flatten().for_each(|(at, bits)| blocks[at as usize].0 = bits);
        let mut least = Vec::with_capacity(blocks.iter().map(|b| b.0.count_ones() as usize).sum());
        for (at, block) in blocks.iter_mut().enumerate() {
            block.1 = least.len() as u32;
            least.extend((0..64).filter(|i| block.0 >> i & 1 == 1).map(|i| (at as u32) << 6 | i));
        }
        Ok(Rotations { space: space.clone(), blocks, least })
    }

    /// The number of classes.
    pub fn classes(&self) -> u64 {
        self.least.len() as u64
    }

    /// The representative of a class.
    #[inline]
    pub fn least(&self, class: u32) -> u32 {
        self.least[class as usize]
    }

    /// The class of a configuration, and the rotation that turns the representative into the configuration.
    #[inline]
    pub fn class(&self, c: u32) -> (u32, u32) {
        let (mut least, mut turn, mut turned) = (c, 0, c);
        for k in 1..self.space.agents as u32 {
            turned = self.space.turn_back(turned);
            if turned < least {
                (least, turn) = (turned, k);
            }
        }
        let (bits, before) = self.blocks[(least >> 6) as usize];
        (before + (bits & ((1 << (least & 63)) - 1)).count_ones(), turn)
    }

    /// The number of configurations in a class.
    #[inline]
    pub fn members(&self, class: u32) -> u64 {
        let least = self.least(class);
        let (mut turned, mut count) = (self.space.turn_back(least), 1);
        while turned != least {
            turned = self.space.turn_back(turned);
            count += 1;
        }
        count
    }

    /// The number of classes of a space (Burnside): the mean number of configurations that a rotation leaves unchanged.
    pub fn count(space: &MixedRadix) -> u64 {
        let agents = space.agents as u64;
        let fixed = |turn: u64| u64::from(space.radix).pow(gcd(agents as u32, turn as u32));
        (0..agents).map(fixed).sum::<u64>() / agents
    }

    /// The bytes that these classes need while they are computed.
    pub fn bytes(configurations: u64, classes: u64) -> u64 {
        // The blocks, twice, and the least members.
        configurations / 64 * 32 + classes * 4
    }
}

/// The greatest common divisor.
pub(crate) fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn is_least(space: &MixedRadix, c: u32) -> bool {
    let mut turned = c;
    (1..space.agents).all(|_| {
        turned = space.turn_back(turned);
        turned >= c
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_the_rotations_of_their_least_member() {
        for (agents, radix) in [(1, 5), (2, 3), (3, 5), (4, 3), (6, 2)] {
            let space = MixedRadix::new(agents, radix).unwrap();
            let rotations = Rotations::new(&space, &Monitor::new(2)).unwrap();
            for c in 0..space.size() as u32 {
                let (class, turn) = rotations.class(c);
                let mut digits = space.digits(rotations.least(class));
                digits.rotate_right(turn as usize);
                assert_eq!(space.encode(&digits), c);
            }
            assert_eq!(rotations.classes(), Rotations::count(&space));
            let members: u64 = (0..rotations.classes() as u32).map(|class| rotations.members(class)).sum();
            assert_eq!(members, space.size());
        }
    }
}

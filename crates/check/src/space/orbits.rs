//! Configurations up to the symmetries of a graph: each orbit is a node, represented by its least member.

use super::{Digits, MOST_AGENTS, MixedRadix, Symmetries};
use crate::{Monitor, Stop};

/// All orbits of a space. The orbit of a configuration is looked up, since its least member would take long to find in a large group.
#[derive(Debug)]
pub(crate) struct Orbits {
    /// The group.
    pub(crate) symmetries: Symmetries,
    /// The orbit of each configuration, and the symmetry that turns the least member into it.
    orbit: Vec<u32>,
    turn: Vec<u16>,
    /// The least member of each orbit, and the number of its members.
    least: Vec<u32>,
    members: Vec<u16>,
}

impl Orbits {
    /// Finds all orbits.
    pub(crate) fn new(space: &MixedRadix, symmetries: Symmetries, monitor: &Monitor) -> Result<Orbits, Stop> {
        monitor.enter("configurations up to automorphism", Some(space.size()));
        let states = space.radix;
        // For each symmetry and agent, the summand of each state in the number of a configuration; 0 for a state that the agent does not have.
        let summands: Vec<Vec<u32>> = (0..symmetries.order())
            .map(|symmetry| {
                let agents = (0..space.agents).flat_map(|agent| (0..states).map(move |state| (agent, state)));
                let summand = |(agent, state)| {
                    if state >= space.radix_of(agent) {
                        return 0;
                    }
                    symmetries.state(symmetry, agent, state) * space.powers[symmetries.place(symmetry, agent)]
                };
                agents.map(summand).collect()
            })
            .collect();
        let (mut orbit, mut turn) = (vec![u32::MAX; space.size() as usize], vec![0; space.size() as usize]);
        let (mut least, mut members) = (vec![], vec![]);
        let mut digits: Digits = [0; MOST_AGENTS];
        for c in 0..space.size() as u32 {
            if c.is_multiple_of(1 << 12) {
                monitor.check()?;
                monitor.advance(space.size().min(u64::from(c) + (1 << 12)) - u64::from(c));
            }
            if orbit[c as usize] != u32::MAX {
                continue;
            }
            space.decode(c, &mut digits);
            let mut count = 0;
            for (symmetry, summands) in (0..).zip(&summands) {
                let summand = |(summands, &state): (&[u32], &u32)| summands[state as usize];
                let image = summands.chunks_exact(states as usize).zip(&digits).map(summand).sum::<u32>() as usize;
                if orbit[image] == u32::MAX {
                    (orbit[image], turn[image]) = (least.len() as u32, symmetry);
                    count += 1;
                }
            }
            least.push(c);
            members.push(count);
        }
        Ok(Orbits { symmetries, orbit, turn, least, members })
    }

    /// The number of orbits.
    pub(crate) fn count(&self) -> u64 {
        self.least.len() as u64
    }

    /// The least member of an orbit.
    #[inline]
    pub(crate) fn least(&self, orbit: u32) -> u32 {
        self.least[orbit as usize]
    }

    /// The orbit of a configuration, and the symmetry that turns its least member into the configuration.
    #[inline]
    pub(crate) fn orbit(&self, c: u32) -> (u32, u32) {
        (self.orbit[c as usize], self.turn[c as usize].into())
    }

    /// The number of configurations in an orbit.
    #[inline]
    pub(crate) fn members(&self, orbit: u32) -> u64 {
        self.members[orbit as usize].into()
    }

    /// The bytes that these orbits need.
    pub(crate) fn bytes(configurations: u64, orbits: u64) -> u64 {
        (configurations + orbits) * (4 + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Graph;
    use std::sync::Arc;

    /// The ends of a path of three have a state whose values 1 and 2 are exchanged in the mirror image.
    #[test]
    fn orbits_are_the_images_of_their_least_member() {
        let path = Graph::parse("0 1\n1 2").unwrap().neighbours();
        let star = Graph::parse("0 1\n0 2\n0 3").unwrap().neighbours();
        let swapped: Arc<[u32]> = Arc::new([0, 2, 1]);
        let renamed = |places: &[u32], agent: usize| (places[0] == 2 && agent != 1).then(|| swapped.clone());
        let mirror = Symmetries::new(path.automorphisms(0, 10), renamed);
        let leaves = Symmetries::new(star.automorphisms(0, 10), |_, _| None);
        for (agents, symmetries, order) in [(3, mirror, 2), (4, leaves, 6)] {
            assert_eq!(symmetries.order(), order);
            let space = MixedRadix::new(agents, 3).unwrap();
            let orbits = Orbits::new(&space, symmetries, &Monitor::new(1)).unwrap();
            let group = &orbits.symmetries;
            for c in 0..space.size() as u32 {
                let (orbit, turn) = orbits.orbit(c);
                assert_eq!(group.image(turn, orbits.least(orbit), &space), c);
                assert!(orbits.least(orbit) <= c && (turn != 0 || orbits.least(orbit) == c));
                assert!((0..order).all(|symmetry| orbits.orbit(group.image(symmetry, c, &space)).0 == orbit));
            }
            assert_eq!(orbits.count(), group.classes(&space));
            assert_eq!((0..orbits.count() as u32).map(|orbit| orbits.members(orbit)).sum::<u64>(), space.size());
            for (a, b) in (0..order).flat_map(|a| (0..order).map(move |b| (a, b))) {
                let twice = group.image(a, group.image(b, 5, &space), &space);
                assert_eq!(group.image(group.product(a, b), 5, &space), twice);
                assert_eq!(group.product(group.inverse(a), a), 0);
            }
        }
    }
}

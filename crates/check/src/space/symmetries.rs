//! A group of permutations of the agents that rename their states, such as the ports in them.

use super::{Digits, MOST_AGENTS, MixedRadix};
use std::collections::HashMap;
use std::sync::Arc;

/// A group of symmetries. Number 0 is the identity.
#[derive(Clone, Debug)]
pub struct Symmetries {
    all: Vec<Automorphism>,
    numbers: HashMap<Vec<u32>, u32>,
}

#[derive(Clone, Debug)]
struct Automorphism {
    /// The new place of each agent.
    places: Vec<u32>,
    /// The new names of the states of each agent; `None` if they keep their names.
    names: Vec<Option<Arc<[u32]>>>,
}

impl Symmetries {
    /// The most symmetries of a group.
    pub(crate) const MOST: usize = 5040;

    /// The group of these permutations, of which the first is the identity. `names` has the new names of the states of an agent under a
    /// permutation, or `None` if they keep their names.
    pub fn new(places: Vec<Vec<u32>>, mut names: impl FnMut(&[u32], usize) -> Option<Arc<[u32]>>) -> Symmetries {
        let numbers = places.iter().cloned().zip(0..).collect();
        let symmetry = |places: Vec<u32>| {
            let names = (0..places.len()).map(|agent| names(&places, agent)).collect();
            Automorphism { places, names }
        };
        Symmetries { all: places.into_iter().map(symmetry).collect(), numbers }
    }

    /// The number of symmetries.
    pub fn order(&self) -> u32 {
        self.all.len() as u32
    }

    /// The new place of an agent.
    #[inline]
    pub fn place(&self, symmetry: u32, agent: usize) -> usize {
        self.all[symmetry as usize].places[agent] as usize
    }

    /// The new name of the state of an agent.
    #[inline]
    pub fn state(&self, symmetry: u32, agent: usize, state: u32) -> u32 {
        self.all[symmetry as usize].names[agent].as_ref().map_or(state, |names| names[state as usize])
    }

    /// The local states after a symmetry.
    pub fn moved(&self, symmetry: u32, states: &[u32]) -> Vec<u32> {
        let mut moved = vec![0; states.len()];
        for (agent, &state) in states.iter().enumerate() {
            moved[self.place(symmetry, agent)] = self.state(symmetry, agent, state);
        }
        moved
    }

    /// The image of a configuration.
    pub(crate) fn image(&self, symmetry: u32, c: u32, space: &MixedRadix) -> u32 {
        let mut digits: Digits = [0; MOST_AGENTS];
        space.decode(c, &mut digits);
        space.encode(&self.moved(symmetry, &digits[..space.agents]))
    }

    /// The symmetry that is `first`, and then `next`.
    pub fn product(&self, next: u32, first: u32) -> u32 {
        let [next, first] = [next, first].map(|symmetry| &self.all[symmetry as usize].places);
        let places: Vec<u32> = first.iter().map(|&place| next[place as usize]).collect();
        self.numbers[&places]
    }

    /// The inverse of a symmetry.
    pub fn inverse(&self, symmetry: u32) -> u32 {
        let mut back = vec![0; self.all[0].places.len()];
        for (agent, &place) in self.all[symmetry as usize].places.iter().enumerate() {
            back[place as usize] = agent as u32;
        }
        self.numbers[&back]
    }

    /// Some symmetries that generate all.
    pub fn generators(&self) -> Vec<u32> {
        let mut subgroup = Subgroup::new(self);
        (0..self.order()).filter(|&symmetry| subgroup.add(symmetry)).collect()
    }

    /// The number of classes of a space (Burnside): the mean number of configurations that a symmetry leaves unchanged.
    pub fn classes(&self, space: &MixedRadix) -> u64 {
        let fixed: u128 = (0..self.order()).map(|symmetry| u128::from(self.fixed(symmetry, space))).sum();
        (fixed / u128::from(self.order())) as u64
    }

    /// The number of configurations that a symmetry leaves unchanged: along a cycle of agents, the state of one determines the others.
    fn fixed(&self, symmetry: u32, space: &MixedRadix) -> u64 {
        let mut seen = vec![false; space.agents];
        let mut fixed = 1;
        for first in 0..space.agents {
            if seen[first] {
                continue;
            }
            let mut states: Vec<u32> = (0..space.radix_of(first)).collect();
            let mut agent = first;
            while !std::mem::replace(&mut seen[agent], true) {
                states.iter_mut().for_each(|state| *state = self.state(symmetry, agent, *state));
                agent = self.place(symmetry, agent);
            }
            fixed *= (0..).zip(&states).filter(|(before, after)| before == *after).count() as u64;
        }
        fixed
    }
}

/// A subgroup that grows.
#[derive(Debug)]
pub(crate) struct Subgroup<'a> {
    group: &'a Symmetries,
    generators: Vec<u32>,
    contains: Vec<bool>,
}

impl<'a> Subgroup<'a> {
    /// The identity alone.
    pub(crate) fn new(group: &'a Symmetries) -> Subgroup<'a> {
        let mut contains = vec![false; group.order() as usize];
        contains[0] = true;
        Subgroup { group, generators: vec![], contains }
    }

    /// Adds a symmetry, with all that it generates together with the others. Returns whether it was new.
    pub(crate) fn add(&mut self, symmetry: u32) -> bool {
        if self.contains[symmetry as usize] {
            return false;
        }
        self.generators.push(symmetry);
        let mut open: Vec<u32> = (0..self.group.order()).filter(|&one| self.contains[one as usize]).collect();
        while let Some(one) = open.pop() {
            for &generator in &self.generators {
                let product = self.group.product(generator, one);
                if !std::mem::replace(&mut self.contains[product as usize], true) {
                    open.push(product);
                }
            }
        }
        true
    }

    /// The number of symmetries in it.
    pub(crate) fn order(&self) -> u64 {
        self.contains.iter().filter(|inside| **inside).count() as u64
    }
}

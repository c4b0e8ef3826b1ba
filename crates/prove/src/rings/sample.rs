//! The configurations on which measures are tried: all of small rings, and counterexamples.

use crate::decide::table::{Map, Numbered};
use crate::formulas::evaluate::LARGEST;
use crate::rings::Moves;
use crate::rings::forever::Forever;
use crate::watch::Cancel;
use ringleader_verify::{Automaton, State};

/// Configurations with the steps from those outside the safe set.
pub(crate) struct Sample<'a> {
    moves: &'a Moves,
    safe: &'a Automaton,
    pub(crate) words: Numbered<Vec<State>>,
    /// Configurations outside the safe set, with the targets of their steps; with fair coins, one entry for each choice.
    pub(crate) sources: Vec<(u32, Vec<u32>)>,
    /// The agent that acts in each source, with fair coins and a central daemon.
    pub(crate) actors: Vec<usize>,
    source_of: Map<u32, u32>,
}

impl<'a> Sample<'a> {
    pub(crate) fn new(moves: &'a Moves, safe: &'a Automaton) -> Sample<'a> {
        Sample { moves, safe, words: Numbered::default(), sources: vec![], actors: vec![], source_of: Map::default() }
    }

    /// Adds a configuration with its steps; false if the sample has it or it is too large.
    pub(crate) fn add(&mut self, w: &[State]) -> bool {
        if w.len() > LARGEST {
            return false;
        }
        let i = self.words.number(w.to_vec());
        if self.source_of.contains_key(&i) || self.safe.accepts(w) {
            return false;
        }
        let Some(choices) = self.choices(w) else { return false };
        self.source_of.insert(i, self.sources.len() as u32);
        for (actor, mut next) in choices {
            next.sort();
            next.dedup();
            let next = next.into_iter().map(|v| self.words.number(v)).collect();
            self.sources.push((i, next));
            self.actors.push(actor);
        }
        true
    }

    /// The targets of all steps; with fair coins, of the steps of each choice. `None` if there are too many.
    fn choices(&self, w: &[State]) -> Option<Vec<(usize, Vec<Vec<State>>)>> {
        let mut next = Vec::new();
        match &self.moves.daemon {
            None => self.moves.each(w, &mut Vec::new(), |_, _, v| next.push(v.to_vec())),
            Some(daemon) if daemon.fair => return daemon.outcomes(w),
            Some(daemon) => next = daemon.outcomes(w)?.into_iter().flat_map(|(_, words)| words).collect(),
        }
        Some(vec![(0, next)])
    }

    /// The sources whose choices a daemon can make for ever, with any outcomes of fair coins.
    pub(crate) fn forever(&self, cancel: Cancel) -> Vec<bool> {
        let inside = |word: u32| self.source_of.contains_key(&word);
        let found = Forever::new(self.words.all.len(), &self.sources, inside, cancel);
        found.map_or_else(|| vec![false; self.sources.len()], |found| found.kept)
    }

    /// The index of a configuration among the sources, if it is one.
    pub(crate) fn source(&self, word: u32) -> Option<usize> {
        self.source_of.get(&word).map(|&s| s as usize)
    }

    pub(crate) fn is_safe(&self, word: u32) -> bool {
        self.safe.accepts(&self.words.all[word as usize])
    }
}

//! From named agents and arcs, read one by one, to a graph on 0..n.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::cursor::{Position, quoted};
use super::{Graph, first_apart};
use crate::ParseError;

/// Collects what a parser reads. Agents are numbered in order of first
/// appearance until [`Builder::finish`] knows whether their names are numbers.
#[derive(Debug, Default)]
pub(super) struct Builder<'a> {
    declared: Option<(usize, Position)>,
    merge_duplicates: bool,
    numbers: HashMap<Cow<'a, str>, u32>,
    first_seen: Vec<Position>,
    arcs: Vec<(u32, u32)>,
    arc_lines: HashMap<(u32, u32), usize>,
}

impl<'a> Builder<'a> {
    /// Lets an arc be repeated, as `strict` graphs in DOT do.
    pub(super) fn merge_duplicates(&mut self) {
        self.merge_duplicates = true;
    }

    /// Fixes the number of agents.
    pub(super) fn declare(&mut self, size: usize, at: Position) -> Result<(), ParseError> {
        Graph::check_size(size).map_err(|wrong| at.error(wrong.to_string()))?;
        self.declared = Some((size, at));
        Ok(())
    }

    /// The number of the agent called `name`, new or known.
    pub(super) fn agent(&mut self, name: Cow<'a, str>, at: Position) -> Result<u32, ParseError> {
        let known = self.first_seen.len();
        match self.numbers.entry(name) {
            Entry::Occupied(entry) => Ok(*entry.get()),
            Entry::Vacant(entry) => {
                if let Some((size, header)) = self.declared.filter(|&(size, _)| size == known) {
                    return Err(at.error(format!(
                        "agent {} is one too many: line {} declares {size} agents",
                        quoted(entry.key()),
                        header.line
                    )));
                }
                if known == Graph::MAX_AGENTS {
                    return Err(at.error(format!("more than {known} agents")));
                }
                self.first_seen.push(at);
                Ok(*entry.insert(known as u32))
            }
        }
    }

    /// Adds the arc from one agent to the other, and the converse if `both`.
    pub(super) fn link(&mut self, from: u32, to: u32, both: bool, at: Position) -> Result<(), ParseError> {
        if from == to {
            return Err(at.error(format!("agent {} is linked to itself: self-loops are not allowed", self.name(from))));
        }
        self.arc(from, to, at)?;
        if both {
            self.arc(to, from, at)?;
        }
        Ok(())
    }

    fn arc(&mut self, from: u32, to: u32, at: Position) -> Result<(), ParseError> {
        match self.arc_lines.entry((from, to)) {
            Entry::Occupied(_) if self.merge_duplicates => return Ok(()),
            Entry::Occupied(entry) => {
                let first = *entry.get();
                return Err(at.error(format!(
                    "the arc from {} to {} is already given on line {first}",
                    self.name(from),
                    self.name(to)
                )));
            }
            Entry::Vacant(entry) => entry.insert(at.line),
        };
        if self.arcs.len() == Graph::MAX_ARCS {
            return Err(at.error(format!("more than {} arcs", Graph::MAX_ARCS)));
        }
        self.arcs.push((from, to));
        Ok(())
    }

    /// The graph, once the text has been read up to `end`.
    pub(super) fn finish(mut self, end: Position) -> Result<Graph, ParseError> {
        let found = self.first_seen.len();
        if let Some((size, header)) = self.declared.filter(|&(size, _)| size > found) {
            return Err(header.error(format!("{size} agents are declared but only {found} are linked by arcs")));
        }
        Graph::check_size(found).map_err(|wrong| end.error(wrong.to_string()))?;
        if let Some(agent) = first_apart(found, &self.arcs) {
            return Err(self.first_seen[agent].error(format!(
                "the graph is not connected: no path links agent {} to agent {}",
                self.name(agent as u32),
                self.name(0)
            )));
        }
        if let Some(ranks) = self.ranks() {
            for (from, to) in &mut self.arcs {
                *from = ranks[*from as usize];
                *to = ranks[*to as usize];
            }
        }
        Ok(Graph::new(found, self.arcs))
    }

    /// The position of each agent's name among all names, if they are numbers.
    fn ranks(&self) -> Option<Vec<u32>> {
        let mut named = vec![];
        for (name, &number) in &self.numbers {
            let canonical = name.len() == 1 || !name.starts_with(['0', '+']);
            named.push((name.parse::<u64>().ok().filter(|_| canonical)?, number));
        }
        named.sort_unstable();
        let mut ranks = vec![0; named.len()];
        for (rank, (_, number)) in named.into_iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        Some(ranks)
    }

    /// Only for error messages: it searches.
    fn name(&self, number: u32) -> String {
        let found = self.numbers.iter().find(|&(_, &known)| known == number);
        quoted(found.map_or("?", |(name, _)| name))
    }
}

//! The values of formulas along a ring, found while reading its agents one by one.
//!
//! A formula's value at an agent depends on the agents to both sides, around the ring. What is not known yet is guessed:
//! what `Y` and `S` say at agent 0, and what `X` and `U` say anywhere. Guesses become debts, paid by the next agent or at the end.
//! Every word has exactly one run that pays them all.

use crate::State;
use crate::fault::{Fault, planted};
use crate::meaning::{Node, Nodes};
use crate::steps::Alphabet;
use std::collections::HashMap;
use std::rc::Rc;

/// What a run knows and owes. All sets are bits, numbered like the nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Run {
    begun: bool,
    /// The last agent's values that `Y` and `S` ask for.
    last: u128,
    /// The first agent's values that `X` and `U` ask for.
    first: u128,
    /// What the next agent must have (after the last one: the first), and which of it is true.
    owed: [u128; 2],
    /// The same of the last agent.
    back: [u128; 2],
    /// What was believed at agent 0 and still needs a reason: the second operand must hold somewhere.
    unfounded: u128,
}

/// A debt may not contradict another.
fn owe(debt: &mut [u128; 2], node: usize, value: bool) -> bool {
    let bit = 1 << node;
    let agreed = debt[0] & bit == 0 || (debt[1] & bit != 0) == value;
    debt[0] |= bit;
    debt[1] |= if value { bit } else { 0 };
    agreed
}

/// Ways to go on: the run after one more agent, and the formulas' values there as bits.
pub(crate) type Ways = Rc<[(u32, u64)]>;

/// Reads configurations and tells values; runs are numbered.
pub(crate) struct Values<'a> {
    alphabet: &'a Alphabet,
    nodes: Nodes,
    runs: Vec<Run>,
    number: HashMap<Run, u32>,
    /// By run and letter, as far as they were asked for.
    cache: Vec<Vec<Option<Ways>>>,
    /// Whether something was guessed in more ways than can be followed; then nothing that was read counts.
    pub(crate) overflowed: bool,
}

/// How many ways to guess one agent's values are followed.
const WAYS: usize = 1 << 16;

/// The run that has read nothing.
pub(crate) const START: u32 = 0;

impl<'a> Values<'a> {
    pub(crate) fn new(alphabet: &'a Alphabet, nodes: Nodes) -> Values<'a> {
        let start = Run::default();
        Values {
            alphabet,
            nodes,
            runs: vec![start],
            number: HashMap::from([(start, START)]),
            cache: Vec::new(),
            overflowed: false,
        }
    }

    /// What the formulas see of a letter, as bits like the nodes: letters that show the same are read alike.
    pub(crate) fn shown(&self, letter: usize) -> u128 {
        let shows = |node: &Node| match node {
            Node::Place(p) => *p == self.alphabet.place(letter),
            Node::Own(own) => own.contains(&self.alphabet.state(letter)),
            _ => false,
        };
        self.nodes.nodes.iter().enumerate().fold(0, |bits, (i, node)| bits | u128::from(shows(node)) << i)
    }

    /// All ways to read one more agent.
    pub(crate) fn read(&mut self, run: u32, letter: usize) -> Ways {
        if let Some(Some(known)) = self.cache.get(run as usize).and_then(|row| row.get(letter)) {
            return known.clone();
        }
        let ways = self.advance(run, letter);
        self.overflowed |= ways.is_none();
        let mut next = Vec::new();
        for (after, values) in ways.unwrap_or_default() {
            let after = *self.number.entry(after).or_insert_with(|| {
                self.runs.push(after);
                self.runs.len() as u32 - 1
            });
            let roots = self.nodes.roots.iter().enumerate();
            next.push((after, roots.fold(0, |bits, (i, &root)| bits | ((values >> root & 1) as u64) << i)));
        }
        let next: Ways = next.into();
        self.cache.resize(self.runs.len(), Vec::new());
        let row = &mut self.cache[run as usize];
        row.resize(self.alphabet.singles(), None);
        row[letter] = Some(next.clone());
        next
    }

    fn advance(&self, number: u32, letter: usize) -> Option<Vec<(Run, u128)>> {
        let begins = !self.runs[number as usize].begun;
        let run = Run { begun: true, owed: [0; 2], ..self.runs[number as usize] };
        let owed = self.runs[number as usize].owed;
        let mut branches = vec![(run, 0u128)];
        for (i, node) in self.nodes.nodes.iter().enumerate() {
            let mut grown = Vec::new();
            for (run, values) in branches {
                let is = |n: usize| values >> n & 1 == 1;
                let mut set = |run: Run, value: bool| grown.push((run, values | u128::from(value) << i));
                let mut guess = |of: usize, owes: fn(&mut Run) -> &mut [u128; 2], needs_reason: bool| {
                    for value in [false, true] {
                        let mut run = run;
                        run.unfounded |= u128::from(needs_reason && begins && value) << i;
                        if owe(owes(&mut run), of, value) {
                            set(run, value);
                        }
                    }
                };
                match *node {
                    Node::Left(a) if begins => guess(a, |r| &mut r.back, false),
                    Node::Right(a) => guess(a, |r| &mut r.owed, false),
                    Node::Since(a, b) if begins && is(a) && !is(b) => guess(i, |r| &mut r.back, true),
                    Node::Until(a, b) if is(a) && !is(b) => guess(i, |r| &mut r.owed, true),
                    Node::Left(a) => set(run, run.last >> a & 1 == 1),
                    Node::Since(a, b) => set(run, is(b) || is(a) && run.last >> i & 1 == 1),
                    Node::Until(_, b) => set(run, is(b)),
                    Node::Constant(c) => set(run, c),
                    Node::Place(p) => set(run, p == self.alphabet.place(letter)),
                    Node::Own(ref own) => set(run, own.contains(&self.alphabet.state(letter))),
                    Node::Not(a) => set(run, !is(a)),
                    Node::And(a, b) => set(run, is(a) && is(b)),
                    Node::Or(a, b) => set(run, is(a) || is(b)),
                }
            }
            branches = grown;
            if branches.len() > WAYS {
                return None;
            }
        }
        branches.retain(|&(_, values)| values & owed[0] == owed[1] && self.neighbours(values));
        Some(branches.iter().map(|&(run, values)| (self.remember(run, values, begins), values)).collect())
    }

    /// Whether some state could be the left neighbour's, and some the right one's. Otherwise the debts can never be paid,
    /// and it saves time to know it now.
    fn neighbours(&self, values: u128) -> bool {
        let fits = |state: State, side: fn(&Node) -> Option<usize>| {
            self.nodes.nodes.iter().enumerate().all(|(i, node)| match side(node).map(|a| &self.nodes.nodes[a]) {
                Some(Node::Own(own)) => own.contains(&state) == (values >> i & 1 == 1),
                _ => true,
            })
        };
        let left = |node: &Node| if let Node::Left(a) = node { Some(*a) } else { None };
        let right = |node: &Node| if let Node::Right(a) = node { Some(*a) } else { None };
        let mut states = 0..self.alphabet.states as State;
        states.clone().any(|s| fits(s, left)) && states.any(|s| fits(s, right))
    }

    /// Keeps of an agent's values what will be asked for.
    fn remember(&self, mut run: Run, values: u128, begins: bool) -> Run {
        run.last = 0;
        for (i, node) in self.nodes.nodes.iter().enumerate() {
            match *node {
                Node::Left(a) => run.last |= values & 1 << a,
                Node::Right(a) if begins => run.first |= values & 1 << a,
                Node::Since(_, b) | Node::Until(_, b) => {
                    if values >> b & 1 == 1 {
                        run.unfounded &= !(1 << i);
                    }
                    match node {
                        Node::Since(..) => run.last |= values & 1 << i,
                        _ if begins => run.first |= values & 1 << i,
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        run
    }

    /// Whether a run may end here: the last agent and the first agree, and nothing was believed without a reason.
    pub(crate) fn closes(&self, run: u32) -> bool {
        let run = self.runs[run as usize];
        let founded = run.unfounded == 0 || planted(Fault::Reason);
        founded && run.last & run.back[0] == run.back[1] && run.first & run.owed[0] == run.owed[1]
    }
}

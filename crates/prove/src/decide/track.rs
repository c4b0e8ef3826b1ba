//! Formulas along a ring that is read once, from agent 0 to agent n-1.
//!
//! Atoms read both neighbours. States that no atom in use distinguishes, as a right or as a left neighbour, form
//! classes. The classes of the next agent and of the last one are guessed. So are the values of `X` and `U`, and at
//! agent 0 those of `Y` and `S`.

use super::table::{Map, Numbered};
use crate::formulas::atoms::Atom;
use crate::formulas::expr::Expr;
use ringleader_verify::{Place, State};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Node {
    One,
    Atom(usize),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Left(usize),
    Right(usize),
    Since(usize, usize),
    Until(usize, usize),
}

/// Some values, and the set of their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Some64 {
    which: u64,
    value: u64,
}

impl Some64 {
    fn add(&mut self, node: usize, value: bool) -> bool {
        let clash = self.which >> node & 1 == 1 && (self.value >> node & 1 == 1) != value;
        self.which |= 1 << node;
        self.value |= u64::from(value) << node;
        !clash
    }

    fn agrees(&self, values: u64) -> bool {
        values & self.which == self.value
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Run {
    begun: bool,
    /// The guessed class of the agent left of agent 0, and that of agent 0 seen from its left.
    before_first: u8,
    first_class: u8,
    last_class: u8,
    next_class: u8,
    first: u64,
    last: u64,
    next: Some64,
    at_end: Some64,
    unfounded: u64,
}

/// Several formulas at once; all runs seen so far are numbered.
pub(crate) struct Track<'a> {
    atoms: &'a [Atom],
    nodes: Vec<Node>,
    roots: Vec<usize>,
    /// The class of a state as a left neighbour and as a right neighbour, and a member of each class.
    left: (Vec<u8>, Vec<State>),
    right: (Vec<u8>, Vec<State>),
    runs: Numbered<Run>,
    /// By run, place and state.
    cache: Map<(u32, u8, State), Vec<(u32, u32)>>,
}

fn classes(states: usize, look: impl Fn(State) -> Vec<bool>) -> (Vec<u8>, Vec<State>) {
    let mut looks: Vec<Vec<bool>> = Vec::new();
    let mut members = Vec::new();
    let class = (0..states as State)
        .map(|s| {
            let look = look(s);
            looks.iter().position(|l| *l == look).unwrap_or_else(|| {
                looks.push(look);
                members.push(s);
                looks.len() - 1
            }) as u8
        })
        .collect();
    (class, members)
}

impl<'a> Track<'a> {
    /// `None` if there are too many subformulas.
    pub(crate) fn new<'e>(
        atoms: &'a [Atom],
        states: usize,
        exprs: impl IntoIterator<Item = &'e Expr>,
    ) -> Option<Track<'a>> {
        let mut nodes = Vec::new();
        let roots: Vec<usize> = exprs.into_iter().map(|e| node(e, &mut nodes)).collect();
        if nodes.len() > 64 || roots.len() > 32 {
            return None;
        }
        let used: Vec<&Atom> =
            nodes.iter().filter_map(|n| if let Node::Atom(a) = n { Some(&atoms[*a]) } else { None }).collect();
        let all = || (0..states as State).flat_map(|a| (0..states as State).map(move |b| (a, b)));
        let look = |s: State, left: bool| {
            let views = used.iter().flat_map(|atom| {
                Place::ALL.into_iter().flat_map(move |p| {
                    all().map(move |(a, b)| if left { atom.holds(p, s, a, b) } else { atom.holds(p, a, b, s) })
                })
            });
            views.collect()
        };
        let left = classes(states, |s| look(s, true));
        let right = classes(states, |s| look(s, false));
        let mut runs = Numbered::default();
        runs.number(Run::default());
        Some(Track { atoms, nodes, roots, left, right, runs, cache: Map::default() })
    }

    /// Reads an agent: the next runs (the first is 0), each with the formulas' values as bits.
    pub(crate) fn read(&mut self, run: u32, place: Place, state: State) -> &[(u32, u32)] {
        let key = (run, place as u8, state);
        if !self.cache.contains_key(&key) {
            let mut found = Vec::new();
            self.advance(self.runs.all[run as usize], place, state, &mut found);
            let numbered = found.into_iter().map(|(run, values)| {
                (
                    self.runs.number(run),
                    self.roots.iter().rev().fold(0, |bits, &r| bits << 1 | (values >> r & 1) as u32),
                )
            });
            let numbered = numbered.collect();
            self.cache.insert(key, numbered);
        }
        &self.cache[&key]
    }

    fn advance(&self, run: Run, place: Place, state: State, found: &mut Vec<(Run, u64)>) {
        let s = usize::from(state);
        if run.begun && self.right.0[s] != run.next_class {
            return;
        }
        let lefts = if run.begun { run.last_class..run.last_class + 1 } else { 0..self.left.1.len() as u8 };
        for left in lefts {
            for right in 0..self.right.1.len() as u8 {
                let mut next =
                    Run { begun: true, last_class: self.left.0[s], next_class: right, next: Some64::default(), ..run };
                if !run.begun {
                    next.before_first = left;
                    next.first_class = self.right.0[s];
                }
                let view = (place, self.left.1[usize::from(left)], state, self.right.1[usize::from(right)]);
                self.values(&run, next, view, 0, 0, found);
            }
        }
    }

    /// Extends values node by node; both values of a guessed node are tried.
    fn values(
        &self,
        run: &Run,
        mut next: Run,
        view: (Place, State, State, State),
        from: usize,
        mut values: u64,
        found: &mut Vec<(Run, u64)>,
    ) {
        for i in from..self.nodes.len() {
            let is = |n: usize| values >> n & 1 == 1;
            let sure = match self.nodes[i] {
                Node::One => Some(true),
                Node::Atom(a) => Some(self.atoms[a].holds(view.0, view.1, view.2, view.3)),
                Node::Not(a) => Some(!is(a)),
                Node::And(a, b) => Some(is(a) && is(b)),
                Node::Or(a, b) => Some(is(a) || is(b)),
                Node::Left(a) => run.begun.then_some(run.last >> a & 1 == 1),
                Node::Right(_) => None,
                Node::Since(a, b) if is(b) || !is(a) => Some(is(b)),
                Node::Since(..) => run.begun.then_some(run.last >> i & 1 == 1),
                Node::Until(a, b) => (is(b) || !is(a)).then_some(is(b)),
            };
            if let Some(sure) = sure {
                values |= u64::from(sure) << i;
                continue;
            }
            for guess in [false, true] {
                let mut next = next;
                let fine = match self.nodes[i] {
                    Node::Left(a) => next.at_end.add(a, guess),
                    Node::Right(a) => next.next.add(a, guess),
                    Node::Since(..) => next.at_end.add(i, guess),
                    _ => next.next.add(i, guess),
                };
                if guess && !run.begun && matches!(self.nodes[i], Node::Since(..) | Node::Until(..)) {
                    next.unfounded |= 1 << i;
                }
                if fine {
                    self.values(run, next, view, i + 1, values | u64::from(guess) << i, found);
                }
            }
            return;
        }
        if !run.next.agrees(values) {
            return;
        }
        next.last = 0;
        for (i, node) in self.nodes.iter().enumerate() {
            match *node {
                Node::Left(a) => next.last |= values & 1 << a,
                Node::Right(a) if !run.begun => next.first |= values & 1 << a,
                Node::Since(..) => next.last |= values & 1 << i,
                Node::Until(..) if !run.begun => next.first |= values & 1 << i,
                _ => {}
            }
            if let Node::Since(_, b) | Node::Until(_, b) = *node
                && values >> b & 1 == 1
            {
                next.unfounded &= !(1 << i);
            }
        }
        found.push((next, values));
    }

    /// Whether the ring closes after this run.
    pub(crate) fn closes(&self, run: u32) -> bool {
        let run = &self.runs.all[run as usize];
        run.last_class == run.before_first
            && run.next_class == run.first_class
            && run.next.agrees(run.first)
            && run.at_end.agrees(run.last)
            && run.unfounded == 0
    }
}

/// Numbers a formula's parts without repetition, each part before the whole.
fn node(e: &Expr, nodes: &mut Vec<Node>) -> usize {
    let new = match e {
        Expr::One => Node::One,
        Expr::Atom(a) => Node::Atom(*a),
        Expr::Not(a) => Node::Not(node(a, nodes)),
        Expr::Left(a) => Node::Left(node(a, nodes)),
        Expr::Right(a) => Node::Right(node(a, nodes)),
        Expr::And(a, b) => Node::And(node(a, nodes), node(b, nodes)),
        Expr::Or(a, b) => Node::Or(node(a, nodes), node(b, nodes)),
        Expr::Since(a, b) => Node::Since(node(a, nodes), node(b, nodes)),
        Expr::Until(a, b) => Node::Until(node(a, nodes), node(b, nodes)),
    };
    nodes.iter().position(|n| *n == new).unwrap_or_else(|| {
        nodes.push(new);
        nodes.len() - 1
    })
}

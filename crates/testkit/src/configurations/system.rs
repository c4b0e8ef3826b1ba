//! An algorithm on a graph or ring as numbered configurations and moves between them.

use ringleader_model::{Goal, Graph, Odometer, Place, Population, Ring, Stabilizing, Told, View, number};

/// Numbered configurations and the moves between them.
pub trait Moves {
    /// How many numbers there are.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether the configuration with this number exists at all.
    fn exists(&self, c: usize) -> bool;
    /// Every move from a configuration, with its probability under the random scheduler.
    fn each(&self, c: usize, visit: &mut dyn FnMut(usize, f64));
}

/// What may become of two neighbours: their numbers, and how likely.
type Outcomes = Vec<(u32, u32, f64)>;

/// Which of the two tables of outcomes counts.
enum Choice {
    Always,
    /// The second where a leader exists, as a perfect oracle says.
    ByLeader,
    /// The second at process 0.
    AtBottom,
}

/// An algorithm at one size.
pub struct System<A: Stabilizing> {
    /// The algorithm.
    pub algorithm: A,
    /// How many agents there are.
    pub size: usize,
    states: Vec<A::State>,
    powers: Vec<usize>,
    arcs: Vec<(usize, usize)>,
    tables: [Vec<Outcomes>; 2],
    choice: Choice,
    /// Whether a process leads, given its left neighbour and itself; the second table at process 0.
    leads: [Vec<bool>; 2],
    exists: Vec<bool>,
}

/// More agents than any test has.
const MOST: usize = 10;

impl<A: Stabilizing<State: Copy>> System<A> {
    fn new(
        algorithm: A,
        size: usize,
        arcs: Vec<(usize, usize)>,
        choice: Choice,
        leads: impl Fn(&A, bool, &A::State, &A::State) -> bool,
        outcome: impl Fn(&A, bool, A::State, A::State, &mut Odometer) -> (A::State, A::State),
    ) -> Self {
        let states: Vec<_> = number::all(&algorithm).collect();
        let powers = (0..size as u32).map(|i| states.len().pow(i)).collect();
        let number = |s: &A::State| number::rank(&algorithm, s) as u32;
        let outcomes = |second, (u, v)| {
            let mut outcomes = vec![];
            Odometer::each(|coin| {
                let (u, v) = outcome(&algorithm, second, u, v, coin);
                outcomes.push((number(&u), number(&v), 1.0 / coin.outcomes() as f64));
            });
            outcomes
        };
        let pairs = || states.iter().flat_map(|&u| states.iter().map(move |&v| (u, v)));
        let tables = [false, true].map(|second| pairs().map(|pair| outcomes(second, pair)).collect());
        let leads = [false, true].map(|second| pairs().map(|(u, v)| leads(&algorithm, second, &u, &v)).collect());
        let mut system = System { algorithm, size, states, powers, arcs, tables, choice, leads, exists: vec![] };
        let mut restored = vec![];
        system.exists = system.collect(|a, c| {
            restored.clear();
            restored.extend_from_slice(c);
            a.restore(&mut restored);
            restored == c
        });
        system
    }

    fn digits(&self, mut c: usize) -> [usize; MOST] {
        let mut digits = [0; MOST];
        for digit in &mut digits[..self.size] {
            *digit = c % self.states.len();
            c /= self.states.len();
        }
        digits
    }

    /// The states of a configuration.
    pub fn configuration(&self, c: usize) -> Vec<A::State> {
        self.digits(c)[..self.size].iter().map(|&digit| self.states[digit]).collect()
    }

    fn collect(&self, mut test: impl FnMut(&A, &[A::State]) -> bool) -> Vec<bool> {
        let mut states = self.configuration(0);
        let mut result = Vec::with_capacity(self.len());
        for c in 0..self.len() {
            for (state, digit) in states.iter_mut().zip(self.digits(c)) {
                *state = self.states[digit];
            }
            result.push(test(&self.algorithm, &states));
        }
        result
    }

    /// The members of a set, by number.
    pub fn set(&self, contains: impl Fn(&A, &[A::State]) -> bool) -> Vec<bool> {
        let mut set = self.collect(contains);
        set.iter_mut().zip(&self.exists).for_each(|(member, exists)| *member &= exists);
        set
    }

    /// Who leads, as bits.
    pub fn leaders(&self, c: usize) -> u64 {
        let digits = self.digits(c);
        let leads = |i: usize| {
            let left = digits[(i + self.size - 1) % self.size];
            self.leads[usize::from(i == 0)][left * self.states.len() + digits[i]]
        };
        (0..self.size).map(|i| u64::from(leads(i)) << i).sum()
    }

    /// The greatest closed set of correct configurations in which the leader never changes.
    pub fn really_safe(&self) -> Vec<bool> {
        let correct = self.set(|a, c| a.correct(c));
        let leaders: Vec<u64> = match self.algorithm.goal() {
            Goal::OneLeader => (0..self.len()).map(|c| self.leaders(c)).collect(),
            _ => vec![0; self.len()],
        };
        super::greatest_closed(self, correct, |c, d| leaders[c] == leaders[d])
    }

    /// How many configurations there are.
    pub fn configurations(&self) -> usize {
        (0..self.len()).filter(|&c| self.exists(c)).count()
    }

    fn second_table(&self, c: usize, v: usize) -> usize {
        usize::from(match self.choice {
            Choice::Always => false,
            Choice::ByLeader => self.leaders(c) != 0,
            Choice::AtBottom => v == 0,
        })
    }

    fn arc_moves(&self, c: usize, digits: &[usize], arc: usize, visit: &mut impl FnMut(usize, f64)) {
        let (u, v) = self.arcs[arc];
        let (a, b) = (digits[u], digits[v]);
        let without = c - a * self.powers[u] - b * self.powers[v];
        for &(x, y, p) in &self.tables[self.second_table(c, v)][a * self.states.len() + b] {
            visit(without + x as usize * self.powers[u] + y as usize * self.powers[v], p);
        }
    }
}

impl<P: Population + Stabilizing> System<P> {
    /// A population protocol, with a perfect oracle if it needs one.
    pub fn population(protocol: P, graph: &Graph) -> Self {
        let arcs = graph.arcs().iter().map(|&(u, v)| (u as usize, v as usize)).collect();
        let choice = if protocol.hears() { Choice::ByLeader } else { Choice::Always };
        let leads = |p: &P, _, _: &P::State, own: &P::State| p.marks(own).leader();
        System::new(protocol, graph.size(), arcs, choice, leads, |p, told, u, v, coin| {
            p.interact(u, v, Told::both(told), coin)
        })
    }
}

/// What a process that reads its left neighbour sees.
fn view<S: Copy>(bottom: bool, left: S, own: S) -> View<S> {
    View { at: if bottom { Place::Bottom } else { Place::Other }, left, own, right: own }
}

impl<R: Ring + Stabilizing> System<R> {
    /// An algorithm for unidirectional rings under a central daemon.
    pub fn ring(algorithm: R, size: usize) -> Self {
        let arcs = (0..size).map(|i| ((i + size - 1) % size, i)).collect();
        let leads = |r: &R, bottom, left: &R::State, own: &R::State| r.marks(view(bottom, *left, *own)).leader();
        System::new(algorithm, size, arcs, Choice::AtBottom, leads, |r, bottom, left, own, coin| {
            (left, r.act(view(bottom, left, own), coin))
        })
    }
}

impl<A: Stabilizing<State: Copy>> Moves for System<A> {
    fn len(&self) -> usize {
        self.states.len().pow(self.size as u32)
    }

    fn exists(&self, c: usize) -> bool {
        self.exists[c]
    }

    fn each(&self, c: usize, visit: &mut dyn FnMut(usize, f64)) {
        let digits = self.digits(c);
        for arc in 0..self.arcs.len() {
            self.arc_moves(c, &digits, arc, &mut |d, p| visit(d, p / self.arcs.len() as f64));
        }
    }
}

/// Only the moves that change something: all that an unfair daemon may choose.
pub struct Changing<'a, A: Stabilizing>(pub &'a System<A>);

impl<A: Stabilizing<State: Copy>> Moves for Changing<'_, A> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn exists(&self, c: usize) -> bool {
        self.0.exists(c)
    }

    fn each(&self, c: usize, visit: &mut dyn FnMut(usize, f64)) {
        self.0.each(c, &mut |d, p| {
            if d != c {
                visit(d, p)
            }
        });
    }
}

/// A ring under all alternating schedules at once: configurations times the orientations of the edges.
///
/// A bit per process says whose turn it is on the edge to its left. A process whose turn it is on both its edges may step,
/// and hands both turns over. Orientations that are directed cycles do not exist.
pub struct Alternating<'a, R: Stabilizing>(pub &'a System<R>);

impl<R: Stabilizing<State: Copy>> Alternating<'_, R> {
    /// A set of configurations, with every orientation.
    pub fn lift(&self, set: &[bool]) -> Vec<bool> {
        (0..self.len()).map(|s| set[s >> self.0.size]).collect()
    }
}

impl<R: Stabilizing<State: Copy>> Moves for Alternating<'_, R> {
    fn len(&self) -> usize {
        self.0.len() << self.0.size
    }

    fn exists(&self, s: usize) -> bool {
        let turns = s % (1 << self.0.size);
        turns != 0 && turns != (1 << self.0.size) - 1 && self.0.exists(s >> self.0.size)
    }

    fn each(&self, s: usize, visit: &mut dyn FnMut(usize, f64)) {
        let n = self.0.size;
        let (c, turns) = (s >> n, s % (1 << n));
        let digits = self.0.digits(c);
        for i in 0..n {
            let (own, next) = (1 << i, 1 << ((i + 1) % n));
            if turns & own != 0 && turns & next == 0 {
                self.0.arc_moves(c, &digits, i, &mut |d, p| visit(d << n | (turns ^ own ^ next), p));
            }
        }
    }
}

/// A ring whose processes all step at once, each with coins of its own.
pub struct Synchronous<'a, R: Stabilizing>(pub &'a System<R>);

impl<R: Stabilizing<State: Copy>> Moves for Synchronous<'_, R> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn exists(&self, c: usize) -> bool {
        self.0.exists(c)
    }

    fn each(&self, c: usize, visit: &mut dyn FnMut(usize, f64)) {
        let digits = self.0.digits(c);
        let mut reached = vec![(0, 1.0)];
        for process in 0..self.0.size {
            let (left, own) = (digits[(process + self.0.size - 1) % self.0.size], digits[process]);
            let outcomes = &self.0.tables[self.0.second_table(c, process)][left * self.0.states.len() + own];
            let then = |&(d, p): &(usize, f64)| {
                outcomes.iter().map(move |&(_, own, q)| (d + own as usize * self.0.powers[process], p * q)).collect()
            };
            reached = reached.iter().flat_map(|before| -> Vec<_> { then(before) }).collect();
        }
        reached.into_iter().for_each(|(d, p)| visit(d, p));
    }
}

//! The slow twin for rings of millions of configurations: the same definitions, with a formula's values as bits, one an agent, and
//! configurations as numbers. It takes from the slow one what a single window shows, and is compared with it.

use crate::brute;
use ringleader_verify::{Certificate, Formula, Goal, Measure, Move, Place, Rules, Scheduler, State};
use std::collections::HashMap;

/// Moves by the agent's place and state.
struct Moves<'a> {
    rules: &'a Rules,
    at: Vec<Vec<Move>>,
}

impl<'a> Moves<'a> {
    fn new(rules: &'a Rules) -> Moves<'a> {
        let windows = Place::ALL.into_iter().flat_map(|p| (0..rules.states.len()).map(move |s| (p, s as State)));
        let fits = |(p, s): (Place, State)| {
            let moves = rules.moves.iter().filter(|m| m.own.before == s && m.place.is_none_or(|q| q == p));
            moves.copied().collect()
        };
        Moves { rules, at: windows.map(fits).collect() }
    }

    /// Whether some move makes of a configuration what is looked for.
    fn any(&self, w: &[State], mut found: impl FnMut(&[State]) -> bool) -> bool {
        let n = w.len();
        let seen = self.rules.detector.as_ref().map(|d| w.iter().any(|s| d.contains(s)));
        let mut v = w.to_vec();
        for i in 0..n {
            let (left, right) = ((i + n - 1) % n, (i + 1) % n);
            for m in &self.at[Place::of(i, n) as usize * self.rules.states.len() + usize::from(w[i])] {
                let fits = m.left.is_none_or(|c| c.before == w[left]) && m.right.is_none_or(|c| c.before == w[right]);
                if fits && m.seen.is_none_or(|s| seen == Some(s)) {
                    v[left] = m.left.map_or(v[left], |c| c.after);
                    v[right] = m.right.map_or(v[right], |c| c.after);
                    v[i] = m.own.after;
                    if found(&v) {
                        return true;
                    }
                    [left, i, right].into_iter().for_each(|j| v[j] = w[j]);
                }
            }
        }
        false
    }
}

/// Calls back with every configuration of a size, in the order of their numbers, until something is found.
fn find<T>(rules: &Rules, n: usize, mut look: impl FnMut(&[State]) -> Option<T>) -> Option<T> {
    let possible: Vec<&[State]> = (0..n).map(|i| rules.possible.at(Place::of(i, n))).collect();
    let mut digits = vec![0; n];
    let mut w: Vec<State> = possible.iter().map(|p| p[0]).collect();
    loop {
        if let Some(found) = look(&w) {
            return Some(found);
        }
        let last = (0..n).rev().find(|&i| digits[i] + 1 < possible[i].len())?;
        digits[last] += 1;
        digits[last + 1..].fill(0);
        (last..n).for_each(|i| w[i] = possible[i][digits[i]]);
    }
}

/// A formula over earlier ones.
enum Part {
    /// What a window shows, by place and states.
    Seen(Vec<bool>),
    Not(usize),
    And(usize, usize),
    Or(usize, usize),
    Left(usize),
    Right(usize),
    Since(usize, usize),
    Until(usize, usize),
}

/// Formulas with all their parts, each once.
struct Formulas<'a> {
    rules: &'a Rules,
    parts: Vec<Part>,
    number: HashMap<Formula, usize>,
}

impl<'a> Formulas<'a> {
    fn new(rules: &'a Rules) -> Formulas<'a> {
        Formulas { rules, parts: Vec::new(), number: HashMap::new() }
    }

    fn add(&mut self, f: &Formula) -> usize {
        if let Some(&known) = self.number.get(f) {
            return known;
        }
        let part = match f {
            Formula::Not(a) => Part::Not(self.add(a)),
            Formula::And(a, b) => Part::And(self.add(a), self.add(b)),
            Formula::Or(a, b) => Part::Or(self.add(a), self.add(b)),
            Formula::Left(a) => Part::Left(self.add(a)),
            Formula::Right(a) => Part::Right(self.add(a)),
            Formula::Since(a, b) => Part::Since(self.add(a), self.add(b)),
            Formula::Until(a, b) => Part::Until(self.add(a), self.add(b)),
            _ => Part::Seen(self.seen(f)),
        };
        self.parts.push(part);
        self.number.insert(f.clone(), self.parts.len() - 1);
        self.parts.len() - 1
    }

    /// The slow twin says what a window shows, on three agents: left, own and right are all there are.
    fn seen(&self, f: &Formula) -> Vec<bool> {
        let q = self.rules.states.len();
        let window = |code: usize| {
            let [l, o, r] = [code / (q * q) % q, code / q % q, code % q].map(|s| s as State);
            let (w, i) = [([o, r, l], 0), ([l, o, r], 1), ([r, l, o], 2)][code / (q * q * q)];
            brute::holds(self.rules, f, &w, i)
        };
        (0..3 * q * q * q).map(window).collect()
    }

    /// All parts' values on a configuration, from the `known` one on.
    fn read(&self, w: &[State], values: &mut Vec<u32>, upto: usize) {
        let (n, q) = (w.len(), self.rules.states.len());
        let all = (1u32 << n) - 1;
        let from_left = |v: u32| (v << 1 | v >> (n - 1)) & all;
        let from_right = |v: u32| v >> 1 | (v & 1) << (n - 1);
        for part in &self.parts[values.len().min(upto + 1)..=upto] {
            let value = match *part {
                Part::Seen(ref shown) => (0..n).fold(0, |bits, i| {
                    let [l, o, r] = [(i + n - 1) % n, i, (i + 1) % n].map(|j| usize::from(w[j]));
                    let place = Place::of(i, n) as usize;
                    bits | u32::from(shown[((place * q + l) * q + o) * q + r]) << i
                }),
                Part::Not(a) => !values[a] & all,
                Part::And(a, b) => values[a] & values[b],
                Part::Or(a, b) => values[a] | values[b],
                Part::Left(a) => from_left(values[a]),
                Part::Right(a) => from_right(values[a]),
                // What is known spreads by one agent a round.
                Part::Since(a, b) => (0..n).fold(values[b], |v, _| v | values[a] & from_left(v)),
                Part::Until(a, b) => (0..n).fold(values[b], |v, _| v | values[a] & from_right(v)),
            };
            values.push(value);
        }
    }
}

/// What is promised, over the parts of formulas.
struct Promise {
    of: Vec<usize>,
    everywhere: bool,
    stays: bool,
}

impl Promise {
    fn new(rules: &Rules, formulas: &mut Formulas) -> Promise {
        let (texts, everywhere, stays) = match &rules.goal {
            Goal::ExactlyOne { of, stays } => (of.clone(), false, *stays),
            Goal::Everywhere { formula } => (vec![formula.clone()], true, false),
        };
        Promise { of: texts.iter().map(|t| formulas.add(&t.parse().unwrap())).collect(), everywhere, stays }
    }

    /// Nothing if it is not kept; otherwise who has it, if that must stay, as a number.
    fn kept(&self, formulas: &Formulas, w: &[State], values: &mut Vec<u32>) -> Option<u32> {
        let last = *self.of.iter().max()?;
        formulas.read(w, values, last);
        let mut held = self.of.iter().map(|&f| values[f]);
        if self.everywhere {
            return held.all(|v| v.count_ones() as usize == w.len()).then_some(0);
        }
        let who = held.clone().enumerate().filter(|(_, v)| *v != 0).map(|(k, v)| (k as u32) << 16 | v).next();
        (held.map(u32::count_ones).sum::<u32>() == 1).then(|| if self.stays { who.unwrap_or(0) } else { 0 })
    }
}

/// A measure over the parts of formulas; of two values the lower one is wanted.
enum Value {
    Unsafe,
    Sum(Vec<(i32, usize)>),
    Up(usize),
    Down(usize),
}

impl Value {
    fn new(m: &Measure, formulas: &mut Formulas) -> Value {
        match m {
            Measure::Unsafe => Value::Unsafe,
            Measure::Count(terms) => Value::Sum(terms.iter().map(|(k, f)| (*k, formulas.add(f))).collect()),
            Measure::FromBottom(f) => Value::Up(formulas.add(f)),
            Measure::FromTop(f) => Value::Down(formulas.add(f)),
        }
    }

    fn of(&self, c: &Certificate, formulas: &Formulas, w: &[State], values: &mut Vec<u32>) -> i64 {
        let mut read = |f: usize| {
            formulas.read(w, values, f);
            values[f]
        };
        match self {
            Value::Unsafe => i64::from(!c.safe.accepts(w)),
            Value::Sum(terms) => terms.iter().map(|&(k, f)| i64::from(k) * i64::from(read(f).count_ones())).sum(),
            // Agent 0 is the lowest bit: it counts most from the bottom up, least from the top down.
            Value::Up(f) => i64::from(read(*f).reverse_bits()),
            Value::Down(f) => i64::from(read(*f)),
        }
    }
}

/// The first thing that is wrong with a certificate at one size; what leaders do if the detector lies is left to the slow twin.
pub(crate) fn refute(c: &Certificate, n: usize) -> Option<String> {
    let moves = Moves::new(&c.rules);
    let mut formulas = Formulas::new(&c.rules);
    let promise = Promise::new(&c.rules, &mut formulas);
    let measures: Vec<Value> = c.measures.iter().map(|m| Value::new(&m.parse().unwrap(), &mut formulas)).collect();
    let (mut here, mut there) = (Vec::new(), Vec::new());
    find(&c.rules, n, |w| {
        here.clear();
        let (mut steps, mut falling, mut leaves) = (0, 0, false);
        let safe = c.safe.accepts(w);
        let who = if safe { promise.kept(&formulas, w, &mut here) } else { None };
        moves.any(w, |v| {
            there.clear();
            steps += 1;
            if safe {
                leaves |= !c.safe.accepts(v) || promise.kept(&formulas, v, &mut there) != who;
            } else if falling == 0 || c.scheduler == Scheduler::Unfair {
                let values = measures.iter().map(|m| {
                    let before = m.of(c, &formulas, w, &mut here);
                    m.of(c, &formulas, v, &mut there).cmp(&before)
                });
                falling += usize::from(values.into_iter().find(|o| o.is_ne()).is_some_and(|o| o.is_lt()));
            }
            leaves
        });
        let wrong = match c.scheduler {
            _ if safe => who.is_none() || leaves,
            Scheduler::GloballyFair => falling == 0,
            _ => steps == 0 || falling < steps,
        };
        wrong.then(|| format!("{w:?}, {}", if safe { "which is to be safe" } else { "from which it is to descend" }))
    })
}

/// All configurations of one size, as numbers: which are really safe, and from which these are reached.
pub(crate) struct Ring<'a> {
    moves: Moves<'a>,
    n: usize,
    /// Moves by what they lead to: the agent's place and state, and the right neighbour's state.
    into: Vec<Vec<Move>>,
    /// What a state of each agent adds to the number.
    powers: Vec<usize>,
    /// By state, and by place and state.
    detected: Vec<bool>,
    possible: Vec<bool>,
    /// Whether no place is told from another. Then of configurations that are rotations of each other one is looked at.
    anonymous: bool,
    /// The largest set of configurations that are as promised and that no step leaves.
    safe: Vec<bool>,
}

impl<'a> Ring<'a> {
    pub(crate) fn new(rules: &'a Rules, n: usize) -> Ring<'a> {
        let q = rules.states.len();
        let into = |code: usize| {
            let [place, own, right] = [code / (q * q), code / q % q, code % q];
            let fits = |m: &&Move| {
                let right = m.right.is_none_or(|c| usize::from(c.after) == right);
                usize::from(m.own.after) == own && right && m.place.is_none_or(|p| p as usize == place)
            };
            rules.moves.iter().filter(fits).copied().collect()
        };
        let into = (0..3 * q * q).map(into).collect();
        let is_in = |list: &[State]| (0..q).map(|s| list.contains(&(s as State))).collect::<Vec<_>>();
        let mut ring = Ring {
            moves: Moves::new(rules),
            n,
            into,
            powers: (0..n).map(|i| q.pow((n - 1 - i) as u32)).collect(),
            detected: is_in(rules.detector.as_deref().unwrap_or_default()),
            possible: Place::ALL.iter().flat_map(|p| is_in(rules.possible.at(*p))).collect(),
            anonymous: anonymous(rules),
            safe: vec![false; q.pow(n as u32)],
        };
        ring.find_safe();
        ring
    }

    fn find_safe(&mut self) {
        let mut formulas = Formulas::new(self.moves.rules);
        let promise = Promise::new(self.moves.rules, &mut formulas);
        let mut values = Vec::new();
        let mut kept = |w: &[State]| {
            values.clear();
            promise.kept(&formulas, w, &mut values)
        };
        let (mut safe, mut lost) = (vec![false; self.safe.len()], Vec::new());
        self.each(|code, w| {
            let who = kept(w);
            if who.is_some() {
                let leaves = self.moves.any(w, |v| kept(v) != who);
                safe[code] = !leaves;
                lost.extend(leaves.then_some(code));
            }
        });
        while let Some(code) = lost.pop() {
            self.before(code, |from| {
                if std::mem::replace(&mut safe[self.least(from)], false) {
                    lost.push(self.least(from));
                }
            });
        }
        self.safe = safe;
    }

    /// Calls back with every configuration, or one of each that are rotations of each other.
    fn each(&self, mut look: impl FnMut(usize, &[State])) {
        find(self.moves.rules, self.n, |w| {
            let code = self.number(w);
            if self.least(code) == code {
                look(code, w);
            }
            None::<()>
        });
    }

    /// The least number among the rotations of a configuration, if there is no telling them apart.
    fn least(&self, code: usize) -> usize {
        let turn = |code: &usize| Some(code / self.powers[0] + code % self.powers[0] * self.moves.rules.states.len());
        let turns = if self.anonymous { self.n } else { 1 };
        std::iter::successors(Some(code), turn).take(turns).min().unwrap_or(code)
    }

    fn number(&self, w: &[State]) -> usize {
        w.iter().zip(&self.powers).map(|(s, power)| usize::from(*s) * power).sum()
    }

    fn word(&self, code: usize) -> Vec<State> {
        self.powers.iter().map(|power| (code / power % self.moves.rules.states.len()) as State).collect()
    }

    /// Calls back with every configuration that one move makes this one of.
    fn before(&self, code: usize, mut found: impl FnMut(usize)) {
        let (n, q) = (self.n, self.moves.rules.states.len());
        let mut states = [0; 16];
        let mut rest = code;
        for state in states[..n].iter_mut().rev() {
            (*state, rest) = (rest % q, rest / q);
        }
        let leaders = states[..n].iter().filter(|s| self.detected[**s]).count();
        for i in 0..n {
            let (left, right) = ((i + n - 1) % n, (i + 1) % n);
            for m in &self.into[(Place::of(i, n) as usize * q + states[i]) * q + states[right]] {
                if m.left.is_some_and(|c| usize::from(c.after) != states[left]) {
                    continue;
                }
                let (mut from, mut led, mut possible) = (code, leaders, true);
                for (at, cell) in [(left, m.left), (i, Some(m.own)), (right, m.right)] {
                    let Some(cell) = cell else { continue };
                    let (before, after) = (usize::from(cell.before), usize::from(cell.after));
                    from = from + before * self.powers[at] - after * self.powers[at];
                    led = led + usize::from(self.detected[before]) - usize::from(self.detected[after]);
                    possible &= self.possible[Place::of(at, n) as usize * q + before];
                }
                if possible && m.seen.is_none_or(|seen| seen == (led > 0)) {
                    found(from);
                }
            }
        }
    }

    /// The configurations from which the really safe set cannot (unfair: need not) be reached.
    pub(crate) fn failing(&self, scheduler: Scheduler) -> Vec<Vec<State>> {
        let mut good = self.safe.clone();
        let mut open: Vec<usize> = (0..good.len()).filter(|code| good[*code]).collect();
        while let Some(code) = open.pop() {
            self.before(code, |from| {
                let from = self.least(from);
                let must = || !self.moves.any(&self.word(from), |v| !good[self.least(self.number(v))]);
                if !good[from] && (scheduler == Scheduler::GloballyFair || must()) {
                    good[from] = true;
                    open.push(from);
                }
            });
        }
        self.words(|code| !good[code])
    }

    /// The really safe configurations.
    pub(crate) fn safe_words(&self) -> Vec<Vec<State>> {
        self.words(|code| self.safe[code])
    }

    /// All configurations of a kind, rotations included.
    fn words(&self, kind: impl Fn(usize) -> bool) -> Vec<Vec<State>> {
        let mut words = Vec::new();
        find(self.moves.rules, self.n, |w| {
            words.extend(kind(self.least(self.number(w))).then(|| w.to_vec()));
            None::<()>
        });
        words
    }
}

/// Whether neither moves nor the goal nor what is possible tell one agent from another.
fn anonymous(rules: &Rules) -> bool {
    let goal = match &rules.goal {
        Goal::ExactlyOne { of, .. } => of.join(" "),
        Goal::Everywhere { formula } => formula.clone(),
    };
    let windows = rules.marks.iter().flat_map(|m| &m.windows);
    rules.moves.iter().all(|m| m.place.is_none())
        && windows.clone().all(|w| w.place.is_none())
        && rules.possible.bottom == rules.possible.middle
        && rules.possible.middle == rules.possible.top
        && !goal.contains("root")
        && !goal.contains("top")
}

/// Whether the really safe set is reached from everywhere.
pub(crate) fn holds(rules: &Rules, n: usize, scheduler: Scheduler) -> bool {
    Ring::new(rules, n).failing(scheduler).is_empty()
}

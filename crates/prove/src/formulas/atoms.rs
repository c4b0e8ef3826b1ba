//! Atoms: predicates of an agent and its two neighbours.

use ringleader_verify::{Place, Rules, State, Variable};

/// A predicate of a place and three local states.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) name: String,
    /// Whether it differs from every atom before it.
    pub(crate) fresh: bool,
    truth: Vec<bool>,
    states: usize,
}

impl Atom {
    fn new(rules: &Rules, name: impl Into<String>, holds: impl Fn(Place, State, State, State) -> bool) -> Atom {
        let states = rules.states.len();
        let all = || 0..states as State;
        let mut truth = Vec::with_capacity(3 * states.pow(3));
        for place in Place::ALL {
            for left in all() {
                for own in all() {
                    truth.extend(all().map(|right| holds(place, left, own, right)));
                }
            }
        }
        Atom { name: name.into(), fresh: true, truth, states }
    }

    pub(crate) fn holds(&self, place: Place, left: State, own: State, right: State) -> bool {
        let [l, o, r] = [left, own, right].map(usize::from);
        self.truth[((place as usize * self.states + l) * self.states + o) * self.states + r]
    }

    /// Whether it is not constant, and equals neither another atom nor its negation.
    fn adds_to(&self, others: &[Atom]) -> bool {
        let constant = self.truth.iter().all(|t| *t) || !self.truth.iter().any(|t| *t);
        let opposite = |a: &Atom| a.truth.iter().zip(&self.truth).all(|(x, y)| x != y);
        !constant && !others.iter().any(|a| a.truth == self.truth || opposite(a))
    }
}

/// All atoms, in the order of preference.
pub(crate) fn atoms(rules: &Rules) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    let mut add = |mut atom: Atom| {
        atom.fresh = atom.adds_to(&found);
        found.push(atom);
    };
    add(Atom::new(rules, "root", |p, _, _, _| p == Place::Bottom));
    for v in &rules.variables {
        if v.size == 2 {
            add(Atom::new(rules, &v.name, |_, _, own, _| v.values[usize::from(own)] == 1));
        }
    }
    for mark in &rules.marks {
        add(Atom::new(rules, &mark.name, |p, l, o, r| {
            let is = |s: Option<State>, t: State| s.is_none_or(|s| s == t);
            mark.windows
                .iter()
                .any(|w| w.place.is_none_or(|q| q == p) && is(w.left, l) && is(w.own, o) && is(w.right, r))
        }));
    }
    let told = |rule: usize| rules.moves.iter().filter(|m| m.rule == rule).all(|m| m.seen.is_none());
    let asked: Vec<usize> = (0..rules.rules.len()).filter(|&r| told(r)).collect();
    let enabled = |rule: usize, p: Place, l: State, o: State, r: State| {
        rules.moves.iter().filter(|m| m.rule == rule).any(|m| {
            let sees = |c: Option<ringleader_verify::Cell>, s: State| c.is_none_or(|c| c.before == s);
            m.place.is_none_or(|q| q == p) && sees(m.left, l) && sees(Some(m.own), o) && sees(m.right, r)
        })
    };
    for &rule in &asked {
        add(Atom::new(rules, &rules.rules[rule], |p, l, o, r| enabled(rule, p, l, o, r)));
    }
    if let [first, rest @ ..] = asked.as_slice()
        && asked.len() == rules.rules.len()
    {
        let name = rest.iter().fold(rules.rules[*first].clone(), |n, &r| format!("({n} | {})", rules.rules[r]));
        add(Atom::new(rules, name, |p, l, o, r| asked.iter().any(|&rule| enabled(rule, p, l, o, r))));
    }
    for v in &rules.variables {
        let value = |s: State| v.values[usize::from(s)];
        let ahead = |l: State, o: State| (value(o) + v.size - value(l)) % v.size;
        for k in 0..v.size {
            if v.size > 2 {
                add(Atom::new(rules, format!("{}~{k}", v.name), |_, l, o, _| ahead(l, o) == k));
            } else if k == 1 {
                add(Atom::new(rules, format!("{}~1", v.name), |_, l, o, _| ahead(l, o) == 1));
            }
        }
        add_values(rules, v, &mut add);
    }
    add(Atom::new(rules, "top", |p, _, _, _| p == Place::Top));
    found
}

fn add_values(rules: &Rules, v: &Variable, add: &mut impl FnMut(Atom)) {
    for k in (0..v.size).filter(|_| v.size > 2) {
        add(Atom::new(rules, format!("{}={k}", v.name), |_, _, own, _| v.values[usize::from(own)] == k));
    }
}

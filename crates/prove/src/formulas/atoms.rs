//! Atoms: predicates of an agent and its two neighbours.

use ringleader_verify::{Move, Place, Rules, State, Window};

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

    /// The atom that holds where one of these windows matches. There may be as many windows as views.
    fn of(rules: &Rules, name: impl Into<String>, windows: impl Iterator<Item = Window>) -> Atom {
        let mut atom = Atom::new(rules, name, |_, _, _, _| false);
        let states = |wanted: Option<State>| wanted.map_or(0..atom.states, |s| s.into()..usize::from(s) + 1);
        for window in windows {
            for place in Place::ALL.into_iter().filter(|place| window.place.is_none_or(|p| p == *place)) {
                for left in states(window.left) {
                    for own in states(window.own) {
                        let row = ((place as usize * atom.states + left) * atom.states + own) * atom.states;
                        states(window.right).for_each(|right| atom.truth[row + right] = true);
                    }
                }
            }
        }
        atom
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
        add(Atom::of(rules, &mark.name, mark.windows.iter().copied()));
    }
    let told = |rule: usize| rules.moves.iter().filter(|m| m.rule == rule).all(|m| m.seen.is_none());
    let asked: Vec<usize> = (0..rules.rules.len()).filter(|&r| told(r)).collect();
    let enabled = |of: &[usize]| rules.moves.iter().filter(|m| of.contains(&m.rule)).map(window).collect::<Vec<_>>();
    for &rule in &asked {
        add(Atom::of(rules, &rules.rules[rule], enabled(&[rule]).into_iter()));
    }
    if let [first, rest @ ..] = asked.as_slice()
        && asked.len() == rules.rules.len()
    {
        let name = rest.iter().fold(rules.rules[*first].clone(), |n, &r| format!("({n} | {})", rules.rules[r]));
        add(Atom::of(rules, name, enabled(&asked).into_iter()));
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
        for k in (0..v.size).filter(|_| v.size > 2) {
            add(Atom::new(rules, format!("{}={k}", v.name), |_, _, own, _| value(own) == k));
        }
    }
    add(Atom::new(rules, "top", |p, _, _, _| p == Place::Top));
    found
}

/// Where a move is possible, for some answer of a detector.
pub(crate) fn window(m: &Move) -> Window {
    Window { place: m.place, left: m.left.map(|c| c.before), own: Some(m.own.before), right: m.right.map(|c| c.before) }
}

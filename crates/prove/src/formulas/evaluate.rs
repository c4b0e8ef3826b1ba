//! Values of formulas on single configurations: one bit per agent.

use crate::Unsuitable;
use crate::formulas::atoms::Atom;
use crate::formulas::expr::Expr;
use ringleader_verify::{Formula, Goal, Place, Rules, State};

/// The largest ring whose values fit.
pub(crate) const LARGEST: usize = 16;

/// All agents of a ring.
pub(crate) fn everyone(n: usize) -> u16 {
    u16::MAX >> (16 - n)
}

/// Values shifted by one: agent i gets the value of its left neighbour.
pub(crate) fn from_left(v: u16, n: usize) -> u16 {
    (v << 1 | v >> (n - 1)) & everyone(n)
}

/// Agent i gets the value of its right neighbour.
pub(crate) fn from_right(v: u16, n: usize) -> u16 {
    v >> 1 | (v & 1) << (n - 1)
}

/// The agents from which `a` holds going left until `b` does. The result spreads by one agent per iteration.
pub(crate) fn since(a: u16, b: u16, n: usize) -> u16 {
    (0..n).fold(b, |v, _| v | a & from_left(v, n))
}

/// The same going right.
pub(crate) fn until(a: u16, b: u16, n: usize) -> u16 {
    (0..n).fold(b, |v, _| v | a & from_right(v, n))
}

/// Evaluates over the atoms of one algorithm.
pub(crate) struct Evaluator<'a> {
    pub(crate) atoms: &'a [Atom],
    pub(crate) goal: Vec<Expr>,
    pub(crate) stays: bool,
    pub(crate) everywhere: bool,
    given: Option<Expr>,
}

impl<'a> Evaluator<'a> {
    /// Refuses a goal or an assumption that is not a formula over the atoms.
    pub(crate) fn new(rules: &Rules, atoms: &'a [Atom]) -> Result<Evaluator<'a>, Unsuitable> {
        let (texts, stays, everywhere) = match &rules.goal {
            Goal::ExactlyOne { of, stays } => (of.clone(), *stays, false),
            Goal::Everywhere { formula } => (vec![formula.clone()], false, true),
        };
        let read = |t: &String| {
            t.parse().ok().and_then(|f| expression(&f, atoms, rules)).ok_or_else(|| Unsuitable::Goal(t.clone()))
        };
        let goal = texts.iter().map(read).collect::<Result<_, _>>()?;
        let given = rules.given.as_ref().map(read).transpose()?;
        Ok(Evaluator { atoms, goal, stays, everywhere, given })
    }

    /// Whether a word of possible states meets the assumption about all agents together, if there is one.
    pub(crate) fn given(&self, w: &[State]) -> bool {
        self.given.as_ref().is_none_or(|given| self.values(given, w) == everyone(w.len()))
    }

    pub(crate) fn atom(&self, atom: usize, w: &[State]) -> u16 {
        let n = w.len();
        let holds = |i: usize| self.atoms[atom].holds(Place::of(i, n), w[(i + n - 1) % n], w[i], w[(i + 1) % n]);
        (0..n).fold(0, |v, i| v | u16::from(holds(i)) << i)
    }

    pub(crate) fn values(&self, e: &Expr, w: &[State]) -> u16 {
        values(e, w.len(), &|atom| self.atom(atom, w))
    }

    /// If a configuration meets the goal, the agents that hold each value that must stay.
    pub(crate) fn promised(&self, w: &[State]) -> Option<Vec<u16>> {
        let held: Vec<u16> = self.goal.iter().map(|e| self.values(e, w)).collect();
        let met = if self.everywhere {
            held[0] == everyone(w.len())
        } else {
            held.iter().map(|v| v.count_ones()).sum::<u32>() == 1
        };
        met.then_some(if self.stays { held } else { Vec::new() })
    }
}

/// The values of a formula at the agents of a ring of size `n`, from the values of its atoms.
pub(crate) fn values(e: &Expr, n: usize, atom: &impl Fn(usize) -> u16) -> u16 {
    let of = |e: &Expr| values(e, n, atom);
    match e {
        Expr::One => everyone(n),
        Expr::Atom(a) => atom(*a),
        Expr::Not(a) => !of(a) & everyone(n),
        Expr::And(a, b) => of(a) & of(b),
        Expr::Or(a, b) => of(a) | of(b),
        Expr::Left(a) => from_left(of(a), n),
        Expr::Right(a) => from_right(of(a), n),
        Expr::Since(a, b) => since(of(a), of(b), n),
        Expr::Until(a, b) => until(of(a), of(b), n),
    }
}

/// Translates a formula of the notation into one over atoms.
pub(crate) fn expression(f: &Formula, atoms: &[Atom], rules: &Rules) -> Option<Expr> {
    use std::sync::Arc;
    let of = |f: &Formula| expression(f, atoms, rules).map(Arc::new);
    let named = |name: &str| atoms.iter().position(|a| a.name == name).map(Expr::Atom);
    Some(match f {
        Formula::Constant(true) => Expr::One,
        Formula::Constant(false) => Expr::Not(Arc::new(Expr::One)),
        Formula::Name(name) => named(name)?,
        Formula::Value(v, k) => match rules.variables.iter().find(|x| x.name == *v)?.size {
            2 if *k == 1 => named(v)?,
            2 => Expr::Not(Arc::new(named(v)?)),
            _ => named(&format!("{v}={k}"))?,
        },
        Formula::Ahead(v, k) => match rules.variables.iter().find(|x| x.name == *v)?.size {
            2 if *k == 0 => Expr::Not(Arc::new(named(&format!("{v}~1"))?)),
            _ => named(&format!("{v}~{k}"))?,
        },
        Formula::Not(a) => Expr::Not(of(a)?),
        Formula::And(a, b) => Expr::And(of(a)?, of(b)?),
        Formula::Or(a, b) => Expr::Or(of(a)?, of(b)?),
        Formula::Left(a) => Expr::Left(of(a)?),
        Formula::Right(a) => Expr::Right(of(a)?),
        Formula::Since(a, b) => Expr::Since(of(a)?, of(b)?),
        Formula::Until(a, b) => Expr::Until(of(a)?, of(b)?),
    })
}

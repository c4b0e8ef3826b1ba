//! The formulas that the search builds.

use std::fmt;
use std::sync::Arc;

/// A formula over numbered atoms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expr {
    One,
    Atom(usize),
    Not(Arc<Expr>),
    And(Arc<Expr>, Arc<Expr>),
    Or(Arc<Expr>, Arc<Expr>),
    Left(Arc<Expr>),
    Right(Arc<Expr>),
    Since(Arc<Expr>, Arc<Expr>),
    Until(Arc<Expr>, Arc<Expr>),
}

impl Expr {
    pub(crate) fn not(self) -> Expr {
        match self {
            Expr::Not(a) => (*a).clone(),
            other => Expr::Not(Arc::new(other)),
        }
    }

    pub(crate) fn and(self, other: Expr) -> Expr {
        Expr::And(Arc::new(self), Arc::new(other))
    }

    /// The number of symbols.
    pub(crate) fn size(&self) -> usize {
        match self {
            Expr::One | Expr::Atom(_) => 1,
            Expr::Not(a) => a.size() + usize::from(!matches!(**a, Expr::Atom(_))),
            Expr::Left(a) | Expr::Right(a) => 1 + a.size(),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Since(a, b) | Expr::Until(a, b) => 1 + a.size() + b.size(),
        }
    }

    /// The formula in the notation of certificates.
    pub(crate) fn text(&self, names: &[String]) -> String {
        Named(self, names).to_string()
    }
}

struct Named<'a>(&'a Expr, &'a [String]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let of = |e: &'_ Arc<Expr>| Named(e, self.1).to_string();
        match self.0 {
            Expr::One => f.write_str("1"),
            Expr::Atom(i) => f.write_str(&self.1[*i]),
            Expr::Not(a) => write!(f, "!{}", of(a)),
            Expr::And(a, b) => write!(f, "({} & {})", of(a), of(b)),
            Expr::Or(a, b) => write!(f, "({} | {})", of(a), of(b)),
            Expr::Left(a) => write!(f, "Y {}", of(a)),
            Expr::Right(a) => write!(f, "X {}", of(a)),
            Expr::Since(a, b) => write!(f, "({} S {})", of(a), of(b)),
            Expr::Until(a, b) => write!(f, "({} U {})", of(a), of(b)),
        }
    }
}

/// The comparison of a formula's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Count,
    FromBottom,
    FromTop,
}

/// A measure of the search. Weights are 1 and there is one term, unless the measure counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Measure {
    Unsafe,
    Of(Mode, Vec<(i32, Expr)>),
}

impl Measure {
    /// The number of terms.
    pub(crate) fn terms(&self) -> usize {
        if let Measure::Of(_, terms) = self { terms.len() } else { 0 }
    }

    pub(crate) fn text(&self, names: &[String]) -> String {
        let Measure::Of(mode, terms) = self else { return "safe".into() };
        let letter = match mode {
            Mode::Count => "C",
            Mode::FromBottom => "L",
            Mode::FromTop => "R",
        };
        let mut text = format!("{letter}:");
        for (i, (weight, expr)) in terms.iter().enumerate() {
            text += match (i, *weight < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            if weight.abs() != 1 {
                text += &format!("{}*", weight.abs());
            }
            text += &expr.text(names);
        }
        text
    }
}

//! The queries of a condition about one agent and its neighbourhood.

use crate::domains::layout::Layout;
use crate::meaning::typed::{Agent, Ex, Op};
use crate::syntax::ast::Quantifier;

/// An index: a sum of bound variables and a number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Index {
    /// The coefficient of each bound variable, by its slot; never 0.
    bound: Vec<(usize, i64)>,
    number: i64,
}

impl Index {
    /// The bound variable of a quantifier.
    pub(crate) fn bound(slot: usize) -> Index {
        Index { bound: vec![(slot, 1)], number: 0 }
    }

    pub(crate) fn of(ex: &Ex) -> Option<Index> {
        match &ex.op {
            Op::Const(number) => Some(Index { bound: vec![], number: *number }),
            Op::Bound(slot) => Some(Index::bound(*slot)),
            Op::Two("+", a, b) => Index::of(a)?.plus(&Index::of(b)?, 1),
            Op::Two("-", a, b) => Index::of(a)?.plus(&Index::of(b)?, -1),
            _ => None,
        }
    }

    fn plus(mut self, other: &Index, times: i64) -> Option<Index> {
        for &(slot, more) in &other.bound {
            match self.bound.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, often)) => *often += times * more,
                None => self.bound.push((slot, times * more)),
            }
        }
        self.bound.retain(|(_, often)| *often != 0);
        self.bound.sort_unstable();
        self.number = self.number.checked_add(other.number.checked_mul(times)?)?;
        Some(self)
    }

    /// Whether it is one bound variable plus or minus at most a number.
    pub(crate) fn is_near(&self, most: i64) -> bool {
        matches!(self.bound[..], [(_, 1)]) && self.number.abs() <= most
    }

    /// The difference to another index, if it is a constant.
    pub(crate) fn beyond(self, other: &Index) -> Option<i64> {
        self.plus(other, -1).filter(|rest| rest.bound.is_empty()).map(|rest| rest.number)
    }
}

/// A search for the nearest agent with a property, in one direction.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Search {
    pub(crate) left: bool,
    /// Whether the search excludes the agent itself.
    pub(crate) beyond: bool,
    /// The condition that the agent must satisfy; its indices are relative to that agent.
    pub(crate) holds: Ex,
}

/// A query about the agent at an index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Query {
    /// A variable of the agent `places` positions to the right.
    Variable { places: i64, slot: usize },
    /// The distance to the nearest match of a search.
    Far(Search),
    /// A variable of the nearest match.
    Nearest(Search, usize),
    /// Whether a condition holds for all agents from the nearest match to this agent. The index is the agent of the
    /// condition.
    Between(Search, Ex, Index),
    /// The index of the agent plus a number.
    Place(i64),
}

/// The queries that are possible from the agent at an index.
pub(crate) struct View<'a> {
    pub(crate) at: &'a Index,
    pub(crate) size: i64,
}

impl View<'_> {
    /// The query of an expression, if the expression is a single query.
    pub(crate) fn query(&self, ex: &Ex) -> Option<Query> {
        match &ex.op {
            Op::Var(Agent::At(index), slot) => match Index::of(index) {
                Some(index) => Some(Query::Variable { places: index.beyond(self.at)?, slot: *slot }),
                None => Some(Query::Nearest(self.to_nearest(index)?, *slot)),
            },
            Op::Bound(_) => Some(Query::Place(Index::of(ex)?.beyond(self.at)?)),
            Op::Quantified { quantifier: Quantifier::Least, .. } => self.far(ex).map(Query::Far),
            Op::Quantified { quantifier: Quantifier::All, slot, low, high, body } => {
                let search = self.far(high).filter(|search| low.op == Op::Const(0) && !search.beyond)?;
                let step = Index { bound: vec![(*slot, if search.left { -1 } else { 1 })], number: 0 };
                Some(Query::Between(search, body.anywhere(), self.at.clone().plus(&step, 1)?))
            }
            _ => None,
        }
    }

    /// The search of `least d : P` from here, where `P` is about the agent at distance `d` to the left or to the right.
    fn far(&self, ex: &Ex) -> Option<Search> {
        let Op::Quantified { quantifier: Quantifier::Least, slot, low, high, body } = &ex.op else { return None };
        let beyond = low.op == Op::Const(1);
        let everyone = (beyond || low.op == Op::Const(0)) && high.op == Op::Const(self.size - 1);
        let search = |left: bool| {
            let steps = Index { bound: vec![(*slot, if left { -1 } else { 1 })], number: 0 };
            let mut holds = body.anywhere();
            count_from(&mut holds, &self.at.clone().plus(&steps, 1)?)?;
            Some(Search { left, beyond, holds })
        };
        if everyone { search(true).or_else(|| search(false)) } else { None }
    }

    /// The search whose nearest match is the agent at this index.
    fn to_nearest(&self, index: &Ex) -> Option<Search> {
        let Op::Two(sign @ ("+" | "-"), from, steps) = &index.op else { return None };
        let here = Index::of(from)?.beyond(self.at)? == 0;
        self.far(steps).filter(|search| here && search.left == (*sign == "-"))
    }
}

/// Makes the indices of an expression relative to one index; `None` if it uses anything else.
fn count_from(ex: &mut Ex, at: &Index) -> Option<()> {
    match &mut ex.op {
        Op::Const(_) => Some(()),
        Op::Var(Agent::At(index), _) => {
            index.op = Op::Const(Index::of(index)?.beyond(at)?);
            Some(())
        }
        Op::Not(_) | Op::Two(..) | Op::If(..) | Op::In(..) => {
            ex.op.operands_mut().try_for_each(|operand| count_from(operand, at))
        }
        _ => None,
    }
}

impl Query {
    /// The number of possible answers, and the least answer.
    pub(crate) fn values(&self, layout: &Layout, size: i64) -> (usize, i64) {
        match *self {
            Query::Variable { slot, .. } | Query::Nearest(_, slot) => {
                let field = &layout.fields[slot];
                (field.mask as usize + 1, field.low)
            }
            // One extra value for no match.
            Query::Far(_) => (size as usize + 1, 0),
            Query::Between(..) => (2, 0),
            Query::Place(more) => (size as usize, more),
        }
    }
}

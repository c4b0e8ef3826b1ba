//! A condition on configurations as lookup tables over single agents, for simulations, which evaluate it often.

use crate::configurations::queries::{Index, Query, Search, View};
use crate::domains::fold::{Constants, apply, log2, prime};
use crate::domains::layout::{Layout, State};
use crate::meaning::typed::{Ex, INFINITY, Op};
use crate::syntax::ast::Quantifier;

/// The maximum number of rows of a table, so that it stays in the first-level cache.
const MOST_ROWS: usize = 1 << 15;

/// The source of one part of a row number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    Bits { places: usize, shift: u32, mask: u64 },
    Far(usize),
    Nearest { near: usize, shift: u32, mask: u64 },
    Between(usize),
    Place,
}

/// A condition that depends on a few bits of the agent's own state: one bit for each value of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    shift: u32,
    mask: u64,
    values: u64,
}

impl Own {
    /// 1 if the condition holds, or 0.
    #[inline]
    pub(crate) fn bit(self, state: &State) -> u64 {
        self.values >> (state.0 >> self.shift & self.mask) & 1
    }

    #[inline]
    pub(crate) fn holds(self, state: &State) -> bool {
        self.bit(state) != 0
    }
}

/// A condition on the agent at an index.
#[derive(Debug)]
pub(crate) enum Each {
    Own(Own),
    Table { parts: Vec<(Column, usize)>, holds: Vec<bool> },
    Both(Box<Each>, Box<Each>),
    Either(Box<Each>, Box<Each>),
}

/// A condition on the whole configuration.
#[derive(Debug)]
pub(crate) enum Whole {
    Known(bool),
    All(Each),
    Some(Each),
    /// The number of agents that satisfy the condition, compared with a number.
    Count(Each, &'static str, i64),
    Not(Box<Whole>),
    Both(Box<Whole>, Box<Whole>),
    Either(Box<Whole>, Box<Whole>),
}

/// The condition of the agent to search for, and the direction.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) left: bool,
    /// Whether the search excludes the agent itself.
    pub(crate) beyond: bool,
    pub(crate) each: Each,
}

/// A condition on configurations of `size` agents.
#[derive(Debug)]
pub(crate) struct ConditionTables {
    pub(crate) size: usize,
    pub(crate) whole: Whole,
    /// The searches whose distances the tables use.
    pub(crate) scans: Vec<Scan>,
    pub(crate) betweens: Vec<(usize, Each)>,
}

impl ConditionTables {
    /// `None` if tables cannot express the condition. `sets` are the conditions of the closed sets that it may name.
    pub(crate) fn new(constants: &Constants, layout: &Layout, sets: &[Ex], ex: &Ex) -> Option<ConditionTables> {
        let size = usize::try_from(constants.size).ok().filter(|size| *size > 0)?;
        let mut maker = Maker {
            constants,
            layout,
            sets,
            searches: vec![],
            scans: vec![],
            betweens: vec![],
            between_queries: vec![],
        };
        let whole = maker.whole(&constants.fold(ex))?;
        let Maker { scans, betweens, .. } = maker;
        Some(ConditionTables { size, whole, scans, betweens })
    }
}

struct Maker<'a> {
    constants: &'a Constants,
    layout: &'a Layout,
    sets: &'a [Ex],
    /// The searches so far.
    searches: Vec<Search>,
    scans: Vec<Scan>,
    betweens: Vec<(usize, Each)>,
    /// The queries of `betweens`, in the same order.
    between_queries: Vec<Query>,
}

impl Maker<'_> {
    fn whole(&mut self, ex: &Ex) -> Option<Whole> {
        let mut two = |a: &Ex, b: &Ex| Some((Box::new(self.whole(a)?), Box::new(self.whole(b)?)));
        Some(match &ex.op {
            Op::Const(value) => Whole::Known(*value != 0),
            Op::Not(a) => Whole::Not(Box::new(self.whole(a)?)),
            Op::Two("and", a, b) => two(a, b).map(|(a, b)| Whole::Both(a, b))?,
            Op::Two("or", a, b) => two(a, b).map(|(a, b)| Whole::Either(a, b))?,
            Op::Two("=>", a, b) => two(a, b).map(|(a, b)| Whole::Either(Box::new(Whole::Not(a)), b))?,
            Op::Two(sign, a, b) => {
                let (Op::Quantified { quantifier: Quantifier::Count, .. }, Op::Const(number)) = (&a.op, &b.op) else {
                    return None;
                };
                Whole::Count(self.everyone(a)?, sign, *number)
            }
            Op::Set(set) => self.whole(&self.constants.fold(self.sets.get(*set)?))?,
            Op::Quantified { quantifier: Quantifier::All, .. } => Whole::All(self.everyone(ex)?),
            Op::Quantified { quantifier: Quantifier::Some, .. } => Whole::Some(self.everyone(ex)?),
            Op::Quantified { quantifier: Quantifier::One, .. } => Whole::Count(self.everyone(ex)?, "=", 1),
            _ => return None,
        })
    }

    /// The body of a quantifier over all agents, as a condition on each agent.
    fn everyone(&mut self, ex: &Ex) -> Option<Each> {
        let Op::Quantified { slot, low, high, body, .. } = &ex.op else { return None };
        let all = low.op == Op::Const(0) && high.op == Op::Const(self.constants.size - 1);
        if all { self.each(body, &Index::bound(*slot)) } else { None }
    }

    fn each(&mut self, ex: &Ex, at: &Index) -> Option<Each> {
        let mut two = |a: &Ex, b: &Ex| Some((self.each(a, at)?, self.each(b, at)?));
        match &ex.op {
            Op::Not(a) => self.each(a, at).map(not),
            Op::Two("and", a, b) => two(a, b).map(|(a, b)| not(either(not(a), not(b)))),
            Op::Two("or", a, b) => two(a, b).map(|(a, b)| either(a, b)),
            Op::Two("=>", a, b) => two(a, b).map(|(a, b)| either(not(a), b)),
            _ => self.table(ex, at),
        }
    }

    fn table(&mut self, ex: &Ex, at: &Index) -> Option<Each> {
        let view = View { at, size: self.constants.size };
        let mut queries = vec![];
        collect_queries(ex, &view, &mut queries)?;
        let values: Vec<_> = queries.iter().map(|query| query.values(self.layout, view.size)).collect();
        let rows = values.iter().try_fold(1usize, |rows, (count, _)| rows.checked_mul(*count))?;
        if rows > MOST_ROWS {
            return None;
        }
        let mut parts = vec![];
        for (query, stride) in queries.iter().zip(strides(&values)) {
            parts.push((self.column(query)?, stride));
        }
        let mut holds = Vec::with_capacity(rows);
        for row in 0..rows {
            let answer = |((query, (count, low)), stride): ((&Query, &(usize, i64)), usize)| {
                let digit = (row / stride % count) as i64;
                let none = matches!(query, Query::Far(_)) && digit == view.size;
                if none { INFINITY } else { digit + low }
            };
            let answers: Vec<i64> = queries.iter().zip(&values).zip(strides(&values)).map(answer).collect();
            holds.push(value(ex, &view, &queries, &answers)? != 0);
        }
        Some(match parts[..] {
            [(Column::Bits { places: 0, shift, mask }, _)] if rows <= 64 => {
                let bits = holds.iter().enumerate().fold(0, |bits, (row, holds)| bits | u64::from(*holds) << row);
                Each::Own(Own { shift, mask, values: bits })
            }
            _ => Each::Table { parts, holds },
        })
    }

    fn column(&mut self, query: &Query) -> Option<Column> {
        let field = |slot: usize| (self.layout.fields[slot].shift, self.layout.fields[slot].mask);
        Some(match query {
            Query::Variable { places, slot } => {
                let (shift, mask) = field(*slot);
                Column::Bits { places: places.rem_euclid(self.constants.size) as usize, shift, mask }
            }
            Query::Nearest(search, slot) => {
                let (shift, mask) = field(*slot);
                Column::Nearest { near: self.scan(search)?, shift, mask }
            }
            Query::Far(search) => Column::Far(self.scan(search)?),
            Query::Between(search, body, at) => match self.between_queries.iter().position(|known| known == query) {
                Some(known) => Column::Between(known),
                None => {
                    let (near, each) = (self.scan(search)?, self.each(body, at)?);
                    self.between_queries.push(query.clone());
                    self.betweens.push((near, each));
                    Column::Between(self.betweens.len() - 1)
                }
            },
            Query::Place(_) => Column::Place,
        })
    }

    fn scan(&mut self, search: &Search) -> Option<usize> {
        let known = self.searches.iter().position(|known| known == search);
        known.or_else(|| {
            let each = self.each(&search.holds, &Index::default())?;
            self.searches.push(search.clone());
            self.scans.push(Scan { left: search.left, beyond: search.beyond, each });
            Some(self.scans.len() - 1)
        })
    }
}

fn not(each: Each) -> Each {
    match each {
        Each::Own(own) => Each::Own(Own { values: !own.values, ..own }),
        Each::Table { parts, holds } => Each::Table { parts, holds: holds.iter().map(|holds| !holds).collect() },
        Each::Either(a, b) => Each::Both(Box::new(not(*a)), Box::new(not(*b))),
        Each::Both(a, b) => Each::Either(Box::new(not(*a)), Box::new(not(*b))),
    }
}

/// The disjunction of two conditions. If both depend on few bits of the agent's own state, one lookup decides.
fn either(a: Each, b: Each) -> Each {
    let (Each::Own(x), Each::Own(y)) = (&a, &b) else {
        return Each::Either(Box::new(a), Box::new(b));
    };
    let (first, last) = (x.shift.min(y.shift), (x.shift + x.mask.count_ones()).max(y.shift + y.mask.count_ones()));
    if last - first > 6 {
        return Each::Either(Box::new(a), Box::new(b));
    }
    let bits = |row: u64| x.bit(&State(row << first)) | y.bit(&State(row << first));
    let values = (0..1 << (last - first)).fold(0, |all, row| all | bits(row) << row);
    Each::Own(Own { shift: first, mask: (1 << (last - first)) - 1, values })
}

/// The number of rows between consecutive answers to each query.
fn strides(values: &[(usize, i64)]) -> impl Iterator<Item = usize> {
    values.iter().scan(1, |rows, (count, _)| Some(std::mem::replace(rows, *rows * count)))
}

/// The operands of a compound expression.
fn parts(ex: &Ex) -> Option<Vec<&Ex>> {
    let made =
        matches!(ex.op, Op::Const(_) | Op::Not(_) | Op::Prime(_) | Op::Log2(_) | Op::Two(..) | Op::If(..) | Op::In(..));
    made.then(|| ex.op.operands().collect())
}

/// Collects the queries of an expression, each once.
pub(crate) fn collect_queries(ex: &Ex, view: &View<'_>, queries: &mut Vec<Query>) -> Option<()> {
    match view.query(ex) {
        Some(query) if queries.contains(&query) => {}
        Some(query) => queries.push(query),
        None => parts(ex)?.into_iter().try_for_each(|part| collect_queries(part, view, queries))?,
    }
    Some(())
}

/// The value of an expression for these answers to the queries.
pub(crate) fn value(ex: &Ex, view: &View<'_>, queries: &[Query], answers: &[i64]) -> Option<i64> {
    if let Some(query) = view.query(ex) {
        return queries.iter().position(|known| *known == query).map(|at| answers[at]);
    }
    let values = parts(ex)?.into_iter().map(|part| value(part, view, queries, answers)).collect::<Option<Vec<_>>>()?;
    Some(match (&ex.op, &values[..]) {
        (Op::Const(value), _) => *value,
        (Op::Not(_), [a]) => i64::from(*a == 0),
        (Op::Prime(_), [a]) => prime(*a).into(),
        (Op::Log2(_), [a]) => log2(*a),
        (Op::Two(sign, ..), [a, b]) => apply(sign, *a, *b),
        (Op::If(..), [condition, yes, no]) => *if *condition != 0 { yes } else { no },
        (Op::In(..), [a, ranges @ ..]) => ranges.chunks(2).any(|ends| (ends[0]..=ends[1]).contains(a)).into(),
        _ => return None,
    })
}

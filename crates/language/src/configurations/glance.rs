//! A condition on configurations as lookup tables over single agents, for simulations, which evaluate it often.

use crate::configurations::around::{Asked, Index, Sight, Whom};
use crate::domains::fold::{Constants, apply, log2, prime};
use crate::domains::layout::Layout;
use crate::meaning::typed::{Ex, INFINITY, Op};
use crate::syntax::ast::Quantifier;

/// The maximum number of rows of a table, so that it stays in the first-level cache.
const MOST_ROWS: usize = 1 << 15;

/// The source of one part of a row number.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From {
    Bits { places: usize, shift: u32, mask: u64 },
    Far(usize),
    Nearest { near: usize, shift: u32, mask: u64 },
    Between(usize),
    Place,
}

/// A condition on the agent at an index.
#[derive(Debug)]
pub(crate) enum Each {
    /// The condition depends on a few bits of the agent's own state.
    Own {
        shift: u32,
        mask: u64,
        holds: u64,
    },
    Table {
        parts: Vec<(From, usize)>,
        holds: Vec<bool>,
    },
    Not(Box<Each>),
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
pub(crate) struct Way {
    pub(crate) left: bool,
    /// Whether the search excludes the agent itself.
    pub(crate) beyond: bool,
    pub(crate) each: Each,
}

/// A condition on configurations of `size` agents.
#[derive(Debug)]
pub(crate) struct Glance {
    pub(crate) size: usize,
    pub(crate) whole: Whole,
    /// The searches whose distances the tables use.
    pub(crate) ways: Vec<Way>,
    pub(crate) betweens: Vec<(usize, Each)>,
}

impl Glance {
    /// `None` if tables cannot express the condition. `sets` are the conditions of the closed sets that it may name.
    pub(crate) fn new(constants: &Constants, layout: &Layout, sets: &[Ex], ex: &Ex) -> Option<Glance> {
        let size = usize::try_from(constants.size).ok().filter(|size| *size > 0)?;
        let mut maker = Maker { constants, layout, sets, whoms: vec![], ways: vec![], betweens: vec![], asked: vec![] };
        let whole = maker.whole(&constants.fold(ex))?;
        let Maker { ways, betweens, .. } = maker;
        Some(Glance { size, whole, ways, betweens })
    }
}

struct Maker<'a> {
    constants: &'a Constants,
    layout: &'a Layout,
    sets: &'a [Ex],
    /// The searches so far.
    whoms: Vec<Whom>,
    ways: Vec<Way>,
    betweens: Vec<(usize, Each)>,
    /// The queries of `betweens`, in the same order.
    asked: Vec<Asked>,
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
        let sight = Sight { at, size: self.constants.size };
        let mut asked = vec![];
        questions(ex, &sight, &mut asked)?;
        let values: Vec<_> = asked.iter().map(|asked| asked.values(self.layout, sight.size)).collect();
        let rows = values.iter().try_fold(1usize, |rows, (count, _)| rows.checked_mul(*count))?;
        if rows > MOST_ROWS {
            return None;
        }
        let mut parts = vec![];
        for (asked, stride) in asked.iter().zip(strides(&values)) {
            parts.push((self.from(asked)?, stride));
        }
        let mut holds = Vec::with_capacity(rows);
        for row in 0..rows {
            let answer = |((asked, (count, low)), stride): ((&Asked, &(usize, i64)), usize)| {
                let digit = (row / stride % count) as i64;
                let none = matches!(asked, Asked::Far(_)) && digit == sight.size;
                if none { INFINITY } else { digit + low }
            };
            let answers: Vec<i64> = asked.iter().zip(&values).zip(strides(&values)).map(answer).collect();
            holds.push(value(ex, &sight, &asked, &answers)? != 0);
        }
        Some(match parts[..] {
            [(From::Bits { places: 0, shift, mask }, _)] if rows <= 64 => {
                let bits = holds.iter().enumerate().fold(0, |bits, (row, holds)| bits | u64::from(*holds) << row);
                Each::Own { shift, mask, holds: bits }
            }
            _ => Each::Table { parts, holds },
        })
    }

    fn from(&mut self, asked: &Asked) -> Option<From> {
        let field = |slot: usize| (self.layout.fields[slot].shift, self.layout.fields[slot].mask);
        Some(match asked {
            Asked::Variable { places, slot } => {
                let (shift, mask) = field(*slot);
                From::Bits { places: places.rem_euclid(self.constants.size) as usize, shift, mask }
            }
            Asked::Nearest(whom, slot) => {
                let (shift, mask) = field(*slot);
                From::Nearest { near: self.way(whom)?, shift, mask }
            }
            Asked::Far(whom) => From::Far(self.way(whom)?),
            Asked::Between(whom, body, at) => match self.asked.iter().position(|known| known == asked) {
                Some(known) => From::Between(known),
                None => {
                    let (near, each) = (self.way(whom)?, self.each(body, at)?);
                    self.asked.push(asked.clone());
                    self.betweens.push((near, each));
                    From::Between(self.betweens.len() - 1)
                }
            },
            Asked::Place(_) => From::Place,
        })
    }

    fn way(&mut self, whom: &Whom) -> Option<usize> {
        let known = self.whoms.iter().position(|known| known == whom);
        known.or_else(|| {
            let each = self.each(&whom.holds, &Index::default())?;
            self.whoms.push(whom.clone());
            self.ways.push(Way { left: whom.left, beyond: whom.beyond, each });
            Some(self.ways.len() - 1)
        })
    }
}

fn not(each: Each) -> Each {
    match each {
        Each::Own { shift, mask, holds } => Each::Own { shift, mask, holds: !holds },
        Each::Not(each) => *each,
        Each::Either(a, b) => Each::Both(Box::new(not(*a)), Box::new(not(*b))),
        Each::Both(a, b) => Each::Either(Box::new(not(*a)), Box::new(not(*b))),
        each => Each::Not(Box::new(each)),
    }
}

/// The disjunction of two conditions. If both depend on few bits of the agent's own state, one lookup decides.
fn either(a: Each, b: Each) -> Each {
    let (Each::Own { shift, mask, holds }, Each::Own { shift: other, mask: others, holds: either }) = (&a, &b) else {
        return Each::Either(Box::new(a), Box::new(b));
    };
    let (first, last) = (*shift.min(other), (shift + mask.count_ones()).max(other + others.count_ones()));
    if last - first > 6 {
        return Each::Either(Box::new(a), Box::new(b));
    }
    let bits = |row: u64| (holds >> (row >> (shift - first) & mask) | either >> (row >> (other - first) & others)) & 1;
    let together = (0..1 << (last - first)).fold(0, |all, row| all | bits(row) << row);
    Each::Own { shift: first, mask: (1 << (last - first)) - 1, holds: together }
}

/// The number of rows between consecutive answers to each query.
fn strides(values: &[(usize, i64)]) -> impl Iterator<Item = usize> {
    values.iter().scan(1, |rows, (count, _)| Some(std::mem::replace(rows, *rows * count)))
}

/// The operands of a compound expression.
fn parts(ex: &Ex) -> Option<Vec<&Ex>> {
    let made =
        matches!(ex.op, Op::Const(_) | Op::Not(_) | Op::Prime(_) | Op::Log2(_) | Op::Two(..) | Op::If(..) | Op::In(..));
    let mut parts = vec![];
    ex.op.operands(&mut |operand| parts.push(operand));
    made.then_some(parts)
}

/// Collects the queries of an expression, each once.
fn questions(ex: &Ex, sight: &Sight<'_>, asked: &mut Vec<Asked>) -> Option<()> {
    match sight.question(ex) {
        Some(question) if asked.contains(&question) => {}
        Some(question) => asked.push(question),
        None => parts(ex)?.into_iter().try_for_each(|part| questions(part, sight, asked))?,
    }
    Some(())
}

/// The value of an expression for these answers to the queries.
fn value(ex: &Ex, sight: &Sight<'_>, asked: &[Asked], answers: &[i64]) -> Option<i64> {
    if let Some(question) = sight.question(ex) {
        return asked.iter().position(|known| *known == question).map(|at| answers[at]);
    }
    let values = parts(ex)?.into_iter().map(|part| value(part, sight, asked, answers)).collect::<Option<Vec<_>>>()?;
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

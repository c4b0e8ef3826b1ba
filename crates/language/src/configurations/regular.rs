//! A condition on configurations as a formula of a proof for every size.
//!
//! The formula is true or false at each agent, in the notation of `docs/proving.md`. Its names are conditions on an agent and its two
//! neighbours. `(1 S f)` means that f holds at some agent, `(f U g)` and `(f S g)` look around the ring, `root` and `top` are agents 0
//! and n-1.

use crate::build::Built;
use crate::configurations::queries::{Index, Query, View};
use crate::configurations::tables::{collect_queries, value};
use crate::configurations::uniform::line_at;
use crate::domains::fold::{Constants, apply};
use crate::meaning::resolve::neighbour;
use crate::meaning::typed::{Ex, Op, Type};
use crate::protocol::Protocol;
use crate::syntax::ast::Quantifier;
use ringleader_erased::{Parameters, Refusal};
use ringleader_model::{Chain, Goal};

/// Numbers beside an index, and numbers of agents, are at most this large.
const LARGEST: i64 = 8;

/// A formula is the same at this many consecutive sizes. With numbers of at most [`LARGEST`] it is then the same at every size.
const COMPARED: i64 = 4 * LARGEST;

/// A condition on configurations of every size.
#[derive(Clone, Debug, PartialEq)]
pub struct RegularCondition {
    /// The condition as the protocol writes it.
    pub text: String,
    /// The formula, which has the same value at every agent or, for a condition on every agent, holds at all of them.
    pub formula: String,
    /// The names in it.
    pub names: Vec<LocalCondition>,
}

/// A condition on an agent and its two neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalCondition {
    /// Its name in the formula.
    pub name: String,
    /// The condition as the protocol writes it.
    pub text: String,
    condition: Ex,
    slot: usize,
    reads: Vec<Query>,
}

impl LocalCondition {
    /// Whether it holds, for the values of the variables of the left neighbour, of the agent and of the right neighbour.
    pub fn holds(&self, views: [&[u64]; 3]) -> bool {
        let at = Index::bound(self.slot);
        let answer = |query: &Query| match *query {
            Query::Variable { places, slot } => views[(places + 1) as usize][slot] as i64,
            _ => unreachable!("a local condition reads variables only"),
        };
        let answers: Vec<i64> = self.reads.iter().map(answer).collect();
        value(&self.condition, &View { at: &at, size: 0 }, &self.reads, &answers).is_some_and(|value| value != 0)
    }

    /// Whether it reads a variable of the left neighbour, of the agent, of the right neighbour.
    pub fn reads(&self) -> [bool; 3] {
        [-1, 0, 1].map(|at| self.reads.iter().any(|q| matches!(q, Query::Variable { places, .. } if *places == at)))
    }
}

impl Protocol {
    /// A goal that is an expression, as a formula of a proof. `None` if the goal is not an expression.
    ///
    /// The expression is made of conditions on neighbours by `and`, `or`, `not`, `=>`, `all`, `some`, `one` and comparisons of `count`
    /// with a number.
    ///
    /// ```
    /// use ringleader_erased::Parameters;
    /// use ringleader_language::Source;
    ///
    /// let text = "protocol colours\nmodel ring\nreads both\nstate c : 0..2\ngoal all i : c[i] != c[i + 1] \"neighbours differ\"\n\
    ///             any:\n  1: c = left.c -> c := (c + 1) mod 3\n";
    /// let colours = Source::parse("colours.ring", text).unwrap();
    /// let goal = colours.regular_goal(&Parameters::new(3)).unwrap().unwrap();
    /// assert_eq!(goal.formula, "local1");
    /// assert!(goal.names[0].holds([&[0], &[0], &[1]]) && !goal.names[0].holds([&[0], &[1], &[1]]));
    /// ```
    pub fn regular_goal(&self, parameters: &Parameters) -> Result<Option<RegularCondition>, Refusal> {
        let (unit, ..) = self.parts();
        match (&unit.goal, &unit.correct) {
            (Goal::Holds(_), Some(correct)) => self.regular(parameters, correct, "goal", "local").map(Some),
            _ => Ok(None),
        }
    }

    /// The condition on the configurations in which executions start, as a formula of a proof, like [`Protocol::regular_goal`]. `None` if
    /// executions start everywhere.
    pub fn regular_start(&self, parameters: &Parameters) -> Result<Option<RegularCondition>, Refusal> {
        let (unit, ..) = self.parts();
        unit.start.as_ref().map(|(start, _)| self.regular(parameters, start, "start", "start")).transpose()
    }

    /// The names in the formula are `name` with a number.
    fn regular(
        &self,
        parameters: &Parameters,
        condition: &Ex,
        what: &str,
        name: &str,
    ) -> Result<RegularCondition, Refusal> {
        let (unit, _, text) = self.parts();
        let built = Built::new(unit, parameters)?;
        let bodies: Vec<Ex> = unit.closed.iter().map(|set| set.holds.clone()).collect();
        let at = |size: i64| {
            let constants = Constants { size, ..built.constants.clone() };
            let translation = Translation { constants: &constants, sets: &bodies, text, name, names: vec![] };
            translation.condition(condition)
        };
        let irregular = |part: Irregular| {
            let (line, said) = line_at(text, part.0).unwrap_or_default();
            Refusal::new(format!(
                "a proof cannot use this {what} (line {line}: {said}): it supports conditions on neighbours, joined by `and`, `or`, \
                 `not`, `=>`, `all`, `some`, `one`, and `count` compared with a number up to {LARGEST}"
            ))
        };
        if let Some(place) = built_on_size(condition, &|p| self.parameter_depends_on_size(p, parameters)) {
            return Err(irregular(Irregular(place)));
        }
        let least = built.constants.size.max(3);
        let found = at(least).map_err(irregular)?;
        match (least..least + COMPARED).find(|size| at(*size).as_ref() != Ok(&found)) {
            None => Ok(found),
            Some(_) => Err(irregular(Irregular(condition.span.start))),
        }
    }
}

/// The place in the text of a part that no formula expresses.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Irregular(usize);

/// A position relative to the agent of a quantifier: the index plus a number, perhaps modulo n.
fn position(ex: &Ex) -> Option<(Index, bool)> {
    match &ex.op {
        Op::Two("mod", index, size) if size.op == Op::Size => Some((Index::of(index)?, true)),
        _ => Some((Index::of(ex)?, false)),
    }
    .filter(|(index, _)| index.is_near(LARGEST))
}

/// The index before the step of a neighbour's index on a line, and whether it is the left neighbour. The neighbour of a process at
/// the end of a line is the process itself.
fn on_line(ex: &Ex) -> Option<(&Ex, bool)> {
    let Op::Two(bound, stepped, _) = &ex.op else { return None };
    let Op::Two(step, index, _) = &stepped.op else { return None };
    let Op::Two("mod", index, size) = &index.op else { return None };
    let left = match (*bound, *step) {
        ("max", "-") => true,
        ("min", "+") => false,
        _ => return None,
    };
    (size.op == Op::Size && *ex == neighbour((**index).clone(), u8::from(!left), Chain::Line)).then_some((index, left))
}

/// Whether an expression reads the left, or the right, neighbour of the process at this index on a line.
fn reads_on_line(ex: &Ex, at: &Index, left: bool) -> bool {
    beside(ex, at, left).is_some() || ex.op.operands().any(|operand| reads_on_line(operand, at, left))
}

/// This index, if the expression is the left, or right, neighbour of the process there on a line.
fn beside<'e>(ex: &'e Ex, at: &Index, left: bool) -> Option<&'e Ex> {
    on_line(ex)
        .filter(|(index, is_left)| *is_left == left && Index::of(index).as_ref() == Some(at))
        .map(|(index, _)| index)
}

/// The expression with `more` added to this index instead of a step to the left, or right, neighbour on a line.
fn off_line(ex: &Ex, at: &Index, left: bool, more: i64) -> Ex {
    ex.changed(&|ex| {
        if let Some(index) = beside(ex, at, left).cloned() {
            let more = Ex::number(more, index.span.clone());
            *ex = Ex::two("+", index, more, Type::Number);
        }
    })
}

/// Whether a number is a small constant, or n plus or minus one.
fn is_end(ex: &Ex) -> bool {
    let is_small = |ex: &Ex| matches!(ex.op, Op::Const(number) if number.abs() <= LARGEST);
    match &ex.op {
        Op::Two("-" | "+", a, b) => a.op == Op::Size && is_small(b),
        op => *op == Op::Size || is_small(ex),
    }
}

/// The place of a use of n other than in a comparison of positions or in the range of a quantifier.
fn built_on_size(ex: &Ex, depends: &dyn Fn(usize) -> bool) -> Option<usize> {
    if let Some((index, _)) = on_line(ex) {
        return built_on_size(index, depends);
    }
    match &ex.op {
        Op::Size => Some(ex.span.start),
        Op::Parameter(parameter) if depends(*parameter) => Some(ex.span.start),
        Op::Quantified { low, high, body, .. } => {
            let free = [low, high].into_iter().filter(|end| !is_end(end));
            free.chain([body]).find_map(|ex| built_on_size(ex, depends))
        }
        Op::Two(_, a, b) if position(a).is_some() && is_end(b) || position(b).is_some() && is_end(a) => None,
        op => op.operands().find_map(|ex| built_on_size(ex, depends)),
    }
}

struct Translation<'a> {
    constants: &'a Constants,
    sets: &'a [Ex],
    text: &'a str,
    name: &'a str,
    names: Vec<LocalCondition>,
}

type Translated = Result<String, Irregular>;

fn not(a: &str) -> String {
    match (a, a.strip_prefix('!')) {
        ("0", _) => "1".into(),
        ("1", _) => "0".into(),
        (_, Some(a)) => a.into(),
        _ => format!("!{a}"),
    }
}

fn both(a: &str, b: &str) -> String {
    match (a, b) {
        ("0", _) | (_, "0") => "0".into(),
        ("1", other) | (other, "1") => other.into(),
        _ => format!("({a} & {b})"),
    }
}

fn either(a: &str, b: &str) -> String {
    not(&both(&not(a), &not(b)))
}

/// The formula of at least this many agents at which a formula holds.
fn at_least(number: i64, formula: &str) -> String {
    let mut last = formula.to_owned();
    for _ in 1..number {
        // Another such agent between agent 0 and this one.
        last = both(formula, &both("!root", &format!("Y (!root S {last})")));
    }
    match (number, &*last) {
        (..=0, _) => "1".into(),
        (_, "0" | "1") if number == 1 => last,
        _ => format!("(1 S {last})"),
    }
}

impl Translation<'_> {
    fn condition(mut self, ex: &Ex) -> Result<RegularCondition, Irregular> {
        let formula = self.everywhere(ex)?;
        let text = self.text.get(ex.span.clone()).unwrap_or_default().to_owned();
        Ok(RegularCondition { text, formula, names: self.names })
    }

    /// A formula that holds at all agents of exactly the configurations that meet a condition.
    fn everywhere(&mut self, ex: &Ex) -> Translated {
        match &ex.op {
            Op::Two("and", a, b) => Ok(both(&self.everywhere(a)?, &self.everywhere(b)?)),
            Op::Set(set) => self.everywhere(&self.sets[*set]),
            Op::Quantified { quantifier: Quantifier::All, slot, low, high, body } => {
                let within = self.between(low, high).ok_or(Irregular(ex.span.start))?;
                Ok(either(&not(&within), &self.each(body, *slot)?))
            }
            _ => self.whole(ex),
        }
    }

    /// A condition on the configuration: a formula with the same value at every agent.
    fn whole(&mut self, ex: &Ex) -> Translated {
        let irregular = Irregular(ex.span.start);
        if let Op::Const(value) = self.constants.fold(ex).op {
            return Ok(if value == 0 { "0" } else { "1" }.into());
        }
        match &ex.op {
            Op::Not(a) => Ok(not(&self.whole(a)?)),
            Op::Two("and", a, b) => Ok(both(&self.whole(a)?, &self.whole(b)?)),
            Op::Two("or", a, b) => Ok(either(&self.whole(a)?, &self.whole(b)?)),
            Op::Two("=>", a, b) => Ok(either(&not(&self.whole(a)?), &self.whole(b)?)),
            Op::Set(set) => self.whole(&self.sets[*set]),
            Op::Two(sign, a, b) => match (&a.op, &self.constants.fold(b).op) {
                (Op::Quantified { quantifier: Quantifier::Count, .. }, Op::Const(number)) => {
                    self.compared(a, sign, *number).unwrap_or(Err(irregular))
                }
                _ => Err(irregular),
            },
            Op::Quantified { quantifier, slot, low, high, body } => {
                let within = self.between(low, high).ok_or(irregular)?;
                let here = self.each(body, *slot)?;
                match quantifier {
                    Quantifier::All => Ok(not(&at_least(1, &both(&within, &not(&here))))),
                    Quantifier::Some => Ok(at_least(1, &both(&within, &here))),
                    Quantifier::One => {
                        let here = both(&within, &here);
                        Ok(both(&at_least(1, &here), &not(&at_least(2, &here))))
                    }
                    _ => Err(irregular),
                }
            }
            _ => Err(irregular),
        }
    }

    /// The number of agents with a property, compared with a small number.
    fn compared(&mut self, count: &Ex, sign: &str, number: i64) -> Option<Translated> {
        let Op::Quantified { slot, low, high, body, .. } = &count.op else { return None };
        let within = self.between(low, high)?;
        if !(0..=LARGEST).contains(&number) {
            return None;
        }
        let here = match self.each(body, *slot) {
            Ok(here) => both(&within, &here),
            Err(part) => return Some(Err(part)),
        };
        let exactly = both(&at_least(number, &here), &not(&at_least(number + 1, &here)));
        Some(Ok(match sign {
            "=" => exactly,
            "!=" => not(&exactly),
            ">=" => at_least(number, &here),
            ">" => at_least(number + 1, &here),
            "<" => not(&at_least(number, &here)),
            "<=" => not(&at_least(number + 1, &here)),
            _ => return None,
        }))
    }

    /// A condition on the agent of a quantifier.
    fn each(&mut self, ex: &Ex, slot: usize) -> Translated {
        match &ex.op {
            Op::Not(a) => Ok(not(&self.each(a, slot)?)),
            Op::Two("and", a, b) => Ok(both(&self.each(a, slot)?, &self.each(b, slot)?)),
            Op::Two("or", a, b) => Ok(either(&self.each(a, slot)?, &self.each(b, slot)?)),
            Op::Two("=>", a, b) => Ok(either(&not(&self.each(a, slot)?), &self.each(b, slot)?)),
            Op::Two(sign, a, b) if position(a).is_some() && is_end(b) => {
                self.placed(a, |at, end| apply(sign, at, end) != 0, b, slot).ok_or(Irregular(ex.span.start))
            }
            Op::Two(sign, a, b) if position(b).is_some() && is_end(a) => {
                self.placed(b, |at, end| apply(sign, end, at) != 0, a, slot).ok_or(Irregular(ex.span.start))
            }
            _ if !ex.contains(&|op| *op == Op::Bound(slot)) => self.whole(ex),
            _ if reads_on_line(ex, &Index::bound(slot), true) => self.at_end(ex, slot, true),
            _ if reads_on_line(ex, &Index::bound(slot), false) => self.at_end(ex, slot, false),
            _ => self.local(ex, slot).ok_or(Irregular(ex.span.start)),
        }
    }

    /// A condition on a process of a line and its left, or right, neighbour: at the end of the line that is the process itself.
    fn at_end(&mut self, ex: &Ex, slot: usize, left: bool) -> Translated {
        let (end, step) = if left { ("root", -1) } else { ("top", 1) };
        let mut with = |more: i64| self.each(&off_line(ex, &Index::bound(slot), left, more), slot);
        let (at_end, elsewhere) = (with(0)?, with(step)?);
        Ok(either(&both(end, &at_end), &both(&not(end), &elsewhere)))
    }

    /// The agents from one position to another.
    fn between(&self, low: &Ex, high: &Ex) -> Option<String> {
        let [low, high] = [low, high].map(|end| self.constants.value(end));
        self.places(|at| (low..=high).contains(&at))
    }

    /// A comparison of a position with an end.
    fn placed(&self, at: &Ex, holds: impl Fn(i64, i64) -> bool, end: &Ex, slot: usize) -> Option<String> {
        let (index, around) = position(at)?;
        let (more, end, size) = (index.beyond(&Index::bound(slot))?, self.constants.value(end), self.constants.size);
        self.places(|at| holds(if around { (at + more).rem_euclid(size) } else { at + more }, end))
    }

    /// The formula of a set of positions, if all middle agents are alike.
    fn places(&self, holds: impl Fn(i64) -> bool) -> Option<String> {
        let last = self.constants.size - 1;
        let middle = holds(1);
        if (1..last).any(|at| holds(at) != middle) {
            return None;
        }
        let formula = match (holds(0), middle, holds(last)) {
            (false, false, false) => "0",
            (true, true, true) => "1",
            (true, false, false) => "root",
            (false, true, true) => "!root",
            (false, false, true) => "top",
            (true, true, false) => "!top",
            (true, false, true) => "(root | top)",
            (false, true, false) => "!(root | top)",
        };
        Some(formula.into())
    }

    /// A condition on the variables of the agent and its neighbours.
    fn local(&mut self, ex: &Ex, slot: usize) -> Option<String> {
        let condition = self.constants.fold(ex).anywhere();
        let at = Index::bound(slot);
        let mut reads = vec![];
        collect_queries(&condition, &View { at: &at, size: self.constants.size }, &mut reads)?;
        if !reads.iter().all(|query| matches!(query, Query::Variable { places: -1..=1, .. })) {
            return None;
        }
        let known = self.names.iter().find(|known| known.condition == condition && known.slot == slot);
        Some(known.map(|known| known.name.clone()).unwrap_or_else(|| {
            let name = format!("{}{}", self.name, self.names.len() + 1);
            let text = self.text.get(ex.span.clone()).unwrap_or_default().to_owned();
            self.names.push(LocalCondition { name: name.clone(), text, condition, slot, reads });
            name
        }))
    }
}

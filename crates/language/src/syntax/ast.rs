//! The syntax tree of a protocol.

use crate::diagnostic::Span;

/// The maximum depth of an expression tree. Functions that walk a tree recurse for each level, and some threads have
/// stacks of 2 MiB. Named expressions count as expanded.
pub(crate) const DEEPEST: usize = 200;

/// Chains of up to this many operands group to the left. Longer chains become balanced trees where no value changes, so
/// that
/// a sum may have thousands of terms.
pub(crate) const LONGEST_LEFT: usize = 16;

/// A syntax element with its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) it: T,
    pub(crate) span: Span,
}

impl<T> At<T> {
    pub(crate) fn new(it: T, span: Span) -> At<T> {
        At { it, span }
    }
}

pub(crate) type Name = At<String>;

/// An expression, with its place and the depth of its tree.
#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) it: Box<Form>,
    pub(crate) span: Span,
    pub(crate) depth: usize,
}

impl Expr {
    pub(crate) fn new(form: Form, span: Span) -> Expr {
        let deepest = form.operands().iter().map(|operand| operand.depth).max();
        Expr { it: Box::new(form), span, depth: deepest.unwrap_or(0) + 1 }
    }
}

/// The form of an expression.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Number(i64),
    Name(String),
    /// `l.x`
    Dot(Expr, Name),
    /// `x[i]`
    Index(Expr, Expr),
    Call(Name, Vec<Expr>),
    Not(Expr),
    Minus(Expr),
    Two(&'static str, Expr, Expr),
    If(Expr, Expr, Expr),
    /// `x in {a, b}` or `x in 1..3`
    In(Expr, Vec<(Expr, Option<Expr>)>),
    Draw(Expr, Expr),
    Quantified(Quantified),
}

impl Form {
    /// The expressions directly inside this one, from left to right.
    pub(crate) fn operands(&self) -> Vec<&Expr> {
        match self {
            Form::Number(_) | Form::Name(_) => vec![],
            Form::Dot(a, _) | Form::Not(a) | Form::Minus(a) => vec![a],
            Form::Index(a, b) | Form::Two(_, a, b) | Form::Draw(a, b) => vec![a, b],
            Form::If(a, b, c) => vec![a, b, c],
            Form::Call(_, arguments) => arguments.iter().collect(),
            Form::In(a, ranges) => {
                let ends = ranges.iter().flat_map(|(low, high)| [Some(low), high.as_ref()]).flatten();
                std::iter::once(a).chain(ends).collect()
            }
            Form::Quantified(q) => {
                q.range.iter().flat_map(|(low, high)| [low, high]).chain(std::iter::once(&q.body)).collect()
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Quantifier {
    All,
    Some,
    One,
    Count,
    Least,
    Min,
    Max,
}

#[derive(Clone, Debug)]
pub(crate) struct Quantified {
    pub(crate) quantifier: Quantifier,
    pub(crate) name: Name,
    pub(crate) range: Option<(Expr, Expr)>,
    pub(crate) body: Expr,
}

// What follows has names and expressions as parameters, where it is the same before and after names are resolved.

/// A domain, with its expressions and its words.
#[derive(Clone, Debug)]
pub(crate) enum Domain<E = Expr, W = Vec<Name>> {
    Bit,
    Range(E, E),
    Words(W),
    /// `neighbour or none when root`: whether `none` is a value, and where it is the only one.
    Neighbour {
        none: bool,
        when: Option<E>,
    },
}

/// `x, y : 0..3 = 1`
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) names: Vec<Name>,
    /// One variable for each port.
    pub(crate) per_port: bool,
    pub(crate) domain: At<Domain>,
    pub(crate) first: Option<Expr>,
}

/// The way in which the rules of a group are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    First,
    ExactlyOne,
    InOrder,
    AtOnce,
    Any,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Assign(Vec<Expr>, Vec<Expr>),
    Send { to: At<Way>, message: Name, values: Vec<Expr> },
    Round,
    Reset,
    Skip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Way {
    Left,
    Right,
    Both,
    Onward,
    Back,
}

#[derive(Clone, Debug)]
pub(crate) struct Rule<E = Expr, A = At<Action>> {
    pub(crate) number: Option<u8>,
    /// `for some j :` the neighbour that the scheduler chooses. Its port is the first bound variable.
    pub(crate) each: Option<Name>,
    pub(crate) guard: Option<E>,
    pub(crate) actions: Vec<A>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Group<R = Rule> {
    pub(crate) mode: Mode,
    pub(crate) rules: Vec<R>,
}

/// The handler of an event.
#[derive(Clone, Debug)]
pub(crate) struct Handler {
    /// A message's name, or `step`.
    pub(crate) event: Name,
    pub(crate) from: Option<At<Way>>,
    pub(crate) when: Option<Expr>,
    pub(crate) rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) domain: Option<At<Domain>>,
    pub(crate) default: Expr,
    pub(crate) meaning: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Condition<E = Expr> {
    pub(crate) holds: E,
    pub(crate) written: String,
    pub(crate) reason: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Given<E = Expr, V = Name> {
    pub(crate) variable: V,
    /// The least and the greatest permitted value.
    pub(crate) ends: [E; 2],
    pub(crate) when: Option<E>,
}

#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Name>,
    pub(crate) body: Expr,
}

#[derive(Clone, Debug)]
pub(crate) enum Goal {
    OneLeader,
    OneToken,
    Agreement(Expr),
    Holds(Expr, String),
}

/// A condition on configurations with its name, and the claim about it.
#[derive(Clone, Debug)]
pub(crate) struct Closed<E = Expr> {
    pub(crate) name: Name,
    pub(crate) claim: String,
    pub(crate) holds: E,
}

/// `law n^2 "where it is claimed"`
#[derive(Clone, Debug)]
pub(crate) struct Law {
    pub(crate) growth: Expr,
    pub(crate) source: String,
}

#[derive(Clone, Debug)]
pub(crate) struct Safe {
    pub(crate) for_long: bool,
    pub(crate) holds: Expr,
}

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) name: Name,
    pub(crate) fields: Vec<(Name, At<Domain>)>,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) name: Option<Name>,
    /// `summary`, `citation` and the like.
    pub(crate) texts: Vec<(Name, String)>,
    /// `model population on directed-ring`
    pub(crate) model: Option<(Name, Option<Name>)>,
    pub(crate) reads: Option<Name>,
    pub(crate) oracle: Option<Name>,
    pub(crate) channels: Option<Name>,
    pub(crate) identities: Option<Span>,
    pub(crate) scheduler: Option<Name>,
    pub(crate) size: Option<At<i64>>,
    pub(crate) shade: Option<Name>,
    pub(crate) roles: Option<(Name, Name)>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) requires: Vec<Condition>,
    pub(crate) supports: Vec<Condition>,
    pub(crate) variables: Vec<Declared>,
    pub(crate) messages: Vec<Message>,
    pub(crate) given: Vec<Given>,
    pub(crate) lets: Vec<Let>,
    pub(crate) shows: Vec<(Name, Expr)>,
    pub(crate) groups: Vec<Group>,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) goal: Option<At<Goal>>,
    pub(crate) start: Option<Expr>,
    pub(crate) closed: Vec<Closed>,
    pub(crate) safe: Option<Safe>,
    pub(crate) fast: Option<Expr>,
    pub(crate) cut_off: Option<Expr>,
    pub(crate) invariants: Vec<Closed>,
    pub(crate) eventualities: Vec<Closed>,
    pub(crate) recurring: Vec<Closed>,
    pub(crate) responses: Vec<(Closed, Expr)>,
    pub(crate) law: Option<Law>,
}

impl File {
    /// The place to report a missing item.
    pub(crate) fn place(&self) -> Span {
        self.name.as_ref().map_or(0..0, |name| name.span.clone())
    }
}

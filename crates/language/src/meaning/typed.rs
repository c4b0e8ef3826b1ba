//! A protocol with resolved names and types; its parameters have no values yet.

use crate::diagnostic::Span;
use crate::syntax::ast::{self, LONGEST_LEFT, Quantifier, Way};
use ringleader_erased::{Law, Topology};
use ringleader_model::graph::Neighbours;
use ringleader_model::{Chain, Channels, Goal, Marks, Promise, Reads, Scheduler};

/// The type of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Truth,
    /// 0 or 1: a number and a truth value.
    Bit,
    Number,
    /// A word of an enumeration.
    Word(usize),
    /// A port of the process itself: a neighbour.
    Port,
    /// A port of another process.
    Foreign,
    /// `none`, a value of both.
    Nowhere,
    /// An expression with a reported error.
    Unknown,
}

/// The agent of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Agent {
    /// A participant of a step: initiator 0 and responder 1, or the process itself 0, its left neighbour 1 and its
    /// right neighbour 2.
    Role(u8),
    /// The agent at an index of the configuration.
    At(Box<Ex>),
}

#[derive(Clone, Debug)]
pub(crate) struct Ex {
    pub(crate) op: Op,
    pub(crate) ty: Type,
    pub(crate) span: Span,
    /// The depth of the tree at construction.
    pub(crate) depth: usize,
}

impl PartialEq for Ex {
    fn eq(&self, other: &Ex) -> bool {
        (&self.op, self.ty, &self.span) == (&other.op, other.ty, &other.span)
    }
}

/// The operation of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Const(i64),
    Parameter(usize),
    Size,
    Var(Agent, usize),
    /// One of two consecutive variables that start at this slot, selected by the port.
    PerPort(usize, Box<Ex>),
    Hears(u8),
    Bottom,
    Top,
    /// The number of the process that steps.
    Process,
    /// The largest degree of the graph.
    MaxDegree,
    /// A property of the graph: the number of a process, and a port of it.
    Link(Link, Box<Ex>, Box<Ex>),
    /// A field of the received message.
    Field(usize),
    Port,
    Identity,
    /// A variable that a quantifier binds.
    Bound(usize),
    Not(Box<Ex>),
    Two(&'static str, Box<Ex>, Box<Ex>),
    If(Box<Ex>, Box<Ex>, Box<Ex>),
    In(Box<Ex>, Vec<[Ex; 2]>),
    Draw(Box<Ex>, Box<Ex>),
    /// A draw that is made at most once in a step, and its place in the text.
    Toss(Box<Ex>, Box<Ex>, usize),
    Prime(Box<Ex>),
    /// Whether the configuration is in a closed set.
    Set(usize),
    Log2(Box<Ex>),
    Quantified {
        quantifier: Quantifier,
        slot: usize,
        low: Box<Ex>,
        high: Box<Ex>,
        body: Box<Ex>,
    },
}

/// A property of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// The degree of a process; the port does not matter.
    Degree,
    /// The neighbour behind a port; the process itself if there is none.
    Neighbour,
    /// The port through which the neighbour behind a port sees the process; -1, which no pointer equals, if there is none.
    Back,
}

impl Link {
    /// The property of a process and its port. Every number is accepted.
    pub(crate) fn of(self, graph: &Neighbours, process: i64, port: i64) -> i64 {
        let Some(at) = usize::try_from(process).ok().filter(|at| *at < graph.size()) else { return 0 };
        let behind =
            |all: &[u32]| usize::try_from(port - 1).ok().and_then(|port| all.get(port)).map(|at| i64::from(*at));
        match self {
            Link::Degree => graph.of(at).len() as i64,
            Link::Neighbour => behind(graph.of(at)).unwrap_or(process),
            Link::Back => behind(graph.back(at)).unwrap_or(-1),
        }
    }
}

/// The value of `least` if there is no match. It exceeds the largest number, 2^60, so far that it stays larger after
/// a number is added or subtracted.
pub(crate) const INFINITY: i64 = 1 << 62;

/// The direct operands of an operation, from left to right.
macro_rules! operands {
    ($op:expr, $ex:ident, $ends:ident) => {{
        let (operands, ends) = match $op {
            Op::Var(Agent::At(a), _) | Op::PerPort(_, a) | Op::Not(a) | Op::Prime(a) | Op::Log2(a) => {
                ([Some(a), None, None], None)
            }
            Op::Two(_, a, b) | Op::Draw(a, b) | Op::Toss(a, b, _) | Op::Link(_, a, b) => {
                ([Some(a), Some(b), None], None)
            }
            Op::If(a, b, c) | Op::Quantified { low: a, high: b, body: c, .. } => ([Some(a), Some(b), Some(c)], None),
            Op::In(a, ranges) => ([Some(a), None, None], Some(ranges.$ends())),
            _ => ([None, None, None], None),
        };
        operands.into_iter().flatten().map(|ex| ex.$ex()).chain(ends.into_iter().flatten())
    }};
}

impl Op {
    /// The direct operands of this expression, from left to right.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Ex> {
        operands!(self, as_ref, as_flattened)
    }

    /// The same, with mutable access.
    pub(crate) fn operands_mut(&mut self) -> impl Iterator<Item = &mut Ex> {
        operands!(self, as_mut, as_flattened_mut)
    }
}

impl Ex {
    pub(crate) fn new(op: Op, ty: Type, span: Span) -> Ex {
        let depth = op.operands().map(|operand| operand.depth).max().unwrap_or(0) + 1;
        Ex { op, ty, span, depth }
    }

    /// The expression without its place in the text, so that it equals the same expression elsewhere.
    pub(crate) fn anywhere(&self) -> Ex {
        self.changed(&|ex| ex.span = 0..0)
    }

    /// The expression after a change to itself and to all inside it.
    pub(crate) fn changed(&self, change: &dyn Fn(&mut Ex)) -> Ex {
        fn each(ex: &mut Ex, change: &dyn Fn(&mut Ex)) {
            change(ex);
            ex.op.operands_mut().for_each(|operand| each(operand, change));
        }
        let mut ex = self.clone();
        each(&mut ex, change);
        ex
    }

    /// Whether this expression, or one inside it, has an operation that satisfies a test.
    pub(crate) fn contains(&self, is: &dyn Fn(&Op) -> bool) -> bool {
        is(&self.op) || self.op.operands().any(|operand| operand.contains(is))
    }

    /// Expressions joined by one associative operator. A long chain becomes a balanced tree.
    pub(crate) fn chain(sign: &'static str, mut all: Vec<Ex>, ty: Type, span: &Span) -> Option<Ex> {
        let two = |a, b| Ex::new(Op::Two(sign, Box::new(a), Box::new(b)), ty, span.clone());
        if all.len() <= LONGEST_LEFT {
            return all.into_iter().reduce(two);
        }
        let later = all.split_off(all.len() / 2);
        Some(two(Ex::chain(sign, all, ty, span)?, Ex::chain(sign, later, ty, span)?))
    }

    pub(crate) fn number(value: i64, span: Span) -> Ex {
        Ex::new(Op::Const(value), Type::Number, span)
    }

    /// n
    pub(crate) fn size(span: &Span) -> Ex {
        Ex::new(Op::Size, Type::Number, span.clone())
    }

    /// n - 1, the last index.
    pub(crate) fn last(span: &Span) -> Ex {
        Ex::two("-", Ex::size(span), Ex::number(1, span.clone()), Type::Number)
    }

    /// The value of a small constant.
    pub(crate) fn small(&self) -> Option<i32> {
        if let Op::Const(value) = self.op { i32::try_from(value).ok() } else { None }
    }

    pub(crate) fn two(sign: &'static str, a: Ex, b: Ex, ty: Type) -> Ex {
        let span = a.span.clone();
        Ex::new(Op::Two(sign, Box::new(a), Box::new(b)), ty, span)
    }
}

/// The words are those of an enumeration. A neighbour is a port, and `none` is 0.
pub(crate) type Domain = ast::Domain<Ex, usize>;

pub(crate) type Condition = ast::Condition<Ex>;
pub(crate) type Rule = ast::Rule<Ex, Action>;
pub(crate) type Group = ast::Group<Rule>;
/// The variable is the first one of its slots.
pub(crate) type Given = ast::Given<Ex, usize>;
pub(crate) type Closed = ast::Closed<Ex>;

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) domain: Domain,
    pub(crate) first: Option<Ex>,
}

#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) domain: Option<Domain>,
    pub(crate) default: Ex,
}

#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) name: String,
    pub(crate) fields: Vec<Variable>,
}

/// The target of an assignment.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) role: u8,
    pub(crate) slot: usize,
    pub(crate) port: Option<Ex>,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Simultaneous assignments.
    Assign(Vec<(Target, Ex)>),
    Send {
        to: Way,
        message: usize,
        values: Vec<Ex>,
    },
    Round,
    Reset,
}

impl Action {
    fn values(&self) -> Vec<&Ex> {
        match self {
            Action::Assign(pairs) => pairs.iter().map(|(_, value)| value).collect(),
            Action::Send { values, .. } => values.iter().collect(),
            Action::Round | Action::Reset => vec![],
        }
    }
}

impl Group {
    /// The guards and the values that the rules assign or send, in the order of the text.
    pub(crate) fn expressions(&self) -> impl Iterator<Item = &Ex> {
        self.rules.iter().flat_map(|rule| rule.guard.iter().chain(rule.actions.iter().flat_map(Action::values)))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Handler {
    /// `None` for a step without a message.
    pub(crate) message: Option<usize>,
    /// The only port that the handler accepts, if there is one.
    pub(crate) from: Option<usize>,
    pub(crate) when: Option<Ex>,
    pub(crate) group: Group,
}

impl Handler {
    /// The ports for which its code is compiled: none for a step, and both for a message.
    pub(crate) fn ports(&self) -> &'static [Option<i64>] {
        if self.message.is_none() { &[None] } else { &[Some(0), Some(1)] }
    }
}

/// A claim with its name and its text.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) promise: Promise,
    pub(crate) name: String,
    pub(crate) text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    Population { hears: bool },
    Ring { chain: Chain, reads: Reads },
    Graph { identities: bool },
    Message { bidirectional: bool, channels: Channels, identities: bool },
}

/// A protocol.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) name: String,
    pub(crate) model: Model,
    pub(crate) topology: Topology,
    /// The names of the initiator and the responder.
    pub(crate) roles: (String, String),
    pub(crate) scheduler: Scheduler,
    pub(crate) size: Option<usize>,
    pub(crate) enums: Vec<Vec<String>>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) requires: Vec<Condition>,
    pub(crate) supports: Vec<Condition>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) messages: Vec<Message>,
    pub(crate) given: Vec<Given>,
    pub(crate) marks: Vec<(Marks, Ex)>,
    pub(crate) groups: Vec<Group>,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) goal: Goal,
    pub(crate) correct: Option<Ex>,
    pub(crate) closed: Vec<Closed>,
    pub(crate) safe: Option<(bool, Ex)>,
    pub(crate) fast: Option<Ex>,
    pub(crate) cut_off: Option<Ex>,
    pub(crate) invariants: Vec<Closed>,
    /// The claims besides the goal, as written: invariants of a self-stabilizing protocol, and eventualities.
    pub(crate) promises: Vec<Written>,
    /// The condition on the configurations in which executions start, and as it is written.
    pub(crate) start: Option<(Ex, String)>,
    pub(crate) law: Option<Law>,
}

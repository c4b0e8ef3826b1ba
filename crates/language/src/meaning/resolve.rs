//! Resolves names and types of expressions.

pub(crate) mod name;
pub(crate) mod ports;

use crate::diagnostic::{Diagnostic, Span};
use crate::meaning::scope::{Binding, Context, Scope};
use crate::meaning::typed::{Agent, Ex, INFINITY, Model, Op, Type};
use crate::near::nearest;
use crate::syntax::ast::{self, DEEPEST, Expr, File, Form, Quantified, Quantifier};
use ringleader_model::Chain;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// The data of a variable that expressions need.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) per_port: bool,
    pub(crate) slot: usize,
}

/// The maximum number of nodes of a protocol: named expressions that use each other can grow exponentially.
const MOST_NODES: usize = 50_000;

pub(crate) struct Resolver<'a> {
    pub(crate) file: &'a File,
    pub(crate) model: Model,
    pub(crate) roles: (String, String),
    pub(crate) enums: Vec<Vec<String>>,
    pub(crate) parameters: Vec<(String, Type)>,
    pub(crate) variables: Vec<Known>,
    pub(crate) messages: Vec<(String, Vec<(String, Type)>)>,
    pub(crate) problems: RefCell<Vec<Diagnostic>>,
    pub(crate) used: RefCell<BTreeSet<String>>,
    nodes: Cell<usize>,
    /// The number of active calls of [`Resolver::expr`].
    depth: Cell<usize>,
    /// The depth of the condition of each closed set: some compilers expand it where the set is named.
    pub(crate) set_depths: RefCell<Vec<usize>>,
}

pub(crate) fn unknown(span: &Span) -> Ex {
    Ex::new(Op::Const(0), Type::Unknown, span.clone())
}

/// The type as text, for diagnostics.
fn describe(ty: Type) -> &'static str {
    match ty {
        Type::Truth => "a condition",
        Type::Bit => "a bit",
        Type::Number => "a number",
        Type::Word(_) => "a word",
        Type::Port => "a neighbour",
        Type::Foreign => "a neighbour of another process",
        Type::Nowhere => "none",
        Type::Unknown => "something unknown",
    }
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(file: &'a File, model: Model) -> Resolver<'a> {
        let roles = file.roles.as_ref().map_or(("l".into(), "r".into()), |(l, r)| (l.it.clone(), r.it.clone()));
        Resolver {
            file,
            model,
            roles,
            enums: vec![],
            parameters: vec![],
            variables: vec![],
            messages: vec![],
            problems: RefCell::default(),
            used: RefCell::default(),
            nodes: Cell::new(0),
            depth: Cell::new(0),
            set_depths: RefCell::default(),
        }
    }

    pub(crate) fn report(&self, problem: Diagnostic) {
        let mut problems = self.problems.borrow_mut();
        if problems.len() < 100 && !problems.contains(&problem) {
            problems.push(problem);
        }
    }

    pub(crate) fn error(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) {
        self.report(Diagnostic::error(span.clone(), message).help(help));
    }

    /// Reports an error and returns an expression in place of the wrong one.
    pub(crate) fn wrong(&self, span: &Span, message: impl Into<String>, help: impl Into<String>) -> Ex {
        self.error(span, message, help);
        unknown(span)
    }

    /// A condition.
    pub(crate) fn truth(&self, e: &Expr, scope: &Scope) -> Ex {
        self.of_type(e, scope, Type::Truth, "a condition", "compare it with a value: `x = 1`, `x != 0`")
    }

    /// A number.
    pub(crate) fn number(&self, e: &Expr, scope: &Scope) -> Ex {
        self.of_type(e, scope, Type::Number, "a number", "`if .. then 1 else 0` turns a condition into a number")
    }

    /// A bit is both a condition and a number.
    fn of_type(&self, e: &Expr, scope: &Scope, wanted: Type, what: &str, help: &str) -> Ex {
        let ex = self.expr(e, scope, None);
        if ex.ty == wanted || matches!(ex.ty, Type::Bit | Type::Unknown) {
            return ex;
        }
        self.wrong(&e.span, format!("{what} is needed here, but this is {}", describe(ex.ty)), help)
    }

    /// A value of this type.
    pub(crate) fn value(&self, e: &Expr, wanted: Type, scope: &Scope) -> Ex {
        let ex = self.expr(e, scope, Some(wanted));
        let fits = match (wanted, ex.ty) {
            (_, Type::Unknown) | (Type::Unknown, _) | (Type::Bit, Type::Truth | Type::Number) => true,
            (Type::Number, Type::Bit) | (Type::Truth, Type::Bit) | (Type::Port, Type::Nowhere) => true,
            (wanted, ty) => wanted == ty,
        };
        if fits {
            return ex;
        }
        let message = format!("{} is needed here, but this is {}", describe(wanted), describe(ex.ty));
        let help = match wanted {
            Type::Word(words) => format!("one of {}", self.enums[words].join(", ")),
            Type::Number => "`if .. then 1 else 0` turns a condition into a number".into(),
            Type::Port => "name a neighbour `j` of a quantifier or of `for some j`, a variable, or `none`".into(),
            _ => "write a condition, 0 or 1".into(),
        };
        self.wrong(&e.span, message, help)
    }

    /// Any expression. If a word of an enumeration is expected, the enumeration is searched first.
    pub(crate) fn expr(&self, e: &Expr, scope: &Scope, wanted: Option<Type>) -> Ex {
        self.nodes.set(self.nodes.get() + 1);
        if self.nodes.get() > MOST_NODES {
            return self.wrong(&e.span, "this protocol is too large", "named expressions count again at each use");
        }
        // A name and its definition are two calls.
        if self.depth.get() >= 2 * DEEPEST {
            return self.too_deep(&e.span);
        }
        self.depth.set(self.depth.get() + 1);
        let ex = self.typed(e, scope, wanted);
        self.depth.set(self.depth.get() - 1);
        if ex.depth > DEEPEST { self.too_deep(&e.span) } else { ex }
    }

    fn too_deep(&self, span: &Span) -> Ex {
        let message = "this expression is nested too deeply, with named expressions expanded";
        self.wrong(span, message, format!("at most {DEEPEST} operators may be nested"))
    }

    fn typed(&self, e: &Expr, scope: &Scope, wanted: Option<Type>) -> Ex {
        let make = |op, ty| Ex::new(op, ty, e.span.clone());
        match &*e.it {
            Form::Number(value) => make(Op::Const(*value), if *value <= 1 { Type::Bit } else { Type::Number }),
            Form::Name(name) => self.name(name, &e.span, scope, wanted),
            Form::Dot(base, field) => self.dot(base, field, &e.span, scope),
            Form::Index(base, index) => self.index(base, index, &e.span, scope),
            Form::Call(name, arguments) => self.call(name, arguments, &e.span, scope, wanted),
            Form::Not(inner) => make(Op::Not(Box::new(self.truth(inner, scope))), Type::Truth),
            Form::Minus(inner) => {
                let zero = Ex::number(0, e.span.clone());
                make(Op::Two("-", Box::new(zero), Box::new(self.number(inner, scope))), Type::Number)
            }
            Form::Two(sign, a, b) => self.two(sign, a, b, &e.span, scope),
            Form::If(condition, yes, no) => {
                let condition = self.truth(condition, scope);
                let (yes, no) = self.alike(yes, no, scope, wanted);
                let ty = match (yes.ty, no.ty) {
                    (a, b) if a == b => a,
                    (Type::Unknown, ty) | (ty, Type::Unknown) => ty,
                    // Both branches are 0 or 1, so the result is both a number and a condition.
                    (Type::Bit | Type::Truth, Type::Bit | Type::Truth) => Type::Bit,
                    (Type::Nowhere, ty) | (ty, Type::Nowhere) => ty,
                    _ => Type::Number,
                };
                make(Op::If(Box::new(condition), Box::new(yes), Box::new(no)), ty)
            }
            Form::In(value, ranges) => self.member(value, ranges, &e.span, scope),
            Form::Draw(low, high) => self.draw(low, high, &e.span, scope),
            Form::Quantified(q) => self.quantified(q, &e.span, scope),
        }
    }

    /// Two values that are compared, or the branches of an `if`: if one is a word, the other determines the
    /// enumeration.
    fn alike(&self, a: &Expr, b: &Expr, scope: &Scope, wanted: Option<Type>) -> (Ex, Ex) {
        let bare = |e: &Expr| matches!(&*e.it, Form::Name(name) if self.is_only_word(name, scope));
        let (first, second) = if bare(a) && !bare(b) {
            let second = self.expr(b, scope, wanted);
            (self.expr(a, scope, Some(second.ty)), second)
        } else {
            let first = self.expr(a, scope, wanted);
            let hint = if matches!(first.ty, Type::Word(_)) { Some(first.ty) } else { wanted };
            let second = self.expr(b, scope, hint);
            (first, second)
        };
        let words = |ex: &Ex| match ex.ty {
            Type::Word(words) => Some(words),
            _ => None,
        };
        let known = first.ty != Type::Unknown && second.ty != Type::Unknown;
        if known && !same_ports(first.ty, second.ty) {
            let message = format!("this is {}, but the other side is {}", describe(second.ty), describe(first.ty));
            let help = "compare a neighbour with a neighbour of the same process or with `none`; `p[j] = me` says that j points at \
                        this process";
            return (first, self.wrong(&b.span, message, help));
        }
        if known && words(&first) != words(&second) {
            let message = format!("this is {}, but the other side is {}", describe(second.ty), describe(first.ty));
            let help = words(&first).or(words(&second)).map_or(String::new(), |w| self.enums[w].join(", "));
            let second =
                self.wrong(&b.span, message, format!("compare a word with a word of the same enumeration: {help}"));
            return (first, second);
        }
        (first, second)
    }

    /// Two values that can be equal. The pointers of two processes cannot: a port means a different neighbour to each.
    fn comparable(&self, a: &Expr, b: &Expr, scope: &Scope) -> (Ex, Ex) {
        let (first, second) = self.alike(a, b, scope, None);
        if (first.ty, second.ty) == (Type::Foreign, Type::Foreign) && !self.same_owner(&first, &second) {
            let help = "compare pointers of the same process, or a pointer with `none`; `p[j] = me` says that j points at this process";
            return (first, self.wrong(&b.span, "the pointers of two processes cannot be compared", help));
        }
        (first, second)
    }

    fn is_only_word(&self, name: &str, scope: &Scope) -> bool {
        scope.binding(name).is_none()
            && !self.variables.iter().any(|v| v.name == name)
            && !self.parameters.iter().any(|(p, _)| p == name)
            && self.enums.iter().any(|words| words.iter().any(|word| word == name))
    }

    fn two(&self, sign: &'static str, a: &Expr, b: &Expr, span: &Span, scope: &Scope) -> Ex {
        let (a, b, ty) = match sign {
            "and" | "or" | "=>" => (self.truth(a, scope), self.truth(b, scope), Type::Truth),
            "=" | "!=" => {
                let is_me = |e: &Expr| matches!(&*e.it, Form::Name(name) if name == "me") && self.is_graph();
                let (a, b) = match (is_me(a), is_me(b)) {
                    (false, true) => self.points_back(a, scope),
                    (true, false) => self.points_back(b, scope),
                    _ => self.comparable(a, b, scope),
                };
                (a, b, Type::Truth)
            }
            "<" | "<=" | ">" | ">=" => (self.number(a, scope), self.number(b, scope), Type::Truth),
            _ => (self.number(a, scope), self.number(b, scope), Type::Number),
        };
        Ex::new(Op::Two(sign, Box::new(a), Box::new(b)), ty, span.clone())
    }

    fn member(&self, value: &Expr, ranges: &[(Expr, Option<Expr>)], span: &Span, scope: &Scope) -> Ex {
        let value = self.expr(value, scope, None);
        let wanted = if value.ty == Type::Truth { Type::Bit } else { value.ty };
        let wanted = if wanted == Type::Bit { Type::Number } else { wanted };
        if value.ty == Type::Foreign {
            return self.wrong(
                span,
                "a neighbour's pointer has no ranges",
                "compare it with `=`: `p[j] = none`, `p[j] = me`",
            );
        }
        let range = |(low, high): &(Expr, Option<Expr>)| {
            let low = self.value(low, wanted, scope);
            let high = high.as_ref().map_or_else(|| low.clone(), |high| self.value(high, wanted, scope));
            [low, high]
        };
        Ex::new(Op::In(Box::new(value), ranges.iter().map(range).collect()), Type::Truth, span.clone())
    }

    fn draw(&self, low: &Expr, high: &Expr, span: &Span, scope: &Scope) -> Ex {
        let constant = Scope { lets: scope.lets, ..Scope::new(Context::Constant) };
        let scope_of_ends = if scope.enclosing_let().is_some() { &constant } else { scope };
        let ends = [low, high].map(|end| self.number(end, scope_of_ends));
        self.toss(ends, Type::Number, span, scope)
    }

    /// A draw. In a named expression, all rules that name it share one draw for each step.
    pub(crate) fn toss(&self, ends: [Ex; 2], ty: Type, span: &Span, scope: &Scope) -> Ex {
        if matches!(scope.context, Context::Constant | Context::Configuration | Context::Own) {
            let help = "assign the drawn value to a variable in a rule";
            return self.wrong(span, "coins can be tossed in rules only", help);
        }
        let [low, high] = ends.map(Box::new);
        let Some(named) = scope.enclosing_let().and_then(|at| self.file.lets.get(at)) else {
            return Ex::new(Op::Draw(low, high), ty, span.clone());
        };
        if !named.parameters.is_empty() {
            let help = "name the toss alone, as in `let c = coin`, and use `c` here";
            return self.wrong(span, "a named expression with parameters cannot toss a coin", help);
        }
        let of_agent = match scope.context {
            Context::Interaction => scope.own.is_some(),
            _ => scope.own.as_ref().is_some_and(|own| *own != Agent::Role(0)),
        };
        if of_agent {
            let help = format!("write `{}` without an agent", named.name.it);
            return self.wrong(span, "a toss belongs to the step, not to an agent", help);
        }
        Ex::new(Op::Toss(low, high, span.start), ty, span.clone())
    }

    pub(crate) fn quantified(&self, q: &Quantified, span: &Span, scope: &Scope) -> Ex {
        let among_neighbours = self.is_graph() && scope.own.is_some() && q.range.is_none();
        if scope.context == Context::Constant {
            return self.wrong(span, "no quantifier can be used here", "use the size n and parameters only");
        }
        if scope.context != Context::Configuration && !self.is_graph() && q.range.is_none() {
            let help = "name these agents, or give a range of numbers, as in `some v in 0..3 : ..`";
            return self.wrong(span, "a rule can read only the agents that take part in the step", help);
        }
        let extreme = matches!(q.quantifier, Quantifier::Min | Quantifier::Max);
        if extreme && q.range.is_some() {
            let help = "remove the range: `min` and `max` go over all neighbours, or over all agents in sets";
            return self.wrong(span, "the least of no values is not a number", help);
        }
        if q.quantifier == Quantifier::Least && among_neighbours {
            let help = "`for some j : .. -> p := j` lets the scheduler choose a neighbour; `least v in 0..k : ..` finds a number";
            return self.wrong(span, "neighbours have no order", help);
        }
        if scope.quantifiers >= 6 {
            return self.wrong(span, "more than six quantifiers are nested here", "name a part with `let`");
        }
        let (low, high) = match &q.range {
            Some((low, high)) => (self.number(low, scope), self.number(high, scope)),
            None if among_neighbours => {
                if self.is_beyond(scope) {
                    return self.too_far(span);
                }
                (Ex::number(1, span.clone()), self.degree(span, scope))
            }
            None => (Ex::number(0, span.clone()), Ex::last(span)),
        };
        let slot = scope.quantifiers;
        let mut inner = scope.clone();
        inner.quantifiers += 1;
        let bound = |ty| Ex::new(Op::Bound(slot), ty, q.name.span.clone());
        let binding = match among_neighbours {
            true => Binding::Neighbour(bound(Type::Port)),
            false => Binding::Value(bound(Type::Number)),
        };
        inner.bindings.push((q.name.it.clone(), binding));
        let body = if extreme { self.number(&q.body, &inner) } else { self.truth(&q.body, &inner) };
        let counts = extreme || matches!(q.quantifier, Quantifier::Count | Quantifier::Least);
        let ty = if counts { Type::Number } else { Type::Truth };
        let (low, high, body) = (Box::new(low), Box::new(high), Box::new(body));
        Ex::new(Op::Quantified { quantifier: q.quantifier, slot, low, high, body }, ty, span.clone())
    }

    fn call(&self, name: &ast::Name, arguments: &[Expr], span: &Span, scope: &Scope, wanted: Option<Type>) -> Ex {
        let make = |op| Ex::new(op, Type::Number, span.clone());
        match (name.it.as_str(), arguments) {
            ("min" | "max", [_, _, ..]) => {
                let sign = if name.it == "min" { "min" } else { "max" };
                let all = arguments.iter().map(|argument| self.number(argument, scope)).collect();
                Ex::chain(sign, all, Type::Number, span).unwrap_or_else(|| unknown(span))
            }
            ("prime", [n]) => Ex::new(Op::Prime(Box::new(self.number(n, scope))), Type::Truth, span.clone()),
            ("log2", [n]) => make(Op::Log2(Box::new(self.number(n, scope)))),
            _ => self.expand_call(name, arguments, scope, wanted),
        }
    }

    /// A named expression with agents or numbers as arguments.
    fn expand_call(&self, name: &ast::Name, arguments: &[Expr], scope: &Scope, wanted: Option<Type>) -> Ex {
        let found = self.file.lets.iter().position(|l| l.name.it == name.it).filter(|at| *at < scope.lets);
        let Some(at) = found else {
            let known = self.file.lets.iter().filter(|l| !l.parameters.is_empty()).map(|l| l.name.it.as_str());
            let known: Vec<_> = known.chain(["min", "max", "prime", "log2"]).collect();
            let help = match nearest(&name.it, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known: {}; define a named expression above its use", known.join(", ")),
            };
            return self.wrong(&name.span, format!("unknown name `{}(..)`", name.it), help);
        };
        let named = &self.file.lets[at];
        self.used.borrow_mut().insert(name.it.clone());
        if named.parameters.len() != arguments.len() {
            let message =
                format!("`{}` needs {} arguments, but it has {}", name.it, named.parameters.len(), arguments.len());
            let words: Vec<_> = named.parameters.iter().map(|p| p.it.as_str()).collect();
            return self.wrong(&name.span, message, format!("write `{}({})`", name.it, words.join(", ")));
        }
        let neighbour = |e: &Expr| match &*e.it {
            Form::Name(name) => scope.binding(name).filter(|binding| matches!(binding, Binding::Neighbour(_))).cloned(),
            _ => None,
        };
        let argument = |e: &Expr| match self.agent(e, scope) {
            _ if neighbour(e).is_some() => neighbour(e).unwrap_or(Binding::Value(unknown(&e.span))),
            Some(agent @ Agent::Role(_)) => Binding::Agent(agent),
            _ => Binding::Value(self.number(e, scope)),
        };
        let bind = |(name, e): (&ast::Name, &Expr)| (name.it.clone(), argument(e));
        let bindings = named.parameters.iter().zip(arguments).map(bind).collect();
        // A process stays the one whose neighbours are meant.
        let own = scope.own.clone().filter(|_| self.is_graph() || scope.context == Context::Process);
        let inner = Scope { bindings, lets: at, own, ..scope.clone() };
        self.expr(&named.body, &inner, wanted)
    }

    /// The agent that an expression denotes, if it denotes one.
    pub(crate) fn agent(&self, e: &Expr, scope: &Scope) -> Option<Agent> {
        let Form::Name(name) = &*e.it else { return None };
        match scope.binding(name) {
            Some(Binding::Agent(agent)) => return Some(agent.clone()),
            Some(Binding::Value(ex)) => return Some(Agent::At(Box::new(ex.clone()))),
            Some(Binding::Neighbour(port)) => return Some(self.behind(port.clone(), scope)),
            None => {}
        }
        if scope.context == Context::Interaction {
            let role = [&self.roles.0, &self.roles.1].iter().position(|role| **role == *name);
            return role.map(|role| Agent::Role(role as u8));
        }
        let Model::Ring { chain, .. } = self.model else { return None };
        let own = scope.own.clone()?;
        let side = ["left", "right"].iter().position(|side| side == name)? as u8;
        Some(match own {
            Agent::Role(_) => Agent::Role(1 + side),
            Agent::At(index) => Agent::At(Box::new(neighbour(*index, side, chain))),
        })
    }
}

/// Whether two types are both ports of the same process, or both no ports.
fn same_ports(a: Type, b: Type) -> bool {
    let port = |ty| matches!(ty, Type::Port | Type::Foreign | Type::Nowhere);
    match (a, b) {
        (Type::Port, Type::Foreign) | (Type::Foreign, Type::Port) => false,
        _ => port(a) == port(b),
    }
}

/// The index of a neighbour.
pub(crate) fn neighbour(index: Ex, side: u8, chain: Chain) -> Ex {
    let span = index.span.clone();
    let number = |value| Ex::number(value, span.clone());
    let two = |sign, a, b| Ex::two(sign, a, b, Type::Number);
    let around = |index| two("mod", index, Ex::size(&span));
    match (side, chain) {
        (0, Chain::Ring) => two("-", index, number(1)),
        (_, Chain::Ring) => two("+", index, number(1)),
        (0, Chain::Line) => two("max", two("-", around(index), number(1)), number(0)),
        (_, Chain::Line) => two("min", two("+", around(index), number(1)), Ex::last(&span)),
    }
}

/// The value of `least` if there is no match.
pub(crate) fn infinity(span: &Span) -> Ex {
    Ex::number(INFINITY, span.clone())
}

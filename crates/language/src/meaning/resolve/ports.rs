//! Resolves the neighbours of a process of a graph: ports, degrees, pointers.

use crate::diagnostic::Span;
use crate::meaning::resolve::{Resolver, unknown};
use crate::meaning::scope::{Context, Scope};
use crate::meaning::typed::{Agent, Ex, Link, Model, Op, Type};
use crate::syntax::ast::Expr;

fn link(what: Link, process: Ex, port: Ex) -> Ex {
    let span = port.span.clone();
    Ex::new(Op::Link(what, Box::new(process), Box::new(port)), Type::Number, span)
}

/// The process that has a pointer, as an index without places in the text.
fn owner(pointer: &Ex) -> Option<Ex> {
    match &pointer.op {
        Op::Var(Agent::At(index), _) => Some(index.anywhere()),
        Op::If(_, here, there) if is_own(here) => owner(there),
        Op::If(_, yes, no) => match (yes.ty, no.ty) {
            (Type::Nowhere, _) => owner(no),
            (_, Type::Nowhere) => owner(yes),
            _ => owner(yes).filter(|index| owner(no).as_ref() == Some(index)),
        },
        _ => None,
    }
}

/// Whether this is a variable of the process that steps, as in the first branch of [`Resolver::at_port`].
fn is_own(ex: &Ex) -> bool {
    matches!(ex.op, Op::Var(Agent::Role(_), _))
}

impl Resolver<'_> {
    pub(crate) fn is_graph(&self) -> bool {
        matches!(self.model, Model::Graph { .. })
    }

    /// The number of the process whose variables need no prefix.
    pub(crate) fn number_of(&self, span: &Span, scope: &Scope) -> Option<Ex> {
        let process = || Ex::new(Op::Process, Type::Number, span.clone());
        Some(match (scope.own.as_ref()?, scope.context) {
            (Agent::Role(_), _) => process(),
            (Agent::At(port), Context::Process) => link(Link::Neighbour, process(), (**port).clone()),
            (Agent::At(index), _) => (**index).clone(),
        })
    }

    /// The degree of the process whose variables need no prefix.
    pub(crate) fn degree(&self, span: &Span, scope: &Scope) -> Ex {
        let number = self.number_of(span, scope).unwrap_or_else(|| unknown(span));
        link(Link::Degree, number, Ex::number(0, span.clone()))
    }

    /// The neighbour behind a port of the process whose variables need no prefix.
    pub(crate) fn behind(&self, port: Ex, scope: &Scope) -> Agent {
        Agent::At(Box::new(match &scope.own {
            Some(Agent::At(index)) => link(Link::Neighbour, (**index).clone(), port),
            _ => port,
        }))
    }

    /// A part of the neighbour behind a port. Where the port is `none`, this is the process itself, whose variables a rule may have
    /// written in the same step.
    pub(crate) fn at_port(&self, port: Ex, scope: &Scope, part: impl Fn(Agent) -> Ex) -> Ex {
        let there = part(self.behind(port.clone(), scope));
        let steps = scope.context == Context::Process && matches!(scope.own, Some(Agent::Role(_)));
        // A quantifier binds neighbours only, and a part of the graph is not written.
        let always = matches!(port.op, Op::Bound(_)) || !there.contains(&|op| matches!(op, Op::Var(..)));
        if !steps || always || there.ty == Type::Unknown {
            return there;
        }
        let (ty, span, here) = (there.ty, there.span.clone(), part(Agent::Role(0)));
        let none = Ex::two("=", port, Ex::number(0, span.clone()), Type::Truth);
        Ex::new(Op::If(Box::new(none), Box::new(here), Box::new(there)), ty, span)
    }

    /// Whether two pointers are certainly pointers of the same process.
    pub(crate) fn same_owner(&self, a: &Ex, b: &Ex) -> bool {
        owner(a).zip(owner(b)).is_some_and(|(a, b)| a == b)
    }

    /// Whether the process is a neighbour of the one that steps: its own neighbours cannot be read.
    pub(crate) fn is_beyond(&self, scope: &Scope) -> bool {
        scope.context == Context::Process && matches!(scope.own, Some(Agent::At(_)))
    }

    pub(crate) fn too_far(&self, span: &Span) -> Ex {
        let help = "a process reads its own variables and those of its neighbours";
        self.wrong(span, "this reads a neighbour of a neighbour", help)
    }

    /// The sides of `p[j] = me`: the port of a neighbour, and the one through which that neighbour sees this process.
    pub(crate) fn points_back(&self, e: &Expr, scope: &Scope) -> (Ex, Ex) {
        let pointer = self.expr(e, scope, None);
        let number = self.number_of(&e.span, scope);
        let there = match &pointer.op {
            Op::If(_, here, there) if is_own(here) => &there.op,
            op => op,
        };
        let port = match (there, number.as_ref()) {
            (Op::Var(Agent::At(index), _), Some(_)) if matches!(scope.own, Some(Agent::Role(_))) => {
                Some((**index).clone())
            }
            (Op::Var(Agent::At(index), _), Some(number)) => match &index.op {
                Op::Link(Link::Neighbour, whose, port) if **whose == *number => Some((**port).clone()),
                _ => None,
            },
            _ => None,
        };
        match (port, number, pointer.ty) {
            (_, _, Type::Unknown) => (pointer, unknown(&e.span)),
            (Some(port), Some(number), Type::Foreign) if !self.is_beyond(scope) => {
                let back = link(Link::Back, number, port);
                (pointer, Ex { ty: Type::Foreign, ..back })
            }
            _ => {
                let help = "compare `me` with a neighbour's variable of type `neighbour`, as in `p[j] = me`";
                (pointer, self.wrong(&e.span, "only a neighbour's pointer can be compared with `me`", help))
            }
        }
    }
}

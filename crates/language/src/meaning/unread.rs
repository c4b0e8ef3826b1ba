//! Checks named expressions that are never used.
//!
//! The meaning of a name depends on its context, so an unused expression is valid if it is valid in some context.

use crate::diagnostic::{Diagnostic, Severity};
use crate::meaning::resolve::Resolver;
use crate::meaning::scope::{Binding, Context, Scope};
use crate::meaning::typed::{Agent, Ex, Model, Op, Type};
use crate::syntax::ast::{Expr, Form, Let};

impl Resolver<'_> {
    /// Checks all named expressions, after everything else has been resolved.
    pub(crate) fn named_expressions(&self) {
        let used = self.used.borrow().clone();
        for (at, named) in self.file.lets.iter().enumerate() {
            for (i, parameter) in named.parameters.iter().enumerate() {
                if named.parameters[..i].iter().any(|other| other.it == parameter.it) {
                    let message = format!("`{}` has two parameters called `{}`", named.name.it, parameter.it);
                    self.error(&parameter.span, message, "rename one of them");
                }
            }
            if !used.contains(&named.name.it) {
                self.unread(at, named);
            }
        }
        *self.used.borrow_mut() = used;
    }

    /// Reports the errors of an expression that is valid in no context: those of the context with the fewest errors.
    fn unread(&self, at: usize, named: &Let) {
        let mut least: Option<Vec<Diagnostic>> = None;
        for scope in self.places(at, named) {
            let before = std::mem::take(&mut *self.problems.borrow_mut());
            self.expr(&named.body, &scope, None);
            let found = std::mem::replace(&mut *self.problems.borrow_mut(), before);
            let errors: Vec<_> = found.into_iter().filter(|problem| problem.severity == Severity::Error).collect();
            if least.as_ref().is_none_or(|least| errors.len() < least.len()) {
                least = Some(errors);
            }
        }
        least.into_iter().flatten().for_each(|problem| self.report(problem));
    }

    /// The contexts in which an expression could be used.
    fn places(&self, at: usize, named: &Let) -> Vec<Scope> {
        let index = |slot: usize| Ex::new(Op::Bound(slot), Type::Number, named.name.span.clone());
        let within = |scope: Scope| {
            let everyone = scope.context == Context::Configuration;
            let bind = |(slot, name): (usize, &crate::syntax::ast::Name)| {
                let agent = match () {
                    () if everyone && scope.own.is_none() => Binding::Value(index(slot)),
                    () if self.is_graph() => Binding::Neighbour(Ex { ty: Type::Port, ..index(slot) }),
                    () if everyone => Binding::Value(index(slot)),
                    () => Binding::Agent(Agent::Role(slot as u8 % 2)),
                };
                (name.it.clone(), agent)
            };
            let bindings = named.parameters.iter().enumerate().map(bind).collect();
            let quantifiers = scope.quantifiers.max(named.parameters.len());
            Scope { bindings, lets: at, sets: usize::MAX, quantifiers, ..scope }
        };
        let mut places = vec![Scope::new(Context::Configuration), self.at_index(&named.name.span)];
        let others = match self.model {
            Model::Population { .. } | Model::Ring { .. } if speaks_of_all(&named.body) => vec![],
            Model::Population { .. } => vec![Context::Interaction, Context::Own],
            Model::Ring { .. } | Model::Graph { .. } => vec![Context::Process],
            Model::Message { .. } => {
                let messages = (0..self.messages.len()).map(|message| Context::Event(Some(message)));
                std::iter::once(Context::Event(None)).chain(messages).collect()
            }
        };
        places.extend(others.into_iter().map(Scope::new));
        places.into_iter().map(within).collect()
    }
}

/// Whether an expression names agents by their indices.
fn speaks_of_all(e: &Expr) -> bool {
    matches!(*e.it, Form::Index(..) | Form::Quantified(_)) || e.it.operands().into_iter().any(speaks_of_all)
}

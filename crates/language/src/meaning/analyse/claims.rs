//! The claims of a file besides its goal: invariants, eventualities, conditions that recur, a law of growth.

use crate::diagnostic::Span;
use crate::keep::keep;
use crate::meaning::resolve::Resolver;
use crate::meaning::scope::{Context, Scope};
use crate::meaning::typed::{Ex, Model, Written};
use crate::syntax::ast::{self, File};
use ringleader_erased::Law;
use ringleader_model::Promise;

/// Adds the exponents of a product of powers; returns whether the expression is such a product.
fn powers(e: &ast::Expr, times: i32, law: &mut Law) -> bool {
    match &*e.it {
        ast::Form::Name(name) if name == "n" => law.size += times,
        ast::Form::Name(name) if name == "bound" => law.bound += times,
        ast::Form::Call(name, of) if name.it == "log" => match of.as_slice() {
            [of] if matches!(&*of.it, ast::Form::Name(name) if name == "n") => law.logs += times,
            _ => return false,
        },
        ast::Form::Two("*", a, b) => return powers(a, times, law) && powers(b, times, law),
        ast::Form::Two("^", a, b) => match *b.it {
            ast::Form::Number(exponent @ 1..=9) => return powers(a, times.saturating_mul(exponent as i32), law),
            _ => return false,
        },
        _ => return false,
    }
    true
}

impl Resolver<'_> {
    /// The claims besides the goal. The explorer gets the invariants of message-passing processes from the instance.
    pub(crate) fn promises(&self, file: &File, text: &str) -> Vec<Written> {
        let with = |promise, claim: &ast::Closed, span: Span| Written {
            promise,
            name: claim.name.it.clone(),
            text: text[span].to_string(),
        };
        let written = |promise| move |claim: &ast::Closed| with(promise, claim, claim.holds.span.clone());
        let scope = Scope { sets: usize::MAX, ..Scope::new(Context::Configuration) };
        for claim in &file.eventualities {
            self.truth(&claim.holds, &scope);
        }
        let for_each = scope.with_process(0);
        for holds in file.recurring.iter().map(|claim| &claim.holds) {
            self.truth(holds, &for_each);
        }
        for (first, then) in &file.responses {
            self.truth(&first.holds, &for_each);
            self.truth(then, &for_each);
        }
        let messages = matches!(self.model, Model::Message { .. });
        let live = file.recurring.iter().chain(file.responses.iter().map(|(first, _)| first));
        if let Some(claim) = live.clone().next().filter(|_| messages) {
            self.error(
                &claim.name.span,
                "processes that pass messages stop, so nothing recurs",
                "`recurring` and `response` are for populations and rings; write `eventually`",
            );
        }
        let invariants = file.invariants.iter().filter(|_| !messages).map(written(Promise::Invariant));
        let response = |(first, then): &(ast::Closed, ast::Expr)| {
            with(Promise::Response, first, first.holds.span.start..then.span.end)
        };
        invariants
            .chain(file.eventualities.iter().map(written(Promise::Eventually)))
            .chain(file.recurring.iter().map(written(Promise::Recurring)))
            .chain(file.responses.iter().map(response))
            .collect()
    }

    /// The condition on the configurations in which executions start.
    pub(crate) fn start(&self, file: &File, text: &str) -> Option<(Ex, String)> {
        let start = file.start.as_ref()?;
        let holds = self.truth(start, &Scope { sets: usize::MAX, ..Scope::new(Context::Configuration) });
        if matches!(self.model, Model::Message { .. }) {
            self.error(
                &start.span,
                "processes that pass messages start in the initial values of their variables",
                "remove `start`, and write the initial value after each variable: `state x : 0..2 = 0`",
            );
        }
        Some((holds, text[start.span.clone()].to_string()))
    }

    /// A product of powers.
    pub(crate) fn law(&self, file: &File, text: &str) -> Option<Law> {
        let law = file.law.as_ref()?;
        let source = if law.source.is_empty() { "the protocol's file" } else { keep(&law.source) };
        let mut found = Law { claim: keep(&text[law.growth.span.clone()]), size: 0, logs: 0, bound: 0, source };
        let known = powers(&law.growth, 1, &mut found);
        let bounded = found.bound == 0 || self.is_parameter("bound");
        if !known || !bounded || found.size.max(found.logs).max(found.bound) > 9 {
            self.error(
                &law.growth.span,
                "`simulate` cannot compare step counts with this law",
                "write a product of powers of `n`, of `log(n)`, and of a parameter called `bound`: `n^2`, `n * log(n)`, `n * bound`",
            );
        }
        Some(found)
    }
}

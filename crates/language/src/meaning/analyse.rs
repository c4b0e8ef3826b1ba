//! Analysis: from the syntax tree to a protocol with resolved names and types.

pub(crate) mod claims;
pub(crate) mod declared;
pub(crate) mod model;
pub(crate) mod rules;

use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::keep::keep;
use crate::meaning::analyse::model::{choose, model};
use crate::meaning::resolve::Resolver;
use crate::meaning::scope::{Context, Scope};
use crate::meaning::typed::{Agent, Closed, Condition, Ex, Model, Op, Type, Unit};
use crate::syntax::ast::{self, At, File, Quantifier};
use ringleader_erased::Topology;
use ringleader_model::{Goal, Marks, Scheduler};
use strum::VariantArray as _;

/// The marks by their names.
const MARKS: &[(&str, Marks)] = &[
    ("leader", Marks::LEADER),
    ("token", Marks::TOKEN),
    ("bullet", Marks::BULLET),
    ("dummy", Marks::DUMMY),
    ("shield", Marks::SHIELD),
    ("signal", Marks::SIGNAL),
    ("active", Marks::ACTIVE),
    ("passive", Marks::PASSIVE),
    ("beginner", Marks::BEGINNER),
    ("probe", Marks::PROBE),
];

/// Checks the names and types of a file.
pub(crate) fn analyse(file: &File, text: &str) -> Result<(Unit, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut problems = vec![];
    // Without a model, errors in other lines would be guesses.
    let Some((model, topology)) = model(file, &mut problems) else { return Err(problems) };
    let mut resolver = Resolver::new(file, model);
    resolver.problems.borrow_mut().append(&mut problems);
    let unit = resolver.unit(topology, text);
    resolver.named_expressions();
    resolver.never_used();
    let problems = resolver.problems.into_inner();
    let wrong = problems.iter().any(|p| p.severity == crate::diagnostic::Severity::Error);
    if wrong { Err(problems) } else { Ok((unit, problems)) }
}

impl Resolver<'_> {
    fn unit(&mut self, topology: Topology, text: &str) -> Unit {
        let file = self.file;
        let parameters = self.declare_parameters();
        let (variables, messages) = self.declare(file);
        let condition = |c: &ast::Condition| Condition {
            holds: self.truth(&c.holds, &Scope::new(Context::Constant)),
            written: c.written.clone(),
            reason: c.reason.clone(),
        };
        let scheduler = file.scheduler.as_ref().map(|name| {
            let known: Vec<_> = Scheduler::VARIANTS.iter().map(|s| (s.name(), *s)).collect();
            choose(name, &known, &mut self.problems.borrow_mut())
        });
        let name = file.name.as_ref().map(|name| name.it.clone()).unwrap_or_else(|| {
            self.error(&(0..0), "the protocol has no name", "begin the file with `protocol my-protocol`");
            String::new()
        });
        let configuration = Scope::new(Context::Configuration);
        let closed = file.closed.iter().enumerate().map(|(at, set)| {
            let scope = Scope { sets: at, ..configuration.clone() };
            let holds = self.truth(&set.holds, &scope);
            self.set_depths.borrow_mut().push(holds.depth);
            Closed { name: set.name.clone(), claim: set.claim.clone(), holds }
        });
        let closed: Vec<_> = closed.collect();
        let all_sets = Scope { sets: usize::MAX, ..configuration.clone() };
        let safe = file.safe.as_ref().map(|safe| (safe.for_long, self.truth(&safe.holds, &all_sets)));
        let named = |set: &ast::Closed| Closed {
            name: set.name.clone(),
            claim: String::new(),
            holds: self.truth(&set.holds, &all_sets),
        };
        if let Some(shade) = &file.shade {
            let known: Vec<_> = self.variables.iter().map(|v| (v.name.as_str(), ())).collect();
            choose(shade, &known, &mut self.problems.borrow_mut());
        }
        let (goal, correct) = self.goal(file);
        Unit {
            name,
            model: self.model,
            topology,
            roles: self.roles.clone(),
            scheduler: scheduler.flatten().unwrap_or(Scheduler::Random),
            size: self.default_size(file),
            parameters,
            requires: file.requires.iter().map(condition).collect(),
            supports: file.supports.iter().map(condition).collect(),
            variables,
            messages,
            given: file.given.iter().map(|given| self.given(given)).collect(),
            marks: file.shows.iter().map(|(name, when)| self.mark(name, when)).collect(),
            groups: self.groups(file),
            handlers: self.handlers(file),
            goal,
            correct,
            closed,
            safe,
            fast: file.fast.as_ref().map(|fast| self.truth(fast, &all_sets)),
            cut_off: file.cut_off.as_ref().map(|cut| self.truth(cut, &Scope::new(Context::Event(None)))),
            invariants: file.invariants.iter().map(named).collect(),
            promises: self.promises(file, text),
            start: self.start(file, text),
            law: self.law(file, text),
            enums: self.enums.clone(),
        }
    }

    fn default_size(&self, file: &File) -> Option<usize> {
        let At { it, span } = file.size.as_ref()?;
        if !(1..=1 << 24).contains(it) {
            self.report(Diagnostic::error(span.clone(), "the size must be in 1..2^24"));
        }
        Some((*it).clamp(1, 1 << 24) as usize)
    }

    /// The scope of the agent at the first bound index.
    pub(crate) fn at_index(&self, span: &Span) -> Scope {
        let index = Ex::new(Op::Bound(0), Type::Number, span.clone());
        let scope = Scope::new(Context::Configuration).of(Agent::At(Box::new(index)));
        Scope { quantifiers: 1, ..scope }
    }

    fn mark(&self, name: &ast::Name, when: &ast::Expr) -> (Marks, Ex) {
        let mark = choose(name, MARKS, &mut self.problems.borrow_mut()).unwrap_or(Marks::NONE);
        let context = match self.model {
            Model::Population { .. } => Context::Own,
            Model::Ring { .. } | Model::Graph { .. } => Context::Process,
            Model::Message { .. } => Context::Event(None),
        };
        let when = self.truth(when, &Scope::new(context));
        self.no_coins(&when, "a mark");
        self.two_meanings(name, &when);
        (mark, when)
    }

    /// Warns if a mark and a variable have the same name and different meanings.
    fn two_meanings(&self, name: &ast::Name, when: &Ex) {
        let bit = self.variables.iter().find(|v| v.name == name.it && v.ty == Type::Bit);
        let Some(bit) = bit.filter(|_| ["leader", "token"].contains(&name.it.as_str())) else { return };
        let is_bit = |ex: &Ex| matches!(ex.op, Op::Var(Agent::Role(0), slot) if slot == bit.slot);
        let same = match &when.op {
            Op::Two("=", a, b) => is_bit(a) && b.op == Op::Const(1) || is_bit(b) && a.op == Op::Const(1),
            Op::Two("!=" | ">", a, b) => is_bit(a) && b.op == Op::Const(0),
            _ => is_bit(when),
        };
        // An expression with an error may have been meant as the variable.
        let wrong = self.problems.borrow().iter().any(|p| p.severity == Severity::Error);
        if !same && !wrong {
            let what = format!("`{}` is also a variable, and this mark has another meaning", name.it);
            let help = format!("`goal one {0}` means the mark, `{0}[i]` the variable; rename the variable", name.it);
            self.report(Diagnostic::warning(name.span.clone(), what).help(help));
        }
    }

    fn goal(&self, file: &File) -> (Goal, Option<Ex>) {
        if matches!(self.model, Model::Message { .. }) {
            return (Goal::OneLeader, None);
        }
        let Some(At { it: goal, span }) = &file.goal else {
            self.error(
                &file.place(),
                "the protocol has no goal",
                "add `goal one leader`, `goal one token`, `goal agreement on x` or `goal EXPRESSION`",
            );
            return (Goal::OneLeader, None);
        };
        let number = |value| Ex::number(value, span.clone());
        let all = |quantifier, body: Ex| {
            let (low, high, body) = (Box::new(number(0)), Box::new(Ex::last(span)), Box::new(body));
            Some(Ex::new(Op::Quantified { quantifier, slot: 0, low, high, body }, Type::Truth, span.clone()))
        };
        let shown = |mark: &str| match file.shows.iter().find(|(name, _)| name.it == mark) {
            Some((_, when)) => all(Quantifier::One, self.truth(when, &self.at_index(span))),
            None => {
                self.error(
                    span,
                    format!("no agent ever shows the mark {mark}"),
                    format!("add a line such as `show {mark} when x = 1`"),
                );
                None
            }
        };
        match goal {
            ast::Goal::OneLeader => (Goal::OneLeader, shown("leader")),
            ast::Goal::OneToken => (Goal::OneToken, shown("token")),
            ast::Goal::Agreement(on) => {
                let here = self.expr(on, &self.at_index(span), None);
                let first = Scope::new(Context::Configuration).of(Agent::At(Box::new(number(0))));
                let there = self.expr(on, &Scope { quantifiers: 1, ..first }, None);
                (Goal::Agreement, all(Quantifier::All, Ex::two("=", here, there, Type::Truth)))
            }
            ast::Goal::Holds(holds, words) => {
                let scope = Scope { sets: usize::MAX, ..Scope::new(Context::Configuration) };
                (Goal::Holds(keep(words)), Some(self.truth(holds, &scope)))
            }
        }
    }

    fn never_used(&self) {
        let used = self.used.borrow().clone();
        let lets = self.file.lets.iter().map(|l| (&l.name, "expression"));
        let parameters = self.file.parameters.iter().map(|p| (&p.name, "parameter"));
        let variables = self.file.variables.iter().flat_map(|d| &d.names).map(|name| (name, "variable"));
        for (name, what) in lets.chain(parameters).chain(variables).filter(|(name, _)| !used.contains(&name.it)) {
            self.report(Diagnostic::warning(name.span.clone(), format!("the {what} `{}` is never read", name.it)));
        }
    }
}

//! Resolves names and types of rules.

use crate::diagnostic::Diagnostic;
use crate::meaning::resolve::Resolver;
use crate::meaning::scope::{Binding, Context, Scope};
use crate::meaning::typed::{Action, Agent, Ex, Group, Handler, Model, Op, Rule, Target, Type};
use crate::syntax::ast::{self, Expr, File, Form, Mode, Way};

/// The scope of a rule. The first bound variable is the neighbour that the scheduler chooses, on a graph of processes.
fn rule_scope(context: Context) -> Scope {
    Scope { quantifiers: 1, ..Scope::new(context) }
}

impl Resolver<'_> {
    pub(crate) fn no_coins(&self, ex: &Ex, what: &str) {
        if ex.contains(&|op| matches!(op, Op::Draw(..) | Op::Toss(..))) {
            self.error(
                &ex.span,
                format!("{what} cannot depend on a coin"),
                "toss it in an assignment: `x := coin`, `x := draw 1..k`",
            );
        }
    }

    pub(crate) fn groups(&self, file: &File) -> Vec<Group> {
        let context = match self.model {
            Model::Population { .. } => Context::Interaction,
            _ => Context::Process,
        };
        let scope = rule_scope(context);
        if file.groups.iter().all(|group| group.rules.is_empty()) && !matches!(self.model, Model::Message { .. }) {
            self.error(
                &file.place(),
                "the protocol has no rules",
                "add `first:` and below it a rule such as `1: l.leader and r.leader -> r.leader := 0`",
            );
        }
        file.groups.iter().map(|group| self.group(group, &scope)).collect()
    }

    fn group(&self, group: &ast::Group, scope: &Scope) -> Group {
        let rules = group.rules.iter().enumerate().map(|(at, rule)| {
            let last = at + 1 == group.rules.len();
            if rule.guard.is_none() && !last && matches!(group.mode, Mode::First | Mode::ExactlyOne) {
                let problem = Diagnostic::warning(rule.span.clone(), "the rules below this rule are never applied");
                self.report(problem.help("this rule has no guard, and the first rule whose guard holds is applied"));
            }
            if let Some(name) = rule.each.as_ref().filter(|_| group.mode != Mode::Any) {
                let help = "put the rule below `any:`";
                self.error(&name.span, "the scheduler chooses a neighbour only where it chooses among the rules", help);
            }
            self.rule(rule, scope)
        });
        let rules = rules.collect();
        if group.mode == Mode::AtOnce {
            self.no_conflicts(group);
        }
        Group { mode: group.mode, rules }
    }

    /// In an `at once` group, actions of one rule cannot depend on each other, so only assignments are allowed.
    fn no_conflicts(&self, group: &ast::Group) {
        for action in group.rules.iter().flat_map(|rule| &rule.actions) {
            if !matches!(action.it, ast::Action::Assign(..) | ast::Action::Skip) {
                self.report(Diagnostic::error(action.span.clone(), "`at once` allows assignments to variables only"));
            }
        }
    }

    fn rule(&self, rule: &ast::Rule, scope: &Scope) -> Rule {
        let chosen = rule.each.as_ref().map(|name| self.choosing(name, scope));
        let scope = chosen.as_ref().unwrap_or(scope);
        let guard = rule.guard.as_ref().map(|guard| self.truth(guard, scope));
        if let Some(guard) = guard.as_ref().filter(|guard| guard.contains(&|op| matches!(op, Op::Draw(..)))) {
            let help = "name the toss with `let c = coin`, and test `c` in guards";
            self.error(&guard.span, "a guard cannot toss a coin", help);
        }
        let actions = rule.actions.iter().filter_map(|action| self.action(action, scope)).collect();
        Rule { number: rule.number, each: rule.each.clone(), guard, actions, span: rule.span.clone() }
    }

    /// The scope of a rule for a neighbour that the scheduler chooses: the first bound variable.
    fn choosing(&self, name: &ast::Name, scope: &Scope) -> Scope {
        let mut inner = scope.clone();
        if !matches!(self.model, Model::Graph { .. }) {
            self.error(&name.span, "`for some` is only for graphs of processes", "write `model graph`");
        }
        let port = Ex::new(Op::Bound(0), Type::Port, name.span.clone());
        inner.bindings.push((name.it.clone(), Binding::Neighbour(port)));
        inner
    }

    fn action(&self, action: &ast::At<ast::Action>, scope: &Scope) -> Option<Action> {
        let messages = matches!(self.model, Model::Message { .. });
        let span = &action.span;
        match &action.it {
            ast::Action::Skip => None,
            ast::Action::Reset | ast::Action::Round | ast::Action::Send { .. } if !messages => {
                self.report(Diagnostic::error(span.clone(), "this action is only for message passing"));
                None
            }
            ast::Action::Reset => Some(Action::Reset),
            ast::Action::Round => Some(Action::Round),
            ast::Action::Send { to, message, values } => self.send(to, message, values, scope),
            ast::Action::Assign(targets, values) => {
                if targets.len() != values.len() {
                    let message = format!(
                        "{} variables on the left of `:=`, but {} values on the right",
                        targets.len(),
                        values.len()
                    );
                    self.error(
                        span,
                        message,
                        "`x, y := 1, 2` assigns one value to each variable; separate assignments with `;`",
                    );
                    return None;
                }
                let assign = |(target, value): (&Expr, &Expr)| {
                    let (found, ty) = self.target(target, scope)?;
                    let ex = self.value(value, ty, scope);
                    self.refuse_none(&found, &ex);
                    Some((found, ex))
                };
                let pairs: Option<Vec<_>> = targets.iter().zip(values).map(assign).collect();
                pairs.map(Action::Assign)
            }
        }
    }

    /// A pointer that always points at a neighbour is never `none`.
    fn refuse_none(&self, target: &Target, value: &Ex) {
        let Some(known) = self.variables.iter().find(|known| known.slot == target.slot) else { return };
        let declared = self.file.variables.iter().find(|d| d.names.iter().any(|name| name.it == known.name));
        let always = matches!(declared.map(|d| &d.domain.it), Some(ast::Domain::Neighbour { none: false, .. }));
        if always && value.ty == Type::Nowhere {
            let message = format!("`{}` always points at a neighbour, so it is never `none`", known.name);
            self.error(&value.span, message, format!("declare it with `state {} : neighbour or none`", known.name));
        }
    }

    fn target(&self, target: &Expr, scope: &Scope) -> Option<(Target, Type)> {
        let (agent, name) = match &*target.it {
            Form::Name(name) => (scope.own.clone(), name),
            Form::Dot(base, field) => (self.agent(base, scope), &field.it),
            _ => (None, &String::new()),
        };
        let ex = self.expr(target, scope, None);
        let problem = match (&ex.op, agent) {
            _ if ex.ty == Type::Unknown => return None,
            (Op::Var(_, slot), Some(Agent::Role(role))) => {
                let allowed = if scope.context == Context::Interaction { role <= 1 } else { role == 0 };
                if allowed && self.variables.iter().any(|v| v.name == *name) {
                    return Some((Target { role, slot: *slot, port: None }, ex.ty));
                }
                Diagnostic::error(target.span.clone(), "a process can write only its own variables")
            }
            (Op::PerPort(slot, port), _) => {
                return Some((Target { role: 0, slot: *slot, port: Some((**port).clone()) }, ex.ty));
            }
            _ if matches!(*target.it, Form::Dot(..) | Form::Index(..)) => {
                Diagnostic::error(target.span.clone(), "a process can write only its own variables")
            }
            _ => Diagnostic::error(target.span.clone(), "this is not a variable, so it cannot be assigned"),
        };
        self.report(problem);
        None
    }

    fn send(&self, to: &ast::At<Way>, name: &ast::Name, values: &[Expr], scope: &Scope) -> Option<Action> {
        let Some(message) = self.messages.iter().position(|(known, _)| *known == name.it) else {
            let known: Vec<_> = self.messages.iter().map(|(known, _)| known.as_str()).collect();
            self.error(
                &name.span,
                format!("unknown message `{}`", name.it),
                format!("the declared messages: {}", known.join(", ")),
            );
            return None;
        };
        let unidirectional = matches!(self.model, Model::Message { bidirectional: false, .. });
        if unidirectional && !matches!(to.it, Way::Right | Way::Onward) {
            self.error(
                &to.span,
                "on a unidirectional ring, messages go to the right only",
                "write `send right`, or `model messages on bidirectional-ring`",
            );
        }
        if matches!(to.it, Way::Onward | Way::Back) && scope.context == Context::Event(None) {
            self.error(
                &to.span,
                "a step without a message cannot send onward or back",
                "write `send left`, `send right` or `send both`",
            );
        }
        let fields = &self.messages[message].1;
        if fields.len() != values.len() {
            let names: Vec<_> = fields.iter().map(|(name, _)| name.as_str()).collect();
            let text = format!("`{}` has {} fields, but this sends {}", name.it, fields.len(), values.len());
            self.error(&name.span, text, format!("write `{}({})`", name.it, names.join(", ")));
            return None;
        }
        let values = fields.iter().zip(values).map(|((_, ty), value)| self.value(value, *ty, scope)).collect();
        Some(Action::Send { to: to.it, message, values })
    }

    pub(crate) fn handlers(&self, file: &File) -> Vec<Handler> {
        if !matches!(self.model, Model::Message { .. }) {
            return vec![];
        }
        let handlers: Vec<_> = file.handlers.iter().filter_map(|handler| self.handler(handler)).collect();
        if !handlers.iter().any(|h| h.message.is_none()) {
            self.error(
                &file.place(),
                "no process can take a first step",
                "add `on step when ..:` and the actions of that step",
            );
        }
        for (at, message) in file.messages.iter().enumerate() {
            if !handlers.iter().any(|h| h.message == Some(at)) {
                self.error(
                    &message.name.span,
                    format!("no handler receives `{}`", message.name.it),
                    format!("add `on {} ..:`", message.name.it),
                );
            }
        }
        handlers
    }

    fn handler(&self, handler: &ast::Handler) -> Option<Handler> {
        let message = self.messages.iter().position(|(name, _)| *name == handler.event.it);
        if message.is_none() && handler.event.it != "step" {
            let known: Vec<_> = self.messages.iter().map(|(name, _)| name.as_str()).chain(["step"]).collect();
            let text = format!("unknown message `{}`", handler.event.it);
            self.error(&handler.event.span, text, format!("the declared messages: {}", known.join(", ")));
            return None;
        }
        let from = match handler.from.as_ref().map(|from| (from.it, &from.span)) {
            None => None,
            Some((Way::Left, _)) => Some(0),
            Some((Way::Right, _)) => Some(1),
            Some((_, span)) => {
                self.report(Diagnostic::error(span.clone(), "`from` must be `left` or `right`"));
                None
            }
        };
        let scope = rule_scope(Context::Event(message));
        let when = handler.when.as_ref().map(|when| self.truth(when, &scope));
        if let Some(when) = &when {
            self.no_coins(when, "the condition of `on`");
            if when.contains(&|op| *op == Op::Identity) {
                self.error(
                    &when.span,
                    "this condition must depend on the state of the process only",
                    "keep the identity in a variable: `state id : 1..n = identity`",
                );
            }
        }
        if when.is_none() && message.is_none() {
            self.error(
                &handler.event.span,
                "a process that can always step never terminates",
                "add a condition: `on step when mode = start:`",
            );
        }
        let group = ast::Group { mode: Mode::First, rules: handler.rules.clone() };
        Some(Handler { message, from, when, group: self.group(&group, &scope) })
    }
}

//! Resolves single names.

use crate::diagnostic::{Diagnostic, Span};
use crate::meaning::resolve::{Known, Resolver, infinity, unknown};
use crate::meaning::scope::{Binding, Context, Scope};
use crate::meaning::typed::{Agent, Ex, Model, Op, Type};
use crate::near::{elsewhere, nearest};
use crate::syntax::ast::{self, Expr, Form, Quantified, Quantifier};
use ringleader_model::Reads;
use std::collections::BTreeSet;

impl Resolver<'_> {
    fn unclear(&self, span: &Span, message: impl Into<String>, help: Option<String>) -> Ex {
        self.report(Diagnostic { help, ..Diagnostic::error(span.clone(), message) });
        unknown(span)
    }

    pub(crate) fn name(&self, name: &str, span: &Span, scope: &Scope, wanted: Option<Type>) -> Ex {
        let make = |op, ty| Ex::new(op, ty, span.clone());
        if let Some(Type::Word(words)) = wanted
            && let Some(at) = self.enums[words].iter().position(|word| word == name)
        {
            return make(Op::Const(at as i64), Type::Word(words));
        }
        match scope.binding(name) {
            Some(Binding::Value(ex) | Binding::Neighbour(ex)) => return ex.clone(),
            Some(Binding::Agent(_)) => return self.bare_agent(name, span),
            None => {}
        }
        if let Some(own) = &scope.own
            && let Some(variable) = self.variables.iter().find(|v| v.name == name)
        {
            return self.variable(variable, own.clone(), span);
        }
        if let Some(at) = self.parameters.iter().position(|(known, _)| known == name) {
            self.used.borrow_mut().insert(name.into());
            return make(Op::Parameter(at), self.parameters[at].1);
        }
        if let Some(ex) = self.built_in(name, span, scope) {
            return ex;
        }
        if let Some(ex) = self.named(name, span, scope, wanted) {
            return ex;
        }
        self.word(name, span, scope)
    }

    fn bare_agent(&self, name: &str, span: &Span) -> Ex {
        let first = self.variables.first().map_or("x", |v| v.name.as_str());
        self.wrong(
            span,
            format!("`{name}` is an agent, not a value"),
            format!("name a variable of the agent: `{name}.{first}`"),
        )
    }

    fn variable(&self, variable: &Known, agent: Agent, span: &Span) -> Ex {
        self.used.borrow_mut().insert(variable.name.clone());
        if variable.per_port {
            let help = format!("write `{0}[port]`, `{0}[other]`, `{0}[left]` or `{0}[right]`", variable.name);
            return self.wrong(span, format!("`{}` has one value for each port", variable.name), help);
        }
        Ex::new(Op::Var(agent, variable.slot), variable.ty, span.clone())
    }

    /// The predefined names of the language.
    fn built_in(&self, name: &str, span: &Span, scope: &Scope) -> Option<Ex> {
        let make = |op, ty| Some(Ex::new(op, ty, span.clone()));
        let message = matches!(scope.context, Context::Event(_));
        match name {
            "n" => make(Op::Size, Type::Number),
            "true" => make(Op::Const(1), Type::Truth),
            "false" => make(Op::Const(0), Type::Truth),
            "infinity" => Some(infinity(span)),
            "coin" => {
                let ends = [0, 1].map(|end| Ex::number(end, span.clone()));
                Some(self.toss(ends, Type::Bit, span, scope))
            }
            "bottom" | "top" if !self.is_graph() => match (&scope.own, scope.context) {
                (Some(Agent::At(index)), _) => {
                    let place = if name == "bottom" { Ex::number(0, span.clone()) } else { Ex::last(span) };
                    let index = Ex::two("mod", (**index).clone(), Ex::size(span), Type::Number);
                    Some(Ex::two("=", index, place, Type::Truth))
                }
                (Some(_), Context::Process) => make(if name == "bottom" { Op::Bottom } else { Op::Top }, Type::Truth),
                _ => None,
            },
            "root" if self.is_graph() => {
                Some(Ex::two("=", self.number_of(span, scope)?, Ex::number(0, span.clone()), Type::Truth))
            }
            "identity" if matches!(self.model, Model::Graph { identities: true }) => {
                Some(Ex::two("+", self.number_of(span, scope)?, Ex::number(1, span.clone()), Type::Number))
            }
            "degree" if self.is_graph() && scope.own.is_some() => Some(self.degree(span, scope)),
            "max_degree" if self.is_graph() => make(Op::MaxDegree, Type::Number),
            "none" if self.is_graph() => make(Op::Const(0), Type::Nowhere),
            "me" if self.is_graph() => Some(self.wrong(
                span,
                "`me` is only for comparisons",
                "write `p[j] = me`: neighbour j points at this process",
            )),
            "identity" if message && matches!(self.model, Model::Message { identities: true, .. }) => {
                make(Op::Identity, Type::Number)
            }
            "port" if matches!(scope.context, Context::Event(Some(_))) => make(Op::Port, Type::Number),
            "other" if matches!(scope.context, Context::Event(Some(_))) => {
                let port = Ex::new(Op::Port, Type::Number, span.clone());
                Some(Ex::two("-", Ex::number(1, span.clone()), port, Type::Number))
            }
            "left" | "right" if message => make(Op::Const(i64::from(name == "right")), Type::Number),
            "enabled" => self.enabled(span, scope),
            _ => None,
        }
    }

    /// Whether the guard of some rule holds.
    fn enabled(&self, span: &Span, scope: &Scope) -> Option<Ex> {
        scope.own.as_ref().filter(|_| matches!(self.model, Model::Ring { .. } | Model::Graph { .. }))?;
        if self.is_beyond(scope) {
            return Some(self.too_far(span));
        }
        let mut seen = BTreeSet::new();
        if self.guards().any(|guard| self.tosses(guard, usize::MAX, &mut seen)) {
            let help = "write the condition of the guards without the coin";
            return Some(self.wrong(span, "`enabled` has no meaning where a guard depends on a coin", help));
        }
        let guards = self.file.groups.iter().flat_map(|g| &g.rules).map(|rule| match &rule.guard {
            Some(guard) => {
                let scope = Scope { bindings: vec![], lets: usize::MAX, ..scope.clone() };
                match &rule.each {
                    None => self.truth(guard, &scope),
                    Some(name) => {
                        let (name, body) = (name.clone(), guard.clone());
                        self.quantified(
                            &Quantified { quantifier: Quantifier::Some, name, range: None, body },
                            span,
                            &scope,
                        )
                    }
                }
            }
            None => Ex::new(Op::Const(1), Type::Truth, span.clone()),
        });
        Ex::chain("or", guards.collect(), Type::Truth, span)
    }

    fn guards(&self) -> impl Iterator<Item = &Expr> {
        self.file.groups.iter().flat_map(|group| &group.rules).filter_map(|rule| rule.guard.as_ref())
    }

    /// Whether an expression tosses a coin, perhaps in a named expression before a position that was not seen yet.
    fn tosses<'e>(&'e self, e: &'e Expr, lets: usize, seen: &mut BTreeSet<&'e str>) -> bool {
        let name = match &*e.it {
            Form::Draw(..) => return true,
            Form::Name(name) if name == "coin" => return true,
            Form::Name(name) => Some(name.as_str()),
            Form::Call(name, _) => Some(name.it.as_str()),
            _ => None,
        };
        let named = name.and_then(|name| self.file.lets.iter().position(|l| l.name.it == name));
        let named = named.filter(|at| *at < lets).map(|at| (at, &self.file.lets[at]));
        if let Some((at, named)) = named.filter(|(_, named)| seen.insert(&named.name.it))
            && self.tosses(&named.body, at, seen)
        {
            return true;
        }
        e.it.operands().into_iter().any(|operand| self.tosses(operand, lets, seen))
    }

    /// A named expression without parameters, a mark, or a set.
    fn named(&self, name: &str, span: &Span, scope: &Scope, wanted: Option<Type>) -> Option<Ex> {
        if let Some(at) = self.file.lets.iter().position(|l| l.name.it == name).filter(|at| *at < scope.lets) {
            let named = &self.file.lets[at];
            self.used.borrow_mut().insert(name.into());
            if !named.parameters.is_empty() {
                let words: Vec<_> = named.parameters.iter().map(|p| p.it.as_str()).collect();
                let help = format!("write `{name}({})`", words.join(", "));
                return Some(self.wrong(span, format!("`{name}` needs agents as arguments"), help));
            }
            return Some(self.expr(&named.body, &Scope { bindings: vec![], lets: at, ..scope.clone() }, wanted));
        }
        if scope.context == Context::Configuration && scope.own.is_none() {
            let at = self.file.closed.iter().position(|set| set.name.it == name).filter(|at| *at < scope.sets)?;
            let depth = self.set_depths.borrow().get(at).map_or(1, |depth| depth + 1);
            return Some(Ex { depth, ..Ex::new(Op::Set(at), Type::Truth, span.clone()) });
        }
        None
    }

    /// A word of an enumeration, or an unknown name.
    fn word(&self, name: &str, span: &Span, scope: &Scope) -> Ex {
        let having = |words: &Vec<String>| words.iter().position(|word| word == name);
        let found: Vec<_> = self.enums.iter().enumerate().filter_map(|(e, words)| Some((e, having(words)?))).collect();
        match found[..] {
            [(words, at), ..] => Ex::new(Op::Const(at as i64), Type::Word(words), span.clone()),
            [] => self.nothing(name, span, scope),
        }
    }

    fn nothing(&self, name: &str, span: &Span, scope: &Scope) -> Ex {
        let is_variable = self.variables.iter().any(|v| v.name == name);
        let message = format!("unknown name `{name}`");
        let (l, r) = &self.roles;
        let help = match scope.context {
            _ if !is_variable && elsewhere(name).is_some() => elsewhere(name).map(String::from),
            Context::Interaction if is_variable => Some(format!("name the agent: `{l}.{name}` or `{r}.{name}`")),
            Context::Configuration if is_variable => {
                Some(format!("name the agent: `{name}[i]` inside a quantifier `all i : ..`"))
            }
            Context::Constant if is_variable => Some("only the size n and parameters can be used here".into()),
            _ => {
                let parameters = self.parameters.iter().map(|(p, _)| p.as_str());
                let variables = self.variables.iter().map(|v| v.name.as_str());
                let lets = self.file.lets.iter().take(scope.lets).map(|l| l.name.it.as_str());
                let words = self.enums.iter().flatten().map(String::as_str);
                let own: &[&str] = match scope.context {
                    Context::Constant => &["n"],
                    Context::Interaction => &["n", l, r],
                    Context::Own => &["n", "bottom", "top"],
                    Context::Process if self.is_graph() => &["n", "root", "degree", "identity", "enabled", "none"],
                    Context::Process => &["n", "bottom", "top", "left", "right", "enabled"],
                    Context::Event(_) => &["n", "left", "right", "port", "other", "identity"],
                    Context::Configuration => &["n", "infinity", "enabled"],
                };
                let bound = scope.bindings.iter().map(|(b, _)| b.as_str());
                let known =
                    parameters.chain(variables).chain(lets).chain(words).chain(own.iter().copied()).chain(bound);
                let agent = (scope.context == Context::Configuration)
                    .then(|| format!("a quantifier introduces an agent: `all {name} : ..` or `some {name} : ..`"));
                nearest(name, known).map(|near| format!("did you mean `{near}`?")).or(agent)
            }
        };
        self.unclear(span, message, help)
    }

    /// `l.x`, `m.id`, `left.x`, `i.token`
    pub(crate) fn dot(&self, base: &Expr, field: &ast::Name, span: &Span, scope: &Scope) -> Ex {
        if let (Form::Name(name), Context::Event(Some(at))) = (&*base.it, scope.context) {
            let (message, fields) = &self.messages[at];
            if name == message {
                return self.field(name, fields, field, span);
            }
        }
        let Some(agent) = self.agent(base, scope) else { return self.no_agent(base, scope) };
        let reads_left = matches!(self.model, Model::Ring { reads: Reads::Left, .. });
        if reads_left && agent == Agent::Role(2) {
            let help = "add the line `reads both`";
            return self.wrong(&base.span, "this process reads only its left neighbour", help);
        }
        self.of_agent(agent, field, span, scope)
    }

    /// A variable, a named expression or a mark of an agent.
    fn of_agent(&self, agent: Agent, field: &ast::Name, span: &Span, scope: &Scope) -> Ex {
        if field.it == "hears" {
            return match (&agent, self.model) {
                (Agent::Role(role), Model::Population { hears: true }) => {
                    Ex::new(Op::Hears(*role), Type::Truth, span.clone())
                }
                (Agent::Role(_), Model::Population { .. }) => {
                    let help = "add the line `oracle leader-detector`";
                    self.wrong(span, "this protocol has no oracle", help)
                }
                _ => self.unclear(span, "`hears` can be used in rules only", None),
            };
        }
        let ex = self.part_of(agent, field, span, scope);
        // A port of one process means nothing to another.
        if ex.ty == Type::Port { Ex { ty: Type::Foreign, ..ex } } else { ex }
    }

    fn part_of(&self, agent: Agent, field: &ast::Name, span: &Span, scope: &Scope) -> Ex {
        if let Some(variable) = self.variables.iter().find(|v| v.name == field.it) {
            return self.variable(variable, agent, span);
        }
        let inner = scope.of(agent);
        let words = ["enabled", "bottom", "top", "root", "identity", "degree"];
        let local = words.contains(&field.it.as_str());
        if let Some(ex) = local.then(|| self.built_in(&field.it, span, &inner)).flatten() {
            return ex;
        }
        if let Some(ex) = self.named(&field.it, span, &inner, None) {
            return ex;
        }
        if let Some((_, when)) = self.file.shows.iter().find(|(mark, _)| mark.it == field.it) {
            return self.truth(when, &inner);
        }
        let known =
            self.variables.iter().map(|v| v.name.as_str()).chain(self.file.lets.iter().map(|l| l.name.it.as_str()));
        let help = nearest(&field.it, known.chain(["hears"])).map(|near| format!("did you mean `{near}`?"));
        self.unclear(&field.span, format!("an agent has no variable `{}`", field.it), help)
    }

    fn field(&self, message: &str, fields: &[(String, Type)], field: &ast::Name, span: &Span) -> Ex {
        match fields.iter().position(|(name, _)| *name == field.it) {
            Some(at) => Ex::new(Op::Field(at), fields[at].1, span.clone()),
            None => {
                let known: Vec<_> = fields.iter().map(|(name, _)| name.as_str()).collect();
                let help = format!("its fields: {}", known.join(", "));
                self.wrong(&field.span, format!("message {message} has no field `{}`", field.it), help)
            }
        }
    }

    fn no_agent(&self, base: &Expr, scope: &Scope) -> Ex {
        let (l, r) = &self.roles;
        let help = match (scope.context, self.model) {
            (Context::Interaction, _) => format!("the two agents that meet are called `{l}` and `{r}`"),
            (Context::Process, _) => "a process reads its own variables, `left.x` and `right.x`".into(),
            (Context::Event(Some(at)), _) => format!("the received message is called `{}`", self.messages[at].0),
            (Context::Configuration, _) => "introduce an agent by a quantifier: `all i : ..`".into(),
            _ => "no other agent can be read here".into(),
        };
        self.wrong(&base.span, "this is not an agent", help)
    }

    /// `x[i]`, `heard[port]`
    pub(crate) fn index(&self, base: &Expr, index: &Expr, span: &Span, scope: &Scope) -> Ex {
        let Form::Name(name) = &*base.it else {
            return self.unclear(&base.span, "only a variable can have an index", None);
        };
        let variable = self.variables.iter().find(|v| v.name == *name);
        if let (Some(variable), Context::Event(_)) = (variable.filter(|v| v.per_port), scope.context) {
            self.used.borrow_mut().insert(name.clone());
            let known = matches!(&*index.it, Form::Name(p) if ["port", "other", "left", "right"].contains(&p.as_str()));
            if !known {
                return self.wrong(&index.span, "this is not a port", "use port, other, left or right");
            }
            let port = Box::new(self.number(index, scope));
            return Ex::new(Op::PerPort(variable.slot, port), variable.ty, span.clone());
        }
        let graph = self.is_graph() && matches!(scope.context, Context::Process | Context::Configuration);
        if graph && scope.own.is_some() {
            let port = self.expr(index, scope, None);
            let field = ast::At::new(name.clone(), base.span.clone());
            let part = |agent| self.of_agent(agent, &field, span, scope);
            return match (port.ty, scope.context) {
                (Type::Unknown, _) => port,
                (Type::Port, _) if self.is_beyond(scope) => self.too_far(span),
                (Type::Port, _) => self.at_port(port, scope, part),
                (Type::Number | Type::Bit, Context::Configuration) => part(Agent::At(Box::new(port))),
                _ => {
                    let help = "name a neighbour: `all j : x[j] = 0`, or `x[p]` for a variable `p : neighbour`";
                    self.wrong(&index.span, "this is not a neighbour", help)
                }
            };
        }
        if scope.context != Context::Configuration {
            let help = "indices are for sets of configurations and for variables declared `x[port]`".to_string();
            return self.wrong(span, format!("`{name}` cannot have an index here"), help);
        }
        let agent = Agent::At(Box::new(self.number(index, scope)));
        let field = ast::At::new(name.clone(), base.span.clone());
        self.of_agent(agent, &field, span, scope)
    }
}

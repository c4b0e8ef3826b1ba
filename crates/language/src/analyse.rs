//! From what was written to a protocol whose names and types are right.

use crate::ast::{self, At, File, Quantifier};
use crate::diagnostic::{Diagnostic, Severity, Span};
use crate::near::nearest;
use crate::resolve::{Known, Resolver};
use crate::scope::{Context, Scope};
use crate::typed::{
    Agent, Condition, Domain, Ex, Given, Goal, Message, Model, Named, Op, Parameter, Type, Unit, Variable,
};
use ringleader_instance::Topology;
use ringleader_model::{Chain, Channels, Marks, Reads, Scheduler};

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

/// Names that the language gives.
const TAKEN: &[&str] = &[
    "n",
    "true",
    "false",
    "infinity",
    "coin",
    "draw",
    "if",
    "then",
    "else",
    "otherwise",
    "all",
    "some",
    "one",
    "count",
    "least",
    "min",
    "max",
    "prime",
    "log2",
    "hears",
    "bottom",
    "top",
    "port",
    "other",
    "identity",
    "enabled",
    "when",
];

/// Checks the names and types of a file.
pub(crate) fn analyse(file: &File, text: &str) -> Result<(Unit, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut problems = vec![];
    let (model, topology) = model(file, &mut problems);
    let mut resolver = Resolver::new(file, model);
    resolver.problems.borrow_mut().append(&mut problems);
    let unit = resolver.unit(topology, text);
    resolver.never_used();
    let problems = resolver.problems.into_inner();
    let wrong = problems.iter().any(|p| p.severity == crate::diagnostic::Severity::Error);
    if wrong { Err(problems) } else { Ok((unit, problems)) }
}

/// One of several words, or an error.
fn choose<T: Copy>(name: &ast::Name, known: &[(&str, T)], problems: &mut Vec<Diagnostic>) -> Option<T> {
    let found = known.iter().find(|(word, _)| *word == name.it).map(|(_, value)| *value);
    if found.is_none() {
        let words: Vec<_> = known.iter().map(|(word, _)| *word).collect();
        let problem = Diagnostic::error(name.span.clone(), format!("`{}` is none of {}", name.it, words.join(", ")));
        problems.push(match nearest(&name.it, words.iter().copied()) {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem,
        });
    }
    found
}

fn model(file: &File, problems: &mut Vec<Diagnostic>) -> (Model, Topology) {
    let population = (Model::Population { hears: file.oracle.is_some() }, Topology::DirectedRing);
    if let Some(oracle) = &file.oracle {
        choose(oracle, &[("leader-detector", ())], problems);
    }
    let Some((model, on)) = &file.model else {
        let problem = Diagnostic::error(file.place(), "the file does not say in which model the protocol is written");
        problems.push(problem.help(
            "`model population on directed-ring`, `model ring`, `model line` or `model messages on bidirectional-ring`",
        ));
        return population;
    };
    let kinds = [("population", 0), ("ring", 1), ("line", 2), ("messages", 3)];
    let Some(kind) = choose(model, &kinds, problems) else { return population };
    let reads =
        file.reads.as_ref().and_then(|r| choose(r, &[("left", Reads::Left), ("both", Reads::BothSides)], problems));
    let reads = reads.unwrap_or(Reads::Left);
    let graphs: &[(&str, Topology)] = match kind {
        0 => &[
            ("directed-ring", Topology::DirectedRing),
            ("undirected-ring", Topology::UndirectedRing),
            ("complete", Topology::Complete),
            ("graph", Topology::Any),
        ],
        3 => &[
            ("bidirectional-ring", Topology::BidirectionalRing),
            ("unidirectional-ring", Topology::UnidirectionalRing),
        ],
        _ => &[],
    };
    let graph = match (on, kind) {
        (None, 1) if reads == Reads::BothSides => Some(Topology::BidirectionalRing),
        (None, 1) => Some(Topology::DirectedRing),
        (None, 2) => Some(Topology::Line),
        (None, _) => {
            let words: Vec<_> = graphs.iter().map(|(word, _)| *word).collect();
            let problem = Diagnostic::error(model.span.clone(), "on which graph?");
            problems.push(problem.help(format!("add `on` and one of {}", words.join(", "))));
            None
        }
        (Some(on), 1 | 2) => {
            problems.push(
                Diagnostic::error(on.span.clone(), format!("a {} is a graph already", model.it)).help("leave `on` out"),
            );
            None
        }
        (Some(on), _) => choose(on, graphs, problems),
    };
    let graph = graph.unwrap_or(Topology::DirectedRing);
    let channels =
        file.channels.as_ref().and_then(|c| choose(c, &[("bag", Channels::Bag), ("fifo", Channels::Fifo)], problems));
    let model = match kind {
        0 => population.0,
        1 => Model::Ring { chain: Chain::Ring, reads },
        2 => Model::Ring { chain: Chain::Line, reads },
        _ => Model::Message {
            bidirectional: graph == Topology::BidirectionalRing,
            channels: channels.unwrap_or(Channels::Bag),
            identities: file.identities.is_some(),
        },
    };
    misplaced(file, kind, problems);
    (model, graph)
}

/// Items that belong to another model.
fn misplaced(file: &File, kind: usize, problems: &mut Vec<Diagnostic>) {
    let mut wrong = |span: Option<Span>, what: &str, models: &[usize], whose: &str| {
        if let Some(span) = span.filter(|_| !models.contains(&kind)) {
            problems.push(Diagnostic::error(span, format!("`{what}` is for {whose}")).help("leave it out"));
        }
    };
    let span = |name: &Option<ast::Name>| name.as_ref().map(|name| name.span.clone());
    wrong(span(&file.reads), "reads", &[1, 2], "rings and lines of processes");
    wrong(span(&file.oracle), "oracle", &[0], "population protocols");
    wrong(file.roles.as_ref().map(|(l, _)| l.span.clone()), "agents", &[0], "population protocols");
    wrong(span(&file.channels), "channels", &[3], "message passing");
    wrong(file.identities.clone(), "identities", &[3], "message passing");
    wrong(file.messages.first().map(|m| m.name.span.clone()), "message", &[3], "message passing");
    wrong(file.handlers.first().map(|h| h.event.span.clone()), "on", &[3], "message passing");
    wrong(file.cut_off.as_ref().map(|c| c.span.clone()), "cut off", &[3], "message passing");
    let rule = file.groups.iter().flat_map(|g| &g.rules).next().map(|rule| rule.span.clone());
    wrong(rule, "a rule", &[0, 1, 2], "populations and rings; what a process does on an event stands below `on`");
    let stabilizing = [0, 1, 2];
    wrong(file.goal.as_ref().map(|g| g.span.clone()), "goal", &stabilizing, "self-stabilizing protocols");
    wrong(file.closed.first().map(|c| c.name.span.clone()), "closed", &stabilizing, "self-stabilizing protocols");
    wrong(file.safe.as_ref().map(|s| s.holds.span.clone()), "safe", &stabilizing, "self-stabilizing protocols");
    wrong(file.given.first().map(|g| g.name.span.clone()), "given", &stabilizing, "self-stabilizing protocols");
}

impl Resolver<'_> {
    fn unit(&mut self, topology: Topology, text: &str) -> Unit {
        let file = self.file;
        let parameters = self.declare_parameters(text);
        let (variables, messages) = self.declare(file);
        let condition = |c: &ast::Condition| Condition {
            holds: self.truth(&c.holds, &Scope::new(Context::Constant)),
            written: text[c.holds.span.clone()].to_string(),
            reason: c.reason.clone(),
        };
        let scheduler = file.scheduler.as_ref().map(|name| {
            let known: Vec<_> = Scheduler::ALL.iter().map(|s| (s.name(), *s)).collect();
            choose(name, &known, &mut self.problems.borrow_mut())
        });
        let name = file.name.as_ref().map(|name| name.it.clone()).unwrap_or_else(|| {
            let problem = Diagnostic::error(0..0, "the protocol has no name");
            self.report(problem.help("begin the file with `protocol my-protocol`"));
            String::new()
        });
        let configuration = Scope::new(Context::Configuration);
        let closed = file.closed.iter().enumerate().map(|(at, set)| {
            let scope = Scope { sets: at, ..configuration.clone() };
            Named { name: set.name.it.clone(), claim: set.claim.clone(), holds: self.truth(&set.holds, &scope) }
        });
        let all_sets = Scope { sets: usize::MAX, ..configuration.clone() };
        let safe = file.safe.as_ref().map(|safe| (safe.for_long, self.truth(&safe.holds, &all_sets)));
        let named = |set: &ast::Closed| Named {
            name: set.name.it.clone(),
            claim: String::new(),
            holds: self.truth(&set.holds, &all_sets),
        };
        let (goal, correct) = self.goal(file);
        Unit {
            name,
            texts: file.texts.iter().map(|(word, text)| (word.it.clone(), text.clone())).collect(),
            model: self.model,
            topology,
            roles: self.roles.clone(),
            scheduler: scheduler.flatten().unwrap_or(Scheduler::Random),
            size: self.default_size(file),
            shade: self.shade(file),
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
            closed: closed.collect(),
            safe,
            fast: file.fast.as_ref().map(|fast| self.truth(fast, &all_sets)),
            cut_off: file.cut_off.as_ref().map(|cut| self.truth(cut, &Scope::new(Context::Event(None)))),
            invariants: file.invariants.iter().map(named).collect(),
            promises: self.promises(file, text),
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

    fn shade(&self, file: &File) -> Option<String> {
        let name = file.shade.as_ref()?;
        let known: Vec<_> = self.variables.iter().map(|v| (v.name.as_str(), ())).collect();
        choose(name, &known, &mut self.problems.borrow_mut());
        Some(name.it.clone())
    }

    /// Refuses a name that is known already.
    fn fresh(&self, name: &ast::Name, what: &str, known: bool) {
        if known || TAKEN.contains(&name.it.as_str()) {
            let why = if known { "stands for something already" } else { "is a word of the language" };
            self.report(
                Diagnostic::error(name.span.clone(), format!("`{}` {why}", name.it))
                    .help(format!("take another name for the {what}")),
            );
        }
    }

    pub(crate) fn declare_parameters(&mut self, text: &str) -> Vec<Parameter> {
        let mut found = vec![];
        let scope = Scope::new(Context::Constant);
        for p in &self.file.parameters {
            self.fresh(&p.name, "parameter", self.parameters.iter().any(|(known, _)| *known == p.name.it));
            let (domain, ty) = match &p.domain {
                None => (None, Type::Number),
                Some(domain) => {
                    let (domain, ty) = self.domain(domain);
                    (Some(domain), ty)
                }
            };
            let default = self.value(&p.default, ty, &scope);
            found.push(Parameter {
                name: p.name.it.clone(),
                domain,
                default,
                written: text[p.default.span.clone()].to_string(),
                meaning: p.meaning.clone(),
            });
            self.parameters.push((p.name.it.clone(), ty));
        }
        found
    }

    fn domain(&mut self, domain: &At<ast::Domain>) -> (Domain, Type) {
        let scope = Scope::new(Context::Constant);
        match &domain.it {
            ast::Domain::Bit => (Domain::Bit, Type::Bit),
            ast::Domain::Range(low, high) => {
                (Domain::Range(self.number(low, &scope), self.number(high, &scope)), Type::Number)
            }
            ast::Domain::Words(words) => {
                for (at, word) in words.iter().enumerate() {
                    self.fresh(word, "word", words[..at].iter().any(|known| known.it == word.it));
                }
                let words: Vec<_> = words.iter().map(|word| word.it.clone()).collect();
                let at = self.enums.iter().position(|known| *known == words).unwrap_or(self.enums.len());
                if at == self.enums.len() {
                    self.enums.push(words);
                }
                (Domain::Words(at), Type::Word(at))
            }
        }
    }

    pub(crate) fn declare(&mut self, file: &File) -> (Vec<Variable>, Vec<Message>) {
        let mut variables: Vec<Variable> = vec![];
        let event = Scope { own: None, ..Scope::new(Context::Event(None)) };
        let messages = matches!(self.model, Model::Message { .. });
        for d in &file.variables {
            let (domain, ty) = self.domain(&d.domain);
            if d.per_port && !messages {
                self.report(Diagnostic::error(d.names[0].span.clone(), "ports are for message passing"));
            }
            let first = d.first.as_ref().map(|first| self.value(first, ty, &event));
            if let (Some(first), false) = (&first, messages) {
                let help = "a self-stabilizing protocol starts from any state; leave it out";
                self.report(Diagnostic::error(first.span.clone(), "a first value is for message passing").help(help));
            }
            for name in &d.names {
                self.fresh(
                    name,
                    "variable",
                    self.variables.iter().any(|v| v.name == name.it) || self.is_parameter(&name.it),
                );
                let slot = variables.len();
                self.variables.push(Known { name: name.it.clone(), ty, per_port: d.per_port, slot });
                let ports: &[&str] = if d.per_port { &["_left", "_right"] } else { &[""] };
                for port in ports {
                    let (domain, first) = (domain.clone(), first.clone());
                    variables.push(Variable { name: format!("{}{port}", name.it), domain, first });
                }
            }
        }
        if variables.is_empty() {
            let problem = Diagnostic::error(file.place(), "an agent has no variables");
            self.report(problem.help("add a line such as `state leader : bit`"));
        }
        (variables, file.messages.iter().map(|m| self.message(m)).collect())
    }

    pub(crate) fn is_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|(known, _)| known == name)
    }

    fn message(&mut self, message: &ast::Message) -> Message {
        let known = self.messages.iter().any(|(name, _)| *name == message.name.it) || message.name.it == "step";
        self.fresh(&message.name, "message", known);
        let mut fields: Vec<Variable> = vec![];
        let mut types = vec![];
        for (name, domain) in &message.fields {
            self.fresh(name, "field", fields.iter().any(|f| f.name == name.it));
            let (domain, ty) = self.domain(domain);
            types.push((name.it.clone(), ty));
            fields.push(Variable { name: name.it.clone(), domain, first: None });
        }
        self.messages.push((message.name.it.clone(), types));
        Message { name: message.name.it.clone(), fields }
    }

    fn given(&self, given: &ast::Given) -> Given {
        let scope = self.at_index(&given.name.span);
        let slot = match self.variables.iter().find(|v| v.name == given.name.it) {
            Some(variable) => (variable.slot, variable.ty),
            None => {
                let known: Vec<_> = self.variables.iter().map(|v| (v.name.as_str(), ())).collect();
                choose(&given.name, &known, &mut self.problems.borrow_mut());
                (0, Type::Unknown)
            }
        };
        self.used.borrow_mut().insert(given.name.it.clone());
        let value = self.value(&given.value, slot.1, &scope);
        let when = given.when.as_ref().map(|when| self.truth(when, &scope));
        Given { slot: slot.0, value, when }
    }

    /// The scope of the agent at the first bound index.
    fn at_index(&self, span: &Span) -> Scope {
        let index = Ex::new(Op::Bound(0), Type::Number, span.clone());
        let scope = Scope::new(Context::Configuration).of(Agent::At(Box::new(index)));
        Scope { quantifiers: 1, ..scope }
    }

    fn mark(&self, name: &ast::Name, when: &ast::Expr) -> (Marks, Ex) {
        let mark = choose(name, MARKS, &mut self.problems.borrow_mut()).unwrap_or(Marks::NONE);
        let context = match self.model {
            Model::Population { .. } => Context::Own,
            Model::Ring { .. } => Context::Process,
            Model::Message { .. } => Context::Event(None),
        };
        let when = self.truth(when, &Scope::new(context));
        self.no_coins(&when, "what an agent shows");
        self.two_meanings(name, &when);
        (mark, when)
    }

    /// Warns of a leader that is another than the variable says.
    fn two_meanings(&self, name: &ast::Name, when: &Ex) {
        let bit = self.variables.iter().find(|v| v.name == name.it && v.ty == Type::Bit);
        let Some(bit) = bit.filter(|_| ["leader", "token"].contains(&name.it.as_str())) else { return };
        let is_bit = |ex: &Ex| matches!(ex.op, Op::Var(Agent::Role(0), slot) if slot == bit.slot);
        let same = match &when.op {
            Op::Two("=", a, b) => is_bit(a) && b.op == Op::Const(1) || is_bit(b) && a.op == Op::Const(1),
            Op::Two("!=" | ">", a, b) => is_bit(a) && b.op == Op::Const(0),
            _ => is_bit(when),
        };
        // What could not be read may have been the variable.
        let wrong = self.problems.borrow().iter().any(|p| p.severity == Severity::Error);
        if !same && !wrong {
            let what = format!("`{}` is a variable too, and this is something else", name.it);
            let help = format!(
                "`goal one {0}` speaks of what is shown, `{0}[i]` of the variable; give the variable another name",
                name.it
            );
            self.report(Diagnostic::warning(name.span.clone(), what).help(help));
        }
    }

    fn goal(&self, file: &File) -> (Goal, Option<Ex>) {
        if matches!(self.model, Model::Message { .. }) {
            return (Goal::OneLeader, None);
        }
        let Some(At { it: goal, span }) = &file.goal else {
            let problem = Diagnostic::error(file.place(), "the protocol promises nothing");
            self.report(
                problem.help("add `goal one leader`, `goal one token`, `goal agreement on x` or `goal EXPRESSION`"),
            );
            return (Goal::OneLeader, None);
        };
        let number = |value| Ex::number(value, span.clone());
        let all = |quantifier, body: Ex| {
            let last = Ex::two("-", Ex::new(Op::Size, Type::Number, span.clone()), number(1), Type::Number);
            let (low, high, body) = (Box::new(number(0)), Box::new(last), Box::new(body));
            Some(Ex::new(Op::Quantified { quantifier, slot: 0, low, high, body }, Type::Truth, span.clone()))
        };
        let shown = |mark: &str| match file.shows.iter().find(|(name, _)| name.it == mark) {
            Some((_, when)) => all(Quantifier::One, self.truth(when, &self.at_index(span))),
            None => {
                let problem = Diagnostic::error(span.clone(), format!("nobody says that it has the {mark}"));
                self.report(problem.help(format!("add a line such as `show {mark} when x = 1`")));
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
                (Goal::Holds(words.clone()), Some(self.truth(holds, &scope)))
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

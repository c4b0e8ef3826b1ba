//! The declarations of a file: parameters, variables, messages, and `given` values.

use crate::diagnostic::Diagnostic;
use crate::meaning::analyse::model::choose;
use crate::meaning::resolve::{Known, Resolver};
use crate::meaning::scope::{Context, Scope};
use crate::meaning::typed::{Domain, Given, Message, Model, Parameter, Type, Variable};
use crate::syntax::ast::{self, At, File};

/// The reserved names of the language.
const RESERVED: &str = "n true false infinity coin draw if then else otherwise all some one count least min max prime log2 \
    hears bottom top port other identity enabled when";

/// Those of graphs of processes.
const RESERVED_ON_GRAPHS: [&str; 5] = ["root", "degree", "max_degree", "none", "me"];

impl Resolver<'_> {
    /// Refuses a name that is defined already.
    fn fresh(&self, name: &ast::Name, what: &str, known: bool) {
        let reserved = RESERVED.split(' ').any(|word| word == name.it)
            || self.is_graph() && RESERVED_ON_GRAPHS.contains(&name.it.as_str());
        if known || reserved {
            let why = if known { "is defined already" } else { "is a keyword" };
            self.error(&name.span, format!("`{}` {why}", name.it), format!("choose another name for the {what}"));
        }
    }

    pub(crate) fn declare_parameters(&mut self) -> Vec<Parameter> {
        let mut found = vec![];
        let scope = Scope::new(Context::Constant);
        for p in &self.file.parameters {
            self.fresh(&p.name, "parameter", self.parameters.iter().any(|(known, _)| *known == p.name.it));
            let (domain, ty) = p.domain.as_ref().map(|domain| self.domain(domain)).unzip();
            let ty = ty.unwrap_or(Type::Number);
            let default = self.value(&p.default, ty, &scope);
            found.push(Parameter { name: p.name.it.clone(), domain, default });
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
            ast::Domain::Neighbour { none, when } => {
                if !matches!(self.model, Model::Graph { .. }) {
                    self.error(&domain.span, "`neighbour` is only for graphs of processes", "write `model graph`");
                }
                let when = when.as_ref().map(|when| self.truth(when, &self.at_index(&domain.span)));
                (Domain::Neighbour { none: *none, when }, Type::Port)
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
                self.report(Diagnostic::error(d.names[0].span.clone(), "`[port]` is only for message passing"));
            }
            let first = d.first.as_ref().map(|first| self.value(first, ty, &event));
            first.iter().for_each(|first| self.no_coins(first, "an initial value"));
            if let (Some(first), false) = (&first, messages) {
                let help = "a self-stabilizing protocol starts from any state; remove the value";
                self.error(&first.span, "an initial value is only for message passing", help);
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
            self.error(&file.place(), "the protocol declares no variables", "add a line such as `state leader : bit`");
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

    pub(crate) fn given(&self, given: &ast::Given) -> Given {
        let scope = self.at_index(&given.variable.span);
        let known: Vec<_> = self.variables.iter().map(|v| (v.name.as_str(), (v.slot, v.ty))).collect();
        let found = choose(&given.variable, &known, &mut self.problems.borrow_mut());
        let (variable, ty) = found.unwrap_or((0, Type::Unknown));
        self.used.borrow_mut().insert(given.variable.it.clone());
        let ends = given.ends.each_ref().map(|end| self.value(end, ty, &scope));
        let when = given.when.as_ref().map(|when| self.truth(when, &scope));
        Given { variable, ends, when }
    }
}

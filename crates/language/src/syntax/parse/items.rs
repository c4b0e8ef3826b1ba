//! The items of a file, one after the other.

use crate::diagnostic::Diagnostic;
use crate::near::nearest;
use crate::syntax::ast::{
    At, Closed, Condition, Declared, Domain, Expr, File, Given, Goal, Law, Let, Message, Name, Parameter, Safe,
};
use crate::syntax::parse::{Parsed, Parser};
use crate::syntax::token::Kind;

/// The words that begin an item.
const ITEMS: &str = "protocol summary citation claim knowledge assumes flaw states model reads oracle channels identities \
    scheduler size shade agents parameter require supports state message given let show goal start closed safe fast cut invariant \
    eventually recurring response law first exactly at any on";

/// Items that consist of a word and texts.
pub(crate) const TEXTS: &str = "summary citation claim knowledge assumes flaw states";

impl Parser<'_> {
    fn once<T>(&mut self, slot: &mut Option<T>, value: T, word: &Name) {
        if slot.is_some() {
            let problem = Diagnostic::error(word.span.clone(), format!("`{}` is given a second time", word.it));
            self.problems.push(problem.help("remove one of the two"));
        }
        *slot = Some(value);
    }

    pub(crate) fn item(&mut self, file: &mut File) -> Parsed<()> {
        let token = self.peek().clone();
        let word = At::new(self.words(&token).to_string(), token.span.clone());
        // `in order:` begins with an operator.
        if token.is("in") || matches!(word.it.as_str(), "first" | "exactly" | "at" | "any") {
            file.groups.push(self.group()?);
            return Ok(());
        }
        if token.kind != Kind::Word || !ITEMS.split(' ').any(|item| item == word.it) {
            return self.stray(&word);
        }
        self.next();
        match word.it.as_str() {
            "on" => {
                file.handlers.push(self.handler()?);
                return Ok(());
            }
            text if TEXTS.split(' ').any(|item| item == text) => {
                let joined = self.texts()?;
                if file.texts.iter().any(|(known, _)| known.it == word.it) {
                    self.once(&mut Some(()), (), &word);
                }
                file.texts.push((word, joined));
            }
            _ => self.other_item(file, &word)?,
        }
        self.end_of_line()
    }

    fn stray(&mut self, word: &Name) -> Parsed<()> {
        let near = nearest(&word.it, ITEMS.split(' '));
        let problem = Diagnostic::error(word.span.clone(), format!("no item begins with {}", self.here()));
        self.fail(match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")),
            None => problem.help(
                "a rule is indented below `first:`, `in order:`, `at once:`, `any:` or `exactly one:`; a line that continues \
                 ends with an operator, or the next line begins with one",
            ),
        })
    }

    fn other_item(&mut self, file: &mut File, word: &Name) -> Parsed<()> {
        match word.it.as_str() {
            "protocol" => {
                let name = self.hyphenated("the name of the protocol")?;
                self.once(&mut file.name, name, word);
            }
            "model" => {
                let model = self.name("population, ring, line, graph or messages")?;
                let on = if self.take_word("on") { Some(self.hyphenated("a graph")?) } else { None };
                self.once(&mut file.model, (model, on), word);
            }
            "identities" => self.once(&mut file.identities, word.span.clone(), word),
            "size" => match self.peek().kind {
                Kind::Number(size) => {
                    let span = self.next().span;
                    self.once(&mut file.size, At::new(size, span), word);
                }
                _ => return self.expected("the default size, a number"),
            },
            "agents" => {
                let initiator = self.name("a name for the initiator")?;
                self.expect(",")?;
                let responder = self.name("a name for the responder")?;
                self.once(&mut file.roles, (initiator, responder), word);
            }
            "reads" | "oracle" | "channels" | "scheduler" | "shade" => {
                let name = self.hyphenated("a word")?;
                let slot = match word.it.as_str() {
                    "reads" => &mut file.reads,
                    "oracle" => &mut file.oracle,
                    "channels" => &mut file.channels,
                    "scheduler" => &mut file.scheduler,
                    _ => &mut file.shade,
                };
                self.once(slot, name, word);
            }
            "parameter" => file.parameters.push(self.parameter()?),
            "require" => file.requires.push(self.condition()?),
            "supports" => file.supports.push(self.condition()?),
            "state" => file.variables.push(self.declared()?),
            "message" => file.messages.push(self.message()?),
            "given" => file.given.push(self.given()?),
            "let" => file.lets.push(self.named()?),
            "show" => {
                let mark = self.name("the mark to show: leader, token, bullet and so on")?;
                self.expect_word("when")?;
                file.shows.push((mark, self.expr()?));
            }
            "goal" => {
                let goal = self.goal(word)?;
                self.once(&mut file.goal, goal, word);
            }
            "closed" => {
                let name = self.name("the name of the set")?;
                let claim = self.optional_texts()?;
                file.closed.push(Closed { name, claim, holds: self.definition()? });
            }
            "invariant" | "eventually" | "recurring" | "response" => {
                let name = self.name("a name for the claim")?;
                let claim = Closed { name, claim: String::new(), holds: self.definition()? };
                match word.it.as_str() {
                    "invariant" => file.invariants.push(claim),
                    "eventually" => file.eventualities.push(claim),
                    "recurring" => file.recurring.push(claim),
                    _ => file.responses.push((claim, self.follows()?)),
                }
            }
            "law" => {
                let law = Law { growth: self.expr()?, source: self.optional_texts()? };
                self.once(&mut file.law, law, word);
            }
            "safe" => {
                let for_long = self.take_word("for");
                if for_long {
                    self.expect_word("long")?;
                }
                let holds = self.definition()?;
                self.once(&mut file.safe, Safe { for_long, holds }, word);
            }
            "start" | "fast" => {
                let holds = self.definition()?;
                self.once(if word.it == "start" { &mut file.start } else { &mut file.fast }, holds, word);
            }
            _ => {
                self.expect_word("off")?;
                self.expect_word("when")?;
                let cut = self.expr()?;
                self.once(&mut file.cut_off, cut, word);
            }
        }
        Ok(())
    }

    /// `= EXPRESSION`
    fn definition(&mut self) -> Parsed<Expr> {
        self.expect("=")?;
        self.expr()
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let name = self.name("the name of the parameter")?;
        let domain = if self.take(":") { Some(self.domain()?) } else { None };
        let default = self.definition()?;
        Ok(Parameter { name, domain, default, meaning: self.optional_texts()? })
    }

    fn condition(&mut self) -> Parsed<Condition> {
        let holds = self.expr()?;
        let written = self.text[holds.span.clone()].to_string();
        Ok(Condition { holds, written, reason: self.optional_texts()? })
    }

    fn declared(&mut self) -> Parsed<Declared> {
        let names = self.list(|p| p.name("the name of a variable"))?;
        let per_port = self.take("[");
        if per_port {
            self.expect_word("port")?;
            self.expect("]")?;
        }
        self.expect(":")?;
        let domain = self.domain()?;
        let first = if self.take("=") { Some(self.expr()?) } else { None };
        Ok(Declared { names, per_port, domain, first })
    }

    fn domain(&mut self) -> Parsed<At<Domain>> {
        let start = self.peek().span.clone();
        if self.is_word(self.peek(), "bit") {
            let span = self.next().span;
            return Ok(At::new(Domain::Bit, span));
        }
        if self.is_word(self.peek(), "neighbour") {
            let mut span = self.next().span;
            let none = self.take("or");
            if none {
                span.end = self.peek().span.end;
                self.expect_word("none")?;
            }
            let when = if none && self.take_word("when") { Some(self.expr()?) } else { None };
            span.end = when.as_ref().map_or(span.end, |when| when.span.end);
            return Ok(At::new(Domain::Neighbour { none, when }, span));
        }
        if self.take("{") {
            let words = self.list(|p| p.name("a word"))?;
            let end = self.expect("}")?;
            return Ok(At::new(Domain::Words(words), start.start..end.end));
        }
        let low = self.sum()?;
        if !self.take("..") {
            return self.expected("`..`: a domain is bit, a range such as 0..n-1, or words such as {red, green}");
        }
        let high = self.sum()?;
        let span = low.span.start..high.span.end;
        Ok(At::new(Domain::Range(low, high), span))
    }

    fn message(&mut self) -> Parsed<Message> {
        let name = self.name("the name of the message")?;
        let mut fields = vec![];
        if self.take("(") && !self.take(")") {
            fields = self.list(|p| {
                let field = p.name("the name of a field")?;
                p.expect(":")?;
                Ok((field, p.domain()?))
            })?;
            self.expect(")")?;
        }
        Ok(Message { name, fields })
    }

    fn given(&mut self) -> Parsed<Given> {
        let variable = self.name("the name of a variable")?;
        let ends = if self.take("in") {
            self.range().map(|(low, high)| [low, high])?
        } else {
            let value = self.definition()?;
            [value.clone(), value]
        };
        let when = if self.take_word("when") { Some(self.expr()?) } else { None };
        Ok(Given { variable, ends, when })
    }

    fn named(&mut self) -> Parsed<Let> {
        let name = self.name("a name for the expression")?;
        let mut parameters = vec![];
        if self.take("(") {
            parameters = self.list(|p| p.name("the name of an agent"))?;
            self.expect(")")?;
        }
        Ok(Let { name, parameters, body: self.definition()? })
    }

    fn goal(&mut self, word: &Name) -> Parsed<At<Goal>> {
        let ends = matches!(self.ahead(2).kind, Kind::Newline | Kind::End);
        let one = self.is_word(self.peek(), "one") && ends;
        let goal = match self.words(self.ahead(1)) {
            "leader" if one => Some(Goal::OneLeader),
            "token" if one => Some(Goal::OneToken),
            _ => None,
        };
        if let Some(goal) = goal {
            self.next();
            return Ok(At::new(goal, word.span.start..self.next().span.end));
        }
        // Not `one i : P`, which is a quantifier.
        if one && self.ahead(1).kind == Kind::Word {
            return self.refuse(
                self.ahead(1).span.clone(),
                "expected `one leader` or `one token`",
                "write `goal one leader`, `goal one token`, or a condition such as `goal one i : x[i] = 0`",
            );
        }
        if self.take_word("agreement") {
            self.expect_word("on")?;
            let on = self.expr()?;
            return Ok(At::new(Goal::Agreement(on), word.span.clone()));
        }
        let holds: Expr = self.expr()?;
        let words = self.optional_texts()?;
        let words = if words.is_empty() { self.text[holds.span.clone()].to_string() } else { words };
        Ok(At::new(Goal::Holds(holds, words), word.span.clone()))
    }
}

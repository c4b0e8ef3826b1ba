//! Groups of rules, rules, and actions.

use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{Action, At, Expr, Form, Group, Handler, Mode, Rule, Way};
use crate::syntax::parse::{Parsed, Parser};
use crate::syntax::token::Kind;

impl Parser<'_> {
    /// `first:` and the rules below it.
    pub(crate) fn group(&mut self) -> Parsed<Group> {
        let two = |p: &mut Self, second, mode| p.expect_word(second).map(|()| mode);
        let mode = match () {
            () if self.take("in") => two(self, "order", Mode::InOrder)?,
            () if self.take_word("at") => two(self, "once", Mode::AtOnce)?,
            () if self.take_word("exactly") => two(self, "one", Mode::ExactlyOne)?,
            () if self.take_word("any") => Mode::Any,
            () => two(self, "first", Mode::First)?,
        };
        self.expect(":")?;
        Ok(Group { mode, rules: self.rules() })
    }

    /// `on m from left when ..:` and the rules below it.
    pub(crate) fn handler(&mut self) -> Parsed<Handler> {
        let event = self.name("`step` or the name of a message")?;
        let from = if self.take_word("from") { Some(self.way()?) } else { None };
        let when = if self.take_word("when") { Some(self.expr()?) } else { None };
        self.expect(":")?;
        Ok(Handler { event, from, when, rules: self.rules() })
    }

    /// Rules up to the next item. A rule that cannot be parsed is skipped.
    fn rules(&mut self) -> Vec<Rule> {
        let mut rules = vec![];
        if self.peek().kind == Kind::Newline {
            self.next();
        }
        while !self.ends_group() {
            match self.rule() {
                Ok(rule) => rules.push(rule),
                Err(_) => self.skip_item(),
            }
        }
        rules
    }

    /// Whether an item begins here: rules are indented.
    fn ends_group(&self) -> bool {
        self.peek().kind == Kind::End || self.at_margin(self.peek())
    }

    fn rule(&mut self) -> Parsed<Rule> {
        let start = self.peek().span.start;
        let mut number = None;
        if let (Kind::Number(value), true) = (self.peek().kind, self.ahead(1).is(":")) {
            let span = self.next().span;
            self.next();
            let Ok(value) = u8::try_from(value) else {
                return self.fail(Diagnostic::error(span, "the number of a rule is at most 255"));
            };
            number = Some(value);
        }
        let mut each = None;
        if self.is_word(self.peek(), "for") && self.is_word(self.ahead(1), "some") {
            self.next();
            self.next();
            each = Some(self.name("a name for the neighbour")?);
            self.expect(":")?;
        }
        let is_else = self.is_word(self.peek(), "else") || self.is_word(self.peek(), "otherwise");
        let mut guard = None;
        let mut actions = vec![];
        if is_else {
            self.next();
            self.expect("->")?;
        } else if self.peek().is("->") {
            self.next();
        } else if !self.is_action() {
            let expr = self.expr()?;
            if self.take("->") {
                guard = Some(expr);
            } else if self.peek().is(":=") && matches!(*expr.it, Form::Two("=>", ..)) {
                return self.refuse(
                    expr.span.clone(),
                    "a rule needs an arrow between its guard and its actions",
                    "write `->`; `=>` is implication, in conditions only",
                );
            } else {
                actions.push(self.assignment(expr)?);
            }
        }
        while (actions.is_empty() || self.take(";")) && !matches!(self.peek().kind, Kind::Newline | Kind::End) {
            actions.push(self.action()?);
        }
        let span = start..self.peek().span.start.max(start + 1);
        self.end_of_line()?;
        Ok(Rule { number, each, guard, actions, span })
    }

    fn is_action(&self) -> bool {
        let (token, next) = (self.peek(), self.ahead(1));
        let plain = matches!(next.kind, Kind::Newline | Kind::End | Kind::Sign(";"));
        (self.is_word(token, "send") && next.kind == Kind::Word)
            || (["round", "reset", "skip"].iter().any(|word| self.is_word(token, word)) && plain)
    }

    fn action(&mut self) -> Parsed<At<Action>> {
        if !self.is_action() {
            let target = self.postfix()?;
            return self.assignment(target);
        }
        let token = self.next();
        let start = token.span.start;
        let action = match self.words(&token) {
            "round" => Action::Round,
            "reset" => Action::Reset,
            "skip" => Action::Skip,
            _ => {
                let to = self.way()?;
                let message = self.name("the name of a message")?;
                let mut values = vec![];
                if self.take("(") && !self.take(")") {
                    values = self.list(Self::expr)?;
                    self.expect(")")?;
                }
                Action::Send { to, message, values }
            }
        };
        Ok(At::new(action, start..self.ahead(0).span.start))
    }

    fn assignment(&mut self, first: Expr) -> Parsed<At<Action>> {
        let start = first.span.start;
        let mut targets = vec![first];
        while self.take(",") {
            targets.push(self.postfix()?);
        }
        if self.peek().is("=") || matches!(&*targets[0].it, Form::Two("=", ..)) {
            let span = start..self.peek().span.end;
            return self.refuse(
                span,
                "this is a comparison, not an action",
                "`x := 1` assigns a value; `x = 1` compares",
            );
        }
        if !self.peek().is(":=") {
            return self.expected("`->` after a guard, or `:=` after a variable");
        }
        self.next();
        let values = self.list(Self::expr)?;
        let end = values.last().map_or(start, |value| value.span.end);
        Ok(At::new(Action::Assign(targets, values), start..end))
    }

    fn way(&mut self) -> Parsed<At<Way>> {
        let name = self.name("left, right, both, onward or back")?;
        let Ok(way) = name.it.parse() else {
            return self.refuse(
                name.span,
                format!("`{}` is not a direction", name.it),
                "use left, right, both, onward (the direction of the received message) or back",
            );
        };
        Ok(At::new(way, name.span))
    }
}

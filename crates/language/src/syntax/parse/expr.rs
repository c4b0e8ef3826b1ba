//! Expressions, by precedence.

use crate::diagnostic::{Diagnostic, Span};
use crate::near::elsewhere;
use crate::syntax::ast::{At, Expr, Form, Quantified, Quantifier};
use crate::syntax::parse::{Parsed, Parser};
use crate::syntax::token::Kind;

/// Deeper than this nobody nests, and the stack must not decide.
const DEEPEST: u32 = 100;

fn join(a: &Expr, b: &Expr) -> Span {
    a.span.start..b.span.end
}

fn form(form: Form, span: Span) -> Expr {
    At::new(Box::new(form), span)
}

fn two(sign: &'static str, a: Expr, b: Expr) -> Expr {
    let span = join(&a, &b);
    form(Form::Two(sign, a, b), span)
}

impl Parser<'_> {
    /// `a => b`, the weakest; it groups to the right.
    pub(crate) fn expr(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let span = self.peek().span.clone();
            self.depth = 0;
            return self
                .fail(Diagnostic::error(span, "this is nested too deeply").help("name a part of it with `let`"));
        }
        let left = self.chain(&["or"], |p| p.chain(&["and"], Self::negated))?;
        let result = if self.take("=>") {
            let right = self.expr()?;
            two("=>", left, right)
        } else {
            left
        };
        self.depth = self.depth.saturating_sub(1);
        Ok(result)
    }

    /// Operators of one strength, grouped to the left.
    fn chain(&mut self, signs: &[&'static str], mut operand: impl FnMut(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        let mut left = operand(self)?;
        while let Some(sign) = signs.iter().find(|sign| self.peek().is(sign)) {
            self.next();
            let right = operand(self)?;
            left = two(sign, left, right);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Parsed<Expr> {
        if !self.peek().is("not") {
            return self.comparison();
        }
        let start = self.next().span.start;
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.expr();
        }
        let inner = self.negated()?;
        self.depth = self.depth.saturating_sub(1);
        let span = start..inner.span.end;
        Ok(form(Form::Not(inner), span))
    }

    fn comparison(&mut self) -> Parsed<Expr> {
        let left = self.sum()?;
        if self.take("in") {
            return self.member(left);
        }
        let Some(sign) = ["=", "!=", "<=", ">=", "<", ">"].into_iter().find(|sign| self.peek().is(sign)) else {
            return Ok(left);
        };
        self.next();
        let right = self.sum()?;
        Ok(two(sign, left, right))
    }

    fn member(&mut self, value: Expr) -> Parsed<Expr> {
        let braces = self.take("{");
        let mut ranges = vec![];
        let mut end;
        loop {
            let low = self.sum()?;
            end = low.span.end;
            let high = if self.take("..") { Some(self.sum()?) } else { None };
            end = high.as_ref().map_or(end, |high| high.span.end);
            if !braces && high.is_none() {
                let problem = Diagnostic::error(low.span, "`in` asks for several values");
                return self.fail(problem.help("write `x in {a, b}` or `x in 1..3`"));
            }
            ranges.push((low, high));
            if !braces || !self.take(",") {
                break;
            }
        }
        if braces {
            end = self.expect("}")?.end;
        }
        let span = value.span.start..end;
        Ok(form(Form::In(value, ranges), span))
    }

    pub(crate) fn sum(&mut self) -> Parsed<Expr> {
        self.chain(&["+", "-"], |p| p.chain(&["*", "/", "mod"], Self::power))
    }

    fn power(&mut self) -> Parsed<Expr> {
        if self.peek().is("-") {
            let start = self.next().span.start;
            let inner = self.postfix()?;
            let span = start..inner.span.end;
            return Ok(form(Form::Minus(inner), span));
        }
        let base = self.postfix()?;
        if self.take("^") {
            let exponent = self.postfix()?;
            return Ok(two("^", base, exponent));
        }
        Ok(base)
    }

    /// A name or a bracket, with `.x` and `[i]` after it.
    pub(crate) fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.primary()?;
        loop {
            if self.peek().is(".") {
                self.next();
                let field = self.name("the name of a variable")?;
                let span = value.span.start..field.span.end;
                value = form(Form::Dot(value, field), span);
            } else if self.take("[") {
                let index = self.expr()?;
                let end = self.expect("]")?.end;
                let span = value.span.start..end;
                value = form(Form::Index(value, index), span);
            } else {
                return Ok(value);
            }
        }
    }

    pub(crate) fn list(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.expr()?];
        while self.take(",") {
            list.push(self.expr()?);
        }
        Ok(list)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        match token.kind {
            Kind::Number(value) => {
                self.next();
                Ok(form(Form::Number(value), token.span))
            }
            Kind::Sign("(") => {
                self.next();
                let inner = self.expr()?;
                let end = self.expect(")")?.end;
                Ok(At::new(inner.it, token.span.start..end))
            }
            Kind::Word => self.word(),
            _ => self.expected("a value"),
        }
    }

    fn word(&mut self) -> Parsed<Expr> {
        let token = self.next();
        let word = self.words(&token).to_string();
        let quantifier = match word.as_str() {
            "all" => Some(Quantifier::All),
            "some" => Some(Quantifier::Some),
            "one" => Some(Quantifier::One),
            "count" => Some(Quantifier::Count),
            "least" => Some(Quantifier::Least),
            _ => None,
        };
        let binds = self.peek().kind == Kind::Word && (self.ahead(1).is(":") || self.ahead(1).is("in"));
        if let Some(quantifier) = quantifier.filter(|_| binds) {
            return self.quantified(quantifier, token.span.start);
        }
        if binds && let Some(help) = elsewhere(&word) {
            let problem = Diagnostic::error(token.span, format!("`{word}` is no quantifier"));
            return self.fail(problem.help(help));
        }
        match word.as_str() {
            "if" => {
                let condition = self.expr()?;
                self.expect_word("then")?;
                let yes = self.expr()?;
                self.expect_word("else")?;
                let no = self.expr()?;
                let span = token.span.start..no.span.end;
                Ok(form(Form::If(condition, yes, no), span))
            }
            "draw" if !self.peek().is(".") => {
                let low = self.sum()?;
                self.expect("..")?;
                let high = self.sum()?;
                let span = token.span.start..high.span.end;
                Ok(form(Form::Draw(low, high), span))
            }
            _ if self.peek().is("(") => {
                self.next();
                let arguments = self.list()?;
                let end = self.expect(")")?.end;
                let span = token.span.start..end;
                Ok(form(Form::Call(At::new(word, token.span), arguments), span))
            }
            _ => Ok(form(Form::Name(word), token.span)),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, start: usize) -> Parsed<Expr> {
        let name = self.name("a name")?;
        let mut range = None;
        if self.take("in") {
            let low = self.sum()?;
            self.expect("..")?;
            range = Some((low, self.sum()?));
        }
        self.expect(":")?;
        let body = self.expr()?;
        let span = start..body.span.end;
        Ok(form(Form::Quantified(Quantified { quantifier, name, range, body }), span))
    }
}

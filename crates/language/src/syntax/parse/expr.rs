//! Expressions, by precedence.

use crate::diagnostic::Span;
use crate::near::elsewhere;
use crate::syntax::ast::{At, DEEPEST, Expr, Form, LONGEST_LEFT, Quantified, Quantifier};
use crate::syntax::parse::{Parsed, Parser};
use crate::syntax::token::Kind;

/// The maximum nesting of brackets, `not`, `if`, `=>` and quantifiers: the parser recurses for each.
const MOST_NESTED: u32 = 100;

/// An operator and the operand to its right.
type Link = (&'static str, Expr);

impl Parser<'_> {
    /// An expression, unless its tree is too deep.
    fn form(&mut self, form: Form, span: Span) -> Parsed<Expr> {
        let expr = Expr::new(form, span);
        if expr.depth > DEEPEST { self.too_deep(expr.span) } else { Ok(expr) }
    }

    fn too_deep<T>(&mut self, span: Span) -> Parsed<T> {
        let help = format!("at most {MOST_NESTED} brackets and {DEEPEST} operators may be nested");
        self.refuse(span, "this expression is nested too deeply", help)
    }

    fn two(&mut self, sign: &'static str, a: Expr, b: Expr) -> Parsed<Expr> {
        let span = a.span.start..b.span.end;
        self.form(Form::Two(sign, a, b), span)
    }

    /// The tree of a chain of operators of one precedence, which group to the left.
    fn grouped(&mut self, first: Expr, rest: Vec<Link>) -> Parsed<Expr> {
        let (mut left, mut run) = (first, vec![]);
        for (sign, right) in rest {
            // Division cannot be regrouped: only the factors between two divisions can.
            if matches!(sign, "/" | "mod") {
                left = self.balanced(left, std::mem::take(&mut run))?;
                left = self.two(sign, left, right)?;
            } else {
                run.push((sign, right));
            }
        }
        self.balanced(left, run)
    }

    /// Parses one nesting level deeper.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MOST_NESTED {
            let span = self.peek().span.clone();
            return self.too_deep(span);
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// `a + b - c + d` as `(a + b) - (c - d)`: the signs behind a minus are inverted.
    fn balanced(&mut self, first: Expr, mut rest: Vec<Link>) -> Parsed<Expr> {
        if rest.len() < LONGEST_LEFT {
            return rest.into_iter().try_fold(first, |left, (sign, right)| self.two(sign, left, right));
        }
        let mut later = rest.split_off(rest.len() / 2).into_iter();
        let Some((sign, middle)) = later.next() else { return Ok(first) };
        let opposite = |other| match (sign, other) {
            ("-", "+") => "-",
            ("-", "-") => "+",
            _ => other,
        };
        let later = later.map(|(other, operand)| (opposite(other), operand)).collect();
        let (left, right) = (self.balanced(first, rest)?, self.balanced(middle, later)?);
        self.two(sign, left, right)
    }

    /// `a => b`, the weakest operator; it groups to the right.
    pub(crate) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|p| {
            let left = p.chain(&["or"], |p| p.chain(&["and"], Self::negated))?;
            if !p.take("=>") {
                return Ok(left);
            }
            let right = p.expr()?;
            p.two("=>", left, right)
        })
    }

    /// Operators of one precedence, grouped to the left.
    fn chain(&mut self, signs: &[&'static str], mut operand: impl FnMut(&mut Self) -> Parsed<Expr>) -> Parsed<Expr> {
        let first = operand(self)?;
        let mut rest = vec![];
        while let Some(sign) = signs.iter().find(|sign| self.peek().is(sign)) {
            self.next();
            rest.push((*sign, operand(self)?));
        }
        self.grouped(first, rest)
    }

    fn negated(&mut self) -> Parsed<Expr> {
        if !self.peek().is("not") {
            return self.comparison();
        }
        let start = self.next().span.start;
        let inner = self.nested(Self::negated)?;
        let span = start..inner.span.end;
        self.form(Form::Not(inner), span)
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
        self.two(sign, left, right)
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
                return self.refuse(
                    low.span,
                    "`in` needs a set or a range of values",
                    "write `x in {a, b}` or `x in 1..3`",
                );
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
        self.form(Form::In(value, ranges), span)
    }

    pub(crate) fn sum(&mut self) -> Parsed<Expr> {
        self.chain(&["+", "-"], |p| p.chain(&["*", "/", "mod"], Self::power))
    }

    /// `1..k`
    pub(crate) fn range(&mut self) -> Parsed<(Expr, Expr)> {
        let low = self.sum()?;
        self.expect("..")?;
        Ok((low, self.sum()?))
    }

    fn power(&mut self) -> Parsed<Expr> {
        if self.peek().is("-") {
            let start = self.next().span.start;
            let inner = self.postfix()?;
            let span = start..inner.span.end;
            return self.form(Form::Minus(inner), span);
        }
        let base = self.postfix()?;
        if self.take("^") {
            let exponent = self.postfix()?;
            return self.two("^", base, exponent);
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
                value = self.form(Form::Dot(value, field), span)?;
            } else if self.take("[") {
                let index = self.expr()?;
                let end = self.expect("]")?.end;
                let span = value.span.start..end;
                value = self.form(Form::Index(value, index), span)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let token = self.peek().clone();
        match token.kind {
            Kind::Number(value) => {
                self.next();
                self.form(Form::Number(value), token.span)
            }
            Kind::Sign("(") => {
                self.next();
                let inner = self.expr()?;
                let end = self.expect(")")?.end;
                Ok(Expr { span: token.span.start..end, ..inner })
            }
            Kind::Word => self.word(),
            _ => self.expected("a value"),
        }
    }

    fn word(&mut self) -> Parsed<Expr> {
        let token = self.next();
        let word = self.words(&token).to_string();
        let binds = self.peek().kind == Kind::Word && (self.ahead(1).is(":") || self.ahead(1).is("in"));
        if binds && let Ok(quantifier) = word.parse() {
            return self.quantified(quantifier, token.span.start);
        }
        if binds && let Some(help) = elsewhere(&word) {
            return self.refuse(token.span, format!("`{word}` is not a quantifier"), help);
        }
        match word.as_str() {
            "if" => {
                let condition = self.expr()?;
                self.expect_word("then")?;
                let yes = self.expr()?;
                self.expect_word("else")?;
                let no = self.expr()?;
                let span = token.span.start..no.span.end;
                self.form(Form::If(condition, yes, no), span)
            }
            "draw" if !self.peek().is(".") => {
                let (low, high) = self.nested(Self::range)?;
                let span = token.span.start..high.span.end;
                self.form(Form::Draw(low, high), span)
            }
            _ if self.peek().is("(") => {
                self.next();
                let arguments = self.list(Self::expr)?;
                let end = self.expect(")")?.end;
                let span = token.span.start..end;
                self.form(Form::Call(At::new(word, token.span), arguments), span)
            }
            _ => self.form(Form::Name(word), token.span),
        }
    }

    fn quantified(&mut self, quantifier: Quantifier, start: usize) -> Parsed<Expr> {
        let name = self.name("a name")?;
        let mut range = None;
        if self.take("in") {
            range = Some(self.nested(Self::range)?);
        }
        self.expect(":")?;
        let body = self.expr()?;
        let span = start..body.span.end;
        self.form(Form::Quantified(Quantified { quantifier, name, range, body }), span)
    }
}

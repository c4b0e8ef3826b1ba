//! Formulas about one agent of a ring, and measures made of them: what they are and how they are read.

use crate::Malformed;

/// A formula, true or false at each agent of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// `1` or `0`.
    Constant(bool),
    /// `root` or `top`, the name of a Boolean variable, of a mark, or of a rule (it is enabled here).
    Name(String),
    /// `v=k`: the variable has this value.
    Value(String, u8),
    /// `v~k`: the variable minus the left neighbour's is k, modulo its size.
    Ahead(String, u8),
    /// `!a`
    Not(Box<Formula>),
    /// `(a & b)`
    And(Box<Formula>, Box<Formula>),
    /// `(a | b)`
    Or(Box<Formula>, Box<Formula>),
    /// `Y a`: at the left neighbour.
    Left(Box<Formula>),
    /// `X a`: at the right neighbour.
    Right(Box<Formula>),
    /// `(a S b)`: going left from here, oneself first, a holds until b does, and b does somewhere.
    Since(Box<Formula>, Box<Formula>),
    /// `(a U b)`: the same going right.
    Until(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// What it is made of, if it is made of others.
    pub fn operands(&self) -> Vec<&Formula> {
        match self {
            Formula::Not(a) | Formula::Left(a) | Formula::Right(a) => vec![a],
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Since(a, b) | Formula::Until(a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }
}

/// What is compared between a configuration and the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// `C:`, a weighted sum of numbers of agents at which formulas hold.
    Count(Vec<(i32, Formula)>),
    /// `L:`, the formula's values as bits, compared lexicographically from agent 0 up.
    FromBottom(Formula),
    /// `R:`, the same from agent n-1 down.
    FromTop(Formula),
    /// `safe`: 0 in the safe set, 1 outside.
    Unsafe,
}

impl Measure {
    /// The formulas it is made of.
    pub fn formulas(&self) -> Vec<&Formula> {
        match self {
            Measure::Count(terms) => terms.iter().map(|(_, formula)| formula).collect(),
            Measure::FromBottom(formula) | Measure::FromTop(formula) => vec![formula],
            Measure::Unsafe => Vec::new(),
        }
    }
}

/// Deep enough for anything sensible, shallow enough for the stack.
const DEPTH: usize = 200;

type Made = fn(Box<Formula>, Box<Formula>) -> Formula;

/// What stands between two formulas in brackets, and what it makes of them.
const OPERATORS: [(&str, Made); 4] =
    [("&", Formula::And), ("|", Formula::Or), ("S", Formula::Since), ("U", Formula::Until)];

/// A text, and what of it is still to be read.
struct Reader<'a> {
    text: &'a str,
    rest: &'a str,
}

impl<'a> Reader<'a> {
    /// Reads a whole text.
    fn whole<T>(text: &'a str, read: impl Fn(&mut Reader<'a>) -> Result<T, Malformed>) -> Result<T, Malformed> {
        let mut reader = Reader { text, rest: text };
        let found = read(&mut reader)?;
        reader.take("");
        if reader.rest.is_empty() { Ok(found) } else { reader.fail("the end") }
    }

    fn fail<T>(&self, expected: &str) -> Result<T, Malformed> {
        Err(Malformed(format!("at byte {}: expected {expected}", self.text.len() - self.rest.len())))
    }

    fn take(&mut self, sign: &str) -> bool {
        self.rest = self.rest.trim_ascii_start();
        let after = self.rest.strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    fn word(&mut self) -> &'a str {
        self.take("");
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn number(&mut self) -> Result<u8, Malformed> {
        self.word().parse().or_else(|_| self.fail("a number below 256"))
    }

    fn formula(&mut self, depth: usize) -> Result<Formula, Malformed> {
        if depth == 0 {
            return self.fail("less nesting");
        }
        if self.take("!") {
            return Ok(Formula::Not(Box::new(self.formula(depth - 1)?)));
        }
        if self.take("(") {
            let a = self.formula(depth - 1)?;
            let operator = OPERATORS.iter().find(|(sign, _)| self.take(sign));
            let Some((_, made)) = operator else { return self.fail("one of & | S U") };
            let b = self.formula(depth - 1)?;
            let closed = self.take(")");
            return if closed { Ok(made(Box::new(a), Box::new(b))) } else { self.fail("a closing parenthesis") };
        }
        let name = self.word();
        Ok(match name {
            "" => return self.fail("a formula"),
            "0" | "1" => Formula::Constant(name == "1"),
            "Y" => Formula::Left(Box::new(self.formula(depth - 1)?)),
            "X" => Formula::Right(Box::new(self.formula(depth - 1)?)),
            _ if self.take("=") => Formula::Value(name.into(), self.number()?),
            _ if self.take("~") => Formula::Ahead(name.into(), self.number()?),
            _ => Formula::Name(name.into()),
        })
    }

    /// `2*a + b - c`
    fn sum(&mut self) -> Result<Vec<(i32, Formula)>, Malformed> {
        let mut terms = Vec::new();
        let mut sign = if self.take("-") { -1 } else { 1 };
        loop {
            let term = self.rest;
            let weight = self.word().parse::<u8>().ok().filter(|weight| *weight > 0 && self.take("*"));
            if weight.is_none() {
                self.rest = term;
            }
            terms.push((sign * i32::from(weight.unwrap_or(1)), self.formula(DEPTH)?));
            sign = if self.take("+") { 1 } else { -1 };
            if sign == -1 && !self.take("-") {
                return Ok(terms);
            }
        }
    }

    fn measure(&mut self) -> Result<Measure, Malformed> {
        let kind = self.word();
        if kind == "safe" {
            return Ok(Measure::Unsafe);
        }
        if !["C", "L", "R"].contains(&kind) || !self.take(":") {
            return self.fail("`C:`, `L:`, `R:` or `safe`");
        }
        Ok(match kind {
            "C" => Measure::Count(self.sum()?),
            "L" => Measure::FromBottom(self.formula(DEPTH)?),
            _ => Measure::FromTop(self.formula(DEPTH)?),
        })
    }
}

impl std::str::FromStr for Formula {
    type Err = Malformed;
    fn from_str(text: &str) -> Result<Formula, Malformed> {
        Reader::whole(text, |reader| reader.formula(DEPTH))
    }
}

impl std::str::FromStr for Measure {
    type Err = Malformed;
    fn from_str(text: &str) -> Result<Measure, Malformed> {
        Reader::whole(text, Reader::measure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(n: &str) -> Box<Formula> {
        Box::new(Formula::Name(n.into()))
    }

    #[test]
    fn an_s_between_formulas_is_an_operator_and_elsewhere_a_name() {
        let read: Formula = "(S & !(!B S L))".parse().unwrap();
        let since = Formula::Since(Box::new(Formula::Not(name("B"))), name("L"));
        assert_eq!(read, Formula::And(name("S"), Box::new(Formula::Not(Box::new(since)))));
        assert_eq!("(S S S)".parse(), Ok(Formula::Since(name("S"), name("S"))));
    }

    #[test]
    fn sums_have_weights_and_signs() {
        let read: Measure = "C:Rm + 2*(Lm & x=2) - x~1".parse().unwrap();
        let both = Formula::And(name("Lm"), Box::new(Formula::Value("x".into(), 2)));
        let terms = vec![(1, *name("Rm")), (2, both), (-1, Formula::Ahead("x".into(), 1))];
        assert_eq!(read, Measure::Count(terms));
        assert_eq!(
            "C:1 - 0".parse(),
            Ok(Measure::Count(vec![(1, Formula::Constant(true)), (-1, Formula::Constant(false))]))
        );
    }

    #[test]
    fn what_is_not_a_measure_says_where() {
        for (text, at) in
            [("D:x", 1), ("C:(x & y", 8), ("C:(x y)", 5), ("L:x + y", 4), ("C:", 2), ("C:x=300", 7), ("", 0)]
        {
            let why = text.parse::<Measure>().unwrap_err().to_string();
            assert!(why.starts_with(&format!("at byte {at}:")), "{text}: {why}");
        }
        assert!("!".repeat(100_000).parse::<Formula>().is_err());
    }
}

//! Formulas about one agent of a ring, and measures made of them: what they are and how they are read.

use std::fmt;

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

/// Why a text is not a formula or a measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// Where in the text, in bytes.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for Misread {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "at byte {}: expected {}", self.at, self.expected)
    }
}

impl std::error::Error for Misread {}

/// Deep enough for anything sensible, shallow enough for the stack.
const DEPTH: usize = 200;

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn fail<T>(&self, expected: &'static str) -> Result<T, Misread> {
        Err(Misread { at: self.at, expected })
    }

    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn take(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self) -> &str {
        self.peek();
        let from = self.at;
        while self.text.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_') {
            self.at += 1;
        }
        std::str::from_utf8(&self.text[from..self.at]).unwrap_or("")
    }

    fn number(&mut self) -> Result<u8, Misread> {
        match self.word().parse() {
            Ok(k) => Ok(k),
            Err(_) => self.fail("a number below 256"),
        }
    }

    fn formula(&mut self, depth: usize) -> Result<Formula, Misread> {
        if depth == 0 {
            return self.fail("less nesting");
        }
        if self.take(b'!') {
            return Ok(Formula::Not(Box::new(self.formula(depth - 1)?)));
        }
        if self.take(b'(') {
            let a = self.formula(depth - 1)?;
            let made: fn(Box<Formula>, Box<Formula>) -> Formula = match self.peek() {
                Some(b'&') => Formula::And,
                Some(b'|') => Formula::Or,
                Some(b'S') => Formula::Since,
                Some(b'U') => Formula::Until,
                _ => return self.fail("one of & | S U"),
            };
            self.at += 1;
            let b = self.formula(depth - 1)?;
            return if self.take(b')') {
                Ok(made(Box::new(a), Box::new(b)))
            } else {
                self.fail("a closing parenthesis")
            };
        }
        let name = self.word().to_owned();
        match name.as_str() {
            "" => self.fail("a formula"),
            "0" | "1" => Ok(Formula::Constant(name == "1")),
            "Y" => Ok(Formula::Left(Box::new(self.formula(depth - 1)?))),
            "X" => Ok(Formula::Right(Box::new(self.formula(depth - 1)?))),
            _ if self.take(b'=') => Ok(Formula::Value(name, self.number()?)),
            _ if self.take(b'~') => Ok(Formula::Ahead(name, self.number()?)),
            _ => Ok(Formula::Name(name)),
        }
    }

    /// `2*a + b - c`
    fn sum(&mut self) -> Result<Vec<(i32, Formula)>, Misread> {
        let mut terms = Vec::new();
        let mut sign = if self.take(b'-') { -1 } else { 1 };
        loop {
            let from = self.at;
            let weight = self.word().parse::<u8>();
            let weight = match weight {
                Ok(w) if w > 0 && self.take(b'*') => i32::from(w),
                _ => {
                    self.at = from;
                    1
                }
            };
            terms.push((sign * weight, self.formula(DEPTH)?));
            sign = match self.peek() {
                Some(b'+') => 1,
                Some(b'-') => -1,
                _ => return Ok(terms),
            };
            self.at += 1;
        }
    }

    fn end<T>(&mut self, read: T) -> Result<T, Misread> {
        if self.peek().is_none() { Ok(read) } else { self.fail("the end") }
    }
}

impl std::str::FromStr for Formula {
    type Err = Misread;
    fn from_str(text: &str) -> Result<Formula, Misread> {
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let formula = reader.formula(DEPTH)?;
        reader.end(formula)
    }
}

impl std::str::FromStr for Measure {
    type Err = Misread;
    fn from_str(text: &str) -> Result<Measure, Misread> {
        if text.trim() == "safe" {
            return Ok(Measure::Unsafe);
        }
        let mut reader = Reader { text: text.as_bytes(), at: 0 };
        let kind = reader.word().to_owned();
        if !matches!(kind.as_str(), "C" | "L" | "R") || !reader.take(b':') {
            return reader.fail("`C:`, `L:`, `R:` or `safe`");
        }
        let measure = match kind.as_str() {
            "C" => Measure::Count(reader.sum()?),
            "L" => Measure::FromBottom(reader.formula(DEPTH)?),
            _ => Measure::FromTop(reader.formula(DEPTH)?),
        };
        reader.end(measure)
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
            assert_eq!(text.parse::<Measure>().map_err(|e| e.at), Err(at), "{text}");
        }
        assert!("!".repeat(100_000).parse::<Formula>().is_err());
    }
}

//! What certificates are made and shown with. The check itself uses none of it.

use crate::meaning::Meaning;
use crate::{
    Automaton, Certificate, CompleteCertificate, FailureCertificate, Formula, Malformed, Measure, Place, Possible,
    Range, Rules, Sizes, State,
};
use serde::Serialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Error, Value as Json};
use std::fmt;

impl Place {
    /// The place of agent `i` among `n` (at least 2).
    pub fn of(i: usize, n: usize) -> Place {
        match i {
            0 => Place::Bottom,
            _ if i + 1 == n => Place::Top,
            _ => Place::Middle,
        }
    }
}

impl Possible {
    /// Every state everywhere.
    pub fn all(states: usize) -> Possible {
        let all: Vec<State> = (0..states).map(|s| s as State).collect();
        Possible { bottom: all.clone(), middle: all.clone(), top: all }
    }
}

impl Sizes {
    /// Every size from here on.
    pub fn from(from: usize) -> Sizes {
        Sizes { from, modulus: 1, residues: vec![0] }
    }

    /// Whether a size is spoken of. No size is if the modulus is 0, which a certificate may not have.
    pub fn contains(&self, n: usize) -> bool {
        n >= self.from && n.checked_rem(self.modulus).is_some_and(|residue| self.residues.contains(&residue))
    }
}

/// Reads JSON in which every object is written as an object. `serde` would also take a list of its values.
pub(crate) fn from_json<T: Serialize + DeserializeOwned>(text: &str) -> Result<T, Error> {
    let written: Json = serde_json::from_str(text)?;
    let list = || Error::custom("a list stands where an object with named fields must stand");
    if written.is_array() {
        return Err(list());
    }
    let data: T = serde_json::from_str(text)?;
    if alike(&written, &serde_json::to_value(&data)?) { Ok(data) } else { Err(list()) }
}

/// Whether objects stand at the same places. What is written may lack fields, and have `null` where no field is read.
fn alike(written: &Json, read: &Json) -> bool {
    match (written, read) {
        (Json::Object(written), Json::Object(read)) => {
            written.iter().all(|(name, value)| read.get(name).is_none_or(|read| alike(value, read)))
        }
        (Json::Array(written), Json::Array(read)) => written.iter().zip(read).all(|(one, other)| alike(one, other)),
        _ => written.is_object() == read.is_object(),
    }
}

impl Automaton {
    /// Whether a configuration belongs to the set.
    pub fn accepts(&self, word: &[State]) -> bool {
        let end = word.iter().try_fold(self.start, |at, &s| self.next[at][usize::from(s)]);
        end.is_some_and(|at| self.accepting.contains(&at))
    }
}

impl FailureCertificate {
    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<FailureCertificate, serde_json::Error> {
        from_json(text)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }
}

impl CompleteCertificate {
    /// Whether a configuration, as the number of agents in each state, is safe.
    pub fn accepts(&self, counts: &[usize]) -> bool {
        let within = |(r, count): (&Range, &usize)| *count >= r.least && r.most.is_none_or(|most| *count <= most);
        self.safe.iter().any(|ranges| ranges.iter().zip(counts).all(within))
    }

    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<CompleteCertificate, serde_json::Error> {
        from_json(text)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }
}

/// The value of a measure. Of two values of the same measure the lower one is nearer to safety.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// Of `C:` and `safe`.
    Number(i64),
    /// Of `L:` and `R:`, the most important agent first: agent 0, or agent n-1.
    Row(Vec<bool>),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Row(row) => row.iter().try_for_each(|&bit| f.write_str(if bit { "1" } else { "0" })),
        }
    }
}

impl Certificate {
    /// Reads JSON.
    pub fn from_json(text: &str) -> Result<Certificate, serde_json::Error> {
        from_json(text)
    }

    /// Writes JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written")
    }

    /// The values of all measures on a configuration, the most important first.
    ///
    /// Local states are numbers of [`Rules::states`]. Values of two configurations compare like the certificate does: outside the
    /// safe set some step (under the unfair daemon every step) lowers the list, which [`Ord`] of vectors orders by the first difference.
    ///
    /// ```
    /// # use ringleader_verify::{Certificate, Value};
    /// # let certificate = Certificate::from_json(r#"{
    /// #     "version": 1, "subject": "raise", "rules": {
    /// #         "states": ["0", "1"], "variables": [{"name": "y", "size": 2, "values": [0, 1]}],
    /// #         "rules": ["raise"], "moves": [{"rule": 0, "place": "top", "own": [0, 1]}],
    /// #         "possible": {"bottom": [0], "middle": [0], "top": [0, 1]},
    /// #         "goal": {"exactly-one": {"of": ["y"], "stays": true}}},
    /// #     "sizes": {"from": 2, "modulus": 1, "residues": [0]}, "scheduler": "unfair",
    /// #     "safe": {"start": 0, "accepting": [1], "next": [[0, 1], [null, null]]},
    /// #     "measures": ["safe", "C:!y", "L:y"]}"#).unwrap();
    /// // Its measures are `safe`, `C:!y` and `L:y`.
    /// let before = certificate.readings(&[0, 0, 0]).unwrap();
    /// let after = certificate.readings(&[0, 0, 1]).unwrap();
    /// assert_eq!(before, [Value::Number(1), Value::Number(3), Value::Row(vec![false; 3])]);
    /// assert_eq!(after.iter().map(Value::to_string).collect::<Vec<_>>(), ["0", "2", "001"]);
    /// assert!(after < before);
    /// ```
    ///
    /// Fails if the configuration is none of the certificate's rings, or a measure says nothing about them.
    pub fn readings(&self, configuration: &[State]) -> Result<Vec<Value>, Malformed> {
        let n = configuration.len();
        if n < self.rules.width() {
            return Err(Malformed(format!("{n} agents are fewer than the {} that a move takes", self.rules.width())));
        }
        let states = self.rules.states.len();
        if let Some(s) = configuration.iter().find(|s| usize::from(**s) >= states) {
            return Err(Malformed(format!("there is no local state {s}: they are numbered below {states}")));
        }
        self.rules.validate()?;
        self.measures.iter().map(|text| self.reading(text, configuration)).collect()
    }

    fn reading(&self, text: &str, configuration: &[State]) -> Result<Value, Malformed> {
        let row = |formula: &Formula| row(&self.rules, formula, configuration);
        match text.parse::<Measure>().map_err(|e| Malformed(format!("`{text}` cannot be read: {e}")))? {
            Measure::Unsafe => Ok(Value::Number(i64::from(!self.safe.accepts(configuration)))),
            Measure::FromBottom(formula) => Ok(Value::Row(row(&formula)?)),
            Measure::FromTop(formula) => Ok(Value::Row(row(&formula)?.into_iter().rev().collect())),
            Measure::Count(terms) => {
                let count = |f: &Formula| Ok::<_, Malformed>(row(f)?.into_iter().filter(|bit| *bit).count() as i64);
                let counted = terms.iter().map(|(weight, f)| Ok::<_, Malformed>(i64::from(*weight) * count(f)?));
                Ok(Value::Number(counted.sum::<Result<_, _>>()?))
            }
        }
    }
}

/// The values of a formula at agents 0 to n-1.
fn row(rules: &Rules, formula: &Formula, w: &[State]) -> Result<Vec<bool>, Malformed> {
    let n = w.len();
    let of = |f: &Formula| row(rules, f, w);
    // Whether the first agent on the way at which `b` holds or `a` does not is one at which `b` does.
    let walk = |a: &[bool], b: &[bool], way: &mut dyn Iterator<Item = usize>| {
        way.map(|i| i % n).find(|&i| b[i] || !a[i]).is_some_and(|i| b[i])
    };
    Ok(match formula {
        Formula::Not(a) => of(a)?.iter().map(|value| !value).collect(),
        Formula::And(a, b) => of(a)?.iter().zip(of(b)?).map(|(a, b)| *a && b).collect(),
        Formula::Or(a, b) => of(a)?.iter().zip(of(b)?).map(|(a, b)| *a || b).collect(),
        Formula::Left(a) => {
            let a = of(a)?;
            (0..n).map(|i| a[(i + n - 1) % n]).collect()
        }
        Formula::Right(a) => {
            let a = of(a)?;
            (0..n).map(|i| a[(i + 1) % n]).collect()
        }
        Formula::Since(a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            (0..n).map(|i| walk(&a, &b, &mut (0..n).map(|d| i + n - d))).collect()
        }
        Formula::Until(a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            (0..n).map(|i| walk(&a, &b, &mut (0..n).map(|d| i + d))).collect()
        }
        atom => {
            let mut meaning = Meaning::default();
            meaning.add(rules, atom)?;
            let seen = |i: usize| [w[(i + n - 1) % n], w[i], w[(i + 1) % n]];
            (0..n).map(|i| meaning.holds(atom, Place::of(i, n), seen(i), 0)).collect()
        }
    })
}

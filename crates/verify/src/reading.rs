//! What a certificate's measures are on one configuration: by the definition, without automata.

use crate::meaning::{Node, Nodes};
use crate::{Certificate, Formula, Measure, Place, Rules, State};
use std::fmt;

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
    pub fn readings(&self, configuration: &[State]) -> Result<Vec<Value>, String> {
        let n = configuration.len();
        if n < self.rules.width() {
            return Err(format!("{n} agents are fewer than the {} that a move takes", self.rules.width()));
        }
        let states = self.rules.states.len();
        if let Some(s) = configuration.iter().find(|s| usize::from(**s) >= states) {
            return Err(format!("there is no local state {s}: they are numbered below {states}"));
        }
        self.rules.validate().map_err(|flaw| flaw.to_string())?;
        self.measures.iter().map(|text| self.reading(text, configuration)).collect()
    }

    fn reading(&self, text: &str, configuration: &[State]) -> Result<Value, String> {
        let row = |formula: &Formula| row(&self.rules, formula, configuration);
        match text.parse::<Measure>().map_err(|e| format!("`{text}` cannot be read: {e}"))? {
            Measure::Unsafe => Ok(Value::Number(i64::from(!self.safe.accepts(configuration)))),
            Measure::FromBottom(formula) => Ok(Value::Row(row(&formula)?)),
            Measure::FromTop(formula) => Ok(Value::Row(row(&formula)?.into_iter().rev().collect())),
            Measure::Count(terms) => {
                let count = |f: &Formula| Ok::<_, String>(row(f)?.into_iter().filter(|bit| *bit).count() as i64);
                let counted = terms.iter().map(|(weight, f)| Ok::<_, String>(i64::from(*weight) * count(f)?));
                Ok(Value::Number(counted.sum::<Result<_, _>>()?))
            }
        }
    }
}

/// The values of a formula at agents 0 to n-1: those of its parts first.
pub(crate) fn row(rules: &Rules, formula: &Formula, w: &[State]) -> Result<Vec<bool>, String> {
    let n = w.len();
    let nodes = Nodes::new(rules, [formula])?;
    let mut rows: Vec<Vec<bool>> = Vec::new();
    for node in &nodes.nodes {
        let of = |a: &usize, i: usize| rows[*a][i % n];
        // Whether the first agent on the way at which `b` holds or `a` does not is one at which `b` does.
        let walk = |a: &usize, b: &usize, mut way: Box<dyn Iterator<Item = usize>>| {
            way.find(|&i| of(b, i) || !of(a, i)).is_some_and(|i| of(b, i))
        };
        let value = |i: usize| match node {
            Node::Constant(c) => *c,
            Node::Place(place) => *place == Place::of(i, n),
            Node::Own(states) => states.contains(&w[i]),
            Node::Not(a) => !of(a, i),
            Node::And(a, b) => of(a, i) && of(b, i),
            Node::Or(a, b) => of(a, i) || of(b, i),
            Node::Left(a) => of(a, i + n - 1),
            Node::Right(a) => of(a, i + 1),
            Node::Since(a, b) => walk(a, b, Box::new((0..n).map(move |d| i + n - d))),
            Node::Until(a, b) => walk(a, b, Box::new((0..n).map(move |d| i + d))),
        };
        let values = (0..n).map(value).collect();
        rows.push(values);
    }
    Ok(rows.swap_remove(nodes.roots[0]))
}

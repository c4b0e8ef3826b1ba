//! The possible mutations of a rule, and their application to a compiled table.

use ringleader_erased::{Change, RuleTable};
use ringleader_model::{Domain, Name, Variables, Visitor, number};
use std::collections::HashMap;

/// The variables of every state, each as a number from 0 on.
pub(crate) struct Fields {
    pub(crate) names: Vec<String>,
    sizes: Vec<u64>,
    values: Vec<Vec<u64>>,
    ranks: HashMap<Vec<u64>, u16>,
}

struct Reader(Vec<(String, u64, u64)>);

impl Visitor for Reader {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        let low = if let Domain::Range(low, _) = domain { low } else { 0 };
        self.0.push((name.to_string(), domain.len().expect("a finite domain"), value - low));
        value
    }
}

impl Fields {
    pub(crate) fn of<A: Variables>(algorithm: &A) -> Fields {
        let read = |mut state: A::State| {
            let mut reader = Reader(vec![]);
            algorithm.variables(&mut state, &mut reader);
            reader.0
        };
        let all: Vec<_> = number::all(algorithm).map(read).collect();
        let values: Vec<Vec<u64>> = all.iter().map(|s| s.iter().map(|f| f.2).collect()).collect();
        Fields {
            names: all[0].iter().map(|f| f.0.clone()).collect(),
            sizes: all[0].iter().map(|f| f.1).collect(),
            ranks: values.iter().cloned().zip(0..).collect(),
            values,
        }
    }

    /// A state with one variable mirrored: a bit negated, a number v replaced by max - v.
    fn mirrored(&self, state: u32, field: usize) -> u32 {
        let mut values = self.values[state as usize].clone();
        values[field] = self.sizes[field] - 1 - values[field];
        self.ranks[&values].into()
    }

    /// `state` after an assignment that changed `seen` into `became`: assigned values are copied.
    fn assigned(&self, state: u32, seen: u32, became: u16) -> u16 {
        let [state, seen, became] = [state as usize, seen as usize, usize::from(became)].map(|s| &self.values[s]);
        let value = |f: usize| if became[f] == seen[f] { state[f] } else { became[f] };
        self.ranks[&(0..state.len()).map(value).collect::<Vec<_>>()]
    }

    /// `became`, except that one variable keeps its value.
    fn without(&self, state: u32, became: u16, field: usize) -> u16 {
        let mut values = self.values[usize::from(became)].clone();
        values[field] = self.values[state as usize][field];
        self.ranks[&values]
    }
}

/// The agent, of the two, that a mutation changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
    Both,
}

/// One way to break a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mutation {
    /// It never applies.
    Dropped(u8),
    /// It does not assign a variable.
    Lost(u8, Side, usize),
    /// It compares a variable in the opposite direction.
    Flipped(u8, Side, usize),
}

impl Mutation {
    /// All ways to break these rules.
    pub(crate) fn all(rules: impl Iterator<Item = u8>, fields: &Fields) -> Vec<Mutation> {
        let mut all = vec![];
        for rule in rules {
            all.push(Mutation::Dropped(rule));
            for field in 0..fields.names.len() {
                for side in [Side::Left, Side::Right] {
                    all.push(Mutation::Lost(rule, side, field));
                    all.push(Mutation::Flipped(rule, side, field));
                }
                // If two bits are compared with each other, negating one of them suffices.
                if fields.sizes[field] > 2 {
                    all.push(Mutation::Flipped(rule, Side::Both, field));
                }
            }
        }
        all
    }

    pub(crate) fn describe(self, fields: &Fields) -> String {
        let whose = |side| match side {
            Side::Left => "the left agent's ",
            Side::Right => "the right agent's ",
            Side::Both => "both agents' ",
        };
        match self {
            Mutation::Dropped(rule) => format!("rule {rule} dropped"),
            Mutation::Lost(rule, side, f) => {
                format!("rule {rule} does not assign {}{}", whose(side), fields.names[f])
            }
            Mutation::Flipped(rule, side, f) => {
                format!("rule {rule} compares {}{} the other way round", whose(side), fields.names[f])
            }
        }
    }

    pub(crate) fn apply(self, table: &RuleTable, fields: &Fields) -> RuleTable {
        let outcome = |choice, l, r, draw: usize| {
            let cell = table.cell(choice, l, r);
            table.changes()[cell.start + draw % cell.len()]
        };
        table.altered(|choice, l, r, draw| {
            let old = outcome(choice, l, r, draw);
            let fires = |o: Change, rule: u8| table.rules(o).contains(&rule);
            match self {
                Mutation::Dropped(rule) if fires(old, rule) => Change { left: l as u16, right: r as u16, ..old },
                Mutation::Lost(rule, Side::Left, f) if fires(old, rule) => {
                    Change { left: fields.without(l, old.left, f), ..old }
                }
                Mutation::Lost(rule, _, f) if fires(old, rule) => {
                    Change { right: fields.without(r, old.right, f), ..old }
                }
                Mutation::Flipped(rule, side, f) => {
                    let x = if side == Side::Right { l } else { fields.mirrored(l, f) };
                    let y = if side == Side::Left { r } else { fields.mirrored(r, f) };
                    let seen = outcome(choice, x, y, draw);
                    if !fires(old, rule) && !fires(seen, rule) {
                        return old;
                    }
                    let (left, right) = (fields.assigned(l, x, seen.left), fields.assigned(r, y, seen.right));
                    Change { left, right, weight: old.weight, rules: seen.rules }
                }
                _ => old,
            }
        })
    }
}

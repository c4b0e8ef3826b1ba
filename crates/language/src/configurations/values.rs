//! A syntactic test whether processes only compare the values of their variable with neighbours, copy them, and count on.

use crate::configurations::uniform::line_at;
use crate::meaning::typed::{Action, Agent, Domain, Ex, Model, Op, Target};
use crate::protocol::Protocol;

/// The place of another use of a value.
struct OtherUse(usize);

impl Protocol {
    /// The parameter that is the number of values of the only variable of a process on a ring: its domain is written `0..k - 1`.
    pub fn number_of_values(&self) -> Option<&str> {
        let (unit, ..) = self.parts();
        Some(&unit.parameters[self.counting_parameter()?].name)
    }

    fn counting_parameter(&self) -> Option<usize> {
        let (unit, ..) = self.parts();
        let [variable] = &unit.variables[..] else { return None };
        let (Model::Ring { .. }, Domain::Range(low, high)) = (unit.model, &variable.domain) else { return None };
        match (&low.op, &high.op) {
            (Op::Const(0), Op::Two("-", k, one)) if one.op == Op::Const(1) => match k.op {
                Op::Parameter(k) => Some(k),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first use of values, or of their number, other than these: a comparison of neighbours for equality, a copy of a neighbour's value, and
    /// `(x + 1) mod k`. The line number and its text.
    ///
    /// Without another use, a rule depends only on which values of neighbours are equal, for every number of values.
    ///
    /// ```
    /// use ringleader_language::Source;
    ///
    /// let text = |guard: &str| format!("protocol mine\nmodel ring\nparameter k : 2..100 = n\nstate x : 0..k - 1\nshow token when enabled\n\
    ///                                   goal one token\nfirst:\n  1: {guard} -> x := left.x\n");
    /// let uses = |guard: &str| Source::known("mine.ring", &text(guard)).unwrap().other_use_of_values().map(|(line, _)| line);
    /// assert_eq!(uses("not bottom and x != left.x"), None);
    /// assert_eq!(uses("not bottom and x < left.x"), Some(8));
    /// assert_eq!(uses("not bottom and x = k - 1"), Some(8));
    /// ```
    pub fn other_use_of_values(&self) -> Option<(usize, &str)> {
        let (unit, _, text) = self.parts();
        let counting = self.counting_parameter()?;
        let rules = || unit.groups.iter().flat_map(|group| &group.rules);
        let guards = rules().filter_map(|rule| rule.guard.as_ref());
        let conditions = guards.chain(unit.marks.iter().map(|(_, when)| when));
        let given = unit.given.iter().map(|given| Err(OtherUse(given.ends[0].span.start)));
        let required =
            unit.requires.iter().filter(|require| require.holds.contains(&|op| *op == Op::Parameter(counting)));
        let required = required.map(|require| Err(OtherUse(require.holds.span.start)));
        let actions = rules().flat_map(|rule| rule.actions.iter().map(|action| (rule.span.start, action)));
        let assigned = actions.map(|(place, action)| match action {
            Action::Assign(all) => all.iter().try_for_each(|(target, value)| match target {
                Target { role: 0, slot: 0, port: None } => assignable(value, counting),
                _ => Err(OtherUse(place)),
            }),
            _ => Err(OtherUse(place)),
        });
        let mut uses = conditions.map(condition).chain(assigned).chain(given).chain(required);
        let OtherUse(place) = uses.find_map(Result::err)?;
        line_at(text, place)
    }
}

fn is_value(ex: &Ex) -> bool {
    matches!(ex.op, Op::Var(Agent::Role(_), 0))
}

/// A condition on places and on equal values.
fn condition(ex: &Ex) -> Result<(), OtherUse> {
    match &ex.op {
        Op::Const(_) | Op::Bottom | Op::Top => Ok(()),
        Op::Not(a) => condition(a),
        Op::Two("and" | "or" | "=>", a, b) => condition(a).and_then(|()| condition(b)),
        Op::Two("=" | "!=", a, b) if is_value(a) && is_value(b) => Ok(()),
        _ => Err(OtherUse(ex.span.start)),
    }
}

/// A value of a process, or the next one.
fn assignable(ex: &Ex, counting: usize) -> Result<(), OtherUse> {
    let next = |sum: &Ex| match &sum.op {
        Op::Two("+", a, b) => is_value(a) && b.op == Op::Const(1) || is_value(b) && a.op == Op::Const(1),
        _ => false,
    };
    match &ex.op {
        Op::If(when, a, b) => {
            condition(when)?;
            assignable(a, counting)?;
            assignable(b, counting)
        }
        Op::Two("mod", sum, k) if next(sum) && k.op == Op::Parameter(counting) => Ok(()),
        _ if is_value(ex) => Ok(()),
        _ => Err(OtherUse(ex.span.start)),
    }
}

//! A syntactic test whether a protocol is the same at every size.

use crate::protocol::Protocol;
use crate::syntax::ast::{Action, Domain, Expr, File, Form, Goal, Mode, Quantifier, Rule};
use ringleader_erased::Parameters;
use std::collections::BTreeSet;

impl Protocol {
    /// The first use of n in the states, rules or marks: the line number and its text. A parameter counts as its default unless
    /// it has a value here.
    ///
    /// A protocol that uses n may differ at every size, even if its rules agree at small sizes.
    ///
    /// ```
    /// use ringleader_erased::Parameters;
    /// use ringleader_language::Source;
    ///
    /// let text = "protocol seven\nmodel line\nstate x : bit\nshow leader when x = 1\ngoal one leader\n\
    ///             first:\n  1: bottom and n != 7 -> x := 1\n  2: not bottom -> x := 0\n";
    /// let protocol = Source::parse("seven.ring", text).unwrap();
    /// assert_eq!(protocol.mention_of_size(&Parameters::new(3)), Some((7, "1: bottom and n != 7 -> x := 1")));
    /// ```
    pub fn mention_of_size(&self, parameters: &Parameters) -> Option<(usize, &str)> {
        let (_, file, text) = self.parts();
        let place = Search { file, parameters, seen: BTreeSet::new() }.size_in(roots(file))?;
        line_at(text, place)
    }

    /// The first requirement on n other than a least size or a remainder modulo a number up to 64: the line number and its text.
    /// Without such a requirement, enough consecutive sizes represent all sizes.
    ///
    /// ```
    /// use ringleader_language::Source;
    ///
    /// let text = "protocol few\nmodel line\nrequire n >= 2\nrequire n <= 1000\nstate x : bit\nshow leader when x = 1\ngoal one leader\n\
    ///             first:\n  1: bottom -> x := 1\n  2: not bottom -> x := 0\n";
    /// let protocol = Source::parse("few.ring", text).unwrap();
    /// assert_eq!(protocol.irregular_sizes(), Some((4, "require n <= 1000")));
    /// ```
    pub fn irregular_sizes(&self) -> Option<(usize, &str)> {
        let (_, file, text) = self.parts();
        let parameters = Parameters::new(0);
        let mut irregular = file.requires.iter().map(|require| &require.holds).filter(|holds| {
            let mut search = Search { file, parameters: &parameters, seen: BTreeSet::new() };
            !is_regular(holds) && search.size_in(vec![holds]).is_some()
        });
        line_at(text, irregular.next()?.span.start)
    }

    /// Whether a parameter takes its value from n.
    pub(super) fn parameter_depends_on_size(&self, parameter: usize, parameters: &Parameters) -> bool {
        let (_, file, _) = self.parts();
        let Some(declared) = file.parameters.get(parameter) else { return true };
        let is_default = parameters.word(&declared.name.it).is_none();
        is_default && Search { file, parameters, seen: BTreeSet::new() }.size_in(vec![&declared.default]).is_some()
    }

    /// Whether its goal states literally that exactly one of its rules is enabled: the rules are guarded by named
    /// expressions,
    /// and the goal counts the agents at which each of these holds.
    pub fn promises_one_rule(&self) -> bool {
        let (_, file, _) = self.parts();
        let Some(Goal::Holds(goal, _)) = file.goal.as_ref().map(|goal| &goal.it) else { return false };
        let Form::Two("=", sum, one) = &*goal.it else { return false };
        let mut counted = vec![];
        let all_any = file.groups.iter().all(|group| group.mode == Mode::Any);
        let guards =
            file.groups.iter().flat_map(|group| &group.rules).map(|rule| match rule.guard.as_ref()?.it.as_ref() {
                Form::Name(name) => Some(name.as_str()),
                _ => None,
            });
        let Some(mut guards) = guards.collect::<Option<Vec<_>>>() else { return false };
        guards.sort_unstable();
        matches!(&*one.it, Form::Number(1)) && all_any && counts(sum, &mut counted) && {
            counted.sort_unstable();
            counted == guards
        }
    }
}

/// The line that contains a position, with its number.
pub(super) fn line_at(text: &str, place: usize) -> Option<(usize, &str)> {
    let line = text.get(..place)?.matches('\n').count();
    Some((line + 1, text.lines().nth(line)?.trim()))
}

/// Whether a condition on n is a least size or a remainder modulo a small number.
fn is_regular(condition: &Expr) -> bool {
    let is_size = |ex: &Expr| matches!(&*ex.it, Form::Name(name) if name == "n");
    let is_number = |ex: &Expr| matches!(&*ex.it, Form::Number(_));
    let is_remainder = |ex: &Expr| match &*ex.it {
        Form::Two("mod", a, b) => is_size(a) && matches!(&*b.it, Form::Number(1..=64)),
        _ => false,
    };
    match &*condition.it {
        Form::Two("and", a, b) => is_regular(a) && is_regular(b),
        Form::Two(">=" | ">", a, b) => is_size(a) && is_number(b),
        Form::Two("<=" | "<", a, b) => is_number(a) && is_size(b),
        Form::Two("=" | "!=", a, b) => is_remainder(a) && is_number(b),
        _ => false,
    }
}

/// The names that a sum counts over all agents, if the sum has only terms of this form.
fn counts<'f>(sum: &'f Expr, counted: &mut Vec<&'f str>) -> bool {
    match &*sum.it {
        Form::Two("+", a, b) => counts(a, counted) && counts(b, counted),
        Form::Quantified(q) if q.quantifier == Quantifier::Count && q.range.is_none() => match &*q.body.it {
            Form::Index(named, index) => match (&*named.it, &*index.it) {
                (Form::Name(named), Form::Name(index)) if *index == q.name.it => {
                    counted.push(named);
                    true
                }
                _ => false,
            },
            _ => false,
        },
        _ => false,
    }
}

/// The expressions that define rules and marks. Goals and sets may use n: they are about configurations.
fn roots(file: &File) -> Vec<&Expr> {
    let domains = file.variables.iter().filter_map(|declared| match &declared.domain.it {
        Domain::Range(low, high) => Some([low, high]),
        Domain::Bit | Domain::Words(_) | Domain::Neighbour { .. } => None,
    });
    let given = file.given.iter().flat_map(|given| given.ends.iter().chain(&given.when));
    let shown = file.shows.iter().map(|(_, when)| when);
    let rules = file.groups.iter().flat_map(|group| &group.rules).chain(file.handlers.iter().flat_map(|h| &h.rules));
    let events = file.handlers.iter().filter_map(|handler| handler.when.as_ref());
    domains.flatten().chain(given).chain(shown).chain(rules.flat_map(written)).chain(events).collect()
}

fn written(rule: &Rule) -> Vec<&Expr> {
    let actions = rule.actions.iter().flat_map(|action| match &action.it {
        Action::Assign(targets, values) => targets.iter().chain(values).collect(),
        Action::Send { values, .. } => values.iter().collect(),
        Action::Round | Action::Reset | Action::Skip => vec![],
    });
    rule.guard.iter().chain(actions).collect()
}

struct Search<'f> {
    file: &'f File,
    parameters: &'f Parameters,
    seen: BTreeSet<&'f str>,
}

impl<'f> Search<'f> {
    /// The first use of n in these expressions or in the names that they use.
    fn size_in(&mut self, mut left: Vec<&'f Expr>) -> Option<usize> {
        while let Some(expression) = left.pop() {
            match &*expression.it {
                Form::Name(name) if name == "n" => return Some(expression.span.start),
                Form::Name(name) => left.extend(self.meant(name)),
                Form::Dot(_, name) | Form::Call(name, _) => left.extend(self.meant(&name.it)),
                _ => {}
            }
            left.extend(expression.it.operands());
        }
        None
    }

    /// The definition of a name, at its first use.
    fn meant(&mut self, name: &'f str) -> Option<&'f Expr> {
        if !self.seen.insert(name) {
            return None;
        }
        let named = self.file.lets.iter().find(|named| named.name.it == name).map(|named| &named.body);
        let default = || self.file.parameters.iter().find(|p| p.name.it == name).map(|parameter| &parameter.default);
        named.or_else(|| default().filter(|_| self.parameters.word(name).is_none()))
    }
}

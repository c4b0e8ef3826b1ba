//! Interval analysis: shows that every value stays in its domain. It is fast at every size and sound.

use crate::diagnostic::Span;
use crate::domains::fold::{Constants, apply, log2};
use crate::domains::layout::{Field, Layout};
use crate::meaning::typed::{Action, Agent, Ex, Group, INFINITY, Link, Op};
use crate::syntax::ast::{Mode, Quantifier};

/// An interval with both ends included.
type Interval = (i64, i64);

const ANYTHING: Interval = (i64::MIN, i64::MAX);

fn hull(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

fn meet(a: Interval, b: Interval) -> Interval {
    (a.0.max(b.0), a.1.min(b.1))
}

/// The number of passes over a conjunction: each condition can narrow the intervals of the others.
const MOST_ROUNDS: usize = 8;

/// The maximum number of values in the range of a quantifier.
pub(crate) fn most_values(size: i64) -> i64 {
    size.saturating_mul(2).max(64)
}

/// The known intervals of expressions at a point of the rules.
#[derive(Clone, Debug, Default)]
struct Facts {
    known: Vec<(Ex, Interval)>,
}

pub(crate) struct Prover<'a> {
    constants: &'a Constants,
    layout: &'a Layout,
    messages: &'a [Layout],
    /// The received message.
    message: Option<usize>,
    /// The number of identities.
    identities: i64,
    proven: bool,
    /// The first place where the proof failed, and the reason.
    doubt: Option<(Span, String)>,
}

fn mentions(ex: &Ex, role: u8, slot: usize) -> bool {
    ex.contains(&|op| matches!(op, Op::Var(Agent::Role(known), at) if (*known, *at) == (role, slot)))
}

impl<'a> Prover<'a> {
    pub(crate) fn new(
        constants: &'a Constants,
        layout: &'a Layout,
        messages: &'a [Layout],
        message: Option<usize>,
    ) -> Self {
        Prover { constants, layout, messages, message, identities: constants.size, proven: true, doubt: None }
    }

    /// Whether the rules of these groups stay in their domains, divide by positive numbers and draw from nonempty
    /// ranges.
    pub(crate) fn groups(mut self, when: Option<&Ex>, groups: &[Group]) -> bool {
        let mut facts = Some(Facts::default());
        if let Some(when) = when {
            facts = self.assume(&Facts::default(), &self.constants.fold(when).anywhere(), true);
        }
        for group in groups {
            let Some(known) = facts else { return self.proven };
            facts = Some(self.group(known, group));
        }
        self.proven
    }

    /// Checks that an expression outside the rules divides by positive numbers and has quantifiers of permitted ranges.
    /// If this is false or undecided, returns the place and the reason.
    pub(crate) fn expression(mut self, ex: &Ex) -> Result<(), (Span, String)> {
        let folded = self.constants.fold(ex);
        self.safe(&Facts::default(), &folded.anywhere());
        if self.proven {
            return Ok(());
        }
        // Repeats the check with the places of divisions and quantifiers.
        let placed = folded.changed(&|ex| {
            if !matches!(ex.op, Op::Two("/" | "mod", ..) | Op::Quantified { .. }) {
                ex.span = 0..0;
            }
        });
        self.doubt = None;
        self.safe(&Facts::default(), &placed);
        Err(self.doubt.unwrap_or((ex.span.clone(), "a divisor can be 0, or a quantifier's range is too large".into())))
    }

    fn require(&mut self, ex: &Ex, shown: bool, else_what: impl FnOnce() -> String) {
        self.proven &= shown;
        if !shown && self.doubt.is_none() {
            self.doubt = Some((ex.span.clone(), else_what()));
        }
    }

    /// Whether the value of an expression certainly lies in a domain.
    pub(crate) fn value(mut self, ex: &Ex, field: Field) -> bool {
        self.fits(&Facts::default(), &self.constants.fold(ex).anywhere(), field);
        self.proven
    }

    fn group(&mut self, before: Facts, group: &Group) -> Facts {
        let mut facts = Some(before.clone());
        let mut ends: Vec<Facts> = vec![];
        for rule in &group.rules {
            let Some(known) = facts.clone() else { break };
            let from = if matches!(group.mode, Mode::AtOnce | Mode::Any) { &before } else { &known };
            let guard = rule.guard.as_ref().map(|guard| self.constants.fold(guard).anywhere());
            if let Some(guard) = &guard {
                self.safe(from, guard);
            }
            let yes = guard.as_ref().map_or_else(|| Some(from.clone()), |guard| self.assume(from, guard, true));
            let no = guard.as_ref().and_then(|guard| self.assume(&known, guard, false));
            let after = yes.map(|mut yes| {
                let frozen = (group.mode == Mode::AtOnce).then(|| yes.clone());
                rule.actions.iter().for_each(|action| self.action(&mut yes, frozen.as_ref(), action));
                yes
            });
            match group.mode {
                Mode::First | Mode::ExactlyOne => {
                    ends.extend(after);
                    facts = no;
                }
                Mode::InOrder => facts = join(after.into_iter().chain(no)),
                Mode::AtOnce | Mode::Any => ends.extend(after),
            }
        }
        if group.mode == Mode::AtOnce {
            // Several rules may have fired: only the domains of the written variables are known.
            let mut after = before;
            for action in group.rules.iter().flat_map(|rule| &rule.actions) {
                if let Action::Assign(pairs) = action {
                    pairs.iter().for_each(|(t, _)| after.known.retain(|(ex, _)| !mentions(ex, t.role, t.slot)));
                }
            }
            return after;
        }
        join(ends.into_iter().chain(facts)).unwrap_or_default()
    }

    fn action(&mut self, facts: &mut Facts, frozen: Option<&Facts>, action: &Action) {
        match action {
            Action::Round => {}
            Action::Reset => facts.known.clear(),
            Action::Send { message, values, .. } => {
                for (value, field) in values.iter().zip(&self.messages[*message].fields) {
                    let value = self.constants.fold(value).anywhere();
                    self.fits(facts, &value, *field);
                }
            }
            Action::Assign(pairs) => {
                let mut written = vec![];
                for (target, value) in pairs {
                    let port = target.port.as_ref().map_or(0, |port| self.constants.value(port).clamp(0, 1) as usize);
                    let slot = target.slot + port;
                    let value = self.constants.fold(value).anywhere();
                    let interval = self.fits(frozen.unwrap_or(facts), &value, self.layout.fields[slot]);
                    written.push((target.role, slot, interval));
                }
                if frozen.is_some() {
                    return;
                }
                for (role, slot, interval) in written {
                    facts.known.retain(|(ex, _)| !mentions(ex, role, slot));
                    let variable =
                        Ex::new(Op::Var(Agent::Role(role), slot), crate::meaning::typed::Type::Unknown, 0..0);
                    facts.known.push((variable, interval));
                }
            }
        }
    }

    fn fits(&mut self, facts: &Facts, value: &Ex, field: Field) -> Interval {
        self.safe(facts, value);
        let interval = self.eval(facts, value);
        self.proven &= interval.0 >= field.low && interval.1 <= field.high;
        meet(interval, (field.low, field.high))
    }

    /// Checks that every divisor is positive and that every range to draw from is nonempty.
    fn safe(&mut self, facts: &Facts, ex: &Ex) {
        match &ex.op {
            Op::Two(sign, a, b) => {
                if matches!(*sign, "/" | "mod") {
                    let positive = self.eval(facts, b).0 >= 1;
                    self.require(ex, positive, || "the divisor here can be 0".into());
                }
                self.safe(facts, a);
                match *sign {
                    "and" | "=>" => self.assume(facts, a, true).iter().for_each(|facts| self.safe(facts, b)),
                    "or" => self.assume(facts, a, false).iter().for_each(|facts| self.safe(facts, b)),
                    _ => self.safe(facts, b),
                }
            }
            Op::Draw(low, high) | Op::Toss(low, high, _) => {
                let (low, high) = (self.eval(facts, low), self.eval(facts, high));
                self.proven &= high.0 >= low.1 && high.1.saturating_sub(low.0) <= 1 << 30;
            }
            Op::If(c, a, b) => {
                self.safe(facts, c);
                self.assume(facts, c, true).iter().for_each(|facts| self.safe(facts, a));
                self.assume(facts, c, false).iter().for_each(|facts| self.safe(facts, b));
            }
            Op::Quantified { low, high, body, .. } => {
                let (from, to) = (self.eval(facts, low), self.eval(facts, high));
                let width = to.1.saturating_sub(from.0);
                let most = most_values(self.constants.size);
                self.require(ex, width < most || to.1 >= INFINITY / 2, || {
                    format!("a quantifier's range has more than {most} values")
                });
                [low, high, body].into_iter().for_each(|ex| self.safe(facts, ex));
            }
            Op::Link(..) | Op::PerPort(..) => {}
            op => op.operands().for_each(|operand| self.safe(facts, operand)),
        }
    }

    /// The interval of an expression.
    fn eval(&self, facts: &Facts, ex: &Ex) -> Interval {
        let shape = self.shape(facts, ex);
        let same = |known: &Ex| match (&known.op, &ex.op) {
            // The types can differ after a variable was written.
            (Op::Var(a, s), Op::Var(b, t)) => a == b && s == t,
            _ => known == ex,
        };
        facts.known.iter().filter(|(known, _)| same(known)).fold(shape, |shape, (_, known)| meet(shape, *known))
    }

    fn shape(&self, facts: &Facts, ex: &Ex) -> Interval {
        let bit = (0, 1);
        match &ex.op {
            Op::Const(value) => (*value, *value),
            Op::Var(_, slot) => (self.layout.fields[*slot].low, self.layout.fields[*slot].high),
            Op::Field(at) => {
                let field = self.message.and_then(|message| self.messages[message].fields.get(*at));
                field.map_or(ANYTHING, |field| (field.low, field.high))
            }
            Op::Identity => (1, self.identities),
            Op::Process => (0, self.constants.size - 1),
            Op::Link(Link::Neighbour, ..) => (0, self.constants.size - 1),
            // Every process has a neighbour.
            Op::Link(Link::Degree, ..) => (1, self.constants.max_degree()),
            Op::Link(Link::Back, ..) => (-1, self.constants.max_degree()),
            Op::Port | Op::Hears(_) | Op::Bottom | Op::Top | Op::Not(_) | Op::In(..) | Op::Prime(_) | Op::Set(_) => bit,
            Op::Two("+" | "-" | "*" | "/" | "mod" | "^" | "min" | "max", a, b) => {
                let Op::Two(sign, ..) = ex.op else { return ANYTHING };
                corners(sign, self.eval(facts, a), self.eval(facts, b))
            }
            Op::Two(..) => bit,
            // A condition that contains `if` is not analysed: the work would double with each `if`.
            Op::If(c, a, b) if c.contains(&|op| matches!(op, Op::If(..))) => {
                hull(self.eval(facts, a), self.eval(facts, b))
            }
            Op::If(c, a, b) => {
                let branch = |when, ex: &Ex| self.assume(facts, c, when).map(|facts| self.eval(&facts, ex));
                match (branch(true, a), branch(false, b)) {
                    (Some(a), Some(b)) => hull(a, b),
                    (Some(only), None) | (None, Some(only)) => only,
                    (None, None) => ANYTHING,
                }
            }
            Op::Draw(low, high) | Op::Toss(low, high, _) => (self.eval(facts, low).0, self.eval(facts, high).1),
            Op::Log2(a) => {
                let (low, high) = self.eval(facts, a);
                (log2(low), log2(high))
            }
            Op::Quantified { quantifier: Quantifier::Least, low, .. } => (self.eval(facts, low).0, INFINITY),
            Op::Quantified { quantifier: Quantifier::Min | Quantifier::Max, body, .. } => self.eval(facts, body),
            _ => ANYTHING,
        }
    }

    /// The facts that follow if a condition has the given value; `None` if it cannot have it.
    fn assume(&self, facts: &Facts, ex: &Ex, when: bool) -> Option<Facts> {
        let mut parts = vec![];
        conjuncts(ex, when, &mut parts);
        let mut facts = facts.clone();
        // Repeats while facts are added, since `x != n` helps only after `x != n + 1` is known.
        for _ in 0..MOST_ROUNDS {
            let before = facts.known.len();
            for (part, when) in &parts {
                facts = self.assume_one(&facts, part, *when)?;
            }
            if parts.len() == 1 || facts.known.len() == before {
                break;
            }
        }
        Some(facts)
    }

    /// The same for a condition that is not a conjunction.
    fn assume_one(&self, facts: &Facts, ex: &Ex, when: bool) -> Option<Facts> {
        match (&ex.op, when) {
            (Op::Const(value), _) => ((*value != 0) == when).then(|| facts.clone()),
            (Op::Two("or", a, b), true) => {
                join([self.assume(facts, a, true), self.assume(facts, b, true)].into_iter().flatten())
            }
            (Op::Two("and", a, b), false) => {
                join([self.assume(facts, a, false), self.assume(facts, b, false)].into_iter().flatten())
            }
            (Op::Two(sign @ ("=" | "!=" | "<" | "<=" | ">" | ">="), a, b), _) => self.compare(facts, sign, a, b, when),
            (Op::In(a, ranges), true) => {
                let ends = ranges.iter().map(|[low, high]| (self.eval(facts, low).0, self.eval(facts, high).1));
                self.refine(facts.clone(), a, ends.reduce(hull)?)
            }
            // In both directions: a value can become the end of an interval after another value is excluded.
            (Op::In(a, ranges), false) => {
                let mut both_ways = ranges.iter().chain(ranges.iter().rev());
                both_ways.try_fold(facts.clone(), |facts, [low, high]| {
                    let (low, high) = (self.eval(&facts, low), self.eval(&facts, high));
                    self.without(facts, a, (low.1, high.0))
                })
            }
            (Op::Var(..) | Op::Toss(..) | Op::Hears(_) | Op::Bottom | Op::Top | Op::Field(_), _) => {
                let value = i64::from(when);
                self.refine(facts.clone(), ex, (value, if when { i64::MAX } else { value }))
            }
            _ => Some(facts.clone()),
        }
    }

    fn compare(&self, facts: &Facts, sign: &str, a: &Ex, b: &Ex, when: bool) -> Option<Facts> {
        let ((al, ah), (bl, bh)) = (self.eval(facts, a), self.eval(facts, b));
        let (min, max) = (i64::MIN, i64::MAX);
        let (a_fits, b_fits) = match (sign, when) {
            ("=", true) | ("!=", false) => ((bl, bh), (al, ah)),
            ("=", false) | ("!=", true) => {
                let facts = if bl == bh { self.without(facts.clone(), a, (bl, bl))? } else { facts.clone() };
                return if al == ah { self.without(facts, b, (al, al)) } else { Some(facts) };
            }
            ("<", true) | (">=", false) => ((min, bh.saturating_sub(1)), (al.saturating_add(1), max)),
            ("<=", true) | (">", false) => ((min, bh), (al, max)),
            (">", true) | ("<=", false) => ((bl.saturating_add(1), max), (min, ah.saturating_sub(1))),
            _ => ((bl, max), (min, ah)),
        };
        self.refine(self.refine(facts.clone(), a, a_fits)?, b, b_fits)
    }

    fn refine(&self, mut facts: Facts, ex: &Ex, fits: Interval) -> Option<Facts> {
        let interval = meet(self.eval(&facts, ex), fits);
        if interval.0 > interval.1 {
            return None;
        }
        let known = facts.known.iter().any(|(known, already)| *already == interval && known == ex);
        if !known && !matches!(ex.op, Op::Const(_)) {
            facts.known.push((ex.clone(), interval));
        }
        Some(facts)
    }

    /// The facts that follow if a value is outside an interval: none, unless the interval lies at one end.
    fn without(&self, facts: Facts, ex: &Ex, out: Interval) -> Option<Facts> {
        let (low, high) = self.eval(&facts, ex);
        if out.0 > out.1 {
            return Some(facts);
        }
        let low = if out.0 <= low { low.max(out.1.saturating_add(1)) } else { low };
        let high = if out.1 >= high { high.min(out.0.saturating_sub(1)) } else { high };
        self.refine(facts, ex, (low, high))
    }
}

/// The conjuncts of a condition that has the given value.
fn conjuncts<'e>(ex: &'e Ex, when: bool, parts: &mut Vec<(&'e Ex, bool)>) {
    match (&ex.op, when) {
        (Op::Not(a), _) => conjuncts(a, !when, parts),
        (Op::Two("and", a, b), true) | (Op::Two("or", a, b), false) => {
            [a, b].into_iter().for_each(|side| conjuncts(side, when, parts));
        }
        _ => parts.push((ex, when)),
    }
}

/// The interval of an operator applied to two intervals.
fn corners(sign: &str, a: Interval, b: Interval) -> Interval {
    if sign == "mod" {
        return match () {
            () if b.0 < 1 => ANYTHING,
            () if a.0 >= 0 && a.1 < b.0 => a,
            () => (0, b.1 - 1),
        };
    }
    if sign == "/" && b.0 < 1 {
        return ANYTHING;
    }
    if sign == "^" && (a.0 < 0 || b.0 < 0) {
        return ANYTHING;
    }
    let all = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)].map(|(a, b)| apply(sign, a, b));
    all.into_iter().map(|x| (x, x)).reduce(hull).unwrap_or(ANYTHING)
}

/// The facts that hold on every path.
fn join(ways: impl IntoIterator<Item = Facts>) -> Option<Facts> {
    ways.into_iter().reduce(|a, b| {
        let mut known: Vec<(Ex, Interval)> = vec![];
        for (ex, _) in &a.known {
            let tightest =
                |facts: &Facts| facts.known.iter().filter(|(other, _)| other == ex).map(|(_, i)| *i).reduce(meet);
            if let (Some(x), Some(y)) = (tightest(&a), tightest(&b))
                && !known.iter().any(|(other, _)| other == ex)
            {
                known.push((ex.clone(), hull(x, y)));
            }
        }
        Facts { known }
    })
}

#[cfg(test)]
mod tests {
    use crate::build::Built;
    use crate::code::sweep::{Swept, sweep};
    use crate::meaning::analyse::analyse;
    use crate::syntax::parse::parse;
    use ringleader_erased::Parameters;

    /// Rules, and whether intervals show that they stay in their domains.
    const RULES: &[(&str, bool)] = &[
        ("l.x < k -> l.x := l.x + 1", true),
        ("l.x <= k -> l.x := l.x + 1", false),
        ("l.x != k -> l.x := l.x + 1", true),
        ("not l.x in {k - 1, k} -> l.x := l.x + 2", true),
        ("not l.x in {0, k} -> l.x := l.x + 2", false),
        ("l.x > 0 and l.x != 1 -> l.x := l.x - 2", true),
        ("l.x > 0 or l.b -> l.x := l.x - 1", false),
        ("l.x > 0 or r.x > 0 -> l.x := max(l.x, r.x) - 1", false),
        ("2 * l.x + r.x <= k -> l.x := 2 * l.x + r.x", true),
        ("2 * l.x + r.x <= k -> r.x := 0; l.x := 2 * l.x + r.x", false),
        ("l.b -> l.x := min(l.x + r.x, k)", true),
        ("l.b -> l.x := (l.x + r.x) mod (k + 1)", true),
        ("l.b -> l.x := (l.x + r.x) mod (k + 2)", false),
        ("l.b -> l.x := if r.x < k then r.x + 1 else 0", true),
        ("l.b -> l.x := if r.x < k then 0 else r.x + 1", false),
        ("l.b -> l.x := k / (r.x + 1)", true),
        ("l.b -> l.x := k / r.x", false),
        ("r.x > 0 -> l.x := k / r.x", true),
        ("l.b => r.b -> l.x := if l.b then 1 else k", true),
        ("l.b -> l.x := draw 0..r.x", true),
        ("l.b -> l.x := draw 1..r.x", false),
        ("l.b -> l.x, r.x := r.x, l.x", true),
        ("l.b -> l.x := l.x - l.x", false),
        ("l.x < r.x -> l.x := l.x + 1", true),
        ("l.x <= r.x -> r.x := r.x - l.x", false),
    ];

    /// Every interval proof agrees with exhaustive trial, and the intervals prove the expected rules.
    #[test]
    fn interval_proofs_are_sound() {
        for mode in ["first", "in order", "at once", "any"] {
            for &(rule, provable) in RULES {
                let text = format!(
                    "protocol p\nmodel population on complete\nparameter k = 3\nstate x : 0..k\nstate b : bit\n\
                     show leader when b\ngoal one leader\n{mode}:\n  1: {rule}\n"
                );
                let (file, problems) = parse(&text);
                assert!(problems.is_empty(), "{problems:?}");
                let (unit, _) = analyse(&file, &text).unwrap_or_else(|wrong| panic!("{rule}: {wrong:?}"));
                let built = Built::new(&unit, &Parameters::new(3)).expect("a size");
                let proven = built.proven(&unit.groups);
                assert!(!provable || proven, "{mode}: {rule} should be proven");
                let code = built.verified(&unit.groups, 2).expect("small");
                if let (true, Swept::Wrong(wrong)) = (proven, sweep(&code, &built.pair(), 1 << 20)) {
                    panic!("{mode}: {rule} was proven, but {wrong:?}");
                }
            }
        }
    }
}

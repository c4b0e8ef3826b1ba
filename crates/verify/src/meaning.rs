//! What formulas mean: windows of three agents, and how an agent's values hang together with its neighbours'.

use crate::rejection::{Malformed, ensure};
use crate::ring::{Ring, Way};
use crate::steps::Alphabet;
use crate::{Formula, Goal, Measure, Move, Place, Rules, State, Window};
use std::collections::{BTreeSet, HashMap};

/// The measures of a certificate.
pub(crate) fn measures(texts: &[String]) -> Result<Vec<Measure>, Malformed> {
    let numbered = texts.iter().enumerate();
    let wrong = |i: usize, e: Malformed| Malformed(format!("measure {} cannot be read: {e}", i + 1));
    numbered.map(|(i, text)| text.parse().map_err(|e| wrong(i, e))).collect()
}

/// What is promised: so many of these formulas' values are true, and whether those stay.
pub(crate) fn goal(rules: &Rules) -> Result<(Vec<Formula>, i32, bool), Malformed> {
    let (texts, wanted, stays) = match &rules.goal {
        Goal::ExactlyOne { of, stays } => (of.clone(), 1, *stays),
        // Nowhere false.
        Goal::Everywhere { formula } => (vec![format!("!{formula}")], 0, false),
    };
    let formulas = texts
        .iter()
        .map(|text| text.parse().map_err(|e: Malformed| Malformed(format!("the goal cannot be read: {e}"))));
    Ok((formulas.collect::<Result<_, _>>()?, wanted, stays))
}

/// The windows in which a formula without operands holds.
fn windows(rules: &Rules, atom: &Formula) -> Result<Vec<Window>, Malformed> {
    let any = Window::default();
    let states = 0..rules.states.len() as State;
    let variable = |name: &String| rules.variables.iter().find(|v| v.name == *name);
    match atom {
        Formula::Constant(true) => return Ok(vec![any]),
        Formula::Value(name, k) | Formula::Ahead(name, k) => {
            let v = variable(name).ok_or_else(|| Malformed(format!("no variable `{name}`")))?;
            ensure(*k < v.size, || format!("`{name}` takes values below {}, not {k}", v.size))?;
            let value = |s: State| u16::from(v.values[usize::from(s)]);
            if let Formula::Value(..) = atom {
                let own = states.filter(|s| value(*s) == u16::from(*k));
                return Ok(own.map(|s| Window { own: Some(s), ..any }).collect());
            }
            let pairs = states.clone().flat_map(|left| states.clone().map(move |own| (left, own)));
            let ahead = pairs.filter(|(l, o)| (value(*l) + u16::from(*k)) % u16::from(v.size) == value(*o));
            return Ok(ahead.map(|(l, o)| Window { left: Some(l), own: Some(o), ..any }).collect());
        }
        _ => {}
    }
    let Formula::Name(name) = atom else { return Ok(Vec::new()) };
    if name == "root" || name == "top" {
        return Ok(vec![Window { place: Some(if name == "top" { Place::Top } else { Place::Bottom }), ..any }]);
    }
    if let Some(v) = variable(name) {
        ensure(v.size == 2, || format!("`{name}` is not Boolean; ask for a value, as in `{name}=1`"))?;
        return windows(rules, &Formula::Value(name.clone(), 1));
    }
    if let Some(mark) = rules.marks.iter().find(|m| m.name == *name) {
        return Ok(mark.windows.clone());
    }
    let rule = rules.rules.iter().position(|r| r == name);
    let rule = rule.ok_or_else(|| Malformed(format!("no variable, mark or rule `{name}`")))?;
    let moves = rules.moves.iter().filter(|m| m.rule == rule);
    let asks = moves.clone().any(|m| m.seen.is_some());
    ensure(!asks, || format!("whether `{name}` is enabled depends on the detector, and cannot be said of one agent"))?;
    Ok(moves.map(Move::window).collect())
}

/// Formulas, and what is needed to evaluate them at one agent.
#[derive(Default)]
pub(crate) struct Meaning {
    /// For each formula without operands.
    pub(crate) windows: HashMap<Formula, Vec<Window>>,
    /// The formulas that speak of a neighbour's value: of their operand, or of themselves.
    pub(crate) links: Vec<Formula>,
}

impl Meaning {
    pub(crate) fn add(&mut self, rules: &Rules, formula: &Formula) -> Result<(), Malformed> {
        let operands = formula.operands();
        operands.iter().try_for_each(|operand| self.add(rules, operand))?;
        if operands.is_empty() {
            self.windows.insert(formula.clone(), windows(rules, formula)?);
        } else if !matches!(formula, Formula::Not(_) | Formula::And(..) | Formula::Or(..))
            && !self.links.contains(formula)
        {
            self.links.push(formula.clone());
        }
        Ok(())
    }

    pub(crate) fn holds(&self, formula: &Formula, place: Place, states: [State; 3], beliefs: u64) -> bool {
        let of = |f: &Formula| self.holds(f, place, states, beliefs);
        let believed = || self.links.iter().position(|link| link == formula).is_some_and(|i| beliefs >> i & 1 == 1);
        match formula {
            Formula::Not(a) => !of(a),
            Formula::And(a, b) => of(a) && of(b),
            Formula::Or(a, b) => of(a) || of(b),
            Formula::Left(_) | Formula::Right(_) => believed(),
            Formula::Since(a, b) | Formula::Until(a, b) => of(b) || of(a) && believed(),
            atom => self.windows[atom].iter().any(|window| window.matches(place, states)),
        }
    }

    /// For each state the first that no window tells from it on one side.
    fn looks(&self, states: usize, side: fn(&mut Window) -> &mut Option<State>) -> Vec<State> {
        let mut told = vec![BTreeSet::new(); states];
        for (atom, (_, windows)) in self.windows.iter().enumerate() {
            for mut window in windows.iter().copied() {
                if let Some(state) = side(&mut window).take() {
                    told[usize::from(state)].insert((atom, window));
                }
            }
        }
        (0..states).map(|s| told.iter().position(|other| *other == told[s]).unwrap_or(s) as State).collect()
    }

    /// What an agent claims of its links if it sees this and believes that of its neighbours' values.
    fn way(&self, place: Place, states: [State; 3], beliefs: u64) -> Way {
        let mut way = Way::default();
        for (i, link) in self.links.iter().enumerate() {
            let bit = |value: bool| u64::from(value) << i;
            let holds = |formula: &Formula| bit(self.holds(formula, place, states, beliefs));
            let believed = bit(beliefs >> i & 1 == 1);
            let (to_left, to_right) = match link {
                Formula::Left(a) => (believed, holds(a)),
                Formula::Right(a) => (holds(a), believed),
                Formula::Since(..) => (believed, holds(link)),
                _ => (holds(link), believed),
            };
            way.left |= to_left;
            way.right |= to_right;
            if let Formula::Since(_, b) | Formula::Until(_, b) = link {
                way.believed |= holds(link);
                way.reasons |= holds(b);
            }
        }
        way
    }
}

/// More ways to read the letters are not followed.
const WAYS: usize = 1 << 22;

/// How formulas are read: their values, as bits in their order, at the agents of a ring.
///
/// What neighbours claim of the link between them: what the right one sees of the left one's state, what the left one sees of the
/// right one's, and values that one has and the other believes.
pub(crate) fn ring(alphabet: &Alphabet, formulas: &[&Formula]) -> Result<Ring, Malformed> {
    let mut meaning = Meaning::default();
    formulas.iter().try_for_each(|formula| meaning.add(alphabet.rules, formula))?;
    let looks = |side| meaning.looks(alphabet.rules.states.len(), side);
    let [as_left, as_right] = [looks(|window| &mut window.left), looks(|window| &mut window.right)];
    let kinds = |looks: &[State]| looks.iter().copied().collect::<BTreeSet<_>>();
    let (lefts, rights, beliefs) = (kinds(&as_left), kinds(&as_right), meaning.links.len() as u32);
    let pairs = alphabet.singles() * lefts.len() * rights.len();
    let many = 2usize.checked_pow(beliefs).and_then(|many| many.checked_mul(pairs));
    let few = formulas.len() <= 64 && many.is_some_and(|many| many <= WAYS);
    ensure(few, || {
        "too large: at most 64 formulas, some 16 parts of which speak of neighbours, can be followed".into()
    })?;
    let ways = |letter| {
        let (place, own) = (alphabet.place(letter), alphabet.state(letter));
        let mut ways = Vec::new();
        for (&left, &right) in lefts.iter().flat_map(|left| rights.iter().map(move |right| (left, right))) {
            for beliefs in 0..1 << beliefs {
                let mut way = meaning.way(place, [left, own, right], beliefs);
                let look = |left: State, right: State| u64::from(left) << 48 | u64::from(right) << 56;
                way.left |= look(left, as_right[usize::from(own)]);
                way.right |= look(as_left[usize::from(own)], right);
                for (i, formula) in formulas.iter().enumerate() {
                    way.values |= u64::from(meaning.holds(formula, place, [left, own, right], beliefs)) << i;
                }
                ways.push(way);
            }
        }
        ways
    };
    Ok(Ring::new((0..alphabet.singles()).map(ways).collect()))
}

//! The predicates on configurations of a self-stabilizing protocol.

use crate::build::{Built, Problem};
use crate::code::Code;
use crate::configurations::cells::{Cells, evaluate, value};
use crate::configurations::counted::Reading;
use crate::configurations::kinds::Kinds;
use crate::configurations::named_places::Places;
use crate::configurations::tables::ConditionTables;
use crate::configurations::visible::Atoms;
use crate::domains::fold::{Constants, constant};
use crate::domains::layout::{Field, Layout, State};
use crate::meaning::typed::{Agent, Domain, Ex, Given, Link, Op, Type, Unit};
use ringleader_erased::Refusal;
use ringleader_model::corrupt::Arbitrary;
use ringleader_model::graph::Neighbours;
use ringleader_model::{
    ClosedSet, Coin, CountCondition, Domain as Values, Found, Goal, Reader, Safety, Stabilizing, Variables, Visitor,
};
use std::sync::{Arc, OnceLock};

/// A variable that no fault changes.
struct Fixed {
    slot: usize,
    /// The least permitted value, and the greatest unless it is the same.
    low: Code,
    high: Option<Code>,
    when: Option<Code>,
    /// Whether the permitted values depend on the place of the agent only, and on no variable.
    steady: bool,
}

/// Whether an expression depends on a variable.
fn reads(ex: &Ex) -> bool {
    ex.contains(&|op| matches!(op, Op::Var(..) | Op::Set(_)))
}

impl Fixed {
    /// In words, where the range has no value, or may have none.
    fn empty_range(&self, built: &Built<'_>, given: &Given) -> Option<String> {
        let [low, high] = &given.ends;
        let width = Ex::two("-", high.clone(), low.clone(), Type::Number);
        let any = Field { low: 0, high: i64::MAX, ..built.layout.fields[given.variable] };
        let greatest = self.high.as_ref().filter(|_| !built.fits(&width, any))?;
        if given.ends.iter().any(reads) {
            return Some("may be empty, since its ends depend on variables".into());
        }
        let states = vec![State::default(); built.constants.size as usize];
        let at = |code: &Code, agent: usize| {
            value(code, &built.layout, built.constants.graph.as_deref(), &states, agent as i64)
        };
        let applies = |agent: usize| match (&self.when, &given.when) {
            (Some(code), Some(when)) => reads(when) || at(code, agent) != Some(0),
            _ => true,
        };
        (0..states.len()).filter(|&agent| applies(agent)).find_map(|agent| {
            let (low, high) = at(&self.low, agent).zip(at(greatest, agent)).filter(|(low, high)| low > high)?;
            Some(format!("is empty at agent {agent}: {low}..{high}"))
        })
    }
}

/// A self-stabilizing protocol in text, compiled: its predicates, and what its model adds.
pub(crate) struct Stabilized<M> {
    pub(crate) model: M,
    pub(crate) layout: Layout,
    goal: Goal,
    /// Whether a condition may name an agent by its position.
    names_places: bool,
    /// One evaluation of every closed set, the goal, and the safe set.
    verdict: Option<Code>,
    kinds: OnceLock<Option<Kinds>>,
    correct: Code,
    safe: Option<(bool, Code)>,
    fast: Option<Code>,
    /// The condition that simulations evaluate; its tables are built at first use.
    condition: (Constants, Ex),
    tables: OnceLock<Option<ConditionTables>>,
    bodies: Vec<Ex>,
    closed: Vec<(String, String, Code)>,
    /// The number of closed sets in the text; the safe set may follow them.
    named: usize,
    fixed: Vec<Fixed>,
    /// Whether the `given` values of an agent depend on its own variables only.
    fixed_alone: bool,
    /// The conditions of the goal, then also those of the sets of the proof, with their atoms.
    readers: [(Vec<Ex>, OnceLock<Option<Atoms>>); 2],
}

/// An agreement compares every agent with agent 0, which could be any other one. Here it compares every agent with itself.
fn without_the_first(agreement: &Ex) -> Ex {
    let mut ex = agreement.clone();
    if let Op::Quantified { body, .. } = &mut ex.op
        && let Op::Two("=", here, there) = &mut body.op
    {
        *there = here.clone();
    }
    ex
}

/// Whether a `given` value reads no variable of another agent than its own, which is the first bound variable.
fn is_alone(ex: &Ex) -> bool {
    match &ex.op {
        Op::Set(_) => false,
        Op::Var(agent, _) => matches!(agent, Agent::At(index) if index.op == Op::Bound(0)),
        op => op.operands().all(is_alone),
    }
}

/// The ports that a process has: no fault points to a neighbour that does not exist.
fn ports(unit: &Unit) -> Vec<Given> {
    let number = |value| Ex::number(value, 0..0);
    let here = Ex::new(Op::Bound(0), Type::Number, 0..0);
    let degree = Ex::new(Op::Link(Link::Degree, Box::new(here), Box::new(number(0))), Type::Number, 0..0);
    let mut all = vec![];
    for (slot, variable) in unit.variables.iter().enumerate() {
        match &variable.domain {
            Domain::Neighbour { none, when: None } => {
                all.push(Given { variable: slot, ends: [number(i64::from(!none)), degree.clone()], when: None });
            }
            Domain::Neighbour { when: Some(when), .. } => {
                let not = Ex::new(Op::Not(Box::new(when.clone())), Type::Truth, when.span.clone());
                all.push(Given { variable: slot, ends: [number(0), number(0)], when: Some(when.clone()) });
                all.push(Given { variable: slot, ends: [number(1), degree.clone()], when: Some(not) });
            }
            _ => {}
        }
    }
    all
}

impl<M: Send + Sync> Stabilized<M> {
    pub(crate) fn with(built: &Built<'_>, model: M) -> Result<Stabilized<M>, Problem> {
        let Unit { name, goal, correct, safe, fast, closed, given, .. } = built.unit;
        let (goal_set, safe_set) = (correct.as_ref(), safe.as_ref().map(|(_, safe)| safe));
        let bodies: Vec<Ex> = closed.iter().map(|set| set.holds.clone()).collect();
        let conditions: Vec<Ex> = bodies.iter().chain(goal_set).chain(safe_set).cloned().collect();
        let compile = |ex: &Ex| {
            let code = built.expression(0, 0, ex)?;
            Ok::<_, Problem>(built.written_out(&bodies, ex).unwrap_or(code))
        };
        let correct = goal_set.map_or_else(|| Ok(Code::default()), compile)?;
        let safe = safe.as_ref().map(|(for_long, safe)| Ok::<_, Problem>((*for_long, compile(safe)?))).transpose()?;
        let places = Places { size: built.constants.size, around: built.unit.topology.is_around() };
        let agreement = goal_set.filter(|_| matches!(goal, Goal::Agreement));
        let alike = |ex: &Ex| {
            let agreed = agreement.filter(|correct| *correct == ex).map(without_the_first);
            places.are_alike(&built.constants.fold(agreed.as_ref().unwrap_or(ex)))
        };
        let names_places = !conditions.iter().all(alike);
        let mut sets = vec![];
        for set in closed {
            sets.push((set.name.it.clone(), set.claim.clone(), compile(&set.holds)?));
        }
        // Engines treat the last set as the safe set. If the safe set is another set, it is appended.
        if let (Some((_, code)), Some(written), Some(last)) = (&safe, safe_set, bodies.len().checked_sub(1))
            && !matches!(written.op, Op::Set(set) if set == last)
        {
            sets.push(("safe".to_string(), String::new(), code.clone()));
        }
        let given: Vec<Given> = ports(built.unit).into_iter().chain(given.iter().cloned()).collect();
        let fixed_alone = given.iter().flat_map(|given| given.ends.iter().chain(&given.when)).all(is_alone);
        let mut fixed = vec![];
        for given in &given {
            let field = built.layout.fields[given.variable];
            if !given.ends.iter().all(|end| built.fits(end, field)) {
                let domain = field.domain();
                let why = format!("{name}: the `given` value of {} is not always in {domain}", field.name);
                return Err(Refusal::new(why).into());
            }
            let [low, high] = &given.ends;
            let fixed_value = low.anywhere() == high.anywhere();
            let high = (!fixed_value).then(|| built.expression(0, 1, high)).transpose()?;
            let low = built.expression(0, 1, low)?;
            let when = given.when.as_ref().map(|when| built.expression(0, 1, when)).transpose()?;
            let steady = !given.ends.iter().chain(&given.when).any(reads);
            let one = Fixed { slot: given.variable, low, high, when, steady };
            if let Some(empty) = one.empty_range(built, given) {
                let why = format!("{name}: the `given` range of {} {empty}", field.name);
                return Err(Refusal::new(why).into());
            }
            fixed.push(one);
        }
        let condition = fast.as_ref().or(safe_set).or(goal_set).cloned();
        Ok(Stabilized {
            model,
            condition: (built.constants.clone(), condition.unwrap_or_else(|| constant(0))),
            tables: OnceLock::new(),
            layout: built.layout.clone(),
            goal: *goal,
            names_places,
            verdict: built.verdict(&conditions, bodies.len()),
            named: bodies.len(),
            kinds: OnceLock::new(),
            correct,
            safe,
            fast: fast.as_ref().map(compile).transpose()?,
            closed: sets,
            bodies,
            fixed,
            fixed_alone,
            readers: [goal_set.into_iter().cloned().collect(), conditions].map(|all| (all, OnceLock::new())),
        })
    }

    fn graph(&self) -> Option<&Neighbours> {
        self.condition.0.graph.as_deref()
    }

    /// The atoms of the conditions of the goal, or also of the sets of the proof.
    fn atoms(&self, to: Reader) -> Option<&Atoms> {
        let (conditions, atoms) = &self.readers[usize::from(to != Reader::Goal)];
        atoms.get_or_init(|| Atoms::new(&self.condition.0, &self.layout, &self.bodies, conditions)).as_ref()
    }

    /// Whether a condition holds; `None` if the evaluation takes more steps than this, or divides by 0.
    fn decided(&self, code: &Code, states: &[State], fuel: u64) -> Option<bool> {
        let member = |set: usize| self.in_set(set, states);
        let mut cells = Cells::new(states, self.graph(), Some(&member));
        cells.fuel = fuel;
        evaluate(code, &self.layout, cells, 0).map(|value| value != 0)
    }

    fn holds(&self, code: &Code, states: &[State]) -> bool {
        self.decided(code, states, u64::MAX) == Some(true)
    }

    fn in_set(&self, set: usize, states: &[State]) -> bool {
        self.holds(&self.closed[set].2, states)
    }

    /// Whether `fast` agrees with `safe`, if `fast` exists and the evaluation is short enough.
    pub(crate) fn fast_is_safe(&self, states: &[State]) -> bool {
        let fast = self.fast.as_ref().and_then(|fast| self.decided(fast, states, 1 << 16));
        fast.is_none_or(|fast| fast == self.safe(states))
    }

    /// The state of the agent at an index after a fault. No `given` value may depend on another agent.
    fn restored(&self, index: usize, state: State) -> State {
        let mut states = [state];
        self.restore_from(index, &mut states);
        states[0]
    }

    /// Whether the agent at an index may be in a state, if no `given` value depends on another agent.
    pub(crate) fn alone_admits(&self, index: usize, state: State) -> Option<bool> {
        self.fixed_alone.then(|| self.restored(index, state) == state)
    }

    /// An arbitrary state of the agent at an index: each admitted state has the same probability.
    pub(crate) fn drawn(&self, index: usize, coin: &mut impl Coin) -> State {
        let fields = &self.layout.fields;
        let highest = fields.iter().fold(0, |state, field| field.set(state, field.high));
        let ends = [State::default(), State(highest)];
        let given = ends.map(|end| self.restored(index, end));
        // Only states of which a variable restricts another are drawn again.
        let steady = |slot: usize| self.fixed.iter().all(|fixed| fixed.slot != slot || fixed.steady);
        let ends = |slot: usize| (if steady(slot) { given } else { ends }).map(|end| fields[slot].get(end.0));
        let ranges: Vec<[i64; 2]> = (0..fields.len()).map(ends).collect();
        loop {
            let mut state = State::default();
            for (field, [low, high]) in fields.iter().zip(&ranges) {
                let domain = Values::Range(0, low.abs_diff(*high));
                let above = Arbitrary(coin).field(field.name.into(), domain, 0);
                state.0 = field.set(state.0, low.wrapping_add_unsigned(above));
            }
            if self.alone_admits(index, state) != Some(false) {
                return state;
            }
        }
    }

    /// Restores the `given` values of the agents from an index on. A single one may read itself only.
    fn restore_from(&self, first: usize, states: &mut [State]) {
        let graph = self.graph();
        let steady = self.fixed.iter().all(|fixed| fixed.steady);
        for _ in 0..self.fixed.len() {
            let mut changed = false;
            for fixed in &self.fixed {
                for at in 0..states.len() {
                    let value = |code: &Code| value(code, &self.layout, graph, states, (first + at) as i64);
                    if fixed.when.as_ref().is_none_or(|when| value(when) != Some(0)) {
                        let field = self.layout.fields[fixed.slot];
                        let end = |code: &Code| value(code).unwrap_or(field.low).clamp(field.low, field.high);
                        let low = end(&fixed.low);
                        let high = fixed.high.as_ref().map_or(low, end);
                        let given = field.set(states[at].0, field.get(states[at].0).min(high).max(low));
                        changed |= given != states[at].0;
                        states[at].0 = given;
                    }
                }
            }
            // Values that depend on no variable are restored at once.
            if !changed || steady {
                break;
            }
        }
    }
}

impl<M: Send + Sync> Variables for Stabilized<M> {
    type State = State;
    fn variables(&self, state: &mut State, visitor: &mut dyn Visitor) {
        self.layout.visit(&mut state.0, visitor);
    }

    fn quick_rank(&self, state: &State) -> Option<u64> {
        self.layout.rank(state.0)
    }
}

impl<M: Send + Sync> Stabilizing for Stabilized<M> {
    fn goal(&self) -> Goal {
        self.goal
    }

    fn correct(&self, states: &[State]) -> bool {
        self.holds(&self.correct, states)
    }

    fn safety(&self) -> Safety {
        match self.safe {
            Some((true, _)) => Safety::ForLong,
            Some((false, _)) => Safety::ForEver,
            None => Safety::Unknown,
        }
    }

    fn safe(&self, states: &[State]) -> bool {
        self.holds(self.safe.as_ref().map_or(&self.correct, |(_, safe)| safe), states)
    }

    /// Restores the `given` values until nothing changes: a `given` value may depend on a later one.
    fn restore(&self, states: &mut [State]) {
        self.restore_from(0, states);
    }

    fn names_places(&self) -> bool {
        self.names_places
    }

    /// The part of a state that the conditions read; `None` if variables are given.
    fn visible(&self, state: &State, to: Reader) -> Option<u64> {
        if !self.fixed.is_empty() || self.readers[0].0.is_empty() {
            return None;
        }
        Some(self.atoms(to)?.number(&self.layout, *state))
    }

    fn safe_fast(&self, states: &[State]) -> bool {
        let (constants, condition) = &self.condition;
        let tables = || ConditionTables::new(constants, &self.layout, &self.bodies, condition);
        if let Some(holds) = self.tables.get_or_init(tables).as_ref().and_then(|tables| tables.holds(states)) {
            return holds;
        }
        self.fast.as_ref().map_or_else(|| self.safe(states), |fast| self.holds(fast, states))
    }

    /// The safe set as a condition on the number of agents in each state; `None` if it is not one, or if variables are given.
    fn safe_by_counts(&self, states: &[State]) -> Option<CountCondition> {
        let (constants, condition) = &self.condition;
        let reading = Reading { constants, layout: &self.layout, bodies: &self.bodies, states };
        let counted = reading.counted(condition).filter(|_| self.fixed.is_empty())?;
        Some(Arc::new(move |counts, slack| counted.may_hold(counts, slack)))
    }

    fn closed_sets(&self) -> Vec<ClosedSet<'_, State>> {
        let set = |(at, (name, claim, _)): (usize, &(String, String, Code))| {
            ClosedSet::new(name.clone(), claim.clone(), move |states: &[State]| self.in_set(at, states))
        };
        self.closed.iter().enumerate().map(set).collect()
    }

    /// One bit for every closed set, for the goal, and for the safe set.
    fn at_once(&self, states: &[State]) -> Option<Found> {
        let verdict = self.verdict.as_ref()?;
        let find = || evaluate(verdict, &self.layout, Cells::new(states, self.graph(), None), 0).unwrap_or(0) as u32;
        let found = match self.kinds.get_or_init(|| Kinds::new(self.atoms(Reader::Proof)?, &self.layout, states.len()))
        {
            Some(kinds) => kinds.found(states, find),
            None => find(),
        };
        let sets = self.named;
        let correct = found >> sets & 1 == 1;
        let safe = if self.safe.is_some() { found >> (sets + 1) & 1 == 1 } else { correct };
        let too = u64::from(safe && self.closed.len() > sets) << sets;
        Some(Found { correct, safe, sets: u64::from(found & ((1 << sets) - 1)) | too })
    }
}

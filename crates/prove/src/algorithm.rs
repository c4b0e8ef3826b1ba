//! Extracts the rules of a proof from an algorithm.

use crate::refuse_if;
use ringleader_erased::{Change, NoTable, Number, PopulationInstance, Refusal, RingInstance, RuleTable};
use ringleader_model::{
    Domain, Goal, Name, Place as At, Population as _, Reads, Ring as _, Stabilizing, Variables, Visitor,
};
use ringleader_verify::{
    Cell, Coins, Goal as Promise, Mark, Move, Place, Possible, Rules, Scheduler, Sizes, State, Toss, Variable, Window,
};
use std::collections::{BTreeSet, HashSet};
use thiserror::Error;

/// An algorithm of any type, built for one size.
#[derive(Clone, Debug)]
pub enum Algorithm {
    /// A population protocol.
    Population {
        /// The protocol.
        instance: PopulationInstance,
        /// Whether it runs on an undirected ring, where either neighbour may be the initiator.
        undirected: bool,
        /// A goal other than one leader or one token.
        goal: Option<OwnGoal>,
    },
    /// A ring or a line of processes.
    Ring {
        /// The algorithm.
        instance: RingInstance,
        /// A goal other than one leader or one token.
        goal: Option<OwnGoal>,
    },
}

/// A goal other than one leader or one token: an algorithm describes it in words only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnGoal {
    /// Exactly one rule is enabled.
    OneRule,
    /// A formula holds at every agent.
    Everywhere {
        /// The formula, over the names of the marks.
        formula: String,
        /// Conditions on an agent and its neighbours.
        marks: Vec<Mark>,
    },
}

impl From<PopulationInstance> for Algorithm {
    fn from(instance: PopulationInstance) -> Algorithm {
        Algorithm::Population { instance, undirected: false, goal: None }
    }
}

impl From<RingInstance> for Algorithm {
    fn from(instance: RingInstance) -> Algorithm {
        Algorithm::Ring { instance, goal: None }
    }
}

/// The reason why an algorithm has no rules for a proof.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoRules {
    /// It has too many local states.
    #[error("{0} local states are too many for a proof: at most 255")]
    TooManyStates(u64),
    /// The given variables constrain several agents together.
    #[error(
        "the given variables constrain several agents together; a proof needs a separate list of possible states for each place"
    )]
    GivenTogether,
    /// Proofs do not support its goal.
    #[error(
        "proofs support these goals: exactly one leader, one token, one enabled rule, or a condition on neighbours that a text states"
    )]
    Goal,
    /// Its rules are not the same at every size.
    #[error("its states or rules are not the same with {0} agents and with {1}")]
    DependsOnSize(usize, usize),
    /// The modulus of the sizes is too large, or there are no sizes.
    #[error("the modulus of the sizes must be 1 to 64, and at least one size is needed")]
    Sizes,
    /// Two agents with different answers do a step that neither answer alone allows.
    #[error(
        "two agents with different answers of the detector do a step that neither answer alone allows; proofs do not support \
         such rules with a detector that may lie"
    )]
    AnswersDiffer,
    /// The scheduler may have to choose after a coin was tossed.
    #[error("a rule lets the scheduler choose after it has tossed a coin; proofs with fair coins do not support this")]
    ChoosesLate,
    /// Several rules may be enabled at an agent that acts at once with others.
    #[error(
        "several rules are enabled at one agent; proofs under the synchronous daemon, or with random partners, do not support this"
    )]
    Chooses,
    /// An agent may act without a change although it can change something.
    #[error(
        "in some neighbourhood, one rule or coin changes nothing and another one changes the agent; proofs for \
         fair schedules do not support this"
    )]
    Idles,
    /// Fair schedules of a population protocol.
    #[error(
        "in a population, an agent also takes part in a fair schedule by interactions that change nothing; proofs do not support this"
    )]
    FairPopulation,
    /// Locally fair schedules of processes, or of an undirected ring.
    #[error("proofs for locally fair schedules are for population protocols on directed rings")]
    NoArcs,
    /// A coin chooses the partners of agents, and its rules are not for that.
    #[error("random partners are for population protocols on undirected rings, without a leader detector")]
    NoPartners,
    /// Its rules have no table.
    #[error(transparent)]
    Table(#[from] NoTable),
    /// It cannot be built for a size.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Rules are compared at this many sizes, unless they have more moves than this.
const COMPARED: usize = 24;
const LARGE: usize = 20_000;

/// The rules of an algorithm that `at` builds for a size, if they are the same at all of these sizes.
///
/// The rules are compared at a few sizes only. The caller must know that they are the same at all larger sizes.
pub fn rules(sizes: &Sizes, at: impl Fn(usize) -> Result<Algorithm, Refusal>) -> Result<Rules, NoRules> {
    refuse_if(!(1..=64).contains(&sizes.modulus), NoRules::Sizes)?;
    let mut spoken = (sizes.from..sizes.from + 64 * (COMPARED + 1)).filter(|n| sizes.contains(*n));
    let least = spoken.next().ok_or(NoRules::Sizes)?;
    let algorithm = at(least)?;
    let found = algorithm.rules(least)?;
    algorithm.given_independently(least, &found.possible)?;
    let more = if found.moves.len() > LARGE { 1 } else { COMPARED - 1 };
    for size in spoken.take(more) {
        refuse_if(at(size)?.rules(size)? != found, NoRules::DependsOnSize(least, size))?;
    }
    Ok(found)
}

impl Algorithm {
    /// Its rules at the size for which it was built.
    pub(crate) fn rules(&self, size: usize) -> Result<Rules, NoRules> {
        match self {
            Algorithm::Population { instance, undirected, goal } => {
                let mut rules = population(instance, size, goal.as_ref())?;
                if *undirected {
                    rules.moves = rules.moves.iter().flat_map(|m| [*m, mirrored(m)]).collect();
                    let side = |toss: &Toss, k: usize| Toss {
                        outcomes: toss.outcomes.iter().map(|m| 2 * m + k).collect(),
                        ..*toss
                    };
                    rules.tosses = rules.tosses.iter().flat_map(|toss| [side(toss, 0), side(toss, 1)]).collect();
                }
                Ok(rules)
            }
            Algorithm::Ring { instance, goal } => ring(instance, size, goal.as_ref()),
        }
    }

    /// Refuses constraints on all agents together, such as that some agent has a token: no list of possible states
    /// expresses them.
    fn given_independently(&self, size: usize, possible: &Possible) -> Result<(), NoRules> {
        match self {
            Algorithm::Population { instance, .. } => given_independently(instance, instance.states(), size, possible),
            Algorithm::Ring { instance, .. } => given_independently(instance, instance.states(), size, possible),
        }
    }

    /// Refuses rules with choices of the scheduler that [`Rules`] do not express for this scheduler and these coins.
    pub fn check_choices(&self, scheduler: Scheduler, coins: Coins) -> Result<(), NoRules> {
        let tables = match self {
            Algorithm::Population { instance, .. } => vec![RuleTable::population(instance)?],
            Algorithm::Ring { instance, .. } => {
                PLACES.iter().map(|(at, _)| RuleTable::ring(instance, *at)).collect::<Result<_, _>>()?
            }
        };
        if scheduler == Scheduler::WeaklyFair {
            refuse_if(matches!(self, Algorithm::Population { .. }), NoRules::FairPopulation)?;
            refuse_if(tables.iter().any(|table| idles(table, coins)), NoRules::Idles)?;
        }
        // There each agent stands for the arc to its right neighbour.
        let arcs = matches!(self, Algorithm::Population { undirected: false, .. });
        refuse_if(scheduler == Scheduler::LocallyFair && !arcs, NoRules::NoArcs)?;
        refuse_if(coins == Coins::Fair && tables.iter().any(RuleTable::chooses_late), NoRules::ChoosesLate)?;
        // There the scheduler may take a rule that changes nothing, which is no move.
        refuse_if(scheduler == Scheduler::Synchronous && tables.iter().any(RuleTable::chooses), NoRules::Chooses)
    }

    /// Refuses rules by which two agents can do more with different answers than with equal ones. [`Rules`] give both
    /// the same answer, and a detector that lies may not.
    pub fn check_equal_answers(&self) -> Result<(), NoRules> {
        let Algorithm::Population { instance, .. } = self else { return Ok(()) };
        let table = RuleTable::population(instance)?;
        if table.contexts() == 1 {
            return Ok(());
        }
        let outcomes = |u: u32, v: u32, contexts: [usize; 2]| -> BTreeSet<_> {
            let changes = contexts.into_iter().flat_map(|context| &table.changes()[table.cell(context, u, v)]);
            changes.map(|change| (change.left, change.right)).collect()
        };
        let covered = |u: u32, v: u32| outcomes(u, v, DIFFERENT_ANSWERS).is_subset(&outcomes(u, v, EQUAL_ANSWERS));
        match (0..table.radix()).all(|u| (0..table.radix()).all(|v| covered(u, v))) {
            true => Ok(()),
            false => Err(NoRules::AnswersDiffer),
        }
    }
}

/// Whether a process can keep its state where it can also change it. Fair coins may keep it; a choice of the scheduler may not.
fn idles(table: &RuleTable, coins: Coins) -> bool {
    table.cells().any(|(context, left, own)| {
        let mut changes = std::collections::BTreeMap::new();
        for at in table.cell(context, left as u32, own as u32) {
            let choice = if coins == Coins::Fair { table.choice(at) } else { at as u32 };
            *changes.entry(choice).or_insert(false) |= u64::from(table.changes()[at].right) != own;
        }
        let mut changes = changes.into_values();
        let first = changes.next();
        changes.any(|other| Some(other) != first)
    })
}

/// The contexts of a table in which both agents have the same answer: false, true.
const EQUAL_ANSWERS: [usize; 2] = [0, 3];
/// The contexts in which the answers differ.
const DIFFERENT_ANSWERS: [usize; 2] = [1, 2];

const PLACES: [(At, Place); 3] = [(At::Bottom, Place::Bottom), (At::Other, Place::Middle), (At::Top, Place::Top)];

/// The same interaction with the responder to the left: on an undirected ring an agent may meet either neighbour.
fn mirrored(interaction: &Move) -> Move {
    Move { left: interaction.right, right: None, ..*interaction }
}

/// The names, variables and possible states, in the same form for both models.
fn described<A: Stabilizing<State = Number>>(
    algorithm: &A,
    states: u64,
    size: usize,
    text: impl Fn(u64) -> String,
) -> Result<Rules, NoRules> {
    refuse_if(states > 255, NoRules::TooManyStates(states))?;
    Ok(Rules {
        states: (0..states).map(text).collect(),
        variables: variables(states, algorithm),
        tosses: vec![],
        given: None,
        possible: possible(states, size, algorithm),
        marks: vec![],
        rules: vec![],
        moves: vec![],
        detector: None,
        goal: Promise::ExactlyOne { of: vec![], stays: false },
    })
}

/// The variables with their value in each state. Variables with a single value are omitted.
fn variables<A: Variables<State = Number>>(states: u64, algorithm: &A) -> Vec<Variable> {
    struct Look(Vec<(String, u64, u64)>);
    impl Visitor for Look {
        fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
            let name: String = name.to_string().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            self.0.push((name, domain.len().unwrap_or(0), value - domain.low()));
            value
        }
    }
    let look = |state: u64| {
        let mut look = Look(vec![]);
        algorithm.variables(&mut Number(state), &mut look);
        look.0
    };
    let mut variables: Vec<Variable> =
        look(0).into_iter().map(|(name, size, _)| Variable { name, size: size as u8, values: vec![] }).collect();
    for state in 0..states {
        for (variable, (_, _, value)) in variables.iter_mut().zip(look(state)) {
            variable.values.push(value as u8);
        }
    }
    variables.retain(|variable| variable.size >= 2);
    variables
}

/// The states that faults can produce, at each place.
fn possible<A: Stabilizing<State = Number>>(states: u64, size: usize, algorithm: &A) -> Possible {
    let kept = |state: u64, agent: usize| {
        let mut configuration = vec![Number(state); size];
        algorithm.restore(&mut configuration);
        configuration[agent] == Number(state)
    };
    let at = |agent: usize| (0..states).filter(|&state| kept(state, agent)).map(|state| state as State).collect();
    Possible { bottom: at(0), middle: at(1), top: at(size - 1) }
}

fn given_independently<A: Stabilizing<State = Number>>(
    algorithm: &A,
    states: u64,
    size: usize,
    possible: &Possible,
) -> Result<(), NoRules> {
    let independent = |number: u64| {
        let configuration: Vec<_> = (0..size as u32).map(|i| Number(number / states.pow(i) % states)).collect();
        let mut restored = configuration.clone();
        algorithm.restore(&mut restored);
        let fits = |i: usize| possible.at(Place::of(i, size)).contains(&(configuration[i].0 as State));
        (restored == configuration) == (0..size).all(fits)
    };
    let all = states.checked_pow(size as u32).filter(|all| *all <= MOST);
    match (0..all.unwrap_or(0)).all(independent) {
        true => Ok(()),
        false => Err(NoRules::GivenTogether),
    }
}

/// Up to this many configurations are compared one by one.
const MOST: u64 = 1 << 20;

/// The promise of a goal, with its mark. `windows` says where leaders (or tokens) are shown.
fn promise(
    goal: Goal,
    own: Option<&OwnGoal>,
    windows: impl Fn(bool) -> Vec<Window>,
) -> Result<(Promise, Vec<Mark>), NoRules> {
    let one = |name: &str, stays: bool, windows: Vec<Window>| {
        let goal = Promise::ExactlyOne { of: vec![name.into()], stays };
        (goal, vec![Mark { name: name.into(), windows }])
    };
    match (goal, own) {
        (Goal::OneLeader, _) => Ok(one("isLeader", true, windows(true))),
        (Goal::OneToken, _) => Ok(one("hasToken", false, windows(false))),
        (Goal::Holds(_), Some(OwnGoal::Everywhere { formula, marks })) => {
            Ok((Promise::Everywhere { formula: formula.clone() }, marks.clone()))
        }
        (Goal::Agreement | Goal::Holds(_), _) => Err(NoRules::Goal),
    }
}

/// Distinct moves and the names of their rules, in the order of their first occurrence; and the coins whose outcomes they are.
#[derive(Default)]
struct MoveList {
    names: Vec<String>,
    list: Vec<Move>,
    known: HashSet<Move>,
    tosses: Vec<Toss>,
}

impl MoveList {
    /// The outcomes of one agent's or one pair's rule, each with a number for the scheduler's choice, the rules that fired, and the move, if
    /// the outcome changes something. Outcomes with the same number differ by coins.
    fn add(&mut self, outcomes: Vec<(u32, &[u8], Option<Move>)>) {
        let mut choices: Vec<u32> = outcomes.iter().map(|(choice, ..)| *choice).collect();
        choices.dedup();
        for choice in choices {
            let own = outcomes.iter().filter(|(number, ..)| *number == choice);
            let idle = own.clone().any(|(.., one)| one.is_none());
            // Coins may give the same move twice.
            let mut moves: Vec<Move> = vec![];
            for one in own.filter_map(|(_, fired, one)| Some(self.named(fired, (*one)?))) {
                if !moves.contains(&one) {
                    moves.push(one);
                }
            }
            let tosses = moves.len() + usize::from(idle) > 1 && !moves.is_empty();
            let first = self.list.len();
            for one in moves {
                if self.known.insert(one) || tosses {
                    self.list.push(one);
                }
            }
            if tosses {
                self.tosses.push(Toss { outcomes: (first..self.list.len()).collect(), idle });
            }
        }
    }

    fn named(&mut self, fired: &[u8], one: Move) -> Move {
        let numbers: Vec<_> = fired.iter().map(ToString::to_string).collect();
        let name = format!("rule{}", numbers.join("_"));
        let rule = self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        Move { rule, ..one }
    }
}

fn population(algorithm: &PopulationInstance, size: usize, own: Option<&OwnGoal>) -> Result<Rules, NoRules> {
    let states = algorithm.states();
    let described = described(algorithm, states, size, |state| algorithm.text(state))?;
    let leads = |state: u64| algorithm.marks_of(state).leader();
    let shown = |leader: bool| {
        let shows = |state: &u64| if leader { leads(*state) } else { algorithm.marks_of(*state).token() };
        (0..states).filter(shows).map(|own| Window { own: Some(own as State), ..Window::default() }).collect()
    };
    let (goal, marks) = promise(algorithm.goal(), own, shown)?;
    let (table, hears, mut moves) = (RuleTable::population(algorithm)?, algorithm.hears(), MoveList::default());
    for (context, seen) in EQUAL_ANSWERS.into_iter().zip([false, true]).take(if hears { 2 } else { 1 }) {
        for (u, v) in (0..states as u32).flat_map(|u| (0..states as u32).map(move |v| (u, v))) {
            let mut outcomes = vec![];
            for at in table.cell(context, u, v) {
                let change = table.changes()[at];
                let Change { left, right, .. } = change;
                let interaction = Move {
                    rule: 0,
                    place: None,
                    seen: hears.then_some(seen),
                    left: None,
                    own: Cell { before: u as State, after: left as State },
                    right: Some(Cell { before: v as State, after: right as State }),
                };
                let changes = (u32::from(left), u32::from(right)) != (u, v);
                outcomes.push((table.choice(at), table.rules(change), changes.then_some(interaction)));
            }
            moves.add(outcomes);
        }
    }
    let detector = hears.then(|| (0..states).filter(|&s| leads(s)).map(|s| s as State).collect());
    Ok(Rules { marks, goal, detector, rules: moves.names, moves: moves.list, tosses: moves.tosses, ..described })
}

fn ring(algorithm: &RingInstance, size: usize, own: Option<&OwnGoal>) -> Result<Rules, NoRules> {
    let states = algorithm.states();
    let described = described(algorithm, states, size, |state| algorithm.text(state))?;
    // All views of a process at a place; a neighbour that is not read has one value.
    let seen = |at: At| {
        let range = |reads: bool| if reads { 0..states } else { 0..1 };
        let [lefts, rights] = algorithm.neighbours_read(at).map(range);
        let pairs = lefts.flat_map(move |left| (0..states).map(move |own| (left, own)));
        pairs.flat_map(move |(left, own)| rights.clone().map(move |right| [left, own, right]))
    };
    let window = |at: At, place: Place, [left, own, right]: [u64; 3]| {
        let [reads_left, reads_right] = algorithm.neighbours_read(at);
        Window {
            place: Some(place),
            left: reads_left.then_some(left as State),
            own: Some(own as State),
            right: reads_right.then_some(right as State),
        }
    };
    let shown = |leader: bool| {
        let shows = |at: At, states: [u64; 3]| {
            let marks = algorithm.marks_of(algorithm.view(at, states));
            if leader { marks.leader() } else { marks.token() }
        };
        let all = PLACES.into_iter().flat_map(|(at, place)| seen(at).map(move |states| (at, place, states)));
        all.filter(|&(at, _, states)| shows(at, states)).map(|(at, place, states)| window(at, place, states)).collect()
    };
    let mut moves = MoveList::default();
    // Whether every rule changes something wherever it is enabled. Then its moves determine where it is enabled.
    let mut all_move = true;
    for (at, place) in PLACES {
        let table = RuleTable::ring(algorithm, at)?;
        for states in seen(at) {
            let [left, own, right] = states.map(|state| state as u32);
            let context = if algorithm.reads() == Reads::BothSides { right as usize } else { 0 };
            let sees = window(at, place, states);
            let same = |state: State| Cell { before: state, after: state };
            let mut outcomes = vec![];
            for at in table.cell(context, left, own) {
                let change = table.changes()[at];
                let changes = u32::from(change.right) != own;
                all_move &= changes || table.rules(change).is_empty();
                let step = Move {
                    rule: 0,
                    place: Some(place),
                    seen: None,
                    left: sees.left.map(same),
                    own: Cell { before: own as State, after: change.right as State },
                    right: sees.right.map(same),
                };
                outcomes.push((table.choice(at), table.rules(change), changes.then_some(step)));
            }
            moves.add(outcomes);
        }
    }
    let (goal, marks) = match algorithm.goal() {
        Goal::Holds(_) if own == Some(&OwnGoal::OneRule) && all_move => {
            (Promise::ExactlyOne { of: moves.names.clone(), stays: false }, vec![])
        }
        goal => promise(goal, own, shown)?,
    };
    Ok(Rules { marks, goal, rules: moves.names, moves: moves.list, tosses: moves.tosses, ..described })
}

//! The rule table: an algorithm on a ring as plain data.

use crate::rejection::{Malformed, ensure};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A local state, as a number below [`Rules::states`]'s length.
pub type State = u8;

/// Where an agent stands: agents are labelled 0 to n-1 in a proof, though they need not know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Agent 0.
    Bottom,
    /// Any other.
    Middle,
    /// Agent n-1.
    Top,
}

impl Place {
    /// All three, in the order of a ring.
    pub const ALL: [Place; 3] = [Place::Bottom, Place::Middle, Place::Top];
}

/// An algorithm whose local states do not grow with the ring, on a ring of agents 0 to n-1; right of n-1 is 0.
///
/// A line is a ring whose bottom does not look left and whose top does not look right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// The local states' names, for people.
    pub states: Vec<String>,
    /// What a local state consists of; formulas speak of these.
    pub variables: Vec<Variable>,
    /// Names for what is seen in a window of three, such as "has the token".
    #[serde(default)]
    pub marks: Vec<Mark>,
    /// The rules' names. In a formula a rule's name says that it is enabled here.
    pub rules: Vec<String>,
    /// The moves: every step of the system is one of these at one agent. Moves that change nothing are left out.
    pub moves: Vec<Move>,
    /// Which moves are outcomes of the same coin. The daemon chooses every other move by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tosses: Vec<Toss>,
    /// An assumption about all agents together: a formula that holds at every agent of every configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// Which states are possible where. A configuration is a word of possible states.
    pub possible: Possible,
    /// With a perfect leader detector: the states that it sees. [`Move::seen`] asks it.
    pub detector: Option<Vec<State>>,
    /// What is promised.
    pub goal: Goal,
}

/// A variable of the local state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variable {
    /// A letter, then letters, digits and underscores.
    pub name: String,
    /// It takes the values below this; 2 for a Boolean one.
    pub size: u8,
    /// Its value in each state.
    pub values: Vec<u8>,
}

/// A named predicate of an agent and its two neighbours: it holds where one of the windows matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// As a variable's.
    pub name: String,
    /// Any of these.
    pub windows: Vec<Window>,
}

/// What an agent sees; nothing said means anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Where the agent stands.
    pub place: Option<Place>,
    /// The left neighbour's state.
    pub left: Option<State>,
    /// The agent's own.
    pub own: Option<State>,
    /// The right neighbour's.
    pub right: Option<State>,
}

impl Window {
    /// Whether an agent that stands and sees so is meant.
    pub fn matches(&self, place: Place, [left, own, right]: [State; 3]) -> bool {
        let is = |wanted: Option<State>, seen: State| wanted.is_none_or(|wanted| wanted == seen);
        self.place.is_none_or(|p| p == place) && is(self.left, left) && is(self.own, own) && is(self.right, right)
    }
}

/// One agent's state before and after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "(State, State)", into = "(State, State)")]
pub struct Cell {
    /// Before.
    pub before: State,
    /// After.
    pub after: State,
}

impl From<(State, State)> for Cell {
    fn from((before, after): (State, State)) -> Cell {
        Cell { before, after }
    }
}

impl From<Cell> for (State, State) {
    fn from(cell: Cell) -> (State, State) {
        (cell.before, cell.after)
    }
}

/// One way in which an agent and its neighbours may change together.
///
/// An interaction of a population protocol has `own` (the initiator) and `right` (the responder); a step of a process
/// that reads its left neighbour has `left`, unchanged, and `own`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Which rule, as an index into [`Rules::rules`].
    pub rule: usize,
    /// Where the agent must stand; anywhere if nothing is said.
    pub place: Option<Place>,
    /// What the detector must say.
    pub seen: Option<bool>,
    /// The left neighbour, if it is looked at.
    pub left: Option<Cell>,
    /// The agent itself.
    pub own: Cell,
    /// The right neighbour, if it is looked at.
    pub right: Option<Cell>,
}

impl Move {
    /// The neighbours that take part, from left to right.
    pub fn cells(&self) -> Vec<Cell> {
        self.left.into_iter().chain([self.own]).chain(self.right).collect()
    }

    /// What an agent sees that can make it.
    pub(crate) fn window(&self) -> Window {
        let before = |cell: Option<Cell>| cell.map(|c| c.before);
        Window { place: self.place, left: before(self.left), own: before(Some(self.own)), right: before(self.right) }
    }

    /// How many take part.
    pub fn width(&self) -> usize {
        1 + usize::from(self.left.is_some()) + usize::from(self.right.is_some())
    }

    /// Where in [`cells`](Self::cells) the agent itself is.
    pub fn centre(&self) -> usize {
        usize::from(self.left.is_some())
    }
}

/// The outcomes of a coin. The daemon chooses the agent that tosses it, and the coin chooses the outcome. Each has a positive probability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toss {
    /// Indices into [`Rules::moves`]. These moves have the same place and the same states before.
    pub outcomes: Vec<usize>,
    /// Whether the coin can also leave everything as it is.
    pub idle: bool,
}

/// The possible states of each place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Possible {
    /// Of agent 0.
    pub bottom: Vec<State>,
    /// Of agents 1 to n-2.
    pub middle: Vec<State>,
    /// Of agent n-1.
    pub top: Vec<State>,
}

impl Possible {
    /// The states of one place.
    pub fn at(&self, place: Place) -> &[State] {
        match place {
            Place::Bottom => &self.bottom,
            Place::Middle => &self.middle,
            Place::Top => &self.top,
        }
    }
}

/// What a safe configuration promises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Goal {
    /// Exactly one of these formulas holds, at exactly one agent.
    ExactlyOne {
        /// Such as one that says "leader", or the names of all rules.
        of: Vec<String>,
        /// Whether it must stay where it is, as leaders do and tokens do not.
        stays: bool,
    },
    /// The formula holds at every agent.
    Everywhere {
        /// Such as "my neighbours' colours differ".
        formula: String,
    },
}

impl Rules {
    /// Whether the table makes sense: numbers within bounds, names that formulas can use, no move without effect.
    pub fn validate(&self) -> Result<(), Malformed> {
        self.sensible().map_err(|why| Malformed(format!("the rule table is not one: {why}")))
    }

    /// Whether every move is of an agent and its right neighbour, so that each agent stands for the arc between the two.
    pub fn is_of_arcs(&self) -> bool {
        self.moves.iter().all(|m| m.left.is_none() && m.right.is_some())
    }

    fn sensible(&self) -> Result<(), Malformed> {
        let q = self.states.len();
        ensure((1..=255).contains(&q), || format!("{q} local states; from 1 to 255 can be handled"))?;
        let good = |s: &State| usize::from(*s) < q;
        let mut taken = HashSet::new();
        let variables = self.variables.iter().map(|v| &v.name);
        for name in variables.chain(self.marks.iter().map(|m| &m.name)).chain(&self.rules) {
            let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            ensure(word && name.starts_with(|c: char| c.is_ascii_alphabetic()), || {
                format!("`{name}` is no name: a letter, then letters, digits and underscores")
            })?;
            ensure(!["root", "top", "X", "Y"].contains(&name.as_str()), || {
                format!("`{name}` cannot be the name of a variable, mark or rule: it means something else in formulas")
            })?;
            ensure(taken.insert(name), || format!("the name `{name}` is taken twice"))?;
        }
        for v in &self.variables {
            let fits = v.values.len() == q && v.size >= 2 && v.values.iter().all(|&x| x < v.size);
            let name = &v.name;
            ensure(fits, || {
                format!("variable {name} needs a value below its size, at least 2, for each of {q} states")
            })?;
        }
        for m in &self.marks {
            let seen = m.windows.iter().flat_map(|w| [w.left, w.own, w.right]).flatten();
            let name = &m.name;
            ensure(seen.into_iter().all(|s| good(&s)), || format!("mark {name} names a state that is not below {q}"))?;
        }
        for (i, m) in self.moves.iter().enumerate() {
            let cells = m.cells();
            let exist = m.rule < self.rules.len() && cells.iter().all(|c| good(&c.before) && good(&c.after));
            ensure(exist, || format!("move {i} names a rule or a state that does not exist"))?;
            ensure(cells.iter().any(|c| c.before != c.after), || format!("move {i} changes nothing"))?;
            let asks = m.seen.is_some() && self.detector.is_none();
            ensure(!asks, || format!("move {i} asks a detector, and there is none"))?;
        }
        let mut tossed = HashSet::new();
        for (i, toss) in self.tosses.iter().enumerate() {
            let moves: Option<Vec<&Move>> = toss.outcomes.iter().map(|o| self.moves.get(*o)).collect();
            let moves = moves.filter(|moves| !moves.is_empty() && toss.outcomes.iter().all(|o| tossed.insert(*o)));
            let alike =
                |moves: Vec<&Move>| moves.iter().all(|m| m.window() == moves[0].window() && m.seen == moves[0].seen);
            ensure(moves.is_some_and(alike), || {
                format!("toss {i} needs moves of which no other toss is, with one place and the same states before")
            })?;
        }
        let detected = self.detector.iter().flatten();
        let listed = Place::ALL.iter().flat_map(|p| self.possible.at(*p)).chain(detected).all(good);
        ensure(listed, || format!("a list of possible or detected states has one that is not below {q}"))?;
        let empty = Place::ALL.iter().any(|place| self.possible.at(*place).is_empty());
        ensure(!empty, || "a place has no possible state: of no configurations everything can be said".into())
    }

    /// How many neighbouring agents the widest move takes: smaller rings cannot be spoken of.
    pub fn width(&self) -> usize {
        self.moves.iter().map(Move::width).max().unwrap_or(1).max(2)
    }
}

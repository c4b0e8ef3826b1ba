//! The rule table: an algorithm on a ring as plain data.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;

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

    /// The place of agent `i` among `n` (at least 2).
    pub fn of(i: usize, n: usize) -> Place {
        match i {
            0 => Place::Bottom,
            _ if i + 1 == n => Place::Top,
            _ => Place::Middle,
        }
    }
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
    /// Which states are possible where. A configuration is a word of possible states.
    pub possible: Possible,
    /// With a perfect leader detector: the states that it sees. [`Move::seen`] asks it.
    #[serde(default)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Where the agent stands.
    #[serde(default)]
    pub place: Option<Place>,
    /// The left neighbour's state.
    #[serde(default)]
    pub left: Option<State>,
    /// The agent's own.
    #[serde(default)]
    pub own: Option<State>,
    /// The right neighbour's.
    #[serde(default)]
    pub right: Option<State>,
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
    #[serde(default)]
    pub place: Option<Place>,
    /// What the detector must say.
    #[serde(default)]
    pub seen: Option<bool>,
    /// The left neighbour, if it is looked at.
    #[serde(default)]
    pub left: Option<Cell>,
    /// The agent itself.
    pub own: Cell,
    /// The right neighbour, if it is looked at.
    #[serde(default)]
    pub right: Option<Cell>,
}

impl Move {
    /// The neighbours that take part, from left to right.
    pub fn cells(&self) -> Vec<Cell> {
        self.left.into_iter().chain([self.own]).chain(self.right).collect()
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
    /// Every state everywhere.
    pub fn all(states: usize) -> Possible {
        let all: Vec<State> = (0..states).map(|s| s as State).collect();
        Possible { bottom: all.clone(), middle: all.clone(), top: all }
    }

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

/// What is wrong with a rule table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw(pub String);

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the rule table is not one: {}", self.0)
    }
}

impl std::error::Error for Flaw {}

impl Rules {
    /// Whether the table makes sense: numbers within bounds, names that formulas can use, no move without effect.
    pub fn validate(&self) -> Result<(), Flaw> {
        let q = self.states.len();
        let flaw = |text: String| Err(Flaw(text));
        if q == 0 || q > 255 {
            return flaw(format!("{q} local states; from 1 to 255 can be handled"));
        }
        let good = |s: State| usize::from(s) < q;
        for v in &self.variables {
            if v.values.len() != q || v.size < 2 || v.values.iter().any(|&x| x >= v.size) {
                return flaw(format!(
                    "variable {} needs a value below its size, at least 2, for each of {q} states",
                    v.name
                ));
            }
        }
        self.validate_names()?;
        for m in &self.marks {
            let bad = |w: &Window| [w.left, w.own, w.right].into_iter().flatten().any(|s| !good(s));
            if m.windows.iter().any(bad) {
                return flaw(format!("mark {} has a window with a state that is not below {q}", m.name));
            }
        }
        for (i, m) in self.moves.iter().enumerate() {
            if m.rule >= self.rules.len() || m.cells().iter().any(|c| !good(c.before) || !good(c.after)) {
                return flaw(format!("move {i} names a rule or a state that does not exist"));
            }
            if m.cells().iter().all(|c| c.before == c.after) {
                return flaw(format!("move {i} changes nothing"));
            }
            if m.seen.is_some() && self.detector.is_none() {
                return flaw(format!("move {i} asks a detector, and there is none"));
            }
        }
        let lists = Place::ALL.map(|p| self.possible.at(p)).into_iter().chain(self.detector.as_deref());
        if lists.flatten().any(|&s| !good(s)) {
            return flaw(format!("a list of possible or detected states has one that is not below {q}"));
        }
        if Place::ALL.iter().any(|place| self.possible.at(*place).is_empty()) {
            return flaw("a place has no possible state: of no configurations everything can be said".into());
        }
        Ok(())
    }

    fn validate_names(&self) -> Result<(), Flaw> {
        let mut seen = HashSet::from(["root", "top", "X", "Y"]);
        let variables = self.variables.iter().map(|v| &v.name);
        for name in variables.chain(self.marks.iter().map(|m| &m.name)).chain(&self.rules) {
            let word = name.starts_with(|c: char| c.is_ascii_alphabetic())
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            if !word {
                return Err(Flaw(format!("`{name}` is no name: a letter, then letters, digits and underscores")));
            }
            if !seen.insert(name) {
                return Err(Flaw(format!("the name `{name}` is taken twice, or is one of root, top, X, Y")));
            }
        }
        Ok(())
    }

    /// How many neighbouring agents the widest move takes: smaller rings cannot be spoken of.
    pub fn width(&self) -> usize {
        self.moves.iter().map(Move::width).max().unwrap_or(1).max(2)
    }
}

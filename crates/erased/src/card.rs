//! What there is to say of an algorithm, as data, and how one is built.

use crate::parameters::LAYERS;
use crate::{Law, Parameter, Parameters, Refusal};
use ringleader_model::Scheduler;

/// Which model an algorithm is written in, and so which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A population protocol.
    Population,
    /// A ring or a line of processes that read their neighbours, with composite atomicity.
    Ring,
    /// Message passing that starts clean and terminates.
    Message,
    /// Message passing with crashes, clocks and arbitrary initial states.
    Robust,
}

impl Kind {
    /// The model in words.
    pub fn describe(self) -> &'static str {
        match self {
            Kind::Population => "population protocol",
            Kind::Ring => "processes that read their neighbours, composite atomicity",
            Kind::Message => "message passing, asynchronous, reliable channels",
            Kind::Robust => "message passing, timed, processes may crash",
        }
    }
}

/// How the agents are connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Arcs (i, i+1): a common sense of direction.
    DirectedRing,
    /// Both arcs of every edge of a ring.
    UndirectedRing,
    /// Everyone meets everyone.
    Complete,
    /// Whatever graph one gives.
    Any,
    /// A ring in which one sends to both neighbours, or reads both.
    BidirectionalRing,
    /// Channels to the right neighbour only.
    UnidirectionalRing,
    /// Processes in a row, with two ends.
    Line,
}

impl Topology {
    /// Where it runs if no graph is given: the complete one, if it may be any.
    pub fn at_hand(self) -> Topology {
        if self == Topology::Any { Topology::Complete } else { self }
    }

    /// Whether the agents stand around a ring, so that the place after the last is the first.
    pub fn is_around(self) -> bool {
        !matches!(self, Topology::Complete | Topology::Any | Topology::Line)
    }

    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Topology::DirectedRing => "directed ring",
            Topology::UndirectedRing => "undirected ring",
            Topology::Complete => "complete graph",
            Topology::Any => "any graph",
            Topology::BidirectionalRing => "bidirectional ring",
            Topology::UnidirectionalRing => "unidirectional ring",
            Topology::Line => "line",
        }
    }
}

/// Other steps in which an algorithm is explored than its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its name on the command line and in traces.
    pub name: &'static str,
    /// Whose steps these are.
    pub meaning: &'static str,
}

/// The card of an algorithm: what it needs, what it promises, and where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Its name on the command line.
    pub name: &'static str,
    /// The text of its source file, so that whoever has the program has the algorithm too.
    pub source: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Authors, title, venue, year, and the place in the paper.
    pub citation: &'static str,
    /// The model.
    pub kind: Kind,
    /// The graph it runs on.
    pub topology: Topology,
    /// Which sizes it takes.
    pub sizes: &'static str,
    /// What the agents know.
    pub knowledge: &'static str,
    /// The scheduler it is run under unless told otherwise.
    pub scheduler: Scheduler,
    /// Under which schedulers the paper claims it right.
    pub assumes: &'static str,
    /// Which oracle it needs, if any.
    pub oracle: Option<&'static str>,
    /// Which channels it needs, if any.
    pub channels: Option<&'static str>,
    /// How many states an agent has.
    pub states: &'static str,
    /// What is claimed.
    pub claim: &'static str,
    /// A size it supports.
    pub default_size: usize,
    /// What else it takes.
    pub parameters: &'static [Parameter],
    /// The rules, as in the paper.
    pub rules: &'static str,
    /// Why it is wrong, for algorithms kept for their flaw.
    pub flaw: Option<&'static str>,
    /// The growth law that is claimed of its expected steps.
    pub law: Option<Law>,
    /// The variable by which pictures shade agents that show nothing else, such as a distance.
    pub shade: Option<&'static str>,
    /// In which other steps it is explored, as published tables count them; the first unless told otherwise.
    pub readings: &'static [Reading],
    /// For a robust algorithm, the weakest system of its paper in which it is claimed right, such as `s2`.
    pub system: Option<&'static str>,
}

impl Card {
    /// A card on which only what every algorithm has is filled in; the rest is `..Card::BLANK`.
    pub const BLANK: Card = Card {
        name: "",
        source: "",
        summary: "",
        citation: "",
        kind: Kind::Population,
        topology: Topology::DirectedRing,
        sizes: "any n",
        knowledge: "nothing",
        scheduler: Scheduler::Random,
        assumes: "",
        oracle: None,
        channels: None,
        states: "",
        claim: "",
        default_size: 3,
        parameters: &[],
        rules: "",
        flaw: None,
        law: None,
        shade: None,
        readings: &[],
        system: None,
    };
}

impl Card {
    /// Refuses names that a command line or a file could not have, and parameters that nobody could give.
    pub fn check(&self) -> Result<(), Refusal> {
        let refuse = |what: &str, name: &str, reason: &str| {
            Err(Refusal::new(format!("{what} cannot be called {name:?}: {reason}")))
        };
        if !is_word(self.name) {
            return refuse("an algorithm", self.name, WORDS);
        }
        for (i, Parameter { name, kind, .. }) in self.parameters.iter().enumerate() {
            let words = kind.words().unwrap_or(&["any"]);
            match () {
                () if !is_word(name) => return refuse("a parameter", name, WORDS),
                () if *name == LAYERS => return refuse("a parameter", name, "files have layers there"),
                () if self.parameters[..i].iter().any(|other| other.name == *name) => {
                    return refuse("two parameters", name, "one is meant where it is given");
                }
                () if words.is_empty() || words.iter().any(|word| !is_word(word)) => {
                    return Err(Refusal::new(format!(
                        "the parameter {name} must have words to choose from, each without spaces"
                    )));
                }
                () => {}
            }
        }
        Ok(())
    }
}

const WORDS: &str = "names have letters, digits, - and _";

/// Whether something can be called so on a command line and in files.
fn is_word(name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().all(inside) && name.starts_with(char::is_alphanumeric)
}

/// What every algorithm file offers the catalog.
pub trait Entry: Sized {
    /// What there is to say of it.
    const CARD: Card;

    /// Builds it; fails only where the rules make no sense.
    fn build(parameters: &Parameters) -> Result<Self, Refusal>;

    /// Whether its paper claims it right at this size; the reason and the place in the paper if not.
    ///
    /// The checker builds unsupported sizes too: showing the failure is its job.
    fn supports(parameters: &Parameters) -> Result<(), Refusal> {
        Self::build(parameters).map(|_| ())
    }

    /// Why there is nothing to build, for an algorithm that has a card only so that nobody searches in vain.
    const ABSENT: Option<&'static str> = None;
}

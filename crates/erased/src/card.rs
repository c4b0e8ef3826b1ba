//! The description of an algorithm as data, and its construction.

use crate::parameters::LAYERS;
use crate::{Law, Parameter, Parameters, Refusal};
use ringleader_model::graph::Family;
use ringleader_model::{Graph, GraphError, NoCoin, Scheduler, Shape};

/// The model of an algorithm, which determines the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A population protocol.
    Population,
    /// A ring or a line of processes that read their neighbours, with composite atomicity.
    Ring,
    /// Processes of any graph that read all their neighbours, with composite atomicity.
    Graph,
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
            Kind::Ring | Kind::Graph => "processes that read their neighbours, composite atomicity",
            Kind::Message => "message passing, asynchronous, reliable channels",
            Kind::Robust => "message passing, timed, processes may crash",
        }
    }

    /// The model's word for one of its participants.
    pub fn member(self) -> &'static str {
        match self {
            Kind::Population => "agent",
            Kind::Ring | Kind::Graph | Kind::Message | Kind::Robust => "process",
        }
    }

    /// The model's word for several of its participants.
    pub fn members(self) -> &'static str {
        match self {
            Kind::Population => "agents",
            Kind::Ring | Kind::Graph | Kind::Message | Kind::Robust => "processes",
        }
    }
}

/// The communication graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Arcs (i, i+1): a common sense of direction.
    DirectedRing,
    /// Both arcs of every edge of a ring.
    UndirectedRing,
    /// Any two agents may meet.
    Complete,
    /// Any given graph.
    Any,
    /// Any given graph without a cycle.
    Tree,
    /// A ring in which a process sends to both neighbours, or reads both.
    BidirectionalRing,
    /// Channels to the right neighbour only.
    UnidirectionalRing,
    /// Processes in a row, with two ends.
    Line,
}

impl Topology {
    /// The topology to use if no graph is given: the complete graph, if any graph is possible, and the line, if any tree is.
    pub fn at_hand(self) -> Topology {
        match self {
            Topology::Any => Topology::Complete,
            Topology::Tree => Topology::Line,
            other => other,
        }
    }

    /// The graph to use if none is given.
    ///
    /// ```
    /// use ringleader_erased::Topology;
    ///
    /// assert_eq!(Topology::Any.graph(4)?.words(), "complete graph");
    /// assert_eq!(Topology::Tree.graph(4)?.words(), "line");
    /// # Ok::<(), ringleader_model::GraphError>(())
    /// ```
    pub fn graph(self, size: usize) -> Result<Graph, GraphError> {
        match self.at_hand() {
            Topology::Line => Family::Line.graph(size, &mut NoCoin),
            other => Graph::shaped(other.shape(), size),
        }
    }

    /// The shape of a population protocol's graph if none is given.
    pub fn shape(self) -> Shape {
        match self.at_hand() {
            Topology::Complete => Shape::Complete,
            Topology::UndirectedRing => Shape::UndirectedRing,
            _ => Shape::DirectedRing,
        }
    }

    /// Whether a protocol for this topology makes sense on a graph.
    pub fn suits(self, graph: &Graph) -> bool {
        match self {
            Topology::Any => true,
            Topology::Tree => graph.cycle().is_none(),
            _ => graph.has_shape(self.shape()),
        }
    }

    /// Whether the agents form a ring, so that the place after the last is the first.
    pub fn is_around(self) -> bool {
        !matches!(self, Topology::Complete | Topology::Any | Topology::Tree | Topology::Line)
    }

    /// The topology in words.
    pub fn describe(self) -> &'static str {
        match self {
            Topology::DirectedRing => "directed ring",
            Topology::UndirectedRing => "undirected ring",
            Topology::Complete => "complete graph",
            Topology::Any => "any graph",
            Topology::Tree => "tree",
            Topology::BidirectionalRing => "bidirectional ring",
            Topology::UnidirectionalRing => "unidirectional ring",
            Topology::Line => "line",
        }
    }
}

/// An alternative step granularity in which an algorithm is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its name on the command line and in traces.
    pub name: &'static str,
    /// The meaning of these steps.
    pub meaning: &'static str,
}

/// The card of an algorithm: requirements, promises and source.
#[derive(Clone, Copy, Debug)]
pub struct Card {
    /// Its name on the command line.
    pub name: &'static str,
    /// The text of its source file, so that the program contains the algorithm's text.
    pub source: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// Authors, title, venue, year, and the place in the paper.
    pub citation: &'static str,
    /// The model.
    pub kind: Kind,
    /// The graph it runs on.
    pub topology: Topology,
    /// The supported sizes.
    pub sizes: &'static str,
    /// The knowledge of the agents.
    pub knowledge: &'static str,
    /// The default scheduler.
    pub scheduler: Scheduler,
    /// The schedulers under which the paper claims correctness.
    pub assumes: &'static str,
    /// The oracle it needs, if any.
    pub oracle: Option<&'static str>,
    /// The channels it needs, if any.
    pub channels: Option<&'static str>,
    /// The number of states of an agent.
    pub states: &'static str,
    /// The claim of the paper.
    pub claim: &'static str,
    /// A size it supports.
    pub default_size: usize,
    /// Its parameters besides the size.
    pub parameters: &'static [Parameter],
    /// The rules, as in the paper.
    pub rules: &'static str,
    /// The flaw, for algorithms that are kept as wrong examples.
    pub flaw: Option<&'static str>,
    /// The growth law that is claimed of its expected steps.
    pub law: Option<Law>,
    /// The variable that pictures use as shade for agents without other marks, such as a distance.
    pub shade: Option<&'static str>,
    /// A condition on each process `i` that holds infinitely often from the safe set on, as the paper promises: its name and
    /// its text. The promise of a protocol in text is in the text.
    pub recurring: Option<(&'static str, &'static str)>,
    /// The alternative step granularities, as published tables count them. The first is the default.
    pub readings: &'static [Reading],
    /// For a robust algorithm, the weakest system of its paper in which it is claimed to be correct, such as `s2`.
    pub system: Option<&'static str>,
}

impl Card {
    /// A card with only the fields that every algorithm has; the other fields come from `..Card::BLANK`.
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
        recurring: None,
        readings: &[],
        system: None,
    };
}

impl Card {
    /// Refuses names that a command line or a file cannot contain, and parameters that cannot be given.
    pub fn check(&self) -> Result<(), Refusal> {
        let refuse = |what: &str, name: &str, reason: &str| {
            Err(Refusal::new(format!("{what} cannot have the name {name:?}: {reason}")))
        };
        if !is_word(self.name) {
            return refuse("an algorithm", self.name, WORDS);
        }
        for (i, Parameter { name, kind, .. }) in self.parameters.iter().enumerate() {
            let words = kind.words().unwrap_or(&["any"]);
            match () {
                () if !is_word(name) => return refuse("a parameter", name, WORDS),
                () if *name == LAYERS => return refuse("a parameter", name, "the name is reserved for layers"),
                () if self.parameters[..i].iter().any(|other| other.name == *name) => {
                    return refuse("two parameters", name, "names must be distinct");
                }
                () if words.is_empty() || words.iter().any(|word| !is_word(word)) => {
                    return Err(Refusal::new(format!(
                        "the parameter {name} must list its possible words, without spaces"
                    )));
                }
                () => {}
            }
        }
        Ok(())
    }
}

const WORDS: &str = "names consist of letters, digits, - and _";

/// Whether a command line and files can contain this name.
fn is_word(name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    name.chars().all(inside) && name.starts_with(char::is_alphanumeric)
}

/// The interface of an algorithm file to the catalog.
pub trait Entry: Sized {
    /// The description of the algorithm.
    const CARD: Card;

    /// Builds the algorithm. Fails only if the rules are undefined for these parameters.
    fn build(parameters: &Parameters) -> Result<Self, Refusal>;

    /// Whether the paper claims correctness at this size. The refusal gives the reason and the place in the paper.
    ///
    /// The checker builds unsupported sizes too, in order to show the failure.
    fn supports(parameters: &Parameters) -> Result<(), Refusal> {
        Self::build(parameters).map(|_| ())
    }

    /// The reason why there is no implementation, for an algorithm that has only a card so that a search finds its
    /// name.
    const ABSENT: Option<&'static str> = None;
}

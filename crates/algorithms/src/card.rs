//! What there is to say of an algorithm, as data.

use ringleader_model::Scheduler;

/// Which model an algorithm is written in, and so which engine runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A population protocol.
    Population,
    /// A unidirectional ring with composite atomicity.
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
            Kind::Ring => "unidirectional ring, composite atomicity, central daemon",
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
    /// Channels to both neighbours on a ring.
    BidirectionalRing,
    /// Channels to the right neighbour only.
    UnidirectionalRing,
}

impl Topology {
    /// In words.
    pub fn describe(self) -> &'static str {
        match self {
            Topology::DirectedRing => "directed ring",
            Topology::UndirectedRing => "undirected ring",
            Topology::Complete => "complete graph",
            Topology::BidirectionalRing => "bidirectional ring",
            Topology::UnidirectionalRing => "unidirectional ring",
        }
    }
}

/// Something an algorithm must be told besides the size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name on the command line and in configuration files.
    pub name: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What it is when not given, in words.
    pub default: &'static str,
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
}

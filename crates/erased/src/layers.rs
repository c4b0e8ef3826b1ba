//! The layers around an algorithm.

use crate::{Card, Kind, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader_model::Scheduler;
use std::fmt;
use std::str::FromStr;

/// One layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
pub enum Layer {
    /// Simulates a directed ring on an undirected one.
    Undirected,
    /// Implements Ω? with distances.
    Distance,
    /// Implements Ω? with timeouts.
    Timer,
    /// Makes every schedule alternating.
    Alternator,
    /// Reads one register, or writes one, in a step.
    #[strum(to_string = "read-write")]
    ReadWrite,
}

/// The replacement of the leader detector Ω?.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DetectorLayer {
    /// Distances to the nearest leader, up to a bound N on the size.
    Distance,
    /// Keep-alives and countdowns.
    Timer,
}

impl DetectorLayer {
    /// The corresponding layer.
    pub fn layer(self) -> Layer {
        match self {
            DetectorLayer::Distance => Layer::Distance,
            DetectorLayer::Timer => Layer::Timer,
        }
    }
}

/// The layers that a user requests, written as a list of words.
///
/// ```
/// use ringleader_erased::Layers;
/// let layers: Layers = "undirected,distance".parse().unwrap();
/// assert_eq!(layers.to_string(), "undirected,distance");
/// assert!("undirected,sideways".parse::<Layers>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// A protocol for directed rings runs on an undirected one, above a colouring and an orientation.
    pub undirected: bool,
    /// A protocol that needs Ω? runs without an oracle.
    pub detector: Option<DetectorLayer>,
    /// A ring algorithm runs behind the alternator, under every schedule.
    pub alternator: bool,
    /// The processes of a ring, a line or a graph read and write in separate steps.
    pub read_write: bool,
}

impl Layers {
    /// The parameters of all layers.
    pub const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "bound",
            meaning: "N, an upper bound on the size, for the distance layer",
            default: "the size",
            kind: ParameterKind::Number,
        },
        Parameter {
            name: "timer",
            meaning: "T, where countdowns start, for the timer layer",
            default: "20 times the size",
            kind: ParameterKind::Number,
        },
    ];

    /// The parameters of these layers.
    pub fn parameters(self) -> &'static [Parameter] {
        match self.detector {
            None => &[],
            Some(DetectorLayer::Distance) => &Layers::PARAMETERS[..1],
            Some(DetectorLayer::Timer) => &Layers::PARAMETERS[1..],
        }
    }

    /// The graph that the wrapped algorithm runs on.
    pub fn topology(self, card: &Card) -> Topology {
        if self.undirected { Topology::UndirectedRing } else { card.topology }
    }

    /// The oracle that the wrapped algorithm needs, if any.
    pub fn oracle(self, card: &Card) -> Option<&'static str> {
        card.oracle.filter(|_| self.detector.is_none())
    }

    /// The default scheduler of the wrapped algorithm.
    pub fn scheduler(self, card: &Card) -> Scheduler {
        if self.alternator { Scheduler::Random } else { card.scheduler }
    }

    /// The scheduler under which the wrapped algorithm is checked and explored if no other is chosen: its own. An alternator
    /// works under every daemon, so the strongest claim is checked.
    pub fn checked_under(self, card: &Card) -> Scheduler {
        if self.alternator { Scheduler::Unfair } else { card.scheduler }
    }

    /// The variable that pictures use as shade for the agents of the wrapped algorithm.
    pub fn shade(self, card: &Card) -> Option<&'static str> {
        card.shade.or(self.detector.map(|layer| match layer {
            DetectorLayer::Distance => "dist",
            DetectorLayer::Timer => "countdown",
        }))
    }

    /// Refuses layers that do not apply to an algorithm, with the reason.
    pub fn suit(self, card: &Card) -> Result<(), Refusal> {
        let refuse =
            |layer: Layer, reason: String| Err(Refusal::Unsuited { layer, algorithm: card.name.into(), reason });
        let (kind, topology) = (card.kind.describe(), card.topology.describe());
        if self.undirected && (card.kind, card.topology) != (Kind::Population, Topology::DirectedRing) {
            let reason = format!("it is for population protocols on directed rings ({kind}; {topology})");
            return refuse(Layer::Undirected, reason);
        }
        if self.alternator && card.kind != Kind::Ring {
            return refuse(Layer::Alternator, format!("it is for rings with composite atomicity ({kind})"));
        }
        if self.read_write && !matches!(card.kind, Kind::Ring | Kind::Graph) {
            return refuse(Layer::ReadWrite, format!("it is for processes that read their neighbours ({kind})"));
        }
        match self.detector {
            Some(layer) if card.oracle.is_none() => refuse(layer.layer(), "it needs no oracle".into()),
            Some(DetectorLayer::Distance) if card.topology != Topology::DirectedRing => refuse(
                Layer::Distance,
                format!("on a {topology} two followers count each other up to N beside a leader"),
            ),
            _ => Ok(()),
        }
    }

    /// Refuses sizes that a layer does not support.
    pub fn supports(self, parameters: &Parameters) -> Result<(), Refusal> {
        let size = parameters.size;
        if self.undirected && size < 3 {
            let needs = format!("at least 3 agents, not {size}: with two, both neighbours are the same agent");
            return Err(Refusal::Layer { layer: Layer::Undirected, needs });
        }
        match self.detector {
            Some(DetectorLayer::Distance) => self.bound(parameters).map(|_| ()),
            Some(DetectorLayer::Timer) => self.timer(parameters).map(|_| ()),
            None => Ok(()),
        }
    }

    /// N of the distance layer.
    pub fn bound(self, parameters: &Parameters) -> Result<u32, Refusal> {
        let bound = parameters.number("bound")?.unwrap_or(parameters.size as u64);
        if bound < parameters.size as u64 || bound > 1 << 30 {
            let needs = format!(
                "a bound in n..2^30, but n = {} and N = {bound}: with more agents than the bound, a distance of N no longer \
                 means that there is no leader",
                parameters.size
            );
            return Err(Refusal::Layer { layer: Layer::Distance, needs });
        }
        Ok(bound as u32)
    }

    /// T of the timer layer.
    pub fn timer(self, parameters: &Parameters) -> Result<u32, Refusal> {
        let limit = parameters.number("timer")?.unwrap_or(20 * parameters.size as u64);
        if !(2..=1 << 30).contains(&limit) {
            return Err(Refusal::new(format!("timer must be in 2..2^30, not {limit}")));
        }
        Ok(limit as u32)
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            self.undirected.then_some(Layer::Undirected),
            self.detector.map(DetectorLayer::layer),
            self.alternator.then_some(Layer::Alternator),
            self.read_write.then_some(Layer::ReadWrite),
        ];
        f.pad(&words.into_iter().flatten().map(|layer| layer.to_string()).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Layers {
    type Err = Refusal;
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let mut layers = Layers::default();
        for word in text.split(',').filter(|word| !word.is_empty()) {
            match word {
                "undirected" => layers.undirected = true,
                "alternator" => layers.alternator = true,
                "read-write" => layers.read_write = true,
                "distance" if layers.detector.is_none() => layers.detector = Some(DetectorLayer::Distance),
                "timer" if layers.detector.is_none() => layers.detector = Some(DetectorLayer::Timer),
                _ => {
                    return Err(Refusal::new(format!(
                        "{text:?} is no list of layers: there are undirected, alternator, read-write and one of distance and timer"
                    )));
                }
            }
        }
        Ok(layers)
    }
}

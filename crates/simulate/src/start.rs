//! Where a run starts.

use crate::Generator;
use ringleader_erased::{Number, PopulationInstance, RingInstance};
use ringleader_model::text::Document;
use ringleader_model::{Goal, Marks, ParseError, Place, Population, Ring, Safety, Stabilizing, View, corrupt};
use std::fmt;

/// A self-stabilizing algorithm of either model, its states numbers: what a start and a fault must know of it.
pub trait Instance: Send + Sync {
    /// What it promises.
    fn promises(&self) -> (Goal, Safety);

    /// An arbitrary state.
    fn arbitrary(&self, coin: &mut Generator) -> Number;

    /// What an agent shows of itself among others in the same state.
    fn alone(&self, state: Number) -> Marks;

    /// Puts back what no fault can change.
    fn put_back(&self, configuration: &mut [Number]);

    /// Reads the states of a configuration file.
    fn read(&self, document: &Document) -> Result<Vec<Number>, ParseError>;

    /// What the agents of a ring in these states show in a picture.
    fn show(&self, states: &[Number]) -> Vec<Marks>;

    /// All marks that occur in many arbitrary configurations of a few agents, for a legend.
    fn marks_seen(&self) -> Marks {
        let mut coin = Generator::new(0);
        let arbitrary = |_| {
            let mut states: Vec<Number> = (0..4).map(|_| self.arbitrary(&mut coin)).collect();
            self.put_back(&mut states);
            self.show(&states)
        };
        (0..500).flat_map(arbitrary).fold(Marks::NONE, |all, marks| all | marks)
    }
}

macro_rules! instance {
    ($instance:ty, |$self:ident, $state:ident| $alone:expr, |$states:ident| $shown:expr) => {
        impl Instance for $instance {
            fn promises(&self) -> (Goal, Safety) {
                (self.goal(), self.safety())
            }

            fn arbitrary(&self, coin: &mut Generator) -> Number {
                corrupt::arbitrary(self, coin)
            }

            fn alone(&$self, $state: Number) -> Marks {
                $alone
            }

            fn show(&$self, $states: &[Number]) -> Vec<Marks> {
                $shown
            }

            fn put_back(&self, configuration: &mut [Number]) {
                self.restore(configuration);
            }

            fn read(&self, document: &Document) -> Result<Vec<Number>, ParseError> {
                document.states(self)
            }
        }
    };
}

instance!(PopulationInstance, |self, state| self.marks_of(state.0), |states| self.drawn(states));
instance!(
    RingInstance,
    |self, state| {
        let Number(state) = state;
        self.marks_of(View { at: Place::Other, left: state, own: state, right: state })
    },
    |states| (0..states.len()).map(|i| self.marks(View::of(states, i, self.chain()))).collect()
);

/// Where a run starts. [`str::parse`] reads the name of every start but a given one.
#[derive(Clone, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Start {
    /// Every agent in an arbitrary state.
    Arbitrary,
    /// Every variable at its least value, or an algorithm's own clean start where it has one.
    Clean,
    /// Every agent in an arbitrary state of a leader.
    AllLeaders,
    /// Every agent in an arbitrary state of none.
    NoLeader,
    /// The configuration of a file.
    #[strum(disabled)]
    Given(Document),
}

impl fmt::Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Start::Arbitrary => "arbitrary",
            Start::Clean => "clean",
            Start::AllLeaders => "all leaders",
            Start::NoLeader => "no leader",
            Start::Given(_) => "a given configuration",
        })
    }
}

/// Why there is no such start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// No configuration is all leaders (`true`), or without one.
    Impossible {
        /// Whether all were to be leaders.
        leaders: bool,
    },
    /// The states of the file cannot be read.
    Unreadable(ParseError),
    /// The file has another number of agents.
    WrongSize {
        /// How many it has.
        given: usize,
        /// How many there are.
        expected: usize,
    },
    /// It contradicts what the algorithm is given.
    ChangesGiven,
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Impossible { leaders: true } => f.write_str("this algorithm has no start with all leaders"),
            StartError::Impossible { leaders: false } => f.write_str("this algorithm has no start with no leader"),
            StartError::Unreadable(error) => error.fmt(f),
            StartError::WrongSize { given, expected } => {
                write!(f, "the configuration has {given} agents, but there are {expected}")
            }
            StartError::ChangesGiven => {
                f.write_str("it changes what this algorithm is given, such as which agent is the leader")
            }
        }
    }
}

impl std::error::Error for StartError {}

impl From<ParseError> for StartError {
    fn from(error: ParseError) -> Self {
        StartError::Unreadable(error)
    }
}

/// At least one state in a few hundred is a leader's, in every algorithm that has one.
const TRIES: usize = 100_000;

impl Start {
    /// Whether all are to be leaders, or none, or anything.
    pub(crate) fn wanted(&self) -> Option<bool> {
        match self {
            Start::AllLeaders => Some(true),
            Start::NoLeader => Some(false),
            _ => None,
        }
    }

    /// The states of a configuration of so many agents.
    pub fn states(
        &self,
        algorithm: &dyn Instance,
        size: usize,
        coin: &mut Generator,
    ) -> Result<Vec<Number>, StartError> {
        match self {
            Start::Clean => Ok(vec![Number(0); size]),
            Start::Given(document) => of_size(algorithm.read(document)?, size),
            _ => self.draw(size, |_| algorithm.arbitrary(coin), |_, state| algorithm.alone(*state).leader()),
        }
    }

    /// Draws states one by one; a state that is not wanted is drawn again.
    pub(crate) fn draw<S>(
        &self,
        size: usize,
        mut arbitrary: impl FnMut(usize) -> S,
        leads: impl Fn(usize, &S) -> bool,
    ) -> Result<Vec<S>, StartError> {
        let wanted = self.wanted();
        let mut one = |agent| {
            let mut states = (0..TRIES).map(|_| arbitrary(agent));
            let found = states.find(|state| wanted.is_none_or(|wanted| leads(agent, state) == wanted));
            found.ok_or(StartError::Impossible { leaders: wanted == Some(true) })
        };
        (0..size).map(&mut one).collect()
    }

    /// Puts back what no start can change; one that says otherwise is refused.
    pub fn put_back(&self, algorithm: &dyn Instance, mut states: Vec<Number>) -> Result<Vec<Number>, StartError> {
        let given = states.clone();
        algorithm.put_back(&mut states);
        let promised = matches!(self, Start::Given(_) | Start::AllLeaders | Start::NoLeader);
        if promised && given != states { Err(StartError::ChangesGiven) } else { Ok(states) }
    }

    /// The same start for many elections of so many agents.
    pub(crate) fn repeated(&self, algorithm: &dyn Instance, size: usize) -> Result<Repeated, StartError> {
        let fixed = matches!(self, Start::Clean | Start::Given(_));
        let mut coin = Generator::new(0);
        let Some(wanted) = self.wanted() else {
            let states = fixed.then(|| self.states(algorithm, size, &mut coin)).transpose()?;
            return Ok(states.map_or(Repeated::Random(None), Repeated::States));
        };
        let impossible = StartError::Impossible { leaders: wanted };
        let leads = |state: Number| algorithm.alone(state).leader();
        let repeated = Repeated::Random(Some(wanted));
        if !(0..TRIES).any(|_| leads(algorithm.arbitrary(&mut coin)) == wanted) {
            return Err(impossible);
        }
        let kept = repeated.states(algorithm, 3, &mut coin).iter().all(|&state| leads(state) == wanted);
        if kept { Ok(repeated) } else { Err(impossible) }
    }
}

pub(crate) fn of_size<S>(states: Vec<S>, expected: usize) -> Result<Vec<S>, StartError> {
    let given = states.len();
    if given == expected { Ok(states) } else { Err(StartError::WrongSize { given, expected }) }
}

/// A start that is known to be possible.
#[derive(Clone, Debug)]
pub(crate) enum Repeated {
    /// Every agent in a state chosen uniformly: any at all, or only leaders' (`Some(true)`) or others' (`Some(false)`).
    Random(Option<bool>),
    /// These states.
    States(Vec<Number>),
}

impl Repeated {
    pub(crate) fn states(&self, algorithm: &dyn Instance, size: usize, coin: &mut Generator) -> Vec<Number> {
        let mut states = match self {
            Repeated::States(states) => states.clone(),
            Repeated::Random(wanted) => {
                let mut one = || loop {
                    let state = algorithm.arbitrary(coin);
                    if wanted.is_none_or(|wanted| algorithm.alone(state).leader() == wanted) {
                        return state;
                    }
                };
                (0..size).map(|_| one()).collect()
            }
        };
        algorithm.put_back(&mut states);
        states
    }
}

//! The start of a run.

use crate::Generator;
use crate::stabilizing::StabilizingInstance;
use ringleader_erased::Number;
use ringleader_model::text::Document;
use ringleader_model::{ParseError, corrupt};

/// The start of a run. [`str::parse`] reads the name of every start but `Given`.
#[derive(Clone, Debug, PartialEq, Eq, strum::Display, strum::EnumString)]
#[strum(serialize_all = "kebab-case")]
pub enum Start {
    /// Every agent in an arbitrary state.
    Arbitrary,
    /// Every variable at its least value, or an algorithm's own clean start where it has one.
    Clean,
    /// Every agent in an arbitrary leader state.
    AllLeaders,
    /// Every agent in an arbitrary state that is no leader's.
    NoLeader,
    /// The configuration of a file.
    #[strum(disabled)]
    Given(Document),
}

/// The reason why a start is impossible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// No configuration is all leaders (`true`), or without one.
    #[error("this algorithm has no start with {}", if *leaders { "all leaders" } else { "no leader" })]
    Impossible {
        /// Whether all agents were to be leaders.
        leaders: bool,
    },
    /// The states of the file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ParseError),
    /// The file has another number of agents.
    #[error("the configuration has {given} agents, but there are {expected}")]
    WrongSize {
        /// The number of agents in the file.
        given: usize,
        /// The number of agents of the run.
        expected: usize,
    },
    /// The start changes a variable that is given to the algorithm.
    #[error("it changes what this algorithm is given, such as which agent is the leader")]
    ChangesGiven,
}

/// The most draws of a state: in every algorithm with leaders, at least one state in a few hundred is a leader's.
const TRIES: usize = 100_000;

impl Start {
    /// `Some(true)` for all leaders, `Some(false)` for none, `None` for any states.
    pub(crate) fn wanted(&self) -> Option<bool> {
        match self {
            Start::AllLeaders => Some(true),
            Start::NoLeader => Some(false),
            _ => None,
        }
    }

    /// The states of a configuration of `size` agents.
    pub fn states(
        &self,
        algorithm: &dyn StabilizingInstance,
        size: usize,
        coin: &mut Generator,
    ) -> Result<Vec<Number>, StartError> {
        match self {
            Start::Clean => Ok(vec![Number(0); size]),
            Start::Given(document) => of_size(document.states(algorithm)?, size),
            _ => self.draw(size, |_| corrupt::arbitrary(algorithm, coin), |_, state| algorithm.alone(*state).leader()),
        }
    }

    /// Draws states one by one; an unwanted state is drawn again.
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

    /// Restores the fixed variables. A start that promises other values of them is refused.
    pub fn put_back(
        &self,
        algorithm: &dyn StabilizingInstance,
        mut states: Vec<Number>,
    ) -> Result<Vec<Number>, StartError> {
        let given = states.clone();
        algorithm.restore(&mut states);
        let promised = matches!(self, Start::Given(_) | Start::AllLeaders | Start::NoLeader);
        if promised && given != states { Err(StartError::ChangesGiven) } else { Ok(states) }
    }

    /// The same start for many elections of `size` agents.
    pub(crate) fn repeated(&self, algorithm: &dyn StabilizingInstance, size: usize) -> Result<Repeated, StartError> {
        let fixed = matches!(self, Start::Clean | Start::Given(_));
        let mut coin = Generator::new(0);
        let Some(wanted) = self.wanted() else {
            let states = fixed.then(|| self.states(algorithm, size, &mut coin)).transpose()?;
            return Ok(states.map_or(Repeated::Random(None), Repeated::States));
        };
        let impossible = StartError::Impossible { leaders: wanted };
        let leads = |state: Number| algorithm.alone(state).leader();
        let repeated = Repeated::Random(Some(wanted));
        if !(0..TRIES).any(|_| leads(corrupt::arbitrary(algorithm, &mut coin)) == wanted) {
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

/// A start that was found possible.
#[derive(Clone, Debug)]
pub(crate) enum Repeated {
    /// Every agent in a uniformly random state: any state, or only leaders' (`Some(true)`) or others' (`Some(false)`).
    Random(Option<bool>),
    /// These states.
    States(Vec<Number>),
}

impl Repeated {
    pub(crate) fn states(&self, algorithm: &dyn StabilizingInstance, size: usize, coin: &mut Generator) -> Vec<Number> {
        let mut states = match self {
            Repeated::States(states) => states.clone(),
            Repeated::Random(wanted) => {
                let mut one = || loop {
                    let state = corrupt::arbitrary(algorithm, coin);
                    if wanted.is_none_or(|wanted| algorithm.alone(state).leader() == wanted) {
                        return state;
                    }
                };
                (0..size).map(|_| one()).collect()
            }
        };
        algorithm.restore(&mut states);
        states
    }
}

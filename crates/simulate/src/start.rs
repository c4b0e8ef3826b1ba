//! The start of a run.

use crate::Generator;
use crate::stabilizing::StabilizingInstance;
use ringleader_erased::Number;
use ringleader_model::text::Document;
use ringleader_model::{Coin as _, ParseError};
use std::fmt;
use std::sync::Arc;

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
    /// This many agents in each state, in random places.
    #[strum(disabled)]
    Counted(Vec<(Number, usize)>),
    /// A random one of the configurations that meet a condition.
    #[strum(disabled)]
    Among(Among),
}

type Holds = Arc<dyn Fn(&[Number]) -> bool + Send + Sync>;
type Allows = Arc<dyn Fn(usize, Number) -> bool + Send + Sync>;

/// The configurations that meet a condition. Two are equal if their names are.
///
/// ```
/// use ringleader_erased::Number;
/// use ringleader_simulate::Among;
/// let among = Among::new("one agent differs", |states| states.iter().filter(|state| state.0 == 1).count() == 1);
/// assert_eq!(among.to_string(), "one agent differs");
/// ```
#[derive(Clone)]
pub struct Among {
    name: String,
    holds: Holds,
    allows: Option<Allows>,
}

impl Among {
    /// The configurations for which a condition holds, with its name.
    pub fn new(name: &str, holds: impl Fn(&[Number]) -> bool + Send + Sync + 'static) -> Among {
        Among { name: name.into(), holds: Arc::new(holds), allows: None }
    }

    /// The same. Where `allows` is false, no such configuration has the agent in the state: such states are not drawn.
    #[must_use]
    pub fn allowing(self, allows: impl Fn(usize, Number) -> bool + Send + Sync + 'static) -> Among {
        Among { allows: Some(Arc::new(allows)), ..self }
    }

    /// One of these configurations, each with the same probability as when all are drawn; `None` if none is found.
    fn draw(&self, algorithm: &dyn StabilizingInstance, size: usize, coin: &mut Generator) -> Option<Vec<Number>> {
        for _ in 0..(MOST_DRAWN / size.max(1)).clamp(100, TRIES) {
            let one = |agent| {
                let mut drawn = (0..TRIES).map(|_| algorithm.arbitrary(agent, coin));
                drawn.find(|&state| self.allows.as_ref().is_none_or(|allows| allows(agent, state)))
            };
            let mut states: Vec<Number> = (0..size).map(one).collect::<Option<_>>()?;
            algorithm.restore(&mut states);
            if (self.holds)(&states) {
                return Some(states);
            }
        }
        None
    }
}

impl PartialEq for Among {
    fn eq(&self, other: &Among) -> bool {
        self.name == other.name
    }
}

impl Eq for Among {}

impl fmt::Debug for Among {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Among").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for Among {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// These states in random places, each arrangement with the same probability, as far as given variables allow.
fn arranged(
    counts: &[(Number, usize)],
    algorithm: &dyn StabilizingInstance,
    coin: &mut Generator,
) -> Result<Vec<Number>, StartError> {
    let mut states: Vec<Number> = counts.iter().flat_map(|&(state, count)| vec![state; count]).collect();
    for _ in 0..(MOST_DRAWN / states.len().max(1)).clamp(100, TRIES) {
        for last in (1..states.len()).rev() {
            let other = coin.below(last as u32 + 1) as usize;
            states.swap(last, other);
        }
        let mut restored = states.clone();
        algorithm.restore(&mut restored);
        if restored == states {
            return Ok(states);
        }
    }
    Err(StartError::ChangesGiven)
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
    /// No configuration that meets the condition was drawn.
    #[error(
        "no start that meets `{0}` was found among many random configurations: give the counts of the states, or the file of a \
         configuration"
    )]
    Rare(String),
}

/// The most draws of a state: in every algorithm with leaders, at least one state in a few hundred is a leader's.
const TRIES: usize = 100_000;
/// The most states of agents that are drawn in search of one configuration.
const MOST_DRAWN: usize = 1 << 26;

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
            Start::Counted(counts) => of_size(arranged(counts, algorithm, coin)?, size),
            Start::Among(among) => {
                among.draw(algorithm, size, coin).ok_or_else(|| StartError::Rare(among.name.clone()))
            }
            _ => self.draw(size, |agent| algorithm.arbitrary(agent, coin), |_, state| algorithm.alone(*state).leader()),
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
        let mut states = Vec::with_capacity(size);
        for agent in 0..size {
            let mut drawn = (0..TRIES).map(|_| arbitrary(agent));
            let found = drawn.find(|state| wanted.is_none_or(|wanted| leads(agent, state) == wanted));
            states.push(found.ok_or(StartError::Impossible { leaders: wanted == Some(true) })?);
        }
        Ok(states)
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

    /// The same start for many elections of `size` agents, which are listed or only counted.
    pub(crate) fn repeated(
        &self,
        algorithm: &dyn StabilizingInstance,
        size: usize,
        listed: bool,
    ) -> Result<Repeated, StartError> {
        let mut coin = Generator::new(0);
        match self {
            Start::Arbitrary => {}
            Start::Clean | Start::Given(_) => return self.states(algorithm, size, &mut coin).map(Repeated::States),
            // Agents that are only counted have no places.
            Start::Counted(counts) if !listed => match counts.iter().map(|(_, count)| count).sum() {
                given if given == size => {}
                given => return Err(StartError::WrongSize { given, expected: size }),
            },
            Start::Counted(_) => drop(self.states(algorithm, size, &mut coin)?),
            // A start that is found several times will be found again.
            Start::Among(_) => (0..3).try_for_each(|_| self.states(algorithm, size, &mut coin).map(drop))?,
            Start::AllLeaders | Start::NoLeader => {
                let leaders = *self == Start::AllLeaders;
                let mut states = self.states(algorithm, algorithm.size().unwrap_or(3), &mut coin)?;
                algorithm.restore(&mut states);
                if states.iter().any(|&state| algorithm.alone(state).leader() != leaders) {
                    return Err(StartError::Impossible { leaders });
                }
            }
        }
        Ok(Repeated::Drawn(self.clone()))
    }
}

pub(crate) fn of_size<S>(states: Vec<S>, expected: usize) -> Result<Vec<S>, StartError> {
    let given = states.len();
    if given == expected { Ok(states) } else { Err(StartError::WrongSize { given, expected }) }
}

/// A start that was found possible.
#[derive(Clone, Debug)]
pub(crate) enum Repeated {
    /// These states.
    States(Vec<Number>),
    /// States that are drawn for each run.
    Drawn(Start),
}

impl Repeated {
    pub(crate) fn states(&self, algorithm: &dyn StabilizingInstance, size: usize, coin: &mut Generator) -> Vec<Number> {
        let mut states = match self {
            Repeated::States(states) => states.clone(),
            Repeated::Drawn(start) => loop {
                if let Ok(states) = start.states(algorithm, size, coin) {
                    break states;
                }
            },
        };
        algorithm.restore(&mut states);
        states
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_erased::{GraphInstance, PopulationInstance};
    use ringleader_model::graph::Neighbours;
    use ringleader_model::{
        Coin, Goal, Graph, Marks, Networked, Population, Stabilizing, Told, Variables, Vicinity, Visitor,
    };
    use std::collections::BTreeMap;

    /// Three states; the first agent is never in the last one.
    struct Three;

    impl Variables for Three {
        type State = u8;
        fn variables(&self, s: &mut u8, v: &mut dyn Visitor) {
            v.range("s", 0, 2, s);
        }
    }

    impl Population for Three {
        fn interact(&self, u: u8, v: u8, _: Told, _: &mut impl Coin) -> (u8, u8) {
            (u, v)
        }
        fn marks(&self, _: &u8) -> Marks {
            Marks::NONE
        }
    }

    impl Stabilizing for Three {
        fn goal(&self) -> Goal {
            Goal::Holds("nothing")
        }
        fn correct(&self, _: &[u8]) -> bool {
            true
        }
        fn restore(&self, c: &mut [u8]) {
            c[0] = c[0].min(1);
        }
    }

    const RUNS: u32 = 12_000;

    /// The frequency of each configuration of four agents.
    fn drawn(start: &Start) -> BTreeMap<Vec<u64>, u32> {
        let three = PopulationInstance::new(Three).unwrap();
        let repeated = start.repeated(&three, 4, true).unwrap();
        let mut seen = BTreeMap::new();
        for run in 0..RUNS {
            let states = repeated.states(&three, 4, &mut Generator::stream(7, run.into()));
            *seen.entry(states.iter().map(|state| state.0).collect()).or_default() += 1;
        }
        seen
    }

    /// All configurations of which the first agent may be in its state.
    fn all() -> impl Iterator<Item = Vec<u64>> {
        (0..81).map(|c| vec![c % 3, c / 3 % 3, c / 9 % 3, c / 27]).filter(|c| c[0] < 2)
    }

    fn uniform(seen: &BTreeMap<Vec<u64>, u32>, expected: &[Vec<u64>]) {
        assert!(seen.keys().eq(expected), "{seen:?}");
        let mean = f64::from(RUNS) / expected.len() as f64;
        assert!(seen.values().all(|&count| (f64::from(count) - mean).abs() < 5.0 * mean.sqrt()), "{seen:?}");
    }

    #[test]
    fn counted_agents_stand_in_every_order() {
        let start = Start::Counted(vec![(Number(1), 1), (Number(2), 3)]);
        uniform(&drawn(&start), &[vec![1, 2, 2, 2]]);
        let start = Start::Counted(vec![(Number(0), 2), (Number(2), 2)]);
        uniform(&drawn(&start), &[vec![0, 0, 2, 2], vec![0, 2, 0, 2], vec![0, 2, 2, 0]]);
        let three = PopulationInstance::new(Three).unwrap();
        let impossible = Start::Counted(vec![(Number(2), 4)]).repeated(&three, 4, true).unwrap_err();
        assert_eq!(impossible, StartError::ChangesGiven);
        let few = Start::Counted(vec![(Number(0), 3)]).repeated(&three, 4, true).unwrap_err();
        assert_eq!(few, StartError::WrongSize { given: 3, expected: 4 });
    }

    /// The first agent is in state 1 more often, since its state 2 is restored to it: the condition excludes neither.
    #[test]
    fn starts_that_meet_a_condition() {
        let ones = |c: &[u64]| c.iter().filter(|&&state| state == 1).count() == 2;
        let holds = move |states: &[Number]| ones(&states.iter().map(|state| state.0).collect::<Vec<_>>());
        let among = Among::new("two ones", holds);
        let seen = drawn(&Start::Among(among.clone()));
        let expected: Vec<_> = all().filter(|c| ones(c)).collect();
        let sorted = |mut all: Vec<Vec<u64>>| {
            all.sort();
            all
        };
        assert!(seen.keys().eq(&sorted(expected.clone())), "{seen:?}");
        // Without state 2 there are six orders of two ones, each as likely.
        let seen = drawn(&Start::Among(among.allowing(|_, state| state.0 < 2)));
        uniform(&seen, &sorted(expected.into_iter().filter(|c| !c.contains(&2)).collect()));
        let three = PopulationInstance::new(Three).unwrap();
        let never = Start::Among(Among::new("never", |_| false)).repeated(&three, 4, true).unwrap_err();
        assert_eq!(never, StartError::Rare("never".into()));
    }

    /// A port of a process, or 0. The ends of a line have one port, the others two.
    struct Ports(Neighbours);

    impl Variables for Ports {
        type State = u8;
        fn variables(&self, port: &mut u8, v: &mut dyn Visitor) {
            v.range("port", 0, 2, port);
        }
    }

    impl Networked for Ports {
        fn neighbours(&self) -> &Neighbours {
            &self.0
        }
        fn act(&self, view: Vicinity<'_, u8>, _: &mut impl Coin) -> u8 {
            view.own
        }
        fn marks(&self, _: Vicinity<'_, u8>) -> Marks {
            Marks::NONE
        }
        fn admits(&self, process: usize, port: &u8) -> Option<bool> {
            Some(usize::from(*port) <= self.0.of(process).len())
        }
    }

    impl Stabilizing for Ports {
        fn goal(&self) -> Goal {
            Goal::Holds("nothing")
        }
        fn correct(&self, _: &[u8]) -> bool {
            true
        }
        fn restore(&self, c: &mut [u8]) {
            c.iter_mut().enumerate().for_each(|(i, port)| *port = (*port).min(self.0.of(i).len() as u8));
        }
    }

    /// Only admitted states are drawn: from others, `restore` would make the last one more likely.
    #[test]
    fn processes_start_at_ports_that_they_have() {
        let line = GraphInstance::new(Ports(Graph::parse("0 1\n1 2\n2 3").unwrap().neighbours())).unwrap();
        let repeated = Start::Arbitrary.repeated(&line, 4, true).unwrap();
        let mut seen = BTreeMap::new();
        for run in 0..RUNS {
            let coin = &mut Generator::stream(7, run.into());
            let once = Start::Arbitrary.states(&line, 4, coin).unwrap();
            assert!([once[0], once[3]].iter().all(|port| port.0 < 2));
            let states = repeated.states(&line, 4, coin);
            *seen.entry(states.iter().map(|state| state.0).collect()).or_default() += 1;
        }
        let mut expected: Vec<_> = all().filter(|c| c[3] < 2).collect();
        expected.sort();
        uniform(&seen, &expected);
    }
}

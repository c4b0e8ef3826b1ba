//! Starts of runs and checks: a condition, written in the language of the texts, or counts of local states.

use crate::{Catalog, ClaimError};
use ringleader_check::Starting;
use ringleader_erased::{Kind, Number, Parameters};
use ringleader_model::Variables;
use ringleader_model::text::print_state;
use ringleader_simulate::Among;
use std::sync::Arc;

/// The most local states that counts may name.
const MOST_COUNTED: u64 = 1 << 16;

/// Why counts of local states are no start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    /// There are more or fewer agents.
    #[error("counts {total} agents, not {size}")]
    Total {
        /// The sum of the counts.
        total: usize,
        /// The number of agents.
        size: usize,
    },
    /// There are too many local states.
    #[error("counts local states, and {0} are too many: give the file of a configuration")]
    TooMany(u64),
    /// There is no such local state.
    #[error("no local state is `{name}`; the states are {some}")]
    NoState {
        /// The name that was given.
        name: String,
        /// Some states.
        some: String,
    },
}

/// The numbers of agents in each local state, if the text has the form of counts.
///
/// ```
/// use ringleader_algorithms::population::fischer_jiang_complete::FischerJiangComplete;
/// use ringleader_catalog::counted;
/// use ringleader_erased::PopulationInstance;
///
/// let algorithm = PopulationInstance::new(FischerJiangComplete)?;
/// assert_eq!(counted("leader=1: 3, leader=0: 2", &algorithm, algorithm.states(), 5)?, Some(vec![2, 3]));
/// assert_eq!(counted("one i : leader[i]", &algorithm, algorithm.states(), 5)?, None);
/// assert_eq!(counted("leader=1: 3", &algorithm, 2, 5).unwrap_err().to_string(), "counts 3 agents, not 5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn counted<A: Variables<State = Number> + ?Sized>(
    text: &str,
    algorithm: &A,
    states: u64,
    size: usize,
) -> Result<Option<Vec<usize>>, CountError> {
    let item = |item: &str| {
        let (state, count) = item.rsplit_once(':')?;
        Some((state.trim().to_string(), count.trim().parse::<usize>().ok()?))
    };
    let Some(items) = text.split(',').map(item).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let total = items.iter().fold(0_usize, |total, (_, count)| total.saturating_add(*count));
    if total != size {
        return Err(CountError::Total { total, size });
    }
    if states > MOST_COUNTED {
        return Err(CountError::TooMany(states));
    }
    let shown: Vec<String> = (0..states).map(|state| print_state(algorithm, &Number(state))).collect();
    let mut counts = vec![0_usize; states as usize];
    for (name, count) in items {
        let alone = |text: &String| !text.contains(' ') && text.split_once('=').is_some_and(|(_, value)| value == name);
        let Some(state) = shown.iter().position(|text| *text == name || alone(text)) else {
            let some: Vec<_> = shown.iter().take(4).map(|state| format!("`{state}`")).collect();
            let more = if shown.len() > some.len() { ", .." } else { "" };
            return Err(CountError::NoState { name, some: some.join(", ") + more });
        };
        counts[state] += count;
    }
    Ok(Some(counts))
}

/// The configurations with this many agents in each local state, for a check.
pub fn with_counts(text: &str, counts: Vec<usize>) -> Starting {
    let holds = move |digits: &[u32]| {
        let mut left = counts.clone();
        digits
            .iter()
            .all(|&digit| left[digit as usize].checked_sub(1).map(|less| left[digit as usize] = less).is_some())
    };
    Starting { name: text.into(), holds: Arc::new(holds), places: false }
}

impl Catalog {
    /// The starts that meet a condition, for runs; `what` is its name in messages. [`Catalog::starting`] is the same for checks.
    ///
    /// ```
    /// use ringleader_catalog::Catalog;
    /// use ringleader_erased::{Instance, Parameters};
    /// use ringleader_simulate::{Generator, Start};
    /// let (catalog, hundred) = (Catalog::builtin(), Parameters::new(100));
    /// let text = "all i : leader[i] and bullet[i] = 0";
    /// let start = Start::Among(catalog.start("fischer-jiang-ring", &hundred, "--start", text).unwrap());
    /// let Instance::Population(algorithm) = catalog.instance("fischer-jiang-ring", &hundred).unwrap() else { panic!() };
    /// let states = start.states(&algorithm, 100, &mut Generator::new(1)).unwrap();
    /// assert!(states.iter().all(|state| algorithm.marks_of(state.0).leader()));
    /// ```
    pub fn start(&self, name: &str, parameters: &Parameters, what: &str, text: &str) -> Result<Among, ClaimError> {
        let subject = self.subject(name, parameters)?;
        let condition = subject.terms.start(what, text)?;
        let holds = subject.condition(condition.clone())?;
        let among = Among::new(text, move |states| {
            let digits: Vec<u32> = states.iter().map(|state| state.0 as u32).collect();
            holds(&digits)
        });
        let alone = match subject.kind {
            Kind::Population => true,
            // The marks of a process depend on its neighbours, too.
            Kind::Ring => !subject.of_marks(|mark| condition.speaks_alone_of(mark)),
            _ => false,
        };
        if !alone {
            return Ok(among);
        }
        let states = subject.packed(&condition);
        Ok(among.allowing(move |agent, state: Number| condition.allows(agent, states[state.0 as usize])))
    }
}

//! Conditions on the configurations of any algorithm, written in the language of the texts.

use crate::{Catalog, Instance};
use ringleader_erased::{MessageInstance, Number, Parameters, PopulationInstance, Refusal, RingInstance, Topology};
use ringleader_explore as explore;
use ringleader_language::{Diagnostics, Expression, State, Terms};
use ringleader_model::{Described, Marks, Ring as _, Stabilizing, Variables, View, described};
use std::sync::Arc;

/// Why a condition cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Something is wrong with its words.
    #[error("{0}")]
    Text(Diagnostics),
    /// The algorithm cannot be built, or is of a model without configurations.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Whether a configuration, given by the numbers of its local states, is as claimed.
type Condition = Arc<dyn Fn(&[u32]) -> bool + Send + Sync>;

/// What an agent can be seen to be, where no variable has that name.
const MARKS: [(&str, Marks); 2] = [("leader", Marks::LEADER), ("token", Marks::TOKEN)];
/// With more local states no configurations are looked at one by one.
const MOST_STATES: u64 = 1 << 16;

impl Catalog {
    /// A condition on the configurations of a population or of a ring of processes; `what` is its name in messages.
    ///
    /// ```
    /// use ringleader_catalog::Catalog;
    /// use ringleader_erased::Parameters;
    /// let (catalog, three) = (Catalog::builtin(), Parameters::new(3));
    /// let one = catalog.condition("fischer-jiang-complete", &three, "--invariant", "one i : leader[i]").unwrap();
    /// assert!(one(&[0, 1, 0]) && !one(&[1, 1, 0]));
    /// ```
    pub fn condition(
        &self,
        name: &str,
        parameters: &Parameters,
        what: &str,
        text: &str,
    ) -> Result<Condition, ClaimError> {
        let read = |terms: Terms| terms.condition(what, text).map_err(ClaimError::Text);
        match self.instance(name, parameters)? {
            Instance::Population(instance) => {
                let (terms, marks) = self.terms(name, parameters, &first(&instance), &instance)?;
                Ok(population(instance, read(terms)?, &marks))
            }
            Instance::Ring(instance) => {
                let (terms, marks) = self.terms(name, parameters, &first(&instance), &instance)?;
                Ok(ring(instance, read(terms)?, marks))
            }
            Instance::Message(_) | Instance::Robust(_) => {
                Err(Refusal::new(format!("{name} has no configurations of local states alone")).into())
            }
        }
    }

    /// A condition on the states of all processes of an algorithm that passes messages.
    pub fn process_condition(
        &self,
        name: &str,
        parameters: &Parameters,
        algorithm: &MessageInstance,
        what: &str,
        text: &str,
    ) -> Result<ProcessCondition, ClaimError> {
        let variables = algorithm.described();
        let (terms, marks) = match self.protocol(name) {
            Some(protocol) => (Terms::of(protocol, parameters)?, vec![]),
            None => {
                let (bits, marks) = free_marks(&variables);
                let terms = Terms::new(parameters.size, &variables, &bits, &[], &numbers(self, name, parameters));
                (terms.on(self.topology(name, parameters)?), marks)
            }
        };
        Ok(ProcessCondition { holds: terms.condition(what, text).map_err(ClaimError::Text)?, marks })
    }

    /// The terms of an algorithm, and the marks that are among them.
    fn terms(
        &self,
        name: &str,
        parameters: &Parameters,
        variables: &[Described],
        algorithm: &impl Stabilizing<State = Number>,
    ) -> Result<(Terms, Vec<Marks>), Refusal> {
        let layered = parameters.layers != ringleader_erased::Layers::default();
        if let Some(protocol) = self.protocol(name).filter(|_| !layered) {
            return Ok((Terms::of(protocol, parameters)?, vec![]));
        }
        let (bits, marks) = free_marks(variables);
        let sets: Vec<String> = algorithm.closed_sets().iter().map(|set| set.name.to_string()).collect();
        let values = numbers(self, name, parameters);
        let terms = Terms::new(parameters.size, variables, &bits, &sets, &values);
        Ok((terms.on(self.topology(name, parameters)?), marks))
    }

    fn topology(&self, name: &str, parameters: &Parameters) -> Result<Topology, Refusal> {
        Ok(parameters.layers.topology(self.card(name)?))
    }
}

/// The marks that no variable has the name of, with their names.
fn free_marks(variables: &[Described]) -> (Vec<&'static str>, Vec<Marks>) {
    MARKS.into_iter().filter(|(name, _)| !variables.iter().any(|v| v.name == *name)).unzip()
}

/// The parameters that are numbers, as far as they are given or the same at every size.
fn numbers(catalog: &Catalog, name: &str, parameters: &Parameters) -> Vec<(String, u64)> {
    let Ok(card) = catalog.card(name) else { return vec![] };
    let value = |word: &str| if word == "the size" { Some(parameters.size as u64) } else { word.parse().ok() };
    let known = card.parameters.iter().filter_map(|p| {
        let value = value(parameters.word(p.name).unwrap_or(p.default))?;
        Some((p.name.to_string(), value))
    });
    known.collect()
}

fn first<A: Variables<State = Number>>(algorithm: &A) -> Vec<Described> {
    described(algorithm, &Number(0)).into_iter().map(|(variable, _)| variable).collect()
}

/// The values of a state's variables.
fn values<A: Variables<State = Number>>(algorithm: &A, state: u64) -> Vec<u64> {
    described(algorithm, &Number(state)).into_iter().map(|(_, value)| value).collect()
}

fn shown(marks: Marks, wanted: &[Marks]) -> impl Iterator<Item = u64> {
    wanted.iter().map(move |mark| u64::from(marks.contains(*mark)))
}

/// Whether a configuration is in a closed set of an algorithm.
fn member(algorithm: &impl Stabilizing<State = Number>, digits: &[u32], set: usize) -> bool {
    let states: Vec<Number> = digits.iter().map(|&digit| Number(digit.into())).collect();
    algorithm.closed_sets().get(set).is_some_and(|set| (set.contains)(&states))
}

fn population(instance: PopulationInstance, holds: Expression, marks: &[Marks]) -> Condition {
    let pack = |state: u64| {
        let mut all = values(&instance, state);
        all.extend(shown(instance.marks_of(state), marks));
        holds.pack(&all)
    };
    let packed: Vec<State> = (0..instance.states().min(MOST_STATES)).map(pack).collect();
    Arc::new(move |digits| {
        let states: Vec<State> = digits.iter().map(|&digit| packed[digit as usize]).collect();
        holds.holds(&states, &|set| member(&instance, digits, set))
    })
}

/// What a process shows may depend on its neighbours.
fn ring(instance: RingInstance, holds: Expression, marks: Vec<Marks>) -> Condition {
    let plain: Vec<Vec<u64>> = (0..instance.states().min(MOST_STATES)).map(|state| values(&instance, state)).collect();
    let packed: Vec<State> = plain.iter().map(|values| holds.pack(values)).collect();
    let count = plain.first().map_or(0, Vec::len);
    let looks = (0..marks.len()).any(|mark| holds.speaks_of(count + mark));
    Arc::new(move |digits| {
        let whole: Vec<u64> = digits.iter().map(|&digit| digit.into()).collect();
        let seen = |(process, &digit): (usize, &u32)| {
            if !looks {
                return packed[digit as usize];
            }
            let mut all = plain[digit as usize].clone();
            all.extend(shown(instance.marks_of(View::of(&whole, process, instance.chain())), &marks));
            holds.pack(&all)
        };
        let states: Vec<State> = digits.iter().enumerate().map(seen).collect();
        holds.holds(&states, &|set| member(&instance, digits, set))
    })
}

/// A condition on the states of all processes, whatever is under way between them.
#[derive(Debug)]
pub struct ProcessCondition {
    holds: Expression,
    marks: Vec<Marks>,
}

impl ProcessCondition {
    /// Whether it holds of a state that the explorer has kept.
    pub fn holds(&self, now: &explore::StateView<'_, '_>) -> bool {
        let read = |(values, marks): (Vec<(String, u64)>, Marks)| {
            let values = values.into_iter().map(|(_, value)| value);
            self.holds.pack(&values.chain(shown(marks, &self.marks)).collect::<Vec<_>>())
        };
        let states: Vec<State> = now.values().into_iter().zip(now.marks()).map(read).collect();
        self.holds.holds(&states, &|_| false)
    }
}

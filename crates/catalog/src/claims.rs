//! Conditions on the configurations of any algorithm, written in the language of the texts.

use crate::{Catalog, Instance};
use ringleader_check::{Claim, Claimed, Condition, Each, Starting};
use ringleader_erased::{Kind, Layers, MessageInstance, Number, Parameters, Refusal, Topology};
use ringleader_explore as explore;
use ringleader_language::{Diagnostics, Expression, Protocol, State, Terms};
use ringleader_model::{Described, Marks, Promise, Stabilizing, Variables, described};
use ringleader_simulate::StabilizingInstance;
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

/// A claim in words.
#[derive(Clone, Debug)]
pub struct WrittenClaim {
    /// The meaning of the claim for executions.
    pub promise: Promise,
    /// Its name in a report.
    pub name: String,
    /// The condition, in the language of the texts.
    pub text: String,
    /// Its name in an error: a flag, or the name in the text.
    pub from: String,
}

/// The marks that a claim may name, unless a variable has the same name.
pub(crate) const MARKS: [(&str, Marks); 2] = [("leader", Marks::LEADER), ("token", Marks::TOKEN)];
/// The most processes for which a claim on every process is evaluated: the bits of [`Each`].
pub const MOST_IN_EACH: usize = 32;
/// Algorithms with more local states are not checked.
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
        Ok(self.placed(name, parameters, |terms| terms.condition(what, text))?.0)
    }

    /// A number that the configurations of a population or of processes have; `what` is its name in messages. It is `None` where it is
    /// undefined.
    ///
    /// ```
    /// use ringleader_catalog::Catalog;
    /// use ringleader_erased::Parameters;
    /// let (catalog, three) = (Catalog::builtin(), Parameters::new(3));
    /// let leaders = catalog.number("fischer-jiang-complete", &three, "the expression", "count i : leader[i]").unwrap();
    /// assert_eq!((leaders(&[0, 1, 0]), leaders(&[1, 1, 0])), (Some(1), Some(2)));
    /// ```
    pub fn number(&self, name: &str, parameters: &Parameters, what: &str, text: &str) -> Result<Quantity, ClaimError> {
        let read = |terms: &Terms| Ok(vec![vec![terms.number(what, text)?]]);
        let value = |all: &[Expression], states: &[State], member: Member<'_>| all[0].value(states, member);
        Ok(self.evaluated(name, parameters, read, value)?.remove(0).1)
    }

    /// The same, and whether the condition may name an agent by its position.
    fn placed(
        &self,
        name: &str,
        parameters: &Parameters,
        read: impl FnOnce(&Terms) -> Result<Expression, Diagnostics>,
    ) -> Result<(Condition, bool), ClaimError> {
        let mut places = true;
        let read = |terms: &Terms| {
            let condition = read(terms)?;
            places = condition.names_places();
            Ok(vec![vec![condition]])
        };
        let holds = self.bitmaps(name, parameters, read)?.remove(0).holds;
        Ok((Arc::new(move |digits| holds(digits) != 0), places))
    }

    /// The configurations in which executions start: those that meet a condition; `what` is its name in messages.
    ///
    /// ```
    /// use ringleader_catalog::Catalog;
    /// use ringleader_check::{Monitor, Question, population};
    /// use ringleader_erased::{Instance, Parameters};
    /// use ringleader_model::{Graph, Scheduler};
    /// let (catalog, four) = (Catalog::builtin(), Parameters::new(4));
    /// let mut question = Question::new(Scheduler::Random);
    /// let all_lead = catalog.starting("fischer-jiang-ring", &four, "--start", "all i : leader[i]").unwrap();
    /// assert!(!all_lead.places);
    /// question.starting = Some(all_lead);
    /// let Instance::Population(algorithm) = catalog.instance("fischer-jiang-ring", &four).unwrap() else { panic!() };
    /// let report = population(&algorithm, &Graph::directed_ring(4).unwrap(), &question, &Monitor::default()).unwrap();
    /// assert!(report.holds && report.starts == Some(256));
    /// ```
    pub fn starting(
        &self,
        name: &str,
        parameters: &Parameters,
        what: &str,
        text: &str,
    ) -> Result<Starting, ClaimError> {
        let (holds, places) = self.placed(name, parameters, |terms| terms.start(what, text))?;
        Ok(Starting { name: text.into(), holds, places })
    }

    /// The condition on the starts of an algorithm, if its text has one. There is none under a layer, which changes the
    /// variables.
    pub fn written_start(&self, name: &str, layers: Layers) -> Option<&str> {
        self.protocol(name).filter(|_| layers == Layers::default())?.start()
    }

    /// A claim about the configurations of a population or of a ring of processes.
    ///
    /// ```
    /// use ringleader_catalog::{Catalog, WrittenClaim};
    /// use ringleader_check::{Monitor, Question, Value, ring};
    /// use ringleader_erased::{Instance, Parameters};
    /// use ringleader_model::Scheduler;
    /// let (catalog, three) = (Catalog::builtin(), Parameters::new(3));
    /// let written = catalog.written_claims("dijkstra-k-state", three.layers).remove(0);
    /// let mut question = Question::new(Scheduler::Unfair);
    /// question.claims = vec![catalog.claim("dijkstra-k-state", &three, &written).unwrap()];
    /// let Instance::Ring(algorithm) = catalog.instance("dijkstra-k-state", &three).unwrap() else { panic!() };
    /// let report = ring(&algorithm, 3, &question, &Monitor::default()).unwrap();
    /// let service = report.claims[0].service.as_ref().expect("every process gets the token again and again");
    /// assert_eq!(service.worst, Some(Value::Steps(3.0)));
    /// ```
    pub fn claim(&self, name: &str, parameters: &Parameters, claim: &WrittenClaim) -> Result<Claim, ClaimError> {
        let (from, text) = (&*claim.from, &*claim.text);
        let mut places = true;
        let mut condition = || -> Result<Condition, ClaimError> {
            let (condition, named) = self.placed(name, parameters, |terms| terms.condition(from, text))?;
            places = named;
            Ok(condition)
        };
        let claimed = match claim.promise {
            Promise::Invariant => Claimed::Invariant(condition()?),
            Promise::Always => Claimed::Always(condition()?),
            Promise::Eventually => Claimed::Eventually(condition()?),
            Promise::Recurring => {
                let read = |terms: &Terms| {
                    let each = terms.each(from, text)?;
                    places = each.iter().any(Expression::names_places);
                    Ok(vec![each])
                };
                Claimed::Recurring(self.bitmaps(name, parameters, read)?.remove(0))
            }
            Promise::Response => {
                let read = |terms: &Terms| {
                    let both = terms.response(from, text)?;
                    places = both.iter().flatten().any(Expression::names_places);
                    Ok(both.into())
                };
                let mut both = self.bitmaps(name, parameters, read)?;
                let then = both.remove(1);
                Claimed::Response(both.remove(0), then)
            }
        };
        Ok(Claim { name: claim.name.clone(), claimed, places })
    }

    /// Families of conditions on the configurations of a population or of a ring of processes.
    pub(crate) fn bitmaps(
        &self,
        name: &str,
        parameters: &Parameters,
        read: impl FnOnce(&Terms) -> Result<Vec<Vec<Expression>>, Diagnostics>,
    ) -> Result<Vec<Each>, ClaimError> {
        let families = self.evaluated(name, parameters, read, which)?.into_iter();
        Ok(families.map(|(count, holds)| Each { count, holds }).collect())
    }

    /// Families of expressions over the configurations of a population or of processes: the number of each, and the `result` of its
    /// expressions in a configuration.
    fn evaluated<T: 'static>(
        &self,
        name: &str,
        parameters: &Parameters,
        read: impl FnOnce(&Terms) -> Result<Vec<Vec<Expression>>, Diagnostics>,
        result: Judge<T>,
    ) -> Result<Vec<(usize, Evaluated<T>)>, ClaimError> {
        match self.instance(name, parameters)? {
            Instance::Population(instance) => self.families(name, parameters, instance, read, result),
            Instance::Ring(instance) => self.families(name, parameters, instance, read, result),
            Instance::Graph(instance) => self.families(name, parameters, instance, read, result),
            Instance::Message(_) | Instance::Robust(_) => {
                Err(Refusal::new(format!("{name} has no configurations of local states alone")).into())
            }
        }
    }

    fn families<T: 'static>(
        &self,
        name: &str,
        parameters: &Parameters,
        algorithm: impl StabilizingInstance + Clone + Send + Sync + 'static,
        read: impl FnOnce(&Terms) -> Result<Vec<Vec<Expression>>, Diagnostics>,
        result: Judge<T>,
    ) -> Result<Vec<(usize, Evaluated<T>)>, ClaimError> {
        let (terms, marks) = self.terms(name, parameters, &first(&algorithm), &algorithm)?;
        let families = limited(read(&terms).map_err(ClaimError::Text)?, algorithm.states())?.into_iter();
        let local = self.card(name)?.kind == Kind::Population;
        let each = |family: Vec<_>| (family.len(), results(algorithm.clone(), family, &marks, local, result));
        Ok(families.map(each).collect())
    }

    /// The claims of an algorithm besides its goal: those of its text, or of its card. There are none under a layer, which
    /// changes the variables.
    pub fn written_claims(&self, name: &str, layers: Layers) -> Vec<WrittenClaim> {
        if layers != Layers::default() {
            return vec![];
        }
        let text = self.protocol(name);
        let recurring = self.card(name).ok().and_then(|card| card.recurring).filter(|_| text.is_none());
        let claim = |(promise, name, text): (Promise, &str, &str)| WrittenClaim {
            promise,
            name: name.into(),
            text: text.into(),
            from: name.into(),
        };
        let own = recurring.into_iter().map(|(name, text)| (Promise::Recurring, name, text));
        text.into_iter().flat_map(Protocol::promises).chain(own).map(claim).collect()
    }

    /// The same claims, those aside that are not checked for so many processes: nobody asked for them, so they refuse no size.
    pub fn claims_at(&self, name: &str, parameters: &Parameters) -> Vec<WrittenClaim> {
        let configurations = self.card(name).is_ok_and(|card| card.kind != Kind::Message);
        let mut claims = self.written_claims(name, parameters.layers);
        if configurations && parameters.size > MOST_IN_EACH {
            claims.retain(|claim| !matches!(claim.promise, Promise::Recurring | Promise::Response));
        }
        claims
    }

    /// A claim about the states of all processes of an algorithm that passes messages.
    pub fn process_claim(
        &self,
        name: &str,
        parameters: &Parameters,
        algorithm: &MessageInstance,
        claim: &WrittenClaim,
    ) -> Result<explore::Claim, ClaimError> {
        if matches!(claim.promise, Promise::Recurring | Promise::Response) {
            let why = "processes that pass messages stop, so nothing recurs; claim that it holds eventually";
            return Err(Refusal::new(format!("{}: {why}", claim.from)).into());
        }
        let condition = self.process_condition(name, parameters, algorithm, &claim.from, &claim.text)?;
        let holds = Box::new(move |state: &explore::StateView<'_, '_>| condition.holds(state));
        Ok(explore::Claim { name: claim.name.clone(), promise: claim.promise, holds })
    }

    /// Whether an exploration may keep one state per rotation class. A claim may name a process by its place, and so may an
    /// invariant of a text.
    pub fn may_rotate(&self, name: &str, algorithm: &MessageInstance, claims: &[explore::Claim]) -> bool {
        claims.is_empty() && (algorithm.invariant_names().is_empty() || self.protocol(name).is_none())
    }

    fn process_condition(
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
    pub(crate) fn terms(
        &self,
        name: &str,
        parameters: &Parameters,
        variables: &[Described],
        algorithm: &impl Stabilizing<State = Number>,
    ) -> Result<(Terms, Vec<Marks>), Refusal> {
        let layered = parameters.layers != Layers::default();
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

pub(crate) fn first<A: Variables<State = Number>>(algorithm: &A) -> Vec<Described> {
    described(algorithm, &Number(0)).into_iter().map(|(variable, _)| variable).collect()
}

/// The values of a state's variables.
pub(crate) fn values<A: Variables<State = Number>>(algorithm: &A, state: u64) -> Vec<u64> {
    described(algorithm, &Number(state)).into_iter().map(|(_, value)| value).collect()
}

fn shown(marks: Marks, wanted: &[Marks]) -> impl Iterator<Item = u64> {
    wanted.iter().map(move |mark| u64::from(marks.contains(*mark)))
}

/// Whether a configuration is in a closed set of an algorithm.
fn member(algorithm: &impl Stabilizing<State = Number>, digits: &[u32], set: usize) -> bool {
    algorithm.closed_sets().get(set).is_some_and(|set| (set.contains)(&numbered(digits)))
}

fn numbered(digits: &[u32]) -> Vec<Number> {
    digits.iter().map(|&digit| Number(digit.into())).collect()
}

/// Refuses states and conditions beyond the tables and the bits of [`Each`].
fn limited(families: Vec<Vec<Expression>>, states: u64) -> Result<Vec<Vec<Expression>>, ClaimError> {
    if states > MOST_STATES {
        return Err(Refusal::new(format!(
            "an expression can be evaluated for at most {MOST_STATES} local states, here are {states}"
        ))
        .into());
    }
    match families.iter().map(Vec::len).max() {
        Some(count) if count > MOST_IN_EACH => Err(Refusal::new(format!(
            "{count} processes are too many: a claim for every process is checked for at most {MOST_IN_EACH}"
        ))
        .into()),
        _ => Ok(families),
    }
}

/// Tells which closed sets of an algorithm contain a configuration.
type Member<'a> = &'a dyn Fn(usize) -> bool;

/// The result of expressions in a configuration.
type Judge<T> = fn(&[Expression], &[State], Member<'_>) -> T;

/// The value of expressions in the configuration with these numbers of local states.
type Evaluated<T> = Arc<dyn Fn(&[u32]) -> T + Send + Sync>;

/// A number that configurations have, unless it is undefined.
pub type Quantity = Arc<dyn Fn(&[u32]) -> Option<i64> + Send + Sync>;

/// The conditions that hold in these states, as bits. All conditions pack states alike.
fn which(all: &[Expression], states: &[State], member: Member<'_>) -> u32 {
    all.iter().enumerate().fold(0, |bits, (i, holds)| bits | u32::from(holds.holds(states, member)) << i)
}

/// The local states in the form of a condition, with marks that depend on no neighbour.
pub(crate) fn packed(algorithm: &impl StabilizingInstance, marks: &[Marks], condition: &Expression) -> Vec<State> {
    let pack = |state: u64| {
        let mut all = values(algorithm, state);
        if !marks.is_empty() {
            all.extend(shown(algorithm.alone(Number(state)), marks));
        }
        condition.pack(&all)
    };
    (0..algorithm.states()).map(pack).collect()
}

/// The results of expressions in the configurations of an algorithm. What an agent of a population shows is `local`; what a process shows
/// may depend on its neighbours.
fn results<T: 'static>(
    algorithm: impl StabilizingInstance + Send + Sync + 'static,
    holds: Vec<Expression>,
    marks: &[Marks],
    local: bool,
    result: Judge<T>,
) -> Evaluated<T> {
    let packed = packed(&algorithm, if local { marks } else { &[] }, &holds[0]);
    let count = first(&algorithm).len();
    let looks = !local && (0..marks.len()).any(|mark| holds.iter().any(|holds| holds.speaks_of(count + mark)));
    let plain: Vec<Vec<u64>> =
        if looks { (0..algorithm.states()).map(|state| values(&algorithm, state)).collect() } else { vec![] };
    let marks = marks.to_vec();
    Arc::new(move |digits| {
        let mut states: Vec<State> = digits.iter().map(|&digit| packed[digit as usize]).collect();
        if looks {
            for ((state, &digit), seen) in states.iter_mut().zip(digits).zip(algorithm.show(&numbered(digits))) {
                let own = plain[digit as usize].iter().copied();
                *state = holds[0].pack(&own.chain(shown(seen, &marks)).collect::<Vec<_>>());
            }
        }
        result(&holds, &states, &|set| member(&algorithm, digits, set))
    })
}

/// A condition on the states of all processes, whatever is under way between them.
struct ProcessCondition {
    holds: Expression,
    marks: Vec<Marks>,
}

impl ProcessCondition {
    /// Whether it holds of a state that the explorer has kept.
    fn holds(&self, now: &explore::StateView<'_, '_>) -> bool {
        let read = |(values, marks): (Vec<(String, u64)>, Marks)| {
            let values = values.into_iter().map(|(_, value)| value);
            self.holds.pack(&values.chain(shown(marks, &self.marks)).collect::<Vec<_>>())
        };
        let states: Vec<State> = now.values().into_iter().zip(now.marks()).map(read).collect();
        self.holds.holds(&states, &|_| false)
    }
}

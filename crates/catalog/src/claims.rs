//! Conditions on the configurations of any algorithm, written in the language of the texts.

use crate::{Catalog, Instance};
use ringleader_check::{Claim, Claimed, Condition, Each, Starting};
use ringleader_erased::{Kind, Layers, MessageInstance, Number, Parameters, Refusal};
use ringleader_explore as explore;
use ringleader_language::{Diagnostics, Expression, Protocol, State, Terms};
use ringleader_model::{Described, Marks, Promise, Variables, described};
use ringleader_simulate::StabilizingInstance;
use std::sync::Arc;

/// Why a condition cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    /// Something is wrong with its words.
    #[error(transparent)]
    Text(#[from] Diagnostics),
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
const MARKS: [(&str, Marks); 2] = [("leader", Marks::LEADER), ("token", Marks::TOKEN)];
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
        let subject = self.subject(name, parameters)?;
        subject.condition(subject.terms.condition(what, text)?)
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
        let subject = self.subject(name, parameters)?;
        subject.results(vec![subject.terms.number(what, text)?], |all, states, member| all[0].value(states, member))
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
        let subject = self.subject(name, parameters)?;
        let start = subject.terms.start(what, text)?;
        let places = start.names_places();
        Ok(Starting { name: text.into(), holds: subject.condition(start)?, places })
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
        let subject = self.subject(name, parameters)?;
        let (terms, from, text) = (&subject.terms, &*claim.from, &*claim.text);
        let named = |all: &[Expression]| all.iter().any(Expression::names_places);
        let (places, claimed) = match claim.promise {
            Promise::Recurring => {
                let each = terms.each(from, text)?;
                (named(&each), Claimed::Recurring(subject.each(each)?))
            }
            Promise::Response => {
                let [first, then] = terms.response(from, text)?;
                let places = named(&first) || named(&then);
                (places, Claimed::Response(subject.each(first)?, subject.each(then)?))
            }
            promise => {
                let condition = terms.condition(from, text)?;
                let (places, holds) = (condition.names_places(), subject.condition(condition)?);
                let claimed = match promise {
                    Promise::Invariant => Claimed::Invariant(holds),
                    Promise::Always => Claimed::Always(holds),
                    _ => Claimed::Eventually(holds),
                };
                (places, claimed)
            }
        };
        Ok(Claim { name: claim.name.clone(), claimed, places })
    }

    /// An algorithm for expressions about its configurations of local states.
    pub(crate) fn subject(&self, name: &str, parameters: &Parameters) -> Result<Subject, Refusal> {
        let algorithm: Arc<dyn StabilizingInstance> = match self.instance(name, parameters)? {
            Instance::Population(instance) => Arc::new(instance),
            Instance::Ring(instance) => Arc::new(instance),
            Instance::Graph(instance) => Arc::new(instance),
            Instance::Message(_) | Instance::Robust(_) => {
                return Err(Refusal::new(format!("{name} has no configurations of local states alone")));
            }
        };
        let variables = first(&*algorithm);
        let sets: Vec<String> = algorithm.closed_sets().iter().map(|set| set.name.to_string()).collect();
        let (terms, marks) = self.terms(name, parameters, &variables, &sets)?;
        Ok(Subject { algorithm, kind: self.card(name)?.kind, terms, marks, variables: variables.len() })
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
        let (terms, marks) = self.terms(name, parameters, &algorithm.described(), &[])?;
        let condition = terms.condition(&claim.from, &claim.text)?;
        let holds = Box::new(move |now: &explore::StateView<'_, '_>| {
            let pack = |(values, seen): (Vec<(String, u64)>, Marks)| {
                let values = values.into_iter().map(|(_, value)| value);
                condition.pack(&values.chain(shown(seen, &marks)).collect::<Vec<_>>())
            };
            let states: Vec<State> = now.values().into_iter().zip(now.marks()).map(pack).collect();
            condition.holds(&states, &|_| false)
        });
        Ok(explore::Claim { name: claim.name.clone(), promise: claim.promise, holds })
    }

    /// Whether an exploration may keep one state per rotation class. A claim may name a process by its place, and so may an
    /// invariant of a text.
    pub fn may_rotate(&self, name: &str, algorithm: &MessageInstance, claims: &[explore::Claim]) -> bool {
        claims.is_empty() && (algorithm.invariant_names().is_empty() || self.protocol(name).is_none())
    }

    /// The terms of an algorithm with these variables and closed sets, and the marks that are among them.
    fn terms(
        &self,
        name: &str,
        parameters: &Parameters,
        variables: &[Described],
        sets: &[String],
    ) -> Result<(Terms, Vec<Marks>), Refusal> {
        let layered = parameters.layers != Layers::default();
        if let Some(protocol) = self.protocol(name).filter(|_| !layered) {
            return Ok((Terms::of(protocol, parameters)?, vec![]));
        }
        let free = MARKS.into_iter().filter(|(name, _)| !variables.iter().any(|v| v.name == *name));
        let (bits, marks): (Vec<_>, Vec<_>) = free.unzip();
        let terms = Terms::new(parameters.size, variables, &bits, sets, &numbers(self, name, parameters));
        Ok((terms.on(parameters.layers.topology(self.card(name)?)), marks))
    }
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

pub(crate) fn first(algorithm: &(impl Variables<State = Number> + ?Sized)) -> Vec<Described> {
    described(algorithm, &Number(0)).into_iter().map(|(variable, _)| variable).collect()
}

/// The values of a state's variables.
pub(crate) fn values(algorithm: &(impl Variables<State = Number> + ?Sized), state: u64) -> Vec<u64> {
    described(algorithm, &Number(state)).into_iter().map(|(_, value)| value).collect()
}

fn shown(marks: Marks, wanted: &[Marks]) -> impl Iterator<Item = u64> {
    wanted.iter().map(move |mark| u64::from(marks.contains(*mark)))
}

fn numbered(digits: &[u32]) -> Vec<Number> {
    digits.iter().map(|&digit| Number(digit.into())).collect()
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

/// An algorithm with configurations of local states, and the terms of expressions about them.
pub(crate) struct Subject {
    algorithm: Arc<dyn StabilizingInstance>,
    pub(crate) kind: Kind,
    pub(crate) terms: Terms,
    /// The marks among the terms; in a state they come after the variables.
    marks: Vec<Marks>,
    /// The number of variables.
    variables: usize,
}

impl Subject {
    pub(crate) fn condition(&self, holds: Expression) -> Result<Condition, ClaimError> {
        self.results(vec![holds], |all, states, member| all[0].holds(states, member))
    }

    fn each(&self, all: Vec<Expression>) -> Result<Each, ClaimError> {
        Ok(Each { count: all.len(), holds: self.results(all, which)? })
    }

    /// Whether expressions speak of a mark, where `speaks` tells whether one speaks of a variable.
    pub(crate) fn of_marks(&self, mut speaks: impl FnMut(usize) -> bool) -> bool {
        (0..self.marks.len()).any(|mark| speaks(self.variables + mark))
    }

    /// The local states in the form of a condition. What an agent of a population shows is among them; what a process shows may depend on
    /// its neighbours.
    pub(crate) fn packed(&self, condition: &Expression) -> Vec<State> {
        let marks = if self.kind == Kind::Population { &self.marks[..] } else { &[] };
        let pack = |state: u64| {
            let mut all = values(&*self.algorithm, state);
            if !marks.is_empty() {
                all.extend(shown(self.algorithm.alone(Number(state)), marks));
            }
            condition.pack(&all)
        };
        (0..self.algorithm.states()).map(pack).collect()
    }

    /// The results of expressions in configurations. Refuses states and expressions beyond the tables and the bits of [`Each`].
    fn results<T: 'static>(&self, all: Vec<Expression>, result: Judge<T>) -> Result<Evaluated<T>, ClaimError> {
        let (states, count) = (self.algorithm.states(), all.len());
        if states > MOST_STATES {
            return Err(Refusal::new(format!(
                "an expression can be evaluated for at most {MOST_STATES} local states, here are {states}"
            ))
            .into());
        }
        if count > MOST_IN_EACH {
            return Err(Refusal::new(format!(
                "{count} processes are too many: a claim for every process is checked for at most {MOST_IN_EACH}"
            ))
            .into());
        }
        let packed = self.packed(&all[0]);
        let looks = self.kind != Kind::Population && self.of_marks(|mark| all.iter().any(|ex| ex.speaks_of(mark)));
        let plain: Vec<Vec<u64>> =
            if looks { (0..states).map(|state| values(&*self.algorithm, state)).collect() } else { vec![] };
        let (algorithm, marks) = (self.algorithm.clone(), self.marks.clone());
        Ok(Arc::new(move |digits| {
            let mut states: Vec<State> = digits.iter().map(|&digit| packed[digit as usize]).collect();
            if looks {
                for ((state, &digit), seen) in states.iter_mut().zip(digits).zip(algorithm.show(&numbered(digits))) {
                    let own = plain[digit as usize].iter().copied();
                    *state = all[0].pack(&own.chain(shown(seen, &marks)).collect::<Vec<_>>());
                }
            }
            let member =
                |set: usize| algorithm.closed_sets().get(set).is_some_and(|set| (set.contains)(&numbered(digits)));
            result(&all, &states, &member)
        }))
    }
}

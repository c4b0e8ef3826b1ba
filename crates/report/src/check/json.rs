//! The report as JSON; docs/checking.md says what the fields mean.

use super::{CheckReport, Looks};
use crate::json::{OptionalFields as _, unless_empty};
use ringleader_check::{
    Bounds, Choice, ClaimReport, Classes, Counterexample, Likely, Reaching, Rounds, Service, SetReport, Situation,
    Start, Step, Symmetry, Time, Times, Value,
};
use ringleader_model::trace::Actor;
use serde_json::{Value as Json, json};

impl CheckReport<'_> {
    /// The whole report as one JSON object.
    #[must_use]
    pub fn json(&self) -> Json {
        let CheckReport { subject, question, found, looks, .. } = self;
        let own = |value: Json| if found.own_is_named { value } else { Json::Null };
        let both = |times: &Times| both(times, found.own_is_named, looks);
        let run = |run: &Counterexample| counterexample(run, looks);
        let object = subject.describe(json!({
            "graph": self.graph,
            "scheduler": question.scheduler.name(),
            "states": found.states,
            "configurations": count(found.configurations),
            "transitions": count(found.transitions),
            "verdict": if found.holds { "holds" } else { "fails" },
            "really_safe": count(found.really_safe),
            "own_safe": own(count(found.own_safe)),
            "own_safe_closed": own(json!(found.own_is_closed)),
            "own_safe_really_safe": own(json!(found.own_is_really_safe)),
            "own_safe_silent": own(json!(found.own_is_silent)),
            "sets": found.sets.iter().map(|set| named(set, looks)).collect::<Vec<_>>(),
            "seconds": self.time.as_secs_f64(),
        }));
        let symmetry = |classes: Classes| match classes.symmetry {
            Symmetry::Rotation => "rotation",
            Symmetry::Automorphism => "automorphism",
            Symmetry::Permutation => "permutation",
        };
        let claim = |claim: &ClaimReport| {
            let mut object = json!({
                "promise": <&str>::from(claim.promise),
                "claim": claim.name, "configurations": count(claim.configurations),
                "holds": (!claim.is_void()).then_some(claim.holds),
                "counterexample": claim.counterexample.as_ref().map(run),
            });
            object = object.with("service", claim.service.as_ref().map(|time| service(time, looks)));
            match &claim.reaching {
                Some(numbers) => reaching(object, numbers, looks),
                None => object,
            }
        };
        let from = question.starting.as_ref().zip(found.starts);
        let start = |start: &Start| json!({ "name": start.name, "states": looks.states(&start.states) });
        object
            .with("oracle", self.oracle())
            .with("coins", self.coins().map(<&str>::from))
            .with("fairness_level", self.fairness())
            .with("fewest_states", found.fewest_states)
            .with("state_classes", found.state_classes)
            .with("classes", found.classes.map(|classes| classes.count))
            .with("symmetry", found.classes.map(symmetry))
            .with("product_states", found.product_states)
            .with("own_safe_reached", found.own_is_reached.filter(|_| found.own_is_named))
            .with("claims", unless_empty(&found.claims, claim))
            .with("steps", found.steps.as_ref().map(both))
            .with("moves", found.moves.as_ref().map(both))
            .with("rounds", found.rounds.as_ref().map(|found| rounds(found, looks)))
            .with("expected_steps", found.expected_steps.as_ref().map(both))
            .with("expected_moves", found.expected_moves.as_ref().map(both))
            .with("best_expected_steps", found.best_expected_steps.as_ref().map(both))
            .with("within", self.within_json())
            .with("delay", found.delay.as_ref().map(run))
            .with("own_delay", found.own_delay.as_ref().map(run))
            .with("worst_strategy", found.worst_strategy.as_ref().map(run))
            .with("least_probability", found.least_probability.as_ref().map(likely))
            .with("greatest_probability", found.greatest_probability.as_ref().map(likely))
            .with("from_starts", from.map(|(from, starts)| json!({ "condition": from.name, "count": count(starts) })))
            .with("starts", unless_empty(&question.starts, start))
            .with("counterexample", found.counterexample.as_ref().map(run))
            .with("unshown", found.unshown.clone())
            .with("peak_bytes", self.peak_bytes)
    }
}

fn named(set: &SetReport, looks: &Looks<'_>) -> Json {
    let object = json!({
        "name": set.name, "claim": set.claim, "configurations": set.configurations, "closed": set.closed,
    });
    object.with("counterexample", set.counterexample.as_ref().map(|run| counterexample(run, looks)))
}

fn service(service: &Service, looks: &Looks<'_>) -> Json {
    let object = json!({
        "worst": service.worst.as_ref().map(value), "expected": service.expected, "start": looks.states(&service.start),
    });
    object
        .with("process", service.process)
        .with("rounds", service.rounds.as_ref().map(|found| rounds(found, looks)))
        .with("delay", service.delay.as_ref().map(|run| counterexample(run, looks)))
}

/// Adds the numbers of a set that is to be reached.
fn reaching(object: Json, reaching: &Reaching, looks: &Looks<'_>) -> Json {
    let time = |time: &Option<Time>| time.as_ref().map(|time| one(time, looks));
    object
        .with("steps", time(&reaching.steps))
        .with("expected_steps", time(&reaching.expected_steps))
        .with("best_expected_steps", time(&reaching.best_expected_steps))
        .with("least_probability", reaching.least_probability.as_ref().map(likely))
        .with("greatest_probability", reaching.greatest_probability.as_ref().map(likely))
        .with("delay", reaching.delay.as_ref().map(|run| counterexample(run, looks)))
}

pub(super) fn likely(likely: &Likely) -> Json {
    let object = json!({ "worst": probability(likely.worst), "mean": probability(likely.mean) });
    object.with("from", unless_empty(&likely.from, |from| probability(*from)))
}

fn probability(bounds: Bounds) -> Json {
    json!({ "low": bounds.low, "high": bounds.high })
}

/// A number of configurations or steps; `null` if there are 2^64 or more.
fn count(count: u64) -> Json {
    if count == u64::MAX { Json::Null } else { json!(count) }
}

fn rounds(rounds: &Rounds, looks: &Looks<'_>) -> Json {
    let object = json!({
        "worst": rounds.worst.as_ref().map(value), "expected": rounds.expected,
        "worst_start": looks.states(&rounds.worst_start),
    });
    object.with("mean", rounds.mean.as_ref().map(value))
}

fn both(times: &Times, own_is_named: bool, looks: &Looks<'_>) -> Json {
    let time = |time: &Option<Time>| time.as_ref().map(|time| one(time, looks));
    let own = time(&times.to_own_safe).filter(|_| own_is_named);
    json!({}).with("to_really_safe", time(&times.to_really_safe)).with("to_own_safe", own)
}

fn one(time: &Time, looks: &Looks<'_>) -> Json {
    let object = json!({
        "worst": value(&time.worst), "mean": value(&time.mean), "worst_start": looks.states(&time.worst_start),
    });
    object.with("worst_turns", time.worst_turns.clone()).with("from", unless_empty(&time.from, value))
}

fn value(value: &Value) -> Json {
    let bounds = value.bounds();
    match value {
        Value::Steps(x) if x.fract() == 0.0 => json!(*x as u64),
        Value::Steps(x) => json!(x),
        Value::Between(_) => json!({ "low": bounds.low, "high": bounds.high }),
        Value::Exact(p, q) => json!({ "exact": format!("{p}/{q}"), "low": bounds.low, "high": bounds.high }),
    }
}

fn counterexample(run: &Counterexample, looks: &Looks<'_>) -> Json {
    let all = |steps: &[Step]| steps.iter().map(|taken| step(taken, looks)).collect::<Json>();
    let (prefix, cycle) = (all(&run.prefix), all(&run.cycle));
    let object = json!({ "shows": run.shows, "start": looks.states(&run.start), "prefix": prefix, "cycle": cycle });
    object
        .with("recurring", run.recurring)
        .with("strategy", unless_empty(&run.strategy, |situation| chosen(situation, looks)))
}

fn chosen(situation: &Situation, looks: &Looks<'_>) -> Json {
    let choice = |choice: &Choice| actor(&choice.actor).with("choice", unless_empty(&choice.rules, |rule| json!(rule)));
    let choices: Json = situation.choices.iter().map(choice).collect();
    let object = json!({ "states": looks.states(&situation.states), "choices": choices });
    object.with("turns", situation.turns.clone())
}

fn actor(actor: &Actor) -> Json {
    match actor {
        Actor::Arc(u, v) => json!({ "arc": [u, v] }),
        Actor::Process(p) => json!({ "process": p }),
        Actor::Processes(processes) => json!({ "processes": processes }),
        Actor::All => json!({ "all": true }),
    }
}

fn step(step: &Step, looks: &Looks<'_>) -> Json {
    actor(&step.actor)
        .with("inputs", step.inputs.map(|(x, y)| json!([x, y])))
        .with("coin", unless_empty(&step.coin, |outcome| json!(outcome)))
        .with("rules", Some(json!(step.rules)))
        .with("states", Some(looks.states(&step.after)))
}

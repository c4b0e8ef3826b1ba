//! The report as JSON; docs/checking.md says what the fields mean.

use super::{CheckReport, Looks};
use ringleader_check::{
    Bounds, Choice, ClaimReport, Classes, Counterexample, Likely, Reaching, Rounds, Service, SetReport, Situation,
    Step, Symmetry, Time, Times, Value,
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
        let mut object = json!({
            "version": 1,
            "algorithm": subject.name(),
            "size": subject.size(),
            "parameters": subject.given_json(),
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
        });
        let mut put = |name: &str, value: Option<Json>| {
            if let Some(value) = value {
                object[name] = value;
            }
        };
        put("oracle", self.oracle().map(|oracle| json!(oracle)));
        put("coins", self.coins().map(|coins| json!(<&str>::from(coins))));
        put("fairness_level", self.fairness().map(|level| json!(level)));
        let symmetry = |classes: Classes| match classes.symmetry {
            Symmetry::Rotation => "rotation",
            Symmetry::Automorphism => "automorphism",
            Symmetry::Permutation => "permutation",
        };
        put("fewest_states", found.fewest_states.map(|fewest| json!(fewest)));
        put("state_classes", found.state_classes.map(|classes| json!(classes)));
        put("classes", found.classes.map(|classes| json!(classes.count)));
        put("symmetry", found.classes.map(|classes| json!(symmetry(classes))));
        put("product_states", found.product_states.map(|n| json!(n)));
        put("own_safe_reached", found.own_is_reached.filter(|_| found.own_is_named).map(|reached| json!(reached)));
        let claim = |claim: &ClaimReport| {
            let mut object = json!({
                "promise": <&str>::from(claim.promise),
                "claim": claim.name, "configurations": count(claim.configurations),
                "holds": (!claim.is_void()).then_some(claim.holds),
                "counterexample": claim.counterexample.as_ref().map(|run| counterexample(run, looks)),
            });
            if let Some(time) = &claim.service {
                object["service"] = service(time, looks);
            }
            if let (Some(Json::Object(numbers)), Some(object)) =
                (claim.reaching.as_ref().map(|numbers| reaching(numbers, looks)), object.as_object_mut())
            {
                object.extend(numbers);
            }
            object
        };
        put("claims", (!found.claims.is_empty()).then(|| found.claims.iter().map(claim).collect()));
        put("steps", found.steps.as_ref().map(both));
        put("moves", found.moves.as_ref().map(both));
        put("rounds", found.rounds.as_ref().map(|found| rounds(found, looks)));
        put("expected_steps", found.expected_steps.as_ref().map(both));
        put("expected_moves", found.expected_moves.as_ref().map(both));
        put("best_expected_steps", found.best_expected_steps.as_ref().map(both));
        put("within", self.within_json());
        put("delay", found.delay.as_ref().map(|run| counterexample(run, looks)));
        put("own_delay", found.own_delay.as_ref().map(|run| counterexample(run, looks)));
        put("worst_strategy", found.worst_strategy.as_ref().map(|run| counterexample(run, looks)));
        put("least_probability", found.least_probability.as_ref().map(likely));
        put("greatest_probability", found.greatest_probability.as_ref().map(likely));
        let from = question.starting.as_ref().zip(found.starts);
        put(
            "from_starts",
            from.map(|(starting, starts)| json!({ "condition": starting.name, "count": count(starts) })),
        );
        let starts =
            question.starts.iter().map(|start| json!({ "name": start.name, "states": looks.states(&start.states) }));
        put("starts", (!question.starts.is_empty()).then(|| starts.collect()));
        put("counterexample", found.counterexample.as_ref().map(|run| counterexample(run, looks)));
        put("unshown", found.unshown.as_ref().map(|why| json!(why)));
        put("peak_bytes", self.peak_bytes.map(|bytes| json!(bytes)));
        object
    }
}

fn named(set: &SetReport, looks: &Looks<'_>) -> Json {
    let mut object = json!({
        "name": set.name, "claim": set.claim, "configurations": set.configurations, "closed": set.closed,
    });
    if let Some(run) = &set.counterexample {
        object["counterexample"] = counterexample(run, looks);
    }
    object
}

fn service(service: &Service, looks: &Looks<'_>) -> Json {
    let mut object = json!({
        "worst": service.worst.as_ref().map(value), "expected": service.expected, "start": looks.states(&service.start),
    });
    if let Some(process) = service.process {
        object["process"] = json!(process);
    }
    if let Some(found) = &service.rounds {
        object["rounds"] = rounds(found, looks);
    }
    if let Some(delay) = &service.delay {
        object["delay"] = counterexample(delay, looks);
    }
    object
}

fn reaching(reaching: &Reaching, looks: &Looks<'_>) -> Json {
    let times = [
        ("steps", &reaching.steps),
        ("expected_steps", &reaching.expected_steps),
        ("best_expected_steps", &reaching.best_expected_steps),
    ];
    let probabilities =
        [("least_probability", &reaching.least_probability), ("greatest_probability", &reaching.greatest_probability)];
    let mut object = json!({});
    for (name, time) in times.into_iter().filter_map(|(name, time)| Some((name, time.as_ref()?))) {
        object[name] = one(time, looks);
    }
    for (name, found) in probabilities.into_iter().filter_map(|(name, found)| Some((name, found.as_ref()?))) {
        object[name] = likely(found);
    }
    if let Some(delay) = &reaching.delay {
        object["delay"] = counterexample(delay, looks);
    }
    object
}

fn likely(likely: &Likely) -> Json {
    let mut object = json!({ "worst": probability(likely.worst), "mean": probability(likely.mean) });
    if !likely.from.is_empty() {
        object["from"] = likely.from.iter().copied().map(probability).collect();
    }
    object
}

fn probability(bounds: Bounds) -> Json {
    json!({ "low": bounds.low, "high": bounds.high })
}

/// A number of configurations or steps; `null` if there are 2^64 or more.
fn count(count: u64) -> Json {
    if count == u64::MAX { Json::Null } else { json!(count) }
}

fn rounds(rounds: &Rounds, looks: &Looks<'_>) -> Json {
    let mut object = json!({
        "worst": rounds.worst.as_ref().map(value), "expected": rounds.expected,
        "worst_start": looks.states(&rounds.worst_start),
    });
    if let Some(mean) = &rounds.mean {
        object["mean"] = value(mean);
    }
    object
}

fn both(times: &Times, own_is_named: bool, looks: &Looks<'_>) -> Json {
    let mut object = json!({});
    let own = times.to_own_safe.as_ref().filter(|_| own_is_named);
    for (name, time) in [("to_really_safe", times.to_really_safe.as_ref()), ("to_own_safe", own)] {
        if let Some(time) = time {
            object[name] = one(time, looks);
        }
    }
    object
}

fn one(time: &Time, looks: &Looks<'_>) -> Json {
    let mut object = json!({
        "worst": value(&time.worst), "mean": value(&time.mean), "worst_start": looks.states(&time.worst_start),
    });
    if let Some(turns) = &time.worst_turns {
        object["worst_turns"] = json!(turns);
    }
    if !time.from.is_empty() {
        object["from"] = time.from.iter().map(value).collect();
    }
    object
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
    let mut object = json!({ "shows": run.shows, "start": looks.states(&run.start), "prefix": prefix, "cycle": cycle });
    if let Some(size) = run.recurring {
        object["recurring"] = json!(size);
    }
    if !run.strategy.is_empty() {
        object["strategy"] = run.strategy.iter().map(|situation| chosen(situation, looks)).collect();
    }
    object
}

fn chosen(situation: &Situation, looks: &Looks<'_>) -> Json {
    let choice = |choice: &Choice| {
        let mut object = actor(&choice.actor);
        if !choice.rules.is_empty() {
            object["choice"] = json!(choice.rules);
        }
        object
    };
    let choices: Json = situation.choices.iter().map(choice).collect();
    let mut object = json!({ "states": looks.states(&situation.states), "choices": choices });
    if let Some(turns) = &situation.turns {
        object["turns"] = json!(turns);
    }
    object
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
    let mut object = actor(&step.actor);
    if let Some((x, y)) = step.inputs {
        object["inputs"] = json!([x, y]);
    }
    if !step.coin.is_empty() {
        object["coin"] = json!(step.coin);
    }
    object["rules"] = json!(step.rules);
    object["states"] = json!(looks.states(&step.after));
    object
}

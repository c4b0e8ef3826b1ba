//! The report as JSON. docs/checking.md documents it.

use super::{Face, Outcome, memory};
use crate::failure::Failure;
use ringleader_check::report::{Classes, Counterexample, Detector, Level, Step, Symmetry, Time, Times, Value};
use ringleader_model::Scheduler;
use ringleader_model::trace::Actor;
use serde_json::{Map, Value as Json, json};
use std::io::Write;

pub(super) fn print(out: &mut impl Write, outcome: &Outcome<'_>, face: &Face) -> Result<(), Failure> {
    let (check, report) = (outcome.check, &outcome.report);
    let parameters: Map<String, Json> =
        check.parameters.given().iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let mut object = json!({
        "version": 1,
        "algorithm": check.card.name,
        "size": check.parameters.size,
        "parameters": parameters,
        "scheduler": check.options.scheduler.name(),
        "states": report.states,
        "configurations": report.configurations,
        "transitions": report.transitions,
        "verdict": if report.holds { "holds" } else { "fails" },
        "really_safe": report.really_safe,
        "own_safe": report.own_safe,
        "own_safe_closed": report.own_is_closed,
        "own_safe_really_safe": report.own_is_really_safe,
        "own_safe_silent": report.own_is_silent,
        "sets": report.sets.iter().map(|set| json!({
            "name": set.name, "claim": set.claim, "configurations": set.configurations, "closed": set.closed,
        })).collect::<Vec<_>>(),
        "seconds": outcome.time.as_secs_f64(),
    });
    let mut put = |name: &str, value: Option<Json>| {
        if let Some(value) = value {
            object[name] = value;
        }
    };
    let oracle = match check.options.detector {
        Detector::Perfect => "perfect",
        Detector::EventuallyCorrect => "eventually-correct",
    };
    put("oracle", check.layers.oracle(check.card).map(|_| json!(oracle)));
    let level = match check.options.level {
        Level::Transition => "transition",
        Level::Rule => "rule",
        Level::Arc => "arc",
    };
    put("fairness_level", (check.options.scheduler == Scheduler::LocallyFair).then(|| json!(level)));
    let symmetry = |classes: Classes| match classes.symmetry {
        Symmetry::Rotation => "rotation",
        Symmetry::Permutation => "permutation",
    };
    put("classes", report.classes.map(|classes| json!(classes.count)));
    put("symmetry", report.classes.map(|classes| json!(symmetry(classes))));
    put("product_states", report.product_states.map(|n| json!(n)));
    put("own_safe_reached", report.own_is_reached.map(|reached| json!(reached)));
    put("steps", report.steps.as_ref().map(|times| both(times, face)));
    put("expected_steps", report.expected_steps.as_ref().map(|times| both(times, face)));
    put("counterexample", report.counterexample.as_ref().map(|run| counterexample(run, face)));
    put("peak_bytes", memory::peak().map(|bytes| json!(bytes)));
    writeln!(out, "{object}")?;
    Ok(())
}

fn both(times: &Times, face: &Face) -> Json {
    let mut object = json!({});
    for (name, time) in [("to_really_safe", &times.to_really_safe), ("to_own_safe", &times.to_own_safe)] {
        if let Some(time) = time {
            object[name] = one(time, face);
        }
    }
    object
}

fn one(time: &Time, face: &Face) -> Json {
    let mut object = json!({
        "worst": value(&time.worst), "mean": value(&time.mean), "worst_start": face.states(&time.worst_start),
    });
    if let Some(turns) = &time.worst_turns {
        object["worst_turns"] = json!(turns);
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

fn counterexample(run: &Counterexample, face: &Face) -> Json {
    let all = |steps: &[Step]| steps.iter().map(|taken| step(taken, face)).collect::<Json>();
    let (prefix, cycle) = (all(&run.prefix), all(&run.cycle));
    let mut object = json!({ "shows": run.shows, "start": face.states(&run.start), "prefix": prefix, "cycle": cycle });
    if let Some(size) = run.recurring {
        object["recurring"] = json!(size);
    }
    object
}

fn step(step: &Step, face: &Face) -> Json {
    let mut object = match &step.actor {
        Actor::Arc(u, v) => json!({ "arc": [u, v] }),
        Actor::Process(p) => json!({ "process": p }),
        Actor::Processes(processes) => json!({ "processes": processes }),
        Actor::All => json!({ "all": true }),
    };
    if let Some((x, y)) = step.inputs {
        object["inputs"] = json!([x, y]);
    }
    if !step.coin.is_empty() {
        object["coin"] = json!(step.coin);
    }
    object["rules"] = json!(step.rules);
    object["states"] = json!(face.states(&step.after));
    object
}

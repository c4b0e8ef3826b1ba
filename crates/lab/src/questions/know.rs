//! Facts about the present configuration, for systems whose configurations can all be checked.

use crate::Refused;
use crate::runs::look::PossibleStep;
use crate::runs::setup::{AskedStart, Runnable, Setup, Subject};
use ringleader_check::{Atlas, Here, Monitor, Worst};
use ringleader_erased::Number;
use ringleader_model::{Scheduler, lock};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The most bytes of an atlas.
const MEMORY: u64 = 256 << 20;
/// The most nodes of a graph that is drawn.
const MOST_DRAWN: u64 = 3000;
/// The number of atlases that are kept.
const KEPT: usize = 4;

/// An atlas, or its absence.
#[derive(Clone)]
enum Known {
    /// It is being computed.
    Soon,
    Ready(Arc<Atlas>),
    /// There is none, for this reason.
    Never(String),
}

/// The atlases, each with the key of its setup, the newest last.
#[derive(Clone, Default)]
pub(crate) struct Atlases(Arc<Mutex<Vec<(String, Known)>>>);

impl Atlases {
    /// The atlas of a subject; the first request for it starts its computation.
    fn of(&self, setup: &Setup, subject: &Arc<Subject>) -> Known {
        // The atlas depends neither on the seed nor on the start, and of the scheduler only on how many processes step at once.
        let bare = Setup { seed: 0, start: AskedStart::default(), scheduler: None, oracle: None, ..setup.clone() };
        let key = serde_json::to_string(&(&bare, at_once(subject))).unwrap_or_default();
        let mut table = lock(&self.0);
        if let Some((_, known)) = table.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        if table.iter().any(|(_, known)| matches!(known, Known::Soon)) {
            return Known::Soon;
        }
        if table.len() >= KEPT {
            table.remove(0);
        }
        table.push((key.clone(), Known::Soon));
        let (atlases, subject) = (self.clone(), subject.clone());
        std::thread::spawn(move || {
            let known = made(&subject);
            if let Some((_, entry)) = lock(&atlases.0).iter_mut().find(|(known, _)| *known == key) {
                *entry = known;
            }
        });
        Known::Soon
    }
}

fn made(subject: &Subject) -> Known {
    let monitor = Monitor::new(1);
    let atlas = match &subject.runnable {
        Runnable::Population(instance, graph) => Atlas::population(instance, graph, MEMORY, &monitor),
        Runnable::Ring(instance) => Atlas::ring(instance, subject.parameters.size, subject.scheduler, MEMORY, &monitor),
        Runnable::Message(_) => return Known::Never("processes that pass messages start clean".into()),
    };
    match atlas {
        Ok(atlas) => Known::Ready(Arc::new(atlas)),
        Err(stop) => Known::Never(format!("the configurations cannot all be checked: {stop}")),
    }
}

/// The number of processes that step at once under the scheduler of the run. The atlas covers all such schedules.
fn at_once(subject: &Subject) -> &'static str {
    match subject.scheduler {
        Scheduler::Synchronous => "all",
        Scheduler::Distributed => "any",
        _ => "one",
    }
}

fn digits(states: &[Number]) -> Vec<u32> {
    states.iter().map(|state| state.0 as u32).collect()
}

fn facts(here: Here) -> Value {
    json!({
        "safe": here.safe, "can_heal": here.can_heal,
        "expected": here.expected.map(|bounds| f64::midpoint(bounds.low, bounds.high)),
        "worst": match here.worst { Worst::Steps(steps) => json!(steps), Worst::ForEver => json!("ever") },
    })
}

/// The facts about a configuration, where the checker knows them. Each choice gets the facts about the configuration after it.
pub(crate) fn here(
    atlases: &Atlases,
    setup: &Setup,
    subject: &Arc<Subject>,
    states: &[Number],
    choices: &mut [PossibleStep],
) -> Value {
    match atlases.of(setup, subject) {
        Known::Soon => json!({"state": "soon"}),
        Known::Never(why) => json!({"state": "never", "why": why}),
        Known::Ready(atlas) => {
            for choice in choices {
                choice.there = atlas.at(&digits(&choice.after(states))).map(facts);
            }
            let now = digits(states);
            let mut here = atlas.at(&now).map_or(json!({}), facts);
            here["state"] = json!("known");
            here["at_once"] = json!(at_once(subject));
            here["nodes"] = json!(atlas.nodes());
            here["node"] = json!(atlas.node(&now));
            here["drawn"] = json!(atlas.nodes() <= MOST_DRAWN);
            here["rotations"] = json!(atlas.up_to_rotation());
            here
        }
    }
}

/// The graph of all configurations, if it is small enough to be drawn.
pub(crate) fn graph(atlases: &Atlases, setup: &Setup, subject: &Arc<Subject>) -> Result<Value, Refused> {
    let atlas = match atlases.of(setup, subject) {
        Known::Soon => return Ok(json!({"state": "soon"})),
        Known::Never(why) => return Err(Refused::new(why)),
        Known::Ready(atlas) => atlas,
    };
    if atlas.nodes() > MOST_DRAWN {
        return Err(Refused::new(format!("{} configurations cannot be drawn: at most {MOST_DRAWN}", atlas.nodes())));
    }
    let (mut nodes, mut steps) = (vec![], vec![]);
    atlas.each(|node, next| {
        let here = atlas.of_node(node);
        let worst = if let Worst::Steps(steps) = here.worst { json!(steps) } else { Value::Null };
        let expected = here.expected.map(|bounds| f64::midpoint(bounds.low, bounds.high));
        nodes.push(json!([node, here.safe, worst, expected, here.can_heal]));
        steps.extend(next.iter().map(|&to| [node, to]));
    });
    Ok(json!({"state": "known", "nodes": nodes, "steps": steps, "rotations": atlas.up_to_rotation()}))
}

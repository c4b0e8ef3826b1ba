//! What the checker knows of the present configuration, for systems that are small enough to know everything of.

use crate::Refused;
use crate::runs::look;
use crate::runs::setup::{Setup, Start, Subject, System};
use ringleader_check::{Atlas, Here, Monitor, Worst};
use ringleader_erased::Number;
use ringleader_model::Scheduler;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An atlas may take so many bytes.
const MEMORY: u64 = 256 << 20;
/// A graph of more nodes than this cannot be looked at.
const MOST_DRAWN: u64 = 3000;
/// So many atlases are kept.
const KEPT: usize = 4;

/// How far one is with an atlas.
#[derive(Clone)]
enum Known {
    Soon,
    Ready(Arc<Atlas>),
    Never(String),
}

/// The atlases that were made, each with the key of its setup, the newest last.
#[derive(Clone, Default)]
pub(crate) struct Atlases(Arc<Mutex<Vec<(String, Known)>>>);

impl Atlases {
    fn table(&self) -> MutexGuard<'_, Vec<(String, Known)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The atlas of a subject; if there is none yet, one is begun.
    fn of(&self, setup: &Setup, subject: &Arc<Subject>) -> Known {
        // Chance does not decide what can happen, and of the scheduler only how many may step at once.
        let bare = Setup { seed: 0, start: Start::default(), scheduler: None, oracle: None, ..setup.clone() };
        let key = serde_json::to_string(&(&bare, at_once(subject))).unwrap_or_default();
        let mut table = self.table();
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
            if let Some((_, place)) = atlases.table().iter_mut().find(|(known, _)| *known == key) {
                *place = known;
            }
        });
        Known::Soon
    }
}

fn made(subject: &Subject) -> Known {
    let monitor = Monitor::new(1);
    let atlas = match &subject.system {
        System::Population(instance, graph) => Atlas::population(instance, graph, MEMORY, &monitor),
        System::Ring(instance) => Atlas::ring(instance, subject.parameters.size, subject.scheduler, MEMORY, &monitor),
        System::Message(_) => return Known::Never("nobody can break the state of these processes".into()),
    };
    match atlas {
        Ok(atlas) => Known::Ready(Arc::new(atlas)),
        Err(stop) => Known::Never(format!("too large to know everything of: {stop}")),
    }
}

/// How many step at once, under the scheduler of the run: what is known is about all schedules of that kind.
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

fn tell(here: Here) -> Value {
    json!({
        "safe": here.safe, "can_heal": here.can_heal,
        "expected": here.expected.map(|bounds| f64::midpoint(bounds.low, bounds.high)),
        "worst": match here.worst { Worst::Steps(steps) => json!(steps), Worst::ForEver => json!("ever") },
    })
}

/// What each choice would do here and, where that is known, what it would mean.
pub(crate) fn choices(atlases: &Atlases, setup: &Setup, subject: &Arc<Subject>, states: &[Number]) -> Value {
    let mut choices = look::choices(subject, states);
    let known = atlases.of(setup, subject);
    let here = match &known {
        Known::Soon => json!({"state": "soon"}),
        Known::Never(why) => json!({"state": "never", "why": why}),
        Known::Ready(atlas) => {
            let now = digits(states);
            for choice in &mut choices {
                let mut after = now.clone();
                for change in choice["changes"].as_array().into_iter().flatten() {
                    if let (Some(agent), Some(state)) = (change[0].as_u64(), change[1].as_u64()) {
                        after[agent as usize] = state as u32;
                    }
                }
                if let Some(there) = atlas.at(&after) {
                    choice["there"] = tell(there);
                }
            }
            let mut known = atlas.at(&now).map_or(json!({}), tell);
            known["state"] = json!("known");
            known["at_once"] = json!(at_once(subject));
            known["nodes"] = json!(atlas.nodes());
            known["node"] = json!(atlas.node(&now));
            known["drawn"] = json!(atlas.nodes() <= MOST_DRAWN);
            known["rotations"] = json!(atlas.up_to_rotation());
            known
        }
    };
    json!({"choices": choices, "here": here})
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

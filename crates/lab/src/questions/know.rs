//! Facts about the present configuration, for systems whose configurations can all be checked.

use crate::Refused;
use crate::attended::Attended;
use crate::host::Host;
use crate::runs::look::PossibleStep;
use crate::runs::setup::{AskedStart, Runnable, Setup, Subject};
use ringleader_check::{Atlas, Here, Monitor, Stop, Subject as Checked, Uncheckable, Worst};
use ringleader_erased::Number;
use ringleader_model::{Scheduler, lock};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The most bytes of an atlas.
const MEMORY: u64 = 256 << 20;
/// The most nodes of a graph that is drawn.
const MOST_DRAWN: u64 = 3000;
/// The number of atlases that are kept.
const KEPT: usize = 4;
/// An atlas is given up when no page has asked for it this long.
const ALONE: Duration = Duration::from_secs(15);

/// An atlas, or its absence.
#[derive(Clone)]
enum Known {
    /// It is being computed, for a page that asks.
    Soon(Attended, Arc<Monitor>),
    Ready(Arc<Atlas>),
    /// There is none, for this reason.
    Never(String),
}

/// The atlases, each with the key of its setup, the newest last.
#[derive(Clone)]
pub(crate) struct Atlases {
    host: Host,
    table: Arc<Mutex<Vec<(String, Known)>>>,
}

impl Atlases {
    pub(crate) fn new(host: Host) -> Atlases {
        Atlases { host, table: Arc::default() }
    }

    /// Gives up the atlas for which no page has asked for so long.
    pub(crate) fn end_unattended(&self) {
        self.stop(|attended| attended.alone() > ALONE);
    }

    /// Gives up the atlas that is being computed.
    pub(crate) fn end(&self) {
        self.stop(|_| true);
    }

    fn stop(&self, which: impl Fn(&Attended) -> bool) {
        for (_, known) in &*lock(&self.table) {
            if let Known::Soon(attended, monitor) = known
                && which(attended)
            {
                monitor.stop();
            }
        }
    }

    /// The atlas of a subject; the first request for it starts its computation.
    fn of(&self, setup: &Setup, subject: &Arc<Subject>) -> Known {
        if let Runnable::Message(_) = subject.runnable {
            return Known::Never("processes that pass messages start clean".into());
        }
        // The atlas depends neither on the seed nor on the start, and of the scheduler only on how many processes step at once.
        let bare = Setup { seed: 0, start: AskedStart::default(), scheduler: None, oracle: None, ..setup.clone() };
        let key = serde_json::to_string(&(&bare, at_once(subject))).unwrap_or_default();
        let mut table = lock(&self.table);
        if let Some((_, known)) = table.iter().find(|(known, _)| *known == key) {
            if let Known::Soon(attended, _) = known {
                attended.ask();
            }
            return known.clone();
        }
        // One at a time: the page that has moved on does not wait for the last one.
        if let Some((_, soon)) = table.iter().find(|(_, known)| matches!(known, Known::Soon(..))) {
            if let Known::Soon(attended, monitor) = soon
                && attended.alone() > Duration::from_secs(1)
            {
                monitor.stop();
            }
            return soon.clone();
        }
        if table.len() >= KEPT {
            table.remove(0);
        }
        let (attended, monitor) = (Attended::new(self.host.now), Arc::new(Monitor::new(1)));
        let soon = Known::Soon(attended, monitor.clone());
        table.push((key.clone(), soon.clone()));
        drop(table);
        let (atlases, subject, of) = (self.clone(), subject.clone(), key.clone());
        let work = move || {
            let known = made(&subject, &monitor);
            atlases.settle(&of, known);
        };
        if (self.host.spawn)(Box::new(work)).is_err() {
            self.settle(&key, None);
        }
        soon
    }

    /// Keeps an atlas. Without one, the next request computes it again.
    fn settle(&self, key: &str, known: Option<Known>) {
        let mut table = lock(&self.table);
        match known {
            None => table.retain(|(known, _)| known != key),
            Some(known) => table.iter_mut().filter(|(of, _)| of == key).for_each(|(_, entry)| *entry = known.clone()),
        }
    }
}

/// The atlas; `None` if it was given up.
fn made(subject: &Subject, monitor: &Monitor) -> Option<Known> {
    let of = match &subject.runnable {
        Runnable::Population(instance, graph) => Checked::Population(instance, graph),
        Runnable::Ring(instance) => Checked::Ring(instance, subject.parameters.size),
        Runnable::Graph(instance, _) => Checked::Graph(instance),
        Runnable::Message(_) => return None,
    };
    match Atlas::new(&of, subject.scheduler, MEMORY, monitor) {
        Ok(atlas) => Some(Known::Ready(Arc::new(atlas))),
        Err(Stop::Interrupted) => None,
        Err(Stop::Refused(Uncheckable::Memory { configurations, .. })) => {
            let count = configurations.map_or_else(|| "2^64 or more".into(), |count| count.to_string());
            Some(Known::Never(format!("{count} configurations are too many for this panel ({} MiB)", MEMORY >> 20)))
        }
        Err(stop) => Some(Known::Never(format!("the configurations cannot all be checked: {stop}"))),
    }
}

/// The number of processes that step at once under the scheduler of the run. The atlas covers all such schedules.
fn at_once(subject: &Subject) -> &'static str {
    match subject.scheduler {
        Scheduler::Synchronous => "all",
        Scheduler::Distributed | Scheduler::LocallyCentral => "any",
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
        Known::Soon(..) => json!({"state": "soon"}),
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
        Known::Soon(..) => return Ok(json!({"state": "soon"})),
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

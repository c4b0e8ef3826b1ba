//! Checks of algorithms that pass messages: every reachable state from the clean start, under every scheduler.

use crate::Refused;
use crate::questions::jobs::Jobs;
use crate::runs::setup::{Runnable, Setup, Subject};
use crate::runs::story::{Move, Script, Story};
use ringleader_erased::ParameterKind;
use ringleader_explore::{Failure, Options, Progress, Run, Space};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The most bytes of an exploration.
const MEMORY: u64 = 1 << 30;

/// Starts the exploration.
pub(super) fn begin(setup: Setup, subject: Arc<Subject>, jobs: &Jobs) -> Result<Value, Refused> {
    let bound = subject.card.parameters.iter().find(|p| p.kind == ParameterKind::Bound);
    if let Some(bound) = bound.filter(|p| subject.parameters.word(p.name).is_none()) {
        return Err(Refused::new(format!("its states are unbounded: give a value for {}", bound.name)));
    }
    let (states, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let (shown, stopped) = (states.clone(), stop.clone());
    jobs.begin(
        move || json!({"phase": "reachable states", "done": shown.load(Relaxed), "total": null, "found": []}),
        move || stopped.store(true, Relaxed),
        move |_| check(&setup, &subject, &states, &stop),
    )
}

fn check(setup: &Setup, subject: &Subject, states: &AtomicU64, stop: &AtomicBool) -> Result<Value, Refused> {
    let Runnable::Message(algorithm) = &subject.runnable else { return Err(Refused::new("it passes no messages")) };
    let begun = Instant::now();
    let mut options = Options { channels: subject.channels, rotation: true, memory: MEMORY, ..Options::default() };
    let space = loop {
        let mut watch = |found: Progress| {
            states.store(found.stored, Relaxed);
            !stop.load(Relaxed)
        };
        match Space::explore(algorithm, &options, &mut watch) {
            Ok(space) => break space,
            Err(Failure::NotSymmetric) if options.rotation => options.rotation = false,
            Err(Failure::Stopped) => return Err(Refused::new("cancelled")),
            Err(failure) => return Err(Refused::new(failure)),
        }
    };
    let two = space.first(|state| state.leaders() > 1);
    let ended = space.first(|state| state.stopped() && !state.cut_off() && state.leaders() != 1);
    let broken = match (two, ended) {
        (Some(state), _) => Some(("there are two leaders", state)),
        (None, Some(state)) => Some(("the run ends without exactly one leader", state)),
        (None, None) => None,
    };
    let run = broken.map(|(shows, state)| (shows, space.run_to(state)));
    let report = match &run {
        Some((_, run)) => run.chart(100),
        None => "never two leaders, and exactly one leader on every run that ends".to_string(),
    };
    let run = run.map(|(shows, run)| {
        json!({"shows": shows, "story": story(setup, shows, &run), "prefix": run.steps.len(), "cycle": 0, "trace": null})
    });
    let counts = [
        ("reachable states", space.states()),
        ("stored, up to rotation", Some(space.stored())),
        ("final states", space.deadlocks()),
    ];
    let figures = counts.iter().filter_map(|(name, count)| Some((*name, (*count)?.to_string())));
    Ok(json!({
        "holds": run.is_none(), "scheduler": "possible", "under": "every schedule", "run": run, "report": report,
        "figures": figures.collect::<Vec<_>>(), "seconds": begun.elapsed().as_secs_f64(),
    }))
}

/// The counterexample as a story.
fn story(setup: &Setup, shows: &str, run: &Run) -> Story {
    let step = |step: &ringleader_explore::Step| Move {
        processes: vec![step.process],
        message: step.received.as_ref().map(|received| (received.port, received.index)),
        coin: step.draws.clone(),
        ..Move::default()
    };
    let script = Script { steps: run.steps.iter().map(step).collect(), cycle: None, shows: Some(shows.into()) };
    Story { setup: setup.clone(), acts: vec![], script: Some(script) }
}

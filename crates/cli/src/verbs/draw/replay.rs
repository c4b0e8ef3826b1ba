//! `ringleader draw --replay`: a run from a file, as a picture. Message passing becomes a message-sequence chart.

use super::{Arguments, Drawing, network};
use crate::catalog;
use crate::terminal::exit::{FAILS, Failure, bail, usage};
use crate::terminal::{files, interrupt};
use crate::texts;
use crate::verbs::elect::replay::{PlayedTrace, messages};
use ringleader_catalog::Instance;
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::trace::Actor;
use ringleader_report::chart;
use ringleader_report::number::counted;
use ringleader_report::spacetime::{Event, Moment, shade};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// More steps than this do not fit a picture.
const MOST_STEPS: usize = 4000;

pub(super) fn run(arguments: &Arguments, file: &Path) -> Result<ExitCode, Failure> {
    let name = file.display().to_string();
    let text = texts::run_file(file)?;
    let path =
        arguments.output.clone().unwrap_or_else(|| file.with_extension(if arguments.gif { "gif" } else { "svg" }));
    if path == file {
        bail!("{name} would be overwritten: give the picture another name with --output");
    }
    let of_messages = MessageTrace::detect(&text);
    let animated = files::writable_drawing(&path, arguments.gif)?;
    if animated && of_messages {
        bail!("a chart of messages is written as .svg, .png or .tex, not as an animation");
    }
    if of_messages { chart_of(&name, &text, path) } else { diagram_of(&name, &text, path, animated) }
}

fn fits(name: &str, steps: usize) -> Result<(), Failure> {
    match steps {
        0..=MOST_STEPS => Ok(()),
        _ => Err(usage!("{name}: {steps} steps do not fit a picture: at most {MOST_STEPS}")),
    }
}

fn chart_of(name: &str, text: &str, path: PathBuf) -> Result<ExitCode, Failure> {
    let played = messages::play(name, text)?;
    let (trace, run) = (&played.trace, &played.run);
    fits(name, run.steps.len())?;
    let title = format!("{}, {} processes", trace.algorithm, trace.size);
    files::write_picture(&path, &chart::picture(run, &title))?;
    let (steps, leaders) = (counted(run.steps.len() as u64, "step"), counted(run.leaders as u64, "leader"));
    anstream::println!("{}: {title}, {steps}, {leaders} in the end", path.display());
    Ok(ExitCode::SUCCESS)
}

fn diagram_of(name: &str, text: &str, path: PathBuf, animated: bool) -> Result<ExitCode, Failure> {
    let played = PlayedTrace::read(name, text, None)?;
    let (trace, run) = (&played.trace, &played.run);
    fits(name, trace.steps.len())?;
    let card = catalog().card(&trace.start.algorithm)?;
    let variable = played.parameters.layers.shade(card);
    let actors = |at: usize| match at.checked_sub(1).map(|step| &trace.steps[step].actor) {
        None => vec![],
        Some(Actor::Arc(u, v)) => vec![*u, *v],
        Some(Actor::Process(p)) => vec![*p],
        Some(Actor::Processes(several)) => several.clone(),
        Some(Actor::All) => (0..trace.start.size).collect(),
    };
    // A run that is not the one that its trace claims repeats nothing.
    let repeats = trace.cycle.filter(|_| run.broken.is_none() && run.closes == Some(true));
    let title = format!("{}, {} {}", card.name, trace.start.size, card.kind.members());
    interrupt::listen();
    if let Instance::Graph(algorithm) = &played.instance {
        network::fits(algorithm)?;
        let scenes: Vec<_> = (played.moments().into_iter().enumerate())
            .map(|(at, now)| network::scene(algorithm, variable, at as u64, (now.marks, now.states), actors(at)))
            .collect();
        let from = repeats.map_or(String::new(), |from| format!("; repeats for ever from step {from}"));
        Drawing { path: &path, animated, title: &format!("{title}{from}") }.write_scenes(algorithm, &scenes)?;
        return told(&path, &title, &played, repeats);
    }
    let drawn = played.moments().into_iter().enumerate().map(|(at, now)| {
        let shades = now.states.iter().map(|state| shade(state, variable?)).collect();
        Moment { steps: at as u64, marks: now.marks, shades, actors: actors(at) }
    });
    let event = repeats.map(|from| Event::Repeats(from as u64));
    Drawing { path: &path, animated, title: &title }.write(&drawn.collect::<Vec<_>>(), card, event)?;
    told(&path, &title, &played, repeats)
}

/// Says what was drawn.
fn told(path: &Path, title: &str, played: &PlayedTrace, repeats: Option<usize>) -> Result<ExitCode, Failure> {
    let (trace, run) = (&played.trace, &played.run);
    let ending = match (&run.broken, repeats) {
        (Some(broken), _) => format!(", not the run that the trace claims: {broken}"),
        (None, Some(from)) => format!(", the last {} for ever", trace.steps.len() - from),
        (None, None) => String::new(),
    };
    anstream::println!("{}: {title}, {}{ending}", path.display(), counted(trace.steps.len() as u64, "step"));
    Ok(if run.broken.is_some() { ExitCode::from(FAILS) } else { ExitCode::SUCCESS })
}

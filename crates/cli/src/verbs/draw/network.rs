//! `ringleader draw` for the processes of a graph: the graph at some moments of the run, on one sheet or as an animation.

use super::{Arguments, Drawing, reached};
use crate::settings::election::Election;
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::interrupt;
use ringleader_catalog::Instance;
use ringleader_erased::GraphInstance;
use ringleader_model::{Marks, Networked as _};
use ringleader_report::spacetime::network::Scene;
use ringleader_report::spacetime::{Moment, shade};
use ringleader_simulate::plain::run_to_goal;

/// The most processes in a picture of a graph.
const MOST_PROCESSES: usize = 200;
/// The most processes whose states are written beside them.
const MOST_WRITTEN: usize = 20;

/// The usual number of pictures on a sheet, and of frames of an animation.
const PICTURES: u64 = 12;
const FRAMES: u64 = 90;
/// The most pictures on a sheet.
const MOST_PICTURES: u64 = 400;

/// Draws a new run, until it reaches its goal: the steps after which it did, if it did.
pub(super) fn run(arguments: &Arguments, election: &Election, drawing: &Drawing<'_>) -> Result<Option<u64>, Failure> {
    let Instance::Graph(algorithm) = &election.instance else {
        bail!("{}: not the processes of a graph", drawing.title)
    };
    fits(algorithm)?;
    let usual = if drawing.animated { FRAMES } else { PICTURES };
    let pictures = arguments.rows.unwrap_or(usual).clamp(2, MOST_PICTURES) as usize;
    let mut first = election.begin()?;
    let mut changes = vec![0];
    let end = run_to_goal(&mut *first, arguments.limit, |run| {
        if !run.wrote().is_empty() {
            changes.push(run.steps());
        }
        Ok::<_, Failure>(!interrupt::requested())
    })?;
    let reached = reached(end, &*first)?;
    changes.dedup();
    let mut again = election.begin()?;
    let mut scenes = vec![];
    for at in spread(&changes, pictures) {
        while again.steps() < at && again.step() {}
        let (marks, states, wrote) = (again.marks(), again.states(), again.wrote().to_vec());
        scenes.push(scene(algorithm, election.card.shade, again.steps(), (marks, states), wrote));
    }
    drawing.write_scenes(algorithm, &scenes)?;
    Ok(reached)
}

/// Refuses a graph that is too large for a picture.
pub(super) fn fits(algorithm: &GraphInstance) -> Result<(), Failure> {
    match algorithm.size() {
        0..=MOST_PROCESSES => Ok(()),
        size => Err(usage!("{size} processes of a graph do not fit a picture: at most {MOST_PROCESSES}")),
    }
}

/// At most `most` values of a list, evenly spaced from the first to the last.
pub(super) fn spread<T: Copy>(all: &[T], most: usize) -> Vec<T> {
    match all.len() {
        len if len <= most => all.to_vec(),
        len => (0..most).map(|k| all[k * (len - 1) / (most - 1).max(1)]).collect(),
    }
}

/// A moment of a run: the marks and states of all processes, and those that wrote in the step before.
pub(super) fn scene(
    algorithm: &GraphInstance,
    variable: Option<&str>,
    steps: u64,
    (marks, states): (Vec<Marks>, Vec<String>),
    wrote: Vec<usize>,
) -> Scene {
    let names = algorithm.pointers();
    let pointers = states.iter().map(|state| {
        // A pointer at nothing is no number.
        names.iter().filter_map(|name| Some(shade(state, name)? as usize)).collect()
    });
    let shades = states.iter().map(|state| shade(state, variable?)).collect();
    let pointers = pointers.collect();
    let values = |state: &String| {
        let value = |pair: &str| pair.split_once('=').map_or(pair.to_string(), |(_, value)| value.to_string());
        state.split(' ').map(value).collect::<Vec<_>>().join(",")
    };
    let written = if states.len() <= MOST_WRITTEN { states.iter().map(values).collect() } else { vec![] };
    Scene { moment: Moment { steps, marks, shades, actors: wrote }, pointers, states: written }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spread_from_the_first_to_the_last() {
        assert_eq!(spread(&[1, 2, 3], 5), [1, 2, 3]);
        assert_eq!(spread(&(0..100).collect::<Vec<_>>(), 4), [0, 33, 66, 99]);
        assert_eq!(spread(&[7, 8, 9], 2), [7, 9]);
    }
}

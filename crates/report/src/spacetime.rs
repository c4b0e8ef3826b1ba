//! A run as a picture: agents across and time down, or as an animation of the ring.
//!
//! ```
//! use ringleader_model::Marks;
//! use ringleader_report::spacetime::{Caption, Event, Moment, diagram};
//!
//! let moment = |steps, marks: [Marks; 2]| Moment { steps, marks: marks.to_vec(), shades: vec![None; 2], actors: vec![] };
//! let moments = [moment(0, [Marks::LEADER; 2]), moment(5, [Marks::LEADER, Marks::NONE])];
//! let caption = Caption { title: "two agents", agents: "agent", event: Some(Event::Reached(3)) };
//! assert!(diagram(&moments, &caption).svg().contains("goal reached"));
//! ```

#[cfg(feature = "pictures")]
mod animation;
mod layout;
mod legend;
mod moments;
pub mod network;

#[cfg(feature = "pictures")]
pub use animation::{AnimationError, gif};

pub use moments::{Look, shade};

use crate::canvas::{Anchor, Canvas, Cell, Colour, INK, PAPER};
use legend::Legend;
use ringleader_model::Marks;
use std::collections::BTreeMap;

/// A moment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The number of steps before it.
    pub steps: u64,
    /// The marks of each agent.
    pub marks: Vec<Marks>,
    /// A distance or count that each agent's state holds, if any.
    pub shades: Vec<Option<u64>>,
    /// The agents that took the step before it, where every step is shown.
    pub actors: Vec<usize>,
}

/// The text around a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caption<'a> {
    /// The title above the picture.
    pub title: &'a str,
    /// The name of the horizontal axis: agent or process.
    pub agents: &'a str,
    /// An event to mark.
    pub event: Option<Event>,
}

/// An event that a picture marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The goal was reached after this many steps.
    Reached(u64),
    /// The run repeats for ever after this many steps.
    Repeats(u64),
}

/// The colour and the name of each mark; an agent has the colour of its first mark in this order.
const COLOURS: [(Marks, Colour, &str); 12] = [
    (Marks::BEGINNER, [120, 190, 60], "leader that begins"),
    (Marks::LEADER, [16, 140, 80], "leader"),
    (Marks::TOKEN, [130, 60, 170], "token"),
    (Marks::BULLET, [210, 40, 40], "live bullet"),
    (Marks::DUMMY, [240, 160, 40], "dummy bullet"),
    (Marks::PROBE, [200, 70, 190], "probe"),
    (Marks::SHIELD, [40, 100, 210], "shield"),
    (Marks::SIGNAL, [150, 190, 235], "signal"),
    (Marks::ACTIVE, [40, 160, 190], "active"),
    (Marks::PASSIVE, [225, 225, 228], "passive"),
    (Marks::FORWARD, [70, 150, 120], "the next one follows"),
    (Marks::BACKWARD, [225, 170, 60], "the one before follows"),
];
const SHIELDED_LEADER: Colour = [10, 85, 110];

/// The colour of an agent; agents without a mark are shaded by their distance.
fn colour(marks: Marks, shade: Option<u64>, most: u64) -> Colour {
    if marks.contains(Marks::LEADER | Marks::SHIELD) {
        return SHIELDED_LEADER;
    }
    let shown = COLOURS.iter().find(|(mark, ..)| marks.contains(*mark)).map(|c| c.1);
    let grey = 246 - shade.map_or(0, |s| (40 * s.min(most) / most.max(1)) as u8);
    shown.unwrap_or([grey, grey, grey.saturating_add(6)])
}

fn most(moments: &[Moment]) -> u64 {
    moments.iter().flat_map(|m| m.shades.iter().flatten()).copied().max().unwrap_or(0)
}

/// The layout: whole units, so that edges are sharp.
struct Grid {
    agents: u32,
    rows: u32,
    width: u32,
    height: u32,
}

const LEFT: u32 = 76;
const TOP: u32 = 44;

impl Grid {
    fn new(moments: &[Moment]) -> Grid {
        let agents = moments.first().map_or(1, |m| m.marks.len()).max(1) as u32;
        let rows = moments.len().max(1) as u32;
        // A short run is not stretched to fill the page.
        let (width, height) = (agents.max((600 / agents).min(80) * agents), rows.max(480.min(24 * rows)));
        Grid { agents, rows, width, height }
    }

    /// The left edge of an agent; of the right margin for the number after the last agent.
    fn x(&self, agent: u32) -> u32 {
        LEFT + self.width * agent / self.agents
    }

    /// The upper edge of a row.
    fn y(&self, row: u32) -> u32 {
        TOP + self.height * row / self.rows
    }

    /// The middle of a cell.
    fn middle(&self, agent: usize, row: usize) -> (f32, f32) {
        let half = |from: u32, to: u32| (from + to) as f32 / 2.0;
        let (agent, row) = (agent as u32, row as u32);
        (half(self.x(agent), self.x(agent + 1)), half(self.y(row), self.y(row + 1)))
    }

    /// The vertical position of a step: the middle of its row.
    fn at(&self, steps: u64, last: u64) -> f32 {
        let row = self.height as f32 / self.rows as f32;
        TOP as f32 + row / 2.0 + (self.height as f32 - row) * (steps as f32 / last.max(1) as f32).min(1.0)
    }
}

/// The space-time diagram: agents across, time down.
#[must_use]
pub fn diagram(moments: &[Moment], caption: &Caption<'_>) -> Canvas {
    let grid = Grid::new(moments);
    let legend = Legend::of(moments, grid.width.max(300) as f32);
    let (right, bottom) = (LEFT + grid.width.max(300) + 40, TOP + grid.height);
    let mut canvas = Canvas::new(right as f32, bottom as f32 + 58.0 + legend.height());
    for (colour, cells) in painted(moments, &grid) {
        canvas.cells(cells, colour);
    }
    canvas.words((LEFT as f32, 26.0), caption.title, 15.0, Anchor::Start, INK);
    let last = moments.last().map_or(1, |m| m.steps).max(1);
    for tick in (0..=last).step_by(round_step(last) as usize) {
        let (left, y) = (LEFT as f32, grid.at(tick, last));
        canvas.line(&[(left - 5.0, y), (left, y)], INK, 1.0);
        canvas.words((left - 9.0, y + 4.0), tick.to_string(), 11.0, Anchor::End, INK);
    }
    canvas.upright((14.0, (TOP + bottom) as f32 / 2.0), "steps", 12.0, INK);
    agents(&mut canvas, &grid, caption.agents);
    steps_taken(&mut canvas, &grid, moments);
    event(&mut canvas, &grid, caption.event, last);
    legend.draw(&mut canvas, (LEFT as f32, bottom as f32 + 52.0));
    canvas
}

/// The cells of each colour; equal neighbouring rows are one cell.
fn painted(moments: &[Moment], grid: &Grid) -> BTreeMap<Colour, Vec<Cell>> {
    let most = most(moments);
    let mut cells: BTreeMap<Colour, Vec<Cell>> = BTreeMap::new();
    // The groups of equal neighbours in the row above, with the row in which each began.
    let mut open: BTreeMap<(u32, u32, Colour), u32> = BTreeMap::new();
    let mut close = |(from, to, colour): (u32, u32, Colour), since: u32, until: u32| {
        let (x, y) = (grid.x(from), grid.y(since));
        cells.entry(colour).or_default().push([x, y, grid.x(to) - x, grid.y(until) - y]);
    };
    for (row, moment) in (0..).zip(moments) {
        let looks = |(marks, shade): (&Marks, &Option<u64>)| colour(*marks, *shade, most);
        let colours: Vec<Colour> = moment.marks.iter().zip(&moment.shades).map(looks).collect();
        let (mut from, mut now) = (0, BTreeMap::new());
        for run in colours.chunk_by(|a, b| a == b) {
            let key = (from, from + run.len() as u32, run[0]);
            now.insert(key, open.remove(&key).unwrap_or(row));
            from = key.1;
        }
        std::mem::replace(&mut open, now).into_iter().for_each(|(key, since)| close(key, since, row));
    }
    open.into_iter().for_each(|(key, since)| close(key, since, moments.len() as u32));
    cells
}

/// The axis of the agents, below.
fn agents(canvas: &mut Canvas, grid: &Grid, name: &str) {
    let bottom = (TOP + grid.height) as f32;
    for agent in (0..grid.agents).step_by(round_step((grid.agents - 1).into()).max(1) as usize) {
        let x = grid.middle(agent as usize, 0).0;
        canvas.line(&[(x, bottom), (x, bottom + 4.0)], INK, 1.0);
        canvas.words((x, bottom + 16.0), agent.to_string(), 11.0, Anchor::Middle, INK);
    }
    canvas.words(((2 * LEFT + grid.width) as f32 / 2.0, bottom + 31.0), name, 12.0, Anchor::Middle, INK);
}

/// Marks the agents of each step, where known, with dots, and with a line between two that interact.
fn steps_taken(canvas: &mut Canvas, grid: &Grid, moments: &[Moment]) {
    let room = (grid.width / grid.agents).min(grid.height / grid.rows) as f32;
    for (row, moment) in moments.iter().enumerate().filter(|(_, m)| !m.actors.is_empty() && room >= 6.0) {
        let dots: Vec<(f32, f32)> = moment.actors.iter().map(|&agent| grid.middle(agent, row)).collect();
        if let [a, b] = moment.actors[..]
            && a.abs_diff(b) == 1
        {
            canvas.line(&dots, INK, 1.4);
        }
        dots.into_iter().for_each(|at| {
            canvas.dot(at, (room * 0.17).clamp(1.5, 4.0) + 1.0, [255, 255, 254]);
            canvas.dot(at, (room * 0.17).clamp(1.5, 4.0), INK);
        });
    }
}

fn event(canvas: &mut Canvas, grid: &Grid, event: Option<Event>, last: u64) {
    let (left, right, bottom) = (LEFT as f32, (LEFT + grid.width) as f32, (TOP + grid.height) as f32);
    match event {
        None => {}
        Some(Event::Reached(steps)) => {
            let y = grid.at(steps, last);
            canvas.dashed(&[(left, y), (right, y)], INK, 1.2);
            let wide = Canvas::width_of("goal reached", 11.0) + 8.0;
            canvas.rectangle((right - wide, y - 16.0), (wide, 14.0), PAPER);
            canvas.words((right - 4.0, y - 5.0), "goal reached", 11.0, Anchor::End, INK);
        }
        Some(Event::Repeats(steps)) => {
            // Below the row of the configuration in which the cycle begins.
            let y = grid.at(steps, last) + grid.height as f32 / grid.rows as f32 / 2.0;
            canvas.dashed(&[(left, y), (right + 8.0, y)], INK, 1.2);
            canvas.line(&[(right + 4.0, y), (right + 8.0, y), (right + 8.0, bottom), (right + 4.0, bottom)], INK, 1.2);
            canvas.upright((right + 22.0, ((y + bottom) / 2.0).min(bottom - 44.0)), "repeats for ever", 11.0, INK);
        }
    }
}

/// The least of 1, 2, 5, 10, .. that gives at most seven ticks.
fn round_step(last: u64) -> u64 {
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit: u64| digit.saturating_mul(10u64.saturating_pow(power))));
    steps.into_iter().find(|step| last / step <= 6).unwrap_or(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The painted colour of every cell, read back from the rectangles.
    fn colours(moments: &[Moment]) -> Vec<Vec<Colour>> {
        let grid = Grid::new(moments);
        let painted = painted(moments, &grid);
        let inside = |[x, y, w, h]: Cell, at: (f32, f32)| {
            (x as f32..(x + w) as f32).contains(&at.0) && (y as f32..(y + h) as f32).contains(&at.1)
        };
        let of = |at: (f32, f32)| {
            let mut found = painted.iter().filter(|(_, cells)| cells.iter().any(|&cell| inside(cell, at)));
            let colour = *found.next().expect("no hole").0;
            assert!(found.next().is_none(), "cells overlap at {at:?}");
            colour
        };
        let row = |row: usize| (0..grid.agents as usize).map(|agent| of(grid.middle(agent, row))).collect();
        (0..moments.len()).map(row).collect()
    }

    #[test]
    fn merged_cells_paint_what_every_agent_shows() {
        let all = [Marks::NONE, Marks::LEADER, Marks::TOKEN];
        let moment = |row: usize| {
            let marks: Vec<Marks> = (0..7).map(|agent| all[(row / 3 + agent * agent / 2) % 3]).collect();
            Moment { steps: row as u64, shades: vec![None; 7], marks, actors: vec![] }
        };
        let moments: Vec<Moment> = (0..40).map(moment).collect();
        let expected: Vec<Vec<Colour>> =
            moments.iter().map(|m| m.marks.iter().map(|&marks| colour(marks, None, 0)).collect()).collect();
        assert_eq!(colours(&moments), expected);
        let cells: usize = painted(&moments, &Grid::new(&moments)).values().map(Vec::len).sum();
        assert!(cells < 40 * 7 / 3, "rows that look alike are one cell: {cells}");
    }

    #[test]
    fn a_diagram_names_its_axes_and_marks_the_cycle() {
        let moment = |steps| Moment { steps, marks: vec![Marks::NONE; 3], shades: vec![None; 3], actors: vec![0, 1] };
        let moments: Vec<Moment> = (0..5).map(moment).collect();
        let caption = Caption { title: "t", agents: "agent", event: Some(Event::Repeats(2)) };
        let svg = diagram(&moments, &caption).svg();
        assert!(
            svg.contains(">agent</text>") && svg.contains(">steps</text>") && svg.contains(">repeats for ever</text>")
        );
        assert!(svg.contains("crispEdges") && svg.contains(">other</text>"));
    }
}

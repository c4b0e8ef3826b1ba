//! A run as a picture: agents across and time down, or as an animation of the ring.
//!
//! ```
//! use ringleader_model::Marks;
//! use ringleader_report::spacetime::{Moment, diagram};
//!
//! let moment = |steps, marks: [Marks; 2]| Moment { steps, marks: marks.to_vec(), shades: vec![None; 2] };
//! let moments = [moment(0, [Marks::LEADER; 2]), moment(5, [Marks::LEADER, Marks::NONE])];
//! assert!(diagram(&moments, "two agents", Some(3)).svg().contains("goal reached"));
//! ```

mod animation;

pub use animation::{AnimationError, gif};

use crate::canvas::{Anchor, Canvas, Colour, INK};
use ringleader_model::Marks;

/// One moment of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// After how many steps.
    pub steps: u64,
    /// What each agent shows.
    pub marks: Vec<Marks>,
    /// A distance or count that each agent's state holds, if any.
    pub shades: Vec<Option<u64>>,
}

/// What an agent looks like: the first of these marks that it shows.
const COLOURS: [(Marks, Colour, &str); 10] = [
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
];
const SHIELDED_LEADER: Colour = [10, 85, 110];

/// The colour of an agent; plain ones are shaded by their distance.
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

/// The space-time diagram: agents across, time down; `reached` is after how many steps the goal was.
#[must_use]
pub fn diagram(moments: &[Moment], title: &str, reached: Option<u64>) -> Canvas {
    let agents = moments.first().map_or(1, |m| m.marks.len());
    let (cell, line) = ((600.0 / agents as f32).max(1.0), (480.0 / moments.len() as f32).max(1.0));
    let (left, top) = (76.0, 44.0);
    let (width, height) = (cell * agents as f32, line * moments.len() as f32);
    let mut canvas = Canvas::new(left + width + 24.0, top + height + 62.0);
    let most = most(moments);
    for (row, moment) in moments.iter().enumerate() {
        let colours: Vec<Colour> = (0..agents).map(|i| colour(moment.marks[i], moment.shades[i], most)).collect();
        let mut from = 0;
        for run in colours.chunk_by(|a, b| a == b) {
            let at = (left + cell * from as f32, top + line * row as f32);
            canvas.rectangle(at, (cell * run.len() as f32, line), run[0]);
            from += run.len();
        }
    }
    canvas.words((left, 26.0), title, 15.0, Anchor::Start, INK);
    let last = moments.last().map_or(1, |m| m.steps).max(1);
    for tick in (0..=last).step_by(round_step(last) as usize) {
        let y = top + height * (tick as f32 / last as f32);
        canvas.line(&[(left - 5.0, y), (left, y)], INK, 1.0);
        canvas.words((left - 9.0, y + 4.0), tick.to_string(), 11.0, Anchor::End, INK);
    }
    canvas.upright((14.0, top + height / 2.0), "steps", 12.0, INK);
    if let Some(steps) = reached {
        let y = top + height * (steps as f32 / last as f32).min(1.0);
        canvas.dashed(&[(left, y), (left + width, y)], INK, 1.2);
        canvas.words((left + width, y - 5.0), "goal reached", 11.0, Anchor::End, INK);
    }
    legend(&mut canvas, moments, (left, top + height + 24.0), width);
    canvas
}

/// The least of 1, 2, 5, 10, .. that makes no more than seven ticks.
fn round_step(last: u64) -> u64 {
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit: u64| digit.saturating_mul(10u64.saturating_pow(power))));
    steps.into_iter().find(|step| last / step <= 6).unwrap_or(last)
}

/// The colours that occur, in as many lines as it takes.
fn legend(canvas: &mut Canvas, moments: &[Moment], (left, top): (f32, f32), width: f32) {
    let shielded = |m: &Marks| m.contains(Marks::LEADER | Marks::SHIELD);
    let all = || moments.iter().flat_map(|m| m.marks.iter().copied());
    let seen = all().filter(|m| !shielded(m)).fold(Marks::NONE, |all, m| all | m);
    let shielded = all().any(|m| shielded(&m));
    let mut entries: Vec<(Colour, &str)> =
        COLOURS.iter().filter(|(mark, ..)| seen.contains(*mark)).map(|c| (c.1, c.2)).collect();
    if shielded {
        entries.insert(0, (SHIELDED_LEADER, "shielded leader"));
    }
    if let Some(most) = Some(most(moments)).filter(|&most| most > 0) {
        entries.push((colour(Marks::NONE, Some(most), most), "distance: darker is greater"));
    }
    let (mut x, mut y) = (left, top);
    for (colour, name) in entries {
        let wide = 24.0 + 6.6 * name.chars().count() as f32;
        if x + wide > left + width && x > left {
            (x, y) = (left, y + 18.0);
        }
        canvas.rectangle((x, y - 9.0), (11.0, 11.0), colour);
        canvas.words((x + 16.0, y), name, 11.0, Anchor::Start, INK);
        x += wide;
    }
}

//! A run on a graph: a picture of the graph for each moment, on one sheet or as an animation.
//!
//! ```
//! use ringleader_model::{Graph, Marks};
//! use ringleader_report::spacetime::Moment;
//! use ringleader_report::spacetime::network::{Scene, Stage};
//!
//! let stage = Stage::new(&Graph::parse("0 1\n1 2")?.neighbours());
//! let moment = Moment { steps: 4, marks: vec![Marks::NONE; 3], shades: vec![None; 3], actors: vec![0] };
//! let scene = Scene { moment, pointers: vec![vec![1], vec![], vec![]], states: vec![] };
//! assert!(stage.sheet(&[scene], "a path").svg().contains("step 4"));
//! # Ok::<(), ringleader_model::ParseError>(())
//! ```

use super::layout::{edges, least_distance, places};
use super::{Legend, Moment, colour, most};
use crate::canvas::{Anchor, Canvas, Colour, GRID, INK};
use ringleader_model::graph::Neighbours;

/// The colour of an edge along which a process has read.
const READ: Colour = [230, 150, 40];
/// The colour of a pointer.
const POINTER: Colour = [95, 70, 175];
const BORDER: Colour = [150, 150, 160];

/// The side of the picture of one moment.
const SIDE: f32 = 240.0;
const COLUMNS: usize = 4;

/// A moment of a run on a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The moment. Its actors are the processes that wrote in the step before it.
    pub moment: Moment,
    /// The processes that each process points at.
    pub pointers: Vec<Vec<usize>>,
    /// The states in a few letters, or none where there is no room.
    pub states: Vec<String>,
}

/// A graph with a place for each process.
#[derive(Clone, Debug)]
pub struct Stage {
    edges: Vec<(usize, usize)>,
    /// The place of each process in the unit square. They are the same on every platform.
    pub places: Vec<(f32, f32)>,
}

impl Stage {
    /// Finds the places.
    #[must_use]
    pub fn new(graph: &Neighbours) -> Stage {
        Stage { edges: edges(graph), places: places(graph) }
    }

    /// All moments on one sheet, row by row.
    #[must_use]
    pub fn sheet(&self, scenes: &[Scene], title: &str) -> Canvas {
        let columns = scenes.len().clamp(1, COLUMNS);
        let width = columns as f32 * SIDE;
        let legend = Legend::of(&moments(scenes), width - 24.0);
        let rows = scenes.len().div_ceil(columns) as f32;
        let mut canvas = Canvas::new(width, 36.0 + rows * SIDE + legend.height() + 44.0);
        canvas.words((12.0, 24.0), title, 15.0, Anchor::Start, INK);
        let most = most(&moments(scenes));
        for (index, scene) in scenes.iter().enumerate() {
            let corner = ((index % columns) as f32 * SIDE, 36.0 + (index / columns) as f32 * SIDE);
            self.draw(&mut canvas, corner, scene, most);
        }
        let bottom = 36.0 + rows * SIDE + 14.0;
        legend.draw(&mut canvas, (12.0, bottom));
        self.explain(&mut canvas, (12.0, bottom + legend.height()), scenes);
        canvas
    }

    /// A GIF with one frame per moment. It ends early if `keep_going` returns `false`.
    #[cfg(feature = "pictures")]
    pub fn gif(
        &self,
        scenes: &[Scene],
        title: &str,
        keep_going: impl Fn() -> bool,
    ) -> Result<Vec<u8>, super::AnimationError> {
        let moments = moments(scenes);
        let (legend, most) = (Legend::of(&moments, SIDE - 24.0), most(&moments));
        let height = SIDE + 30.0 + legend.height() + 8.0;
        super::animation::frames((SIDE, height), scenes.len(), keep_going, |index| {
            let mut canvas = Canvas::new(SIDE, height);
            canvas.words((SIDE / 2.0, 16.0), title, 11.0, Anchor::Middle, INK);
            self.draw(&mut canvas, (0.0, 24.0), &scenes[index], most);
            legend.draw(&mut canvas, (12.0, SIDE + 36.0));
            canvas
        })
    }

    fn draw(&self, canvas: &mut Canvas, (left, top): (f32, f32), scene: &Scene, most: u64) {
        let moment = &scene.moment;
        canvas.words((left + 12.0, top + 14.0), format!("step {}", moment.steps), 11.0, Anchor::Start, INK);
        let at = |i: usize| {
            let (x, y) = self.places[i];
            (left + 30.0 + x * (SIDE - 60.0), top + 38.0 + y * (SIDE - 76.0))
        };
        // Discs do not overlap.
        let most_radius = (0.45 * least_distance(&self.places) * (SIDE - 76.0)).min(12.0);
        let radius = (SIDE * 0.18 / (self.places.len() as f32).sqrt()).min(most_radius).max(2.0);
        // A label stands below its disc, if no other disc is there.
        let has_room = |i: usize, wide: f32| {
            let (x, y) = at(i);
            let free =
                |(u, v): (f32, f32)| (u - x).abs() > radius + wide || (v - y - radius - 10.0).abs() > radius + 6.0;
            (0..self.places.len()).all(|j| j == i || free(at(j)))
        };
        let wrote = |i: usize| moment.actors.contains(&i);
        for &(i, j) in &self.edges {
            let read = wrote(i) || wrote(j);
            let (colour, width) = if read { (READ, 3.5) } else { (GRID, 2.0) };
            canvas.line(&[at(i), at(j)], colour, width);
        }
        for (i, pointers) in scene.pointers.iter().enumerate() {
            pointers.iter().for_each(|&j| arrow(canvas, at(i), at(j), radius));
        }
        for i in 0..self.places.len() {
            let (border, width) = if wrote(i) { (INK, 3.0) } else { (BORDER, 1.2) };
            canvas.dot(at(i), radius + width, border);
            canvas.dot(at(i), radius, colour(moment.marks[i], moment.shades[i], most));
            if radius >= 6.0 {
                let (x, y) = at(i);
                let ink = if moment.marks[i].output() == ringleader_model::Marks::NONE { INK } else { [255, 255, 254] };
                canvas.words((x, y + 3.5), i.to_string(), 10.0, Anchor::Middle, ink);
                if let Some(state) = scene.states.get(i).filter(|state| has_room(i, 2.7 * state.chars().count() as f32))
                {
                    canvas.words((x, y + radius + 13.0), state, 9.0, Anchor::Middle, INK);
                }
            }
        }
    }

    /// The meaning of lines and rings, as far as they occur.
    fn explain(&self, canvas: &mut Canvas, (left, top): (f32, f32), scenes: &[Scene]) {
        let mut x = left;
        let mut entry = |canvas: &mut Canvas, colour: Colour, words: &str| {
            canvas.line(&[(x, top - 4.0), (x + 18.0, top - 4.0)], colour, 3.0);
            canvas.words((x + 24.0, top), words, 11.0, Anchor::Start, INK);
            x += 42.0 + Canvas::width_of(words, 11.0);
        };
        if scenes.iter().any(|scene| !scene.moment.actors.is_empty()) {
            entry(canvas, INK, "ring: wrote in this step");
            entry(canvas, READ, "read by it");
        }
        if scenes.iter().any(|scene| scene.pointers.iter().any(|pointers| !pointers.is_empty())) {
            entry(canvas, POINTER, "pointer");
        }
    }
}

fn moments(scenes: &[Scene]) -> Vec<Moment> {
    scenes.iter().map(|scene| scene.moment.clone()).collect()
}

/// An arrow between the borders of two dots.
fn arrow(canvas: &mut Canvas, from: (f32, f32), to: (f32, f32), radius: f32) {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y);
    if length < 2.0 * radius + 4.0 {
        return;
    }
    let (x, y) = (x / length, y / length);
    let along = |by: f32, aside: f32| (from.0 + x * by - y * aside, from.1 + y * by + x * aside);
    let (start, tip) = (radius + 2.0, length - radius - 3.0);
    canvas.line(&[along(start, 0.0), along(tip, 0.0)], POINTER, 2.2);
    canvas.line(&[along(tip - 7.0, 4.0), along(tip, 0.0), along(tip - 7.0, -4.0)], POINTER, 2.2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::{Graph, Marks};

    fn scene(actors: Vec<usize>, pointers: Vec<Vec<usize>>) -> Scene {
        let moment = Moment { steps: 1, marks: vec![Marks::NONE; 3], shades: vec![None; 3], actors };
        Scene { moment, pointers, states: ["a", "b", "c"].map(String::from).to_vec() }
    }

    #[test]
    fn a_step_shows_the_edges_that_it_read_and_pointers_are_arrows() {
        let stage = Stage::new(&Graph::parse("0 1\n1 2").unwrap().neighbours());
        let [read, pointer] = [READ, POINTER].map(|[r, g, b]| format!("#{r:02x}{g:02x}{b:02x}"));
        let count = |scene: Scene, colour: &str| stage.sheet(&[scene], "t").svg().matches(colour).count();
        let none = vec![vec![]; 3];
        assert_eq!(count(scene(vec![], none.clone()), &read), 0);
        // One edge, and the entry of the legend.
        assert_eq!(count(scene(vec![0], none.clone()), &read), 2);
        assert_eq!(count(scene(vec![1], none.clone()), &read), 3);
        assert_eq!(count(scene(vec![], none), &pointer), 0);
        assert_eq!(count(scene(vec![], vec![vec![1], vec![], vec![1]]), &pointer), 2 * 2 + 1);
    }
}

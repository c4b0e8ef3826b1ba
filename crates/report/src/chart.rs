//! A run of message passing as a message-sequence chart: processes across, time down.
//!
//! On a ring, process 0 is drawn at both ends, so that every message goes to a neighbouring line.

use crate::canvas::{Anchor, Canvas, Colour, GRID, INK, PAPER};
use crate::number::joined;
use ringleader_explore::{Received, Run, Step};
use ringleader_model::{LEFT, Network};
use std::collections::VecDeque;

/// The colours of successive messages, so that crossing messages differ.
const COLOURS: [Colour; 6] =
    [[31, 95, 168], [214, 108, 22], [44, 140, 70], [165, 55, 140], [190, 45, 45], [90, 110, 120]];
const GREY: Colour = [110, 110, 120];
const TOP: f32 = 84.0;
const ROW: f32 = 30.0;

/// The chart of a run.
///
/// ```
/// use ringleader_algorithms::message::chang_roberts::ChangRoberts;
/// use ringleader_erased::{Entry, MessageInstance, Parameters};
/// use ringleader_explore::{Options, Space};
///
/// let algorithm = MessageInstance::new(ChangRoberts::build(&Parameters::new(2)).expect("two processes will do"));
/// let space = Space::explore(&algorithm, &Options::default(), &mut |_| true).expect("it is small");
/// let elected = space.first(|state| state.leaders() == 1).expect("one is elected");
/// let svg = ringleader_report::chart::picture(&space.run_to(elected), "two processes").svg();
/// assert!(svg.contains(">process 1</text>"));
/// ```
#[must_use]
pub fn picture(run: &Run, title: &str) -> Canvas {
    let (network, size) = (run.start.network, run.start.states.len());
    let notes = notes(run);
    let widest = widest(run, &notes);
    let layout = Layout { network, size, margin: (widest + 48.0).max(84.0), gap: (widest + 40.0).clamp(130.0, 300.0) };
    let ends: Vec<Vec<&str>> = run.end.states.iter().map(|state| state.split(' ').collect()).collect();
    let bottom = layout.y(run.steps.len()) + 10.0;
    let lines = ends.iter().map(Vec::len).max().unwrap_or(0) as f32;
    let mut canvas =
        Canvas::new(layout.x(layout.columns() - 1) + (widest + 20.0).max(60.0), bottom + 44.0 + 14.0 * lines);
    canvas.words((24.0, 28.0), title, 15.0, Anchor::Start, INK);
    for column in 0..layout.columns() {
        let (x, process) = (layout.x(column), column % size);
        let points = [(x, TOP - 14.0), (x, bottom)];
        if column < size {
            canvas.line(&points, GRID, 2.0)
        } else {
            canvas.dashed(&points, GRID, 2.0)
        }
        canvas.words((x, TOP - 24.0), format!("process {process}"), 12.0, Anchor::Middle, INK);
    }
    messages(&mut canvas, run, &layout, bottom);
    for (number, (step, note)) in run.steps.iter().zip(&notes).enumerate() {
        event(&mut canvas, &layout, number, step, note);
    }
    for (process, end) in ends.iter().enumerate() {
        canvas.words((layout.x(process), bottom + 20.0), "in the end", 11.0, Anchor::Middle, INK);
        for (line, pair) in end.iter().enumerate() {
            let y = bottom + 36.0 + 14.0 * line as f32;
            canvas.words((layout.x(process), y), *pair, 10.0, Anchor::Middle, GREY);
        }
    }
    canvas
}

struct Layout {
    network: Network,
    size: usize,
    /// The space left of the first line, for its notes.
    margin: f32,
    gap: f32,
}

impl Layout {
    /// One column for each process, and on a ring one more for process 0.
    fn columns(&self) -> usize {
        if matches!(self.network, Network::Ring(_)) { self.size + 1 } else { self.size }
    }

    fn x(&self, column: usize) -> f32 {
        self.margin + self.gap * column as f32
    }

    fn y(&self, step: usize) -> f32 {
        TOP + ROW * step as f32
    }

    /// The columns of a message's sender and receiver.
    fn way(&self, sender: usize, port: usize) -> (usize, usize) {
        let (receiver, _) = self.network.arrival(sender, port);
        match (self.network, port) {
            (Network::Ring(_), LEFT) if sender == 0 => (self.size, receiver),
            (Network::Ring(_), LEFT) => (sender, receiver),
            (Network::Ring(_), _) if receiver == 0 => (sender, self.size),
            _ => (sender, receiver),
        }
    }
}

/// The width of the longest note, which must fit between two lines.
fn widest(run: &Run, notes: &[String]) -> f32 {
    let sent = run.steps.iter().flat_map(|step| &step.sent).map(|(_, text)| Canvas::width_of(text, 11.0) * 1.6);
    notes.iter().map(|note| Canvas::width_of(note, 10.0)).chain(sent).fold(0.0, f32::max).min(260.0)
}

/// A message in transit: its sender, port, step and text.
struct UnderWay<'r> {
    number: usize,
    sender: usize,
    port: usize,
    sent: usize,
    text: &'r str,
}

fn messages(canvas: &mut Canvas, run: &Run, layout: &Layout, bottom: f32) {
    let mut under_way: Vec<VecDeque<UnderWay<'_>>> = run.start.channels.iter().map(|_| VecDeque::new()).collect();
    let (mut number, mut labels) = (0, vec![]);
    for (at, step) in run.steps.iter().enumerate() {
        if let Some(Received { port, index, .. }) = &step.received {
            let waiting = &mut under_way[layout.network.channel(step.process, *port)];
            if let Some(message) = waiting.remove(*index) {
                labels.push(arrow(canvas, layout, &message, layout.y(at), true));
            }
        }
        for (port, text) in &step.sent {
            let (receiver, at_port) = layout.network.arrival(step.process, *port);
            let message = UnderWay { number, sender: step.process, port: *port, sent: at, text };
            under_way[layout.network.channel(receiver, at_port)].push_back(message);
            number += 1;
        }
    }
    for message in under_way.iter().flatten() {
        labels.push(arrow(canvas, layout, message, bottom, false));
    }
    // The labels lie over all lines, each on a background.
    for (at, text, colour) in labels {
        let width = Canvas::width_of(&text, 11.0);
        canvas.rectangle((at.0 - width / 2.0 - 2.0, at.1 - 9.0), (width + 4.0, 12.0), PAPER);
        canvas.words(at, text, 11.0, Anchor::Middle, colour);
    }
}

type Label = ((f32, f32), String, Colour);

/// The line of a message: with an arrowhead if the message arrives, dashed if it does not.
fn arrow(canvas: &mut Canvas, layout: &Layout, message: &UnderWay<'_>, until: f32, arrives: bool) -> Label {
    let (from, to) = layout.way(message.sender, message.port);
    let ((x, y), (end_x, end_y)) = ((layout.x(from), layout.y(message.sent)), (layout.x(to), until));
    let colour = COLOURS[message.number % COLOURS.len()];
    let (dx, dy) = (end_x - x, end_y - y);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    if arrives {
        canvas.line(&[(x, y), (end_x, end_y)], colour, 1.4);
        let (ux, uy) = (dx / length, dy / length);
        // The arrowhead ends before the dot of the reception.
        let tip = (end_x - 5.0 * ux, end_y - 5.0 * uy);
        let wing = |side: f32| (tip.0 - 9.0 * ux - side * 4.0 * uy, tip.1 - 9.0 * uy + side * 4.0 * ux);
        canvas.line(&[wing(1.0), tip, wing(-1.0)], colour, 1.4);
    } else {
        canvas.dashed(&[(x, y), (end_x, end_y)], colour, 1.4);
    }
    // The label is near the sender, so that crossing messages can be told apart.
    ((x + 0.3 * dx, y + 0.3 * dy + 3.0), message.text.to_string(), colour)
}

/// The note of each step: its draws and the variables it changes.
fn notes(run: &Run) -> Vec<String> {
    let mut states: Vec<&str> = run.start.states.iter().map(String::as_str).collect();
    let mut notes = vec![];
    for step in &run.steps {
        let before = std::mem::replace(&mut states[step.process], &step.after);
        let draws = (!step.drawn.is_empty()).then(|| format!("draws {}", joined(&step.drawn, " ")));
        let changed = step.after.split(' ').filter(|pair| !before.split(' ').any(|old| old == *pair));
        notes.push(draws.into_iter().chain(changed.map(String::from)).collect::<Vec<_>>().join(" "));
    }
    notes
}

fn event(canvas: &mut Canvas, layout: &Layout, number: usize, step: &Step, text: &str) {
    let y = layout.y(number);
    canvas.words((20.0, y + 4.0), (number + 1).to_string(), 10.0, Anchor::Middle, GREY);
    let again = (step.process == 0 && layout.columns() > layout.size).then_some(layout.size);
    for column in std::iter::once(step.process).chain(again) {
        canvas.dot((layout.x(column), y), 3.6, INK);
    }
    if text.is_empty() {
        return;
    }
    // On the side without an arriving message.
    let from_right = matches!(step.received, Some(Received { port, .. }) if port != LEFT);
    let (width, x) = (Canvas::width_of(text, 10.0), layout.x(step.process));
    let left = if from_right { x - 8.0 - width } else { x + 8.0 };
    canvas.rectangle((left - 2.0, y - 14.0), (width + 4.0, 11.0), PAPER);
    canvas.words((left, y - 5.0), text, 10.0, Anchor::Start, GREY);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ringleader_model::Snapshot;

    /// Two processes of a ring of three send to each other, and both messages arrive: they cross. A third message does not.
    fn crossing() -> Run {
        let snapshot =
            Snapshot { network: Network::Ring(3), states: vec!["a=0".to_string(); 3], channels: vec![vec![]; 6] };
        let step = |process, received: Option<usize>, sent: Option<(usize, &str)>| Step {
            process,
            received: received.map(|port| Received { port, index: 0, message: String::new() }),
            draws: vec![],
            drawn: vec![],
            sent: sent.into_iter().map(|(port, text)| (port, text.to_string())).collect(),
            after: "a=1".into(),
        };
        let (left, right) = (LEFT, 1 - LEFT);
        let steps = vec![
            step(0, None, Some((right, "one"))),
            step(1, None, Some((left, "two"))),
            step(1, Some(left), Some((right, "three"))),
            step(0, Some(right), None),
        ];
        Run { start: snapshot.clone(), steps, end: snapshot, leaders: 0, ended: false }
    }

    #[test]
    fn every_message_is_a_line_and_those_that_wait_are_dashed() {
        let svg = picture(&crossing(), "title").svg();
        for text in ["one", "two", "three", "process 2", "a=1"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}");
        }
        assert_eq!(svg.matches(">process 0</text>").count(), 2, "a ring closes");
        // The line of the second process 0, and the message that waits.
        assert_eq!(svg.matches("stroke-dasharray").count(), 2);
    }

    #[test]
    fn messages_go_to_the_line_beside() {
        let layout = Layout { network: Network::Ring(3), size: 3, margin: 80.0, gap: 100.0 };
        let (left, right) = (LEFT, 1 - LEFT);
        let ways = [(0, right), (2, right), (0, left), (1, left)].map(|(process, port)| layout.way(process, port));
        assert_eq!(ways, [(0, 1), (2, 3), (3, 2), (1, 0)]);
    }
}

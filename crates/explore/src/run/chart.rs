//! An execution as a message-sequence chart in text: one column per process, time from top to bottom.

use crate::{Received, Run, Step};
use ringleader_model::{LEFT, Network, Port, Snapshot};
use std::collections::VecDeque;
use std::fmt::Write;

impl Run {
    /// The execution as a chart, within `columns` columns if possible. Messages are numbered in the order in which they are sent, so
    /// that a reception names the message.
    pub fn chart(&self, columns: usize) -> String {
        let mut chart = Chart::new(&self.start);
        let notes: Vec<Vec<String>> = self.steps.iter().map(|step| chart.notes(step)).collect();
        let size = self.start.states.len();
        let widest = notes.iter().flatten().map(|note| note.chars().count()).max().unwrap_or(0).max(12) + 2;
        let width = widest.min((columns.saturating_sub(5) / size).max(14));
        let notes: Vec<Vec<String>> =
            notes.iter().map(|notes| notes.iter().flat_map(|note| folded(note, width - 2)).collect()).collect();
        let mut text = String::from("     ");
        for process in 0..size {
            let _ = write!(text, "{:width$}", format!("process {process}"));
        }
        for (number, (step, notes)) in self.steps.iter().zip(&notes).enumerate() {
            for (line, note) in notes.iter().enumerate() {
                text.truncate(text.trim_end().len());
                text.push('\n');
                let _ = if line == 0 { write!(text, "{:>3}. ", number + 1) } else { write!(text, "     ") };
                for process in 0..size {
                    let _ = write!(text, "{:width$}", if process == step.process { note } else { "|" });
                }
            }
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text.push_str(&chart.ending(&self.end));
        text
    }
}

struct Chart {
    network: Network,
    states: Vec<String>,
    /// By channel, the numbers of the messages in transit.
    under_way: Vec<VecDeque<usize>>,
    sent: usize,
}

impl Chart {
    fn new(start: &Snapshot<String, String>) -> Self {
        let under_way = vec![VecDeque::new(); start.channels.len()];
        Chart { network: start.network, states: start.states.clone(), under_way, sent: 0 }
    }

    fn port(&self, port: Port) -> String {
        match (self.network, port) {
            (Network::Ring(_), LEFT) => "left".into(),
            (Network::Ring(_), _) => "right".into(),
            (Network::Complete(_), peer) => format!("process {peer}"),
        }
    }

    /// The text of a step in its column.
    fn notes(&mut self, step: &Step) -> Vec<String> {
        let mut notes = vec![];
        match &step.received {
            Some(Received { port, index, message }) => {
                let waiting = &mut self.under_way[self.network.channel(step.process, *port)];
                let number = waiting.remove(*index).unwrap_or_default();
                notes.push(format!("takes #{number} {message} from {}", self.port(*port)));
            }
            None => notes.push("steps".into()),
        }
        if !step.drawn.is_empty() {
            let draws: Vec<String> = step.drawn.iter().map(u64::to_string).collect();
            notes.push(format!("draws {}", draws.join(", ")));
        }
        for (to, message) in &step.sent {
            self.sent += 1;
            let (receiver, port) = self.network.arrival(step.process, *to);
            self.under_way[self.network.channel(receiver, port)].push_back(self.sent);
            notes.push(format!("sends #{} {message} {}", self.sent, self.port(*to)));
        }
        let change = change(&self.states[step.process], &step.after);
        if !change.is_empty() {
            notes.push(format!("[{change}]"));
        }
        self.states[step.process] = step.after.clone();
        notes
    }

    fn ending(&self, end: &Snapshot<String, String>) -> String {
        let mut text = String::from("In the end:\n");
        for (process, state) in end.states.iter().enumerate() {
            let _ = write!(text, "  process {process}: {state}");
            for port in 0..self.network.ports() {
                for message in end.channel(process, port) {
                    let _ = write!(text, "; {message} waits from {}", self.port(port));
                }
            }
            text.push('\n');
        }
        text
    }
}

/// Breaks a note between words into lines of at most `width` characters; lines after the first are indented.
fn folded(note: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in note.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) => lines.push(format!("  {word}")),
            None => lines.push(word.to_string()),
        }
    }
    lines
}

/// The variables that a step changes.
fn change(before: &str, after: &str) -> String {
    let changed = after.split(' ').filter(|pair| !before.split(' ').any(|old| old == *pair));
    changed.collect::<Vec<_>>().join(" ")
}

//! A run as a message-sequence chart in text: one column per process, time going down.

use crate::{Run, StepOf};
use ringleader_model::{Event, LEFT, Network, Port, SnapshotOf, Terminating, text};
use std::collections::VecDeque;
use std::fmt::Write;

impl<P: Terminating> Run<P> {
    /// The run as a chart. Messages are numbered in the order of sending, so that a reception names its sending.
    pub fn chart(&self, algorithm: &P) -> String {
        let mut chart = Chart::new(algorithm, &self.start);
        let notes: Vec<Vec<String>> = self.steps.iter().map(|step| chart.notes(step)).collect();
        let width = notes.iter().flatten().map(|note| note.chars().count()).max().unwrap_or(0).max(12) + 2;
        let size = self.start.states.len();
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

struct Chart<'c, P: Terminating> {
    algorithm: &'c P,
    network: Network,
    states: Vec<P::State>,
    /// By channel, the messages under way with their numbers.
    under_way: Vec<VecDeque<(usize, P::Message)>>,
    sent: usize,
}

impl<'c, P: Terminating> Chart<'c, P> {
    fn new(algorithm: &'c P, start: &SnapshotOf<P>) -> Self {
        let under_way = vec![VecDeque::new(); start.channels.len()];
        Chart { algorithm, network: start.network, states: start.states.clone(), under_way, sent: 0 }
    }

    fn port(&self, port: Port) -> String {
        match (self.network, port) {
            (Network::Ring(_), LEFT) => "left".into(),
            (Network::Ring(_), _) => "right".into(),
            (Network::Complete(_), peer) => format!("process {peer}"),
        }
    }

    /// What a step looks like in its column.
    fn notes(&mut self, step: &StepOf<P>) -> Vec<String> {
        let mut notes = vec![];
        match &step.event {
            Event::Message { from, message } => {
                let waiting = &mut self.under_way[self.network.channel(step.process, *from)];
                let number = waiting.remove(step.index).map_or(0, |(number, _)| number);
                notes.push(format!("takes #{number} {message} from {}", self.port(*from)));
            }
            Event::Step | Event::Tick => notes.push("steps".into()),
        }
        if !step.draws.is_empty() {
            let draws: Vec<String> = step.draws.iter().map(|draw| (draw + 1).to_string()).collect();
            notes.push(format!("draws {}", draws.join(", ")));
        }
        for (to, message) in &step.sent {
            self.sent += 1;
            let (receiver, port) = self.network.arrival(step.process, *to);
            self.under_way[self.network.channel(receiver, port)].push_back((self.sent, message.clone()));
            notes.push(format!("sends #{} {message} {}", self.sent, self.port(*to)));
        }
        let change = self.change(&self.states[step.process], &step.after);
        if !change.is_empty() {
            notes.push(format!("[{change}]"));
        }
        self.states[step.process] = step.after.clone();
        notes
    }

    /// The variables that a step gave new values.
    fn change(&self, before: &P::State, after: &P::State) -> String {
        let (before, after) = (text::print_state(self.algorithm, before), text::print_state(self.algorithm, after));
        let changed = after.split(' ').filter(|pair| !before.split(' ').any(|old| old == *pair));
        changed.collect::<Vec<_>>().join(" ")
    }

    fn ending(&self, end: &SnapshotOf<P>) -> String {
        let mut text = String::from("In the end:\n");
        for (process, state) in end.states.iter().enumerate() {
            let _ = write!(text, "  process {process}: {}", text::print_state(self.algorithm, state));
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

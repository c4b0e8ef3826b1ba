//! How a state is reached: a shortest run, played by the algorithm's own rules.

use crate::system::cells::{Arc, Origin};
use crate::{Run, Space};
use ringleader_model::Port;
use ringleader_model::message_trace::{Act, Line};

/// The lines of a run that is being put together, and what is under way, oldest first.
struct Draft {
    lines: Vec<Line>,
    channels: Vec<Vec<u32>>,
}

impl Space<'_> {
    /// A shortest run, among those the kept transitions make, to the state with this number or a rotation of it.
    pub fn run_to(&self, number: usize) -> Run {
        self.run_through(&self.way_to(number))
    }

    /// A run through states with these numbers, from the start on, each a successor of the one before.
    pub fn run_along(&self, numbers: &[usize]) -> Run {
        let way: Vec<u128> = numbers.iter().map(|&number| self.found.state(number)).collect();
        self.run_through(&way)
    }

    fn run_through(&self, way: &[u128]) -> Run {
        let network = self.model.network();
        let mut draft = Draft { lines: vec![], channels: vec![vec![]; network.size() * network.ports()] };
        let mut now = self.settle(self.system.start_again(), &mut draft);
        for &kept in way.iter().skip(1) {
            let (process, arc) =
                self.arcs(now).find(|&(process, arc)| self.leads_to(now, process, arc, kept)).expect("kept");
            self.take(process, now, arc, &mut draft);
            now = self.system.follow(now, process, arc).unwrap_or(now);
            now = self.settle(now, &mut draft);
        }
        self.model.play(self.options.channels, &draft.lines).expect("the tables follow the algorithm's rules")
    }

    /// Kept states from the start to this one, each a successor of the one before.
    fn way_to(&self, number: usize) -> Vec<u128> {
        let mut way = vec![self.found.state(number)];
        for level in (0..self.found.depth_of(number)).rev() {
            let last = way[way.len() - 1];
            let before = self.found.find_at(level, |state| {
                self.arcs(state).any(|(process, arc)| self.leads_to(state, process, arc, last))
            });
            way.push(before.expect("every state but the start was reached from the level before"));
        }
        way.reverse();
        way
    }

    fn arcs(&self, state: u128) -> impl Iterator<Item = (u32, &Arc)> {
        let cells = self.system.layout.fields(state).zip(0..);
        cells.flat_map(|(cell, process)| {
            self.system.cells.arcs(cell).unwrap_or(&[]).iter().map(move |arc| (process, arc))
        })
    }

    fn leads_to(&self, state: u128, process: u32, arc: &Arc, kept: u128) -> bool {
        let target = self.system.follow(state, process, arc);
        target.and_then(|target| self.system.representative(target)).is_ok_and(|target| target == kept)
    }

    /// Takes the confluent transitions that the search took silently.
    fn settle(&self, state: u128, draft: &mut Draft) -> u128 {
        if !self.options.confluence {
            return state;
        }
        let settled = self.system.settle(state, |now, process, arc| self.take(process, now, arc, draft));
        settled.unwrap_or(state)
    }

    /// Adds a transition to a run.
    fn take(&self, process: u32, state: u128, arc: &Arc, draft: &mut Draft) {
        let (cells, network) = (&self.system.cells, self.model.network());
        let Origin { event, draws } = cells.origin(self.system.layout.field(state, process), arc);
        let process = process as usize;
        let act = match *event {
            None => Act::Step,
            Some((port, message)) => {
                let waiting = &mut draft.channels[network.channel(process, port)];
                let index = waiting.iter().position(|&m| m == message).expect("a received message was sent");
                waiting.remove(index);
                Act::Receive { port, index }
            }
        };
        draft.lines.push(Line { line: 0, process, act, coin: draws.clone() });
        for &(to, message) in cells.sends(arc) {
            let (receiver, port) = network.arrival(process, to as Port);
            draft.channels[network.channel(receiver, port)].push(message);
        }
    }
}

//! Shortest executions to states, executed by the algorithm's own rules.
//!
//! Among several suitable states, the one whose text comes first is taken. The order of a process's steps does not depend on
//! numbers either. So the execution to a state with a property is the same for any number of threads and processes, and for both
//! sets.

use crate::peers::{halved, joined, sums, tell_all};
use crate::system::cells::{Arc, Origin};
use crate::{Alone, Failure, Peers, Run, Space, StateView};
use ringleader_model::message_trace::{Act, Line};
use ringleader_model::{Channels, Port, Terminating};

/// The lines of an incomplete execution, and the messages in transit, oldest first.
struct Draft {
    lines: Vec<Line>,
    channels: Vec<Vec<u32>>,
    /// The rotation of the present kept state relative to the execution.
    turned: usize,
}

impl Draft {
    /// The process of the execution that corresponds to a process of the kept state.
    fn process(&self, process: u32, size: usize) -> usize {
        (process as usize + self.turned) % size
    }
}

/// A kept state with its distance and its text.
type Candidate = (usize, String, u128);

impl<'a> Space<'a> {
    /// A shortest execution of kept transitions to the state with this number, or to a rotation of it.
    pub fn run_to(&self, number: usize) -> Run {
        let end = (self.found.depth_of(number), String::new(), self.found.state(number));
        self.run_through(&self.way_to(end, &mut Alone::default()).expect("there is no other process"))
    }

    /// The execution through the states with these numbers. The first is the start, and each is a successor of the one before.
    pub fn run_along(&self, numbers: &[usize]) -> Run {
        let way: Vec<u128> = numbers.iter().map(|&number| self.found.state(number)).collect();
        self.run_through(&way)
    }

    /// A shortest execution of kept transitions to a state with a property, if there is one. All processes of the search call this
    /// and get the same execution. It does not depend on the number of processes or threads, unless both reductions are made: then
    /// the order of confluent steps may differ.
    pub fn run_where(
        &self,
        property: impl Fn(&StateView<'_, 'a>) -> bool + Sync,
        peers: &mut dyn Peers,
    ) -> Result<Option<Run>, Failure> {
        let wanted = |state: u128| property(&self.view_of(state));
        let here = self.found.least(self.options.threads.max(1), None, &wanted, |_, state| self.text(state));
        match first_of_all(here, peers)? {
            None => Ok(None),
            Some(end) => Ok(Some(self.run_through(&self.way_to(end, peers)?))),
        }
    }

    /// The number of states with a property, on all processes of the search together.
    pub fn count_with(
        &self,
        property: impl Fn(&StateView<'_, 'a>) -> bool + Sync,
        peers: &mut dyn Peers,
    ) -> Result<u64, Failure> {
        sums(peers, [self.count(property)]).map(|[count]| count)
    }

    /// The execution along kept states. The tables know only the transitions of kept states, so every step is taken in the kept state,
    /// which may be a rotation of the execution's present state.
    fn run_through(&self, way: &[u128]) -> Run {
        let (network, size) = (self.algorithm.network(), self.algorithm.network().size());
        let mut draft = Draft { lines: vec![], channels: vec![vec![]; size * network.ports()], turned: 0 };
        let start = self.settle(self.system.start_again(), &mut draft);
        self.turn(start, way[0], &mut draft);
        for pair in way.windows(2) {
            let (now, next) = (pair[0], pair[1]);
            let steps = self.arcs(now).filter(|&(process, arc)| self.leads_to(now, process, arc, next));
            let (process, arc) = steps.min_by_key(|&(process, _)| draft.process(process, size)).expect("kept");
            self.take(process, now, arc, &mut draft);
            let after = self.system.follow(now, process, arc).unwrap_or(now);
            let after = self.settle(after, &mut draft);
            self.turn(after, next, &mut draft);
        }
        Run::play(self.algorithm, self.options.channels, &draft.lines).expect("the tables follow the algorithm's rules")
    }

    /// Rotates a state until it is the kept one.
    fn turn(&self, mut state: u128, kept: u128, draft: &mut Draft) {
        for _ in 0..self.system.layout.size {
            if state == kept {
                return;
            }
            state = self.system.layout.turn(state);
            draft.turned += 1;
        }
    }

    /// Kept states from the start to this one, each a successor of the one before.
    fn way_to(&self, (depth, _, end): Candidate, peers: &mut dyn Peers) -> Result<Vec<u128>, Failure> {
        let mut way = vec![end];
        for level in (0..depth).rev() {
            let last = way[way.len() - 1];
            let leads = |state: u128| self.arcs(state).any(|(process, arc)| self.leads_to(state, process, arc, last));
            let threads = self.options.threads.max(1);
            let here = self.found.least(threads, Some(level), &leads, |_, state| self.text(state));
            let before = first_of_all(here, peers)?;
            way.push(before.expect("every state but the start was reached from the level before").2);
        }
        way.reverse();
        Ok(way)
    }

    /// The text of a kept state. If rotations are identified, it is the same for all rotations.
    fn text(&self, state: u128) -> String {
        let mut now = self.view_of(state).snapshot();
        if self.options.channels == Channels::Bag {
            now.channels.iter_mut().for_each(|waiting| waiting.sort_unstable());
        }
        let inboxes = now.channels.chunks(now.network.ports());
        let processes: Vec<String> =
            now.states.iter().zip(inboxes).map(|(state, inbox)| format!("{state} {inbox:?}")).collect();
        let turns = if self.options.rotation { processes.len() } else { 1 };
        let turned = |by: usize| [&processes[by..], &processes[..by]].concat().join("; ");
        (0..turns).map(turned).min().unwrap_or_default()
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

    /// Adds a transition to an execution.
    fn take(&self, process: u32, state: u128, arc: &Arc, draft: &mut Draft) {
        let (cells, network) = (&self.system.cells, self.algorithm.network());
        let Origin { event, draws } = cells.origin(self.system.layout.field(state, process), arc);
        let process = draft.process(process, network.size());
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

/// The first of the candidates of all processes.
fn first_of_all(here: Option<Candidate>, peers: &mut dyn Peers) -> Result<Option<Candidate>, Failure> {
    let letter = here.map_or(vec![], |(depth, text, state)| {
        let state = [state as u64, (state >> 64) as u64].into_iter().flat_map(halved);
        let text = text.chars().map(u32::from);
        [depth as u32].into_iter().chain(state).chain(text).collect()
    });
    let read = |letter: Vec<u32>| {
        let (&depth, rest) = letter.split_first()?;
        let (state, text) = rest.split_at_checked(4)?;
        let half = |place: usize| u128::from(joined(state[place], state[place + 1]));
        let text = text.iter().filter_map(|&c| char::from_u32(c)).collect();
        Some((depth as usize, text, half(2) << 64 | half(0)))
    };
    Ok(tell_all(peers, letter)?.into_iter().filter_map(read).min())
}

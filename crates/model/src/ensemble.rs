//! All processes of a run and the messages between them, whatever the algorithm: engines that work on an [`Ensemble`] are
//! compiled once.

use crate::message_trace::Act;
use crate::number::{self, OutOfDomain};
use crate::{Channels, Coin, Event, Marks, Network, Outbox, Port, Snapshot, SnapshotOf, Terminating, text};
use std::fmt::Display;

/// What a process does in one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent<M> {
    /// Its messages, in order.
    pub messages: Vec<(Port, M)>,
    /// How many rounds it starts.
    pub rounds: u64,
}

impl<M> Default for Sent<M> {
    fn default() -> Self {
        Sent { messages: vec![], rounds: 0 }
    }
}

impl<M> Outbox<M> for Sent<M> {
    fn send(&mut self, to: Port, message: M) {
        self.messages.push((to, message));
    }

    fn round(&mut self) {
        self.rounds += 1;
    }
}

/// The processes of a message-passing algorithm whose type is forgotten, and their channels.
pub trait Ensemble {
    /// How they are connected.
    fn network(&self) -> Network;

    /// How many messages wait at a port.
    fn waiting(&self, process: usize, port: Port) -> usize;

    /// A message that waits at a port, as text.
    fn message(&self, process: usize, port: Port, index: usize) -> String;

    /// The state of a process, as text.
    fn state(&self, process: usize) -> String;

    /// What is wrong with the state of a process, if a variable has a value that it is not declared to take.
    fn outside(&self, process: usize) -> Option<OutOfDomain>;

    /// What a process shows of itself.
    fn marks(&self, process: usize) -> Marks;

    /// Whether a process would do this now. The message is there.
    fn ready(&self, process: usize, act: Act) -> bool;

    /// Adds what a process may do next. Equal messages in a bag are one choice.
    fn choices(&self, process: usize, channels: Channels, choices: &mut Vec<(usize, Act)>);

    /// Lets a process do what it is ready for, tells what it sends, in order, and returns how many rounds it starts. What is sent
    /// through a port that is not there is told, and lost.
    fn take(&mut self, process: usize, act: Act, coin: &mut dyn Coin, tell: &mut dyn FnMut(Port, &dyn Display)) -> u64;
}

impl dyn Ensemble + '_ {
    /// All that the processes may do next, by process.
    pub fn all_choices(&self, channels: Channels) -> Vec<(usize, Act)> {
        let mut choices = vec![];
        (0..self.network().size()).for_each(|process| self.choices(process, channels, &mut choices));
        choices
    }

    /// What every process shows of itself.
    pub fn all_marks(&self) -> Vec<Marks> {
        (0..self.network().size()).map(|process| self.marks(process)).collect()
    }

    /// Everything there is now, as text.
    pub fn print(&self) -> Snapshot<String, String> {
        let network = self.network();
        let (size, ports) = (network.size(), network.ports());
        let mut channels = vec![vec![]; size * ports];
        for (process, port) in (0..size).flat_map(|process| (0..ports).map(move |port| (process, port))) {
            let waiting = 0..self.waiting(process, port);
            channels[network.channel(process, port)] = waiting.map(|i| self.message(process, port, i)).collect();
        }
        Snapshot { network, states: (0..size).map(|process| self.state(process)).collect(), channels }
    }
}

/// The ensemble of an algorithm whose type is known.
pub struct Processes<'a, P: Terminating> {
    algorithm: &'a P,
    now: SnapshotOf<P>,
}

impl<'a, P: Terminating> Processes<'a, P> {
    /// The clean start.
    pub fn new(algorithm: &'a P) -> Self {
        let network = algorithm.network();
        let mut states = Vec::with_capacity(network.size());
        for me in 0..network.size() {
            states.push(algorithm.start(me));
        }
        let channels = vec![vec![]; network.size() * network.ports()];
        Processes { algorithm, now: Snapshot { network, states, channels } }
    }

    /// Everything there is now.
    pub fn now(&self) -> &SnapshotOf<P> {
        &self.now
    }

    fn event(&self, process: usize, act: Act) -> Event<P::Message> {
        match act {
            Act::Step => Event::Step,
            Act::Receive { port, index } => {
                Event::Message { from: port, message: self.now.channel(process, port)[index].clone() }
            }
        }
    }
}

impl<P: Terminating> Ensemble for Processes<'_, P> {
    fn network(&self) -> Network {
        self.now.network
    }

    fn waiting(&self, process: usize, port: Port) -> usize {
        self.now.channel(process, port).len()
    }

    fn message(&self, process: usize, port: Port, index: usize) -> String {
        self.now.channel(process, port)[index].to_string()
    }

    fn state(&self, process: usize) -> String {
        text::print_state(self.algorithm, &self.now.states[process])
    }

    fn outside(&self, process: usize) -> Option<OutOfDomain> {
        number::checked_rank(self.algorithm, &self.now.states[process]).err()
    }

    fn marks(&self, process: usize) -> Marks {
        self.algorithm.marks(process, &self.now.states[process])
    }

    fn ready(&self, process: usize, act: Act) -> bool {
        self.algorithm.ready(&self.now.states[process], &self.event(process, act))
    }

    fn choices(&self, process: usize, channels: Channels, choices: &mut Vec<(usize, Act)>) {
        if self.ready(process, Act::Step) {
            choices.push((process, Act::Step));
        }
        for port in 0..self.now.network.ports() {
            let waiting = self.now.channel(process, port);
            let within_reach = match channels {
                Channels::Bag => waiting.len(),
                Channels::Fifo => waiting.len().min(1),
            };
            for index in 0..within_reach {
                let act = Act::Receive { port, index };
                if !waiting[..index].contains(&waiting[index]) && self.ready(process, act) {
                    choices.push((process, act));
                }
            }
        }
    }

    fn take(
        &mut self,
        process: usize,
        act: Act,
        mut coin: &mut dyn Coin,
        tell: &mut dyn FnMut(Port, &dyn Display),
    ) -> u64 {
        let network = self.now.network;
        let event = match act {
            Act::Step => Event::Step,
            Act::Receive { port, index } => {
                let channel = &mut self.now.channels[network.channel(process, port)];
                Event::Message { from: port, message: channel.remove(index) }
            }
        };
        let mut out = Sent::default();
        self.algorithm.on(process, &mut self.now.states[process], event, &mut out, &mut coin);
        for (to, message) in out.messages {
            tell(to, &message);
            if to >= network.ports() {
                continue;
            }
            let (receiver, port) = network.arrival(process, to);
            self.now.channels[network.channel(receiver, port)].push(message);
        }
        out.rounds
    }
}

//! All processes of a message-passing algorithm and the messages between them.

use crate::{Channels, Coin, Event, Marks, Network, Outbox, Port, Snapshot, SnapshotOf, Terminating, text};

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// A step of its own accord.
    Step,
    /// It receives a message.
    Receive {
        /// Through which port.
        port: Port,
        /// Where the message lies, the oldest being 0.
        index: usize,
    },
}

/// The effects of one step of a process.
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

/// The processes of an algorithm and their channels.
pub struct Ensemble<'a, P: Terminating> {
    algorithm: &'a P,
    now: SnapshotOf<P>,
}

impl<'a, P: Terminating> Ensemble<'a, P> {
    /// The clean start.
    pub fn new(algorithm: &'a P) -> Self {
        let network = algorithm.network();
        let states = (0..network.size()).map(|me| algorithm.start(me)).collect();
        let channels = vec![vec![]; network.size() * network.ports()];
        Ensemble { algorithm, now: Snapshot { network, states, channels } }
    }

    /// The present states and messages.
    pub fn now(&self) -> &SnapshotOf<P> {
        &self.now
    }

    /// How the processes are connected.
    pub fn network(&self) -> Network {
        self.now.network
    }

    /// The state of a process, as text.
    pub fn state(&self, process: usize) -> String {
        text::print_state(self.algorithm, &self.now.states[process])
    }

    /// A message that waits at a port, as text.
    pub fn message(&self, process: usize, port: Port, index: usize) -> String {
        text::print_message(self.algorithm, &self.now.channel(process, port)[index])
    }

    /// The present states and messages, as text.
    pub fn print(&self) -> Snapshot<String, String> {
        let message = |message| text::print_message(self.algorithm, message);
        Snapshot {
            network: self.now.network,
            states: (0..self.now.states.len()).map(|process| self.state(process)).collect(),
            channels: self.now.channels.iter().map(|waiting| waiting.iter().map(message).collect()).collect(),
        }
    }

    /// The messages of a step, as text.
    pub fn print_sent(&self, sent: &Sent<P::Message>) -> Vec<(Port, String)> {
        sent.messages.iter().map(|(port, message)| (*port, text::print_message(self.algorithm, message))).collect()
    }

    /// The marks of every process.
    pub fn marks(&self) -> Vec<Marks> {
        let states = self.now.states.iter().enumerate();
        states.map(|(process, state)| self.algorithm.marks(process, state)).collect()
    }

    /// Whether a process has stopped only because the algorithm is followed no further ([`Terminating::cut_off`]).
    pub fn cut_off(&self) -> bool {
        self.now.states.iter().any(|state| self.algorithm.cut_off(state))
    }

    /// The event of an act of a process. The message is there.
    pub fn event(&self, process: usize, act: Act) -> Event<P::Message> {
        match act {
            Act::Step => Event::Step,
            Act::Receive { port, index } => {
                Event::Message { from: port, message: self.now.channel(process, port)[index].clone() }
            }
        }
    }

    /// Whether a process would do this now. The message is there.
    pub fn ready(&self, process: usize, act: Act) -> bool {
        self.algorithm.ready(&self.now.states[process], &self.event(process, act))
    }

    /// The events that a process would take next. Equal messages in a bag are one choice.
    pub fn choices(&self, process: usize, channels: Channels) -> impl Iterator<Item = Act> + '_ {
        let receptions = (0..self.now.network.ports()).flat_map(move |port| {
            let waiting = self.now.channel(process, port);
            let within_reach = match channels {
                Channels::Bag => waiting.len(),
                Channels::Fifo => waiting.len().min(1),
            };
            let distinct = (0..within_reach).filter(|&index| !waiting[..index].contains(&waiting[index]));
            distinct.map(move |index| Act::Receive { port, index })
        });
        std::iter::once(Act::Step).chain(receptions).filter(move |&act| self.ready(process, act))
    }

    /// The choices of all processes, by process.
    pub fn all_choices(&self, channels: Channels) -> Vec<(usize, Act)> {
        let of = |process| self.choices(process, channels).map(move |act| (process, act));
        (0..self.now.states.len()).flat_map(of).collect()
    }

    /// Lets a process take an event that it is ready for. `sent` then holds the effects of this step alone. A message
    /// sent through a port that does not exist is lost.
    pub fn take(&mut self, process: usize, act: Act, coin: &mut impl Coin, sent: &mut Sent<P::Message>) {
        let network = self.now.network;
        let event = match act {
            Act::Step => Event::Step,
            Act::Receive { port, index } => {
                let channel = &mut self.now.channels[network.channel(process, port)];
                Event::Message { from: port, message: channel.remove(index) }
            }
        };
        sent.messages.clear();
        sent.rounds = 0;
        self.algorithm.on(process, &mut self.now.states[process], event, sent, coin);
        for (to, message) in sent.messages.iter().filter(|(to, _)| *to < network.ports()) {
            let (receiver, port) = network.arrival(process, *to);
            self.now.channels[network.channel(receiver, port)].push(message.clone());
        }
    }
}

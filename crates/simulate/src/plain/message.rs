//! Processes and channels, one choice of the scheduler at a time.

use crate::Generator;
use crate::plain::Run;
use ringleader_model::{Channels, Coin, Event, Marks, Outbox, Port, Snapshot, SnapshotOf, Terminating, text};

/// What the scheduler decides: this process steps, or it receives that message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageChoice {
    Step(usize),
    Receive { process: usize, port: Port, index: usize },
}

/// A run of a terminating algorithm from its clean start. Every choice is uniform among those enabled.
pub struct MessageRun<'a, P: Terminating> {
    algorithm: &'a P,
    channels: Channels,
    now: SnapshotOf<P>,
    coin: Generator,
    steps: u64,
    messages: u64,
    /// How many rounds each process has started.
    rounds: Vec<u64>,
}

/// What a process does in one step.
struct Sent<M> {
    messages: Vec<(Port, M)>,
    rounds: u64,
}

impl<M> Outbox<M> for Sent<M> {
    fn send(&mut self, to: Port, message: M) {
        self.messages.push((to, message));
    }

    fn round(&mut self) {
        self.rounds += 1;
    }
}

impl<'a, P: Terminating> MessageRun<'a, P> {
    /// A run from the clean start.
    pub fn new(algorithm: &'a P, channels: Channels, coin: Generator) -> Self {
        let network = algorithm.network();
        let now = Snapshot {
            network,
            states: (0..network.size()).map(|me| algorithm.start(me)).collect(),
            channels: vec![vec![]; network.size() * network.ports()],
        };
        MessageRun { algorithm, channels, now, coin, steps: 0, messages: 0, rounds: vec![0; network.size()] }
    }

    /// Everything there is now.
    pub fn now(&self) -> &SnapshotOf<P> {
        &self.now
    }

    /// How many messages have been sent.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// How many rounds there were: as many as the process that started the most has started.
    pub fn rounds(&self) -> u64 {
        self.rounds.iter().copied().max().unwrap_or(0)
    }

    pub(crate) fn coin(&mut self) -> &mut Generator {
        &mut self.coin
    }

    fn choices(&self) -> Vec<MessageChoice> {
        let mut choices = vec![];
        (0..self.now.states.len()).for_each(|process| self.choices_of(process, &mut choices));
        choices
    }

    /// Adds what one process may do next.
    pub(crate) fn choices_of(&self, process: usize, choices: &mut Vec<MessageChoice>) {
        let state = &self.now.states[process];
        if self.algorithm.ready(state, &Event::Step) {
            choices.push(MessageChoice::Step(process));
        }
        for port in 0..self.now.network.ports() {
            let waiting = self.now.channel(process, port);
            let within_reach = match self.channels {
                Channels::Bag => waiting.len(),
                Channels::Fifo => waiting.len().min(1),
            };
            for index in 0..within_reach {
                // Equal messages in a bag are one choice.
                let message = waiting[index].clone();
                if !waiting[..index].contains(&message)
                    && self.algorithm.ready(state, &Event::Message { from: port, message })
                {
                    choices.push(MessageChoice::Receive { process, port, index });
                }
            }
        }
    }

    /// Takes a choice, and says who was sent something.
    pub(crate) fn take(&mut self, choice: MessageChoice) -> Vec<usize> {
        let (process, event) = match choice {
            MessageChoice::Step(process) => (process, Event::Step),
            MessageChoice::Receive { process, port, index } => {
                let channel = self.now.network.channel(process, port);
                (process, Event::Message { from: port, message: self.now.channels[channel].remove(index) })
            }
        };
        let mut out = Sent { messages: vec![], rounds: 0 };
        self.algorithm.on(process, &mut self.now.states[process], event, &mut out, &mut self.coin);
        self.messages += out.messages.len() as u64;
        self.rounds[process] += out.rounds;
        self.steps += 1;
        let mut receivers = vec![];
        for (to, message) in out.messages {
            let (receiver, port) = self.now.network.arrival(process, to);
            let channel = self.now.network.channel(receiver, port);
            self.now.channels[channel].push(message);
            receivers.push(receiver);
        }
        receivers
    }
}

impl<P: Terminating> Run for MessageRun<'_, P> {
    fn size(&self) -> usize {
        self.now.states.len()
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn step(&mut self) -> bool {
        let choices = self.choices();
        if choices.is_empty() {
            return false;
        }
        let index = self.coin.below(choices.len() as u32) as usize;
        self.take(choices[index]);
        true
    }

    fn marks(&self) -> Vec<Marks> {
        self.now.states.iter().enumerate().map(|(me, s)| self.algorithm.marks(me, s)).collect()
    }

    /// Terminated with exactly one leader.
    fn reached(&self) -> Option<u64> {
        let one_leader = self.marks().iter().filter(|m| m.leader()).count() == 1;
        (one_leader && self.choices().is_empty()).then_some(self.steps)
    }

    /// Does nothing: these algorithms promise nothing after a fault, and callers refuse to ask.
    fn corrupt(&mut self, _: &[usize]) {}

    fn states(&self) -> Vec<String> {
        self.now.states.iter().map(|s| text::print_state(self.algorithm, s)).collect()
    }
}

//! An algorithm in numbers: the only code that is compiled anew for every algorithm.

use ringleader_model::ensemble::Sent;
use ringleader_model::number::{self, OutOfDomain};
use ringleader_model::{Coin, Event, Invariant, Marks, Odometer, Port, Snapshot, Terminating, text};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What happens to a process: a step of its own, or the reception, through a port, of the message with this number.
pub type Happening = Option<(Port, u32)>;

/// One result of a happening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The number of the state afterwards.
    pub state: u32,
    /// What is sent, by port; messages for one port in their order.
    pub sent: Vec<(Port, u32)>,
    /// The random draws that lead to it.
    pub draws: Vec<u32>,
    /// It has probability one in so many.
    pub odds: u64,
}

/// What one process of an algorithm does, with local states and messages numbered as they are met.
///
/// The search works on tables of numbers and asks this trait only to fill them. So it is compiled once, not once per
/// algorithm.
pub trait Local: Send + Sync {
    /// The state of a clean start.
    fn start(&mut self, me: usize) -> u32;

    /// Whether a process would take an event.
    fn takes(&self, state: u32, event: Happening) -> bool;

    /// Every result of an event that it takes.
    fn outcomes(&mut self, me: usize, state: u32, event: Happening) -> Vec<Outcome>;

    /// What is wrong with a state, if a variable has a value that it is not declared to take.
    fn outside(&self, state: u32) -> Option<OutOfDomain>;

    /// What a process in this state shows of itself.
    fn marks(&self, me: usize, state: u32) -> Marks;

    /// Whether it stopped only because the algorithm was to be followed so far and no further.
    fn cut_off(&self, state: u32) -> bool;

    /// A state as text.
    fn print_state(&self, state: u32) -> String;

    /// The variables of a state, their values in numbers.
    fn values(&self, state: u32) -> Vec<(String, u64)>;

    /// A message as text.
    fn print_message(&self, message: u32) -> String;

    /// Whether the invariant with this number holds.
    fn holds(&self, invariant: usize, now: &Snapshot<u32, u32>) -> bool;

    /// Whether the invariant with this number names no process by its place.
    fn alike(&self, invariant: usize) -> bool;
}

/// The local behaviour of an algorithm, with what was met so far.
pub(crate) struct Numbered<'a, P: Terminating> {
    algorithm: &'a P,
    states: Roll<P::State>,
    messages: Roll<P::Message>,
    invariants: Vec<Invariant<'a, P>>,
}

impl<'a, P: Terminating> Numbered<'a, P> {
    pub(crate) fn new(algorithm: &'a P) -> Self {
        Numbered {
            algorithm,
            states: Roll::default(),
            messages: Roll::default(),
            invariants: Terminating::invariants(algorithm),
        }
    }

    fn event(&self, event: Happening) -> Event<P::Message> {
        match event {
            None => Event::Step,
            Some((from, message)) => Event::Message { from, message: self.messages.get(message).clone() },
        }
    }
}

impl<P: Terminating> Local for Numbered<'_, P> {
    fn start(&mut self, me: usize) -> u32 {
        self.states.number(self.algorithm.start(me))
    }

    fn takes(&self, state: u32, event: Happening) -> bool {
        self.algorithm.ready(self.states.get(state), &self.event(event))
    }

    fn outcomes(&mut self, me: usize, state: u32, event: Happening) -> Vec<Outcome> {
        let (event, before) = (self.event(event), self.states.get(state).clone());
        let mut outcomes = vec![];
        Odometer::each(|coin| {
            let (mut after, mut out) = (before.clone(), Sent::default());
            // The same kinds of outbox and coin as in a run: the rule is compiled once for both.
            let mut tossed: &mut dyn Coin = coin;
            self.algorithm.on(me, &mut after, event.clone(), &mut out, &mut tossed);
            let state = self.states.number(after);
            let mut sent: Vec<(Port, u32)> = vec![];
            for (port, message) in out.messages {
                sent.push((port, self.messages.number(message)));
            }
            by_port(&mut sent);
            outcomes.push(Outcome { state, sent, draws: coin.draws(), odds: coin.outcomes() });
        });
        outcomes
    }

    fn outside(&self, state: u32) -> Option<OutOfDomain> {
        number::checked_rank(self.algorithm, self.states.get(state)).err()
    }

    fn marks(&self, me: usize, state: u32) -> Marks {
        self.algorithm.marks(me, self.states.get(state))
    }

    fn cut_off(&self, state: u32) -> bool {
        self.algorithm.cut_off(self.states.get(state))
    }

    fn print_state(&self, state: u32) -> String {
        text::print_state(self.algorithm, self.states.get(state))
    }

    fn values(&self, state: u32) -> Vec<(String, u64)> {
        text::values(self.algorithm, self.states.get(state))
    }

    fn print_message(&self, message: u32) -> String {
        self.messages.get(message).to_string()
    }

    fn holds(&self, invariant: usize, now: &Snapshot<u32, u32>) -> bool {
        let messages = |waiting: &Vec<u32>| waiting.iter().map(|&m| self.messages.get(m).clone()).collect();
        let now = Snapshot {
            network: now.network,
            states: now.states.iter().map(|&state| self.states.get(state).clone()).collect(),
            channels: now.channels.iter().map(messages).collect(),
        };
        (self.invariants[invariant].holds)(&now)
    }

    fn alike(&self, invariant: usize) -> bool {
        self.invariants[invariant].alike
    }
}

/// Sorts what is sent by its port. Not inside of what is compiled for each algorithm, where it would be compiled with it.
fn by_port(sent: &mut [(Port, u32)]) {
    sent.sort_by_key(|&(port, _)| port);
}

/// Gives equal things the same number, in the order in which they are first seen. The map knows hashes only, so that it is
/// compiled once for the states and messages of all algorithms.
struct Roll<T> {
    items: Vec<T>,
    by_hash: HashMap<u64, Vec<u32>>,
}

impl<T> Default for Roll<T> {
    fn default() -> Self {
        Roll { items: vec![], by_hash: HashMap::new() }
    }
}

impl<T: Eq + Hash> Roll<T> {
    fn number(&mut self, item: T) -> u32 {
        let mut hasher = DefaultHasher::new();
        item.hash(&mut hasher);
        let alike = alike(&mut self.by_hash, hasher.finish());
        for &number in &*alike {
            if self.items[number as usize] == item {
                return number;
            }
        }
        let number = self.items.len() as u32;
        alike.push(number);
        self.items.push(item);
        number
    }

    fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }
}

/// The numbers of what has this hash.
fn alike(by_hash: &mut HashMap<u64, Vec<u32>>, hash: u64) -> &mut Vec<u32> {
    by_hash.entry(hash).or_default()
}

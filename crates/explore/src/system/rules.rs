//! The rules of single processes, over numbered states and messages.

use crate::Action;
use crate::interner::Interner;
use ringleader_erased::{MessageInstance, Words};
use ringleader_model::ensemble::Sent;
use ringleader_model::number::{OutOfDomain, checked_rank};
use ringleader_model::{Channels, Event, Marks, Odometer, Port, Process, Terminating, text};
use std::collections::HashMap;
use std::sync::Arc;

/// An event of a process: a step of its own, or the reception, through a port, of the message with this number.
pub(crate) type Happening = Option<(Port, u32)>;

/// One result of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reaction {
    /// The number of the state afterwards.
    pub(crate) state: u32,
    /// The messages sent, by port; messages for one port in their order.
    pub(crate) sent: Vec<(Port, u32)>,
    /// The random draws that lead to it.
    pub(crate) draws: Vec<u32>,
    /// Its probability is one in so many.
    pub(crate) odds: u64,
}

/// The algorithm with the states and messages met so far, numbered in the order in which they were first met, and facts about
/// all processes together.
pub(crate) struct Rules<'a> {
    pub(crate) algorithm: &'a MessageInstance,
    states: Interner<Words>,
    messages: Interner<Words>,
    /// The messages as text, by number.
    texts: Vec<String>,
    pub(crate) channels: Channels,
    pub(crate) anonymous: bool,
    pub(crate) size: usize,
    pub(crate) ports: usize,
    /// The messages that are sent. (Judging local states may give numbers to others.)
    pub(crate) sent: Vec<u32>,
    /// By owner, state and event. Many cells have the same state, and differ in the messages that wait.
    known: HashMap<(u32, u32, Happening), Arc<[Reaction]>>,
    taken: HashMap<(u32, Happening), bool>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(algorithm: &'a MessageInstance, channels: Channels) -> Self {
        let network = algorithm.network();
        let mut rules = Rules {
            algorithm,
            states: Interner::new(),
            messages: Interner::new(),
            texts: vec![],
            anonymous: false,
            channels,
            size: network.size(),
            ports: network.ports(),
            sent: vec![],
            known: HashMap::new(),
            taken: HashMap::new(),
        };
        let first = rules.start(0);
        rules.anonymous = (1..network.size()).all(|me| rules.start(me) == first);
        rules
    }

    /// The state of a clean start.
    pub(crate) fn start(&mut self, me: usize) -> u32 {
        self.states.number(self.algorithm.start(me))
    }

    /// Whether a process would take an event.
    pub(crate) fn takes(&mut self, state: u32, event: Happening) -> bool {
        if let Some(&taken) = self.taken.get(&(state, event)) {
            return taken;
        }
        let taken = self.algorithm.ready(self.states.get(state), &self.event(event));
        self.taken.insert((state, event), taken);
        taken
    }

    /// All outcomes of an event, none if the process would not take it.
    pub(crate) fn outcomes(&mut self, owner: u32, state: u32, event: Happening) -> Result<Arc<[Reaction]>, Surprise> {
        if let Some(outcomes) = self.known.get(&(owner, state, event)) {
            return Ok(outcomes.clone());
        }
        let outcomes: Arc<[Reaction]> = self.ask(owner, state, event)?.into();
        self.known.insert((owner, state, event), outcomes.clone());
        Ok(outcomes)
    }

    fn ask(&mut self, owner: u32, state: u32, event: Happening) -> Result<Vec<Reaction>, Surprise> {
        if !self.takes(state, event) {
            return Ok(vec![]);
        }
        let (outcomes, others) = (self.run(owner as usize, state, event), 1..self.size);
        let anonymous = self.anonymous;
        let mut differs = |me: usize| {
            let does = self.run(me, state, event) == outcomes;
            let shows = |state: u32| self.marks(me, state) == self.marks(0, state);
            !(does && shows(state) && outcomes.iter().all(|outcome| shows(outcome.state)))
        };
        if anonymous && others.into_iter().any(&mut differs) {
            return Err(Surprise::NotAlike);
        }
        Ok(outcomes)
    }

    /// Runs the rule once for every outcome of its coins.
    fn run(&mut self, me: usize, state: u32, event: Happening) -> Vec<Reaction> {
        let (event, before, mut outcomes) = (self.event(event), self.states.get(state).clone(), vec![]);
        Odometer::each(|coin| {
            let (mut after, mut out) = (before.clone(), Sent::default());
            self.algorithm.on(me, &mut after, event.clone(), &mut out, coin);
            let state = self.states.number(after);
            let mut sent: Vec<(Port, u32)> =
                out.messages.into_iter().map(|(port, message)| (port, self.message(message))).collect();
            sent.sort_by_key(|&(port, _)| port);
            outcomes.push(Reaction { state, sent, draws: coin.draws(), odds: coin.outcomes() });
        });
        outcomes
    }

    fn event(&self, event: Happening) -> Event<Words> {
        match event {
            None => Event::Step,
            Some((from, message)) => Event::Message { from, message: self.messages.get(message).clone() },
        }
    }

    fn message(&mut self, message: Words) -> u32 {
        let number = self.messages.number(message);
        if number as usize == self.texts.len() {
            self.texts.push(text::print_message(self.algorithm, self.messages.get(number)));
        }
        number
    }

    /// The value that a state has outside the domain of its variable, if there is one.
    pub(crate) fn outside(&self, state: u32) -> Option<OutOfDomain> {
        checked_rank(self.algorithm, self.states.get(state)).err()
    }

    /// The marks of a process in this state.
    pub(crate) fn marks(&self, me: usize, state: u32) -> Marks {
        self.algorithm.marks(me, self.states.get(state))
    }

    /// Whether a process stopped only because the algorithm was to be followed so far and no further.
    pub(crate) fn cut_off(&self, state: u32) -> bool {
        self.algorithm.cut_off(self.states.get(state))
    }

    /// A state as text.
    pub(crate) fn print_state(&self, state: u32) -> String {
        text::print_state(self.algorithm, self.states.get(state))
    }

    /// The variables of a state with their values.
    pub(crate) fn values(&self, state: u32) -> Vec<(String, u64)> {
        text::values(self.algorithm, self.states.get(state))
    }

    /// A message as text.
    pub(crate) fn print_message(&self, message: u32) -> &str {
        &self.texts[message as usize]
    }

    /// All states and all messages, by number.
    pub(crate) fn met(&self) -> (&[Words], &[Words]) {
        (self.states.all(), self.messages.all())
    }

    /// The visible part of a change of state.
    pub(crate) fn action(&self, owner: u32, before: u32, after: u32) -> Action {
        let marks = |state| self.marks(owner as usize, state);
        Action::of(marks(before), marks(after))
    }
}

/// A belief that turned out to be wrong.
#[derive(Debug)]
pub(crate) enum Surprise {
    /// Processes do or show different things, though they start alike.
    NotAlike,
    /// Some local states have other roles.
    NewRoles,
    /// The tables do not fit into the memory allowed.
    NoRoom,
    /// A process sends through a port that it does not have.
    NoPort(Port),
    /// A process writes a value that its variable is not declared to take.
    OutOfDomain(OutOfDomain),
}

//! The rules of single processes, over numbered states and messages.

use crate::{Action, Failure};
use ringleader_erased::{MessageInstance, Words};
use ringleader_model::ensemble::Sent;
use ringleader_model::number::checked_rank;
use ringleader_model::{Channels, Event, Interner, Marks, Odometer, Port, Process, Terminating, text};
use std::collections::HashMap;
use std::sync::Arc;

/// An event of a process: a step of its own, or the reception of a message through a port.
pub(crate) type Happening = Option<(Port, u32)>;

/// One possible result of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reaction {
    /// The number of the state after the event.
    pub(crate) state: u32,
    /// The messages sent, by port; messages to the same port in their order.
    pub(crate) sent: Vec<(Port, u32)>,
    /// The random draws.
    pub(crate) draws: Vec<u32>,
    /// The inverse of its probability.
    pub(crate) odds: u64,
}

/// The algorithm with its known states and messages, numbered in the order of discovery, and facts about all processes together.
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
    /// The messages that are sent. Judging local states may give numbers to others.
    pub(crate) sent: Vec<u32>,
    /// By owner, state and event. Many cells have the same state and differ only in their inboxes.
    known: HashMap<(u32, u32, Happening), Arc<[Reaction]>>,
    taken: HashMap<(u32, Happening), bool>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(algorithm: &'a MessageInstance, channels: Channels) -> Self {
        let network = algorithm.network();
        let mut rules = Rules {
            algorithm,
            states: Interner::default(),
            messages: Interner::default(),
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

    /// The initial state of a process.
    pub(crate) fn start(&mut self, me: usize) -> u32 {
        self.states.number(self.algorithm.start(me))
    }

    /// Whether an event is enabled.
    pub(crate) fn takes(&mut self, state: u32, event: Happening) -> bool {
        if let Some(&taken) = self.taken.get(&(state, event)) {
            return taken;
        }
        let taken = self.algorithm.ready(self.states.get(state), &self.event(event));
        self.taken.insert((state, event), taken);
        taken
    }

    /// All outcomes of an event; none if it is not enabled.
    pub(crate) fn outcomes(&mut self, owner: u32, state: u32, event: Happening) -> Result<Arc<[Reaction]>, Setback> {
        if let Some(outcomes) = self.known.get(&(owner, state, event)) {
            return Ok(outcomes.clone());
        }
        let outcomes: Arc<[Reaction]> = self.ask(owner, state, event)?.into();
        self.known.insert((owner, state, event), outcomes.clone());
        Ok(outcomes)
    }

    fn ask(&mut self, owner: u32, state: u32, event: Happening) -> Result<Vec<Reaction>, Setback> {
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
            return Err(Setback::NotAlike);
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

    /// Refuses a state with a value outside the domain of its variable.
    pub(crate) fn check_domains(&self, state: u32) -> Result<(), Failure> {
        checked_rank(self.algorithm, self.states.get(state)).map(drop).map_err(Failure::OutOfDomain)
    }

    /// The marks of a process in this state.
    pub(crate) fn marks(&self, me: usize, state: u32) -> Marks {
        self.algorithm.marks(me, self.states.get(state))
    }

    /// Whether a process stopped only because the algorithm was cut off here.
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

    /// All known states and messages, by number.
    pub(crate) fn met(&self) -> (&[Words], &[Words]) {
        (self.states.all(), self.messages.all())
    }

    /// The visible part of a change of state.
    pub(crate) fn action(&self, owner: u32, before: u32, after: u32) -> Action {
        let marks = |state| self.marks(owner as usize, state);
        Action::of(marks(before), marks(after))
    }
}

/// The reason why a search cannot go on as it began.
#[derive(Debug)]
pub(crate) enum Setback {
    /// Processes that start alike behave or look differently.
    NotAlike,
    /// Some local states have other roles than assumed.
    NewRoles,
    /// The tables have outgrown the fields of a packed state.
    Wider,
    Failed(Failure),
}

impl From<Failure> for Setback {
    fn from(failure: Failure) -> Self {
        Setback::Failed(failure)
    }
}

//! What single processes do, in numbers, by the algorithm's own rules.

use crate::{Action, Happening, Local, Model, Outcome};
use ringleader_model::number::OutOfDomain;
use ringleader_model::{Channels, Port};
use std::collections::HashMap;
use std::sync::Arc;

/// The rules, and what is known of all processes together.
pub(crate) struct Rules<'a> {
    pub(crate) local: Box<dyn Local + 'a>,
    pub(crate) channels: Channels,
    pub(crate) anonymous: bool,
    pub(crate) size: usize,
    pub(crate) ports: usize,
    /// The messages that are sent. (Judging local states may give numbers to others.)
    pub(crate) messages: Vec<u32>,
    /// By owner, state and event. Many cells have the same state, and differ in what waits for it.
    known: HashMap<(u32, u32, Happening), Arc<[Outcome]>>,
}

impl<'a> Rules<'a> {
    pub(crate) fn new(model: &'a dyn Model, channels: Channels) -> Self {
        let (network, mut local) = (model.network(), model.local());
        let first = local.start(0);
        Rules {
            anonymous: (1..network.size()).all(|me| local.start(me) == first),
            local,
            channels,
            size: network.size(),
            ports: network.ports(),
            messages: vec![],
            known: HashMap::new(),
        }
    }

    /// All outcomes of an event, none if the process would not take it.
    pub(crate) fn outcomes(&mut self, owner: u32, state: u32, event: Happening) -> Result<Arc<[Outcome]>, Surprise> {
        if let Some(outcomes) = self.known.get(&(owner, state, event)) {
            return Ok(outcomes.clone());
        }
        let outcomes: Arc<[Outcome]> = self.ask(owner, state, event)?.into();
        self.known.insert((owner, state, event), outcomes.clone());
        Ok(outcomes)
    }

    fn ask(&mut self, owner: u32, state: u32, event: Happening) -> Result<Vec<Outcome>, Surprise> {
        if !self.local.takes(state, event) {
            return Ok(vec![]);
        }
        let outcomes = self.local.outcomes(owner as usize, state, event);
        let mut differs = |me: usize| {
            let does = self.local.outcomes(me, state, event) == outcomes;
            let shows = |state: u32| self.local.marks(me, state) == self.local.marks(0, state);
            !(does && shows(state) && outcomes.iter().all(|outcome| shows(outcome.state)))
        };
        if self.anonymous && (1..self.size).any(&mut differs) {
            return Err(Surprise::NotAlike);
        }
        Ok(outcomes)
    }

    /// What a bystander could see of a change of state.
    pub(crate) fn action(&self, owner: u32, before: u32, after: u32) -> Action {
        let marks = |state| self.local.marks(owner as usize, state);
        Action::of(marks(before), marks(after))
    }
}

/// What was believed otherwise.
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

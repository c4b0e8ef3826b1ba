//! What names mean where they stand.

use crate::meaning::typed::{Agent, Ex};

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Parameters and the size only.
    Constant,
    /// The variables of two agents that meet.
    Interaction,
    /// The variables of one agent.
    Own,
    /// Those of a process and its neighbours.
    Process,
    /// Those of a process, and perhaps of a message.
    Event(Option<usize>),
    /// Those of all.
    Configuration,
}

/// What a name stands for, inside.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Agent(Agent),
    Value(Ex),
}

#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) context: Context,
    /// Whose variables need no name before them.
    pub(crate) own: Option<Agent>,
    pub(crate) bindings: Vec<(String, Binding)>,
    /// Only named expressions before this one are known.
    pub(crate) lets: usize,
    /// Only sets before this one are known.
    pub(crate) sets: usize,
    /// How many quantifiers stand around this.
    pub(crate) quantifiers: usize,
}

impl Scope {
    pub(crate) fn new(context: Context) -> Scope {
        let own = match context {
            Context::Own | Context::Process | Context::Event(_) => Some(Agent::Role(0)),
            _ => None,
        };
        Scope { context, own, bindings: vec![], lets: usize::MAX, sets: 0, quantifiers: 0 }
    }

    pub(crate) fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().rev().find(|(known, _)| known == name).map(|(_, binding)| binding)
    }

    /// The same scope seen from an agent.
    pub(crate) fn of(&self, own: Agent) -> Scope {
        Scope { own: Some(own), bindings: vec![], ..self.clone() }
    }
}

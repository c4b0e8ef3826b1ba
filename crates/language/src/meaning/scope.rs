//! The scope of names.

use crate::meaning::typed::{Agent, Ex};

/// The context of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// Parameters and the size only.
    Constant,
    /// The variables of two agents that meet.
    Interaction,
    /// The variables of one agent.
    Own,
    /// The variables of a process and its neighbours.
    Process,
    /// The variables of a process, and the fields of a message if one is received.
    Event(Option<usize>),
    /// The variables of all agents.
    Configuration,
}

/// The meaning of a parameter or a bound variable.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Agent(Agent),
    Value(Ex),
    /// A neighbour of a process: the port that leads to it.
    Neighbour(Ex),
}

#[derive(Clone, Debug)]
pub(crate) struct Scope {
    pub(crate) context: Context,
    /// The agent whose variables need no prefix.
    pub(crate) own: Option<Agent>,
    pub(crate) bindings: Vec<(String, Binding)>,
    /// Only named expressions before this position are visible.
    pub(crate) lets: usize,
    /// Only sets before this position are visible.
    pub(crate) sets: usize,
    /// The number of enclosing quantifiers.
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

    /// The same scope, in which `i` is a process, unless the protocol has this name.
    pub(crate) fn with_process(&self, process: usize) -> Scope {
        let mut scope = self.clone();
        scope.bindings.push(("i".into(), Binding::Value(Ex::number(process as i64, 0..0))));
        scope
    }

    /// The position of the named expression whose body this is, if it is one.
    pub(crate) fn enclosing_let(&self) -> Option<usize> {
        (self.lets != usize::MAX).then_some(self.lets)
    }

    pub(crate) fn binding(&self, name: &str) -> Option<&Binding> {
        self.bindings.iter().rev().find(|(known, _)| known == name).map(|(_, binding)| binding)
    }

    /// The same scope with another agent as its own.
    pub(crate) fn of(&self, own: Agent) -> Scope {
        Scope { own: Some(own), bindings: vec![], ..self.clone() }
    }
}

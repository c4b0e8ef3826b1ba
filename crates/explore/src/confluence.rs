//! Internal transitions that may be taken at once, because nothing that they could be swapped with is lost.
//!
//! Steps of different processes commute: a process adds to the inboxes of others and takes from its own only. So an
//! internal step needs a look at its own process alone. Two kinds of local states are recognized:
//!
//! - *sole step*: the process can do nothing but one deterministic internal step, whatever arrives;
//! - *relay*: the process waits and takes any message, and all messages lead it by sole steps to one and the same state, in
//!   which it relays again in the same way; so two messages may be taken in either order with the same effect.
//!
//! Both kinds are confluent in the sense of Blom and van de Pol (*State space reduction by proving confluence*, CAV 2002),
//! the relays after the sole steps have been contracted. Taking them at once, and keeping only states where none is left,
//! preserves branching bisimilarity; docs/exploring.md has the proof.

use crate::cell::{Cells, NotAnonymous};
use crate::{Action, Visible};
use ringleader_model::{Channels, Event, Port, Process, Terminating, Variables};

/// What the confluent transitions of a local state are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// None.
    Plain,
    /// Its only step.
    Sole,
    /// Receiving any message.
    Relay,
}

/// How many sole steps a relay may take before it can relay again.
const LONGEST_DETOUR: usize = 8;

impl<P: Terminating> Cells<'_, P> {
    /// The role of a local state, as far as the messages known so far tell.
    pub(crate) fn judge(&self, owner: u32, state: &P::State, visible: Visible) -> Result<Role, NotAnonymous> {
        let judge = Judge { cells: self, owner, visible };
        Ok(if judge.is_sole(state)? {
            Role::Sole
        } else if judge.is_relay(state)? {
            Role::Relay
        } else {
            Role::Plain
        })
    }
}

struct Judge<'j, 'a, P: Terminating> {
    cells: &'j Cells<'a, P>,
    owner: u32,
    visible: Visible,
}

/// The state after an event and the sole steps that follow, and what was sent.
type Effect<P> = (<P as Variables>::State, Vec<(Port, <P as Process>::Message)>);

impl<P: Terminating> Judge<'_, '_, P> {
    fn takes(&self, state: &P::State, event: &Event<P::Message>) -> bool {
        self.cells.algorithm.ready(state, event)
    }

    fn receptions(&self) -> impl Iterator<Item = (Port, Event<P::Message>)> {
        let messages = self.cells.messages.len() as u32;
        let all = (0..self.cells.ports).flat_map(move |port| (0..messages).map(move |message| (port, message)));
        all.map(|(port, message)| (port, self.cells.event(Some((port, message)))))
    }

    /// What an event does, if it is enabled, deterministic and internal.
    fn effect(&self, state: &P::State, event: &Event<P::Message>) -> Result<Option<Effect<P>>, NotAnonymous> {
        let mut outcomes = self.cells.outcomes(self.owner, state, event)?;
        let Some(outcome) = outcomes.pop().filter(|_| outcomes.is_empty()) else { return Ok(None) };
        let action = self.visible.filter(self.cells.action(self.owner, state, &outcome.state));
        Ok((action == Action::Internal).then_some((outcome.state, outcome.sent)))
    }

    fn is_sole(&self, state: &P::State) -> Result<bool, NotAnonymous> {
        let takes_a_message = self.receptions().any(|(_, event)| self.takes(state, &event));
        Ok(!takes_a_message && self.effect(state, &Event::Step)?.is_some_and(|(after, _)| after != *state))
    }

    /// What receiving a message does, with the sole steps that follow.
    fn relayed(&self, state: &P::State, event: &Event<P::Message>) -> Result<Option<Effect<P>>, NotAnonymous> {
        let Some((mut now, mut sent)) = self.effect(state, event)? else { return Ok(None) };
        for _ in 0..LONGEST_DETOUR {
            if !self.is_sole(&now)? {
                return Ok(Some((now, sent)));
            }
            let Some((after, more)) = self.effect(&now, &Event::Step)? else { return Ok(None) };
            now = after;
            sent.extend(more);
        }
        Ok(None)
    }

    /// Whether every message is taken, with an effect that does not depend on those taken before: from this state and from
    /// the one that all of them lead to.
    fn is_relay(&self, state: &P::State) -> Result<bool, NotAnonymous> {
        if self.takes(state, &Event::Step) {
            return Ok(false);
        }
        // In FIFO channels the order in which two ports' messages are sent on matters if they go the same way.
        let mut ways: Vec<Option<Port>> = vec![None; self.cells.ports];
        let mut then = None;
        for (port, event) in self.receptions() {
            let Some((after, sent)) = self.relayed(state, &event)? else { return Ok(false) };
            let then = then.get_or_insert_with(|| after.clone());
            let again = || self.relayed(&after, &event).map(|effect| effect == Some((after.clone(), sent.clone())));
            if *then != after || self.takes(&after, &Event::Step) || !again()? {
                return Ok(false);
            }
            for (to, _) in sent {
                if ways[to].replace(port).is_some_and(|other| other != port) && self.cells.channels == Channels::Fifo {
                    return Ok(false);
                }
            }
        }
        Ok(then.is_some())
    }
}

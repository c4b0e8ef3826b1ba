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

use super::rules::{Happening, Rules, Surprise};
use crate::{Action, Visible};
use ringleader_model::{Channels, Port};

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

/// The role of a local state, as far as the messages sent so far tell.
pub(crate) fn judge(rules: &mut Rules<'_>, owner: u32, state: u32, visible: Visible) -> Result<Role, Surprise> {
    let mut judge = Judge { rules, owner, visible };
    Ok(if judge.is_sole(state)? {
        Role::Sole
    } else if judge.is_relay(state)? {
        Role::Relay
    } else {
        Role::Plain
    })
}

struct Judge<'j, 'a> {
    rules: &'j mut Rules<'a>,
    owner: u32,
    visible: Visible,
}

/// The state after an event and the sole steps that follow, and what was sent.
type Effect = (u32, Vec<(Port, u32)>);

impl Judge<'_, '_> {
    fn takes(&mut self, state: u32, event: Happening) -> bool {
        self.rules.takes(state, event)
    }

    fn receptions(&self) -> Vec<(Port, u32)> {
        let messages = &self.rules.sent;
        (0..self.rules.ports).flat_map(|port| messages.iter().map(move |&message| (port, message))).collect()
    }

    /// What an event does, if it is enabled, deterministic and internal.
    fn effect(&mut self, state: u32, event: Happening) -> Result<Option<Effect>, Surprise> {
        let outcomes = self.rules.outcomes(self.owner, state, event)?;
        let [outcome] = &*outcomes else { return Ok(None) };
        let action = self.visible.filter(self.rules.action(self.owner, state, outcome.state));
        Ok((action == Action::Internal).then(|| (outcome.state, outcome.sent.clone())))
    }

    fn is_sole(&mut self, state: u32) -> Result<bool, Surprise> {
        let takes_a_message = self.receptions().into_iter().any(|event| self.takes(state, Some(event)));
        Ok(!takes_a_message && self.effect(state, None)?.is_some_and(|(after, _)| after != state))
    }

    /// What receiving a message does, with the sole steps that follow.
    fn relayed(&mut self, state: u32, event: Happening) -> Result<Option<Effect>, Surprise> {
        let Some((mut now, mut sent)) = self.effect(state, event)? else { return Ok(None) };
        for _ in 0..LONGEST_DETOUR {
            if !self.is_sole(now)? {
                return Ok(Some((now, sent)));
            }
            let Some((after, more)) = self.effect(now, None)? else { return Ok(None) };
            now = after;
            sent.extend(more);
        }
        Ok(None)
    }

    /// Whether every message is taken, with an effect that does not depend on those taken before: from this state and from
    /// the one that all of them lead to.
    fn is_relay(&mut self, state: u32) -> Result<bool, Surprise> {
        if self.takes(state, None) {
            return Ok(false);
        }
        // In FIFO channels the order in which two ports' messages are sent on matters if they go the same way.
        let mut ways: Vec<Option<Port>> = vec![None; self.rules.ports];
        let mut then = None;
        for (port, message) in self.receptions() {
            let event = Some((port, message));
            let Some((after, sent)) = self.relayed(state, event)? else { return Ok(false) };
            let repeats = self.relayed(after, event)?.is_some_and(|effect| effect == (after, sent.clone()));
            if *then.get_or_insert(after) != after || self.takes(after, None) || !repeats {
                return Ok(false);
            }
            for (to, _) in sent {
                if ways[to].replace(port).is_some_and(|other| other != port) && self.rules.channels == Channels::Fifo {
                    return Ok(false);
                }
            }
        }
        Ok(then.is_some())
    }
}

//! Confluent internal transitions: they commute with all other transitions, so they can be taken immediately.
//!
//! Steps of different processes commute: a process adds to the inboxes of others and takes from its own only. So whether an
//! internal step is confluent depends on its own process alone. Two kinds of local states have confluent steps:
//!
//! - *sole step*: whatever messages arrive, the process has exactly one step, which is deterministic and internal;
//! - *relay*: the process accepts every message, and every message leads by sole steps to the same state, in which the process
//!   relays again in the same way. So two messages can be taken in either order with the same effect.
//!
//! Sole steps, and relays after the contraction of sole steps, are confluent in the sense of Blom and van de Pol (*State space
//! reduction by proving confluence*, CAV 2002). Taking them immediately, and keeping only states without confluent transitions,
//! preserves branching bisimilarity; docs/exploring.md has the proof.

use super::rules::{Happening, Rules, Setback};
use crate::{Action, Visible};
use ringleader_model::{Channels, Port};

/// The confluent transitions of a local state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// None.
    Plain,
    /// Its only step.
    Sole,
    /// Receiving any message.
    Relay,
}

/// The most sole steps of a relay before it relays again.
const LONGEST_DETOUR: usize = 8;

/// The role of a local state, by the messages sent so far.
pub(crate) fn judge(rules: &mut Rules<'_>, owner: u32, state: u32, visible: Visible) -> Result<Role, Setback> {
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

/// The state after an event and the sole steps that follow, and the messages sent.
type Effect = (u32, Vec<(Port, u32)>);

impl Judge<'_, '_> {
    fn takes(&mut self, state: u32, event: Happening) -> bool {
        self.rules.takes(state, event)
    }

    fn receptions(&self) -> Vec<(Port, u32)> {
        let messages = &self.rules.sent;
        (0..self.rules.ports).flat_map(|port| messages.iter().map(move |&message| (port, message))).collect()
    }

    /// The effect of an event, if it is enabled, deterministic and internal.
    fn effect(&mut self, state: u32, event: Happening) -> Result<Option<Effect>, Setback> {
        let outcomes = self.rules.outcomes(self.owner, state, event)?;
        let [outcome] = &*outcomes else { return Ok(None) };
        let action = self.visible.filter(self.rules.action(self.owner, state, outcome.state));
        Ok((action == Action::Internal).then(|| (outcome.state, outcome.sent.clone())))
    }

    fn is_sole(&mut self, state: u32) -> Result<bool, Setback> {
        let takes_a_message = self.receptions().into_iter().any(|event| self.takes(state, Some(event)));
        Ok(!takes_a_message && self.effect(state, None)?.is_some_and(|(after, _)| after != state))
    }

    /// The effect of receiving a message and of the sole steps that follow.
    fn relayed(&mut self, state: u32, event: Happening) -> Result<Option<Effect>, Setback> {
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

    /// Whether every message is accepted, with an effect that does not depend on earlier messages: from this state, and from the
    /// state that all messages lead to.
    fn is_relay(&mut self, state: u32) -> Result<bool, Setback> {
        if self.takes(state, None) {
            return Ok(false);
        }
        // In FIFO channels the order of forwarding matters for messages from two ports that go the same way.
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

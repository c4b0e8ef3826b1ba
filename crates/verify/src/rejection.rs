//! Why a certificate is not accepted.

use crate::State;
use std::fmt;

/// What a certificate claims of configurations and steps, and what is decided of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Steps lead to states that are possible where they are.
    Possible,
    /// Safe configurations are as promised.
    Promise,
    /// Within the safe set what must stay stays.
    Stays,
    /// No step leaves the safe set.
    Closed,
    /// Where leaders last there is one.
    Led,
    /// No step leaves the set in which leaders last, whatever the detector says.
    Lasts,
    /// Every step that makes the first leader leads into that set.
    Founded,
    /// Unfair: outside the safe set there is always a step.
    Progress,
    /// Globally fair: outside the safe set some step lowers the measures.
    SomeFalls,
    /// Unfair: outside the safe set every step does.
    EveryFalls,
    /// Weakly fair: outside the safe set some agent is helpful.
    Helped,
    /// Weakly fair: outside the safe set every helpful agent is enabled.
    Able,
    /// Weakly fair: outside the safe set no step raises the measures.
    NoneRises,
    /// Weakly fair: outside the safe set every step of a helpful agent lowers the measures.
    HelpFalls,
    /// Weakly fair: on a step that leaves the measures equal, helpful agents stay helpful.
    HelpStays,
    /// Fair coins: outside the safe set, for every choice of the daemon, some outcome does.
    OutcomeFalls,
    /// From every configuration of a trap the daemon has a choice that is sure to stay there, and leads to a broken promise if the
    /// promise holds; or the promise is broken, and nothing is enabled.
    Caught,
    /// Weakly fair: from every configuration of a trap in which this agent is enabled, some step stays there, and the agent acts, or is
    /// disabled after it, or comes nearer to that.
    Waits(usize),
    /// Locally fair: from every configuration of a trap in which the move of this number is possible on this agent's arc (or a formula holds
    /// there), this move stays in the trap, or some step stays there and leads to a configuration where the move stays, or nearer to one.
    Turns(usize, usize),
    /// Globally fair: no step leaves the trap.
    Escapes,
    /// Within the safe set this agent comes nearer to what recurs.
    Recurs(usize),
    /// Growing values: a configuration in which no other agent has the root's value is in the fresh set.
    Fresh,
    /// Growing values: while the root does not act, no step leads from the fresh set out of it, except into the safe set.
    StaysFresh,
    /// Growing values: in the fresh set the root can act in safe configurations only.
    Returns,
    /// Growing values: where the root can act after a step, two of the other agents have the same value.
    Repeats,
}

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejection {
    /// It makes no sense, for this reason.
    Malformed(Malformed),
    /// A claim that does not hold, or is not shown to: a configuration that shows it, or a step from there. Configurations are
    /// local states of agents 0 to n-1.
    Fails(Claim, Vec<State>, Option<Vec<State>>),
    /// Its automata grow beyond what is sensible.
    TooLarge,
}

impl Rejection {
    /// The same about the states without labels: a label adds a multiple of `states` to a state. The claim may change, given the
    /// configuration with labels.
    pub(crate) fn unlabelled(self, states: usize, claim: impl FnOnce(Claim, &[State]) -> Claim) -> Rejection {
        let Rejection::Fails(known, before, after) = self else { return self };
        let claim = claim(known, &before);
        let plain = |word: Vec<State>| word.into_iter().map(|s| s % states as State).collect();
        Rejection::Fails(claim, plain(before), after.map(plain))
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (claim, before, after) = match self {
            Rejection::Malformed(why) => return why.fmt(f),
            Rejection::TooLarge => return f.write_str("the automata of this certificate are too large to be followed"),
            Rejection::Fails(claim, before, after) => (claim, before, after),
        };
        match after {
            None => write!(f, "{before:?} ")?,
            Some(after) => write!(f, "the step {before:?} -> {after:?} ")?,
        }
        f.write_str(match claim {
            Claim::Possible => "leads to a state that is not possible there",
            Claim::Promise => "is in the safe set and does not meet the goal",
            Claim::Stays => "within the safe set moves what must stay",
            Claim::Closed => "leaves the safe set",
            Claim::Led => "is in the set in which leaders last and has no leader",
            Claim::Lasts => "leaves the set in which leaders last",
            Claim::Founded => "makes the first leader outside the set in which leaders last",
            Claim::Caught => "is in the trap, and no choice is sure to stay there and break the promise again",
            Claim::Escapes => "leaves the trap",
            Claim::Progress => "is not safe, and no step leads on",
            Claim::SomeFalls => "has no step that is shown to lower the measures",
            Claim::OutcomeFalls => "has a choice of the daemon of which no outcome is shown to lower the measures",
            Claim::Helped => "is not safe, and no agent is helpful",
            Claim::Able => "is not safe, and a helpful agent is not enabled",
            Claim::NoneRises => "may raise the measures",
            Claim::HelpFalls => "is the step of a helpful agent, and is not shown to lower the measures",
            Claim::HelpStays => "is not shown to lower the measures, and a helpful agent is not helpful after it",
            Claim::EveryFalls => "is not shown to lower the measures",
            Claim::Fresh => "is not in the fresh set, and no other agent has the root's value",
            Claim::StaysFresh => "leaves the fresh set",
            Claim::Returns => "is in the fresh set and not safe, and the root can act",
            Claim::Repeats => "leads to different values of all agents but the root, and the root can act",
            Claim::Waits(agent) => {
                return write!(
                    f,
                    "is in the trap, and no step that stays there is shown to bring agent {agent} nearer to a step, or to be disabled"
                );
            }
            Claim::Turns(agent, number) => {
                return write!(
                    f,
                    "is in the trap, and no step that stays there is shown to bring it nearer to move {number} of agent {agent}"
                );
            }
            Claim::Recurs(agent) => {
                return write!(f, "is safe, and is not shown to bring agent {agent} nearer to the recurring condition");
            }
        })
    }
}

impl std::error::Error for Rejection {}

/// The reason why a certificate, a formula or a rule table makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub(crate) String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl From<Malformed> for Rejection {
    fn from(why: Malformed) -> Rejection {
        Rejection::Malformed(why)
    }
}

/// An error unless something holds.
pub(crate) fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), Malformed> {
    if holds { Ok(()) } else { Err(Malformed(otherwise())) }
}

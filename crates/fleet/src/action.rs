//! What can be done to a node of a fleet, and the words for it.

use ringleader_node::Corruption;

/// A fault, or its repair, at one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Ends the node as `kill -9` would.
    Kill,
    /// Starts the node again, if it is down.
    Restart,
    /// Stops the loop of the node.
    Pause,
    /// Lets the loop go on.
    Resume,
    /// Cuts all links of the node.
    Isolate,
    /// Repairs all links of the node.
    Heal,
    /// Loses this percentage of the datagrams that the node sends.
    Loss(u8),
    /// Makes the node hand the leadership over.
    Resign,
    /// Overwrites the variables of the node.
    Corrupt(Corruption),
}

/// Why words name no action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    /// There is no action of this name.
    #[error("no action is called {0:?}")]
    Unknown(String),
    /// The percentage is missing or out of range.
    #[error("a loss is 0 to 100 per cent, not {0:?}")]
    Loss(String),
}

impl Action {
    /// Reads an action: `kill`, `loss 50`, `corrupt high`.
    ///
    /// ```
    /// use ringleader_fleet::Action;
    ///
    /// assert_eq!(Action::parse(&["loss", "50%"]), Ok(Action::Loss(50)));
    /// assert!(Action::parse(&["loss", "101"]).is_err());
    /// ```
    pub fn parse(words: &[&str]) -> Result<Action, ActionError> {
        Ok(match words {
            ["kill"] => Action::Kill,
            ["restart"] => Action::Restart,
            ["pause"] => Action::Pause,
            ["resume"] => Action::Resume,
            ["isolate"] => Action::Isolate,
            ["heal"] => Action::Heal,
            ["loss", percent] => {
                let parsed = percent.trim_end_matches('%').parse().ok().filter(|&percent| percent <= 100);
                Action::Loss(parsed.ok_or_else(|| ActionError::Loss((*percent).to_string()))?)
            }
            ["resign"] => Action::Resign,
            ["corrupt"] | ["corrupt", "random"] => Action::Corrupt(Corruption::Random),
            ["corrupt", "low"] => Action::Corrupt(Corruption::Low),
            ["corrupt", "high"] => Action::Corrupt(Corruption::High),
            _ => return Err(ActionError::Unknown(words.join(" "))),
        })
    }
}

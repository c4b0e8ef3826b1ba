//! The view of one node, as its page `/status` tells it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The view of one node.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(super) struct View {
    pub(super) id: usize,
    pub(super) cluster: String,
    pub(super) leader: Option<usize>,
    pub(super) epoch: u64,
    /// `leader`, `follower`, `unsettled` or `unconfirmed`.
    pub(super) state: String,
    pub(super) stable_for_seconds: f64,
    pub(super) age_seconds: f64,
    /// The reason why the node may not lead.
    pub(super) barred: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) guard: Option<Guard>,
    pub(super) heard: Vec<Heard>,
    /// The last changes that the node saw, newest first.
    pub(super) changes: Vec<Change>,
    pub(super) notices: Vec<Notice>,
    /// The rest of the page, for `--json`.
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
}

/// The lease of a confirmed leader.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(super) struct Guard {
    pub(super) digest: String,
    pub(super) lease_seconds: Option<f64>,
    pub(super) token: Option<u64>,
    /// The members, for `--json`.
    #[serde(flatten)]
    pub(super) rest: Map<String, Value>,
}

/// The time since the last datagram of a peer.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(super) struct Heard {
    pub(super) peer: usize,
    pub(super) seconds: f64,
}

/// A change of leadership.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(super) struct Change {
    pub(super) seconds_ago: f64,
    pub(super) was: Option<usize>,
    pub(super) leader: Option<usize>,
    pub(super) state: String,
    pub(super) reason: String,
    pub(super) why: String,
}

/// A problem of the cluster.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(super) struct Notice {
    pub(super) peer: usize,
    pub(super) trouble: String,
    /// The time since it was last seen.
    #[serde(default)]
    pub(super) seconds_ago: f64,
    pub(super) advice: String,
}

impl View {
    pub(super) fn leads(&self) -> bool {
        self.state == "leader"
    }

    /// Whether a majority has granted it a lease that lasts.
    pub(super) fn is_confirmed(&self) -> bool {
        let lease = self.guard.as_ref().and_then(|guard| guard.lease_seconds);
        self.leads() && lease.is_some_and(|left| left > 0.0)
    }
}

/// A host that was asked, and its view or the reason why there is none.
#[derive(Clone, Debug, Serialize, PartialEq)]
pub(super) struct Answer {
    pub(super) host: String,
    #[serde(flatten)]
    pub(super) told: Told,
}

/// A view, or the reason why there is none.
#[derive(Clone, Debug, Serialize, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Told {
    View(Box<View>),
    Error(String),
}

impl Answer {
    pub(super) fn view(&self) -> Option<&View> {
        match &self.told {
            Told::View(view) => Some(view),
            Told::Error(_) => None,
        }
    }
}

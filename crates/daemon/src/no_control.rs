//! Systems without Unix sockets have no control socket.

use ringleader_node::{NodeError, Observer};
use std::path::{Path, PathBuf};

pub(crate) struct Control;

impl Control {
    /// Refuses a control socket.
    pub(crate) fn start(path: Option<&Path>, _: &Observer, _: Option<PathBuf>) -> Result<Control, NodeError> {
        Control::examine(path).map(|_| Control)
    }

    /// Refuses a control socket.
    pub(crate) fn examine(path: Option<&Path>) -> Result<Option<String>, NodeError> {
        let reason = "control needs Unix sockets, which this system does not have: leave it out";
        NodeError::refuse_if(path.is_some(), reason).map(|()| None)
    }
}

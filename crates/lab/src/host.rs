//! What the engines take from outside: the machine that they run on, and the lab's opening.

use crate::Refused;
use crate::questions::checks;
use crate::runs::replayed;
use crate::runs::story::Story;
use ringleader_verify::Certificate;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Work beside the requests.
pub type Work = Box<dyn FnOnce() + Send>;

/// The machine under the engines: its clock and its threads.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// The time since a fixed moment.
    pub now: fn() -> Duration,
    /// Does work beside the requests.
    pub spawn: fn(Work) -> Result<(), Refused>,
    /// Called often during long work, by the thread that does it, with a function that tells the progress. A host that can answer
    /// a page during the work needs no call: the page asks.
    pub pulse: fn(&dyn Fn() -> Value),
}

impl Host {
    /// A host whose time stands still, and which does all work at once.
    #[must_use]
    pub fn still() -> Host {
        let spawn = |work: Work| {
            work();
            Ok(())
        };
        Host { now: || Duration::ZERO, spawn, pulse: |_| () }
    }
}

/// The lab as a page finds it: the text in the editor, the tour, the recorded run, the limits.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Opening {
    /// The protocol in the editor: the name of its file, and its text.
    pub text: Option<(String, String)>,
    /// Whether the page can follow the file of the text, and save to it.
    pub file: bool,
    /// A tour to begin with: a Markdown text in the form that docs/lab.md describes.
    pub tour: Option<String>,
    /// The most bytes that a check may use; the page can choose less.
    pub memory: u64,
    /// Whether the page can start a cluster of real nodes.
    pub cluster: bool,
    /// The nodes of other hosts that the page shows, as `HOST:PORT`.
    pub watched: Vec<String>,
    /// A proof whose measures are shown along the runs of its algorithm. The lab does not verify it: [`ringleader_verify::verify`] does.
    pub certificate: Option<Certificate>,
    pub(crate) story: Option<Story>,
}

impl Default for Opening {
    fn default() -> Opening {
        let (text, tour, certificate, story) = (None, None, None, None);
        Opening { text, file: false, tour, memory: checks::MEMORY, cluster: false, watched: vec![], certificate, story }
    }
}

impl Opening {
    /// Opens the run of a trace, such as `ringleader check --save` writes. The page says what it has verified of it.
    pub fn replay(&mut self, trace: &str) -> Result<(), Refused> {
        self.story = Some(replayed::story(trace)?);
        Ok(())
    }
}

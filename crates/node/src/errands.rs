//! What runs while this node holds the token, and keeps it.

use crate::Handle;
use crate::shell::{self, Leftovers, Occasion};
use std::thread::JoinHandle;
use std::time::Duration;

/// An errand that the node still shows after it was told of its end is another one, or the loop is slow.
const PATIENCE: Duration = Duration::from_millis(500);

/// The thread that runs a command each time the token comes; the token moves on when the command has ended, or has been killed at
/// its limit. Whatever the command has started is killed with it.
#[derive(Debug)]
pub struct ErrandRunner {
    thread: JoinHandle<()>,
}

impl ErrandRunner {
    /// Runs `command` whenever the token is here, for at most so long. The node must have been told that its token waits
    /// ([`Config::token_waits`](crate::Config)).
    pub fn start(command: String, limit: Duration, node: &Handle) -> std::io::Result<ErrandRunner> {
        let (observer, done) = (node.observer(), node.errand_ends());
        let follow = move || {
            let mut last = None;
            while !observer.stopped() {
                let next = observer.shared.next_errand(last, PATIENCE);
                last = next;
                let Some(errand) = next else { continue };
                let occasion = Occasion {
                    event: "token",
                    command: &command,
                    timeout: limit,
                    leftovers: Leftovers::Killed,
                    often: true,
                };
                let environment =
                    [("RINGLEADER_EVENT", "token".to_string()), ("RINGLEADER_ID", observer.id.to_string())];
                shell::run_and_tell(&observer, &occasion, &environment);
                done(errand);
            }
        };
        Ok(ErrandRunner { thread: std::thread::Builder::new().name("token".into()).spawn(follow)? })
    }

    /// Waits for the command of a node that has stopped.
    pub fn finish(self) {
        // A panic there has been reported by the runtime of the language.
        let _ = self.thread.join();
    }
}

//! The command that runs while this node holds the token.

use crate::Handle;
use crate::shell::{self, Leftovers, Occasion};
use std::thread::JoinHandle;
use std::time::Duration;

/// The time to wait for the next errand before looking again.
const PATIENCE: Duration = Duration::from_millis(500);

/// The thread that runs a command each time the token arrives. The token moves on when the command has ended or was killed at its time
/// limit. Processes that the command has started are killed with it.
#[derive(Debug)]
pub struct ErrandRunner {
    thread: JoinHandle<()>,
}

impl ErrandRunner {
    /// Runs `command` whenever the node holds the token, for at most `limit`. The node must have
    /// [`Config::token_waits`](crate::Config::token_waits).
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
                    over: &|| false,
                };
                let environment =
                    [("RINGLEADER_EVENT", "token".to_string()), ("RINGLEADER_ID", observer.id.to_string())];
                shell::run_and_tell(&observer, &occasion, &environment);
                done(errand);
            }
        };
        Ok(ErrandRunner { thread: std::thread::Builder::new().name("token".into()).spawn(follow)? })
    }

    /// Waits for the command of a stopped node.
    pub fn finish(self) {
        // A panic has already been printed.
        let _ = self.thread.join();
    }
}

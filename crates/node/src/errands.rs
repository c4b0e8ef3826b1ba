//! The command that runs while this node holds the token.

use crate::Handle;
use crate::runtime::LoopRequest;
use crate::shell::{self, Leftovers, Occasion};
use ringleader_node_core::Instruction;
use std::thread::JoinHandle;
use std::time::Duration;

/// The time to wait for the next errand before looking again.
const PATIENCE: Duration = Duration::from_millis(500);

/// Runs `command` each time the token arrives, for at most `limit`, in a thread that ends with the node, which must have
/// [`Config::token_waits`](crate::Config::token_waits). The token moves on when the command has ended or was killed at its time limit. Processes
/// that the command has started are killed with it.
pub fn run_errands(command: String, limit: Duration, node: &Handle) -> std::io::Result<JoinHandle<()>> {
    let (observer, requests) = (node.observer(), node.requests.clone());
    let follow = move || {
        let mut last = None;
        while !observer.stopped() {
            last = observer.shared.next_errand(last, PATIENCE);
            let Some(errand) = last else { continue };
            let occasion = Occasion {
                event: "token",
                command: &command,
                timeout: limit,
                leftovers: Leftovers::Killed,
                often: true,
                over: &|| false,
            };
            let environment = [("RINGLEADER_EVENT", "token".to_string()), ("RINGLEADER_ID", observer.id.to_string())];
            shell::run_and_tell(&observer, &occasion, &environment);
            // A loop that has ended needs no answer.
            let _ = requests.send(LoopRequest::Instruct(Instruction::ErrandDone(errand)));
        }
    };
    std::thread::Builder::new().name("token".into()).spawn(follow)
}

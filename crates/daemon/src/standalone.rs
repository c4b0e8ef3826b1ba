//! The program of a host that runs only the daemon: the verbs `node`, `ctl` and `status`, with the robust algorithms; `generate` with the
//! feature of this name.

use crate::{Arguments, run};
#[cfg(feature = "generate")]
use crate::{Generate, generate};
#[cfg(unix)]
use crate::{ctl, status};
#[cfg(feature = "generate")]
use clap::CommandFactory;
use clap::{Parser, Subcommand};
use ringleader_node::{Config, Node, NodeError};
use std::process::ExitCode;

/// The exit code of bad usage or bad input.
const USAGE: u8 = 2;

/// Self-stabilizing leader election among machines: the daemon alone.
#[derive(Parser)]
#[command(
    name = "ringleader",
    version,
    max_term_width = 110,
    after_help = "\
This program runs and controls a node of the robust algorithms. The feature `generate` adds manual pages and completions, and the
feature `cli` all verbs and algorithms:
  cargo install --path crates/ringleader"
)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run one node of a cluster: elect a leader among machines
    Node(Box<Arguments>),
    /// Give an order to the daemon on this host: hand over, drain, undrain, reload
    #[cfg(unix)]
    Ctl(ctl::Arguments),
    /// Show the cluster in one table: the leader, the views of all hosts, the last changes and their reasons
    #[cfg(unix)]
    Status(status::Arguments),
    /// Write manual pages, or print the completions of a shell
    #[cfg(feature = "generate")]
    Generate(Generate),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let outcome = match Command::parse().verb {
        Verb::Node(arguments) => run(&arguments, &prepare),
        #[cfg(unix)]
        Verb::Ctl(arguments) => ctl::run(&arguments),
        #[cfg(unix)]
        Verb::Status(arguments) => status::run(&arguments),
        #[cfg(feature = "generate")]
        Verb::Generate(arguments) => generate(&arguments, Command::command()),
    };
    outcome.unwrap_or_else(|error| {
        crate::complain(format!("error: {error}"));
        ExitCode::from(USAGE)
    })
}

/// A node of a robust algorithm. Another name is refused, with the feature that provides all algorithms.
fn prepare(config: Config) -> Result<Node, NodeError> {
    let known: Vec<_> = Node::algorithms().collect();
    let reason = format!(
        "this program was built with the robust algorithms only ({}): the feature `cli` adds the others, {:?} included if it exists",
        known.join(", "),
        config.algorithm
    );
    NodeError::refuse_if(!known.contains(&config.algorithm.as_str()), reason)?;
    Node::prepare(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_algorithm_is_refused_with_its_feature() {
        let mut config = Config::new(0, "127.0.0.1:0".parse().unwrap());
        config.algorithm = "fich-johnen-token".into();
        let refusal = prepare(config).err().map(|failure| failure.to_string()).unwrap_or_default();
        assert!(
            refusal.contains("the feature `cli` adds the others, \"fich-johnen-token\" included")
                && refusal.contains("robust-s2"),
            "{refusal}"
        );
    }

    #[test]
    fn a_robust_algorithm_starts() {
        let mut config = Config::new(0, "127.0.0.1:0".parse().unwrap());
        config.peers.insert(1, "127.0.0.1:9".into());
        assert!(prepare(config).is_ok());
    }
}

//! The command line of ringleader, over the algorithms of the literature and your own.
//!
//! A program with every verb, and with your algorithm beside the built-in ones:
//!
//! ```no_run
//! # use ringleader_algorithms::population::yokota_ring::YokotaRing as Mine;
//! fn main() -> std::process::ExitCode {
//!     ringleader_cli::Cli::new().population::<Mine>().main()
//! }
//! ```

#![allow(clippy::duplicate_mod, reason = "left_out.rs stands in for every verb whose feature is off")]

mod page;
mod settings;
mod terminal;
mod texts;
mod verbs;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use ringleader_catalog::Catalog;
use ringleader_erased::Entry;
use ringleader_model::{Population, Ring, Stabilizing, Terminating, Timed};
use std::collections::HashSet;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::OnceLock;
use terminal::exit::{Failure, usage};
use terminal::program;
use verbs::{
    check, cluster, draw, elect, explore, lab, list, merge, prove, reproduce, search, show, simulate, text, watch,
};

/// The command line, over a catalog.
#[derive(Clone)]
pub struct Cli {
    catalog: Catalog,
}

impl Default for Cli {
    fn default() -> Cli {
        Cli::new()
    }
}

impl Cli {
    /// Over the algorithms of the literature.
    pub fn new() -> Cli {
        Cli::over(Catalog::builtin())
    }

    /// Over another catalog.
    pub fn over(catalog: Catalog) -> Cli {
        Cli { catalog }
    }

    /// Adds a population protocol.
    #[must_use]
    pub fn population<A: Entry + Population + Stabilizing + 'static>(self) -> Cli {
        Cli { catalog: self.catalog.population::<A>() }
    }

    /// Adds an algorithm for a ring or a line of processes.
    #[must_use]
    pub fn ring<A: Entry + Ring + Stabilizing + 'static>(self) -> Cli {
        Cli { catalog: self.catalog.ring::<A>() }
    }

    /// Adds an algorithm that passes messages, starts clean and terminates.
    #[must_use]
    pub fn message<A: Entry + Terminating + 'static>(self) -> Cli {
        Cli { catalog: self.catalog.message::<A>() }
    }

    /// Adds an algorithm for networks with clocks in which processes crash.
    #[must_use]
    pub fn robust<A: Entry + Timed + 'static>(self) -> Cli {
        Cli { catalog: self.catalog.robust::<A>() }
    }

    /// Carries out the command line of this process. A process can call it once.
    ///
    /// Every argument that takes the name of an algorithm also takes the path of a text protocol, a file whose name ends in `.ring`.
    pub fn main(self) -> ExitCode {
        program::started_as(std::env::args_os().next().as_deref());
        let arguments: Vec<OsString> = std::env::args_os().collect();
        let checked = self.catalog.check_cards().map_err(Failure::from);
        let catalog = match checked.and_then(|()| texts::brought(self.catalog, &arguments)) {
            Ok(catalog) => catalog,
            Err(failure) => return failure.report(),
        };
        if CATALOG.set(catalog).is_err() {
            anstream::eprintln!("error: the command line was started twice in one process");
            return ExitCode::FAILURE;
        }
        let command = command(crate::catalog(), &arguments);
        // The parser could not tell a parameter from a flag or an argument of the same name.
        if let Some(failure) = if has_own(crate::catalog()) { clash(&command) } else { None } {
            return failure.report();
        }
        parsed(program::helped(command), arguments).unwrap_or_else(|error| error.exit()).run()
    }
}

/// The command line over a catalog: each parameter is a flag. The program starts faster if only the verbs in the arguments get these
/// flags. A parameter of somebody's own algorithm may clash with a flag of any verb, so then all verbs get them.
fn command(catalog: &Catalog, arguments: &[OsString]) -> clap::Command {
    let whole = has_own(catalog);
    let wanted = |verb: &str| whole || arguments.iter().any(|argument| argument == verb);
    // A negative number reaches the refusal of its own flag.
    let numbers = |arg: clap::Arg| if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg };
    settings::with_parameters(Command::command(), catalog, wanted).mut_subcommands(|verb| verb.mut_args(numbers))
}

/// Whether a catalog has algorithms that did not come with this program.
fn has_own(catalog: &Catalog) -> bool {
    catalog.names().any(|name| !catalog.is_built_in(name))
}

/// The verb in the arguments.
fn parsed(command: clap::Command, arguments: Vec<OsString>) -> Result<Verb, clap::Error> {
    let found = command.try_get_matches_from(arguments)?;
    Command::from_arg_matches(&found).map(|command| command.verb)
}

/// Refuses a parameter with the name of a flag or an argument.
fn clash(command: &clap::Command) -> Option<Failure> {
    let mut twice = HashSet::from(["help"]);
    for verb in command.get_subcommands() {
        let mut once = HashSet::new();
        for arg in verb.get_arguments() {
            let id = arg.get_id().as_str();
            let names = [Some(id), arg.get_long().filter(|long| *long != id)];
            twice.extend(names.into_iter().flatten().filter(|name| !once.insert(*name)));
        }
    }
    let mut parameters = catalog().parameters().map(|(algorithm, parameter)| (algorithm, parameter.name));
    let (algorithm, name) = parameters.find(|(_, name)| twice.contains(name))?;
    Some(usage!(
        "{algorithm} has a parameter called {name}, which is also a flag or an argument of this program: rename the parameter"
    ))
}

/// The catalog of this process, once the arguments are parsed.
static CATALOG: OnceLock<Catalog> = OnceLock::new();

/// The catalog of this process.
pub(crate) fn catalog() -> &'static Catalog {
    CATALOG.get_or_init(Catalog::builtin)
}

/// Leader election that heals itself: self-stabilizing and anonymous algorithms of the literature, to show, simulate,
/// check, prove and run.
#[derive(Parser)]
#[command(name = "ringleader", version, max_term_width = 110, after_help = EXAMPLES)]
struct Command {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  ringleader elect                          16 anonymous agents elect a leader from an arbitrary configuration
  ringleader list                           all algorithms
  ringleader check fich-johnen --size 3     every configuration, every alternating schedule
  ringleader lab                            run, steer and break algorithms in the browser
  ringleader explore franklin --size 4      every reachable state of a message-passing algorithm
  ringleader show fich-johnen               its requirements, its claim, its rules
  ringleader elect franklin --size 12 --seed 7 --json

Exit codes: 0 reached or holds, 1 not reached or fails, 2 wrong usage or input, 3 a process of --hosts was lost or not reached,
130 interrupted.";

#[derive(Subcommand)]
enum Verb {
    /// Check every configuration and every schedule of a class: a verdict, worst cases, a counterexample
    Check(Box<check::Arguments>),
    /// Run a whole cluster on loopback: watch it elect, break it, watch it heal
    Cluster(cluster::Arguments),
    /// Give an order to the daemon on this host: hand over, drain, undrain, reload
    #[cfg(unix)]
    Ctl(ringleader_daemon::ctl::Arguments),
    /// Show one election: from an arbitrary configuration to the goal, then through faults and back to the goal
    Elect(elect::Arguments),
    /// Explore a whole state space: the reachable states of message passing, or every configuration; export it
    Explore(explore::Arguments),
    /// Format text protocols as in the manual, docs/language.md
    Fmt(text::Format),
    /// Write manual pages, or print the completions of a shell
    Generate(ringleader_daemon::Generate),
    /// Open the lab: run, steer, break and check algorithms on a page in the browser
    Lab(lab::Arguments),
    /// List all algorithms, or the text protocols of a directory
    List(list::Arguments),
    /// Merge the runs of several machines: the files of `simulate --shard`
    Merge(merge::Arguments),
    /// Write a small working text protocol, as a starting point for your own
    New(text::New),
    /// Run one node of a cluster: elect a leader among machines
    Node(Box<ringleader_daemon::Arguments>),
    /// Draw one run: a space-time diagram, an animation, or a message-sequence chart of a saved run
    Draw(draw::Arguments),
    /// Prove that an algorithm stabilizes on rings of every size
    Prove(prove::Arguments),
    /// Check a proof, with code that is independent of the search
    Verify(prove::VerifyArguments),
    /// Reproduce the results of the papers, and compare them with the printed ones
    Reproduce(reproduce::Arguments),
    /// Search all protocols of a family for those that elect a leader from every configuration
    Search(search::Arguments),
    /// Show an algorithm's card: its requirements, its claim, its rules and its citation
    Show(show::Arguments),
    /// Run an algorithm many times: its time and how it grows with the size, in tables, exponents and plots
    Simulate(Box<simulate::Arguments>),
    /// Show a running cluster in one table: the leader, the views of all hosts, the last changes and their reasons
    #[cfg(unix)]
    Status(ringleader_daemon::status::Arguments),
    /// Check a text protocol at small sizes, again after each save
    Watch(watch::Arguments),
}

impl Verb {
    fn run(self) -> ExitCode {
        let outcome = match self {
            Verb::Check(arguments) => check::run(&arguments),
            Verb::Cluster(arguments) => cluster::run(&arguments),
            Verb::Elect(arguments) => elect::run(&arguments),
            Verb::Explore(arguments) => explore::run(&arguments),
            Verb::Fmt(arguments) => text::format(&arguments),
            Verb::Generate(arguments) => {
                let every = settings::with_parameters(Command::command(), catalog(), |_| true);
                ringleader_daemon::generate(&arguments, program::helped(every)).map_err(Failure::usage)
            }
            Verb::New(arguments) => text::new(&arguments),
            Verb::Lab(arguments) => lab::run(&arguments),
            Verb::List(arguments) => list::run(&arguments),
            Verb::Merge(arguments) => merge::run(&arguments),
            Verb::Node(arguments) => {
                ringleader_daemon::run(&arguments, &|config| catalog().prepare(config)).map_err(Failure::usage)
            }
            #[cfg(unix)]
            Verb::Ctl(arguments) => ringleader_daemon::ctl::run(&arguments).map_err(Failure::usage),
            #[cfg(unix)]
            Verb::Status(arguments) => ringleader_daemon::status::run(&arguments).map_err(Failure::usage),
            Verb::Draw(arguments) => draw::run(&arguments),
            Verb::Prove(arguments) => prove::run(&arguments),
            Verb::Verify(arguments) => prove::check(&arguments),
            Verb::Reproduce(arguments) => reproduce::run(&arguments),
            Verb::Search(arguments) => search::run(&arguments),
            Verb::Show(arguments) => show::run(&arguments),
            Verb::Simulate(arguments) => simulate::run(&arguments),
            Verb::Watch(arguments) => watch::run(&arguments),
        };
        outcome.unwrap_or_else(|failure| failure.report())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program relies on this and does not look for clashes among the built-in algorithms.
    #[test]
    fn built_in_parameters_clash_with_no_flag() {
        let whole = settings::with_parameters(Command::command(), catalog(), |_| true);
        assert!(clash(&whole).is_none());
        let one = whole.clone().mut_subcommand("check", |verb| verb.arg(clap::Arg::new("another").long("bound")));
        assert!(clash(&one).is_some(), "the parameter bound is a flag already");
    }
}

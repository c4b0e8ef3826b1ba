//! `ringleader cluster`: a whole cluster on loopback, to watch and to break.

use crate::catalog;
use crate::settings::fresh_seed;
use crate::settings::graph::Wanted;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, bail, usage};
use crate::terminal::{files, interrupt};
use ringleader_daemon::Span;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

mod console;
#[cfg(unix)]
mod keys;
mod order;
mod output;
mod screen;

use console::Console;
use order::{Order, Target};
use output::Output;
use ringleader_erased::{Card, Kind};
use ringleader_fleet::{Action, Agreement, Fleet, Plan};
use ringleader_model::Graph;

/// The number of nodes, unless another one is given.
const NODES: usize = 5;
/// The time to wait for a key or a line before the next look at the cluster.
const KEY_WAIT: Duration = Duration::from_millis(20);
/// The time between two looks for agreement.
const POLL: Duration = Duration::from_millis(1);
/// An agreement counts once it has lasted for this many heartbeats.
const SETTLED_HEARTBEATS: u32 = 5;

/// Run a whole cluster on loopback: watch it elect, break it, watch it heal
#[derive(clap::Args)]
#[command(after_help = order_help())]
pub(crate) struct Arguments {
    /// The number of nodes [default: 5, or the size of the graph in a file]
    #[arg(long, value_name = "N")]
    nodes: Option<usize>,
    /// The graph of an algorithm for any graph: a file with an edge on each line, or a family such as line, star or grid:3x4
    #[arg(long, value_name = "FAMILY|FILE")]
    graph: Option<String>,
    /// A name that `ringleader list` prints, or the path of a text protocol; algorithms for rings run on a ring
    #[arg(long, value_name = "NAME", default_value = ringleader_node::DEFAULT_ALGORITHM)]
    algorithm: String,
    /// A parameter of the algorithm, or its layers, as in layers=undirected
    #[arg(long = "parameter", value_name = "NAME=VALUE", value_parser = pair)]
    parameters: Vec<(String, String)>,
    /// The time between two heartbeats of the leader; nodes of a ring send ten times as often
    #[arg(long, value_name = "TIME", default_value = "200ms")]
    heartbeat: Span,
    /// Run the orders in this file (- for standard input), then end
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The seed of losses and corruptions [default: a random one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Print JSON lines: changes, orders, settling times and a summary
    #[arg(long)]
    json: bool,
}

fn pair(text: &str) -> Result<(String, String), &'static str> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_string(), value.to_string()))
}

fn order_help() -> String {
    format!(
        "On a terminal, keys select a node and break or repair it; ? lists the keys.\nOrders, typed after : or in a script:\n{}\n\nExamples:\n  ringleader cluster\n  ringleader cluster --nodes 9 --heartbeat 100ms \
         --script demo.txt --json\n  ringleader cluster --algorithm tree-leader --graph star --nodes 6\n  echo 'repeat 3 corrupt all; settle' | ringleader cluster --script -\n\n\
         A script ends at the first order that fails, such as kill leader while the nodes agree on no leader.\n\n\
         Exit codes: 0 every settle succeeded, 1 a settle or an order of a script failed, 2 wrong usage or input,\n\
         130 interrupted.",
        order::HELP
    )
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    let graph =
        (card.kind == Kind::Graph || arguments.graph.is_some()).then(|| network(arguments, card)).transpose()?;
    let size = graph.as_ref().map_or(arguments.nodes.unwrap_or(NODES), Graph::size);
    if !(2..=200).contains(&size) {
        bail!("a cluster has 2 to 200 nodes, not {size}");
    }
    let script = arguments.script.as_deref().map(|path| read_script(path, size)).transpose()?;
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let heartbeat = arguments.heartbeat.0;
    let plan = Plan {
        size,
        algorithm: card.name.into(),
        heartbeat,
        seed,
        parameters: arguments.parameters.clone(),
        graph: graph.map(Arc::new),
    };
    interrupt::listen();
    let terminal = cfg!(unix) && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let live = script.is_none() && !arguments.json && terminal;
    let output = Output::new(arguments.json, live, &plan)?;
    let mut session = Session {
        fleet: Fleet::start(catalog().clone(), plan).map_err(Failure::usage)?,
        output,
        console: Console::new(),
        heartbeat,
        settled: vec![],
        failed: 0,
    };
    let ended = match script {
        Some(orders) => session.perform_all(&orders),
        #[cfg(unix)]
        None if live => {
            let keyboard = keys::Keyboard::open()?;
            session.converse(&keyboard.keys, |session, key| {
                session.output.refresh();
                session.console.press(&key, &session.fleet)
            })
        }
        None => session.converse(&typed_lines(), |_, line: String| vec![line]),
    };
    if let Err(Ended::Failed(failure)) = ended {
        return Err(failure);
    }
    session.output.end(&session.fleet, &session.settled, session.failed)?;
    Ok(match ended {
        Err(Ended::Interrupted) => ExitCode::from(INTERRUPTED),
        Err(Ended::Stuck(complaint)) => {
            anstream::eprintln!("error: the script ended early: {complaint}");
            ExitCode::from(FAILS)
        }
        _ if session.failed > 0 => ExitCode::from(FAILS),
        _ => ExitCode::SUCCESS,
    })
}

/// The graph of a file, which fixes the number of nodes, or of a family.
fn network(arguments: &Arguments, card: &Card) -> Result<Graph, Failure> {
    let (wanted, nodes) = (Wanted::read(arguments.graph.as_deref())?, arguments.nodes);
    if let (Wanted::File(file), Some(nodes)) = (&wanted, nodes)
        && file.size() != nodes
    {
        bail!("--nodes is {nodes}, but the graph in the file has {} processes: leave --nodes out", file.size());
    }
    wanted.of_processes(card, nodes.or(wanted.size()).unwrap_or(NODES))
}

fn read_script(path: &Path, nodes: usize) -> Result<Vec<(String, Order)>, Failure> {
    let text = match path.to_str() {
        Some("-") => std::io::read_to_string(std::io::stdin()).map_err(|e| usage!("cannot read -: {e}"))?,
        _ => files::read(path)?,
    };
    order::parse_script(&text, nodes).map_err(|e| usage!("{}: {e}", path.display()))
}

/// The typed lines, read by a thread that may block.
fn typed_lines() -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Why a session ends before its last order.
enum Ended {
    /// `quit`.
    Quit,
    /// Ctrl-C.
    Interrupted,
    /// An order failed, for this reason.
    Stuck(String),
    /// The output failed.
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Ended {
        Ended::Failed(failure)
    }
}

struct Session {
    fleet: Fleet,
    output: Output,
    console: Console,
    heartbeat: Duration,
    settled: Vec<Duration>,
    failed: u32,
}

impl Session {
    fn perform_all(&mut self, orders: &[(String, Order)]) -> Result<(), Ended> {
        orders.iter().try_for_each(|(line, order)| self.perform(line, order))
    }

    /// Performs the orders of keys or of lines until there are no more. On a screen the terminal is restored afterwards.
    fn converse<T>(
        &mut self,
        inputs: &Receiver<T>,
        orders: impl Fn(&mut Session, T) -> Vec<String>,
    ) -> Result<(), Ended> {
        loop {
            self.look()?;
            match inputs.recv_timeout(KEY_WAIT) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(input) => orders(self, input).iter().try_for_each(|line| self.obey(line.trim()))?,
            }
        }
    }

    /// Reports changes; Ctrl-C ends the session.
    fn look(&mut self) -> Result<(), Ended> {
        if interrupt::requested() {
            return Err(Ended::Interrupted);
        }
        Ok(self.output.look(&self.fleet, &self.console)?)
    }

    /// Performs a typed order. The user reads why an order failed, and can type another.
    fn obey(&mut self, line: &str) -> Result<(), Ended> {
        if line.is_empty() {
            return Ok(());
        }
        match line.parse::<Order>() {
            Err(complaint) => Ok(self.output.say(&complaint.to_string())?),
            Ok(order) => match self.perform(line, &order) {
                Err(Ended::Stuck(_)) => Ok(()),
                ended => ended,
            },
        }
    }

    fn perform(&mut self, line: &str, order: &Order) -> Result<(), Ended> {
        match order {
            Order::Quit => return Err(Ended::Quit),
            Order::Help => self.output.say(order::HELP)?,
            Order::Wait(time) => self.wait(*time, |_| false)?,
            Order::Settle(limit) => self.settle(*limit)?,
            Order::Repeat(count, orders) => (0..*count).try_for_each(|_| self.perform_all(orders))?,
            Order::Act(target, action) => {
                let nodes = self.apply(*target, *action).or_else(|complaint| self.stuck(line, &complaint))?;
                self.output.order(line, &nodes)?;
            }
            Order::Link(a, b, cut) => {
                let done = self.fleet.set_cut(*a, *b, *cut).map_err(Failure::usage);
                done.or_else(|complaint| self.stuck(line, &complaint))?;
                self.output.order(line, &[*a, *b])?;
            }
            Order::Show(target) => {
                let nodes = target.nodes(&self.fleet).or_else(|complaint| self.stuck(line, &complaint))?;
                self.output.order(line, &nodes)?;
                for id in nodes {
                    let state = self.fleet.state(id).unwrap_or("does not answer".into());
                    self.output.say(&format!("{id}: {state}"))?;
                }
            }
        }
        Ok(())
    }

    fn stuck<T>(&mut self, line: &str, complaint: &Failure) -> Result<T, Ended> {
        let complaint = format!("{line}: {complaint}");
        self.output.say(&complaint)?;
        Err(Ended::Stuck(complaint))
    }

    /// Carries out an action, and returns the nodes at which it was carried out.
    fn apply(&mut self, target: Target, action: Action) -> Result<Vec<usize>, Failure> {
        let nodes = target.nodes(&self.fleet)?;
        for &id in &nodes {
            // An order for several nodes skips those that are down.
            let alone = matches!(target, Target::Node(_));
            self.fleet.apply(id, action).or_else(|e| if alone { Err(Failure::usage(e)) } else { Ok(()) })?;
        }
        Ok(nodes)
    }

    /// Waits until the time is up or the condition holds.
    fn wait(&mut self, time: Duration, mut condition: impl FnMut(&Fleet) -> bool) -> Result<(), Ended> {
        let end = Instant::now() + time;
        while Instant::now() < end && !condition(&self.fleet) {
            self.look()?;
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// Waits for an agreement that lasts; the settling time ends when the agreement begins.
    fn settle(&mut self, limit: Duration) -> Result<(), Ended> {
        let (begun, stretch) = (Instant::now(), self.heartbeat * SETTLED_HEARTBEATS);
        let mut since: Option<(Agreement, Instant)> = None;
        // An order takes effect at the next iteration of a node; an agreement before that is the old one.
        std::thread::sleep(Duration::from_millis(25));
        let ended = self.wait(limit + stretch, |fleet| {
            let agreement = fleet.agreement();
            if agreement != since.map(|(reached, _)| reached) {
                since = agreement.map(|reached| (reached, Instant::now()));
            }
            since.is_some_and(|(_, at)| at.elapsed() >= stretch)
        });
        match since.filter(|(_, at)| *at - begun <= limit) {
            Some((reached, at)) => {
                self.settled.push(at - begun);
                self.output.settled(reached, at - begun)?;
            }
            None if ended.is_ok() => {
                self.failed += 1;
                self.output.unsettled(limit)?;
            }
            None => {}
        }
        ended
    }
}

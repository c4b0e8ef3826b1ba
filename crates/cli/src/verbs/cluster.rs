//! `ringleader cluster`: a whole cluster on loopback, to watch and to hurt.

use crate::catalog;
use crate::settings::fresh_seed;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::interrupt;
use ringleader_daemon::Span;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

mod console;
mod fleet;
mod keys;
mod order;
mod screen;
mod stage;

use console::Console;
use fleet::{Fleet, Plan};
use order::Order;
use stage::Stage;

/// How long to wait for a key or a line before looking at the cluster again.
const KEY_WAIT: Duration = Duration::from_millis(20);
/// How often agreement is looked for.
const GLANCE: Duration = Duration::from_millis(1);
/// All must agree for this many heartbeats before that counts.
const SETTLED_HEARTBEATS: u32 = 5;

/// Run a whole cluster on loopback: watch it elect, break it, watch it heal.
#[derive(clap::Args)]
#[command(after_help = order_help())]
pub(crate) struct Arguments {
    /// How many nodes
    #[arg(long, value_name = "N", default_value_t = 5)]
    nodes: usize,
    /// Any that `ringleader list` names, or the path of a text protocol; those for rings run on one
    #[arg(long, value_name = "NAME", default_value = ringleader_node::DEFAULT_ALGORITHM)]
    algorithm: String,
    /// A parameter of the algorithm; layers is one, as in layers=undirected
    #[arg(long = "parameter", value_name = "NAME=VALUE", value_parser = pair)]
    parameters: Vec<(String, String)>,
    /// How often the leader is heard; members of a ring offer ten times as often
    #[arg(long, value_name = "TIME", default_value = "200ms")]
    heartbeat: Span,
    /// Take the orders from this file, or from standard input for -, and end
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// The seed of losses and corruption [default: a fresh one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// JSON lines: changes, orders, settling times, and a summary
    #[arg(long)]
    json: bool,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("expected NAME=VALUE, not {text:?}"))?;
    Ok((name.to_string(), value.to_string()))
}

fn order_help() -> String {
    format!(
        "On a terminal, keys choose a node and hurt or heal it; ? lists them.\nOrders, typed after : or in a script:\n{}\n\nExamples:\n  ringleader cluster\n  ringleader cluster --nodes 9 --heartbeat 100ms \
         --script demo.txt --json\n  echo 'repeat 3 corrupt all; settle' | ringleader cluster --script -\n\n\
         A script ends at the first order that cannot be carried out, such as kill leader while none is agreed upon.\n\n\
         Exit codes: 0 settled each time, 1 not, or an order of a script could not be carried out, 2 bad usage or input,\n\
         130 interrupted.",
        order::HELP
    )
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if !(2..=200).contains(&arguments.nodes) {
        return Err(Failure::usage(format!("2 to 200 nodes fit one process, not {}", arguments.nodes)));
    }
    let script = arguments.script.as_deref().map(|path| read_script(path, arguments.nodes)).transpose()?;
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let heartbeat = arguments.heartbeat.0;
    let plan = Plan {
        size: arguments.nodes,
        algorithm: arguments.algorithm.clone(),
        heartbeat,
        seed,
        parameters: arguments.parameters.clone(),
    };
    interrupt::listen();
    let terminal = cfg!(unix) && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let live = script.is_none() && !arguments.json && terminal;
    let stage = Stage::new(arguments.json, live, &plan)?;
    let mut show = Show {
        fleet: Fleet::start(catalog().clone(), plan).map_err(Failure::usage)?,
        stage,
        console: Console::new(),
        heartbeat,
        settled: vec![],
        failed: 0,
    };
    let ended = match script {
        Some(orders) => show.perform_all(&orders)?,
        #[cfg(unix)]
        None if live => show.play()?,
        None => show.converse(&typed_lines())?,
    };
    show.stage.end(&show.fleet, &show.settled, show.failed)?;
    Ok(match ended {
        Ended::Interrupted => ExitCode::from(INTERRUPTED),
        Ended::Stuck(complaint) => {
            anstream::eprintln!("error: the script ended early: {complaint}");
            ExitCode::from(FAILS)
        }
        _ if show.failed > 0 => ExitCode::from(FAILS),
        _ => ExitCode::SUCCESS,
    })
}

fn read_script(path: &std::path::Path, nodes: usize) -> Result<Vec<(String, Order)>, Failure> {
    let name = path.display();
    let text = match path.to_str() {
        Some("-") => std::io::read_to_string(std::io::stdin()),
        _ => std::fs::read_to_string(path),
    };
    let text = text.map_err(|e| Failure::usage(format!("cannot read {name}: {e}")))?;
    order::parse_script(&text, nodes).map_err(|e| Failure::usage(format!("{name}: {e}")))
}

/// The lines typed, from a thread that may wait for them.
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

/// Why a show is over.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ended {
    /// Nothing more to do.
    Done,
    /// The user quit.
    Quit,
    /// Ctrl-C.
    Interrupted,
    /// An order could not be carried out, for this reason.
    Stuck(String),
}

struct Show {
    fleet: Fleet,
    stage: Stage,
    console: Console,
    heartbeat: Duration,
    settled: Vec<Duration>,
    failed: u32,
}

impl Show {
    fn perform_all(&mut self, orders: &[(String, Order)]) -> Result<Ended, Failure> {
        for (line, order) in orders {
            let ended = self.perform(line, order)?;
            if ended != Ended::Done {
                return Ok(ended);
            }
        }
        Ok(Ended::Done)
    }

    /// Obeys keys on a screen of its own; the terminal is as before when this returns.
    #[cfg(unix)]
    fn play(&mut self) -> Result<Ended, Failure> {
        let keyboard = keys::Keyboard::open()?;
        loop {
            if interrupt::requested() {
                return Ok(Ended::Interrupted);
            }
            self.stage.look(&self.fleet, &self.console)?;
            match keyboard.keys.recv_timeout(KEY_WAIT) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Ended::Done),
                Ok(key) => {
                    self.stage.refresh();
                    for line in self.console.press(key, &self.fleet) {
                        let ended = self.obey(&line)?;
                        if ended != Ended::Done {
                            return Ok(ended);
                        }
                    }
                }
            }
        }
    }

    /// Obeys lines until there is no more.
    fn converse(&mut self, lines: &Receiver<String>) -> Result<Ended, Failure> {
        loop {
            if interrupt::requested() {
                return Ok(Ended::Interrupted);
            }
            self.stage.look(&self.fleet, &self.console)?;
            match lines.recv_timeout(KEY_WAIT) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Ended::Done),
                Ok(line) => match self.obey(line.trim())? {
                    Ended::Done => {}
                    ended => return Ok(ended),
                },
            }
        }
    }

    fn obey(&mut self, line: &str) -> Result<Ended, Failure> {
        if line.is_empty() {
            return Ok(Ended::Done);
        }
        match line.parse::<Order>() {
            Err(complaint) => self.stage.say(&complaint).map(|()| Ended::Done),
            Ok(order) => match self.perform(line, &order)? {
                // Who types sees what went wrong, and can type something else.
                Ended::Stuck(_) => Ok(Ended::Done),
                ended => Ok(ended),
            },
        }
    }

    fn perform(&mut self, line: &str, order: &Order) -> Result<Ended, Failure> {
        match order {
            Order::Quit => return Ok(Ended::Quit),
            Order::Help => self.stage.say(order::HELP)?,
            Order::Wait(time) => return self.wait(*time, |_| false),
            Order::Settle(limit) => return self.settle(*limit),
            Order::Repeat(count, orders) => {
                for _ in 0..*count {
                    for (line, order) in orders {
                        let ended = self.perform(line, order)?;
                        if ended != Ended::Done {
                            return Ok(ended);
                        }
                    }
                }
            }
            _ => match fleet::apply(&mut self.fleet, order) {
                Err(complaint) => {
                    let complaint = format!("{line}: {complaint}");
                    self.stage.say(&complaint)?;
                    return Ok(Ended::Stuck(complaint));
                }
                Ok(chosen) => {
                    self.stage.order(line, &chosen)?;
                    if let Order::Show(_) = order {
                        for id in chosen {
                            self.stage.say(&format!("{id}: {}", self.fleet.state(id)))?;
                        }
                    }
                }
            },
        }
        Ok(Ended::Done)
    }

    /// Waits, watching, until the time is up or it is enough.
    fn wait(&mut self, time: Duration, mut enough: impl FnMut(&Fleet) -> bool) -> Result<Ended, Failure> {
        let end = Instant::now() + time;
        while Instant::now() < end && !enough(&self.fleet) {
            if interrupt::requested() {
                return Ok(Ended::Interrupted);
            }
            self.stage.look(&self.fleet, &self.console)?;
            std::thread::sleep(GLANCE);
        }
        Ok(Ended::Done)
    }

    /// Waits until all agree, and go on agreeing for a while; the time is that until they began to.
    fn settle(&mut self, limit: Duration) -> Result<Ended, Failure> {
        let (begun, stretch) = (Instant::now(), self.heartbeat * SETTLED_HEARTBEATS);
        let mut since: Option<(usize, Instant)> = None;
        // Orders reach a node within one look at its commands; agreement before that is the old one.
        std::thread::sleep(Duration::from_millis(25));
        let ended = self.wait(limit + stretch, |fleet| {
            let agreed = fleet.agreed();
            if agreed != since.map(|(leader, _)| leader) {
                since = agreed.map(|leader| (leader, Instant::now()));
            }
            since.is_some_and(|(_, at)| at.elapsed() >= stretch)
        })?;
        match since.filter(|(_, at)| *at - begun <= limit) {
            Some((leader, at)) => {
                self.settled.push(at - begun);
                self.stage.settled(leader, at - begun)?;
            }
            None if ended == Ended::Done => {
                self.failed += 1;
                self.stage.unsettled(limit)?;
            }
            None => {}
        }
        Ok(ended)
    }
}

//! `ringleader node`: one node of a cluster as a daemon, with settings from flags and a file, controlled by signals and the service manager;
//! `ringleader ctl` and `ringleader status`: the same for its operator.

use ringleader_node::lease::Lists;
use ringleader_node::{Config, Corruption, Handle, Hooks, Node, NodeError, run_errands};
use std::fmt::Display;
use std::io::{ErrorKind, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
#[cfg(not(unix))]
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

mod addresses;
mod changing;
#[cfg(unix)]
mod control;
#[cfg(not(unix))]
#[path = "no_control.rs"]
mod control;
#[cfg(unix)]
pub mod ctl;
#[cfg(feature = "generate")]
mod generate;
mod logging;
mod settings;
mod span;
mod standalone;
#[cfg(unix)]
pub mod status;
mod systemd;

use addresses::Plan;
use control::Control;
#[cfg(feature = "generate")]
pub use generate::{Generate, generate};
use settings::Settings;
pub use span::{NoSpan, Span};
pub use standalone::main;

/// The exit code of a daemon that has failed.
const FAILS: u8 = 1;
/// The exit code of an interrupted program, as shells report it.
const INTERRUPTED: u8 = 130;

/// The error of an address on which HTTP cannot be served.
fn no_http(address: SocketAddr, error: &std::io::Error) -> NodeError {
    NodeError::new(match error.kind() {
        ErrorKind::AddrNotAvailable => {
            format!("cannot serve HTTP on {address}: this host has no such address; give one of its own (http)")
        }
        ErrorKind::AddrInUse => format!(
            "cannot serve HTTP on {address}: another program listens there, perhaps a daemon with these settings; stop it (`ss -tlp` names \
             it), or give another port (http)"
        ),
        _ => format!("cannot serve HTTP on {address}: {error}"),
    })
}

/// Prints a line. The work goes on if its reader has gone.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Prints a line on the stream of errors. The work goes on if its reader has gone.
fn complain(line: impl Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The error of signals that cannot be received.
fn no_signals(error: std::io::Error) -> NodeError {
    NodeError::new(format!("cannot listen for signals: {error}"))
}

/// Validates the settings of a node, finds its algorithm, and builds it without running it.
pub type Prepare<'a> = &'a dyn Fn(Config) -> Result<Node, NodeError>;

/// Run one node: elect a leader among machines over UDP.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader node --new-key cluster.key
  ringleader node --config node.toml --id 0
  ringleader node --id 0 --peer 0=a.example:7400 --peer 1=b.example:7400 --peer 2=c.example:7400 \\
      --key-file cluster.key --http 127.0.0.1:7480 --on-leader 'systemctl start scheduler'
  ringleader node --algorithm yokota-ring --size 5 --left a.example:7400 --right c.example:7400 \\
      --listen 0.0.0.0:7400 --key-file cluster.key
  ringleader node --algorithm fich-johnen-token --size 5 --left a:7400 --right c:7400 --on-token './only-one'
  ringleader node --algorithm tree-leader --graph office.txt --config node.toml --id 0

The keys of the configuration file are the names of the flags; the peers are a table:
  id = 0
  key-file = \"/etc/ringleader/cluster.key\"
  heartbeat = \"1s\"
  [peers]
  0 = \"a.example:7400\"
  1 = \"b.example:7400\"

SIGHUP reloads peers and keys, and logs the changed settings that need a restart. SIGTERM hands the leadership over and ends.
This is not mutual exclusion: during a partition there can be two leaders, unless guard = \"majority\". See docs/running.md.")]
pub struct Arguments {
    /// A TOML file with settings; flags override it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write a random key to a new file that only its owner can read, and end
    #[arg(long, value_name = "FILE", group = "task")]
    new_key: Option<PathBuf>,
    /// Write the state file of this member, and end; needs --first-start or --token
    #[arg(long, group = "task")]
    new_state: bool,
    /// With --new-state, for the first start of a cluster or a new beginning: no member runs, and all members get new files. The peers
    /// become the first list of members. Tokens begin at 1, or after --token
    #[arg(long, requires = "new_state")]
    first_start: bool,
    /// With --new-state, if the cluster has run before: the greatest token of the other members. Without --first-start this member learns
    /// the list of members from them
    #[arg(long, value_name = "TOKEN", requires = "new_state")]
    token: Option<u64>,
    /// Before a change of fixed settings of the guard, and without the daemon: listen with the old settings until every old lease has
    /// expired. The exit code is 0 if no other member was heard
    #[arg(long, group = "task")]
    await_stopped: bool,
    /// Check the settings, and end
    #[arg(long, group = "task")]
    check: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Runs the daemon until a signal ends it, or carries out the single task of the arguments.
pub fn run(arguments: &Arguments, prepare: Prepare<'_>) -> Result<ExitCode, NodeError> {
    if let Some(path) = &arguments.new_key {
        return new_key(path);
    }
    let (settings, config, hooks) = arguments.load()?;
    if arguments.new_state {
        let path = config.state.as_ref().ok_or(NodeError::new("give the name of the state file: --state FILE"))?;
        let token = arguments.token.unwrap_or(0);
        NodeError::refuse_if(
            token == 0 && !arguments.first_start,
            "a token that starts again at 0 could repeat earlier ones: give --first-start if the cluster has never run, otherwise \
             --token N with the greatest token of the other members (the number after `token` in their state files)",
        )?;
        if arguments.first_start {
            config.require_own_line()?;
        }
        let first = arguments.first_start.then(|| config.list()).transpose()?;
        ringleader_node::new_state(path, &config.cluster, config.id, token, first)?;
        say(format!("{} is now the state file of member {}", path.display(), config.id));
        say(match first {
            Some(list) => format!("its first list of members is {list}: the file of each of them must have the same"),
            None => "this member takes part when it has learned the list from a majority of the others".into(),
        });
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.await_stopped {
        return changing::await_stopped(config, prepare);
    }
    let (limit, drain) = (hooks.timeout, config.drain.clone());
    if arguments.check {
        return check(config, &settings, prepare);
    }
    let plan = Plan::new(&settings, &config)?;
    let warnings = plan.as_ref().map_or(Ok(vec![]), Plan::begin)?;
    let log = logging::start(&settings).map_err(NodeError::no_thread)?;
    for warning in foreign_files(&settings, &config).into_iter().chain(warnings) {
        tracing::warn!("{warning}");
    }
    // Before the node starts: its peers would hear a node that ends at once.
    if let Some(http) = settings.http {
        std::net::TcpListener::bind(http).map_err(|error| no_http(http, &error))?;
    }
    Control::examine(settings.control.as_deref())?;
    let node = prepare(config)?.run()?;
    node.count_lost_lines(log.lost());
    let serve = |listen| {
        ringleader_node::serve(listen, node.observer(), settings.page_names()).map_err(|e| no_http(listen, &e))
    };
    let server = settings.http.map(serve).transpose()?;
    if let Some(server) = &server {
        tracing::info!(address = %server.address(), "serving HTTP");
    }
    let control = Control::start(settings.control.as_deref(), &node, drain)?;
    let keeper = plan.map(|plan| plan.keep(&node)).transpose()?;
    let hooks = hooks.start(&node).map_err(NodeError::no_thread)?;
    let errands = settings.on_token.clone().map(|command| run_errands(command, limit, &node));
    let errands = errands.transpose().map_err(NodeError::no_thread)?;
    let code = live(&node, &control, arguments, &settings, prepare)?;
    systemd::notify("STOPPING=1");
    node.stop();
    for thread in [Some(hooks), keeper, errands].into_iter().flatten() {
        // A panic has already been printed.
        let _ = thread.join();
    }
    tracing::info!("stopped");
    log.flush();
    Ok(code)
}

/// Warnings about files of another user, which root accepts.
fn foreign_files(settings: &Settings, config: &Config) -> Vec<String> {
    let owned = |path: &PathBuf| {
        let owner = ringleader_node::foreign_owner(path)?;
        Some(format!(
            "{} belongs to user {owner}: only a daemon that runs as this user, or as root, can use it",
            path.display()
        ))
    };
    settings.key_file.iter().chain(&config.state).filter_map(owned).collect()
}

/// Finds the problems that a start would find.
fn check(config: Config, settings: &Settings, prepare: Prepare<'_>) -> Result<ExitCode, NodeError> {
    for warning in config.examine()? {
        complain(format!("warning: {warning}; a running node tries again"));
    }
    let plan = Plan::new(settings, &config)?;
    for warning in plan.map_or(Ok(vec![]), |plan| plan.examine())? {
        complain(format!("warning: {warning}; this node does not lead until it is there"));
    }
    for warning in foreign_files(settings, &config) {
        complain(format!("warning: {warning}"));
    }
    if let Some(http) = settings.http
        && let Err(error) = std::net::TcpListener::bind(http)
        // The daemon itself may be running.
        && error.kind() != ErrorKind::AddrInUse
    {
        return Err(no_http(http, &error));
    }
    if let Some(warning) = Control::examine(settings.control.as_deref())? {
        complain(format!("warning: {warning}"));
    }
    let digest = config.digest()?;
    prepare(config)?;
    say("the settings are valid");
    if let Some(digest) = digest {
        say(format!("guard digest {digest:016x}: it must be the same on all members"));
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// The settings, for a start and for a reload.
    fn load(&self) -> Result<(Settings, Config, Hooks), NodeError> {
        let settings = match &self.config {
            Some(path) => self.settings.clone().over(path)?,
            None => self.settings.clone(),
        };
        let (config, hooks) = (settings.config()?, settings.hooks()?);
        Plan::new(&settings, &config)?;
        Ok((settings, config, hooks))
    }
}

/// Handles signals and the service manager until the daemon has to end.
#[cfg(unix)]
fn live(
    node: &Handle,
    control: &Control,
    arguments: &Arguments,
    settings: &Settings,
    prepare: Prepare<'_>,
) -> Result<ExitCode, NodeError> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
    let mut wanted = vec![SIGHUP, SIGINT, SIGTERM];
    if settings.allow_corruption {
        tracing::warn!("SIGUSR1 and SIGUSR2 overwrite this node's variables");
        wanted.extend([SIGUSR1, SIGUSR2]);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted).map_err(no_signals)?;
    // Not earlier: a signal to a daemon that does not expect it would kill it.
    systemd::notify("READY=1");
    let mut watch = node.watch();
    let watchdog = systemd::watchdog_interval();
    let mut fed = Instant::now();
    let mut extreme = Corruption::Low;
    loop {
        for signal in signals.pending() {
            match signal {
                // The log has the result.
                SIGHUP => drop(reload(node, arguments, settings, prepare)),
                SIGINT => return Ok(ExitCode::from(INTERRUPTED)),
                SIGTERM => return Ok(ExitCode::SUCCESS),
                SIGUSR1 => node.corrupt(Corruption::Random),
                _ => {
                    extreme = if extreme == Corruption::Low { Corruption::High } else { Corruption::Low };
                    node.corrupt(extreme);
                }
            }
        }
        control.obey(node, &|| reload(node, arguments, settings, prepare));
        if node.stopped() {
            tracing::error!("the loop has ended by itself: this is a bug");
            return Ok(ExitCode::from(FAILS));
        }
        if let Some(now) = watch.next_within(Duration::from_millis(50)) {
            let leader = now.named().map_or("unknown".into(), |leader| leader.to_string());
            systemd::notify(&format!("STATUS={}, leader {leader}", now.state));
        }
        if watchdog.is_some_and(|interval| fed.elapsed() >= interval) && node.healthy() {
            systemd::notify("WATCHDOG=1");
            fed = Instant::now();
        }
    }
}

/// A flag that Ctrl-C sets.
fn interrupt() -> Result<Arc<AtomicBool>, NodeError> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&flag)).map_err(no_signals)?;
    Ok(flag)
}

#[cfg(not(unix))]
fn live(node: &Handle, _: &Control, _: &Arguments, _: &Settings, _: Prepare<'_>) -> Result<ExitCode, NodeError> {
    let interrupted = interrupt()?;
    while !interrupted.load(Ordering::Relaxed) && !node.stopped() {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(ExitCode::from(INTERRUPTED))
}

/// Reloads peers and keys, if the settings would be accepted at a start. A refused reload changes nothing. Returns the result for the operator.
#[cfg(unix)]
fn reload(node: &Handle, arguments: &Arguments, running: &Settings, prepare: Prepare<'_>) -> Result<String, NodeError> {
    systemd::notify_reloading();
    let mut loaded = arguments.load();
    let (mut ignored, mut remarks, mut wanted) = (vec![], vec![], None);
    if let Ok((settings, config, _)) = &mut loaded {
        settings.stay(config, node.listen());
        (ignored, remarks) = (running.needs_restart(settings), foreign_files(settings, config));
        // Without a line of its own this node proposes nothing: the notice `lineless` says so.
        let proposes = config.state.is_some() && config.peers.contains_key(&config.id);
        wanted = config.list().ok().filter(|_| proposes);
    }
    if !ignored.is_empty() {
        // Also if the rest of the reload is refused.
        tracing::warn!(settings = ignored.join(", "), "ignored: these settings need a restart");
    }
    let before = node.status().lists.map_or(Lists::default(), |(lists, _)| lists);
    let prepared = loaded.and_then(|(_, config, _)| match config.state {
        Some(_) if *config.cluster != *node.cluster => Err(NodeError::new(format!(
            "`cluster` has changed from {:?} to {:?}: the state file belongs to the old one, so restore `cluster`",
            node.cluster, config.cluster
        ))),
        _ => prepare(config),
    });
    let prepared = prepared.inspect_err(|_| node.reload_refused());
    let outcome = prepared.and_then(|new| node.reload(new));
    if let Ok(warnings) = &outcome {
        remarks.extend_from_slice(warnings);
        remarks.extend(wanted.and_then(|list| changing::remark(node, list, before)));
    }
    for remark in &remarks {
        tracing::warn!("{remark}");
    }
    match &outcome {
        Ok(_) => tracing::info!("peers and keys reloaded"),
        Err(reason) => tracing::error!(%reason, "not reloaded; the old settings stay in use"),
    }
    systemd::notify("READY=1");
    if !ignored.is_empty() {
        remarks.insert(0, format!("ignored, since a restart is needed: {}", ignored.join(", ")));
    }
    remarks.insert(0, "peers and keys reloaded".into());
    outcome.map(|_| remarks.join("; "))
}

/// Writes a key of 32 bytes from the system's generator to a new file.
fn new_key(path: &Path) -> Result<ExitCode, NodeError> {
    use std::io::{Read, Write};
    let name = path.display();
    let mut secret = [0; 32];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut secret))
        .map_err(|e| NodeError::new(format!("cannot read /dev/urandom: {e}")))?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    options.open(path).and_then(|mut file| writeln!(file, "{digits}")).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => NodeError::new(format!(
            "{name} exists: this program does not replace a key; give another name, or move it away"
        )),
        _ => NodeError::new(format!("cannot write the key to {name}: {e}")),
    })?;
    say(format!("a new key is in {name}; copy it to every host, readable only by the daemon"));
    Ok(ExitCode::SUCCESS)
}

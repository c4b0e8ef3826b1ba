//! `ringleader node`: one node of a cluster as a daemon. Settings come from flags and a file; signals and the service manager steer it.

use ringleader_node::{Config, Corruption, ErrandRunner, Handle, HookRunner, Hooks, Node, StartError};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
#[cfg(not(unix))]
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

mod changing;
mod logging;
mod settings;
mod span;
mod standalone;
mod systemd;

use settings::Settings;
pub use span::{NoSpan, Span};
pub use standalone::main;

/// The exit code of a daemon that has failed.
const FAILS: u8 = 1;
/// The exit code of an interrupted program, as shells report it.
const INTERRUPTED: u8 = 130;

/// The reason why the daemon cannot start, and what would be right.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Failure(String);

impl Failure {
    fn usage(message: impl std::fmt::Display) -> Failure {
        Failure(message.to_string())
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Failure {
        Failure::usage(error)
    }
}

/// Checks the settings of a node, with the algorithm that they name, and builds it without running it.
pub type Prepare<'a> = &'a dyn Fn(Config) -> Result<Node, Failure>;

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

The configuration file has the flags' names as keys, and the peers in a table:
  id = 0
  key-file = \"/etc/ringleader/cluster.key\"
  heartbeat = \"1s\"
  [peers]
  0 = \"a.example:7400\"
  1 = \"b.example:7400\"

SIGHUP reads peers and keys anew, and says what else would need a restart; SIGTERM hands the leadership over and ends.
This is no mutual exclusion: during a partition there can be two leaders, unless guard = \"majority\". See docs/running.md.")]
pub struct Arguments {
    /// A TOML file with settings; flags go before it
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write a fresh key to a new file, readable by its owner only, and end
    #[arg(long, value_name = "FILE")]
    new_key: Option<PathBuf>,
    /// Write the state file that the settings name, for a member that has never stored a fencing token, and end
    #[arg(long)]
    new_state: bool,
    /// With --new-state: begin above this token, where a file was lost: the greatest that any other member has
    #[arg(long, value_name = "TOKEN", requires = "new_state", default_value_t = 0)]
    token: u64,
    /// Before the guard's members or terms are changed: in place of this node, listen with the old settings for as long as an old
    /// lease can last; ends with 0 if no other member was heard
    #[arg(long)]
    await_stopped: bool,
    /// Say whether the settings are sound, and end
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Runs the daemon until a signal ends it, or carries out the one task that the arguments name.
pub fn run(arguments: &Arguments, prepare: Prepare<'_>) -> Result<ExitCode, Failure> {
    if let Some(path) = &arguments.new_key {
        return new_key(path);
    }
    let (settings, config, hooks) = arguments.load()?;
    if arguments.new_state {
        let path = config.state.as_ref().ok_or_else(|| Failure::usage("say which file: --state FILE"))?;
        ringleader_node::new_state(path, &config.cluster, config.id, arguments.token).map_err(Failure::usage)?;
        println!("{} is the state file of member {} from now on", path.display(), config.id);
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.await_stopped {
        return changing::await_stopped(config, prepare);
    }
    let limit = hooks.timeout;
    if arguments.check {
        return check(config, &settings, prepare);
    }
    let log = logging::start(&settings).map_err(|e| Failure::usage(format!("cannot start a thread: {e}")))?;
    let node = prepare(config)?.run()?;
    let serve = |listen| {
        let server = ringleader_node::serve(listen, node.observer());
        server.map_err(|e| Failure::usage(format!("cannot serve HTTP on {listen}: {e}")))
    };
    let server = settings.http.map(serve).transpose()?;
    if let Some(server) = &server {
        tracing::info!(address = %server.address(), "serving HTTP");
    }
    let runner = HookRunner::start(hooks, &node).map_err(|e| Failure::usage(format!("cannot start a thread: {e}")))?;
    let errands = settings.on_token.clone().map(|command| ErrandRunner::start(command, limit, &node));
    let errands = errands.transpose().map_err(|e| Failure::usage(format!("cannot start a thread: {e}")))?;
    systemd::notify("READY=1");
    let code = live(&node, arguments, &settings, prepare)?;
    systemd::notify("STOPPING=1");
    node.stop();
    runner.finish();
    if let Some(errands) = errands {
        errands.finish();
    }
    tracing::info!("stopped");
    log.flush();
    Ok(code)
}

/// Finds what a start would find.
fn check(config: Config, settings: &Settings, prepare: Prepare<'_>) -> Result<ExitCode, Failure> {
    config.examine().map_err(Failure::usage)?;
    if let Some(http) = settings.http
        && let Err(error) = std::net::TcpListener::bind(http)
        // The daemon itself may be running.
        && error.kind() != std::io::ErrorKind::AddrInUse
    {
        return Err(Failure::usage(format!("cannot serve HTTP on {http}: {error}")));
    }
    let digest = config.digest().map_err(Failure::usage)?;
    prepare(config)?;
    println!("the settings are sound");
    if let Some(digest) = digest {
        println!("guard digest {digest:016x}, the same on all members");
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// The settings, for a start and for a reload alike.
    fn load(&self) -> Result<(Settings, Config, Hooks), Failure> {
        let settings = match &self.config {
            Some(path) => self.settings.clone().over(path)?,
            None => self.settings.clone(),
        };
        let (config, hooks) = (settings.config()?, settings.hooks()?);
        Ok((settings, config, hooks))
    }
}

/// Signals and the service manager, until it is time to go.
#[cfg(unix)]
fn live(node: &Handle, arguments: &Arguments, settings: &Settings, prepare: Prepare<'_>) -> Result<ExitCode, Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2};
    let mut wanted = vec![SIGHUP, SIGINT, SIGTERM];
    if settings.allow_corruption {
        tracing::warn!("SIGUSR1 and SIGUSR2 overwrite this node's variables");
        wanted.extend([SIGUSR1, SIGUSR2]);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted)
        .map_err(|e| Failure::usage(format!("cannot listen for signals: {e}")))?;
    let mut watch = node.watch();
    let watchdog = systemd::watchdog_interval();
    let mut fed = Instant::now();
    let mut extreme = Corruption::Low;
    loop {
        for signal in signals.pending() {
            match signal {
                SIGHUP => reload(node, arguments, settings, prepare),
                SIGINT => return Ok(ExitCode::from(INTERRUPTED)),
                SIGTERM => return Ok(ExitCode::SUCCESS),
                SIGUSR1 => node.corrupt(Corruption::Random),
                _ => {
                    extreme = if extreme == Corruption::Low { Corruption::High } else { Corruption::Low };
                    node.corrupt(extreme);
                }
            }
        }
        if node.stopped() {
            tracing::error!("the election has ended by itself: this is a mistake in the program");
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

/// A flag that Ctrl-C raises.
fn interrupt() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&flag))
        .map_err(|e| Failure::usage(format!("cannot listen for signals: {e}")))?;
    Ok(flag)
}

#[cfg(not(unix))]
fn live(node: &Handle, _: &Arguments, _: &Settings, _: Prepare<'_>) -> Result<ExitCode, Failure> {
    let interrupted = interrupt()?;
    while !interrupted.load(Ordering::Relaxed) && !node.stopped() {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(ExitCode::from(INTERRUPTED))
}

/// Takes new peers and keys, if the settings pass every check of a start. A refused reload changes nothing.
#[cfg(unix)]
fn reload(node: &Handle, arguments: &Arguments, running: &Settings, prepare: Prepare<'_>) {
    systemd::notify("RELOADING=1");
    let prepared = arguments.load().and_then(|(settings, config, _)| Ok((settings, prepare(config)?)));
    let outcome = match prepared {
        Ok((settings, new)) => node.reload(new).map(|()| running.needs_restart(&settings)).map_err(Failure::from),
        Err(failure) => {
            node.reload_refused();
            Err(failure)
        }
    };
    match outcome {
        Ok(ignored) => {
            if !ignored.is_empty() {
                tracing::warn!(settings = ignored.join(", "), "not taken: these need a restart");
            }
            tracing::info!("peers and keys reloaded");
        }
        Err(failure) => tracing::error!(reason = %failure, "not reloaded; the old settings stay"),
    }
    systemd::notify("READY=1");
}

/// A key of 32 bytes from the system's generator, in a file that did not exist.
fn new_key(path: &Path) -> Result<ExitCode, Failure> {
    use std::io::{Read, Write};
    let name = path.display();
    let mut secret = [0; 32];
    std::fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut secret))
        .map_err(|e| Failure::usage(format!("cannot read /dev/urandom: {e}")))?;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    options
        .open(path)
        .and_then(|mut file| writeln!(file, "{digits}"))
        .map_err(|e| Failure::usage(format!("cannot write the key to {name}: {e}")))?;
    println!("a new key is in {name}; copy it to every host, readable by the daemon only");
    Ok(ExitCode::SUCCESS)
}

//! The front door.

use crate::config::{Config, StartError, members};
use crate::core::{Core, CoreConfig, Corruption, Now};
use crate::key::Keys;
use crate::observer::{Observer, Shared};
use crate::resolve;
use crate::runtime::{Command, Runtime};
use ringleader_model::Timed;
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// What the kernel may keep of unread datagrams.
#[cfg(target_os = "linux")]
const RECEIVE_BUFFER: usize = 16 << 20;

/// The front door: [`Node::start`], or [`Node::start_with`] an algorithm of one's own.
#[derive(Debug)]
pub struct Node;

impl Node {
    /// Starts a node of an algorithm of one's own; [`Config::algorithm`] must name it the same on all nodes.
    ///
    /// ```
    /// use ringleader_algorithms::robust::s5::RobustS5;
    /// use ringleader_node::{Config, Node, Role};
    /// use std::time::Duration;
    ///
    /// let config = Config::new(0, "127.0.0.1:0".parse().unwrap()).heartbeat(Duration::from_millis(20));
    /// let timing = config.tempo.timing();
    /// let algorithm = RobustS5 { size: 2, timing, timeout: 8 * timing.iterations_per_delta() };
    /// let node = Node::start_with(Config { algorithm: "my own".into(), ..config }, algorithm).unwrap();
    /// assert!(node.watch().any(|leadership| leadership.state == Role::Leader));
    /// node.stop();
    /// ```
    pub fn start_with<A: Timed + 'static>(mut config: Config, algorithm: A) -> Result<Handle, StartError> {
        config.validate()?;
        // Its own name need not mean anything to it.
        config.peers.remove(&config.id);
        let size = algorithm.size();
        let core_config = CoreConfig {
            cluster: config.cluster.clone(),
            algorithm: config.algorithm.clone(),
            me: config.id,
            members: config.members(size)?,
            keys: config.keys.clone(),
            clock_window: config.clock_window,
            settle: config.settle,
        };
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = Now { elapsed: Duration::ZERO, unix_micros: unix.as_micros() as u64 };
        let core = Core::new(algorithm, core_config, config.seed, now).map_err(StartError)?;
        let bind = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::AddrNotAvailable => StartError(format!(
                "cannot listen on {}: this host has no such address; give one of its own, or 0.0.0.0 for all of them",
                config.listen.ip()
            )),
            _ => StartError(format!("cannot listen on {}: {e}", config.listen)),
        };
        let socket = UdpSocket::bind(config.listen).map_err(bind)?;
        socket.set_nonblocking(true).map_err(bind)?;
        enlarge_buffer(&socket);
        let listen = socket.local_addr().map_err(bind)?;
        let patience = (config.tempo.heartbeat * 3).max(Duration::from_secs(1));
        let shared = Arc::new(Shared::new(core.leadership(), core.counters().clone(), patience));
        let (commands, inbox) = channel();
        let (peers, updates) = channel();
        let runtime = Runtime {
            core,
            socket,
            addresses: resolve::literal(&config.peers, size),
            tempo: config.tempo,
            shared: Arc::clone(&shared),
            commands: inbox,
            started: Instant::now(),
        };
        spawn_resolver(&config, size, listen, updates, commands.clone())?;
        let thread = spawn(format!("node-{}", config.id), move || runtime.run())?;
        tracing::info!(id = config.id, %listen, cluster = config.cluster, authenticated = config.keys.secret(), "started");
        let observer = Observer { id: config.id, shared };
        Ok(Handle { observer, commands, peers, listen, size, thread: Some(thread) })
    }
}

/// Room for a flood: where the kernel's usual 200 KiB fill up, heartbeats are lost among the garbage. Beyond the system's
/// limit only the privileged may go; without that the node works as well until someone floods it.
#[cfg(target_os = "linux")]
fn enlarge_buffer(socket: &UdpSocket) {
    use nix::sys::socket::{setsockopt, sockopt};
    if setsockopt(socket, sockopt::RcvBufForce, &RECEIVE_BUFFER).is_err() {
        let _ = setsockopt(socket, sockopt::RcvBuf, &RECEIVE_BUFFER);
    }
}

#[cfg(not(target_os = "linux"))]
fn enlarge_buffer(_: &UdpSocket) {}

fn spawn(name: String, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StartError> {
    let thread = std::thread::Builder::new().name(name).stack_size(512 * 1024);
    thread.spawn(body).map_err(|e| StartError(format!("cannot start a thread: {e}")))
}

fn spawn_resolver(
    config: &Config,
    size: usize,
    listen: SocketAddr,
    updates: Receiver<BTreeMap<usize, String>>,
    commands: Sender<Command>,
) -> Result<(), StartError> {
    let (peers, every) = (config.peers.clone(), config.resolve_every);
    // It ends when the handle, which holds the other end of the channel, is gone.
    spawn(format!("resolve-{}", config.id), move || {
        resolve::keep_resolving(peers, size, listen, every, &updates, |found| {
            let _ = commands.send(Command::Addresses(found));
        });
    })
    .map(drop)
}

/// A running node; dropping it ends the node as a crash would, without a handover.
#[derive(Debug)]
pub struct Handle {
    observer: Observer,
    commands: Sender<Command>,
    peers: Sender<BTreeMap<usize, String>>,
    listen: SocketAddr,
    size: usize,
    thread: Option<JoinHandle<()>>,
}

impl Deref for Handle {
    type Target = Observer;
    fn deref(&self) -> &Observer {
        &self.observer
    }
}

impl Handle {
    // The loop ends only when told to: a command that finds no loop has come too late to matter.
    fn tell(&self, command: Command) {
        let _ = self.commands.send(command);
    }

    /// Where it listens.
    pub fn listen(&self) -> SocketAddr {
        self.listen
    }

    /// A view to give away.
    pub fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Replaces the addresses of the others. The size of the cluster stays.
    pub fn set_peers(&self, mut peers: BTreeMap<usize, String>) -> Result<(), StartError> {
        resolve::check(&peers, self.observer.id, self.listen).map_err(StartError)?;
        peers.remove(&self.observer.id);
        self.tell(Command::Members(members(&peers, self.observer.id, self.size)?));
        self.tell(Command::Addresses(resolve::literal(&peers, self.size)));
        let _ = self.peers.send(peers);
        Ok(())
    }

    /// Replaces the keys.
    pub fn set_keys(&self, keys: Keys) {
        self.tell(Command::Keys(keys));
    }

    /// Hands the leadership over, if this node has it and the algorithm knows how, and goes on as a follower.
    pub fn resign(&self) {
        self.tell(Command::Resign);
    }

    /// Stops the loop as a suspended machine would, or lets it go on.
    pub fn pause(&self, paused: bool) {
        self.tell(Command::Pause(paused));
    }

    /// Overwrites every variable, for tests.
    pub fn corrupt(&self, corruption: Corruption) {
        self.tell(Command::Corrupt(corruption));
    }

    /// The variables of the process as text, if its loop answers within a second.
    pub fn state(&self) -> Option<String> {
        let (reply, answer) = channel();
        self.tell(Command::State(reply));
        answer.recv_timeout(Duration::from_secs(1)).ok()
    }

    /// Hands the leadership over and ends.
    pub fn stop(mut self) {
        self.end(Command::Leave);
    }

    /// Ends at once, as in a crash.
    pub fn kill(mut self) {
        self.end(Command::Die);
    }

    fn end(&mut self, command: Command) {
        self.tell(command);
        if let Some(thread) = self.thread.take() {
            // A loop that panicked has said so on standard error.
            let _ = thread.join();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.end(Command::Die);
    }
}

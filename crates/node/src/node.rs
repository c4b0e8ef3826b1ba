//! The front door.

use crate::config::{Config, SELF_BETWEEN, StartError, cannot_listen, members};
use crate::eligibility::{self, Eligibility};
use crate::observer::{Observer, Shared};
use crate::resolve::{self, Resolver};
use crate::runtime::{Bars, Command, Runtime};
use crate::{carrier, clock, refusals, state_file};
use ringleader_model::Timed;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Algorithm, Core, CoreConfig, Corruption, Keys, Now, Order, Protocol, SplitMix, Withdrawal};
use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// What the kernel may keep of unread datagrams.
#[cfg(target_os = "linux")]
const RECEIVE_BUFFER: usize = 16 << 20;
/// What a node last said counts for a heartbeat, and at least for this long: no loop is more punctual.
const LEAST_VALIDITY: Duration = Duration::from_millis(100);

/// After so many heartbeats without a word from a neighbour a ring is broken.
const SILENT_HEARTBEATS: u32 = 20;
/// After how long a disk that failed is tried again.
const STORE_AGAIN: Duration = Duration::from_millis(500);

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
    /// let timing = config.tempo.tied_timing();
    /// let algorithm = RobustS5 { size: 2, timing, timeout: 8 * timing.iterations_per_delta() };
    /// let node = Node::start_with(Config { algorithm: "my own".into(), ..config }, algorithm).unwrap();
    /// assert!(node.watch().any(|leadership| leadership.state == Role::Leader));
    /// node.stop();
    /// ```
    pub fn start_with<A: Timed + 'static>(config: Config, algorithm: A) -> Result<Handle, StartError> {
        Node::start_known(config, algorithm, None)
    }

    /// The same where the first version of the wire format knows only so many bytes of a message.
    pub(crate) fn start_known<A: Timed + 'static>(
        config: Config,
        algorithm: A,
        known: Option<usize>,
    ) -> Result<Handle, StartError> {
        config.validate()?;
        let now = clock::now();
        let knows = algorithm.stands(config.id, &algorithm.start(config.id)).is_some();
        let size = algorithm.size();
        let guard = config.guard_with_record()?;
        let core_config = CoreConfig { known, guard, ..core_config(&config, size, knows, now)? };
        let core = Core::new(Arc::new(algorithm), core_config, config.seed, now).map_err(StartError)?;
        Node::start_protocol(config, size, Box::new(core))
    }

    /// Starts a member of a ring, or of a complete network of neighbours, among so many; `build` makes it, with a source of
    /// chance that no earlier life had. [`Config::algorithm`] and [`Config::parameters`] must be the same on all nodes.
    pub fn start_member(
        mut config: Config,
        size: usize,
        build: impl FnOnce(&mut SplitMix) -> Result<Box<dyn Algorithm>, StartError>,
    ) -> Result<Handle, StartError> {
        config.validate()?;
        let now = clock::now();
        let mut coin = SplitMix::new(config.seed ^ now.unix_micros.rotate_left(32));
        let heartbeat = config.tempo.heartbeat;
        let members = match config.sides {
            Some(_) => vec![true; 2],
            None => config.members(size)?,
        };
        let named: Vec<_> = config.parameters.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let core_config = CoreConfig {
            cluster: config.cluster.clone(),
            algorithm: config.algorithm.clone() + &named.concat(),
            keys: config.keys.clone(),
            clock_window: config.clock_window,
            settle: config.settle.unwrap_or(heartbeat),
            away: validity(&config),
            sides: config.sides.is_some(),
            silence: Some(heartbeat * SILENT_HEARTBEATS),
            boot: boot(now.unix_micros + coin.word() % 1000),
            members,
            ..CoreConfig::new(config.id, size, heartbeat, now)
        };
        let ports = core_config.members.len();
        let core = Core::around(build(&mut coin)?, core_config, coin.word(), now);
        let id = config.id;
        if let Some([left, right]) = &config.sides {
            config.peers = [(0, left.clone()), (1, right.clone())].into();
            config.id = SELF_BETWEEN;
        }
        let mut handle = Node::start_protocol(config, ports, Box::new(core))?;
        handle.observer.id = id;
        Ok(handle)
    }

    /// Starts a node of a protocol among so many identities. Nothing from here on knows what it runs.
    pub(crate) fn start_protocol(
        mut config: Config,
        size: usize,
        core: Box<dyn Protocol>,
    ) -> Result<Handle, StartError> {
        // Its own name need not mean anything to it.
        config.peers.remove(&config.id);
        let bind = |e: std::io::Error| cannot_listen(config.listen, &e);
        let socket = UdpSocket::bind(config.listen).map_err(bind)?;
        socket.set_nonblocking(true).map_err(bind)?;
        enlarge_buffer(&socket);
        refusals::listen(&socket);
        let listen = socket.local_addr().map_err(bind)?;
        let shared = Arc::new(Shared::new(core.view(), validity(&config)));
        let (commands, inbox) = channel();
        let (peers, updates) = channel();
        let eligibility = Eligibility { check: config.check.clone(), drain: config.drain.clone() };
        let first = eligibility.at_first();
        let addresses = resolve::literal(&config.peers, size);
        let known_addresses = Arc::new(Mutex::new(addresses.iter().flatten().copied().collect()));
        let store = config.state.clone().map(|path| spawn_store(&config, path, &commands)).transpose()?;
        let fixed = config.guard.is_some().then(|| config.members(size)).transpose()?;
        let runtime = Runtime {
            store,
            storing: false,
            core,
            socket,
            addresses,
            known: Arc::clone(&known_addresses),
            tempo: config.tempo,
            handover: config.handover,
            shared: Arc::clone(&shared),
            commands: inbox,
            bars: Bars { drained: first == Some(Withdrawal::Drained), unfit: eligibility.check.is_some(), cut: false },
        };
        spawn_resolver(&config, listen, updates, commands.clone())?;
        spawn_watchers(&config, eligibility, listen, known_addresses, &commands)?;
        let thread = spawn(format!("node-{}", config.id), move || runtime.run())?;
        let (cluster, authenticated) = (&config.cluster, config.keys.secret());
        match &config.sides {
            Some([left, right]) => tracing::info!(%listen, left, right, cluster, authenticated, "started"),
            None => tracing::info!(id = config.id, %listen, cluster, authenticated, "started"),
        }
        let observer = Observer { id: config.id, shared };
        Ok(Handle { observer, commands, peers, listen, size, fixed, thread: Some(thread) })
    }
}

/// When a member began, close to this time. Two neighbours that began in the same microsecond would take each other for
/// reflections, and their ring would be broken: on two hosts chance keeps them apart, in one program nothing may collide.
fn boot(near: u64) -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let after = |last: u64| near.max(last + 1);
    LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(after(last))).map_or(near, after)
}

/// For how long counts what a node last said.
fn validity(config: &Config) -> Duration {
    config.tempo.heartbeat.max(LEAST_VALIDITY)
}

/// `knows`: whether the algorithm knows itself when to act.
fn core_config(config: &Config, size: usize, knows: bool, now: Now) -> Result<CoreConfig, StartError> {
    Ok(CoreConfig {
        cluster: config.cluster.clone(),
        algorithm: config.algorithm.clone(),
        members: config.members(size)?,
        keys: config.keys.clone(),
        clock_window: config.clock_window,
        settle: config.settle.unwrap_or(if knows { Duration::ZERO } else { config.tempo.heartbeat }),
        away: validity(config),
        holds: !config.handover.is_zero(),
        ..CoreConfig::new(config.id, size, config.tempo.heartbeat, now)
    })
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
    listen: SocketAddr,
    updates: Receiver<BTreeMap<usize, String>>,
    commands: Sender<Command>,
) -> Result<(), StartError> {
    let peers = config.peers.clone();
    let resolver =
        Resolver { lookup: resolve::system(), listen, retry: config.tempo.heartbeat, every: config.resolve_every };
    // It ends when the handle, which holds the other end of the channel, is gone.
    spawn(format!("resolve-{}", config.id), move || {
        resolver.run(peers, &updates, move |id, address| drop(commands.send(Command::Address(id, address))));
    })
    .map(drop)
}

/// Stores what is to be stored, however long the disk takes, and says when it is done.
fn spawn_store(config: &Config, path: PathBuf, commands: &Sender<Command>) -> Result<Sender<Record>, StartError> {
    let (sender, records) = channel::<Record>();
    let (commands, cluster, id) = (commands.clone(), config.cluster.clone(), config.id);
    spawn(format!("store-{id}"), move || {
        for record in records {
            while let Err(error) = state_file::write(&path, record, &cluster, id) {
                tracing::error!(%error, file = %path.display(), "cannot store the token; trying again");
                if commands.send(Command::Order(Order::NotStored)).is_err() {
                    return;
                }
                std::thread::sleep(STORE_AGAIN);
            }
            if commands.send(Command::Order(Order::Stored(record))).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// The threads that look at what is around the node; each ends when the loop, which hears them, is gone.
fn spawn_watchers(
    config: &Config,
    eligibility: Eligibility,
    listen: SocketAddr,
    known: Arc<Mutex<Vec<SocketAddr>>>,
    commands: &Sender<Command>,
) -> Result<(), StartError> {
    let (id, heartbeat) = (config.id, config.tempo.heartbeat);
    let say = |make: fn(bool) -> Command| {
        let commands = commands.clone();
        move |value| commands.send(make(value)).is_ok()
    };
    if let Some(path) = eligibility.drain {
        let say = say(Command::Drained);
        spawn(format!("drain-{id}"), move || eligibility::watch_drain(&path, heartbeat, say))?;
    }
    if let Some(check) = eligibility.check {
        let say = say(Command::Fit);
        spawn(format!("check-{id}"), move || eligibility::watch_check(&check, say))?;
    }
    if config.carrier && !listen.ip().is_loopback() {
        let say = say(Command::Carrier);
        let peers = move || known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        spawn(format!("carrier-{id}"), move || carrier::watch(listen, peers, say))?;
    }
    Ok(())
}

/// A running node; dropping it ends the node as a crash would, without a handover.
#[derive(Debug)]
pub struct Handle {
    observer: Observer,
    commands: Sender<Command>,
    peers: Sender<BTreeMap<usize, String>>,
    listen: SocketAddr,
    size: usize,
    /// The members, where they cannot change.
    fixed: Option<Vec<bool>>,
    thread: Option<JoinHandle<()>>,
}

impl Deref for Handle {
    type Target = Observer;
    fn deref(&self) -> &Observer {
        &self.observer
    }
}

impl Handle {
    // A command that finds no loop has come too late to matter.
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

    /// Replaces the addresses of the others. The size of the cluster stays; with the guard, the members do.
    pub fn set_peers(&self, mut peers: BTreeMap<usize, String>) -> Result<(), StartError> {
        resolve::check(&peers, self.observer.id, self.listen).map_err(StartError)?;
        peers.remove(&self.observer.id);
        let members = members(&peers, self.observer.id, self.size)?;
        if self.fixed.as_ref().is_some_and(|fixed| *fixed != members) {
            return Err(StartError(
                "with the guard the members are fixed: stop all of them for the length of the lease, change the list everywhere, and \
                 start them again (`--await-stopped` watches that)"
                    .into(),
            ));
        }
        self.tell(Command::Members(members));
        let _ = self.peers.send(peers);
        Ok(())
    }

    /// Replaces the keys.
    pub fn set_keys(&self, keys: Keys) {
        self.tell(Command::Order(Order::Keys(keys)));
    }

    /// Hands the leadership over, if this node has it and the algorithm knows how, and goes on as a follower.
    pub fn resign(&self) {
        self.tell(Command::Order(Order::Resign));
    }

    /// Says that an errand has come to its end.
    pub(crate) fn errand_ends(&self) -> impl Fn(u64) + Send + 'static {
        let commands = self.commands.clone();
        move |errand| drop(commands.send(Command::Order(Order::ErrandDone(errand))))
    }

    /// Stops the loop as a suspended machine would, or lets it go on.
    pub fn pause(&self, paused: bool) {
        self.tell(Command::Pause(paused));
    }

    /// Overwrites every variable, for tests.
    pub fn corrupt(&self, corruption: Corruption) {
        self.tell(Command::Order(Order::Corrupt(corruption)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_members_of_one_program_began_at_once() {
        let boots: Vec<u64> = (0..1000).map(|i| boot(1_800_000_000_000_000 + i % 7)).collect();
        assert!(boots.is_sorted_by(|one, next| one < next));
        assert!(boots[999] < 1_800_000_000_002_000, "and all near the time");
    }
}

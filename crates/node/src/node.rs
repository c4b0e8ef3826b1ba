//! The front door.

use crate::config::{Config, StartError, cannot_listen};
use crate::eligibility::{self, Eligibility};
use crate::observer::{Observer, Shared};
use crate::resolve::{self, Resolver};
use crate::runtime::{Bars, Request, Runtime};
use crate::{carrier, clock, refusals, state_file};
use ringleader_model::Timed;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Algorithm, Core, CoreConfig, Corruption, Now, Order, SplitMix, Withdrawal};
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

/// A node that has passed every check of a start and does not run yet. [`Node::start`] takes a built-in algorithm,
/// [`Node::start_with`] one of your own.
pub struct Node {
    config: Config,
    core: Core,
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node").field("config", &self.config).finish_non_exhaustive()
    }
}

impl Node {
    /// Starts a node of your own algorithm; [`Config::algorithm`] must name it the same on all nodes.
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
        config.validate()?;
        let meaning = config.algorithm.clone();
        Node::prepare_timed(config, algorithm, meaning)?.run()
    }

    /// A node of this algorithm with settings that were validated; `meaning` is everything on which the meaning of its messages
    /// depends.
    pub(crate) fn prepare_timed<A: Timed + 'static>(
        config: Config,
        algorithm: A,
        meaning: String,
    ) -> Result<Node, StartError> {
        let now = clock::now();
        let (size, heartbeat) = (algorithm.size(), config.tempo.heartbeat);
        let knows_when_to_act = algorithm.stands(config.id, &algorithm.start(config.id)).is_some();
        let settle = if knows_when_to_act { Duration::ZERO } else { heartbeat };
        let core_config = CoreConfig {
            algorithm: meaning,
            members: config.members(size)?,
            settle: config.settle.unwrap_or(settle),
            holds: !config.handover.is_zero(),
            guard: config.guard_with_record()?,
            ..core_config(&config, size, now)
        };
        let core = Core::new(Arc::new(algorithm), core_config, config.seed, now).map_err(StartError)?;
        Ok(Node { config, core })
    }

    /// A member of a ring, or of a complete network of neighbours, among so many; `build` makes it, with random words that no
    /// earlier boot had. [`Config::algorithm`] and [`Config::parameters`] must be the same on all nodes.
    pub fn prepare_member(
        config: Config,
        size: usize,
        build: impl FnOnce(&mut SplitMix) -> Result<Box<dyn Algorithm>, StartError>,
    ) -> Result<Node, StartError> {
        config.validate()?;
        let now = clock::now();
        let mut coin = SplitMix::new(config.seed ^ now.unix_micros.rotate_left(32));
        let heartbeat = config.tempo.heartbeat;
        let named: Vec<_> = config.parameters.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let core_config = CoreConfig {
            algorithm: config.algorithm.clone() + &named.concat(),
            members: config.members(size)?,
            settle: config.settle.unwrap_or(heartbeat),
            sides: config.sides.is_some(),
            silence: Some(heartbeat * SILENT_HEARTBEATS),
            boot: boot(now.unix_micros + coin.word() % 1000),
            ..core_config(&config, size, now)
        };
        let core = Core::around(build(&mut coin)?, core_config, coin.word(), now);
        Ok(Node { config, core })
    }

    /// Runs it until the handle is stopped or dropped. Nothing from here on knows the algorithm.
    pub fn run(self) -> Result<Handle, StartError> {
        let Node { mut config, core } = self;
        let bind = |e: std::io::Error| cannot_listen(config.listen, &e);
        let socket = UdpSocket::bind(config.listen).map_err(bind)?;
        socket.set_nonblocking(true).map_err(bind)?;
        enlarge_buffer(&socket);
        refusals::listen(&socket);
        config.listen = socket.local_addr().map_err(bind)?;
        let shared = Arc::new(Shared::new(core.status(), validity(&config)));
        let (requests, inbox) = channel();
        let (peers, updates) = channel();
        let eligibility = Eligibility { check: config.check.clone(), drain: config.drain.clone() };
        let first = eligibility.at_first();
        let ports = core.status().counters.sent.len();
        if config.sides.is_none() {
            config.size = Some(ports);
        }
        let addresses = resolve::literal(&config.others(), ports);
        let known_addresses = Arc::new(Mutex::new(addresses.iter().flatten().copied().collect()));
        let store = config.state.clone().map(|path| spawn_store(&config, path, &requests)).transpose()?;
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
            requests: inbox,
            bars: Bars { drained: first == Some(Withdrawal::Drained), unfit: eligibility.check.is_some(), cut: false },
        };
        spawn_resolver(&config, updates, requests.clone())?;
        spawn_watchers(&config, eligibility, known_addresses, &requests)?;
        let thread = spawn(format!("node-{}", config.id), move || runtime.run())?;
        let (listen, cluster, authenticated) = (config.listen, &config.cluster, config.keys.secret());
        match &config.sides {
            Some([left, right]) => tracing::info!(%listen, left, right, cluster, authenticated, "started"),
            None => tracing::info!(id = config.id, %listen, cluster, authenticated, "started"),
        }
        let observer = Observer { id: config.id, shared };
        Ok(Handle { observer, requests, peers, config, thread: Some(thread) })
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

/// The settings of a core that all kinds of nodes have.
fn core_config(config: &Config, size: usize, now: Now) -> CoreConfig {
    CoreConfig {
        cluster: config.cluster.clone(),
        keys: config.keys.clone(),
        clock_window: config.clock_window,
        away: validity(config),
        ..CoreConfig::new(config.id, size, config.tempo.heartbeat, now)
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
    updates: Receiver<BTreeMap<usize, String>>,
    requests: Sender<Request>,
) -> Result<(), StartError> {
    let peers = config.others();
    let resolver = Resolver {
        lookup: resolve::system(),
        listen: config.listen,
        retry: config.tempo.heartbeat,
        every: config.resolve_every,
    };
    // It ends when the handle, which holds the other end of the channel, is gone.
    spawn(format!("resolve-{}", config.id), move || {
        resolver.run(peers, &updates, move |id, address| drop(requests.send(Request::Address(id, address))));
    })
    .map(drop)
}

/// Stores what is to be stored, however long the disk takes, and says when it is done.
fn spawn_store(config: &Config, path: PathBuf, requests: &Sender<Request>) -> Result<Sender<Record>, StartError> {
    let (sender, records) = channel::<Record>();
    let (requests, cluster, id) = (requests.clone(), config.cluster.clone(), config.id);
    spawn(format!("store-{id}"), move || {
        for record in records {
            while let Err(error) = state_file::write(&path, record, &cluster, id) {
                tracing::error!(%error, file = %path.display(), "cannot store the token; trying again");
                if requests.send(Request::Order(Order::NotStored)).is_err() {
                    return;
                }
                std::thread::sleep(STORE_AGAIN);
            }
            if requests.send(Request::Order(Order::Stored(record))).is_err() {
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
    known: Arc<Mutex<Vec<SocketAddr>>>,
    requests: &Sender<Request>,
) -> Result<(), StartError> {
    let (id, heartbeat, listen) = (config.id, config.tempo.heartbeat, config.listen);
    let say = |make: fn(bool) -> Request| {
        let requests = requests.clone();
        move |value| requests.send(make(value)).is_ok()
    };
    if let Some(path) = eligibility.drain {
        let say = say(Request::Drained);
        spawn(format!("drain-{id}"), move || eligibility::watch_drain(&path, heartbeat, say))?;
    }
    if let Some(check) = eligibility.check {
        let say = say(Request::Fit);
        spawn(format!("check-{id}"), move || eligibility::watch_check(&check, say))?;
    }
    if config.carrier && !listen.ip().is_loopback() {
        let say = say(Request::Carrier);
        let peers = move || known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        spawn(format!("carrier-{id}"), move || carrier::watch(listen, peers, say))?;
    }
    Ok(())
}

/// A running node; dropping it ends the node as a crash would, without a handover.
#[derive(Debug)]
pub struct Handle {
    observer: Observer,
    requests: Sender<Request>,
    peers: Sender<BTreeMap<usize, String>>,
    /// The settings of the start, with the address it listens on.
    config: Config,
    thread: Option<JoinHandle<()>>,
}

impl Deref for Handle {
    type Target = Observer;
    fn deref(&self) -> &Observer {
        &self.observer
    }
}

impl Handle {
    // A request that finds no loop has come too late to matter.
    fn tell(&self, request: Request) {
        let _ = self.requests.send(request);
    }

    /// Where it listens.
    pub fn listen(&self) -> SocketAddr {
        self.config.listen
    }

    /// A view to give away.
    pub fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Takes the peers and the keys of a node that has passed every check of a start; its other settings need a restart. A refused
    /// reload changes nothing, and [`Observer::notices`] shows it until a later reload succeeds.
    pub fn reload(&self, node: Node) -> Result<(), StartError> {
        let new = Config { peers: node.config.peers, keys: node.config.keys, ..self.config.clone() };
        let members = self.reloadable(&new).inspect_err(|_| self.reload_refused())?;
        self.tell(Request::Reload { members, keys: new.keys.clone() });
        let _ = self.peers.send(new.others());
        Ok(())
    }

    /// The members after a reload of these settings, which is not carried out before everything has been validated.
    fn reloadable(&self, new: &Config) -> Result<Vec<bool>, StartError> {
        new.validate()?;
        let members = new.members(new.size())?;
        if new.guard.is_some() && self.config.members(new.size())? != members {
            return Err(StartError(
                "with the guard the members are fixed: stop all of them for the length of the lease, change the list everywhere, and \
                 start them again (`--await-stopped` watches that)"
                    .into(),
            ));
        }
        Ok(members)
    }

    /// Shows that a reload was refused, for callers that could not even read the new settings.
    pub fn reload_refused(&self) {
        self.tell(Request::Order(Order::ReloadRefused));
    }

    /// Hands the leadership over, if this node has it and the algorithm knows how, and goes on as a follower.
    pub fn resign(&self) {
        self.tell(Request::Order(Order::Resign));
    }

    /// Says that an errand has come to its end.
    pub(crate) fn errand_ends(&self) -> impl Fn(u64) + Send + 'static {
        let requests = self.requests.clone();
        move |errand| drop(requests.send(Request::Order(Order::ErrandDone(errand))))
    }

    /// Stops the loop as a suspended machine would, or lets it go on.
    pub fn pause(&self, paused: bool) {
        self.tell(Request::Pause(paused));
    }

    /// Overwrites every variable, for tests.
    pub fn corrupt(&self, corruption: Corruption) {
        self.tell(Request::Order(Order::Corrupt(corruption)));
    }

    /// The variables of the process as text, if its loop answers within a second.
    pub fn state(&self) -> Option<String> {
        let (reply, answer) = channel();
        self.tell(Request::State(reply));
        answer.recv_timeout(Duration::from_secs(1)).ok()
    }

    /// Hands the leadership over and ends.
    pub fn stop(mut self) {
        self.end(Request::Leave);
    }

    /// Ends at once, as in a crash.
    pub fn kill(mut self) {
        self.end(Request::Die);
    }

    fn end(&mut self, request: Request) {
        self.tell(request);
        if let Some(thread) = self.thread.take() {
            // A loop that panicked has said so on standard error.
            let _ = thread.join();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.end(Request::Die);
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

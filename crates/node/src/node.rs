//! A node: validated settings with a core, for a start and for a reload; and the handle of a running one.

use crate::config::{Config, DEFAULT_ALGORITHM, cannot_listen};
use crate::eligibility;
use crate::error::NodeError;
use crate::observer::{Observer, Shared};
use crate::resolve::{self, Resolver};
use crate::runtime::{Bar, LoopRequest, Runtime};
use crate::{carrier, clock, punctual, refusals, state_file};
use ringleader_model::{Timed, lock};
use ringleader_node_core::lease::Record;
use ringleader_node_core::{Algorithm, Core, CoreConfig, Corruption, Instruction, Keys, SplitMix};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{SocketAddr, UdpSocket};
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The kernel's buffer for unread datagrams, in bytes.
#[cfg(target_os = "linux")]
const RECEIVE_BUFFER: usize = 16 << 20;
/// A published state is valid for a heartbeat, and at least for this long: no loop is more punctual.
const LEAST_VALIDITY: Duration = Duration::from_millis(100);

/// The silence of a neighbour, in heartbeats, after which a ring counts as broken.
const SILENT_HEARTBEATS: u32 = 20;
/// A node that runs is heard within this time, or 20 heartbeats: a follower challenges its leader every minute, or every ten heartbeats.
const LATELY: Duration = Duration::from_secs(120);
/// The time after which storing is tried again.
const STORE_AGAIN: Duration = Duration::from_millis(500);
/// The time after which a node that stores nothing tries to write: the disk may be full.
const PROBE: Duration = Duration::from_secs(60);
/// The least time between two lines about a record that cannot be stored.
const TOLD_AGAIN: Duration = Duration::from_secs(60);

/// A node with validated settings that does not run yet. [`Node::start`] takes a built-in algorithm, [`Node::start_with`] one of your own.
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
    /// Starts a node of your own algorithm; [`Config::algorithm`] must be the same on all nodes.
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
    pub fn start_with<A: Timed + 'static>(config: Config, algorithm: A) -> Result<Handle, NodeError> {
        config.validate()?;
        let meaning = config.algorithm.clone();
        Node::prepare_timed(config, algorithm, meaning)?.run()
    }

    /// A node of this algorithm with validated settings; `meaning` names all that the meaning of its messages depends on.
    pub(crate) fn prepare_timed<A: Timed + 'static>(
        config: Config,
        algorithm: A,
        meaning: String,
    ) -> Result<Node, NodeError> {
        let reading = "graph is for algorithms whose processes read their neighbours on a graph, such as tree-leader";
        NodeError::refuse_if(config.graph.is_some(), format!("{reading}: {} needs no graph", config.algorithm))?;
        let now = clock::now();
        let (size, heartbeat) = (algorithm.size(), config.tempo.heartbeat);
        let knows_when_to_act = algorithm.stands(config.id, &algorithm.start(config.id)).is_some();
        let settle = if knows_when_to_act { Duration::ZERO } else { heartbeat };
        let core_config = CoreConfig {
            algorithm: meaning,
            members: config.members(size)?,
            settle: config.settle.unwrap_or(settle),
            holds: !config.handover.is_zero(),
            handover: config.handover,
            guard: config.guard_with_record()?,
            ..core_config(&config, size)
        };
        let core = Core::new(Arc::new(algorithm), core_config, config.seed, now)?;
        Ok(Node { config, core })
    }

    /// A member of a ring, of a graph, or of a complete network of neighbours, of this size. `build` makes it, with random words that differ from
    /// those of earlier boots. [`Config::algorithm`], [`Config::parameters`] and [`Config::graph`] must be the same on all nodes.
    pub fn prepare_member(
        config: Config,
        size: usize,
        build: impl FnOnce(&mut SplitMix) -> Result<Box<dyn Algorithm>, NodeError>,
    ) -> Result<Node, NodeError> {
        config.validate()?;
        let now = clock::now();
        let mut coin = SplitMix::new(config.seed ^ boot());
        let heartbeat = config.tempo.heartbeat;
        let named: Vec<_> = config.parameters.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let graph = config.graph.as_ref().map(|links| format!(" graph={}", links.meaning())).unwrap_or_default();
        let core_config = CoreConfig {
            algorithm: config.algorithm.clone() + &named.concat() + &graph,
            members: config.members(size)?,
            settle: config.settle.unwrap_or(heartbeat),
            sides: config.sides.is_some(),
            partial: config.graph.is_some(),
            silence: Some(heartbeat * SILENT_HEARTBEATS),
            ..core_config(&config, size)
        };
        let core = Core::around(build(&mut coin)?, core_config, coin.word(), now);
        Ok(Node { config, core })
    }

    /// Runs the node until the handle is stopped or dropped.
    pub fn run(self) -> Result<Handle, NodeError> {
        let Node { mut config, core } = self;
        let bind = |e: std::io::Error| cannot_listen(config.listen, &e);
        let socket = UdpSocket::bind(config.listen).map_err(bind)?;
        socket.set_nonblocking(true).map_err(bind)?;
        enlarge_buffer(&socket);
        refusals::listen(&socket);
        config.listen = socket.local_addr().map_err(bind)?;
        let shared = Arc::new(Shared::new(&core, validity(&config)));
        let (requests, inbox) = channel();
        let (peers, updates) = channel();
        let drained = config.drain.iter().filter(|path| eligibility::present(path)).map(|_| Bar::DrainFile);
        let unfit = config.check.iter().map(|_| Bar::Unfit);
        let ports = core.counters().sent.len();
        if config.sides.is_none() {
            config.size = Some(ports);
        }
        let addresses = resolve::literal(&config.others(), ports);
        let known_addresses = Arc::new(Mutex::new(addresses.iter().flatten().copied().collect()));
        let store = config.state.clone().map(|path| spawn_store(&config, path, &requests)).transpose()?;
        let runtime = Runtime {
            id: config.sides.is_none().then_some(config.id),
            store,
            storing: false,
            led: false,
            core,
            socket,
            addresses,
            named: (Instant::now(), config.others().into_keys().collect()),
            learned: Default::default(),
            known: Arc::clone(&known_addresses),
            tempo: config.tempo,
            handover: config.handover,
            shared: Arc::clone(&shared),
            requests: inbox,
            bars: drained.chain(unfit).collect(),
        };
        spawn_resolver(&config, updates, requests.clone())?;
        spawn_watchers(&config, known_addresses, &requests)?;
        let (number, numbers) = channel();
        let thread = spawn(format!("node-{}", config.id), move || {
            // The receiver ends if the node does not start.
            let _ = number.send(punctual::thread());
            runtime.run();
        })?;
        let observer = Observer { id: config.id, cluster: config.cluster.as_str().into(), shared };
        let keys = Mutex::new(config.keys.clone());
        let mut handle = Handle { observer, requests, peers, config, keys, thread: Some(thread) };
        handle.be_punctual(&numbers)?;
        let config = &handle.config;
        let (listen, cluster, authenticated) = (config.listen, &config.cluster, config.keys.secret());
        match &config.sides {
            Some([left, right]) => tracing::info!(%listen, left, right, cluster, authenticated, "started"),
            None => tracing::info!(id = config.id, %listen, cluster, authenticated, "started"),
        }
        Ok(handle)
    }
}

/// A random incarnation. The standard library seeds its hashers with random numbers of the operating system.
fn boot() -> u64 {
    RandomState::new().build_hasher().finish().max(1)
}

/// The time for which a published state is valid.
fn validity(config: &Config) -> Duration {
    config.tempo.heartbeat.max(LEAST_VALIDITY)
}

/// The settings that all cores share.
fn core_config(config: &Config, size: usize) -> CoreConfig {
    CoreConfig {
        cluster: config.cluster.clone(),
        keys: config.keys.clone(),
        away: validity(config),
        alone: config.alone,
        ..CoreConfig::new(config.id, size, config.tempo.heartbeat, boot())
    }
}

/// Enlarges the receive buffer: a flood that fills the kernel's usual 200 KiB makes heartbeats get lost. Only a privileged process may exceed
/// the system's limit; without that, the node only tolerates smaller floods.
#[cfg(target_os = "linux")]
fn enlarge_buffer(socket: &UdpSocket) {
    use nix::sys::socket::{setsockopt, sockopt};
    if setsockopt(socket, sockopt::RcvBufForce, &RECEIVE_BUFFER).is_err() {
        let _ = setsockopt(socket, sockopt::RcvBuf, &RECEIVE_BUFFER);
    }
}

#[cfg(not(target_os = "linux"))]
fn enlarge_buffer(_: &UdpSocket) {}

fn spawn(name: String, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, NodeError> {
    let thread = std::thread::Builder::new().name(name).stack_size(512 * 1024);
    thread.spawn(body).map_err(NodeError::no_thread)
}

fn spawn_resolver(
    config: &Config,
    updates: Receiver<BTreeMap<usize, String>>,
    requests: Sender<LoopRequest>,
) -> Result<(), NodeError> {
    let peers = config.others();
    let resolver = Resolver {
        lookup: resolve::system(),
        listen: config.listen,
        retry: config.tempo.heartbeat,
        every: config.resolve_every,
    };
    // It ends when the handle, which owns the sender, is dropped.
    spawn(format!("resolve-{}", config.id), move || {
        resolver.run(peers, &updates, move |id, address| drop(requests.send(LoopRequest::Address(id, address))));
    })
    .map(drop)
}

/// Stores records in a thread, since a disk may take long, and reports each result to the loop.
fn spawn_store(config: &Config, path: PathBuf, requests: &Sender<LoopRequest>) -> Result<Sender<Record>, NodeError> {
    let (sender, records) = channel::<Record>();
    let (requests, cluster, id) = (requests.clone(), config.cluster.clone(), config.id);
    spawn(format!("store-{id}"), move || {
        let mut told: Option<Instant> = None;
        let mut failed = |error: &dyn std::fmt::Display| {
            if told.is_none_or(|at| at.elapsed() >= TOLD_AGAIN) {
                tracing::error!(%error, file = %path.display(), "cannot store the token; trying again");
                told = Some(Instant::now());
            }
            requests.send(LoopRequest::Instruct(Instruction::NotStored)).is_ok()
        };
        let mut pause = PROBE;
        loop {
            let record = match records.recv_timeout(pause) {
                Ok(record) => record,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    pause = match state_file::probe(&path) {
                        Ok(()) => PROBE,
                        Err(error) if failed(&error) => STORE_AGAIN,
                        Err(_) => return,
                    };
                    continue;
                }
            };
            while let Err(error) = state_file::write(&path, record, &cluster, id, false) {
                if !failed(&error) {
                    return;
                }
                std::thread::sleep(STORE_AGAIN);
            }
            pause = PROBE;
            if requests.send(LoopRequest::Instruct(Instruction::Stored(record))).is_err() {
                return;
            }
        }
    })?;
    Ok(sender)
}

/// Starts the threads that watch the node's surroundings; each ends when the loop has ended.
fn spawn_watchers(
    config: &Config,
    known: Arc<Mutex<Vec<SocketAddr>>>,
    requests: &Sender<LoopRequest>,
) -> Result<(), NodeError> {
    let (id, heartbeat, listen) = (config.id, config.tempo.heartbeat, config.listen);
    let say = |bar| {
        let requests = requests.clone();
        move |holds| requests.send(LoopRequest::Bar(bar, holds)).is_ok()
    };
    if let Some(path) = config.drain.clone() {
        let say = say(Bar::DrainFile);
        spawn(format!("drain-{id}"), move || eligibility::watch_drain(&path, heartbeat, say))?;
    }
    if let Some(check) = config.check.clone() {
        let say = say(Bar::Unfit);
        spawn(format!("check-{id}"), move || eligibility::watch_check(&check, |fit| say(!fit)))?;
    }
    if config.carrier && !listen.ip().is_loopback() {
        let say = say(Bar::Carrier);
        let peers = move || lock(&known).clone();
        spawn(format!("carrier-{id}"), move || carrier::watch(listen, peers, say))?;
    }
    Ok(())
}

/// A running node. Dropping the handle ends the node like a crash, without a handover.
#[derive(Debug)]
pub struct Handle {
    observer: Observer,
    pub(crate) requests: Sender<LoopRequest>,
    peers: Sender<BTreeMap<usize, String>>,
    /// The settings of the start, with the actual address.
    pub(crate) config: Config,
    /// The keys of the start, or of the last reload.
    keys: Mutex<Keys>,
    thread: Option<JoinHandle<()>>,
}

impl Deref for Handle {
    type Target = Observer;
    fn deref(&self) -> &Observer {
        &self.observer
    }
}

impl Handle {
    /// Gives the loop its priority and locks memory, if the settings say so.
    fn be_punctual(&mut self, thread: &Receiver<i32>) -> Result<(), NodeError> {
        if let (Some(priority), Ok(thread)) = (self.config.realtime, thread.recv()) {
            punctual::set_realtime(priority, thread)?;
        }
        if self.config.lock_memory { punctual::lock_memory() } else { Ok(()) }
    }

    // A stopped loop ignores requests.
    fn tell(&self, request: LoopRequest) {
        let _ = self.requests.send(request);
    }

    /// The address on which it listens.
    pub fn listen(&self) -> SocketAddr {
        self.config.listen
    }

    /// An observer of this node.
    pub fn observer(&self) -> Observer {
        self.observer.clone()
    }

    /// Uses the peers and the keys of a node with validated settings; its other settings need a restart. A refused reload changes nothing,
    /// and [`Observer::notices`] shows it until a later reload succeeds. Returns warnings about the new keys.
    pub fn reload(&self, node: Node) -> Result<Vec<String>, NodeError> {
        if node.config.graph != self.config.graph {
            self.reload_refused();
            return Err(NodeError::new("the graph has changed: stop all nodes, and start them with the new graph"));
        }
        let new = Config { peers: node.config.peers, keys: node.config.keys, ..self.config.clone() };
        let members = self.reloadable(&new).inspect_err(|_| self.reload_refused())?;
        let peers = new.others();
        let named = peers.keys().copied().collect();
        self.tell(LoopRequest::Reload { members, keys: new.keys.clone(), named });
        let _ = self.peers.send(peers);
        let mut warnings = vec![];
        let old = std::mem::replace(&mut *lock(&self.keys), new.keys.clone());
        if !new.keys.shares_with(&old) {
            warnings.push(
                "the new keys and the old ones have no key in common: nodes that are not reloaded yet reject the datagrams of this node".into(),
            );
        }
        if new.keys.repeats() {
            warnings.push("the key file has the same key twice".into());
        }
        Ok(warnings)
    }

    /// The members after a reload, if all of its settings are valid.
    fn reloadable(&self, new: &Config) -> Result<Vec<bool>, NodeError> {
        new.validate()?;
        let mut members = new.members(new.size())?;
        let fixed = new.guard.is_some() && new.state.is_none();
        NodeError::refuse_if(
            fixed && self.config.members(new.size())? != members,
            "with the guard and without `state` the members are fixed: stop all of them for the length of the lease \
             (`--await-stopped` waits for that), change the list everywhere, and start them again; with `state` on every member a \
             reload changes them",
        )?;
        if let Some(own) = members.get_mut(new.id).filter(|_| new.state.is_some()) {
            // A node without a line of its own proposes no list: it would add itself.
            *own = new.peers.contains_key(&new.id);
        }
        Ok(members)
    }

    /// Shows that a reload was refused, for callers that cannot read the new settings.
    pub fn reload_refused(&self) {
        self.tell(LoopRequest::Instruct(Instruction::ReloadRefused));
    }

    /// Hands the leadership over, if this node leads and the algorithm has a rule for that, and continues as a follower. It returns before
    /// another node leads.
    pub fn resign(&self) {
        self.tell(LoopRequest::Instruct(Instruction::Resign));
    }

    /// Whether a leader that resigns now would find a successor: the default algorithm runs, and another node was heard in the last two minutes, or 20 heartbeats.
    /// If not, the error has the reason.
    pub fn can_hand_over(&self) -> Result<(), NodeError> {
        self.hands_over("resign")?;
        let (now, lately) = (clock::elapsed(), LATELY.max(20 * self.config.tempo.heartbeat));
        let heard = self.counters().last_heard.iter().flatten().any(|at| now.saturating_sub(*at) <= lately);
        NodeError::refuse_if(!heard, format!("no other node was heard in the last {lately:?}: there is no successor"))
    }

    /// Keeps this node from leading until further notice, or ends that. A leader hands over; with the guard it then returns the lease. A reload
    /// changes nothing about it, and a new start forgets it: [`Config::drain`] is a file that a start remembers.
    ///
    /// Only the default algorithm has a rule for handing over; see [`Node::start`].
    pub fn drain(&self, drained: bool) -> Result<(), NodeError> {
        self.hands_over("drain")?;
        self.tell(LoopRequest::Bar(Bar::DrainOrder, drained));
        Ok(())
    }

    /// Refuses an order that needs a rule for handing over.
    fn hands_over(&self, order: &str) -> Result<(), NodeError> {
        let no_rule = format!("{} has no rule for handing over; stop the node instead", self.config.algorithm);
        NodeError::refuse_if(!self.config.is_quick(), format!("{order} is for {DEFAULT_ALGORITHM}: {no_rule}"))
    }

    /// Pauses the loop, as in a suspended machine, or resumes it.
    pub fn pause(&self, paused: bool) {
        self.tell(LoopRequest::Pause(paused));
    }

    /// Overwrites every variable, for tests.
    pub fn corrupt(&self, corruption: Corruption) {
        self.tell(LoopRequest::Instruct(Instruction::Corrupt(corruption)));
    }

    /// The variables of the process as text, if its loop answers within a second.
    pub fn state(&self) -> Option<String> {
        let (reply, answer) = channel();
        self.tell(LoopRequest::State(reply));
        answer.recv_timeout(Duration::from_secs(1)).ok()
    }

    /// Hands the leadership over and ends.
    pub fn stop(mut self) {
        self.end(LoopRequest::Leave);
    }

    /// Ends immediately, as in a crash.
    pub fn kill(mut self) {
        self.end(LoopRequest::Die);
    }

    fn end(&mut self, request: LoopRequest) {
        self.tell(request);
        if let Some(thread) = self.thread.take() {
            // A panic has already been printed.
            let _ = thread.join();
        }
    }
}

/// A node that is dropped hands the leadership over and ends, as with [`Handle::stop`]. A panic does not wait for a successor.
impl Drop for Handle {
    fn drop(&mut self) {
        self.end(if std::thread::panicking() { LoopRequest::Die } else { LoopRequest::Leave });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incarnations_differ() {
        let boots: std::collections::BTreeSet<u64> = (0..1000).map(|_| boot()).collect();
        assert_eq!(boots.len(), 1000);
    }
}

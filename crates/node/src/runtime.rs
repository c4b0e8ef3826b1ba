//! A protocol over a real socket: one thread that waits, reads, iterates and sends.

use crate::clock;
use crate::observer::Shared;
use crate::refusals;
use crate::resolve::Addresses;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{
    Change, Command, Core, Keys, Leadership, MAX_DATAGRAM, Order, Reason, Role, Tempo, Withdrawal,
};
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest wait after which commands are looked at.
const ATTENTION: Duration = Duration::from_millis(20);
/// The same while others wait for this node.
const HASTE: Duration = Duration::from_millis(2);
/// How many heartbeats a node that leaves takes for finding an heir, and for seeing that somebody took over.
const HANDOVER_HEARTBEATS: u32 = 3;
/// How many datagrams are read at least before an iteration that is overdue: what came meanwhile may say that this node is
/// no longer the leader.
const OVERDUE: usize = 256;

/// What the handle and the threads around the node ask of the loop.
pub(crate) enum Request {
    Address(usize, SocketAddr),
    Reload {
        members: Vec<bool>,
        keys: Keys,
    },
    Drained(bool),
    Fit(bool),
    Carrier(bool),
    Order(Order),
    Pause(bool),
    State(Sender<String>),
    /// Resign, then end.
    Leave,
    /// End at once, as in a crash.
    Die,
}

pub(crate) struct Runtime {
    pub(crate) core: Core,
    pub(crate) socket: UdpSocket,
    pub(crate) addresses: Addresses,
    /// The addresses known now, for others to see.
    pub(crate) known: Arc<Mutex<Vec<SocketAddr>>>,
    pub(crate) tempo: Tempo,
    /// For how long a handover may wait for hooks.
    pub(crate) handover: Duration,
    pub(crate) shared: Arc<Shared>,
    pub(crate) requests: Receiver<Request>,
    pub(crate) bars: Bars,
    /// Where records go that are to be stored.
    pub(crate) store: Option<Sender<Record>>,
    /// Whether one is being stored.
    pub(crate) storing: bool,
}

/// Why the node is not to lead.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bars {
    pub(crate) drained: bool,
    pub(crate) unfit: bool,
    pub(crate) cut: bool,
}

impl Bars {
    pub(crate) fn foremost(self) -> Option<Withdrawal> {
        let bars =
            [(self.cut, Withdrawal::Carrier), (self.drained, Withdrawal::Drained), (self.unfit, Withdrawal::Unhealthy)];
        bars.into_iter().find(|(holds, _)| *holds).map(|(_, bar)| bar)
    }
}

/// However the loop ends, nobody goes on believing what it said last.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Whether the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Running,
    Paused,
    Leaving,
    Dead,
}

impl Runtime {
    /// Loops until told to end.
    pub(crate) fn run(mut self) {
        let _end = End(Arc::clone(&self.shared));
        self.withdraw();
        let mut mode = Mode::Running;
        let mut last = Instant::now();
        let mut due = last + self.tempo.iteration();
        while matches!(mode, Mode::Running | Mode::Paused) {
            mode = self.wait(due, mode);
            if mode != Mode::Running {
                (last, due) = (Instant::now(), Instant::now());
                continue;
            }
            let begun = Instant::now();
            self.note_lateness(begun - last, begun.saturating_duration_since(due));
            self.iterate();
            last = begun;
            due = (due + self.tempo.iteration()).max(begun + self.tempo.least_iteration());
        }
        if mode == Mode::Leaving {
            self.hand_over();
        }
    }

    /// Reads datagrams and obeys commands until the next iteration is due.
    fn wait(&mut self, due: Instant, mut mode: Mode) -> Mode {
        let mut looked = false;
        loop {
            while let Ok(request) = self.requests.try_recv() {
                mode = self.obey(request, mode);
            }
            self.release_when_done();
            let left = due.saturating_duration_since(Instant::now());
            match mode {
                Mode::Running if left.is_zero() => {
                    if !looked {
                        self.read(due);
                    }
                    return mode;
                }
                Mode::Running => {
                    wait_readable(&self.socket, left.min(self.attention()));
                    self.read(due);
                    looked = true;
                }
                Mode::Paused => std::thread::sleep(ATTENTION),
                Mode::Leaving | Mode::Dead => return mode,
            }
        }
    }

    /// Reads all there is, but not much beyond the next iteration: a flood must not stop the clock.
    fn read(&mut self, due: Instant) {
        let mut buffer = [0; MAX_DATAGRAM + 1];
        let mut overdue = 0;
        self.ask_the_refused();
        while overdue < OVERDUE {
            overdue += usize::from(Instant::now() >= due);
            match self.socket.recv_from(&mut buffer) {
                Ok((length, from)) => self.take(&buffer[..length], from),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // An earlier datagram did not get through; the socket is as good as before.
                Err(e) if refusals::is_of_another(&e) || e.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot receive");
                    std::thread::sleep(ATTENTION);
                    return;
                }
            }
        }
    }

    fn ask_the_refused(&mut self) {
        for address in refusals::take(&self.socket) {
            if let Some(peer) = self.addresses.iter().position(|known| *known == Some(address)) {
                self.order(Order::Refused(peer));
            }
        }
    }

    fn take(&mut self, datagram: &[u8], from: SocketAddr) {
        if let Err(rejection) = self.core.receive(clock::now(), datagram) {
            tracing::trace!(%from, %rejection, "datagram dropped");
        }
        self.execute(Some(from));
    }

    /// Carries out what the core asks for; replies go to the address that the last datagram came `from`.
    fn execute(&mut self, from: Option<SocketAddr>) {
        for command in self.core.take_commands() {
            match command {
                Command::Announce(change) => self.announce(change),
                Command::Send { to, datagram } => self.send(to, &datagram),
                Command::Reply(datagram) => {
                    if let Some(from) = from
                        && let Err(error) = send(&self.socket, &datagram, from)
                    {
                        tracing::debug!(%from, %error, "cannot reply");
                    }
                }
                // A thread of its own stores it, however long the disk takes.
                Command::Store(record) => {
                    self.storing = self.store.as_ref().is_some_and(|store| store.send(record).is_ok());
                }
                Command::Report(notice) => {
                    let (peer, trouble) = (notice.peer, notice.trouble.name());
                    tracing::warn!(peer, trouble, "{notice}");
                }
                other => tracing::error!(?other, "this runtime does not know a command of its core"),
            }
        }
    }

    /// Hooks that had to run before another leads have run.
    fn release_when_done(&mut self) {
        if self.core.status().holding && self.shared.hooks_done() {
            self.order(Order::Release);
        }
    }

    fn obey(&mut self, request: Request, mode: Mode) -> Mode {
        match request {
            Request::Address(id, address) => self.set_address(id, Some(address)),
            Request::Reload { members, keys } => {
                for id in (0..members.len()).filter(|&id| !members[id]) {
                    self.set_address(id, None);
                }
                self.order(Order::Reload { members, keys });
            }
            Request::Drained(drained) => {
                self.bars.drained = drained;
                self.withdraw();
            }
            Request::Fit(fit) => {
                self.bars.unfit = !fit;
                self.withdraw();
            }
            // A node without a carrier shows at once that it does not lead.
            Request::Carrier(lost) => {
                self.bars.cut = lost;
                self.withdraw();
            }
            Request::Order(order) => {
                self.storing &= !matches!(order, Order::Stored(_));
                self.order(order);
            }
            Request::Pause(true) => return Mode::Paused,
            Request::Pause(false) => return Mode::Running,
            // Nobody waits for the answer any more: fine.
            Request::State(reply) => drop(reply.send(self.core.state())),
            Request::Leave => return Mode::Leaving,
            Request::Die => return Mode::Dead,
        }
        mode
    }

    fn set_address(&mut self, id: usize, address: Option<SocketAddr>) {
        if let Some(known) = self.addresses.get_mut(id) {
            *known = address;
            let all = self.addresses.iter().flatten().copied().collect();
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = all;
        }
    }

    fn order(&mut self, order: Order) {
        self.core.obey(clock::now(), order);
        self.shared.publish(self.core.status());
        self.execute(None);
    }

    /// For how long nothing else may happen.
    fn attention(&self) -> Duration {
        if self.storing || self.core.status().holding { HASTE } else { ATTENTION }
    }

    fn withdraw(&mut self) {
        self.order(Order::Withdraw(self.bars.foremost()));
    }

    fn note_lateness(&mut self, took: Duration, late: Duration) {
        let limit = self.tempo.iteration() * 3 / 2;
        let counters = self.core.counters_mut();
        counters.late_iterations += u64::from(took > limit);
        counters.last_lateness = late;
        counters.worst_lateness = counters.worst_lateness.max(late);
    }

    fn iterate(&mut self) {
        self.core.iterate(clock::now());
        self.shared.publish(self.core.status());
        self.execute(None);
    }

    fn send(&mut self, to: usize, datagram: &[u8]) {
        let Some(address) = self.addresses[to] else {
            self.core.counters_mut().send_errors += 1;
            return;
        };
        if let Err(error) = send(&self.socket, datagram, address) {
            self.core.counters_mut().send_errors += 1;
            tracing::debug!(peer = to, %address, %error, "cannot send");
        }
    }

    fn announce(&self, change: Change) {
        let Change { before, after, reason } = change;
        // Until when it could have acted, by its own clock, whenever it noticed that.
        let lasted = before.confirmation.map(|was| was.until.min(clock::elapsed()).as_micros() as u64);
        if let (None, Some(confirmation)) = (before.confirmation, after.confirmation) {
            let (at, until) = (clock::elapsed().as_micros() as u64, confirmation.until.as_micros() as u64);
            tracing::info!(at, until, token = confirmation.token.unwrap_or(0), "confirmed");
        } else if let (Some(until), None) = (lasted, after.confirmation) {
            tracing::info!(until, "confirmed no longer");
        }
        let (leader, state, epoch) = (after.named(), after.state, after.epoch);
        if before.leader != after.leader {
            tracing::info!(leader, was = before.named(), %state, epoch, %reason, "leader changed");
        } else {
            tracing::info!(%state, leader, epoch, %reason, "state changed");
        }
        self.shared.announce(change);
    }

    /// Looks for an heir, lets hooks run and lets go; then waits until another leads, since datagrams get lost, or for so long.
    fn hand_over(&mut self) {
        let before = self.core.status().leadership;
        let patience = self.tempo.heartbeat * HANDOVER_HEARTBEATS;
        let mut end = Instant::now() + patience + self.handover;
        let leads = |runtime: &Self| runtime.core.status().leadership.state == Role::Leader;
        let mut let_go = None;
        if leads(self) {
            self.order(Order::Resign);
            while self.core.status().leadership.leader == before.leader && Instant::now() < end {
                let due = Instant::now() + self.tempo.iteration();
                while Instant::now() < due {
                    self.release_when_done();
                    let left = due.saturating_duration_since(Instant::now());
                    wait_readable(&self.socket, left.min(self.attention()));
                    self.read(due);
                }
                self.iterate();
                if !leads(self) && !self.core.status().holding {
                    // It has let go: what is left is to see that somebody noticed.
                    end = end.min(*let_go.get_or_insert_with(|| Instant::now() + patience));
                }
            }
        }
        if leads(self) {
            let after = Leadership { state: Role::Unsettled, confirmation: None, ..before };
            self.announce(Change { before, after, reason: Reason::Resigned });
        }
    }
}

/// Sends. What was heard of an earlier datagram keeps this one back; then it is sent again.
fn send(socket: &UdpSocket, datagram: &[u8], to: SocketAddr) -> std::io::Result<usize> {
    match socket.send_to(datagram, to) {
        Err(error) if refusals::is_of_another(&error) => socket.send_to(datagram, to),
        sent => sent,
    }
}

/// Returns when the socket has something to read, or after this long. `SO_RCVTIMEO` would be rounded to the kernel's
/// jiffies, which are as long as a fast loop's iteration.
#[cfg(unix)]
fn wait_readable(socket: &UdpSocket, timeout: Duration) {
    use nix::poll::{PollFd, PollFlags, ppoll};
    use std::os::fd::AsFd;
    let mut descriptors = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    // Interrupted by a signal is as good as woken by a datagram: the caller looks at the clock.
    let _ = ppoll(&mut descriptors, Some(timeout.into()), None);
}

#[cfg(not(unix))]
fn wait_readable(_: &UdpSocket, timeout: Duration) {
    std::thread::sleep(timeout.min(Duration::from_millis(1)));
}

//! A core over a UDP socket: one thread that waits, reads, iterates and sends.

use crate::clock;
use crate::history::{Circumstances, Event, explain};
use crate::observer::Shared;
use crate::refusals;
use crate::resolve::Addresses;
use ringleader_model::lock;
use ringleader_node_core::lease::Record;
use ringleader_node_core::{
    Change, Command, Core, Instruction, Keys, Leadership, MAX_DATAGRAM, Reason, Role, Tempo, Trouble, Withdrawal,
};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::net::{SocketAddr, UdpSocket};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The longest wait before requests are checked.
const ATTENTION: Duration = Duration::from_millis(20);
/// The same while other nodes wait for this one.
const HASTE: Duration = Duration::from_millis(2);
/// The heartbeats that a leaving node takes to find a successor, and to see that it leads.
const HANDOVER_HEARTBEATS: u32 = 3;
/// The datagrams that are read at least before an overdue iteration: they may show that this node is not the leader any more.
const OVERDUE: usize = 256;
/// The heartbeats after which a name that is not resolved is a notice.
const RESOLVED: u32 = 2;

/// A request of the handle, or of a thread around the node, to the loop.
pub(crate) enum LoopRequest {
    Address(usize, SocketAddr),
    Reload {
        members: Vec<bool>,
        keys: Keys,
        named: BTreeSet<usize>,
    },
    /// Whether the node must not lead for this reason.
    Bar(Bar, bool),
    Instruct(Instruction),
    Pause(bool),
    State(Sender<String>),
    /// Resign, then end.
    Leave,
    /// End immediately, as in a crash.
    Die,
}

pub(crate) struct Runtime {
    /// This node's identity; `None` on a ring, where nodes have none.
    pub(crate) id: Option<usize>,
    pub(crate) core: Core,
    pub(crate) socket: UdpSocket,
    pub(crate) addresses: Addresses,
    /// The peers with a line in `[peers]`, and the time since when.
    pub(crate) named: (Instant, BTreeSet<usize>),
    /// The peers whose name was never resolved: their address is the source of their last datagram.
    pub(crate) learned: BTreeSet<usize>,
    /// The known addresses, for the thread that watches the carrier.
    pub(crate) known: Arc<Mutex<Vec<SocketAddr>>>,
    pub(crate) tempo: Tempo,
    /// The time that a handover may wait for hooks.
    pub(crate) handover: Duration,
    pub(crate) shared: Arc<Shared>,
    pub(crate) requests: Receiver<LoopRequest>,
    pub(crate) bars: BTreeSet<Bar>,
    /// The thread that stores records.
    pub(crate) store: Option<Sender<Record>>,
    /// Whether a record is being stored.
    pub(crate) storing: bool,
    /// Whether it has led since its start.
    pub(crate) led: bool,
}

/// The reasons why the node must not lead, the foremost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bar {
    /// The node stops leading immediately.
    Carrier,
    /// The drain file exists.
    DrainFile,
    /// An operator has drained this node until further notice.
    DrainOrder,
    /// This host cannot hold the virtual addresses.
    Address,
    Unfit,
}

/// Invalidates the published state when the loop ends, even by a panic.
struct StopOnDrop(Arc<Shared>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The state of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoopState {
    Running,
    Paused,
    Leaving,
    Dead,
}

impl Runtime {
    /// Runs the loop until a request ends it.
    pub(crate) fn run(mut self) {
        let _stop = StopOnDrop(Arc::clone(&self.shared));
        self.withdraw();
        let mut state = LoopState::Running;
        let mut last = Instant::now();
        let mut due = last + self.tempo.iteration();
        while matches!(state, LoopState::Running | LoopState::Paused) {
            state = self.wait(due, state);
            if state != LoopState::Running {
                (last, due) = (Instant::now(), Instant::now());
                continue;
            }
            let begun = Instant::now();
            self.note_lateness(begun - last, begun.saturating_duration_since(due));
            self.iterate();
            last = begun;
            due = (due + self.tempo.iteration()).max(begun + self.tempo.least_iteration());
        }
        if state == LoopState::Leaving {
            self.hand_over();
        }
    }

    /// Reads datagrams and handles requests until the next iteration is due.
    fn wait(&mut self, due: Instant, mut state: LoopState) -> LoopState {
        let mut looked = false;
        loop {
            while let Ok(request) = self.requests.try_recv() {
                state = self.obey(request, state);
            }
            self.release_when_done();
            let left = due.saturating_duration_since(Instant::now());
            match state {
                LoopState::Running if left.is_zero() => {
                    if !looked {
                        self.read(due);
                    }
                    return state;
                }
                LoopState::Running => {
                    wait_readable(&self.socket, left.min(self.attention()));
                    self.read(due);
                    looked = true;
                }
                LoopState::Paused => std::thread::sleep(ATTENTION),
                LoopState::Leaving | LoopState::Dead => return state,
            }
        }
    }

    /// Reads all datagrams, but not long beyond the next iteration: a flood must not stop the loop.
    fn read(&mut self, due: Instant) {
        let mut buffer = [0; MAX_DATAGRAM + 1];
        let mut overdue = 0;
        self.ask_the_refused();
        while overdue < OVERDUE {
            overdue += usize::from(Instant::now() >= due);
            match self.socket.recv_from(&mut buffer) {
                Ok((length, from)) => self.take(&buffer[..length], from),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // An error about an earlier datagram; the socket still works.
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
                self.instruct(Instruction::Refused(peer));
            }
        }
    }

    fn take(&mut self, datagram: &[u8], from: SocketAddr) {
        let before = self.core.status().leadership.state;
        let taken = self.core.receive(clock::now(), datagram);
        if self.core.status().leadership.state != before {
            self.publish();
        }
        match taken {
            Ok(sender) => self.learn_address(sender, from),
            Err(rejection) => tracing::trace!(%from, %rejection, "datagram dropped"),
        }
        self.execute(Some(from));
    }

    /// Carries out the commands of the core; replies go to `from`, the sender of the last datagram.
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
                // A separate thread stores it, since a disk may take long.
                Command::Store(record) => {
                    self.storing = self.store.as_ref().is_some_and(|store| store.send(record).is_ok());
                }
                Command::Healed(other) => {
                    tracing::info!(
                        other,
                        "a split has healed: this node leads on, the other one named itself the leader meanwhile and follows"
                    );
                    self.shared.healed(other);
                }
                Command::Changing { lists, stage } => {
                    let (number, members, stage_name) = (lists.number, lists.adopted.to_string(), stage.name());
                    tracing::info!(number, members, stage = stage_name, "members: {stage}");
                }
                Command::Learned { from: peer, before, lists } => {
                    let (number, members) = (lists.number, lists.adopted.to_string());
                    let proposal = lists.proposal.map(|list| list.to_string());
                    let address = from.map(tracing::field::display);
                    let before = format!("{} with the number {}", before.adopted, before.number);
                    tracing::info!(
                        peer,
                        address,
                        number,
                        members,
                        proposal,
                        before,
                        "members: node {peer} sent later lists"
                    );
                }
                Command::Report(notice) => {
                    let (peer, trouble) = (notice.peer, notice.trouble.name());
                    // The datagram that shows the problem came from this address.
                    let address = from.map(tracing::field::display);
                    tracing::warn!(peer, trouble, address, "{notice}");
                }
                other => tracing::error!(?other, "this runtime does not support a command of its core"),
            }
        }
    }

    /// Releases the place of a leader that hands over, once its hooks have run.
    fn release_when_done(&mut self) {
        if self.core.status().holding && self.shared.hooks_done() {
            self.instruct(Instruction::Release);
        }
    }

    fn obey(&mut self, request: LoopRequest, state: LoopState) -> LoopState {
        match request {
            LoopRequest::Address(id, address) => {
                self.learned.remove(&id);
                self.set_address(id, Some(address));
            }
            LoopRequest::Reload { members, keys, named } => {
                let size = members.len();
                self.named = (Instant::now(), named);
                self.instruct(Instruction::Reload { members, keys });
                // A leader that leaves the list is needed until it has handed over; with the guard, every member until the change is complete.
                for id in 0..size {
                    if !self.core.knows(id) {
                        self.set_address(id, None);
                    }
                }
            }
            LoopRequest::Bar(bar, holds) => {
                if holds {
                    self.bars.insert(bar);
                } else {
                    self.bars.remove(&bar);
                }
                self.withdraw();
            }
            LoopRequest::Instruct(instruction) => {
                self.storing &= !matches!(instruction, Instruction::Stored(_));
                self.instruct(instruction);
            }
            LoopRequest::Pause(true) => return LoopState::Paused,
            LoopRequest::Pause(false) => return LoopState::Running,
            // The asker may have given up.
            LoopRequest::State(reply) => drop(reply.send(self.core.state())),
            LoopRequest::Leave => return LoopState::Leaving,
            LoopRequest::Die => return LoopState::Dead,
        }
        state
    }

    /// Sends to a peer whose name was never resolved at the source of its datagrams, which are authenticated and fresh.
    fn learn_address(&mut self, peer: usize, from: SocketAddr) {
        let unresolved = self.learned.contains(&peer) || self.addresses.get(peer) == Some(&None);
        if unresolved && self.addresses.get(peer) != Some(&Some(from)) {
            tracing::info!(peer, address = %from, "its address is not known: this node sends to the source of its datagrams");
            self.learned.insert(peer);
            self.set_address(peer, Some(from));
        }
    }

    fn set_address(&mut self, id: usize, address: Option<SocketAddr>) {
        if let Some(known) = self.addresses.get_mut(id) {
            *known = address;
            let all = self.addresses.iter().flatten().copied().collect();
            *lock(&self.known) = all;
        }
    }

    fn publish(&self) {
        self.shared.publish(self.core.status(), self.core.counters(), self.core.notices());
    }

    fn instruct(&mut self, instruction: Instruction) {
        self.core.obey(clock::now(), instruction);
        self.publish();
        self.execute(None);
    }

    /// The longest wait for a datagram.
    fn attention(&self) -> Duration {
        if self.storing || self.core.status().holding { HASTE } else { ATTENTION }
    }

    fn withdraw(&mut self) {
        let foremost = self.bars.first().map(|bar| match bar {
            Bar::Carrier => Withdrawal::Carrier,
            Bar::DrainFile | Bar::DrainOrder => Withdrawal::Drained,
            Bar::Address => Withdrawal::Address,
            Bar::Unfit => Withdrawal::Unhealthy,
        });
        self.instruct(Instruction::Withdraw(foremost));
    }

    fn note_lateness(&mut self, took: Duration, late: Duration) {
        let limit = self.tempo.iteration() * 3 / 2;
        let counters = self.core.counters_mut();
        counters.late_iterations += u64::from(took > limit);
        counters.last_lateness = late;
        counters.worst_lateness = counters.worst_lateness.max(late);
    }

    fn iterate(&mut self) {
        let now = clock::now();
        let (since, named) = &self.named;
        if since.elapsed() > self.tempo.heartbeat * RESOLVED {
            let unresolved = |peer: &&usize| self.addresses.get(**peer) == Some(&None) || self.learned.contains(peer);
            named.iter().filter(unresolved).for_each(|&peer| self.core.note_unresolved(now, peer));
        }
        self.core.iterate(now);
        self.publish();
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

    fn announce(&mut self, change: Change) {
        let Change { before, after, reason } = change;
        // The end of the confirmed time by the node's own clock, even if it was noticed later.
        let lasted = before.confirmation.map(|was| was.until.min(clock::elapsed()).as_micros() as u64);
        if let (None, Some(confirmation)) = (before.confirmation, after.confirmation) {
            let (at, until) = (clock::elapsed().as_micros() as u64, confirmation.until.as_micros() as u64);
            tracing::info!(at, until, token = confirmation.token.unwrap_or(0), "confirmed");
        } else if let (Some(until), None) = (lasted, after.confirmation) {
            tracing::info!(until, "confirmed no longer");
        }
        let (leader, state, epoch, why) = (after.named(), after.state, after.epoch, self.explain(&change));
        if before.leader != after.leader {
            tracing::info!(leader, was = before.named(), %state, epoch, %reason, why, "leader changed");
        } else {
            tracing::info!(%state, leader, epoch, %reason, why, "state changed");
        }
        self.led |= after.state == Role::Leader;
        self.shared.remember(Event { at: clock::elapsed(), change, why });
        self.shared.announce(change);
    }

    fn explain(&self, change: &Change) -> String {
        let leader = change.before.named().filter(|_| self.id.is_some());
        let last_heard = leader.and_then(|leader| self.core.counters().last_heard.get(leader).copied()?);
        let around = Circumstances {
            me: self.id,
            silence: last_heard.map(|at| clock::elapsed().saturating_sub(at)),
            withdrawn: self.core.status().withdrawn,
            first: self.core.counters().leader_changes == 0 && !self.led,
            relisted: self
                .core
                .notices()
                .recent(clock::elapsed())
                .any(|notice| matches!(notice.trouble, Trouble::Replaced { .. } | Trouble::Lists { .. })),
        };
        explain(change, around)
    }

    /// Hands the leadership over: finds a successor, waits for the hooks, and releases the place. Then waits until another node leads, since
    /// datagrams are lost, up to a limit.
    fn hand_over(&mut self) {
        let before = self.core.status().leadership;
        let patience = self.tempo.heartbeat * HANDOVER_HEARTBEATS;
        let mut end = Instant::now() + patience + self.handover;
        let leads = |runtime: &Self| runtime.core.status().leadership.state == Role::Leader;
        let mut let_go = None;
        if leads(self) {
            self.instruct(Instruction::Resign);
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
                    // The place is released: wait for the successor.
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

/// Sends a datagram. A pending error about an earlier datagram makes the first attempt fail; then it is sent again.
fn send(socket: &UdpSocket, datagram: &[u8], to: SocketAddr) -> std::io::Result<usize> {
    match socket.send_to(datagram, to) {
        Err(error) if refusals::is_of_another(&error) => socket.send_to(datagram, to),
        sent => sent,
    }
}

/// Returns when the socket is readable, or after `timeout`. `SO_RCVTIMEO` would be rounded to the kernel's jiffies, which are as long as an
/// iteration of a fast loop.
#[cfg(unix)]
fn wait_readable(socket: &UdpSocket, timeout: Duration) {
    use nix::poll::{PollFd, PollFlags, ppoll};
    use std::os::fd::AsFd;
    let mut descriptors = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
    // After an interruption by a signal, the caller checks the clock as usual.
    let _ = ppoll(&mut descriptors, Some(timeout.into()), None);
}

#[cfg(not(unix))]
fn wait_readable(_: &UdpSocket, timeout: Duration) {
    std::thread::sleep(timeout.min(Duration::from_millis(1)));
}

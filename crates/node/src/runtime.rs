//! A core over a real socket: one thread that waits, reads, iterates and sends.

use crate::core::{Core, Corruption, Now, Transmit};
use crate::key::Keys;
use crate::leadership::{Change, Reason, Role};
use crate::observer::Shared;
use crate::resolve::Addresses;
use crate::tempo::Tempo;
use crate::wire::MAX_DATAGRAM;
use ringleader_model::Timed;
use std::io::ErrorKind;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant, SystemTime};

/// The longest wait after which commands are looked at.
const ATTENTION: Duration = Duration::from_millis(20);
/// The handover on leaving ends after this many heartbeats, whether or not anyone took over.
const HANDOVER_HEARTBEATS: u32 = 1;

/// What the handle asks of the loop.
pub(crate) enum Command {
    Addresses(Addresses),
    Members(Vec<bool>),
    Keys(Keys),
    Resign,
    Pause(bool),
    Corrupt(Corruption),
    State(Sender<String>),
    /// Resign, then end.
    Leave,
    /// End at once, as in a crash.
    Die,
}

pub(crate) struct Runtime<A: Timed> {
    pub(crate) core: Core<A>,
    pub(crate) socket: UdpSocket,
    pub(crate) addresses: Addresses,
    pub(crate) tempo: Tempo,
    pub(crate) shared: Arc<Shared>,
    pub(crate) commands: Receiver<Command>,
    pub(crate) started: Instant,
}

/// Whether the loop goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Running,
    Paused,
    Leaving,
    Dead,
}

impl<A: Timed> Runtime<A> {
    /// Loops until told to end.
    pub(crate) fn run(mut self) {
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
        self.shared.stop();
    }

    fn now(&self) -> Now {
        let unix = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Now { elapsed: self.started.elapsed(), unix_micros: unix.as_micros() as u64 }
    }

    /// Reads datagrams and obeys commands until the next iteration is due.
    fn wait(&mut self, due: Instant, mut mode: Mode) -> Mode {
        loop {
            while let Ok(command) = self.commands.try_recv() {
                mode = self.obey(command, mode);
            }
            let left = due.saturating_duration_since(Instant::now());
            match mode {
                Mode::Running if left.is_zero() => return mode,
                Mode::Running => {
                    wait_readable(&self.socket, left.min(ATTENTION));
                    self.read(due);
                }
                Mode::Paused => std::thread::sleep(ATTENTION),
                Mode::Leaving | Mode::Dead => return mode,
            }
        }
    }

    /// Reads all there is, but not beyond the next iteration: a flood must not stop the clock.
    fn read(&mut self, due: Instant) {
        let mut buffer = [0; MAX_DATAGRAM + 1];
        while Instant::now() < due {
            match self.socket.recv_from(&mut buffer) {
                Ok((length, from)) => {
                    let now = self.now();
                    if let Err(rejection) = self.core.receive(now, &buffer[..length]) {
                        tracing::trace!(%from, %rejection, "datagram dropped");
                    }
                }
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                // An earlier datagram met a closed port; the socket is as good as before.
                Err(e) if matches!(e.kind(), ErrorKind::ConnectionRefused | ErrorKind::Interrupted) => {}
                Err(error) => {
                    tracing::warn!(%error, "cannot receive");
                    std::thread::sleep(ATTENTION);
                    return;
                }
            }
        }
    }

    fn obey(&mut self, command: Command, mode: Mode) -> Mode {
        match command {
            Command::Addresses(addresses) => self.addresses = addresses,
            Command::Members(members) => self.core.set_members(members),
            Command::Keys(keys) => self.core.set_keys(keys),
            Command::Resign => self.resign(),
            Command::Pause(true) => return Mode::Paused,
            Command::Pause(false) => return Mode::Running,
            Command::Corrupt(corruption) => {
                let change = self.core.corrupt(corruption, self.now());
                self.publish(change);
            }
            // Nobody waits for the answer any more: fine.
            Command::State(reply) => drop(reply.send(self.core.state())),
            Command::Leave => return Mode::Leaving,
            Command::Die => return Mode::Dead,
        }
        mode
    }

    fn note_lateness(&mut self, took: Duration, late: Duration) {
        let limit = Duration::from_micros(self.tempo.timing().beta);
        let counters = self.core.counters_mut();
        counters.late_iterations += u64::from(took > limit);
        counters.last_lateness = late;
        counters.worst_lateness = counters.worst_lateness.max(late);
    }

    fn iterate(&mut self) {
        let mut out = vec![];
        let change = self.core.iterate(self.now(), &mut out);
        self.send(out);
        self.publish(change);
    }

    fn resign(&mut self) {
        let mut out = vec![];
        let change = self.core.resign(self.now(), &mut out);
        self.send(out);
        self.publish(change);
    }

    fn send(&mut self, out: Vec<Transmit>) {
        for Transmit { to, datagram } in out {
            let Some(address) = self.addresses[to] else {
                self.core.counters_mut().send_errors += 1;
                continue;
            };
            if let Err(error) = self.socket.send_to(&datagram, address) {
                self.core.counters_mut().send_errors += 1;
                tracing::debug!(peer = to, %address, %error, "cannot send");
            }
        }
    }

    fn publish(&self, change: Option<Change>) {
        if let Some(Change { before, after, reason }) = change {
            if before.leader != after.leader {
                tracing::info!(leader = after.leader, was = before.leader, epoch = after.epoch, %reason, "leader changed");
            } else {
                tracing::info!(state = %after.state, leader = after.leader, epoch = after.epoch, %reason, "state changed");
            }
        }
        self.shared.publish(self.core.leadership(), self.core.counters(), change);
    }

    /// Resigns, again if need be since datagrams get lost, until another leads or a heartbeat has passed.
    fn hand_over(&mut self) {
        let end = Instant::now() + self.tempo.heartbeat * HANDOVER_HEARTBEATS;
        let before = self.core.leadership();
        let leads = |runtime: &Self| runtime.core.leadership().state == Role::Leader;
        while leads(self) && Instant::now() < end {
            self.resign();
            let due = Instant::now() + self.tempo.iteration();
            while Instant::now() < due {
                wait_readable(&self.socket, due.saturating_duration_since(Instant::now()));
                self.read(due);
            }
            self.iterate();
        }
        if leads(self) {
            let after = crate::Leadership { state: Role::Unsettled, ..before };
            self.publish(Some(Change { before, after, reason: Reason::Resigned }));
        }
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

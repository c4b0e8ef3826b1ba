//! One process of a robust algorithm between real datagrams: no sockets, no clock, no threads.
//!
//! As in the papers' model, an iteration of the loop takes the newest message of every sender and slot, then ticks.

use crate::coin::SplitMix;
use crate::counters::Counters;
use crate::guard::Guard;
use crate::key::Keys;
use crate::leadership::{Change, Leadership, Reason, Role};
use crate::lease::Record;
use crate::protocol::{Order, Protocol, Transmit, View};
use crate::replay::Replay;
use crate::trouble::{Notice, Notices, Trouble};
use crate::wire::{Address, MAX_DATAGRAM, More, Purpose, Rejection, Seal, Sealed};
use algorithm::Shell;
pub use algorithm::{Algorithm, Message, Shown};
use guarded::Guarded;
use peers::Peer;
use ringleader_model::{Coin, Timed};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

mod admission;
mod algorithm;
mod guarded;
mod peers;

/// The time, as two clocks tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// Since some moment, always forwards.
    pub elapsed: Duration,
    /// Microseconds since 1970, as far as the machine knows.
    pub unix_micros: u64,
}

/// What a core must be told.
#[derive(Clone, Debug)]
pub struct CoreConfig {
    /// The name of the cluster; datagrams of others are dropped.
    pub cluster: String,
    /// The algorithm's name with everything on which the meaning of its messages depends.
    pub algorithm: String,
    /// This process.
    pub me: usize,
    /// By identity, who is a member. An identity nobody has is a process that crashed before it began.
    pub members: Vec<bool>,
    /// What authenticates.
    pub keys: Keys,
    /// By how much the clocks of two hosts may differ.
    pub clock_window: Duration,
    /// How long a leader must be named before it counts as settled.
    pub settle: Duration,
    /// How often a leader sends: peers that beat at another pace are not heard.
    pub heartbeat: Duration,
    /// When this process began, in microseconds since 1970: it tells two lives of one identity apart.
    pub boot: u64,
    /// After how long without an iteration the process begins anew, since others may have stopped waiting for it.
    pub away: Duration,
    /// Whether a leader that hands over waits for [`Order::Release`].
    pub holds: bool,
    /// Whether peers are not members by identity but the two sides of a ring: 0 the left neighbour, 1 the right one.
    pub sides: bool,
    /// After how long without a word from any peer the ring is broken, for algorithms that need all of them.
    pub silence: Option<Duration>,
    /// How many bytes of a message version 1 of the wire format knows, if not all.
    pub known: Option<usize>,
    /// Where a leader must be confirmed by a majority. Members are fixed then.
    pub guard: Option<Guard>,
}

impl CoreConfig {
    /// A process among `size` without a secret, which began at `now`.
    pub fn new(me: usize, size: usize, heartbeat: Duration, now: Now) -> CoreConfig {
        CoreConfig {
            cluster: "ringleader".into(),
            algorithm: String::new(),
            me,
            members: vec![true; size],
            keys: Keys::none(),
            clock_window: Duration::from_secs(5),
            settle: Duration::ZERO,
            heartbeat,
            boot: now.unix_micros,
            away: heartbeat,
            holds: false,
            sides: false,
            silence: None,
            known: None,
            guard: None,
        }
    }
}

/// Why a process is not to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Withdrawal {
    /// It is being maintained.
    Drained,
    /// Its check fails.
    Unhealthy,
    /// Its cable is out: it does not lead from this moment on.
    Carrier,
    /// It grants and never leads.
    Witness,
}

impl Withdrawal {
    /// In lower case.
    pub fn name(self) -> &'static str {
        match self {
            Withdrawal::Drained => "drained",
            Withdrawal::Unhealthy => "unhealthy",
            Withdrawal::Carrier => "carrier",
            Withdrawal::Witness => "witness",
        }
    }
}

/// How a test overwrites the variables of a running process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// Every variable any value of its type.
    Random,
    /// Every variable its least value.
    Low,
    /// Every variable its greatest value.
    High,
}

/// A process, its buffers, and what it remembers of its peers.
pub struct Core {
    algorithm: Box<dyn Algorithm>,
    config: CoreConfig,
    seal: Seal,
    replay: Replay,
    peers: Vec<Peer>,
    notices: Notices,
    /// Notices that are to be told.
    reports: Vec<Notice>,
    /// What goes back to whence the last datagram came.
    reply: Option<Vec<u8>>,
    /// Until when another that disagrees acts with more right, and what about.
    dispute: Option<(Duration, Notice)>,
    withdrawn: Option<Withdrawal>,
    guarded: Option<Guarded>,
    /// Whether it was told to resign.
    resigning: bool,
    /// Whether it has stopped acting and waits to be released.
    holding: bool,
    /// Who said last that it leads no longer.
    released: Option<usize>,
    acting_since: Option<Duration>,
    last_iteration: Duration,
    shown: Leadership,
    since: Duration,
    begun: Now,
    counters: Counters,
    coin: SplitMix,
}

impl Core {
    /// A process in the state of a clean start; several may share an algorithm. `seed` serves randomized algorithms and corruption.
    pub fn new<A>(algorithm: Arc<A>, config: CoreConfig, seed: u64, now: Now) -> Result<Core, String>
    where
        A: Timed + 'static,
    {
        let size = algorithm.size();
        if size > usize::from(u16::MAX) {
            return Err(format!("at most 65535 identities, not {size}"));
        }
        if config.me >= size || config.members.len() != size {
            return Err(format!("identities are 0 to {}, this one is {}", size - 1, config.me));
        }
        let shell = Shell::new(algorithm, config.me);
        Ok(Core::around(Box::new(shell), config, seed, now))
    }

    /// A process of something else than a robust algorithm; it has a peer for each of the members that it is told of.
    pub fn around(algorithm: Box<dyn Algorithm>, config: CoreConfig, seed: u64, now: Now) -> Core {
        let (size, peers, shown) = (algorithm.size(), config.members.len(), algorithm.shown());
        let guarded =
            config.guard.clone().map(|guard| Guarded::new(guard, config.me, &config.members, config.boot, now));
        Core {
            seal: Seal::new(config.keys.clone(), &config.cluster, &config.algorithm, size, config.known),
            replay: Replay::new(peers, config.clock_window.as_micros() as u64),
            peers: vec![Peer::default(); peers],
            notices: Notices::default(),
            reports: vec![],
            reply: None,
            dispute: None,
            withdrawn: None,
            guarded,
            resigning: false,
            holding: false,
            released: None,
            acting_since: None,
            last_iteration: now.elapsed,
            shown: Leadership {
                leader: shown.leader,
                epoch: shown.epoch,
                state: Role::Unsettled,
                stable_for: Duration::ZERO,
                confirmation: None,
            },
            since: now.elapsed,
            begun: now,
            counters: Counters::new(peers),
            coin: SplitMix::new(seed),
            config,
            algorithm,
        }
    }

    fn step(&mut self, now: Now, out: &mut Vec<Transmit>) {
        let messages = self.algorithm.step(&mut self.coin);
        self.return_lease(now);
        self.post(now, messages, out);
    }

    fn corrupt(&mut self, corruption: Corruption) {
        self.algorithm.corrupt(corruption, &mut self.coin);
        if let Some(guarded) = &mut self.guarded {
            let coin = &mut self.coin;
            guarded.lease.corrupt(|| match corruption {
                Corruption::Random => coin.word(),
                Corruption::Low => 0,
                Corruption::High => u64::MAX,
            });
        }
        for time in self.replay.memory() {
            *time = match corruption {
                Corruption::Random => u64::from(self.coin.below(u32::MAX)) << 32 | u64::from(self.coin.below(u32::MAX)),
                Corruption::Low => 0,
                Corruption::High => u64::MAX,
            };
        }
        for peer in &mut self.peers {
            peer.boot = match corruption {
                Corruption::Random => u64::from(self.coin.below(u32::MAX)) << 32,
                Corruption::Low => 0,
                Corruption::High => u64::MAX,
            };
        }
    }

    /// Closes messages into datagrams for those peers that exist.
    fn post(&mut self, now: Now, messages: Vec<Message>, out: &mut Vec<Transmit>) {
        for Message { to, kind, bytes } in messages {
            if self.is_me(to) || !self.config.members.get(to).is_some_and(|&member| member) {
                continue;
            }
            let datagram = self.datagram(now, to, self.peers[to].boot, Purpose::Message, &bytes);
            if datagram.len() > MAX_DATAGRAM {
                self.counters.send_errors += 1;
                continue;
            }
            self.counters.sent[to] += 1;
            count(&mut self.counters.messages_sent, kind);
            out.push(Transmit { to, datagram });
        }
    }

    /// A datagram to a node that began at `echo`, as far as that is known.
    fn datagram(&mut self, now: Now, to: usize, echo: u64, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let acting = self.acting_millis(now);
        let guarded = self.guarded.as_mut();
        let more = More {
            guard: guarded.map(|guarded| Sealed { digest: guarded.digest, letter: guarded.take_letter(to) }),
            boot: self.config.boot,
            echo,
            heartbeat: self.config.heartbeat.as_micros() as u64,
            size: self.algorithm.size() as u16,
            acting,
            purpose,
        };
        // A ring has no identities: whoever sends to the right is on the left.
        let sender = if self.config.sides { 1 - to } else { self.config.me };
        let address = Address {
            sender: sender as u16,
            receiver: to as u16,
            time: self.replay.stamp(now.unix_micros),
            more: Some(more),
        };
        self.seal.close(address, message)
    }

    fn is_me(&self, peer: usize) -> bool {
        !self.config.sides && peer == self.config.me
    }

    /// The peers that were silent for so long that the ring is broken there.
    fn broken(&self, now: Now) -> Vec<usize> {
        let young = |limit: Duration| now.elapsed.saturating_sub(self.begun.elapsed) <= limit;
        let Some(limit) = self.config.silence.filter(|&limit| !young(limit)) else { return vec![] };
        let needed = |&q: &usize| !self.is_me(q) && self.config.members[q];
        (0..self.peers.len()).filter(needed).filter(|&q| self.silent(now, q, limit)).collect()
    }

    /// For how long it has acted as leader: at least 1 if it does.
    fn acting_millis(&self, now: Now) -> u32 {
        let since = |at: Duration| now.elapsed.saturating_sub(at).as_millis().clamp(1, u128::from(u32::MAX)) as u32;
        self.acting_since.map_or(0, since)
    }

    /// Compares what the process shows now with what it showed before.
    fn look(&mut self, now: Now, reason: Option<Reason>) -> Option<Change> {
        let (before, me) = (self.shown, self.config.me);
        let Shown { leader, epoch, mut stands, .. } = self.algorithm.shown();
        if !self.broken(now).is_empty() {
            stands = Some(false);
        }
        if leader != before.leader || self.since > now.elapsed {
            self.since = now.elapsed;
        }
        self.dispute = self.dispute.filter(|(until, _)| now.elapsed < *until);
        let stable_for = now.elapsed - self.since;
        let wanted = self.role(now, leader, stable_for, stands);
        let bar = self.bar(stands).filter(|_| wanted == Role::Leader);
        let confirmation = self.confirmation(now).filter(|_| bar.is_none() && wanted == Role::Leader);
        let role = match wanted {
            _ if bar.is_some() => Role::Unsettled,
            Role::Leader if self.guarded.is_some() && confirmation.is_none() => Role::Unconfirmed,
            _ => wanted,
        };
        self.acting_since = (role == Role::Leader).then(|| self.acting_since.unwrap_or(now.elapsed));
        let stopped = before.state == Role::Leader && role == Role::Unsettled && leader == me;
        self.holding = (self.holding && leader == me && role == Role::Unsettled)
            || (stopped && self.config.holds && stands == Some(false) && reason.is_none());
        let after = Leadership { leader, epoch, state: role, stable_for, confirmation };
        self.shown = after;
        if !self.holding && !matches!(role, Role::Leader | Role::Unconfirmed) {
            self.leave_lease(now, reason.is_none() && bar.is_none() && leader == me);
        }
        if (leader, role) == (before.leader, before.state) {
            return None;
        }
        let reason = reason.or(bar).or(guard_reason(before, after)).unwrap_or_else(|| self.reason(now, before, after));
        if role != Role::Leader {
            self.resigning = false;
        }
        self.counters.leader_changes += u64::from(leader != before.leader);
        Some(Change { before: Leadership { stable_for: before.stable_for, ..before }, after, reason })
    }

    /// What would keep it from leading just now, whatever the algorithm says.
    fn bar(&self, stands: Option<bool>) -> Option<Reason> {
        match self.withdrawn {
            Some(Withdrawal::Carrier) => Some(Reason::Carrier),
            // The algorithm does not know how to leave.
            Some(_) if stands.is_none() => Some(Reason::Withdrawn),
            _ => self.dispute.map(|_| Reason::Disputed),
        }
    }

    /// Surely after the slowest loop's last timer, and possibly after the fastest one's.
    fn patience(&self) -> (Duration, Duration) {
        let (timeout, timing) = (self.algorithm.timeout(), self.algorithm.timing());
        let iterations = |each: u64| Duration::from_micros(timeout.saturating_mul(each));
        (iterations(timing.beta), iterations(timing.alpha))
    }

    fn silent(&self, now: Now, q: usize, limit: Duration) -> bool {
        // Nobody is not silent.
        let heard = self.counters.last_heard.get(q);
        heard.is_some_and(|last| last.is_none_or(|at| now.elapsed.saturating_sub(at) > limit))
    }

    fn role(&self, now: Now, leader: usize, stable_for: Duration, stands: Option<bool>) -> Role {
        let me = self.config.me;
        let (patience, _) = self.patience();
        match stands {
            _ if stable_for < self.config.settle => Role::Unsettled,
            Some(false) => Role::Unsettled,
            Some(true) if leader == me => Role::Leader,
            Some(true) => Role::Follower,
            // Who has just begun has not had the time to hear from anyone.
            None if now.elapsed.saturating_sub(self.begun.elapsed) < patience
                && self.counters.leader_changes == 0
                && leader == me =>
            {
                Role::Unsettled
            }
            None if leader == me => Role::Leader,
            None if self.silent(now, leader, patience) => Role::Unsettled,
            None => Role::Follower,
        }
    }

    fn reason(&self, now: Now, before: Leadership, after: Leadership) -> Reason {
        let me = self.config.me;
        let started = self.counters.leader_changes == 0 && before.state == Role::Unsettled;
        match () {
            () if before.state == Role::Leader && self.resigning => Reason::Resigned,
            () if before.state == Role::Leader && self.withdrawn.is_some() => Reason::Withdrawn,
            () if before.state == Role::Leader && after.leader == me => Reason::Handover,
            () if after.leader == before.leader && after.state != Role::Unsettled => Reason::Settled,
            () if after.leader == before.leader => Reason::Silence,
            () if started && before.leader == me => Reason::Started,
            () if before.leader != me && self.released == Some(before.leader) => Reason::Handover,
            () if before.leader != me && self.silent(now, before.leader, self.config.heartbeat * 5 / 4) => {
                Reason::Silence
            }
            () => Reason::Preferred,
        }
    }
}

impl Protocol for Core {
    fn receive(&mut self, now: Now, datagram: &[u8], reply: &mut Option<Vec<u8>>) -> Result<(), Rejection> {
        let taken = self.admit(now, datagram);
        *reply = self.reply.take();
        taken.inspect_err(|&rejection| self.counters.reject(Seal::claimed(datagram), rejection))
    }

    fn iterate(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change> {
        let away = now.elapsed.saturating_sub(self.last_iteration) > self.config.away;
        self.last_iteration = now.elapsed;
        if away {
            // Others may have stopped waiting: like one that begins, it listens before it says anything.
            self.algorithm.restart();
            self.leave_lease(now, false);
        }
        let withdraws = (self.withdrawn.is_some() || self.gives_way(now)) && !self.holding;
        let messages = self.algorithm.iterate(withdraws, &mut self.coin);
        self.greet(now, out);
        self.reassure(now, out);
        self.counters.iterations += 1;
        self.return_lease(now);
        self.tend_lease(now, &messages);
        self.post(now, messages, out);
        for peer in self.broken(now) {
            self.note(now, peer, Trouble::Broken);
        }
        let change = self.look(now, away.then_some(Reason::Away));
        self.post_letters(now, out);
        change
    }

    fn obey(&mut self, now: Now, order: Order, out: &mut Vec<Transmit>) -> Option<Change> {
        match order {
            Order::Resign => {
                self.resigning |= self.shown.leader == self.config.me;
                self.step(now, out);
            }
            Order::Release if std::mem::take(&mut self.holding) => self.step(now, out),
            Order::Release => {}
            Order::Withdraw(withdrawn) => self.withdrawn = withdrawn,
            Order::Members(members) if members.len() == self.peers.len() && self.guarded.is_none() => {
                self.config.members = members;
            }
            Order::Members(_) => {}
            Order::Keys(keys) => self.seal.keys = keys,
            Order::ErrandDone(errand) => self.algorithm.errand_done(errand),
            Order::Stored(record) => self.stored(now, record),
            Order::Corrupt(corruption) => {
                self.corrupt(corruption);
                return self.look(now, Some(Reason::Corrupted));
            }
        }
        let change = self.look(now, None);
        self.post_letters(now, out);
        change
    }

    fn answers(&mut self, now: Now) -> Vec<Transmit> {
        let (messages, mut out) = (self.algorithm.answers(), vec![]);
        self.post(now, messages, &mut out);
        out
    }

    fn view(&self) -> View<'_> {
        let Shown { token, errand, .. } = self.algorithm.shown();
        let witness = self.guarded.as_ref().is_some_and(|guarded| guarded.is_witness(self.config.me));
        View {
            token,
            errand,
            variables: self.algorithm.variables(),
            leadership: self.shown,
            counters: &self.counters,
            notices: &self.notices,
            disputed: self.dispute.map(|(_, notice)| notice),
            withdrawn: self.withdrawn.or(witness.then_some(Withdrawal::Witness)),
            guard: self.guarded.as_ref().map(|guarded| guarded.digest),
            holding: self.holding,
        }
    }

    fn counters_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }

    fn take_reports(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.reports)
    }

    fn take_store(&mut self) -> Option<Record> {
        self.store()
    }

    fn state(&self) -> String {
        self.algorithm.text()
    }
}

/// Where only the lease has changed.
fn guard_reason(before: Leadership, after: Leadership) -> Option<Reason> {
    match (before.state, after.state) {
        (Role::Leader, Role::Unconfirmed) => Some(Reason::Unconfirmed),
        (Role::Unconfirmed, Role::Leader) => Some(Reason::Confirmed),
        _ => None,
    }
}

/// Counts a message under its kind.
fn count(kinds: &mut BTreeMap<String, u64>, kind: String) {
    *kinds.entry(kind).or_default() += 1;
}

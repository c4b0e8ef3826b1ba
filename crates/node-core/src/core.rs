//! One process of a robust algorithm between real datagrams: no sockets, no clock, no threads.
//!
//! As in the papers' model, an iteration of the loop takes the newest message of every sender and slot, then ticks.

use crate::coin::SplitMix;
use crate::counters::Counters;
use crate::interface::{Command, Corruption, Now, Order, Status, Withdrawal};
use crate::leadership::{Change, Leadership, Reason, Role};
use crate::replay::Replay;
use crate::trouble::{Notice, Notices, Trouble};
use crate::wire::{GuardHeader, Header, MAX_DATAGRAM, Purpose, Rejection, Seal};
use algorithm::TimedProcess;
pub use algorithm::{Algorithm, Message, Shown};
pub use config::CoreConfig;
use guarded::Guarded;
use peers::Peer;
use ringleader_model::{Timed, Visitor, corrupt};
use std::sync::Arc;
use std::time::Duration;

mod admission;
mod algorithm;
mod config;
mod guarded;
mod peers;
mod showing;

/// A process, its buffers, and what it remembers of its peers.
///
/// A runtime calls [`Core::receive`] when a datagram comes, [`Core::iterate`] when an iteration is due and [`Core::obey`] to steer it, and
/// after each carries out [`Core::take_commands`].
pub struct Core {
    algorithm: Box<dyn Algorithm>,
    config: CoreConfig,
    seal: Seal,
    replay: Replay,
    peers: Vec<Peer>,
    notices: Notices,
    /// What the runtime has to do.
    commands: Vec<Command>,
    /// The reply to the last datagram.
    reply: Option<Vec<u8>>,
    /// Until when another that disagrees acts with more right, and what about.
    dispute: Option<(Duration, Notice)>,
    withdrawn: Option<Withdrawal>,
    /// Whether the last reload was refused.
    reload_refused: bool,
    guarded: Option<Guarded>,
    /// Whether it was told to resign.
    resigning: bool,
    /// Whether it has stopped acting and waits to be released.
    holding: bool,
    /// Who said last that it leads no longer.
    released: Option<usize>,
    /// When it was last accused of silence.
    accused: Option<Duration>,
    acting_since: Option<Duration>,
    last_iteration: Duration,
    /// When it was last found that it had stood still for long.
    back: Duration,
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
        let process = TimedProcess::new(algorithm, config.me);
        Ok(Core::around(Box::new(process), config, seed, now))
    }

    /// A process of something else than a robust algorithm; it has a peer for each of the members that it is told of.
    pub fn around(algorithm: Box<dyn Algorithm>, config: CoreConfig, seed: u64, now: Now) -> Core {
        let (size, peers, shown) = (algorithm.size(), config.members.len(), algorithm.shown());
        let guarded =
            config.guard.clone().map(|guard| Guarded::new(guard, config.me, &config.members, config.boot, now));
        Core {
            seal: Seal::new(config.keys.clone(), &config.cluster, &config.algorithm, size),
            replay: Replay::new(peers, config.clock_window.as_micros() as u64),
            peers: vec![Peer::default(); peers],
            notices: Notices::default(),
            commands: vec![],
            reply: None,
            dispute: None,
            withdrawn: None,
            reload_refused: false,
            guarded,
            resigning: false,
            holding: false,
            released: None,
            accused: None,
            acting_since: None,
            last_iteration: now.elapsed,
            back: Duration::ZERO,
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

    fn step(&mut self, now: Now) {
        let messages = self.algorithm.step(&mut self.coin);
        self.return_lease(now);
        self.post(now, messages);
    }

    /// Shows everything that the process remembers, but for what is stored for good, to a visitor that may replace it.
    pub fn memory(&mut self, visitor: &mut dyn Visitor) {
        self.algorithm.memory(visitor);
        if let Some(guarded) = &mut self.guarded {
            guarded.memory(visitor);
        }
        self.replay.memory().for_each(|time| visitor.word("time", time));
        for (q, peer) in self.peers.iter_mut().enumerate() {
            visitor.word(("boot", q), &mut peer.boot);
        }
    }

    fn corrupt(&mut self, corruption: Corruption) {
        let mut coin = self.coin.clone();
        match corruption {
            Corruption::Random => {
                self.memory(&mut corrupt::Arbitrary(&mut coin));
                self.algorithm.litter(&mut coin);
            }
            Corruption::Low => self.memory(&mut corrupt::Extreme::Low),
            Corruption::High => self.memory(&mut corrupt::Extreme::High),
        }
        self.coin = coin;
    }

    /// Sends messages to those peers that exist.
    fn post(&mut self, now: Now, messages: Vec<Message>) {
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
            Counters::count(&mut self.counters.messages_sent, kind);
            self.commands.push(Command::Send { to, datagram });
        }
    }

    /// Sends a datagram without a message to a peer.
    fn send(&mut self, now: Now, to: usize, purpose: Purpose) {
        let datagram = self.datagram(now, to, self.peers[to].boot, purpose, &[]);
        self.commands.push(Command::Send { to, datagram });
    }

    /// The members besides this one.
    fn others(&self) -> Vec<usize> {
        (0..self.peers.len()).filter(|&to| !self.is_me(to) && self.config.members[to]).collect()
    }

    /// A datagram to a node that began at `echo`, as far as that is known.
    fn datagram(&mut self, now: Now, to: usize, echo: u64, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let acting = self.acting_millis(now);
        let guarded = self.guarded.as_mut();
        // On a ring without identities, a message to the right comes from the left.
        let sender = if self.config.sides { 1 - to } else { self.config.me };
        let header = Header {
            purpose,
            sender: sender as u16,
            receiver: to as u16,
            time: self.replay.stamp(now.unix_micros),
            boot: self.config.boot,
            echo,
            heartbeat: self.config.heartbeat.as_micros() as u64,
            size: self.algorithm.size() as u16,
            acting,
            guard: guarded.map(|guarded| GuardHeader { digest: guarded.digest, letter: guarded.take_letter(to) }),
        };
        self.seal.close(&header, message)
    }

    /// Whether it stands still, or did a moment ago.
    fn was_away(&self, now: Now) -> bool {
        let since = |at: Duration| now.elapsed.saturating_sub(at);
        since(self.last_iteration) > self.config.away
            || (self.back > Duration::ZERO && since(self.back) < self.config.heartbeat)
    }

    fn is_me(&self, peer: usize) -> bool {
        !self.config.sides && peer == self.config.me
    }

    /// For how long it has acted as leader: at least 1 if it does.
    fn acting_millis(&self, now: Now) -> u32 {
        let since = |at: Duration| now.elapsed.saturating_sub(at).as_millis().clamp(1, u128::from(u32::MAX)) as u32;
        self.acting_since.map_or(0, since)
    }

    /// Takes a datagram, or says why not; either is counted.
    pub fn receive(&mut self, now: Now, datagram: &[u8]) -> Result<(), Rejection> {
        let taken = self.admit(now, datagram);
        self.commands.extend(self.reply.take().map(Command::Reply));
        let answers = taken.inspect_err(|&rejection| self.counters.reject(Seal::claimed(datagram), rejection))?;
        self.post(now, answers);
        self.store();
        Ok(())
    }

    /// One iteration of the loop.
    pub fn iterate(&mut self, now: Now) {
        let first = self.commands.len();
        let away = now.elapsed.saturating_sub(self.last_iteration) > self.config.away;
        self.last_iteration = now.elapsed;
        if away {
            self.back = now.elapsed;
            // Others may have stopped waiting: like one that begins, it listens before it says anything.
            self.algorithm.restart();
            self.leave_lease(now, false);
        }
        // A place that is held though nothing is left to be done first: memory was not sound, or it was not confirmed.
        let held_in_vain = self.algorithm.shown().holds;
        let withdraws =
            (self.withdrawn.is_some() || self.gives_way(now) || held_in_vain || self.is_apart()) && !self.holding;
        let messages = self.algorithm.iterate(withdraws, &mut self.coin);
        self.greet(now);
        self.reassure(now);
        self.counters.iterations += 1;
        self.return_lease(now);
        self.tend_lease(now, &messages);
        self.post(now, messages);
        for peer in self.broken(now) {
            self.note(now, peer, Trouble::Broken);
        }
        if self.reload_refused {
            self.note(now, self.config.me, Trouble::Reload);
        }
        let change = self.look(now, away.then_some(Reason::Away));
        self.tell_of_no_majority(now);
        if change.is_some_and(|change| change.reason == Reason::Confirmed) {
            self.say_confirmed(now);
        }
        self.post_letters(now);
        self.store();
        self.announce(first, change);
    }

    /// Does as it is told from outside.
    pub fn obey(&mut self, now: Now, order: Order) {
        let first = self.commands.len();
        let mut reason = None;
        match order {
            Order::Resign => {
                self.resigning |= self.shown.leader == self.config.me;
                self.step(now);
            }
            Order::Release if std::mem::take(&mut self.holding) => self.step(now),
            Order::Release => {}
            Order::Refused(peer) => {
                let messages = self.algorithm.doubt(peer);
                self.post(now, messages);
            }
            Order::Withdraw(withdrawn) => {
                if self.withdrawn == Some(Withdrawal::Carrier) && withdrawn != self.withdrawn {
                    // That others were silent behind its own cable is no fault of theirs: it accuses nobody of that.
                    self.algorithm.restart();
                }
                self.withdrawn = withdrawn;
            }
            Order::Reload { members, keys } => {
                if members.len() == self.peers.len() && self.guarded.is_none() {
                    self.config.members = members;
                }
                self.seal.keys = keys;
                self.reload_refused = false;
            }
            Order::ReloadRefused => self.reload_refused = true,
            Order::ErrandDone(errand) => self.algorithm.errand_done(errand),
            Order::Stored(record) => self.stored(now, record),
            Order::NotStored => self.note(now, self.config.me, Trouble::Storage),
            Order::Corrupt(corruption) => {
                self.corrupt(corruption);
                reason = Some(Reason::Corrupted);
            }
        }
        let change = self.look(now, reason);
        if reason.is_none() {
            self.post_letters(now);
        }
        self.store();
        self.announce(first, change);
    }

    /// A change is announced before anything is sent that was decided with it.
    fn announce(&mut self, first: usize, change: Option<Change>) {
        if let Some(change) = change {
            self.commands.insert(first, Command::Announce(change));
        }
    }

    /// What the runtime has to do now, in order.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// What it shows of itself.
    pub fn status(&self) -> Status<'_> {
        let Shown { token, errand, .. } = self.algorithm.shown();
        let witness = self.guarded.as_ref().is_some_and(|guarded| guarded.is_witness(self.config.me));
        Status {
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

    /// The counters, for the runtime to add what only it sees.
    pub fn counters_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// The variables of the process, as text.
    pub fn state(&self) -> String {
        self.algorithm.text()
    }
}

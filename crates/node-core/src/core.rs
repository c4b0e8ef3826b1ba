//! One process of an algorithm that exchanges datagrams: no sockets, no clock, no threads.
//!
//! As in the papers' model, an iteration of the loop takes the newest message of every sender and slot, then ticks.

use crate::coin::SplitMix;
use crate::counters::Counters;
use crate::interface::{Command, Corruption, Instruction, Now, Status, Withdrawal};
use crate::kind::PayloadKind;
use crate::leadership::{Change, Leadership, Reason, Role};
use crate::session::{Limits, Link, stamp};
use crate::tempo::ITERATIONS;
use crate::trouble::{Notice, Notices, Trouble};
use crate::wire::{Compared, Echo, GuardHeader, Header, MAX_DATAGRAM, Purpose, Rejection, Seal};
use algorithm::TimedProcess;
pub use algorithm::{Algorithm, Message, Shown};
pub use config::{Alone, CoreConfig};
use guarded::Guarded;
use healing::Apart;
use peers::{Peer, Sent};
use ringleader_model::{Domain, MessageKind, Name, Timed, Visitor, corrupt};
use stalls::{Outcome, Stall};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

mod admission;
mod algorithm;
mod alone;
mod config;
mod departure;
mod guarded;
mod healing;
mod peers;
mod showing;
mod stalls;

/// The reason why a core is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CoreError {
    /// Too many identities for the wire format.
    #[error("there can be at most 65535 identities, not {0}")]
    Size(usize),
    /// An identity outside of the cluster.
    #[error("identities are 0 to {last}, this one is {me}")]
    Identity {
        /// The given identity.
        me: usize,
        /// The greatest identity.
        last: usize,
    },
}

/// A process, its buffers, and its memory of its peers.
///
/// A runtime calls [`Core::receive`] when a datagram comes, [`Core::iterate`] when an iteration is due and [`Core::obey`] to steer it, and
/// after each carries out [`Core::take_commands`].
pub struct Core {
    algorithm: Box<dyn Algorithm>,
    config: CoreConfig,
    seal: Seal,
    /// The settings of this node that its datagrams carry for comparison.
    compared: Compared,
    /// The freshness of datagrams by sender, authentic ones with an identity beyond the cluster's size included.
    links: BTreeMap<usize, Link>,
    /// The uptime in the last datagram.
    stamped: u64,
    /// The source of challenges.
    numbers: SplitMix,
    peers: Vec<Peer>,
    /// The members. This node also exchanges datagrams with a leader that has left, by its identity, until it has handed over.
    listed: Vec<bool>,
    departing: usize,
    /// Whether most of the others do not list it, so it may not lead.
    dropped: bool,
    notices: Notices,
    /// The commands for the runtime.
    commands: Vec<Command>,
    /// The reply to the last datagram.
    reply: Option<Vec<u8>>,
    /// A dispute in which another node has precedence, and its end.
    dispute: Option<(Duration, Notice)>,
    withdrawn: Option<Withdrawal>,
    /// Whether the last reload was refused.
    reload_refused: bool,
    /// Whether a reload took the key away.
    keyless: bool,
    guarded: Option<Guarded>,
    apart: Apart,
    /// Whether it was instructed to resign.
    resigning: bool,
    /// Whether it has stopped acting and waits to be released.
    holding: bool,
    /// The reason for which it stopped leading, until it follows another leader.
    stopped: Option<Reason>,
    /// The peer that resigned last.
    released: Option<usize>,
    /// The time of the last accusation of silence.
    accused: Option<Duration>,
    acting_since: Option<Duration>,
    /// Whether a fresh datagram of a peer has arrived since the start.
    heard_peer: bool,
    /// The end of the time in which it holds back if it hears no peer, in microseconds.
    alone_until: u64,
    /// Whether it would lead, and holds back.
    held_back: bool,
    last_iteration: Duration,
    /// The time of the last ALIVE that this node sent.
    last_alive: Duration,
    /// The end of the time in which a leader that stood still looks for another one, in microseconds.
    doubt_until: u64,
    /// Whether it is in that time.
    doubts: bool,
    stall: Stall,
    shown: Leadership,
    since: Duration,
    begun: Now,
    counters: Counters,
    coin: SplitMix,
}

impl Core {
    /// A process of a robust algorithm in its start state; `seed` is for randomized algorithms and corruption.
    pub fn new<A>(algorithm: Arc<A>, config: CoreConfig, seed: u64, now: Now) -> Result<Core, CoreError>
    where
        A: Timed + 'static,
    {
        let size = algorithm.size();
        if size > usize::from(u16::MAX) {
            return Err(CoreError::Size(size));
        }
        if config.me >= size || config.members.len() != size {
            return Err(CoreError::Identity { me: config.me, last: size - 1 });
        }
        let process = TimedProcess::new(algorithm, config.me);
        Ok(Core::around(Box::new(process), config, seed, now))
    }

    /// A process of any algorithm, with a peer for each member of the settings.
    pub fn around(algorithm: Box<dyn Algorithm>, config: CoreConfig, seed: u64, now: Now) -> Core {
        let (size, peers, shown) = (algorithm.size(), config.members.len(), algorithm.shown());
        let guarded =
            config.guard.clone().map(|guard| Guarded::new(guard, config.me, &config.members, config.boot, now));
        let mut core = Core {
            compared: config.compared(),
            seal: Seal::new(config.keys.clone(), &config.cluster, &config.algorithm, size).up_to(algorithm.longest()),
            links: (0..peers).map(|peer| (peer, Link::default())).collect(),
            stamped: 0,
            numbers: SplitMix::new(config.boot),
            peers: vec![Peer::default(); peers],
            listed: config.members.clone(),
            departing: usize::MAX,
            dropped: false,
            notices: Notices::default(),
            commands: vec![],
            reply: None,
            dispute: None,
            withdrawn: None,
            reload_refused: false,
            keyless: false,
            guarded,
            apart: Apart::default(),
            resigning: false,
            holding: false,
            stopped: None,
            released: None,
            accused: None,
            acting_since: None,
            heard_peer: false,
            alone_until: 0,
            held_back: false,
            last_iteration: now.elapsed,
            last_alive: Duration::ZERO,
            doubt_until: 0,
            doubts: false,
            stall: Stall::default(),
            shown: Leadership { leader: shown.leader, epoch: shown.epoch, ..Leadership::default() },
            since: now.elapsed,
            begun: now,
            counters: Counters::new(peers),
            coin: SplitMix::new(seed),
            config,
            algorithm,
        };
        core.know_members();
        core.begin_hold(now);
        core
    }

    fn step(&mut self, now: Now) {
        let messages = self.algorithm.step(&mut self.coin);
        self.return_lease(now);
        self.post(now, messages);
    }

    /// Shows every variable except the stored record to a visitor that may replace it.
    pub fn memory(&mut self, visitor: &mut dyn Visitor) {
        self.algorithm.memory(visitor);
        if let Some(guarded) = &mut self.guarded {
            guarded.memory(visitor);
        }
        visitor.word("stamped", &mut self.stamped);
        visitor.word("alone until", &mut self.alone_until);
        visitor.bit("heard a peer", &mut self.heard_peer);
        if let Some((until, _)) = &mut self.dispute {
            let mut micros = until.as_micros() as u64;
            visitor.word("dispute until", &mut micros);
            *until = Duration::from_micros(micros);
        }
        self.stall_memory(visitor);
        self.departure_memory(visitor);
        for (&q, link) in &mut self.links {
            link.memory(q, visitor);
        }
        for (q, peer) in self.peers.iter_mut().enumerate() {
            visitor.word(("incarnation", q), &mut peer.present.boot);
        }
    }

    fn corrupt(&mut self, corruption: Corruption) {
        let mut coin = self.coin.clone();
        match corruption {
            Corruption::Random => {
                self.memory(&mut corrupt::Arbitrary(&mut coin));
                self.algorithm.litter(&mut coin);
            }
            Corruption::Low => self.memory(&mut |_: Name<'_>, domain: Domain<'_>, _: u64| domain.low()),
            Corruption::High => self.memory(&mut |_: Name<'_>, domain: Domain<'_>, _: u64| domain.high()),
        }
        self.coin = coin;
    }

    /// Sends messages to the receivers that are members.
    fn post(&mut self, now: Now, messages: Vec<Message>) {
        for Message { to, kind, bytes } in messages {
            if self.is_me(to) || !self.config.members.get(to).is_some_and(|&member| member) {
                continue;
            }
            let datagram = self.datagram(now, to, Purpose::Message, &bytes);
            if datagram.len() > MAX_DATAGRAM {
                self.counters.send_errors += 1;
                continue;
            }
            self.counters.sent[to] += 1;
            if kind == PayloadKind::Timed(MessageKind::Alive) {
                self.last_alive = now.elapsed;
            }
            *self.counters.messages_sent.entry(kind).or_default() += 1;
            self.commands.push(Command::Send { to, datagram });
        }
    }

    fn send(&mut self, now: Now, to: usize, purpose: Purpose, message: &[u8]) {
        let datagram = self.datagram(now, to, purpose, message);
        self.commands.push(Command::Send { to, datagram });
    }

    /// The other members.
    fn others(&self) -> Vec<usize> {
        (0..self.peers.len()).filter(|&to| !self.is_me(to) && self.config.members[to]).collect()
    }

    /// A datagram to a peer.
    fn datagram(&mut self, now: Now, to: usize, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let echo = self.links.get(&to).map_or(Echo::default(), |link| link.echo);
        self.datagram_with(now, to, echo, false, purpose, message)
    }

    /// A datagram with this echo; if it `asks`, with a challenge that the receiver has to answer immediately.
    fn datagram_with(
        &mut self,
        now: Now,
        to: usize,
        echo: Echo,
        asks: bool,
        purpose: Purpose,
        message: &[u8],
    ) -> Vec<u8> {
        let (acting, limits) = (self.acting_millis(now), self.limits());
        let link = self.links.entry(to).or_default();
        if asks {
            // A restored snapshot of the machine must not issue the numbers of the first run again.
            self.numbers.stir(now.unix_micros ^ now.elapsed.as_nanos() as u64);
            link.challenge(now.micros(), limits, &mut self.numbers);
        }
        let guard = self.guarded.as_mut().map(|guarded| GuardHeader {
            digest: guarded.digest,
            standing: guarded.lease.standing(),
            letter: guarded.take_letter(to),
        });
        // On a ring without identities, the receiver on the right sees the left neighbour as sender.
        let sender = if self.config.sides { 1 - to } else { self.config.me };
        let header = Header {
            purpose,
            sender: sender as u16,
            receiver: to as u16,
            asks,
            time: stamp(&mut self.stamped, now.elapsed.saturating_sub(self.begun.elapsed)),
            boot: self.config.boot,
            challenge: link.number(),
            echo,
            unix: now.unix_micros,
            heartbeat: self.config.heartbeat.as_micros() as u64,
            size: self.algorithm.size() as u16,
            acting,
            guard,
            compared: self.compared,
        };
        if let (Purpose::Message | Purpose::Lease, Some(peer)) = (purpose, self.peers.get_mut(to)) {
            let letter = guard.and_then(|guard| guard.letter);
            peer.sent = Some(Sent { time: header.time, purpose, letter, message: message.to_vec() });
        }
        self.seal.close(&header, message)
    }

    /// The limits of every link.
    fn limits(&self) -> Limits {
        Limits::new(self.config.heartbeat, Duration::from_micros(self.algorithm.timing().delta))
    }

    fn is_me(&self, peer: usize) -> bool {
        !self.config.sides && peer == self.config.me
    }

    /// The milliseconds for which it has acted as leader: at least 1 if it acts, otherwise 0.
    fn acting_millis(&self, now: Now) -> u32 {
        let since = |at: Duration| now.elapsed.saturating_sub(at).as_millis().clamp(1, u128::from(u32::MAX)) as u32;
        self.acting_since.filter(|_| !self.is_silent()).map_or(0, since)
    }

    /// Accepts a datagram or rejects it, and counts it. Returns the sender of an accepted datagram.
    pub fn receive(&mut self, now: Now, datagram: &[u8]) -> Result<usize, Rejection> {
        let first = self.commands.len();
        let taken = self.admit(now, datagram);
        self.commands.extend(self.reply.take().map(Command::Reply));
        let (sender, answers) =
            taken.inspect_err(|&rejection| self.counters.reject(Seal::claimed(datagram), rejection))?;
        self.post(now, answers);
        if self.shown.state == Role::Unconfirmed && self.holds_lease(now) {
            let change = self.look(now, None);
            self.post_letters(now, change);
            self.announce(first, change);
        }
        self.store();
        Ok(sender)
    }

    /// One iteration of the loop.
    pub fn iterate(&mut self, now: Now) {
        let first = self.commands.len();
        let outcome = self.resume(now);
        let away = outcome == Outcome::Anew;
        self.tend_departure();
        self.tend_removal(now);
        if away {
            // Others may have given it up: as after a start, it listens before it sends.
            self.algorithm.restart(self.shown.state == Role::Leader);
            self.leave_lease(now, false);
        }
        // A place that is held without a reason: memory was corrupted, or the node was not confirmed.
        let held_in_vain = self.algorithm.shown().holds;
        let withdraws = (self.withdrawn.is_some() || self.gives_way(now) || held_in_vain || self.dispute.is_some())
            && !self.holding;
        let mut messages = match outcome {
            Outcome::Silent => vec![],
            _ => self.algorithm.iterate(withdraws, &mut self.coin),
        };
        messages.extend(self.leave_in_time(now));
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
        if self.keyless {
            self.note(now, self.config.me, Trouble::Keyless);
        }
        if self.withdrawn == Some(Withdrawal::Address) {
            self.note(now, self.config.me, Trouble::Address);
        }
        self.tend_change(now);
        self.heal_hold(now);
        let change = self.look(now, away.then_some(Reason::Away));
        self.tell_of_no_majority(now);
        self.tell_of_hold(now);
        if self.shown.state == Role::Follower && self.algorithm.shown().asks_in_vain {
            self.note(now, self.shown.leader, Trouble::Unheeded);
        }
        self.report_side(now, change.is_some());
        self.post_letters(now, change);
        self.store();
        self.announce(first, change);
    }

    /// Carries out an instruction.
    pub fn obey(&mut self, now: Now, instruction: Instruction) {
        let first = self.commands.len();
        let mut reason = None;
        match instruction {
            Instruction::Resign => {
                self.resigning |= self.shown.leader == self.config.me;
                self.step(now);
            }
            Instruction::Release if std::mem::take(&mut self.holding) => {
                self.hooks_ended();
                self.step(now);
            }
            Instruction::Release => {}
            Instruction::Refused(peer) => {
                let messages = self.algorithm.doubt(peer);
                self.post(now, messages);
            }
            Instruction::Withdraw(withdrawn) => {
                if self.withdrawn == Some(Withdrawal::Carrier) && withdrawn != self.withdrawn {
                    // The others were silent because of this node's own link: it does not accuse them.
                    self.algorithm.restart(false);
                }
                self.withdrawn = withdrawn;
            }
            Instruction::Reload { members, keys } => {
                if members.len() == self.peers.len() {
                    self.reload_members(members);
                }
                self.keyless = !keys.secret() && (self.keyless || self.seal.keys.secret());
                self.seal.keys = keys;
                self.reload_refused = false;
                self.notices.solve(self.config.me, |trouble| trouble == Trouble::Reload);
            }
            Instruction::ReloadRefused => self.reload_refused = true,
            Instruction::ErrandDone(errand) => self.algorithm.errand_done(errand),
            Instruction::Stored(record) => self.stored(now, record),
            Instruction::NotStored => self.note(now, self.config.me, Trouble::Storage),
            Instruction::Corrupt(corruption) => {
                self.corrupt(corruption);
                reason = Some(Reason::Corrupted);
            }
        }
        let change = self.look(now, reason);
        if reason.is_none() {
            self.post_letters(now, change);
        }
        self.store();
        self.announce(first, change);
    }

    /// Announces a change before the datagrams that were decided with it.
    fn announce(&mut self, first: usize, change: Option<Change>) {
        if let Some(change) = change {
            self.commands.insert(first, Command::Announce(change));
        }
    }

    /// The commands for the runtime, in order.
    pub fn take_commands(&mut self) -> Vec<Command> {
        std::mem::take(&mut self.commands)
    }

    /// Its observable state.
    pub fn status(&self) -> Status {
        let Shown { token, errand, patience, .. } = self.algorithm.shown();
        let iteration = self.config.heartbeat / ITERATIONS;
        let outside = self.guarded.as_ref().and_then(|guarded| guarded.outside(self.config.me));
        Status {
            token,
            errand,
            variables: self.algorithm.variables(),
            leadership: self.shown,
            doubts: self.doubts,
            patience: patience.map(|patience| iteration * u32::try_from(patience).unwrap_or(u32::MAX)),
            disputed: self.dispute.map(|(_, notice)| notice),
            withdrawn: self
                .withdrawn
                .or(outside)
                .or(self.dropped.then_some(Withdrawal::Removed))
                .or(self.held_back.then_some(Withdrawal::Alone)),
            guard: self.guarded.as_ref().map(|guarded| guarded.digest),
            lists: self.guarded.as_ref().map(|guarded| (guarded.lease.standing().lists, guarded.stage)),
            holding: self.holding,
        }
    }

    /// The problems of the cluster.
    pub fn notices(&self) -> &Notices {
        &self.notices
    }

    /// Its counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The counters, to which the runtime adds its own.
    pub fn counters_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// The variables of the process, as text.
    pub fn state(&self) -> String {
        self.algorithm.text()
    }
}

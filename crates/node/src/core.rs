//! One process of a robust algorithm between real datagrams: no sockets, no clock, no threads.
//!
//! As in the papers' model, an iteration of the loop takes the newest message of every sender and slot, then ticks. The
//! runtime calls [`Core::receive`] when a datagram comes and [`Core::iterate`] when an iteration is due, and sends what
//! these put into the outbox. Time is an argument.

use crate::coin::SplitMix;
use crate::counters::Counters;
use crate::fields;
use crate::key::Keys;
use crate::leadership::{Change, Leadership, Reason, Role};
use crate::replay::Replay;
use crate::trouble::{Notice, Notices};
use crate::wire::{Address, MAX_DATAGRAM, More, Purpose, Seal};
use peers::Peer;
use ringleader_model::{Coin, Event, Timed, corrupt, text};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

mod admission;
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
    /// Whether a leader that hands over waits for [`Core::release`].
    pub holds: bool,
    /// How many bytes of a message version 1 of the wire format knows, if not all.
    pub known: Option<usize>,
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
            known: None,
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
}

impl Withdrawal {
    /// In lower case.
    pub fn name(self) -> &'static str {
        match self {
            Withdrawal::Drained => "drained",
            Withdrawal::Unhealthy => "unhealthy",
            Withdrawal::Carrier => "carrier",
        }
    }
}

/// A datagram to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// To whom.
    pub to: usize,
    /// What.
    pub datagram: Vec<u8>,
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
pub struct Core<A: Timed> {
    algorithm: Arc<A>,
    config: CoreConfig,
    state: A::State,
    /// The newest message of each sender and slot since the last iteration.
    inbox: BTreeMap<(usize, usize), A::Message>,
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

impl<A: Timed> Core<A> {
    /// A process in the state of a clean start; cores may share an algorithm. `seed` serves randomized algorithms and corruption.
    pub fn new(algorithm: impl Into<Arc<A>>, config: CoreConfig, seed: u64, now: Now) -> Result<Core<A>, String> {
        let algorithm = algorithm.into();
        let size = algorithm.size();
        if size > usize::from(u16::MAX) {
            return Err(format!("at most 65535 identities, not {size}"));
        }
        if config.me >= size || config.members.len() != size {
            return Err(format!("identities are 0 to {}, this one is {}", size - 1, config.me));
        }
        let state = algorithm.start(config.me);
        let leader = algorithm.leader(config.me, &state);
        let epoch = algorithm.epoch(config.me, &state);
        Ok(Core {
            seal: Seal::new(config.keys.clone(), &config.cluster, &config.algorithm, size, config.known),
            replay: Replay::new(size, config.clock_window.as_micros() as u64),
            peers: vec![Peer::default(); size],
            notices: Notices::default(),
            reports: vec![],
            reply: None,
            dispute: None,
            withdrawn: None,
            resigning: false,
            holding: false,
            released: None,
            acting_since: None,
            last_iteration: now.elapsed,
            shown: Leadership { leader, epoch, state: Role::Unsettled, stable_for: Duration::ZERO },
            since: now.elapsed,
            begun: now,
            counters: Counters::new(size),
            coin: SplitMix::new(seed),
            inbox: BTreeMap::new(),
            state,
            config,
            algorithm,
        })
    }

    /// One iteration of the loop: messages, then the tick. Returns how the leadership changed, if it did.
    pub fn iterate(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change> {
        let away = now.elapsed.saturating_sub(self.last_iteration) > self.config.away;
        self.last_iteration = now.elapsed;
        if away {
            // Others may have stopped waiting: like one that begins, it listens before it says anything.
            self.state = self.algorithm.start(self.config.me);
        }
        let mut messages = vec![];
        let withdraws = self.withdrawn.is_some() && !self.holding;
        let messages_in = std::mem::take(&mut self.inbox);
        let events = withdraws.then_some(Event::Step).into_iter().chain(
            messages_in.into_iter().map(|((from, _), message)| Event::Message { from, message }).chain([Event::Tick]),
        );
        for event in events {
            self.algorithm.on(self.config.me, &mut self.state, event, &mut messages, &mut self.coin);
        }
        self.greet(now, out);
        self.counters.iterations += 1;
        self.post(now, messages, out);
        self.look(now, away.then_some(Reason::Away))
    }

    /// Steps down on purpose, where the algorithm takes a step of its own accord for that.
    pub fn resign(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change> {
        self.resigning |= self.shown.leader == self.config.me;
        self.step(now, out);
        self.look(now, None)
    }

    /// What had to be done before another may lead has been done: a process that holds the place for its heir lets go.
    pub fn release(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change> {
        if std::mem::take(&mut self.holding) {
            self.step(now, out);
        }
        self.look(now, None)
    }

    /// What the process shows after something outside it has changed.
    pub fn look_again(&mut self, now: Now) -> Option<Change> {
        self.look(now, None)
    }

    fn step(&mut self, now: Now, out: &mut Vec<Transmit>) {
        let mut messages = vec![];
        self.algorithm.on(self.config.me, &mut self.state, Event::Step, &mut messages, &mut self.coin);
        self.post(now, messages, out);
    }

    /// Whether it has stopped acting and waits for [`Core::release`].
    pub fn holding(&self) -> bool {
        self.holding
    }

    /// Asks it not to lead, from the next iteration on, or asks no more.
    pub fn set_withdrawn(&mut self, withdrawn: Option<Withdrawal>) {
        self.withdrawn = withdrawn;
    }

    /// Why it is not to lead, if it is not.
    pub fn withdrawn(&self) -> Option<Withdrawal> {
        self.withdrawn
    }

    /// The one that disagrees and acts with more right, if there is one now.
    pub fn disputed(&self) -> Option<Notice> {
        self.dispute.map(|(_, notice)| notice)
    }

    /// The troubles seen so far.
    pub fn notices(&self) -> &Notices {
        &self.notices
    }

    /// The troubles that are to be told now, each once.
    pub fn take_reports(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.reports)
    }

    /// Overwrites everything the process remembers: its variables, its buffers, and the times of its replay protection.
    pub fn corrupt(&mut self, corruption: Corruption, now: Now) -> Option<Change> {
        match corruption {
            Corruption::Random => {
                self.state = corrupt::arbitrary(&*self.algorithm, &mut self.coin);
                for sender in (0..self.algorithm.size()).filter(|&q| q != self.config.me) {
                    let mut message = A::Message::default();
                    self.algorithm.message_variables(&mut message, &mut corrupt::Arbitrary(&mut self.coin));
                    self.inbox.insert((sender, self.algorithm.slot(&message)), message);
                }
            }
            Corruption::Low => self.state = corrupt::extreme(&*self.algorithm, corrupt::Extreme::Low),
            Corruption::High => self.state = corrupt::extreme(&*self.algorithm, corrupt::Extreme::High),
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
        self.look(now, Some(Reason::Corrupted))
    }

    /// Closes messages into datagrams for those peers that exist.
    fn post(&mut self, now: Now, messages: Vec<(usize, A::Message)>, out: &mut Vec<Transmit>) {
        for (to, message) in messages {
            if to == self.config.me || !self.config.members.get(to).is_some_and(|&member| member) {
                continue;
            }
            let mut bytes = vec![];
            fields::encode(&*self.algorithm, &message, &mut bytes);
            let datagram = self.datagram(now, to, self.peers[to].boot, Purpose::Message, &bytes);
            if datagram.len() > MAX_DATAGRAM {
                self.counters.send_errors += 1;
                continue;
            }
            self.counters.sent[to] += 1;
            count(&mut self.counters.messages_sent, &message);
            out.push(Transmit { to, datagram });
        }
    }

    /// A datagram to a node that began at `echo`, as far as that is known.
    fn datagram(&mut self, now: Now, to: usize, echo: u64, purpose: Purpose, message: &[u8]) -> Vec<u8> {
        let acting = self.acting_millis(now);
        let more = More {
            boot: self.config.boot,
            echo,
            heartbeat: self.config.heartbeat.as_micros() as u64,
            size: self.algorithm.size() as u16,
            acting,
            purpose,
        };
        let address = Address {
            sender: self.config.me as u16,
            receiver: to as u16,
            time: self.replay.stamp(now.unix_micros),
            more: Some(more),
        };
        self.seal.close(address, message)
    }

    /// For how long it has acted as leader: at least 1 if it does.
    fn acting_millis(&self, now: Now) -> u32 {
        let since = |at: Duration| now.elapsed.saturating_sub(at).as_millis().clamp(1, u128::from(u32::MAX)) as u32;
        self.acting_since.map_or(0, since)
    }

    /// Compares what the process shows now with what it showed before.
    fn look(&mut self, now: Now, reason: Option<Reason>) -> Option<Change> {
        let (before, me) = (self.shown, self.config.me);
        let leader = self.algorithm.leader(me, &self.state);
        if leader != before.leader || self.since > now.elapsed {
            self.since = now.elapsed;
        }
        self.dispute = self.dispute.filter(|(until, _)| now.elapsed < *until);
        let stable_for = now.elapsed - self.since;
        let stands = self.algorithm.stands(me, &self.state);
        let wanted = self.role(now, leader, stable_for, stands);
        let bar = self.bar(stands).filter(|_| wanted == Role::Leader);
        let role = if bar.is_some() { Role::Unsettled } else { wanted };
        self.acting_since = (role == Role::Leader).then(|| self.acting_since.unwrap_or(now.elapsed));
        let stopped = before.state == Role::Leader && role == Role::Unsettled && leader == me;
        self.holding = (self.holding && leader == me && role == Role::Unsettled)
            || (stopped && self.config.holds && stands == Some(false) && reason.is_none());
        let epoch = self.algorithm.epoch(me, &self.state);
        let after = Leadership { leader, epoch, state: role, stable_for };
        self.shown = after;
        if (leader, role) == (before.leader, before.state) {
            return None;
        }
        let reason = reason.or(bar).unwrap_or_else(|| self.reason(now, before, after));
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
        self.counters.last_heard[q].is_none_or(|at| now.elapsed.saturating_sub(at) > limit)
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

    /// What the process shows.
    pub fn leadership(&self) -> Leadership {
        self.shown
    }

    /// The counts so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The counts, for the runtime to add what only it sees.
    pub fn counters_mut(&mut self) -> &mut Counters {
        &mut self.counters
    }

    /// The variables of the process, as text.
    pub fn state(&self) -> String {
        text::print_state(&*self.algorithm, &self.state)
    }

    /// Replaces the members.
    pub fn set_members(&mut self, members: Vec<bool>) {
        debug_assert_eq!(members.len(), self.algorithm.size(), "one flag per identity");
        self.config.members = members;
    }

    /// Replaces the keys.
    pub fn set_keys(&mut self, keys: Keys) {
        self.seal.keys = keys;
    }
}

/// Counts a message under its kind, the first word of its text, and gives that.
fn count(kinds: &mut BTreeMap<String, u64>, message: &impl ToString) -> String {
    let mut kind = message.to_string();
    kind.truncate(kind.find(char::is_whitespace).unwrap_or(kind.len()));
    match kinds.get_mut(&kind) {
        Some(count) => *count += 1,
        None => drop(kinds.insert(kind.clone(), 1)),
    }
    kind
}

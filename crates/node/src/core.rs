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
use crate::replay::{Replay, Stale};
use crate::wire::{Address, MAX_DATAGRAM, Rejection, Seal};
use ringleader_model::{Coin, Event, Timed, corrupt, text};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

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
    /// When each peer was last heard from.
    heard: Vec<Option<Duration>>,
    shown: Leadership,
    since: Duration,
    begun: Duration,
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
            seal: Seal::new(config.keys.clone(), &config.cluster, &config.algorithm, size),
            replay: Replay::new(size, config.clock_window.as_micros() as u64),
            heard: vec![None; size],
            shown: Leadership { leader, epoch, state: Role::Unsettled, stable_for: Duration::ZERO },
            since: now.elapsed,
            begun: now.elapsed,
            counters: Counters::new(size),
            coin: SplitMix::new(seed),
            inbox: BTreeMap::new(),
            state,
            config,
            algorithm,
        })
    }

    /// Takes a datagram into the buffer, or says why not. Either is counted.
    pub fn receive(&mut self, now: Now, datagram: &[u8]) -> Result<(), Rejection> {
        self.admit(now, datagram).inspect_err(|&rejection| self.counters.reject(rejection))
    }

    fn admit(&mut self, now: Now, datagram: &[u8]) -> Result<(), Rejection> {
        let (me, members) = (self.config.me, &self.config.members);
        let (address, payload) = self.seal.open(datagram, |address| {
            let sender = usize::from(address.sender);
            if usize::from(address.receiver) != me || sender == me {
                return Err(Rejection::Misdirected);
            }
            if !members.get(sender).is_some_and(|&member| member) {
                return Err(Rejection::UnknownPeer);
            }
            Ok(())
        })?;
        let sender = usize::from(address.sender);
        self.replay.take(sender, address.time, now.unix_micros).map_err(|stale| match stale {
            Stale::Clock => Rejection::Clock,
            Stale::Replay => Rejection::Replay,
        })?;
        let message = fields::decode(&*self.algorithm, payload).ok_or(Rejection::Message)?;
        self.counters.received[sender] += 1;
        count(&mut self.counters.messages_received, &message);
        self.heard[sender] = Some(now.elapsed);
        self.inbox.insert((sender, self.algorithm.slot(&message)), message);
        Ok(())
    }

    /// One iteration of the loop: messages, then the tick. Returns how the leadership changed, if it did.
    pub fn iterate(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change> {
        let mut messages = vec![];
        let events = std::mem::take(&mut self.inbox)
            .into_iter()
            .map(|((from, _), message)| Event::Message { from, message })
            .chain([Event::Tick]);
        for event in events {
            self.algorithm.on(self.config.me, &mut self.state, event, &mut messages, &mut self.coin);
        }
        self.counters.iterations += 1;
        self.post(now, messages, out);
        self.look(now, None)
    }

    /// Steps down on purpose, where the algorithm takes a step of its own accord for that.
    pub fn resign(&mut self, now: Now, out: &mut Vec<Transmit>) -> Option<Change> {
        let mut messages = vec![];
        self.algorithm.on(self.config.me, &mut self.state, Event::Step, &mut messages, &mut self.coin);
        self.post(now, messages, out);
        self.look(now, Some(Reason::Resigned))
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
        self.look(now, Some(Reason::Corrupted))
    }

    /// Closes messages into datagrams for those peers that exist.
    fn post(&mut self, now: Now, messages: Vec<(usize, A::Message)>, out: &mut Vec<Transmit>) {
        for (to, message) in messages {
            if to == self.config.me || !self.config.members.get(to).is_some_and(|&member| member) {
                continue;
            }
            let address = Address {
                sender: self.config.me as u16,
                receiver: to as u16,
                time: self.replay.stamp(now.unix_micros),
            };
            let datagram = self.seal.close(address, |bytes| fields::encode(&*self.algorithm, &message, bytes));
            if datagram.len() > MAX_DATAGRAM {
                self.counters.send_errors += 1;
                continue;
            }
            self.counters.sent[to] += 1;
            count(&mut self.counters.messages_sent, &message);
            out.push(Transmit { to, datagram });
        }
    }

    /// Compares what the process shows now with what it showed before.
    fn look(&mut self, now: Now, reason: Option<Reason>) -> Option<Change> {
        let before = self.shown;
        let leader = self.algorithm.leader(self.config.me, &self.state);
        let (timeout, timing) = (self.algorithm.timeout(), self.algorithm.timing());
        let iterations = |each: u64| Duration::from_micros(timeout.saturating_mul(each));
        // Surely after the slowest loop's last timer, and possibly after the fastest one's.
        let (patience, haste) = (iterations(timing.beta), iterations(timing.alpha));
        let silent = |q: usize, limit| self.heard[q].is_none_or(|at| now.elapsed.saturating_sub(at) > limit);
        if leader != before.leader || self.since > now.elapsed {
            self.since = now.elapsed;
        }
        let stable_for = now.elapsed - self.since;
        let role = match () {
            () if stable_for < self.config.settle => Role::Unsettled,
            // Who has just begun has not had the time to hear from anyone.
            () if now.elapsed.saturating_sub(self.begun) < patience
                && self.counters.leader_changes == 0
                && leader == self.config.me =>
            {
                Role::Unsettled
            }
            () if leader == self.config.me => Role::Leader,
            () if silent(leader, patience) => Role::Unsettled,
            () => Role::Follower,
        };
        let epoch = self.algorithm.epoch(self.config.me, &self.state);
        let after = Leadership { leader, epoch, state: role, stable_for };
        self.shown = after;
        if (leader, role) == (before.leader, before.state) {
            return None;
        }
        let started = self.counters.leader_changes == 0 && before.stable_for.is_zero();
        let reason = reason.unwrap_or(match () {
            () if leader == before.leader && role != Role::Unsettled => Reason::Settled,
            () if leader == before.leader => Reason::Silence,
            () if started && before.leader == self.config.me => Reason::Started,
            () if before.leader != self.config.me && silent(before.leader, haste) => Reason::Silence,
            () => Reason::Preferred,
        });
        self.counters.leader_changes += u64::from(leader != before.leader);
        Some(Change { before: Leadership { stable_for: before.stable_for, ..before }, after, reason })
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

/// Counts a message under its kind, the first word of its text.
fn count(kinds: &mut BTreeMap<String, u64>, message: &impl ToString) {
    let text = message.to_string();
    let kind = text.split_whitespace().next().unwrap_or_default();
    match kinds.get_mut(kind) {
        Some(count) => *count += 1,
        None => drop(kinds.insert(kind.to_string(), 1)),
    }
}

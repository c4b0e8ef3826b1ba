//! Whole cores with the guard in virtual time: each has a clock with its own rate and hooks that take their time, during partitions, loss,
//! pauses and restarts.

use crate::common::{Dice, EPOCH_MICROS, beats, boot, core_config, receiver, s2, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::lease::{Lists, Members, Record};
use ringleader_node_core::{Change, Command, Core, CoreConfig, Guard, Instruction, Now, Role, Withdrawal};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const DRIFT: f64 = 0.01;

pub(crate) fn length() -> Duration {
    Guard::for_heartbeat(tempo().heartbeat).length
}

pub(crate) struct Host {
    pub(crate) core: Option<Core>,
    pub(crate) next: Duration,
    pub(crate) rate: f64,
    pub(crate) paused: bool,
    /// The end of its stall: until then it neither reads nor iterates, and its datagrams wait.
    pub(crate) awake: Duration,
    pub(crate) file: Record,
    /// The members in its settings.
    pub(crate) configured: Members,
    /// Whether its disk stores nothing at present, and the record that waits for that.
    pub(crate) disk_full: bool,
    pub(crate) unstored: Option<Record>,
    /// Whether it was confirmed when it was last looked at.
    leads: bool,
    /// The end of its last lease, on its own clock.
    lease_end: Duration,
    /// The end of the hooks of its last leadership.
    pub(crate) hooks_end: Duration,
}

/// A cluster. Nobody is confirmed while the hooks of another host's leadership still run, unless they outlast its lease.
pub(crate) struct World {
    pub(crate) hosts: Vec<Host>,
    pub(crate) guard: Guard,
    pub(crate) now: Duration,
    dice: Dice,
    pub(crate) in_flight: BTreeMap<(Duration, u64), (usize, Vec<u8>)>,
    sequence: u64,
    /// The loss by sender and receiver, in per cent.
    pub(crate) loss: Vec<Vec<u64>>,
    algorithm: Arc<RobustS2>,
    /// The least delay of a datagram, which keeps their order.
    pub(crate) delay: Duration,
    pub(crate) sent: u64,
    pub(crate) tokens: Vec<u64>,
    /// Whether two confirmed leaders are tolerated: while memory is corrupted, or with a planted bug.
    pub(crate) tolerant: bool,
    /// Whether two were confirmed at the same time.
    pub(crate) two: bool,
    /// The longest time that the hooks of a lost leadership take.
    pub(crate) hooks: Duration,
    hook_dice: Dice,
    /// The reason for which a storm withdraws hosts.
    pub(crate) withdrawal: Withdrawal,
    /// The healed splits: the leader that was told, and the leader of the other side.
    pub(crate) healed: Vec<(usize, usize)>,
    /// The changes that hosts have announced.
    pub(crate) announced: Vec<(usize, Change)>,
}

impl World {
    pub(crate) fn new(size: usize, seed: u64, guard: Guard) -> World {
        World::with_hooks(size, seed, guard, Duration::ZERO)
    }

    /// A cluster whose hooks take up to this time.
    pub(crate) fn with_hooks(size: usize, seed: u64, guard: Guard, hooks: Duration) -> World {
        World::begin(size, (0..size).collect(), seed, guard, hooks)
    }

    /// A cluster of these identities, of which only the given ones are members and run.
    pub(crate) fn of_members(size: usize, members: Members, seed: u64, guard: Guard) -> World {
        World::begin(size, members, seed, guard, Duration::ZERO)
    }

    /// The same, and hooks take up to this time.
    pub(crate) fn begin(size: usize, members: Members, seed: u64, guard: Guard, hooks: Duration) -> World {
        let mut dice = Dice(seed);
        let drift = f64::from(guard.drift) / 1e6;
        let rate = |dice: &mut Dice| 1.0 - drift + 2.0 * drift * (dice.below(1001) as f64) / 1000.0;
        let hosts = (0..size).map(|_| Host {
            core: None,
            next: Duration::ZERO,
            rate: rate(&mut dice),
            paused: false,
            awake: Duration::ZERO,
            file: Record { lists: Lists::first(members), ..Record::default() },
            configured: members,
            disk_full: false,
            unstored: None,
            leads: false,
            lease_end: Duration::ZERO,
            hooks_end: Duration::ZERO,
        });
        let (mut algorithm, iteration) = (s2(size), tempo().iteration());
        let quick = algorithm.quick.as_mut().unwrap();
        // As in `launch.rs`.
        quick.most = quick.most.min(guard.over().as_nanos().div_ceil(iteration.as_nanos()) as u64);
        let mut world = World {
            hosts: hosts.collect(),
            guard,
            now: Duration::ZERO,
            in_flight: BTreeMap::new(),
            sequence: 0,
            loss: vec![vec![0; size]; size],
            algorithm: Arc::new(algorithm),
            delay: Duration::ZERO,
            sent: 0,
            tokens: vec![],
            tolerant: false,
            two: false,
            hooks,
            hook_dice: Dice(seed ^ 0x5555),
            withdrawal: Withdrawal::Drained,
            healed: vec![],
            announced: vec![],
            dice,
        };
        members.iter().for_each(|me| world.start(me));
        world
    }

    /// The clocks of a host, which have their own rate.
    pub(crate) fn clock(&self, me: usize) -> Now {
        let elapsed = Duration::from_secs(1000) + self.now.mul_f64(self.hosts[me].rate);
        Now { elapsed, unix_micros: EPOCH_MICROS + self.now.as_micros() as u64 }
    }

    pub(crate) fn start(&mut self, me: usize) {
        let now = self.clock(me);
        let record = self.guard.record.map(|_| self.hosts[me].file);
        let guard = Some(Guard { record, ..self.guard.clone() });
        let holds = self.hooks > Duration::ZERO;
        let members = (0..self.hosts.len()).map(|id| self.hosts[me].configured.contains(id)).collect();
        let config = CoreConfig { boot: boot(self.now), guard, holds, members, ..core_config(me, self.hosts.len()) };
        // A daemon that dies takes its hooks along.
        (self.hosts[me].leads, self.hosts[me].hooks_end) = (false, Duration::ZERO);
        self.hosts[me].core = Some(Core::new(Arc::clone(&self.algorithm), config, me as u64, now).unwrap());
        self.hosts[me].next = self.now + Duration::from_micros(self.dice.below(5000));
    }

    pub(crate) fn order(&mut self, me: usize, order: Instruction) {
        let now = self.clock(me);
        let Some(core) = &mut self.hosts[me].core else { return };
        core.obey(now, order);
        self.execute(me);
    }

    /// Carries out the commands of a core.
    pub(crate) fn execute(&mut self, from: usize) {
        let mut store = None;
        for command in self.hosts[from].core.as_mut().map(Core::take_commands).unwrap_or_default() {
            let (to, datagram) = match command {
                Command::Send { to, datagram } => (to, datagram),
                Command::Reply(datagram) => (receiver(&datagram), datagram),
                Command::Store(record) => {
                    store = Some(record);
                    continue;
                }
                Command::Announce(change) => {
                    self.announced.push((from, change));
                    continue;
                }
                Command::Healed(other) => {
                    self.healed.push((from, other));
                    continue;
                }
                _ => continue,
            };
            self.sent += 1;
            let after = self.delay + Duration::from_micros(100 + self.dice.below(2000));
            if self.dice.below(100) >= self.loss[from][to] {
                self.sequence += 1;
                self.in_flight.insert((self.now + after, self.sequence), (to, datagram));
            }
        }
        // Storing takes no time here; the tests of the lease make it slow.
        match store {
            Some(record) if self.hosts[from].disk_full => {
                self.hosts[from].unstored = Some(record);
                self.order(from, Instruction::NotStored);
            }
            Some(record) => self.store(from, record),
            None => {}
        }
    }

    fn store(&mut self, me: usize, record: Record) {
        self.hosts[me].file = record;
        self.order(me, Instruction::Stored(record));
    }

    /// Repairs the disk of a host.
    pub(crate) fn repair_disk(&mut self, me: usize) {
        self.hosts[me].disk_full = false;
        if let Some(record) = self.hosts[me].unstored.take() {
            self.store(me, record);
        }
    }

    pub(crate) fn run(&mut self, duration: Duration) {
        let end = self.now + duration;
        loop {
            let live = (0..self.hosts.len()).filter(|&me| self.hosts[me].core.is_some() && !self.hosts[me].paused);
            let iteration = live.map(|me| (self.hosts[me].next, me)).min();
            let arrival = self.in_flight.first_key_value().map(|(&(at, _), _)| at);
            let next = iteration.map(|(at, _)| at).into_iter().chain(arrival).min();
            let Some(next) = next.filter(|&at| at <= end) else { break };
            self.now = self.now.max(next);
            if arrival == Some(next) {
                let ((_, number), (to, datagram)) = self.in_flight.pop_first().unwrap();
                if self.hosts[to].awake > next {
                    self.in_flight.insert((self.hosts[to].awake, number), (to, datagram));
                    continue;
                }
                self.deliver(to, datagram);
            } else if let Some((_, me)) = iteration {
                let now = self.clock(me);
                self.hosts[me].core.as_mut().unwrap().iterate(now);
                let each = tempo().iteration().div_f64(self.hosts[me].rate);
                self.hosts[me].next = (self.hosts[me].next + each).max(self.now + each * 19 / 20);
                self.execute(me);
            }
            self.judge();
            self.release();
        }
        self.now = end;
    }

    /// Lets a host stand still from now on.
    pub(crate) fn stall(&mut self, me: usize, time: Duration) {
        let awake = self.now + time;
        self.hosts[me].awake = awake;
        self.hosts[me].next = self.hosts[me].next.max(awake);
    }

    /// Tells the hosts that hand over that their hooks have ended.
    fn release(&mut self) {
        for me in 0..self.hosts.len() {
            let host = &self.hosts[me];
            let holding = host.core.as_ref().is_some_and(|core| core.status().holding);
            if holding && !host.paused && host.awake <= self.now && host.hooks_end <= self.now {
                self.order(me, Instruction::Release);
            }
        }
    }

    pub(crate) fn deliver(&mut self, to: usize, datagram: Vec<u8>) {
        if self.hosts[to].paused {
            return;
        }
        let now = self.clock(to);
        let Some(core) = &mut self.hosts[to].core else { return };
        let _ = core.receive(now, &datagram);
        self.execute(to);
    }

    /// The hosts that count as confirmed now, paused ones included.
    pub(crate) fn confirmed(&self) -> Vec<usize> {
        let holds = |me: &usize| {
            let leadership = self.hosts[*me].core.as_ref().map(|core| core.status().leadership);
            let until =
                leadership.filter(|l| l.state == Role::Leader).and_then(|l| l.confirmation).map(|lease| lease.until);
            until.is_some_and(|until| until > self.clock(*me).elapsed)
        };
        (0..self.hosts.len()).filter(holds).collect()
    }

    pub(crate) fn judge(&mut self) {
        for me in 0..self.hosts.len() {
            self.note(me);
        }
        let busy: Vec<usize> = (0..self.hosts.len()).filter(|&me| self.is_busy(me)).collect();
        self.two |= busy.len() > 1;
        assert!(!self.two || self.tolerant, "{busy:?} act at {:?}", self.now);
    }

    /// Notes the begin and the end of a leadership: each has a token of its own, greater than all before.
    fn note(&mut self, me: usize) {
        let Some(core) = &self.hosts[me].core else { return };
        let confirmation = core.status().leadership.confirmation.filter(|_| self.confirmed().contains(&me));
        let led = std::mem::replace(&mut self.hosts[me].leads, confirmation.is_some());
        match confirmation {
            Some(confirmation) => {
                self.hosts[me].lease_end = confirmation.until;
                if let Some(token) = confirmation.token.filter(|_| !led) {
                    let grows = self.tokens.last().is_none_or(|&last| last < token);
                    assert!(grows || self.tolerant, "{me} has {token} after {:?}", self.tokens);
                    self.tokens.push(token);
                }
            }
            None if led => {
                let longest = self.hooks.as_micros() as u64;
                self.hosts[me].hooks_end = self.now + Duration::from_micros(self.hook_dice.below(longest + 1));
            }
            None => {}
        }
    }

    /// Whether it is confirmed, or the hooks of its last leadership run within the lease of that leadership.
    fn is_busy(&self, me: usize) -> bool {
        let host = &self.hosts[me];
        let hooks = host.hooks_end > self.now && host.lease_end > self.clock(me).elapsed;
        host.core.is_some() && (host.leads || hooks)
    }

    pub(crate) fn states(&self) -> Vec<String> {
        self.hosts.iter().filter_map(|host| host.core.as_ref().map(Core::state)).collect()
    }

    pub(crate) fn cut(&mut self, side: impl Fn(usize) -> bool) {
        let size = self.hosts.len();
        (0..size).for_each(|a| (0..size).for_each(|b| self.loss[a][b] = if side(a) == side(b) { 0 } else { 100 }));
    }

    /// The time until a host is confirmed; panics after `limit`.
    pub(crate) fn until_confirmed(&mut self, limit: Duration) -> Duration {
        let begun = self.now;
        while self.confirmed().is_empty() {
            self.run(tempo().iteration());
            assert!(self.now - begun < limit, "nobody is confirmed after {limit:?}");
        }
        self.now - begun
    }
}

/// L by the slowest clock, the election, and the requests.
pub(crate) fn failover() -> Duration {
    length().div_f64(1.0 - DRIFT) + beats(2)
}

pub(crate) fn guard() -> Guard {
    Guard::new(length())
}

/// A drift of 20 %, much worse than any clock, so that a missing correction is caught.
pub(crate) fn harsh() -> Guard {
    Guard { drift: 200_000, ..guard() }
}

/// Two dozen faults of every kind; if `is_harsh`, datagrams also take as long as a lease. Returns whether a node was confirmed.
pub(crate) fn storm(world: &mut World, seed: u64, is_harsh: bool) -> bool {
    let size = world.hosts.len();
    let (mut confirmed, mut dice) = (false, Dice(seed ^ 0xabcd));
    for _ in 0..25 {
        let me = dice.below(size as u64) as usize;
        let withdrawal = world.withdrawal;
        match dice.below(if is_harsh { 12 } else { 8 }) {
            0 => world.hosts[me].core = None,
            8 => world.delay = length() * dice.below(5) as u32 / 4,
            // A node restarts and forgets its grants; or all others do, and cannot reach it any more.
            kind @ (9 | 10) => {
                if kind == 10 {
                    world.cut(|host| host == me);
                }
                for host in (0..size).filter(|&host| (host == me) == (kind == 9)) {
                    if world.hosts[host].core.is_some() {
                        world.start(host);
                    }
                }
            }
            1 if world.hosts[me].core.is_none() => world.start(me),
            2 => world.hosts[me].paused ^= true,
            3 => {
                let mask = dice.roll();
                world.cut(|host| mask >> host & 1 == 0);
            }
            4 => world.cut(|_| true),
            5 => {
                let loss = [10, 30, 60][dice.below(3) as usize];
                world.loss.iter_mut().flatten().for_each(|link| *link = loss);
            }
            6 => world.order(me, Instruction::Resign),
            _ => world.order(me, Instruction::Withdraw((dice.below(2) == 0).then_some(withdrawal))),
        }
        world.run(tempo().heartbeat.mul_f64(dice.below(60) as f64 / 10.0));
        confirmed |= !world.confirmed().is_empty();
    }
    confirmed
}

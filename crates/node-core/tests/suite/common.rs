//! A cluster of cores in memory: virtual time, one seed, links that delay, lose and are cut.

use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_model::Timed;
use ringleader_node_core::{
    Change, Command, Core, CoreConfig, Corruption, Instruction, Key, Keys, Now, Rejection, Role, Tempo,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Any moment after 1970 will do.
pub(crate) const EPOCH_MICROS: u64 = 1_800_000_000_000_000;

pub(crate) fn tempo() -> Tempo {
    Tempo::new(Duration::from_millis(100))
}

pub(crate) fn beats(count: u32) -> Duration {
    tempo().heartbeat * count
}

/// The default algorithm.
pub(crate) fn s2(size: usize) -> RobustS2 {
    RobustS2::quick(size, tempo().timing(), tempo().period())
}

pub(crate) fn keys() -> Keys {
    Keys::new(vec![Key::new([42; 32])]).unwrap()
}

pub(crate) fn core_config(me: usize, size: usize) -> CoreConfig {
    let config = CoreConfig::new(me, size, tempo().heartbeat, 1);
    CoreConfig { cluster: "test".into(), algorithm: "under test".into(), keys: keys(), ..config }
}

/// An incarnation that starts at this time; later ones are neither greater nor less.
pub(crate) fn boot(now: Duration) -> u64 {
    (now.as_micros() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The receiver that a datagram names.
pub(crate) fn receiver(datagram: &[u8]) -> usize {
    usize::from(u16::from_be_bytes([datagram[26], datagram[27]]))
}

/// The datagrams that a core sends to peers.
pub(crate) fn sent(core: &mut Core) -> Vec<(usize, Vec<u8>)> {
    let sent = |command| match command {
        Command::Send { to, datagram } => Some((to, datagram)),
        _ => None,
    };
    core.take_commands().into_iter().filter_map(sent).collect()
}

/// The reply of a core to the datagram that it received last.
pub(crate) fn reply(core: &mut Core) -> Option<Vec<u8>> {
    let reply = |command| match command {
        Command::Reply(datagram) => Some(datagram),
        _ => None,
    };
    core.take_commands().into_iter().find_map(reply)
}

/// Carries the datagrams of a host outside of the cluster to their receivers, and all replies back and forth.
pub(crate) fn exchange(host: &mut Core, now: Now, mut receive: impl FnMut(usize, &[u8]) -> Option<Vec<u8>>) {
    for (to, datagram) in sent(host) {
        let mut next = Some(datagram);
        while let Some(datagram) = next {
            next = receive(to, &datagram).and_then(|said| {
                let _ = host.receive(now, &said);
                reply(host)
            });
        }
    }
}

/// Gives a datagram to a core, and returns its reply.
pub(crate) fn receive(core: Option<&mut Core>, now: Now, datagram: &[u8]) -> Option<Vec<u8>> {
    let core = core?;
    let _ = core.receive(now, datagram);
    reply(core)
}

/// A small generator of the test's own.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 ^ self.0 >> 33
    }
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.roll() >> 16) % n
    }
}

pub(crate) struct Cluster<A> {
    pub(crate) cores: Vec<Option<Core>>,
    algorithm: Arc<A>,
    pub(crate) next_iteration: Vec<Duration>,
    in_flight: BTreeMap<(Duration, u64), (usize, usize, Vec<u8>)>,
    pub(crate) now: Duration,
    dice: Dice,
    /// By (sender, receiver): loss in per cent.
    pub(crate) loss: BTreeMap<(usize, usize), u64>,
    /// The host with wrong addresses of all others: only its replies arrive.
    pub(crate) misaddressed: Option<usize>,
    /// For hosts that start later: the silence of a peer after which an algorithm that needs all of them counts as broken.
    pub(crate) silence: Option<Duration>,
    /// Every datagram delivered: when, from, to.
    pub(crate) delivered: Vec<(Duration, usize, usize)>,
    /// The last datagrams seen on the wire, for replaying.
    pub(crate) wire: Vec<(usize, Vec<u8>)>,
    pub(crate) rejections: Vec<Rejection>,
    /// The healed splits: the leader that was told, and the leader of the other side.
    pub(crate) healed: Vec<(usize, usize)>,
    /// The changes that hosts have announced.
    pub(crate) announced: Vec<(usize, Change)>,
    /// The seconds by which each host's clock is ahead.
    pub(crate) ahead: Vec<i64>,
    /// The end of each host's stall: until then it neither reads nor iterates.
    pub(crate) awake: Vec<Duration>,
    sequence: u64,
}

impl<A: Timed + 'static> Cluster<A> {
    pub(crate) fn new(algorithm: A, seed: u64) -> Self {
        let algorithm = Arc::new(algorithm);
        let size = algorithm.size();
        let mut cluster = Cluster {
            cores: (0..size).map(|_| None).collect(),
            next_iteration: vec![Duration::ZERO; size],
            in_flight: BTreeMap::new(),
            now: Duration::ZERO,
            dice: Dice(seed),
            loss: BTreeMap::new(),
            misaddressed: None,
            silence: None,
            delivered: vec![],
            wire: vec![],
            rejections: vec![],
            healed: vec![],
            announced: vec![],
            ahead: vec![0; size],
            awake: vec![Duration::ZERO; size],
            sequence: 0,
            algorithm,
        };
        (0..size).for_each(|me| cluster.start(me));
        cluster
    }

    pub(crate) fn size(&self) -> usize {
        self.cores.len()
    }

    pub(crate) fn clock(&self) -> Now {
        Now { elapsed: self.now, unix_micros: EPOCH_MICROS + self.now.as_micros() as u64 }
    }

    /// The clocks of a host.
    fn clock_of(&self, me: usize) -> Now {
        let Now { elapsed, unix_micros } = self.clock();
        Now { elapsed, unix_micros: unix_micros.saturating_add_signed(self.ahead[me].saturating_mul(1_000_000)) }
    }

    pub(crate) fn start(&mut self, me: usize) {
        let config = CoreConfig { boot: boot(self.now), silence: self.silence, ..core_config(me, self.size()) };
        let seed = self.dice.roll();
        self.cores[me] = Some(Core::new(Arc::clone(&self.algorithm), config, seed, self.clock_of(me)).unwrap());
        self.next_iteration[me] = self.now + Duration::from_micros(self.dice.below(10_000));
    }

    pub(crate) fn kill(&mut self, me: usize) {
        self.cores[me] = None;
    }

    pub(crate) fn order(&mut self, me: usize, order: Instruction) -> Option<Change> {
        let now = self.clock_of(me);
        let core = self.cores[me].as_mut().unwrap();
        core.obey(now, order);
        let commands = core.take_commands();
        self.execute(me, commands)
    }

    pub(crate) fn corrupt(&mut self, me: usize, corruption: Corruption) {
        self.order(me, Instruction::Corrupt(corruption));
    }

    pub(crate) fn resign(&mut self, me: usize) {
        self.order(me, Instruction::Resign);
    }

    pub(crate) fn isolate(&mut self, me: usize, loss: u64) {
        for other in 0..self.size() {
            self.loss.insert((me, other), loss);
            self.loss.insert((other, me), loss);
        }
    }

    /// Carries out the commands of a core, and returns the change that it announces.
    fn execute(&mut self, from: usize, commands: Vec<Command>) -> Option<Change> {
        let mut announced = None;
        for command in commands {
            let (to, datagram) = match command {
                Command::Send { .. } if self.misaddressed == Some(from) => continue,
                Command::Send { to, datagram } => (to, datagram),
                Command::Reply(datagram) => (receiver(&datagram), datagram),
                Command::Announce(change) => {
                    announced = Some(change);
                    self.announced.push((from, change));
                    continue;
                }
                Command::Healed(other) => {
                    self.healed.push((from, other));
                    continue;
                }
                _ => continue,
            };
            if self.wire.len() < 10_000 {
                self.wire.push((to, datagram.clone()));
            }
            let lost = self.dice.below(100) < self.loss.get(&(from, to)).copied().unwrap_or(0);
            let at = self.now + Duration::from_micros(100 + self.dice.below(2_000));
            if !lost {
                self.sequence += 1;
                self.in_flight.insert((at, self.sequence), (from, to, datagram));
            }
        }
        announced
    }

    /// Lets a host stand still from now on: its datagrams wait.
    pub(crate) fn stall(&mut self, me: usize, time: Duration) {
        self.awake[me] = self.now + time;
        self.next_iteration[me] = self.next_iteration[me].max(self.awake[me]);
    }

    /// The nodes that act: they lead, and do not doubt it.
    pub(crate) fn acting(&self) -> Vec<usize> {
        let acts = |me: &usize| {
            let status = self.cores[*me].as_ref().map(Core::status);
            status.is_some_and(|status| status.leadership.state == Role::Leader && !status.doubts)
        };
        (0..self.size()).filter(acts).collect()
    }

    /// Lets time pass in which all hosts stand still.
    pub(crate) fn skip(&mut self, time: Duration) {
        self.now += time;
        self.in_flight.clear();
        self.next_iteration.iter_mut().for_each(|next| *next += time);
    }

    /// Runs for a while.
    pub(crate) fn run(&mut self, duration: Duration) {
        let end = self.now + duration;
        loop {
            let iteration =
                (0..self.size()).filter(|&p| self.cores[p].is_some()).map(|p| (self.next_iteration[p], p)).min();
            let arrival = self.in_flight.first_key_value().map(|(&(at, _), _)| at);
            let next = [iteration.map(|(at, _)| at), arrival].into_iter().flatten().min();
            let Some(next) = next.filter(|&at| at <= end) else { break };
            self.now = next;
            if arrival == Some(next) {
                let ((_, number), (from, to, datagram)) = self.in_flight.pop_first().unwrap();
                if let Some(&awake) = self.awake.get(to).filter(|&&awake| awake > next) {
                    self.in_flight.insert((awake, number), (from, to, datagram));
                    continue;
                }
                self.delivered.push((next, from, to));
                self.inject(to, &datagram);
            } else if let Some((_, p)) = iteration {
                self.iterate(p);
            }
        }
        self.now = end;
    }

    pub(crate) fn inject(&mut self, to: usize, datagram: &[u8]) {
        if to >= self.size() {
            return;
        }
        let now = self.clock_of(to);
        let Some(core) = self.cores.get_mut(to).and_then(Option::as_mut) else { return };
        if let Err(rejection) = core.receive(now, datagram) {
            self.rejections.push(rejection);
        }
        let commands = core.take_commands();
        self.execute(to, commands);
    }

    fn iterate(&mut self, p: usize) {
        let now = self.clock_of(p);
        let core = self.cores[p].as_mut().unwrap();
        core.iterate(now);
        let commands = core.take_commands();
        let (least, most) = (tempo().timing().alpha, tempo().timing().beta);
        self.next_iteration[p] = self.now + Duration::from_micros(least + self.dice.below(most - least));
        self.execute(p, commands);
    }

    /// The leader that all live processes name, if it is alive.
    pub(crate) fn agreed(&self) -> Option<usize> {
        let mut named = self.cores.iter().flatten().map(|core| core.status().leadership.leader);
        let first = named.next()?;
        (named.all(|leader| leader == first) && self.cores[first].is_some()).then_some(first)
    }

    /// How long until all agree and go on agreeing for ten heartbeats; panics after `limit`.
    pub(crate) fn settle(&mut self, limit: Duration) -> Duration {
        let begin = self.now;
        let mut since = None;
        while since.is_none_or(|at| self.now - at < 10 * tempo().heartbeat) {
            assert!(self.now - begin < limit, "not settled after {limit:?}: {:?}", self.states());
            self.run(tempo().iteration() / 2);
            since = self.agreed().map(|_| since.unwrap_or(self.now));
        }
        since.unwrap() - begin
    }

    pub(crate) fn states(&self) -> Vec<String> {
        self.cores.iter().flatten().map(Core::state).collect()
    }
}

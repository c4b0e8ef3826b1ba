//! The engine: looping processes and messages under way, in virtual time.

use crate::Generator;
use crate::network::link::Memory;
use crate::network::queue::{Due, Queue};
use crate::network::scenario::{Contents, Fault, Pace, Scenario};
use ringleader_model::corrupt::{self, Arbitrary};
use ringleader_model::{Coin, Domain, Event, Name, Timed, Visitor};

/// A receiver's buffer slots, sorted by sender and slot: the newest message of each.
type Slots<M> = Vec<((u32, usize), M)>;

/// A run of a timed algorithm in a scenario.
pub struct NetworkRun<'a, P: Timed> {
    pub(super) algorithm: &'a P,
    scenario: Scenario,
    /// The state of every process.
    pub states: Vec<P::State>,
    slots: Vec<Slots<P::Message>>,
    memory: Vec<Memory>,
    pub(super) queue: Queue<P::Message>,
    /// The time now.
    pub now: u64,
    coin: Generator,
    /// How often a process was started; a crashed one has an even number.
    lives: Vec<u32>,
    side: Vec<bool>,
    /// The processes that are asked not to lead.
    withdrawn: Vec<bool>,
    next_fault: usize,
    /// When each link last carried a message, plus one; 0 for never.
    pub(super) last_sent: Vec<u64>,
    /// The leader that every process names.
    pub named: Vec<usize>,
    /// For each process, the number of live processes that name it.
    tally: Vec<usize>,
    alive: usize,
    /// When all live processes began to name the same live leader, if they do, and the number of iterations then.
    pub agreed_since: Option<(u64, u64)>,
    pub(super) leader_changes: u64,
    pub(super) sent: u64,
    /// The number of messages that have reached a buffer slot.
    pub deliveries: u64,
    /// The number of loop iterations that have ended.
    pub iterations: u64,
    /// A number that depends on the time, the process and the effect of every event so far.
    pub digest: u64,
    out: Vec<(usize, P::Message)>,
}

/// Gives variables the values that they have at the start.
struct Initial<'a>(Contents, &'a mut Generator);

impl Visitor for Initial<'_> {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        match self.0 {
            Contents::Low => domain.low(),
            Contents::High => domain.high(),
            Contents::Extremes => [domain.low(), domain.high()][self.1.below(2) as usize],
            Contents::Clean | Contents::Arbitrary => Arbitrary(self.1).field(name, domain, value),
        }
    }
}

impl<'a, P: Timed> NetworkRun<'a, P> {
    /// A run that starts as the scenario says.
    pub fn new(algorithm: &'a P, scenario: &Scenario, mut coin: Generator) -> Self {
        let states = (0..scenario.size)
            .map(|me| match scenario.start {
                Contents::Clean => algorithm.start(me),
                contents => {
                    let mut state = P::State::default();
                    algorithm.variables(&mut state, &mut Initial(contents, &mut coin));
                    state
                }
            })
            .collect();
        NetworkRun::from_states(algorithm, scenario, states, coin)
    }

    /// A run from these states; the links start as the scenario says.
    pub fn from_states(algorithm: &'a P, scenario: &Scenario, states: Vec<P::State>, coin: Generator) -> Self {
        let n = scenario.size;
        assert!(n == algorithm.size() && n == states.len(), "one state per process");
        let mut world = NetworkRun {
            algorithm,
            scenario: scenario.clone(),
            states,
            slots: vec![vec![]; n],
            memory: vec![Memory::default(); n * n],
            queue: Queue::new(),
            now: 0,
            coin,
            lives: vec![1; n],
            side: vec![false; n],
            withdrawn: vec![false; n],
            next_fault: 0,
            last_sent: vec![0; n * n],
            named: vec![0; n],
            tally: vec![0; n],
            alive: n,
            agreed_since: None,
            leader_changes: 0,
            sent: 0,
            deliveries: 0,
            iterations: 0,
            digest: 0xcbf2_9ce4_8422_2325,
            out: vec![],
        };
        for &(at, _) in &scenario.faults {
            world.queue.push(at, Due::Fault);
        }
        for p in 0..n {
            world.named[p] = algorithm.leader(p, &world.states[p]);
            world.tally[world.named[p]] += 1;
            let first = world.coin.between(0, algorithm.timing().beta);
            world.queue.push(first, Due::Iteration { process: p as u32, life: 1 });
        }
        world.fill_links();
        world.look(0);
        world
    }

    fn fill_links(&mut self) {
        let n = self.scenario.size;
        for (p, q) in (0..n).flat_map(|p| (0..n).map(move |q| (p, q))).filter(|(p, q)| p != q) {
            let strays = match self.scenario.start {
                Contents::Clean => 0,
                Contents::Arbitrary => self.coin.below(self.scenario.strays + 1),
                Contents::Low | Contents::High | Contents::Extremes => 1,
            };
            for _ in 0..strays {
                let mut message = P::Message::default();
                self.algorithm.message_variables(&mut message, &mut Initial(self.scenario.start, &mut self.coin));
                self.carry(p, q, message);
            }
        }
    }

    /// Lets a visitor change a process's variables.
    pub fn overwrite(&mut self, p: usize, visitor: &mut dyn Visitor) {
        self.algorithm.variables(&mut self.states[p], visitor);
        self.look(p);
    }

    /// Gives these processes arbitrary states.
    pub(crate) fn corrupt(&mut self, processes: &[usize]) {
        self.agreed_since = None;
        for &p in processes {
            self.states[p] = corrupt::arbitrary(self.algorithm, &mut self.coin);
            self.look(p);
        }
    }

    /// Runs until `end`, and counts the directed links that have carried messages meanwhile.
    pub fn links_used_until(&mut self, end: u64) -> usize {
        let since = self.now;
        while self.now < end && self.step() {}
        self.last_sent.iter().filter(|&&sent| sent > since).count()
    }

    /// Whether a process is running.
    pub fn is_alive(&self, p: usize) -> bool {
        self.lives[p] % 2 == 1
    }

    /// Whether every fault of the scenario is over.
    pub fn faults_over(&self) -> bool {
        self.next_fault == self.scenario.faults.len()
    }

    /// When the last fault strikes; 0 if there is none.
    pub(super) fn last_fault(&self) -> u64 {
        self.scenario.faults.last().map_or(0, |(at, _)| *at)
    }

    fn note(&mut self, kind: u64, a: u64, b: u64) {
        for word in [self.now, kind << 62 | a << 31 | b] {
            self.digest = (self.digest ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        }
    }

    /// Puts a message on its link, which may lose, delay or multiply it.
    fn carry(&mut self, p: usize, q: usize, message: P::Message) {
        let index = p * self.scenario.size + q;
        let (now, delta) = (self.now, self.algorithm.timing().delta);
        let slot = self.algorithm.slot(&message);
        let queue = &mut self.queue;
        let mut deliver = |delay: u64| {
            let (sender, receiver) = (p as u32, q as u32);
            queue.push(now + delay, Due::Arrival { sender, receiver, sent: now, message: message.clone() });
        };
        self.scenario.links[index].carry(&mut self.memory[index], now, delta, slot, &mut self.coin, &mut deliver);
    }

    /// Lets the next thing happen and tells whether anything could.
    pub fn step(&mut self) -> bool {
        let Some((at, due)) = self.queue.pop() else { return false };
        self.now = at;
        match due {
            Due::Arrival { sender, receiver, message, .. } => self.arrive(sender, receiver as usize, message),
            Due::Iteration { process, life } if self.lives[process as usize] == life => {
                self.iterate(process as usize);
            }
            Due::Iteration { .. } => {}
            Due::Fault => self.strike(),
        }
        true
    }

    fn arrive(&mut self, sender: u32, q: usize, message: P::Message) {
        if !self.is_alive(q) {
            return;
        }
        let key = (sender, self.algorithm.slot(&message));
        let slots = &mut self.slots[q];
        match slots.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(index) => slots[index].1 = message,
            Err(index) => slots.insert(index, (key, message)),
        }
        self.deliveries += 1;
        self.note(1, sender.into(), q as u64);
    }

    /// One loop iteration: the newest message of every sender and slot, then a tick.
    fn iterate(&mut self, p: usize) {
        let mut slots = std::mem::take(&mut self.slots[p]);
        let mut out = std::mem::take(&mut self.out);
        let state = &mut self.states[p];
        if self.withdrawn[p] {
            self.algorithm.on(p, state, Event::Step, &mut out, &mut self.coin);
        }
        for ((from, _), message) in slots.drain(..) {
            let event = Event::Message { from: from as usize, message };
            self.algorithm.on(p, state, event, &mut out, &mut self.coin);
        }
        self.algorithm.on(p, state, Event::Tick, &mut out, &mut self.coin);
        for (q, message) in out.drain(..) {
            self.sent += 1;
            self.last_sent[p * self.scenario.size + q] = self.now + 1;
            if self.side[p] == self.side[q] {
                self.carry(p, q, message);
            }
        }
        (self.slots[p], self.out) = (slots, out);
        let next = self.now + self.loop_time(p);
        self.queue.push(next, Due::Iteration { process: p as u32, life: self.lives[p] });
        self.iterations += 1;
        self.look(p);
        self.note(2, p as u64, self.named[p] as u64);
    }

    fn loop_time(&mut self, p: usize) -> u64 {
        let timing = self.algorithm.timing();
        match self.scenario.paces[p] {
            Pace::Any => self.coin.between(timing.alpha, timing.beta),
            Pace::Fastest => timing.alpha,
            Pace::Slowest => timing.beta,
            Pace::Extreme => [timing.alpha, timing.beta][self.coin.below(2) as usize],
        }
    }

    /// Updates the leader that `p` names, and the time since which all agree.
    fn look(&mut self, p: usize) {
        let leader = self.algorithm.leader(p, &self.states[p]);
        if self.named[p] != leader {
            self.tally[self.named[p]] -= 1;
            self.tally[leader] += 1;
            self.named[p] = leader;
            self.leader_changes += 1;
        }
        let agreed = self.tally[leader] == self.alive && self.is_alive(leader);
        self.agreed_since = agreed.then(|| self.agreed_since.unwrap_or((self.now, self.iterations)));
    }

    fn strike(&mut self) {
        let (_, fault) = self.scenario.faults[self.next_fault].clone();
        self.next_fault += 1;
        self.note(3, self.next_fault as u64, 0);
        match fault {
            Fault::Crash(p) if self.is_alive(p) => {
                self.lives[p] += 1;
                self.slots[p].clear();
                self.tally[self.named[p]] -= 1;
                self.alive -= 1;
            }
            Fault::Restart(p) if !self.is_alive(p) => {
                self.lives[p] += 1;
                self.alive += 1;
                self.states[p] = corrupt::arbitrary(self.algorithm, &mut self.coin);
                self.named[p] = self.algorithm.leader(p, &self.states[p]);
                self.tally[self.named[p]] += 1;
                let due = Due::Iteration { process: p as u32, life: self.lives[p] };
                self.queue.push(self.now, due);
            }
            Fault::Corrupt(p) => self.states[p] = corrupt::arbitrary(self.algorithm, &mut self.coin),
            Fault::Withdraw(p) => self.withdrawn[p] = true,
            Fault::Return(p) => self.withdrawn[p] = false,
            Fault::Partition(side) => self.side = side,
            Fault::Heal => self.side.fill(false),
            Fault::Crash(_) | Fault::Restart(_) => {}
        }
        // The next iteration of any live process looks again.
        self.agreed_since = None;
    }
}

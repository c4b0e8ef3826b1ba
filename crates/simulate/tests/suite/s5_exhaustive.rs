//! Algorithm 1, every state of small instances: convergence and closure, with the timeout as a parameter.
//!
//! Time is ticks: α is one tick, β and δ are whole numbers of ticks. In each tick the adversary delivers any of the messages
//! under way (those of age δ it must), and lets any of the processes end an iteration (those that have not for β ticks
//! it must). Timers start anywhere up to their limits: above a limit a timer behaves as at it. The rules are those of
//! `robust-s5` itself.

use ringleader_algorithms::robust::s5::{Alive, RobustS5, State};
use ringleader_model::{Coin, Event, NoCoin, Process, Timing};
use ringleader_simulate::Generator;
use ringleader_testkit::reachable::{Graph, graph};
use std::collections::HashSet;

const ALPHA: u64 = 1;

/// Everything there is at one tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Moment<const N: usize> {
    states: [State; N],
    /// Ticks since each process's last iteration, less one.
    idle: [u8; N],
    /// From the first to the second: the ages of the messages under way, as bits.
    under_way: [[u8; N]; N],
    /// What is in the slots of the second.
    slot: [[bool; N]; N],
}

struct Instance<const N: usize> {
    algorithm: RobustS5,
}

impl<const N: usize> Instance<N> {
    fn new(beta: u64, delta: u64, timeout: u64) -> Self {
        let timing = Timing { alpha: ALPHA, beta, delta };
        timing.validate().unwrap();
        Instance { algorithm: RobustS5 { size: N, timing, timeout } }
    }

    fn digit(number: &mut u64, base: u64) -> u64 {
        let digit = *number % base;
        *number /= base;
        digit
    }

    fn count(&self) -> u64 {
        let RobustS5 { timing, timeout, .. } = self.algorithm;
        let process = N as u64 * timing.send_period() * (timeout + 1) * timing.beta;
        let slot = if timing.beta > 1 { 2 } else { 1 };
        let link = (1 << timing.delta) * slot;
        process.pow(N as u32) * u64::pow(link, (N * (N - 1)) as u32)
    }

    fn moment(&self, mut number: u64) -> Moment<N> {
        let RobustS5 { timing, timeout, .. } = self.algorithm;
        let mut moment =
            Moment { states: [State::default(); N], idle: [0; N], under_way: [[0; N]; N], slot: [[false; N]; N] };
        for p in 0..N {
            moment.states[p].leader = Self::digit(&mut number, N as u64) as usize;
            moment.states[p].send_timer = Self::digit(&mut number, timing.send_period());
            moment.states[p].receive_timer = Self::digit(&mut number, timeout + 1);
            moment.idle[p] = Self::digit(&mut number, timing.beta) as u8;
            for q in (0..N).filter(|&q| q != p) {
                moment.under_way[p][q] = Self::digit(&mut number, 1 << timing.delta) as u8;
                moment.slot[p][q] = timing.beta > 1 && Self::digit(&mut number, 2) == 1;
            }
        }
        moment
    }

    /// All that can be after one tick.
    fn successors(&self, now: &Moment<N>) -> Vec<Moment<N>> {
        let Timing { beta, delta, .. } = self.algorithm.timing;
        let mut all = vec![*now];
        for (p, q) in (0..N).flat_map(|p| (0..N).map(move |q| (p, q))).filter(|(p, q)| p != q) {
            let due = now.under_way[p][q];
            let late = due & 1 << (delta - 1);
            all = all
                .iter()
                .flat_map(|m| (0..=due).filter(|kept| kept & !due == 0 && kept & late == 0).map(move |kept| (m, kept)))
                .map(|(m, kept)| {
                    let mut m = *m;
                    m.slot[p][q] |= kept != due;
                    m.under_way[p][q] = kept << 1;
                    m
                })
                .collect();
        }
        for p in 0..N {
            let may_wait = u64::from(now.idle[p]) + 1 < beta;
            all = all
                .iter()
                .flat_map(|m| {
                    let waits = may_wait.then(|| {
                        let mut waiting = *m;
                        waiting.idle[p] += 1;
                        waiting
                    });
                    waits.into_iter().chain([self.iterate(m, p)])
                })
                .collect();
        }
        all
    }

    fn iterate(&self, now: &Moment<N>, p: usize) -> Moment<N> {
        let (mut next, mut out) = (*now, vec![]);
        for q in 0..N {
            if std::mem::take(&mut next.slot[q][p]) {
                let event = Event::Message { from: q, message: Alive };
                self.algorithm.on(p, &mut next.states[p], event, &mut out, &mut NoCoin);
            }
        }
        self.algorithm.on(p, &mut next.states[p], Event::Tick, &mut out, &mut NoCoin);
        out.into_iter().for_each(|(q, Alive)| next.under_way[p][q] |= 1);
        next.idle[p] = 0;
        next
    }

    fn agreed(moment: &Moment<N>) -> bool {
        moment.states.iter().all(|s| s.leader == moment.states[0].leader)
    }

    /// After at most how many ticks all agree for ever, from every one of these moments and whatever the adversary does;
    /// `None` if it can prevent that for ever.
    fn settling(&self, starts: impl Iterator<Item = Moment<N>>) -> Option<u32> {
        let next = |moment: &Moment<N>| self.successors(moment).into_iter().map(|next| (next, ())).collect();
        let Graph { states: moments, edges } = graph(starts, next);
        let stays = |(m, successors): (&Moment<N>, &Vec<(u32, ())>)| {
            let leader = m.states[0].leader;
            Self::agreed(m) && successors.iter().all(|&(next, ())| moments[next as usize].states[0].leader == leader)
        };
        let mut safe: Vec<bool> = moments.iter().zip(&edges).map(stays).collect();
        let mut predecessors = vec![vec![]; moments.len()];
        for (m, successors) in edges.iter().enumerate() {
            successors.iter().for_each(|&(next, ())| predecessors[next as usize].push(m as u32));
        }
        // Closure: the greatest set of moments that agree on a leader and cannot be left.
        let mut leaving: Vec<u32> = (0..moments.len() as u32).filter(|&m| !safe[m as usize]).collect();
        while let Some(m) = leaving.pop() {
            for &before in &predecessors[m as usize] {
                if std::mem::take(&mut safe[before as usize]) {
                    leaving.push(before);
                }
            }
        }
        // Convergence: every path ends in the safe set. Count down the ways out that are not yet known to end there.
        let mut open: Vec<u32> = edges.iter().map(|successors| successors.len() as u32).collect();
        let mut depth = vec![0u32; moments.len()];
        let mut done: Vec<u32> = (0..moments.len() as u32).filter(|&m| safe[m as usize]).collect();
        let mut reached = done.len();
        while let Some(m) = done.pop() {
            for &before in &predecessors[m as usize] {
                let b = before as usize;
                if !safe[b] {
                    depth[b] = depth[b].max(depth[m as usize] + 1);
                    open[b] -= 1;
                    if open[b] == 0 {
                        reached += 1;
                        done.push(before);
                    }
                }
            }
        }
        (reached == moments.len()).then(|| depth.into_iter().max().unwrap_or(0))
    }

    fn every_state(&self) -> Option<u32> {
        self.settling((0..self.count()).map(|number| self.moment(number)))
    }
}

#[test]
fn two_processes_in_lockstep_from_every_state() {
    // As printed: 8⌈δ/α⌉ = 16; fast: ⌊(2δ+β)/α⌋ = 5.
    let settles = |timeout| Instance::<2>::new(1, 2, timeout).every_state();
    assert_eq!(settles(16), Some(23));
    assert_eq!(settles(5), Some(12));
    assert_eq!(
        (settles(3), settles(2)),
        (Some(10), None),
        "in whole ticks 3 is enough: no message takes less than one"
    );
}

#[test]
fn two_processes_at_any_speed_from_every_state() {
    // β = 2α, δ = 3α: fast is ⌊(2·3+2)/1⌋ = 8.
    let settles = |timeout| Instance::<2>::new(2, 3, timeout).every_state();
    assert_eq!(settles(8), Some(28));
    assert_eq!((settles(4), settles(3)), (Some(20), None));
}

/// Where three processes in lockstep (α = β = 1, δ = 2, so that they send every other tick) can be two ticks after any
/// start: links hold only what was sent meanwhile. Who has just sent has its timer at 0 and leads itself; who sent a tick
/// before has it at 1, and each of its messages has arrived or not.
fn two_ticks_on(instance: &Instance<3>) -> HashSet<Moment<3>> {
    let mut processes = vec![];
    for (leader, receive_timer) in (0..3).flat_map(|l| (0..=instance.algorithm.timeout).map(move |t| (l, t))) {
        let with = |send_timer, links: [u8; 2]| (State { leader, send_timer, receive_timer }, links);
        processes.extend([with(0, [0, 0]), with(0, [1, 1])]);
        processes.extend([[0, 0], [0, 2], [2, 0], [2, 2]].map(|links| with(1, links)));
    }
    let sound = |p: usize, (state, links): &(State, [u8; 2])| *links != [1, 1] || state.leader == p;
    let mut moments = HashSet::new();
    for a in processes.iter().filter(|a| sound(0, a)) {
        for b in processes.iter().filter(|b| sound(1, b)) {
            for c in processes.iter().filter(|c| sound(2, c)) {
                let under_way = [[0, a.1[0], a.1[1]], [b.1[0], 0, b.1[1]], [c.1[0], c.1[1], 0]];
                moments.insert(Moment { states: [a.0, b.0, c.0], idle: [0; 3], under_way, slot: [[false; 3]; 3] });
            }
        }
    }
    moments
}

#[test]
fn three_processes_in_lockstep_from_every_state() {
    let instance = Instance::<3>::new(1, 2, 5);
    let (count, mut coin, moments) = (instance.count(), Generator::new(1), two_ticks_on(&instance));
    assert_eq!(count, 191_102_976);
    for _ in 0..300 {
        let number = (u64::from(coin.below(1 << 31)) << 31 | u64::from(coin.below(1 << 31))) % count;
        let later = instance.successors(&instance.moment(number)).into_iter();
        for moment in later.flat_map(|next| instance.successors(&next)) {
            assert!(moments.contains(&moment), "{moment:?} is two ticks after state {number}");
        }
    }
    // So from any of the 191,102,976 states all agree for ever after at most 17 ticks.
    assert_eq!((moments.len(), instance.settling(moments.into_iter())), (884_736, Some(15)));
    let hasty = Instance::<3>::new(1, 2, 2);
    assert_eq!(
        hasty.settling(two_ticks_on(&hasty).into_iter()),
        None,
        "a timeout of 2 is too short, as for two processes"
    );
}

//! Rows of docs/beside-keepalived.md in virtual time, without the guard: half a minute of each trouble at a heartbeat of 0.1 s, while every host
//! stops for 50 to 300 ms, again and again after 0.5 to 2 s.

use crate::common::{Cluster, Dice, s2, tempo};
use ringleader_algorithms::robust::s2::RobustS2;
use ringleader_node_core::{Instruction, Role, Withdrawal};
use std::time::Duration;

const SEEDS: u64 = 8;
const MILLISECOND: Duration = Duration::from_millis(1);

/// Hosts in trouble; host 0 leads at first.
struct Troubled {
    cluster: Cluster<RobustS2>,
    dice: Dice,
    /// The next stall of each host.
    next: Vec<Duration>,
    /// Hosts that are down, and the time of their start.
    down: Vec<(Duration, usize)>,
}

impl Troubled {
    fn new(seed: u64) -> Troubled {
        let mut algorithm = s2(5);
        // A preferred node returns after 10 s, as at the default of `preempt`.
        algorithm.quick.as_mut().unwrap().proof = 100 * tempo().period();
        let (mut cluster, mut dice) = (Cluster::new(algorithm, seed), Dice(seed * 77 + 5));
        cluster.settle(Duration::from_secs(60));
        assert_eq!(cluster.acting(), [0]);
        let next = (0..5).map(|_| cluster.now + pause(&mut dice)).collect();
        Troubled { cluster, dice, next, down: vec![] }
    }

    fn crash(&mut self, me: usize, time: Duration) {
        self.cluster.kill(me);
        self.down.push((self.cluster.now + time, me));
    }

    fn cable(&mut self, plugged: bool) {
        let bar = (!plugged).then_some(Withdrawal::Carrier);
        self.cluster.order(0, Instruction::Withdraw(bar));
        self.cluster.isolate(0, if plugged { 0 } else { 100 });
    }

    /// Half a minute: the number of promotions. `trouble` is called every second, with the second.
    fn promotions(&mut self, mut trouble: impl FnMut(&mut Troubled, u64)) -> usize {
        let (begun, mut second, mut count, mut before) = (self.cluster.now, 0, 0, self.leaders());
        while self.cluster.now < begun + Duration::from_secs(30) {
            let now = self.cluster.now;
            for me in 0..5 {
                if self.next[me] <= now && self.cluster.cores[me].is_some() {
                    self.cluster.stall(me, MILLISECOND * (50 + self.dice.below(251) as u32));
                    self.next[me] = self.cluster.awake[me] + pause(&mut self.dice);
                }
            }
            if now >= begun + Duration::from_secs(second) {
                trouble(self, second);
                second += 1;
            }
            let up: Vec<usize> = self.down.iter().filter(|(at, _)| *at <= now).map(|(_, me)| *me).collect();
            self.down.retain(|(at, _)| *at > now);
            up.into_iter().for_each(|me| self.cluster.start(me));
            self.cluster.run(MILLISECOND * 5);
            let leaders = self.leaders();
            count += leaders.iter().filter(|leader| !before.contains(leader)).count();
            before = leaders;
        }
        count
    }

    /// The nodes that lead, even in doubt or in a stall.
    fn leaders(&self) -> Vec<usize> {
        let leads = |core: &ringleader_node_core::Core| core.status().leadership.state == Role::Leader;
        (0..5).filter(|&me| self.cluster.cores[me].as_ref().is_some_and(leads)).collect()
    }
}

/// The time from one stall to the next.
fn pause(dice: &mut Dice) -> Duration {
    MILLISECOND * (500 + dice.below(1500) as u32)
}

/// The mean of the promotions is at most the median of keepalived's better variant on hosts in namespaces, and a half: such a median is a
/// whole number.
fn check(row: &str, keepalived: f64, trouble: impl Fn(&mut Troubled, u64)) {
    let counts: Vec<usize> = (0..SEEDS).map(|seed| Troubled::new(seed).promotions(&trouble)).collect();
    let mean = counts.iter().sum::<usize>() as f64 / SEEDS as f64;
    println!("{row}: {mean:.1} promotions");
    assert!(mean <= keepalived + 0.5, "{row}: {counts:?}");
}

#[test]
fn stalls_and_one_fault_change_the_leader_as_seldom_as_with_keepalived() {
    check("nothing", 3.0, |_, _| ());
    check("kill -9", 3.0, |hosts, second| {
        if second == 0 {
            hosts.cluster.kill(0);
        }
    });
    check("pulled cable", 2.0, |hosts, second| {
        if second == 0 {
            hosts.cable(false);
        }
    });
    check("mute leader", 3.0, |hosts, _| hosts.cluster.loss.extend((1..5).map(|to| ((0, to), 100))));
    check("deaf leader", 1.0, |hosts, _| hosts.cluster.loss.extend((1..5).map(|from| ((from, 0), 100))));
}

#[test]
fn stalls_and_repeated_faults_change_the_leader_as_seldom_as_with_keepalived() {
    check("crash loop", 3.0, |hosts, second| {
        if second.is_multiple_of(5) {
            hosts.crash(0, Duration::from_secs(1));
        }
    });
    check("restart storm", 8.0, |hosts, second| {
        if second.is_multiple_of(2) {
            hosts.crash(second as usize / 2 % 5, MILLISECOND * 10);
        }
    });
    check("flapping cable", 5.0, |hosts, second| {
        if second.is_multiple_of(2) {
            hosts.cable(second % 4 == 2);
        }
    });
}

//! The guard while all loops stand still again and again, in virtual time.

use crate::common::{Dice, beats, tempo};
use crate::world::{World, failover, guard};
use std::time::Duration;

/// Stalls of 50 to 300 ms on every host, every 0.5 to 2 s. The heartbeat of virtual time is 0.1 s. For a heartbeat that is `scale` times as
/// long, all stalls and pauses are divided by `scale`.
struct Stalls {
    scale: f64,
    dice: Dice,
    next: Vec<Duration>,
}

impl Stalls {
    fn new(world: &World, scale: f64, seed: u64) -> Stalls {
        let mut stalls = Stalls { scale, dice: Dice(seed ^ 77), next: vec![] };
        stalls.next = world.hosts.iter().map(|_| world.now + stalls.time(0, 2000)).collect();
        stalls
    }

    fn time(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.dice.below(most - least)).div_f64(self.scale)
    }

    fn run(&mut self, world: &mut World, time: Duration) {
        for me in 0..self.next.len() {
            if self.next[me] <= world.now {
                let (length, pause) = (self.time(50, 301), self.time(500, 2000));
                world.stall(me, length);
                self.next[me] = world.now + length + pause;
            }
        }
        world.run(time);
    }
}

/// A stall lets a deaf leader miss the moment at which it should hand over, and its lease lapses after few requests. It hands over then, even
/// if another host is mute: if it led on without a lease, the others would follow it for up to 7.3 heartbeats.
#[test]
fn a_deaf_leader_beside_a_mute_host_hands_over_under_stalls() {
    let step = tempo().iteration() / 4;
    for (scale, seed) in (0..24).flat_map(|seed| [(3.0, seed), (10.0, seed)]) {
        let mut world = World::new(5, seed, guard());
        world.until_confirmed(failover());
        let mut stalls = Stalls::new(&world, scale, seed);
        let end = world.now + beats(40);
        while world.now < end || world.confirmed().is_empty() {
            stalls.run(&mut world, step);
        }
        let leader = world.confirmed()[0];
        let mute = (leader + 1 + seed as usize % 4) % 5;
        for other in 0..5 {
            world.loss[other][leader] = if other == leader { 0 } else { 100 };
            world.loss[mute][other] = if other == mute { 0 } else { 100 };
        }
        let limit = world.now + beats(20);
        while world.confirmed() == [leader] {
            stalls.run(&mut world, step);
            assert!(world.now < limit, "seed {seed}: a deaf leader leads on");
        }
        let begun = world.now;
        while world.confirmed().is_empty() {
            stalls.run(&mut world, step);
            assert!(world.now - begun <= beats(3) / 2, "heartbeat {} s, seed {seed}: no leader", scale / 10.0);
        }
    }
}

/// Stalls shorter than the rest of a lease change nothing, and longer ones leave no gap longer than a failover takes.
#[test]
fn patience_that_ends_with_the_lease_does_not_let_the_leader_flap() {
    for (scale, most, longest) in [(1.0, 24, beats(2)), (3.0, 0, Duration::ZERO), (10.0, 0, Duration::ZERO)] {
        let (mut promotions, mut without) = (0, Duration::ZERO);
        for seed in 0..8 {
            let mut world = World::new(5, seed, guard());
            world.until_confirmed(failover());
            let mut stalls = Stalls::new(&world, scale, seed);
            let (end, mut before) = (world.now + Duration::from_secs(30).div_f64(scale), world.confirmed());
            while world.now < end {
                stalls.run(&mut world, tempo().iteration() / 2);
                let now = world.confirmed();
                promotions += usize::from(!now.is_empty() && now != before);
                without += if now.is_empty() { tempo().iteration() / 2 } else { Duration::ZERO };
                before = now;
            }
        }
        println!("heartbeat {} s: {promotions} promotions, {without:?} without a leader in 8 runs", scale / 10.0);
        assert!(promotions <= 8 * most, "{promotions}");
        assert!(without <= 8 * 6 * longest, "{without:?}");
    }
}

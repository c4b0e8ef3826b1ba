//! Members in a hostile network, by seed: letters are lost, duplicated and delayed for longer than the lease, the network is
//! partitioned, members pause and restart, the rate of each clock varies within the bound, storing takes time, and any member may
//! request and return the lease at any time. Two members are never confirmed at the same time, and tokens grow. When the faults end, a
//! member is confirmed within the stated time.
//!
//! In some worlds the list of members changes meanwhile, from three to five, seven, or three others. Operators ask for that at any members and at any time,
//! some of them for another list, and a file is lost now and then.
//!
//! A longer campaign, which reports its progress and can start at any seed:
//! `RINGLEADER_FIRST_SEED=0 RINGLEADER_SEEDS=1000000 cargo test -p ringleader-node-core --lib hostile::at_most -- --nocapture`.

use super::{Lease, LeaseTerms, Letter, Lists, Members, Record, Standing};
use crate::coin::SplitMix;
use ringleader_model::Coin;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// In units of true time.
const LENGTH: u64 = 10_000;
/// 5 %, much worse than any clock, so that a missing correction for the drift is caught.
const DRIFT: u32 = 50_000;
const FAULTS: u64 = 30 * LENGTH;
/// The number of seeds after which a campaign reports its progress.
const BLOCK: usize = 10_000;

enum Event {
    Letter(usize, usize, Letter, Standing),
    Stored(usize, u64, Record),
    /// A member acts by itself.
    Act(usize),
    /// The faults change.
    Weather,
}

/// An event and its time; of two at the same time, the one that was scheduled first comes first.
struct Due(Reverse<(u64, u64)>, Event);

impl Ord for Due {
    fn cmp(&self, other: &Due) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Due) -> bool {
        self.0 == other.0
    }
}

impl Eq for Due {}

struct Host {
    lease: Lease,
    /// The stored record, which survives a restart.
    file: Record,
    life: u64,
    clock: f64,
    rate: f64,
    read: u64,
    leads: bool,
    stands_still: bool,
    /// The letters that arrived during a pause, with their senders.
    unread: Vec<(usize, Letter, Standing)>,
    storing: bool,
    /// The time, on its own clock, until which hooks may act on a lease that it has abandoned.
    acts_until: u64,
    /// Whether its file was lost, and it has not stored lists again.
    lost: bool,
}

/// A change of the list of members.
struct Plan {
    target: Members,
    /// Another list, for which other operators ask.
    rival: Option<Members>,
}

pub(crate) struct World {
    terms: LeaseTerms,
    hosts: Vec<Host>,
    queue: BinaryHeap<Due>,
    now: u64,
    sequence: u64,
    coin: SplitMix,
    cut: Vec<bool>,
    loss: u32,
    delay: u32,
    calm: bool,
    /// Every token with which a member was confirmed.
    tokens: Vec<(u64, usize)>,
    confirmations: u64,
    plan: Option<Plan>,
    /// Every list that was adopted, by its number.
    adopted: Vec<Lists>,
    wrong: Option<&'static str>,
}

impl World {
    pub(crate) fn new(seed: u64, token: bool) -> World {
        let members = 3 + SplitMix::new(seed).below(3) as usize;
        let terms = LeaseTerms { token, ..LeaseTerms::new(LENGTH, DRIFT) };
        World::with(seed, terms, members, (0..members).collect())
    }

    /// Three members, and a change of the list to this one.
    pub(crate) fn changing(seed: u64, target: Members) -> World {
        let terms = LeaseTerms { token: seed % 2 == 1, changes: true, ..LeaseTerms::new(LENGTH, DRIFT) };
        let size = target.iter().last().map_or(0, |last| last + 1);
        let mut world = World::with(seed, terms, size, (0..3).collect());
        let rival = (world.coin.below(2) == 0).then_some([0, 2, 3].into_iter().collect());
        world.plan = Some(Plan { target, rival });
        world
    }

    /// The members of `list` have adopted it; the files of all others are fresh.
    fn with(seed: u64, terms: LeaseTerms, members: usize, list: Members) -> World {
        let mut coin = SplitMix::new(seed);
        coin.word();
        let file = |me: usize| match list.contains(me) {
            true => Record { lists: Lists::first(list), ..Record::default() },
            false => Record::default(),
        };
        let host = |me: usize, coin: &mut SplitMix| Host {
            lease: Lease::new(terms, me, 1, members, file(me), 0),
            file: file(me),
            lost: false,
            life: 1,
            clock: f64::from(coin.below(1000)),
            rate: 1.0,
            read: 0,
            leads: false,
            stands_still: false,
            unread: vec![],
            storing: false,
            acts_until: 0,
        };
        let hosts = (0..members).map(|me| host(me, &mut coin)).collect();
        let mut world = World {
            terms,
            hosts,
            queue: BinaryHeap::new(),
            now: 0,
            sequence: 0,
            coin,
            cut: vec![false; members],
            loss: 10,
            delay: 500,
            calm: false,
            tokens: vec![],
            confirmations: 0,
            plan: None,
            adopted: vec![],
            wrong: None,
        };
        (0..members).for_each(|me| world.schedule(1, Event::Act(me)));
        world.schedule(1, Event::Weather);
        world
    }

    fn schedule(&mut self, after: u64, event: Event) {
        self.sequence += 1;
        self.queue.push(Due(Reverse((self.now + after, self.sequence)), event));
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.coin.below(100) < percent
    }

    /// The time on a member's clock.
    fn clock(&self, me: usize) -> u64 {
        let host = &self.hosts[me];
        (host.clock + (self.now - host.read) as f64 * host.rate) as u64 + 1
    }

    fn set_rate(&mut self, me: usize) {
        let bound = f64::from(DRIFT) / 1e6;
        // The bound is tight at the ends of the range.
        let rate = match self.coin.below(3) {
            0 => 1.0 - bound,
            1 => 1.0 + bound,
            _ => 1.0 - bound + 2.0 * bound * f64::from(self.coin.below(1000)) / 1000.0,
        };
        let now = self.now;
        let host = &mut self.hosts[me];
        host.clock += (now - host.read) as f64 * host.rate;
        (host.read, host.rate) = (now, rate);
    }

    fn send(&mut self, from: usize, to: usize, letter: Letter) {
        let standing = self.hosts[from].lease.standing();
        let copies = if self.calm { 1 } else { 1 + u32::from(self.chance(10)) };
        for _ in 0..copies {
            let late = !self.calm && self.chance(5);
            let after = 1 + self.coin.below(if late { 3 * LENGTH as u32 } else { self.delay });
            let lost = !self.calm && (self.cut[from] != self.cut[to] || self.chance(self.loss));
            if !lost {
                self.schedule(u64::from(after), Event::Letter(from, to, letter, standing));
            }
        }
    }

    fn broadcast(&mut self, me: usize, letter: Letter) {
        (0..self.hosts.len()).filter(|&to| to != me).for_each(|to| self.send(me, to, letter));
    }

    /// Starts to store the next record, if none is being stored.
    fn store(&mut self, me: usize) {
        if let Some(record) = self.hosts[me].lease.to_store().filter(|_| !self.hosts[me].storing) {
            self.hosts[me].storing = true;
            let after = 1 + u64::from(self.coin.below(400));
            let life = self.hosts[me].life;
            self.schedule(after, Event::Stored(me, life, record));
        }
    }

    fn act(&mut self, me: usize) {
        let now = self.clock(me);
        let every = 1 + self.coin.below(LENGTH as u32 / 5);
        self.schedule(u64::from(every), Event::Act(me));
        if self.hosts[me].stands_still {
            return;
        }
        if !self.calm && self.chance(3) {
            self.hosts[me].leads ^= true;
            let choice = self.coin.below(100);
            if !self.hosts[me].leads && choice < 50 {
                if let Some(letter) = self.hosts[me].lease.give_back(now) {
                    self.broadcast(me, letter);
                }
            } else if !self.hosts[me].leads && choice < 70 {
                let host = &mut self.hosts[me];
                host.acts_until = host.acts_until.max(host.lease.confirmed(now).unwrap_or(0));
                host.lease.abandon(now);
            } else if let Some(letter) = self.hosts[me].lease.given_back() {
                self.broadcast(me, letter);
            }
        }
        if self.hosts[me].leads
            && let Some(letter) = self.hosts[me].lease.ask(now, true)
        {
            self.broadcast(me, letter);
        }
        self.hosts[me].lease.advance(now);
        if let Some(letter) = self.hosts[me].lease.inquire(now).filter(|_| self.calm || self.coin.below(2) == 0) {
            self.broadcast(me, letter);
        }
        self.store(me);
    }

    /// An operator asks for another list somewhere, or a file is lost.
    fn change(&mut self, me: usize) {
        let Some(Plan { target, rival }) = self.plan else { return };
        let list = rival.filter(|_| self.coin.below(4) == 0).unwrap_or(target);
        let choice = self.coin.below(8);
        let lease = &mut self.hosts[me].lease;
        let own = lease.grants.record;
        match choice {
            0..=2 => lease.wish(list),
            // Without waiting for answers: safety does not depend on them.
            3..=5 if own.lists.known() => {
                if let Some(lists) = own.lists.with(list) {
                    lease.grants.store(Record { lists, ..own });
                }
            }
            6 if own.lists.known() && self.hosts.iter().all(|host| !host.lost) => {
                self.restart(me);
                let (terms, size, now) = (self.terms, self.hosts.len(), self.clock(me));
                let host = &mut self.hosts[me];
                (host.lost, host.file) = (true, Record::default());
                host.lease = Lease::new(terms, me, host.life, size, host.file, now);
            }
            _ => {}
        }
    }

    fn weather(&mut self) {
        let after = 1 + self.coin.below(LENGTH as u32);
        self.schedule(u64::from(after), Event::Weather);
        let me = self.coin.below(self.hosts.len() as u32) as usize;
        self.set_rate(me);
        if self.calm {
            return;
        }
        self.change(me);
        match self.coin.below(6) {
            0 => self.restart(me),
            1 if self.hosts[me].stands_still => self.go_on(me),
            1 => self.hosts[me].stands_still = true,
            2 => {
                for host in 0..self.hosts.len() {
                    self.cut[host] = self.chance(40);
                }
            }
            3 => self.cut.fill(false),
            4 => self.loss = [0, 10, 50][self.coin.below(3) as usize],
            _ => self.delay = [50, 500, 5000][self.coin.below(3) as usize],
        }
    }

    /// Ends a pause: the member reads the letters that arrived meanwhile, in any order.
    fn go_on(&mut self, me: usize) {
        self.hosts[me].stands_still = false;
        for (from, letter, standing) in std::mem::take(&mut self.hosts[me].unread) {
            let after = 1 + u64::from(self.coin.below(LENGTH as u32 / 7));
            self.schedule(after, Event::Letter(from, me, letter, standing));
        }
    }

    fn restart(&mut self, me: usize) {
        let now = self.clock(me);
        let (terms, size) = (self.terms, self.hosts.len());
        // A record that was being written at the crash may be there or not.
        let written = self.hosts[me].lease.to_store().filter(|_| self.hosts[me].storing && self.coin.below(2) == 0);
        let host = &mut self.hosts[me];
        host.file = written.unwrap_or(host.file);
        host.life += 1;
        host.lease = Lease::new(terms, me, host.life, size, host.file, now);
        (host.leads, host.storing, host.acts_until) = (false, false, 0);
        self.go_on(me);
    }

    fn step(&mut self) {
        let Some(Due(Reverse((at, _)), event)) = self.queue.pop() else { return };
        self.now = at;
        match event {
            Event::Act(me) => self.act(me),
            Event::Weather => self.weather(),
            Event::Stored(me, life, record) if self.hosts[me].life == life => {
                let now = self.clock(me);
                let host = &mut self.hosts[me];
                (host.file, host.storing) = (record, false);
                host.lost &= !record.lists.known();
                let answer = host.lease.stored(now, record);
                let _ = host.lease.confirmed(now);
                if let Some((to, letter)) = answer {
                    self.send(me, to, letter);
                }
                self.note_lists(record.lists);
            }
            Event::Stored(..) => {}
            // A paused member reads the letter later.
            Event::Letter(from, to, letter, standing) if self.hosts[to].stands_still => {
                self.hosts[to].unread.push((from, letter, standing));
            }
            Event::Letter(from, to, letter, standing) => {
                let now = self.clock(to);
                let leader = self.hosts.iter().position(|host| host.leads);
                let willing = !self.calm || leader == Some(from);
                self.hosts[to].lease.learn(standing);
                if let Some(answer) = self.hosts[to].lease.receive(now, from, letter, standing, willing) {
                    self.send(to, from, answer);
                }
                self.store(to);
            }
        }
        self.judge();
    }

    /// Each number belongs to one list.
    fn note_lists(&mut self, lists: Lists) {
        let plain = Lists { proposal: None, ..lists };
        if self.adopted.iter().any(|known| known.number == lists.number && known.adopted != lists.adopted) {
            self.wrong = Some("two lists have one number");
        } else if !self.adopted.contains(&plain) && plain.known() {
            self.adopted.push(plain);
        }
    }

    /// The number of changes of the list.
    pub(crate) fn changes(&self) -> usize {
        self.adopted.iter().filter(|lists| lists.number > 1).count()
    }

    /// Whether no majority of the latest list has a file with lists: a file was lost before new members had joined, which needs an operator.
    fn lacks_files(&self) -> bool {
        let known: Members = (0..self.hosts.len()).filter(|&me| self.hosts[me].file.lists.known()).collect();
        self.adopted
            .iter()
            .max_by_key(|lists| lists.number)
            .is_some_and(|latest| !latest.adopted.has_majority_in(known))
    }

    fn judge(&mut self) {
        // The end of a tenure is computed with each grant and with each change of the list.
        let holds = |&me: &usize| {
            let lease = &self.hosts[me].lease;
            let lasts = lease.applicant.tenure.is_some_and(|tenure| tenure.until > self.clock(me));
            lasts && lease.applicant.confirmed(&lease.terms).is_some()
        };
        let confirmed: Vec<usize> = (0..self.hosts.len()).filter(holds).collect();
        let hooks = |&me: &usize| self.hosts[me].acts_until > self.clock(me) && !confirmed.contains(&me);
        if confirmed.len() + (0..self.hosts.len()).filter(hooks).count() > 1 {
            self.wrong = Some("two members are confirmed");
        }
        self.confirmations += u64::from(!confirmed.is_empty());
        if let [me] = confirmed[..]
            && let Some(token) = self.hosts[me].lease.token()
            && self.tokens.last() != Some(&(token, me))
        {
            if self.tokens.last().is_some_and(|&(last, _)| last >= token) {
                self.wrong = Some("a token does not grow");
            }
            self.tokens.push((token, me));
        }
    }

    /// Runs with faults, then without. Returns the violated property.
    pub(crate) fn run(&mut self) -> Option<&'static str> {
        let faults = if self.plan.is_some() { FAULTS / 2 } else { FAULTS };
        while self.now < faults && self.wrong.is_none() {
            self.step();
        }
        (self.calm, self.delay) = (true, 50);
        // Two proposals of which neither has a majority need an operator.
        if self.plan.as_ref().is_some_and(|plan| plan.rival.is_some()) {
            return self.wrong;
        }
        let last = self.plan.as_ref().map_or(self.hosts.len() - 1, |plan| plan.target.iter().last().unwrap_or(0));
        let leader = if self.plan.is_some() { last } else { self.coin.below(self.hosts.len() as u32) as usize };
        if let Some(plan) = &self.plan {
            let target = plan.target;
            self.hosts.iter_mut().for_each(|host| host.lease.wish(target));
        }
        for me in 0..self.hosts.len() {
            self.hosts[me].leads = me == leader;
            self.go_on(me);
        }
        // The wait after a start and the rest of a grant run at the same time; late letters arrive meanwhile; a request follows
        // within a fifth of the length. With a token, two round trips and storing are added.
        // A change adds a wait of a member with a fresh file, one of the adopter, and the answers before and after.
        let change = if self.plan.is_some() { 6 * LENGTH } else { 0 };
        let over = (LENGTH as f64 / (1.0 - f64::from(DRIFT) / 1e6)) as u64;
        let limit = self.now + over + 3 * (LENGTH / 5 + 600) + 3 * LENGTH + change;
        while self.wrong.is_none() {
            // A host outside its own list does not lead. Another one does, and tells it of the newer list.
            let listed = |me: &usize| self.hosts[*me].lease.is_listed();
            let leads = Some(leader).filter(listed).or_else(|| (0..self.hosts.len()).find(listed));
            self.hosts.iter_mut().enumerate().for_each(|(me, host)| host.leads = Some(me) == leads);
            let now = self.clock(leader);
            let changed = |plan: &Plan| self.hosts[leader].lease.standing().lists.adopted == plan.target;
            if self.plan.as_ref().is_none_or(changed) && self.hosts[leader].lease.confirmed(now).is_some() {
                return None;
            }
            if self.now > limit && self.lacks_files() {
                return None;
            }
            if self.now > limit {
                self.wrong = Some("no member is confirmed after the faults");
            }
            self.step();
        }
        self.wrong
    }
}

/// A number from the environment.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What happened in many runs.
#[derive(Default)]
struct Summary {
    /// The runs in which a member was confirmed during the faults.
    confirmed: u64,
    tokens: usize,
    changes: usize,
}

/// Runs these seeds on all cores.
fn campaign(seeds: Range<u64>, world: fn(u64) -> World) -> Summary {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut summary = Summary::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return summary;
            }
            let mut world = world(seed);
            assert_eq!(world.run(), None, "seed {seed}");
            summary.confirmed += u64::from(world.confirmations > 0);
            summary.tokens += world.tokens.len();
            summary.changes += world.changes();
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..std::thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().map(|worker| worker.join().unwrap());
        done.fold(Summary::default(), |sum, part| Summary {
            confirmed: sum.confirmed + part.confirmed,
            tokens: sum.tokens + part.tokens,
            changes: sum.changes + part.changes,
        })
    })
}

/// Runs as many seeds as the environment says, in blocks, and reports the progress.
fn campaigns(default: u64, world: fn(u64) -> World) -> (u64, Summary) {
    let (first, count) = (number("RINGLEADER_FIRST_SEED", 0), number("RINGLEADER_SEEDS", default));
    let mut all = Summary::default();
    for begin in (first..first + count).step_by(BLOCK) {
        let end = (begin + BLOCK as u64).min(first + count);
        let part = campaign(begin..end, world);
        all = Summary {
            confirmed: all.confirmed + part.confirmed,
            tokens: all.tokens + part.tokens,
            changes: all.changes + part.changes,
        };
        let Summary { confirmed, tokens, changes } = all;
        println!(
            "seeds {first} to {}: a member was confirmed during the faults in {confirmed} runs; {tokens} tokens, {changes} changes of the list",
            end - 1
        );
    }
    (count, all)
}

/// From three members to five, to seven, or to three of which two are new.
pub(crate) fn change_of(seed: u64) -> World {
    let target: Members = match seed % 3 {
        0 => (0..5).collect(),
        1 => (0..7).collect(),
        _ => (2..5).collect(),
    };
    World::changing(seed, target)
}

#[test]
fn at_most_one_member_is_confirmed_and_tokens_grow() {
    let (count, all) = campaigns(400, |seed| World::new(seed, seed % 2 == 1));
    assert!(all.confirmed > count / 2 && all.tokens > 0, "too many faults for a meaningful test");
}

/// A million: `RINGLEADER_SEEDS=1000000 cargo test -p ringleader-node-core --lib hostile::at_most_one_member_is_confirmed_while -- --nocapture`.
#[test]
fn at_most_one_member_is_confirmed_while_the_list_changes() {
    let (count, all) = campaigns(300, change_of);
    assert!(all.confirmed > count / 2 && all.tokens > 0, "too many faults for a meaningful test");
    assert!(all.changes as u64 > count / 2, "{} changes of the list in {count} runs", all.changes);
}

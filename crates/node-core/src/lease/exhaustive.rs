//! Every run of three members in a world of ticks: each clock goes at its own rate within the bound, messages are lost, doubled and
//! overtake each other, any of two may ask and give back at any time, members begin anew and stand still.
//!
//! Times are kept relative to each member's own clock, so that the states are finitely many; what is older than two
//! lengths is as old as that. At most two letters are on their way, and one member begins anew: that is enough for every
//! flaw to be found.

use super::{Lease, Letter, LetterKind, Record, Terms};
use ringleader_testkit::reachable::{Wrong, search};
use std::hash::{Hash, Hasher};

const MEMBERS: usize = 3;
const BASE: u64 = 40;
const LENGTH: u64 = 2;
/// A third: the slowest clock goes half as fast as the fastest.
const DRIFT: u32 = 333_333;
/// What is older is as old as this.
const OLDEST: u64 = BASE - LENGTH - 1;
const ON_THEIR_WAY: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    members: [Lease; MEMBERS],
    /// From, to, what; sorted.
    letters: Vec<(usize, usize, Letter)>,
    /// Whether a member may still begin anew.
    restarts: bool,
    /// Whether what was granted may be given back.
    returns: bool,
    /// By how much each clock goes on in a tick.
    rates: [u64; MEMBERS],
}

impl World {
    pub(crate) fn new(rates: [u64; MEMBERS], [restarts, returns]: [bool; 2]) -> World {
        let terms = Terms::new(LENGTH, DRIFT, MEMBERS);
        // Nothing happened for long: they have waited.
        let member = |me| {
            let mut lease = Lease::new(terms, me, 0, MEMBERS, Record::default(), BASE);
            lease.grants.quiet = BASE;
            lease
        };
        World { members: [0, 1, 2].map(member), letters: vec![], restarts, returns, rates }
    }

    /// One tick of true time: each clock goes on by its rate, that is, all that is remembered gets older.
    fn tick(&mut self) {
        let age =
            |time: &mut u64, rate: u64| *time = if *time == 0 { 0 } else { time.saturating_sub(rate).max(OLDEST) };
        let rates = self.rates;
        for (me, lease) in self.members.iter_mut().enumerate() {
            age(&mut lease.grants.quiet, rates[me]);
            for grant in [&mut lease.grants.granted, &mut lease.grants.returned] {
                if let Some(known) = grant {
                    age(&mut known.until, rates[me]);
                    age(&mut known.at, rates[known.to]);
                }
                *grant = grant.filter(|known| known.until > BASE);
            }
            age(&mut lease.claim.floor, rates[me]);
            age(&mut lease.claim.asked, rates[me]);
            let span = lease.terms.span();
            for heard in &mut lease.claim.heard {
                age(&mut heard.at, rates[me]);
                heard.at = if heard.at + span <= BASE { 0 } else { heard.at };
            }
            if let Some(tenure) = &mut lease.claim.tenure {
                age(&mut tenure.until, rates[me]);
            }
        }
        for entry in &mut self.letters {
            let rate = rates[asker(entry)];
            age(&mut entry.2.at, rate);
        }
    }

    /// Forgets what makes no difference any more, or only keeps grants from being made: that may be forgotten, too, since then
    /// more can happen, not less.
    fn settle(&mut self) {
        self.letters.sort_unstable();
        self.letters.dedup();
        let World { members, letters, .. } = self;
        for (me, lease) in members.iter_mut().enumerate() {
            let _ = lease.confirmed(BASE);
            lease.grants.returned = None;
            lease.grants.quiet = lease.grants.quiet.max(BASE);
            if let Some(grant) = &mut lease.grants.granted
                && !letters.iter().any(|(from, _, letter)| *from == grant.to && letter.kind == LetterKind::Return)
            {
                // Whatever is given back from now on includes it.
                grant.at = OLDEST;
            }
            if !letters.iter().any(|entry| asker(entry) == me) {
                let claim = &mut lease.claim;
                let latest = claim.heard.iter().map(|heard| heard.at).max().unwrap_or(0);
                claim.asked = if claim.asking().is_some() { latest.max(OLDEST + 1) } else { OLDEST };
                claim.floor = OLDEST;
            }
        }
    }

    fn send(&mut self, from: usize, to: usize, letter: Letter) {
        if self.letters.len() < ON_THEIR_WAY {
            self.letters.push((from, to, letter));
        }
    }

    fn fingerprint(&self) -> (u64, u64) {
        let mut mixer = Mixer(MULTIPLIERS[0], MULTIPLIERS[1]);
        self.hash(&mut mixer);
        (mixer.0, mixer.1)
    }

    fn confirmed(&self) -> usize {
        self.members.iter().filter(|lease| (*lease).clone().confirmed(BASE).is_some()).count()
    }

    /// All that can happen next.
    fn next(&self) -> Vec<World> {
        let mut all = vec![];
        let mut step = |change: &mut dyn FnMut(&mut World)| {
            let mut next = self.clone();
            change(&mut next);
            next.settle();
            if next != *self {
                all.push(next);
            }
        };
        step(&mut World::tick);
        for me in 0..2 {
            // A majority is one more: letters to several are several askings at the same moment.
            for to in (0..MEMBERS).filter(|&to| to != me) {
                step(&mut |world| {
                    if let Some(letter) = world.members[me].ask(BASE, true) {
                        world.send(me, to, letter);
                    }
                });
                step(&mut |world| {
                    if world.returns && world.members[me].asking().is_some() {
                        let letter = world.members[me].give_back(BASE);
                        world.send(me, to, letter);
                    }
                });
            }
        }
        if self.restarts {
            for me in [0, 2] {
                step(&mut |world| {
                    let terms = world.members[me].terms;
                    world.members[me] = Lease::new(terms, me, 1, MEMBERS, Record::default(), BASE);
                    world.restarts = false;
                });
            }
        }
        for i in 0..self.letters.len() {
            step(&mut |world| {
                world.letters.remove(i);
            });
            for stays in [false, true] {
                step(&mut |world| {
                    let (from, to, letter) = world.letters[i];
                    if !stays {
                        world.letters.remove(i);
                    }
                    if let Some(answer) = world.members[to].receive(BASE, from, letter, true) {
                        world.send(to, from, answer);
                    }
                });
            }
        }
        all
    }
}

/// Two words of a hash in one pass, by folded multiplication: hashing is most of the work.
struct Mixer(u64, u64);

const MULTIPLIERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = fold(self.0 ^ word, MULTIPLIERS[0]);
        self.1 = fold(self.1.rotate_left(23) ^ word, MULTIPLIERS[1]);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Whose asking a letter is about.
fn asker((from, to, letter): &(usize, usize, Letter)) -> usize {
    if matches!(letter.kind, LetterKind::Ask | LetterKind::Return) { *from } else { *to }
}

/// How many states there are, or the first in which two are confirmed.
///
/// Two words of a hash stand for a state: two of some millions are the same with a probability below 10^-24.
pub(crate) fn explore(start: World, limit: usize) -> Result<usize, Box<Wrong<World>>> {
    search([start], limit, World::fingerprint, World::next, |world, _| world.confirmed() > 1)
}

/// Slow askers and fast granters: where it is tight.
pub(crate) const TIGHT: [u64; MEMBERS] = [1, 2, 2];

#[test]
fn never_two_without_restarts_and_returns() {
    assert_eq!(explore(World::new(TIGHT, [false, false]), 20_000_000).unwrap(), 294_025);
}

/// Everything at once, for every choice of rates but one: where all clocks are fast, a tick is two ticks of where all are slow.
/// That only one of the two that ask begins anew takes nothing away: the other does where their rates are exchanged.
#[test]
#[ignore = "an hour; cargo test --release -p ringleader-node-core --lib never_two_in_any_run -- --ignored --nocapture"]
fn never_two_in_any_run() {
    let only: Option<u64> = std::env::var("RINGLEADER_RATES").ok().and_then(|bits| bits.parse().ok());
    for bits in (0..7).filter(|bits| only.is_none_or(|only| only == *bits)) {
        let rates = std::array::from_fn(|me| 1 + (bits >> me & 1));
        println!("rates {rates:?}: {} states", explore(World::new(rates, [true, true]), 200_000_000).unwrap());
    }
}

//! All 9^9 tables of three states on directed rings: no pruning, no symmetry, and no code of the search.
//!
//! With three agents 81 tables are checked together: tables that differ in the last two entries only, one bit of a word
//! for each.
//!
//! `cargo test -p ringleader-search --test suite every_table:: -- --ignored --nocapture`

use ringleader_search::{Control, Family, Options, Topology, discover};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const STATES: usize = 3;
const VALUES: usize = STATES * STATES;
/// Every set of leader states but the empty one and that of all states.
const LEADERS: std::ops::Range<usize> = 1..(1 << STATES) - 1;

type Table = [u8; VALUES];

/// The configurations of a number of agents as bits of a mask; `after[entry][value][c]` are those one step from `c` by
/// that entry.
struct Rings<const CONFIGURATIONS: usize> {
    after: Vec<[[u128; CONFIGURATIONS]; VALUES]>,
    /// For each set of leader states and each agent: where this agent is the only leader.
    led: Vec<Vec<u128>>,
}

impl<const CONFIGURATIONS: usize> Rings<CONFIGURATIONS> {
    fn new(agents: usize) -> Self {
        assert_eq!(STATES.pow(agents as u32), CONFIGURATIONS);
        let digit = |c: usize, agent: usize| c / STATES.pow(agent as u32) % STATES;
        let mut after = vec![[[0; CONFIGURATIONS]; VALUES]; VALUES];
        for (c, left) in (0..CONFIGURATIONS).flat_map(|c| (0..agents).map(move |left| (c, left))) {
            let right = (left + 1) % agents;
            let (a, b) = (digit(c, left), digit(c, right));
            for (value, after) in after[a * STATES + b].iter_mut().enumerate() {
                let place = |state: usize, agent: usize| state * STATES.pow(agent as u32);
                let rest = c - place(a, left) - place(b, right);
                after[c] |= 1 << (rest + place(value / STATES, left) + place(value % STATES, right));
            }
        }
        let only = |set: usize, agent: usize| {
            let leads = |c: usize, other: usize| set >> digit(c, other) & 1 == 1;
            let led = |c: &usize| (0..agents).all(|other| leads(*c, other) == (other == agent));
            (0..CONFIGURATIONS).filter(led).fold(0, |mask, c| mask | 1 << c)
        };
        let led = (0..1 << STATES).map(|set| (0..agents).map(|agent| only(set, agent)).collect()).collect();
        Rings { after, led }
    }

    fn holds(&self, successors: &[u128; CONFIGURATIONS], leaders: usize) -> bool {
        let mut reached = 0;
        for &led in &self.led[leaders] {
            let mut safe: u128 = led;
            loop {
                let stays = bits(safe).filter(|&c| successors[c] & !safe == 0).fold(0, |mask, c| mask | 1 << c);
                if stays == safe {
                    break;
                }
                safe = stays;
            }
            reached |= safe;
        }
        let all = u128::MAX >> (128 - CONFIGURATIONS);
        loop {
            if reached == 0 || reached == all {
                return reached == all;
            }
            let new = bits(all & !reached).filter(|&c| successors[c] & reached != 0).fold(0, |mask, c| mask | 1 << c);
            if new == 0 {
                return false;
            }
            reached |= new;
        }
    }

    fn successors(&self, table: &Table) -> [u128; CONFIGURATIONS] {
        let mut all = [0; CONFIGURATIONS];
        for (entry, &value) in table.iter().enumerate() {
            (0..CONFIGURATIONS).for_each(|c| all[c] |= self.after[entry][usize::from(value)][c]);
        }
        all
    }
}

fn bits(mut mask: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (next < 128).then_some(next)
    })
}

/// The table and the leader states after a renaming of the states.
fn renamed(table: &Table, leaders: usize, names: [usize; STATES]) -> (usize, Table) {
    let mut other = [0; VALUES];
    for (entry, &value) in table.iter().enumerate() {
        let pair = |p: usize| names[p / STATES] * STATES + names[p % STATES];
        other[pair(entry)] = pair(usize::from(value)) as u8;
    }
    (bits(leaders as u128).fold(0, |set, state| set | 1 << names[state]), other)
}

fn is_first_of_its_names(table: &Table, leaders: usize) -> bool {
    const NAMES: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    NAMES.iter().all(|&names| (leaders, *table) <= renamed(table, leaders, names))
}

/// The counts for one set of sizes.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
struct Count {
    /// Pairs of a table and a set of leader states.
    pairs: u64,
    /// The same up to renaming.
    classes: u64,
    /// Tables that hold with some set of leader states.
    tables: u64,
    /// By the number of leader states, less one: classes.
    by_leaders: [u64; 2],
}

impl Count {
    fn add(&mut self, table: &Table, sets: &[usize]) {
        self.tables += u64::from(!sets.is_empty());
        for &leaders in sets {
            self.pairs += 1;
            if is_first_of_its_names(table, leaders) {
                self.classes += 1;
                self.by_leaders[leaders.count_ones() as usize - 1] += 1;
            }
        }
    }

    fn merge(&mut self, other: Count) {
        self.pairs += other.pairs;
        self.classes += other.classes;
        self.tables += other.tables;
        (0..2).for_each(|k| self.by_leaders[k] += other.by_leaders[k]);
    }
}

/// The tables that differ in the last two entries: bit `9 a + b` is the table with values `a` and `b` there.
type Lanes = u128;
const LANES: usize = VALUES * VALUES;
const ALL_LANES: Lanes = u128::MAX >> (128 - LANES);
/// The entries that all tables of a block have in common.
const COMMON: usize = VALUES - 2;

/// Three agents: each configuration's meetings, by entry, and where each value leads.
struct Block {
    meetings: [[(usize, [usize; VALUES]); 3]; 27],
    led: Vec<Vec<u128>>,
    /// The tables whose last but one entry, or last, has this value.
    with: [[Lanes; VALUES]; 2],
}

impl Block {
    fn new(three: &Rings<27>) -> Block {
        let digit = |c: usize, agent: usize| c / STATES.pow(agent as u32) % STATES;
        let mut meetings = [[(0, [0; VALUES]); 3]; 27];
        for (c, meetings) in meetings.iter_mut().enumerate() {
            for (left, meeting) in meetings.iter_mut().enumerate() {
                let right = (left + 1) % 3;
                let (a, b) = (digit(c, left), digit(c, right));
                let place = |state: usize, agent: usize| state * STATES.pow(agent as u32);
                let rest = c - place(a, left) - place(b, right);
                meeting.0 = a * STATES + b;
                (0..VALUES).for_each(|v| meeting.1[v] = rest + place(v / STATES, left) + place(v % STATES, right));
            }
        }
        let mut with = [[0; VALUES]; 2];
        for lane in 0..LANES {
            with[0][lane / VALUES] |= 1 << lane;
            with[1][lane % VALUES] |= 1 << lane;
        }
        Block { meetings, led: three.led.clone(), with }
    }

    /// The tables in which the interaction leads into the set, which is given by the tables for each configuration.
    #[inline]
    fn leads_into(&self, table: &Table, meeting: &(usize, [usize; VALUES]), set: &[Lanes; 27]) -> Lanes {
        let (entry, targets) = meeting;
        match entry.checked_sub(COMMON) {
            None => set[targets[usize::from(table[*entry])]],
            Some(last) => (0..VALUES).fold(0, |lanes, v| lanes | (set[targets[v]] & self.with[last][v])),
        }
    }

    /// The tables that hold for three agents.
    fn holds(&self, table: &Table, leaders: usize) -> Lanes {
        let mut reached = [0; 27];
        let mut alive = 0;
        for &led in &self.led[leaders] {
            let mut safe = [0; 27];
            bits(led).for_each(|c| safe[c] = ALL_LANES);
            loop {
                let mut changed = false;
                for c in bits(led) {
                    let stays = self.meetings[c].iter().fold(safe[c], |l, m| l & self.leads_into(table, m, &safe));
                    changed |= stays != safe[c];
                    safe[c] = stays;
                }
                if !changed {
                    break;
                }
            }
            for c in bits(led) {
                reached[c] = safe[c];
                alive |= safe[c];
            }
        }
        if alive == 0 {
            return 0;
        }
        loop {
            let (mut changed, mut all) = (false, alive);
            for c in 0..27 {
                let also = self.meetings[c].iter().fold(reached[c], |l, m| l | self.leads_into(table, m, &reached));
                changed |= also != reached[c];
                reached[c] = also;
                all &= also;
            }
            if !changed || all == alive {
                return all;
            }
        }
    }

    /// Checks all tables of the block.
    fn count(&self, table: &mut Table, four: &Rings<81>, counts: &mut [Count; 2]) {
        let holds: Vec<Lanes> = LEADERS.map(|set| self.holds(table, set)).collect();
        for lane in bits(holds.iter().fold(0, |any, lanes| any | lanes)) {
            (table[COMMON], table[COMMON + 1]) = ((lane / VALUES) as u8, (lane % VALUES) as u8);
            let sets: Vec<usize> = LEADERS.filter(|set| holds[set - LEADERS.start] >> lane & 1 == 1).collect();
            counts[0].add(table, &sets);
            let steps = four.successors(table);
            let both: Vec<usize> = sets.into_iter().filter(|&set| four.holds(&steps, set)).collect();
            counts[1].add(table, &both);
        }
    }
}

#[test]
#[ignore = "387,420,489 tables take minutes"]
fn every_table_of_three_states_on_rings_of_three_and_four() {
    let (three, four) = (Rings::<27>::new(3), Rings::<81>::new(4));
    let block = Block::new(&three);
    let (next, all) = (AtomicUsize::new(0), Mutex::new([Count::default(); 2]));
    let blocks = VALUES.pow(COMMON as u32);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut counts = [Count::default(); 2];
                loop {
                    let first = next.fetch_add(1000, Relaxed);
                    if first >= blocks {
                        break;
                    }
                    for number in first..blocks.min(first + 1000) {
                        let mut table = [0; VALUES];
                        (0..COMMON).for_each(|e| table[e] = (number / VALUES.pow(e as u32) % VALUES) as u8);
                        block.count(&mut table, &four, &mut counts);
                    }
                }
                let mut all = all.lock().expect("no thread panics");
                (0..2).for_each(|i| all[i].merge(counts[i]));
            });
        }
    });
    let all = all.into_inner().expect("no thread panics");
    println!("{{3}}: {:?}", all[0]);
    println!("{{3, 4}}: {:?}", all[1]);
    for (count, sizes) in all.iter().zip([&[3][..], &[3, 4]]) {
        let family = Family::new(3, Topology::DirectedRing, sizes);
        let found = discover(&family, &Options::default(), &Control::default()).expect("can be searched").counts;
        assert_eq!((found.protocols, found.named), (count.classes, count.pairs), "{sizes:?}");
    }
}

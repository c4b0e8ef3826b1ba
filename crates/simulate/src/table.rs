//! A rule compiled into a table: one look-up per interaction, whatever the rule.

use crate::Generator;
use crate::kernel::Progress;
use crate::rule::{Met, Rule};
use ringleader_model::{Coin, Input, Odometer, Population, number};

/// Both new states and what changed, in one word: the initiator in the highest twelve bits, the responder in the lowest.
type Entry = u32;

const STATE: u32 = (1 << 12) - 1;
const INITIATOR: u32 = 20;
const LOUD: u32 = 1 << 12;
const ACTIVE: u32 = 1 << 13;
/// Not a result, but the number of a list of them, in the two fields for states.
const TOSSED: u32 = 1 << 14;
/// Three bits for the change in the number of leaders, plus two.
const LEADERS: u32 = 16;

fn entry((u, v): (u32, u32), flags: u32, leaders: i8) -> Entry {
    u << INITIATOR | v | flags | ((leaders + 2) as u32) << LEADERS
}

/// The change in the number of leaders, plus two.
#[inline]
fn leaders(entry: Entry) -> u64 {
    (entry >> LEADERS & 7).into()
}

/// The most outcomes an interaction may have.
const OUTCOMES: u64 = 4096;

/// A rule over at most 2^12 states, compiled. States are their numbers, so that what runs on tables need not be compiled
/// once per algorithm.
pub struct Table {
    /// Entry `(heard * count + initiator) * count + responder`.
    entries: Vec<Entry>,
    count: usize,
    leads: Vec<bool>,
    /// The outcomes of interactions that toss coins, each list as long as the inverse of their common probability.
    outcomes: Vec<Vec<Entry>>,
}

/// Why a rule has no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTable {
    /// It would take this many bytes; `None` if that is more than 2^64.
    TooLarge(Option<u64>),
    /// The rule tosses more coins than can be listed.
    TooRandom,
}

impl std::fmt::Display for NoTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoTable::TooLarge(Some(bytes)) => write!(f, "its table would take {} MiB", bytes.div_ceil(1 << 20)),
            NoTable::TooLarge(None) => f.write_str("its table would not fit any memory"),
            NoTable::TooRandom => f.write_str("its rule tosses more coins than a table can list"),
        }
    }
}

impl Table {
    /// How many bytes the table of a protocol takes, or `None` if that is more than 2^64.
    pub fn bytes<P: Population>(protocol: &P) -> Option<u64> {
        let states = number::states(protocol)?;
        states.checked_mul(states)?.checked_mul(size_of::<Entry>() as u64 * P::Input::ALL.len() as u64)
    }

    /// Compiles a protocol's rule, if the table takes at most `limit` bytes.
    pub fn compile<P: Population>(protocol: &P, limit: u64) -> Result<Table, NoTable> {
        let bytes = Self::bytes(protocol);
        let count = number::states(protocol).filter(|_| bytes.is_some_and(|b| b <= limit)).filter(|&n| n <= 1 << 12);
        let count = count.ok_or(NoTable::TooLarge(bytes))? as usize;
        let states: Vec<P::State> = number::all(protocol).collect();
        let marks: Vec<_> = states.iter().map(|s| protocol.marks(s).output()).collect();
        let leads: Vec<bool> = marks.iter().map(|m| m.leader()).collect();
        let becomes = |(u, v): (usize, usize), (a, b): (usize, usize)| {
            let loud = if marks[a] != marks[u] || marks[b] != marks[v] { LOUD } else { 0 };
            let active = if (a, b) != (u, v) { ACTIVE } else { 0 };
            let change = i8::from(leads[a]) + i8::from(leads[b]) - i8::from(leads[u]) - i8::from(leads[v]);
            entry((a as u32, b as u32), loud | active, change)
        };
        let mut table = Table { entries: vec![], count, leads: leads.clone(), outcomes: vec![] };
        for (heard, pair) in (0..P::Input::ALL.len()).flat_map(|x| pairs(count).map(move |pair| (x, pair))) {
            let input = P::Input::from_detector(heard == 1);
            let mut weighted = vec![];
            Odometer::each(|coin| {
                let (a, b) = protocol.interact((states[pair.0], input), (states[pair.1], input), coin);
                let ranks = (number::rank(protocol, &a) as usize, number::rank(protocol, &b) as usize);
                weighted.push((becomes(pair, ranks), coin.outcomes()));
            });
            let entry = match weighted[..] {
                [(entry, 1)] => entry,
                _ => table.list(&weighted).ok_or(NoTable::TooRandom)?,
            };
            table.entries.push(entry);
        }
        Ok(table)
    }

    /// Lists outcomes, given with their inverse probabilities, each as often as it is likely.
    fn list(&mut self, weighted: &[(Entry, u64)]) -> Option<Entry> {
        let common =
            weighted.iter().try_fold(1, |all, &(_, one)| Some(lcm(all, one)).filter(|&all| all <= OUTCOMES))?;
        let list = weighted.iter().flat_map(|&(entry, one)| std::iter::repeat_n(entry, (common / one) as usize));
        let index = self.outcomes.len() as u32;
        self.outcomes.push(list.collect());
        (index < 1 << 24).then(|| entry((index >> 12, index & STATE), TOSSED | ACTIVE, 0))
    }

    /// Whether an interaction may toss coins.
    pub fn tosses(&self) -> bool {
        !self.outcomes.is_empty()
    }

    /// What an interaction that tosses coins came to this time.
    #[cold]
    fn toss(&self, entry: Entry, tosses: &mut Generator) -> Entry {
        let list = &self.outcomes[((entry >> INITIATOR) << 12 | entry & STATE) as usize];
        list[tosses.below(list.len() as u32) as usize]
    }
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |u| (0..n).map(move |v| (u, v)))
}

/// A table as a rule; `HEARS` says whether it has a half for each answer of the leader detector.
#[derive(Clone, Copy)]
pub struct Compiled<'a, const HEARS: bool>(pub &'a Table);

impl<'a, const HEARS: bool> Compiled<'a, HEARS> {
    /// The part of the table for an answer of the detector.
    #[inline]
    fn half(&self, heard: bool) -> &'a [Entry] {
        let Table { entries, count, .. } = self.0;
        let size = count * count;
        if HEARS && heard { &entries[size..] } else { &entries[..size] }
    }

    #[inline]
    fn entry(&self, u: u16, v: u16, heard: bool) -> Entry {
        self.half(heard)[usize::from(u) * self.0.count + usize::from(v)]
    }

    /// The loop that `table` is for: a look-up, two stores and two sums.
    #[inline]
    fn look_up_all<const TOSSES: bool>(&self, cells: &mut [u16], arcs: &[(u32, u32)], progress: &mut Progress) {
        let count = self.0.count;
        let (mut leading, mut last_loud) = (progress.leaders as i64, 0);
        let mut arcs_left = (1u64..).zip(arcs);
        loop {
            let heard = leading > 0;
            let half = self.half(heard);
            let mut changed = false;
            for (step, &(u, v)) in arcs_left.by_ref() {
                let (u, v) = (u as usize, v as usize);
                let mut entry = half[usize::from(cells[u]) * count + usize::from(cells[v])];
                if TOSSES && entry & TOSSED != 0 {
                    entry = self.0.toss(entry, &mut progress.tosses);
                }
                cells[u] = (entry >> INITIATOR) as u16;
                cells[v] = (entry & STATE) as u16;
                last_loud = if entry & LOUD != 0 { step } else { last_loud };
                leading += leaders(entry) as i64 - 2;
                if HEARS && if heard { leading == 0 } else { leading != 0 } {
                    changed = true;
                    break;
                }
            }
            if !changed {
                break;
            }
        }
        progress.leaders = leading as u64;
        progress.passed(arcs.len() as u64, last_loud);
    }
}

impl<const HEARS: bool> Rule for Compiled<'_, HEARS> {
    type Cell = u16;
    const HEARS: bool = HEARS;
    const SPARSE: f64 = 0.075;

    #[inline]
    fn meet(&self, u: u16, v: u16, heard: bool, tosses: &mut Generator) -> Met<u16> {
        let mut entry = self.entry(u, v, heard);
        if entry & TOSSED != 0 {
            entry = self.0.toss(entry, tosses);
        }
        Met {
            initiator: (entry >> INITIATOR) as u16,
            responder: (entry & STATE) as u16,
            loud: entry & LOUD != 0,
            leaders: leaders(entry) as i8 - 2,
        }
    }

    fn meet_all(&self, cells: &mut [u16], arcs: &[(u32, u32)], progress: &mut Progress) {
        if self.0.tosses() {
            self.look_up_all::<true>(cells, arcs, progress);
        } else {
            self.look_up_all::<false>(cells, arcs, progress);
        }
    }

    #[inline]
    fn active(&self, u: u16, v: u16, heard: bool) -> bool {
        self.entry(u, v, heard) & ACTIVE != 0
    }

    #[inline]
    fn leads(&self, cell: u16) -> bool {
        self.0.leads[usize::from(cell)]
    }
}

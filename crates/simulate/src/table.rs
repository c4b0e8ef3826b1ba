//! A rule compiled into a table: one look-up per interaction, whatever the rule.

use crate::Generator;
use crate::rule::{Met, Probe, Rule};
use ringleader_model::{Input, Population, number};

/// Both new states and what changed, in one word.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Entry(u32);

const STATE_BITS: u32 = 12;
const STATE: u32 = (1 << STATE_BITS) - 1;
const LOUD: u32 = 1 << 24;
const ACTIVE: u32 = 1 << 25;
/// Three bits for the change in the number of leaders, plus two.
const LEADERS_SHIFT: u32 = 26;

impl Entry {
    fn new(u: u32, v: u32, loud: bool, active: bool, leaders: i8) -> Entry {
        let flags = if loud { LOUD } else { 0 } | if active { ACTIVE } else { 0 };
        Entry(u | v << STATE_BITS | flags | ((leaders + 2) as u32) << LEADERS_SHIFT)
    }
}

/// A deterministic rule over at most 2^12 states, compiled. States are their numbers, so that what runs on tables need not be
/// compiled once per algorithm.
pub struct Table {
    /// Entry `(heard * count + initiator) * count + responder`.
    entries: Vec<Entry>,
    count: usize,
    leads: Vec<bool>,
}

/// Why a rule has no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTable {
    /// It would take this many bytes; `None` if that is more than 2^64.
    TooLarge(Option<u64>),
    /// The rule tosses coins.
    Randomized,
}

impl std::fmt::Display for NoTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoTable::TooLarge(Some(bytes)) => write!(f, "its table would take {} MiB", bytes.div_ceil(1 << 20)),
            NoTable::TooLarge(None) => f.write_str("its table would not fit any memory"),
            NoTable::Randomized => f.write_str("its rule tosses coins, and a table holds one outcome per pair"),
        }
    }
}

impl Table {
    /// How many bytes the table of a protocol takes, or `None` if that is more than 2^64.
    pub fn bytes<P: Population>(protocol: &P) -> Option<u64> {
        let states = number::states(protocol)?;
        states.checked_mul(states)?.checked_mul(4 * P::Input::ALL.len() as u64)
    }

    /// Compiles a protocol's rule, if it is deterministic and the table takes at most `limit` bytes.
    pub fn compile<P: Population>(protocol: &P, limit: u64) -> Result<Table, NoTable> {
        let bytes = Self::bytes(protocol);
        let count = number::states(protocol).filter(|_| bytes.is_some_and(|b| b <= limit)).filter(|&n| n <= 1 << 12);
        let count = count.ok_or(NoTable::TooLarge(bytes))? as usize;
        let states: Vec<P::State> = number::all(protocol).collect();
        let output = |s: &P::State| protocol.marks(s).output();
        let mut entries = Vec::with_capacity(P::Input::ALL.len() * count * count);
        for (heard, (u, v)) in (0..P::Input::ALL.len()).flat_map(|x| pairs(count).map(move |pair| (x, pair))) {
            let input = P::Input::from_detector(heard == 1);
            let mut coin = Probe::default();
            let (a, b) = protocol.interact((states[u], input), (states[v], input), &mut coin);
            if coin.tossed {
                return Err(NoTable::Randomized);
            }
            let loud = output(&a) != output(&states[u]) || output(&b) != output(&states[v]);
            let active = a != states[u] || b != states[v];
            let leads = |s: &P::State| protocol.marks(s).leader() as i8;
            let leaders = leads(&a) + leads(&b) - leads(&states[u]) - leads(&states[v]);
            let (a, b) = (number::rank(protocol, &a) as u32, number::rank(protocol, &b) as u32);
            entries.push(Entry::new(a, b, loud, active, leaders));
        }
        let leads = states.iter().map(|s| protocol.marks(s).leader()).collect();
        Ok(Table { entries, count, leads })
    }
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |u| (0..n).map(move |v| (u, v)))
}

/// A table as a rule; `HEARS` says whether it has a half for each answer of the leader detector.
#[derive(Clone, Copy)]
pub struct Compiled<'a, const HEARS: bool>(pub &'a Table);

impl<const HEARS: bool> Compiled<'_, HEARS> {
    #[inline]
    fn entry(&self, u: u16, v: u16, heard: bool) -> u32 {
        let Table { entries, count, .. } = self.0;
        let half = if HEARS && heard { count * count } else { 0 };
        entries[half + usize::from(u) * count + usize::from(v)].0
    }
}

impl<const HEARS: bool> Rule for Compiled<'_, HEARS> {
    type Cell = u16;
    const HEARS: bool = HEARS;
    const TOSSES: bool = false;

    #[inline]
    fn meet(&self, u: u16, v: u16, heard: bool, _: &mut Generator) -> Met<u16> {
        let entry = self.entry(u, v, heard);
        Met {
            initiator: (entry & STATE) as u16,
            responder: (entry >> STATE_BITS & STATE) as u16,
            loud: entry & LOUD != 0,
            leaders: (entry >> LEADERS_SHIFT) as i8 - 2,
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

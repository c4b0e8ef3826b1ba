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

/// A deterministic rule over at most 2^12 states, compiled.
pub struct Table<S> {
    /// Entry `(heard * count + initiator) * count + responder`.
    entries: Vec<Entry>,
    count: usize,
    states: Vec<S>,
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

impl<S: Copy + PartialEq> Table<S> {
    /// How many bytes the table of a protocol takes, or `None` if that is more than 2^64.
    pub fn bytes<P: Population>(protocol: &P) -> Option<u64> {
        let states = number::states(protocol)?;
        states.checked_mul(states)?.checked_mul(4 * P::Input::ALL.len() as u64)
    }

    /// Compiles a protocol's rule, if it is deterministic and the table takes at most `limit` bytes.
    pub fn compile<P>(protocol: &P, limit: u64) -> Result<Table<S>, NoTable>
    where
        P: Population<State = S>,
    {
        let bytes = Self::bytes(protocol);
        let count = number::states(protocol).filter(|_| bytes.is_some_and(|b| b <= limit)).filter(|&n| n <= 1 << 12);
        let count = count.ok_or(NoTable::TooLarge(bytes))? as usize;
        let states: Vec<S> = number::all(protocol).collect();
        let output = |s: &S| protocol.marks(s).output();
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
            let leads = |s: &S| protocol.marks(s).leader() as i8;
            let leaders = leads(&a) + leads(&b) - leads(&states[u]) - leads(&states[v]);
            let (a, b) = (number::rank(protocol, &a) as u32, number::rank(protocol, &b) as u32);
            entries.push(Entry::new(a, b, loud, active, leaders));
        }
        let leads = states.iter().map(|s| protocol.marks(s).leader()).collect();
        Ok(Table { entries, count, states, leads })
    }
}

fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..n).flat_map(move |u| (0..n).map(move |v| (u, v)))
}

/// A protocol's table as a rule.
pub struct Compiled<'a, P: Population> {
    protocol: &'a P,
    table: &'a Table<P::State>,
}

impl<'a, P: Population> Compiled<'a, P> {
    /// The rule of a protocol, by the table compiled from it.
    pub fn new(protocol: &'a P, table: &'a Table<P::State>) -> Self {
        Compiled { protocol, table }
    }

    #[inline]
    fn entry(&self, u: u16, v: u16, heard: bool) -> u32 {
        let Table { entries, count, .. } = self.table;
        let half = if Self::HEARS && heard { count * count } else { 0 };
        entries[half + usize::from(u) * count + usize::from(v)].0
    }
}

impl<P: Population> Clone for Compiled<'_, P> {
    fn clone(&self) -> Self {
        Compiled { ..*self }
    }
}

impl<P: Population> Rule for Compiled<'_, P> {
    type Cell = u16;
    type State = P::State;
    const HEARS: bool = P::Input::ALL.len() > 1;
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
        self.table.leads[usize::from(cell)]
    }

    fn encode(&self, state: &P::State) -> u16 {
        number::rank(self.protocol, state) as u16
    }

    fn decode(&self, cell: u16) -> P::State {
        self.table.states[usize::from(cell)]
    }
}

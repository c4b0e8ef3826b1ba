//! A rule compiled into a table: one look-up per interaction, whatever the rule.

use crate::Generator;
use crate::kernel::Progress;
use crate::kernel::arcs::Arcs;
use crate::kernel::cells::{AgentStore, Which};
use ringleader_erased::{Met, NoTable, Number, Outcome, PopulationInstance, common_denominator};
use ringleader_model::{Coin, Population, Told};
use std::hint::black_box;

/// Both new states and the changes, in one word: the initiator in the highest twelve bits, the responder in the lowest.
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
const OUTCOMES: u32 = 4096;

/// A rule over at most 2^12 states, compiled. States are their numbers.
pub struct PackedTable {
    pub(super) protocol: PopulationInstance,
    /// Entry `(heard * count + initiator) * count + responder`.
    entries: Vec<Entry>,
    count: usize,
    leads: Vec<bool>,
    /// The outcomes of interactions that toss coins, each list as long as the inverse of their common probability.
    outcomes: Vec<Vec<Entry>>,
}

impl PackedTable {
    /// The number of bytes of a protocol's table, or `None` if that is more than 2^64.
    pub fn bytes(protocol: &PopulationInstance) -> Option<u64> {
        let states = protocol.states();
        let halves = if protocol.hears() { 2 } else { 1 };
        states.checked_mul(states)?.checked_mul(size_of::<Entry>() as u64 * halves)
    }

    /// Compiles a protocol's rule, if the table takes at most `limit` bytes.
    pub fn compile(protocol: &PopulationInstance, limit: u64) -> Result<PackedTable, NoTable> {
        PackedTable::compile_while(protocol, limit, &|| true)
    }

    /// The same, as long as `keep_going` returns `true`.
    pub fn compile_while(
        protocol: &PopulationInstance,
        limit: u64,
        keep_going: &dyn Fn() -> bool,
    ) -> Result<PackedTable, NoTable> {
        let bytes = Self::bytes(protocol);
        let count = protocol.states();
        if count > 1 << 12 || bytes.is_none_or(|bytes| bytes > limit) {
            return Err(NoTable::TooLarge(bytes));
        }
        let marks: Vec<_> = (0..count).map(|state| protocol.marks_of(state).output()).collect();
        let leads: Vec<bool> = marks.iter().map(|m| m.leader()).collect();
        let becomes = |[u, v]: [u16; 2], &Outcome { left: a, right: b, .. }: &Outcome| {
            let [i, j, k, l] = [u, v, a, b].map(usize::from);
            let loud = if marks[k] != marks[i] || marks[l] != marks[j] { LOUD } else { 0 };
            let active = if (a, b) != (u, v) { ACTIVE } else { 0 };
            let change = i8::from(leads[k]) + i8::from(leads[l]) - i8::from(leads[i]) - i8::from(leads[j]);
            entry((a.into(), b.into()), loud | active, change)
        };
        let tellings = if protocol.hears() { &[Told::both(false), Told::both(true)][..] } else { &[Told::both(false)] };
        let mut table = PackedTable {
            protocol: protocol.clone(),
            entries: Vec::with_capacity(tellings.len() * (count * count) as usize),
            count: count as usize,
            leads: leads.clone(),
            outcomes: vec![],
        };
        protocol.each_pair(tellings, OUTCOMES as usize, |pair, outcomes| {
            if pair[1] == 0 && !keep_going() {
                return Err(NoTable::Stopped);
            }
            let entry = match outcomes {
                [sure @ Outcome { one_in: 1, .. }] => becomes(pair, sure),
                _ => {
                    let list = outcomes.iter().map(|outcome| (becomes(pair, outcome), outcome.one_in));
                    table.list(&list.collect::<Vec<_>>()).ok_or(NoTable::TooRandom)?
                }
            };
            table.entries.push(entry);
            Ok(())
        })?;
        Ok(table)
    }

    /// Lists outcomes, given with their inverse probabilities, each as often as it is likely.
    fn list(&mut self, weighted: &[(Entry, u32)]) -> Option<Entry> {
        let common = common_denominator(weighted.iter().map(|&(_, one)| one)).ok().filter(|all| *all <= OUTCOMES)?;
        let list = weighted.iter().flat_map(|&(entry, one)| std::iter::repeat_n(entry, (common / one) as usize));
        let index = self.outcomes.len() as u32;
        self.outcomes.push(list.collect());
        (index < 1 << 24).then(|| entry((index >> 12, index & STATE), TOSSED | ACTIVE, 0))
    }

    /// Whether an interaction may toss coins.
    pub fn tosses(&self) -> bool {
        !self.outcomes.is_empty()
    }

    /// Draws an outcome of an interaction that tosses coins.
    #[cold]
    fn toss(&self, entry: Entry, tosses: &mut Generator) -> Entry {
        let list = &self.outcomes[((entry >> INITIATOR) << 12 | entry & STATE) as usize];
        list[tosses.below(list.len() as u32) as usize]
    }
}

/// A table and how to look something up in it; `HEARS` says whether it has a half for each answer of the leader detector.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a, const HEARS: bool>(pub(crate) &'a PackedTable);

/// The outcome of an interaction.
pub(crate) struct Became {
    pub(crate) initiator: u16,
    pub(crate) responder: u16,
    pub(crate) loud: bool,
    pub(crate) leaders: i8,
}

impl<'a, const HEARS: bool> Lookup<'a, HEARS> {
    /// The part of the table for an answer of the detector.
    #[inline]
    fn half(&self, heard: bool) -> &'a [Entry] {
        let PackedTable { entries, count, .. } = self.0;
        let size = count * count;
        if HEARS && heard { &entries[size..] } else { &entries[..size] }
    }

    #[inline]
    fn entry(&self, u: u16, v: u16, heard: bool) -> Entry {
        self.half(heard)[usize::from(u) * self.0.count + usize::from(v)]
    }

    /// One interaction.
    #[inline]
    pub(crate) fn meet(&self, u: u16, v: u16, heard: bool, tosses: &mut Generator) -> Became {
        let mut entry = self.entry(u, v, heard);
        if entry & TOSSED != 0 {
            entry = self.0.toss(entry, tosses);
        }
        Became {
            initiator: (entry >> INITIATOR) as u16,
            responder: (entry & STATE) as u16,
            loud: entry & LOUD != 0,
            leaders: leaders(entry) as i8 - 2,
        }
    }

    /// Whether an interaction could change something.
    #[inline]
    pub(crate) fn active(&self, u: u16, v: u16, heard: bool) -> bool {
        self.entry(u, v, heard) & ACTIVE != 0
    }

    /// Whether an agent in this state outputs that it is the leader.
    #[inline]
    pub(crate) fn leads(&self, state: u16) -> bool {
        self.0.leads[usize::from(state)]
    }
}

/// Agents as the numbers of their states, which meet by a table.
pub struct ByTable<'a, const HEARS: bool> {
    table: Lookup<'a, HEARS>,
    cells: Vec<u16>,
}

impl<'a, const HEARS: bool> ByTable<'a, HEARS> {
    /// Agents in these states.
    pub fn new(table: &'a PackedTable, states: &[Number]) -> Self {
        ByTable { table: Lookup(table), cells: states.iter().map(|state| state.0 as u16).collect() }
    }

    /// The loop that `table` is for: a look-up, two stores and two sums.
    #[inline]
    fn look_up_all<const TOSSES: bool>(&mut self, arcs: &[(u32, u32)], progress: &mut Progress) {
        let (table, cells) = (self.table, &mut self.cells[..]);
        let count = table.0.count;
        let (mut leading, mut last_loud) = (progress.leaders as i64, 0);
        let mut arcs_left = (1u64..).zip(arcs);
        loop {
            let heard = leading > 0;
            let half = table.half(heard);
            let mut changed = false;
            for (step, &(u, v)) in arcs_left.by_ref() {
                let (u, v) = (u as usize, v as usize);
                let mut entry = half[usize::from(cells[u]) * count + usize::from(cells[v])];
                if TOSSES && entry & TOSSED != 0 {
                    entry = table.0.toss(entry, &mut progress.tosses);
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

impl<const HEARS: bool> AgentStore for ByTable<'_, HEARS> {
    const SPARSE: f64 = 0.075;

    fn count(&self) -> usize {
        self.cells.len()
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.cells[..])
    }

    #[inline]
    fn hears(&self) -> bool {
        HEARS
    }

    #[inline]
    fn touch(&self, arcs: &[(u32, u32)]) {
        arcs.iter().for_each(|&(u, _)| {
            black_box(self.cells[u as usize]);
        });
    }

    fn meet_all(&mut self, arcs: &[(u32, u32)], progress: &mut Progress) {
        if self.table.0.tosses() {
            self.look_up_all::<true>(arcs, progress);
        } else {
            self.look_up_all::<false>(arcs, progress);
        }
    }

    #[inline]
    fn meet(&mut self, (u, v): (usize, usize), heard: bool, tosses: &mut Generator) -> Met {
        let before = (self.cells[u], self.cells[v]);
        let Became { initiator, responder, loud, leaders } = self.table.meet(before.0, before.1, heard, tosses);
        (self.cells[u], self.cells[v]) = (initiator, responder);
        Met { initiator: initiator != before.0, responder: responder != before.1, loud, leaders }
    }

    #[inline]
    fn active<A: Arcs>(&self, arcs: &A, which: Which, heard: bool, mut found: impl FnMut(usize, bool)) {
        which.each(arcs, |arc| {
            let (u, v) = arcs.ends(arc);
            found(arc, self.table.active(self.cells[u], self.cells[v], heard));
        });
    }

    fn leaders(&self) -> u64 {
        self.cells.iter().filter(|&&cell| self.table.leads(cell)).count() as u64
    }

    fn safe(&self) -> bool {
        self.table.0.protocol.safe_compact(&self.cells)
    }

    fn numbers(&self) -> Vec<Number> {
        self.cells.iter().map(|&cell| Number(cell.into())).collect()
    }

    fn same(&self, other: &Self) -> bool {
        self.cells == other.cells
    }

    fn corrupt(&mut self, faults: &[(usize, Number)]) {
        faults.iter().for_each(|&(agent, state)| self.cells[agent] = state.0 as u16);
    }
}

impl<const HEARS: bool> Clone for ByTable<'_, HEARS> {
    fn clone(&self) -> Self {
        ByTable { table: self.table, cells: self.cells.clone() }
    }

    /// Reuses the memory, since runs are saved and restored often.
    fn clone_from(&mut self, other: &Self) {
        self.cells.clone_from(&other.cells);
    }
}

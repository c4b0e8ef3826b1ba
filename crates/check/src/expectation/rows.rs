//! All configurations in order, each with its successors, without decoding any of them.
//!
//! A step changes two digits, so a successor is the configuration plus a number looked up by those digits. Within a row
//! (all configurations that differ in the lowest digit only) most of these numbers are constant.

use crate::rules::System;
use crate::space::MOST_AGENTS;
use std::ops::Range;

/// A deterministic system whose rules read two agents and nothing else, laid out for sweeping.
#[derive(Debug)]
pub struct Rows<'a> {
    system: &'a System,
    sites: Vec<Lookup>,
}

/// The number that a site adds to a configuration (modulo 2^32), by the states of its two agents.
#[derive(Debug)]
struct Lookup {
    /// The agent whose state selects the row of the table; the other agent's state selects the column.
    row: usize,
    column: usize,
    add: Vec<u32>,
}

impl<'a> Rows<'a> {
    /// Prepares a system of agents with equal numbers of states, if every pair of states has exactly one outcome in every context.
    pub fn new(system: &'a System) -> Option<Rows<'a>> {
        // On a graph of processes, tables differ in their contexts: an end of a line reads fewer states than the middle.
        let reads_more = system.tables.iter().any(|table| table.contexts() > 1);
        if reads_more || !system.space.is_uniform() || !system.deterministic() || system.is_up_to_symmetry() {
            return None;
        }
        let space = &system.space;
        let (s, powers) = (space.radix, &space.powers);
        let sites = system.sites.iter().map(|site| {
            let table = &system.tables[site.table];
            let add = |l: u32, r: u32| {
                let o = table.changes()[table.cell(0, l, r).start];
                (u32::from(o.left).wrapping_sub(l))
                    .wrapping_mul(powers[site.left])
                    .wrapping_add((u32::from(o.right).wrapping_sub(r)).wrapping_mul(powers[site.right]))
            };
            // Agent 0 is the lowest digit, which varies along a row, so it selects the column.
            let (row, column) = if site.left == 0 { (site.right, site.left) } else { (site.left, site.right) };
            let cells = (0..s).flat_map(|i| (0..s).map(move |j| (i, j)));
            let add = cells.map(|(i, j)| if site.left == 0 { add(j, i) } else { add(i, j) }).collect();
            Lookup { row, column, add }
        });
        Some(Rows { system, sites: sites.collect() })
    }

    /// The number of configurations in a row. Ranges to sweep must consist of whole rows.
    pub fn row(&self) -> u64 {
        u64::from(self.system.space.radix)
    }

    /// Calls `visit` with each configuration of the range and its successor for each site. The successor is the
    /// configuration itself where nothing changes.
    #[inline]
    pub fn each(&self, range: Range<u64>, mut visit: impl FnMut(u32, &[u32])) {
        match self.sites.len() {
            2 => self.rows::<2>(range, |c, next| visit(c, next)),
            3 => self.rows::<3>(range, |c, next| visit(c, next)),
            4 => self.rows::<4>(range, |c, next| visit(c, next)),
            5 => self.rows::<5>(range, |c, next| visit(c, next)),
            6 => self.rows::<6>(range, |c, next| visit(c, next)),
            7 => self.rows::<7>(range, |c, next| visit(c, next)),
            8 => self.rows::<8>(range, |c, next| visit(c, next)),
            _ => self.rows_of_any(range, visit),
        }
    }

    /// The same with the number of sites known to the compiler.
    #[inline]
    fn rows<const SITES: usize>(&self, range: Range<u64>, mut visit: impl FnMut(u32, &[u32; SITES])) {
        let space = &self.system.space;
        let s = space.radix;
        debug_assert!(range.start.is_multiple_of(s.into()) && range.end.is_multiple_of(s.into()));
        let mut digits = [0; MOST_AGENTS];
        space.decode(range.start as u32, &mut digits);
        let mut next = [0; SITES];
        for first in range.step_by(s as usize) {
            let mut rows: [&[u32]; SITES] = [&[]; SITES];
            let mut moving = [false; SITES];
            let mut constant = [0; SITES];
            for (k, site) in self.sites.iter().enumerate() {
                let at = (digits[site.row] * s) as usize;
                rows[k] = &site.add[at..at + s as usize];
                moving[k] = site.column == 0;
                constant[k] = rows[k][digits[site.column] as usize];
            }
            for j in 0..s {
                let c = first as u32 + j;
                for k in 0..SITES {
                    let add = if moving[k] { rows[k][j as usize] } else { constant[k] };
                    next[k] = c.wrapping_add(add);
                }
                visit(c, &next);
            }
            digits[0] = s - 1;
            space.advance(&mut digits);
        }
    }

    fn rows_of_any(&self, range: Range<u64>, mut visit: impl FnMut(u32, &[u32])) {
        let space = &self.system.space;
        let mut digits = [0; MOST_AGENTS];
        space.decode(range.start as u32, &mut digits);
        let mut next = vec![0; self.sites.len()];
        for c in range {
            for (to, site) in next.iter_mut().zip(&self.sites) {
                let at = digits[site.row] * space.radix + digits[site.column];
                *to = (c as u32).wrapping_add(site.add[at as usize]);
            }
            visit(c as u32, &next);
            space.advance(&mut digits);
        }
    }
}

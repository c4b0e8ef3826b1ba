//! Runs code on every input: finds errors, with an example, and the rules that ever fire.

use crate::code::machine::{Fault, Host, Registers, run, with_registers};
use crate::code::{Code, Limit};
use crate::domains::layout::{Field, Layout};
use crate::meaning::typed::Link;
use ringleader_model::graph::Neighbours;
use ringleader_model::{Coin, Odometer};
use std::collections::BTreeSet;

/// The result of a sweep over all inputs.
#[derive(Clone, Debug)]
pub(crate) enum Swept {
    /// No errors; the number of times that each rule fired.
    Fine(Vec<u64>),
    Wrong(Wrong),
    /// There are too many inputs to try them all.
    TooMany,
}

#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) what: Mistake,
    /// The inputs, in words.
    pub(crate) example: String,
    /// The last rule that fired, by its position in the list.
    pub(crate) rule: Option<u8>,
}

#[derive(Clone, Debug)]
pub(crate) enum Mistake {
    Outside(Limit, i64),
    /// The number of guards that hold where exactly one must hold.
    Guards(i64),
}

/// The inputs of code.
#[derive(Clone, Debug)]
pub(crate) struct Inputs<'a> {
    pub(crate) layout: &'a Layout,
    /// The prefix for the agents of each role.
    pub(crate) roles: Vec<String>,
    pub(crate) message: Option<(&'a str, &'a Layout)>,
    /// The pairs of values of the two input registers, each with its description.
    pub(crate) given: Vec<([i64; 2], String)>,
    /// For a process of a graph: the graph, and the process.
    pub(crate) around: Option<(&'a Neighbours, usize)>,
}

/// A run with the coins of an odometer, which tries every sequence of coins.
struct Trial<'a> {
    coin: &'a mut Odometer,
    fired: &'a mut Vec<u8>,
    guards: Option<i64>,
    budget: &'a mut u64,
    /// The states that a process of a graph reads: its own, then its neighbours'.
    cells: &'a [u64],
    graph: Option<&'a Neighbours>,
}

impl Host for Trial<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.coin.below(n)
    }

    fn choose(&mut self, n: u32) -> u32 {
        self.coin.choose(n)
    }

    fn fired(&mut self, rule: u8) {
        self.fired.push(rule);
    }

    fn exactly(&mut self, holding: i64) {
        if holding != 1 {
            self.guards.get_or_insert(holding);
        }
    }

    fn cell(&self, index: i64) -> u64 {
        usize::try_from(index).ok().and_then(|at| self.cells.get(at).or(self.cells.first())).copied().unwrap_or(0)
    }

    fn link(&self, what: Link, process: i64, port: i64) -> i64 {
        self.graph.map_or(0, |graph| what.of(graph, process, port))
    }

    fn again(&mut self) -> bool {
        *self.budget = self.budget.saturating_sub(1);
        *self.budget > 0
    }
}

/// One input: a variable, in a register or of a neighbour.
struct Dial {
    field: Field,
    register: Option<u8>,
    /// The position of the state that has this variable, among those that a process of a graph reads.
    cell: Option<usize>,
}

/// Runs code on every input, if there are at most `most`.
pub(crate) fn sweep(code: &Code, inputs: &Inputs<'_>, most: u64) -> Swept {
    let mut dials = vec![];
    let fields: BTreeSet<usize> = code.fields().collect();
    for slot in code.slots.iter().filter(|slot| slot.read || fields.contains(&slot.slot)) {
        let field = inputs.layout.fields[slot.slot];
        dials.push(Dial { field, register: Some(slot.register), cell: inputs.around.map(|_| 0) });
    }
    for at in 1..=inputs.around.map_or(0, |(graph, process)| graph.of(process).len()) {
        let fields = fields.iter().map(|&slot| inputs.layout.fields[slot]);
        dials.extend(fields.map(|field| Dial { field, register: None, cell: Some(at) }));
    }
    for (at, &field) in inputs.message.iter().flat_map(|(_, layout)| &layout.fields).enumerate() {
        dials.push(Dial { field, register: Some(code.message + at as u8), cell: None });
    }
    let values = |dial: &Dial| (dial.field.high - dial.field.low) as u64 + 1;
    let size = dials.iter().try_fold(inputs.given.len() as u64, |size, dial| size.checked_mul(values(dial)));
    if size.is_none_or(|size| size > most) {
        return Swept::TooMany;
    }
    with_registers!(code, registers => turn(code, inputs, &dials, &mut registers, most))
}

fn turn<const N: usize>(code: &Code, inputs: &Inputs<'_>, dials: &[Dial], r: &mut Registers<N>, most: u64) -> Swept {
    let mut fired = vec![0; code.rules.len()];
    let mut values: Vec<i64> = dials.iter().map(|dial| dial.field.low).collect();
    let graph = inputs.around.map(|(graph, _)| graph);
    let mut cells = vec![0; inputs.around.map_or(0, |(graph, process)| graph.of(process).len() + 1)];
    let (mut coin, mut rules, mut budget, mut runs) = (Odometer::default(), vec![], most.saturating_mul(64), 0);
    loop {
        for (given, words) in &inputs.given {
            let mut found = None;
            coin.each_again(|coin| {
                runs += 1;
                if runs > most.saturating_mul(4) {
                    found = Some(Swept::TooMany);
                    return false;
                }
                *r = Registers::new();
                // A variable that is written but not read still starts in its domain.
                code.slots.iter().for_each(|slot| r.set(slot.register, inputs.layout.fields[slot.slot].low));
                for (dial, value) in dials.iter().zip(&values) {
                    dial.register.into_iter().for_each(|register| r.set(register, *value));
                    if let Some(at) = dial.cell {
                        cells[at] = dial.field.set(cells[at], *value);
                    }
                }
                r.set(code.given, given[0]);
                r.set(code.given + 1, given[1]);
                rules.clear();
                let mut trial =
                    Trial { coin, fired: &mut rules, guards: None, budget: &mut budget, cells: &cells, graph };
                let fields = if graph.is_some() { &inputs.layout.fields[..] } else { &[] };
                let what = match (run(code, fields, r, &mut trial), trial.guards) {
                    (Err(Fault::Stopped), _) => {
                        found = Some(Swept::TooMany);
                        return false;
                    }
                    (Err(Fault::Limit(limit, value)), _) => {
                        Mistake::Outside(code.limits[limit as usize].clone(), value)
                    }
                    (Ok(_), Some(guards)) => Mistake::Guards(guards),
                    (Ok(_), None) => {
                        trial.fired.iter().for_each(|rule| fired[*rule as usize] += 1);
                        return true;
                    }
                };
                let (rule, example) = (trial.fired.last().copied(), example(code, inputs, dials, &values, words));
                found = Some(Swept::Wrong(Wrong { what, example, rule }));
                false
            });
            if let Some(found) = found {
                return found;
            }
        }
        let Some(at) = values.iter().zip(dials).position(|(value, dial)| *value < dial.field.high) else {
            return Swept::Fine(fired);
        };
        values[at] += 1;
        values[..at].iter_mut().zip(dials).for_each(|(value, dial)| *value = dial.field.low);
    }
}

/// The inputs in words: `l.dist = 3, r.bullet = 0`.
fn example(code: &Code, inputs: &Inputs<'_>, dials: &[Dial], values: &[i64], words: &str) -> String {
    let owner = |dial: &Dial| match (code.slots.iter().find(|slot| Some(slot.register) == dial.register), dial.cell) {
        (Some(slot), _) => inputs.roles[slot.role as usize].clone(),
        (None, Some(at)) => format!("neighbour {at}'s "),
        (None, None) => format!("{}.", inputs.message.map_or("", |(name, _)| name)),
    };
    let shown = dials
        .iter()
        .zip(values)
        .map(|(dial, value)| format!("{}{} = {}", owner(dial), dial.field.name, dial.field.show(*value)));
    let all: Vec<_> = shown.chain((!words.is_empty()).then(|| words.to_string())).collect();
    if all.is_empty() { "always".into() } else { all.join(", ") }
}

//! Evaluates a condition on one configuration by its tables.

use crate::configurations::tables::{Column, ConditionTables, Each, Scan, Whole};
use crate::domains::fold::apply;
use crate::domains::layout::State;
use std::cell::RefCell;

thread_local! {
    /// Results for the current configuration; the buffers are reused.
    static FOUND: RefCell<Vec<Vec<u32>>> = const { RefCell::new(vec![]) };
}

impl ConditionTables {
    /// Whether the condition holds; `None` for another number of agents.
    pub(crate) fn holds(&self, states: &[State]) -> Option<bool> {
        (states.len() == self.size).then(|| {
            FOUND.with_borrow_mut(|found| {
                let needed = self.scans.len() + self.betweens.len() + 1;
                found.resize_with(found.len().max(needed), Vec::new);
                let found = &mut found[..needed];
                found.iter_mut().for_each(Vec::clear);
                Lookup { tables: self, states, found }.whole(&self.whole)
            })
        })
    }
}

/// The evaluation of one configuration.
pub(crate) struct Lookup<'a> {
    pub(crate) tables: &'a ConditionTables,
    pub(crate) states: &'a [State],
    /// The distances of each search, then the results between agents; empty until first used. The last buffer holds row
    /// numbers.
    pub(crate) found: &'a mut [Vec<u32>],
}

impl Lookup<'_> {
    pub(crate) fn whole(&mut self, whole: &Whole) -> bool {
        match whole {
            Whole::Known(holds) => *holds,
            Whole::All(each) => self.all(each),
            Whole::Some(Each::Own(own)) => self.states.iter().any(|state| own.holds(state)),
            Whole::Some(each) => (0..self.states.len()).any(|at| self.each(each, at)),
            Whole::Count(each, sign, number) => {
                let count = match each {
                    Each::Own(own) => self.states.iter().map(|state| own.bit(state)).sum::<u64>() as i64,
                    _ => (0..self.states.len()).filter(|at| self.each(each, *at)).count() as i64,
                };
                apply(sign, count, *number) != 0
            }
            Whole::Not(a) => !self.whole(a),
            Whole::Both(a, b) => self.whole(a) && self.whole(b),
            Whole::Either(a, b) => self.whole(a) || self.whole(b),
        }
    }

    /// Whether a condition holds for all agents. This is the most frequent case, so it avoids a call for each agent.
    fn all(&mut self, each: &Each) -> bool {
        match each {
            Each::Own(own) => self.states.iter().all(|state| own.holds(state)),
            Each::Both(a, b) => self.all(a) && self.all(b),
            Each::Either(a, b) => match **a {
                Each::Own(own) => {
                    let states = self.states;
                    let mut left = (0..).zip(states).filter(|(_, state)| !own.holds(state));
                    left.all(|(at, _)| self.each(b, at))
                }
                _ => (0..self.states.len()).all(|at| self.each(each, at)),
            },
            Each::Table { parts, holds } => self.rows(parts, holds),
        }
    }

    /// Whether the table holds for the rows of all agents. It works column by column, which is faster than agent by
    /// agent.
    fn rows(&mut self, parts: &[(Column, usize)], holds: &[bool]) -> bool {
        let (states, last) = (self.states, self.found.len() - 1);
        let mut rows = std::mem::take(&mut self.found[last]);
        rows.clear();
        rows.resize(states.len(), 0);
        for (from, stride) in parts {
            let stride = *stride as u32;
            match *from {
                Column::Bits { places: 0, shift, mask } => {
                    let bits = states.iter().map(|state| (state.0 >> shift & mask) as u32);
                    rows.iter_mut().zip(bits).for_each(|(row, bits)| *row += bits * stride);
                }
                Column::Far(near) => {
                    self.far(near, 0);
                    rows.iter_mut().zip(&self.found[near]).for_each(|(row, far)| *row += far * stride);
                }
                from => (0..).zip(&mut rows).for_each(|(at, row)| *row += self.answer(from, at) as u32 * stride),
            }
        }
        let all = rows.iter().all(|row| holds[*row as usize]);
        self.found[last] = rows;
        all
    }

    #[inline]
    fn each(&mut self, each: &Each, at: usize) -> bool {
        match each {
            Each::Own(own) => own.holds(&self.states[at]),
            Each::Table { parts, holds } => {
                let row = parts.iter().map(|(from, stride)| self.answer(*from, at) * stride).sum::<usize>();
                holds[row]
            }
            Each::Both(a, b) => self.each(a, at) && self.each(b, at),
            Each::Either(a, b) => self.each(a, at) || self.each(b, at),
        }
    }

    #[inline]
    fn answer(&mut self, from: Column, at: usize) -> usize {
        let size = self.states.len();
        let around = |at: usize| if at < size { at } else { at - size };
        match from {
            Column::Bits { places, shift, mask } => (self.states[around(at + places)].0 >> shift & mask) as usize,
            Column::Far(near) => self.far(near, at),
            Column::Nearest { near, shift, mask } => {
                let far = self.far(near, at);
                let nearest = around(if self.tables.scans[near].left { at + size - far } else { at + far });
                (self.states[nearest].0 >> shift & mask) as usize
            }
            Column::Between(which) => self.between(which, at),
            Column::Place => at,
        }
    }

    /// The distance to the nearest match of a search; the size if there is none.
    #[inline]
    fn far(&mut self, near: usize, at: usize) -> usize {
        if self.found[near].is_empty() {
            self.walk(near);
        }
        self.found[near][at] as usize
    }

    /// Computes the distances from all agents in one pass around the ring, starting with the distance to the last match.
    #[inline(never)]
    fn walk(&mut self, near: usize) {
        let Scan { left, beyond, each } = &self.tables.scans[near];
        let mut all = std::mem::take(&mut self.found[near]);
        match each {
            Each::Own(own) => all.extend(self.states.iter().map(|state| own.bit(state) as u32)),
            _ => all.extend((0..self.states.len()).map(|at| u32::from(self.each(each, at)))),
        }
        let size = all.len() as u32;
        let found = |there: &u32| *there == 1;
        let before = if *left { all.iter().rev().position(found) } else { all.iter().position(found) };
        let mut far = before.map_or(size, |far| far as u32);
        let step = |there: &mut u32| {
            far = if *there == 1 { 0 } else { (far + 1).min(size) };
            *there = far;
        };
        if *left {
            all.iter_mut().for_each(step)
        } else {
            all.iter_mut().rev().for_each(step)
        }
        if *beyond {
            // The distance of the neighbour plus 1; a full round means no match.
            if *left {
                all.rotate_right(1)
            } else {
                all.rotate_left(1)
            }
            all.iter_mut().for_each(|far| *far = (*far + 1).min(size));
        }
        self.found[near] = all;
    }

    fn between(&mut self, which: usize, at: usize) -> usize {
        let place = self.tables.scans.len() + which;
        if self.found[place].is_empty() {
            let all = self.all_between(which);
            self.found[place] = all;
        }
        self.found[place][at] as usize
    }

    /// For each agent: whether a condition holds for all agents from the nearest match to this agent.
    fn all_between(&mut self, which: usize) -> Vec<u32> {
        let (size, tables) = (self.states.len(), self.tables);
        let (near, each) = &tables.betweens[which];
        let Some(first) = (0..size).find(|at| self.far(*near, *at) == 0) else {
            // With an infinite end, the range goes once around the ring.
            return vec![u32::from((0..size).all(|at| self.each(each, at))); size];
        };
        let (mut all, mut holds) = (vec![0; size], true);
        for steps in 0..size {
            let at = if tables.scans[*near].left { first + steps } else { first + size - steps } % size;
            holds = (holds || self.far(*near, at) == 0) && self.each(each, at);
            all[at] = holds.into();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::Source;
    use crate::build::Built;
    use crate::configurations::predicates::Stabilized;
    use crate::configurations::tables::ConditionTables;
    use crate::domains::layout::State;
    use ringleader_erased::Parameters;
    use ringleader_model::Stabilizing as _;

    /// Tables and compiled code evaluate each condition on thousands of configurations and must agree; both results
    /// must occur.
    #[test]
    fn tables_agree_with_compiled_code() {
        let conditions = [
            "one i : leader[i]",
            "(count i : x[i] = 2) <= 1",
            "(count i : leader[i] and x[i] < 3) != 2",
            "(some i : leader[i]) => (some i : x[i] = 3)",
            "all i : x[i] != x[i + 1] or leader[i - 2]",
            "all i : i = 0 => x[i + 6] >= x[i]",
            "all i : x[i] in {0, 2..3} or not leader[i] and x[i - 1] < 3",
            "all i : L(i) < infinity and x[i - L(i)] != 1",
            "all i : R(i) < 2 or R(i) = infinity",
            "all i : if leader[i] then x[i] < 3 else x[i] <= 5 - R(i)",
            "all i : x[i] = 2 => (all j in 0..L(i) : x[i - j] >= 1)",
            "all i : x[i] = 1 => (all j in 0..R(i) : x[i + j] <= L(i + j) + 1)",
            "some i : all j in 0..L(i) : x[i - j] = 3",
            "all i : x[i] + 1 > 3 - L(i) or min(R(i) + 1, 3) = x[i]",
            "some i : max(1 - R(i), 0) = x[i] and L(i) + 2^50 > 2^59",
            "not (all i : leader[i] or x[i] > 0) or (all i : x[i] = 0 => R(i) > 0)",
            "all i : (least d : x[i + d] = x[i + d + 1]) < 3",
            "all i : leader[i] => (all j in 0..(least d : x[i + d] = x[i + d + 1]) : x[i + j] > 0)",
            "some i : (least d : x[i - d] < x[i - d + 1]) = 3 and x[i] = 2",
            "all i : leader[i] => (least d in 1..n - 1 : leader[i + d] or x[i + d] = 2) < 4",
            "some i : (least d in 1..n - 1 : leader[i - d]) = infinity",
            "all i : leader[i] => N(i) < infinity and x[i + N(i)] != 3",
            "all i : (least d : x[i - d] = 9) = infinity and (least d : x[i + d] != 2) < 3",
        ];
        for condition in conditions {
            let text = format!(
                "protocol t\nmodel population on directed-ring\nstate leader : bit\nstate x : 0..3\nshow leader when leader\n\
                 let N(i) = least d in 1..n - 1 : x[i + d] > 1\nlet L(i) = least d : leader[i - d]\nlet R(i) = least d : leader[i + d]\ngoal one leader\nsafe = {condition}\n\
                 first:\n  1: l.leader -> r.x := l.x\n"
            );
            let protocol = Source::parse("t", &text).unwrap_or_else(|wrong| panic!("{wrong}"));
            for size in [7, 16] {
                let built = Built::new(protocol.parts().0, &Parameters::new(size)).unwrap();
                let predicates = Stabilized::with(&built, ()).unwrap();
                let (_, safe) = built.unit.safe.as_ref().unwrap();
                let tables = ConditionTables::new(&built.constants, &built.layout, &[], safe).expect(condition);
                let (mut word, mut seen) = (1u64, [0, 0]);
                for sparse in 0..4000u64 {
                    let mut draw = |below: u64| {
                        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                        (word >> 33) % below
                    };
                    // There are many leaders, few or none; some values are rare.
                    let most = 1 + draw(4);
                    let states: Vec<State> = (0..size)
                        .map(|_| State(u64::from(draw(1 + sparse % 9) == 1) | (3 - draw(most)) << 1))
                        .collect();
                    let holds = predicates.safe(&states);
                    assert_eq!(tables.holds(&states), Some(holds), "{condition}: {states:?}");
                    seen[usize::from(holds)] += 1;
                }
                assert!(seen[0] > 0 && seen[1] > 0, "{condition}: {seen:?}");
            }
        }
    }
}

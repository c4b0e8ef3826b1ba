//! The inverse of a rule table: predecessors of pairs of states.

use ringleader_erased::{Change, RuleTable};

/// For each context and each pair of states, the other pairs that a step may turn into it.
#[derive(Clone, Debug)]
pub(crate) struct Inverse {
    radix: u32,
    contexts: Vec<Pairs>,
}

#[derive(Clone, Debug)]
struct Pairs {
    start: Vec<u32>,
    before: Vec<(u16, u16)>,
}

impl Inverse {
    pub(crate) fn new(table: &RuleTable) -> Inverse {
        let contexts = (0..table.contexts()).map(|context| Pairs::new(table, context)).collect();
        Inverse { radix: table.radix(), contexts }
    }

    /// The other pairs that a step may turn into `(left, right)`.
    #[inline]
    pub(crate) fn before(&self, context: usize, left: u32, right: u32) -> &[(u16, u16)] {
        let pairs = &self.contexts[context];
        let at = (left * self.radix + right) as usize;
        &pairs.before[pairs.start[at] as usize..pairs.start[at + 1] as usize]
    }
}

impl Pairs {
    fn new(table: &RuleTable, context: usize) -> Pairs {
        let (s, mut arrows) = (table.radix(), vec![]);
        for l in 0..table.lefts() {
            for r in 0..s {
                let changed = |o: &&Change| (u32::from(o.left), u32::from(o.right)) != (l, r);
                let targets = table.changes()[table.cell(context, l, r)].iter().filter(changed);
                arrows.extend(targets.map(|o| (u32::from(o.left) * s + u32::from(o.right), l as u16, r as u16)));
            }
        }
        arrows.sort_unstable();
        arrows.dedup();
        let mut start = vec![0; (table.lefts() * s) as usize + 1];
        for &(target, ..) in &arrows {
            start[target as usize + 1] += 1;
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        Pairs { start, before: arrows.into_iter().map(|(_, l, r)| (l, r)).collect() }
    }
}

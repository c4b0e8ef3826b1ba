//! The inverse of a rule table: predecessors of pairs of states.

use ringleader_erased::RuleTable;
use ringleader_model::Grouped;

/// For each context and each pair of states, the other pairs that a step may turn into it.
#[derive(Clone, Debug)]
pub(crate) struct Inverse {
    radix: u32,
    /// For each context, the pairs by the number of the pair that they turn into.
    contexts: Vec<Grouped>,
}

impl Inverse {
    pub(crate) fn new(table: &RuleTable) -> Inverse {
        let contexts = (0..table.contexts()).map(|context| pairs(table, context)).collect();
        Inverse { radix: table.radix(), contexts }
    }

    /// The other pairs that a step may turn into `(left, right)`.
    #[inline]
    pub(crate) fn before(&self, context: usize, left: u32, right: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let pairs = self.contexts[context].of((left * self.radix + right) as usize);
        pairs.iter().map(|pair| (pair >> 16, pair & 0xffff))
    }
}

/// The pairs of one context, each as 16 bits of its left state and 16 bits of its right one.
fn pairs(table: &RuleTable, context: usize) -> Grouped {
    let (radix, mut arrows) = (table.radix(), vec![]);
    for (l, r) in (0..table.lefts()).flat_map(|l| (0..radix).map(move |r| (l, r))) {
        let targets =
            table.changes()[table.cell(context, l, r)].iter().map(|o| (u32::from(o.left), u32::from(o.right)));
        arrows.extend(targets.filter(|&to| to != (l, r)).map(|(left, right)| (left * radix + right, l << 16 | r)));
    }
    arrows.sort_unstable();
    arrows.dedup();
    Grouped::new((table.lefts() * radix) as usize, arrows.iter().copied())
}

//! End components: choices of a daemon that it can make for ever, with any outcomes of fair coins.

use crate::watch::Cancel;
use ringleader_model::components::Components;

/// The largest end components among some configurations.
pub(crate) struct Forever {
    /// Whether each choice can be made for ever.
    pub(crate) kept: Vec<bool>,
    /// The number of each configuration's component, from 1 on. A configuration without such a choice is alone in one.
    pub(crate) component: Vec<u32>,
}

impl Forever {
    /// `choices` have a configuration and the outcomes. Those of a configuration stand side by side. `None` if the search is cancelled.
    pub(crate) fn new(
        nodes: usize,
        choices: &[(u32, Vec<u32>)],
        inside: impl Fn(u32) -> bool,
        cancel: Cancel,
    ) -> Option<Forever> {
        let mut own = vec![0..0; nodes];
        for (i, (node, _)) in choices.iter().enumerate() {
            let range = &mut own[*node as usize];
            *range = if range.end == 0 { i } else { range.start }..i + 1;
        }
        let all: Vec<u32> = (0..nodes as u32).filter(|node| inside(*node)).collect();
        let mut kept: Vec<bool> =
            choices.iter().map(|(node, to)| inside(*node) && to.iter().all(|to| inside(*to))).collect();
        loop {
            let (mut component, mut count) = (vec![0; nodes], 0);
            let successors = |node: u32, targets: &mut Vec<u32>| {
                let own = own[node as usize].clone().filter(|i| kept[*i]);
                own.for_each(|i| targets.extend(&choices[i].1));
            };
            let found = |nodes: &[u32]| {
                count += 1;
                nodes.iter().for_each(|node| component[*node as usize] = count);
                true
            };
            let pause = |_| if cancel.asked() { Err(()) } else { Ok(()) };
            Components::new(nodes).find(&all, successors, &inside, found, pause).ok()?;
            let stays =
                |(node, to): &(u32, Vec<u32>)| to.iter().all(|to| component[*to as usize] == component[*node as usize]);
            let next: Vec<bool> = choices.iter().zip(&kept).map(|(choice, kept)| *kept && stays(choice)).collect();
            if next == kept {
                return Some(Forever { kept, component });
            }
            kept = next;
        }
    }
}

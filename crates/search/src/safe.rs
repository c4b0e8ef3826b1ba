//! A readable description of the safe configurations of a protocol.

use crate::family::Topology;
use crate::ground::first_of_class;
use crate::search::Control;
use crate::walk::Realm;
use std::collections::BTreeSet;

/// The safe configurations with one leader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SafeSet {
    /// The configurations in which no two agents (on a ring, no two neighbours) are in these states.
    Without(Topology, BTreeSet<(u8, u8)>),
    /// These configurations, the first of their classes up to rotation or permutation.
    These(Topology, Vec<Vec<u8>>),
}

impl SafeSet {
    /// The safe set of a table, at all sizes.
    pub(crate) fn of(topology: Topology, realm: &Realm, table: &[u8]) -> SafeSet {
        let (mut safe, mut others) = (vec![], vec![]);
        // The set of a kept table is needed after a stop, too.
        let control = Control::default();
        for mut prospect in realm.prospects(&control) {
            prospect.find_safe(table);
            let ground = prospect.ground;
            for class in (0..ground.classes()).filter(|&class| ground.led[class]) {
                let configurations = if prospect.safe[class] { &mut safe } else { &mut others };
                configurations.push(ground.configurations[class].clone());
            }
        }
        let allowed: BTreeSet<(u8, u8)> = safe.iter().flat_map(|c| pairs(topology, c)).collect();
        let occurring: BTreeSet<(u8, u8)> = others.iter().flat_map(|c| pairs(topology, c)).collect();
        let without = SafeSet::Without(topology, occurring.difference(&allowed).copied().collect());
        if others.iter().any(|c| without.contains(c)) { SafeSet::These(topology, safe) } else { without }
    }

    /// Whether the set contains a configuration with one leader.
    pub(crate) fn contains(&self, configuration: &[u8]) -> bool {
        match self {
            SafeSet::Without(topology, never) => pairs(*topology, configuration).all(|pair| !never.contains(&pair)),
            SafeSet::These(topology, these) => these.contains(&first_of_class(*topology, configuration)),
        }
    }
}

/// The pairs of states: of neighbours on a ring, from left to right; of all agents on a complete graph, the smaller
/// state first.
fn pairs(topology: Topology, c: &[u8]) -> Box<dyn Iterator<Item = (u8, u8)> + '_> {
    let n = c.len();
    match topology {
        Topology::DirectedRing => Box::new((0..n).map(move |i| (c[i], c[(i + 1) % n]))),
        Topology::Complete => Box::new((0..n).flat_map(move |i| (0..i).map(move |j| (c[i].min(c[j]), c[i].max(c[j]))))),
    }
}

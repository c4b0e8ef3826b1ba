//! Weakly fair schedules of one size.

use super::{Moves, Ring};
use crate::formulas::evaluate::everyone;
use crate::rings::forever::Forever;
use crate::watch::Cancel;
use ringleader_model::components::Components;

impl Ring {
    /// A configuration of a set among which a weakly fair execution can stay, away from good ones: the set is strongly connected, and
    /// every agent acts within it, or is not enabled somewhere in it.
    pub(super) fn fair_failure(&self, moves: &Moves, good: &[bool], cancel: Cancel) -> Option<usize> {
        let outside: Vec<u32> = (0..good.len() as u32).filter(|&code| !good[code as usize]).collect();
        let (mut owner, mut sets, mut failure) = (vec![0u32; good.len()], 0, None);
        let (mut w, mut v) = (Vec::new(), Vec::new());
        let stays = |set: &[u32]| {
            sets += 1;
            set.iter().for_each(|&code| owner[code as usize] = sets);
            let mut met = 0;
            for &code in set {
                self.decode(code as usize, &mut w);
                let mut enabled = 0;
                moves.acting(&w, &mut v, |agent, v| {
                    enabled |= 1 << agent;
                    let within = self.encode(v).is_some_and(|to| owner[to] == sets);
                    met |= u16::from(within) << agent;
                });
                met |= everyone(self.n) & !enabled;
            }
            if met == everyone(self.n) {
                failure = set.first().map(|&code| code as usize);
            }
            failure.is_none() && !cancel.asked()
        };
        let successors = |code: u32, to: &mut Vec<u32>| to.extend(self.graph.after(code as usize));
        let search = Components::new(good.len()).find(
            &outside,
            successors,
            |code| !good[code as usize],
            stays,
            |_| if cancel.asked() { Err(()) } else { Ok(()) },
        );
        search.ok().and(failure)
    }

    /// The same if coins are fair: all outcomes of the choices by which the execution stays lead to configurations of the set.
    pub(super) fn patient_failure(&self, choices: &[(u32, Vec<u32>)], good: &[bool], cancel: Cancel) -> Option<usize> {
        let Forever { kept, component } = Forever::new(good.len(), choices, |code| !good[code as usize], cancel)?;
        // The agents that act in a component; those that can act in a configuration.
        let (mut acts, mut able) = (vec![0u16; good.len() + 1], vec![0u16; good.len()]);
        for (i, (code, _)) in choices.iter().enumerate() {
            able[*code as usize] |= 1 << self.actors[i];
            acts[component[*code as usize] as usize] |= u16::from(kept[i]) << self.actors[i];
        }
        let outside = || (0..good.len()).filter(|&code| !good[code]);
        outside().for_each(|code| acts[component[code] as usize] |= everyone(self.n) & !able[code]);
        outside().find(|&code| acts[component[code] as usize] == everyone(self.n))
    }
}

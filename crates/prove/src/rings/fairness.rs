//! Weakly fair and locally fair schedules of one size.

use super::{Moves, Ring};
use crate::formulas::evaluate::{Evaluator, everyone};
use crate::rings::forever::Forever;
use crate::watch::Cancel;
use ringleader_model::components::Components;
use ringleader_verify::Move;
use std::collections::HashMap;

impl Ring {
    /// A configuration of a set among which a weakly fair execution can stay, away from good ones: the set is strongly connected, and
    /// every agent acts within it, or is not enabled somewhere in it.
    pub(crate) fn fair_failure(&self, moves: &Moves, good: &[bool], cancel: Cancel) -> Option<usize> {
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
                moves.each(&w, &mut v, |agent, _, v| {
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

    /// The largest set of configurations among which a weakly fair daemon can stay for ever, with a broken promise at least in every
    /// other configuration: within it, from every configuration and for every agent, it can go on until the agent acts or is disabled.
    pub(crate) fn largest_fair_trap(&self, moves: &Moves, evaluator: &Evaluator, cancel: Cancel) -> Vec<bool> {
        let count = self.graph.len();
        let broken: Vec<bool> = (0..count).map(|code| evaluator.promised(&self.word(code)).is_none()).collect();
        let steps = |code: usize| {
            let mut steps = Vec::new();
            moves.each(&self.word(code), &mut Vec::new(), |agent, _, v| {
                steps.extend(self.encode(v).map(|to| (agent, to)));
            });
            steps
        };
        let steps: Vec<Vec<(usize, usize)>> = (0..count).take_while(|_| !cancel.asked()).map(steps).collect();
        let mut trap: Vec<bool> = (0..count).map(|code| broken[code] || !self.graph.after(code).is_empty()).collect();
        loop {
            let before = trap.clone();
            for agent in 0..self.n {
                let disabled = |code: usize| steps[code].iter().all(|(other, _)| *other != agent);
                let stuck = |code: usize| steps[code].is_empty() && broken[code];
                let mut served = vec![false; count];
                loop {
                    let goes_on = |code: usize| {
                        let inside = |to: usize| trap[to] && (broken[code] || broken[to]);
                        let on = |(acts, to): &(usize, usize)| inside(*to) && (*acts == agent || served[*to]);
                        let waits = disabled(code) && steps[code].iter().any(|(_, to)| inside(*to));
                        trap[code] && (stuck(code) || waits || steps[code].iter().any(on))
                    };
                    let next: Vec<bool> = (0..steps.len()).map(goes_on).collect();
                    if next == served || cancel.asked() {
                        break;
                    }
                    served = next;
                }
                trap = served;
            }
            if trap == before || cancel.asked() {
                return trap;
            }
        }
    }

    /// The largest set of configurations among which a locally fair execution can stay for ever, with a broken promise at least in every
    /// other configuration: whenever an agent can make a move, it can go on within the set until this move leads to one of it.
    pub(crate) fn largest_local_trap(&self, moves: &Moves, evaluator: &Evaluator, cancel: Cancel) -> Vec<bool> {
        let broken: Vec<bool> =
            (0..self.graph.len()).map(|code| evaluator.promised(&self.word(code)).is_none()).collect();
        let (mut w, mut v, mut steps) = (Vec::new(), Vec::new(), HashMap::<(usize, Move), Vec<(usize, usize)>>::new());
        for code in (0..self.graph.len()).take_while(|_| !cancel.asked()) {
            self.decode(code, &mut w);
            moves.each(&w, &mut v, |agent, m, v| {
                let to = self.encode(v).map(|to| (code, to));
                steps.entry((agent, *m)).or_default().extend(to);
            });
        }
        let back = self.graph.reversed();
        let mut trap = vec![true; broken.len()];
        loop {
            let before = trap.clone();
            let stays = |trap: &[bool], from: usize, to: usize| trap[from] && trap[to] && (broken[from] || broken[to]);
            for from in 0..trap.len() {
                let after = self.graph.after(from);
                trap[from] &=
                    after.is_empty() && broken[from] || after.iter().any(|&to| stays(&trap, from, to as usize));
            }
            for steps in steps.values() {
                let fine = |(from, to): &(usize, usize)| stays(&trap, *from, *to);
                if steps.iter().all(|step| !trap[step.0] || fine(step)) {
                    continue;
                }
                let mut open: Vec<usize> = steps.iter().filter(|step| fine(step)).map(|step| step.0).collect();
                let mut served = vec![false; trap.len()];
                open.iter().for_each(|&code| served[code] = true);
                while let Some(to) = open.pop().filter(|_| !cancel.asked()) {
                    for from in back.of(to).iter().map(|&from| from as usize) {
                        if stays(&trap, from, to) && !std::mem::replace(&mut served[from], true) {
                            open.push(from);
                        }
                    }
                }
                steps.iter().for_each(|&(from, _)| trap[from] &= served[from]);
            }
            if trap == before || cancel.asked() {
                return trap;
            }
        }
    }

    /// The failure of weakly fair schedules if coins are fair: all outcomes of the choices by which the execution stays lead to
    /// configurations of the set.
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

    /// A configuration of a set among which a locally fair execution can stay, away from good ones: the set is strongly connected, and
    /// every move of every agent that is possible within it leads to one of it (Emerson and Lei 1987).
    pub(super) fn local_failure(&self, moves: &Moves, good: &[bool], cancel: Cancel) -> Option<usize> {
        let outside: Vec<u32> = (0..good.len() as u32).filter(|&code| !good[code as usize]).collect();
        let (mut owner, mut sets, mut failure) = (vec![0u32; good.len()], 0, None);
        let (mut w, mut v, mut open) = (Vec::new(), Vec::new(), vec![outside]);
        let (mut components, mut searched, mut searches) = (Components::new(good.len()), vec![0u32; good.len()], 0);
        while let Some(nodes) = open.pop().filter(|_| failure.is_none()) {
            searches += 1;
            nodes.iter().for_each(|code| searched[*code as usize] = searches);
            let stays = |set: &[u32]| {
                sets += 1;
                set.iter().for_each(|&code| owner[code as usize] = sets);
                // Whether each possible move stays within the set somewhere.
                let mut taken = HashMap::new();
                let mut each = |code: u32, taken: &mut dyn FnMut(usize, &Move, bool)| {
                    self.decode(code as usize, &mut w);
                    moves.each(&w, &mut v, |agent, m, v| {
                        let within = self.encode(v).is_some_and(|to| owner[to] == sets);
                        taken(agent, m, within);
                    });
                };
                let mut met = |agent, m: &Move, within| *taken.entry((agent, *m)).or_insert(false) |= within;
                set.iter().for_each(|&code| each(code, &mut met));
                if taken.values().all(|taken| *taken) {
                    failure = set.first().map(|&code| code as usize);
                    return false;
                }
                let mut rest = set.to_vec();
                rest.retain(|&code| {
                    let mut fine = true;
                    each(code, &mut |agent, m, _| fine &= taken[&(agent, *m)]);
                    fine
                });
                open.extend((!rest.is_empty()).then_some(rest));
                !cancel.asked()
            };
            let successors = |code: u32, to: &mut Vec<u32>| to.extend(self.graph.after(code as usize));
            let pause = |_| if cancel.asked() { Err(()) } else { Ok(()) };
            components.find(&nodes, successors, |code| searched[code as usize] == searches, stays, pause).ok()?;
        }
        failure
    }
}

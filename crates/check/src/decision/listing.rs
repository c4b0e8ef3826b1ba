//! The choices of a daemon in one configuration, each with the outcomes of the coins.

use crate::rules::{Site, System};
use crate::schedule::Daemon;
use crate::space::{Edge, MOST_AGENTS, NOBODY, StateGraph};

/// The choices of one node. A choice in which nothing can change is left out, unless all processes step at once.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The site and the first action of each choice. For several processes at once: the set of processes and the number of their
    /// combination.
    pub(super) chosen: Vec<(u32, u32)>,
    /// The end of the outcomes of each choice.
    pub(super) ends: Vec<usize>,
    /// Targets and weights.
    pub(super) outcomes: Vec<(u32, u32)>,
    /// The agents that a daemon may schedule without any change, as bits.
    pub(super) idle: u32,
}

impl Listing {
    pub(super) fn clear(&mut self) {
        self.chosen.clear();
        self.ends.clear();
        self.outcomes.clear();
        self.idle = 0;
    }

    /// Starts a choice; outcomes that follow belong to it.
    pub(super) fn begin(&mut self, chosen: (u32, u32)) {
        self.chosen.push(chosen);
        self.ends.push(self.outcomes.len());
    }

    pub(super) fn outcome(&mut self, target: u32, weight: u32) {
        self.outcomes.push((target, weight));
        if let Some(end) = self.ends.last_mut() {
            *end = self.outcomes.len();
        }
    }

    /// Takes back the last choice.
    fn take_back(&mut self) {
        self.chosen.pop();
        self.ends.pop();
        self.outcomes.truncate(self.ends.last().copied().unwrap_or(0));
    }

    /// Completes the node: where nothing is enabled, the run stays for ever.
    pub(super) fn complete(&mut self, node: u32) {
        if self.chosen.is_empty() {
            self.begin((NOBODY, 0));
            self.outcome(node, 1);
        }
    }

    /// Each choice with its targets and their weights.
    pub(crate) fn each(&self) -> impl Iterator<Item = ((u32, u32), &[(u32, u32)])> {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let outcomes = starts.zip(&self.ends).map(|(start, &end)| &self.outcomes[start..end]);
        self.chosen.iter().copied().zip(outcomes)
    }

    /// Lists the choices of a daemon that schedules one site at a time. `graph` is the system itself or its product with tokens.
    pub(crate) fn one_at_a_time<G: StateGraph>(&mut self, graph: &G, system: &System, node: u32) {
        let (mut open, mut moves) = (None, true);
        let close = |list: &mut Listing, moves: bool| {
            if !moves && let Some(&(site, _)) = list.chosen.last() {
                list.idle |= system.actors(site);
                list.take_back();
            }
        };
        graph.successors(node, |edge: Edge| {
            let key = (edge.site, system.choice(edge));
            if open != Some(key) {
                close(self, moves);
                self.begin((edge.site, edge.action));
                (open, moves) = (Some(key), false);
            }
            moves |= edge.moves(node);
            self.outcome(edge.target, edge.weight);
        });
        close(self, moves);
    }

    /// Lists the choices of a daemon that picks the initiator of an interaction, while a fair coin picks one of its arcs.
    pub(crate) fn by_initiator(&mut self, system: &System, node: u32) {
        for edges in system.by_initiator(node) {
            let first = edges[0];
            if edges.iter().any(|edge| edge.moves(node)) {
                self.begin((first.site, first.action));
                edges.iter().for_each(|edge| self.outcome(edge.target, edge.weight));
            } else {
                self.idle |= 1 << system.sites[first.site as usize].left;
            }
        }
    }

    /// Lists the choices of a daemon that schedules several processes at once.
    pub(crate) fn together(&mut self, system: &System, daemon: Daemon, node: u32) {
        let offers = offers(system, daemon, node);
        let resting = u64::from(daemon != Daemon::Synchronous);
        let count = offers.iter().fold(1, |all: u64, mine| all.saturating_mul(mine.len() as u64 + resting));
        for combination in resting..count {
            let picked = picked(&offers, daemon, combination);
            let acting = picked.iter().fold(0_u32, |set, (process, _)| set | 1 << process);
            let adjacent = || picked.iter().any(|(process, _)| system.beside(*process) & acting != 0);
            if daemon == Daemon::LocallyCentral && adjacent() {
                continue;
            }
            self.begin((acting, combination as u32));
            let mut at = vec![0; picked.len()];
            loop {
                let (mut target, mut weight) = (node, 1_u32);
                for ((_, offer), &at) in picked.iter().zip(&at) {
                    target = target.wrapping_add(offer.outcomes[at].0);
                    weight = weight.wrapping_mul(offer.outcomes[at].1);
                }
                self.outcome(target, weight);
                // The next combination of outcomes.
                let Some(next) = (0..at.len()).find(|&i| at[i] + 1 < picked[i].1.outcomes.len()) else { break };
                at[..next].fill(0);
                at[next] += 1;
            }
        }
    }
}

/// A process that steps, with the scheduler's choices between its rules.
pub(super) struct Offer {
    /// The number of its first outcome in the table.
    pub(super) first: usize,
    /// For each outcome of its coins a difference and a weight.
    pub(super) outcomes: Vec<(u32, u32)>,
}

/// The offers of each process in a configuration.
pub(super) fn offers(system: &System, daemon: Daemon, node: u32) -> Vec<Vec<Offer>> {
    let mut digits = [0; MOST_AGENTS];
    system.space.decode(node, &mut digits);
    let of = |site: &Site| {
        let (table, own) = (&system.tables[site.table], digits[site.right]);
        let mut mine: Vec<Offer> = vec![];
        for at in table.cell(system.context(site, &digits), digits[site.left], own) {
            let outcome = table.changes()[at];
            let add = u32::from(outcome.right).wrapping_sub(own).wrapping_mul(system.space.powers[site.right]);
            match mine.last_mut() {
                Some(last) if table.choice(last.first) == table.choice(at) => last.outcomes.push((add, outcome.weight)),
                _ => mine.push(Offer { first: at, outcomes: vec![(add, outcome.weight)] }),
            }
        }
        if daemon != Daemon::Synchronous {
            mine.retain(|offer| offer.outcomes.iter().any(|(add, _)| *add != 0));
        }
        mine
    };
    system.sites.iter().map(of).collect()
}

/// The processes that step in a combination, each with its offer. A process rests if its digit is 0, unless all step.
pub(super) fn picked(offers: &[Vec<Offer>], daemon: Daemon, mut combination: u64) -> Vec<(usize, &Offer)> {
    let resting = u64::from(daemon != Daemon::Synchronous);
    let mut picked = vec![];
    for (process, mine) in offers.iter().enumerate() {
        let digit = combination % (mine.len() as u64 + resting);
        combination /= mine.len() as u64 + resting;
        if digit >= resting {
            picked.push((process, &mine[(digit - resting) as usize]));
        }
    }
    picked
}

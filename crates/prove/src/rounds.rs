//! Measures with which a fair daemon goes round the agents of a trap. Within it they can fall until the watched agent acts or is disabled
//! (weakly fair), or until it can make a move without leaving the trap (locally fair).

use crate::decide::table::{Map, Numbered};
use crate::formulas::atoms::atoms;
use crate::formulas::evaluate::{Evaluator, expression};
use crate::formulas::expr::Measure;
use crate::measures::open::Open;
use crate::measures::order::{falling, measure};
use crate::measures::pool::Pool;
use crate::measures::trial::hopeful;
use crate::recurring::{at, watched};
use crate::rings::{Moves, Ring};
use crate::search::Prover;
use ringleader_verify::{Automaton, Claim, FailureCertificate, Move, Rejection, Rules, State, Turn};

/// Configurations with a watched agent are scored on whole rings, until there are this many.
const SAMPLE: usize = 500;
/// The number of formulas, and of attempts to choose one more measure.
const FORMULAS: usize = 1_000;
const NODES: usize = 8;
/// More measures than this are not tried.
const MOST: usize = 4;

/// Configurations with a watched agent that waits, and the steps that stay in the trap.
#[derive(Default)]
struct Waiting {
    words: Numbered<Vec<State>>,
    open: Vec<Open>,
}

impl Waiting {
    fn wait<'w>(&mut self, rules: &Rules, w: &[State], agent: usize, steps: impl Iterator<Item = &'w Vec<State>>) {
        let states = rules.states.len() as State;
        let word = self.words.number(at(w, agent, states));
        let mut steps: Vec<u32> = steps.map(|v| self.words.number(at(v, agent, states))).collect();
        steps.sort_unstable();
        steps.dedup();
        self.open.push(Open { word, source: self.open.len() as u32, whole: true, steps });
    }
}

/// The choice of measures, one after the other.
struct Search<'s> {
    pool: Pool,
    search: &'s Prover<'s>,
    /// The certificate with these measures, if the checker finds no fault in them.
    accepted: &'s dyn Fn(Vec<String>) -> Option<FailureCertificate>,
    sources: usize,
    of: Map<u32, usize>,
    nodes: usize,
}

impl Prover<'_> {
    /// The certificate with measures that the checker accepts.
    pub(crate) fn going_round(&self, certificate: FailureCertificate, rings: &[Ring]) -> Option<FailureCertificate> {
        let waiting = self.waiting(&certificate.trap, rings);
        self.descending(waiting, &|measures| {
            let certificate = FailureCertificate { measures, ..certificate.clone() };
            self.in_time(&certificate).is_ok().then_some(certificate)
        })
    }

    /// The certificate with a turn for each move that needs one, if the checker accepts it.
    pub(crate) fn taking_turns(&self, certificate: FailureCertificate, rings: &[Ring]) -> Option<FailureCertificate> {
        let missing = |certificate: &FailureCertificate| match self.in_time(certificate) {
            Err(Rejection::Fails(Claim::Turns(_, number), ..)) => Ok(Some(number)),
            verdict => verdict.map(|()| None),
        };
        let mut certificate = certificate;
        while let Some(of) = missing(&certificate).ok()? {
            let found = self.withins().into_iter().find_map(|within| {
                let waiting = self.awaiting(&certificate.trap, rings, of, &within)?;
                self.descending(waiting, &|measures| {
                    let mut certificate = certificate.clone();
                    certificate.turns.push(Turn { of, within: within.clone(), measures });
                    missing(&certificate).is_ok_and(|next| next.is_none_or(|next| next > of)).then_some(certificate)
                })
            });
            certificate = found?;
        }
        Some(certificate)
    }

    /// Where an agent can wait for a move: only where it can make it, everywhere, or with some place or value.
    fn withins(&self) -> Vec<String> {
        let places = ["0", "1", "root", "!root", "top", "!top"].map(String::from).into_iter();
        let values = self.rules.variables.iter().flat_map(|v| (0..v.size).map(move |k| format!("{}={k}", v.name)));
        places.chain(values).collect()
    }

    fn descending(
        &self,
        waiting: Waiting,
        accepted: &dyn Fn(Vec<String>) -> Option<FailureCertificate>,
    ) -> Option<FailureCertificate> {
        let Waiting { words, open, .. } = waiting;
        let rules = watched(self.rules).ok()?;
        let atoms = atoms(&rules);
        let evaluator = Evaluator::new(&rules, &atoms).ok()?;
        let moves = Moves::new(&rules, None);
        let search =
            Prover { rules: &rules, atoms: &atoms, evaluator: &evaluator, moves: &moves, sizes: self.sizes, ..*self };
        let of: Map<u32, usize> = open.iter().map(|open| (open.word, open.source as usize)).collect();
        let (all, sources) = (open.iter().collect::<Vec<_>>(), open.len());
        if !hopeful(&all, sources, |word| of.get(&word).copied(), self.watch.limit()) {
            return None;
        }
        let pool = Pool::new(&evaluator, &search.chosen(false), &words.all, FORMULAS, self.watch.limit());
        Search { pool, search: &search, accepted, sources, of, nodes: NODES }.descend(&open, &[])
    }

    /// Configurations in which an agent waits until a move stays in the trap: it can make the move, or a formula holds at it.
    fn awaiting(&self, trap: &Automaton, rings: &[Ring], of: usize, within: &str) -> Option<Waiting> {
        let within = expression(&within.parse().ok()?, self.atoms, self.rules)?;
        let wanted = self.rules.moves[of];
        // For each agent whether it can make the move, and whether this stays in the trap.
        let makes = |w: &[State]| {
            let within = self.evaluator.values(&within, w);
            let mut makes: Vec<(bool, bool)> = (0..w.len()).map(|agent| (within >> agent & 1 == 1, false)).collect();
            self.moves.each(w, &mut Vec::new(), |agent, m, v| {
                if *m == wanted {
                    makes[agent] = (true, self.stays(trap, w, v));
                }
            });
            makes
        };
        Some(self.sample(trap, rings, |waiting, w| {
            let mut kept = Vec::new();
            let keep = |_, _: &Move, v: &[State]| kept.extend(self.stays(trap, w, v).then(|| (v.to_vec(), makes(v))));
            self.moves.each(w, &mut Vec::new(), keep);
            let now = makes(w);
            let done = |agent: usize| now[agent].1 || kept.iter().any(|(_, makes)| makes[agent].1);
            for agent in (0..w.len()).filter(|agent| now[*agent].0 && !done(*agent)) {
                let tracked = kept.iter().filter(|(_, makes)| makes[agent].0);
                waiting.wait(self.rules, w, agent, tracked.map(|(v, _)| v));
            }
        }))
    }

    /// Configurations in which an enabled agent waits until it acts or is disabled.
    fn waiting(&self, trap: &Automaton, rings: &[Ring]) -> Waiting {
        let steps = |w: &[State]| {
            let mut steps = Vec::new();
            self.moves.each(w, &mut Vec::new(), |agent, _, v| steps.push((agent, v.to_vec())));
            steps
        };
        self.sample(trap, rings, |waiting, w| {
            let all = steps(w);
            let kept: Vec<_> = all.iter().filter(|(_, v)| self.stays(trap, w, v)).collect();
            let enabled = |steps: &[(usize, Vec<State>)], agent| steps.iter().any(|(other, _)| *other == agent);
            let done = |agent| kept.iter().any(|(acts, v)| *acts == agent || !enabled(&steps(v), agent));
            for agent in (0..w.len()).filter(|agent| enabled(&all, *agent) && !done(*agent)) {
                waiting.wait(self.rules, w, agent, kept.iter().map(|(_, v)| v));
            }
        })
    }

    /// Whether a step leads into the trap, and the promise is broken before or after it.
    fn stays(&self, trap: &Automaton, w: &[State], v: &[State]) -> bool {
        let broken = |w: &[State]| self.evaluator.promised(w).is_none();
        trap.accepts(v) && (broken(w) || broken(v))
    }

    /// What waits in the configurations of the trap on each ring, until there are enough of them.
    fn sample(&self, trap: &Automaton, rings: &[Ring], mut add: impl FnMut(&mut Waiting, &[State])) -> Waiting {
        let mut waiting = Waiting::default();
        for ring in rings {
            if waiting.words.all.len() > SAMPLE {
                break;
            }
            let words = (0..ring.trap.len()).filter(|code| ring.trap[*code]).map(|code| ring.word(code));
            for w in words.filter(|w| trap.accepts(w)).take_while(|_| !self.watch.over()) {
                add(&mut waiting, &w);
            }
        }
        waiting
    }
}

impl Search<'_> {
    /// Whether every waiting agent can still be reached on steps that are left.
    fn hopeful(&self, open: &[Open]) -> bool {
        let open: Vec<&Open> = open.iter().collect();
        hopeful(&open, self.sources, |word| self.of.get(&word).copied(), self.search.watch.limit())
    }

    /// What a formula leaves open in one of six orders; `None` if a configuration loses all its steps.
    fn left(&self, open: &[Open], values: &[u16], order: usize) -> Option<Vec<Open>> {
        let mut left = Vec::new();
        for Open { word, source, steps, .. } in open {
            let change = |to: &u32| falling(values[*word as usize], values[*to as usize]);
            if steps.iter().any(|to| change(to).0 >> order & 1 == 1) {
                continue;
            }
            let equal: Vec<u32> = steps.iter().copied().filter(|to| change(to).1 >> order & 1 == 1).collect();
            if equal.is_empty() {
                return None;
            }
            left.push(Open { word: *word, source: *source, whole: equal.len() == steps.len(), steps: equal });
        }
        Some(left)
    }

    fn descend(&mut self, open: &[Open], measures: &[Measure]) -> Option<FailureCertificate> {
        if open.is_empty() {
            return (self.accepted)(self.search.texts(measures));
        }
        if measures.len() == MOST {
            return None;
        }
        let mut scored = Vec::new();
        let mut values = Vec::new();
        for (number, candidate) in self.pool.candidates.iter().enumerate().take_while(|_| !self.search.watch.over()) {
            self.pool.values(candidate, &mut values);
            for order in 0..6 {
                let Some(left) = self.left(open, &values, order).filter(|left| left.len() < open.len()) else {
                    continue;
                };
                let size = candidate.size + usize::from(order >= 3);
                scored.push(((open.len() - left.len()) as f64 / size as f64, number, order, left));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, candidate, order, left) in scored {
            if self.nodes == 0 || self.search.watch.over() {
                return None;
            }
            if !self.hopeful(&left) {
                continue;
            }
            self.nodes -= 1;
            let longer = [measures, &[measure(&self.pool, candidate, order)]].concat();
            if let Some(found) = self.descend(&left, &longer) {
                return Some(found);
            }
        }
        None
    }
}

//! Measures with which a weakly fair daemon goes round the agents of a trap: within it they can fall until the watched agent acts or is
//! disabled.

use crate::decide::table::Map;
use crate::formulas::atoms::atoms;
use crate::formulas::evaluate::Evaluator;
use crate::formulas::expr::Measure;
use crate::measures::open::Open;
use crate::measures::order::{falling, measure};
use crate::measures::pool::Pool;
use crate::measures::trial::hopeful;
use crate::recurring::{at, watched};
use crate::rings::{Moves, Ring};
use crate::search::Prover;
use ringleader_verify::{Automaton, FailureCertificate, State};

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
    words: Vec<Vec<State>>,
    number: Map<Vec<State>, u32>,
    open: Vec<Open>,
}

impl Waiting {
    fn word(&mut self, word: Vec<State>) -> u32 {
        let next = self.words.len() as u32;
        let number = *self.number.entry(word.clone()).or_insert(next);
        if number == next {
            self.words.push(word);
        }
        number
    }
}

/// The choice of measures, one after the other.
struct Search<'s> {
    pool: Pool,
    search: &'s Prover<'s>,
    certificate: FailureCertificate,
    sources: usize,
    of: Map<u32, usize>,
    nodes: usize,
}

impl Prover<'_> {
    /// The certificate with measures that the checker accepts.
    pub(crate) fn going_round(&self, certificate: FailureCertificate, rings: &[Ring]) -> Option<FailureCertificate> {
        let Waiting { words, open, .. } = self.waiting(&certificate.trap, rings);
        let rules = watched(self.rules).ok()?;
        let atoms = atoms(&rules);
        let evaluator = Evaluator::new(&rules, &atoms).ok()?;
        let moves = Moves::new(&rules);
        let search =
            Prover { rules: &rules, atoms: &atoms, evaluator: &evaluator, moves: &moves, sizes: self.sizes, ..*self };
        let pool = Pool::new(&evaluator, &search.chosen(false), &words, FORMULAS, self.watch.limit());
        let of = open.iter().map(|open| (open.word, open.source as usize)).collect();
        let sources = open.len();
        let mut search = Search { pool, search: &search, certificate, sources, of, nodes: NODES };
        search.hopeful(&open).then(|| search.descend(&open, &[])).flatten()
    }

    fn waiting(&self, trap: &Automaton, rings: &[Ring]) -> Waiting {
        let states = self.rules.states.len() as State;
        let steps = |w: &[State]| {
            let mut steps = Vec::new();
            self.moves.acting(w, &mut Vec::new(), |agent, v| steps.push((agent, v.to_vec())));
            steps
        };
        let broken = |w: &[State]| self.evaluator.promised(w).is_none();
        let mut waiting = Waiting::default();
        for ring in rings {
            if waiting.words.len() > SAMPLE {
                break;
            }
            let words = (0..ring.trap.len()).filter(|code| ring.trap[*code]).map(|code| ring.word(code));
            for w in words.filter(|w| trap.accepts(w)).take_while(|_| !self.watch.over()) {
                let all = steps(&w);
                let stays = |v: &[State]| trap.accepts(v) && (broken(&w) || broken(v));
                let kept: Vec<_> = all.iter().filter(|(_, v)| stays(v)).collect();
                let enabled = |steps: &[(usize, Vec<State>)], agent| steps.iter().any(|(other, _)| *other == agent);
                let done = |agent| kept.iter().any(|(acts, v)| *acts == agent || !enabled(&steps(v), agent));
                for agent in (0..w.len()).filter(|agent| enabled(&all, *agent) && !done(*agent)) {
                    let word = waiting.word(at(&w, agent, states));
                    let mut targets: Vec<u32> = kept.iter().map(|(_, v)| waiting.word(at(v, agent, states))).collect();
                    targets.sort_unstable();
                    targets.dedup();
                    let source = waiting.open.len() as u32;
                    waiting.open.push(Open { word, source, whole: true, steps: targets });
                }
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
            let certificate = FailureCertificate { measures: self.search.texts(measures), ..self.certificate.clone() };
            return self.search.in_time(&certificate).is_ok().then_some(certificate);
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

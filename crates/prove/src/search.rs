//! The complete search.

use crate::decide::space::{Hypothesis, Words};
use crate::formulas::atoms::{Atom, atoms};
use crate::formulas::evaluate::{Evaluator, LARGEST, expression};
use crate::formulas::expr::{Expr, Measure};
use crate::hints;
use crate::lasting;
use crate::measures::existential::Existential;
use crate::measures::level::{Level, Levels};
use crate::measures::pool::Pool;
use crate::measures::trial::Trial;
use crate::recurring::MOST_WATCHED;
use crate::rings::choices::Daemon;
use crate::rings::example::examples;
use crate::rings::learn::{Set, exact, learn};
use crate::rings::sample::Sample;
use crate::rings::{Moves, Ring, configurations};
use crate::watch::{Cancel, Options, Progress, Watch};
use crate::{ArcFailure, Outcome, Proof, Refutation, Unsafe, Unsuitable, refuse_if};
use ringleader_verify::{
    Automaton, Cell, Certificate, Claim as Claimed, Coins, Rejection, Rules, Scheduler, Sizes, State,
};
use std::time::Duration;

/// Rings with more configurations are not checked exhaustively.
pub(crate) const MOST_CONFIGURATIONS: usize = 1 << 20;
/// The largest ring that is checked exhaustively.
const LARGEST_RING: usize = 8;
/// The largest first size of a proof about rings, and the largest modulus of its sizes: a ring of some size must be examined.
pub const LARGEST_FIRST: usize = LARGEST_RING;
/// An undecided claim is examined on larger rings, up to this many configurations. Values of formulas fit up to [`LARGEST`] agents.
const MORE_CONFIGURATIONS: usize = 1 << 18;
/// Formulas are scored on whole rings, until these have this many configurations together.
const SAMPLE: usize = 1_000;

/// Weights of lost steps, tried in turn: no single one is good for every algorithm.
const LAMBDAS: [f64; 4] = [1.0, 10.0, 100.0, 0.1];

/// The sets of formulas, tried in sequence: their number, and whether over all atoms.
const POOLS: [(usize, bool); 3] = [(4_000, false), (60_000, false), (60_000, true)];

/// Each set is tried with little effort first.
const EFFORTS: [usize; 4] = [0, 1, 2, 3];

/// Searches for a proof for all rings of these sizes under this scheduler: every configuration reaches a set of
/// configurations that keep the promise for ever.
pub fn prove(
    subject: &str,
    rules: &Rules,
    sizes: &Sizes,
    scheduler: Scheduler,
    options: &Options,
) -> Result<Outcome, Unsuitable> {
    rules.validate()?;
    let width = rules.width();
    let sensible = (width..=LARGEST_RING).contains(&sizes.from) && (1..=LARGEST_RING).contains(&sizes.modulus);
    refuse_if(!sensible, Unsuitable::Sizes { least: width, most: LARGEST_RING })?;
    let watch = Watch::new(*options);
    let atoms = atoms(rules);
    let evaluator = Evaluator::new(rules, &atoms)?;
    let daemon = Daemon::new(rules, scheduler, options.coins);
    suitable(rules, scheduler, options)?;
    let moves = Moves::new(rules, daemon);
    let search =
        Prover { subject, rules, sizes, scheduler, watch: &watch, atoms: &atoms, evaluator: &evaluator, moves: &moves };
    let given = options.hints.and_then(|hints| hints.safe.as_ref()).map(|text| search.given(text)).transpose()?;
    let mut arcs = None;
    let (rings, refuted) = search.rings(|ring, cancel| {
        let refuted = search.refuted(ring, cancel);
        if arcs.is_none() && refuted.is_none() {
            arcs = search.arcs_fail(ring, cancel);
        }
        refuted
    })?;
    if watch.cancelled() {
        return Ok(search.remainder(&rings));
    }
    let none = rings.iter().all(|ring| !ring.given.contains(&true));
    refuse_if(none, Unsuitable::NoStart(rings.last().map_or(sizes.from, |ring| ring.n)))?;
    if let (Some(refuted), Some(ring)) = (refuted, rings.last()) {
        if !options.families || rules.given.is_some() {
            return Ok(Outcome::Refuted(refuted));
        }
        let (family, cut_short) = search.family(ring);
        return Ok(Outcome::Refuted(Refutation { family, cut_short, ..refuted }));
    }
    if let (Some(failure), Some(ring)) = (arcs, rings.last()) {
        return Ok(Outcome::ArcsFail(ArcFailure { holds_up_to: ring.n, ..failure }));
    }
    let lasting = lasting::deaf(rules).filter(|_| options.lies).map(|deaf| search.lasting(&deaf)).transpose()?;
    if watch.cancelled() {
        return Ok(search.remainder(&rings));
    }
    let outcome = match lasting.transpose() {
        Ok(lasting) => search.outcome(&rings, given, lasting),
        Err(flaw) => return Ok(Outcome::NothingLasts(flaw)),
    };
    Ok(match outcome {
        Outcome::NotProved(_) | Outcome::SafeSetNotFound(_) => search.on_larger_rings(outcome, &rings),
        decided => decided,
    })
}

/// Measures, and with them a formula of helpful agents under weakly fair schedules.
pub(crate) type Found = (Vec<Measure>, Option<Expr>);

pub(crate) struct Prover<'s> {
    pub(crate) subject: &'s str,
    pub(crate) rules: &'s Rules,
    pub(crate) sizes: &'s Sizes,
    pub(crate) scheduler: Scheduler,
    pub(crate) watch: &'s Watch<'s>,
    pub(crate) atoms: &'s [Atom],
    pub(crate) evaluator: &'s Evaluator<'s>,
    pub(crate) moves: &'s Moves,
}

/// Whether a proof has helpful agents.
pub(crate) fn helped(scheduler: Scheduler) -> bool {
    matches!(scheduler, Scheduler::WeaklyFair | Scheduler::LocallyFair)
}

/// Whether a claim about choices and coins can be searched for: without a detector, and if agents act at once only with moves that each
/// change one agent.
fn suitable(rules: &Rules, scheduler: Scheduler, options: &Options) -> Result<(), Unsuitable> {
    refuse_if(helped(scheduler) && rules.states.len() > MOST_WATCHED, Unsuitable::TooManyToWatch(rules.states.len()))?;
    let together = matches!(scheduler, Scheduler::Distributed | Scheduler::Synchronous);
    if !together && (options.coins == Coins::Adversarial || scheduler == Scheduler::GloballyFair) {
        return Ok(());
    }
    let reads = |cell: Option<Cell>| cell.is_none_or(|c| c.before == c.after);
    let own = rules.moves.iter().all(|m| reads(m.left) && reads(m.right));
    refuse_if(rules.detector.is_some() || together && !own, Unsuitable::Daemon)
}

impl<'s> Prover<'s> {
    /// Whether agents act at once.
    pub(crate) fn together(&self) -> bool {
        self.moves.daemon.as_ref().is_some_and(Daemon::together)
    }

    /// All small rings, up to the first one at which the claim fails, and the failure.
    fn rings(
        &self,
        mut failure: impl FnMut(&Ring, Cancel) -> Option<Refutation>,
    ) -> Result<(Vec<Ring>, Option<Refutation>), Unsuitable> {
        let (mut rings, mut refuted) = (Vec::<Ring>::new(), None);
        for n in (self.sizes.from..=LARGEST_RING).filter(|n| self.sizes.contains(*n)) {
            let count = configurations(self.rules, n);
            if count > MOST_CONFIGURATIONS || refuted.is_some() || !rings.is_empty() && self.watch.over() {
                break;
            }
            self.watch.tell(Progress::Ring { size: n });
            let words =
                |w: &Vec<State>| w.iter().map(|&s| &*self.rules.states[usize::from(s)]).collect::<Vec<_>>().join(" ");
            let leads_out = |step: [Vec<State>; 2]| Unsuitable::LeadsOut { step: step.each_ref().map(words) };
            // The first ring is examined whatever the budget is.
            let cancel = if rings.is_empty() { self.watch.cancel() } else { self.watch.limit() };
            let Some(ring) = Ring::new(self.rules, self.moves, self.evaluator, n, cancel) else { break };
            let ring = ring.map_err(leads_out)?;
            refuted = failure(&ring, cancel);
            if cancel.asked() {
                // What was found may be wrong.
                refuted = None;
                break;
            }
            rings.push(ring);
        }
        if rings.is_empty() && !self.watch.cancelled() {
            let size = (self.sizes.from..).find(|n| self.sizes.contains(*n)).unwrap_or(self.sizes.from);
            return Err(Unsuitable::TooLarge { size, configurations: configurations(self.rules, size) });
        }
        Ok((rings, refuted))
    }

    /// An open outcome, unless the claim fails on a ring that is larger than those that were examined. This may take a little longer than
    /// the budget.
    fn on_larger_rings(&self, mut open: Outcome, examined: &[Ring]) -> Outcome {
        let mut largest = examined.last().map(|ring| ring.n);
        let more_time = self.watch.options.budget / 4 + Duration::from_secs(1);
        let watch = self.watch.part(self.watch.left() + more_time);
        let more = largest.map_or(self.sizes.from, |n| n + 1)..=LARGEST;
        for n in more.filter(|n| self.sizes.contains(*n)) {
            if configurations(self.rules, n) > MORE_CONFIGURATIONS {
                break;
            }
            self.watch.tell(Progress::Ring { size: n });
            let Some(Ok(ring)) = Ring::new(self.rules, self.moves, self.evaluator, n, watch.limit()) else { break };
            let refuted = self.refuted(&ring, watch.limit());
            let arcs = if refuted.is_none() { self.arcs_fail(&ring, watch.limit()) } else { None };
            if watch.limit().asked() {
                break;
            }
            if let Some(refuted) = refuted {
                return Outcome::Refuted(refuted);
            }
            if let Some(failure) = arcs {
                return Outcome::ArcsFail(failure);
            }
            largest = Some(n);
        }
        match &mut open {
            _ if self.watch.cancelled() => open = Outcome::NotProved(self.watch.remainder(largest)),
            Outcome::NotProved(left) => left.holds_up_to = largest,
            _ => {}
        }
        open
    }

    /// The failure of the claim on a ring, if there is one.
    fn refuted(&self, ring: &Ring, cancel: Cancel) -> Option<Refutation> {
        let code = ring.failure(self.moves, self.scheduler, cancel)?;
        let nothing_is_safe = !ring.safe.contains(&true);
        Some(Refutation { size: ring.n, start: ring.word(code), nothing_is_safe, family: None, cut_short: false })
    }

    /// Locally fair: the failure on a ring of all proofs of this kind, if there is one.
    fn arcs_fail(&self, ring: &Ring, cancel: Cancel) -> Option<ArcFailure> {
        // An arc belongs to the agent that initiates interactions on it.
        let locally = self.scheduler == Scheduler::LocallyFair;
        let code = locally.then(|| ring.fair_failure(self.moves, &ring.good(), cancel)).flatten()?;
        Some(ArcFailure { size: ring.n, comes_back_to: ring.word(code), holds_up_to: ring.n })
    }

    /// A safe set that the hints give as a formula.
    fn given(&self, text: &str) -> Result<Automaton, Unsuitable> {
        let formula = text.parse().ok().and_then(|f| expression(&f, self.atoms, self.rules));
        let set = formula.and_then(|expr| hints::automaton(&expr, self.atoms, self.rules.states.len()));
        set.ok_or_else(|| Unsuitable::Goal(text.to_owned()))
    }

    /// A set in which leaders last, for the rules with arbitrary answers of the detector.
    fn lasting(&self, deaf: &Rules) -> Result<Result<Automaton, Unsafe>, Unsuitable> {
        let atoms = atoms(deaf);
        let evaluator = &Evaluator::new(deaf, &atoms)?;
        let search = Prover { rules: deaf, atoms: &atoms, evaluator, moves: &Moves::new(deaf, None), ..*self };
        let (rings, _) = search.rings(|_, _| None)?;
        let space = Words::new(deaf, None, self.sizes, &atoms, self.watch.cancel());
        Ok(space.map_or(Err(Unsafe::TooLarge), |space| search.safe_set(&space, None, &rings)))
    }

    fn remainder(&self, rings: &[Ring]) -> Outcome {
        Outcome::NotProved(self.watch.remainder(rings.last().map(|ring| ring.n)))
    }

    /// A safe set, measures and (weakly fair) helpful agents, or the end of the search for them.
    fn found(&self, rings: &[Ring]) -> Result<(Automaton, Vec<String>, Option<String>), Outcome> {
        let unsafe_because = |flaw| match self.watch.over() {
            // If rings are missing, little can be learned.
            true => self.remainder(rings),
            false => Outcome::SafeSetNotFound(flaw),
        };
        let words = |daemon| Words::new(self.rules, daemon, self.sizes, self.atoms, self.watch.limit());
        let too_large = || unsafe_because(Unsafe::TooLarge);
        let space = words(None).ok_or_else(too_large)?;
        let choices = match &self.moves.daemon {
            None => None,
            daemon => Some(words(daemon.as_ref()).ok_or_else(too_large)?),
        };
        let together = choices.as_ref().filter(|_| self.together());
        let safe = self.safe_set(&space, together, rings).map_err(unsafe_because)?;
        let space = choices.as_ref().unwrap_or(&space);
        if let Some(hints) = self.watch.options.hints {
            return Ok((safe, hints.measures.clone(), hints.helpful.clone()));
        }
        let measures = Hypothesis::new(space, &safe).and_then(|claim| {
            let small = rings.iter().filter(|r| r.safe.len() < 10 * SAMPLE || r.n == rings[0].n);
            let mut sample = vec![];
            for ring in small {
                if sample.len() < SAMPLE {
                    sample.extend((0..ring.safe.len()).filter(|&c| ring.given[c]).map(|code| ring.word(code)));
                }
            }
            self.measures(&claim, &safe, rings, &sample)
        });
        let (measures, helpful) = measures.ok_or_else(|| self.remainder(rings))?;
        Ok((safe, self.texts(&measures), helpful.map(|helpful| helpful.text(&self.names()))))
    }

    fn outcome(&self, rings: &[Ring], given: Option<Automaton>, lasting: Option<Automaton>) -> Outcome {
        let found = match (given, self.watch.options.hints) {
            (Some(safe), Some(hints)) => Ok((safe, hints.measures.clone(), hints.helpful.clone())),
            _ => self.found(rings),
        };
        let (safe, measures, helpful) = match found {
            Ok(found) => found,
            Err(outcome) => return outcome,
        };
        if self.watch.cancelled() {
            return self.remainder(rings);
        }
        let certificate = Certificate { lasting, helpful, ..self.certificate(safe, measures) };
        self.watch.tell(Progress::Verify);
        // A certificate that the checker rejects is no proof, regardless of the search.
        match ringleader_verify::verify(&certificate) {
            Ok(_) => {
                let cancel = self.watch.cancel();
                let is_exact = |ring: &&Ring| exact(&certificate.safe, std::slice::from_ref(*ring), cancel);
                let exact_at = rings.iter().filter(is_exact).map(|r| r.n).collect();
                let examples = examples(&certificate, &rings[..rings.len().min(2)]);
                Outcome::Proved(Box::new(Proof { certificate, exact_at, examples }))
            }
            Err(Rejection::Fails(Claimed::Led | Claimed::Lasts | Claimed::Founded, before, after)) => {
                let after = after.unwrap_or_else(|| before.clone());
                Outcome::NothingLasts(Unsafe::Leaves(before, after))
            }
            Err(rejection) if self.watch.options.hints.is_some() => Outcome::HintsRejected(rejection),
            Err(_) => self.remainder(rings),
        }
    }

    /// A certificate with this safe set and these measures.
    pub(crate) fn certificate(&self, safe: Automaton, measures: Vec<String>) -> Certificate {
        Certificate {
            version: 1,
            subject: self.subject.to_owned(),
            text: None,
            rules: match self.moves.daemon {
                Some(_) => self.rules.clone(),
                // All moves are choices of the daemon.
                None => Rules { tosses: vec![], ..self.rules.clone() },
            },
            sizes: self.sizes.clone(),
            scheduler: self.scheduler,
            coins: self.watch.options.coins,
            safe,
            lasting: None,
            measures,
            helpful: None,
            recurring: None,
        }
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.atoms.iter().map(|a| a.name.clone()).collect()
    }

    /// Measures in the notation of certificates.
    pub(crate) fn texts(&self, measures: &[Measure]) -> Vec<String> {
        measures.iter().map(|m| m.text(&self.names())).collect()
    }

    /// A set that is safe on every ring, if possible all configurations that are really safe on small rings. A set that is learned
    /// from small rings is found faster than the really safe set of every ring.
    /// If agents act at once, `together` has the steps that must not leave it.
    fn safe_set(&self, space: &Words, together: Option<&Words>, rings: &[Ring]) -> Result<Automaton, Unsafe> {
        let mut best = Err(Unsafe::TooLarge);
        let shallow = self.sizes.from - 1;
        for deep in shallow..shallow + 4 {
            if self.rules.states.len().pow(deep as u32) > 100_000 || self.watch.cancelled() {
                break;
            }
            let safe: Set = |ring| &ring.safe;
            let learned = learn(rings, safe, self.rules.states.len(), deep, self.sizes.modulus, self.watch.cancel());
            self.watch.tell(Progress::Safe { states: learned.next.len() });
            let Some(claim) = Hypothesis::new(space, &learned) else { continue };
            let flaw = match together {
                None => claim.flaw(self.evaluator),
                Some(steps) => claim.broken_promise(self.evaluator).or_else(|| {
                    Hypothesis::new(steps, &learned)
                        .map_or(Some(Unsafe::TooLarge), |claim| claim.leaving(self.evaluator))
                }),
            };
            match flaw {
                None if exact(&learned, rings, self.watch.cancel()) => return Ok(learned),
                None => best = Ok(learned),
                Some(flaw) if best.is_err() => best = Err(flaw),
                Some(_) => {}
            }
        }
        if let Some(safe) = space.really_safe(self.evaluator).filter(|_| together.is_none()) {
            self.watch.tell(Progress::Safe { states: safe.next.len() });
            if Hypothesis::new(space, &safe).is_some_and(|claim| claim.flaw(self.evaluator).is_none()) {
                return Ok(safe);
            }
        }
        best
    }

    /// The atoms of a pool. Differences of Boolean variables and single values of larger ones come last: rules and
    /// marks usually express the same in a better way.
    pub(crate) fn chosen(&self, all: bool) -> Vec<usize> {
        let larger = self.rules.variables.iter().any(|v| v.size > 2);
        let late = |a: &Atom| a.name.contains('=') || a.name.contains('~') && !larger;
        (0..self.atoms.len()).filter(|&a| self.atoms[a].fresh && (all || !late(&self.atoms[a]))).collect()
    }

    /// Measures that decrease outside a set, and (weakly fair) helpful agents. They are scored on a sample of configurations, and tried on whole rings.
    pub(crate) fn measures(
        &self,
        claim: &Hypothesis,
        safe: &Automaton,
        rings: &[Ring],
        words: &[Vec<State>],
    ) -> Option<Found> {
        let trials = rings.iter().filter(|r| r.safe.len() > 4000).take(2);
        let trial = |ring| Trial::new(ring, self.evaluator, safe, self.watch.limit());
        let trials = trials.map(trial).collect::<Option<Vec<Trial>>>()?;
        let attempts = EFFORTS.into_iter().flat_map(|e| POOLS.map(|p| (e, p)));
        for (effort, (most, all)) in attempts.take(self.watch.options.attempts) {
            let mut sample = Sample::new(self.moves, safe);
            for word in words {
                sample.add(word);
            }
            let pool = Pool::new(self.evaluator, &self.chosen(all), &sample.words.all, most, self.watch.limit());
            self.watch.tell(Progress::Formulas { count: pool.candidates.len() });
            let every = self.scheduler != Scheduler::GloballyFair && self.watch.options.coins == Coins::Adversarial;
            let weakly = helped(self.scheduler);
            let forever = (weakly && !every).then(|| sample.forever(self.watch.limit()));
            let (evaluator, trials) = (self.evaluator, trials.as_slice());
            let mut levels = Levels { claim, evaluator, sample, pool, trials, every, forever };
            let mut helpful = None;
            let mut finished = |levels: &mut Levels<'_, '_>, level: &mut Level| {
                if !weakly {
                    return levels.finished(level);
                }
                helpful = self.helpful(safe, levels, level)?;
                Some(helpful.is_some())
            };
            let found = match every {
                true => levels.search_universal(effort > 0, self.watch, finished),
                false => {
                    let lambdas = if effort == 0 { &LAMBDAS[..1] } else { &LAMBDAS[..] };
                    let (watch, finished) = (self.watch, &mut finished);
                    let mut search = Existential { levels, lambda: 0.0, nodes: 0, watch, finished };
                    lambdas.iter().find_map(|&lambda| search.search(lambda, 16 << (2 * effort)))
                }
            };
            let found = found.map(|measures| (measures, helpful));
            if found.is_some() || self.watch.over() {
                return found;
            }
        }
        None
    }
}

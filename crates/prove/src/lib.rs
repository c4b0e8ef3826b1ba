//! Search.
mod atoms;
mod decide;
mod evaluate;
mod existential;
mod expr;
mod learn;
mod pool;
mod rings;
mod sample;
mod simplex;
mod sums;
mod trial;
mod universal;

use ringleader_verify::*;
use std::time::Instant;

pub struct Watch {
    pub until: Instant,
}
impl Watch {
    fn over(&self) -> bool {
        Instant::now() > self.until
    }
    fn tell(&self, level: usize, solved: usize, of: usize) {
        eprintln!("level {level}: {solved} of {of}");
    }
}

pub fn try_it(rules: &Rules, sizes: &Sizes, seconds: u64, unfair: bool) -> Option<Certificate> {
    let t0 = Instant::now();
    let watch = Watch { until: Instant::now() + std::time::Duration::from_secs(seconds) };
    let atoms = atoms::atoms(rules);
    let names: Vec<String> = atoms.iter().map(|a| a.name.clone()).collect();
    eprintln!("atoms {:?}", atoms.iter().filter(|a| a.fresh).map(|a| &a.name).collect::<Vec<_>>());
    let evaluator = evaluate::Evaluator::new(rules, &atoms).unwrap();
    let moves = rings::Moves::new(rules);
    let mut rs = Vec::new();
    for n in sizes.from..=8 {
        if sizes.contains(n) && rings::configurations(rules, n) <= 300_000 {
            let r = rings::Ring::new(rules, &moves, &evaluator, n);
            eprintln!("n {n}: safe {} fails {:?} {:?}", r.safe.iter().filter(|s| **s).count(), r.failure(Scheduler::GloballyFair), r.failure(Scheduler::Unfair));
            rs.push(r);
        }
    }
    eprintln!("rings {:?}", t0.elapsed());
    let space = decide::space::Space::new(rules, sizes, &atoms)?;
    eprintln!("space {:?} steps {}", t0.elapsed(), space.steps.len());
    let mut safe = None;
    for deep in sizes.from.max(2)-1..sizes.from.max(2)+3 {
        let a = learn::learn(&rs, rules.states.len(), deep);
        let exact = learn::exact(&a, &rs);
        let claim = decide::space::Claim::new(&space, &a)?;
        let flaw = claim.flaw(&evaluator);
        eprintln!("deep {deep}: {} states exact {exact} flaw {flaw:?} {:?}", a.next.len(), t0.elapsed());
        if flaw.is_none() && exact {
            safe = Some(a);
            break;
        }
    }
    let safe = safe?;
    let claim = decide::space::Claim::new(&space, &safe)?;
    let mut sample = sample::Sample::new(&moves, &safe);
    for r in &rs {
        if sample.words.is_empty() || sample.words.len() + r.safe.len() < 7000 {
            sample.add_ring(r);
        }
    }
    let fresh: Vec<usize> = (0..atoms.len()).filter(|&a| atoms[a].fresh && (std::env::var("ALL").is_ok() || (!atoms[a].name.contains('=') && (!atoms[a].name.contains("~1") || rules.variables.iter().any(|v| v.size>2))))).collect();
    let trials: Vec<_> = rs.iter().filter(|r| r.safe.len() > 4000 && r.safe.len() < 300_000).take(2).map(|r| trial::Trial::new(r, &evaluator, &safe)).collect();
    let pool = pool::Pool::new(&evaluator, &fresh, &sample.words, 60_000);
    eprintln!("pool {} on {} words {:?}", pool.candidates.len(), sample.words.len(), t0.elapsed());
    if unfair {
        let mut search = universal::Universal { claim: &claim, evaluator: &evaluator, sample, pool, trials: &trials };
        let found = search.search(&watch)?;
            let measures: Vec<String> = found.iter().map(|m| m.text(&names)).collect();
            eprintln!("{measures:#?} {:?}", t0.elapsed());
            return Some(Certificate { version: 1, subject: "?".into(), rules: rules.clone(), sizes: sizes.clone(), scheduler: Scheduler::Unfair, safe, measures });
    }
    let mut search = existential::Existential { claim: &claim, evaluator: &evaluator, sample, pool, trials: &trials };
    for lambda in [1.0, 10.0, 100.0, 0.1, 1000.0, 30.0] {
        let mut nodes = 60;
        eprintln!("lambda {lambda} {:?}", t0.elapsed());
        if let Some(found) = search.search(lambda, &mut nodes, &watch) {
            let measures: Vec<String> = found.iter().map(|m| m.text(&names)).collect();
            eprintln!("{measures:#?} {:?}", t0.elapsed());
            return Some(Certificate { version: 1, subject: "?".into(), rules: rules.clone(), sizes: sizes.clone(), scheduler: Scheduler::GloballyFair, safe, measures });
        }
    }
    None
}

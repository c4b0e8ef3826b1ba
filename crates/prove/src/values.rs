//! Proofs for every number of agents and every number of values: sets are learned from small rings, and measures are searched for on rings
//! whose root does not act.

mod ring;
mod sets;
mod symbolic;

pub use symbolic::{NoValues, value_rules};

use crate::watch::Watch;
use crate::{Options, Outcome, Unsuitable, prove};
use ring::Ring;
use ringleader_verify::{Rejection, Scheduler, ValueRules, ValuesCertificate, others_stop, verify_values};
use thiserror::Error;

/// Rings up to this size, with up to [`MOST_VALUES`] values, are examined before a proof is searched for.
const EXAMINED: usize = 5;
const MOST_VALUES: usize = 6;

/// The end of a search for a proof about every number of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValuesOutcome {
    /// Proved; the certificate has been checked.
    Proved(Box<ValuesProof>),
    /// Fails for K >= n, by exhaustive search.
    Refuted(ValuesRefutation),
    /// The search found no proof, for this reason.
    NotProved(NotProved),
}

/// A proof about every number of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesProof {
    /// The certificate that the checker accepts.
    pub certificate: ValuesCertificate,
    /// A failure with one value fewer than the certificate claims, if a small ring has one.
    pub below: Option<ValuesRefutation>,
}

/// A ring on which the claim fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuesRefutation {
    /// The number of agents.
    pub size: usize,
    /// The number of values.
    pub values: usize,
    /// A configuration from which the really safe set need not be reached.
    pub start: Vec<u64>,
}

/// The part of a proof that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotProved {
    /// The really safe sets of small rings, or the configurations that a new value of the root leads to, are not regular.
    #[error("no safe set of every size was learned from small rings")]
    Sets,
    /// The budget is used up, or the search was cancelled.
    #[error("the budget is used up, or the search was interrupted")]
    Over,
    /// No measures were found that fall while the root does not act.
    #[error("no measures were found that fall while the root does not act")]
    Measures,
    /// The checker rejects the certificate.
    #[error("{0} (value 0 is the root's before the step, and 1 the next; numbers from 2 on are other values)")]
    Rejected(Rejection),
}

/// Searches for a proof for all rings from a size on, and every K >= n - 1, or else every K >= n.
pub fn prove_values(
    subject: &str,
    rules: &ValueRules,
    from: usize,
    scheduler: Scheduler,
    options: &Options,
) -> Result<ValuesOutcome, Unsuitable> {
    rules.validate()?;
    let watch = Watch::new(*options);
    let failure = |n: usize, k: usize| match k < 2 || watch.over() {
        true => None,
        false => Ring::new(rules, n, k, scheduler).failure(),
    };
    let enough = (from..=EXAMINED).flat_map(|n| (n..=MOST_VALUES).map(move |k| (n, k)));
    if let Some(refuted) = enough.into_iter().find_map(|(n, k)| failure(n, k)) {
        return Ok(ValuesOutcome::Refuted(refuted));
    }
    let with_fewer = |fewer: usize| (from..=EXAMINED + 1).find_map(|n| failure(n, n.saturating_sub(fewer)));
    let not_proved = |why| Ok(ValuesOutcome::NotProved(why));
    if watch.over() {
        return not_proved(NotProved::Over);
    }
    let Some([safe, fresh]) = sets::learned(rules, scheduler) else { return not_proved(NotProved::Sets) };
    let mut certificate = ValuesCertificate {
        version: 1,
        subject: subject.to_owned(),
        text: None,
        values: rules.clone(),
        from,
        fewer: 0,
        scheduler,
        safe,
        fresh,
        measures: Vec::new(),
    };
    let others = others_stop(&certificate);
    let rest = Options { budget: watch.left(), ..*options };
    match prove(subject, &others.rules, &others.sizes, scheduler, &rest)? {
        Outcome::Proved(proof) => certificate.measures = proof.certificate.measures,
        _ if watch.over() => return not_proved(NotProved::Over),
        _ => return not_proved(NotProved::Measures),
    }
    let fewer = with_fewer(1);
    // Failures that were not looked for must not be taken for none.
    if watch.over() {
        return not_proved(NotProved::Over);
    }
    let mut rejection = None;
    for (claimed, below) in [(1, with_fewer(2)), (0, fewer.clone())] {
        if claimed == 1 && fewer.is_some() {
            continue;
        }
        certificate.fewer = claimed;
        match verify_values(&certificate) {
            Ok(()) => return Ok(ValuesOutcome::Proved(Box::new(ValuesProof { certificate, below }))),
            Err(why) => rejection = Some(why),
        }
    }
    not_proved(rejection.map_or(NotProved::Sets, NotProved::Rejected))
}

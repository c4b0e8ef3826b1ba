//! The parameters of the quick form, as text.

use super::{PATIENT, PROOF, Quick};
use crate::robust::number;
use crate::{Parameter, ParameterKind, Parameters, Refusal};
use ringleader_model::Timing;
use std::sync::Arc;

pub(in crate::robust::s2) const PERIOD: Parameter =
    number("period", "pace fast: iterations between two ALIVEs", "⌊δ/β⌋");
pub(in crate::robust::s2) const PREEMPT: Parameter = Parameter {
    name: "preempt",
    meaning: "pace fast: iterations after which a candidate takes over from an acting leader; no: never because of its weight or identity",
    default: "10 periods",
    kind: ParameterKind::Text,
};
pub(in crate::robust::s2) const YIELDS: Parameter = number(
    "yields",
    "pace fast: iterations for which a leader that hands over keeps its position for its successor",
    "0",
);
pub(in crate::robust::s2) const PATIENCE: Parameter = number(
    "most-patience",
    "pace fast: iterations of a leader's silence after which every process gives it up",
    "4 periods",
);
pub(in crate::robust::s2) const WEIGHTS: Parameter = Parameter {
    name: "weights",
    meaning: "pace fast: the weights of the processes, separated by commas; the greatest leads",
    default: "all 0",
    kind: ParameterKind::Text,
};

impl Quick {
    pub(in crate::robust::s2) fn build(p: &Parameters, timing: Timing) -> Result<Quick, Refusal> {
        let period = p.number("period")?.unwrap_or(timing.send_period());
        if !(1..=1 << 20).contains(&period) {
            return Err(Refusal::new(format!("period must be 1 to 2^20 iterations, not {period}")));
        }
        let (preempts, proof) = match p.word("preempt") {
            None | Some("yes") => (true, PROOF * period),
            Some("no") => (false, PROOF * period),
            Some(_) => (true, p.number("preempt")?.unwrap_or(0)),
        };
        let weights = p.word("weights").unwrap_or("").split(',').filter(|word| !word.is_empty());
        let weights: Result<Arc<[u16]>, _> = weights.map(str::parse).collect();
        let weights = weights.map_err(|_| Refusal::new("weights must be numbers up to 65535, separated by commas"))?;
        let yields = p.number("yields")?.unwrap_or(0);
        let most = p.number("most-patience")?.unwrap_or(PATIENT * period);
        if proof.max(yields).max(most) > 1 << 32 {
            return Err(Refusal::new("preempt, yields and most-patience must be at most 2^32 iterations"));
        }
        Ok(Quick { period, proof, preempts, yields, most, weights })
    }
}

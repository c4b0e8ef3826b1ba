//! Robust stabilizing election in crash-prone, timed networks.
//!
//! One algorithm per system of the paper, from the strongest assumptions (S5, all links timely) to the weakest that suffice
//! (S1, one process whose output links are timely). If the printed algorithm counts without bound, the default is a variant in 64-bit words
//! that recovers from a corrupted word without counting past it; docs/robust.md states the initial configurations for which that is proved. The
//! parameter `as-printed` selects the printed algorithm.

pub mod horizon;
pub mod rounds;
pub mod s1;
pub mod s2;
pub mod s3;
pub mod s4;
pub mod s5;

use crate::{Card, Kind, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader_model::{Scalar, Scheduler, Timing, Visitor};

/// The entries that the cards of all robust algorithms share.
const ROBUST: Card = Card {
    kind: Kind::Robust,
    topology: Topology::Complete,
    sizes: "2 <= n <= 1000",
    scheduler: Scheduler::Timed,
    default_size: 5,
    ..Card::BLANK
};

const ALPHA: Parameter = number("alpha", "α, the least duration of a loop iteration", "8");
const BETA: Parameter = number("beta", "β, the greatest duration of a loop iteration", "10");
const DELTA: Parameter = number("delta", "δ, the greatest delay of a timely link", "40");
const AS_PRINTED: Parameter = Parameter {
    name: "as-printed",
    meaning: "yes: counters and rounds that only grow, as printed; some corrupted values never heal",
    default: "no",
    kind: ParameterKind::Switch,
};
const PACE: Parameter = Parameter {
    name: "pace",
    meaning: "printed, or fast: the shortest timeouts for which the proof holds, and a reaction to every message",
    default: "printed",
    kind: ParameterKind::Choice(&["printed", "fast"]),
};

const fn number(name: &'static str, meaning: &'static str, default: &'static str) -> Parameter {
    Parameter { name, meaning, default, kind: ParameterKind::Number }
}

fn timing(p: &Parameters) -> Result<Timing, Refusal> {
    let timing = Timing {
        alpha: p.number("alpha")?.unwrap_or(8),
        beta: p.number("beta")?.unwrap_or(10),
        delta: p.number("delta")?.unwrap_or(40),
    };
    timing.validate()?;
    Ok(timing)
}

fn complete_network(name: &str, size: usize) -> Result<usize, Refusal> {
    if (2..=1000).contains(&size) {
        return Ok(size);
    }
    Err(Refusal::new(format!("{name} needs 2 to 1000 processes, not {size}")))
}

fn as_printed(p: &Parameters) -> Result<bool, Refusal> {
    p.switch("as-printed")
}

fn fast(p: &Parameters) -> Result<bool, Refusal> {
    Ok(p.choice("pace", &["printed", "fast"])? == "fast")
}

/// The most iterations of a receiver between two messages of a process that sends every ⌊δ/β⌋ iterations over a timely link: messages are sent
/// at most δ apart, take 0 to δ, and are read within β.
fn longest_silence(timing: Timing) -> u64 {
    (2 * timing.delta + timing.beta) / timing.alpha
}

/// The number of consecutive messages in which a process repeats information that the receiver at a timely link must not miss. A slot keeps only
/// the newest message, so the information must also be in the messages that can overwrite it: all that are sent within δ before and within δ + β
/// after.
pub fn repeats(timing: Timing) -> u64 {
    let period = timing.send_period() * timing.alpha;
    1 + timing.delta.div_ceil(period) + (timing.delta + timing.beta).div_ceil(period)
}

/// Shows one variable for each of `n` processes, from 0 to `most`.
fn list<T: Scalar + Default>(v: &mut dyn Visitor, name: &'static str, n: usize, most: u64, values: &mut Vec<T>) {
    values.resize(n, T::default());
    values.iter_mut().enumerate().for_each(|(q, value)| v.range((name, q), 0, most, value));
}

/// All processes except `p`.
fn others(size: usize, p: usize) -> impl Iterator<Item = usize> {
    (0..size).filter(move |&q| q != p)
}

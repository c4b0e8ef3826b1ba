//! Anonymous and named message-passing rings.
//!
//! On unidirectional rings messages go to the right.

pub mod chang_roberts;
pub mod dolev_klawe_rodeh;
pub mod dolev_klawe_rodeh_bits;
pub mod fokkink_pang;
pub mod franklin;
pub mod franklin_ids;
pub mod franklin_no_bit;
pub mod franklin_tables;
pub mod itai_rodeh;
pub mod mode;
pub mod peterson;

pub use mode::Mode;
pub use ringleader_erased::Identities;

use crate::{Card, Kind, Parameter, ParameterKind, Parameters, Refusal, Topology};
use ringleader_model::{Invariant, Process};

/// k, a parameter of the algorithms that draw identities.
const IDS: Parameter =
    Parameter { name: "ids", meaning: "k, how many identities there are", default: "2", kind: ParameterKind::Number };

/// The card of an election with unique identities, as far as several algorithms have it in common.
const WITH_IDENTITIES: Card = Card {
    kind: Kind::Message,
    topology: Topology::UnidirectionalRing,
    sizes: "n >= 2",
    knowledge: "its own identity, unique on the ring",
    assumes: "any scheduler, starting clean; every process begins by itself",
    channels: Some("reliable; bags or FIFO"),
    claim: "terminates with the process of the largest identity as the only leader; not self-stabilizing",
    default_size: 8,
    parameters: &[Identities::PARAMETER],
    ..Card::BLANK
};

/// The same for an election on an anonymous ring.
const ANONYMOUS: Card = Card {
    knowledge: "the size n",
    assumes: "any scheduler that delivers every message, starting clean",
    claim: "terminates with probability 1, and then exactly one process is leader; not self-stabilizing",
    parameters: &[IDS],
    ..WITH_IDENTITIES
};

/// n, in the range that these algorithms accept.
fn ring_size(p: &Parameters) -> Result<u32, Refusal> {
    if (2..=1 << 24).contains(&p.size) {
        return Ok(p.size as u32);
    }
    Err(Refusal::new(format!("a ring has 2 to 2^24 processes, not {}: alone there is nothing to elect", p.size)))
}

/// The identities of the processes, on a ring of a size that these algorithms accept.
fn identities(p: &Parameters) -> Result<Identities, Refusal> {
    ring_size(p)?;
    Identities::of(p)
}

/// The value of [`IDS`].
fn ids(p: &Parameters, default: u64) -> Result<u32, Refusal> {
    let ids = p.number(IDS.name)?.unwrap_or(default);
    if (2..=1 << 20).contains(&ids) {
        return Ok(ids as u32);
    }
    Err(Refusal::new(format!("ids must be in 2..2^20, not {ids}: with one identity all stay equal")))
}

/// The invariant of maximum finding: a leader has the largest identity.
fn only_the_largest_leads<'a, P: Process>(
    identities: &'a Identities,
    mode: impl Fn(&P::State) -> Mode + Send + Sync + 'a,
) -> Invariant<'a, P> {
    Invariant::new("only the largest identity leads", move |now| {
        let leads = |(process, state)| mode(state) != Mode::Leader || identities.identity(process) == identities.size();
        now.states.iter().enumerate().all(leads)
    })
}

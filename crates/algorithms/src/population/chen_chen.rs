//! Chen and Chen's self-stabilizing leader election for rings of any size. It is not implemented.
//!
//! H.-P. Chen, H.-L. Chen: *Self-stabilizing leader election*, PODC 2019, as Table 1 of D. Yokota, Y. Sudo, T. Masuzawa: *Time-optimal self-stabilizing leader
//! election on rings in population protocols*, IEICE Trans. Fundamentals E104-A(12), 2021, names it.

use crate::{Card, Entry, Parameters, Refusal};

/// The type of an algorithm that has a card and no rules; it has no values.
#[derive(Clone, Copy, Debug)]
pub enum ChenChen {}

const REASON: &str = "not implemented: rules not available";

impl Entry for ChenChen {
    const CARD: Card = Card {
        name: "chen-chen",
        source: include_str!("chen_chen.rs"),
        summary: "not implemented: rules not available; any ring, no oracle, no bound, exponential time",
        citation: "H.-P. Chen, H.-L. Chen: Self-stabilizing leader election, PODC 2019; named in Table 1 of D. Yokota, \
                   Y. Sudo, T. Masuzawa, IEICE Trans. Fundamentals E104-A(12), 2021",
        sizes: "any n",
        assumes: "globally fair",
        states: "O(1)",
        claim: "self-stabilizing, in an exponential number of steps",
        rules: REASON,
        ..super::ON_DIRECTED_RINGS
    };
    const ABSENT: Option<&'static str> = Some(REASON);

    fn build(_: &Parameters) -> Result<Self, Refusal> {
        Err(Refusal::new(format!("chen-chen is {REASON}; yokota-ring and angluin-ring elect on directed rings too")))
    }
}

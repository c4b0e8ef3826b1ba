//! Token circulation on anonymous unidirectional rings of prime size in a linear number of states.
//!
//! F. E. Fich, C. Johnen: *A space optimal, deterministic, self-stabilizing, leader election algorithm for unidirectional
//! rings*, DISC 2001, section 1: Gouda and Haddix's token ring above the election, both behind one alternator.

use crate::ring::{alternator::Alternator, fich_johnen::FichJohnen, gouda_haddix::GoudaHaddix, stack::Stack};
use crate::{Card, Entry, Parameters, Refusal};

/// The token ring, above the election, behind the alternator.
pub type FichJohnenToken = Alternator<Stack<FichJohnen, GoudaHaddix>>;

impl Entry for FichJohnenToken {
    const CARD: Card = Card {
        name: "fich-johnen-token",
        source: include_str!("fich_johnen_token.rs"),
        summary: "one token on anonymous unidirectional rings of prime size, in O(n) states",
        citation: "F. E. Fich, C. Johnen: A space optimal, deterministic, self-stabilizing, leader election algorithm for \
                   unidirectional rings, DISC 2001, section 1 and Theorem 1",
        assumes: "unfair",
        states: "80n for odd n, 240 for n = 2",
        claim: "self-stabilizing: from every configuration exactly one token, which circulates for ever",
        recurring: Some(("service", "token[i]")),
        rules: "\
A process may act if its turn is not its left neighbour's plus one (mod m, m the least integer that does not divide n).
When it acts, its turn becomes its left neighbour's plus one, it takes a step of fich-johnen, and a step of gouda-haddix
in which the leader that fich-johnen elects is the bottom process. `show fich-johnen` and `show gouda-haddix` have the
rules of those.",
        shade: Some("v"),
        ..super::ON_PRIME_RINGS
    };

    fn build(p: &Parameters) -> Result<Self, Refusal> {
        Ok(Alternator::new(Stack { lower: FichJohnen::build(p)?, upper: GoudaHaddix }, p.size))
    }

    fn supports(p: &Parameters) -> Result<(), Refusal> {
        Self::build(p)?;
        super::prime(Self::CARD.name, p.size, " (section 1)")
    }
}

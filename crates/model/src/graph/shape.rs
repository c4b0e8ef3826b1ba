//! The families of graphs that algorithms are made for.

/// The family a [`Graph`](super::Graph) belongs to, with its agents in their natural order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
pub enum Shape {
    /// The arcs are `(i, i + 1 mod n)`.
    #[strum(to_string = "directed ring")]
    DirectedRing,
    /// The arcs are `(i, i + 1 mod n)` and `(i + 1 mod n, i)`.
    #[strum(to_string = "undirected ring")]
    UndirectedRing,
    /// The arcs are all the ordered pairs of distinct agents.
    #[strum(to_string = "complete graph")]
    Complete,
    /// Anything else, a ring whose agents are numbered out of order included.
    #[strum(to_string = "other graph")]
    Other,
}

impl Shape {
    /// The first shape that these arcs have; they are distinct, and no loops,
    /// so that counting them tells whether some are missing.
    pub(super) fn of(size: usize, arcs: &[(u32, u32)]) -> Self {
        let next = |agent: u32| (agent + 1) % size as u32;
        let ahead = |&(from, to): &(u32, u32)| to == next(from);
        let beside = |&(from, to): &(u32, u32)| to == next(from) || from == next(to);
        let count = arcs.len();
        if count == size && arcs.iter().all(ahead) {
            Self::DirectedRing
        } else if count == 2 * size && arcs.iter().all(beside) {
            Self::UndirectedRing
        } else if count == size.saturating_mul(size - 1) {
            Self::Complete
        } else {
            Self::Other
        }
    }
}

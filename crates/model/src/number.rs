//! Every state a number: mixed radix over the variables, the first the least significant digit.

use crate::{Coin, Domain, Name, Variables, Visitor};

struct Count(Option<u64>);

impl Visitor for Count {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
        self.0 = self.0.and_then(|n| n.checked_mul(domain.len()?));
        domain.low()
    }
}

struct Rank {
    rank: u64,
    radix: u64,
}

impl Visitor for Rank {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        debug_assert!(domain.contains(value), "{name} = {value} is outside {domain}");
        self.rank += (value - domain.low()) * self.radix;
        self.radix = self.radix.wrapping_mul(domain.len().unwrap_or(0));
        value
    }
}

struct Unrank(u64);

impl Visitor for Unrank {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
        let len = domain.len().expect("only spaces of fewer than 2^64 states are numbered");
        let digit = self.0 % len;
        self.0 /= len;
        domain.low() + digit
    }
}

/// How many states there are, or `None` if there are 2^64 or more.
pub fn states<A: Variables>(algorithm: &A) -> Option<u64> {
    let mut count = Count(Some(1));
    algorithm.variables(&mut A::State::default(), &mut count);
    count.0
}

struct Radices(Option<Vec<u32>>);

impl Visitor for Radices {
    fn field(&mut self, _: Name<'_>, domain: Domain<'_>, _: u64) -> u64 {
        let radix = domain.len().and_then(|len| u32::try_from(len).ok());
        self.0 = self.0.take().zip(radix).map(|(mut radices, radix)| {
            radices.push(radix);
            radices
        });
        domain.low()
    }
}

/// The numbers of values of all variables, in sequence, or `None` if one has 2^32 values or more.
pub fn radices<A: Variables>(algorithm: &A) -> Option<Vec<u32>> {
    let mut radices = Radices(Some(vec![]));
    algorithm.variables(&mut A::State::default(), &mut radices);
    radices.0
}

/// The number of an [arbitrary](crate::corrupt::arbitrary) state, by the same coins: each digit is drawn.
#[inline]
pub fn arbitrary(radices: &[u32], coin: &mut (impl Coin + ?Sized)) -> u64 {
    let (mut rank, mut radix) = (0, 1u64);
    for &values in radices {
        rank += u64::from(coin.below(values)) * radix;
        radix = radix.wrapping_mul(values.into());
    }
    rank
}

/// The number of a state, in `0..states`. Only meaningful where [`states`] is `Some`.
pub fn rank<A: Variables>(algorithm: &A, state: &A::State) -> u64 {
    let mut rank = Rank { rank: 0, radix: 1 };
    algorithm.variables(&mut state.clone(), &mut rank);
    rank.rank
}

/// A variable with a value that it is not declared to take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} = {value}, which is outside {domain}")]
pub struct OutOfDomain {
    /// Which variable.
    pub variable: String,
    /// Its value.
    pub value: u64,
    /// The values it is declared to take.
    pub domain: String,
}

struct CheckedRank {
    rank: Rank,
    outside: Option<OutOfDomain>,
}

impl Visitor for CheckedRank {
    fn field(&mut self, name: Name<'_>, domain: Domain<'_>, value: u64) -> u64 {
        if domain.contains(value) {
            return self.rank.field(name, domain, value);
        }
        let outside = || OutOfDomain { variable: name.to_string(), value, domain: domain.to_string() };
        self.outside.get_or_insert_with(outside);
        value
    }
}

/// The number of a state, unless one of its variables has a value that it is not declared to take.
///
/// [`rank`] trusts; this is for states that a rule has just written.
pub fn checked_rank<A: Variables>(algorithm: &A, state: &A::State) -> Result<u64, OutOfDomain> {
    if let Some(rank) = algorithm.quick_rank(state) {
        return Ok(rank);
    }
    let mut rank = CheckedRank { rank: Rank { rank: 0, radix: 1 }, outside: None };
    algorithm.variables(&mut state.clone(), &mut rank);
    rank.outside.map_or(Ok(rank.rank.rank), Err)
}

/// The state with a number; the inverse of [`rank`].
///
/// # Panics
/// If the space is not numbered, that is, if [`states`] is `None`.
pub fn unrank<A: Variables>(algorithm: &A, rank: u64) -> A::State {
    let mut state = A::State::default();
    algorithm.variables(&mut state, &mut Unrank(rank));
    state
}

/// All states, in order.
///
/// # Panics
/// If there are 2^64 states or more.
pub fn all<A: Variables>(algorithm: &A) -> impl Iterator<Item = A::State> {
    let states = states(algorithm).expect("only spaces of fewer than 2^64 states are numbered");
    (0..states).map(|rank| unrank(algorithm, rank))
}

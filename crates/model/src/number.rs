//! Every state a number: mixed radix over the variables, the first the least significant digit.

use crate::{Coin, Domain, Name, Variables};

/// The number of a state, as far as its variables have been seen.
struct Rank {
    rank: u64,
    radix: u64,
}

impl Rank {
    const FIRST: Rank = Rank { rank: 0, radix: 1 };

    fn add(&mut self, domain: Domain<'_>, value: u64) -> u64 {
        self.rank += (value - domain.low()) * self.radix;
        self.radix = self.radix.wrapping_mul(domain.len().unwrap_or(0));
        value
    }
}

/// How many states there are, or `None` if there are 2^64 or more.
pub fn states<A: Variables>(algorithm: &A) -> Option<u64> {
    let mut count = Some(1_u64);
    algorithm.variables(&mut A::State::default(), &mut |_: Name<'_>, domain: Domain<'_>, _: u64| {
        count = count.and_then(|count| count.checked_mul(domain.len()?));
        domain.low()
    });
    count
}

/// The numbers of values of all variables, in sequence, or `None` if one has 2^32 values or more.
pub fn radices<A: Variables>(algorithm: &A) -> Option<Vec<u32>> {
    let mut radices = vec![];
    algorithm.variables(&mut A::State::default(), &mut |_: Name<'_>, domain: Domain<'_>, _: u64| {
        radices.push(domain.len().and_then(|len| u32::try_from(len).ok()));
        domain.low()
    });
    radices.into_iter().collect()
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
    let mut rank = Rank::FIRST;
    algorithm.variables(&mut state.clone(), &mut |name: Name<'_>, domain: Domain<'_>, value: u64| {
        debug_assert!(domain.contains(value), "{name} = {value} is outside {domain}");
        rank.add(domain, value)
    });
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

/// The number of a state, unless one of its variables has a value that it is not declared to take.
///
/// [`rank`] trusts; this is for states that a rule has just written.
pub fn checked_rank<A: Variables>(algorithm: &A, state: &A::State) -> Result<u64, OutOfDomain> {
    if let Some(rank) = algorithm.quick_rank(state) {
        return Ok(rank);
    }
    let (mut rank, mut outside) = (Rank::FIRST, None);
    algorithm.variables(&mut state.clone(), &mut |name: Name<'_>, domain: Domain<'_>, value: u64| {
        if domain.contains(value) {
            return rank.add(domain, value);
        }
        outside.get_or_insert_with(|| OutOfDomain { variable: name.to_string(), value, domain: domain.to_string() });
        value
    });
    outside.map_or(Ok(rank.rank), Err)
}

/// The state with a number; the inverse of [`rank`].
///
/// # Panics
/// If the space is not numbered, that is, if [`states`] is `None`.
pub fn unrank<A: Variables>(algorithm: &A, mut rank: u64) -> A::State {
    let mut state = A::State::default();
    algorithm.variables(&mut state, &mut |_: Name<'_>, domain: Domain<'_>, _: u64| {
        let len = domain.len().expect("only spaces of fewer than 2^64 states are numbered");
        let digit = rank % len;
        rank /= len;
        domain.low() + digit
    });
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

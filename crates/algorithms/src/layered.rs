//! The state of a layer and of the algorithm above it.

use ringleader_model::{Coin, Stabilizing};

/// The state of a layer and of the algorithm above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layered<L, U> {
    /// The state of the layer.
    pub lower: L,
    /// The state of the algorithm above.
    pub upper: U,
}

/// The coin of a layer. It does not announce rules, since their numbers would be confused with those of the algorithm above.
#[derive(Debug)]
pub struct Silent<'a, C>(pub &'a mut C);

impl<C: Coin> Coin for Silent<'_, C> {
    fn below(&mut self, n: u32) -> u32 {
        self.0.below(n)
    }
}

/// The lower parts of a configuration.
pub fn lowers<L: Copy, U>(c: &[Layered<L, U>]) -> Vec<L> {
    c.iter().map(|s| s.lower).collect()
}

/// The upper parts of a configuration.
pub fn uppers<L, U: Copy>(c: &[Layered<L, U>]) -> Vec<U> {
    c.iter().map(|s| s.upper).collect()
}

/// Restores the upper parts of a configuration.
pub fn restore_uppers<L, A>(algorithm: &A, c: &mut [Layered<L, A::State>])
where
    A: Stabilizing<State: Copy>,
{
    let mut states = uppers(c);
    algorithm.restore(&mut states);
    for (s, upper) in c.iter_mut().zip(states) {
        s.upper = upper;
    }
}

/// What a layer promises: the same as the algorithm above it; `$states` are the states of that algorithm.
macro_rules! promises_as_above {
    ($states:ident) => {
        fn goal(&self) -> Goal {
            self.inner.goal()
        }

        fn correct(&self, c: &[Self::State]) -> bool {
            self.inner.correct(&$states(c))
        }

        fn names_places(&self) -> bool {
            self.inner.names_places()
        }
    };
}
pub(crate) use promises_as_above;

/// The methods of [`Stabilizing`] that a layer passes on to the algorithm above it.
macro_rules! as_above {
    ($states:ident) => {
        $crate::layered::promises_as_above!($states);

        fn restore(&self, c: &mut [Self::State]) {
            restore_uppers(&self.inner, c);
        }
    };
}
pub(crate) use as_above;

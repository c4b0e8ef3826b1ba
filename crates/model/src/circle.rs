//! A configuration of a ring, indexed around it.

use std::ops::Index;

/// A slice whose indices wrap around.
///
/// ```
/// use ringleader_model::Circle;
/// let ring = Circle(&['a', 'b', 'c']);
/// assert_eq!(ring[4], 'b');
/// assert_eq!(ring.left_distance(0, |&s| s == 'b'), Some(2));
/// assert_eq!(ring.right_distance(0, |&s| s == 'b'), Some(1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Circle<'a, S>(pub &'a [S]);

impl<S> Circle<'_, S> {
    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The agent `steps` to the left of `i`.
    pub fn left(&self, i: usize, steps: usize) -> &S {
        let n = self.len();
        &self.0[(i + n - steps % n) % n]
    }

    /// How far the nearest agent with a property is to the left of `i`, `i` itself counting as 0.
    pub fn left_distance(&self, i: usize, property: impl Fn(&S) -> bool) -> Option<usize> {
        (0..self.len()).find(|&d| property(self.left(i, d)))
    }

    /// How far the nearest agent with a property is to the right of `i`, `i` itself counting as 0.
    pub fn right_distance(&self, i: usize, property: impl Fn(&S) -> bool) -> Option<usize> {
        (0..self.len()).find(|&d| property(&self[i + d]))
    }

    /// The place of the only agent with a property, if it is the only one.
    pub fn only(&self, property: impl Fn(&S) -> bool) -> Option<usize> {
        let mut found = self.0.iter().enumerate().filter(|(_, s)| property(s)).map(|(i, _)| i);
        found.next().filter(|_| found.next().is_none())
    }
}

impl<S> Index<usize> for Circle<'_, S> {
    type Output = S;
    fn index(&self, i: usize) -> &S {
        &self.0[i % self.0.len()]
    }
}

//! Consecutive numbers for values.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Gives equal values the same number, in the order of their first occurrence.
///
/// ```
/// use ringleader_model::Interner;
/// let mut words: Interner<String> = Interner::default();
/// assert_eq!([words.number("b".into()), words.number_of("a"), words.number_of("b")], [0, 1, 0]);
/// assert_eq!(words.all(), ["b", "a"]);
/// ```
#[derive(Clone, Debug)]
pub struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
    /// The number of the last borrowed value: the next one is often the same.
    last: u32,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner { items: vec![], numbers: HashMap::new(), last: 0 }
    }
}

impl<T: Clone + Eq + Hash> Interner<T> {
    /// The number of a value.
    pub fn number(&mut self, item: T) -> u32 {
        let next = self.items.len() as u32;
        *self.numbers.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            next
        })
    }

    /// The number of a borrowed value, which is copied only if it is new.
    pub fn number_of<Q: ?Sized + Eq + Hash>(&mut self, item: &Q) -> u32
    where
        T: Borrow<Q> + for<'q> From<&'q Q>,
    {
        if self.items.get(self.last as usize).is_none_or(|last| last.borrow() != item) {
            let known = self.numbers.get(item).copied();
            self.last = known.unwrap_or_else(|| self.number(T::from(item)));
        }
        self.last
    }

    /// The number of a value that has one.
    pub fn find(&self, item: &T) -> Option<u32> {
        self.numbers.get(item).copied()
    }

    /// All values, by number.
    pub fn all(&self) -> &[T] {
        &self.items
    }

    /// The value with a number.
    pub fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }

    /// All values, by number.
    pub fn into_all(self) -> Vec<T> {
        self.items
    }
}

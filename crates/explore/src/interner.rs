//! Consecutive numbers for values.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Gives equal values the same number, in the order of their first occurrence.
#[derive(Clone, Debug)]
pub(crate) struct Interner<T> {
    items: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Interner { items: vec![], numbers: HashMap::new() }
    }

    pub(crate) fn number(&mut self, item: T) -> u32 {
        let next = self.items.len() as u32;
        *self.numbers.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            next
        })
    }

    /// The number of a borrowed value, which is copied only if it is new.
    pub(crate) fn number_of<Q: ?Sized + Eq + Hash>(&mut self, item: &Q) -> u32
    where
        T: Borrow<Q> + for<'q> From<&'q Q>,
    {
        match self.numbers.get(item) {
            Some(&number) => number,
            None => self.number(T::from(item)),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn all(&self) -> &[T] {
        &self.items
    }

    pub(crate) fn get(&self, number: u32) -> &T {
        &self.items[number as usize]
    }
}

//! Texts and lists with a static lifetime, which the engines need.

use ringleader_model::lock;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Mutex;

/// All values of a kind that were kept.
pub(crate) type Kept<T> = Mutex<Option<HashSet<&'static T>>>;

/// The engines need texts and lists with a static lifetime. Every value is kept once, even if a file is read often.
pub(crate) fn kept<T: ?Sized + Eq + Hash>(all: &Kept<T>, new: Box<T>) -> &'static T {
    let mut all = lock(all);
    let all = all.get_or_insert_default();
    if let Some(known) = all.get(&*new) {
        return known;
    }
    let new: &'static T = Box::leak(new);
    all.insert(new);
    new
}

pub(crate) fn keep(text: &str) -> &'static str {
    static TEXTS: Kept<str> = Mutex::new(None);
    kept(&TEXTS, text.into())
}

pub(crate) fn keep_words(words: &[String]) -> &'static [&'static str] {
    static LISTS: Kept<[&'static str]> = Mutex::new(None);
    kept(&LISTS, words.iter().map(|word| keep(word)).collect())
}

//! Faster protocols near one that was found: a better bound for the search.

use crate::best::Pace;
use crate::outlook::{Outlook, Prospect};
use crate::walk::{Leaf, Realm};

/// Changes one entry after the other as long as that makes the protocol faster and leaves the promise kept.
pub(crate) fn improved(realm: &Realm, number: usize, prospects: &mut [Prospect<'_>], pace: Pace) -> Pace {
    let mut best = pace;
    loop {
        let before = best.clone();
        for entry in 0..realm.entries.len() {
            for value in realm.entries.each_value(entry) {
                let mut table = best.table.clone();
                table[entry] = value;
                if table == best.table || realm.outlook(prospects, &table) != Outlook::Certain {
                    continue;
                }
                let (table, alike) = realm.first_of_its_names(&table);
                let leaf = Leaf { table: &table, alike };
                if let Some(other) = Pace::of(number, &leaf, realm.is_unfair(), prospects, Some(&best))
                    && other.at_largest_size() < best.at_largest_size()
                {
                    best = other;
                    // The entries have other names now.
                    break;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

//! Local improvement of a protocol that was found, which gives the search a better bound.

use crate::best::Pace;
use crate::outlook::{Outlook, Prospect};
use crate::walk::{Leaf, Realm};

/// Changes single entries as long as that makes the protocol faster and keeps the promise.
pub(crate) fn improved(realm: &Realm, number: usize, prospects: &mut [Prospect<'_>], pace: Pace) -> Pace {
    let mut best = pace;
    loop {
        let before = best.clone();
        for entry in 0..realm.entries.len() {
            for value in realm.entries.each_value(entry) {
                let mut table = best.table.clone();
                table[entry] = value;
                if table == best.table || realm.outlook(prospects, &table) != Some(Outlook::Certain) {
                    continue;
                }
                let (table, variants) = realm.first_of_its_names(&table);
                let leaf = Leaf { table: &table, variants };
                if let Some(other) = Pace::of(number, &leaf, realm.unfair, prospects, Some(&best))
                    && other.at_largest_size() < best.at_largest_size()
                {
                    best = other;
                    // The canonical table has other state names, so the entries differ now.
                    break;
                }
            }
        }
        if best == before {
            return best;
        }
    }
}

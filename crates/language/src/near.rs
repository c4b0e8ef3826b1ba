//! What may have been meant.

/// The number of letters to insert, remove or replace to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replace = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// The known word that is nearest to one that is not known, if any is near.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = ((word.chars().count().min(64) + 1) / 3).max(1);
    let word: String = word.chars().take(64).collect();
    known.into_iter().map(|k| (distance(&word, k), k)).filter(|(d, _)| *d <= near).min().map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_near_is_found_and_what_is_far_is_not() {
        assert_eq!(nearest("ledaer", ["leader", "bullet"]), Some("leader"));
        assert_eq!(nearest("shield", ["leader", "bullet"]), None);
    }
}

//! Suggestions for misspelled names.

use strsim::osa_distance;

/// The known word nearest to an unknown word, if one is near enough.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A word of one letter has no suggestion: one edit replaces it completely.
    let letters = word.chars().count().min(64);
    let near = letters.div_ceil(4).min(letters.saturating_sub(1));
    let word: String = word.chars().take(64).collect();
    let others = known.into_iter().map(|k| (osa_distance(&word, k), k)).filter(|(d, _)| (1..=near).contains(d));
    others.min().map(|(_, k)| k)
}

/// Words of other languages, with their equivalents in this language.
pub(crate) fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name {
        "sum" => "`count i : P` counts the agents for which P holds; there is no sum of values",
        "forall" | "every" => "`all i : P` means that P holds for every agent",
        "exists" | "any" => "`some i : P` means that P holds for at least one agent",
        "true" => "write 1 for true",
        "false" => "write 0 for false",
        "enabled" => "`enabled` exists on rings and lines only, in conditions on a process or a configuration",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_distant_words_are_not() {
        assert_eq!(nearest("ledaer", ["leader", "bullet"]), Some("leader"));
        assert_eq!(nearest("shield", ["leader", "bullet"]), None);
        assert_eq!(nearest("i", ["l", "n"]), None);
        assert_eq!(nearest("leader", ["leader", "ledaer"]), Some("ledaer"), "a word is not a suggestion for itself");
    }
}

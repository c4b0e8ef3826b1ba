//! What somebody may have meant.

/// The name that somebody who wrote `name` may have meant.
///
/// ```
/// assert_eq!(ringleader_catalog::nearest("yokota", ["angluin-ring", "yokota-ring"]), Some("yokota-ring"));
/// assert_eq!(ringleader_catalog::nearest("paxos-with-extra-steps", ["yokota-ring"]), None);
/// ```
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (distance, near) = names.into_iter().map(|known| (strsim::levenshtein(name, known), known)).min()?;
    (distance <= 2 + near.len() / 3).then_some(near)
}

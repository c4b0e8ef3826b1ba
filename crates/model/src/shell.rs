//! Words of commands that a user may copy into a shell.

use std::fmt::Display;

/// A word of a command, quoted if a shell would split or expand it.
///
/// ```
/// use ringleader_model::shell_word;
/// assert_eq!(shell_word("runs/cycle-4.trace"), "runs/cycle-4.trace");
/// assert_eq!(shell_word("my ring.trace"), "'my ring.trace'");
/// assert_eq!(shell_word("it's"), r"'it'\''s'");
/// assert_eq!(shell_word(""), "''");
/// ```
pub fn shell_word(word: impl Display) -> String {
    let word = word.to_string();
    let plain = |c: char| c.is_alphanumeric() || "_-+./:=,@%^".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

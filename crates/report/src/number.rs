//! Numbers in a readable form.

/// A number with separators between thousands.
///
/// ```
/// assert_eq!(ringleader_report::number::grouped(1_393_967_976), "1,393,967,976");
/// ```
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with about four significant digits.
///
/// ```
/// use ringleader_report::number::short;
/// assert_eq!([short(12.0), short(12.345), short(123_456.7), short(1.5e9)], ["12", "12.35", "123457", "1.500e9"]);
/// ```
#[must_use]
pub fn short(value: f64) -> String {
    match value.abs() {
        v if v < 1000.0 => {
            let text = format!("{value:.2}");
            text.strip_suffix(".00").map_or(text.clone(), str::to_string)
        }
        v if v < 1e7 => format!("{value:.0}"),
        _ => format!("{value:.3e}"),
    }
}

/// Things in a row, with a text between them.
///
/// ```
/// assert_eq!(ringleader_report::number::joined(&[1, 2, 3], ", "), "1, 2, 3");
/// ```
#[must_use]
pub fn joined(things: &[impl ToString], between: &str) -> String {
    things.iter().map(ToString::to_string).collect::<Vec<_>>().join(between)
}

/// A number of things, in words.
///
/// ```
/// use ringleader_report::number::counted;
/// assert_eq!([counted(1, "step"), counted(2, "step")], ["1 step", "2 steps"]);
/// ```
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

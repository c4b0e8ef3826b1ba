//! The page `/status`: everything that `ringleader status` shows of one node, as JSON.

use crate::clock;
use crate::history::Event;
use crate::metrics::{leadership_fields, or_null};
use crate::observer::Observer;
use std::time::Duration;

/// The leadership, the times since other nodes were heard, and the last changes, as one JSON object.
pub fn status_json(observer: &Observer) -> String {
    let now = clock::elapsed();
    let ago = |at: Duration| now.saturating_sub(at).as_secs_f64();
    let last_heard = observer.counters().last_heard;
    let heard = last_heard.iter().enumerate().filter_map(|(peer, at)| Some((peer, (*at)?)));
    let heard = heard.map(|(peer, at)| format!("{{\"peer\":{peer},\"seconds\":{:.3}}}", ago(at)));
    let events = observer.history();
    let changes = events.iter().rev().map(|event| change_json(event, ago(event.at)));
    format!(
        "{{{},\"cluster\":{},\"heard\":[{}],\"changes\":[{}]}}\n",
        leadership_fields(observer),
        quoted(&observer.cluster),
        heard.collect::<Vec<_>>().join(","),
        changes.collect::<Vec<_>>().join(",")
    )
}

/// One change, and the seconds since then.
fn change_json(event: &Event, seconds: f64) -> String {
    let change = event.change;
    format!(
        "{{\"seconds_ago\":{seconds:.3},\"was\":{},\"leader\":{},\"state\":\"{}\",\"reason\":\"{}\",\"why\":{}}}",
        or_null(change.before.named()),
        or_null(change.after.named()),
        change.after.state,
        change.reason,
        quoted(&event.why)
    )
}

/// A string in JSON.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' => "\\\"".into(),
            '\\' => "\\\\".into(),
            c if c.is_control() => format!("\\u{:04x}", c as u32),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_is_escaped() {
        assert_eq!(quoted("a\"b\\c\nd\u{1b}é"), "\"a\\\"b\\\\c\\u000ad\\u001bé\"");
    }
}

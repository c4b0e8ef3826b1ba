//! The errors of a protocol's text, while one types.

use ringleader_language::{Diagnostics, Severity, Source};
use serde_json::{Value, json};

/// The errors and warnings, their positions in UTF-16 units as a browser counts them.
pub(crate) fn lint(text: &str) -> Value {
    match Source::parse("protocol", text) {
        Ok(protocol) => json!({"fine": true, "name": protocol.card().name, "marks": marks(text, protocol.warnings())}),
        Err(wrong) => json!({"fine": false, "marks": marks(text, &wrong)}),
    }
}

fn marks(text: &str, wrong: &Diagnostics) -> Vec<Value> {
    let position = |byte: usize| {
        let byte = (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text[..byte].encode_utf16().count()
    };
    let mark = |d: &ringleader_language::Diagnostic| {
        let (line, column) = wrong.place(d);
        json!({
            "from": position(d.span.start), "to": position(d.span.end), "line": line, "column": column,
            "error": d.severity == Severity::Error, "message": d.message, "label": d.label, "help": d.help,
        })
    };
    wrong.iter().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_position_that_a_browser_counts() {
        let text = "# 𝕏\nprotocol duel\nmodel population on complete\nstate leader : bit\nshow leader when ledaer\n\
                    goal one leader\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n";
        let found = lint(text);
        let mark = &found["marks"][0];
        let (from, to) = (mark["from"].as_u64().unwrap() as usize, mark["to"].as_u64().unwrap() as usize);
        let units: Vec<u16> = text.encode_utf16().collect();
        assert_eq!(String::from_utf16(&units[from..to]).unwrap(), "ledaer");
        assert_eq!((mark["line"].as_u64(), mark["error"].as_bool()), (Some(5), Some(true)));
        assert_eq!(lint(&text.replace("ledaer", "leader"))["fine"], true);
    }
}

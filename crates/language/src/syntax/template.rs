//! Template files for new protocols.

use ringleader_erased::Kind;

/// A commented, working protocol as a starting point; `None` for a model without a text form.
///
/// ```
/// use ringleader_erased::Kind;
/// use ringleader_language::{Source, template};
/// for kind in [Kind::Population, Kind::Ring, Kind::Graph, Kind::Message] {
///     let text = template("my-protocol", kind).unwrap();
///     assert!(Source::parse("my-protocol.ring", &text).unwrap().warnings().is_empty());
/// }
/// ```
pub fn template(name: &str, kind: Kind) -> Option<String> {
    let text = match kind {
        Kind::Population => include_str!("template/population.ring"),
        Kind::Ring => include_str!("template/ring.ring"),
        Kind::Graph => include_str!("template/graph.ring"),
        Kind::Message => include_str!("template/message.ring"),
        Kind::Robust => return None,
    };
    Some(text.replace("NAME", name))
}

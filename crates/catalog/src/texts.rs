//! The algorithms of the literature that are written as text.

use ringleader_erased::Parameter;
use ringleader_language::{Protocol, Source};
use std::sync::OnceLock;

/// A text that is part of this crate. It is parsed at its first use, once in a process.
pub(crate) struct BuiltInText {
    pub(crate) name: &'static str,
    text: &'static str,
    protocol: OnceLock<Protocol>,
}

impl BuiltInText {
    pub(crate) const fn new(name: &'static str, text: &'static str) -> BuiltInText {
        BuiltInText { name, text, protocol: OnceLock::new() }
    }

    pub(crate) fn protocol(&'static self) -> &'static Protocol {
        // A test reads every text with all checks, so none is tried here.
        self.protocol.get_or_init(|| Source::known(self.name, self.text).expect("every built-in text is valid"))
    }

    /// The parameters, without the rest of the text.
    pub(crate) fn parameters(&'static self) -> &'static [Parameter] {
        Source::parameters(self.text)
    }
}

/// The built-in text of this name, which is a literal.
macro_rules! text {
    ($name:literal) => {{
        static TEXT: $crate::texts::BuiltInText =
            $crate::texts::BuiltInText::new($name, include_str!(concat!("../protocols/", $name, ".ring")));
        &TEXT
    }};
}
pub(crate) use text;

//! What is wrong with a text: where, why, and what would be right.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// Where something stands: bytes of the text.
pub type Span = Range<usize>;

/// Whether a text can be used all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can, but may not say what was meant.
    Warning,
}

/// One thing that is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What to say beside the place.
    pub label: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Error, span, message: message.into(), label: String::new(), help: None }
    }

    /// A warning at a place.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    pub(crate) fn label(self, label: impl Into<String>) -> Diagnostic {
        Diagnostic { label: label.into(), ..self }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Diagnostic {
        Diagnostic { help: Some(help.into()), ..self }
    }
}

/// Everything that is wrong with a text, in the order of the text. Its `Display` shows the lines with carets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    name: String,
    text: String,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(name: &str, text: &str, mut list: Vec<Diagnostic>) -> Diagnostics {
        list.sort_by_key(|d| (d.span.start, d.severity, d.span.end));
        list.dedup();
        Diagnostics { name: name.into(), text: text.into(), list }
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The line and the column of a place, both from 1.
    pub fn place(&self, diagnostic: &Diagnostic) -> (usize, usize) {
        let before = &self.text[..self.floor(diagnostic.span.start)];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
    }

    /// As text with colours for a terminal.
    pub fn styled(&self) -> String {
        self.render(&Renderer::styled())
    }

    fn floor(&self, at: usize) -> usize {
        (0..=at.min(self.text.len())).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0)
    }

    fn render(&self, renderer: &Renderer) -> String {
        let shown: Vec<_> = self.list.iter().map(|d| self.show(d, renderer)).collect();
        shown.join("\n\n")
    }

    fn show(&self, d: &Diagnostic, renderer: &Renderer) -> String {
        let level = match d.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
        };
        let start = self.floor(d.span.start);
        let mark = AnnotationKind::Primary.span(start..self.floor(d.span.end).max(start));
        let mark = if d.label.is_empty() { mark } else { mark.label(&d.label) };
        let snippet = Snippet::source(&self.text).path(&self.name).annotation(mark);
        let mut group = level.primary_title(&d.message).element(snippet);
        if let Some(help) = &d.help {
            group = group.element(Level::HELP.message(help));
        }
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(&Renderer::plain()))
    }
}

impl std::error::Error for Diagnostics {}

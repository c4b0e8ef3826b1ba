//! Errors and warnings about a text: the place, the reason and the repair.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// A range of bytes of the text.
pub type Span = Range<usize>;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The text cannot be used.
    Error,
    /// The text can be used, but it may contain a mistake.
    Warning,
}

/// One error or warning about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity.
    pub severity: Severity,
    /// The place in the text.
    pub span: Span,
    /// The error in one line.
    pub message: String,
    /// The label beside the place.
    pub label: String,
    /// The proposed repair.
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

/// All diagnostics of a text, in the order of the text. Its `Display` shows the lines with carets.
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

    /// Iterates over the diagnostics.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }

    /// Whether there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The line and the column of a diagnostic, both from 1.
    pub fn place(&self, diagnostic: &Diagnostic) -> (usize, usize) {
        let before = &self.text[..self.floor(diagnostic.span.start)];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
    }

    /// The diagnostics as text with colours for a terminal.
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

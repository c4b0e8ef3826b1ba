//! The formatter: one canonical layout of a text.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::syntax::parse::{parse, unmarked};
use crate::syntax::token::{Kind, Token, continues, tokens};

/// Guards longer than this are ignored when arrows are aligned.
const WIDEST: usize = 70;

/// Formats a text: one spelling of every sign, one space between words, rules indented, their arrows aligned, at
/// most one empty line. Comments stay where they are. Fails on a text that cannot be parsed.
///
/// ```
/// use ringleader_language::format;
/// let text = "protocol duel\nfirst:\n 1:l.leader&&r.leader->r.leader:=0\n";
/// assert_eq!(format("duel", text).unwrap(), "protocol duel\nfirst:\n  1: l.leader and r.leader -> r.leader := 0\n");
/// ```
pub fn format(name: &str, text: &str) -> Result<String, Diagnostics> {
    let text = unmarked(text);
    let (_, problems) = parse(text);
    if !problems.is_empty() {
        return Err(Diagnostics::new(name, text, problems));
    }
    let mut unread: Vec<Diagnostic> = vec![];
    let all = tokens(text, &mut unread);
    let mut lines: Vec<Line> = vec![];
    let mut state = Place::default();
    for line in all.split(|token| token.kind == Kind::Newline) {
        lines.push(state.line(line, text));
    }
    align(&mut lines);
    Ok(print(lines))
}

/// A line of the result.
struct Line {
    indent: usize,
    words: String,
    comment: String,
    /// The column of its arrow, if the line is a rule whose guard fits into one line.
    arrow: Option<usize>,
    /// Whether it continues the line before.
    continued: bool,
    /// Whether it begins with a text.
    text: bool,
}

/// The number of open brackets, and whether the line before continues.
#[derive(Default)]
struct Place {
    depth: usize,
    open: bool,
}

impl Place {
    fn line(&mut self, tokens: &[Token], text: &str) -> Line {
        let begins = tokens.first().is_some_and(|t| t.span.start == 0 || text.as_bytes()[t.span.start - 1] == b'\n');
        let words: Vec<_> = tokens.iter().filter(|t| !matches!(t.kind, Kind::Comment | Kind::End)).collect();
        let comment = tokens.iter().find(|t| t.kind == Kind::Comment);
        let continued =
            words.first().is_some_and(|t| continues(t)) || (self.open && !words.is_empty()) || self.depth > 0;
        for token in &words {
            match token.kind {
                Kind::Sign("(" | "[" | "{") => self.depth += 1,
                Kind::Sign(")" | "]" | "}") => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        if let Some(last) = words.last() {
            self.open = matches!(last.kind, Kind::Sign(s) if !matches!(s, ")" | "]" | "}" | ":"));
        }
        let indent = match (begins, continued && !words.is_empty()) {
            (true, false) => 0,
            (_, true) => 6,
            (false, false) => 2,
        };
        let begins_with_text = words.first().is_some_and(|t| t.kind == Kind::Text);
        let (words, arrow) = join(&words, text);
        let comment = comment.map_or(String::new(), |c| text[c.span.clone()].trim_end().to_string());
        Line { indent, words, comment, arrow: arrow.filter(|_| indent > 0), continued, text: begins_with_text }
    }
}

/// The tokens of a line with normalised spaces, and the column of the first arrow.
fn join(tokens: &[&Token], text: &str) -> (String, Option<usize>) {
    let mut line = String::new();
    let mut arrow = None;
    for (at, token) in tokens.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| tokens[before]);
        let earlier = at.checked_sub(2).map(|earlier| tokens[earlier]);
        if before.is_some_and(|before| spaced(earlier, before, token)) {
            line.push(' ');
        }
        if token.is("->") && arrow.is_none() {
            arrow = Some(line.chars().count());
        }
        line.push_str(match token.kind {
            Kind::Sign(sign) => sign,
            _ => &text[token.span.clone()],
        });
    }
    (line, arrow)
}

/// Whether there is a space between two tokens.
fn spaced(earlier: Option<&Token>, before: &Token, token: &Token) -> bool {
    let touch = before.span.end == token.span.start;
    let hyphen = |sign: &Token, word: &Token| sign.is("-") && matches!(word.kind, Kind::Word | Kind::Number(_));
    // `directed-ring`, `ring-3-states`, and `n-1` if it was written so: only a hyphen that touches both words.
    let in_name = touch && (hyphen(token, before) || hyphen(before, token));
    let operand = |t: &Token| matches!(t.kind, Kind::Word | Kind::Number(_) | Kind::Sign(")" | "]" | "}"));
    match (before.kind, token.kind) {
        _ if in_name => false,
        (_, Kind::Sign("," | ";" | ")" | "]" | "}" | "." | ".." | "^")) => false,
        (Kind::Sign("(" | "[" | "{" | "." | ".." | "^"), _) => false,
        (Kind::Number(_), Kind::Sign(":")) if earlier.is_none() => false,
        (_, Kind::Sign(":")) => !touch,
        (Kind::Word, Kind::Sign("(" | "[")) => !touch,
        (Kind::Sign("-"), _) => earlier.is_some_and(operand),
        _ => true,
    }
}

/// Aligns the arrows of neighbouring rules.
fn align(lines: &mut [Line]) {
    let mut from = 0;
    while from < lines.len() {
        let rule = |line: &Line| line.indent == 2 || line.continued;
        let to = (from..lines.len()).find(|&at| !rule(&lines[at])).unwrap_or(lines.len());
        let rules = lines[from..to].iter().filter(|line| !line.continued);
        let widest = rules.filter_map(|line| line.arrow).filter(|arrow| *arrow <= WIDEST).max();
        for line in lines[from..to].iter_mut() {
            if let (Some(arrow), Some(widest), false) = (line.arrow, widest, line.continued)
                && arrow < widest
            {
                let at = line.words.char_indices().nth(arrow).map_or(line.words.len(), |(at, _)| at);
                line.words.insert_str(at, &" ".repeat(widest - arrow));
                line.arrow = Some(widest);
            }
        }
        from = to + 1;
    }
    hang(lines);
}

/// Indents continuation lines: actions below the first action, texts below the first text.
fn hang(lines: &mut [Line]) {
    let (mut actions, mut texts) = (None, None);
    for line in lines.iter_mut().filter(|line| !line.words.is_empty()) {
        match (line.continued, line.arrow) {
            (true, None) if line.text => line.indent = texts.unwrap_or(line.indent),
            (true, None) => line.indent = actions.unwrap_or(line.indent),
            (_, arrow) => actions = arrow.map(|arrow| line.indent + arrow + 3),
        }
        if !line.continued {
            texts = line.words.find('"').map(|at| line.words[..at].chars().count());
        }
    }
}

fn print(lines: Vec<Line>) -> String {
    let mut text = String::new();
    let mut empty = true;
    for line in lines {
        let blank = line.words.is_empty() && line.comment.is_empty();
        if blank && empty {
            continue;
        }
        empty = blank;
        text.push_str(&" ".repeat(if blank { 0 } else { line.indent }));
        text.push_str(&line.words);
        if !line.comment.is_empty() {
            text.push_str(if line.words.is_empty() { "" } else { "    " });
            text.push_str(&line.comment);
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

//! A ring on one line: agents as glyphs, coloured by ANSI codes.
//!
//! ```
//! use ringleader_model::Marks;
//! use ringleader_report::ring;
//!
//! let line = ring::line(&[Marks::LEADER, Marks::NONE, Marks::TOKEN], None, 80);
//! assert!(line.contains('L') && line.contains('*'));
//! assert!(ring::legend(Marks::TOKEN).contains("token"));
//! ```

use anstyle::{AnsiColor, Style};
use ringleader_model::Marks;
use std::fmt::Write;

/// The glyphs: the mark, its column of an agent's three, the character, the colour and the meaning.
const GLYPHS: [(Marks, usize, char, AnsiColor, &str); 12] = [
    (Marks::BULLET, 0, '•', AnsiColor::Red, "live bullet"),
    (Marks::DUMMY, 0, '◦', AnsiColor::Yellow, "dummy bullet"),
    (Marks::PROBE, 0, '?', AnsiColor::Magenta, "probe"),
    (Marks::BEGINNER, 1, 'B', AnsiColor::Green, "leader that begins"),
    (Marks::LEADER, 1, 'L', AnsiColor::Green, "leader"),
    (Marks::ACTIVE, 1, 'A', AnsiColor::Cyan, "active"),
    (Marks::PASSIVE, 1, 'p', AnsiColor::BrightBlack, "passive"),
    (Marks::FORWARD, 1, '>', AnsiColor::Green, "the next one follows"),
    (Marks::BACKWARD, 1, '<', AnsiColor::Yellow, "the one before follows"),
    (Marks::TOKEN, 2, '*', AnsiColor::Magenta, "token"),
    (Marks::SHIELD, 2, ')', AnsiColor::Blue, "shield"),
    (Marks::SIGNAL, 2, '~', AnsiColor::BrightBlack, "signal"),
];

/// The glyph of each of the agent's three columns.
fn glyph(marks: Marks, column: usize) -> Option<(char, AnsiColor)> {
    GLYPHS.iter().find(|g| g.1 == column && marks.contains(g.0)).map(|g| (g.2, g.3))
}

/// The legend of the glyphs of these marks.
#[must_use]
pub fn legend(marks: Marks) -> String {
    let known = GLYPHS.iter().filter(|g| marks.contains(g.0)).map(|g| format!("{} {}", paint(g.2, g.3), g.4));
    known.chain(["· other".to_string()]).collect::<Vec<_>>().join("   ")
}

fn paint(glyph: char, colour: AnsiColor) -> String {
    let style = Style::new().fg_color(Some(colour.into()));
    let style = if glyph == 'L' || glyph == 'B' { style.bold() } else { style };
    format!("{style}{glyph}{style:#}")
}

/// The agents on one line of at most `width` columns: three columns each, one if that is too wide, and an ellipsis if
/// even that is. `followed` is the leader that each agent names, where agents name one.
#[must_use]
pub fn line(marks: &[Marks], followed: Option<&[usize]>, width: usize) -> String {
    let mut line = String::new();
    let full = 3 * marks.len() <= width;
    let shown = if full || marks.len() <= width { marks.len() } else { width.saturating_sub(1) };
    for (agent, &m) in marks.iter().enumerate().take(shown) {
        let centre = match followed {
            Some(leaders) if !m.leader() && full => format!("{:1}", leaders[agent]),
            _ => glyph(m, 1).map_or("·".to_string(), |(g, c)| paint(g, c)),
        };
        if full {
            let side = |column| glyph(m, column).map_or(" ".to_string(), |(g, c)| paint(g, c));
            let _ = write!(line, "{}{centre}{}", side(0), side(2));
        } else {
            line.push_str(&centre);
        }
    }
    if shown < marks.len() {
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_legend_has_every_glyph_that_is_drawn() {
        let plain = |text: String| without_colours(&text);
        for (mark, _, glyph, _, meaning) in GLYPHS {
            let line = plain(line(&[mark, Marks::NONE], None, 80));
            assert!(line.contains(glyph), "{meaning}: {line}");
            assert!(plain(legend(mark)).contains(&format!("{glyph} {meaning}")), "{meaning}");
        }
    }

    /// The text without its colours.
    fn without_colours(text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            plain.push_str(before);
            rest = after.split_once('m').map_or("", |(_, rest)| rest);
        }
        plain + rest
    }
}

//! The legend of the colours.

use super::{COLOURS, Moment, SHIELDED_LEADER, colour, most};
use crate::canvas::{Anchor, Canvas, Colour, INK};
use ringleader_model::Marks;

const LINE: f32 = 18.0;
const SIZE: f32 = 11.0;

/// The colours that occur, on as many lines as they need.
pub(super) struct Legend {
    entries: Vec<(Colour, &'static str, (f32, f32))>,
    lines: usize,
}

impl Legend {
    pub(super) fn of(moments: &[Moment], width: f32) -> Legend {
        let shielded = |m: &Marks| m.contains(Marks::LEADER | Marks::SHIELD);
        let all = || moments.iter().flat_map(|m| m.marks.iter().copied());
        let seen = all().filter(|m| !shielded(m)).fold(Marks::NONE, |all, m| all | m);
        let mut found: Vec<(Colour, &str)> =
            COLOURS.iter().filter(|(mark, ..)| seen.contains(*mark)).map(|c| (c.1, c.2)).collect();
        if all().any(|m| shielded(&m)) {
            found.insert(0, (SHIELDED_LEADER, "shielded leader"));
        }
        if all().any(|m| !COLOURS.iter().any(|(mark, ..)| m.contains(*mark))) {
            found.push(match most(moments) {
                0 => (colour(Marks::NONE, None, 0), "other"),
                most => (colour(Marks::NONE, Some(most), most), "other, darker: a greater distance"),
            });
        }
        let (mut x, mut line) = (0.0, 0);
        let place = |(colour, name): (Colour, &'static str)| {
            let wide = 24.0 + 6.6 * name.chars().count() as f32;
            if x + wide > width && x > 0.0 {
                (x, line) = (0.0, line + 1);
            }
            let at = (x, line as f32 * LINE);
            x += wide;
            (colour, name, at)
        };
        let entries: Vec<_> = found.into_iter().map(place).collect();
        Legend { lines: if entries.is_empty() { 0 } else { line + 1 }, entries }
    }

    pub(super) fn height(&self) -> f32 {
        self.lines as f32 * LINE
    }

    /// Draws the legend from this point, the base line of its first line.
    pub(super) fn draw(&self, canvas: &mut Canvas, (left, top): (f32, f32)) {
        for &(colour, name, (x, y)) in &self.entries {
            canvas.rectangle((left + x - 1.0, top + y - 10.0), (13.0, 13.0), [170, 170, 178]);
            canvas.rectangle((left + x, top + y - 9.0), (11.0, 11.0), colour);
            canvas.words((left + x + 16.0, top + y), name, SIZE, Anchor::Start, INK);
        }
    }
}

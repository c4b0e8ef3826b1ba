//! A canvas as pixels.

use super::{Anchor, Canvas, Colour, Shape, strokes};
use tiny_skia::{FillRule, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};

impl Canvas {
    /// The picture as red, green, blue and opacity, line by line, `scale` pixels per unit; `None` if it is too
    /// large.
    #[must_use]
    pub fn pixels(&self, scale: f32) -> Option<Vec<u8>> {
        Some(self.painted(scale)?.take_demultiplied())
    }

    pub(super) fn painted(&self, scale: f32) -> Option<Pixmap> {
        let mut map = Pixmap::new((self.width * scale) as u32, (self.height * scale) as u32)?;
        let whole = Transform::from_scale(scale, scale);
        for (colour, shape) in &self.shapes {
            match shape {
                Shape::Line { points, width, dashed } => {
                    let dash = if *dashed { StrokeDash::new(vec![5.0, 4.0], 0.0) } else { None };
                    let stroke = Stroke { width: *width, dash, ..Stroke::default() };
                    draw(&mut map, points, *colour, &stroke, whole);
                }
                Shape::Rectangle { at, size } => fill(&mut map, (at.0, at.1, size.0, size.1), *colour, whole),
                Shape::Cells(cells) => {
                    for [x, y, w, h] in cells.iter().map(|cell| cell.map(|unit| unit as f32)) {
                        fill(&mut map, (x, y, w, h), *colour, whole);
                    }
                }
                Shape::Dot { at, radius } => {
                    if let Some(path) = PathBuilder::from_circle(at.0, at.1, *radius) {
                        map.fill_path(&path, &paint(*colour), FillRule::Winding, whole, None);
                    }
                }
                Shape::Words { at, text, size, anchor, upright } => {
                    let stroke = Stroke {
                        width: size / 11.0,
                        line_cap: tiny_skia::LineCap::Round,
                        line_join: tiny_skia::LineJoin::Round,
                        ..Stroke::default()
                    };
                    let shift = match anchor {
                        Anchor::Start => 0.0,
                        Anchor::Middle => -strokes::width(text, *size) / 2.0,
                        Anchor::End => -strokes::width(text, *size),
                    };
                    let turned =
                        if *upright { whole.pre_concat(Transform::from_rotate_at(-90.0, at.0, at.1)) } else { whole };
                    for points in strokes::of(text, *size, (at.0 + shift, at.1)) {
                        draw(&mut map, &points, *colour, &stroke, turned);
                    }
                }
            }
        }
        Some(map)
    }
}

/// Fills a rectangle without smoothing: neighbours must meet without a seam.
fn fill(map: &mut Pixmap, at: (f32, f32, f32, f32), colour: Colour, whole: Transform) {
    if let Some(rect) = tiny_skia::Rect::from_xywh(at.0, at.1, at.2, at.3) {
        let flat = tiny_skia::Paint { anti_alias: false, ..paint(colour) };
        map.fill_rect(rect, &flat, whole, None);
    }
}

/// Draws a line through some points.
fn draw(map: &mut Pixmap, points: &[(f32, f32)], colour: Colour, stroke: &Stroke, whole: Transform) {
    let Some((first, rest)) = points.split_first() else { return };
    let mut path = PathBuilder::new();
    path.move_to(first.0, first.1);
    rest.iter().for_each(|p| path.line_to(p.0, p.1));
    if let Some(path) = path.finish() {
        map.stroke_path(&path, &paint(colour), stroke, whole, None);
    }
}

fn paint(colour: Colour) -> tiny_skia::Paint<'static> {
    let mut paint = tiny_skia::Paint { anti_alias: true, ..tiny_skia::Paint::default() };
    paint.set_color_rgba8(colour[0], colour[1], colour[2], 255);
    paint
}

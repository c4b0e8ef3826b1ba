//! The ring as it changes.

use super::{Moment, colour, most};
use crate::canvas::{Anchor, Canvas};
use crate::failure::Failure;
use crate::interrupt;
use std::f32::consts::TAU;

const SIDE: f32 = 360.0;

/// A GIF: one frame per moment, the last one shown longer.
pub(super) fn gif(moments: &[Moment], title: &str) -> Result<Vec<u8>, Failure> {
    let refuse = |e: gif::EncodingError| Failure::usage(format!("cannot make the animation: {e}"));
    let mut bytes = vec![];
    let mut encoder = gif::Encoder::new(&mut bytes, SIDE as u16, SIDE as u16, &[]).map_err(refuse)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(refuse)?;
    let most = most(moments);
    for (index, moment) in moments.iter().enumerate().take_while(|_| !interrupt::requested()) {
        let mut pixels = frame(moment, most, title).pixels(1.0).ok_or_else(|| Failure::usage("no room for a frame"))?;
        let mut frame = gif::Frame::from_rgba_speed(SIDE as u16, SIDE as u16, &mut pixels, 10);
        frame.delay = if index + 1 == moments.len() { 250 } else { 9 };
        encoder.write_frame(&frame).map_err(refuse)?;
    }
    drop(encoder);
    Ok(bytes)
}

fn frame(moment: &Moment, most: u64, title: &str) -> Canvas {
    let mut canvas = Canvas::new(SIDE, SIDE);
    let (centre, radius) = (SIDE / 2.0, SIDE * 0.4);
    let agents = moment.marks.len();
    let dot = (TAU * radius / agents as f32 * 0.42).clamp(1.5, 13.0);
    let ink = [40, 40, 48];
    for (i, (&marks, &shade)) in moment.marks.iter().zip(&moment.shades).enumerate() {
        let angle = TAU * i as f32 / agents as f32 - TAU / 4.0;
        let at = (centre + radius * angle.cos(), centre + radius * angle.sin());
        canvas.dot(at, dot + 1.2, [170, 170, 178]);
        canvas.dot(at, dot, colour(marks, shade, most));
    }
    let leaders = moment.marks.iter().filter(|m| m.leader()).count();
    canvas.words(
        (centre, centre - 8.0),
        format!("{leaders} leader{}", if leaders == 1 { "" } else { "s" }),
        19.0,
        Anchor::Middle,
        ink,
    );
    canvas.words((centre, centre + 16.0), format!("step {}", moment.steps), 13.0, Anchor::Middle, ink);
    canvas.words((centre, SIDE - 6.0), title, 10.0, Anchor::Middle, [120, 120, 130]);
    canvas
}

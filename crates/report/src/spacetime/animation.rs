//! The ring as an animation.

use super::{Legend, Moment, colour, most};
use crate::canvas::{Anchor, Canvas, INK};
use crate::number::counted;
use std::f32::consts::TAU;

const SIDE: f32 = 360.0;

/// The reason why there is no animation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnimationError {
    /// A frame is too large.
    #[error("no room for a frame")]
    Room,
    /// It cannot be encoded.
    #[error("cannot make the animation: {0}")]
    Encoding(gif::EncodingError),
}

/// A GIF with one frame per moment, the last one shown longer. It ends early if `keep_going` returns `false`.
pub fn gif(moments: &[Moment], title: &str, keep_going: impl Fn() -> bool) -> Result<Vec<u8>, AnimationError> {
    let legend = Legend::of(moments, SIDE - 24.0);
    let (height, most) = (SIDE + legend.height() + 8.0, most(moments));
    frames((SIDE, height), moments.len(), keep_going, |index| {
        let mut canvas = frame(&moments[index], most, title, height);
        legend.draw(&mut canvas, (12.0, SIDE + 12.0));
        canvas
    })
}

/// A GIF of frames of this size, the last one shown longer.
pub(super) fn frames(
    (width, height): (f32, f32),
    count: usize,
    keep_going: impl Fn() -> bool,
    draw: impl Fn(usize) -> Canvas,
) -> Result<Vec<u8>, AnimationError> {
    let (width, height, refuse) = (width as u16, height as u16, AnimationError::Encoding);
    let mut bytes = vec![];
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &[]).map_err(refuse)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(refuse)?;
    for index in (0..count).take_while(|_| keep_going()) {
        let mut pixels = draw(index).pixels(1.0).ok_or(AnimationError::Room)?;
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, 10);
        frame.delay = if index + 1 == count { 250 } else { 9 };
        encoder.write_frame(&frame).map_err(refuse)?;
    }
    drop(encoder);
    Ok(bytes)
}

fn frame(moment: &Moment, most: u64, title: &str, height: f32) -> Canvas {
    let mut canvas = Canvas::new(SIDE, height);
    let (centre, radius) = (SIDE / 2.0, SIDE * 0.4);
    let agents = moment.marks.len();
    let dot = (TAU * radius / agents as f32 * 0.42).clamp(1.5, 13.0);
    for (i, (&marks, &shade)) in moment.marks.iter().zip(&moment.shades).enumerate() {
        let angle = TAU * i as f32 / agents as f32 - TAU / 4.0;
        let at = (centre + radius * angle.cos(), centre + radius * angle.sin());
        canvas.dot(at, dot + 1.2, [170, 170, 178]);
        canvas.dot(at, dot, colour(marks, shade, most));
    }
    let leaders = moment.marks.iter().filter(|m| m.leader()).count();
    canvas.words((centre, centre - 8.0), counted(leaders as u64, "leader"), 19.0, Anchor::Middle, INK);
    canvas.words((centre, centre + 16.0), format!("step {}", moment.steps), 13.0, Anchor::Middle, INK);
    canvas.words((centre, SIDE - 6.0), title, 10.0, Anchor::Middle, [120, 120, 130]);
    canvas
}

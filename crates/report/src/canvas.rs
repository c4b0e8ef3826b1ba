//! A picture of lines, rectangles, dots and words, written as SVG, PNG or TikZ.
//!
//! ```
//! use ringleader_report::canvas::{Anchor, Canvas, Format, INK};
//!
//! let mut canvas = Canvas::new(120.0, 40.0);
//! canvas.dot((20.0, 20.0), 6.0, [16, 140, 80]);
//! canvas.words((34.0, 24.0), "leader", 12.0, Anchor::Start, INK);
//! assert!(canvas.svg().contains("<circle"));
//! assert!(canvas.tikz().contains("circle[radius=6]"));
//! # #[cfg(feature = "pictures")]
//! assert!(canvas.encoded(Format::Png).is_some_and(|bytes| bytes.starts_with(b"\x89PNG")));
//! ```

use std::fmt::Write;
use std::path::{Path, PathBuf};

#[cfg(feature = "pictures")]
mod pixels;
mod strokes;
mod tikz;

/// A colour as red, green and blue.
pub type Colour = [u8; 3];

// An SVG names these three colours, so that a page can show them light on dark.

/// The background.
pub const PAPER: Colour = [255, 255, 255];
/// The colour of text and axes.
pub const INK: Colour = [40, 40, 48];
/// The colour of grid lines.
pub const GRID: Colour = [228, 228, 232];

/// The format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and words, sharp at any size.
    Svg,
    /// A picture for LaTeX: `\input` it in a document that uses the package `tikz`.
    Tikz,
    /// Pixels.
    #[cfg(feature = "pictures")]
    Png,
}

impl Format {
    /// The default extension of a picture's file name.
    pub const USUAL: &str = if cfg!(feature = "pictures") { "png" } else { "svg" };

    /// The format that a file name's extension selects.
    pub fn of(path: &Path) -> Result<Format, UnknownFormat> {
        match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => Ok(Format::Svg),
            Some("tex" | "tikz") => Ok(Format::Tikz),
            #[cfg(feature = "pictures")]
            Some("png") => Ok(Format::Png),
            #[cfg(not(feature = "pictures"))]
            Some("png") => Err(UnknownFormat::LeftOut(path.to_path_buf())),
            _ => Err(UnknownFormat::Ending(path.to_path_buf())),
        }
    }
}

/// A file name that selects no picture format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownFormat {
    /// The extension is not that of a picture.
    #[error("{}: pictures are written as .svg, .png or .tex (TikZ)", .0.display())]
    Ending(PathBuf),
    /// The program was built without pixels.
    #[error("{}: this program was built without PNG and GIF: name a .svg file, or build it with the feature `pictures`", .0.display())]
    LeftOut(PathBuf),
}

/// The position of a text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text starts at the point.
    Start,
    /// The middle of the text is at the point.
    Middle,
    /// The text ends at the point.
    End,
}

#[derive(Clone, Debug)]
enum Shape {
    Line { points: Vec<(f32, f32)>, width: f32, dashed: bool },
    Rectangle { at: (f32, f32), size: (f32, f32) },
    Cells(Vec<Cell>),
    Dot { at: (f32, f32), radius: f32 },
    Words { at: (f32, f32), text: String, size: f32, anchor: Anchor, upright: bool },
}

/// A rectangle on whole units: left, top, width and height.
pub type Cell = [u32; 4];

/// A picture; later shapes lie over earlier ones.
#[derive(Clone, Debug)]
pub struct Canvas {
    width: f32,
    height: f32,
    shapes: Vec<(Colour, Shape)>,
}

impl Canvas {
    /// An empty picture.
    #[must_use]
    pub fn new(width: f32, height: f32) -> Canvas {
        let mut canvas = Canvas { width, height, shapes: vec![] };
        canvas.rectangle((0.0, 0.0), (width, height), PAPER);
        canvas
    }

    /// A line through some points.
    pub fn line(&mut self, points: &[(f32, f32)], colour: Colour, width: f32) {
        self.shapes.push((colour, Shape::Line { points: points.to_vec(), width, dashed: false }));
    }

    /// The same, dashed.
    pub fn dashed(&mut self, points: &[(f32, f32)], colour: Colour, width: f32) {
        self.shapes.push((colour, Shape::Line { points: points.to_vec(), width, dashed: true }));
    }

    /// A rectangle from its upper left corner.
    pub fn rectangle(&mut self, at: (f32, f32), size: (f32, f32), colour: Colour) {
        self.shapes.push((colour, Shape::Rectangle { at, size }));
    }

    /// Many rectangles of one colour, with sharp edges, so that neighbours meet without a seam.
    pub fn cells(&mut self, cells: Vec<Cell>, colour: Colour) {
        self.shapes.push((colour, Shape::Cells(cells)));
    }

    /// The approximate width of a text.
    #[must_use]
    pub fn width_of(text: &str, size: f32) -> f32 {
        strokes::width(text, size)
    }

    /// A dot around a point.
    pub fn dot(&mut self, at: (f32, f32), radius: f32, colour: Colour) {
        self.shapes.push((colour, Shape::Dot { at, radius }));
    }

    /// A text whose base line is at a point.
    pub fn words(&mut self, at: (f32, f32), text: impl Into<String>, size: f32, anchor: Anchor, colour: Colour) {
        self.shapes.push((colour, Shape::Words { at, text: text.into(), size, anchor, upright: false }));
    }

    /// A text that runs upwards, for the vertical axis.
    pub fn upright(&mut self, at: (f32, f32), text: impl Into<String>, size: f32, colour: Colour) {
        let anchor = Anchor::Middle;
        self.shapes.push((colour, Shape::Words { at, text: text.into(), size, anchor, upright: true }));
    }

    /// The picture as the contents of a file; `None` if it is too large for pixels.
    #[must_use]
    pub fn encoded(&self, format: Format) -> Option<Vec<u8>> {
        match format {
            Format::Svg => Some(self.svg().into_bytes()),
            Format::Tikz => Some(self.tikz().into_bytes()),
            #[cfg(feature = "pictures")]
            Format::Png => self.painted(2.0)?.encode_png().ok(),
        }
    }

    /// The picture as SVG.
    #[must_use]
    pub fn svg(&self) -> String {
        let (w, h) = (self.width, self.height);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" font-family=\"Helvetica, Arial, sans-serif\">\n"
        );
        for (colour, shape) in &self.shapes {
            let fill = hex(*colour);
            let _ = match shape {
                Shape::Line { points, width, dashed } => {
                    let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                    let (points, dashes) = (points.join(" "), if *dashed { " stroke-dasharray=\"5 4\"" } else { "" });
                    let stroke = format!("stroke={fill} stroke-width=\"{width}\"{dashes}");
                    writeln!(out, "<polyline points=\"{points}\" fill=\"none\" {stroke}/>")
                }
                Shape::Rectangle { at: (x, y), size: (w, h) } => {
                    writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill={fill}/>")
                }
                Shape::Cells(cells) => {
                    let one = |[x, y, w, h]: &Cell| format!("M{x} {y}h{w}v{h}h-{w}z");
                    let path: String = cells.iter().map(one).collect();
                    writeln!(out, "<path shape-rendering=\"crispEdges\" fill={fill} d=\"{path}\"/>")
                }
                Shape::Dot { at: (x, y), radius } => {
                    writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill={fill}/>")
                }
                Shape::Words { at: (x, y), text, size, anchor, upright } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let turn = if *upright { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
                    let text = text.replace('&', "&amp;").replace('<', "&lt;");
                    let style = format!("font-size=\"{size}\" text-anchor=\"{anchor}\" fill={fill}{turn}");
                    writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{text}</text>")
                }
            };
        }
        out + "</svg>\n"
    }
}

/// The colour as the value of an attribute, and the class of those that have a name.
fn hex(colour: Colour) -> String {
    let class = match colour {
        PAPER => " class=\"paper\"",
        INK => " class=\"ink\"",
        GRID => " class=\"grid\"",
        _ => "",
    };
    format!("\"#{:02x}{:02x}{:02x}\"{class}", colour[0], colour[1], colour[2])
}

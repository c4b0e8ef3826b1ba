//! A canvas as a TikZ picture, for papers.

use super::{Anchor, Canvas, Shape};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The length of a unit of the canvas: pictures of 600 units are as wide as a text block.
const UNIT: &str = "0.55pt";

impl Canvas {
    /// The picture as TikZ: `\input` it in a document that uses the package `tikz`.
    #[must_use]
    pub fn tikz(&self) -> String {
        let mut out = format!("\\begin{{tikzpicture}}[x={UNIT},y=-{UNIT},line join=round]\n");
        let mut names = BTreeMap::new();
        for ([red, green, blue], _) in &self.shapes {
            let next = format!("ringleader{}", letters(names.len()));
            names.entry([red, green, blue]).or_insert_with(|| {
                let _ = writeln!(out, "\\definecolor{{{next}}}{{RGB}}{{{red},{green},{blue}}}");
                next
            });
        }
        for ([red, green, blue], shape) in &self.shapes {
            let name = &names[&[red, green, blue]];
            let _ = match shape {
                Shape::Line { points, width, dashed } => {
                    let points: Vec<_> = points.iter().map(|(x, y)| format!("({x:.1},{y:.1})")).collect();
                    let dashes = if *dashed { ",dashed" } else { "" };
                    writeln!(out, "\\draw[{name},line width={:.2}pt{dashes}] {};", 0.55 * width, points.join(" -- "))
                }
                Shape::Rectangle { at: (x, y), size: (w, h) } => {
                    writeln!(out, "\\fill[{name}] ({x:.1},{y:.1}) rectangle +({w:.1},{h:.1});")
                }
                Shape::Cells(cells) => {
                    let one = |[x, y, w, h]: &super::Cell| format!(" ({x},{y}) rectangle +({w},{h})");
                    writeln!(out, "\\fill[{name}]{};", cells.iter().map(one).collect::<String>())
                }
                Shape::Dot { at: (x, y), radius } => {
                    writeln!(out, "\\fill[{name}] ({x:.1},{y:.1}) circle[radius={radius}];")
                }
                Shape::Words { at: (x, y), text, size, anchor, upright } => {
                    let anchor = match anchor {
                        Anchor::Start => "base west",
                        Anchor::Middle => "base",
                        Anchor::End => "base east",
                    };
                    let turn = if *upright { ",rotate=90" } else { "" };
                    let (small, large) = (0.55 * size, 0.66 * size);
                    writeln!(
                        out,
                        "\\node[{name},anchor={anchor},inner sep=0pt,font=\\sffamily\\fontsize{{{small:.1}}}{{{large:.1}}}\\selectfont{turn}] \
                         at ({x:.1},{y:.1}) {{{}}};",
                        escaped(text)
                    )
                }
            };
        }
        out + "\\end{tikzpicture}\n"
    }
}

/// A number in letters: names of colours have no digits in old formats.
fn letters(mut number: usize) -> String {
    let mut word = String::new();
    loop {
        word.insert(0, char::from(b'a' + (number % 26) as u8));
        number /= 26;
        if number == 0 {
            return word;
        }
    }
}

/// A text without characters that LaTeX would interpret.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '²' => out.push_str("$^2$"),
            '³' => out.push_str("$^3$"),
            'Θ' => out.push_str("$\\Theta$"),
            '→' => out.push_str("$\\rightarrow$"),
            '≥' => out.push_str("$\\geq$"),
            '≤' => out.push_str("$\\leq$"),
            '·' => out.push_str("$\\cdot$"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Anchor, Canvas, INK};
    use super::letters;

    #[test]
    fn every_shape_is_written_and_special_characters_are_escaped() {
        let mut canvas = Canvas::new(100.0, 50.0);
        canvas.line(&[(0.0, 1.0), (2.0, 3.0)], INK, 1.0);
        canvas.cells(vec![[1, 2, 3, 4]], [1, 2, 3]);
        canvas.upright((5.0, 6.0), "50 % of a_b & n²", 11.0, INK);
        canvas.words((5.0, 6.0), "x", 11.0, Anchor::End, INK);
        let tikz = canvas.tikz();
        for part in [
            "\\definecolor{ringleadera}{RGB}{255,255,255}",
            "(0.0,1.0) -- (2.0,3.0);",
            "(1,2) rectangle +(3,4);",
            "{50 \\% of a\\_b \\& n$^2$};",
            "rotate=90",
            "anchor=base east",
        ] {
            assert!(tikz.contains(part), "{part} is not in {tikz}");
        }
        assert!(tikz.starts_with("\\begin{tikzpicture}") && tikz.ends_with("\\end{tikzpicture}\n"));
        assert_eq!([0, 25, 26, 51].map(letters), ["a", "z", "ba", "bz"]);
    }
}

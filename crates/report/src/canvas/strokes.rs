//! Text as strokes: a small single-line font, so that pictures need no font files.

use std::collections::HashMap;
use std::sync::LazyLock;

type Points = Vec<(f32, f32)>;

/// For each character its width and strokes, in tenths: capitals are 60 high, the base line is 0.
static ALPHABET: LazyLock<HashMap<char, (f32, Vec<Points>)>> = LazyLock::new(|| {
    let number = |text: &str| text.parse::<f32>().unwrap_or(0.0);
    let point = |text: &str| text.split_once(',').map_or((0.0, 0.0), |(x, y)| (number(x), number(y)));
    include_str!("font.txt")
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').filter(|word| !word.is_empty());
            let name = words.next()?;
            let character = if name == "space" { ' ' } else { name.chars().next()? };
            let width = number(words.next()?);
            Some((character, (width, words.map(|stroke| stroke.split(';').map(point).collect()).collect())))
        })
        .collect()
});

/// The length of a tenth at a font size.
fn unit(size: f32) -> f32 {
    size * 0.72 / 60.0
}

const BETWEEN: f32 = 10.0;

fn letter(character: char) -> Option<&'static (f32, Vec<Points>)> {
    ALPHABET.get(&character).or_else(|| ALPHABET.get(&'?'))
}

/// The width of a text at a font size.
pub(super) fn width(text: &str, size: f32) -> f32 {
    let letters = text.chars().filter_map(letter);
    (letters.map(|(width, _)| width + BETWEEN).sum::<f32>() - BETWEEN).max(0.0) * unit(size)
}

/// The strokes of a text that starts at a point of its base line.
#[cfg(feature = "pictures")]
pub(super) fn of(text: &str, size: f32, (mut x, y): (f32, f32)) -> Vec<Points> {
    let unit = unit(size);
    let mut all = vec![];
    for (width, strokes) in text.chars().filter_map(letter) {
        all.extend(strokes.iter().map(|s| s.iter().map(|(dx, dy)| (x + dx * unit, y - dy * unit)).collect::<Points>()));
        x += (width + BETWEEN) * unit;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_strokes() {
        for character in ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(".,:-+=/()%'²³Θ".chars()) {
            assert!(
                ALPHABET.get(&character).is_some_and(|(width, strokes)| *width > 0.0 && !strokes.is_empty()),
                "{character}"
            );
        }
        assert!(width("mm", 12.0) > width("ii", 12.0));
    }
}

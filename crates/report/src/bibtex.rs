//! The citation of an algorithm as BibTeX.
//!
//! ```
//! use ringleader_algorithms::message::chang_roberts::ChangRoberts;
//! use ringleader_erased::Entry;
//!
//! let entry = ringleader_report::bibtex::entry(&ChangRoberts::CARD).unwrap();
//! assert!(entry.starts_with("@article{chang1979,\n  author = {E. Chang and R. Roberts},\n"));
//! assert!(entry.contains("journal = {Communications of the ACM}") && entry.contains("volume = {22}"));
//! ```

use ringleader_erased::Card;

/// The citation on a card as a BibTeX entry; `None` if the card names no paper in the usual form: authors, a colon, the title, the venue and the
/// year, then the place in the paper, and remarks after a semicolon.
#[must_use]
pub fn entry(card: &Card) -> Option<String> {
    let (paper, remark) = card.citation.split_once("; ").unwrap_or((card.citation, ""));
    let (authors, rest) = paper.strip_prefix("after ").unwrap_or(paper).split_once(": ")?;
    let parts: Vec<&str> = rest.split(", ").collect();
    let at = (1..parts.len()).find(|&at| year(parts[at]).is_some())?;
    let year = year(parts[at])?;
    let alone = parts[at] == year;
    let venue = if alone { parts[at - 1] } else { parts[at] };
    let title = parts[..if alone { at - 1 } else { at }].join(", ");
    let place = parts[at + 1..].join(", ");
    let authors: Vec<&str> = authors.split(", ").collect();
    let surname = authors[0].rsplit(' ').next()?;
    let key: String = surname.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_lowercase() + year;
    let mut fields = vec![("author", authors.join(" and ")), ("title", format!("{{{title}}}"))];
    let kind = match volume(venue).filter(|_| alone) {
        Some((journal, volume, number)) => {
            fields.extend([("journal", journal.to_string()), ("volume", volume.to_string())]);
            fields.extend(number.map(|number| ("number", number.to_string())));
            "article"
        }
        None => {
            fields.push(("booktitle", venue.to_string()));
            "inproceedings"
        }
    };
    fields.push(("year", year.to_string()));
    let note = [place.as_str(), remark].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("; ");
    if !note.is_empty() {
        fields.push(("note", note));
    }
    let fields: Vec<String> =
        fields.into_iter().map(|(name, value)| format!("  {name} = {{{}}}", escaped(&value))).collect();
    Some(format!("@{kind}{{{key},\n{}\n}}\n", fields.join(",\n")))
}

/// The year at the end of a part.
fn year(part: &str) -> Option<&str> {
    let last = part.rsplit(' ').next()?;
    let is_year = last.len() == 4
        && last.chars().all(|c| c.is_ascii_digit())
        && (last.starts_with("19") || last.starts_with("20"));
    is_year.then_some(last)
}

/// A journal with its volume, and its number if it has one: `Journal of Algorithms 3(3)`.
fn volume(venue: &str) -> Option<(&str, &str, Option<&str>)> {
    let (journal, last) = venue.rsplit_once(' ')?;
    let (volume, number) = match last.strip_suffix(')').and_then(|last| last.split_once('(')) {
        Some((volume, number)) => (volume, Some(number)),
        None => (last, None),
    };
    volume.ends_with(|c: char| c.is_ascii_digit() || number.is_some()).then_some((journal, volume, number))
}

/// A value without characters that LaTeX would interpret; braces of a title stay.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if matches!(c, '&' | '%' | '$' | '#' | '_') {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

#[cfg(test)]
mod tests {
    use super::entry;
    use ringleader_erased::Card;

    fn of(citation: &'static str) -> Option<String> {
        entry(&Card { citation, ..Card::BLANK })
    }

    #[test]
    fn titles_with_commas_and_colons_stay_whole() {
        let entry =
            of("F. E. Fich, C. Johnen: A space optimal, deterministic, leader election: rings, DISC 2001, section 3")
                .unwrap();
        let expected = "@inproceedings{fich2001,\n  author = {F. E. Fich and C. Johnen},\n  title = {{A space optimal, deterministic, \
                        leader election: rings}},\n  booktitle = {DISC 2001},\n  year = {2001},\n  note = {section 3}\n}\n";
        assert_eq!(entry, expected);
    }

    #[test]
    fn volumes_have_numbers_or_not() {
        let entry = of("D. Yokota: Time-optimal rings, IEICE Trans. Fundamentals E104-A(12), 2021, Algorithm 1 (P_RL)")
            .unwrap();
        assert!(
            entry.contains("volume = {E104-A},\n  number = {12}") && entry.contains("note = {Algorithm 1 (P\\_RL)}"),
            "{entry}"
        );
        let entry = of("Y. Sudo: Loosely, Theoretical Computer Science 444, 2012; rules from memory").unwrap();
        assert!(entry.contains("volume = {444},\n  year") && entry.contains("note = {rules from memory}"), "{entry}");
        assert_eq!(of(""), None);
        assert_eq!(of("my own"), None);
    }
}

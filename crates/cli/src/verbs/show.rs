//! `ringleader show`: the card of an algorithm.

use crate::catalog;
use crate::terminal::exit::{Failure, usage};
use anstyle::Style;
use ringleader_erased::{Card, DetectorLayer, Layers, Parameter, Parameters};
use ringleader_report::bibtex;
use ringleader_report::json::OptionalFields as _;
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// Show an algorithm's card: its requirements, its claim, its rules and its citation.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader show yokota-ring
  ringleader show yokota-ring --source | less
  ringleader show yokota-ring --bibtex >> references.bib")]
pub(crate) struct Arguments {
    /// The algorithm: a name that `ringleader list` prints, or a text protocol
    algorithm: String,
    /// Print one JSON object instead of the card
    #[arg(long)]
    json: bool,
    /// Print the algorithm's source file instead of the card
    #[arg(long, conflicts_with = "json")]
    source: bool,
    /// Print the citation as a BibTeX entry instead of the card
    #[arg(long, conflicts_with_all = ["json", "source"])]
    bibtex: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    let mut out = anstream::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", as_json(card))?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.source {
        write!(out, "{}", card.source)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.bibtex {
        let entry = bibtex::entry(card).ok_or_else(|| {
            usage!(
                "the card of {} has no citation of the form AUTHORS: TITLE, VENUE, YEAR; in a text protocol, the line \
                 `citation` gives it",
                card.name
            )
        })?;
        write!(out, "{entry}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let bold = Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}: {}\n", card.name, card.summary)?;
    // The card of another program's algorithm may leave lines out.
    for (title, text) in lines(card).into_iter().filter(|(_, text)| !text.is_empty()) {
        writeln!(out, "  {bold}{title:11}{bold:#} {text}")?;
    }
    for parameter in card.parameters {
        let title = format!("--{}", parameter.name);
        let words = parameter.kind.words().map_or_else(String::new, |words| format!("{}; ", words.join(" or ")));
        writeln!(out, "  {bold}{title:11}{bold:#} {} ({words}default: {})", parameter.meaning, parameter.default)?;
    }
    writeln!(out, "\n{bold}Rules{bold:#}")?;
    for line in card.rules.lines() {
        writeln!(out, "  {line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn lines(card: &Card) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("promises", card.claim.to_string()),
        ("model", card.kind.describe().to_string()),
        ("graph", card.topology.describe().to_string()),
        ("sizes", format!("{} (default {})", card.sizes, card.default_size)),
        ("knowledge", card.knowledge.to_string()),
        ("scheduler", card.assumes.to_string()),
    ];
    lines.extend(card.oracle.map(|oracle| ("oracle", oracle.to_string())));
    lines.extend(card.channels.map(|channels| ("channels", channels.to_string())));
    lines.push(("states", format!("{} per agent", card.states)));
    lines.push(("source", card.citation.to_string()));
    lines.extend(layers(card).map(|flags| ("layers", flags)));
    lines.extend(card.flaw.map(|flaw| ("FLAWED", flaw.to_string())));
    lines
}

/// The flags that wrap this algorithm in a layer.
fn layers(card: &Card) -> Option<String> {
    let all = [
        ("--undirected", Layers { undirected: true, ..Layers::default() }),
        ("--oracle distance", Layers { detector: Some(DetectorLayer::Distance), ..Layers::default() }),
        ("--oracle timer", Layers { detector: Some(DetectorLayer::Timer), ..Layers::default() }),
        ("--alternator", Layers { alternator: true, ..Layers::default() }),
        ("--atomicity read-write", Layers { read_write: true, ..Layers::default() }),
    ];
    let given = Parameters::new(card.default_size);
    let suits = |layers| catalog().supports(card.name, &given.clone().layered(layers)).is_ok();
    let flags: Vec<_> = all.into_iter().filter(|&(_, layers)| suits(layers)).map(|(flag, _)| flag).collect();
    (!flags.is_empty()).then(|| flags.join(", "))
}

fn as_json(card: &Card) -> serde_json::Value {
    let parameter = |p: &Parameter| {
        let parameter = json!({ "name": p.name, "meaning": p.meaning, "default": p.default });
        parameter.with("words", p.kind.words().map(|words| json!(words)))
    };
    let parameters: Vec<_> = card.parameters.iter().map(parameter).collect();
    json!({
        "name": card.name, "summary": card.summary, "claim": card.claim, "model": card.kind.describe(),
        "graph": card.topology.describe(), "sizes": card.sizes, "default_size": card.default_size,
        "knowledge": card.knowledge, "scheduler": card.scheduler.name(), "assumes": card.assumes,
        "oracle": card.oracle, "channels": card.channels, "states": card.states, "citation": card.citation,
        "parameters": parameters, "rules": card.rules, "flaw": card.flaw,
        "absent": catalog().why_absent(card.name), "layers": layers(card),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_algorithm_has_a_bibtex_entry_with_a_year_and_a_venue() {
        let mut keys = BTreeSet::new();
        for card in catalog().cards() {
            let entry = bibtex::entry(card).unwrap_or_else(|| panic!("{}: {}", card.name, card.citation));
            assert!(
                entry.contains("year = {") && (entry.contains("journal") || entry.contains("booktitle")),
                "{entry}"
            );
            keys.insert(entry.lines().next().unwrap_or_default().to_string());
        }
        assert!(keys.len() > 20, "{keys:?}");
    }
}

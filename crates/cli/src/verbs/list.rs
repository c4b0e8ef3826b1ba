//! `ringleader list`

use crate::catalog;
use crate::terminal::exit::Failure;
use anstyle::{AnsiColor, Style};
use serde_json::json;
use std::io::Write;
use std::process::ExitCode;

/// List all algorithms.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// One JSON array instead of the table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let cards: Vec<_> = catalog()
            .cards()
            .map(|card| {
                json!({
                    "name": card.name, "summary": card.summary, "model": card.kind.describe(),
                    "graph": card.topology.describe(), "sizes": card.sizes, "states": card.states,
                    "flawed": card.flaw.is_some(), "runs": catalog().why_absent(card.name).is_none(),
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::from(cards))?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = Style::new().bold();
    let flawed = AnsiColor::Red.on_default();
    let width = catalog().cards().map(|card| card.name.len()).max().unwrap_or(0);
    for card in catalog().cards() {
        write!(out, "{name}{:width$}{name:#}  {:20}  {}", card.name, card.topology.describe(), card.summary)?;
        if card.flaw.is_some() {
            write!(out, " {flawed}[flawed]{flawed:#}")?;
        }
        if let Some(reason) = catalog().why_absent(card.name) {
            write!(out, " {flawed}[{reason}]{flawed:#}")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\n`ringleader show NAME` prints the whole card, `ringleader elect NAME` runs it.")?;
    Ok(ExitCode::SUCCESS)
}

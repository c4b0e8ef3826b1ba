//! `ringleader new` and `ringleader fmt`: text protocols as files.

use crate::terminal::exit::{FAILS, Failure, bail, usage};
use crate::terminal::files;
use crate::terminal::program::program;
use crate::texts::ENDING;
use ringleader_erased::Kind;
use ringleader_language::{Severity, template};
use ringleader_model::shell_word;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write a small text protocol that works, as a start for your own: rules, a promise, and a comment on each line.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader new my-election                        a population protocol, in my-election.ring
  ringleader new my-ring --model ring
  ringleader check my-election.ring --size 3        every configuration of three agents

docs/language.md is the manual. Exit codes: 0 written, 2 wrong usage, or the file exists already.")]
pub(crate) struct New {
    /// The name of the protocol: lower-case letters, digits and hyphens; the file is NAME.ring
    name: String,
    /// The model
    #[arg(long, default_value = "population")]
    model: Model,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Model {
    Population,
    Ring,
    Graph,
    #[value(alias = "messages")]
    Message,
}

pub(crate) fn new(arguments: &New) -> Result<ExitCode, Failure> {
    let name = &arguments.name;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        bail!("{name:?} is no name: use lower-case letters, digits and hyphens, a letter first");
    }
    let kind = match arguments.model {
        Model::Population => Kind::Population,
        Model::Ring => Kind::Ring,
        Model::Graph => Kind::Graph,
        Model::Message => Kind::Message,
    };
    let text = template(name, kind).ok_or_else(|| usage!("this model has no template"))?;
    let path = PathBuf::from(format!("{name}.{ENDING}"));
    let created = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = created.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| usage!("cannot write {}: {e}", path.display()))?;
    let path = path.display();
    writeln!(
        anstream::stdout().lock(),
        "wrote {path}: `{} watch {}` checks it, and again after each save",
        program(),
        shell_word(&path)
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Format text protocols: indentation, spaces, one rule per line. Comments stay, and errors are left alone.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader fmt my-election.ring
  ringleader fmt --check *.ring                     only name the files that would change

Exit codes: 0 formatted, 1 with --check if a file would change, 2 a file cannot be read.")]
pub(crate) struct Format {
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change no file; name the files that would change
    #[arg(long)]
    check: bool,
}

pub(crate) fn format(arguments: &Format) -> Result<ExitCode, Failure> {
    let mut changed = false;
    for path in &arguments.files {
        let text = files::read(path)?;
        let name = path.display().to_string();
        let formatted = ringleader_language::format(&name, &text).map_err(|e| Failure::explained(e.styled()))?;
        if let Err(wrong) = ringleader_language::Source::parse(&name, &formatted) {
            let errors = wrong.iter().filter(|d| d.severity == Severity::Error).count();
            let errors = if errors == 1 { "an error".to_string() } else { format!("{errors} errors") };
            anstream::eprintln!(
                "{name} has {errors}, which formatting does not repair: `{} watch --once {}` shows more",
                program(),
                shell_word(&name)
            );
        }
        if formatted == text {
            continue;
        }
        changed = true;
        if arguments.check {
            writeln!(anstream::stdout().lock(), "{name} would change")?;
        } else {
            files::write(path, formatted)?;
        }
    }
    Ok(if arguments.check && changed { ExitCode::from(FAILS) } else { ExitCode::SUCCESS })
}

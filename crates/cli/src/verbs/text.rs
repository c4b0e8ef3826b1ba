//! `ringleader new` and `ringleader fmt`: text protocols as files.

use crate::terminal::exit::{FAILS, Failure};
use crate::terminal::program::program;
use crate::texts::ENDING;
use ringleader_erased::Kind;
use ringleader_language::{Severity, template};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a text protocol that works: rules, a promise, and comments that say what each line is for.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader new my-election                        a population protocol, in my-election.ring
  ringleader new my-ring --model ring
  ringleader check my-election.ring --size 3        what it is worth

docs/language.md is the book. Exit codes: 0 written, 2 bad usage, or the file is there already.")]
pub(crate) struct New {
    /// What the protocol is called: small letters, digits and hyphens; the file is NAME.ring
    name: String,
    /// population, ring or message
    #[arg(long, default_value = "population")]
    model: Model,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Model {
    Population,
    Ring,
    #[value(alias = "messages")]
    Message,
}

pub(crate) fn new(arguments: &New) -> Result<ExitCode, Failure> {
    let name = &arguments.name;
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        return Err(Failure::usage(format!("{name:?} is no name: small letters, digits and hyphens, a letter first")));
    }
    let kind = match arguments.model {
        Model::Population => Kind::Population,
        Model::Ring => Kind::Ring,
        Model::Message => Kind::Message,
    };
    let text = template(name, kind).ok_or_else(|| Failure::usage("there is no template for this model"))?;
    let path = PathBuf::from(format!("{name}.{ENDING}"));
    let created = std::fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = created.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))?;
    let path = path.display();
    writeln!(
        anstream::stdout().lock(),
        "{path} is written: `{} watch {path}` checks it, and again each time you save it",
        program()
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Lay out text protocols: indentation, spaces, one rule a line. Comments stay; what is wrong is left alone.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader fmt my-election.ring
  ringleader fmt --check *.ring                     only say which would change

Exit codes: 0 laid out, 1 with --check if a file would change, 2 a file cannot be read.")]
pub(crate) struct Format {
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; name the files that would change
    #[arg(long)]
    check: bool,
}

pub(crate) fn format(arguments: &Format) -> Result<ExitCode, Failure> {
    let mut changed = false;
    for path in &arguments.files {
        let text = read(path)?;
        let name = path.display().to_string();
        let laid_out = ringleader_language::format(&name, &text).map_err(|e| Failure::explained(e.styled()))?;
        if let Err(wrong) = ringleader_language::Source::parse(&name, &laid_out) {
            let errors = wrong.iter().filter(|d| d.severity == Severity::Error).count();
            let errors = if errors == 1 { "an error".to_string() } else { format!("{errors} errors") };
            anstream::eprintln!(
                "{name} has {errors}, which layout does not mend: `{} watch --once {name}` shows more",
                program()
            );
        }
        if laid_out == text {
            continue;
        }
        changed = true;
        if arguments.check {
            writeln!(anstream::stdout().lock(), "{name} would change")?;
        } else {
            std::fs::write(path, laid_out).map_err(|e| Failure::usage(format!("cannot write {name}: {e}")))?;
        }
    }
    Ok(if arguments.check && changed { ExitCode::from(FAILS) } else { ExitCode::SUCCESS })
}

fn read(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path).map_err(|e| Failure::usage(format!("cannot read {}: {e}", path.display())))
}

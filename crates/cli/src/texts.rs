//! Text protocols, which the arguments name by their paths.
//!
//! A text protocol may have parameters, which become flags. So the arguments are parsed twice: first leniently, to find the text
//! protocols, and then strictly, with a catalog that has them.

use crate::terminal::exit::{Failure, bail};
use crate::terminal::files;
use crate::verbs::merge;
use crate::{catalog, command};
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use ringleader_catalog::Catalog;
use ringleader_language::{Protocol, Source};
use ringleader_model::message_trace::MessageTrace;
use ringleader_model::text::Document;
use ringleader_model::trace::Trace;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The extension of text protocols.
pub(crate) const ENDING: &str = "ring";

/// The arguments that name algorithms.
const ALGORITHM: &str = "algorithm";
/// The flag of `verify` that names an algorithm.
const AGAINST: &str = "against";
/// The flags whose files name an algorithm.
const RUNS: [&str; 2] = ["replay", "start"];

/// The catalog with every text protocol that the arguments name.
pub(crate) fn brought(mut catalog: Catalog, arguments: &[OsString]) -> Result<Catalog, Failure> {
    // Most command lines name no file, so a parse would find nothing.
    if !arguments.iter().any(|argument| may_name_a_text(&argument.to_string_lossy())) {
        return Ok(catalog);
    }
    let found = lenient(command(&catalog, arguments), arguments).try_get_matches_from(arguments);
    // The second parse reports the errors.
    let Ok(found) = found else { return Ok(catalog) };
    let Some((verb, found)) = found.subcommand() else { return Ok(catalog) };
    if verb == "merge" {
        let file = given(found, "files").next();
        let recorded = file.and_then(|file| merge::recorded(&files::read(&PathBuf::from(file)).ok()?));
        return match recorded {
            Some(recorded) => brought(catalog, &recorded),
            None => Ok(catalog),
        };
    }
    for (path, named_in) in paths(verb, found) {
        if let Some(run) = named_in.filter(|_| !path.exists()) {
            let line = files::read(&run)?.lines().position(|line| line.trim().starts_with(ALGORITHM)).unwrap_or(0) + 1;
            bail!(
                "{}:{line}: cannot read {}: the path of a text starts from the directory in which the command runs",
                run.display(),
                path.display()
            );
        }
        let (file, protocol) = (path.display().to_string(), read(&path)?);
        let name = protocol.card().name;
        if let Some(other) = catalog.file(name).filter(|other| *other != file) {
            bail!("{other} and {file} are both called {name}: rename one of the protocols");
        }
        catalog = catalog.text_file(&file, &protocol);
    }
    Ok(catalog)
}

/// Whether an argument can be the path of a text, or the flag or the verb of a file that names one.
fn may_name_a_text(argument: &str) -> bool {
    RUNS.iter().any(|flag| argument.contains(flag)) || argument == "merge" || argument.contains(&format!(".{ENDING}"))
}

/// The command line without reasons to refuse arguments: values have any type, and every unknown flag takes a value.
fn lenient(command: Command, arguments: &[OsString]) -> Command {
    let flags = || arguments.iter().filter_map(|argument| argument.to_str()?.strip_prefix("--")?.split('=').next());
    let untyped = |arg: Arg| match arg.get_action().takes_values() {
        true => arg.value_parser(ValueParser::os_string()),
        false => arg,
    };
    let help = Arg::new("help").long("help").short('h').action(ArgAction::SetTrue);
    let command = command.ignore_errors(true);
    command.mut_subcommands(|verb| {
        let verb = flags().filter(|flag| !flag.is_empty()).fold(verb.mut_args(untyped), |verb, flag| {
            let known = flag == "help" || verb.get_arguments().any(|arg| arg.get_long() == Some(flag));
            if known { verb } else { verb.arg(Arg::new(format!("--{flag}")).long(flag.to_string())) }
        });
        verb.disable_help_flag(true).arg(help.clone())
    })
}

/// The values of an argument, if the verb has this argument.
fn given<'a>(found: &'a ArgMatches, id: &str) -> impl Iterator<Item = &'a OsString> {
    found.try_get_many::<OsString>(id).ok().flatten().into_iter().flatten()
}

/// The paths of text protocols in the arguments of a verb, and in the files of runs that they name, which follow such a path.
fn paths(verb: &str, found: &ArgMatches) -> Vec<(PathBuf, Option<PathBuf>)> {
    let against = given(found, AGAINST).filter(|_| verb == "verify");
    let names = given(found, ALGORITHM).chain(against).flat_map(|names| match names.to_str() {
        Some(names) if !Path::new(names).exists() => names.split(',').map(|name| name.trim().into()).collect(),
        _ => vec![PathBuf::from(names)],
    });
    let runs = RUNS.iter().flat_map(|flag| given(found, flag)).map(PathBuf::from);
    let runs = runs.filter_map(|file| Some((PathBuf::from(algorithm_of(&file)?), Some(file))));
    names.map(|path| (path, None)).chain(runs).filter(|(path, _)| is_protocol(path)).collect()
}

/// The algorithm in the file of a run.
fn algorithm_of(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    if MessageTrace::detect(&text) {
        return MessageTrace::parse(&text).ok().map(|trace| trace.algorithm);
    }
    if Trace::detect(&text) {
        return Trace::parse(&text).ok().map(|trace| trace.start.algorithm);
    }
    Document::parse(&text).ok().map(|document| document.algorithm)
}

/// The name by which a file or a command finds an algorithm again: the path of its text, if it has one.
pub(crate) fn reference(name: &str) -> &str {
    // A name in a file ends with its line.
    catalog().file(name).filter(|file| !file.contains('\n')).unwrap_or(name)
}

/// The file of a run, with the name of its algorithm in place of the path of a text protocol.
pub(crate) fn run_file(path: &Path) -> Result<String, Failure> {
    let text = files::read(path)?;
    let Some(file) = algorithm_of(path).filter(|name| is_protocol(Path::new(name))) else { return Ok(text) };
    let name = catalog().card(&file)?.name;
    let named = |line: &str| match line.trim().strip_prefix(ALGORITHM) {
        Some(rest) if rest.trim() == file => format!("{ALGORITHM} {name}\n"),
        _ => format!("{line}\n"),
    };
    Ok(text.lines().map(named).collect())
}

fn is_protocol(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == ENDING)
}

/// Reads a text protocol, and prints the warnings about it.
pub(crate) fn read(path: &Path) -> Result<Protocol, Failure> {
    let protocol = parse(path, &files::read(path)?)?;
    if !protocol.warnings().is_empty() {
        anstream::eprintln!("{}", protocol.warnings().styled());
    }
    Ok(protocol)
}

/// Parses the text of a file.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Protocol, Failure> {
    Source::parse(&path.display().to_string(), text).map_err(|wrong| Failure::explained(wrong.styled()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_arguments_that_name_protocols_are_read() {
        let bring = |words: &str| {
            let words: Vec<OsString> = words.split(' ').map(OsString::from).collect();
            brought(Catalog::builtin(), &words).is_ok()
        };
        assert!(!bring("ringleader check missing.ring --size 3"), "a protocol that is not there");
        assert!(!bring("ringleader check --json missing.ring --size 3"), "after a flag without a value");
        assert!(!bring("ringleader check --mine 3 missing.ring --help"), "after a parameter of its own");
        assert!(!bring("ringleader simulate franklin,missing.ring"), "in a list");
        assert!(bring("ringleader check name --save missing.ring"), "a file to be written");
        assert!(bring("ringleader check name --mine missing.ring"), "a value of an unknown parameter");
        assert!(bring("ringleader verify missing.ring"), "a certificate");
        assert!(!bring("ringleader verify proof.json --against=missing.ring"), "compared with a certificate");
    }
}

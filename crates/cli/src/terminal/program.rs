//! The name of this program in hints and help: `ringleader`, or that of a program with other algorithms.

use crate::catalog;
use clap::Command;
use ringleader_catalog::Catalog;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

static NAME: OnceLock<String> = OnceLock::new();
/// The name in the sources of the help texts.
const OWN: &str = "ringleader";

/// The name to type.
pub(crate) fn program() -> &'static str {
    NAME.get().map_or(OWN, String::as_str)
}

/// Remembers the name by which the program was started.
pub(crate) fn started_as(path: Option<&OsStr>) {
    if let Some(name) = path.and_then(|path| Path::new(path).file_stem()).filter(|name| !name.is_empty()) {
        let _ = NAME.set(name.to_string_lossy().into_owned());
    }
}

/// The command line with help that names this program, without examples for algorithms that it does not have.
pub(crate) fn helped(command: Command) -> Command {
    let missing: Vec<&str> =
        Catalog::builtin().names().filter(|name| catalog().names().all(|known| known != *name)).collect();
    if program() == OWN && missing.is_empty() { command } else { renamed(command, &missing) }
}

fn renamed(command: Command, missing: &[&str]) -> Command {
    let examples = command.get_after_help().map(ToString::to_string);
    let command = match examples {
        Some(examples) => {
            let here =
                |line: &&str| !line.split_whitespace().any(|word| word.split(',').any(|name| missing.contains(&name)));
            let lines: Vec<String> = examples.lines().filter(here).map(in_own_name).collect();
            command.after_help(lines.join("\n").replace("Examples:\n\n", ""))
        }
        None => command,
    };
    let command = command.mut_args(|arg| match arg.get_help().map(ToString::to_string) {
        Some(help) => {
            let absent = missing.iter().fold(help, |help, name| help.replace(&format!(" [default: {name}]"), ""));
            arg.help(in_own_name(&absent))
        }
        None => arg,
    });
    command.mut_subcommands(|verb| renamed(verb, missing))
}

/// The commands of a text under the name of this program.
fn in_own_name(text: &str) -> String {
    with_name(text, program())
}

fn with_name(text: &str, name: &str) -> String {
    ["`", "  ", "| "]
        .iter()
        .fold(text.to_string(), |text, before| text.replace(&format!("{before}{OWN} "), &format!("{before}{name} ")))
}

#[cfg(test)]
mod tests {
    use super::with_name;

    #[test]
    fn only_commands_are_renamed() {
        let renamed = |text| with_name(text, "my-ring");
        assert_eq!(renamed("  ringleader list | ringleader x"), "  my-ring list | my-ring x");
        assert_eq!(
            renamed("a ringleader node, as `ringleader list` says"),
            "a ringleader node, as `my-ring list` says"
        );
    }
}

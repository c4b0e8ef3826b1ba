//! `ringleader generate`: manual pages and completions, made from the definitions of the verbs and flags.

use clap::{Command, Subcommand};
use clap_complete::Shell;
use clap_mangen::Man;
use ringleader_node::NodeError;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write manual pages, or print the completions of a shell.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader generate man /usr/local/share/man/man1
  ringleader generate completions bash > /usr/share/bash-completion/completions/ringleader
  ringleader generate completions zsh > /usr/share/zsh/vendor-completions/_ringleader
  ringleader generate completions fish > /usr/share/fish/vendor_completions.d/ringleader.fish

The Debian packages contain the pages and the completions.")]
pub struct Generate {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Subcommand)]
enum Kind {
    /// Write a manual page of the program and one of each verb
    Man {
        /// The folder of the pages; it is made if it does not exist
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print the completions of a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Writes the manual pages or the completions of a command line.
pub fn generate(arguments: &Generate, mut command: Command) -> Result<ExitCode, NodeError> {
    match &arguments.kind {
        Kind::Man { folder } => {
            let refused =
                |path: &Path, e: io::Error| NodeError::new(format!("cannot write to {}: {e}", path.display()));
            std::fs::create_dir_all(folder).map_err(|e| refused(folder, e))?;
            // A page of the verb `help` would repeat the others.
            let mut command = command.disable_help_subcommand(true);
            command.build();
            for (name, page) in pages(&command).map_err(|e| refused(folder, e))? {
                let path = folder.join(name);
                std::fs::write(&path, page).map_err(|e| refused(&path, e))?;
            }
        }
        Kind::Completions { shell } => {
            let name = command.get_name().to_string();
            let mut script = vec![];
            clap_complete::generate(*shell, &mut command, name, &mut script);
            match io::stdout().write_all(&script) {
                // The reader wants no more.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                written => written.map_err(|e| NodeError::new(format!("cannot print the completions: {e}")))?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The names and texts of the pages of a command and of all commands below it.
fn pages(command: &Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let title = command.get_display_name().unwrap_or(command.get_name());
    let version = command.get_version().unwrap_or(env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone());
    // Of its own, since `render_title` drops an empty date.
    let mut text = format!(
        ".TH {} 1 \"\" \"{} {version}\" \"ringleader manual\"\n",
        title.to_uppercase().replace('-', "\\-"),
        title.split('-').next().unwrap_or(title)
    )
    .into_bytes();
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    if let Some(notes) = command.get_after_help() {
        text.extend(verbatim(&notes.to_string()).bytes());
    }
    let mut all = vec![(man.get_filename(), text)];
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        all.extend(pages(verb)?);
    }
    Ok(all)
}

/// The notes of the help, line by line: a manual page would join the lines of its examples.
fn verbatim(notes: &str) -> String {
    let (heading, notes) =
        notes.strip_prefix("Examples:\n").map_or(("NOTES", notes), |examples| ("EXAMPLES", examples));
    let line = |line: &str| {
        let escaped = line.replace('\\', "\\[rs]").replace('-', "\\-");
        // A leading dot or apostrophe would be a request.
        if escaped.starts_with(['.', '\'']) { format!("\\&{escaped}\n") } else { format!("{escaped}\n") }
    };
    format!(".SH {heading}\n.nf\n{}.fi\n", notes.lines().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_keep_their_lines() {
        let shown = verbatim("Examples:\n  one --flag \\\n      two\n.three");
        assert_eq!(shown, ".SH EXAMPLES\n.nf\n  one \\-\\-flag \\[rs]\n      two\n\\&.three\n.fi\n");
        assert!(verbatim("a note").starts_with(".SH NOTES\n"));
    }

    #[test]
    fn hidden_verbs_have_no_page() {
        let verbs = ["shown", "hidden"].map(|name| Command::new(name).hide(name == "hidden"));
        let mut command = Command::new("program").subcommands(verbs).disable_help_subcommand(true);
        command.build();
        let names: Vec<String> = pages(&command).unwrap().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["program.1", "program-shown.1"]);
    }
}

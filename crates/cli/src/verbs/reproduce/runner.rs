//! Runs ringleader's own commands, exactly as the page prints them, and reads what they say.

use super::finding::{Finding, Ran};
use crate::terminal::exit::Failure;
use crate::terminal::interrupt;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// Within five minutes on two cores.
    Quick,
    /// The largest state spaces too.
    Full,
}

/// Where commands are run and remembered.
pub(super) struct Runner {
    program: PathBuf,
    /// Where commands find and leave files.
    directory: PathBuf,
    pub(super) extent: Extent,
    pub(super) seed: u64,
    ran: Vec<Ran>,
}

impl Runner {
    pub(super) fn new(directory: &Path, extent: Extent, seed: u64) -> Result<Runner, Failure> {
        let program = std::env::current_exe().map_err(|e| Failure::usage(format!("cannot find this program: {e}")))?;
        Ok(Runner { program, directory: directory.to_path_buf(), extent, seed, ran: vec![] })
    }

    /// The one when little, the other when all is to be run.
    pub(super) fn either<T>(&self, quick: T, full: T) -> T {
        if self.extent == Extent::Full { full } else { quick }
    }

    /// The commands since this was last asked.
    pub(super) fn commands(&mut self) -> Vec<Ran> {
        std::mem::take(&mut self.ran)
    }

    /// What a command prints. It may find that a property fails, but not that it was asked nonsense.
    pub(super) fn text(&mut self, arguments: &str) -> Result<String, Failure> {
        let begun = Instant::now();
        let command = format!("ringleader {arguments}");
        let output = Command::new(&self.program)
            .args(arguments.split_whitespace())
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| Failure::usage(format!("cannot run `{command}`: {e}")))?;
        let exit = output.status.code();
        self.ran.push(Ran { command: command.clone(), exit, seconds: begun.elapsed().as_secs_f64() });
        if interrupt::requested() {
            return Err(Failure::usage("interrupted"));
        }
        if !matches!(exit, Some(0 | 1)) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::usage(format!("`{command}` ended with {}: {}", output.status, said.trim())));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What a command prints that also writes the run it shows as a page, which the finding then links to.
    pub(super) fn playable(
        &mut self,
        finding: &mut Finding,
        arguments: &str,
        file: &str,
        caption: &str,
    ) -> Result<String, Failure> {
        let runs = self.directory.join("runs");
        std::fs::create_dir_all(&runs).map_err(|e| Failure::usage(format!("cannot make {}: {e}", runs.display())))?;
        let text = self.text(&format!("{arguments} --html runs/{file}"))?;
        finding.pages.push((caption.to_string(), file.to_string()));
        Ok(text)
    }

    /// What a command says with `--json`.
    pub(super) fn json(&mut self, arguments: &str) -> Result<Value, Failure> {
        let text = self.text(&format!("{arguments} --json"))?;
        serde_json::from_str(&text).map_err(|e| Failure::usage(format!("`ringleader {arguments} --json`: {e}")))
    }

    /// Leaves a file for the commands to read.
    pub(super) fn put(&self, name: &str, text: &str) -> Result<(), Failure> {
        std::fs::write(self.directory.join(name), text).map_err(|e| Failure::usage(format!("cannot write {name}: {e}")))
    }

    /// Takes a file that a command has written.
    pub(super) fn take(&self, name: &str) -> Result<String, Failure> {
        let path = self.directory.join(name);
        let text = std::fs::read_to_string(&path).map_err(|e| Failure::usage(format!("cannot read {name}: {e}")))?;
        std::fs::remove_file(&path)?;
        Ok(text)
    }
}

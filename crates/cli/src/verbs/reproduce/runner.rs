//! Runs ringleader's own commands, exactly as the page prints them.

use super::finding::{Ran, rounded};
use crate::terminal::interrupt;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Where commands are run and remembered.
pub(super) struct Runner {
    /// Without a program, commands are only written down, and every result is `null`.
    program: Option<PathBuf>,
    /// Where commands find and leave files.
    directory: PathBuf,
    /// The largest state spaces, too.
    pub(super) full: bool,
    pub(super) seed: u64,
    ran: Vec<Ran>,
}

impl Runner {
    pub(super) fn new(directory: &Path, full: bool, seed: u64) -> Result<Runner, String> {
        let program = std::env::current_exe().map_err(|e| format!("cannot find this program: {e}"))?;
        Ok(Runner { program: Some(program), directory: directory.to_path_buf(), full, seed, ran: vec![] })
    }

    #[cfg(test)]
    pub(super) fn without_commands(full: bool) -> Runner {
        Runner { program: None, directory: PathBuf::new(), full, seed: 1, ran: vec![] }
    }

    /// The commands since the last call.
    pub(super) fn commands(&mut self) -> Vec<Ran> {
        std::mem::take(&mut self.ran)
    }

    /// The output of a command. The command may find that a property fails, but not that its arguments are wrong.
    pub(super) fn text(&mut self, arguments: &str) -> Result<String, String> {
        let begun = Instant::now();
        let command = format!("ringleader {arguments}");
        let Some(program) = &self.program else {
            self.ran.push(Ran { command, exit: None, seconds: 0.0 });
            return Ok("null".to_string());
        };
        let output = Command::new(program)
            .args(arguments.split_whitespace())
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| format!("cannot run `{command}`: {e}"))?;
        let exit = output.status.code();
        self.ran.push(Ran { command: command.clone(), exit, seconds: rounded(begun.elapsed().as_secs_f64()) });
        if interrupt::requested() {
            return Err("interrupted".to_string());
        }
        if !matches!(exit, Some(0 | 1)) {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`{command}` ended with {}: {}", output.status, said.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The result of a command with `--json`: one value, or the list of the values of all lines.
    pub(super) fn json(&mut self, arguments: &str) -> Result<Value, String> {
        let text = self.text(&format!("{arguments} --json"))?;
        let values: Result<Vec<Value>, _> = serde_json::Deserializer::from_str(&text).into_iter().collect();
        let mut values = values.map_err(|e| format!("`ringleader {arguments} --json`: {e}"))?;
        Ok(if values.len() == 1 { values.remove(0) } else { Value::Array(values) })
    }

    /// Leaves a file for the commands to read.
    pub(super) fn put(&self, name: &str, text: &str) -> Result<(), String> {
        let Some(_) = self.program else { return Ok(()) };
        std::fs::write(self.directory.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    }

    /// Takes a file that a command has written.
    pub(super) fn take(&self, name: &str) -> Result<String, String> {
        let Some(_) = self.program else { return Ok(String::new()) };
        let path = self.directory.join(name);
        let text = std::fs::read_to_string(&path).and_then(|text| std::fs::remove_file(&path).map(|()| text));
        text.map_err(|e| format!("cannot take {name}: {e}"))
    }
}

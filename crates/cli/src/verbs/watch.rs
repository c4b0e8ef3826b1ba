//! `ringleader watch`: checks a text protocol after each save.

use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, usage};
use crate::terminal::program::program;
use crate::terminal::{files, interrupt};
use crate::texts;
use ringleader_catalog::stabilizing;
use ringleader_erased::Parameters;
use ringleader_language::Protocol;
use ringleader_model::shell_word;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// Check a text protocol at small sizes, and again after each save: a verdict, and a counterexample with its picture.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader watch my-election.ring                 beside the editor; Ctrl-C ends it
  ringleader watch my-ring.ring --size 3,5 -- --scheduler unfair
  ringleader watch my-election.ring --once          check once, as a test

Errors of the text are printed as well. After the first size that fails, larger sizes are not checked.
Exit codes: 130 ended by Ctrl-C; with --once 0 holds, 1 fails, 2 the file has errors.")]
pub(crate) struct Arguments {
    /// The text protocol
    file: PathBuf,
    /// The sizes [default: the three smallest that the protocol claims and that are quick to check]
    #[arg(long, value_name = "N,..", value_delimiter = ',')]
    size: Vec<usize>,
    /// Check once and end
    #[arg(long)]
    once: bool,
    /// More flags for `ringleader check`
    #[arg(last = true, value_name = "FLAGS")]
    flags: Vec<String>,
}

/// The time between two looks at the file.
const PAUSE: Duration = Duration::from_millis(150);
/// The most configurations of a size that is quick to check.
const MOST: u64 = 1 << 19;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    interrupt::listen();
    let mut text = files::read(&arguments.file)?;
    loop {
        if std::io::stdout().is_terminal() && !arguments.once {
            // To the top of an empty screen.
            write!(anstream::stdout(), "\x1b[2J\x1b[H")?;
        }
        let code = checked(arguments, &text)?;
        if arguments.once {
            return Ok(ExitCode::from(code.unwrap_or(INTERRUPTED)));
        }
        if code.is_some() && !interrupt::requested() {
            writeln!(anstream::stdout(), "\nwaiting until {} is saved; Ctrl-C ends this", arguments.file.display())?;
        }
        loop {
            if interrupt::requested() {
                return Ok(ExitCode::from(INTERRUPTED));
            }
            match changed(&arguments.file, &text) {
                Some(new) => {
                    text = new;
                    break;
                }
                None => std::thread::sleep(PAUSE),
            }
        }
    }
}

/// The new text of a file, if it has changed. While an editor writes the file, it may be missing for a moment.
fn changed(file: &Path, known: &str) -> Option<String> {
    std::fs::read_to_string(file).ok().filter(|text| text != known)
}

/// Checks every size, up to the first that fails: the exit code, or `None` if the file was saved again meanwhile.
fn checked(arguments: &Arguments, text: &str) -> Result<Option<u8>, Failure> {
    let protocol = match texts::parse(&arguments.file, text) {
        Ok(protocol) => protocol,
        Err(failure) => {
            failure.report();
            return Ok(Some(2));
        }
    };
    let sizes = if arguments.size.is_empty() { sizes(&protocol) } else { arguments.size.clone() };
    if sizes.is_empty() {
        let say = "no claimed size from 2 to 16 is quick enough to check after each save: choose one with --size N";
        Failure::usage(say).report();
        return Ok(Some(2));
    }
    for (at, size) in sizes.iter().enumerate() {
        if at > 0 {
            writeln!(anstream::stdout())?;
        }
        let this = std::env::current_exe().map_err(Failure::usage)?;
        let (size, file) = (size.to_string(), arguments.file.as_os_str());
        let mut command = Command::new(this);
        command.arg("check").arg(file).args(["--size", &size]).args(&arguments.flags).stdout(Stdio::piped());
        if std::io::stdout().is_terminal() {
            command.env("CLICOLOR_FORCE", "1");
        }
        let mut child = command.spawn().map_err(|e| usage!("cannot start a check: {e}"))?;
        let said = child.stdout.take().map(|out| std::thread::spawn(move || std::io::read_to_string(out)));
        let code = waited(child, &arguments.file, text)?;
        let said = said.and_then(|said| said.join().ok()).and_then(Result::ok).unwrap_or_default();
        if code.is_some() {
            let keeps =
                format!("`{} check {} --size {size} --save RUN`", program(), shell_word(arguments.file.display()));
            told(&said, code == Some(0), &keeps)?;
        }
        if code != Some(0) {
            return Ok(code);
        }
    }
    Ok(Some(0))
}

/// Prints the output of a check: its first line and its verdict if it holds, otherwise everything.
fn told(said: &str, holds: bool, keeps: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    if !holds {
        // The check names its own flags, which this verb does not have.
        return write!(
            out,
            "{}",
            said.replace("--save FILE keeps", &format!("{keeps} keeps")).replace("--replay FILE", "--replay RUN")
        );
    }
    let verdicts = said.lines().skip(1).filter(|line| line.contains("holds"));
    said.lines().take(1).chain(verdicts).try_for_each(|line| writeln!(out, "{line}"))
}

/// Waits for a check. Once the text is saved again, ends the check and returns `None`.
fn waited(mut child: Child, file: &Path, text: &str) -> Result<Option<u8>, Failure> {
    loop {
        if let Some(status) = child.try_wait().map_err(Failure::usage)? {
            return Ok(Some(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILS)));
        }
        if changed(file, text).is_some() {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        std::thread::sleep(PAUSE / 3);
    }
}

/// The smallest sizes that the protocol claims and that have few configurations.
fn sizes(protocol: &Protocol) -> Vec<usize> {
    let small = |size: &usize| {
        let parameters = Parameters::new(*size);
        let Ok(instance) = protocol.supports(&parameters).and_then(|()| protocol.instance(&parameters)) else {
            return false;
        };
        let Some(algorithm) = stabilizing(&instance) else { return *size <= 4 };
        algorithm.states().checked_pow(*size as u32).is_some_and(|configurations| configurations <= MOST)
    };
    (2..=16).filter(small).take(3).collect()
}

//! `ringleader lab`: a page in the browser to run, steer, break and check algorithms.

use crate::catalog;
use crate::terminal::exit::Failure;
use crate::terminal::{files, interrupt};
use crate::verbs::prove;
use ringleader_lab::Lab;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// Open the lab: a page in the browser to run, steer, break and check algorithms.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader lab                            opens the page in the browser
  ringleader lab my-election.ring           with a text protocol in the editor
  ringleader lab --watch a:9090,b:9090      with a view of a running cluster
  ringleader lab --certificate ring.json    with the measures of a proof, along the runs of its algorithm
  ringleader lab --no-open --port 8080      prints the address and starts no browser

Only this machine can open the page. Its address contains a token: anyone who knows the address can
use the lab while it is open.
Ctrl-C closes the lab. docs/lab.md describes it.")]
pub(crate) struct Arguments {
    /// A text protocol to open in the editor
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The port to listen on [default: any free one]
    #[arg(long, default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Show a running cluster, read-only: the HTTP addresses of its nodes, as HOST:PORT,HOST:PORT
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    watch: Vec<String>,
    /// Show the measures of this proof along the runs of its algorithm: a certificate that `prove` wrote
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut lab = Lab::new(catalog().clone()).watching(arguments.watch.clone());
    if let Some(path) = &arguments.file {
        lab = lab.with_text(path.display().to_string(), files::read(path)?);
    }
    if let Some(path) = &arguments.certificate {
        let proof = prove::accepted(&files::read(path)?);
        let refused = |why| Failure::usage(format!("{}: this proof cannot be shown: {why}", path.display()));
        lab = lab.with_certificate(proof.map_err(refused)?);
    }
    interrupt::listen();
    let port = arguments.port;
    let serving = lab.serve(port).map_err(|e| Failure::usage(format!("cannot listen on port {port}: {e}")))?;
    anstream::println!("the lab is open at {}", serving.address());
    anstream::println!("Ctrl-C closes it");
    if !arguments.no_open && !open(serving.address()) {
        anstream::eprintln!("no browser could be started: open the address in one");
    }
    while !interrupt::requested() {
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the browser; whether there is one.
fn open(address: &str) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(windows) {
        &[&["explorer"]]
    } else {
        &[&["xdg-open"], &["gio", "open"], &["sensible-browser"], &["wslview"]]
    };
    let start = |program: &&[&str]| {
        let quiet = || Stdio::null();
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).arg(address).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn().is_ok()
    };
    programs.iter().any(start)
}

//! `ringleader lab`: a page in the browser to run, steer, break and check algorithms.

use crate::catalog;
use crate::settings::gib;
use crate::terminal::exit::{Failure, bail, usage};
use crate::terminal::{files, interrupt};
use crate::texts;
use crate::verbs::prove;
use ringleader_lab_server::Lab;
use std::path::{Path, PathBuf};
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
  ringleader lab --replay cycle.trace       with a saved run, which the page verifies and plays
  ringleader lab --tour oracles             with a tour for a lecture: self-stabilization, oracles or messages
  ringleader lab --tour lecture.md          with a tour of your own: stops with runs, and notes for the lecturer
  ringleader lab --token my-lecture-2026-11 --port 8080
                                            with an address that stays the same, so that links stay valid
  ringleader lab --no-open --port 8080      prints the address and starts no browser
  ringleader lab --export DIR --engine lab-engine.wasm
                                            writes the lab as files for any web server: the engines
                                            run in the browser, without the cluster

Only this machine can open the page. Its address contains a token: anyone who knows the address can
use the lab while it is open.
Ctrl-C closes the lab. docs/lab.md describes it.")]
pub(crate) struct Arguments {
    /// A text protocol to open in the editor; the page follows the file on disk and can save to it
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The port to listen on; 0 takes any free one [default: 8417, or any free one if it is in use]
    #[arg(long)]
    port: Option<u16>,
    /// Show a running cluster, read-only: the HTTP addresses of its nodes, as HOST:PORT,HOST:PORT
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    watch: Vec<String>,
    /// Show the measures of this proof along the runs of its algorithm: a certificate that `prove` wrote
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Verify and play a saved run: a trace that `check --save` wrote
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    replay: Option<PathBuf>,
    /// Begin with the tour of this Markdown file (docs/lab.md has the form), or with a tour for a lecture: self-stabilization,
    /// oracles or messages
    #[arg(long, value_name = "TOUR")]
    tour: Option<PathBuf>,
    /// The token of the address, 16 to 64 letters, digits, - or _ [default: random, a new one each time]
    #[arg(long)]
    token: Option<String>,
    /// The most memory that a check in the page may use, in GiB [default: 2]
    #[arg(long, value_name = "GIB", value_parser = gib)]
    memory: Option<u64>,
    /// Write the lab as a folder of files for any web server, and open nothing; FILE, --tour, --replay, --certificate go with it
    #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "watch", "token", "no_open"])]
    export: Option<PathBuf>,
    /// The engine for --export: the file that scripts/build-lab-engine wrote [default: that of this program, if it has one]
    #[arg(long, value_name = "FILE", requires = "export")]
    engine: Option<PathBuf>,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
}

/// The port that is tried first.
const USUAL_PORT: u16 = 8417;

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut lab = Lab::new(catalog().clone()).watching(arguments.watch.clone());
    if let Some(path) = &arguments.file {
        // Reading it here gives the refusal that every verb gives.
        files::read(path)?;
        lab = lab.with_file(path).map_err(|e| usage!("{}: {e}", path.display()))?;
    }
    if let Some(path) = &arguments.certificate {
        let proof = prove::accepted(&files::read(path)?);
        let refused = |why| usage!("{}: this proof cannot be shown: {why}", path.display());
        lab = lab.with_certificate(proof.map_err(refused)?);
    }
    if let Some(path) = &arguments.replay {
        let refused = |why| usage!("{}: {why}", path.display());
        lab = lab.replaying(&texts::run_file(path)?).map_err(refused)?;
    }
    if let Some(path) = &arguments.tour {
        lab = lab.with_tour(tour(path)?);
    }
    if let Some(token) = &arguments.token {
        lab = lab.with_token(token).map_err(|why| usage!("--token: {why}"))?;
    }
    if let Some(bytes) = arguments.memory {
        lab = lab.within(bytes);
    }
    if let Some(folder) = &arguments.export {
        return export(&lab, folder, arguments.engine.as_deref());
    }
    interrupt::listen();
    let refused = |port: u16| move |e| usage!("cannot listen on port {port}: {e}");
    let serving = match arguments.port {
        Some(port) => lab.serve(port).map_err(refused(port))?,
        // The browser keeps texts and settings by the port of the page.
        None => lab.clone().serve(USUAL_PORT).or_else(|_| lab.serve(0)).map_err(refused(0))?,
    };
    if arguments.port.is_none() && serving.port() != USUAL_PORT {
        anstream::eprintln!(
            "port {USUAL_PORT} is in use: the page does not find the texts that the browser keeps for it"
        );
    }
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

/// The text of a tour: of a file, or of a tour for a lecture by its name.
fn tour(path: &Path) -> Result<String, Failure> {
    let name = path.to_str().unwrap_or_default();
    match Lab::lecture(name).filter(|_| !path.exists()) {
        Some(text) => Ok(text.into()),
        None if !path.exists() && !name.contains(['.', '/']) => {
            let all: Vec<_> = Lab::lectures().collect();
            let names = all.join(", ");
            Err(usage!("--tour {name}: there is no such file, and the tours for lectures are {names}"))
        }
        None => files::read(path),
    }
}

/// Writes the lab as a folder.
fn export(lab: &Lab, folder: &Path, path: Option<&Path>) -> Result<ExitCode, Failure> {
    let given = path.map(std::fs::read).transpose();
    let given = given.map_err(|e| usage!("{}: {e}", path.unwrap_or(folder).display()))?;
    let Some(engine) = given.as_deref().or(Lab::engine()) else {
        bail!(
            "this program has no engine for a browser: build one with scripts/build-lab-engine, and give it with --engine FILE"
        );
    };
    if folder.exists() && !folder.is_dir() {
        bail!("--export {}: this is a file; give a folder", folder.display());
    }
    if let (Some(path), false) = (path, engine.starts_with(b"\0asm")) {
        bail!("--engine {}: this file is no WebAssembly module", path.display());
    }
    lab.export(folder, engine).map_err(|e| usage!("{}: {e}", folder.display()))?;
    anstream::println!("the lab is in {}: let a web server serve this folder", folder.display());
    anstream::println!("on this machine: python3 -m http.server --directory {}", folder.display());
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

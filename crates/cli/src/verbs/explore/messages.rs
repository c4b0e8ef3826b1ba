//! `ringleader explore` for algorithms that pass messages: all states that are reachable from the clean start.

use super::{Arguments, export};
use crate::catalog;
use crate::settings::forecast::{Estimate, GIB, unexplored};
use crate::settings::reading::{self, Read};
use crate::settings::{Company, memory, refuse, wrong_condition};
use crate::terminal::exit::{FAILS, Failure, bail};
use crate::terminal::progress::Progress;
use crate::terminal::{files, interrupt, print};
use crate::verbs::check::unordered;
use ringleader_erased::{Card, MessageInstance};
use ringleader_explore::{Claim, Failure as Ended, Options, Progress as Found, Space, Storage, minimize};
use ringleader_model::Terminating;
use ringleader_report::exploration::ExplorationReport;
use ringleader_report::export::StateSpace;
use ringleader_report::number::grouped;
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn run(arguments: &Arguments, card: &'static Card) -> Result<ExitCode, Failure> {
    let layers = (arguments.setup.flag().unwrap_or_default(), arguments.setup.flag().is_some());
    let reason = "it starts clean, and the exploration covers every scheduler";
    refuse(
        card,
        &[layers, ("--scheduler", arguments.scheduler.is_some()), ("--start", arguments.start.is_some())],
        reason,
    )?;
    let graphs = [("--graph", arguments.graph.is_some()), ("--reduce automorphism", arguments.reduce.automorphism)];
    refuse(card, &graphs, "its processes form a ring")?;
    let mut parameters = arguments.setup.at(arguments.size);
    if let Some(name) = unordered(card, &parameters) {
        // A state space is that of one order; the report names it.
        parameters = parameters.with(name, "ascending");
    }
    // The usual steps are those of the first published table.
    let steps = reading::chosen(card, arguments.reading.as_deref(), card.readings.first(), "explored")?;
    let options = Options {
        rotation: arguments.reduce.rotation,
        confluence: arguments.reduce.confluence,
        visible: arguments.visible.unwrap_or_default(),
        memory: arguments.limits.bytes(),
        threads: arguments.limits.threads().min(64),
        set: arguments.set.unwrap_or_default(),
        seed: arguments.hash_seed.unwrap_or(0),
        ..Options::default()
    };
    arguments.company.refuse(&[
        ("--minimize", arguments.minimize.is_some()),
        ("--export", !arguments.export.is_empty()),
        ("--verify", arguments.verify),
    ])?;
    let read = Read { card, parameters: &parameters, steps };
    read.refuse_endless()?;
    interrupt::listen();
    Explore { arguments, read, options }.run(&read.build("explore")?)
}

/// One exploration.
pub(super) struct Explore<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) read: Read<'a>,
    pub(super) options: Options,
}

impl Explore<'_> {
    fn run(mut self, model: &MessageInstance) -> Result<ExitCode, Failure> {
        self.options.channels = self.arguments.channels.unwrap_or_else(|| model.channels());
        #[cfg(feature = "cuda")]
        if let Some(gpu) = self.gpu()? {
            return self.on_gpu(model, &gpu);
        }
        let advice = "reduce it (--reduce rotation,confluence), ";
        let processes = self.arguments.company.processes()?;
        let all = Options { memory: self.options.memory.saturating_mul(processes), ..self.options };
        if let Some(expected) = self.read.refuse_if_too_large(&all, advice)? {
            self.announce(expected, all.memory);
        }
        let mut company = self.arguments.company.meet(&self.in_one_line())?;
        self.options.set = company.agree(self.options.set)?;
        let begun = Instant::now();
        let (mut progress, tells) = (Progress::new(), company.tells());
        let mut last = None;
        let mut watch = |found: Found| {
            last = Some(found);
            Company::shows(tells, &mut progress, found)
        };
        let explored = Space::explore_with(model, &self.options, &mut watch, &mut *company.peers);
        let space = match explored {
            Ok(space) => space,
            Err(Ended::Stopped) => return Err(interrupted(begun, last.map_or(0, |found| found.stored))),
            Err(lost @ Ended::Lost { .. }) => return Err(company.failure(lost, last)),
            Err(failure) => return Err(unexplored(&failure, model, self.options.channels)),
        };
        let time = begun.elapsed();
        let peak_bytes = memory::peak().unwrap_or_else(|| space.peak_bytes());
        let spread = company.spread(&space, peak_bytes, last)?;
        company.leave();
        if !tells {
            return Ok(ExitCode::SUCCESS);
        }
        let (mut quotient, mut kept) = (None, None);
        if self.arguments.minimize.is_some() || !self.arguments.export.is_empty() {
            let bytes = space.graph_bytes();
            if bytes + space.peak_bytes() > self.options.memory {
                bail!(
                    "the graph of {} stored states takes up to {} MiB more, which exceeds the limit; reduce it, or \
                     omit --minimize and --export",
                    grouped(space.stored()),
                    bytes >> 20
                );
            }
            progress.say(|| "building the graph".into());
            let graph = space.graph_while(&|| !interrupt::requested());
            let graph = graph.ok_or_else(|| interrupted(begun, space.stored()))?;
            if let Some(equivalence) = self.arguments.minimize {
                quotient = minimize(&graph, equivalence, &mut || progress.say(|| "minimizing".into()));
            }
            if interrupt::requested() {
                return Err(interrupted(begun, space.stored()));
            }
            kept = Some(graph);
        }
        let mut verified = None;
        if self.arguments.verify {
            progress.say(|| "verifying".into());
            let seen = space.verify(&|| !interrupt::requested());
            verified = Some(seen.ok_or_else(|| interrupted(begun, space.stored()))?);
        }
        drop(progress);
        let report = ExplorationReport {
            subject: self.read.subject(),
            reading: self.read.steps.map(|reading| reading.name),
            options: &self.options,
            found: space.summary(),
            quotient: self.arguments.minimize.zip(quotient.as_ref()),
            verified,
            time,
            peak_bytes: memory::peak().unwrap_or(peak_bytes),
            spread: spread.as_ref(),
            device: None,
        };
        print(self.arguments.json, || report.json(), |mut out| report.text(&mut out))?;
        // The counts are printed first, so that a file that cannot be written loses nothing.
        if let Some(graph) = kept.as_ref().filter(|_| !self.arguments.export.is_empty()) {
            let claims = self.claims(model)?;
            export::write(&self.arguments.export, &StateSpace::new(&space, graph, &claims), quotient.as_ref())?;
        }
        let sound = verified.is_none_or(|verified| verified.is_sound());
        Ok(if sound { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
    }

    /// The claims of the text, as labels. A reduction keeps neither the places of processes nor every state.
    fn claims(&self, model: &MessageInstance) -> Result<Vec<Claim>, Failure> {
        let Read { card: Card { name, .. }, parameters, .. } = self.read;
        let written = catalog().written_claims(name, parameters.layers);
        if !written.is_empty() && (self.options.rotation || self.options.confluence) {
            anstream::eprintln!("note: --reduce: the claims of {name} are no labels of the reduced state space");
            return Ok(vec![]);
        }
        let claim = |written| catalog().process_claim(name, parameters, model, &written).map_err(wrong_condition);
        written.into_iter().map(claim).collect()
    }

    /// Chooses the storage, and prints the expected memory before long work.
    fn announce(&mut self, expected: Estimate, memory: u64) {
        let (set, bytes) = expected.choose(&Options { memory, ..self.options });
        let by_itself = self.options.set == Storage::Automatic && set == Storage::Compact;
        self.options.set = set;
        if by_itself || bytes > GIB {
            anstream::eprintln!(
                "about {:.1e} states will be stored{}, in {:.1} GiB of the {:.1} GiB allowed",
                expected.stored,
                if set == Storage::Compact { " compactly" } else { "" },
                bytes / GIB,
                memory as f64 / GIB
            );
        }
    }

    /// The work in one line. It must be the same for all processes.
    fn in_one_line(&self) -> String {
        let Options { channels, rotation, confluence, visible, seed, .. } = self.options;
        let Read { card, parameters, steps } = self.read;
        let source = files::digest(card.source);
        let how = format!("{channels} {rotation} {confluence} {visible} {seed} {:?}", self.arguments.set);
        format!("explore {} {source} {parameters:?} {} {how}", card.name, reading::name(steps))
    }
}

pub(super) fn interrupted(begun: Instant, stored: u64) -> Failure {
    let seconds = begun.elapsed().as_secs_f64();
    Failure::Interrupted(format!("interrupted after {seconds:.1} s, with {} states stored so far", grouped(stored)))
}

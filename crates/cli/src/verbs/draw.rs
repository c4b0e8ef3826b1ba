//! `ringleader draw`: a run as a picture, agents across and time down, or as a short animation of the ring.

use crate::catalog;
use crate::settings::{Setup, Start, fresh_seed, graph, refuse, refuse_absent, refuse_flawed};
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::{files, interrupt};
use crate::texts;
use ringleader_catalog::Instance;
use ringleader_erased::{Card, Kind, Parameters};
use ringleader_lab::Recording;
use ringleader_model::{Scheduler, Terminating};
use ringleader_report::canvas::Format;
use ringleader_report::spacetime::{self, Caption, Event, Moment};
use ringleader_simulate::kernel::MessageSteps;
use ringleader_simulate::plain::{LookTimes, PopulationRun, RingRun, SimulatedRun};
use ringleader_simulate::{self as simulate, Generator, Oracle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod replay;

/// Draw one run: a space-time diagram, an animation of the ring, or a chart of the messages of a run that was saved.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader draw yokota-ring --size 64 --output run.png
  ringleader draw fischer-jiang-ring --size 48 --start all-leaders --output run.svg
  ringleader draw yokota-ring --size 24 --output ring.gif
  ringleader draw yokota-ring --size 12 --seed 3 --html run.html     one page with the run and its player, for a lecture
  ringleader draw --replay cycle.trace --html cycle.html             the run in a file, as such a page
  ringleader check fich-johnen --size 4 --save cycle.trace
  ringleader draw --replay cycle.trace --output cycle.svg          the run that fails, its cycle marked
  ringleader check franklin-no-bit --size 3 --ids 3 --save flaw.trace
  ringleader draw --replay flaw.trace                              flaw.svg, a message-sequence chart

A run is drawn from its start until it has reached its goal, and a little longer; one that was saved, step by step.
Exit codes: 0 drawn, 1 drawn, but the goal was not reached within --limit or what should repeat does not, 2 bad usage or input,
130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    #[arg(required_unless_present = "replay")]
    algorithm: Option<String>,
    /// Draw the run in this file, such as `check --save` writes, instead of a new one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "size", "seed", "start", "rows", "limit"])]
    replay: Option<PathBuf>,
    /// How many agents [default: the algorithm's own]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// The seed of everything random [default: a fresh one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// arbitrary, clean, all-leaders, no-leader, or a configuration file
    /// [default: arbitrary; clean for algorithms that are not self-stabilizing]
    #[arg(long, value_name = "START")]
    start: Option<Start>,
    /// How many lines of time; frames, in an animation
    #[arg(long)]
    rows: Option<u64>,
    /// Give up after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 100_000_000)]
    limit: u64,
    /// Where to: FILE.png or FILE.svg, or FILE.gif for an animation [default: ALGORITHM.png, or .gif with --gif; with --replay
    /// the name of the trace, ending in .svg]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// An animation of the ring
    #[arg(long)]
    gif: bool,
    /// Write one page that plays the run, instead of a picture: it needs nothing else, and nobody's network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "gif", "rows", "limit"])]
    html: Option<PathBuf>,
    /// Run an algorithm that is kept for its flaw
    #[arg(long)]
    allow_flawed: bool,
    #[command(flatten)]
    setup: Setup,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(file) = &arguments.replay {
        let flag = arguments.setup.flag().or((!arguments.setup.is_empty()).then_some("a parameter"));
        if let Some(flag) = flag {
            return Err(Failure::usage(format!("--replay takes everything from the file: leave {flag} out")));
        }
        if let Some(path) = &arguments.html {
            files::writable(path)?;
            let page = Recording::replay(&texts::run_file(file)?, None).and_then(|recording| recording.html(catalog()));
            files::write(path, page.map_err(|why| Failure::usage(format!("{}: {why}", file.display())))?)?;
            anstream::println!("{}: the run in {}", path.display(), file.display());
            return Ok(ExitCode::SUCCESS);
        }
        return replay::run(arguments, file);
    }
    let name = arguments.algorithm.as_deref().expect("it is required without --replay");
    let card = catalog().card(name)?;
    refuse_absent(card, "drawn")?;
    if let Some(path) = &arguments.html {
        return page(arguments, card, path);
    }
    let ending = if arguments.gif { "gif" } else { Format::USUAL };
    let path = arguments.output.clone().unwrap_or_else(|| format!("{}.{ending}", card.name).into());
    let animated = files::writable_drawing(&path, arguments.gif)?;
    let start = arguments.start.clone().unwrap_or(Start::Arbitrary);
    refuse_what_means_nothing(arguments, card)?;
    let document = start.document()?;
    let size = arguments.size.or(document.map(|d| d.size)).unwrap_or(card.default_size);
    if size > 2000 {
        return Err(Failure::usage(format!("{size} agents do not fit a picture: at most 2000")));
    }
    let parameters = start.agreed(card.name, arguments.setup.at(size))?;
    catalog().supports(card.name, &parameters)?;
    refuse_flawed(card, arguments.allow_flawed)?;
    interrupt::listen();
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let parameters = parameters.with_identities(card, &mut Generator::stream(seed, 2));
    let rows = arguments.rows.unwrap_or(if animated { 90 } else { 400 }).clamp(2, 4000);
    let draw = Draw { arguments, card, start: &start, parameters: &parameters, seed, rows };
    let (moments, reached) = draw.run(&catalog().instance(card.name, &parameters)?)?;
    let title = format!("{}, {size} agents, seed {seed}", card.name);
    if animated {
        files::write_animation(&path, &moments, &title)?;
    } else {
        let agents = if card.kind == Kind::Population { "agent" } else { "process" };
        let caption = Caption { title: &title, agents, event: reached.map(Event::Reached) };
        files::write_picture(&path, &spacetime::diagram(&moments, &caption))?;
    }
    let counted = |steps| format!("goal reached after {steps} step{}", if steps == 1 { "" } else { "s" });
    let goal = reached.map_or("the goal was not reached".into(), counted);
    anstream::println!("{}: {title}, {goal}", path.display());
    Ok(match reached {
        _ if interrupt::requested() => ExitCode::from(INTERRUPTED),
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(FAILS),
    })
}

fn refuse_what_means_nothing(arguments: &Arguments, card: &Card) -> Result<(), Failure> {
    let (setup, clean) = (&arguments.setup, card.kind == Kind::Message);
    let oracle = setup.oracle().is_some() && setup.layers().oracle(card).is_none();
    refuse(card, &[("--oracle", oracle)], "it needs no oracle")?;
    let start = clean && arguments.start.as_ref().is_some_and(|start| *start != Start::Clean);
    refuse(card, &[("--start", start)], "it is not self-stabilizing and starts clean")
}

/// One page that plays the run.
fn page(arguments: &Arguments, card: &'static Card, path: &Path) -> Result<ExitCode, Failure> {
    files::writable(path)?;
    let start = arguments.start.clone().unwrap_or(Start::Arbitrary);
    refuse_what_means_nothing(arguments, card)?;
    if start.file().is_some() || arguments.setup.oracle().is_some() {
        return Err(Failure::usage("a page is written of a run from a named start, with a perfect oracle"));
    }
    let parameters = arguments.setup.at(arguments.size.unwrap_or(card.default_size));
    catalog().supports(card.name, &parameters)?;
    refuse_flawed(card, arguments.allow_flawed)?;
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let start = start.to_string().replace(' ', "-");
    let recording = Recording::new(card.name, &parameters, seed).starting(&start);
    files::write(path, recording.html(catalog()).map_err(Failure::usage)?)?;
    anstream::println!("{}: {}, {} agents, seed {seed}", path.display(), card.name, parameters.size);
    Ok(ExitCode::SUCCESS)
}

/// What was seen of a run, and after how many steps its goal was reached.
type Drawn = (Vec<Moment>, Option<u64>);

struct Draw<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    start: &'a Start,
    parameters: &'a Parameters,
    seed: u64,
    rows: u64,
}

impl Draw<'_> {
    /// Runs once to see how long it takes, and again to look at it.
    fn watch<'r>(&self, make: impl Fn() -> Result<Box<dyn SimulatedRun + 'r>, Failure>) -> Result<Drawn, Failure> {
        let mut first = make()?;
        let limit = self.arguments.limit;
        let mut looks = LookTimes::of_run(first.size());
        while first.reached().is_none() && first.steps() < limit && !interrupt::requested() {
            if looks.due(first.steps()).is_some_and(|questions| first.still(questions)) || !first.step() {
                break;
            }
        }
        if let Some(wrong) = first.wrong() {
            return Err(Failure::usage(wrong));
        }
        let reached = first.reached();
        let end = reached.unwrap_or(first.steps()).max(self.rows / 2);
        let end = end + end / 8;
        let mut run = make()?;
        let variable = self.parameters.layers.shade(self.card);
        let mut moments = vec![];
        for row in (0..self.rows).take_while(|row| *row == 0 || !interrupt::requested()) {
            let until = (u128::from(end) * u128::from(row) / u128::from(self.rows - 1)) as u64;
            while run.steps() < until && !interrupt::requested() && run.step() {}
            let shades = run.states().iter().map(|state| shade(state, variable?)).collect();
            moments.push(Moment { steps: run.steps(), marks: run.marks(), shades, actors: vec![] });
        }
        Ok((moments, reached))
    }
}

/// The value of the variable that shades agents, in the text of a state.
fn shade(state: &str, variable: &str) -> Option<u64> {
    state.split(' ').find_map(|pair| pair.strip_prefix(variable)?.strip_prefix('=')?.parse().ok())
}

impl Draw<'_> {
    fn run(&self, instance: &Instance) -> Result<Drawn, Failure> {
        let start = self.start;
        let (from, coin) = (start.load()?, || Generator::new(self.seed));
        let states = |algorithm: &dyn simulate::StabilizingInstance, coin: &mut Generator| {
            from.states(algorithm, self.parameters.size, coin).map_err(|error| start.refusal(error))
        };
        match instance {
            Instance::Population(algorithm) => {
                let graph = graph::of(self.parameters.layers.topology(self.card), self.parameters.size)?;
                let oracle = self.arguments.setup.oracle().unwrap_or(Oracle::Perfect);
                self.watch(|| {
                    let mut coin = coin();
                    let states = states(algorithm, &mut coin)?;
                    Ok(Box::new(PopulationRun::new(algorithm, &graph, states, Scheduler::Random, oracle, coin)))
                })
            }
            Instance::Ring(algorithm) => {
                let scheduler = match self.card.scheduler {
                    s @ (Scheduler::Alternating | Scheduler::RoundRobin | Scheduler::Synchronous) => s,
                    _ => Scheduler::Random,
                };
                self.watch(|| {
                    let mut coin = coin();
                    let states = states(algorithm, &mut coin)?;
                    Ok(Box::new(RingRun::new(algorithm, states, scheduler, coin)))
                })
            }
            Instance::Message(algorithm) => {
                self.watch(|| Ok(Box::new(MessageSteps::new(algorithm, algorithm.channels(), coin()))))
            }
            Instance::Robust(algorithm) => {
                self.watch(|| algorithm.watch(&from, 2, coin()).map_err(|error| start.refusal(error)))
            }
        }
    }
}

//! `ringleader draw`: a run as a picture, agents across and time down, or as a short animation of the ring.

use crate::settings::election::{Election, RunArguments, Surroundings};
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::{files, interrupt};
use crate::{page, texts};
use ringleader_erased::{Card, GraphInstance, Kind};
use ringleader_report::canvas::Format;
use ringleader_report::number::counted;
use ringleader_report::spacetime::network::{Scene, Stage};
use ringleader_report::spacetime::{self, Caption, Event, Look, Moment};
use ringleader_simulate::plain::{RunEnd, SimulatedRun, run_to_goal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod network;
mod replay;

/// The most agents in a picture.
const MOST_AGENTS: usize = 2000;

/// Draw one run: a space-time diagram, an animation of the ring, pictures of the graph, or a message-sequence chart of a saved run.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader draw yokota-ring --size 64 --output run.png
  ringleader draw fischer-jiang-ring --size 48 --start all-leaders --output run.svg
  ringleader draw yokota-ring --size 16 --rows 60 --output run.tex    TikZ, for a paper
  ringleader draw yokota-ring --size 24 --output ring.gif
  ringleader draw yokota-ring --size 12 --seed 3 --html run.html     one page that plays the run
  ringleader draw tree-leader --graph random-tree --size 12          the tree at 12 moments: pointers, reads and writes
  ringleader check fich-johnen --size 4 --save cycle.trace
  ringleader draw --replay cycle.trace --output cycle.svg            the counterexample, its cycle marked
  ringleader draw --replay cycle.trace --html cycle.html             the same as a page
  ringleader check franklin-no-bit --size 3 --ids 3 --save flaw.trace
  ringleader draw --replay flaw.trace                                flaw.svg, a message-sequence chart

A run is drawn from its start until a little after it reaches its goal; a saved run, step by step.
Exit codes: 0 drawn; 1 drawn, but the goal was not reached within --limit, or the run is not the one that its file claims;
2 wrong usage or input; 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm: a name that `ringleader list` prints, or a text protocol
    #[arg(required_unless_present = "replay")]
    algorithm: Option<String>,
    #[command(flatten)]
    run: RunArguments,
    /// The graph of an algorithm for any graph: a family such as star or grid:3x4, or a file with an edge list or DOT (docs/files.md)
    /// [default: the algorithm's own]
    #[arg(long, value_name = "GRAPH")]
    graph: Option<String>,
    /// Draw the run in this file, such as `check --save` writes, instead of a new one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "size", "seed", "start", "graph", "rows", "limit"])]
    replay: Option<PathBuf>,
    /// The number of lines of a picture, or of frames of an animation [default: 400, or 90]; on a graph of processes, of pictures of the
    /// graph [default: 12]
    #[arg(long)]
    rows: Option<u64>,
    /// Give up after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 100_000_000)]
    limit: u64,
    /// The file to write: FILE.png, FILE.svg, FILE.tex (TikZ), or FILE.gif for an animation [default: ALGORITHM.png,
    /// or .gif with --gif; with --replay the name of the trace, ending in .svg]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw an animation of the ring
    #[arg(long)]
    gif: bool,
    /// Write one page that plays the run, instead of a picture; it needs no other file and no network
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "gif", "rows", "limit"])]
    html: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    if let Some(file) = &arguments.replay {
        arguments.run.refuse_beside_replay()?;
        let Some(path) = &arguments.html else { return replay::run(arguments, file) };
        page::writable(path)?;
        page::replay(path, &texts::run_file(file)?, None)?;
        anstream::println!("{}: the run in {}", path.display(), file.display());
        return Ok(ExitCode::SUCCESS);
    }
    let surroundings = Surroundings::on(arguments.graph.clone());
    let election = Election::new(arguments.algorithm.as_ref(), &arguments.run, &surroundings, MOST_AGENTS)?;
    let (card, seed) = (election.card, election.seed);
    let title = format!("{}, {} {}, seed {seed}", card.name, election.parameters.size, card.kind.members());
    if let Some(path) = &arguments.html {
        page::writable_for(path, &election)?;
        page::run(path, &election, &[], None)?;
        anstream::println!("{}: {title}", path.display());
        return Ok(ExitCode::SUCCESS);
    }
    let ending = if arguments.gif { "gif" } else { Format::USUAL };
    let path = arguments.output.clone().unwrap_or_else(|| format!("{}.{ending}", card.name).into());
    let animated = files::writable_drawing(&path, arguments.gif)?;
    let drawing = Drawing { path: &path, animated, title: &title };
    interrupt::listen();
    let reached = match card.kind {
        Kind::Graph => network::run(arguments, &election, &drawing)?,
        _ => {
            let rows = arguments.rows.unwrap_or(if animated { 90 } else { 400 }).clamp(2, 4000);
            let (moments, reached) = watch(&election, arguments.limit, rows)?;
            drawing.write(&moments, card, reached.map(Event::Reached))?;
            reached
        }
    };
    let goal = match reached {
        Some(steps) => format!("goal reached after {}", counted(steps, "step")),
        None => "the goal was not reached".into(),
    };
    anstream::println!("{}: {title}, {goal}", path.display());
    Ok(match reached {
        _ if interrupt::requested() => ExitCode::from(INTERRUPTED),
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(FAILS),
    })
}

/// The picture or animation to write.
struct Drawing<'a> {
    path: &'a Path,
    animated: bool,
    title: &'a str,
}

impl Drawing<'_> {
    /// Writes the moments of a run.
    fn write(&self, moments: &[Moment], card: &Card, event: Option<Event>) -> Result<(), Failure> {
        if self.animated {
            return files::write_animation(self.path, moments, self.title);
        }
        let caption = Caption { title: self.title, agents: card.kind.member(), event };
        files::write_picture(self.path, &spacetime::diagram(moments, &caption))
    }

    /// Writes the moments of a run on a graph: a sheet of pictures, or an animation.
    fn write_scenes(&self, algorithm: &GraphInstance, scenes: &[Scene]) -> Result<(), Failure> {
        let stage = Stage::new(algorithm.neighbours());
        if self.animated {
            return files::write_stage_animation(self.path, &stage, scenes, self.title);
        }
        files::write_picture(self.path, &stage.sheet(scenes, self.title))
    }
}

/// The steps after which a run reached its goal, if it did.
fn reached(end: RunEnd, run: &dyn SimulatedRun) -> Result<Option<u64>, Failure> {
    match (end, run.wrong()) {
        (RunEnd::Reached(steps), _) => Ok(Some(steps)),
        (_, Some(wrong)) => Err(Failure::usage(wrong)),
        (_, None) => Ok(None),
    }
}

/// Runs once to learn how long the run takes, and again to look at it: its moments, and the steps after which its goal was reached.
fn watch(election: &Election, limit: u64, rows: u64) -> Result<(Vec<Moment>, Option<u64>), Failure> {
    let goes_on = || !interrupt::requested();
    let mut first = election.begin()?;
    let end = run_to_goal(&mut *first, limit, |_| Ok::<_, Failure>(goes_on()))?;
    let reached = reached(end, &*first)?;
    let end = reached.unwrap_or(first.steps()).max(rows / 2);
    let shade = election.parameters.layers.shade(election.card);
    let look = Look { rows, last: end + end / 8, strikes: &[], shade };
    Ok((look.moments(&mut *election.begin()?, goes_on, |_| ()), reached))
}

//! `ringleader draw`: a run as a picture, agents across and time down, or as a short animation of the ring.

use crate::arguments::{Setup, fresh_seed, refuse_flawed, with_identities};
use crate::canvas::{Anchor, Canvas, Colour, Format};
use crate::failure::{FAILS, Failure, INTERRUPTED};
use crate::start::Start;
use crate::{catalog, interrupt};
use ringleader_catalogue::Instance;
use ringleader_instance::{Card, Parameters, Topology};
use ringleader_model::{Graph, Marks, Scheduler};
use ringleader_simulate::plain::{PopulationRun, RingRun, Run};
use ringleader_simulate::{self as simulate, Generator, Oracle};
use std::path::PathBuf;
use std::process::ExitCode;

mod animation;

/// Draw one run: a space-time diagram, or an animation of the ring.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader draw yokota-ring --size 64 --output run.png
  ringleader draw fischer-jiang-ring --size 48 --start all-leaders --output run.svg
  ringleader draw yokota-ring --size 24 --output ring.gif

A run is drawn from its start until it has reached its goal, and a little longer.
Exit codes: 0 drawn, 1 drawn, but the goal was not reached within --limit, 2 bad usage or input, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it
    algorithm: String,
    /// How many agents [default: the algorithm's own]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// The seed of everything random [default: a fresh one, printed]
    #[arg(long)]
    seed: Option<u64>,
    /// arbitrary, clean, all-leaders, no-leader, or a configuration file
    #[arg(long, value_name = "START", default_value = "arbitrary")]
    start: Start,
    /// How many lines of time; frames, in an animation
    #[arg(long)]
    rows: Option<u64>,
    /// Give up after this many steps
    #[arg(long, value_name = "STEPS", default_value_t = 100_000_000)]
    limit: u64,
    /// Where to: FILE.png or FILE.svg, or FILE.gif for an animation [default: ALGORITHM.png, or .gif with --gif]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// An animation of the ring
    #[arg(long)]
    gif: bool,
    /// Run an algorithm that is kept for its flaw
    #[arg(long)]
    allow_flawed: bool,
    #[command(flatten)]
    setup: Setup,
}

/// One moment of a run.
pub(super) struct Moment {
    steps: u64,
    marks: Vec<Marks>,
    /// A distance or count that the state holds, if any.
    shades: Vec<Option<u64>>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    if let Some(reason) = catalog().why_absent(card.name) {
        return Err(Failure::usage(format!("{} cannot be drawn: {reason}", card.name)));
    }
    let ending = if arguments.gif { "gif" } else { "png" };
    let path = arguments.output.clone().unwrap_or_else(|| format!("{}.{ending}", card.name).into());
    let animated = path.extension().is_some_and(|e| e == "gif");
    if arguments.gif && !animated {
        return Err(Failure::usage(format!("--gif writes FILE.gif, not {}", path.display())));
    }
    if !animated && Format::of(&path).is_err() {
        let name = path.display();
        return Err(Failure::usage(format!("{name}: pictures are written as .svg or .png, animations as .gif")));
    }
    crate::output::writable(&path)?;
    let document = arguments.start.document()?;
    let size = arguments.size.or(document.map(|d| d.size)).unwrap_or(card.default_size);
    if size > 2000 {
        return Err(Failure::usage(format!("{size} agents do not fit a picture: at most 2000")));
    }
    let parameters = arguments.setup.at(size);
    catalog().supports(card.name, &parameters)?;
    refuse_flawed(card.name, arguments.allow_flawed)?;
    interrupt::listen();
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let parameters = with_identities(card, parameters, &mut Generator::stream(seed, 2));
    let rows = arguments.rows.unwrap_or(if animated { 90 } else { 400 }).clamp(2, 4000);
    let draw = Draw { arguments, card, parameters: &parameters, seed, rows };
    let (moments, reached) = draw.run(&catalog().instance(card.name, &parameters)?)?;
    let title = format!("{}, {size} agents, seed {seed}", card.name);
    let bytes = if animated { animation::gif(&moments, &title)? } else { vec![] };
    match animated {
        true => {
            std::fs::write(&path, bytes).map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))?
        }
        false => diagram(&moments, &title, reached).write(&path)?,
    }
    let goal = reached.map_or("the goal was not reached".into(), |steps| format!("goal reached after {steps} steps"));
    anstream::println!("{}: {title}, {goal}", path.display());
    Ok(match reached {
        _ if interrupt::requested() => ExitCode::from(INTERRUPTED),
        Some(_) => ExitCode::SUCCESS,
        None => ExitCode::from(FAILS),
    })
}

/// What was seen of a run, and after how many steps its goal was reached.
type Drawn = (Vec<Moment>, Option<u64>);

struct Draw<'a> {
    arguments: &'a Arguments,
    card: &'static Card,
    parameters: &'a Parameters,
    seed: u64,
    rows: u64,
}

impl Draw<'_> {
    /// Runs once to see how long it takes, and again to look at it.
    fn watch<'r>(&self, make: impl Fn() -> Result<Box<dyn Run + 'r>, Failure>) -> Result<Drawn, Failure> {
        let mut first = make()?;
        let limit = self.arguments.limit;
        while first.reached().is_none() && first.steps() < limit && !interrupt::requested() && first.step() {}
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
            moments.push(Moment { steps: run.steps(), marks: run.marks(), shades });
        }
        Ok((moments, reached))
    }

    fn graph(&self) -> Result<Graph, Failure> {
        let size = self.parameters.size;
        let graph = match self.parameters.layers.topology(self.card) {
            Topology::Complete => Graph::complete(size),
            Topology::UndirectedRing => Graph::undirected_ring(size),
            _ => Graph::directed_ring(size),
        };
        graph.map_err(Failure::usage)
    }
}

/// The value of the variable that shades agents, in the text of a state.
fn shade(state: &str, variable: &str) -> Option<u64> {
    state.split(' ').find_map(|pair| pair.strip_prefix(variable)?.strip_prefix('=')?.parse().ok())
}

impl Draw<'_> {
    fn run(&self, instance: &Instance) -> Result<Drawn, Failure> {
        let start = &self.arguments.start;
        let (from, coin) = (start.load()?, || Generator::new(self.seed));
        let states = |algorithm: &dyn simulate::Instance, coin: &mut Generator| {
            from.states(algorithm, self.parameters.size, coin).map_err(|error| start.refusal(error))
        };
        match instance {
            Instance::Population(algorithm) => {
                let graph = self.graph()?;
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
                let algorithm = algorithm.subject();
                self.watch(|| Ok(algorithm.watch(algorithm.channels(), coin())))
            }
            Instance::Robust(algorithm) => {
                self.watch(|| algorithm.watch(&from, 2, coin()).map_err(|error| start.refusal(error)))
            }
        }
    }
}

/// What an agent looks like: the first of these marks that it shows.
const COLOURS: [(Marks, Colour, &str); 10] = [
    (Marks::BEGINNER, [120, 190, 60], "leader that begins"),
    (Marks::LEADER, [16, 140, 80], "leader"),
    (Marks::TOKEN, [130, 60, 170], "token"),
    (Marks::BULLET, [210, 40, 40], "live bullet"),
    (Marks::DUMMY, [240, 160, 40], "dummy bullet"),
    (Marks::PROBE, [200, 70, 190], "probe"),
    (Marks::SHIELD, [40, 100, 210], "shield"),
    (Marks::SIGNAL, [150, 190, 235], "signal"),
    (Marks::ACTIVE, [40, 160, 190], "active"),
    (Marks::PASSIVE, [225, 225, 228], "passive"),
];
const SHIELDED_LEADER: Colour = [10, 85, 110];

/// The colour of an agent; plain ones are shaded by their distance.
fn colour(marks: Marks, shade: Option<u64>, most: u64) -> Colour {
    if marks.contains(Marks::LEADER | Marks::SHIELD) {
        return SHIELDED_LEADER;
    }
    let shown = COLOURS.iter().find(|(mark, ..)| marks.contains(*mark)).map(|c| c.1);
    let grey = 246 - shade.map_or(0, |s| (40 * s.min(most) / most.max(1)) as u8);
    shown.unwrap_or([grey, grey, grey.saturating_add(6)])
}

fn most(moments: &[Moment]) -> u64 {
    moments.iter().flat_map(|m| m.shades.iter().flatten()).copied().max().unwrap_or(0)
}

/// The space-time diagram: agents across, time down.
fn diagram(moments: &[Moment], title: &str, reached: Option<u64>) -> Canvas {
    let agents = moments.first().map_or(1, |m| m.marks.len());
    let (cell, line) = ((600.0 / agents as f32).max(1.0), (480.0 / moments.len() as f32).max(1.0));
    let (left, top) = (76.0, 44.0);
    let (width, height) = (cell * agents as f32, line * moments.len() as f32);
    let mut canvas = Canvas::new(left + width + 24.0, top + height + 62.0);
    let most = most(moments);
    for (row, moment) in moments.iter().enumerate() {
        let colours: Vec<Colour> = (0..agents).map(|i| colour(moment.marks[i], moment.shades[i], most)).collect();
        let mut from = 0;
        for run in colours.chunk_by(|a, b| a == b) {
            let at = (left + cell * from as f32, top + line * row as f32);
            canvas.rectangle(at, (cell * run.len() as f32, line), run[0]);
            from += run.len();
        }
    }
    let ink = [40, 40, 48];
    canvas.words((left, 26.0), title, 15.0, Anchor::Start, ink);
    let last = moments.last().map_or(1, |m| m.steps).max(1);
    for tick in (0..=last).step_by(round_step(last) as usize) {
        let y = top + height * (tick as f32 / last as f32);
        canvas.line(&[(left - 5.0, y), (left, y)], ink, 1.0);
        canvas.words((left - 9.0, y + 4.0), tick.to_string(), 11.0, Anchor::End, ink);
    }
    canvas.upright((14.0, top + height / 2.0), "steps", 12.0, ink);
    if let Some(steps) = reached {
        let y = top + height * (steps as f32 / last as f32).min(1.0);
        canvas.dashed(&[(left, y), (left + width, y)], ink, 1.2);
        canvas.words((left + width, y - 5.0), "goal reached", 11.0, Anchor::End, ink);
    }
    legend(&mut canvas, moments, (left, top + height + 24.0), width);
    canvas
}

/// The least of 1, 2, 5, 10, .. that makes no more than seven ticks.
fn round_step(last: u64) -> u64 {
    let steps = (0..).flat_map(|power| [1, 2, 5].map(|digit: u64| digit.saturating_mul(10u64.saturating_pow(power))));
    steps.into_iter().find(|step| last / step <= 6).unwrap_or(last)
}

/// The colours that occur, in as many lines as it takes.
fn legend(canvas: &mut Canvas, moments: &[Moment], (left, top): (f32, f32), width: f32) {
    let shielded = |m: &Marks| m.contains(Marks::LEADER | Marks::SHIELD);
    let all = || moments.iter().flat_map(|m| m.marks.iter().copied());
    let seen = all().filter(|m| !shielded(m)).fold(Marks::NONE, |all, m| all | m);
    let shielded = all().any(|m| shielded(&m));
    let mut entries: Vec<(Colour, &str)> =
        COLOURS.iter().filter(|(mark, ..)| seen.contains(*mark)).map(|c| (c.1, c.2)).collect();
    if shielded {
        entries.insert(0, (SHIELDED_LEADER, "shielded leader"));
    }
    if let Some(most) = Some(most(moments)).filter(|&most| most > 0) {
        entries.push((colour(Marks::NONE, Some(most), most), "distance: darker is greater"));
    }
    let (mut x, mut y) = (left, top);
    for (colour, name) in entries {
        let wide = 24.0 + 6.6 * name.chars().count() as f32;
        if x + wide > left + width && x > left {
            (x, y) = (left, y + 18.0);
        }
        canvas.rectangle((x, y - 9.0), (11.0, 11.0), colour);
        canvas.words((x + 16.0, y), name, 11.0, Anchor::Start, [40, 40, 48]);
        x += wide;
    }
}

//! The file of runs: one row each, written as runs end, and read back to continue.

use super::super::shard::{self, SHARD, TEXT, without};
use super::Plan;
use crate::terminal::exit::{Failure, bail, usage};
use ringleader_report::experiment::{RunRecord, Setting};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// The writer of the rows.
pub(in super::super) struct Records {
    out: Box<dyn Write>,
    /// Whether the runs are of several algorithms: then each row begins with its algorithm.
    several: bool,
}

/// The first words of a file of runs.
const FIRST: &str = "ringleader simulate";
const COLUMNS: &str = "run,reached,steps,last_output_change,recoveries,messages,rounds,moves";

impl Records {
    pub(in super::super) fn nowhere() -> Records {
        Records { out: Box::new(std::io::sink()), several: false }
    }

    /// Starts a file, or standard output for `-`. `said` is one line with the settings of the runs, besides their size and number.
    pub(in super::super) fn create(path: &Path, said: &str, plan: &Plan, several: bool) -> Result<Records, Failure> {
        let mut out: Box<dyn Write> = if path == Path::new("-") {
            Box::new(std::io::stdout())
        } else {
            Box::new(File::create(path).map_err(|e| cannot("write", path, &e))?)
        };
        writeln!(out, "# {said}")?;
        if without(said, SHARD) != said {
            writeln!(out, "{}", shard::recorded(std::env::args()))?;
        }
        let first = if several { "algorithm," } else { "" };
        let axis = if plan.axis == "size" { String::new() } else { format!("{},", plan.axis) };
        writeln!(out, "{first}size,{axis}{COLUMNS}")?;
        Ok(Records { out, several })
    }

    /// Reads the rows of an earlier call and continues after them; a missing file is started.
    pub(super) fn resume(path: &Path, said: &str, plan: &Plan) -> Result<(Records, Vec<RunRecord>), Failure> {
        if std::fs::metadata(path).map_or(true, |file| file.is_file() && file.len() == 0) {
            return Ok((Self::create(path, said, plan, false)?, vec![]));
        }
        let records = read(path, said, plan, |was| was == said)?;
        let mut there: Vec<_> = records.iter().map(|record| (record.point, record.run)).collect();
        there.sort_unstable();
        if let Some(twice) = there.windows(2).find(|pair| pair[0] == pair[1]) {
            let Setting { x, .. } = &plan.settings[twice[0].0];
            let (name, run) = (path.display(), twice[0].1);
            bail!("{name}: run {run} with {} {x} occurs twice: remove one row", plan.axis);
        }
        // Written anew, so that an incomplete row is removed.
        let mut file = Self::create(path, said, plan, false)?;
        records.iter().try_for_each(|record| file.write(record, plan))?;
        Ok((file, records))
    }

    pub(in super::super) fn write(&mut self, r: &RunRecord, plan: &Plan) -> Result<(), Failure> {
        let Setting { parameters, x, .. } = &plan.settings[r.point];
        let name = if self.several { format!("{},", plan.card.name) } else { String::new() };
        let x = if plan.axis == "size" { String::new() } else { format!(",{x}") };
        let optional = |value: Option<u64>| value.map(|v| v.to_string()).unwrap_or_default();
        let given_up = r.unhealed.map(|steps| format!(">{steps}"));
        let recoveries: Vec<_> = r.recoveries.iter().map(ToString::to_string).chain(given_up).collect();
        writeln!(
            self.out,
            "{name}{}{x},{},{},{},{},{},{},{},{}",
            parameters.size,
            r.run,
            u8::from(r.reached),
            r.steps,
            optional(r.last_output_change),
            recoveries.join(";"),
            optional(r.messages),
            optional(r.rounds),
            optional(r.moves)
        )?;
        Ok(self.out.flush()?)
    }
}

/// The runs of a file, if its settings are the expected ones.
fn read(path: &Path, said: &str, plan: &Plan, is_right: impl Fn(&str) -> bool) -> Result<Vec<RunRecord>, Failure> {
    let name = path.display();
    let file = File::open(path).map_err(|e| cannot("read", path, &e))?;
    let lines: Vec<String> =
        BufReader::new(file).lines().collect::<Result<_, _>>().map_err(|e| cannot("read", path, &e))?;
    let Some(was) = lines.first().and_then(|line| line.strip_prefix("# ")).filter(|was| was.starts_with(FIRST)) else {
        bail!("{name} is not a file of runs: it does not begin with \"# {FIRST}\"");
    };
    if !is_right(was) {
        let bare = |settings: &str| without(&without(settings, TEXT), SHARD);
        let value = |settings: &str| {
            let digest = settings.split(' ').find_map(|word| word.strip_prefix(TEXT)?.strip_prefix('='));
            digest.unwrap_or("none").to_string()
        };
        if bare(was) == bare(said) && value(was) != value(said) {
            bail!(
                "{name} holds runs of another version of the text: the text was edited since (its digest was {}, and is {}): \
                 restore it, or give another file",
                value(was),
                value(said)
            );
        }
        bail!(
            "{name} holds other runs:\n  there: {was}\n  asked: {said}\nGive the same settings and seed, or another file"
        );
    }
    let rows = (0..).zip(&lines).skip_while(|(_, line)| line.starts_with('#')).skip(1);
    rows.filter(|(_, line)| !line.is_empty())
        .filter_map(|(index, line)| match parse(line) {
            // An interruption may have cut the last row short.
            None if index + 1 == lines.len() => None,
            None => Some(Err(usage!("{name}:{}: not a row of a file of runs: {line:?}", index + 1))),
            Some((x, record)) => Some(plan.settings.iter().position(|setting| setting.x == x).map_or_else(
                || {
                    let axis = &plan.axis;
                    Err(usage!(
                        "{name}:{}: a run with {axis} {x}, which is not among those asked for: give --{axis} with every value that \
                         the file holds, or another file",
                        index + 1
                    ))
                },
                |point| Ok(RunRecord { point, ..record }),
            )),
        })
        .collect()
}

/// The runs of several files with a part each: every run must occur once.
pub(super) fn merged(paths: &[PathBuf], said: &str, plan: &Plan, count: u64) -> Result<Vec<RunRecord>, Failure> {
    let mut records: Vec<RunRecord> = vec![];
    for path in paths {
        records.extend(read(path, said, plan, |was| without(was, SHARD) == said)?);
    }
    records.retain(|record| record.run < count);
    for (point, Setting { x, .. }) in plan.settings.iter().enumerate() {
        let mut there: Vec<u64> = records.iter().filter(|r| r.point == point).map(|r| r.run).collect();
        there.sort_unstable();
        let of = format!("with {} {x}", plan.axis);
        if let Some(twice) = there.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("run {} {of} occurs twice: give every file once", twice[0]);
        }
        let present = there.len() as u64;
        if present < count {
            let first = (0..).zip(&there).find(|(expected, run)| expected != *run).map_or(present, |(run, _)| run);
            bail!(
                "{} of {count} runs {of} are missing, the first is run {first}: give the files of all shards, and let \
                 --resume finish interrupted ones",
                count - present
            );
        }
    }
    Ok(records)
}

/// The seed of the runs in a file, if there are any.
pub(super) fn seed_of(path: &Path) -> Option<u64> {
    let mut first = String::new();
    BufReader::new(File::open(path).ok()?).read_line(&mut first).ok()?;
    first.split(' ').find_map(|word| word.strip_prefix("seed=")?.trim().parse().ok())
}

/// The place of a row along the axis, and its run.
fn parse(line: &str) -> Option<(usize, RunRecord)> {
    let cells: Vec<&str> = line.split(',').collect();
    let (place, rest) = cells.split_at(cells.len().checked_sub(8)?);
    let x: usize = place.last()?.parse().ok()?;
    let optional = |cell: &str| if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) };
    // `>` marks a recovery that hit the limit.
    let healed = rest[4].split(';').filter(|recovery| !recovery.is_empty() && !recovery.starts_with('>'));
    let record = RunRecord {
        point: 0,
        run: rest[0].parse().ok()?,
        reached: rest[1] == "1",
        steps: rest[2].parse().ok()?,
        last_output_change: optional(rest[3])?,
        recoveries: healed.map(|c| c.parse().ok()).collect::<Option<_>>()?,
        unhealed: rest[4].split_once('>').map(|(_, steps)| steps.parse().ok()).map_or(Some(None), |s| s.map(Some))?,
        messages: optional(rest[5])?,
        rounds: optional(rest[6])?,
        moves: optional(rest[7])?,
        cpu: None,
    };
    Some((x, record))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    usage!("cannot {what} {}: {error}", path.display())
}

/// The processor time of this thread so far, where the system provides it; wall time elsewhere.
#[cfg(unix)]
pub(super) fn thread_seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(0.0, |time| std::time::Duration::from(time).as_secs_f64())
}

/// The processor time of this thread so far, where the system provides it; wall time elsewhere.
#[cfg(not(unix))]
pub(super) fn thread_seconds() -> f64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

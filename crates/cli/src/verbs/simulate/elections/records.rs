//! The file of runs: one row each, written as they end, read back to go on.

use crate::terminal::exit::Failure;
use ringleader_report::experiment::{Record, Setting};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The rows, and where they go.
pub(super) struct Records<'a> {
    out: Option<Box<dyn Write>>,
    axis: &'a str,
    settings: &'a [Setting],
}

/// How a file of runs begins.
const FIRST: &str = "ringleader simulate";
const COLUMNS: &str = "run,reached,steps,last_output_change,recoveries,messages,rounds";

impl<'a> Records<'a> {
    pub(super) fn nowhere(axis: &'a str, settings: &'a [Setting]) -> Records<'a> {
        Records { out: None, axis, settings }
    }

    /// Starts a file, or standard output for `-`. `said` is one line that says what the runs are.
    pub(super) fn create(
        path: &Path,
        said: &str,
        axis: &'a str,
        settings: &'a [Setting],
    ) -> Result<Records<'a>, Failure> {
        let mut out: Box<dyn Write> = if path == Path::new("-") {
            Box::new(std::io::stdout())
        } else {
            Box::new(File::create(path).map_err(|e| cannot("write", path, &e))?)
        };
        write!(out, "# {said}\n{}\n", header(axis))?;
        Ok(Records { out: Some(out), axis, settings })
    }

    /// Reads the rows of an earlier call and goes on after them; a file that is not there yet is started.
    pub(super) fn resume(
        path: &Path,
        said: &str,
        axis: &'a str,
        settings: &'a [Setting],
    ) -> Result<(Records<'a>, Vec<Record>), Failure> {
        if std::fs::metadata(path).map_or(true, |file| file.is_file() && file.len() == 0) {
            return Ok((Self::create(path, said, axis, settings)?, vec![]));
        }
        let name = path.display();
        let file = File::open(path).map_err(|e| cannot("read", path, &e))?;
        let lines: Vec<String> =
            BufReader::new(file).lines().collect::<Result<_, _>>().map_err(|e| cannot("read", path, &e))?;
        let Some(was) = lines.first().and_then(|line| line.strip_prefix("# ")).filter(|was| was.starts_with(FIRST))
        else {
            return Err(Failure::usage(format!("{name} is no file of runs: it does not begin with \"# {FIRST}\"")));
        };
        if was != said {
            return Err(Failure::usage(format!(
                "{name} holds other runs:\n  there: {was}\n  asked: {said}\nGive the same settings and seed, or another file"
            )));
        }
        let records = (2..).zip(lines.iter().skip(2)).filter(|(_, line)| !line.is_empty());
        let records = records
            .filter_map(|(index, line)| match parse(line, settings) {
                // An interruption may have cut the last row short.
                None if index + 1 == lines.len() => None,
                None => {
                    Some(Err(Failure::usage(format!("{name}:{}: this is no row of such a file: {line:?}", index + 1))))
                }
                Some(record) => Some(Ok(record)),
            })
            .collect::<Result<Vec<_>, _>>()?;
        // Written anew, so that a row cut short is gone.
        let mut file = Self::create(path, said, axis, settings)?;
        records.iter().try_for_each(|record| file.write(record))?;
        Ok((file, records))
    }

    pub(super) fn write(&mut self, r: &Record) -> Result<(), Failure> {
        let Some(out) = &mut self.out else { return Ok(()) };
        let size = self.settings[r.point].parameters.size;
        let place = if self.axis == "size" { size.to_string() } else { format!("{size},{}", self.settings[r.point].x) };
        let optional = |value: Option<u64>| value.map(|v| v.to_string()).unwrap_or_default();
        let given_up = r.unhealed.map(|steps| format!(">{steps}"));
        let recoveries: Vec<_> = r.recoveries.iter().map(ToString::to_string).chain(given_up).collect();
        writeln!(
            out,
            "{place},{},{},{},{},{},{},{}",
            r.run,
            u8::from(r.reached),
            r.steps,
            optional(r.last_output_change),
            recoveries.join(";"),
            optional(r.messages),
            optional(r.rounds)
        )?;
        Ok(out.flush()?)
    }
}

/// The seed of the runs in a file, if there are any.
pub(super) fn seed_of(path: &Path) -> Option<u64> {
    let mut first = String::new();
    BufReader::new(File::open(path).ok()?).read_line(&mut first).ok()?;
    first.split(' ').find_map(|word| word.strip_prefix("seed=")?.trim().parse().ok())
}

fn header(axis: &str) -> String {
    if axis == "size" { format!("size,{COLUMNS}") } else { format!("size,{axis},{COLUMNS}") }
}

fn parse(line: &str, settings: &[Setting]) -> Option<Record> {
    let cells: Vec<&str> = line.split(',').collect();
    let (place, rest) = cells.split_at(cells.len().checked_sub(7)?);
    let x: usize = place.last()?.parse().ok()?;
    let optional = |cell: &str| if cell.is_empty() { Some(None) } else { cell.parse().ok().map(Some) };
    Some(Record {
        point: settings.iter().position(|p| p.x == x)?,
        run: rest[0].parse().ok()?,
        reached: rest[1] == "1",
        steps: rest[2].parse().ok()?,
        last_output_change: optional(rest[3])?,
        recoveries: healed(rest[4]).map(|c| c.parse().ok()).collect::<Option<_>>()?,
        unhealed: rest[4].split_once('>').map(|(_, steps)| steps.parse().ok()).map_or(Some(None), |s| s.map(Some))?,
        messages: optional(rest[5])?,
        rounds: optional(rest[6])?,
        cpu: None,
    })
}

/// The recoveries that were not given up, which is marked by `>`.
fn healed(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(';').filter(|recovery| !recovery.is_empty() && !recovery.starts_with('>'))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot {what} {}: {error}", path.display()))
}

/// The processor time of this thread so far, where the system tells; wall time elsewhere.
#[cfg(unix)]
pub(super) fn thread_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The processor time of this thread so far, where the system tells; wall time elsewhere.
#[cfg(not(unix))]
pub(super) fn thread_seconds() -> f64 {
    use std::time::{SystemTime, UNIX_EPOCH};
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64())
}

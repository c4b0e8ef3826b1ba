//! How a run is told: sample by sample, fault by fault, and how it ended.

use crate::catalog;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::{files, interrupt, ring_width};
use anstyle::{AnsiColor, Style};
use ringleader_erased::Parameters;
use ringleader_lab::Recording;
use ringleader_model::{Channels, Coin, Goal, Marks, Scheduler};
use ringleader_report::ring;
use ringleader_simulate::plain::{LookTimes, SimulatedRun};
use ringleader_simulate::{Generator, Oracle};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Everything about a run but the run itself.
pub(super) struct Story<'a> {
    pub(super) name: &'static str,
    pub(super) parameters: &'a Parameters,
    pub(super) graph: String,
    pub(super) scheduler: Scheduler,
    pub(super) channels: Option<Channels>,
    pub(super) oracle: Option<Oracle>,
    pub(super) start: String,
    pub(super) seed: u64,
    pub(super) goal: Goal,
    /// What agents can show of themselves.
    pub(super) shows: Marks,
    /// What "reached" means: `safe-set`, `terminated` or `settled`.
    pub(super) basis: &'static str,
    /// How that is known, in words.
    pub(super) because: String,
    pub(super) corrupt: usize,
    pub(super) faults: usize,
    pub(super) every: Option<u64>,
    pub(super) limit: u64,
    pub(super) json: bool,
    /// Where the run is to be written as a page, and the page as far as it is known before the run.
    pub(super) page: Option<(PathBuf, Recording)>,
}

/// How a stretch of the run ended.
enum End {
    /// The goal was reached after so many steps.
    Reached(u64),
    /// It was not within the limit.
    Limit,
    /// It was not, and there is no step left.
    NoStep,
    /// It was not, and no step can change anything any more, since when nobody knows.
    Still,
    Interrupted,
}

impl Story<'_> {
    /// Runs to the goal, then through each fault to the goal again.
    pub(super) fn tell(&self, run: &mut dyn SimulatedRun) -> Result<ExitCode, Failure> {
        self.opening(run)?;
        let mut recoveries = vec![];
        let mut end = self.stretch(run)?;
        let first = match end {
            End::Reached(steps) => Some(steps),
            _ => None,
        };
        if let Some(steps) = first {
            self.say_reached(run, steps)?;
        }
        let faults = if self.corrupt == 0 { 0 } else { self.faults };
        // The agents to hit come from a stream of their own: what is recorded or hit changes nothing else.
        let mut choice = Generator::stream(self.seed, 1);
        let mut strikes = vec![];
        for _ in 0..faults {
            if !matches!(end, End::Reached(_)) {
                break;
            }
            let struck_at = run.steps();
            strikes.push((struck_at, self.strike(run, &mut choice)?));
            end = self.stretch(run)?;
            if let End::Reached(steps) = end {
                recoveries.push(steps.saturating_sub(struck_at));
                self.say_healed(run, steps.saturating_sub(struck_at))?;
            }
        }
        let ended = self.ending(run, first, &recoveries, &end)?;
        self.write_page(run.steps(), &strikes)?;
        Ok(ended)
    }

    /// Writes the run up to a little after its last step, with the faults that struck it.
    fn write_page(&self, steps: u64, strikes: &[(u64, Vec<usize>)]) -> Result<(), Failure> {
        let Some((path, recording)) = &self.page else { return Ok(()) };
        let whole = recording.clone().lasting(steps + (steps / 8).max(10));
        let struck = strikes.iter().fold(whole, |recording, (at, agents)| recording.struck(*at, agents));
        files::write(path, struck.html(catalog()).map_err(Failure::usage)?)?;
        if !self.json {
            anstream::println!("{}: the run, to be played in a browser", path.display());
        }
        Ok(())
    }

    fn opening(&self, run: &dyn SimulatedRun) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        let bold = Style::new().bold();
        let mut out = anstream::stdout().lock();
        write!(out, "{bold}{}{bold:#}: {} agents, {}", self.name, run.size(), self.graph)?;
        for (name, value) in self.parameters.given() {
            write!(out, ", {name} {}", shortened(&value))?;
        }
        writeln!(out)?;
        write!(out, "scheduler {}", self.scheduler)?;
        if let Some(channels) = self.channels {
            write!(out, " · channels {channels}")?;
        }
        if let Some(oracle) = self.oracle {
            write!(out, " · oracle {oracle}")?;
        }
        writeln!(out, " · start {} · seed {}", self.start, self.seed)?;
        match run.followed() {
            None => writeln!(out, "{}\n", ring::legend(self.shows))?,
            Some(_) => writeln!(out, "{}   a number: the process it takes for the leader\n", ring::legend(self.shows))?,
        }
        writeln!(out, "{:>12}  ring", "step")?;
        Ok(())
    }

    /// Runs until the goal is reached, sampling on the way.
    fn stretch(&self, run: &mut dyn SimulatedRun) -> Result<End, Failure> {
        let begun = run.steps();
        let mut next = begun;
        let (mut shown, mut looks) = (None, LookTimes::of_run(run.size()));
        loop {
            if run.steps() >= next {
                // A line that shows nothing new is left out.
                let looks = (run.marks(), run.followed());
                if self.json || shown.as_ref() != Some(&looks) {
                    self.sample(run)?;
                    shown = Some(looks);
                }
                next = match self.every {
                    Some(every) => run.steps() + every.max(1),
                    // Ever more rarely: a run of any length gets some forty lines.
                    None => run.steps() + (run.size() as u64).div_ceil(2).max((run.steps() - begun) / 4),
                };
            }
            if let Some(steps) = run.reached() {
                self.sample(run)?;
                return Ok(End::Reached(steps));
            }
            if interrupt::requested() {
                return Ok(End::Interrupted);
            }
            if looks.due(run.steps() - begun).is_some_and(|questions| run.still(questions)) {
                return Ok(End::Still);
            }
            if run.steps() >= self.limit {
                return Ok(End::Limit);
            }
            if !run.step() {
                return run.wrong().map_or(Ok(End::NoStep), |wrong| Err(Failure::usage(wrong)));
            }
        }
    }

    fn sample(&self, run: &dyn SimulatedRun) -> Result<(), Failure> {
        let marks = run.marks();
        let mut out = anstream::stdout().lock();
        if self.json {
            let line = json!({ "step": run.steps(), "leaders": having(&marks, Marks::LEADER), "states": run.states() });
            writeln!(out, "{line}")?;
            return Ok(());
        }
        let line = ring::line(&marks, run.followed().as_deref(), ring_width());
        writeln!(out, "{}", format!("{:>12}  {line}  {}", run.steps(), self.counts(&marks)).trim_end())?;
        Ok(())
    }

    /// How many show what the goal is about.
    fn counts(&self, marks: &[Marks]) -> String {
        let count = |mark| having(marks, mark).len() as u64;
        if self.shows.contains(Marks::FORWARD) || self.shows.contains(Marks::BACKWARD) {
            return format!("{} forward, {} backward", count(Marks::FORWARD), count(Marks::BACKWARD));
        }
        let leads = self.shows.contains(Marks::LEADER) || self.goal == Goal::OneLeader;
        let leaders = leads.then(|| counted(count(Marks::LEADER), "leader"));
        let tokens = Some(count(Marks::TOKEN)).filter(|tokens| *tokens > 0).map(|tokens| counted(tokens, "token"));
        [leaders, tokens].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn say_reached(&self, run: &dyn SimulatedRun, steps: u64) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        let good = AnsiColor::Green.on_default().bold();
        let mut out = anstream::stdout().lock();
        writeln!(out, "{good}reached{good:#} after {}: {}", counted(steps, "step"), self.result(run))?;
        writeln!(out, "        {}", self.because)?;
        Ok(())
    }

    fn strike(&self, run: &mut dyn SimulatedRun, choice: &mut Generator) -> Result<Vec<usize>, Failure> {
        let mut agents: Vec<usize> = (0..run.size()).collect();
        for i in 0..self.corrupt {
            let j = i + choice.below((agents.len() - i) as u32) as usize;
            agents.swap(i, j);
        }
        agents.truncate(self.corrupt);
        agents.sort_unstable();
        run.corrupt(&agents);
        if !self.json {
            let bad = AnsiColor::Red.on_default().bold();
            let mut out = anstream::stdout().lock();
            writeln!(out, "\n{bad}fault{bad:#}: arbitrary states for agents {}", listed(&agents))?;
        }
        Ok(agents)
    }

    fn say_healed(&self, run: &dyn SimulatedRun, steps: u64) -> Result<(), Failure> {
        if self.json {
            return Ok(());
        }
        let good = AnsiColor::Green.on_default().bold();
        let (mut out, steps) = (anstream::stdout().lock(), counted(steps, "step"));
        writeln!(out, "{good}healed{good:#} after {steps}: {}", self.result(run))?;
        Ok(())
    }

    /// What has been reached, in words.
    fn result(&self, run: &dyn SimulatedRun) -> String {
        match self.goal {
            Goal::OneLeader => format!("agent {} leads", listed(&having(&run.marks(), Marks::LEADER))),
            Goal::OneToken => format!("one token, now at agent {}", listed(&having(&run.marks(), Marks::TOKEN))),
            Goal::Agreement => "all agree".to_string(),
            Goal::Holds(promise) => promise.to_string(),
        }
    }

    fn ending(
        &self,
        run: &dyn SimulatedRun,
        first: Option<u64>,
        recoveries: &[u64],
        end: &End,
    ) -> Result<ExitCode, Failure> {
        let mut out = anstream::stdout().lock();
        if self.json {
            let mut line = json!({
                "algorithm": self.name,
                "size": run.size(),
                "seed": self.seed,
                "parameters": self.parameters.given().iter().cloned().collect::<BTreeMap<_, _>>(),
                "start": self.start,
                "scheduler": self.scheduler.name(),
                "reached": matches!(end, End::Reached(_)),
                "basis": self.basis,
                "leaders": having(&run.marks(), Marks::LEADER),
                "recoveries": recoveries,
            });
            if let Some(oracle) = self.oracle {
                line["oracle"] = json!(oracle.to_string());
            }
            if let Some(channels) = self.channels {
                line["channels"] = json!(channels.name());
            }
            if self.goal == Goal::OneToken {
                line["tokens"] = json!(having(&run.marks(), Marks::TOKEN));
            }
            // The steps of a goal that was not reached are those taken in vain.
            line["steps"] = json!(first.unwrap_or(run.steps()));
            if matches!(end, End::Interrupted) {
                line["interrupted"] = json!(true);
            }
            writeln!(out, "{line}")?;
        }
        match end {
            End::Reached(_) => Ok(ExitCode::SUCCESS),
            End::Interrupted => {
                anstream::eprintln!("interrupted after {}", counted(run.steps(), "step"));
                Ok(ExitCode::from(INTERRUPTED))
            }
            End::Limit | End::NoStep | End::Still => {
                let (steps, limit) = (counted(run.steps(), "step"), self.limit);
                let with = Some(self.counts(&run.marks())).filter(|counts| !counts.is_empty());
                let with = with.map_or_else(String::new, |counts| format!(", with {counts}"));
                match end {
                    End::Limit => anstream::eprintln!("not reached: gave up after {steps} (--limit {limit})"),
                    End::NoStep => anstream::eprintln!("not reached: after {steps} nothing more can happen{with}"),
                    _ => anstream::eprintln!("not reached: nothing can change any more{with} (seen after {steps})"),
                }
                Ok(ExitCode::from(FAILS))
            }
        }
    }
}

/// The agents that show a mark.
fn having(marks: &[Marks], mark: Marks) -> Vec<usize> {
    marks.iter().enumerate().filter(|(_, m)| m.contains(mark)).map(|(agent, _)| agent).collect()
}

/// The beginning of a value that would not fit on a line.
fn shortened(value: &str) -> String {
    match value.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &value[..end]),
        None => value.to_string(),
    }
}

fn listed(agents: &[usize]) -> String {
    agents.iter().map(|a| a.to_string()).collect::<Vec<_>>().join(", ")
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

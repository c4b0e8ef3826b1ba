//! The output of a run: samples, faults, and how the run ended.

use super::Arguments;
use crate::page;
use crate::settings::election::Election;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::{interrupt, ring_width};
use anstyle::{AnsiColor, Style};
use ringleader_model::{Coin, Goal, Marks};
use ringleader_report::number::counted;
use ringleader_report::ring;
use ringleader_simulate::Generator;
use ringleader_simulate::plain::{LookTimes, SimulatedRun};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// An election and everything that is known of it before it runs.
pub(super) struct Story<'a> {
    pub(super) arguments: &'a Arguments,
    pub(super) election: &'a Election,
    pub(super) goal: Goal,
    /// The marks that agents can show.
    pub(super) shows: Marks,
    /// What "reached" means: `safe-set`, `terminated` or `settled`.
    pub(super) basis: &'static str,
    /// How that is known, in words.
    pub(super) because: String,
    /// The number of agents that each fault corrupts.
    pub(super) corrupt: usize,
    pub(super) faults: usize,
}

/// How a part of the run ended.
enum End {
    /// The goal was reached after this many steps.
    Reached(u64),
    /// The limit of steps came first.
    Limit,
    /// There is no step to take.
    NoStep,
    /// No step can change anything.
    Still,
    Interrupted,
}

impl Story<'_> {
    /// Runs to the goal, then through each fault to the goal again.
    pub(super) fn tell(&self, run: &mut dyn SimulatedRun) -> Result<ExitCode, Failure> {
        self.opening(run)?;
        let good = AnsiColor::Green.on_default().bold();
        let mut end = self.stretch(run)?;
        let mut first = None;
        if let End::Reached(steps) = end {
            first = Some(steps);
            let steps = counted(steps, "step");
            self.say(format!("{good}reached{good:#} after {steps}: {}\n        {}", self.result(run), self.because))?;
        }
        // A generator of its own chooses the agents, so that faults and output change nothing else.
        let mut choice = Generator::stream(self.election.seed, 1);
        let (mut strikes, mut recoveries) = (vec![], vec![]);
        while let End::Reached(_) = end
            && strikes.len() < self.faults
        {
            let struck_at = run.steps();
            strikes.push((struck_at, self.strike(run, &mut choice)?));
            end = self.stretch(run)?;
            if let End::Reached(steps) = end {
                recoveries.push(steps.saturating_sub(struck_at));
                let steps = counted(steps.saturating_sub(struck_at), "step");
                self.say(format!("{good}healed{good:#} after {steps}: {}", self.result(run)))?;
            }
        }
        let ended = self.ending(run, first, &recoveries, &end)?;
        if let Some(path) = &self.arguments.html {
            let steps = run.steps();
            page::run(path, self.election, &strikes, Some(steps + (steps / 8).max(10)))?;
            self.say(format!("{}: the run, as a page that plays it", path.display()))?;
        }
        Ok(ended)
    }

    /// Prints a line, unless the output is JSON.
    fn say(&self, line: impl Display) -> Result<(), Failure> {
        if !self.arguments.json {
            writeln!(anstream::stdout().lock(), "{line}")?;
        }
        Ok(())
    }

    fn opening(&self, run: &dyn SimulatedRun) -> Result<(), Failure> {
        let (bold, election) = (Style::new().bold(), self.election);
        let given = election.parameters.given();
        let given: String = given.iter().map(|(name, value)| format!(", {name} {}", shortened(value))).collect();
        self.say(format!("{bold}{}{bold:#}: {} agents, {}{given}", election.card.name, run.size(), election.graph()))?;
        let channels = election.channels.map_or(String::new(), |channels| format!(" · channels {channels}"));
        let oracle = election.oracle.map_or(String::new(), |oracle| format!(" · oracle {oracle}"));
        let (scheduler, start, seed) = (election.scheduler, &election.start, election.seed);
        self.say(format!("scheduler {scheduler}{channels}{oracle} · start {start} · seed {seed}"))?;
        let followed = run.followed().map_or("", |_| "   a number: the leader that this process names");
        self.say(format!("{}{followed}\n\n{:>12}  ring", ring::legend(self.shows), "step"))
    }

    /// Runs until the goal is reached, with samples on the way.
    fn stretch(&self, run: &mut dyn SimulatedRun) -> Result<End, Failure> {
        let begun = run.steps();
        let mut next = begun;
        let (mut shown, mut looks) = (None, LookTimes::of_run(run.size()));
        loop {
            if run.steps() >= next {
                // A line that shows nothing new is left out.
                let picture = (run.marks(), run.followed());
                if self.arguments.json || shown.as_ref() != Some(&picture) {
                    self.sample(run)?;
                    shown = Some(picture);
                }
                next = match self.arguments.every {
                    Some(every) => run.steps() + every.max(1),
                    // Ever more rarely: a run of any length gets about forty lines.
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
            if run.steps() >= self.arguments.limit {
                return Ok(End::Limit);
            }
            if !run.step() {
                return run.wrong().map_or(Ok(End::NoStep), |wrong| Err(Failure::usage(wrong)));
            }
        }
    }

    fn sample(&self, run: &dyn SimulatedRun) -> Result<(), Failure> {
        let marks = run.marks();
        let line = if self.arguments.json {
            json!({ "step": run.steps(), "leaders": having(&marks, Marks::LEADER), "states": run.states() }).to_string()
        } else {
            let line = ring::line(&marks, run.followed().as_deref(), ring_width());
            format!("{:>12}  {line}  {}", run.steps(), self.counts(&marks))
        };
        Ok(writeln!(anstream::stdout().lock(), "{}", line.trim_end())?)
    }

    /// The number of agents with the marks that the goal is about.
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

    /// Corrupts agents chosen at random.
    fn strike(&self, run: &mut dyn SimulatedRun, choice: &mut Generator) -> Result<Vec<usize>, Failure> {
        let mut agents: Vec<usize> = (0..run.size()).collect();
        for i in 0..self.corrupt {
            let j = i + choice.below((agents.len() - i) as u32) as usize;
            agents.swap(i, j);
        }
        agents.truncate(self.corrupt);
        agents.sort_unstable();
        run.corrupt(&agents);
        let bad = AnsiColor::Red.on_default().bold();
        self.say(format!("\n{bad}fault{bad:#}: arbitrary states for agents {}", listed(&agents)))?;
        Ok(agents)
    }

    /// The goal that has been reached, in words.
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
        if self.arguments.json {
            let election = self.election;
            let mut line = json!({
                "algorithm": election.card.name,
                "size": run.size(),
                "seed": election.seed,
                "parameters": election.parameters.given().into_iter().collect::<BTreeMap<_, _>>(),
                "start": election.start.to_string(),
                "scheduler": election.scheduler.name(),
                "reached": matches!(end, End::Reached(_)),
                "basis": self.basis,
                "leaders": having(&run.marks(), Marks::LEADER),
                "recoveries": recoveries,
                // Where the goal was not reached, all steps that were taken.
                "steps": first.unwrap_or(run.steps()),
            });
            if let Some(oracle) = election.oracle {
                line["oracle"] = json!(oracle.to_string());
            }
            if let Some(channels) = election.channels {
                line["channels"] = json!(channels.name());
            }
            if self.goal == Goal::OneToken {
                line["tokens"] = json!(having(&run.marks(), Marks::TOKEN));
            }
            if matches!(end, End::Interrupted) {
                line["interrupted"] = json!(true);
            }
            writeln!(anstream::stdout().lock(), "{line}")?;
        }
        let steps = counted(run.steps(), "step");
        let with = Some(self.counts(&run.marks())).filter(|counts| !counts.is_empty());
        let with = with.map_or_else(String::new, |counts| format!(", with {counts}"));
        let why = match end {
            End::Reached(_) => return Ok(ExitCode::SUCCESS),
            End::Interrupted => {
                anstream::eprintln!("interrupted after {steps}");
                return Ok(ExitCode::from(INTERRUPTED));
            }
            End::Limit => format!("gave up after {steps} (--limit {})", self.arguments.limit),
            End::NoStep => format!("no step is possible after {steps}{with}"),
            End::Still => format!("no step can change anything any more{with} (noticed after {steps})"),
        };
        anstream::eprintln!("not reached: {why}");
        Ok(ExitCode::from(FAILS))
    }
}

/// The agents with a mark.
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

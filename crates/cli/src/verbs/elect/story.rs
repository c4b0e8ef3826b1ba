//! The output of a run: samples, faults, and how the run ended.

use super::Arguments;
use crate::page;
use crate::settings::election::Election;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::{interrupt, ring_width};
use anstyle::{AnsiColor, Style};
use ringleader_erased::Kind;
use ringleader_model::{Goal, Marks};
use ringleader_report::json::OptionalFields as _;
use ringleader_report::number::{counted, joined};
use ringleader_report::ring;
use ringleader_simulate::plain::{self as simulate, RunEnd, SimulatedRun, StoryEvent, StoryOutcome};
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
    /// What "reached" means: `safe-set`, `goal`, `terminated` or `settled`.
    pub(super) basis: &'static str,
    /// How that is known, in words.
    pub(super) because: String,
    /// The number of agents that each fault corrupts.
    pub(super) corrupt: usize,
    pub(super) faults: usize,
}

impl Story<'_> {
    /// Runs to the goal, then through each fault to the goal again.
    pub(super) fn tell(&self, run: &mut dyn SimulatedRun) -> Result<ExitCode, Failure> {
        self.opening(run)?;
        let story = simulate::Story {
            limit: self.arguments.limit,
            corrupt: self.corrupt,
            faults: self.faults,
            seed: self.election.seed,
        };
        let mut samples = Samples::new(run);
        let StoryOutcome { first, strikes, recoveries, end } =
            story.run(run, |run, event| self.show(run, event, &mut samples))?;
        if let Some(wrong) = run.wrong() {
            return Err(Failure::usage(wrong));
        }
        let ended = self.ending(run, first, &recoveries, end)?;
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
        let members = election.card.kind.members();
        self.say(format!(
            "{bold}{}{bold:#}: {} {members}, {}{given}",
            election.card.name,
            run.size(),
            election.graph()
        ))?;
        let channels = election.channels.map_or(String::new(), |channels| format!(" · channels {channels}"));
        let oracle = election.oracle.map_or(String::new(), |oracle| format!(" · oracle {oracle}"));
        let (scheduler, start, seed) = (election.scheduler, &election.start, election.seed);
        self.say(format!("scheduler {scheduler}{channels}{oracle} · start {start} · seed {seed}"))?;
        let followed = run.followed().map_or("", |_| "   a number: the leader that this process names");
        let row = if election.card.kind == Kind::Graph { "processes" } else { "ring" };
        self.say(format!("{}{followed}\n\n{:>12}  {row}", ring::legend(self.shows), "step"))
    }

    /// Prints an event of the run; whether the run goes on.
    fn show(&self, run: &dyn SimulatedRun, event: StoryEvent<'_>, samples: &mut Samples) -> Result<bool, Failure> {
        let good = AnsiColor::Green.on_default().bold();
        match event {
            StoryEvent::Step => {
                if run.steps() >= samples.next {
                    // A line that shows nothing new is left out.
                    let picture = (run.marks(), run.followed());
                    if self.arguments.json || samples.shown.as_ref() != Some(&picture) {
                        self.sample(run)?;
                        samples.shown = Some(picture);
                    }
                    samples.next = match self.arguments.every {
                        Some(every) => run.steps() + every.max(1),
                        // Ever more rarely: a run of any length gets about forty lines.
                        None => run.steps() + (run.size() as u64).div_ceil(2).max((run.steps() - samples.begun) / 4),
                    };
                }
            }
            StoryEvent::Reached(steps) => {
                self.sample(run)?;
                let steps = counted(steps, "step");
                let (result, because) = (self.result(run), &self.because);
                self.say(format!("{good}reached{good:#} after {steps}: {result}\n        {because}"))?;
            }
            StoryEvent::Struck(agents) => {
                let bad = AnsiColor::Red.on_default().bold();
                let members = self.election.card.kind.members();
                self.say(format!("\n{bad}fault{bad:#}: arbitrary states for {members} {}", joined(agents, ", ")))?;
                *samples = Samples::new(run);
            }
            StoryEvent::Healed(steps) => {
                self.sample(run)?;
                let steps = counted(steps, "step");
                self.say(format!("{good}healed{good:#} after {steps}: {}", self.result(run)))?;
            }
        }
        Ok(!interrupt::requested())
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

    /// The goal that has been reached, in words.
    fn result(&self, run: &dyn SimulatedRun) -> String {
        let member = self.election.card.kind.member();
        match self.goal {
            Goal::OneLeader => format!("{member} {} leads", joined(&having(&run.marks(), Marks::LEADER), ", ")),
            Goal::OneToken => {
                format!("one token, now at {member} {}", joined(&having(&run.marks(), Marks::TOKEN), ", "))
            }
            Goal::Agreement => "all agree".to_string(),
            Goal::Holds(promise) => promise.to_string(),
        }
    }

    fn ending(
        &self,
        run: &dyn SimulatedRun,
        first: Option<u64>,
        recoveries: &[u64],
        end: RunEnd,
    ) -> Result<ExitCode, Failure> {
        if self.arguments.json {
            let election = self.election;
            let line = json!({
                "algorithm": election.card.name,
                "size": run.size(),
                "seed": election.seed,
                "parameters": election.parameters.given().into_iter().collect::<BTreeMap<_, _>>(),
                "start": election.start.to_string(),
                "scheduler": election.scheduler.name(),
                "reached": matches!(end, RunEnd::Reached(_)),
                "basis": self.basis,
                "leaders": having(&run.marks(), Marks::LEADER),
                "recoveries": recoveries,
                // Where the goal was not reached, all steps that were taken.
                "steps": first.unwrap_or(run.steps()),
            });
            let tokens = (self.goal == Goal::OneToken).then(|| having(&run.marks(), Marks::TOKEN));
            let line = line
                .with("oracle", election.oracle.map(|oracle| oracle.to_string()))
                .with("channels", election.channels.map(|channels| channels.name()))
                .with("tokens", tokens)
                .with("interrupted", matches!(end, RunEnd::Interrupted).then_some(true));
            writeln!(anstream::stdout().lock(), "{line}")?;
        }
        let steps = counted(run.steps(), "step");
        let with = Some(self.counts(&run.marks())).filter(|counts| !counts.is_empty());
        let with = with.map_or_else(String::new, |counts| format!(", with {counts}"));
        let why = match end {
            RunEnd::Reached(_) => return Ok(ExitCode::SUCCESS),
            RunEnd::Interrupted => {
                anstream::eprintln!("interrupted after {steps}");
                return Ok(ExitCode::from(INTERRUPTED));
            }
            RunEnd::Limit => format!("gave up after {steps} (--limit {})", self.arguments.limit),
            RunEnd::NoStep => format!("no step is possible after {steps}{with}"),
            RunEnd::Still => format!("no step can change anything any more{with} (noticed after {steps})"),
        };
        anstream::eprintln!("not reached: {why}");
        Ok(ExitCode::from(FAILS))
    }
}

/// The samples of a stretch of the run: until its goal, or until the goal is reached again after a fault.
struct Samples {
    begun: u64,
    /// The number of steps before the next sample.
    next: u64,
    shown: Option<(Vec<Marks>, Option<Vec<usize>>)>,
}

impl Samples {
    fn new(run: &dyn SimulatedRun) -> Samples {
        Samples { begun: run.steps(), next: run.steps(), shown: None }
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

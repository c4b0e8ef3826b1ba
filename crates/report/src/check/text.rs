//! The report as text.

use super::numbers::{count, interval, many};
use super::{CheckReport, Hints, Looks};
use crate::number::{counted, joined};
use crate::{ring, step};
use anstyle::{AnsiColor, Style};
use ringleader_check::{
    Choice, Coins, Counterexample, Detector, Level, Promise, Report, Rounds, Service, Symmetry, Value,
};
use ringleader_model::{Marks, Scheduler};
use std::io::{Result, Write};

/// Longer counterexamples are drawn without their middle; the trace has all steps.
const DRAWN: usize = 60;
const BAD: Style = AnsiColor::Red.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();

impl CheckReport<'_> {
    /// The report as text, coloured by ANSI codes, with rings on at most `width` columns.
    pub fn text(&self, out: &mut impl Write, width: usize, hints: Hints<'_>) -> Result<()> {
        self.decided(out)?;
        self.rest(out, width, hints)
    }

    /// The first half: the checked algorithm and the verdict, which is known before the numbers.
    pub fn decided(&self, out: &mut impl Write) -> Result<()> {
        self.opening(out)?;
        self.verdict(out)?;
        sets(out, self.found, &self.looks, self.question.only_goal)?;
        claims(out, self.found)
    }

    /// The second half: numbers, and the counterexample.
    pub fn rest(&self, out: &mut impl Write, width: usize, hints: Hints<'_>) -> Result<()> {
        let mut printer = Printer { report: self, out, width, hints };
        printer.numbers()?;
        self.within(printer.out)?;
        printer.rounds()?;
        for delay in self.found.claims.iter().filter_map(|claim| claim.service.as_ref()?.delay.as_ref()) {
            writeln!(printer.out, "\n{}", delay.shows)?;
            printer.counterexample(delay)?;
        }
        if let Some(run) = &self.found.counterexample {
            printer.counterexample(run)?;
            if !hints.run.is_empty() {
                writeln!(printer.out, "\n{}", hints.run)?;
            }
        }
        let gib = |bytes: u64| format!(", at most {:.2} GiB", bytes as f64 / 1.073_741_824e9);
        writeln!(printer.out, "\n{:.2} s{}", self.time.as_secs_f64(), self.peak_bytes.map_or(String::new(), gib))
    }

    fn opening(&self, out: &mut impl Write) -> Result<()> {
        let CheckReport { subject, graph, question, found, looks, .. } = self;
        let (bold, layers) = (Style::new().bold(), subject.parameters.layers);
        let agents = if found.agents == 1 { looks.kind.member() } else { looks.kind.members() };
        let (name, given) = (subject.card.name, subject.given());
        writeln!(out, "{bold}{name}{bold:#}: {} {agents}, {graph}{given}", found.agents)?;
        write!(out, "scheduler {}", question.scheduler.describe())?;
        if question.scheduler == Scheduler::LocallyFair {
            let action = match question.level {
                Level::Transition => "a transition on an arc",
                Level::Rule => "a rule on an arc",
                Level::Arc => "an arc",
            };
            write!(out, ", an action being {action}")?;
        }
        let oracle = match (layers.oracle(subject.card), question.detector) {
            (None, _) => "",
            (Some(_), Detector::Perfect) => " · oracle perfect",
            (Some(_), Detector::EventuallyCorrect) => " · oracle eventually correct",
        };
        let coins = match self.coins() {
            None => "",
            Some(Coins::Fair) => " · coins fair",
            Some(Coins::Adversarial) => " · coins adversarial: the daemon chooses them too",
        };
        writeln!(out, "{oracle}{coins}")?;
        let all = if found.starts.is_some() { "" } else { "all " };
        let (configurations, states) = (many(found.configurations, "configuration"), many(found.states, "state"));
        let fewest = found.fewest_states.map(|fewest| format!("{fewest} to ")).unwrap_or_default();
        write!(out, "{all}{configurations} of {fewest}{states}")?;
        let merged = found.state_classes.map(|classes| format!(", {classes} classes,")).unwrap_or_default();
        write!(out, "{merged} each")?;
        if let Some(classes) = found.classes {
            let symmetry = match classes.symmetry {
                Symmetry::Rotation => "up to rotation",
                Symmetry::Automorphism => "up to automorphism",
                Symmetry::Permutation => "as multisets",
            };
            write!(out, " ({} {symmetry})", classes.count)?;
        }
        if let Some(product) = found.product_states {
            let with = if question.detector == Detector::EventuallyCorrect { "inputs" } else { "tokens" };
            write!(out, ", {product} with {with}")?;
        }
        writeln!(out, ", {} between them", many(found.transitions, "step"))?;
        if let (Some(count), Some(starting)) = (found.starts, &question.starting) {
            writeln!(out, "reached from {}: {}", many(count, "start"), starting.name)?;
        }
        if let Some(refusal) = &self.beyond_claim {
            writeln!(out, "beyond its paper's claim: {refusal}")?;
        }
        writeln!(out)
    }

    fn verdict(&self, out: &mut impl Write) -> Result<()> {
        if self.question.only_claims {
            return self.claimed(out);
        }
        if let Some(run) = &self.found.counterexample {
            writeln!(out, "{BAD}fails{BAD:#}: {}", run.shows)?;
            if self.rests_on_coins(run) {
                let coins = "for some outcomes of the coins, which the daemon chooses here";
                writeln!(out, "       {coins}; with fair coins it may hold with probability 1")?;
            }
            return Ok(());
        }
        if let Some(why) = &self.found.unshown {
            let failing = match self.found.claims.iter().find(|claim| !claim.holds) {
                Some(claim) => format!("the claim {}", claim.name),
                None if !self.found.own_is_closed => "a step leads out of its own safe set".into(),
                None if !self.found.own_is_really_safe => "its own safe set is not really safe".into(),
                None => match self.found.sets.iter().find(|set| !set.closed) {
                    Some(set) => format!("a step leads out of {}", set.name),
                    None => "some execution never reaches the goal".into(),
                },
            };
            writeln!(out, "{BAD}fails{BAD:#}: {failing}")?;
            return writeln!(out, "       no counterexample can be computed: {why}");
        }
        let certainly = match self.found.almost_surely {
            true if self.found.against_daemon => "with probability 1 against every such daemon",
            true => "with probability 1",
            false => "in every such run",
        };
        let goal = self.looks.algorithm.goal().describe();
        match self.found.starts {
            None => writeln!(out, "{GOOD}holds{GOOD:#}: from every configuration, {certainly}, {goal}"),
            Some(count) => {
                let starts = many(count, "given start");
                writeln!(out, "{GOOD}holds{GOOD:#}: from the {starts}, {certainly}, {goal}")?;
                writeln!(out, "       from these starts only: not a claim of self-stabilization")
            }
        }
    }

    /// Whether the counterexample needs outcomes of coins that this scheduler treats as choices.
    fn rests_on_coins(&self, run: &Counterexample) -> bool {
        let by_chance = self.found.almost_surely || self.question.scheduler == Scheduler::GloballyFair;
        self.found.tosses && !by_chance && run.cycle.iter().any(|step| !step.coin.is_empty())
    }

    /// The verdict where only claims were checked.
    fn claimed(&self, out: &mut impl Write) -> Result<()> {
        match (self.found.counterexample.as_ref(), &self.found.unshown) {
            (Some(run), _) => writeln!(out, "{BAD}fails{BAD:#}: {}", run.shows),
            (None, Some(why)) => {
                writeln!(out, "{BAD}fails{BAD:#}: some claim; no counterexample can be computed: {why}")
            }
            (None, None) if self.found.almost_surely => {
                writeln!(out, "{GOOD}holds{GOOD:#}: every claim, with probability 1 where a set must be reached")
            }
            (None, None) => writeln!(out, "{GOOD}holds{GOOD:#}: every claim"),
        }
    }
}

fn claims(out: &mut impl Write, report: &Report) -> Result<()> {
    for claim in &report.claims {
        let (kind, says) = match claim.promise {
            Promise::Invariant => ("invariant", "no step leaves it"),
            Promise::Always => ("always", "every configuration is in it"),
            Promise::Eventually => ("eventually", "every run reaches it"),
            Promise::Recurring if report.almost_surely => ("recurring", "infinitely often, with probability 1"),
            Promise::Recurring => ("recurring", "infinitely often in every run"),
            Promise::Response if report.almost_surely => ("response", "with probability 1"),
            Promise::Response => ("response", "in every run"),
        };
        let says = match &claim.counterexample {
            Some(run) => &run.shows,
            None if claim.holds => says,
            None => "no counterexample was computed",
        };
        let (verdict, says) = match (claim.holds, claim.is_void()) {
            (true, true) => ("not checked", "no configuration is safe"),
            (true, false) => ("holds", says),
            (false, _) => ("FAILS", says),
        };
        let time =
            claim.service.as_ref().map(|service| format!("; {}", waits(claim.promise, service))).unwrap_or_default();
        writeln!(out, "  {kind:12}  {:>12}  {verdict}: {} ({says}{time})", count(claim.configurations), claim.name)?;
    }
    Ok(())
}

/// The worst time between two visits, in words.
pub(super) fn waits(promise: Promise, service: &Service) -> String {
    let between =
        if promise == Promise::Recurring { "between two visits in the safe set" } else { "until the second condition" };
    let process = service.process.map(|i| format!(", for i = {i}")).unwrap_or_default();
    let worst = |what: &str, worst: &Value, expected: bool| match expected {
        true => format!("worst expected {what} {between}: {}", interval(worst.bounds())),
        false => format!("worst {what} {between}: {}", worst.bounds().high),
    };
    let steps = match &service.worst {
        None => format!("steps {between}: unbounded, a daemon may wait as long as it wants{process}"),
        Some(steps) => format!("{}{process}", worst("steps", steps, service.expected)),
    };
    match &service.rounds {
        None => steps,
        Some(Rounds { worst: None, .. }) => format!("{steps}; rounds {between}: unbounded"),
        Some(Rounds { worst: Some(rounds), expected, .. }) => {
            format!("{steps}; {}", worst("rounds", rounds, *expected))
        }
    }
}

/// Whether the own safe set is the really safe one. Counts of 2^64 or more are not known exactly.
pub(super) fn own_is_same(report: &Report) -> bool {
    report.own_is_really_safe && report.own_safe == report.really_safe && report.own_safe < u64::MAX
}

fn sets(out: &mut impl Write, report: &Report, looks: &Looks<'_>, only_goal: bool) -> Result<()> {
    let closed = |closed: bool| if closed { "closed" } else { "NOT CLOSED" };
    writeln!(out, "  really safe   {:>12}  the promise is met and cannot be broken", count(report.really_safe))?;
    if !report.own_is_named {
        let why = if only_goal { "not examined (--goal-only)" } else { "the algorithm names none" };
        writeln!(out, "  own safe set  {:>12}  {why}", "-")?;
    }
    let within = match (report.own_is_really_safe, own_is_same(report)) {
        (true, true) => ", the same set",
        (true, false) => ", all of it really safe",
        (false, _) => ", NOT ALL OF IT REALLY SAFE",
    };
    let silent = if report.own_is_silent { ", silent" } else { "" };
    let reached = if report.own_is_reached == Some(false) { ", not always reached" } else { "" };
    let own = format!("{}{within}{silent}{reached}", closed(report.own_is_closed));
    if report.own_is_named {
        writeln!(out, "  own safe set  {:>12}  {own} ({})", count(report.own_safe), looks.algorithm.safe_set())?;
    }
    for set in &report.sets {
        let line = match (set.closed, &*set.claim) {
            (_, "") => closed(set.closed).to_string(),
            (true, claim) => format!("closed, as {claim} claims"),
            (false, claim) => format!("NOT CLOSED, though {claim} claims it"),
        };
        writeln!(out, "  {:12}  {:>12}  {line}", set.name, set.configurations)?;
    }
    Ok(())
}

/// A report that is being printed.
pub(super) struct Printer<'a, W> {
    pub(super) report: &'a CheckReport<'a>,
    pub(super) out: &'a mut W,
    /// The columns for a ring.
    pub(super) width: usize,
    pub(super) hints: Hints<'a>,
}

impl<W: Write> Printer<'_, W> {
    fn counterexample(&mut self, run: &Counterexample) -> Result<()> {
        let (looks, width) = (self.report.looks, self.width);
        let shows = std::iter::once(&run.start).chain(run.prefix.iter().chain(&run.cycle).map(|s| &s.after));
        let shown = shows.flat_map(|c| looks.marks(c)).fold(Marks::NONE, |all, m| all | m);
        writeln!(self.out, "\n{}\n", ring::legend(shown))?;
        writeln!(self.out, "{:>6}  {}", "start", ring::line(&looks.marks(&run.start), None, width))?;
        for (i, state) in looks.states(&run.start).iter().enumerate() {
            writeln!(self.out, "          {} {i}: {state}", looks.kind.member())?;
        }
        let mut before = looks.states(&run.start);
        // A strategy takes the place of a cycle.
        let cycle = if run.strategy.is_empty() { &run.cycle[..] } else { &[] };
        let total = run.prefix.len() + cycle.len();
        for (at, step) in run.prefix.iter().chain(cycle).enumerate() {
            if at == run.prefix.len() {
                writeln!(self.out, "        for ever:")?;
            }
            let after = looks.states(&step.after);
            if total <= DRAWN || at < DRAWN / 2 || at + DRAWN / 2 >= total {
                let taken = step::StepLine {
                    marks: &looks.marks(&step.after),
                    actor: &step.actor,
                    rules: &step.rules,
                    inputs: step.inputs,
                    before: &before,
                    after: &after,
                };
                writeln!(self.out, "{}", taken.line(at + 1, width))?;
            } else if at == DRAWN / 2 {
                writeln!(self.out, "        … {} …", counted((total - DRAWN) as u64, "step"))?;
            }
            before = after;
        }
        if run.strategy.is_empty() { Ok(()) } else { self.strategy(run) }
    }

    /// The configurations of a strategy, each with the choices of the daemon.
    pub(super) fn strategy(&mut self, run: &Counterexample) -> Result<()> {
        let looks = self.report.looks;
        writeln!(self.out, "        the strategy of the daemon, in each configuration:")?;
        let total = run.strategy.len();
        for (at, situation) in run.strategy.iter().enumerate() {
            if total <= DRAWN || at < DRAWN / 2 || at + DRAWN / 2 >= total {
                let chosen: Vec<String> = situation.choices.iter().map(choice).collect();
                let chosen = if chosen.is_empty() { "no step changes anything".into() } else { chosen.join(", then ") };
                let picture = ring::line(&looks.marks(&situation.states), None, self.width);
                writeln!(self.out, "{:>6}  {picture}  {}", at + 1, looks.states(&situation.states).join(" | "))?;
                if let Some(turns) = &situation.turns {
                    writeln!(self.out, "          before their left neighbours step: {}", joined(turns, ", "))?;
                }
                writeln!(self.out, "          {chosen}")?;
            } else if at == DRAWN / 2 {
                writeln!(self.out, "        … {} configurations …", total - DRAWN)?;
            }
        }
        Ok(())
    }
}

fn choice(choice: &Choice) -> String {
    match &choice.rules[..] {
        [] => choice.actor.to_string(),
        rules => format!("{}, choice {}", choice.actor, joined(rules, " ")),
    }
}

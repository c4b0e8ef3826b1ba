//! `ringleader prove` and `ringleader verify`: proofs of stabilization on every ring, and their verification.

use crate::catalog;
use crate::settings::Setup;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED, bail, usage};
use crate::terminal::program::program;
use crate::terminal::progress::Progress;
use crate::terminal::{files, interrupt};
use crate::texts;
use crate::verbs::check::CheckedOracle;
use ringleader_catalog::growing;
use ringleader_catalog::proofs as rules;
use ringleader_check::Monitor;
use ringleader_erased::{Card, Kind, Topology};
use ringleader_language::RegularCondition;
use ringleader_model::{Scheduler, shell_word};
use ringleader_prove::{
    ArcFailure, Hints, LARGEST_FIRST, Options, Outcome, Progress as Stage, Refutation, Remainder, Unsuitable,
};
use ringleader_report::Subject;
use ringleader_report::proof::{self, claim, words};
use ringleader_verify::{Certificate, Coins, FailureCertificate, Rules, Scheduler as Fairness, Sizes};
use std::cell::{Cell, RefCell};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod complete;
mod recurrence;
mod said;
mod values;
mod verification;

use said::{fails, flaw, open, proved};
#[cfg(feature = "lab")]
pub(crate) use verification::accepted;
use verification::is_certificate;
pub(crate) use verification::{VerifyArguments, check};

/// The largest ring for which a table of the rules is built.
const LARGEST_FROM: usize = 64;

/// The schedules of small sizes under local fairness.
const TRANSITIONS: &str = "fair to the transitions of each arc";

/// Prove that an algorithm stabilizes on every ring from some size on.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader prove fischer-jiang-ring --certificate ring.json      every n >= 3, with the proof in a file
  ringleader verify ring.json                                      an independent check of it
  ringleader prove gouda-haddix --budget 300
  ringleader prove dijkstra-four-state --scheduler unfair
  ringleader prove dijkstra-three-state --scheduler unfair          exactly one rule may be applied
  ringleader prove dijkstra-four-state --scheduler unfair --recurring     and every process has the token again and again
  ringleader prove fischer-jiang-ring --oracle eventually-correct
  ringleader prove herman --not-multiple-of 2                       with probability 1, all processes at once
  ringleader prove dijkstra-four-state --scheduler distributed
  ringleader prove dijkstra-k-state --k 3 --scheduler unfair        it fails for every n >= 5
  ringleader prove docs/examples/randomized/israeli-jalfon.ring --scheduler random-partner
  ringleader prove docs/examples/fair/broadcast.ring --scheduler fair
  ringleader prove docs/examples/fair/coin-colouring.ring --scheduler fair     with probability 1
  ringleader prove fischer-jiang-complete                           complete graphs of every size
  ringleader prove angluin-ring --not-multiple-of 2 --hints docs/hints/angluin-ring.txt
  ringleader prove dijkstra-k-state                                 every n >= 2 and every number of values k >= n - 1

docs/proving.md explains what is proved and what must be trusted. \"Not proved\" does not mean that it fails.
Exit codes: 0 proved, 1 refuted, or a claimed size or number of values below those of the proof fails, 2 bad usage, or not proved for all that
is claimed, 130 interrupted.
Also 1 if only --recurring is refuted, and 2 if only --recurring is not proved.")]
pub(crate) struct Arguments {
    /// The name of the algorithm (`ringleader list` shows all names) or the file of a protocol
    algorithm: String,
    /// globally-fair, random (the same for proofs), fair, locally-fair, unfair, distributed, synchronous or random-partner [default: globally-fair, or
    /// synchronous if the algorithm claims that; if the number of values grows with the ring: unfair, or distributed if the algorithm claims
    /// distributed or synchronous]
    #[arg(long, value_parser = scheduler)]
    scheduler: Option<Scheduler>,
    /// The coins of the rules under fair, unfair, distributed and synchronous: fair (the goal is reached with probability 1 against every
    /// daemon) or adversarial (the daemon chooses the outcomes, too; only under unfair and distributed) [default: fair]
    #[arg(long)]
    coins: Option<String>,
    /// The smallest size of the proof [default: the smallest size of the algorithm's claim, and at least 3]
    #[arg(long, value_name = "N0")]
    from: Option<usize>,
    /// Only sizes that are multiples of this
    #[arg(long, value_name = "K", conflicts_with = "not_multiple_of")]
    multiple_of: Option<usize>,
    /// Only sizes that are not multiples of this
    #[arg(long, value_name = "K")]
    not_multiple_of: Option<usize>,
    /// Prove also that every agent has the token again and again, once the configuration is safe
    #[arg(long)]
    recurring: bool,
    /// Write the proof to this file, or the proof of a failure at every size of a class; `verify` checks it
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Check the safe set and the measures in this file instead of searching: see docs/proving.md
    #[arg(long, value_name = "FILE")]
    hints: Option<PathBuf>,
    /// The longest duration of the search, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    budget: u64,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
    /// Whether a certificate was written.
    #[arg(skip)]
    written: Cell<bool>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    arguments.certificate.as_deref().map(files::writable).transpose()?;
    let done = search(arguments, card);
    if let Some(path) = arguments.certificate.as_deref().filter(|_| !arguments.written.get()) {
        let stale = files::forget(path, is_certificate)?;
        let older = if stale { "; the older certificate in it was removed" } else { "" };
        anstream::eprintln!("there is no proof: nothing is saved in {}{older}", path.display());
    }
    done
}

fn search(arguments: &Arguments, card: &Card) -> Result<ExitCode, Failure> {
    let lies = arguments.setup.oracle().is_some_and(|oracle| !oracle.is_perfect());
    if arguments.setup.oracle().is_some() && card.oracle.is_none() {
        bail!("--oracle is not for {}: it needs no oracle", card.name);
    }
    if let Some(k) = growing::parameter(catalog(), card, &arguments.setup.at(3)) {
        return values::run(arguments, card, k);
    }
    let fairness = rules::schedules(card, arguments.scheduler)?;
    let claimed = arguments.setup.layers().scheduler(card);
    let weaker = arguments.scheduler.is_none()
        && !matches!(claimed, Scheduler::Random | Scheduler::GloballyFair | Scheduler::Synchronous);
    if weaker {
        let topology = arguments.setup.layers().topology(card);
        let supported = match claimed {
            Scheduler::Unfair | Scheduler::Distributed => true,
            Scheduler::Fair => card.kind == Kind::Ring,
            Scheduler::LocallyFair => card.kind == Kind::Population && topology == Topology::DirectedRing,
            Scheduler::RandomPartner => card.kind == Kind::Population && topology == Topology::UndirectedRing,
            _ => false,
        };
        let instead = match supported {
            true => format!("--scheduler {claimed} asks for the claim itself"),
            false => {
                format!("there are no proofs for {claimed} schedules here, and --scheduler unfair includes them")
            }
        };
        let name = card.name;
        anstream::eprintln!(
            "note: {name} claims to stabilize under the {claimed} scheduler; this proof is for globally fair schedules, the default: {instead}"
        );
    }
    if lies && fairness != Fairness::GloballyFair {
        bail!("a proof about a detector that may lie needs --scheduler globally-fair");
    }
    if arguments.setup.layers().topology(card) == Topology::Complete {
        return complete::run(arguments, card, fairness, lies);
    }
    let hints = arguments.hints.as_deref().map(hints).transpose()?;
    let from = arguments.from.unwrap_or_else(|| least(card, arguments).max(3));
    if !(3..=LARGEST_FIRST).contains(&from) {
        bail!(
            "--from {from}: the smallest size of a proof is 3 to {LARGEST_FIRST}; `check` checks other sizes one by one"
        );
    }
    let sizes = arguments.sizes(from)?;
    let mut rules = rules::ring(catalog(), card, &arguments.setup.at(from), &sizes)?;
    let partners = arguments.scheduler == Some(Scheduler::RandomPartner);
    if partners {
        rules = ringleader_prove::random_partners(&rules).map_err(Failure::usage)?;
    }
    if lies {
        rules::check_equal_answers(catalog(), card, &arguments.setup.at(from))?;
    }
    let coins = arguments.coins(fairness, &rules)?;
    rules::check_choices(catalog(), card, &arguments.setup.at(from), &rules, fairness, coins)?;
    let one_by_one = matches!(fairness, Fairness::GloballyFair | Fairness::Unfair);
    if arguments.recurring && (coins == Coins::Fair || !one_by_one) {
        return Err(Failure::usage(Unsuitable::RecurringDaemon));
    }
    let condition = recurrence::condition(arguments, card, &rules)?;
    let mut outcome = watched(arguments.budget, |options| {
        let options = Options { coins, lies, families: !partners, hints: hints.as_ref(), ..*options };
        ringleader_prove::prove(&arguments.subject(card), &rules, &sizes, fairness, &options)
    })?;
    let condition = condition.as_deref();
    let recurs = condition.map(|condition| recurrence::prove(arguments.budget, &mut outcome, condition)).transpose()?;
    let recurs = recurs.flatten();
    if let Some(json) = certificate(&outcome, card) {
        arguments.write(&json)?;
    }
    let below = match &outcome {
        // Smaller sizes are checked from all configurations, and without random partners.
        Outcome::Proved(_) if !partners && rules.given.is_none() => {
            let claim = rules::Claim { fairness, coins, lies };
            rules::below(catalog(), card, &sizes, |n| arguments.setup.at(n), claim, &Monitor::default())?
        }
        _ => vec![],
    };
    let verdicts: Vec<_> =
        below.iter().map(|smaller| (smaller.size, smaller.holds, smaller.level.map(Into::into))).collect();
    let subject = Subject { card, parameters: &arguments.setup.at(2) };
    let mut json = proof::ring_json(subject, &rules, (fairness, coins), &outcome, &verdicts);
    if let Some(scheduler @ (Scheduler::RandomPartner | Scheduler::Fair)) = arguments.scheduler {
        json["scheduler"] = scheduler.name().into();
    }
    json["claimed_scheduler"] = claimed.name().into();
    if let (Some(condition), Some(recurrence)) = (condition, &recurs) {
        json["recurring"] = proof::recurrence_json(&rules, condition, recurrence);
    }
    let goal = catalog().protocol(card.name).map(|text| text.regular_goal(&arguments.setup.at(from)));
    let goal = goal.and_then(|goal| goal.ok().flatten());
    let start =
        catalog().protocol(card.name).and_then(|text| text.regular_start(&arguments.setup.at(from)).ok().flatten());
    let conditions = goal.iter().chain(&start).flat_map(|condition| &condition.names);
    json["conditions"] = conditions.map(|local| (local.name.clone(), local.text.clone())).collect();
    if let Outcome::Refuted(refutation) = &outcome {
        json["size_is_claimed"] = arguments.claims(card, refutation.size).into();
    }
    arguments.tell(card, &rules, &outcome, json, goal.as_ref(), |out, proof| {
        let holds_below = proved(out, card, proof, fairness, goal.as_ref(), start.as_ref(), &below)?;
        match (condition, &recurs) {
            _ if !holds_below => Ok(ExitCode::from(FAILS)),
            (Some(condition), Some(recurs)) => recurrence::tell(out, &rules, fairness, condition, recurs),
            _ => Ok(ExitCode::SUCCESS),
        }
    })
}

/// The certificate of a proof, or of a failure at every size of a class.
fn certificate(outcome: &Outcome, card: &Card) -> Option<String> {
    match outcome {
        Outcome::Proved(proof) => Some(Certificate { text: text(card), ..proof.certificate.clone() }.to_json()),
        Outcome::Refuted(Refutation { family: Some(family), .. }) => {
            Some(FailureCertificate { text: text(card), ..family.as_ref().clone() }.to_json())
        }
        _ => None,
    }
}

/// The text of an algorithm that was given as a file.
fn text(card: &Card) -> Option<String> {
    catalog().file(card.name).map(|_| card.source.to_string())
}

fn hints(path: &Path) -> Result<Hints, Failure> {
    let wrong = |what: String| usage!("{}: {what}", path.display());
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    Hints::read(&text).map_err(|error| wrong(error.to_string()))
}

/// Runs a search with progress on the terminal. Ctrl-C ends it.
fn watched<T>(budget: u64, search: impl FnOnce(&Options) -> Result<T, Unsuitable>) -> Result<T, Failure> {
    interrupt::listen();
    let shown = RefCell::new(Progress::new());
    let tell = |stage: Stage| {
        shown.borrow_mut().say(|| said(stage));
    };
    let options = Options { cancel: Some(interrupt::flag()), progress: Some(&tell), ..Options::seconds(budget) };
    search(&options).map_err(Failure::usage)
}

/// The progress of the search, in words.
fn said(stage: Stage) -> String {
    match stage {
        Stage::Ring { size } => format!("every configuration of size {size}"),
        Stage::Safe { states } => format!("a safe set of {states} automaton states"),
        Stage::Formulas { count } => format!("{count} formulas"),
        Stage::Level { measures, solved, of } => {
            let share = 100.0 * solved as f64 / of.max(1) as f64;
            format!("level {}: {solved} of {of} configurations of the sample solved ({share:.0}%)", measures + 1)
        }
        Stage::Verify => "checking the certificate".into(),
    }
}

/// A scheduler by its name. Names that are unknown get the list of those that proofs support.
fn scheduler(name: &str) -> Result<Scheduler, String> {
    name.parse().map_err(|_| format!("the schedulers of proofs are {}", rules::SCHEDULERS))
}

/// The smallest size of the algorithm's claim.
fn least(card: &Card, arguments: &Arguments) -> usize {
    let supported = |n: &usize| catalog().supports(card.name, &arguments.setup.at(*n)).is_ok();
    (2..64).find(supported).unwrap_or(2)
}

impl Arguments {
    /// The subject of the certificate. `verify` finds the algorithm by this name if there are no parameters.
    fn subject(&self, card: &Card) -> String {
        let given = self.setup.at(2).given();
        let given: Vec<_> = given.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if given.is_empty() { "" } else { " with " };
        format!("{}{with}{}", card.name, given.join(", "))
    }

    /// The coins of the claim.
    fn coins(&self, fairness: Fairness, rules: &Rules) -> Result<Coins, Failure> {
        match self.coins.as_deref() {
            Some("adversarial") if self.scheduler == Some(Scheduler::RandomPartner) => {
                Err(usage!("--coins adversarial: under random-partner coins are fair"))
            }
            Some("adversarial") if fairness == Fairness::GloballyFair => Err(usage!(
                "--coins adversarial: under random and globally-fair no daemon chooses; use unfair or distributed"
            )),
            Some("adversarial") if matches!(fairness, Fairness::WeaklyFair | Fairness::LocallyFair) => Err(usage!(
                "--coins adversarial: proofs for fair and locally-fair schedules do not cover adversarial coins; `check` does"
            )),
            Some("adversarial") => Ok(Coins::Adversarial),
            None | Some("fair") => Ok(rules::usual_coins(fairness, rules)),
            Some(other) => Err(usage!("--coins {other}: it must be fair or adversarial")),
        }
    }

    /// Whether the algorithm claims to stabilize at a size.
    fn claims(&self, card: &Card, size: usize) -> bool {
        catalog().supports(card.name, &self.setup.at(size)).is_ok()
    }

    /// Writes a certificate to the file that is asked for.
    fn write(&self, certificate: &str) -> Result<(), Failure> {
        let Some(path) = &self.certificate else { return Ok(()) };
        files::write(path, certificate)?;
        self.written.set(true);
        Ok(())
    }

    /// The command that checks one size.
    fn check(&self, card: &Card, size: usize) -> String {
        let usual = if card.scheduler == Scheduler::Synchronous { card.scheduler } else { Scheduler::GloballyFair };
        let scheduler = self.scheduler.unwrap_or(usual);
        let coins = if self.coins.as_deref() == Some("adversarial") { " --coins adversarial" } else { "" };
        let lies = self.setup.oracle().is_some_and(|oracle| !oracle.is_perfect());
        let oracle = if lies { " --oracle eventually-correct" } else { "" };
        let (called, flags) = (shell_word(texts::reference(card.name)), self.setup.written());
        format!("`{} check {called} --size {size} --scheduler {scheduler}{coins}{flags}{oracle}`", program())
    }

    fn sizes(&self, from: usize) -> Result<Sizes, Failure> {
        let bad =
            |k: usize| usage!("--multiple-of and --not-multiple-of take numbers from 2 to {LARGEST_FIRST}, not {k}");
        match (self.multiple_of, self.not_multiple_of) {
            (Some(k), _) | (_, Some(k)) if !(2..=LARGEST_FIRST).contains(&k) => Err(bad(k)),
            (Some(k), _) => Ok(Sizes { from, modulus: k, residues: vec![0] }),
            (None, Some(k)) => Ok(Sizes { from, modulus: k, residues: (1..k).collect() }),
            (None, None) => Ok(Sizes::from(from)),
        }
    }

    /// Says where the proof is, or how to keep it.
    fn kept(&self, out: &mut dyn Write) -> std::io::Result<()> {
        match &self.certificate {
            Some(path) => {
                let word = shell_word(path.display());
                writeln!(out, "the proof is in {}: `{} verify {word}` checks it", path.display(), program())
            }
            None => writeln!(out, "--certificate FILE keeps the proof; `{} verify FILE` checks it", program()),
        }
    }

    /// Prints the outcome. `proved` prints a proof and has the exit code, and `json` has the whole outcome.
    fn tell<P>(
        &self,
        card: &Card,
        rules: &Rules,
        outcome: &Outcome<P>,
        json: serde_json::Value,
        goal: Option<&RegularCondition>,
        proved: impl FnOnce(&mut dyn Write, &P) -> Result<ExitCode, Failure>,
    ) -> Result<ExitCode, Failure> {
        let mut out = anstream::stdout().lock();
        if self.json {
            writeln!(out, "{json}")?;
        }
        let out: &mut dyn Write = if self.json { &mut std::io::sink() } else { &mut out };
        const OPEN: &str = "not proved, which does not mean that it fails";
        Ok(match outcome {
            Outcome::Proved(proof) => {
                let code = proved(out, proof)?;
                self.kept(out)?;
                code
            }
            Outcome::Refuted(refutation) => {
                let n = refutation.size;
                let unclaimed = match self.claims(card, n) {
                    true => "",
                    false => " (a size that is not claimed; --multiple-of and --not-multiple-of exclude sizes)",
                };
                let under = match self.scheduler {
                    Some(Scheduler::LocallyFair) => format!(" under a schedule that is {TRANSITIONS}"),
                    _ => String::new(),
                };
                let members = card.kind.members();
                writeln!(
                    out,
                    "refuted: with {n} {members}{unclaimed} the promise fails{under} from this configuration:"
                )?;
                for (agent, &state) in refutation.start.iter().enumerate() {
                    writeln!(out, "  {agent}: {}", rules.states[usize::from(state)])?;
                }
                writeln!(out, "{} shows an execution", self.check(card, n))?;
                if let Some(family) = &refutation.family {
                    fails(out, card, family, goal)?;
                    self.kept(out)?;
                } else if matches!(self.scheduler, Some(Scheduler::Fair | Scheduler::LocallyFair))
                    && recurrence::has_here(rules)
                {
                    writeln!(
                        out,
                        "no class of sizes at which it fails is searched for: the proof needs formulas in which `here` is an agent, but a \
                         variable is called `here`; rename the variable"
                    )?;
                } else if refutation.cut_short {
                    writeln!(
                        out,
                        "the search for a class of sizes at which it fails was cut short; a longer --budget may find one"
                    )?;
                }
                ExitCode::from(FAILS)
            }
            Outcome::SafeSetNotFound(why) => {
                let why = flaw(why, &words::letters(rules));
                writeln!(out, "{OPEN}: no safe set for every size was found; {why}")?;
                ExitCode::from(2)
            }
            Outcome::NothingLasts(why) => {
                let why = flaw(why, &words::letters(rules));
                writeln!(
                    out,
                    "{OPEN}: no set was found that always keeps a leader, for all answers of the detector; {why}"
                )?;
                ExitCode::from(2)
            }
            Outcome::ArcsFail(failure) => {
                let ArcFailure { size, comes_back_to, holds_up_to } = failure;
                writeln!(
                    out,
                    "{OPEN}: there is no proof of this kind. With {size} agents some schedule fails in which no arc that can change \
                     something is unused for ever. It comes back to this configuration again and again:"
                )?;
                for (agent, &state) in comes_back_to.iter().enumerate() {
                    writeln!(out, "  {agent}: {}", rules.states[usize::from(state)])?;
                }
                writeln!(out, "with up to {holds_up_to} agents it holds under every schedule that is {TRANSITIONS}")?;
                ExitCode::from(2)
            }
            Outcome::HintsRejected(why) => {
                writeln!(out, "not proved by these hints: {why}")?;
                ExitCode::from(2)
            }
            Outcome::NotProved(left) => {
                let Remainder { solved, of, holds_up_to, cancelled, spent, .. } = left;
                let why = match (cancelled, spent) {
                    (true, _) => "the search was interrupted",
                    (false, true) => "the budget is used up",
                    (false, false) => "no proof was found with the measures that are tried",
                };
                let sizes = match holds_up_to {
                    Some(size) => format!("it holds with up to {size} {}", card.kind.members()),
                    None => "no size was checked completely".into(),
                };
                let sample = match of {
                    0 => String::new(),
                    _ => format!(", and {solved} of {of} configurations of a sample were solved"),
                };
                writeln!(out, "{OPEN}: {why}; {sizes}{sample}")?;
                if let Some(open) = open(rules, left) {
                    writeln!(out, "open, for example: {open}")?;
                }
                ExitCode::from(if *cancelled { INTERRUPTED } else { 2 })
            }
        })
    }
}

//! `ringleader prove` and `ringleader verify`: stabilization on every ring, and the checking of such a proof.

use crate::catalog;
use crate::settings::Setup;
use crate::terminal::exit::{FAILS, Failure, INTERRUPTED};
use crate::terminal::program::program;
use crate::terminal::progress::Progress;
use crate::terminal::{files, interrupt};
use crate::texts;
use crate::verbs::check::CheckedOracle;
use below::Below;
use ringleader_erased::{Card, Topology};
use ringleader_model::Scheduler;
use ringleader_prove::{Hints, Options, Outcome, Progress as Stage, Proof, Remainder, Unsafe, Unsuitable};
use ringleader_verify::{Certificate, Rules, Scheduler as Fairness, Sizes, State};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

mod below;
mod claim;
mod complete;
mod rules;
mod verification;
mod words;

pub(crate) use verification::{VerifyArguments, accepted, check};

/// No table is built for larger rings: no proof begins there.
const LARGEST_FROM: usize = 64;

/// Prove that an algorithm whose local states do not grow stabilizes on every ring from some size on.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader prove fischer-jiang-ring --certificate ring.json      every n >= 3, and the proof in a file
  ringleader verify ring.json                                      an independent check of it
  ringleader prove gouda-haddix --budget 300
  ringleader prove dijkstra-four-state --scheduler unfair
  ringleader prove dijkstra-three-state --scheduler unfair          exactly one rule may be applied
  ringleader prove fischer-jiang-ring --oracle eventually-correct
  ringleader prove fischer-jiang-complete                           complete graphs of every size
  ringleader prove angluin-ring --not-multiple-of 2 --hints docs/hints/angluin-ring.txt

What is proved, and what one must trust: docs/proving.md. \"Not proved\" never means that it fails.
Exit codes: 0 proved, 1 refuted, or a size below those of the proof fails, 2 bad usage or not proved, 130 interrupted.")]
pub(crate) struct Arguments {
    /// The algorithm, as `ringleader list` gives it, or a text protocol
    algorithm: String,
    /// random and globally-fair mean the same here; or unfair [default: globally-fair]
    #[arg(long)]
    scheduler: Option<Scheduler>,
    /// The least size that the proof is to speak of [default: the least that the algorithm is claimed for, and 3]
    #[arg(long, value_name = "N0")]
    from: Option<usize>,
    /// Only sizes that are multiples of this
    #[arg(long, value_name = "K", conflicts_with = "not_multiple_of")]
    multiple_of: Option<usize>,
    /// Only sizes that are no multiples of this
    #[arg(long, value_name = "K")]
    not_multiple_of: Option<usize>,
    /// Write the proof to this file; `verify` checks it
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,
    /// Check the safe set and the measures in this file instead of searching: see docs/proving.md
    #[arg(long, value_name = "FILE")]
    hints: Option<PathBuf>,
    /// How long to search, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    budget: u64,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let card = catalog().card(&arguments.algorithm)?;
    arguments.certificate.as_deref().map(files::writable).transpose()?;
    let lies = arguments.setup.oracle().is_some_and(|oracle| !oracle.is_perfect());
    if arguments.setup.oracle().is_some() && card.oracle.is_none() {
        return Err(Failure::usage(format!("--oracle is not for {}: it needs no oracle", card.name)));
    }
    if card.scheduler == Scheduler::Synchronous && arguments.scheduler.is_none() {
        return Err(Failure::usage(format!(
            "{} is claimed for all processes stepping at once, and proofs are for one step at a time: say --scheduler \
             globally-fair or unfair to ask about those",
            card.name
        )));
    }
    let fairness = fairness(arguments.scheduler)?;
    if lies && fairness == Fairness::Unfair {
        return Err(Failure::usage(
            "a detector that may lie is proved to do under globally-fair schedules, not unfair ones",
        ));
    }
    if arguments.setup.layers().topology(card) == Topology::Complete {
        return complete::run(arguments, card, fairness, lies);
    }
    let hints = arguments.hints.as_deref().map(hints).transpose()?;
    let from = arguments.from.unwrap_or_else(|| least(card, arguments).max(3));
    if from > LARGEST_FROM {
        return Err(Failure::usage(format!("--from {from}: proofs begin at a size up to {LARGEST_FROM}")));
    }
    let sizes = arguments.sizes(from)?;
    let rules = rules::ring(catalog(), card, &arguments.setup.at(from), &sizes)?;
    if lies {
        rules::check_equal_answers(catalog(), card, &arguments.setup.at(from))?;
    }
    let outcome = watched(arguments.budget, |options| {
        let options = Options { lies, hints: hints.as_ref(), ..*options };
        ringleader_prove::prove(&arguments.subject(card), &rules, &sizes, fairness, &options)
    })?;
    if let (Outcome::Proved(proof), Some(path)) = (&outcome, &arguments.certificate) {
        let certificate = Certificate { text: text(card), ..proof.certificate.clone() };
        write(path, &certificate.to_json())?;
    }
    let below = match &outcome {
        Outcome::Proved(_) => below::checked(card, &sizes, |n| arguments.setup.at(n), fairness, lies)?,
        _ => vec![],
    };
    arguments.tell(card, &rules, &outcome, &below)
}

/// The text of an algorithm that was given as one: nobody else has it under this name.
fn text(card: &Card) -> Option<String> {
    catalog().file(card.name).map(|_| card.source.to_string())
}

fn write(path: &Path, certificate: &str) -> Result<(), Failure> {
    std::fs::write(path, certificate).map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))
}

fn hints(path: &Path) -> Result<Hints, Failure> {
    let wrong = |what: String| Failure::usage(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
    Hints::read(&text).map_err(wrong)
}

/// Runs a search that Ctrl-C ends and a terminal shows.
fn watched<T>(budget: u64, search: impl FnOnce(&Options) -> Result<T, Unsuitable>) -> Result<T, Failure> {
    interrupt::listen();
    let shown = RefCell::new(Progress::new());
    let tell = |stage: Stage| {
        shown.borrow_mut().say(|| said(stage));
    };
    let options = Options { cancel: Some(interrupt::flag()), progress: Some(&tell), ..Options::seconds(budget) };
    search(&options).map_err(Failure::usage)
}

/// What the search is doing, in words.
fn said(stage: Stage) -> String {
    match stage {
        Stage::Ring { size } => format!("every configuration of {size} agents"),
        Stage::Safe { states } => format!("a safe set of {states} automaton states"),
        Stage::Formulas { count } => format!("{count} formulas"),
        Stage::Level { measures, solved, of } => {
            let share = 100.0 * solved as f64 / of.max(1) as f64;
            format!("level {}: {solved} of {of} words of the sample solved ({share:.0}%)", measures + 1)
        }
        Stage::Verify => "checking the certificate".into(),
    }
}

fn fairness(scheduler: Option<Scheduler>) -> Result<Fairness, Failure> {
    match scheduler {
        None | Some(Scheduler::Random | Scheduler::GloballyFair) => Ok(Fairness::GloballyFair),
        Some(Scheduler::Unfair) => Ok(Fairness::Unfair),
        Some(other) => Err(Failure::usage(format!(
            "--scheduler {other}: proofs are for random, globally-fair or unfair schedules"
        ))),
    }
}

/// What is wrong with the best guess at a safe set, in words.
fn flaw(flaw: &Unsafe, letters: &[String]) -> String {
    let word = |c: &[State]| c.iter().map(|&s| &*letters[usize::from(s)]).collect::<Vec<_>>().join(" ");
    match flaw {
        Unsafe::Promise(c) => format!("what the small sizes suggest contains {}, which is not as promised", word(c)),
        Unsafe::Leaves(before, after) => {
            format!("a step leaves what the small sizes suggest: {} becomes {}", word(before), word(after))
        }
        Unsafe::Moves(before, after) => {
            format!(
                "in what the small sizes suggest a step moves what must stay: {} becomes {}",
                word(before),
                word(after)
            )
        }
        Unsafe::TooLarge => "what the small sizes suggest is too large".into(),
    }
}

/// The least size that the algorithm is claimed for.
fn least(card: &Card, arguments: &Arguments) -> usize {
    let supported = |n: &usize| catalog().supports(card.name, &arguments.setup.at(*n)).is_ok();
    (2..64).find(supported).unwrap_or(2)
}

impl Arguments {
    /// What the certificate is about: `verify` finds the algorithm by its name if nothing else was said.
    fn subject(&self, card: &Card) -> String {
        let given = self.setup.at(2).given();
        let given: Vec<_> = given.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let with = if given.is_empty() { "" } else { " with " };
        format!("{}{with}{}", card.name, given.join(", "))
    }

    /// The command that looks at one size of what was asked about.
    fn check(&self, card: &Card, size: usize) -> String {
        let scheduler = self.scheduler.map_or("globally-fair".into(), |scheduler| scheduler.to_string());
        let lies = self.setup.oracle().is_some_and(|oracle| !oracle.is_perfect());
        let oracle = if lies { " --oracle eventually-correct" } else { "" };
        let (called, flags) = (texts::reference(card.name), self.setup.written());
        format!("`{} check {called} --size {size} --scheduler {scheduler}{flags}{oracle}`", program())
    }

    fn sizes(&self, from: usize) -> Result<Sizes, Failure> {
        let bad = |k: usize| Failure::usage(format!("sizes are told apart by numbers from 2 to 64, not by {k}"));
        match (self.multiple_of, self.not_multiple_of) {
            (Some(k), _) | (_, Some(k)) if !(2..=64).contains(&k) => Err(bad(k)),
            (Some(k), _) => Ok(Sizes { from, modulus: k, residues: vec![0] }),
            (None, Some(k)) => Ok(Sizes { from, modulus: k, residues: (1..k).collect() }),
            (None, None) => Ok(Sizes::from(from)),
        }
    }

    fn tell(&self, card: &Card, rules: &Rules, outcome: &Outcome, below: &[Below]) -> Result<ExitCode, Failure> {
        let mut out = anstream::stdout().lock();
        if self.json {
            let mut value = as_json(card, rules, outcome, below);
            value["parameters"] =
                self.setup.at(2).given().into_iter().collect::<BTreeMap<_, _>>().into_iter().collect();
            value["scheduler"] = json!(fairness(self.scheduler)?);
            value["goal"] = claim::goal(rules).into();
            writeln!(out, "{value}")?;
        } else {
            match outcome {
                Outcome::Proved(proof) => self.proved(&mut out, card, proof, below)?,
                Outcome::Refuted(refutation) => {
                    let n = refutation.size;
                    let start: Vec<_> = refutation.start.iter().map(|&s| &*rules.states[usize::from(s)]).collect();
                    let unclaimed = match catalog().supports(card.name, &self.setup.at(n)) {
                        Ok(()) => "",
                        Err(_) => {
                            ", for which nothing is claimed (--multiple-of and --not-multiple-of leave sizes out),"
                        }
                    };
                    writeln!(out, "refuted: with {n} agents{unclaimed} the promise is not kept, as from")?;
                    for (agent, state) in start.iter().enumerate() {
                        writeln!(out, "  {agent}: {state}")?;
                    }
                    writeln!(out, "{} shows a run", self.check(card, n))?;
                }
                Outcome::SafeSetNotFound(why) => {
                    let why = flaw(why, &words::letters(rules));
                    writeln!(
                        out,
                        "not proved, which says nothing of whether it holds: no safe set was found for every size; {why}"
                    )?;
                }
                Outcome::NothingLasts(why) => {
                    let why = flaw(why, &words::letters(rules));
                    writeln!(
                        out,
                        "not proved: no set was found in which there is always a leader, whatever the detector says; {why}"
                    )?;
                }
                Outcome::HintsRejected(why) => writeln!(out, "not proved by these hints: {why}")?,
                Outcome::NotProved(Remainder { solved, of, holds_up_to, cancelled: true, .. }) => writeln!(
                    out,
                    "interrupted; not proved so far, which says nothing of whether it holds: up to {holds_up_to} agents it does; of a \
                     sample, {solved} of {of} were solved ({:.0}%)",
                    100.0 * *solved as f64 / (*of).max(1) as f64
                )?,
                Outcome::NotProved(Remainder { solved, of, holds_up_to, spent, .. }) => writeln!(
                    out,
                    "not proved {}, which says nothing of whether it holds: up to {holds_up_to} agents it does; of a sample, \
                     {solved} of {of} were solved",
                    if *spent { "within the budget" } else { "by any of the measures that are tried" }
                )?,
            }
        }
        Ok(match outcome {
            Outcome::Proved(_) if below.iter().all(|smaller| smaller.holds) => ExitCode::SUCCESS,
            Outcome::Proved(_) | Outcome::Refuted(_) => ExitCode::from(FAILS),
            Outcome::NotProved(Remainder { cancelled: true, .. }) => ExitCode::from(INTERRUPTED),
            _ => ExitCode::from(2),
        })
    }

    fn proved(&self, out: &mut impl Write, card: &Card, proof: &Proof, below: &[Below]) -> Result<(), Failure> {
        let certificate = &proof.certificate;
        writeln!(out, "proved: {}", claim::ring(certificate))?;
        for smaller in below {
            writeln!(out, "  n = {:<9} {}, by looking at every configuration", smaller.size, smaller.verdict())?;
        }
        if let Some(names) = words::legend(&certificate.rules) {
            writeln!(out, "  states        are written {names}")?;
        }
        writeln!(out, "  promise       for ever, {}", claim::goal(&certificate.rules))?;
        let besides = catalog().protocol(card.name).into_iter().flat_map(|text| text.promises());
        let besides: Vec<_> = besides.map(|(_, name, _)| name).collect();
        if !besides.is_empty() {
            writeln!(
                out,
                "  not proved    what the text claims besides: {}; `check` looks at that",
                besides.join(", ")
            )?;
        }
        let exact: Vec<_> = proof.exact_at.iter().map(ToString::to_string).collect();
        let exact = match exact.as_slice() {
            [] => "more may be really safe".into(),
            sizes => format!("exactly the really safe set for n = {}", sizes.join(", ")),
        };
        writeln!(out, "  safe set      an automaton of {} states; {exact}", certificate.safe.next.len())?;
        if let Some(words) = words::regular(&certificate.safe, &certificate.rules, EXPRESSION) {
            writeln!(out, "                agents 0 to n-1: {words}")?;
        }
        if let Some(lasting) = &certificate.lasting {
            let states = lasting.next.len();
            writeln!(out, "  leaders last  in an automaton of {states} states, whatever the detector says")?;
        }
        let letters = words::letters(&certificate.rules);
        let word = |c: &[State]| c.iter().map(|&s| &*letters[usize::from(s)]).collect::<Vec<_>>().join(" ");
        for (i, measure) in certificate.measures.iter().enumerate() {
            writeln!(out, "  {}  {measure}", if i == 0 { "measures    " } else { "            " })?;
            if let Some(Some((before, after))) = proof.examples.get(i) {
                writeln!(out, "                  falls as  {}  becomes  {}", word(before), word(after))?;
            }
        }
        match &self.certificate {
            Some(path) => writeln!(out, "the proof is in {0}: `{1} verify {0}` checks it", path.display(), program())?,
            None => writeln!(out, "--certificate FILE keeps the proof; `{} verify FILE` checks it", program())?,
        }
        Ok(())
    }
}

/// A longer expression than this says less than a picture of the automaton would.
const EXPRESSION: usize = 400;

fn as_json(card: &Card, rules: &Rules, outcome: &Outcome, below: &[Below]) -> serde_json::Value {
    let mut value = json!({ "version": 1, "algorithm": card.name });
    match outcome {
        Outcome::Proved(proof) => {
            value["outcome"] = "proved".into();
            value["claim"] = claim::ring(&proof.certificate).into();
            value["from"] = proof.certificate.sizes.from.into();
            value["sizes"] = json!(proof.certificate.sizes);
            value["measures"] = json!(proof.certificate.measures);
            value["safe_states"] = proof.certificate.safe.next.len().into();
            value["lies"] = proof.certificate.lasting.is_some().into();
            value["exact_at"] = json!(proof.exact_at);
            value["safe_words"] = json!(words::regular(&proof.certificate.safe, rules, EXPRESSION));
            value["examples"] = json!(proof.examples);
            value["below"] =
                below.iter().map(|smaller| json!({ "size": smaller.size, "holds": smaller.holds })).collect();
        }
        Outcome::Refuted(refutation) => {
            let start: Vec<_> = refutation.start.iter().map(|&s| &*rules.states[usize::from(s)]).collect();
            value["outcome"] = "refuted".into();
            value["size"] = refutation.size.into();
            value["start"] = json!(start);
        }
        Outcome::SafeSetNotFound(_) => value["outcome"] = "safe set not found".into(),
        Outcome::NothingLasts(_) => value["outcome"] = "no set found in which leaders last".into(),
        Outcome::HintsRejected(why) => {
            value["outcome"] = "hints rejected".into();
            value["reason"] = why.to_string().into();
        }
        Outcome::NotProved(left) => {
            value["outcome"] = "not proved".into();
            value["holds_up_to"] = left.holds_up_to.into();
            value["solved"] = json!([left.solved, left.of]);
        }
    }
    value
}

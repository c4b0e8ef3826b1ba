//! `ringleader verify`: checks a certificate.

use super::{LARGEST_FROM, claim, rules};
use crate::catalog;
use crate::settings::Setup;
use crate::terminal::exit::{FAILS, Failure, bail, usage};
use crate::terminal::program::program;
use crate::texts;
use crate::verbs::check::CheckedOracle;
use ringleader_catalog::{Catalog, growing};
use ringleader_erased::Card;
use ringleader_prove::{has_random_partners, random_partners};
use ringleader_verify::{
    Certificate, Coins, CompleteCertificate, FailureCertificate, Goal, Rejection, Rules, Scheduler as Fairness,
    ValuesCertificate, verify, verify_complete, verify_failure, verify_values,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Check a certificate that `prove` wrote, with code that is independent of the search.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ringleader verify ring.json
  ringleader verify mine.json --against mine.ring
  ringleader verify five.json --against dijkstra-k-state --k 5

The rule table in the file is also compared with that of the algorithm that it names, or of the text that it contains.
Exit codes: 0 accepted, 1 rejected, 2 the file cannot be read.")]
pub(crate) struct VerifyArguments {
    /// The certificate
    file: PathBuf,
    /// The algorithm whose rules the certificate must have, by name or as a file [default: the algorithm that the certificate names]
    #[arg(long, value_name = "ALGORITHM")]
    against: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup<CheckedOracle>,
}

/// The algorithm that a certificate should be about.
struct Original {
    catalog: Catalog,
    card: &'static Card,
    words: String,
}

/// A certificate, with the data that all kinds have.
struct Proof {
    subject: String,
    text: Option<String>,
    from: usize,
    kind: Kind,
}

/// A proof about rings and lines, of a failure there, about complete graphs, or about rings with every number of values.
enum Kind {
    Ring(Box<Certificate>),
    Failure(Box<FailureCertificate>),
    Complete(Box<CompleteCertificate>),
    Values(Box<ValuesCertificate>),
}

impl Proof {
    fn read(text: &str) -> Result<Proof, serde_json::Error> {
        let written = serde_json::from_str::<Value>(text)?;
        let has = |field| written.get(field).is_some();
        let kind = if has("trap") {
            Kind::Failure(Box::new(FailureCertificate::from_json(text)?))
        } else if has("graph") {
            Kind::Complete(Box::new(CompleteCertificate::from_json(text)?))
        } else if has("values") {
            Kind::Values(Box::new(ValuesCertificate::from_json(text)?))
        } else {
            Kind::Ring(Box::new(Certificate::from_json(text)?))
        };
        let (subject, text, from) = match &kind {
            Kind::Ring(c) => (&c.subject, &c.text, c.sizes.from),
            Kind::Failure(c) => (&c.subject, &c.text, c.sizes.from),
            Kind::Complete(c) => (&c.subject, &c.text, c.from),
            Kind::Values(c) => (&c.subject, &c.text, c.from),
        };
        Ok(Proof { subject: subject.clone(), text: text.clone(), from, kind })
    }

    /// Whether the rules are those of an algorithm at the sizes of the certificate.
    fn is_about(&self, catalog: &Catalog, card: &Card, setup: &Setup<CheckedOracle>) -> Result<bool, Failure> {
        let parameters = setup.at(self.from);
        match &self.kind {
            Kind::Ring(certificate) => {
                if certificate.lasting.is_some() {
                    rules::check_equal_answers(catalog, card, &parameters)?;
                }
                let Certificate { sizes, scheduler, coins, .. } = certificate.as_ref();
                let mut rules = rules::ring(catalog, card, &parameters, sizes)?;
                if has_random_partners(&certificate.rules) {
                    rules = random_partners(&rules).map_err(Failure::usage)?;
                }
                rules::check_choices(catalog, card, &parameters, &rules, *scheduler, *coins)?;
                // Where the daemon chooses the outcomes of coins, one agent at a time, tosses do not matter.
                let one_by_one = !matches!(scheduler, Fairness::Distributed | Fairness::Synchronous);
                let matters = *coins == Coins::Fair || !one_by_one;
                let rules = if matters { rules } else { Rules { tosses: vec![], ..rules } };
                Ok(rules == certificate.rules)
            }
            Kind::Complete(certificate) => Ok(rules::complete(catalog, card, &parameters)? == certificate.rules),
            Kind::Values(certificate) => {
                Ok(growing::rules(catalog, card, &parameters, self.from)? == certificate.values)
            }
            Kind::Failure(certificate) => {
                let FailureCertificate { sizes, scheduler, coins, .. } = certificate.as_ref();
                let rules = rules::ring(catalog, card, &parameters, sizes)?;
                rules::check_choices(catalog, card, &parameters, &rules, *scheduler, *coins)?;
                let rules = if *coins == Coins::Fair { rules } else { Rules { tosses: vec![], ..rules } };
                Ok(rules == certificate.rules)
            }
        }
    }

    /// Whether the detector may lie for a while.
    fn bears_lies(&self) -> bool {
        matches!(&self.kind, Kind::Ring(certificate) if certificate.lasting.is_some())
    }

    fn verify(&self) -> Result<(), Rejection> {
        match &self.kind {
            Kind::Ring(certificate) => verify(certificate),
            Kind::Failure(certificate) => verify_failure(certificate),
            Kind::Complete(certificate) => verify_complete(certificate),
            Kind::Values(certificate) => verify_values(certificate),
        }
    }

    /// The algorithm whose rules the certificate must have: the given one, the text in the file, or the algorithm of the same name.
    fn original(&self, against: Option<&str>) -> Result<Option<Original>, Failure> {
        let (catalog, card, words) = match (against, self.text.as_deref()) {
            (Some(name), _) => (catalog().clone(), Some(catalog().card(name)?), "the algorithm here".into()),
            (None, Some(text)) => {
                let protocol = texts::parse(Path::new("the text in it"), text)?;
                let (catalog, name) = (Catalog::empty().text(&protocol), protocol.card().name);
                let card = catalog.card(name)?;
                (catalog, Some(card), format!("the text in it, which is called {name}"))
            }
            (None, None) => (catalog().clone(), catalog().card(&self.subject).ok(), "the algorithm here".into()),
        };
        let card = card.filter(|_| self.from <= LARGEST_FROM);
        Ok(card.map(|card| Original { catalog, card, words }))
    }

    /// The reason why the text in the certificate is not its subject, if it is not.
    fn misnamed(&self, text: &str) -> Result<Option<String>, Failure> {
        let (protocol, subject) = (texts::parse(Path::new("the text in it"), text)?, self.subject.as_str());
        let name = protocol.card().name;
        let known = catalog().protocol(subject).map(|known| known.card().source);
        Ok(if name != subject {
            Some(format!("it is about {subject}, but the text in it is called {name}"))
        } else if catalog().card(subject).is_ok() && known != Some(text) {
            Some(format!(
                "the text in it is called {name}, but differs from the {name} that is known here: `--against {name}` compares the \
                 certificate with that one, `--against FILE` with a text of your own"
            ))
        } else {
            None
        })
    }

    /// Whether the rules were compared, and whether the certificate is accepted.
    fn judged(
        &self,
        against: Option<&str>,
        setup: &Setup<CheckedOracle>,
    ) -> Result<(Compared, Result<(), String>), Failure> {
        if let Some(text) = self.text.as_deref().filter(|_| against.is_none())
            && let Some(wrong) = self.misnamed(text)?
        {
            return Ok((Compared::No, Err(wrong)));
        }
        if setup.oracle().is_some_and(|oracle| !oracle.is_perfect()) && !self.bears_lies() {
            let why = "it is about a perfect detector, not about an eventually correct one";
            return Ok((Compared::No, Err(why.into())));
        }
        let Some(Original { catalog, card, words }) = self.original(against)? else {
            return Ok((Compared::No, self.verify().map_err(|rejection| rejection.to_string())));
        };
        let sizes = match &self.kind {
            Kind::Ring(certificate) => certificate.sizes.validate(&certificate.rules),
            Kind::Failure(certificate) => certificate.sizes.validate(&certificate.rules),
            Kind::Complete(_) | Kind::Values(_) => Ok(()),
        };
        if let Err(why) = sizes {
            return Ok((Compared::No, Err(why.to_string())));
        }
        match self.is_about(&catalog, card, setup) {
            Err(error) => Ok((Compared::No, Err(format!("{words} has no rules for a proof: {error}")))),
            Ok(false) => Ok((Compared::Different, Err(format!("its rules differ from those of {words}")))),
            Ok(true) => Ok((
                Compared::Same(Same { start: start(&catalog, card, setup, self.from), words }),
                self.verify().map_err(|rejection| rejection.to_string()),
            )),
        }
    }

    /// The claim, in words, with the words of a text for the configurations in which executions start.
    fn claim(&self, start: Option<&str>) -> String {
        match &self.kind {
            Kind::Failure(certificate) => {
                let goal = claim::goal(&certificate.rules);
                format!("{}; again and again it does not hold that {goal}", claim::failure(certificate))
            }
            Kind::Ring(certificate) => {
                let Certificate { rules, recurring, .. } = certificate.as_ref();
                let recurs = recurring.as_ref().map(|r| format!(", and {}", claim::recurs(rules, &r.formula)));
                format!(
                    "{}; for ever, {}{}",
                    claim::ring(certificate, start),
                    claim::goal(rules),
                    recurs.unwrap_or_default()
                )
            }
            Kind::Complete(certificate) => {
                format!("{}; for ever, {}", claim::complete(certificate), claim::goal(&certificate.rules))
            }
            Kind::Values(certificate) => {
                format!("{}; for ever, exactly one agent has the token", claim::values(certificate))
            }
        }
    }
}

/// Whether the rules of a certificate were compared with those of an algorithm.
enum Compared {
    No,
    Different,
    Same(Same),
}

/// An algorithm with the rules of a certificate: its name in words, and the condition of a text on the configurations in which executions
/// start.
struct Same {
    words: String,
    start: Option<String>,
}

fn start(catalog: &Catalog, card: &Card, setup: &Setup<CheckedOracle>, from: usize) -> Option<String> {
    let start = catalog.protocol(card.name)?.regular_start(&setup.at(from)).ok().flatten()?;
    Some(start.text)
}

/// Whether a text is a certificate.
pub(super) fn is_certificate(text: &str) -> bool {
    Proof::read(text).is_ok()
}

/// Reads and checks a certificate about rings or lines.
#[cfg(feature = "lab")]
pub(crate) fn accepted(text: &str) -> Result<Certificate, String> {
    let proof = Proof::read(text).map_err(|e| e.to_string())?;
    proof.judged(None, &Setup::default()).map_err(|e| e.to_string())?.1?;
    match proof.kind {
        Kind::Ring(certificate) => Ok(*certificate),
        Kind::Failure(_) => Err("it shows a failure and has no measures to show along a run".into()),
        Kind::Complete(_) => Err("it is about complete graphs and has no measures to show along a run".into()),
        Kind::Values(_) => Err("it is about every number of values and has no measures to show along a run".into()),
    }
}

pub(crate) fn check(arguments: &VerifyArguments) -> Result<ExitCode, Failure> {
    let name = arguments.file.display();
    let text = std::fs::read_to_string(&arguments.file).map_err(|e| usage!("cannot read {name}: {e}"))?;
    let proof = Proof::read(&text).map_err(|e| {
        usage!(
            "{name} is not a certificate: {e}. A certificate is a JSON file (docs/proving.md has the format) that \
             `{} prove ALGORITHM --certificate FILE` writes",
            program()
        )
    })?;
    let subject = &proof.subject;
    if arguments.against.is_none() && proof.text.is_none() && !arguments.setup.is_empty() {
        bail!("parameters and layers need the algorithm: name it with --against");
    }
    let (compared, verdict) = proof.judged(arguments.against.as_deref(), &arguments.setup)?;
    let (same_rules, same) = match compared {
        Compared::No => (None, None),
        Compared::Different => (Some(false), None),
        Compared::Same(same) => (Some(true), Some(same)),
    };
    let start = same.as_ref().and_then(|same| same.start.as_deref());
    let mut out = anstream::stdout().lock();
    if arguments.json {
        let reason = verdict.as_ref().err();
        let mut value = json!({ "accepted": verdict.is_ok(), "subject": subject, "reason": reason, "same_rules": same_rules, "rules_of": same.as_ref().map(|same| &same.words) });
        value["claim"] = proof.claim(start).into();
        let every = |from: usize| json!({ "from": from, "modulus": 1, "residues": [0] });
        let (rules, sizes, scheduler) = match &proof.kind {
            Kind::Ring(c) => (Some(&c.rules), json!(c.sizes), c.scheduler),
            Kind::Failure(c) => (Some(&c.rules), json!(c.sizes), c.scheduler),
            Kind::Complete(c) => (Some(&c.rules), every(c.from), c.scheduler),
            Kind::Values(c) => (None, every(c.from), c.scheduler),
        };
        value["goal"] = match rules {
            Some(rules) => json!(rules.goal),
            None => json!(Goal::ExactlyOne { of: vec!["token".into()], stays: false }),
        };
        value["detector"] = rules.is_some_and(|rules| rules.detector.is_some()).into();
        (value["sizes"], value["scheduler"]) = (sizes, json!(scheduler));
        match &proof.kind {
            Kind::Ring(certificate) => {
                value["lies"] = proof.bears_lies().into();
                value["recurring"] = json!(certificate.recurring.as_ref().map(|recurring| &recurring.formula));
            }
            Kind::Failure(_) => value["fails"] = true.into(),
            Kind::Values(certificate) => value["fewer"] = certificate.fewer.into(),
            Kind::Complete(_) => {}
        }
        writeln!(out, "{value}")?;
    } else {
        match &verdict {
            Ok(()) => writeln!(
                out,
                "accepted: {}{}",
                proof.claim(start),
                match &same {
                    Some(Same { words, .. }) => format!("; its rules are those of {words}"),
                    None =>
                        "; the rules in the file were NOT compared with those of an algorithm: use --against".into(),
                }
            )?,
            Err(reason) => writeln!(out, "rejected: {reason}")?,
        }
    }
    Ok(if verdict.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(FAILS) })
}

//! Claims about configurations, as a viewer states them: expressions of the language of the texts.

use crate::Refused;
use crate::runs::setup::Subject;
use ringleader_catalog::WrittenClaim;
use ringleader_check::{Claim, Promise};
use serde::{Deserialize, Serialize};

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum StatedClaim {
    /// This holds in every configuration of every execution. An execution may start in every configuration.
    Always(String),
    /// No step leads out of the set where this holds.
    Closed(String),
    /// Every execution reaches a configuration where this holds.
    Eventually(String),
    /// In every execution this holds infinitely often, for every process.
    Recurring(String),
    /// In every execution a condition is always followed by another one.
    Response(String),
}

impl StatedClaim {
    fn parts(&self) -> (Promise, &str) {
        match self {
            StatedClaim::Always(text) => (Promise::Always, text),
            StatedClaim::Closed(text) => (Promise::Invariant, text),
            StatedClaim::Eventually(text) => (Promise::Eventually, text),
            StatedClaim::Recurring(text) => (Promise::Recurring, text),
            StatedClaim::Response(text) => (Promise::Response, text),
        }
    }

    pub(crate) fn read(&self, subject: &Subject) -> Result<Claim, Refused> {
        let (promise, text) = self.parts();
        let (name, text, from) = (format!("`{text}`"), text.to_string(), "the expression".to_string());
        // The page repeats the expression, and a comment is no part of it.
        if text.contains(['#', '\n']) {
            return Err(Refused::new("a claim is one expression on one line, without a comment"));
        }
        // With several claims the reader must know which one is wrong.
        let wrong = |why| Refused::new(format!("{}: {why}", self.words()));
        subject.claim(&WrittenClaim { promise, name, text, from }).map_err(wrong)
    }

    /// A claim that an algorithm or a text makes itself.
    pub(crate) fn of(written: &WrittenClaim) -> StatedClaim {
        let text = written.text.clone();
        match written.promise {
            Promise::Always => StatedClaim::Always(text),
            Promise::Invariant => StatedClaim::Closed(text),
            Promise::Eventually => StatedClaim::Eventually(text),
            Promise::Recurring => StatedClaim::Recurring(text),
            Promise::Response => StatedClaim::Response(text),
        }
    }

    /// Whether the algorithm or the text makes this claim itself.
    pub(crate) fn is_own(&self, subject: &Subject) -> bool {
        let written = subject.shelf.written_claims(subject.card.name, subject.parameters.layers);
        written.iter().any(|written| StatedClaim::of(written) == *self)
    }

    /// The claim as its author wrote it.
    pub(crate) fn words(&self) -> String {
        let (promise, text) = self.parts();
        format!("`{} {text}`", keyword(promise))
    }
}

/// The word before an expression that makes it a claim.
pub(crate) fn keyword(promise: Promise) -> &'static str {
    match promise {
        // A text calls a closed set an invariant.
        Promise::Invariant => "closed",
        other => other.into(),
    }
}

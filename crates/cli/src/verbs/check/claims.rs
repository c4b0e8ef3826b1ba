//! `ringleader check --invariant EXPR --eventually EXPR --recurring EXPR`: the user's claims about an algorithm.

use super::Asked;
use crate::catalog;
use crate::settings::wrong_condition;
use crate::terminal::exit::Failure;
use ringleader_catalog::{MOST_IN_EACH, WrittenClaim};
use ringleader_check::{Claim, Promise};
use ringleader_erased::{Layers, MessageInstance};
use ringleader_explore as explore;

/// The claims of the command line.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Claims of your own (docs/language.md has the expressions)")]
pub(super) struct ClaimArguments {
    /// Claim that no step leads out of the set where this holds; for message passing, that it holds in every reachable state
    #[arg(long, value_name = "EXPR")]
    invariant: Vec<String>,
    /// Claim that every execution reaches a configuration where this holds; prints the steps to it, or the probability that it is
    /// reached, the least and the greatest one if a daemon chooses
    #[arg(long, value_name = "EXPR")]
    eventually: Vec<String>,
    /// Claim that in every execution this holds infinitely often, for every process `i` that it names: "token[i]"
    #[arg(long, value_name = "EXPR")]
    recurring: Vec<String>,
    /// Claim that in every execution a condition is always followed by another one: "x[i] = 0 leads to x[i] = 1"
    #[arg(long, value_name = "P leads to Q")]
    response: Vec<String>,
}

impl ClaimArguments {
    pub(super) fn any(&self) -> bool {
        self.each().iter().any(|(.., texts)| !texts.is_empty())
    }

    fn each(&self) -> [(Promise, &'static str, &[String]); 4] {
        [
            (Promise::Invariant, "--invariant", &self.invariant),
            (Promise::Eventually, "--eventually", &self.eventually),
            (Promise::Recurring, "--recurring", &self.recurring),
            (Promise::Response, "--response", &self.response),
        ]
    }

    /// The claims of the command line, or else those of the protocol's text.
    fn said(&self, asked: &Asked<'_>) -> Vec<WrittenClaim> {
        let given = |promise, flag: &str, text: &String| WrittenClaim {
            promise,
            name: format!("`{text}`"),
            text: text.clone(),
            from: flag.into(),
        };
        if self.any() {
            let texts = |(promise, flag, texts): (Promise, &'static str, &[String])| {
                texts.iter().map(|text| given(promise, flag, text)).collect::<Vec<_>>()
            };
            return self.each().into_iter().flat_map(texts).collect();
        }
        catalog().claims_at(asked.card.name, asked.parameters)
    }

    /// Names the claims of the protocol's text that are not checked, and says why.
    pub(super) fn tell_unasked(&self, asked: &Asked<'_>, perfect: bool) {
        if self.any() {
            return;
        }
        let (own, plain) = (Layers::default(), perfect && asked.parameters.layers == Layers::default());
        let checked = if plain { self.said(asked) } else { vec![] };
        let mut names: Vec<_> =
            catalog().written_claims(asked.card.name, own).into_iter().map(|claim| claim.name).collect();
        names.retain(|name| checked.iter().all(|claim| claim.name != *name));
        let why = match plain {
            true => format!("`recurring` and `response` are checked for at most {MOST_IN_EACH} agents"),
            false => "they need a perfect oracle and no layers".into(),
        };
        if !names.is_empty() {
            let names = names.join(", ");
            anstream::eprintln!("note: the claims of the algorithm besides its goal ({names}) are not checked: {why}");
        }
    }

    /// The claims about the configurations of a population or of a ring of processes.
    pub(super) fn claims(&self, asked: &Asked<'_>) -> Result<Vec<Claim>, Failure> {
        let claim = |written| catalog().claim(asked.card.name, asked.parameters, &written).map_err(wrong_condition);
        self.said(asked).into_iter().map(claim).collect()
    }

    /// The claims about the states of processes that pass messages.
    pub(super) fn about(&self, asked: &Asked<'_>, model: &MessageInstance) -> Result<Vec<explore::Claim>, Failure> {
        let claim = |claim: WrittenClaim| catalog().process_claim(asked.card.name, asked.parameters, model, &claim);
        self.said(asked).into_iter().map(|written| claim(written).map_err(wrong_condition)).collect()
    }
}

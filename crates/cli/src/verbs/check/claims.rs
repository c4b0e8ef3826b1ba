//! `ringleader check --invariant EXPR --eventually EXPR`: the user's claims about an algorithm.

use super::Asked;
use super::ways::avoiding;
use crate::catalog;
use crate::settings::Company;
use crate::terminal::exit::Failure;
use ringleader_catalog::{ClaimError, ProcessCondition};
use ringleader_check::{Claim, Promise};
use ringleader_erased::{Layers, MessageInstance};
use ringleader_explore::{DecisionGraph, Space};
use ringleader_report::messages::Property;

/// The claims of the command line.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Claims of your own (docs/language.md has the expressions)")]
pub(super) struct ClaimArguments {
    /// Claim that no step leads out of the set where this holds; for message passing, that it holds in every reachable state
    #[arg(long, value_name = "EXPR")]
    invariant: Vec<String>,
    /// Claim that every execution reaches a configuration where this holds
    #[arg(long, value_name = "EXPR")]
    eventually: Vec<String>,
}

/// A claim with its name and its text.
struct Said {
    promise: Promise,
    name: String,
    text: String,
    flag: String,
}

impl ClaimArguments {
    pub(super) fn any(&self) -> bool {
        !(self.invariant.is_empty() && self.eventually.is_empty())
    }

    /// The claims of the command line, or else those of the protocol's text.
    fn said(&self, asked: &Asked<'_>) -> Vec<Said> {
        let given = |promise, flag: &str, text: &String| Said {
            promise,
            name: format!("`{text}`"),
            text: text.clone(),
            flag: flag.into(),
        };
        if self.any() {
            let invariants = self.invariant.iter().map(|text| given(Promise::Invariant, "--invariant", text));
            return invariants
                .chain(self.eventually.iter().map(|text| given(Promise::Eventually, "--eventually", text)))
                .collect();
        }
        // A layer changes the variables that a claim can use.
        let text = catalog().protocol(asked.card.name).filter(|_| asked.parameters.layers == Layers::default());
        let written = text.into_iter().flat_map(|protocol| protocol.promises());
        let said = |(promise, name, text): (ringleader_language::Promise, &str, &str)| Said {
            promise: match promise {
                ringleader_language::Promise::Invariant => Promise::Invariant,
                ringleader_language::Promise::Eventually => Promise::Eventually,
            },
            name: name.into(),
            text: text.into(),
            flag: name.into(),
        };
        written.map(said).collect()
    }

    /// Names the claims of the protocol's text that are not checked. They are checked only without layers and with a perfect oracle.
    pub(super) fn tell_unasked(&self, asked: &Asked<'_>, perfect: bool) {
        let text = catalog().protocol(asked.card.name).filter(|_| !self.any());
        let names: Vec<_> =
            text.into_iter().flat_map(|protocol| protocol.promises()).map(|(_, name, _)| name).collect();
        let looked_at = perfect && asked.parameters.layers == Layers::default();
        if !looked_at && !names.is_empty() {
            let names = names.join(", ");
            anstream::eprintln!(
                "note: the claims of the text besides its goal ({names}) are not checked: they need a perfect oracle and no layers"
            );
        }
    }

    /// The claims about the configurations of a population or of a ring of processes.
    pub(super) fn claims(&self, asked: &Asked<'_>) -> Result<Vec<Claim>, Failure> {
        let claim = |Said { promise, name, text, flag }: Said| {
            let holds = catalog().condition(asked.card.name, asked.parameters, &flag, &text).map_err(failure)?;
            Ok(Claim { name, promise, holds })
        };
        self.said(asked).into_iter().map(claim).collect()
    }

    /// The claims about the states of processes that pass messages.
    pub(super) fn about(&self, asked: &Asked<'_>, model: &MessageInstance) -> Result<Vec<ProcessClaim>, Failure> {
        let claim = |Said { promise, name, text, flag }: Said| {
            let card = asked.card;
            let holds = catalog().process_condition(card.name, asked.parameters, model, &flag, &text);
            Ok(ProcessClaim { promise, name, holds: holds.map_err(failure)? })
        };
        self.said(asked).into_iter().map(claim).collect()
    }
}

fn failure(error: ClaimError) -> Failure {
    match error {
        ClaimError::Text(wrong) => Failure::explained(wrong.styled()),
        ClaimError::Refused(refusal) => refusal.into(),
    }
}

/// A claim about the states of processes.
pub(super) struct ProcessClaim {
    promise: Promise,
    name: String,
    holds: ProcessCondition,
}

impl ProcessClaim {
    /// Whether it is about whole executions, not single states.
    pub(super) fn needs_graph(&self) -> bool {
        matches!(self.promise, Promise::Eventually)
    }

    /// Whether the claim holds in every reachable state, or every execution reaches a state where it holds.
    pub(super) fn judged(
        &self,
        space: &Space<'_>,
        graph: &Result<DecisionGraph, String>,
        company: &mut Company,
    ) -> Result<Property, Failure> {
        let holds = |state: usize| self.holds.holds(&space.view(state));
        let (name, broken) = match self.promise {
            Promise::Invariant => {
                let broken = space.run_where(|state| !self.holds.holds(state), company);
                let broken = broken.map_err(|ended| company.failure(ended))?;
                (format!("{} in every reachable state", self.name), broken)
            }
            Promise::Eventually => {
                let graph = graph.as_ref().map_err(Failure::usage)?;
                let reached: Vec<bool> = (0..graph.len()).map(holds).collect();
                let way = avoiding(graph, &reached);
                (format!("every execution reaches {}", self.name), way.map(|way| space.run_along(&way)))
            }
        };
        Ok(Property { name, broken })
    }
}

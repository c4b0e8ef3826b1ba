//! An algorithm of any origin: a name of the catalog, a text, or a table that Python functions filled.

use crate::errors::{refused, value};
use crate::setup::Setup;
use crate::tables::{self, Unfilled};
use pyo3::prelude::*;
use ringleader::Catalog;
use ringleader::erased::{Card, Kind, ParameterKind};
use ringleader::language::Source;
use serde_json::json;

/// An algorithm, in the catalog that has it.
#[pyclass(frozen, module = "ringleader._engine")]
pub(crate) struct Algorithm {
    pub(crate) catalog: Catalog,
    pub(crate) card: &'static Card,
    /// The sets that Python functions decide, if there are any.
    pub(crate) unfilled: Option<Unfilled>,
}

impl Algorithm {
    /// The same algorithm, for a thread that may outlive this one.
    pub(crate) fn again(&self) -> Algorithm {
        Algorithm { catalog: self.catalog.clone(), card: self.card, unfilled: self.unfilled.clone() }
    }
}

/// The names of all algorithms that come with the package.
#[pyfunction]
pub(crate) fn names() -> Vec<&'static str> {
    Catalog::builtin().names().collect()
}

#[pymethods]
impl Algorithm {
    /// The algorithm with this name.
    #[staticmethod]
    fn by_name(name: &str) -> PyResult<Algorithm> {
        let catalog = Catalog::builtin();
        let card = catalog.card(name).map_err(refused)?;
        Ok(Algorithm { catalog, card, unfilled: None })
    }

    /// The protocol of a text; `file` is its name in messages.
    #[staticmethod]
    fn by_text(text: &str, file: &str) -> PyResult<Algorithm> {
        let plain = |styled: String| anstream::adapter::strip_str(&styled).to_string();
        let protocol = Source::parse(file, text).map_err(|wrong| value(plain(wrong.styled())))?;
        let catalog = Catalog::builtin().text(&protocol);
        let card = catalog.card(protocol.card().name).map_err(refused)?;
        Ok(Algorithm { catalog, card, unfilled: None })
    }

    /// The algorithm of a table that Python functions filled.
    #[staticmethod]
    fn by_table(table: tables::Asked) -> PyResult<Algorithm> {
        table.algorithm()
    }

    /// Fills the goal and the safe set of one size: a byte per configuration.
    fn fill(&self, size: usize, goal: Option<Vec<u8>>, safe: Option<Vec<u8>>) -> PyResult<()> {
        self.unfilled.as_ref().map_or(Ok(()), |unfilled| unfilled.put(size, goal, safe))
    }

    /// The citation as a BibTeX entry, if the card names a paper.
    #[getter]
    fn bibtex(&self) -> Option<String> {
        ringleader::report::bibtex::entry(self.card)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &'static str {
        self.card.name
    }

    /// The card as JSON.
    #[getter]
    fn card(&self) -> String {
        let card = self.card;
        let kind = match card.kind {
            Kind::Population => "population",
            Kind::Ring => "ring",
            Kind::Graph => "graph",
            Kind::Message => "message",
            Kind::Robust => "robust",
        };
        let parameters = card.parameters.iter().map(|parameter| {
            let kind = match parameter.kind {
                ParameterKind::Number | ParameterKind::Bound => "number",
                ParameterKind::Switch => "switch",
                ParameterKind::Choice(_) => "choice",
                ParameterKind::Text => "text",
                ParameterKind::Identities => "identities",
            };
            json!({
                "name": parameter.name, "meaning": parameter.meaning, "default": parameter.default, "kind": kind,
                "words": parameter.kind.words(),
            })
        });
        json!({
            "name": card.name, "summary": card.summary, "citation": card.citation, "kind": kind, "model": card.kind.describe(),
            "topology": card.topology.describe(), "sizes": card.sizes, "knowledge": card.knowledge,
            "scheduler": card.scheduler.name(), "assumes": card.assumes, "oracle": card.oracle, "channels": card.channels,
            "states": card.states, "claim": card.claim, "default_size": card.default_size, "rules": card.rules, "flaw": card.flaw,
            "source": card.source, "parameters": parameters.collect::<Vec<_>>(),
            "readings": card.readings.iter().map(|reading| reading.name).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// Whether the paper claims the algorithm right at this size; the reason if not.
    fn supports(&self, size: usize, setup: Setup) -> PyResult<Option<String>> {
        let parameters = setup.at(size)?;
        // A wrong parameter is an error, an unsupported size is an answer.
        self.catalog.instance(self.card.name, &parameters).map_err(refused)?;
        Ok(self.catalog.supports(self.card.name, &parameters).err().map(|refusal| refusal.to_string()))
    }
}

//! The result of a verb, as the Python package reads it.

use crate::errors;
use pyo3::prelude::*;
use ringleader::report::canvas::Canvas;
use serde_json::Value;

/// The result of a verb.
#[pyclass(frozen, module = "ringleader._engine")]
#[derive(Default)]
pub(crate) struct Found {
    /// The object of `--json`.
    #[pyo3(get)]
    json: String,
    /// The report of the command line, without colours.
    #[pyo3(get)]
    text: String,
    /// The trace of a counterexample, in the text form.
    #[pyo3(get)]
    trace: Option<String>,
    picture: Option<Canvas>,
    interrupted: Option<PyErr>,
}

impl Found {
    pub(crate) fn new(json: &Value) -> Found {
        Found { json: json.to_string(), ..Found::default() }
    }

    /// With the report as text, whose colours are removed.
    pub(crate) fn with_text(self, write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> PyResult<Found> {
        let mut text = vec![];
        write(&mut text).map_err(errors::value)?;
        let text = String::from_utf8_lossy(&text);
        Ok(Found { text: anstream::adapter::strip_str(&text).to_string(), ..self })
    }

    pub(crate) fn with_trace(self, trace: Option<String>) -> Found {
        Found { trace, ..self }
    }

    pub(crate) fn with_picture(self, picture: Option<Canvas>) -> Found {
        Found { picture, ..self }
    }

    /// The exception that ended the work early: the result is what was known until then.
    pub(crate) fn until(self, interrupted: Option<PyErr>) -> Found {
        Found { interrupted, ..self }
    }
}

#[pymethods]
impl Found {
    /// The picture of the result as SVG.
    fn svg(&self) -> Option<String> {
        self.picture.as_ref().map(Canvas::svg)
    }

    /// The picture of the result as TikZ.
    fn tikz(&self) -> Option<String> {
        self.picture.as_ref().map(Canvas::tikz)
    }

    /// The exception that ended the work early, if any.
    #[getter]
    fn interrupted(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.interrupted.as_ref().map(|raised| raised.value(py).clone().into_any().unbind())
    }
}

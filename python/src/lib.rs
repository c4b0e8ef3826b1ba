//! The engines of ringleader as a Python module, `ringleader._engine`. The package around it, in Python, is the interface for users.
//!
//! Every function validates its arguments, does the work on another thread without the interpreter lock ([`work`]), and returns plain
//! data: the JSON of the command line, texts, pictures and columns of numbers.

mod algorithm;
mod check;
mod elect;
mod errors;
mod explore;
mod found;
mod graphs;
mod loose;
mod messages;
mod network;
mod prove;
mod search;
mod setup;
mod simulate;
mod tables;
mod work;

use pyo3::prelude::*;

/// The engines of ringleader; use the package `ringleader`.
#[pymodule]
fn _engine(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<algorithm::Algorithm>()?;
    module.add_class::<found::Found>()?;
    module.add_class::<explore::Matrices>()?;
    module.add_function(wrap_pyfunction!(algorithm::names, module)?)?;
    module.add_function(wrap_pyfunction!(search::search, module)?)?;
    // Tests of times differ: the engines of a development build are hardly optimized.
    module.add("DEBUG", cfg!(debug_assertions))?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

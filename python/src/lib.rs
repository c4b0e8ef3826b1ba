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

/// The engines of ringleader; use the package `ringleader`.
#[pyo3::pymodule]
mod _engine {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::algorithm::{Algorithm, names};
    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::elect::elect;
    #[pymodule_export]
    use crate::explore::{Matrices, explore};
    #[pymodule_export]
    use crate::found::Found;
    #[pymodule_export]
    use crate::loose::hold;
    #[pymodule_export]
    use crate::network::settle;
    #[pymodule_export]
    use crate::prove::prove;
    #[pymodule_export]
    use crate::search::search;
    #[pymodule_export]
    use crate::simulate::{loose, simulate};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Tests of times differ: the engines of a development build are hardly optimized.
        module.add("DEBUG", cfg!(debug_assertions))?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

//! Errors of the libraries as the exceptions that a Python programmer expects, with the program's message.

use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use ringleader::check::{Stop, Uncheckable};
use ringleader::erased::Refusal;
use ringleader::explore::Failure;
use std::fmt::Display;

/// A wrong value.
pub(crate) fn value(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// An algorithm that cannot be built as asked.
pub(crate) fn refused(refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::NoParameter { .. } => PyTypeError::new_err(refusal.to_string()),
        _ => value(refusal),
    }
}

/// A check that ended without a verdict; `None` if it was interrupted.
pub(crate) fn stopped(stop: Stop) -> Option<PyErr> {
    Some(match &stop {
        Stop::Interrupted => return None,
        Stop::Refused(refusal) if matches!(refusal.cause(), Uncheckable::Memory { .. }) => {
            PyMemoryError::new_err(stop.to_string())
        }
        _ => value(stop),
    })
}

/// An exploration that ended early; `None` if it was interrupted.
pub(crate) fn unexplored(failure: Failure) -> Option<PyErr> {
    Some(match failure {
        Failure::Stopped => return None,
        Failure::Memory { .. } | Failure::Tables { .. } => PyMemoryError::new_err(failure.to_string()),
        _ => value(failure),
    })
}

/// A panic of an engine, which is a bug of ours.
pub(crate) fn panicked(payload: &(dyn std::any::Any + Send)) -> PyErr {
    let words = payload.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message");
    PyRuntimeError::new_err(format!("a bug in ringleader, please report it: {words}"))
}

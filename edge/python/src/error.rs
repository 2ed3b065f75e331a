//! What goes wrong, as Python's exceptions.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use std::error;

create_exception!(
    reprise,
    Error,
    PyException,
    "Something cannot be read, asked or replayed; the message says what, where and why."
);
create_exception!(reprise, Damaged, Error, "The trace is damaged where it was read; what came before is sound.");

/// An error with all its causes.
pub(crate) fn in_words(wrong: &dyn error::Error) -> String {
    let mut text = wrong.to_string();
    let mut cause = wrong.source();
    while let Some(wrong) = cause {
        text += &format!(": {wrong}");
        cause = wrong.source();
    }
    text
}

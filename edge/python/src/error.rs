//! What goes wrong, as Python's exceptions.

use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};
use std::error;

create_exception!(
    reprise,
    Error,
    PyException,
    "Something cannot be read, asked or replayed; the message says what, where and why."
);
create_exception!(reprise, Damaged, Error, "The trace is damaged where it was read; what came before is sound.");

/// What goes wrong without Python.
pub(crate) enum Wrong {
    Said(String),
    /// Everything that is sound was given before.
    Damaged(String),
}

impl From<String> for Wrong {
    fn from(said: String) -> Wrong {
        Wrong::Said(said)
    }
}

impl From<&str> for Wrong {
    fn from(said: &str) -> Wrong {
        Wrong::Said(said.to_owned())
    }
}

impl Wrong {
    /// The exception.
    pub(crate) fn raised(self) -> PyErr {
        match self {
            Wrong::Said(said) => Error::new_err(said),
            Wrong::Damaged(said) => Damaged::new_err(said),
        }
    }
}

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

//! Calls, one by one, with their arguments by name.

use crate::ahead::Ahead;
use crate::error::in_words;
use crate::trace::Opened;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pythonize::pythonize;
use reprise_view::api;
use reprise_view::dump::Dump;
use reprise_view::dump::filter::Filter;
use serde_json::{Map, Value as Json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Lines of a batch.
const BATCH: usize = 512;

/// A line of `reprise dump --json`.
type Line = Map<String, Json>;

/// A call of the program, as `reprise dump --json` has it.
#[pyclass(frozen, module = "reprise")]
pub(crate) struct Call(Line);

impl Call {
    fn member<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, self.0.get(name).unwrap_or(&Json::Null))?)
    }

    /// `Interface::Method`, or the name of a function.
    fn name(&self) -> &str {
        self.0.get("method").and_then(Json::as_str).unwrap_or_default()
    }
}

#[pymethods]
impl Call {
    /// Its number in the trace, from 1.
    #[getter]
    fn call(&self) -> u64 {
        self.0.get("call").and_then(Json::as_u64).unwrap_or(0)
    }

    /// Number of the thread that made it, from 0.
    #[getter]
    fn thread<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "thread")
    }

    /// Number of the frame in which it began, from 1.
    #[getter]
    fn frame<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "frame")
    }

    /// Nanoseconds from the session's beginning.
    #[getter]
    fn time_ns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "time_ns")
    }

    /// The method or function, without its interface.
    #[getter]
    fn method(&self) -> &str {
        api::plain(self.name())
    }

    /// The interface that it was made through; `None` for functions.
    #[getter]
    fn interface(&self) -> Option<&str> {
        self.name().rsplit_once("::").map(|(interface, _)| interface)
    }

    /// The object that it was made on: its `id` and `class`; `None` for functions.
    #[getter]
    fn this<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "this")
    }

    /// The arguments by name, with what the call gave back.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "args")
    }

    /// What it returned; `None` where nothing did.
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.member(py, "result")
    }

    /// The whole line, as `reprise dump --json` prints it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize(py, &self.0)?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if self.0.contains_key(name) { self.member(py, name) } else { Err(PyKeyError::new_err(name.to_owned())) }
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn __repr__(&self) -> String {
        format!("<reprise.Call {}>", reprise_view::dump::for_people(&self.0).trim_start_matches('#'))
    }
}

/// Calls in the order in which they began.
#[pyclass(frozen, module = "reprise")]
pub(crate) struct Calls {
    ahead: Mutex<(Ahead<VecDeque<Line>>, VecDeque<Line>)>,
}

impl Calls {
    pub(crate) fn new(opened: Arc<Opened>, filter: Filter) -> Calls {
        let ahead = Ahead::new(move |sender| {
            let (frame, call) = filter.first();
            let mut dump = Dump::new(filter, Line::clone);
            let mut events = opened.trace.events_known_from(frame, call);
            let mut batch = VecDeque::new();
            let mut add = |line: Option<Line>| {
                let line = line?;
                if line.contains_key("call") {
                    batch.push_back(line);
                }
                Some(batch.len() < BATCH || sender.give(std::mem::take(&mut batch)))
            };
            'reading: while let Some(event) = events.next().map_err(|wrong| in_words(&wrong))? {
                if dump.is_done(&event) {
                    break;
                }
                dump.event(&event);
                while let Some(is_wanted) = add(dump.next()) {
                    if !is_wanted {
                        break 'reading;
                    }
                }
            }
            while add(dump.rest()) == Some(true) {}
            sender.give(batch);
            // What was left out because it cannot be read is no end.
            opened.sound(dump.damaged())
        });
        Calls { ahead: Mutex::new((ahead, VecDeque::new())) }
    }
}

#[pymethods]
impl Calls {
    fn __iter__(own: PyRef<'_, Self>) -> PyRef<'_, Self> {
        own
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Call>> {
        self.next(py)
    }
}

impl Calls {
    /// The next call; `None` at the end.
    pub(crate) fn next(&self, py: Python<'_>) -> PyResult<Option<Call>> {
        py.detach(|| {
            let mut held = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
            let (ahead, batch) = &mut *held;
            loop {
                if let Some(line) = batch.pop_front() {
                    return Ok(Some(Call(line)));
                }
                match ahead.next() {
                    None => return Ok(None),
                    Some(Ok(next)) => *batch = next,
                    Some(Err(wrong)) => return Err(wrong.raised()),
                }
            }
        })
    }
}

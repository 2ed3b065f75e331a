//! The log: one entry a call, in the order in which calls entered the runtime.

use crate::lock::lock;
use crate::value::Value;
use reprise_d3d12::model::MethodId;
use serde_json::{Map, Value as Json, json};
use std::fs::File;
use std::io::Write;
use std::sync::Mutex;

/// One call as the runtime saw it.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which method or function.
    pub method: MethodId,
    /// Serial number of the object; 0 for functions.
    pub this: u64,
    /// Number of the calling thread, as the system has it.
    pub thread: u64,
    /// Nesting inside other calls of the runtime on this thread.
    pub depth: u32,
    /// The argument words as they came in.
    pub words: Vec<u64>,
    /// Parameters as they came in, in order; outputs as addresses.
    pub inputs: Vec<Value>,
    /// Parameters after the call, in order; `None` for inputs.
    pub outputs: Vec<Option<Value>>,
    /// The result's bits; for a pointer or object see `returned`.
    pub result: u64,
    /// What a result that is a pointer or an object says.
    pub returned: Value,
    /// The call came back.
    pub done: bool,
}

static CALLS: Mutex<Vec<Call>> = Mutex::new(Vec::new());
static FILE: Mutex<Option<File>> = Mutex::new(None);

/// Opens an entry and returns its number.
pub(crate) fn enter(call: Call) -> usize {
    let mut calls = lock(&CALLS);
    calls.push(call);
    calls.len() - 1
}

/// Closes an entry.
pub(crate) fn leave(number: usize, outputs: Vec<Option<Value>>, result: u64, returned: Value) {
    let mut calls = lock(&CALLS);
    let Some(call) = calls.get_mut(number) else { return };
    call.outputs = outputs;
    call.result = result;
    call.returned = returned;
    call.done = true;
    if let Some(file) = lock(&FILE).as_mut() {
        let _ = writeln!(file, "{}", call.to_json(number));
    }
}

/// All entries so far.
pub fn calls() -> Vec<Call> {
    lock(&CALLS).clone()
}

/// Takes all entries, leaving an empty log. Calls that are open then are lost to the log.
pub fn take() -> Vec<Call> {
    core::mem::take(&mut *lock(&CALLS))
}

/// Also writes each finished call to a file, an object a line.
///
/// # Errors
/// The file cannot be created.
pub fn to_file(path: &str) -> std::io::Result<()> {
    *lock(&FILE) = Some(File::create(path)?);
    Ok(())
}

impl Call {
    /// The entry as one JSON object.
    pub fn to_json(&self, number: usize) -> Json {
        let method = &crate::model().methods[self.method.0 as usize];
        let mut args = Map::new();
        for (field, value) in method.params.iter().zip(&self.inputs) {
            args.insert(field.name.to_owned(), value.to_json());
        }
        let mut outputs = Map::new();
        for (field, value) in method.params.iter().zip(&self.outputs) {
            if let Some(value) = value {
                outputs.insert(field.name.to_owned(), value.to_json());
            }
        }
        json!({
            "call": number,
            "thread": self.thread,
            "depth": self.depth,
            "method": crate::full_name(self.method),
            "this": self.this,
            "args": args,
            "outputs": outputs,
            "result": self.result,
            "returned": self.returned.to_json(),
            "done": self.done,
        })
    }
}

//! All calls as columns of Arrow, without their arguments, for whoever counts millions.

use crate::ahead::{Ahead, Sender};
use crate::error::{Error, Wrong, in_words};
use crate::trace::Opened;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int16Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int16Array, RecordBatch, RecordBatchReader, StringArray, UInt32Array, UInt64Array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use reprise_d3d12::model::Method;
use reprise_trace::record::Kind;
use reprise_view::api;
use std::sync::{Arc, Mutex, PoisonError};

/// Rows of a batch.
const ROWS: usize = 1 << 16;
/// Methods whose numbers fit into the keys of a dictionary, beside one for those that no table has.
const METHODS: usize = i16::MAX as usize;
/// A method that no table has.
const UNKNOWN: &str = "unknown";

/// Columns of calls, for `pyarrow.table`, `polars.from_arrow` and whoever else takes Arrow's streams.
#[pyclass(frozen, module = "reprise")]
pub(crate) struct Columns(Mutex<Option<Reader>>);

/// The batches of one reading.
struct Reader {
    schema: SchemaRef,
    ahead: Mutex<Ahead<RecordBatch>>,
}

fn schema() -> SchemaRef {
    let names = || DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8));
    Arc::new(Schema::new(vec![
        Field::new("call", DataType::UInt64, false),
        Field::new("frame", DataType::UInt32, false),
        Field::new("thread", DataType::UInt32, false),
        Field::new("time_ns", DataType::UInt64, false),
        Field::new("interface", names(), false),
        Field::new("method", names(), false),
        Field::new("object", DataType::UInt32, true),
    ]))
}

/// Rows that make no batch yet.
#[derive(Default)]
struct Rows {
    call: Vec<u64>,
    frame: Vec<u32>,
    thread: Vec<u32>,
    time: Vec<u64>,
    method: Vec<i16>,
    object: Vec<Option<u32>>,
}

impl Rows {
    fn batch(&mut self, schema: &SchemaRef, names: &[ArrayRef; 2]) -> Result<RecordBatch, ArrowError> {
        let rows = std::mem::take(self);
        let named = |values: &ArrayRef| -> Result<ArrayRef, ArrowError> {
            let keys = Int16Array::from(rows.method.clone());
            Ok(Arc::new(DictionaryArray::<Int16Type>::try_new(keys, Arc::clone(values))?))
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(UInt64Array::from(rows.call)),
            Arc::new(UInt32Array::from(rows.frame)),
            Arc::new(UInt32Array::from(rows.thread)),
            Arc::new(UInt64Array::from(rows.time)),
            named(&names[0])?,
            named(&names[1])?,
            Arc::new(UInt32Array::from(rows.object)),
        ];
        RecordBatch::try_new(Arc::clone(schema), columns)
    }
}

fn read(opened: &Opened, schema: &SchemaRef, sender: &Sender<RecordBatch>) -> Result<(), Wrong> {
    let methods = &api::model().methods;
    if methods.len() > METHODS {
        return Err(format!("{} methods are more than columns can name", methods.len()).into());
    }
    let interface = |method: &Method| method.interface.map_or("", api::class);
    let names: [ArrayRef; 2] = [
        Arc::new(methods.iter().map(interface).chain([UNKNOWN]).map(Some).collect::<StringArray>()),
        Arc::new(methods.iter().map(|method| method.name).chain([UNKNOWN]).map(Some).collect::<StringArray>()),
    ];
    let key = |method: u16| i16::try_from(usize::from(method).min(methods.len())).unwrap_or(i16::MAX);
    let mut rows = Rows::default();
    let mut events = opened.trace.events().without_pages();
    while let Some(event) = events.next().map_err(|wrong| in_words(&wrong))? {
        if event.kind != Kind::Enter {
            continue;
        }
        rows.call.push(event.number);
        rows.frame.push(event.frame.saturating_add(1));
        rows.thread.push(event.thread);
        rows.time.push(event.time_ns);
        rows.method.push(key(event.method));
        rows.object.push((event.object != 0).then_some(event.object));
        if rows.call.len() == ROWS && !sender.give(rows.batch(schema, &names).map_err(|wrong| wrong.to_string())?) {
            return Ok(());
        }
    }
    if !rows.call.is_empty() {
        sender.give(rows.batch(schema, &names).map_err(|wrong| wrong.to_string())?);
    }
    opened.sound(0)
}

impl Columns {
    pub(crate) fn new(opened: Arc<Opened>) -> Columns {
        let schema = schema();
        let own = Arc::clone(&schema);
        let ahead = Ahead::new(move |sender| read(&opened, &own, sender));
        Columns(Mutex::new(Some(Reader { schema, ahead: Mutex::new(ahead) })))
    }
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let ahead = self.ahead.get_mut().unwrap_or_else(PoisonError::into_inner);
        let said = |wrong| match wrong {
            Wrong::Said(said) | Wrong::Damaged(said) => ArrowError::ComputeError(said),
        };
        ahead.next().map(|batch| batch.map_err(said))
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

#[pymethods]
impl Columns {
    /// Arrow's stream, once.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer asks for another schema if it likes, and takes what it gets.
        drop(requested_schema);
        let reader = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let reader = reader.ok_or_else(|| Error::new_err("columns are read once: ask the trace for them again"))?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

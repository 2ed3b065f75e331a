//! The tables, and what their columns mean. Every table has the column `trace` before its own: the trace's [name](crate::source::names).

mod args;
mod barriers;
mod bindings;
mod blobs;
mod calls;
mod commands;
mod dispatches;
mod draws;
mod fences;
mod findings;
mod frames;
mod gaps;
mod lists;
mod markers;
mod memory_writes;
mod method;
mod objects;
mod shader_statistics;
mod shaders;
mod submissions;
mod timings;
mod uses;
mod view;

pub(crate) use method::MethodFunction;

use crate::bounds::{Bounds, Objects};
use crate::names;
use crate::sink::{Sink, Stop};
use crate::source::Source;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

/// What a column's cells are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// 64 bits, signed.
    Number,
    /// A number with a fraction, of 64 bits.
    Real,
    Flag,
    Text,
    /// Text that takes few different values.
    Name,
    /// The name of a method, without its interface.
    Method,
    /// The interface of a method.
    Interface,
}

/// A column.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Kind,
    /// What it means, with units.
    pub(crate) about: Cow<'static, str>,
}

impl Column {
    pub(crate) const fn new(name: &'static str, kind: Kind, about: &'static str) -> Column {
        Column { name: Cow::Borrowed(name), kind, about: Cow::Borrowed(about) }
    }
}

/// A table.
pub(crate) trait Table: Debug + Send + Sync {
    /// Its name in SQL.
    fn name(&self) -> &str;
    /// What its rows are.
    fn about(&self) -> &str;
    /// Its columns behind `trace`.
    fn columns(&self) -> Vec<Column>;
    /// The columns that hold objects of which the contents of chunks tell.
    fn objects(&self) -> Objects {
        Objects::default()
    }
    /// Splits the bounds into parts that are read at the same time. `columns` are those that are asked for, counted from 0 without `trace`.
    fn parts(&self, _: &Source, bounds: &Bounds, _: &[usize]) -> Vec<Bounds> {
        vec![bounds.clone()]
    }
    /// Gives all rows within the bounds, and perhaps others.
    ///
    /// # Errors
    /// See [`Stop`].
    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop>;
}

/// All tables, in the order in which they are shown.
pub(crate) fn all() -> Vec<Arc<dyn Table>> {
    let mut all: Vec<Arc<dyn Table>> = vec![
        Arc::new(calls::Calls),
        Arc::new(args::Args),
        Arc::new(frames::Frames),
        Arc::new(submissions::Submissions),
        Arc::new(lists::Lists),
        Arc::new(objects::Objects),
    ];
    all.push(Arc::new(draws::Draws));
    all.push(Arc::new(dispatches::Dispatches));
    all.extend(view::all());
    all.push(Arc::new(bindings::Bindings));
    all.push(Arc::new(barriers::Barriers));
    all.push(Arc::new(markers::Markers));
    all.push(Arc::new(memory_writes::MemoryWrites));
    all.push(Arc::new(fences::Fences));
    all.push(Arc::new(blobs::Blobs));
    all.push(Arc::new(shaders::Shaders));
    all.push(Arc::new(gaps::Gaps));
    all.push(Arc::new(findings::Findings));
    all.push(Arc::new(uses::Uses));
    all.push(Arc::new(timings::Measurements));
    all.push(Arc::new(timings::Timings));
    all.push(Arc::new(timings::Counters));
    all.push(Arc::new(timings::DriverCounters));
    all.push(Arc::new(timings::Unmeasured));
    all.push(Arc::new(shader_statistics::ShaderStatistics));
    all
}

/// The schema of a table with these columns.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    let field = |column: &Column| {
        let data_type = match column.kind {
            Kind::Number => DataType::Int64,
            Kind::Real => DataType::Float64,
            Kind::Flag => DataType::Boolean,
            Kind::Text => DataType::Utf8,
            Kind::Name => names::of_few(),
            Kind::Method | Kind::Interface => names::of_methods(),
        };
        Field::new(column.name.as_ref(), data_type, true)
    };
    let trace = Field::new("trace", names::of_few(), true);
    Arc::new(Schema::new(std::iter::once(trace).chain(columns.iter().map(field)).collect::<Vec<_>>()))
}

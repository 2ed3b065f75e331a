//! Takes the rows of a table and makes batches of them. A batch has only the columns that the question asks for.

use crate::names::Names;
use crate::table::{Column, Kind};
use datafusion::arrow::array::{
    ArrayRef, BooleanBuilder, DictionaryArray, Float64Builder, Int32Array, Int64Builder, StringArray, StringBuilder,
    StringDictionaryBuilder, UInt16Builder,
};
use datafusion::arrow::datatypes::{Int32Type, SchemaRef};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::DataFusionError;
use std::sync::Arc;

/// Rows of a batch: as many as the engine takes by itself.
pub(crate) const ROWS: usize = 8192;

/// Why reading ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The engine takes no more batches.
    Enough,
    /// The trace cannot be read: why, in words.
    Trace(String),
    /// A batch cannot be made.
    Engine(DataFusionError),
}

/// A cell of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    None,
    Number(u64),
    Signed(i64),
    Real(f64),
    Flag(bool),
    Text(&'a str),
    /// The number of a method, for columns of [`Kind::Method`] and [`Kind::Interface`].
    Of(u16),
}

impl Cell<'_> {
    /// A number, or none.
    pub(crate) fn some(number: Option<u64>) -> Cell<'static> {
        number.map_or(Cell::None, Cell::Number)
    }

    /// The id of an object, of which 0 is none.
    pub(crate) fn object(id: u32) -> Cell<'static> {
        if id == 0 { Cell::None } else { Cell::Number(id.into()) }
    }
}

enum Builder {
    Number(Int64Builder),
    Real(Float64Builder),
    Flag(BooleanBuilder),
    Text(StringBuilder),
    Name(StringDictionaryBuilder<Int32Type>),
    Method(UInt16Builder),
    Interface(UInt16Builder),
}

/// Takes rows.
pub(crate) struct Sink<'s> {
    schema: SchemaRef,
    trace: &'s str,
    /// The columns that are asked for, each with its builder. Column 0 is the trace's name, which rows do not have.
    builders: Vec<(usize, Builder)>,
    rows: usize,
    send: &'s mut dyn FnMut(RecordBatch) -> bool,
}

impl<'s> Sink<'s> {
    /// A sink for the columns in `projection`; `schema` has their types. `send` takes a batch, and says whether the engine takes another.
    pub(crate) fn new(
        columns: &[Column],
        projection: &[usize],
        schema: SchemaRef,
        trace: &'s str,
        send: &'s mut dyn FnMut(RecordBatch) -> bool,
    ) -> Sink<'s> {
        let builder = |index: &usize| {
            let kind = index.checked_sub(1).and_then(|at| columns.get(at)).map_or(Kind::Name, |column| column.kind);
            (*index, Builder::new(kind))
        };
        Sink { schema, trace, builders: projection.iter().map(builder).collect(), rows: 0, send }
    }

    /// Whether any column is asked for. Without one only the number of rows counts.
    pub(crate) fn wants_any(&self) -> bool {
        !self.builders.is_empty()
    }

    /// Takes up to [`ROWS`] rows at once. `column` makes a column of them; columns are counted from 0, without that of the trace.
    ///
    /// # Errors
    /// As [`Sink::row`].
    pub(crate) fn batch(
        &mut self,
        rows: usize,
        column: impl Fn(usize) -> Result<ArrayRef, DataFusionError>,
    ) -> Result<(), Stop> {
        if rows == 0 {
            return Ok(());
        }
        let trace = || -> Result<ArrayRef, DataFusionError> {
            let (keys, names) = (Int32Array::from_value(0, rows), StringArray::from(vec![self.trace]));
            Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, Arc::new(names))?))
        };
        let columns = self.builders.iter().map(|(index, _)| match index.checked_sub(1) {
            Some(at) => column(at),
            None => trace(),
        });
        let columns = columns.collect::<Result<Vec<_>, _>>().map_err(Stop::Engine)?;
        self.give(columns, rows)
    }

    /// Whether one of the table's columns, counted from 0 without that of the trace, is asked for.
    pub(crate) fn wants(&self, column: usize) -> bool {
        self.builders.iter().any(|(index, _)| *index == column + 1)
    }

    /// Takes a row: the table's columns in order.
    ///
    /// # Errors
    /// The engine takes no more, or the batch cannot be made.
    pub(crate) fn row(&mut self, cells: &[Cell<'_>]) -> Result<(), Stop> {
        for (index, builder) in &mut self.builders {
            let cell = match index.checked_sub(1) {
                None => Cell::Text(self.trace),
                Some(at) => cells.get(at).copied().unwrap_or(Cell::None),
            };
            builder.put(cell);
        }
        self.rows += 1;
        if self.rows >= ROWS { self.flush() } else { Ok(()) }
    }

    /// Sends what is there.
    ///
    /// # Errors
    /// As [`Sink::row`].
    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        if self.rows == 0 {
            return Ok(());
        }
        let columns = self.builders.iter_mut().map(|(_, builder)| builder.finish()).collect::<Result<Vec<_>, _>>();
        let rows = std::mem::take(&mut self.rows);
        self.give(columns.map_err(Stop::Engine)?, rows)
    }

    fn give(&mut self, columns: Vec<ArrayRef>, rows: usize) -> Result<(), Stop> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options);
        let batch = batch.map_err(|error| Stop::Engine(error.into()))?;
        if (self.send)(batch) { Ok(()) } else { Err(Stop::Enough) }
    }
}

impl Builder {
    fn new(kind: Kind) -> Builder {
        match kind {
            Kind::Number => Builder::Number(Int64Builder::new()),
            Kind::Real => Builder::Real(Float64Builder::new()),
            Kind::Flag => Builder::Flag(BooleanBuilder::new()),
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Name => Builder::Name(StringDictionaryBuilder::new()),
            Kind::Method => Builder::Method(UInt16Builder::new()),
            Kind::Interface => Builder::Interface(UInt16Builder::new()),
        }
    }

    fn put(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            // Not all readers of our output know unsigned numbers of 64 bits. A number that does not fit keeps its bits and becomes negative.
            (Builder::Number(to), Cell::Number(number)) => to.append_value(number as i64),
            (Builder::Number(to), Cell::Signed(number)) => to.append_value(number),
            (Builder::Number(to), _) => to.append_null(),
            (Builder::Real(to), Cell::Real(number)) => to.append_value(number),
            (Builder::Real(to), _) => to.append_null(),
            (Builder::Flag(to), Cell::Flag(flag)) => to.append_value(flag),
            (Builder::Flag(to), _) => to.append_null(),
            (Builder::Text(to), Cell::Text(text)) => to.append_value(text),
            (Builder::Text(to), Cell::Number(number)) => to.append_value(number.to_string()),
            (Builder::Text(to), Cell::Signed(number)) => to.append_value(number.to_string()),
            (Builder::Text(to), _) => to.append_null(),
            (Builder::Name(to), Cell::Text(text)) => to.append_value(text),
            (Builder::Name(to), _) => to.append_null(),
            (Builder::Method(to), Cell::Of(method)) => to.append_option(Names::all().method(method)),
            (Builder::Interface(to), Cell::Of(method)) => to.append_option(Names::all().interface(method)),
            (Builder::Method(to) | Builder::Interface(to), _) => to.append_null(),
        }
    }

    fn finish(&mut self) -> Result<ArrayRef, DataFusionError> {
        match self {
            Builder::Number(from) => Ok(Arc::new(from.finish())),
            Builder::Real(from) => Ok(Arc::new(from.finish())),
            Builder::Flag(from) => Ok(Arc::new(from.finish())),
            Builder::Text(from) => Ok(Arc::new(from.finish())),
            Builder::Name(from) => Ok(Arc::new(from.finish())),
            Builder::Method(from) | Builder::Interface(from) => Names::of(from.finish()),
        }
    }
}

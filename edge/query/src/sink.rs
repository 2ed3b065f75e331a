//! Takes the rows of a table and sends them on as batches, only with the columns that are asked for.

use crate::table::{Column, Kind};
use datafusion::arrow::array::{
    ArrayRef, BooleanBuilder, DictionaryArray, Int32Array, Int32Builder, Int64Builder, StringArray, StringBuilder,
    StringDictionaryBuilder,
};
use datafusion::arrow::datatypes::{Int32Type, SchemaRef};
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use datafusion::common::DataFusionError;
use reprise_d3d12::model::Method;
use reprise_view::api;
use std::sync::{Arc, OnceLock};

/// Rows of a batch.
const ROWS: usize = 8192;

/// Why reading ends early.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Nobody wants more.
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
    Flag(BooleanBuilder),
    Text(StringBuilder),
    Name(StringDictionaryBuilder<Int32Type>),
    Method(Int32Builder),
    Interface(Int32Builder),
}

/// Takes rows.
pub(crate) struct Sink<'s> {
    schema: SchemaRef,
    trace: &'s str,
    /// Which of the table's columns, and where their cells go; the trace's name is column 0 and in no row.
    builders: Vec<(usize, Builder)>,
    rows: usize,
    send: &'s mut dyn FnMut(RecordBatch) -> bool,
}

impl<'s> Sink<'s> {
    /// A sink for these of a table's columns, whose schema is given, too. `send` says whether more is wanted.
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

    /// Whether one of the table's columns, counted from 0 without that of the trace, is asked for.
    pub(crate) fn wants(&self, column: usize) -> bool {
        self.builders.iter().any(|(index, _)| *index == column + 1)
    }

    /// Takes a row: the table's columns in order.
    ///
    /// # Errors
    /// Nobody wants more, or the batch cannot be made.
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
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.rows = 0;
        let batch = columns.and_then(|columns| {
            let made = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options);
            made.map_err(DataFusionError::from)
        });
        if (self.send)(batch.map_err(Stop::Engine)?) { Ok(()) } else { Err(Stop::Enough) }
    }
}

impl Builder {
    fn new(kind: Kind) -> Builder {
        match kind {
            Kind::Number => Builder::Number(Int64Builder::new()),
            Kind::Flag => Builder::Flag(BooleanBuilder::new()),
            Kind::Text => Builder::Text(StringBuilder::new()),
            Kind::Name => Builder::Name(StringDictionaryBuilder::new()),
            Kind::Method => Builder::Method(Int32Builder::new()),
            Kind::Interface => Builder::Interface(Int32Builder::new()),
        }
    }

    fn put(&mut self, cell: Cell<'_>) {
        match (self, cell) {
            // SQL has no wide unsigned numbers that all readers know; what does not fit stays as its bits.
            (Builder::Number(to), Cell::Number(number)) => to.append_value(number as i64),
            (Builder::Number(to), Cell::Signed(number)) => to.append_value(number),
            (Builder::Number(to), _) => to.append_null(),
            (Builder::Flag(to), Cell::Flag(flag)) => to.append_value(flag),
            (Builder::Flag(to), _) => to.append_null(),
            (Builder::Text(to), Cell::Text(text)) => to.append_value(text),
            (Builder::Text(to), Cell::Number(number)) => to.append_value(number.to_string()),
            (Builder::Text(to), Cell::Signed(number)) => to.append_value(number.to_string()),
            (Builder::Text(to), _) => to.append_null(),
            (Builder::Name(to), Cell::Text(text)) => to.append_value(text),
            (Builder::Name(to), _) => to.append_null(),
            (Builder::Method(to), Cell::Of(method)) => to.append_option(names().method(method)),
            (Builder::Interface(to), Cell::Of(method)) => to.append_option(names().interface(method)),
            (Builder::Method(to) | Builder::Interface(to), _) => to.append_null(),
        }
    }

    fn finish(&mut self) -> Result<ArrayRef, DataFusionError> {
        let named = |keys: Int32Array| -> Result<ArrayRef, DataFusionError> {
            let values = Arc::clone(&names().values);
            Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, values)?))
        };
        match self {
            Builder::Number(from) => Ok(Arc::new(from.finish())),
            Builder::Flag(from) => Ok(Arc::new(from.finish())),
            Builder::Text(from) => Ok(Arc::new(from.finish())),
            Builder::Name(from) => Ok(Arc::new(from.finish())),
            Builder::Method(from) | Builder::Interface(from) => named(from.finish()),
        }
    }
}

/// The names of all methods and interfaces, each once.
struct Names {
    values: ArrayRef,
    /// By method: places of its name and of its interface's.
    keys: Vec<(i32, Option<i32>)>,
}

impl Names {
    fn method(&self, method: u16) -> Option<i32> {
        self.keys.get(usize::from(method)).map(|keys| keys.0)
    }

    fn interface(&self, method: u16) -> Option<i32> {
        self.keys.get(usize::from(method)).and_then(|keys| keys.1)
    }
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut places = std::collections::HashMap::<&'static str, i32>::new();
        let mut values: Vec<&'static str> = Vec::new();
        let mut place = |name: &'static str| {
            *places.entry(name).or_insert_with(|| {
                values.push(name);
                i32::try_from(values.len() - 1).unwrap_or(0)
            })
        };
        let key = |method: &'static Method| (place(method.name), method.interface.map(|id| place(api::class(id))));
        let keys = api::model().methods.iter().map(key).collect();
        Names { values: Arc::new(StringArray::from(values)), keys }
    })
}

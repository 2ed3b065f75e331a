//! Rows as a Parquet file. The only place that names the library.
//!
//! Columns are plain: 64-bit integers, booleans, UTF-8 text, lists of integers; JSON is text. Invariant: no more than one
//! group of rows is held.

use super::row::{COLUMNS, Cells, Row};
use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use reprise_view::dump::Line;
use std::io::{self, Write};
use std::sync::Arc;

/// A group is written when it has so many rows, or holds so many bytes.
const ROWS: usize = 1 << 16;
const BYTES: usize = 64 << 20;

/// Writes a file.
pub(crate) struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    rows: Vec<Row>,
    held: usize,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// As the writer's.
    pub(crate) fn new(writer: W) -> io::Result<Writer<W>> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(Default::default()))
            .set_created_by(format!("reprise {}", env!("CARGO_PKG_VERSION")))
            .build();
        let file = SerializedFileWriter::new(writer, schema().map_err(failed)?, Arc::new(properties));
        Ok(Writer { file: file.map_err(failed)?, rows: Vec::new(), held: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// As the writer's.
    pub(crate) fn write(&mut self, row: Row) -> io::Result<()> {
        self.held += row.held();
        self.rows.push(row);
        if self.rows.len() >= ROWS || self.held >= BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.held = 0;
        if rows.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group().map_err(failed)?;
        for (_, cells) in COLUMNS {
            write_column(&mut group, cells, &rows).map_err(failed)?;
        }
        group.close().map(|_| ()).map_err(failed)
    }

    /// Writes what is left, and what makes it a file.
    ///
    /// # Errors
    /// As the writer's.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.file.close().map(|_| ()).map_err(failed)
    }
}

/// The writer's own error, where it is one: a reader that went away is told by its kind.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

/// One column for each of [`COLUMNS`].
fn schema() -> Result<TypePtr, ParquetError> {
    let fields = COLUMNS.map(|(name, cells)| {
        let leaf = |physical, repetition| Type::primitive_type_builder(name, physical).with_repetition(repetition);
        let text = |repetition| leaf(Physical::BYTE_ARRAY, repetition).with_logical_type(Some(LogicalType::String));
        let made = match cells {
            Cells::Integer(_) => leaf(Physical::INT64, Repetition::REQUIRED).build(),
            Cells::OptionalInteger(_) => leaf(Physical::INT64, Repetition::OPTIONAL).build(),
            Cells::OptionalFlag(_) => leaf(Physical::BOOLEAN, Repetition::OPTIONAL).build(),
            Cells::Text(_) => text(Repetition::REQUIRED).build(),
            Cells::OptionalText(_) | Cells::Json(_) => text(Repetition::OPTIONAL).build(),
            Cells::Integers(_) => list(name),
        };
        made.map(Arc::new)
    });
    let fields = fields.into_iter().collect::<Result<Vec<TypePtr>, ParquetError>>()?;
    Type::group_type_builder("event").with_fields(fields).build().map(Arc::new)
}

/// A list that is never null, of integers that are never null: as the format's definition spells lists.
fn list(name: &str) -> Result<Type, ParquetError> {
    let element =
        Type::primitive_type_builder("element", Physical::INT64).with_repetition(Repetition::REQUIRED).build()?;
    let repeated = Type::group_type_builder("list").with_repetition(Repetition::REPEATED);
    let repeated = repeated.with_fields(vec![Arc::new(element)]).build()?;
    Type::group_type_builder(name)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(Some(LogicalType::List))
        .with_converted_type(ConvertedType::LIST)
        .with_fields(vec![Arc::new(repeated)])
        .build()
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    cells: Cells,
    rows: &[Row],
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("there are fewer columns than the schema has".into()));
    };
    // For optional cells 1 where there is one; for lists 1 for each element, and 0 for an empty list.
    let mut there: Vec<i16> = Vec::new();
    let mut there_if = |is: bool| {
        there.push(i16::from(is));
        is
    };
    match (column.untyped(), cells) {
        (ColumnWriter::Int64ColumnWriter(writer), Cells::Integer(of)) => {
            let values: Vec<i64> = rows.iter().map(of).collect();
            writer.write_batch(&values, None, None)?;
        }
        (ColumnWriter::Int64ColumnWriter(writer), Cells::OptionalInteger(of)) => {
            let values: Vec<i64> = rows.iter().map(of).filter(|value| there_if(value.is_some())).flatten().collect();
            writer.write_batch(&values, Some(&there), None)?;
        }
        (ColumnWriter::BoolColumnWriter(writer), Cells::OptionalFlag(of)) => {
            let values: Vec<bool> = rows.iter().map(of).filter(|value| there_if(value.is_some())).flatten().collect();
            writer.write_batch(&values, Some(&there), None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Cells::Text(of)) => {
            let values: Vec<ByteArray> = rows.iter().map(|row| of(row).into()).collect();
            writer.write_batch(&values, None, None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Cells::OptionalText(of)) => {
            let values = rows.iter().map(of).filter(|value| there_if(value.is_some())).flatten();
            let values: Vec<ByteArray> = values.map(ByteArray::from).collect();
            writer.write_batch(&values, Some(&there), None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(writer), Cells::Json(of)) => {
            let values = rows.iter().map(of).filter(|value| there_if(value.is_some())).flatten();
            let values: Vec<ByteArray> = values.map(|json| ByteArray::from(bare(json).into_bytes())).collect();
            writer.write_batch(&values, Some(&there), None)?;
        }
        (ColumnWriter::Int64ColumnWriter(writer), Cells::Integers(of)) => {
            let (mut values, mut repeats) = (Vec::new(), Vec::new());
            for list in rows.iter().map(of) {
                values.extend_from_slice(list);
                there.extend(if list.is_empty() { vec![0] } else { vec![1; list.len()] });
                repeats.extend((0..list.len().max(1)).map(|index| i16::from(index > 0)));
            }
            writer.write_batch(&values, Some(&there), Some(&repeats))?;
        }
        _ => return Err(ParquetError::General("a column is not of the type that the schema says".into())),
    }
    column.close()
}

/// JSON that is a text is that text: `S_OK` is easier to ask for than `"S_OK"`.
fn bare(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned())
}

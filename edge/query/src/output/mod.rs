//! Writes answers: batch after batch, as they come.

mod chart;
mod text;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::{csv, ipc, json};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::errors::ParquetError;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// Comma-separated values with a line of names
    Csv,
    /// One JSON object a line; what is null is left out
    Json,
    /// Apache Parquet
    Parquet,
    /// A stream of Apache Arrow (IPC)
    Arrow,
}

impl Format {
    /// The format that a file's name asks for.
    pub(crate) fn of(path: &Path) -> Option<Format> {
        Some(match path.extension()?.to_str()? {
            "csv" => Format::Csv,
            "json" | "jsonl" | "ndjson" => Format::Json,
            "parquet" => Format::Parquet,
            "arrow" | "arrows" | "ipc" => Format::Arrow,
            "txt" => Format::Table,
            _ => return None,
        })
    }
}

/// Where an answer goes.
pub(crate) type To = BufWriter<Box<dyn Write + Send>>;

/// An answer under way.
pub(crate) enum Output {
    Table(text::Table<To>),
    Csv(csv::Writer<To>),
    Json(json::LineDelimitedWriter<To>),
    Parquet(Box<ArrowWriter<To>>),
    Arrow(ipc::writer::StreamWriter<To>),
    Chart(chart::Chart<To>),
}

impl Output {
    /// # Errors
    /// It cannot be written.
    pub(crate) fn new(format: Format, to: To, schema: &SchemaRef) -> io::Result<Output> {
        Ok(match format {
            Format::Table => Output::Table(text::Table::new(to)),
            Format::Csv => {
                let mut writer = csv::WriterBuilder::new().with_header(true).build(to);
                // The names are written also where no row follows.
                writer.write(&RecordBatch::new_empty(schema.clone())).map_err(arrow)?;
                Output::Csv(writer)
            }
            Format::Json => Output::Json(json::LineDelimitedWriter::new(to)),
            Format::Parquet => {
                Output::Parquet(Box::new(ArrowWriter::try_new(to, schema.clone(), None).map_err(parquet)?))
            }
            Format::Arrow => Output::Arrow(ipc::writer::StreamWriter::try_new(to, schema).map_err(arrow)?),
        })
    }

    /// A chart of two columns: SVG, or signs for a terminal.
    ///
    /// # Errors
    /// In words: the answer has no such columns.
    pub(crate) fn chart(to: To, svg: bool, columns: &str, schema: &SchemaRef) -> Result<Output, String> {
        chart::Chart::new(to, svg, columns, schema).map(Output::Chart)
    }

    /// # Errors
    /// It cannot be written.
    pub(crate) fn batch(&mut self, batch: &RecordBatch) -> io::Result<()> {
        match self {
            Output::Table(table) => table.batch(batch),
            Output::Csv(writer) => writer.write(batch).map_err(arrow),
            Output::Json(writer) => writer.write(batch).map_err(arrow),
            Output::Parquet(writer) => writer.write(batch).map_err(parquet),
            Output::Arrow(writer) => writer.write(batch).map_err(arrow),
            Output::Chart(chart) => chart.batch(batch),
        }
    }

    /// # Errors
    /// It cannot be written.
    pub(crate) fn finish(self, schema: &SchemaRef) -> io::Result<()> {
        match self {
            Output::Table(table) => table.finish(schema),
            Output::Csv(writer) => writer.into_inner().flush(),
            Output::Json(mut writer) => {
                writer.finish().map_err(arrow)?;
                writer.into_inner().flush()
            }
            Output::Parquet(writer) => writer.into_inner().map_err(parquet)?.flush(),
            Output::Arrow(writer) => writer.into_inner().map_err(arrow)?.flush(),
            Output::Chart(chart) => chart.finish(),
        }
    }
}

/// The error of the file beneath, where there is one, so that a closed pipe is known as such.
fn arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        ArrowError::CsvError(text) if text.contains("Broken pipe") => io::ErrorKind::BrokenPipe.into(),
        other => io::Error::other(other),
    }
}

fn parquet(error: ParquetError) -> io::Error {
    let text = error.to_string();
    match text.contains("Broken pipe") {
        true => io::ErrorKind::BrokenPipe.into(),
        false => io::Error::other(text),
    }
}

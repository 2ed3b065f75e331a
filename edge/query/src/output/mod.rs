//! Writes answers: batch after batch, as they come.

mod chart;
mod text;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::arrow::{csv, ipc, json};
use parquet::arrow::ArrowWriter;
use parquet::basic::{self, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
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

/// How columns of Parquet are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Compression(basic::Compression);

impl Default for Compression {
    fn default() -> Compression {
        // zstd's own default: at level 3 a table of calls takes a fraction of the bytes, and hardly more time to write.
        Compression(ZstdLevel::try_new(3).map_or(basic::Compression::UNCOMPRESSED, basic::Compression::ZSTD))
    }
}

impl std::str::FromStr for Compression {
    type Err = String;

    fn from_str(text: &str) -> Result<Compression, String> {
        if text == "none" {
            return Ok(Compression(basic::Compression::UNCOMPRESSED));
        }
        if text == "zstd" {
            return Ok(Compression::default());
        }
        let level = text.strip_prefix("zstd:").and_then(|level| level.parse().ok());
        let level = level.and_then(|level| ZstdLevel::try_new(level).ok());
        let zstd = level.map(|level| Compression(basic::Compression::ZSTD(level)));
        zstd.ok_or_else(|| "it is none, zstd, or zstd:LEVEL with a level from 1 to 22".into())
    }
}

/// Where an answer goes.
pub(crate) type To = BufWriter<Box<dyn Write + Send>>;

/// An answer under way.
pub(crate) enum Output {
    Table(text::Table<To>),
    Csv(Box<csv::Writer<To>>),
    Json(json::LineDelimitedWriter<To>),
    Parquet(Box<ArrowWriter<To>>),
    Arrow(ipc::writer::StreamWriter<To>),
    Chart(chart::Chart<To>),
}

impl Output {
    /// # Errors
    /// It cannot be written.
    pub(crate) fn new(format: Format, compression: Compression, to: To, schema: &SchemaRef) -> io::Result<Output> {
        Ok(match format {
            Format::Table => Output::Table(text::Table::new(to)),
            Format::Csv => {
                let mut writer = csv::WriterBuilder::new().with_header(true).build(to);
                // An answer without rows still has the line of names.
                writer.write(&RecordBatch::new_empty(schema.clone())).map_err(arrow)?;
                Output::Csv(Box::new(writer))
            }
            Format::Json => Output::Json(json::LineDelimitedWriter::new(to)),
            Format::Parquet => {
                let properties = WriterProperties::builder().set_compression(compression.0).build();
                let writer = ArrowWriter::try_new(to, schema.clone(), Some(properties));
                Output::Parquet(Box::new(writer.map_err(parquet)?))
            }
            Format::Arrow => Output::Arrow(ipc::writer::StreamWriter::try_new(to, schema).map_err(arrow)?),
        })
    }

    /// A chart of two columns: SVG, or characters for a terminal.
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

/// The error of the file that was written to, where that is the cause: a closed pipe must be told from other errors.
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

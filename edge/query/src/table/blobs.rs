//! `blobs`: contents that calls were given, each once.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;

/// See the module.
#[derive(Debug)]
pub(super) struct Blobs;

impl Table for Blobs {
    fn name(&self) -> &str {
        "blobs"
    }

    fn about(&self) -> &str {
        "contents that calls were given or that memory held: shaders, root signatures, pages; each once"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("blob", Kind::Number, "its number in the trace"),
            Column::new("hash", Kind::Text, "XXH3-128 of the content"),
            Column::new("bytes", Kind::Number, "bytes of the content"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        for id in source.trace.blob_ids() {
            // Damage is noted in the trace and named at the end.
            let (Ok(hash), Ok(bytes)) = (source.trace.blob_hash(id), source.trace.blob_len(id)) else { continue };
            sink.row(&[Cell::Number(id), Cell::Text(&format!("{hash:032x}")), Cell::Number(bytes)])?;
        }
        Ok(())
    }
}

//! `shaders`: contents that are shader code.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_dxbc::{Container, Program};

/// See the module.
#[derive(Debug)]
pub(super) struct Shaders;

impl Table for Shaders {
    fn name(&self) -> &str {
        "shaders"
    }

    fn about(&self) -> &str {
        "contents that are shader code"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("blob", Kind::Number, "number of the content in the trace"),
            Column::new("hash", Kind::Text, "XXH3-128 of the content"),
            Column::new("stage", Kind::Name, "vertex, pixel, compute, library, ..."),
            Column::new("model", Kind::Name, "shader model: 5.1, 6.6"),
            Column::new("code", Kind::Name, "DXIL, or SHEX and SHDR (DXBC)"),
            Column::new("bytes", Kind::Number, "bytes of the container"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        for id in source.trace.blob_ids() {
            let Ok(bytes) = source.trace.blob_by_id(id) else { continue };
            if !bytes.starts_with(b"DXBC") {
                continue;
            }
            let Some(program) = Container::parse(&bytes).ok().and_then(|it| Program::of(&it).ok()) else { continue };
            let Ok(hash) = source.trace.blob_hash(id) else { continue };
            sink.row(&[
                Cell::Number(id),
                Cell::Text(&format!("{hash:032x}")),
                Cell::Text(program.stage),
                Cell::Text(&format!("{}.{}", program.model.0, program.model.1)),
                Cell::Text(&program.tag.0.escape_ascii().to_string()),
                Cell::Number(bytes.len() as u64),
            ])?;
        }
        Ok(())
    }
}

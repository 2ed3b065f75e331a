//! `shaders`: contents that are shader code. A small one is no content of the trace; it is in the record of the call that was given it.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_dxbc::{Container, Program};
use reprise_view::shaders::{self, Content};

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
            Column::new(
                "blob",
                Kind::Number,
                "number of the content in the trace; null where the call's own record has it",
            ),
            Column::new("hash", Kind::Text, "XXH3-128 of the content"),
            Column::new("stage", Kind::Name, "vertex, pixel, compute, library, ..."),
            Column::new("model", Kind::Name, "shader model: 5.1, 6.6"),
            Column::new("code", Kind::Name, "DXIL, or SHEX and SHDR (DXBC)"),
            Column::new("bytes", Kind::Number, "bytes of the container"),
        ]
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        for id in source.trace.blob_ids() {
            // Damage is noted in the trace and named at the end.
            let (Ok(hash), Ok(bytes)) = (source.trace.blob_hash(id), source.trace.blob_by_id(id)) else { continue };
            row(Some(id), hash, &bytes, sink)?;
        }
        let shaders =
            shaders::Shaders::of(&source.trace, usize::MAX).map_err(|error| Stop::Trace(error.to_string()))?;
        source.note_undecoded(shaders.undecoded);
        for shader in &shaders.list {
            if let Content::Inline(bytes) = &shader.content {
                row(None, shader.hash, bytes, sink)?;
            }
        }
        Ok(())
    }
}

/// Gives the row of a content, if that is a shader.
fn row(blob: Option<u64>, hash: u128, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), Stop> {
    if !bytes.starts_with(b"DXBC") {
        return Ok(());
    }
    let Some(program) = Container::parse(bytes).ok().and_then(|it| Program::of(&it).ok()) else { return Ok(()) };
    sink.row(&[
        Cell::some(blob),
        Cell::Text(&format!("{hash:032x}")),
        Cell::Text(program.stage),
        Cell::Text(&format!("{}.{}", program.model.0, program.model.1)),
        Cell::Text(&program.tag.0.escape_ascii().to_string()),
        Cell::Number(bytes.len() as u64),
    ])
}

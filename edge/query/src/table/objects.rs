//! `objects`: every object that the program was given.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::lines::{self, cell};
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use reprise_d3d12::model::MethodId;
use reprise_timeline::walk_as;
use reprise_view::api;
use reprise_view::summary::lives::Lives;
use serde_json::Value as Json;
use std::collections::HashMap;

/// See the module.
#[derive(Debug)]
pub(super) struct Objects;

/// The columns that describe resources and heaps, each with its place in the line of the call that made the object.
const DESCRIBED: [(Column, &str); 14] = [
    (Column::new("parent", Kind::Number, "the object that made it: the device of most"), "/this/id"),
    (Column::new("heap", Kind::Number, "the heap that a placed resource lies in"), "/args/pHeap/id"),
    (Column::new("offset", Kind::Number, "bytes from the heap's beginning"), "/args/HeapOffset"),
    (Column::new("heap_type", Kind::Name, "type of heap, of committed resources and heaps"), "heap_type"),
    (Column::new("dimension", Kind::Name, "buffer, or texture of how many dimensions"), "/args/pDesc/Dimension"),
    (Column::new("format", Kind::Name, "of a texture"), "/args/pDesc/Format"),
    (Column::new("width", Kind::Number, "texels, or bytes of a buffer"), "/args/pDesc/Width"),
    (Column::new("height", Kind::Number, "texels"), "/args/pDesc/Height"),
    (Column::new("depth", Kind::Number, "texels, or layers of an array"), "/args/pDesc/DepthOrArraySize"),
    (Column::new("mips", Kind::Number, "mip levels"), "/args/pDesc/MipLevels"),
    (Column::new("samples", Kind::Number, "samples of a texel"), "/args/pDesc/SampleDesc/Count"),
    (Column::new("flags", Kind::Name, "flags of a resource"), "/args/pDesc/Flags"),
    (Column::new("bytes", Kind::Number, "bytes of a buffer or heap"), "bytes"),
    (Column::new("slots", Kind::Number, "slots of a descriptor heap"), "/args/pDescriptorHeapDesc/NumDescriptors"),
];

const MAKERS: [&str; 14] = [
    "CreateCommittedResource",
    "CreateCommittedResource1",
    "CreateCommittedResource2",
    "CreateCommittedResource3",
    "CreatePlacedResource",
    "CreatePlacedResource1",
    "CreatePlacedResource2",
    "CreateReservedResource",
    "CreateReservedResource1",
    "CreateReservedResource2",
    "CreateSharedResource",
    "CreateHeap",
    "CreateHeap1",
    "CreateDescriptorHeap",
];

impl Table for Objects {
    fn name(&self) -> &str {
        "objects"
    }

    fn about(&self) -> &str {
        "objects that the program was given; what describes resources and heaps stands beside them"
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::new("object", Kind::Number, "its id"),
            Column::new("class", Kind::Name, "the interface that it was first given out as"),
            Column::new("name", Kind::Text, "as the program named it last"),
            Column::new("created_call", Kind::Number, "the call that gave it out first"),
            Column::new("created_by", Kind::Method, "the method of that call"),
            Column::new("released_call", Kind::Number, "the call that released it for good; null while it lives"),
            Column::new(
                "held",
                Kind::Number,
                "references that the program holds at the end: more than 0 is a leak, or the trace's end",
            ),
        ];
        columns.extend(DESCRIBED.into_iter().map(|(column, _)| column));
        columns
    }

    fn read(&self, source: &Source, _: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let mut lines = HashMap::new();
        let first = self.columns().len() - DESCRIBED.len();
        if (first..first + DESCRIBED.len()).any(|column| sink.wants(column)) {
            lines::each(source, &Bounds::default(), &MAKERS, |line| {
                let outputs = line["outputs"].as_object().into_iter().flatten();
                let made: Vec<u64> = outputs.filter_map(|(_, value)| value["id"].as_u64()).collect();
                made.into_iter().for_each(|id| {
                    lines.entry(id).or_insert_with(|| described(&line));
                });
                Ok(())
            })?;
        }
        let released = source.chronicle().map_err(Stop::Trace)?;
        let mut lives = Lives::new(&source.trace);
        walk_as(api::model(), &source.trace, &mut [&mut lives]).map_err(|error| Stop::Trace(error.to_string()))?;
        source.note_undecoded(lives.damaged());
        let none: Vec<Json> = Vec::new();
        for (id, class, life) in lives.all() {
            let mut cells = vec![
                Cell::object(id),
                Cell::Text(class),
                life.name.as_deref().map_or(Cell::None, Cell::Text),
                Cell::Number(life.call),
                Cell::Of(MethodId(life.method).0),
                Cell::some(released.life(id).and_then(|life| life.released)),
                Cell::Number(life.held),
            ];
            let values = lines.get(&u64::from(id)).unwrap_or(&none);
            let mut texts = vec![String::new(); values.len()];
            cells.extend(values.iter().zip(&mut texts).map(|(value, text)| cell(Some(value), text)));
            sink.row(&cells)?;
        }
        Ok(())
    }
}

/// The values of [`DESCRIBED`] in the line of the call that made an object.
fn described(line: &Json) -> Vec<Json> {
    let at = |place: &str| line.pointer(place).cloned();
    let value = |place: &str| match place {
        "heap_type" => at("/args/pHeapProperties/Type").or_else(|| at("/args/pDesc/Properties/Type")),
        "bytes" => at("/args/pDesc/SizeInBytes").or_else(|| {
            let buffer = at("/args/pDesc/Dimension").is_some_and(|of| of == "D3D12_RESOURCE_DIMENSION_BUFFER");
            if buffer { at("/args/pDesc/Width") } else { None }
        }),
        place => at(place),
    };
    DESCRIBED.iter().map(|(_, place)| value(place).unwrap_or(Json::Null)).collect()
}

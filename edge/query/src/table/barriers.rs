//! `barriers`: a row for each barrier, of the older kind and the enhanced ones.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, LIST, Objects};
use crate::lines::{self, cell};
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use serde_json::Value as Json;

/// See the module.
#[derive(Debug)]
pub(super) struct Barriers;

impl Table for Barriers {
    fn name(&self) -> &str {
        "barriers"
    }

    fn about(&self) -> &str {
        "barriers, a row for each, of ResourceBarrier and of Barrier (enhanced barriers)"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "number of the call"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("list", Kind::Number, "the command list"),
            Column::new("index", Kind::Number, "place among the barriers of the call, from 0"),
            Column::new("type", Kind::Name, "transition, aliasing, uav, or global, texture, buffer (enhanced)"),
            Column::new("object", Kind::Number, "the resource; of aliasing the one after"),
            Column::new("object_before", Kind::Number, "the resource before, of aliasing"),
            Column::new("subresource", Kind::Number, "the subresource; 4294967295 for all"),
            Column::new("before", Kind::Name, "the state, or the layout (enhanced), before"),
            Column::new("after", Kind::Name, "the state, or the layout (enhanced), after"),
            Column::new("sync_before", Kind::Name, "work waited for (enhanced)"),
            Column::new("sync_after", Kind::Name, "work that waits (enhanced)"),
            Column::new("access_before", Kind::Name, "access before (enhanced)"),
            Column::new("access_after", Kind::Name, "access after (enhanced)"),
            Column::new("flags", Kind::Name, "flags: split barriers, discards"),
        ]
    }

    fn objects(&self) -> Objects {
        Objects { named: &["object", "object_before"], ..LIST }
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        lines::each(source, bounds, &["ResourceBarrier", "Barrier"], |line| {
            let mut index = 0;
            for barrier in array(&line["args"]["pBarriers"]) {
                row(&line, &mut index, barrier, None, sink)?;
            }
            for group in array(&line["args"]["pBarrierGroups"]) {
                for (member, kind) in
                    [("pGlobalBarriers", "global"), ("pTextureBarriers", "texture"), ("pBufferBarriers", "buffer")]
                {
                    for barrier in array(&group[member]) {
                        row(&line, &mut index, barrier, Some(kind), sink)?;
                    }
                }
            }
            Ok(())
        })
    }
}

fn array(value: &Json) -> &[Json] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn row(line: &Json, index: &mut u64, barrier: &Json, kind: Option<&str>, sink: &mut Sink<'_>) -> Result<(), Stop> {
    let kind = kind.unwrap_or_else(|| match barrier["Type"].as_str() {
        Some("D3D12_RESOURCE_BARRIER_TYPE_TRANSITION") => "transition",
        Some("D3D12_RESOURCE_BARRIER_TYPE_ALIASING") => "aliasing",
        Some("D3D12_RESOURCE_BARRIER_TYPE_UAV") => "uav",
        _ => "unknown",
    });
    let at = |places: &[&str]| places.iter().find_map(|place| barrier.pointer(place));
    let number = |places: &[&str]| Cell::some(at(places).and_then(Json::as_u64));
    let mut texts: [String; 7] = Default::default();
    let [before, after, sync_before, sync_after, access_before, access_after, flags] = &mut texts;
    let cells = [
        Cell::some(line["call"].as_u64()),
        Cell::some(line["frame"].as_u64()),
        Cell::some(line["this"]["id"].as_u64()),
        Cell::Number(*index),
        Cell::Text(kind),
        number(&["/Transition/pResource/id", "/UAV/pResource/id", "/Aliasing/pResourceAfter/id", "/pResource/id"]),
        number(&["/Aliasing/pResourceBefore/id"]),
        number(&["/Transition/Subresource", "/Subresources/IndexOrFirstMipLevel"]),
        cell(at(&["/Transition/StateBefore", "/LayoutBefore"]), before),
        cell(at(&["/Transition/StateAfter", "/LayoutAfter"]), after),
        cell(at(&["/SyncBefore"]), sync_before),
        cell(at(&["/SyncAfter"]), sync_after),
        cell(at(&["/AccessBefore"]), access_before),
        cell(at(&["/AccessAfter"]), access_after),
        cell(at(&["/Flags"]), flags),
    ];
    *index += 1;
    sink.row(&cells)
}

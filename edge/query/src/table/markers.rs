//! `markers`: `BeginEvent`, `EndEvent` and `SetMarker`, with their texts.

use super::{Column, Kind, Table};
use crate::bounds::{Bounds, Objects};
use crate::enters;
use crate::sink::{Cell, Sink, Stop};
use crate::source::{self, Source};
use reprise_codec::Value;
use reprise_d3d12::model::MethodId;
use reprise_timeline::state::lists::Marker;
use reprise_trace::read::Event;
use reprise_view::api;

/// See the module.
#[derive(Debug)]
pub(super) struct Markers;

impl Table for Markers {
    fn name(&self) -> &str {
        "markers"
    }

    fn about(&self) -> &str {
        "markers that the program set on lists and queues"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "number of the call"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("method", Kind::Method, "BeginEvent, EndEvent or SetMarker"),
            Column::new("object", Kind::Number, "the list or queue"),
            Column::new("text", Kind::Text, "what it says; null for EndEvent"),
        ]
    }

    fn objects(&self) -> Objects {
        Objects { of_call: &["object"], named: &[] }
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        let methods = source::methods(|name| ["BeginEvent", "EndEvent", "SetMarker"].contains(&name));
        let codec = api::codec();
        enters::each(source, bounds, &methods, |event| {
            let text = text(&codec, event).map(|marker| marker.resolved(&source.trace).text);
            sink.row(&[
                Cell::Number(event.number),
                Cell::Number(u64::from(event.frame) + 1),
                Cell::Of(event.method),
                Cell::object(event.object),
                text.as_deref().map_or(Cell::None, Cell::Text),
            ])
        })
    }
}

fn text(codec: &reprise_codec::Codec, event: &Event<'_>) -> Option<Marker> {
    let arguments = codec.decode_enter(MethodId(event.method), event.payload).ok()?;
    let of = |name: &str| arguments.members.iter().find(|member| member.field.name == name).map(|member| &member.value);
    let metadata = match of("Metadata")? {
        Value::Unsigned(metadata) => u32::try_from(*metadata).ok()?,
        _ => return None,
    };
    match of("pData")? {
        Value::Bytes(bytes) => Some(Marker::new(metadata, bytes, event.number)),
        Value::Blob(number, ..) => {
            let id = event.blobs.iter().rev().find(|(own, _)| own == number)?.1;
            Some(Marker { text: String::new(), colour: None, call: event.number, stored: Some((id, metadata)) })
        }
        _ => None,
    }
}

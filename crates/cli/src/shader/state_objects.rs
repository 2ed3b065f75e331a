//! State objects of ray tracing in the index of `extract`: exports, their shaders, and what lies in their records.

use reprise_codec::json::hex;
use reprise_state_object::{Field, RecordLayout};
use reprise_timeline::state_objects::{Export, StateObject, StateObjects};
use reprise_view::api;
use serde_json::{Value as Json, json};

/// All of them, in the order in which they were made.
pub(crate) fn json(objects: &StateObjects) -> Json {
    let mut all: Vec<_> = objects.iter().collect();
    all.sort_by_key(|(id, object)| (object.call, *id));
    all.into_iter().map(|(id, object)| state_object(id, object)).collect()
}

fn state_object(id: u32, object: &StateObject) -> Json {
    let mut json = json!({
        "id": id,
        "call": object.call,
        "type": api::enum_name("D3D12_STATE_OBJECT_TYPE", object.kind),
        "exports": object.exports().iter().map(export).collect::<Json>(),
    });
    if let Some(problem) = &object.problem {
        json["problem"] = problem.clone().into();
    }
    json
}

fn export(export: &Export) -> Json {
    let shaders = export.shaders.iter();
    let shaders: Json = shaders
        .map(|shader| json!({ "stage": shader.stage.name(), "name": shader.name, "entry": shader.entry }))
        .collect();
    json!({
        "name": export.name,
        "kind": export.kind.name(),
        "shaders": shaders,
        "record": record(&export.record),
        // Null where the program never asked for it.
        "identifier": export.identifier().map(|identifier| hex(identifier)),
    })
}

/// Bytes of a record, and its arguments by offset: `constants` says how many words there are.
fn record(layout: &RecordLayout) -> Json {
    let field = |(offset, field): &(u32, Field)| match field {
        Field::Address => json!({ "offset": offset, "holds": "address" }),
        Field::Table => json!({ "offset": offset, "holds": "table" }),
        Field::Constants(count) => json!({ "offset": offset, "holds": "constants", "words": count }),
    };
    json!({ "bytes": layout.size, "arguments": layout.fields.iter().map(field).collect::<Json>() })
}

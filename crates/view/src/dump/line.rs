//! The parts of a call's line that its payloads say.

use reprise_codec::decode::{Arguments, DecodeError, Outcome};
use reprise_codec::json::Namer;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::{Direction, MethodId};
use serde_json::{Map, Value as Json};

use crate::api;

/// The arguments of a call as they went in. Where a result is to go is null: it is an address of the program's, and what came is known later.
///
/// # Errors
/// The payload does not fit the method.
pub fn arguments<'a>(codec: &Codec, method: MethodId, enter: &'a [u8]) -> Result<Arguments<'a>, DecodeError> {
    let mut decoded = codec.decode_enter(method, enter)?;
    for member in &mut decoded.members {
        if member.field.direction == Direction::Out && matches!(member.value, Value::Word(..)) {
            member.value = Value::Null;
        }
    }
    Ok(decoded)
}

/// Adds what a call gave back to its line, which has `args`: `result`, and the outputs. These become arguments, or, where they are to stand
/// `apart`, a member `outputs`.
pub fn give_back(
    line: &mut Map<String, Json>,
    codec: &Codec,
    method: MethodId,
    outcome: &Outcome<'_>,
    namer: &dyn Namer,
    apart: bool,
) {
    let (mut result, mut outputs) = codec.json_outcome(outcome, namer);
    if let Some(arguments) = line.get_mut("args").and_then(Json::as_object_mut) {
        // A structure that is the result comes through a parameter that the API's users do not see.
        let hidden = api::method(method.0).filter(|method| method.returns_structure);
        if let Some(hidden) = hidden.and_then(|method| method.params.first()) {
            arguments.shift_remove(hidden.name);
            result = outputs.shift_remove(hidden.name).unwrap_or(Json::Null);
        }
        if apart {
            // Where an output goes is of no interest; what goes in and comes out is told twice.
            arguments.retain(|name, value| !value.is_null() || !outputs.contains_key(name));
            line.insert("outputs".into(), outputs.into());
        } else {
            arguments.extend(outputs);
        }
    }
    line.insert("result".into(), result);
}

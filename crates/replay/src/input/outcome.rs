//! The recorded outcome of a call: success, and the ids of the objects that it gave out.

use reprise_codec::Value;
use reprise_codec::decode::Outcome;
use reprise_d3d12::model::MethodId;

use super::values;

/// The id that the capture gave to the object of a slot; 0 for none.
pub(crate) fn recorded_id(method: MethodId, outcome: &Outcome<'_>, (param, element): (usize, usize)) -> u32 {
    let ids = match method.get().params.get(param) {
        Some(field) => {
            let member = outcome.outputs.iter().find(|member| member.field.name == field.name);
            member.map(|member| values::ids(&member.value)).unwrap_or_default()
        }
        None => values::ids(&outcome.result),
    };
    ids.get(element).copied().unwrap_or(0)
}

/// Whether the capture saw success; a call without a result code counts as successful.
pub(crate) fn succeeded(outcome: &Outcome<'_>) -> bool {
    !matches!(outcome.result, Value::Hresult(code) if (code as i32) < 0)
}

//! What the program was told against what replay is told, value by value.
//!
//! Owns the rule of what may differ: addresses, handles and objects always do, and are left out. Invariant: each
//! difference is named by its path.

use reprise_codec::Value;
use reprise_codec::decode::Outcome;

/// The differences between two outcomes of the same call, in words, at most a handful.
pub(crate) fn outcomes(recorded: &Outcome<'_>, here: &Outcome<'_>) -> Vec<String> {
    let mut found = Vec::new();
    values("result", &recorded.result, &here.result, &mut found);
    for member in &recorded.outputs {
        if let Some(other) = here.outputs.iter().find(|other| other.field.name == member.field.name) {
            values(member.field.name, &member.value, &other.value, &mut found);
        }
    }
    found
}

/// So many differences of one call are told.
const MOST: usize = 4;

fn values(path: &str, recorded: &Value<'_>, here: &Value<'_>, found: &mut Vec<String>) {
    if found.len() >= MOST {
        return;
    }
    match (recorded, here) {
        // Without meaning outside the process that made them.
        (Value::Word(..) | Value::Object(..) | Value::Absent(..) | Value::Blob(..), _)
        | (_, Value::Word(..) | Value::Object(..) | Value::Absent(..) | Value::Blob(..)) => {}
        (Value::Struct(_, recorded), Value::Struct(_, here)) => {
            for member in recorded {
                if let Some(other) = here.iter().find(|other| other.field.name == member.field.name) {
                    values(&format!("{path}.{}", member.field.name), &member.value, &other.value, found);
                }
            }
        }
        (Value::Array(recorded), Value::Array(here)) if recorded.len() == here.len() => {
            for (index, (recorded, here)) in recorded.iter().zip(here).enumerate() {
                let path =
                    if index == 0 && here_is_single(recorded) { path.to_owned() } else { format!("{path}[{index}]") };
                values(&path, recorded, here, found);
            }
        }
        (recorded, here) if recorded == here => {}
        (recorded, here) => found.push(format!("{path} was {}, here {}", short(recorded), short(here))),
    }
}

fn here_is_single(value: &Value<'_>) -> bool {
    matches!(value, Value::Struct(..))
}

fn short(value: &Value<'_>) -> String {
    match value {
        Value::Unsigned(number) => number.to_string(),
        Value::Signed(number) => number.to_string(),
        Value::Bool(value) => (*value != 0).to_string(),
        Value::Hresult(code) => crate::report::HresultName(*code).to_string(),
        Value::Enum(id, number) => {
            let row = &reprise_d3d12::MODEL.enums.get(usize::from(id.0));
            let name = row.and_then(|row| row.members.iter().find(|member| member.1 as u32 == *number));
            name.map_or_else(|| number.to_string(), |member| member.0.to_owned())
        }
        Value::F32(bits) => f32::from_bits(*bits).to_string(),
        Value::F64(bits) => f64::from_bits(*bits).to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::Array(elements) => format!("{} elements", elements.len()),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Null => "null".into(),
        other => format!("{other:?}").chars().take(80).collect(),
    }
}

#[cfg(test)]
mod tests {
    use reprise_d3d12::model::Role;

    use super::*;

    fn outcome(result: Value<'static>) -> Outcome<'static> {
        Outcome { result, outputs: Vec::new() }
    }

    #[test]
    fn differences_are_named_and_addresses_may_differ() {
        let array = |last| outcome(Value::Array(vec![Value::Unsigned(1), Value::Unsigned(last)]));
        assert_eq!(outcomes(&array(2), &array(2)), Vec::<String>::new());
        assert_eq!(outcomes(&array(2), &array(3)), ["result[1] was 2, here 3"]);
        let address = |value| outcome(Value::Word(Role::GpuAddress, value));
        assert_eq!(outcomes(&address(1), &address(2)), Vec::<String>::new());
        let codes = (outcome(Value::Hresult(0)), outcome(Value::Hresult(0x8007_0057)));
        assert_eq!(outcomes(&codes.0, &codes.1), ["result was S_OK (0x00000000), here E_INVALIDARG (0x80070057)"]);
    }
}

//! Values to JSON.
//!
//! Handles, addresses and other words are hexadecimal text, because JSON numbers lose bits; floats that JSON cannot
//! write are text; enumerations are names where the model has one.

use crate::decode::{Arguments, Outcome};
use crate::value::Member;
use crate::{Codec, Value};
use reprise_d3d12::model::{BlobKind, EnumId, Guid, Role};
use serde_json::{Map, Value as Json, json};

/// Names for numbers, where the caller knows better than a hex string. Every answer may be `None`.
pub trait Namer {
    /// A descriptor, address or handle, as in `{"heap":12,"index":34}`.
    fn word(&self, _role: Role, _value: u64) -> Option<Json> {
        None
    }
    /// An object.
    fn object(&self, _id: u32) -> Option<Json> {
        None
    }
    /// A blob: its hash, or its contents.
    fn blob(&self, _number: u32, _kind: BlobKind, _bytes: u64) -> Option<Json> {
        None
    }
    /// Bytes that are in the payload: all of them, where their beginning is not enough.
    fn bytes(&self, _bytes: &[u8]) -> Option<Json> {
        None
    }
}

/// Names nothing.
#[derive(Clone, Copy, Debug)]
pub struct Plain;
impl Namer for Plain {}

/// More bytes than this are shown by their beginning and their number.
const SHOWN_BYTES: usize = 64;

impl Codec {
    /// Arguments by name.
    pub fn json_arguments(&self, arguments: &Arguments<'_>, namer: &dyn Namer) -> Map<String, Json> {
        self.json_members(&arguments.members, namer)
    }

    /// The result, and outputs by parameter name.
    pub fn json_outcome(&self, outcome: &Outcome<'_>, namer: &dyn Namer) -> (Json, Map<String, Json>) {
        (self.json_value(&outcome.result, namer), self.json_members(&outcome.outputs, namer))
    }

    fn json_members(&self, members: &[Member<'_>], namer: &dyn Namer) -> Map<String, Json> {
        members.iter().map(|m| (m.field.name.to_owned(), self.json_value(&m.value, namer))).collect()
    }

    /// One value.
    pub fn json_value(&self, value: &Value<'_>, namer: &dyn Namer) -> Json {
        match value {
            Value::Void | Value::Null => Json::Null,
            Value::Unsigned(v) => json!(v),
            Value::Signed(v) => json!(v),
            Value::F32(bits) => float32(f32::from_bits(*bits)),
            Value::F64(bits) => float(f64::from_bits(*bits)),
            Value::Bool(0) => json!(false),
            Value::Bool(1) => json!(true),
            Value::Bool(v) => json!(v),
            Value::Hresult(v) => Json::String(hresult(*v)),
            Value::Enum(id, v) => Json::String(self.enum_name(*id, *v)),
            Value::Guid(guid) => Json::String(self.guid_name(guid)),
            Value::Word(role, v) => namer.word(*role, *v).unwrap_or_else(|| Json::String(format!("{v:#x}"))),
            Value::Object(0, _) => Json::Null,
            Value::Object(id, _) => namer.object(*id).unwrap_or_else(|| json!(id)),
            Value::Struct(_, members) => Json::Object(self.json_members(members, namer)),
            Value::Array(values) => values.iter().map(|v| self.json_value(v, namer)).collect(),
            Value::Bytes(bytes) => namer.bytes(bytes).unwrap_or_else(|| bytes_json(bytes)),
            Value::Blob(number, kind, bytes) => namer
                .blob(*number, *kind, *bytes)
                .unwrap_or_else(|| json!({ "blob": number, "kind": format!("{kind:?}"), "bytes": bytes })),
            Value::Text(text) => json!(text),
            Value::Reference(Some(index)) => json!({ "subobject": index }),
            Value::Reference(None) => json!({ "subobject": "outside the array" }),
            Value::Stream(subobjects) => (subobjects.iter())
                .map(|(number, v)| json!({ "Type": self.subobject_name(*number), "Value": self.json_value(v, namer) }))
                .collect(),
            Value::Unknown(number, bytes) => json!({ "unknown_type": number, "bytes": hex(bytes) }),
            Value::Absent(pointer, reason) => {
                json!({ "not_recorded": reason.text(), "pointer": format!("{pointer:#x}") })
            }
        }
    }

    /// An enumeration's name; flags joined by `|`, with bits that have no name in hexadecimal.
    pub fn enum_name(&self, id: EnumId, value: u32) -> String {
        let Some(entry) = self.model.enums.get(id.0 as usize) else { return format!("{value:#x}") };
        if let Some((name, _)) = entry.members.iter().find(|m| m.1 as u32 == value) {
            return (*name).to_owned();
        }
        if !entry.flags {
            return value.to_string();
        }
        let mut names = Vec::new();
        let mut rest = value;
        // Members of several bits first, so that a combination with a name of its own is called by it.
        let mut members: Vec<_> = entry.members.iter().filter(|m| m.1 as u32 != 0).collect();
        members.sort_by_key(|m| std::cmp::Reverse((m.1 as u32).count_ones()));
        for (name, bits) in members {
            let bits = *bits as u32;
            if rest & bits == bits {
                names.push((bits, (*name).to_owned()));
                rest &= !bits;
            }
        }
        names.sort_by_key(|n| n.0);
        let mut names: Vec<String> = names.into_iter().map(|n| n.1).collect();
        if rest != 0 || names.is_empty() {
            names.push(format!("{rest:#x}"));
        }
        names.join("|")
    }

    /// The interface's name where the id is one of the model's.
    pub fn guid_name(&self, guid: &Guid) -> String {
        // A schema may name an interface without its id, which then is zero.
        let known = self.model.interfaces.iter().find(|i| i.iid == *guid && i.iid.to_u128() != 0);
        match known {
            Some(interface) => interface.name.to_owned(),
            None => guid.to_string(),
        }
    }

    /// The name of a pipeline subobject's type.
    pub fn subobject_name(&self, number: u32) -> String {
        match self.subobjects.stream_types {
            Some(id) => self.enum_name(id, number),
            None => number.to_string(),
        }
    }
}

/// Shortest text that gives the same 32-bit float, as a JSON number where there is one. Of what is no number, the bits.
fn float32(value: f32) -> Json {
    if value.is_nan() && value.to_bits() != f32::NAN.to_bits() {
        return Json::String(format!("NaN({:#x})", value.to_bits()));
    }
    match value.to_string().parse::<f64>() {
        Ok(wide) if value.is_finite() => float(wide),
        _ => Json::String(value.to_string()),
    }
}

fn float(value: f64) -> Json {
    serde_json::Number::from_f64(value).map_or_else(|| Json::String(value.to_string()), Json::Number)
}

/// The name of a result code, hexadecimal where it has none.
pub(crate) fn hresult(value: u32) -> String {
    reprise_d3d12::result::name(value).map_or_else(|| format!("{value:#010x}"), str::to_owned)
}

fn bytes_json(bytes: &[u8]) -> Json {
    if bytes.len() <= SHOWN_BYTES {
        return Json::String(hex(bytes));
    }
    json!({ "bytes": bytes.len(), "begins": hex(&bytes[..SHOWN_BYTES]) })
}

/// Bytes as hexadecimal text.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

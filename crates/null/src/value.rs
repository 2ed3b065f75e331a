//! What a piece of the caller's memory said: the values of the log.
//!
//! Values are owned copies, so an entry stays true after the caller has freed its memory. They are kept as bits, not as
//! text: a comparison must not depend on how a number is printed.

use serde_json::{Map, Value as Json, json};

/// One value, as it was read from the caller's memory or words.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A null pointer, or an array or text that is not there.
    Null,
    /// An integer, enumeration, boolean, handle or address: its bits, zero-extended from `size` bytes.
    Bits {
        /// The value.
        bits: u64,
        /// Bytes of it.
        size: u8,
    },
    /// A 32-bit float, as bits.
    F32(u32),
    /// A 64-bit float, as bits.
    F64(u64),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// Text, decoded from its unit.
    Text(String),
    /// An interface id, printed in the registry form.
    Guid(String),
    /// An object of this runtime: its serial number.
    Object(u64),
    /// An object that this runtime did not make: its address.
    Foreign(u64),
    /// Elements of an array; a pointer to one element is a list of one.
    List(Vec<Value>),
    /// Fields by name, inactive union members left out.
    Struct(&'static str, Vec<(&'static str, Value)>),
    /// A pointer that was not followed: outputs before the call, and what the runtime cannot know the size of.
    Address(u64),
}

impl Value {
    /// The value as JSON, for people and for comparison across processes.
    pub fn to_json(&self) -> Json {
        match self {
            Value::Null => Json::Null,
            Value::Bits { bits, .. } => json!(bits),
            Value::F32(bits) => json!({ "f32": bits }),
            Value::F64(bits) => json!({ "f64": bits }),
            Value::Bytes(bytes) => json!({ "bytes": hex(bytes) }),
            Value::Text(text) => json!(text),
            Value::Guid(text) => json!({ "guid": text }),
            Value::Object(serial) => json!({ "object": serial }),
            Value::Foreign(address) => json!({ "foreign": address }),
            Value::List(items) => Json::Array(items.iter().map(Value::to_json).collect()),
            Value::Struct(_, fields) => {
                let mut map = Map::new();
                for (name, value) in fields {
                    map.insert((*name).to_owned(), value.to_json());
                }
                Json::Object(map)
            }
            Value::Address(address) => json!({ "address": address }),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

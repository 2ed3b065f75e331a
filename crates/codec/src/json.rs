//! Values to JSON.

use crate::decode::{Arguments, Outcome};
use crate::{Codec, Value};
use reprise_d3d12::model::{BlobKind, Role};
use serde_json::{Map, Value as Json};

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
}

/// Names nothing.
pub struct Plain;
impl Namer for Plain {}

impl Codec {
    /// Arguments by name.
    pub fn json_arguments(&self, _arguments: &Arguments<'_>, _namer: &impl Namer) -> Map<String, Json> {
        unimplemented!()
    }

    /// The result, and outputs by parameter name.
    pub fn json_outcome(&self, _outcome: &Outcome<'_>, _namer: &impl Namer) -> (Json, Map<String, Json>) {
        unimplemented!()
    }

    /// One value.
    pub fn json_value(&self, _value: &Value<'_>, _namer: &impl Namer) -> Json {
        unimplemented!()
    }
}

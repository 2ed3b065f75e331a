//! What a call asked for, in the API's spelling: for errors and differences.
//!
//! The text has numbers, names and flags that are not zero. It has no addresses, handles, ids and outputs, which say nothing to a
//! reader. Invariant: the text is short, whatever the call; an ellipsis shows that parts are left out.

use reprise_codec::decode::Arguments;
use reprise_codec::json::Plain;
use reprise_codec::{Codec, Value};

use crate::call::open_call::OpenCall;
use crate::hresult::HresultName;

/// So many characters are enough for a resource with its heap.
const LONGEST: usize = 480;

/// Parameters that follow from others.
const SELF_EVIDENT: [&str; 3] = ["FeatureSupportDataSize", "numResourceDescs", "visibleMask"];

/// What a call asked for, in words; empty where its arguments cannot be decoded.
pub(crate) fn of_call(codec: &Codec, call: &OpenCall) -> String {
    let arguments = codec.decode_enter(call.method, &call.enter);
    arguments.map(|arguments| words(codec, &arguments)).unwrap_or_default()
}

/// The arguments, as in `pDesc.Width 64, pDesc.Format DXGI_FORMAT_R8_UNORM`; empty where nothing is to be said.
pub(crate) fn words(codec: &Codec, arguments: &Arguments<'_>) -> String {
    let mut text = Text { codec, text: String::new(), cut: false };
    for member in arguments.members.iter().filter(|member| !SELF_EVIDENT.contains(&member.field.name)) {
        text.value(member.field.name, &member.value);
    }
    if text.cut {
        text.text.push_str(", …");
    }
    text.text
}

struct Text<'c> {
    codec: &'c Codec,
    text: String,
    cut: bool,
}

impl Text<'_> {
    fn value(&mut self, path: &str, value: &Value<'_>) {
        match value {
            Value::Struct(_, members) => {
                for member in members {
                    self.value(&format!("{path}.{}", member.field.name), &member.value);
                }
            }
            Value::Array(elements) => {
                let one = elements.len() == 1;
                for (index, element) in elements.iter().enumerate() {
                    let path = if one { path.to_owned() } else { format!("{path}[{index}]") };
                    self.value(&path, element);
                    if self.cut {
                        break;
                    }
                }
            }
            Value::Stream(subobjects) => {
                for (_, subobject) in subobjects {
                    self.value(path, subobject);
                }
            }
            Value::Blob(_, kind, bytes) => self.say(path, &format!("{bytes} bytes of {kind:?}")),
            Value::Unsigned(0)
            | Value::Signed(0)
            | Value::F32(0)
            | Value::F64(0)
            | Value::Bool(0)
            | Value::Enum(_, 0) => {}
            Value::Unsigned(_)
            | Value::Signed(_)
            | Value::F32(_)
            | Value::F64(_)
            | Value::Bool(_)
            | Value::Enum(..) => {
                self.say(path, &in_words(self.codec, value));
            }
            _ => {}
        }
    }

    fn say(&mut self, path: &str, value: &str) {
        if self.cut || self.text.len() + path.len() + value.len() > LONGEST {
            self.cut = true;
            return;
        }
        let comma = if self.text.is_empty() { "" } else { ", " };
        self.text.push_str(&format!("{comma}{path} {value}"));
    }
}

/// One value, in the API's spelling.
pub(crate) fn in_words(codec: &Codec, value: &Value<'_>) -> String {
    match value {
        Value::Enum(id, number) => codec.enum_name(*id, *number),
        Value::Hresult(code) => HresultName(*code).to_string(),
        Value::Bool(value) => if *value != 0 { "TRUE" } else { "FALSE" }.to_owned(),
        Value::Unsigned(u64::MAX) => "UINT64_MAX".to_owned(),
        Value::Array(elements) => format!("{} elements", elements.len()),
        Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        Value::Null => "NULL".to_owned(),
        other => {
            let text = codec.json_value(other, &Plain).to_string();
            text.chars().take(80).collect()
        }
    }
}

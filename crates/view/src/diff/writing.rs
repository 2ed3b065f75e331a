//! Values as text that is the same in every run: what differs by nature is left out, or told by what it stands for.
//!
//! Objects are marked (see [`super::item`]); addresses and descriptor handles are an object and a distance in it; events,
//! windows and the program's own pointers are only there or not; contents are told by their hash.

use super::item::{END, OBJECT};
use crate::api;
use crate::dump::names::Scope;
use reprise_codec::value::Member;
use reprise_codec::{Codec, Value};
use reprise_d3d12::model::Role;
use reprise_trace::read;
use serde_json::Value as Json;
use std::fmt::Write;

/// Longer bytes are told by their hash.
const SHOWN_BYTES: usize = 64;

/// Writes values of one call.
pub(super) struct Writing<'a> {
    pub(super) codec: &'a Codec,
    pub(super) scope: Scope<'a>,
    /// The hash of a blob, by its number in the trace; none where it cannot be read.
    pub(super) hash: &'a mut dyn FnMut(u64) -> Option<u128>,
    pub(super) text: &'a mut String,
    /// The objects in the text.
    pub(super) objects: &'a mut Vec<u32>,
}

impl Writing<'_> {
    pub(super) fn members(&mut self, members: &[Member<'_>]) {
        self.text.push('{');
        for (index, member) in members.iter().enumerate() {
            self.push(format_args!("{}\"{}\":", if index > 0 { "," } else { "" }, member.field.name));
            self.value(&member.value);
        }
        self.text.push('}');
    }

    pub(super) fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Unsigned(number) => self.push(format_args!("{number}")),
            Value::Signed(number) => self.push(format_args!("{number}")),
            Value::Bool(0) => self.text.push_str("false"),
            Value::Bool(1) => self.text.push_str("true"),
            Value::Object(0, _) => self.text.push_str("null"),
            Value::Object(id, _) => self.object(*id, ""),
            Value::Word(role, word) => self.word(*role, *word),
            Value::Struct(_, members) => self.members(members),
            Value::Array(values) => self.list(values.iter(), |own, value| own.value(value)),
            Value::Bytes(bytes) if bytes.len() > SHOWN_BYTES => {
                self.content(bytes.len() as u64, Some(read::content_hash(bytes)));
            }
            Value::Blob(number, _, bytes) => {
                let bound = self.scope.blobs.iter().rev().find(|(own, _)| own == number).map(|(_, id)| *id);
                let hash = bound.and_then(|id| (self.hash)(id));
                self.content(*bytes, hash);
            }
            Value::Stream(subobjects) => self.list(subobjects.iter(), |own, (number, value)| {
                let name = own.codec.subobject_name(*number);
                own.push(format_args!("{{\"{name}\":"));
                own.value(value);
                own.text.push('}');
            }),
            // Where nothing was recorded there is nothing to compare.
            Value::Absent(..) => self.text.push_str("\"not recorded\""),
            // What has no object in it is as in the dump.
            other => {
                let json = self.codec.json_value(other, &reprise_codec::json::Plain);
                self.push(format_args!("{json}"));
            }
        }
    }

    /// An object, with what is said of a place in it.
    pub(super) fn object(&mut self, id: u32, place: &str) {
        let class = self.scope.names.class(id).unwrap_or("IUnknown");
        self.push(format_args!("\"{OBJECT}{class}{END}{place}\""));
        self.objects.push(id);
    }

    fn word(&mut self, role: Role, word: u64) {
        match self.scope.place_of(role, word) {
            Some((object, place)) if role == Role::GpuAddress => self.object(object, &format!("+{place:#x}")),
            Some((object, place)) => self.object(object, &format!("[{place}]")),
            None if word == 0 => self.text.push_str("null"),
            None => self.push(format_args!("\"{}\"", kind(role))),
        }
    }

    fn content(&mut self, bytes: u64, hash: Option<u128>) {
        match hash {
            Some(hash) => self.push(format_args!("\"{bytes} bytes {hash:032x}\"")),
            None => self.push(format_args!("\"{bytes} bytes that cannot be read\"")),
        }
    }

    fn list<T>(&mut self, elements: impl Iterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        self.text.push('[');
        for (index, element) in elements.enumerate() {
            if index > 0 {
                self.text.push(',');
            }
            write(self, element);
        }
        self.text.push(']');
    }

    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = self.text.write_fmt(text);
    }

    /// The result of a call; counts of references are a matter of the runtime, except that there are none left.
    pub(super) fn result(&mut self, method: u16, value: &Value<'_>) {
        let counts = api::method(method).is_some_and(|method| ["AddRef", "Release"].contains(&method.name));
        match value {
            Value::Unsigned(count) if counts && *count > 0 => self.text.push_str("\"referenced\""),
            Value::Void => self.text.push_str("null"),
            value => self.value(value),
        }
    }
}

/// What a number stands for whose value says nothing in another run.
fn kind(role: Role) -> &'static str {
    match role {
        Role::CpuDescriptor | Role::GpuDescriptor => "a descriptor of no heap",
        Role::GpuAddress => "an address in no resource",
        Role::Event => "an event",
        Role::SharedHandle => "a shared handle",
        Role::Callback => "a callback",
        Role::Context => "a context",
        Role::Foreign => "a foreign handle",
        _ => "a pointer",
    }
}

/// A text as JSON has it.
pub(super) fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

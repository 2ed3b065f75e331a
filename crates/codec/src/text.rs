//! Values to one line of text for people.

use crate::Codec;
use crate::decode::{Arguments, Outcome};
use crate::json::Namer;
use crate::value::{Member, Value};
use serde_json::Value as Json;
use std::fmt::Write;

impl Codec {
    /// `Interface::Method(name = value, …) = result {output = value}` on one line.
    pub fn text_call(&self, arguments: &Arguments<'_>, outcome: Option<&Outcome<'_>>, namer: &dyn Namer) -> String {
        let mut text = self.method_name(arguments.method);
        text.push('(');
        self.text_members(&arguments.members, namer, &mut text);
        text.push(')');
        if let Some(outcome) = outcome {
            if outcome.result != Value::Void {
                text.push_str(" = ");
                plain(&self.json_value(&outcome.result, namer), &mut text);
            }
            if !outcome.outputs.is_empty() {
                text.push_str(" {");
                self.text_members(&outcome.outputs, namer, &mut text);
                text.push('}');
            }
        }
        text
    }

    fn text_members(&self, members: &[Member<'_>], namer: &dyn Namer, text: &mut String) {
        for (i, member) in members.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            let _ = write!(text, "{comma}{} = ", member.field.name);
            plain(&self.json_value(&member.value, namer), text);
        }
    }
}

/// JSON without quotes around names, and with spaces where eyes want them. Control characters of program text are
/// escaped: a trace must not drive the terminal.
fn plain(value: &Json, text: &mut String) {
    match value {
        Json::String(s) if s.chars().all(|c| c.is_ascii_graphic()) && !s.is_empty() => text.push_str(s),
        Json::String(s) => {
            let _ = write!(text, "{s:?}");
        }
        Json::Array(values) => {
            text.push('[');
            for (i, value) in values.iter().enumerate() {
                text.push_str(if i == 0 { "" } else { ", " });
                plain(value, text);
            }
            text.push(']');
        }
        Json::Object(members) => {
            text.push('{');
            for (i, (name, value)) in members.iter().enumerate() {
                let _ = write!(text, "{}{name} = ", if i == 0 { "" } else { ", " });
                plain(value, text);
            }
            text.push('}');
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

//! A dumped line for people, made from the same object that is the line for programs.
//!
//! Invariant: says nothing that the JSON does not say. Text from a trace is escaped, so that it cannot steer a terminal.

use crate::paint::{Paint, paint};
use serde_json::{Map, Value as Json};
use std::fmt::Write;

/// Elements of an array, and characters of a text, that are shown.
const ELEMENTS: usize = 16;
const CHARACTERS: usize = 200;

/// The line of a call: `#123 frame 4 thread 1 ID3D12GraphicsCommandList(7)::DrawInstanced(VertexCountPerInstance=3, …)`.
pub(super) fn call(line: &Map<String, Json>, colour: bool) -> String {
    let mut text = String::with_capacity(160);
    place(&mut text, &format!("#{} ", number(line, "call")), line, colour);
    let method = line.get("method").and_then(Json::as_str).unwrap_or_default();
    match (line.get("this").filter(|this| !this.is_null()), method.split_once("::")) {
        (Some(this), Some((_, name))) => {
            value(&mut text, this);
            text.push_str("::");
            paint(&mut text, colour, Paint::Name, name);
        }
        _ => paint(&mut text, colour, Paint::Name, method),
    }
    text.push('(');
    if let Some(arguments) = line.get("args").and_then(Json::as_object) {
        members(&mut text, arguments, colour);
    }
    text.push(')');
    if let Some(result) = line.get("result").filter(|result| !result.is_null()) {
        text.push_str(" = ");
        value(&mut text, result);
    }
    if line.get("returned") == Some(&Json::Bool(false)) {
        paint(&mut text, colour, Paint::Alarm, " never returned");
    }
    if let Some(error) = line.get("error").and_then(Json::as_str) {
        text.push(' ');
        paint(&mut text, colour, Paint::Alarm, &clean(&format!("damaged: {error}")));
    }
    text
}

/// The line of anything else: `# frame 4 thread 1 memory: object=…`.
pub(super) fn event(line: &Map<String, Json>, colour: bool) -> String {
    const PLACE: [&str; 6] = ["event", "after_call", "thread", "frame", "time_ns", "hex"];
    let mut text = String::with_capacity(120);
    place(&mut text, "  ", line, colour);
    let name = line.get("event").and_then(Json::as_str).unwrap_or_default();
    paint(&mut text, colour, if name == "gap" { Paint::Alarm } else { Paint::Name }, name);
    let rest: Map<String, Json> =
        line.iter().filter(|(name, _)| !PLACE.contains(&name.as_str())).map(|(n, v)| (n.clone(), v.clone())).collect();
    if !rest.is_empty() {
        text.push(' ');
        members(&mut text, &rest, colour);
    }
    if let Some(hex) = line.get("hex").and_then(Json::as_str) {
        bytes(&mut text, number(line, "offset"), hex, colour);
    }
    text
}

/// Adds bytes, given in hexadecimal: lines of sixteen, each with its offset and what of it is text.
fn bytes(text: &mut String, offset: u64, hex: &str, colour: bool) {
    const A_LINE: usize = 16;
    let pairs = hex.as_bytes().as_chunks::<2>().0;
    let byte =
        |pair: &[u8; 2]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok()).unwrap_or(0);
    for (index, pairs) in pairs.chunks(A_LINE).enumerate() {
        text.push('\n');
        paint(text, colour, Paint::Place, &format!("    {:#010x} ", offset.saturating_add((index * A_LINE) as u64)));
        let mut words = String::new();
        for pair in pairs {
            let byte = byte(pair);
            let _ = write!(text, " {byte:02x}");
            words.push(if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '.' });
        }
        let _ = write!(text, "{:1$}  {words}", "", 3 * (A_LINE - pairs.len()));
    }
}

fn place(text: &mut String, number_text: &str, line: &Map<String, Json>, colour: bool) {
    let place = format!("{number_text}frame {} thread {} ", number(line, "frame"), number(line, "thread"));
    paint(text, colour, Paint::Place, &place);
}

fn number(line: &Map<String, Json>, name: &str) -> u64 {
    line.get(name).and_then(Json::as_u64).unwrap_or_default()
}

/// Members with their names, one after the other.
pub(super) fn members(text: &mut String, members: &Map<String, Json>, colour: bool) {
    for (index, (name, member)) in members.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        paint(text, colour, Paint::Field, name);
        text.push('=');
        value(text, member);
    }
}

/// A value without quotes, cut where it is long.
pub(super) fn value(text: &mut String, value: &Json) {
    match value {
        Json::Null => text.push_str("null"),
        Json::String(string) => {
            let mut characters = string.chars();
            let shown: String = characters.by_ref().take(CHARACTERS).collect();
            text.push_str(&clean(&shown));
            if characters.next().is_some() {
                let _ = write!(text, "… ({} characters)", string.chars().count());
            }
        }
        Json::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().take(ELEMENTS).enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                self::value(text, element);
            }
            if elements.len() > ELEMENTS {
                let _ = write!(text, ", … {} in all", elements.len());
            }
            text.push(']');
        }
        Json::Object(object) => named(text, object),
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

/// The objects that stand for something are written shorter: `ID3D12Fence(7)`, `heap 12[3]`, `resource 5+0x40`.
fn named(text: &mut String, object: &Map<String, Json>) {
    let field = |name: &str| object.get(name);
    let _ = match (field("class"), field("id"), field("heap"), field("index"), field("object"), field("offset")) {
        (Some(Json::String(class)), Some(id), ..) => write!(text, "{}({id})", clean(class)),
        (_, _, Some(heap), Some(index), ..) => write!(text, "heap {heap}[{index}]"),
        (.., Some(resource @ Json::Number(_)), Some(Json::Number(offset))) => {
            write!(text, "resource {resource}+{:#x}", offset.as_u64().unwrap_or_default())
        }
        _ => match (field("blob"), field("bytes")) {
            (Some(blob), Some(bytes)) => write!(text, "blob {blob} ({bytes} bytes)"),
            _ => {
                text.push('{');
                members(text, object, false);
                text.push('}');
                Ok(())
            }
        },
    };
}

/// Control characters as escapes; everything else as it is.
fn clean(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Json) -> Map<String, Json> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_call_reads_like_one() {
        let line = object(json!({
            "call": 123, "thread": 1, "frame": 4, "time_ns": 5,
            "method": "ID3D12Object::SetName", "this": {"id": 7, "class": "ID3D12Fence"},
            "args": {"Name": "a\u{1b}[2J", "pHeap": {"handle": "0x10", "heap": 12, "index": 3}, "x": null},
            "result": "S_OK",
        }));
        let expected =
            "#123 frame 4 thread 1 ID3D12Fence(7)::SetName(Name=a\\u{1b}[2J, pHeap=heap 12[3], x=null) = S_OK";
        assert_eq!(call(&line, false), expected);
        assert!(call(&line, true).contains("\u{1b}[36mSetName\u{1b}[0m"));
    }

    #[test]
    fn a_call_without_an_end_says_so() {
        let line = object(json!({
            "call": 1, "thread": 0, "frame": 1, "method": "D3D12CreateDevice", "this": null, "args": {}, "returned": false,
        }));
        assert_eq!(call(&line, false), "#1 frame 1 thread 0 D3D12CreateDevice() never returned");
    }

    #[test]
    fn long_arrays_are_cut_and_counted() {
        let mut text = String::new();
        value(&mut text, &json!((0..20).collect::<Vec<_>>()));
        assert!(text.ends_with("14, 15, … 20 in all]"), "{text}");
    }

    #[test]
    fn memory_is_shown_sixteen_bytes_a_line() {
        let line = object(json!({
            "event": "memory", "thread": 0, "frame": 2, "offset": 64, "bytes": 18,
            "hex": "00ff41202e7f303132333435363738394142",
        }));
        let expected = "  frame 2 thread 0 memory offset=64, bytes=18\n    \
            0x00000040  00 ff 41 20 2e 7f 30 31 32 33 34 35 36 37 38 39  ..A ..0123456789\n    \
            0x00000050  41 42                                            AB";
        assert_eq!(event(&line, false), expected);
    }

    #[test]
    fn events_name_what_they_are_about() {
        let line = object(json!({
            "event": "memory", "after_call": 3, "thread": 0, "frame": 2, "time_ns": 9,
            "object": {"id": 5, "class": "ID3D12Resource"}, "offset": 64, "bytes": 16,
        }));
        assert_eq!(event(&line, false), "  frame 2 thread 0 memory object=ID3D12Resource(5), offset=64, bytes=16");
    }
}

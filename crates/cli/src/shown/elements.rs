//! Bytes of a buffer as elements of a structure: lines, JSON, and CSV.

use crate::options::structure::Elements;
use crate::shown::number::plain;
use anyhow::Result;
use reprise_structure::{Packing, Value};
use serde_json::{Map, Value as Json, json};

/// Elements that people see; programs get all.
const MOST_LINES: usize = 64;
/// Longer lines become one for each member.
const WIDTH: usize = 140;

impl Elements {
    /// The bytes of each element that is whole; the padding of the last one may be missing.
    fn split<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = &'b [u8]> {
        let (size, stride) = (self.structure.bytes() as usize, self.stride as usize);
        (0..).map_while(move |index: usize| bytes.get(index * stride..)?.get(..size))
    }

    /// What is said of bytes of a buffer: the layout, all elements, and what is left behind the last one.
    pub(crate) fn json(&self, bytes: &[u8]) -> Result<Json> {
        let leaves = self.structure.leaves().into_iter();
        let members: Vec<Json> = leaves
            .map(|leaf| json!({ "path": leaf.path, "type": leaf.scalar.word(), "offset": leaf.offset }))
            .collect();
        let elements: Vec<Json> =
            self.split(bytes).map(|bytes| Ok(self::json(&self.structure.read(bytes)?))).collect::<Result<_>>()?;
        let used = elements.len() * self.stride as usize;
        Ok(json!({
            "structure": {
                "name": self.structure.name(),
                "packing": if self.structure.packing() == Packing::Constant { "constant" } else { "structured" },
                "bytes": self.structure.bytes(),
                "stride": self.stride,
                "members": members,
            },
            "elements": elements,
            "left": bytes.len().saturating_sub(used),
        }))
    }

    /// A line for each element, a column for each number.
    pub(crate) fn csv(&self, bytes: &[u8]) -> String {
        let leaves = self.structure.leaves();
        let mut text = leaves.iter().map(|leaf| leaf.path.as_str()).collect::<Vec<_>>().join(",");
        text.push('\n');
        for element in self.split(bytes) {
            let numbers = leaves.iter().map(|leaf| {
                let bytes = &element[leaf.offset as usize..][..leaf.scalar.bytes() as usize];
                match self::json(&leaf.scalar.read(bytes)) {
                    Json::String(text) => text,
                    number => number.to_string(),
                }
            });
            text.push_str(&numbers.collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        text
    }
}

/// A value in JSON: structures are objects, vectors and arrays are lists, matrices are lists of their rows.
fn json(value: &Value) -> Json {
    match value {
        Value::Bool(value) => json!(value),
        Value::Signed(value) => json!(value),
        Value::Unsigned(value) => json!(value),
        // The shortest number that is this float, as the float is written: 0.1, and not what 64 bits make of it.
        Value::Float(value) => plain(value.to_string().parse().unwrap_or(f64::from(*value))),
        Value::Double(value) => plain(*value),
        Value::List(values) => values.iter().map(json).collect(),
        Value::Fields(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (name.clone(), json(value))).collect::<Map<_, _>>())
        }
    }
}

/// Elements for people.
pub(crate) fn in_words(said: &Json) -> Vec<String> {
    let Some(elements) = said["elements"].as_array() else { return Vec::new() };
    let structure = &said["structure"];
    let stride = structure["stride"].as_u64().unwrap_or(0);
    let first = said["offset"].as_u64().unwrap_or(0);
    let name = structure["name"].as_str().map_or_else(String::new, |name| format!(" of {name}"));
    let mut lines = vec![format!("  {} elements{name}, {stride} bytes from one to the next", elements.len())];
    // A file has them.
    let shown = if said["file"].is_string() { 0 } else { MOST_LINES };
    for (index, element) in elements.iter().enumerate().take(shown) {
        let fields = element.as_object().into_iter().flatten();
        let fields: Vec<String> = fields.map(|(name, value)| format!("{name} = {}", text(value))).collect();
        let head = format!("  [{index}] +{}", first + index as u64 * stride);
        let line = format!("{head}  {}", fields.join(", "));
        if line.len() <= WIDTH {
            lines.push(line);
        } else {
            lines.push(head);
            lines.extend(fields.into_iter().map(|field| format!("    {field}")));
        }
    }
    if shown > 0 && elements.len() > MOST_LINES {
        let more = elements.len() - MOST_LINES;
        lines.push(format!("  and {more} more: choose by --range FIRST-LAST, or have all with --json or -o FILE.csv"));
    }
    if let Some(left) = said["left"].as_u64().filter(|left| *left > 0) {
        lines.push(format!("  {left} bytes behind the last whole element"));
    }
    lines
}

fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Array(values) => format!("({})", values.iter().map(text).collect::<Vec<_>>().join(", ")),
        Json::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} = {}", text(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::structure::StructureChoice;

    fn elements(text: &str, stride: Option<u32>) -> Elements {
        let choice = StructureChoice { text: Some(text.into()), stride, ..Default::default() };
        choice.elements().unwrap().unwrap()
    }

    #[test]
    fn elements_are_whole_and_what_is_left_is_told() {
        let bytes: Vec<u8> = [0.1f32, f32::NAN, 2.0]
            .into_iter()
            .flat_map(|it| [it.to_le_bytes(), 7u32.to_le_bytes()].concat())
            .collect();
        let said = elements("float a; uint b;", None).json(&bytes[..23]).unwrap();
        assert_eq!(said["elements"], json!([{ "a": 0.1, "b": 7 }, { "a": "NaN", "b": 7 }]));
        assert_eq!(said["left"], 7);
        // What lies between elements is in none.
        let said = elements("float a;", Some(8)).json(&bytes[..20]).unwrap();
        assert_eq!((said["elements"].as_array().unwrap().len(), &said["left"]), (3, &json!(0)));
        assert_eq!(elements("float a; uint b;", None).csv(&bytes), "a,b\n0.1,7\nNaN,7\n2,7\n");
    }

    #[test]
    fn strides_that_overlap_and_texts_that_are_none_are_refused() {
        for (text, stride, what) in [
            ("float4 a;", Some(12), "an element has 16 bytes"),
            ("no-such-file.hlsl", None, "cannot be read"),
            ("float4 a", None, ""),
            ("floot a", None, "line 1, column 1"),
        ] {
            let choice = StructureChoice { text: Some(text.into()), stride, ..Default::default() };
            match choice.elements() {
                Ok(found) => assert!(what.is_empty() && found.is_some(), "{text}"),
                Err(reason) => assert!(!what.is_empty() && reason.contains(what), "{text}: {reason}"),
            }
        }
    }
}

//! A row, and the columns that every format has.

use reprise_view::dump::Line;
use serde_json::{Map, Value as Json};

/// Integers beyond this are not exact in readers whose numbers are floats.
const EXACT: u64 = 1 << 53;

/// A call, or anything else that happened.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Row {
    /// `call`, `return` (of a call whose row came long before), or what kind of event it is.
    kind: String,
    /// Its number; for what is no call that of the last one begun before it.
    call: i64,
    frame: i64,
    thread: i64,
    time_ns: i64,
    duration_ns: Option<i64>,
    sequence: Option<i64>,
    interface: Option<String>,
    method: Option<String>,
    object: Option<i64>,
    class: Option<String>,
    /// JSON.
    result: Option<String>,
    returned: Option<bool>,
    /// JSON.
    args: Option<String>,
    /// JSON.
    outputs: Option<String>,
    objects: Vec<i64>,
    blobs: Vec<i64>,
    bytes: Option<i64>,
    error: Option<String>,
}

/// How the cells of a column are taken from a row.
#[derive(Clone, Copy)]
pub(crate) enum Cells {
    Integer(fn(&Row) -> i64),
    OptionalInteger(fn(&Row) -> Option<i64>),
    OptionalFlag(fn(&Row) -> Option<bool>),
    Text(fn(&Row) -> &str),
    OptionalText(fn(&Row) -> Option<&str>),
    /// Text that is JSON.
    Json(fn(&Row) -> Option<&str>),
    Integers(fn(&Row) -> &[i64]),
}

/// All columns, in their order.
pub(crate) const COLUMNS: [(&str, Cells); 19] = [
    ("kind", Cells::Text(|row| &row.kind)),
    ("call", Cells::Integer(|row| row.call)),
    ("frame", Cells::Integer(|row| row.frame)),
    ("thread", Cells::Integer(|row| row.thread)),
    ("time_ns", Cells::Integer(|row| row.time_ns)),
    ("duration_ns", Cells::OptionalInteger(|row| row.duration_ns)),
    ("sequence", Cells::OptionalInteger(|row| row.sequence)),
    ("interface", Cells::OptionalText(|row| row.interface.as_deref())),
    ("method", Cells::OptionalText(|row| row.method.as_deref())),
    ("object", Cells::OptionalInteger(|row| row.object)),
    ("class", Cells::OptionalText(|row| row.class.as_deref())),
    ("result", Cells::Json(|row| row.result.as_deref())),
    ("returned", Cells::OptionalFlag(|row| row.returned)),
    ("args", Cells::Json(|row| row.args.as_deref())),
    ("outputs", Cells::Json(|row| row.outputs.as_deref())),
    ("objects", Cells::Integers(|row| &row.objects)),
    ("blobs", Cells::Integers(|row| &row.blobs)),
    ("bytes", Cells::OptionalInteger(|row| row.bytes)),
    ("error", Cells::OptionalText(|row| row.error.as_deref())),
];

impl Row {
    /// The row of a whole line of the dump.
    pub(crate) fn new(line: &Map<String, Json>) -> Row {
        let mut row = Row::default();
        let mut rest = Map::new();
        let event = line.contains_key("event");
        for (name, value) in line {
            let integer = || value.as_i64();
            let text = || value.as_str().map(str::to_owned);
            match name.as_str() {
                "event" => row.kind = text().unwrap_or_default(),
                "call" | "after_call" => row.call = integer().unwrap_or_default(),
                "frame" => row.frame = integer().unwrap_or_default(),
                "thread" => row.thread = integer().unwrap_or_default(),
                "time_ns" => row.time_ns = integer().unwrap_or_default(),
                "duration_ns" => row.duration_ns = integer(),
                "sequence" => row.sequence = integer().filter(|number| *number > 0),
                "method" => {
                    let name = value.as_str().unwrap_or_default();
                    let (interface, method) = name.split_once("::").map_or((None, name), |(i, m)| (Some(i), m));
                    (row.interface, row.method) = (interface.map(str::to_owned), Some(method.to_owned()));
                }
                "this" | "object" => {
                    row.object = value["id"].as_i64();
                    row.class = value["class"].as_str().map(str::to_owned);
                    row.objects.extend(row.object.filter(|_| event));
                }
                "result" => row.result = (!value.is_null()).then(|| exact(value).to_string()),
                "returned" => row.returned = value.as_bool(),
                "args" => row.args = Some(exact(value).to_string()),
                "outputs" => {
                    row.outputs =
                        value.as_object().is_some_and(|all| !all.is_empty()).then(|| exact(value).to_string());
                }
                "objects" => row.objects = integers(value),
                "blobs" => row.blobs = integers(value),
                "bytes" => row.bytes = integer(),
                "error" => row.error = text(),
                _ => {
                    rest.insert(name.clone(), value.clone());
                }
            }
        }
        if !event {
            row.kind = "call".into();
            row.returned.get_or_insert(true);
        } else if row.args.is_none() && !rest.is_empty() {
            row.args = Some(exact(&rest.into()).to_string());
        }
        row
    }
}

impl Line for Row {
    fn held(&self) -> usize {
        let texts = [&self.interface, &self.method, &self.class, &self.result, &self.args, &self.outputs, &self.error];
        let bytes: usize = texts.into_iter().flatten().map(String::len).sum();
        size_of::<Row>() + self.kind.len() + bytes + 8 * (self.objects.len() + self.blobs.len())
    }
}

/// Each number once, as they come.
fn integers(value: &Json) -> Vec<i64> {
    let mut all: Vec<i64> = Vec::new();
    for number in value.as_array().into_iter().flatten().filter_map(Json::as_i64) {
        if !all.contains(&number) {
            all.push(number);
        }
    }
    all
}

/// The same value with integers as decimal text where a reader might round them.
fn exact(value: &Json) -> Json {
    match value {
        Json::Number(number) => {
            let large = number.as_u64().or(number.as_i64().map(i64::unsigned_abs)).is_some_and(|size| size > EXACT);
            if large { Json::String(number.to_string()) } else { value.clone() }
        }
        Json::Array(values) => values.iter().map(exact).collect(),
        Json::Object(members) => members.iter().map(|(name, value)| (name.clone(), exact(value))).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn large_integers_are_text_and_others_stay() {
        let value =
            json!({ "a": [u64::MAX, 1u64 << 53, (1u64 << 53) + 1], "b": i64::MIN, "c": -1, "d": 0.5, "e": null });
        let expected = json!({
            "a": ["18446744073709551615", 9007199254740992u64, "9007199254740993"],
            "b": "-9223372036854775808", "c": -1, "d": 0.5, "e": null,
        });
        assert_eq!(exact(&value), expected);
    }

    #[test]
    fn a_call_and_an_event_have_the_same_columns() {
        let call = json!({
            "call": 4, "thread": 1, "frame": 2, "time_ns": 9, "method": "ID3D12Fence::Signal",
            "this": { "id": 7, "class": "ID3D12Fence" }, "objects": [7, 7, 9], "args": { "Value": u64::MAX },
            "result": "S_OK", "outputs": {}, "sequence": 0,
        });
        let row = Row::new(call.as_object().unwrap());
        let expected = Row {
            kind: "call".into(),
            call: 4,
            frame: 2,
            thread: 1,
            time_ns: 9,
            interface: Some("ID3D12Fence".into()),
            method: Some("Signal".into()),
            object: Some(7),
            class: Some("ID3D12Fence".into()),
            result: Some("\"S_OK\"".into()),
            returned: Some(true),
            args: Some("{\"Value\":\"18446744073709551615\"}".into()),
            objects: vec![7, 9],
            ..Row::default()
        };
        assert_eq!(row, expected);
        let event = json!({
            "event": "memory", "after_call": 4, "thread": 0, "frame": 2, "time_ns": 8,
            "object": { "id": 5, "class": "ID3D12Resource" }, "subresource": 1, "offset": 64, "bytes": 16, "hash": "ab",
        });
        let row = Row::new(event.as_object().unwrap());
        assert_eq!((row.kind.as_str(), row.call, row.bytes, row.returned), ("memory", 4, Some(16), None));
        assert_eq!(row.args.as_deref(), Some("{\"subresource\":1,\"offset\":64,\"hash\":\"ab\"}"));
        assert_eq!((row.object, row.objects.as_slice()), (Some(5), &[5][..]));
    }
}

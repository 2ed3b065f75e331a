//! `args`: arguments and outputs of calls, a row for each value in them.

use super::{Column, Kind, Table};
use crate::bounds::Bounds;
use crate::lines;
use crate::sink::{Cell, Sink, Stop};
use crate::source::Source;
use serde_json::Value as Json;

/// See the module.
#[derive(Debug)]
pub(super) struct Args;

impl Table for Args {
    fn name(&self) -> &str {
        "args"
    }

    fn about(&self) -> &str {
        "values of arguments and of what calls gave back, a row for each; ask for a method, a call or a frame: all of them are many"
    }

    fn columns(&self) -> Vec<Column> {
        vec![
            Column::new("call", Kind::Number, "number of the call"),
            Column::new("frame", Kind::Number, "the frame, from 1"),
            Column::new("method", Kind::Name, "the method, without its interface"),
            Column::new(
                "direction",
                Kind::Name,
                "in: an argument; out: what came back; result: what the call returned",
            ),
            Column::new("path", Kind::Name, "where: pDesc.Format, or pBarriers[2].Transition.StateAfter"),
            Column::new("number", Kind::Number, "the value, where it is an integer or a flag"),
            Column::new("text", Kind::Text, "the value as text: names of enumerations, hexadecimal addresses"),
            Column::new("object", Kind::Number, "id of the object, where the value is one or lies in one"),
        ]
    }

    fn read(&self, source: &Source, bounds: &Bounds, sink: &mut Sink<'_>) -> Result<(), Stop> {
        lines::each(source, bounds, &[], |mut line| {
            lines::plain_method(&mut line);
            let number = |name: &str| Cell::some(line[name].as_u64());
            let mut row =
                Values { head: [number("call"), number("frame"), text(&line["method"])], sink, path: String::new() };
            row.members("in", &line["args"])?;
            row.members("out", &line["outputs"])?;
            row.path.push_str("result");
            row.value("result", &line["result"])
        })
    }
}

fn text(value: &Json) -> Cell<'_> {
    value.as_str().map_or(Cell::None, Cell::Text)
}

/// Gives the values of one call.
struct Values<'v, 's> {
    head: [Cell<'v>; 3],
    sink: &'v mut Sink<'s>,
    path: String,
}

impl Values<'_, '_> {
    fn members(&mut self, direction: &str, value: &Json) -> Result<(), Stop> {
        let length = self.path.len();
        for (name, value) in value.as_object().into_iter().flatten() {
            if length > 0 {
                self.path.push('.');
            }
            self.path.push_str(name);
            self.value(direction, value)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn value(&mut self, direction: &str, value: &Json) -> Result<(), Stop> {
        let object = match value {
            Json::Null => return Ok(()),
            Json::Object(members) => {
                match (members.get("class"), members.get("id"), members.get("object"), members.get("heap")) {
                    (Some(_), Some(id), _, _) => Some(id),
                    (None, _, Some(object), _) if members.contains_key("offset") => Some(object),
                    (None, _, _, Some(heap)) if members.contains_key("handle") => Some(heap),
                    _ => return self.members(direction, value),
                }
            }
            Json::Array(values) => {
                let length = self.path.len();
                for (index, value) in values.iter().enumerate() {
                    self.path += &format!("[{index}]");
                    self.value(direction, value)?;
                    self.path.truncate(length);
                }
                return Ok(());
            }
            _ => None,
        };
        let number = value.as_i64().or(value.as_u64().map(|wide| wide as i64)).or(value.as_bool().map(i64::from));
        let text = match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let [call, frame, method] = self.head;
        self.sink.row(&[
            call,
            frame,
            method,
            Cell::Text(direction),
            Cell::Text(&self.path),
            number.map_or(Cell::None, Cell::Signed),
            Cell::Text(&text),
            Cell::some(object.and_then(|id| id.as_u64().or_else(|| id.get("id")?.as_u64()))),
        ])
    }
}

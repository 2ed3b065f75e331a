//! Calls as the lines of `reprise dump --json`, for tables that need arguments: so table and dump say the same.

use crate::bounds::Bounds;
use crate::sink::{Cell, Stop};
use crate::source::Source;
use reprise_view::dump::filter::{Filter, Selection};
use reprise_view::dump::{Dump, names::Contents};
use serde_json::{Map, Value as Json};

/// Tells the hash of blobs.
struct Hashes<'s>(&'s Source);

impl Contents for Hashes<'_> {
    fn blob(&self, id: u64, members: &mut Map<String, Json>) {
        members.insert("blob".into(), id.into());
        if let Ok(hash) = self.0.trace.blob_hash(id) {
            members.insert("hash".into(), format!("{hash:032x}").into());
        }
    }

    fn bytes(&self, bytes: &[u8], members: &mut Map<String, Json>) {
        members.insert("hash".into(), format!("{:032x}", reprise_trace::read::content_hash(bytes)).into());
    }
}

/// Gives the calls of these methods (all, where none is named) within the bounds, in order. Names are `Interface::Method` or `Method`.
///
/// # Errors
/// See [`Stop`].
pub(crate) fn each(
    source: &Source,
    bounds: &Bounds,
    methods: &[&str],
    mut give: impl FnMut(Json) -> Result<(), Stop>,
) -> Result<(), Stop> {
    // Methods in the bounds are names without the interface.
    let mut methods: Vec<String> = methods.iter().map(|name| (*name).to_owned()).collect();
    if let Some(asked) = &bounds.methods {
        let plain = |name: &String| name.rsplit("::").next().is_some_and(|name| asked.contains(name));
        methods = match methods.is_empty() {
            true => asked.iter().cloned().collect(),
            false => methods.into_iter().filter(plain).collect(),
        };
    }
    // Traces of old builds do not have every method, and a name that was asked for may be none.
    methods.retain(|name| reprise_view::dump::filter::methods(std::slice::from_ref(name), "method").is_ok());
    if methods.is_empty() && bounds.methods.is_some() {
        return Ok(());
    }
    let selection = Selection {
        frames: Some(bounds.frames.0.max(1)..=bounds.frames.1),
        calls: Some(bounds.calls.0.max(1)..=bounds.calls.1),
        methods,
        ..Selection::default()
    };
    let filter = Filter::new(&selection).map_err(|error| Stop::Trace(error.to_string()))?;
    let (frame, call) = filter.first();
    let contents = Hashes(source);
    let mut dump: Dump<'_, Map<String, Json>> = Dump::new(filter, |line| line.clone()).whole(&contents);
    let mut events = source.trace.events_known_from(frame, call).without_pages();
    let mut take = |line: Map<String, Json>| if line.contains_key("event") { Ok(()) } else { give(Json::Object(line)) };
    while let Some(event) = events.next().map_err(|error| Stop::Trace(error.to_string()))? {
        if dump.is_done(&event) {
            break;
        }
        dump.event(&event);
        while let Some(line) = dump.next() {
            take(line)?;
        }
    }
    while let Some(line) = dump.rest() {
        take(line)?;
    }
    source.note_undecoded(dump.damaged());
    Ok(())
}

/// The cell of a value. Objects are their ids, blobs their numbers, other structures JSON in `text`.
pub(crate) fn cell<'j>(value: Option<&'j Json>, text: &'j mut String) -> Cell<'j> {
    match value {
        None | Some(Json::Null) => Cell::None,
        Some(Json::Bool(flag)) => Cell::Flag(*flag),
        Some(Json::String(text)) => Cell::Text(text),
        Some(Json::Number(number)) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => Cell::Signed(number),
            (None, Some(number)) => Cell::Number(number),
            (None, None) => {
                *text = number.to_string();
                Cell::Text(text)
            }
        },
        Some(Json::Object(members)) if members.contains_key("class") => cell(members.get("id"), text),
        Some(other) => {
            *text = other.to_string();
            Cell::Text(text)
        }
    }
}

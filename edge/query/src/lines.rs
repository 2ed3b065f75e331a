//! Calls as the lines of `reprise dump --json`, for tables with arguments. So a table says what a dump says.

use crate::bounds::Bounds;
use crate::sink::{Cell, Stop};
use crate::source::Source;
use reprise_view::api;
use reprise_view::dump::filter::{self, Filter, Selection};
use reprise_view::dump::{Dump, names::Contents};
use serde_json::{Map, Value as Json};

/// Names contents by their hashes.
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

/// Gives the calls of these methods within the bounds, in order; of all methods if none is named. Names are `Interface::Method` or `Method`.
///
/// # Errors
/// See [`Stop`].
pub(crate) fn each(
    source: &Source,
    bounds: &Bounds,
    methods: &[&str],
    mut give: impl FnMut(Json) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let asks = !methods.is_empty() || bounds.methods.is_some();
    // Methods in the bounds are names without the interface.
    let mut methods: Vec<String> = methods.iter().map(|name| (*name).to_owned()).collect();
    if let Some(asked) = &bounds.methods {
        let is_asked = |name: &String| asked.contains(api::plain(name));
        methods = match methods.is_empty() {
            true => asked.iter().cloned().collect(),
            false => methods.into_iter().filter(is_asked).collect(),
        };
    }
    // The question may ask for a name that no method has.
    methods.retain(|name| filter::methods(std::slice::from_ref(name), "method").is_ok());
    if asks && methods.is_empty() {
        return Ok(());
    }
    let numbers = match methods.is_empty() {
        true => None,
        false => filter::methods(&methods, "method").ok(),
    };
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
    if let Some(stretches) = source.stretches(bounds, numbers.as_deref()) {
        events = events.only_and_names(stretches);
    }
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

/// Takes the interface from a line's method.
pub(crate) fn plain_method(line: &mut Json) {
    if let Some(Json::String(name)) = line.get_mut("method") {
        *name = api::plain(name).to_owned();
    }
}

/// The cell of a value: the id of an object, the number of a blob; of another structure its JSON, which is put into `text`.
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

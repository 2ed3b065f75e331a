//! Values of JSON as people read them.

use serde_json::Value as Json;

/// A text without its quotation marks; everything else as JSON has it.
pub(crate) fn text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

//! What a geometry shader emitted, in lines for people.

use super::words::text;
use serde_json::Value as Json;

/// What a JSON object of [`json`](super::emitted::json) says, behind a step.
pub(crate) fn line(emits: &Json) -> String {
    let stream = text(&emits["stream"]);
    let Json::Object(vertex) = &emits["vertex"] else { return format!("  ends a strip of stream {stream}") };
    let one = |(name, value): (&String, &Json)| {
        let parts: Vec<String> = value.as_array().into_iter().flatten().map(text).collect();
        format!("{name} ({})", parts.join(", "))
    };
    format!("  emits to stream {stream}: {}", vertex.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// How much was emitted, in lines.
pub(crate) fn lines(emitted: &Json, lines: &mut Vec<String>) {
    let Json::Array(all) = emitted else { return };
    let mut streams: Vec<u64> = all.iter().filter_map(|it| it["stream"].as_u64()).collect();
    streams.sort_unstable();
    streams.dedup();
    for stream in &streams {
        let count = all.iter().filter(|it| it["stream"] == *stream && it["vertex"].is_object()).count();
        lines.push(format!("  {count} vertices are emitted to stream {stream}"));
    }
    if streams.is_empty() {
        lines.push("  nothing is emitted".to_owned());
    }
}

//! From the pixel that a dispatch of rays may have written to the thread that `reprise debug` runs.
//!
//! Which texel a thread writes is its shader's matter, so the thread is what nearly all shaders do, and is said to be that.

use super::link::Link;
use reprise_replay::{PixelEvent, PixelRays};
use serde_json::{Value as Json, json};

/// The threads, the one of the pixel, and the command that runs it.
pub(crate) fn json(rays: &PixelRays, event: &PixelEvent, link: &Link<'_>) -> Json {
    let command = link.thread(event, rays.thread, None);
    json!({ "threads": rays.threads, "thread": rays.thread, "command": command })
}

/// Numbers with something between them.
pub(super) fn numbers(list: &Json, between: &str) -> String {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().map(Json::to_string).collect::<Vec<_>>().join(between)
}

/// The same in a line.
pub(crate) fn line(event: &Json) -> Option<String> {
    let rays = event.get("rays")?;
    let command = rays["command"].as_str().unwrap_or_default();
    Some(match &rays["thread"] {
        Json::Null => format!(
            "its {} threads are not the texels one by one: which of them writes the pixel its shader says; {command}",
            numbers(&rays["threads"], "x")
        ),
        thread => {
            format!("where each thread writes the texel of its index: thread {}; {command}", numbers(thread, ","))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_known_is_told_from_one_that_is_not() {
        let event =
            |thread: Json| json!({ "rays": { "threads": [8, 4, 1], "thread": thread, "command": "reprise debug" } });
        let known = line(&event(json!([5, 1, 0]))).unwrap_or_default();
        assert_eq!(known, "where each thread writes the texel of its index: thread 5,1,0; reprise debug");
        let other = line(&event(Json::Null)).unwrap_or_default();
        assert!(other.starts_with("its 8x4x1 threads are not the texels one by one"), "{other}");
        assert_eq!(line(&json!({})), None);
    }
}

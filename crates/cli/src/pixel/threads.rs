//! From the pixel that a dispatch may have written to the thread that did, which `reprise debug` runs.

use super::link::Link;
use super::rays::numbers;
use crate::debug::writers::Writers;
use reprise_replay::PixelEvent;
use serde_json::{Value as Json, json};

/// The threads that write the pixel, or why they are not known, and the command that runs the last of them.
pub(crate) fn json(found: &Result<Writers, String>, event: &PixelEvent, link: &Link<'_>) -> Json {
    let writers = found.as_ref().ok();
    let last = writers.and_then(|writers| writers.threads.last());
    let number = writers.and_then(|writers| writers.number);
    let command = link.thread(event, last.copied(), number);
    json!({
        "thread": last,
        "threads": writers.map(|writers| &writers.threads),
        "same": writers.and_then(|writers| writers.same),
        "open": writers.map(|writers| writers.open),
        "number": number,
        "groups": writers.map(|writers| writers.groups),
        "groups_run": writers.map(|writers| writers.ran),
        "unknown": found.as_ref().err(),
        "command": command,
    })
}

/// The same in a line.
pub(crate) fn line(event: &Json) -> Option<String> {
    let of = event.get("dispatch")?;
    let command = of["command"].as_str().unwrap_or_default();
    if let Some(why) = of["unknown"].as_str() {
        return Some(format!("which of its threads wrote it is not known: {why}; {command}"));
    }
    let ran = match (of["groups_run"].as_u64().unwrap_or(0), of["groups"].as_u64().unwrap_or(0)) {
        (ran, groups) if ran == groups => format!("all {groups} groups were run"),
        (ran, groups) => format!("{ran} of {groups} groups were run"),
    };
    let others = of["threads"].as_array().map_or(0, |all| all.len().saturating_sub(1));
    let others = if others == 0 { String::new() } else { format!(", the last of {} threads of its group", others + 1) };
    let thread = numbers(&of["thread"], ",");
    Some(match (&of["thread"], &of["same"]) {
        (Json::Null, _) => format!("no thread is found that writes it: {ran}; {command}"),
        (_, Json::Bool(true)) if of["open"] == true => {
            format!(
                "thread {thread} writes it{others}, as the GPU left it, where the API leaves open which one does or what; {command}"
            )
        }
        (_, Json::Bool(true)) => format!("thread {thread} writes it{others}, as the GPU left it; {command}"),
        (_, Json::Bool(false)) => {
            format!("thread {thread} writes it{others}, but not what the GPU left: {ran}; {command}")
        }
        _ => format!("thread {thread} writes it{others}; {command}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sure_is_told_from_what_is_not() {
        let line = |of: Json| line(&json!({ "dispatch": of })).unwrap_or_default();
        let of = |same: Json, threads: Json| {
            let last = threads.as_array().and_then(|all| all.last()).cloned();
            json!({ "thread": last, "threads": threads, "same": same, "groups": 9, "groups_run": 2, "unknown": null, "command": "c" })
        };
        assert_eq!(line(of(json!(true), json!([[5, 1, 0]]))), "thread 5,1,0 writes it, as the GPU left it; c");
        let mut open = of(json!(true), json!([[5, 1, 0]]));
        open["open"] = true.into();
        let what = "thread 5,1,0 writes it, as the GPU left it, where the API leaves open which one does or what; c";
        assert_eq!(line(open), what);
        let two = line(of(json!(false), json!([[0, 0, 0], [5, 1, 0]])));
        let what = "thread 5,1,0 writes it, the last of 2 threads of its group, but not what the GPU left";
        assert_eq!(two, format!("{what}: 2 of 9 groups were run; c"));
        assert_eq!(line(of(Json::Null, json!([[5, 1, 0]]))), "thread 5,1,0 writes it; c");
        assert_eq!(line(of(Json::Null, json!([]))), "no thread is found that writes it: 2 of 9 groups were run; c");
        let unknown = json!({ "unknown": "why", "command": "c" });
        assert_eq!(line(unknown), "which of its threads wrote it is not known: why; c");
        assert_eq!(super::line(&json!({})), None);
    }
}

//! Damaged traces: the server says what is damaged, answers questions about the rest, and does not end.

use crate::page::{Page, golden};
use serde_json::json;

/// Questions of every kind.
const QUESTIONS: [&str; 16] = [
    "traces",
    "0/info",
    "0/rows?count=1000",
    "0/frames",
    "0/methods",
    "0/timeline",
    "0/objects",
    "0/shaders",
    "0/tree?node=frame:1",
    "0/call?call=91",
    "0/state?call=93",
    "0/state/before?call=93",
    "0/object?object=22&call=93",
    "0/memory?object=22",
    "0/memory/bytes?object=22&call=93&length=64",
    "0/tree/path?call=93",
];

#[test]
fn flipped_bytes_end_nothing() {
    let whole = std::fs::read(golden("gears")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.reprise");
    let mut said = 0;
    for round in 0..24 {
        let mut bytes = whole.clone();
        let place = 200 + round * (bytes.len() - 200) / 24;
        bytes[place] ^= 0x5a;
        std::fs::write(&file, &bytes).unwrap();
        let mut page = Page::of(&file);
        for question in QUESTIONS {
            let (status, answer) = page.ask(question);
            assert!(matches!(status, 200 | 404 | 422), "{question} with byte {place}: {status} {answer}");
        }
        said += u64::from(page.get("traces")["traces"][0]["damage"]["places"].as_u64().unwrap() > 0);
        assert!(page.is_alive(), "byte {place}");
    }
    assert!(said >= 20, "damage was said {said} times of 24");
}

#[test]
fn half_a_trace_shows_what_it_has() {
    let whole = std::fs::read(golden("bundles")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("half.reprise");
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let mut page = Page::of(&file);
    let rows = page.ask("0/rows");
    assert!(matches!(rows.0, 200 | 422), "{rows:?}");
    let trace = &page.get("traces")["traces"][0];
    assert_eq!(trace["complete"], false);
    let part = trace["part"].as_str().unwrap();
    assert!(part.starts_with("not complete: ") && part.contains("only what is there is counted: "), "{part}");
    let lint = page.job(&json!({ "kind": "lint" }));
    assert!(lint["state"] == "done" || lint["error"].is_string(), "{lint}");
    assert!(page.is_alive());
}

//! Frames that end otherwise: another server shows the same trace with them, and ends with the first one.

use crate::page::{Page, golden, lines};
use serde_json::{Value as Json, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Asks for a page with these frames.
fn divided(page: &Page, body: &Json) -> (u16, Json) {
    page.post(&format!("/{}/api/divided", page.token), "application/json", body.to_string().as_bytes())
}

/// What the server behind a link says of its trace; nothing where there is none.
fn told(link: &str) -> Option<Json> {
    let (port, token) = link.trim_start_matches("http://127.0.0.1:").split_once('/').unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).ok()?;
    let ask = format!("GET /{token}api/traces HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let json: Json = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).unwrap();
    Some(json["traces"][0].clone())
}

#[test]
fn a_page_with_other_frames_is_opened_beside_this_one_and_ends_with_it() {
    // Nothing ended a frame in it, so the page says that submissions stand for frames, unless the user says so.
    let trace = golden("pipeline-streams");
    let mut page = Page::of(&trace);
    let own = page.get("traces")["traces"][0].clone();
    assert_eq!((&own["divided"], &own["frame_boundary"]), (&json!(true), &Json::Null));
    let (status, answer) = divided(&page, &json!({ "frame_boundary": "submissions" }));
    assert_eq!(status, 200, "{answer}");
    let link = answer["link"].as_str().unwrap();
    let other = told(link).unwrap();
    assert_eq!((&other["frame_boundary"], &other["divided"]), (&json!("submissions"), &json!(false)));
    let said = lines(&["info", "--json", "--frame-boundary", "submissions", trace.to_str().unwrap()]);
    assert_eq!((&other["frames"], &said[0]["frames"]), (&json!(2), &json!(2)));
    assert_eq!((&other["path"], &other["dropped"]), (&own["path"], &json!(false)));
    // As recorded, which is what this page has already.
    let (_, recorded) = divided(&page, &json!({ "frame_boundary": null }));
    assert_eq!(told(recorded["link"].as_str().unwrap()).unwrap()["divided"], json!(true));
    assert_eq!(page.get("traces")["traces"][0]["divided"], json!(true), "this page stays as it is");
    page.kill();
    let begun = Instant::now();
    while told(link).is_some() {
        assert!(begun.elapsed() < Duration::from_secs(30));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(trace.exists(), "the trace is the user's");
}

#[test]
fn what_ends_no_frame_is_refused_with_the_reason() {
    let page = Page::of(&golden("gears"));
    for (boundary, says) in [
        (json!("marker=^Frame"), "ends no frame"),
        (json!("present=9"), "ends no frame"),
        (json!("marker=[a"), "needs a regular expression"),
        (json!("presents"), "must be present, present=N, submissions or marker=REGEX"),
        (json!("submissions --open"), "must be present"),
        (json!(3), "is text, or null"),
    ] {
        let (status, answer) = divided(&page, &json!({ "frame_boundary": boundary }));
        assert!(status == 400 && answer["error"].as_str().unwrap().contains(says), "{boundary}: {status} {answer}");
    }
    let path = format!("/{}/api/divided", page.token);
    assert_eq!(page.post(&path, "text/plain", b"{}").0, 415, "no page of others may ask");
    assert_eq!(page.post("/0123456789abcdef/api/divided", "application/json", b"{}").0, 404);
}

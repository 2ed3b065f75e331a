//! Traces that are dropped onto the page: whatever ends the server, nothing of them stays.

use crate::page::{Page, golden};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Folders of dropped traces, with the files that they hold.
fn kept(page: &Page) -> Vec<(String, Vec<String>)> {
    let names = |path: &std::path::Path| -> Vec<String> {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let all = names(page.folder()).into_iter().filter(|name| name.starts_with("reprise-dropped-"));
    all.map(|name| (name.clone(), names(&page.folder().join(&name)))).collect()
}

/// Waits until as many folders are there.
fn wait(page: &Page, folders: usize) {
    let begun = Instant::now();
    while kept(page).len() != folders {
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", kept(page));
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Begins to send a trace, and sends this much of it.
fn begin(page: &Page, bytes: &[u8], of: usize) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", page.port)).unwrap();
    let (token, port) = (&page.token, page.port);
    let head = format!(
        "POST /{token}/api/open?name=a.reprise HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {of}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

#[test]
fn half_a_trace_goes_with_a_server_that_is_killed() {
    let mut page = Page::of(&golden("gears"));
    let bytes = std::fs::read(golden("gears")).unwrap();
    let _sending = begin(&page, &bytes[..1000], bytes.len());
    wait(&page, 1);
    page.kill();
    wait(&page, 0);
}

#[test]
fn half_a_trace_goes_where_its_page_is_closed() {
    let page = Page::of(&golden("gears"));
    let bytes = std::fs::read(golden("gears")).unwrap();
    let sending = begin(&page, &bytes[..1000], bytes.len());
    wait(&page, 1);
    drop(sending);
    wait(&page, 0);
}

#[test]
fn an_open_trace_says_that_it_goes_and_does() {
    let mut page = Page::of(&golden("gears"));
    let bytes = std::fs::read(golden("gears")).unwrap();
    let mut sending = begin(&page, &bytes, bytes.len());
    let mut answer = String::new();
    sending.read_to_string(&mut answer).unwrap();
    let link = answer.rsplit_once("\"link\":\"").unwrap_or_else(|| panic!("{answer}")).1;
    let (port, token) = link.trim_start_matches("http://127.0.0.1:").split_once('/').unwrap();
    let token = token.split('/').next().unwrap();
    assert_eq!(kept(&page).len(), 1);
    let mut stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
    let ask = format!("GET /{token}/api/traces HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(ask.as_bytes()).unwrap();
    let mut told = String::new();
    stream.read_to_string(&mut told).unwrap();
    assert!(told.contains("\"dropped\":true") && told.contains("a.reprise"), "{told}");
    assert!(page.get("traces")["traces"][0]["dropped"] == false, "the control: one that was named stays");
    page.kill();
    wait(&page, 0);
}

#[test]
fn what_is_no_trace_leaves_nothing_and_is_refused_with_the_reason() {
    let page = Page::of(&golden("gears"));
    let mut sending = begin(&page, b"no trace", 8);
    let mut answer = String::new();
    sending.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400") && answer.contains("a.reprise"), "{answer}");
    wait(&page, 0);
}

#[test]
fn traces_on_their_way_take_room() {
    let page = Page::of(&golden("gears"));
    let bytes = std::fs::read(golden("gears")).unwrap();
    let mut coming = Vec::new();
    for count in 1..=16 {
        coming.push(begin(&page, &bytes[..1000], bytes.len()));
        wait(&page, count);
    }
    let answer = |mut stream: TcpStream| {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let refused = answer(begin(&page, &bytes, bytes.len()));
    assert!(refused.starts_with("HTTP/1.1 429") && refused.contains("on their way"), "{refused}");
    wait(&page, 16);
    // One that goes leaves its room, once its server has ended.
    coming.pop();
    wait(&page, 15);
    let begun = Instant::now();
    loop {
        let opened = answer(begin(&page, &bytes, bytes.len()));
        if opened.starts_with("HTTP/1.1 200") {
            break;
        }
        assert!(opened.starts_with("HTTP/1.1 429") && begun.elapsed() < Duration::from_secs(30), "{opened}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

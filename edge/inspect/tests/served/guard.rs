//! Who is answered.

use crate::page::{Page, golden};
use serde_json::json;

#[test]
fn nobody_without_the_link_learns_anything() {
    let page = Page::of(&golden("gears"));
    for path in ["/", "/index.html", "/api/traces", "/favicon.ico", &format!("/{}", page.token), "/x/api/traces"] {
        let answer = page.asked(path, "");
        assert_eq!((answer.status, answer.body.len()), (404, 0), "{path}");
        assert!(!answer.head.contains(&page.token));
    }
    let own = format!("/{}/api/traces", page.token);
    assert_eq!(page.asked(&own, "").status, 200);
    assert_eq!(page.asked(&own, "Origin: http://evil.example\r\n").status, 403);
    assert_eq!(page.asked(&own, "Sec-Fetch-Site: cross-site\r\n").status, 403);
    let rebound =
        page.raw(&format!("GET {own} HTTP/1.1\r\nHost: evil.example:{}\r\nConnection: close\r\n\r\n", page.port));
    assert_eq!((rebound.status, rebound.body.len()), (421, 0));
}

#[test]
fn every_answer_says_who_may_use_it() {
    let page = Page::of(&golden("gears"));
    for path in [format!("/{}/", page.token), format!("/{}/api/traces", page.token), "/none".to_owned()] {
        let head = page.asked(&path, "").head.to_lowercase();
        assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{head}");
        assert!(!head.contains("unsafe") && !head.contains("access-control"), "{head}");
        for line in ["x-content-type-options: nosniff", "referrer-policy: no-referrer", "cache-control: no-store"] {
            assert!(head.contains(line), "{line} in {head}");
        }
    }
    let form = page.raw(&format!(
        "POST /{}/api/0/jobs HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: text/plain\r\n\
         Content-Length: 2\r\n\r\n{{}}",
        page.token, page.port
    ));
    assert_eq!(form.status, 415, "what a form of another page can send is no question");
}

/// Everything that changes something, or has the server keep or run something, asks what notes ask.
#[test]
fn what_writes_is_as_guarded_as_notes_are() {
    let page = Page::of(&golden("gears"));
    let own = |path: &str| format!("/{}/api/{path}", page.token);
    let edit = json!({ "kind": "save", "edits": "call 155: drop", "name": "never.reprise" }).to_string();
    let json = "application/json";
    for (path, kind, body) in [
        ("0/notes", json, "{\"add\": {\"text\": \"x\"}}"),
        ("0/jobs", json, &edit),
        ("attached", "application/octet-stream", "bytes"),
        ("open?name=a.reprise", "application/octet-stream", "bytes"),
    ] {
        // Without the token, or with another one.
        for wrong in
            [format!("/api/{path}"), format!("/{}x/api/{path}", page.token), format!("/{}/api/{path}", "A".repeat(32))]
        {
            assert_eq!(page.post(&wrong, kind, body.as_bytes()).0, 404, "{wrong}");
        }
        // As a form of another page sends it.
        for form in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
            assert_eq!(page.post(&own(path), form, body.as_bytes()).0, 415, "{path} as {form}");
        }
        let asked = |method: &str, host: &str, more: &str| {
            let line = format!("{method} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{more}", own(path));
            page.raw(&format!("{line}Content-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())).status
        };
        let host = format!("127.0.0.1:{}", page.port);
        assert_eq!(asked("POST", "evil.example", ""), 421, "{path}");
        assert_eq!(asked("POST", &host, "Origin: http://evil.example\r\n"), 403, "{path}");
        assert_eq!(asked("POST", &host, "Sec-Fetch-Site: cross-site\r\n"), 403, "{path}");
        for method in ["PUT", "PATCH", "OPTIONS"] {
            assert_eq!(asked(method, &host, ""), 405, "{method} {path}");
        }
        assert_eq!(asked("DELETE", &host, ""), 404, "{path}");
    }
    assert!(!golden("never").exists());
    // The control: with the link, what it is for works.
    assert!(page.attach(b"bytes").is_string());
    assert_eq!(page.post(&own("attached"), "application/octet-stream", &vec![0; (16 << 20) + 1]).0, 400, "too large");
    assert_eq!(page.ask("attached").0, 404, "what was attached is not given back");
}

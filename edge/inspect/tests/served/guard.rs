//! Who is answered.

use crate::page::{Page, golden};

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

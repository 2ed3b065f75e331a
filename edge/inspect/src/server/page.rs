//! The page's files, which are part of this program.

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// A file of the page by its path behind the token; nothing is the page itself.
pub(super) fn file(path: &str) -> Response {
    let path = if path.is_empty() { "index.html" } else { path };
    let Some((_, bytes)) = FILES.iter().find(|(name, _)| *name == path) else {
        return super::plain(StatusCode::NOT_FOUND);
    };
    let kind = match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    };
    let mut response = super::answer(StatusCode::OK, kind, Bytes::from_static(bytes));
    if path != "index.html" {
        // The token in their address is new for each run, so a file that a browser keeps is never another run's.
        let value = HeaderValue::from_static("private, max-age=86400, immutable");
        response.headers_mut().insert(header::CACHE_CONTROL, value);
    }
    response
}

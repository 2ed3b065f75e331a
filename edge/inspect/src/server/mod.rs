//! The web server: HTTP on loopback, and who may ask.
//!
//! Invariants: a request gets an answer only if it names this server's host, comes from this server's page or from no page at all, and carries
//! the link's token. No other page may frame, read or run what the server sends. Questions are answered on threads of their own, so a slow one
//! does not delay the others.

mod dropped;
mod guard;
mod others;
mod page;

pub(crate) use guard::Link;

use crate::answer::{Answer, Refused};
use crate::ask::{self, How, Question, Shared};
use crate::attached::EACH;
use crate::parameters::Parameters;
use anyhow::{Context, Result};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use reprise_timeline::frames::FrameBoundary;
use serde_json::{Value as Json, json};
use std::ffi::OsString;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Questions that are worked on at a time; others wait.
const AT_A_TIME: usize = 48;
/// Questions that wait.
const WAITING: usize = 256;
/// The most bytes of a request's body.
const BODY: usize = 64 << 10;
/// How long a question may wait for its turn.
const PATIENCE: Duration = Duration::from_secs(20);

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; font-src 'self'; \
         worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=(), usb=()"),
];

/// The arguments with which another server shows the same, with frames that end otherwise; as they were recorded, where nothing is said.
pub(crate) type Again = Box<dyn Fn(Option<&FrameBoundary>) -> Vec<OsString> + Send + Sync>;

struct Server {
    link: Link,
    shared: Arc<Shared>,
    turns: Semaphore,
    waiting: Semaphore,
    others: others::Others,
    again: Again,
}

/// Serves until the process is ended.
///
/// # Errors
/// The listener fails.
pub(crate) fn run(listener: TcpListener, link: Link, shared: Arc<Shared>, again: Again) -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(64).build();
    let runtime = runtime.context("no runtime for the server")?;
    let (turns, waiting) = (Semaphore::new(AT_A_TIME), Semaphore::new(WAITING));
    let server = Arc::new(Server { link, shared, turns, waiting, others: others::Others::default(), again });
    runtime.block_on(async move {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let router = Router::new().fallback(move |request: Request| {
            let server = Arc::clone(&server);
            async move { server.respond(request).await }
        });
        axum::serve(listener, router).await?;
        Ok(())
    })
}

impl Server {
    async fn respond(&self, request: Request) -> Response {
        let rest = match self.link.admit(request.method(), request.uri().path(), request.headers()) {
            Ok(rest) => rest.to_owned(),
            Err(status) => return plain(status),
        };
        match rest.strip_prefix("api/") {
            Some(path) => self.interface(path.to_owned(), request).await,
            None if request.method() == Method::GET => page::file(&rest),
            None => plain(StatusCode::METHOD_NOT_ALLOWED),
        }
    }

    async fn interface(&self, path: String, request: Request) -> Response {
        let Ok(_waits) = self.waiting.try_acquire() else {
            return refused(&Refused::busy("too many questions at once"));
        };
        let parameters = Parameters::of(request.uri().query().unwrap_or_default());
        let range = request.headers().get(header::RANGE).and_then(|range| range.to_str().ok()).map(str::to_owned);
        let how = match *request.method() {
            Method::GET => How::Get,
            Method::DELETE => How::Delete,
            // A body that is as long as a trace.
            Method::POST if path == "open" => {
                if !is_file(&request) {
                    return refused(&Refused { status: 415, why: "the body must be application/octet-stream".into() });
                }
                let name = parameters.text("name").unwrap_or_default();
                return linked(dropped::open(&self.others, name, request.into_body()).await);
            }
            Method::POST if path == "attached" => {
                if !is_file(&request) {
                    return refused(&Refused { status: 415, why: "the body must be application/octet-stream".into() });
                }
                let Ok(body) = to_bytes(request.into_body(), EACH).await else {
                    return refused(&Refused::question(format!("an attached file has {EACH} bytes at most")));
                };
                let kept = json!({ "attached": self.shared.jobs.attached.keep(&body), "bytes": body.len() });
                return answer(StatusCode::OK, "application/json", Bytes::from(kept.to_string()));
            }
            Method::POST => {
                let is_json =
                    request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
                if !is_json {
                    return refused(&Refused { status: 415, why: "the body must be application/json".into() });
                }
                let body = to_bytes(request.into_body(), BODY).await;
                let json = body.ok().and_then(|body| serde_json::from_slice(&body).ok());
                let Some(json) = json else {
                    return refused(&Refused::question("the body must be a JSON object of at most 64 KiB"));
                };
                if path == "divided" {
                    return linked(self.divided(&json).await);
                }
                How::Post(json)
            }
            _ => return plain(StatusCode::METHOD_NOT_ALLOWED),
        };
        let question = Question { path, parameters, how };
        let Ok(Ok(_turn)) = tokio::time::timeout(PATIENCE, self.turns.acquire()).await else {
            return refused(&Refused::busy("too many questions at once"));
        };
        let shared = Arc::clone(&self.shared);
        let worked = tokio::task::spawn_blocking(move || ask::answer(&shared, &question)).await;
        match worked {
            Ok(Ok(Answer::Json(json))) => answer(StatusCode::OK, "application/json", Bytes::from(json.to_string())),
            Ok(Ok(Answer::Bytes(bytes, kind))) => ranged(bytes, kind, range.as_deref()),
            Ok(Err(why)) => refused(&why),
            Err(_) => refused(&Refused { status: 500, why: "this is a fault of reprise inspect".into() }),
        }
    }
}

impl Server {
    /// The link of a page that shows the same with frames that end otherwise.
    async fn divided(&self, asked: &Json) -> Result<String, Refused> {
        let boundary = match &asked["frame_boundary"] {
            Json::Null => None,
            Json::String(text) => {
                Some(FrameBoundary::named(text).map_err(|why| Refused::question(format!("frame_boundary {why}")))?)
            }
            _ => return Err(Refused::question("frame_boundary is text, or null")),
        };
        let waiting = self.others.wait(&(self.again)(boundary.as_ref()))?;
        // Every end of a frame is looked for.
        let started = tokio::task::spawn_blocking(move || waiting.start()).await;
        started.unwrap_or_else(|error| Err(Refused::unavailable(error)))
    }
}

/// The link of another page.
fn linked(opened: Result<String, Refused>) -> Response {
    match opened {
        Ok(link) => answer(StatusCode::OK, "application/json", Bytes::from(json!({ "link": link }).to_string())),
        Err(why) => refused(&why),
    }
}

/// Whether the body is a file. No page of others may send such a body unasked.
fn is_file(request: &Request) -> bool {
    request.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/octet-stream")
}

fn refused(why: &Refused) -> Response {
    let status = StatusCode::from_u16(why.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer(status, "application/json", Bytes::from(why.json().to_string()))
}

/// An answer that tells nothing but its status.
fn plain(status: StatusCode) -> Response {
    answer(status, "text/plain; charset=utf-8", Bytes::new())
}

fn answer(status: StatusCode, kind: &'static str, body: Bytes) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    HEADERS.into_iter().for_each(|(name, value)| _ = headers.insert(name, HeaderValue::from_static(value)));
    response
}

/// Bytes, or a part of them: `bytes=A-B`, `bytes=A-`.
fn ranged(bytes: Vec<u8>, kind: &'static str, range: Option<&str>) -> Response {
    let total = bytes.len();
    let ends = range.and_then(|range| range.strip_prefix("bytes=")).and_then(|range| range.split_once('-'));
    let Some((first, last)) =
        ends.and_then(|(first, last)| Some((first.parse::<usize>().ok()?, last.parse::<usize>().ok())))
    else {
        return answer(StatusCode::OK, kind, Bytes::from(bytes));
    };
    if first >= total {
        return plain(StatusCode::RANGE_NOT_SATISFIABLE);
    }
    let last = last.unwrap_or(total - 1).min(total - 1);
    let part = bytes.get(first..=last).unwrap_or_default();
    let mut response = answer(StatusCode::PARTIAL_CONTENT, kind, Bytes::copy_from_slice(part));
    if let Ok(value) = HeaderValue::from_str(&format!("bytes {first}-{last}/{total}")) {
        response.headers_mut().insert(header::CONTENT_RANGE, value);
    }
    response
}

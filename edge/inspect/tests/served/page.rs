//! A run of the program, asked over HTTP as a browser would.

use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A golden trace.
pub(crate) fn golden(name: &str) -> PathBuf {
    root().join("crates/cli/tests/golden/v3").join(format!("{name}.reprise"))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the program `reprise`, the independent expectation.
pub(crate) fn programs() -> PathBuf {
    let found = ["target/debug", "target/release"].iter().map(|folder| root().join(folder));
    let found = found.into_iter().find(|folder| folder.join("reprise").is_file());
    found.expect("target/debug/reprise is not built: cargo build --workspace --bin reprise")
}

/// Our runtime with a seeded fault: it rounds colours of clears down, by one step of 8 bits.
pub(crate) fn rounding(folder: &Path) -> PathBuf {
    let (source, library) = (root().join("crates/cli/tests/suite/bisect/runtime.c"), folder.join("rounding.so"));
    let real = format!("-DREAL=\"{}\"", programs().join("libreprise_d3d12.so").canonicalize().unwrap().display());
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "-O1", "-DFAULT=1"]).arg(real).arg("-o").arg(&library).arg(source);
    assert!(gcc.status().expect("gcc is missing").success());
    library
}

/// A trace of a test program of ours, with shaders of DXIL.
pub(crate) fn traced(folder: &Path, program: &str) -> PathBuf {
    let trace = folder.join(format!("{program}.reprise"));
    let mut command = Command::new(programs().join("reprise"));
    command.args(["capture", "-q", "-o"]).arg(&trace).arg("--").arg(programs().join("reprise-programs"));
    let output = command.args(["--shaders", "dxil", program]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    trace
}

/// What `reprise` prints.
pub(crate) fn reprise(arguments: &[&str]) -> String {
    let output = Command::new(programs().join("reprise")).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Lines of JSON that `reprise` prints.
pub(crate) fn lines(arguments: &[&str]) -> Vec<Json> {
    reprise(arguments).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A run of the program, which ends when this is dropped.
pub(crate) struct Page {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    cache: tempfile::TempDir,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Page {
    pub(crate) fn of(trace: &Path) -> Page {
        Page::with(&[trace.to_str().unwrap()], &programs())
    }

    /// With these arguments, and `reprise` from this folder.
    pub(crate) fn with(arguments: &[&str], programs: &Path) -> Page {
        let cache = tempfile::tempdir().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut child = Command::new(env!("CARGO_BIN_EXE_reprise-inspect"))
            .args(arguments)
            .env("XDG_CACHE_HOME", cache.path())
            .env("TMPDIR", cache.path())
            .env("PATH", format!("{}:{path}", programs.display()))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut link = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut link).unwrap();
        let rest = link.trim().strip_prefix("http://127.0.0.1:").expect("a link").to_owned();
        let (port, token) = rest.split_once('/').unwrap();
        let (port, token) = (port.parse().unwrap(), token.trim_end_matches('/').to_owned());
        Page { child, port, token, cache }
    }

    /// Sends a request as it is.
    pub(crate) fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head, body: bytes[end + 4..].to_vec() }
    }

    /// Asks, with further headers.
    pub(crate) fn asked(&self, path: &str, headers: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n"))
    }

    /// The bytes of a file that an answer names.
    pub(crate) fn file(&self, named: &Json) -> Vec<u8> {
        self.asked(&format!("/{}/{}", self.token, named.as_str().unwrap()), "").body
    }

    /// A question of the interface.
    pub(crate) fn ask(&self, question: &str) -> (u16, Json) {
        let answer = self.asked(&format!("/{}/api/{question}", self.token), "");
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    /// A question that must be answered.
    pub(crate) fn get(&self, question: &str) -> Json {
        let (status, json) = self.ask(question);
        assert_eq!(status, 200, "{question}: {json}");
        json
    }

    /// Sends a body.
    pub(crate) fn post(&self, path: &str, kind: &str, body: &[u8]) -> (u16, Json) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut bytes = Vec::new();
        // A server that refuses a body may not read all of it.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let _ = stream.read_to_end(&mut bytes);
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let status = String::from_utf8_lossy(&bytes).split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_slice(&bytes[end + 4..]).unwrap_or_default())
    }

    /// Attaches a file, and gives what questions name it by.
    pub(crate) fn attach(&self, bytes: &[u8]) -> Json {
        let (status, told) = self.post(&format!("/{}/api/attached", self.token), "application/octet-stream", bytes);
        assert_eq!((status, &told["bytes"]), (200, &Json::from(bytes.len())), "{told}");
        told["attached"].clone()
    }

    /// Begins a job.
    pub(crate) fn begin(&self, question: &Json) -> (u16, Json) {
        self.begin_of(0, question)
    }

    fn begin_of(&self, t: usize, question: &Json) -> (u16, Json) {
        let body = question.to_string();
        let answer = self.raw(&format!(
            "POST /{}/api/{t}/jobs HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.token,
            self.port,
            body.len()
        ));
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    /// A job's end.
    pub(crate) fn job(&self, question: &Json) -> Json {
        self.job_of(0, question)
    }

    /// The same of one of two traces or replays.
    pub(crate) fn job_of(&self, t: usize, question: &Json) -> Json {
        let (status, json) = self.begin_of(t, question);
        assert_eq!(status, 200, "{json}");
        let job = json["job"].as_str().unwrap().to_owned();
        loop {
            let json = self.get(&format!("jobs/{job}?wait=2000"));
            if !matches!(json["state"].as_str(), Some("waiting" | "running")) {
                return json;
            }
        }
    }

    /// What a job found.
    pub(crate) fn found(&self, question: &Json) -> Vec<Json> {
        let job = self.job(question);
        assert_eq!(job["state"], "done", "{job}");
        let all = self.get(&format!("jobs/{}/items?count=1000", job["job"].as_str().unwrap()));
        all["items"].as_array().unwrap().clone()
    }

    /// Where it and what it starts keep files.
    pub(crate) fn folder(&self) -> &Path {
        self.cache.path()
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Removes a job.
    pub(crate) fn delete(&self, job: &str) -> Answer {
        let (token, port) = (&self.token, self.port);
        self.raw(&format!(
            "DELETE /{token}/api/jobs/{job} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        ))
    }
}

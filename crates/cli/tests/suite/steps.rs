//! `reprise steps`: a replay that goes from stop to stop, against what the captured program read back itself.

use crate::bench::Bench;
use crate::programs;
use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// The process, and this end of its socket.
struct Steps {
    child: Child,
    reader: BufReader<UnixStream>,
}

impl Steps {
    fn new(bench: &Bench) -> Steps {
        let (own, other) = UnixStream::pair().unwrap();
        own.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut command = bench.command();
        let child = command.args(["steps", "trace.reprise"]).stdin(OwnedFd::from(other)).spawn().unwrap();
        Steps { child, reader: BufReader::new(own) }
    }

    fn ask(&mut self, request: Json) -> (Json, Vec<u8>) {
        writeln!(self.reader.get_mut(), "{request}").unwrap();
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        let answer: Json = serde_json::from_str(&line).unwrap();
        let mut bytes = vec![0; answer["follows"].as_u64().unwrap_or(0) as usize];
        self.reader.read_exact(&mut bytes).unwrap();
        (answer, bytes)
    }

    fn run(&mut self, call: &Json, before: bool) -> Json {
        self.ask(json!({ "do": "run", "call": call, "before": before })).0
    }

    fn get(&mut self, wish: &Json) -> (Json, Vec<u8>) {
        self.ask(json!({ "do": "get", "wish": wish }))
    }
}

/// The program copies its target to a buffer when it has drawn. One replay stops before the first draw, looks at it and at later ones, goes on,
/// and has at the submission what the program read back.
#[test]
fn stops_have_what_the_program_reads_back() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    let text = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let called = |name: &str| -> Vec<&Json> {
        calls.iter().filter(|call| call["method"].as_str().is_some_and(|method| method.ends_with(name))).collect()
    };
    let copy = called("::CopyTextureRegion")[0];
    let is_after = |call: &&&Json| call["call"].as_u64() > copy["call"].as_u64();
    let submission = &called("::ExecuteCommandLists").iter().find(is_after).unwrap()["call"];
    let all = called("::DrawInstanced");
    let draws: Vec<&Json> = all.iter().filter(|call| !is_after(call)).map(|call| &call["call"]).collect();
    let (first, middle, last) = (draws[0], draws[draws.len() / 2], draws[draws.len() - 1]);
    let buffer = json!({ "call": submission, "buffer": copy["args"]["pDst"]["pResource"]["id"], "bytes": "0-65535" });

    let mut steps = Steps::new(&bench);
    let stop = steps.run(first, true);
    assert_eq!((&stop["stop"]["call"], &stop["stop"]["before"], &stop["here"]), (first, &json!(true), &json!(true)));
    let target = |call: &Json| json!({ "call": call, "target": 0 });
    assert_eq!(steps.ask(json!({ "do": "look", "of": [target(middle), target(last)] })).0["looked"], 2);
    let (said, before) = steps.get(&json!({ "call": first, "before": true, "target": 0 }));
    assert_eq!(&said["submission"], submission, "{said}");
    assert!(!before.is_empty() && before.iter().all(|byte| *byte == 0));
    // The list has run: what was looked at is there, and nothing else.
    assert_eq!(steps.run(last, false)["here"], false);
    let (_, drawn) = steps.get(&target(last));
    assert!(steps.get(&json!({ "call": last, "target": 1 })).0["passed"].is_u64());
    assert!(steps.run(middle, false)["passed"].is_u64(), "it went back");
    steps.run(submission, false);
    let (_, read) = steps.get(&buffer);
    assert_eq!(drawn.len(), 64 * 64 * 16);
    assert!(drawn == read && drawn != before, "the target is not what the program read back");
    assert!(steps.run(&json!(10_000_000), false)["error"].as_str().unwrap().contains("there is no call 10000000"));
    assert!(steps.ask(json!({ "do": "dance" })).0["error"].is_string());

    // Whoever leaves ends it.
    drop(steps.reader);
    assert!(steps.child.wait().unwrap().success());

    // Another one, for what the middle left.
    let mut steps = Steps::new(&bench);
    steps.run(middle, false);
    let (_, left) = steps.get(&target(middle));
    assert!(left != before && left != drawn);
    writeln!(steps.reader.get_mut(), "{}", json!({ "do": "end" })).unwrap();
    assert!(steps.child.wait().unwrap().success());
}

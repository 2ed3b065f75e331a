//! Recordings that end before their programs: told at once, in the closing line, by the exit code, and by what reads the trace.

use crate::bench::PATIENCE;
use crate::control::Work;
use crate::kills::{told, wait_until, writer_of};
use reprise_testing::worker::{Link, Log};
use reprise_testing::{missing, program};
use reprise_trace::read::Trace;
use reprise_trace::record::GapReason;
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

const MOUNTED: &str = "a file system of its own is mounted\n";
/// Calls that the program makes besides those of its log, and those that may be under way: devices, queues, lists, fences.
const OTHERS: u64 = 100;
/// More calls than rings of 512 KiB hold of three threads: a draw takes more than 32 bytes of one.
const FILLED: u64 = 3 * (512 << 10) / 32;

/// A capture of a program that goes on until it is told to end.
struct Held {
    work: Work,
    launcher: Child,
    end: PathBuf,
}

impl Held {
    /// Starts what a shell makes of `before`, the capture with these options into `trace`, and `after`.
    fn start(work: Work, before: &str, options: &str, trace: &str, after: &str) -> Held {
        let end = work.path("end");
        let script = format!(
            "{before} \"$0\" capture {options} -o {trace} -- {} {} end 0 {}; code=$?; {after} exit $code",
            work.worker.display(),
            work.path("log").display(),
            end.display()
        );
        let reprise = work.bench.command();
        let shell = ["--mount", "sh", "-c", &script];
        // Whoever mounts nothing needs no right to.
        let (program, words) = if before.contains("mount") { ("unshare", &shell[..]) } else { ("sh", &shell[2..]) };
        let mut command = Command::new(program);
        command.args(words).arg(reprise.get_program());
        command.current_dir(&work.bench.folder).env("REPRISE_NULL_LOG", "off");
        command.env("REPRISE_CAPTURE_LIBRARY", reprise_testing::capture_library().unwrap());
        let said = std::fs::File::create(work.path("said")).unwrap();
        let launcher = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).spawn().unwrap();
        Held { work, launcher, end }
    }

    /// Waits until the program draws, and the trace has something of it.
    fn begun(self) -> Held {
        let trace = self.work.bench.path("trace.reprise");
        wait_until("draws in a trace", || {
            let draws = self.work.log().draws;
            draws.iter().all(|draws| *draws > 1000) && trace.metadata().is_ok_and(|data| data.len() > 0)
        });
        self
    }

    fn said(&self) -> String {
        std::fs::read_to_string(self.work.path("said")).unwrap_or_default()
    }

    /// Waits for a message while the program goes on, has it make more calls, and ends it. Gives the exit code, and what was said behind
    /// the message.
    fn after(&mut self, message: &str) -> (Option<i32>, String) {
        self.after_calls(10_000, message)
    }

    fn after_calls(&mut self, more: u64, message: &str) -> (Option<i32>, String) {
        wait_until(message, || self.said().contains(message));
        let before = self.said().len();
        let calls = self.work.log().calls();
        wait_until("calls after the loss", || self.work.log().calls() > calls + more);
        std::fs::write(&self.end, "").unwrap();
        let (status, timed_out) = program::wait(&mut self.launcher, PATIENCE).unwrap();
        assert!(!timed_out, "the launcher hangs");
        (status.code(), self.said()[before..].to_owned())
    }
}

/// A test that fails leaves no program that runs on.
impl Drop for Held {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.end, "");
    }
}

/// What `info` says, and that it and `verify` call the trace incomplete.
fn incomplete(work: &Work, why: &str) -> Json {
    let text = work.bench.output(&["info", "trace.reprise"]);
    let line = text.lines().find(|line| line.starts_with("complete:")).unwrap_or_default();
    assert!(line.contains("no: ") && line.contains(why), "{text}");
    let info = work.info("trace.reprise");
    assert_eq!((&info["complete"], &info["damage"]), (&json!(false), &json!([])), "{info}");
    let of =
        info["calls_made"].as_u64().map(|made| format!("{} calls of {made} that the program made", info["calls_kept"]));
    let stat = counted(work, &["not complete: ", why, &of.unwrap_or_default()], 1);
    assert_eq!([&stat["complete"], &stat["calls_made"]], [&info["complete"], &info["calls_made"]], "{stat}");
    info
}

/// Each command that counts says so many times for a trace that it counts a part, in these words; gives what `stat` counts.
fn counted(work: &Work, parts: &[&str], times: usize) -> Json {
    let trace = "trace.reprise";
    let commands: [&[&str]; 5] = [
        &["stat", trace],
        &["convert", "--format", "jsonl", "-o", "rows.jsonl", trace],
        &["lint", trace],
        &["diff", "--summary", trace, trace],
        &["stat", "--json", trace],
    ];
    let mut last = String::new();
    for words in commands {
        let finished = work.bench.run(words);
        let traces = words.iter().filter(|word| **word == trace).count();
        let said = finished.errors();
        assert_eq!(said.matches("only what is there is counted").count(), times * traces, "{words:?}: {said}");
        assert!(parts.iter().all(|part| said.contains(part)), "{words:?}, not {parts:?}: {said}");
        last = finished.text();
    }
    serde_json::from_str(&last).unwrap()
}

/// Whether this machine's tests may mount.
fn may_mount() -> bool {
    let may = Command::new("unshare").args(["--mount", "true"]).status().is_ok_and(|status| status.success());
    if !may {
        missing::kernel_lacks("the right to mount a file system");
    }
    may
}

/// As `kills` knows it from the program's own log: the trace has the calls up to one place, and says how many there were.
fn has_a_beginning(work: &Work, info: &Json) {
    let done = work.log();
    let [calls, kept, made] = ["calls", "calls_kept", "calls_made"].map(|name| info[name].as_u64().unwrap());
    assert_eq!(calls, kept, "{info}");
    assert!((done.calls()..done.calls() + OTHERS).contains(&made) && calls < made, "{calls} of {made}: {done:?}");
    let trace = Trace::open(&work.bench.path("trace.reprise")).unwrap();
    let told = told(&trace, &[GapReason::DiskFull]);
    assert!((calls - OTHERS.min(calls)..=calls).contains(&told.calls()), "{told:?}");
}

#[test]
fn a_full_disk_is_told_when_it_is_full() {
    let Some(work) = Work::new(Link::Linked) else { return };
    if !may_mount() {
        return;
    }
    let small = work.path("small");
    std::fs::create_dir_all(&small).unwrap();
    let small = small.display();
    let mount = format!("mount -t tmpfs -o size=8M none {small} && printf '{MOUNTED}' >&2 &&");
    let copy = format!("cp {small}/trace.reprise .;");
    let mut held = Held::start(work, &mount, "--quiet --compression none", &format!("{small}/trace.reprise"), &copy);
    let (code, closing) = held.after("the recording loses what the program does from here on: No space left on device");
    assert_eq!(code, Some(125), "{closing}");
    assert!(closing.contains("not complete: No space left on device") && closing.contains(" of "), "{closing}");
    assert_eq!(held.said().matches("loses").count(), 1, "{}", held.said());
    let info = incomplete(&held.work, "No space left on device");
    has_a_beginning(&held.work, &info);
}

/// A limit of the system on the size of files is none that the user asked `capture` for.
#[test]
fn a_limit_of_the_system_is_a_loss_and_one_that_was_asked_for_is_none() {
    let Some(work) = Work::new(Link::Linked) else { return };
    // In pieces of 512 bytes: 4 MiB.
    let mut held = Held::start(work, "ulimit -f 8192;", "--ring-size 512K --compression none", "trace.reprise", "");
    let (code, closing) = held.after("the recording loses what the program does from here on: ");
    assert_eq!(code, Some(125), "{closing}");
    assert!(closing.contains("not complete: "), "{closing}");
    let info = incomplete(&held.work, "nothing from sequence number");
    has_a_beginning(&held.work, &info);

    let work = Work::new(Link::Linked).unwrap();
    let mut held = Held::start(work, "", "--max-size 4M --compression none", "trace.reprise", "");
    let (code, closing) = held.after("is finished: it has the size that was asked for");
    assert_eq!(code, Some(0), "{closing}");
    assert!(closing.contains("ended because it has the size that was asked for (--max-size)"), "{closing}");
    let info = held.work.info("trace.reprise");
    assert_eq!((&info["complete"], &info["calls_made"]), (&json!(true), &Json::Null));
    assert_eq!(counted(&held.work, &[], 0)["complete"], json!(true));
}

/// The program's own exit code stays, and frames that were asked for are an end like any other.
#[test]
fn a_loss_does_not_hide_the_programs_own_code() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let script = format!(
        "ulimit -f 8192; exec \"$0\" capture --ring-size 512K -o trace.reprise -- sh -c '{} {} noise 3000; exit 3'",
        work.worker.display(),
        work.path("log").display()
    );
    let reprise = work.bench.command();
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(reprise.get_program()).current_dir(&work.bench.folder);
    command.env("REPRISE_NULL_LOG", "off").env("REPRISE_CAPTURE_LIBRARY", reprise_testing::capture_library().unwrap());
    let finished = program::run(&mut command, PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(3), "{}", finished.errors());
    assert!(finished.errors().contains("not complete: "), "{}", finished.errors());
    incomplete(&work, "nothing from sequence number");
    work.clear();

    let finished = work.capture(&["--frame-boundary", "submissions", "--frames", "5-7"], &["frames", "100"]);
    assert_eq!(finished.status.code(), Some(0));
    assert!(finished.errors().contains("ended because the last wanted frame is captured"), "{}", finished.errors());
}

#[test]
fn a_writer_that_dies_is_told_when_it_does() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let end = work.path("end");
    let said = std::fs::File::create(work.path("said")).unwrap();
    let mut command = work.command(&["--quiet", "--ring-size", "512K"], &["end", "0", end.to_str().unwrap()]);
    let launcher = command.stdout(Stdio::null()).stderr(said).spawn().unwrap();
    let mut held = Held { work, launcher, end }.begun();
    let writer = writer_of(&held.launcher).expect("a writer");
    // SAFETY: a process that this test started, by its id; no memory is involved.
    assert_eq!(unsafe { libc::kill(writer.cast_signed(), libc::SIGKILL) }, 0);
    let (code, closing) = held.after_calls(FILLED, "the recording has ended: its writer died (signal: 9");
    assert_eq!(code, Some(125), "{closing}");
    assert!(closing.contains("what it had not stored yet is kept in"), "{closing}");
    assert_eq!(held.said().matches("its writer died").count(), 1, "{}", held.said());
    let work = &held.work;
    assert_eq!(work.info("trace.reprise")["complete"], json!(false));
    // What the program did when its rings were full is in none of them, and the repaired trace says so.
    work.bench.output(&["repair", "-o", "repaired.reprise", "trace.reprise"]);
    let info = work.info("repaired.reprise");
    assert_eq!(info["complete"], json!(false), "{info}");
    assert!(info["cut"].as_str().unwrap().contains("the thread stopped recording"), "{info}");
    std::fs::remove_dir_all(work.bench.path("trace.reprise.rings")).unwrap();
}

#[test]
fn a_trace_that_is_removed_is_told_when_it_is() {
    let Some(work) = Work::new(Link::Linked) else { return };
    let mut held = Held::start(work, "", "--compression none", "trace.reprise", "").begun();
    std::fs::remove_file(held.work.bench.path("trace.reprise")).unwrap();
    let (code, closing) = held.after("the recording loses what the program does from here on: the file was removed");
    assert_eq!(code, Some(125), "{closing}");
    assert!(closing.contains("was removed while it was written"), "{closing}");
}

/// A flight recorder whose segments fill the disk: what it has of the last frames before is kept.
#[test]
fn a_flight_recorder_tells_of_a_full_disk() {
    let Some(work) = Work::new(Link::Linked) else { return };
    if !may_mount() {
        return;
    }
    let small = work.path("small");
    std::fs::create_dir_all(&small).unwrap();
    let small = small.display();
    let mount = format!("mount -t tmpfs -o size=6M none {small} && printf '{MOUNTED}' >&2 &&");
    // The program ends no frame, so nothing is ever old.
    let mut held = Held::start(
        work,
        &mount,
        "--flight-recorder=5 --flight-size 1G --flight-at-end --compression none",
        &format!("{small}/trace.reprise"),
        &format!("cp -r {small} kept;"),
    );
    let (code, closing) = held.after("the recording loses what the program does from here on: No space left on device");
    assert_eq!(code, Some(125), "{closing}");
    assert!(closing.contains("the last frames are not written: ") && closing.contains("kept in"), "{closing}");
    let kept = held.work.bench.path("kept/trace.reprise.flight");
    let segments: Vec<PathBuf> = std::fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(segments.len(), 1, "{segments:?}");
    let trace = Trace::open(&segments[0]).unwrap();
    assert!(trace.statistics().finished && !trace.statistics().complete);
    let Log { draws, .. } = told(&trace, &[GapReason::DiskFull]);
    assert!(draws.iter().all(|draws| *draws > 1000), "{draws:?}");
    std::fs::remove_dir_all(held.work.bench.path("kept")).unwrap();
}

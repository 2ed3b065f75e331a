//! Programs that are harsh to their own process: they clear their environment, become another program, protect mapped memory
//! themselves, let children store to it, limit their files. Each goes on as it would without us, and its trace has it all or
//! says what it lacks. The program's own comparison and the replay's are the expectation.

use crate::bench::{Bench, PATIENCE};
use crate::programs::ours;
use reprise_testing::{Finished, missing, program, require};
use reprise_trace::fact;
use reprise_trace::read::Trace;
use reprise_trace::record::{Kind, OBSERVED};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = include_str!("harsh/harsh.c");

struct Harsh {
    bench: Bench,
    program: PathBuf,
}

impl Harsh {
    fn new() -> Option<Harsh> {
        let compiler = require(missing::program("gcc", "gcc"))?;
        require(missing::file(&["/usr/include/vkd3d/vkd3d.h"], "libvkd3d-dev"))?;
        let bench = Bench::new();
        // The folder that goes with the bench, so that what is in the bench's own is what a capture left.
        let folder = bench.folder.with_extension("hook");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("harsh.c"), PROGRAM).unwrap();
        // The name by which captured programs know the runtime's convention.
        std::os::unix::fs::symlink(ours(), folder.join("libvkd3d-proton-d3d12.so")).unwrap();
        let mut command = Command::new(compiler);
        command.current_dir(&folder).args(["-O1", "-Wall", "-I/usr/include/vkd3d", "-o", "harsh", "harsh.c"]);
        command.args(["-L.", "-l:libvkd3d-proton-d3d12.so", "-lpthread", "-Wl,-rpath,$ORIGIN"]);
        let built = program::run(&mut command, PATIENCE).unwrap();
        assert!(built.status.success(), "{}", built.errors());
        let program = folder.join("harsh");
        Some(Harsh { bench, program })
    }

    /// Runs the program without us and captured: it has to end well both times.
    fn capture(&self, options: &[&str], what: &[&str]) -> Finished {
        self.capture_that_ends_with(0, options, what)
    }

    /// As [`Harsh::capture`], of a capture whose own exit code is another one.
    fn capture_that_ends_with(&self, code: i32, options: &[&str], what: &[&str]) -> Finished {
        let bare = program::run(Command::new(&self.program).args(what), PATIENCE).unwrap();
        assert_eq!(bare.status.code(), Some(0), "{what:?} without us: {}", bare.errors());
        let mut command = self.bench.command();
        command.arg("capture").args(options).args(["-o", "trace.reprise", "--"]).arg(&self.program).args(what);
        let captured = program::run(&mut command, PATIENCE).unwrap();
        assert!(!captured.timed_out, "{what:?} hangs");
        assert_eq!(captured.status.code(), Some(code), "{what:?} captured: {}", captured.errors());
        captured
    }

    fn info(&self, trace: &str) -> Json {
        serde_json::from_str(&self.bench.output(&["info", "--json", trace])).unwrap()
    }

    /// Nothing is missing in a trace, and a replay reads back what the program did.
    fn is_whole(&self, trace: &str) {
        let info = self.info(trace);
        assert_eq!((&info["complete"], &info["gap_count"]), (&json!(true), &json!(0)), "{trace}: {info}");
        let text = self.bench.output(&["verify", "--runtime", "ours", trace]);
        assert!(text.contains("that the program read back equal"), "{trace}: {text}");
    }
}

#[test]
fn a_cleared_environment_changes_nothing() {
    let Some(harsh) = Harsh::new() else { return };
    harsh.capture(&[], &["environment"]);
    harsh.is_whole("trace.reprise");
    assert_eq!(harsh.bench.files(), ["trace.reprise"]);
}

/// `exec`: one process, three programs, each with a device.
#[test]
fn what_a_process_becomes_is_recorded_too() {
    let Some(harsh) = Harsh::new() else { return };
    let captured = harsh.capture(&[], &["image", "2"]);
    let files = harsh.bench.files();
    assert_eq!(files.len(), 3, "{files:?}: {}", captured.errors());
    for trace in &files {
        assert!(trace.ends_with(".reprise"), "{files:?}");
        harsh.is_whole(trace);
    }
}

#[test]
fn a_forked_child_may_store_to_mapped_memory() {
    let Some(harsh) = Harsh::new() else { return };
    harsh.capture(&[], &["fork"]);
    harsh.is_whole("trace.reprise");
}

/// Bytes of a page, and where in the buffer that both write the GPU's half begins.
const PAGE: u64 = 4096;
const HALF: u64 = 8 * PAGE;
/// `D3D12_HEAP_TYPE_CUSTOM`.
const CUSTOM: u32 = 4;

/// What a trace has of the buffer that both write: its records, each with its place, its bytes, and whether the program saw the GPU write
/// them.
fn of_both(harsh: &Harsh) -> Vec<(u64, Vec<u8>, bool)> {
    let trace = Trace::open(&harsh.bench.path("trace.reprise")).unwrap();
    let (mut events, mut both, mut records) = (trace.events(), 0, Vec::new());
    while let Some(event) = events.next().unwrap() {
        match event.fact() {
            Some((fact::MAPPING, text)) if event.kind == Kind::Fact && text[20..24] == CUSTOM.to_le_bytes() => {
                both = event.object;
            }
            _ => {}
        }
        if let Some((offset, bytes)) = event.memory().filter(|_| event.object == both) {
            records.push((offset, bytes.to_vec(), event.method == OBSERVED));
        }
    }
    records
}

/// Pages of the GPU's half that are stores of the program, and pages that it saw.
fn of_gpu(records: &[(u64, Vec<u8>, bool)]) -> [usize; 2] {
    [false, true].map(|wanted| {
        let of = records.iter().filter(|(.., seen)| *seen == wanted);
        of.map(|(offset, bytes, _)| (offset + bytes.len() as u64).saturating_sub(HALF.max(*offset)) / PAGE).sum::<u64>()
            as usize
    })
}

/// A child has the program's own mapping of memory that the GPU writes, too. Its parent's stores are followed after it as before.
#[test]
fn a_fork_leaves_stores_and_the_gpus_bytes_apart() {
    let Some(harsh) = Harsh::new() else { return };
    for mode in ["pages", "mprotect"] {
        for (what, rounds, over) in [("both-fork", 3, 0), ("both-over", 2, 1)] {
            harsh.capture(&["--force", "--memory-tracking", mode], &[what]);
            harsh.is_whole("trace.reprise");
            let records = of_both(&harsh);
            let [stores, seen] = of_gpu(&records);
            // Where the program stores over what the GPU wrote, that page is a store.
            assert_eq!(stores, over, "{mode} {what}: {stores} {seen}");
            assert!(seen >= 8 * rounds, "{mode} {what}: {seen}");
            let at = |byte: u64| {
                let holds = |offset: &u64, bytes: &Vec<u8>| (*offset..offset + bytes.len() as u64).contains(&byte);
                let last = records.iter().rfind(|(offset, bytes, seen)| !seen && holds(offset, bytes));
                last.map(|(offset, bytes, _)| bytes[(byte - offset) as usize])
            };
            for page in 0..8 {
                // The parent stored over what its child had stored there.
                assert_eq!(
                    at(page * PAGE + 40),
                    Some(if what == "both-fork" { 40 } else { 0 }),
                    "{mode} {what} {page}"
                );
                assert_eq!(at(page * PAGE + 41), Some(41), "{mode} {what} {page}");
            }
        }
    }
}

/// A program is killed while a thread stores to memory that the GPU writes, too. The trace has what was stored before each submission, and
/// nothing of the GPU's is a store.
#[test]
fn a_kill_leaves_stores_and_the_gpus_bytes_apart() {
    let Some(harsh) = Harsh::new() else { return };
    for mode in ["pages", "mprotect"] {
        let mut command = harsh.bench.command();
        command.args(["capture", "--force", "--memory-tracking", mode, "-o", "trace.reprise", "--"]);
        let captured = program::run(command.arg(&harsh.program).arg("both-kill"), PATIENCE).unwrap();
        assert_eq!(captured.status.code(), Some(128 + libc::SIGKILL), "{mode}: {}", captured.errors());
        let told: Vec<u32> = captured.text().lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(told.len(), 8, "{mode}: {told:?}");
        let records = of_both(&harsh);
        let [stores, seen] = of_gpu(&records);
        assert!(stores == 0 && seen >= 8 * 8, "{mode}: {stores} {seen}");
        // Stores of the counter, in order.
        let counts: Vec<u32> = records
            .iter()
            .filter(|(offset, _, seen)| *offset == 0 && !seen)
            .map(|(_, bytes, _)| u32::from_le_bytes(bytes[..4].try_into().unwrap()))
            .collect();
        assert!(counts.is_sorted(), "{mode}: {counts:?}");
        assert!(counts.last() >= told.last() && told.last() > told.first(), "{mode}: {counts:?} {told:?}");
        // Elsewhere the GPU's side is compared, and a page that another thread stores to meanwhile is among what the program sees.
        if mode == "pages" {
            let verified = harsh.bench.output(&["verify", "--runtime", "ours", "trace.reprise"]);
            assert!(verified.contains("that the program read back equal"), "{mode}: {verified}");
        }
    }
}

#[test]
fn memory_that_the_program_protects_itself_is_recorded() {
    let Some(harsh) = Harsh::new() else { return };
    for mode in ["pages", "mprotect", "compare"] {
        harsh.capture(&["--force", "--memory-tracking", mode], &["protect"]);
        harsh.is_whole("trace.reprise");
    }
}

/// A ring that cannot be made: no signal for the program, the thread is named in the trace, and the exit code says that calls are missing.
#[test]
fn a_limit_of_file_sizes_does_not_end_the_program() {
    let Some(harsh) = Harsh::new() else { return };
    let captured = harsh.capture_that_ends_with(125, &[], &["limit"]);
    assert!(captured.errors().contains("a thread is not recorded"), "{}", captured.errors());
    let info = harsh.info("trace.reprise");
    assert_eq!(info["gap_count"], json!(1), "{info}");
    let gap = info["gaps"][0]["text"].as_str().unwrap();
    assert!(gap.contains("is not recorded: its ring could not be made"), "{gap}");
}

/// A container counts its processes by itself: the program's number there is another's, or nobody's, outside, with and without
/// a `/proc` of its own.
#[test]
fn a_program_in_a_container_is_recorded_to_its_end() {
    let Some(harsh) = Harsh::new() else { return };
    let Some(unshare) = require(missing::program("unshare", "util-linux")) else { return };
    for options in [&["--pid", "--fork", "--mount-proc"][..], &["--pid", "--fork"]] {
        let mut allowed = Command::new(&unshare);
        if !program::run(allowed.args(options).arg("true"), PATIENCE).unwrap().status.success() {
            eprintln!("not tested: {options:?} is not allowed here");
            continue;
        }
        let mut command = harsh.bench.command();
        command.args(["capture", "--force", "-o", "trace.reprise", "--"]).arg(&unshare).args(options);
        let captured = program::run(command.arg(&harsh.program).arg("plain"), PATIENCE).unwrap();
        assert!(!captured.timed_out, "{options:?} hangs");
        assert_eq!(captured.status.code(), Some(0), "{options:?}: {}", captured.errors());
        harsh.is_whole("trace.reprise");
    }
}

//! Programs through the preloaded library on Debian's libvkd3d: foreign ones, and one of ours that keeps a log.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use reprise_codec::schema;
use reprise_d3d12::model::MethodId;
use reprise_d3d12::{MODEL, method};
use reprise_testing::{Display, Hook, Missing, capture_library, missing, program, require};
use reprise_trace::fact;
use reprise_trace::read::Trace;
use reprise_trace::record::{GapReason, Kind, OBSERVED};
use reprise_trace::{frame_hash, session, writer_process};
use tempfile::TempDir;

/// Nothing here takes as long, unless it hangs.
const DEADLINE: Duration = Duration::from_secs(300);

/// A folder of a test's own, removed at its end.
struct Folder(TempDir);

impl Folder {
    fn new(name: &str) -> Self {
        Self(TempDir::with_prefix(format!("reprise-native-{name}-")).unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Compiles one of our small C programs, which need nothing of Rust's.
fn compile(source: &str, to: &Path, arguments: &[&str]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native").join(source);
    let output = Command::new("gcc").args(["-O1", "-Wall", "-o"]).arg(to).arg(source).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What these tests need beside the machine's Vulkan.
fn needs(name: &str) -> Result<(), Missing> {
    missing::program("gcc", "gcc")?;
    missing::program(name, "vkd3d-demos")?;
    Display::available()
}

/// The writer of a session that a program is about to begin, in a thread of ours.
fn write(output: &Path) -> JoinHandle<writer_process::Summary> {
    write_session(session::folder_beside(output), output.to_path_buf())
}

fn write_session(session: PathBuf, output: PathBuf) -> JoinHandle<writer_process::Summary> {
    std::thread::spawn(move || {
        let schema = Box::new(|methods: &[u16]| schema::of(&MODEL, methods));
        writer_process::run(writer_process::Options {
            session,
            output,
            program: None,
            max_bytes: None,
            compression: Default::default(),
            schema,
        })
        .unwrap()
    })
}

/// How a program is ended after it has shown frames for a while.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// By its window's close button.
    Close,
    Signal(i32),
}

/// A run of a program with a window.
struct Run {
    status: ExitStatus,
    /// As the independent hook counted them.
    presents: u64,
    /// Calls of `vkd3d_wait_event`, by the same hook: a program calls it only when the GPU is behind.
    waits: u64,
    folder: Folder,
}

impl Run {
    fn output(&self) -> PathBuf {
        self.folder.path("trace.reprise")
    }

    fn hashes(&self) -> PathBuf {
        self.folder.path("trace.hashes")
    }
}

/// Runs a demo until it has presented `frames` frames, then ends it. `captured`: with the library.
fn run(name: &str, frames: u64, captured: bool, end: End) -> Run {
    let folder = Folder::new(&format!("{name}-{captured}-{frames}"));
    let hook = Hook::build(folder.0.path()).unwrap();
    let run = Run { status: ExitStatus::from_raw(0), presents: 0, waits: 0, folder };
    let display = Display::start().unwrap();
    let mut command = Command::new(name);
    command.env("DISPLAY", display.name());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let library = captured.then(|| capture_library().unwrap());
    command.envs(hook.environment(library.as_deref()));
    if captured {
        command.env("REPRISE_SESSION", session::folder_beside(&run.output()));
        command.env("REPRISE_FRAME_HASHES", run.hashes());
    }
    let writer = captured.then(|| write(&run.output()));
    let mut child = command.spawn().unwrap();
    let started = std::time::Instant::now();
    while hook.presents() < frames {
        assert!(started.elapsed() < DEADLINE, "{name} shows no {frames} frames");
        assert!(child.try_wait().unwrap().is_none(), "{name} ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    match end {
        End::Close => {
            assert!(display.close_windows().unwrap() > 0);
        }
        // SAFETY: a signal to a child of ours that has not been waited for.
        End::Signal(signal) => assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0),
    }
    let (status, killed) = program::wait(&mut child, DEADLINE).unwrap();
    assert!(!killed, "{name} did not end");
    let summary = writer.map(|writer| writer.join().unwrap());
    if end == End::Close {
        assert_eq!(summary.map_or(0, |summary| summary.gaps), 0, "nothing is missing");
    }
    Run { status, presents: hook.presents(), waits: hook.waits(), ..run }
}

/// What a trace says, as far as these tests ask.
#[derive(Default)]
struct Told {
    frames: u64,
    /// Calls of exported functions, by name: begun and ended.
    functions: BTreeMap<&'static str, (u64, u64)>,
    hashes: Vec<u128>,
    meta: String,
    presented: BTreeSet<u32>,
}

/// Of a trace without gaps.
fn tell(path: &Path) -> Told {
    tell_but(path, &[])
}

/// Of a trace whose gaps all have one of these reasons.
fn tell_but(path: &Path, allowed: &[GapReason]) -> Told {
    let trace = Trace::open(path).unwrap();
    assert!(trace.statistics().complete);
    let mut told = Told { meta: trace.meta().to_string(), ..Told::default() };
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        let called = &MODEL.methods[event.method as usize];
        match event.kind {
            Kind::Frame => told.frames += 1,
            Kind::Enter if called.interface.is_none() => told.functions.entry(called.name).or_default().0 += 1,
            Kind::Leave if called.interface.is_none() => told.functions.entry(called.name).or_default().1 += 1,
            Kind::Fact => match event.fact().unwrap() {
                (fact::FRAME_HASH, bytes) => told.hashes.push(u128::from_le_bytes(bytes[16..32].try_into().unwrap())),
                (fact::PRESENT, _) => _ = told.presented.insert(event.object),
                _ => {}
            },
            Kind::Gap => {
                let (reason, text) = event.fact().unwrap();
                let expected = allowed.iter().any(|allowed| *allowed as u32 == reason);
                assert!(expected, "reason {reason}: {}", String::from_utf8_lossy(text));
            }
            _ => {}
        }
    }
    told
}

/// The functions of ours that a program asks its loader for.
fn imports(program: &str) -> BTreeSet<String> {
    let program = missing::program(program, "vkd3d-demos").unwrap();
    let output = Command::new("nm").args(["-D", "--undefined-only"]).arg(program).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names = text.lines().filter_map(|line| line.split_whitespace().nth(1)?.split('@').next());
    let known: BTreeSet<&str> = MODEL.methods.iter().filter(|m| m.interface.is_none()).map(|m| m.name).collect();
    names.filter(|name| known.contains(name)).map(str::to_owned).collect()
}

/// Captured and closed: the program ends as it does without us, and the trace has every frame and every entry point.
fn shown_and_closed(name: &str, frames: u64) {
    let bare = run(name, frames, false, End::Close);
    let captured = run(name, frames, true, End::Close);
    assert_eq!(captured.status, bare.status);
    let told = tell(&captured.output());
    assert_eq!(told.frames, captured.presents, "frames are what an independent hook counted");
    let seen: BTreeSet<String> = told.functions.keys().map(|&name| name.to_owned()).collect();
    let mut imported = imports(name);
    assert!(imported.len() > 15, "{imported:?}");
    let waits = told.functions.get("vkd3d_wait_event").map_or(0, |&(begun, _)| begun);
    assert_eq!(waits, captured.waits, "waits are what an independent hook counted");
    if waits == 0 {
        imported.remove("vkd3d_wait_event");
    }
    assert_eq!(imported.difference(&seen).collect::<Vec<_>>(), Vec::<&String>::new(), "imported and never seen");
    let internal: Vec<_> = seen.difference(&imported).collect();
    assert!(internal.is_empty(), "calls of the runtime's own libraries must not be recorded: {internal:?}");
    assert!(told.functions.values().all(|(begun, ended)| begun == ended || *ended == 0), "{:?}", told.functions);
    let lines = frame_hash::parse_lines(&fs::read_to_string(captured.hashes()).unwrap()).unwrap();
    assert_eq!(lines.iter().map(|line| line.frame).collect::<Vec<_>>(), (1..=told.frames).collect::<Vec<_>>());
    assert_eq!(lines.iter().map(|line| line.hash.0).collect::<Vec<_>>(), told.hashes);
    assert!(told.meta.contains("TRANSFER_SRC"), "a changed swap chain is named: {}", told.meta);
    assert!(!told.presented.is_empty() && !told.presented.contains(&0));
}

#[test]
fn gears_shown_and_closed() {
    if require(needs("vkd3d-gears")).is_some() {
        shown_and_closed("vkd3d-gears", 200);
    }
}

#[test]
fn triangle_shown_and_closed() {
    if require(needs("vkd3d-triangle")).is_some() {
        shown_and_closed("vkd3d-triangle", 1);
    }
}

/// A hash is that of the pixels shown: here each frame's colour is known, and each present waits for a semaphore.
#[test]
fn hashes_are_those_of_the_pixels() {
    let headers = missing::file(&["/usr/include/xcb/xcb.h"], "libxcb1-dev")
        .and(missing::file(&["/usr/include/vulkan/vulkan.h"], "libvulkan-dev"))
        .and(missing::file(&["/usr/include/vkd3d/vkd3d_utils.h"], "libvkd3d-dev"));
    if require(needs("vkd3d-gears").and(headers)).is_none() {
        return;
    }
    let folder = Folder::new("colours");
    let (program, output, hashes) = (folder.path("colours"), folder.path("trace.reprise"), folder.path("hashes"));
    let libraries = ["-I/usr/include/vkd3d", "-lvkd3d-utils", "-lvkd3d", "-lvulkan", "-lxcb"];
    compile("colours.c", &program, &libraries);
    let display = Display::start().unwrap();
    let writer = write(&output);
    let mut command = Command::new(&program);
    command.env("DISPLAY", display.name()).env("LD_PRELOAD", capture_library().unwrap());
    command.env("REPRISE_SESSION", session::folder_beside(&output)).env("REPRISE_FRAME_HASHES", &hashes);
    let finished = program::run(&mut command, DEADLINE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    writer.join().unwrap();
    let told = tell(&output);
    assert_eq!(told.frames, 20);
    let expected: Vec<u128> = (0..20u8)
        .map(|frame| {
            let pixels = [10 * frame, 255 - frame, 3 * frame, 255].repeat(48 * 32);
            // DXGI_FORMAT_B8G8R8A8_UNORM.
            frame_hash::hash_rows((48, 32, 87), &pixels, 48 * 4, 48 * 4).unwrap().0
        })
        .collect();
    let lines = frame_hash::parse_lines(&fs::read_to_string(&hashes).unwrap()).unwrap();
    assert_eq!(lines.iter().map(|line| line.hash.0).collect::<Vec<_>>(), expected);
    assert_eq!(told.hashes, expected);
}

/// What a kill may leave of a call that had not begun: its arguments half read, a blob half copied, a place taken in the order.
const OF_A_KILL: [GapReason; 3] = [GapReason::MissingSequence, GapReason::UnreadArguments, GapReason::Unfinished];

/// Killed at some instant: everything up to it is there, the call it died in included.
fn killed(frames: u64, signal: i32) {
    let run = run("vkd3d-gears", frames, true, End::Signal(signal));
    assert_eq!(run.status.signal(), Some(signal), "the program dies of what it was sent");
    let told = tell_but(&run.output(), &OF_A_KILL);
    let (begun, ended) = told.functions["vkQueuePresentKHR"];
    // The hook counts between the enter record and the leave record.
    assert!(begun == run.presents || begun == run.presents + 1, "{begun} begun, {} counted", run.presents);
    assert!(ended + 1 == begun || ended == begun, "{begun} begun, {ended} ended");
    assert!(told.frames == ended || told.frames + 1 == ended, "{ended} ended, {} frames", told.frames);
    assert!(told.hashes.len() as u64 >= ended);
}

#[test]
fn gears_killed_loses_nothing() {
    if require(needs("vkd3d-gears")).is_some() {
        for frames in [3, 57, 300] {
            killed(frames, libc::SIGKILL);
        }
        killed(100, libc::SIGTERM);
    }
}

/// The upload program's own log, taken before each submission, against the bytes that the trace says were stored by then.
fn stores_arrive_before_their_submission(mode: &str) {
    let header = missing::file(&["/usr/include/vkd3d/vkd3d_utils.h"], "libvkd3d-dev");
    if require(missing::program("gcc", "gcc").and(header)).is_none() {
        return;
    }
    let folder = Folder::new(&format!("upload-{mode}"));
    let (program, log, output) = (folder.path("upload"), folder.path("log"), folder.path("trace.reprise"));
    compile("upload.c", &program, &["-I/usr/include/vkd3d", "-lvkd3d-utils", "-lvkd3d", "-lpthread"]);
    let status = |command: &mut Command| {
        let finished = program::run(command.arg(&log), DEADLINE).unwrap();
        assert!(!finished.timed_out, "{}", finished.errors());
        finished.status.code()
    };
    let bare = status(&mut Command::new(&program));
    assert_eq!(bare, Some(0), "without us");
    let writer = write(&output);
    let mut command = Command::new(&program);
    command.env("LD_PRELOAD", capture_library().unwrap());
    command.env("REPRISE_SESSION", session::folder_beside(&output));
    command.env("REPRISE_MEMORY_TRACKING", mode);
    assert_eq!(status(&mut command), bare, "with us");
    assert_eq!(writer.join().unwrap().gaps, 0);

    const EXECUTE: MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    let log = fs::read(&log).unwrap();
    let mut frames = log.chunks_exact(70 * 4096 + 123);
    let mut stored: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    let (mut submissions, mut seen, mut modes) = (0, 0u64, BTreeSet::new());
    let trace = Trace::open(&output).unwrap();
    let mut events = trace.events();
    while let Some(event) = events.next().unwrap() {
        match event.kind {
            Kind::Memory => {
                let (offset, bytes) = event.memory().unwrap();
                seen += bytes.len() as u64;
                if event.method != OBSERVED {
                    let content = stored.entry(event.object).or_insert_with(|| vec![0; 70 * 4096 + 123]);
                    content[offset as usize..][..bytes.len()].copy_from_slice(bytes);
                }
            }
            Kind::Enter if event.method == EXECUTE.0 => {
                let expected = frames.next().unwrap();
                assert_eq!(stored.len(), 1, "only one resource is stored to");
                let content = stored.values().next().unwrap();
                let differs = (0..expected.len()).find(|&at| content[at] != expected[at]);
                assert_eq!(differs, None, "submission {submissions}");
                submissions += 1;
            }
            Kind::Fact => {
                let (kind, text) = event.fact().unwrap();
                if kind == fact::MAPPING_MODE {
                    modes.insert(String::from_utf8_lossy(text).into_owned());
                }
            }
            _ => {}
        }
    }
    assert_eq!(submissions, 40);
    assert_eq!(frames.count(), 0);
    // Readback memory is never watched by protection: the GPU's stores make no fault.
    modes.retain(|text| mode != "mprotect" || !text.contains("readback"));
    assert!(modes.iter().all(|text| text.contains(&format!("\"mode\":\"{mode}\""))), "{modes:?}");
    // Of memory that the GPU writes, too, stores are told apart, if a store tells of itself.
    assert_eq!(modes.iter().filter(|text| !text.contains("\"stores\":\"told\"")).count(), 1, "{modes:?}");
    println!("{seen} bytes recorded, {} in the program's log, {modes:?}", log.len());
}

#[test]
fn stores_arrive_before_their_submission_by_page_scan() {
    stores_arrive_before_their_submission("pages");
}

#[test]
fn stores_arrive_before_their_submission_by_protection() {
    stores_arrive_before_their_submission("mprotect");
}

#[test]
fn stores_arrive_before_their_submission_by_comparing() {
    stores_arrive_before_their_submission("compare");
}

/// Two processes of one capture begin at the same instant: each has a session of its own.
#[test]
fn each_process_has_its_own_session() {
    let header = missing::file(&["/usr/include/vkd3d/vkd3d_utils.h"], "libvkd3d-dev");
    if require(missing::program("gcc", "gcc").and(header)).is_none() {
        return;
    }
    let folder = Folder::new("processes");
    let (program, output) = (folder.path("upload"), folder.path("trace.reprise"));
    compile("upload.c", &program, &["-I/usr/include/vkd3d", "-lvkd3d-utils", "-lvkd3d", "-lpthread"]);
    let library = capture_library().unwrap();
    let start = |log: &str| {
        let mut command = Command::new(&program);
        command.env("LD_PRELOAD", &library).env("REPRISE_SESSION", session::folder_beside(&output));
        command.arg(folder.path(log)).arg(folder.path("go")).stderr(Stdio::null()).spawn().unwrap()
    };
    let first_writer = write(&output);
    let mut children = [start("log-0"), start("log-1")];
    // One of them will come second; the writer for the other waits until the tests end.
    let mut others: Vec<_> = children
        .iter()
        .map(|child| {
            let rings = folder.path(&format!("trace.reprise.{}.rings", child.id()));
            let output = folder.path(&format!("trace.{}.reprise", child.id()));
            (rings.clone(), output.clone(), write_session(rings, output))
        })
        .collect();
    // Neither ends before both have begun: the second would find the place free again.
    let has_begun = |rings: &Path| rings.join(session::FILE).exists();
    let started = std::time::Instant::now();
    while !(has_begun(&session::folder_beside(&output)) && others.iter().any(|(rings, ..)| has_begun(rings))) {
        assert!(started.elapsed() < DEADLINE, "they do not record at the same time");
        std::thread::sleep(Duration::from_millis(1));
    }
    fs::write(folder.path("go"), "").unwrap();
    for child in &mut children {
        assert_eq!(program::wait(child, DEADLINE).unwrap().0.code(), Some(0));
    }
    first_writer.join().unwrap();
    others.retain(|(rings, output, _)| rings.exists() || output.exists());
    let mut traces = vec![output];
    for (_, output, writer) in others {
        writer.join().unwrap();
        traces.push(output);
    }
    assert_eq!(traces.len(), 2);
    for trace in traces {
        let told = tell(&trace);
        assert_eq!(told.functions["vkd3d_wait_event"], (40, 40));
    }
}

/// Without a session the library only passes on.
#[test]
fn without_a_session_nothing_is_left_behind() {
    let header = missing::file(&["/usr/include/vkd3d/vkd3d_utils.h"], "libvkd3d-dev");
    if require(missing::program("gcc", "gcc").and(header)).is_none() {
        return;
    }
    let folder = Folder::new("bare");
    let program = folder.path("upload");
    compile("upload.c", &program, &["-I/usr/include/vkd3d", "-lvkd3d-utils", "-lvkd3d", "-lpthread"]);
    let mut command = Command::new(&program);
    command.env("LD_PRELOAD", capture_library().unwrap()).env_remove("REPRISE_SESSION").arg(folder.path("log"));
    let finished = program::run(command.current_dir(folder.0.path()), DEADLINE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "{}", finished.errors());
    let names: BTreeSet<_> = fs::read_dir(folder.0.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["log", "upload"].map(|name| OsStr::new(name).to_owned()).into());
}

/// Runs a program of ours bare and captured: it has to end well both times. The functions it called, as the trace tells.
fn bare_and_captured(folder: &Folder, program: &Path) -> Told {
    bare_and_captured_with(folder, program, &[])
}

/// As [`bare_and_captured`], with arguments.
fn bare_and_captured_with(folder: &Folder, program: &Path, arguments: &[&Path]) -> Told {
    let output = folder.path("trace.reprise");
    let start = || {
        let mut command = Command::new(program);
        command.args(arguments);
        command
    };
    let finished = program::run(&mut start(), DEADLINE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "without us: {}", finished.errors());
    let library = capture_library().unwrap();
    let finished = program::run(start().env("LD_PRELOAD", &library), DEADLINE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "passed on: {}", finished.errors());
    let writer = write(&output);
    let mut command = start();
    command.env("LD_PRELOAD", library).env("REPRISE_SESSION", session::folder_beside(&output));
    let finished = program::run(&mut command, DEADLINE).unwrap();
    assert_eq!(finished.status.code(), Some(0), "recorded: {}", finished.errors());
    writer.join().unwrap();
    tell(&output)
}

/// Compiles one of our C programs, and `runtime.c` that it calls, by the name and the convention given.
fn compile_with_runtime(source: &str, folder: &Folder, name: &str, define: &str) -> PathBuf {
    let soname = format!("-Wl,-soname,{name}");
    compile("runtime.c", &folder.path(name), &[define, "-shared", "-fPIC", &soname]);
    let (search, run) =
        (format!("-L{}", folder.0.path().display()), format!("-Wl,-rpath,{}", folder.0.path().display()));
    let program = folder.path("program");
    compile(source, &program, &[define, &search, &format!("-l:{name}"), &run, "-lpthread"]);
    program
}

/// Past the destructors of its thread-local variables a thread still calls: destructors of keys, exit handlers, and static
/// objects that give their interfaces back.
#[test]
fn what_is_called_at_a_threads_end_is_recorded() {
    if require(missing::program("gcc", "gcc")).is_none() {
        return;
    }
    let folder = Folder::new("exit");
    let program = compile_with_runtime("exit.c", &folder, "libvkd3d-proton-d3d12.so", "-DSYSV");
    let told = bare_and_captured(&folder, &program);
    assert_eq!(told.functions, BTreeMap::from([("D3D12EnableExperimentalFeatures", (5, 5))]));
}

/// One assembly stub serves both conventions: arguments, results and kept registers, passed on and recorded.
#[test]
fn registers_are_kept_in_both_conventions() {
    if require(missing::program("gcc", "gcc")).is_none() {
        return;
    }
    // The library's name tells the convention.
    for (name, define) in [("libvkd3d.so.9", "-DWIN64"), ("libvkd3d-proton-d3d12.so", "-DSYSV")] {
        let folder = Folder::new(&format!("registers{define}"));
        let program = compile_with_runtime("registers.c", &folder, name, define);
        let told = bare_and_captured(&folder, &program);
        let expected = [
            ("D3D12CreateVersionedRootSignatureDeserializerFromSubobjectInLibrary", (3, 3)),
            // The runtime's own calls of it are not the program's.
            ("D3D12EnableExperimentalFeatures", (3, 3)),
        ];
        assert_eq!(told.functions, BTreeMap::from(expected), "{name}");
    }
}

/// A library that is opened for one asker only calls and gives out our exports, and they go on to the library that the caller would
/// have reached without us. A program that asks whether there is a function gets the same answer as without us.
#[test]
fn libraries_in_nobodys_order_are_found() {
    if require(missing::program("gcc", "gcc")).is_none() {
        return;
    }
    let folder = Folder::new("private");
    let (runtime, loader, plugin) = ("libvkd3d-proton-d3d12.so", folder.path("loader.so"), folder.path("plugin.so"));
    let soname = format!("-Wl,-soname,{runtime}");
    compile("runtime.c", &folder.path(runtime), &["-DSYSV", "-shared", "-fPIC", &soname]);
    compile("private_loader.c", &loader, &["-shared", "-fPIC"]);
    let folder_name = folder.0.path().display();
    let (search, run) = (format!("-L{folder_name}"), format!("-Wl,-rpath,{folder_name}"));
    compile("private_plugin.c", &plugin, &["-shared", "-fPIC", &search, &format!("-l:{runtime}"), &run]);
    let program = folder.path("program");
    compile("private.c", &program, &["-ldl"]);
    let told = bare_and_captured_with(&folder, &program, &[&loader, &plugin]);
    assert_eq!(told.functions, BTreeMap::from([("D3D12EnableExperimentalFeatures", (1, 1))]));
}

/// `vkd3d_*` functions are System V, the objects that they take and give are win64.
#[test]
fn functions_of_vkd3d_itself() {
    let header = missing::file(&["/usr/include/vkd3d/vkd3d.h"], "libvkd3d-dev");
    if require(missing::program("gcc", "gcc").and(header)).is_none() {
        return;
    }
    let folder = Folder::new("direct");
    let program = folder.path("direct");
    compile("direct.c", &program, &["-I/usr/include/vkd3d", "-lvkd3d"]);
    let told = bare_and_captured(&folder, &program);
    let expected = [
        "vkd3d_acquire_vk_queue",
        "vkd3d_create_device",
        "vkd3d_create_instance",
        "vkd3d_create_root_signature_deserializer",
        "vkd3d_get_device_parent",
        "vkd3d_get_dxgi_format",
        "vkd3d_get_vk_device",
        "vkd3d_get_vk_format",
        "vkd3d_get_vk_physical_device",
        "vkd3d_instance_decref",
        "vkd3d_instance_from_device",
        "vkd3d_instance_get_vk_instance",
        "vkd3d_instance_incref",
        "vkd3d_release_vk_queue",
        "vkd3d_resource_decref",
        "vkd3d_resource_incref",
        "vkd3d_serialize_root_signature",
    ];
    let calls = |name: &str| if name == "vkd3d_instance_decref" { (2, 2) } else { (1, 1) };
    let ended: BTreeMap<_, _> = told.functions.iter().map(|(&name, &(begun, _))| (name, (begun, begun))).collect();
    assert_eq!(ended, expected.map(|name| (name, calls(name))).into());
}

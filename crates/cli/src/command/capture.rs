//! `reprise capture`: runs a program with the capture library in it and the writer beside it.
//!
//! Invariant: the exit code is the program's own unless capturing failed or lost something, an existing trace is only replaced when asked
//! to, and nothing but the trace (and the hashes, if asked for) is left behind.

use crate::capture::claim::Claim;
use crate::capture::ending::segments_beside;
use crate::capture::finished::{self, Finished};
use crate::capture::range::{self, Control};
use crate::capture::writer::Recorder;
use crate::capture::{library, trace_name, trimming, windows_library};
use crate::launch::folder::Folder;
use crate::launch::mark::Mark;
use crate::launch::restorer::Restorer;
use crate::launch::runtime::Which;
use crate::launch::windows::arrangement::{self, Arrangement, Equipment};
use crate::launch::windows::options::Options;
use crate::launch::windows::target::Target;
use crate::launch::windows::{host_log, placement};
use crate::launch::{gl, native, program as launch, runtime, signal};
use crate::options::logging::Logging;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::place;
use anyhow::Context;
use reprise_environment::Tracking;
use reprise_environment::capture as variable;
use reprise_environment::runtime::{ADDRESSES, BREADCRUMBS, IMPORTED, REPEATABLE, UPLOAD_MEMORY};
use reprise_trace::chunk::Compression;
use reprise_trace::session;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  reprise capture -- vkd3d-gears                        into vkd3d-gears.reprise, or -2, -3 if that exists
  reprise capture -o bug.reprise -- ./game -windowed    into bug.reprise, which must not exist yet
  reprise capture --frames 100-110 --quit-after-capture-frames -- ./game
                                                        what replaying eleven frames needs, and no more
  reprise capture --frames 100-110 --trim -- ./game      eleven frames as a trace of their own, and nothing of those before
  reprise capture --trigger-signal USR1 --trigger-frames 5 -- ./game
                                                        five frames from `kill -USR1` on
  reprise capture --flight-recorder=30 --markers --hang-after 10 -- ./game
                                                        the last thirty frames, written when it crashes or hangs, or at a trigger
  reprise capture -o 'traces/%n-%t.reprise' -- ./game    into traces/game-20261120-135959.reprise
  reprise capture --log-level debug --log-file log.txt -- ./game
  reprise capture --max-size 2G --process-name game -- ./launcher.sh
  reprise capture --compression zstd:9 -- ./game        a smaller trace for more work; or lz4, none
  reprise capture --memory-tracking mprotect -- ./game  stores to mapped memory found by faults, whatever else works
  reprise capture -- wine game.exe -dx12                a Windows program, into game.reprise; in Steam's launch options:
  reprise capture -o ~/game.reprise -- %command%        see docs/steam.md
  reprise capture --runtime ours -- wine game.exe       the same while it runs on our own Direct3D 12 runtime
  reprise capture --gl -- glxgears                      an OpenGL program on Mesa's d3d12 driver and our runtime
  reprise capture --clean-up ~/Games/game               put back what a capture that was killed left beside a Windows program
  reprise capture --frame-hashes gears.txt -o gears.reprise -- vkd3d-gears
                                                        with what verify compares replays with

The trace holds every call the program made up to the instant it ended, however it ended; Ctrl-C is for the program.
A program's processes that use Direct3D 12 besides the first get traces of their own, with their process id in the name; so does
what a process becomes by exec.
On our runtime, upload heaps come from pages of the program that the kernel can watch for stores, where the Vulkan driver can
use such; REPRISE_UPLOAD_MEMORY=driver leaves them to the driver. Memory gets addresses that a replay on the same driver has again;
REPRISE_ADDRESSES=any leaves them to the driver.

Of a Windows program under Wine or Proton, the capture libraries are beside it while it runs, or in the prefix; files of these
names that are there already are put back afterwards. The capture lasts until the last process that the command started has ended.

A recording that ends before its program for another reason than that you asked for it (a full disk, a dead writer) says so at
once, and `reprise info` says what is missing.

Exit codes: the program's own (128 + signal when a signal ended it; 0 when --quit-after-capture-frames did); 124 when it ended well without ever using
Direct3D 12, 125 when capturing failed, or the program ended well and something of the recording is lost, 126 when it cannot be run, 127 when there is no such program.";

/// The file of the folder of a run to which our runtime signs.
const HOST: &str = "host";
/// The smallest and largest ring of a thread, in bytes.
const RING_SIZES: std::ops::RangeInclusive<u64> = 512 << 10..=16 << 20;
const DEFAULT_RING_SIZE: u64 = reprise_trace::ring::DEFAULT_CAPACITY as u64;
/// Room is looked for so many threads at the start; a program may have more.
const EXPECTED_THREADS: usize = 16;

/// Run a program and record what it asks of Direct3D 12
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The trace to write [default: PROGRAM.reprise in this folder, numbered if that exists]; in the name %n stands for the
    /// program, %t for the time, %p for our process id
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Put the local time into the trace's name
    #[arg(long)]
    timestamp: bool,
    /// Replace FILE if it exists
    #[arg(short, long)]
    force: bool,
    /// Write the hash of each presented frame to this file, one `frame hash` a line
    #[arg(long, value_name = "FILE", conflicts_with = "trim")]
    frame_hashes: Option<PathBuf>,
    /// Folder for the shared memory of program and writer [default: beside the trace, or in /dev/shm]
    #[arg(long, value_name = "DIR")]
    ring_dir: Option<PathBuf>,
    /// Shared memory of each thread of the program, such as 1M or 8M
    #[arg(long, value_name = "BYTES", value_parser = ring_size)]
    ring_size: Option<u64>,
    /// How stores to mapped memory are found: by the kernel's page tracking (Linux 6.7 or newer), by write protection and
    /// segmentation faults, or by comparing with a copy; auto takes the first of these that works for a mapping. `reprise info`
    /// says what was used
    #[arg(long, value_name = "HOW", value_parser = Tracking::ALL.map(Tracking::name))]
    memory_tracking: Option<String>,
    /// Asks the runtime for breadcrumbs: how far the GPU is in each list, for `reprise diagnose` if the device is removed. Ours has
    /// them, and Windows' own (DRED); costs the GPU a little for each operation
    #[arg(long)]
    breadcrumbs: bool,
    /// Puts markers of our own around each operation of lists, for `reprise diagnose` if the GPU stops: for runtimes without
    /// breadcrumbs (libvkd3d, vkd3d-proton, Wine's). Costs the GPU two writes for each operation, on some drivers a wait. The trace
    /// says so; the program's calls are recorded as without
    #[arg(long)]
    markers: bool,
    /// How the trace is compressed: zstd (its fastest levels), lz4 for replays that read much memory (three times the file, a
    /// fifth of the work to read it), none, or zstd:LEVEL from 1 to 19 for smaller files; a program that records faster than its
    /// writer compresses waits for it. `reprise info` says what was used
    #[arg(long, value_name = "HOW", default_value_t)]
    compression: Compression,
    /// What the program runs on: the Direct3D 12 that it finds without us, or our own runtime (see reprise run --help)
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    runtime: Which,
    /// Have an OpenGL program draw by Direct3D 12, on Mesa's d3d12 driver and our runtime: see reprise run --help
    #[arg(long)]
    gl: bool,
    /// Say nothing on success
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    logging: Logging,
    #[command(flatten)]
    control: Control,
    #[command(flatten)]
    windows: Options,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required_unless_present = "clean_up", last = true)]
    program: Vec<OsString>,
}

impl Arguments {
    /// What the program runs on.
    fn runtime(&self) -> Which {
        if self.gl { Which::Ours } else { self.runtime }
    }
}

fn ring_size(text: &str) -> Result<u64, String> {
    range::bytes(text)
        .filter(|size| RING_SIZES.contains(size))
        .ok_or_else(|| "must be a size from 512K to 16M".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if let Some(folder) = &arguments.windows.clean_up {
        return placement::clean_up_and_tell(folder);
    }
    let (name, _) = arguments
        .program
        .split_first()
        .ok_or_else(|| Failure::message(exit::USAGE, "no program to capture: reprise capture -- PROGRAM ARGUMENTS"))?;
    let tracking = memory_tracking(arguments.memory_tracking.as_deref())?;
    let shown = PathBuf::from(name);
    let program = launch::find(name)
        .ok_or_else(|| Failure::message(exit::NOT_FOUND, format!("{}: no such program", shown.display())))?;
    let target = Target::of(&arguments.program, &arguments.windows)?;
    if arguments.gl && target.is_some() {
        return Err(Failure::message(exit::USAGE, "--gl is for native programs, and this is a Windows program"));
    }
    // Wine's processes load nothing that a native capture could see, and those of 32 bits not even the library.
    let is_native = target.as_ref().is_none_or(Target::may_be_native);
    let preload = if is_native { Some(preload()?) } else { None };
    launch::refuse_foreign_rights(&program).map_err(|error| Failure::message(exit::CANNOT_RUN, error))?;
    let plan = arguments.control.environment()?;
    let named = target.as_ref().and_then(Target::name).or(program.file_name()).unwrap_or_default().to_owned();
    let output = output_path(arguments, &named)?;
    arguments.frame_hashes.as_deref().map_or(Ok(()), place::named)?;
    let hashes = arguments.frame_hashes.as_deref().map(absolute).transpose()?;
    hashes.as_ref().map_or(Ok(()), |_| arguments.control.presents_frames())?;
    if let Some(hashes) = hashes.as_deref().filter(|hashes| !arguments.force && !is_of_hashes(hashes)) {
        let message = format!("{} exists and holds no frame hashes: replace it with --force", hashes.display());
        return Err(Failure::message(exit::USAGE, message));
    }
    if let Some(folder) = hashes.as_deref().and_then(Path::parent).filter(|folder| !folder.is_dir()) {
        return Err(Failure::message(exit::USAGE, format!("there is no folder {}", folder.display())));
    }
    if hashes.as_ref() == Some(&output) {
        return Err(Failure::message(exit::USAGE, "the trace and the frame hashes cannot be one file"));
    }
    let files: Vec<&Path> = std::iter::once(output.as_path()).chain(hashes.as_deref()).collect();
    // The writer makes a new file in the place of the one that is there.
    place::other_than_file(&output)?;
    arguments.logging.begin(&files)?;
    // From here on the trace is this capture's alone, and nothing of an earlier one is in the way.
    let mut claims = vec![Claim::take(&session::folder_beside(&output), &output, arguments.force)?];
    let rings = ring_folder(arguments, target.as_ref(), &output)?;
    if rings != session::folder_beside(&output) {
        claims.push(Claim::take(&rings, &output, arguments.force)?);
    }
    clear_segments(&output, arguments.force)?;
    let mut environment = vec![
        (variable::SESSION, rings.clone().into_os_string()),
        (variable::OUTPUT, output.clone().into_os_string()),
        (variable::RING_BYTES, arguments.ring_size.unwrap_or(DEFAULT_RING_SIZE).to_string().into()),
    ];
    if std::env::var_os(UPLOAD_MEMORY).is_none() {
        // Our runtime's upload heaps, where the kernel can watch them; the trace says so as a policy.
        environment.push((UPLOAD_MEMORY, IMPORTED.into()));
    }
    if std::env::var_os(ADDRESSES).is_none() {
        // Our runtime's addresses, which a replay on it has again; the trace says so.
        environment.push((ADDRESSES, REPEATABLE.into()));
    }
    if arguments.breadcrumbs {
        environment.push((BREADCRUMBS, "1".into()));
    }
    if arguments.markers {
        environment.push((variable::MARKERS, "1".into()));
    }
    if let Some(how) = tracking {
        environment.push((variable::MEMORY_TRACKING, how));
    }
    if let Some(hashes) = &hashes {
        // What an earlier capture left there would be taken for this one's.
        remove_if_there(hashes)?;
        environment.push((variable::FRAME_HASHES, hashes.clone().into_os_string()));
    }
    environment.extend(preload.map(|preload| ("LD_PRELOAD", preload)));
    environment.extend(plan);
    environment.extend(reprise_log::environment());
    if let Some(signal) = arguments.control.signal() {
        signal::trigger_with(signal).context("cannot wait for the trigger").or_exit(exit::CAPTURE)?;
        if !arguments.quiet {
            let pid = std::process::id();
            let does = match arguments.control.is_flight() {
                true => "writes the last frames, as often as it comes",
                false => "begins what is wanted, and the same again ends it",
            };
            reprise_log::info(format_args!("kill -{signal} {pid} {does}"));
        }
    }
    let mark = Mark::new(variable::SESSION, &rings);
    if arguments.gl {
        environment.extend(gl::environment());
    }
    let folder = match arguments.runtime() {
        Which::System => {
            environment.extend(native::installed().filter(|_| target.is_none()));
            None
        }
        Which::Ours => on_ours(target.as_ref(), is_native, &mark, &mut environment)?,
    };
    let arrangement = target.map(|target| arrange(target, arguments, &mark)).transpose()?;
    let words = match &arrangement {
        Some(arrangement) => {
            environment.extend(arrangement.environment());
            arrangement.words(&arguments.program)
        }
        None => arguments.program.clone(),
    };
    let recorder = Recorder::start(&rings, &output, claims, &arguments.control, arguments.compression, arguments.quiet);
    let recorder = recorder.or_exit(exit::CAPTURE)?;
    let status = launch::run(&program, words.get(1..).unwrap_or_default(), &environment, &|| {
        arrangement.iter().for_each(Arrangement::wait);
    });
    let well = status.as_ref().is_ok_and(|status| launch::exit_code(*status) == 0);
    let (finished, quit) = recorder.finish(well);
    let windows = arrangement.map(Arrangement::end);
    // Only native programs find our runtime through the folder, and it signs there when it is loaded.
    let told = folder.as_ref().filter(|_| windows.is_none()).map(|folder| host_log::take(&folder.path().join(HOST)));
    folder.into_iter().for_each(Folder::end);
    let status = status.map_err(|error| error.failure(&shown))?;
    // A program that we ended ended well.
    let code = if quit { 0 } else { launch::exit_code(status) };
    if let Some(told) = told.as_ref().filter(|told| told.devices == 0) {
        if arguments.gl {
            reprise_log::error(gl::reason(told));
        } else if !told.refused.is_empty() || !told.lacking.is_empty() {
            reprise_log::error(native::reason(told));
        }
    }
    let (code, is_lost) = report(arguments, &named, code, finished, windows.as_ref())?;
    match told.filter(|told| told.loaded.is_empty()) {
        Some(told) if code != exit::NO_DEVICE => {
            let reason = native::reason(&told);
            Err(Failure::message(
                exit::CAPTURE,
                format!("--runtime ours: the program ran on another library: {reason}"),
            ))
        }
        _ => {
            trim(arguments, &output, code, is_lost)?;
            Ok(finished::code(code, is_lost))
        }
    }
}

/// Cuts the wanted frames out, where that is asked for, the recording is complete and the program ended well.
fn trim(arguments: &Arguments, trace: &Path, code: u8, is_lost: bool) -> Result<(), Failure> {
    let Some(frames) = arguments.control.trimmed().filter(|_| code != exit::NO_DEVICE) else { return Ok(()) };
    if code != 0 || is_lost {
        let kept = trace.display();
        let why = if is_lost { "it is not complete".to_owned() } else { format!("the program ended with {code}") };
        reprise_log::warning(format_args!("the recording is not trimmed, because {why}: {kept}"));
        return Ok(());
    }
    let runtime = (arguments.runtime() == Which::Ours).then_some("ours");
    trimming::cut(trace, &frames, runtime, arguments.quiet)
}

/// Has the program run on our runtime. Gives the folder through which a native program finds it.
fn on_ours(
    target: Option<&Target>,
    is_native: bool,
    mark: &Mark,
    environment: &mut Vec<(&str, OsString)>,
) -> Result<Option<Folder>, Failure> {
    let fail = |error| Failure::message(exit::CAPTURE, error);
    if let Some(target) = target {
        let library = runtime::windows_library().map_err(fail)?;
        if !target.sees(&library) {
            return Err(fail(format!(
                "the game's container does not show {}: put reprise and its folder windows below your home folder",
                library.display()
            )));
        }
        environment.push((variable::D3D12_LIBRARY, library.into_os_string()));
    }
    if !is_native {
        return Ok(None);
    }
    let folder = Folder::make(&std::env::temp_dir(), |_| mark.clone());
    let folder = folder.context("cannot make a temporary folder").or_exit(exit::CAPTURE)?;
    environment.push(native::prepare(&folder).map_err(fail)?);
    if target.is_none() {
        environment.push((variable::HOST_LOG, folder.path().join(HOST).into_os_string()));
    }
    Ok(Some(folder))
}

/// Puts the capture libraries where a Windows program finds them.
fn arrange(target: Target, arguments: &Arguments, mark: &Mark) -> Result<Arrangement, Failure> {
    let libraries = windows_library::find().map_err(|error| Failure::message(exit::CAPTURE, error))?;
    let host_log = host_log::path_beside(&mark.folder);
    let restorer = Restorer::start(mark, &host_log);
    let equipment = Equipment { libraries: &libraries, mark, restorer, host_log };
    Arrangement::begin(target, &arguments.windows, equipment, arguments.quiet)
}

/// The value of `LD_PRELOAD` for native programs.
fn preload() -> Result<OsString, Failure> {
    let fail = |error| Failure::message(exit::CAPTURE, error);
    let library = library::find().map_err(fail)?;
    launch::preload(&library, std::env::var_os("LD_PRELOAD")).map_err(fail)
}

/// What the program's library is to be told; what the user's environment says is not taken for something else.
fn memory_tracking(option: Option<&str>) -> Result<Option<OsString>, Failure> {
    if option.is_some() {
        return Ok(option.map(OsString::from));
    }
    let Some(set) = std::env::var_os(variable::MEMORY_TRACKING).filter(|set| !set.is_empty()) else { return Ok(None) };
    if set.to_str().and_then(Tracking::named).is_some() {
        return Ok(Some(set));
    }
    let message = format!(
        "{} is {}; it can be {}",
        variable::MEMORY_TRACKING,
        set.display(),
        Tracking::ALL.map(Tracking::name).join(", ")
    );
    Err(Failure::message(exit::USAGE, message))
}

/// Says how it went. Gives the exit code, and whether anything of a recording is lost.
fn report(
    arguments: &Arguments,
    name: &OsStr,
    code: u8,
    finished: Vec<anyhow::Result<Vec<Finished>>>,
    windows: Option<&arrangement::Ended>,
) -> Result<(u8, bool), Failure> {
    let (finished, failed): (Vec<_>, Vec<_>) = finished.into_iter().partition(anyhow::Result::is_ok);
    // A flight recorder that had no reason to write says so by a trace of no bytes.
    let (traces, kept): (Vec<_>, Vec<_>) = finished.into_iter().flatten().flatten().partition(|trace| trace.bytes > 0);
    if traces.is_empty() && failed.is_empty() {
        return Ok((without_trace(arguments, name, code, !kept.is_empty(), windows), false));
    }
    if let Some(gone) = traces.iter().find(|trace| !trace.path.exists()) {
        let message = format!("{}: it, or its folder, was removed while it was written", gone.path.display());
        return Err(Failure::message(exit::CAPTURE, message));
    }
    // A flight recorder's writer has told of each trace when it was there.
    let quiet = arguments.quiet || arguments.control.is_flight();
    traces.iter().for_each(|trace| trace.tell(quiet));
    for trace in traces.iter().filter(|trace| arguments.control.has_plan() && !trace.has_wanted_frames()) {
        reprise_log::warning(format_args!(
            "{}: no wanted frame: the recording ended in frame {}, before the first one",
            trace.path.display(),
            trace.frames + 1
        ));
    }
    let is_lost = !failed.is_empty() || traces.iter().any(|trace| trace.loss.is_some());
    // A recording that nobody finished is a failure of the capture, however the program ended.
    let code = if failed.is_empty() { code } else { exit::CAPTURE };
    failed.into_iter().filter_map(Result::err).for_each(|error| reprise_log::error(format_args!("{error:#}")));
    Ok((code, is_lost))
}

/// Says why there is no trace, and gives the exit code. `kept`: a flight recorder had frames, and no reason to write them.
fn without_trace(
    arguments: &Arguments,
    name: &OsStr,
    code: u8,
    kept: bool,
    windows: Option<&arrangement::Ended>,
) -> u8 {
    let name = name.display();
    let without = if code == 0 { exit::NO_DEVICE } else { code };
    if let Some(wanted) = arguments.control.process_name() {
        let wanted = wanted.to_string_lossy();
        reprise_log::error(format_args!(
            "no trace: no process named {wanted} called Direct3D 12 before {name} ended (exit code {code})"
        ));
        return without;
    }
    if let Some(windows) = windows {
        reprise_log::error(format_args!("no trace: {name} ended (exit code {code}); {}", windows.reason));
        return without;
    }
    if kept {
        if !arguments.quiet {
            reprise_log::info(format_args!(
                "no trace: {name} ended well, and nothing asked for one; --flight-at-end writes the last frames then, too"
            ));
        }
        return code;
    }
    // A program with a window often ends without a word where there is no display.
    let is_shown = cfg!(windows) || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let display = match is_shown {
        true => "",
        false => " There is no display (DISPLAY is not set), which a program with a window needs: xvfb-run gives one.",
    };
    reprise_log::error(format_args!(
        "no trace: {name} ended (exit code {code}) without calling Direct3D 12, or said above why it is not \
         recorded. Programs that load libvkd3d.so.1 or libvkd3d-utils.so.1 are seen; statically linked, set-user-id and \
         32-bit ones are not. Those that load libd3d12.so or libvkd3d-proton-d3d12.so, which this machine may lack, find it with \
         --runtime ours.{display}"
    ));
    without
}

/// The trace to write, as an absolute path that may be written to.
fn output_path(arguments: &Arguments, program: &OsStr) -> Result<PathBuf, Failure> {
    let free = |path: &Path| !path.exists() && !session::folder_beside(path).exists();
    let time = trace_name::now();
    let Some(named) = &arguments.output else {
        let mut name = program.to_string_lossy().into_owned();
        if arguments.timestamp {
            name = format!("{name}-{time}");
        }
        let candidate = |number: u32| match number {
            1 => PathBuf::from(format!("{name}.reprise")),
            _ => PathBuf::from(format!("{name}-{number}.reprise")),
        };
        let first = candidate(1);
        let path = if arguments.force { Some(first.clone()) } else { (1..1000).map(candidate).find(|path| free(path)) };
        let path = path.ok_or_else(|| {
            Failure::message(exit::USAGE, format!("{} and 998 more exist: name one with -o", first.display()))
        })?;
        return absolute(&path);
    };
    place::named(named)?;
    let parts = trace_name::Parts { program, process: std::process::id(), time };
    let mut named = parts.fill(named).map_err(|error| Failure::message(exit::USAGE, error))?;
    if arguments.timestamp {
        named = trace_name::stamped(&named, &parts.time);
    }
    let path = absolute(&named)?;
    if path.is_dir() {
        return Err(Failure::message(exit::USAGE, format!("{} is a folder: name a file in it", named.display())));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    if !folder.is_dir() {
        return Err(Failure::message(exit::USAGE, format!("there is no folder {}", folder.display())));
    }
    place::free(&named, arguments.force)?;
    Ok(path)
}

/// Whether a file is what an earlier capture left under this name, or none: only that is replaced unasked.
fn is_of_hashes(path: &Path) -> bool {
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return false;
    }
    // What cannot be read is for the replacing to tell.
    let Ok(file) = std::fs::File::open(path) else { return true };
    let mut head = Vec::new();
    // A line is shorter than that.
    if file.take(64).read_to_end(&mut head).is_err() {
        return true;
    }
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let parsed = std::str::from_utf8(line).ok().and_then(|line| reprise_trace::frame_hash::parse_lines(line).ok());
    // A capture that hashed no frame at first says why.
    head.is_empty() || line.starts_with(b"# frame ") || parsed.is_some_and(|lines| !lines.is_empty())
}

/// Removes what a flight recorder left whose writer was killed, if that is asked for.
fn clear_segments(output: &Path, force: bool) -> Result<(), Failure> {
    let folder = segments_beside(output);
    if !folder.exists() {
        return Ok(());
    }
    if !force {
        let message = format!(
            "{} holds the last frames of an earlier flight recorder that was killed, each file a trace of its own: keep them elsewhere, or \
             drop them with --force",
            folder.display()
        );
        return Err(Failure::message(exit::USAGE, message));
    }
    std::fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display())).or_exit(exit::USAGE)
}

fn remove_if_there(path: &Path) -> Result<(), Failure> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", path.display())).or_exit(exit::USAGE)
        }
        _ => Ok(()),
    }
}

/// The folder through which program and writer share memory.
fn ring_folder(arguments: &Arguments, target: Option<&Target>, output: &Path) -> Result<PathBuf, Failure> {
    let size = usize::try_from(arguments.ring_size.unwrap_or(DEFAULT_RING_SIZE)).unwrap_or(usize::MAX);
    let Some(folder) = &arguments.ring_dir else {
        if let Some(target) = target.filter(|target| !target.sees(output)) {
            let shared = Path::new("/dev/shm").join(output.file_name().unwrap_or_default());
            let folder = session::pick_folder(&shared, size, EXPECTED_THREADS).or_exit(exit::CAPTURE)?;
            debug_assert!(target.sees(&folder));
            return Ok(folder);
        }
        return session::pick_folder(output, size, EXPECTED_THREADS).or_exit(exit::CAPTURE);
    };
    let folder = absolute(folder)?;
    if !folder.is_dir() {
        return Err(Failure::message(exit::USAGE, format!("--ring-dir: there is no folder {}", folder.display())));
    }
    Ok(session::folder_beside(&folder.join(output.file_name().unwrap_or_default())))
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    place::absolute(path).with_context(|| path.display().to_string()).or_exit(exit::USAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ring_sizes_have_units_and_bounds() {
        assert_eq!(ring_size("1M"), Ok(1 << 20));
        assert_eq!(ring_size("512K"), Ok(512 << 10));
        assert_eq!(ring_size("1048576"), Ok(1 << 20));
        for wrong in ["", "M", "511K", "17M", "-1", "99999999999999999999M", "18446744073709551615M", "1G"] {
            assert!(ring_size(wrong).is_err(), "{wrong}");
        }
    }
}

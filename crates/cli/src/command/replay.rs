//! `reprise replay`: plays a trace, without a window or in one.

use crate::observer::{self, Observer};
use crate::options::logging::Logging;
use crate::options::range::{self, Range};
use crate::options::{
    adapter, checking_descriptors, checking_nan, diagnosing, edits, measure, screenshot, single_calls, window,
};
use crate::ours;
use crate::terminal::differences;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::left_out;
use crate::terminal::output::{self, Output};
use crate::terminal::progress::Progress;
use crate::terminal::whole_file;
use crate::trace::open;
use anyhow::Context;
use reprise_log::Level;
use reprise_replay::{Convention, FrameLine, LoopFrames, Options, Report, Shot, ShotContents};
use reprise_trace::read::Trace;
use reprise_view::damage::Met;
use reprise_view::summary::info;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  reprise replay gears.reprise                                     play it on our runtime, on any Vulkan
  reprise replay --runtime system gears.reprise                    play it on the library that is installed
  reprise replay --runtime ./libvkd3d.so.1 gears.reprise           play it on your own build
  reprise replay --screenshots 1-3,100 --screenshot-dir shots gears.reprise
  reprise replay --screenshot-all --screenshot-interval 100 --screenshot-scale 0.5 gears.reprise
  reprise replay --gpu 1 --validate gears.reprise                  on the second device of `reprise gpus`, checked by Vulkan
  reprise replay --validate --denied-messages SYNC-HAZARD gears.reprise
  reprise replay --window --pause-frame 100 gears.reprise          watch it; n plays one frame, space goes on, q quits
  reprise replay --mfr 100-200 --measurement-file speed.json --quit-after-measurement-range gears.reprise
  reprise replay --loop-frame 100 --loop-count 50 gears.reprise    one frame 50 times: the time of each round
  reprise replay --quit-after-call 1234 gears.reprise              stop after a call of `reprise dump`
  reprise replay --dump-resource 12@1234 gears.reprise             what resource 12 holds after call 1234, as files
  reprise replay --dump-draw 1234 --dump-resources-dir draw gears.reprise
  reprise replay --replace-shaders edited gears.reprise            edited: what extract wrote, compiled again under its name
  gdb --args reprise replay --break-at 1234 gears.reprise          stop in the debugger right before a call
  ENABLE_VULKAN_RENDERDOC_CAPTURE=1 reprise replay --renderdoc-frame 7 --dump-resources-dir rdc gears.reprise
  reprise replay -e 'call 1234: drop' gears.reprise                play it edited, and write no trace: see `reprise edit`
  reprise replay --diagnose gears.reprise                          where does the GPU stop? the calls, and what was bound there
  reprise replay --check gears.reprise                             would it play here? what fails and differs, in seconds
  reprise replay --log-level debug --log-file log.txt gears.reprise
  reprise replay --threads 1 gears.reprise                         every call on one thread, at its place
  reprise replay --create-dummy-allocations gears.reprise          everything elsewhere: are addresses right?
  reprise replay --patch-guess gears.reprise                       move what only looks like an address, too, and list it
  reprise replay --addresses moved gears.reprise                   let the driver place memory
  reprise replay --frame-hashes replayed.txt gears.reprise         one line a frame: its number and hash

A device of a lower feature level than the program's plays what it can; the first call that needs more ends the replay and is
named. What a replay does not need (sharing with other processes and adapters, priorities of queues) is left out where
the device refuses it. The report lists both as \"fallback\" (JSON: asked_for_less). Draws with a pipeline state
that the device refuses are left out. Where a call names what is gone, or was never there, replay passes something else or leaves
the call out; the report says \"not there\" (JSON: stale).

Exit codes: 0 played to the end (differences are listed), 1 the replay failed, or a dump, all of the
screenshots or a call of --check could not be made, 2 wrong usage, or a frame that the trace does not have,
3 the trace cannot be read or is damaged (what is sound is played), 4 played to the end and --validate found errors,
5 --check-nan or --check-descriptors found what it looks for, 6 the GPU stopped or its device was lost, and the report says where.";

/// Options of frames and calls that are played, which `--check` does not do.
const PLAYED: [&str; 15] = [
    "observer",
    "sync",
    "frame_hashes",
    "window",
    "force_windowed",
    "force_windowed_origin",
    "pictured",
    "loop_frame",
    "measured",
    "dump_resource",
    "dump_draw",
    "break_at",
    "renderdoc_frame",
    "pause_frame",
    "paused",
];

/// Play a trace, without a window or in one, on any Direct3D 12 runtime
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    runtime: Runtime,
    #[command(flatten)]
    adapter: adapter::Choice,
    /// Hashes and screenshots of these frames only, and stop after them; what comes before is played as fast as it goes
    #[arg(long, value_name = "A-B", value_parser = range::frames)]
    frames: Option<Range>,
    /// Play these frames again and again, and stop: N or A-B. Between rounds the queues finish, stores to mapped memory are
    /// undone, objects made in the frames go, fences go on rising; what the GPU wrote stays, and a picture that is not the
    /// first round's is reported (with --frame-hashes). Frames that cannot be repeated soundly are refused with the reason
    #[arg(long, value_name = "N", value_parser = range::frames, conflicts_with_all = ["frames", "measured"])]
    loop_frame: Option<Range>,
    /// Load this shared library, and tell it of each call before and after it is made, and of each frame: docs/observers.md. What
    /// stands behind a `=` is given to it
    #[arg(long, value_name = "LIBRARY[=ARGUMENT]", value_parser = observer::parse, conflicts_with_all = ["loop_frame", "check_nan"])]
    observer: Option<observer::Wish>,
    /// How often, the first time included
    #[arg(long, value_name = "K", requires = "loop_frame", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    loop_count: u64,
    /// Stop after this frame (frames count from 1)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    quit_after_frame: Option<u64>,
    /// Stop after this call, by the numbers of `reprise dump`; what other threads have open then is left so
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    quit_after_call: Option<u64>,
    /// Wait on the CPU after each submission and signal, so that a failure shows at the call that causes it
    #[arg(long)]
    sync: bool,
    /// Would it play here? Make what the trace makes and ask what it asks, list all that fails or differs, and play nothing
    #[arg(long, conflicts_with_all = PLAYED)]
    check: bool,
    /// Make every heap, resource, descriptor heap and state object twice, so that no address, handle or identifier is what it would be:
    /// finds those that are passed on wrong
    #[arg(long)]
    create_dummy_allocations: bool,
    /// Where heaps and buffers are placed whose addresses the trace keeps: recorded puts each at the address that it had, where the trace
    /// was captured on our runtime and plays on it and the same driver; moved places all anywhere, as --create-dummy-allocations does
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = Addresses::Recorded)]
    addresses: Addresses,
    /// Where addresses moved: take values of 8 bytes that the program stored to buffers, and that point into a buffer of the capture, for
    /// addresses, and move them. This is a guess, which may change a value that only looks like an address. Each change is reported.
    /// Calls whose addresses in memory cannot be moved for sure then use what is there
    #[arg(long, conflicts_with = "loop_frame")]
    patch_guess: bool,
    /// Pause after this frame, until Enter is pressed (with --window: a key of the window)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pause_frame: Option<u64>,
    /// Pause after the first frame: --pause-frame 1
    #[arg(long, conflicts_with = "pause_frame")]
    paused: bool,
    #[command(flatten)]
    windowed: window::Windowed,
    #[command(flatten)]
    diagnosing: diagnosing::Diagnosing,
    #[command(flatten)]
    checking_nan: checking_nan::CheckingNan,
    #[command(flatten)]
    checking_descriptors: checking_descriptors::CheckingDescriptors,
    #[command(flatten)]
    inspecting: single_calls::Inspecting,
    #[command(flatten)]
    measuring: measure::Measuring,
    #[command(flatten)]
    screenshots: screenshot::Pictured,
    /// Write the hash of each presented frame to this file, one `frame hash` a line
    #[arg(long, value_name = "FILE")]
    frame_hashes: Option<PathBuf>,
    #[command(flatten)]
    logging: Logging,
    /// Say nothing on success
    #[arg(short, long)]
    quiet: bool,
    /// One JSON object: what was replayed, what was not, what differs, and where the time went
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    #[command(flatten)]
    edits: edits::Said,
    #[command(flatten)]
    source: open::Source,
}

/// Where heaps and buffers lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Addresses {
    Recorded,
    Moved,
}

/// Which runtime plays, and how patient it is.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Runtime {
    /// The Direct3D 12 library: ours (built in), system (what is installed), vkd3d, vkd3d-proton, a path or a soname
    /// [default: ours (system in reprise.exe, which has no runtime of its own); to verify: that of the capture]
    #[arg(long = "runtime", value_name = "LIBRARY")]
    library: Option<String>,
    /// The calling convention of that library's methods, when it is none that is known: win64, sysv, or itanium (C++ for Linux)
    #[arg(long, value_name = "NAME", requires = "library")]
    convention: Option<Convention>,
    /// Seconds to wait for a fence value that the program had seen
    #[arg(long, value_name = "SECONDS", default_value_t = Options::FENCE_TIMEOUT.as_secs_f64())]
    fence_timeout: f64,
    /// Threads that make pipelines, and where this is stated and turns out to save time record command lists, while the replay goes on; 1
    /// makes every call at its place in the trace, on one thread, and so do options that look at single calls [default: one for each
    /// processor, for pipelines alone]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Calls of a list with which other threads record it, whether that saves time or not: for tests and measurements
    #[arg(long, value_name = "CALLS", hide = true)]
    recorded_from: Option<u32>,
}

impl Runtime {
    /// As the user named it.
    pub(crate) fn name(&self) -> Option<&str> {
        self.library.as_deref()
    }

    /// As the user named it.
    pub(crate) fn convention(&self) -> Option<Convention> {
        self.convention
    }

    /// In seconds.
    pub(crate) fn fence_timeout(&self) -> f64 {
        self.fence_timeout
    }

    /// The options of a replay on this runtime.
    ///
    /// # Errors
    /// A usage failure when a number makes no sense, or the runtime is no part of this build.
    pub(crate) fn options<'a>(&self) -> Result<Options<'a>, Failure> {
        ours::check(self.name()).or_exit(exit::USAGE)?;
        let timeout =
            Duration::try_from_secs_f64(self.fence_timeout).context("--fence-timeout").or_exit(exit::USAGE)?;
        Ok(Options {
            runtime: self.library.clone(),
            convention: self.convention,
            linked_runtime: ours::RUNTIME,
            fence_wait_timeout: timeout,
            threads: self.threads(),
            // The replay's own thread takes part.
            recorders: self.threads.map_or(0, |threads| usize::from(threads) - 1),
            recorded_from: self.recorded_from,
            ..Options::default()
        })
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(processors, usize::from)
    }

    /// Says why there are not so many threads as were asked for.
    fn say_threads(&self, options: &Options<'_>) {
        let Some(threads) = self.threads.filter(|threads| *threads > 1) else { return };
        if let Some(option) = options.one_by_one() {
            reprise_log::warning(format_args!(
                "--threads {threads}: every call is made where it stands, on one thread, because of {option}"
            ));
        } else if let Some(reason) = says_in_order(options) {
            reprise_log::warning(format_args!(
                "--threads {threads}: command lists are recorded on one thread, because of {reason}"
            ));
        }
    }
}

/// Why our runtime's messages about lists are to come in the order of the trace, if they are.
fn says_in_order(options: &Options<'_>) -> Option<&'static str> {
    if options.runtime.as_deref().is_some_and(|name| name != "ours") {
        return None;
    }
    let says = ours::validates().then_some("Vulkan's validation");
    says.or_else(|| reprise_log::wants(Level::Debug).then_some("--log-level debug"))
}

/// Processors that this process may use.
fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub(crate) fn run(arguments: &mut Arguments) -> Ended {
    let _edited = arguments.edits.apply(&mut arguments.source)?;
    let arguments = &*arguments;
    arguments.source.spare_all(arguments.frame_hashes.as_deref().into_iter().chain(arguments.measuring.file()))?;
    let written = [arguments.frame_hashes.as_deref(), arguments.measuring.file()].into_iter().flatten();
    arguments.logging.begin(&arguments.source.files().chain(written).collect::<Vec<_>>())?;
    let on_call = arguments.checking_descriptors.begin(arguments.runtime.name())?;
    let _held = arguments.adapter.tell(arguments.runtime.name())?;
    let read = arguments.observer.as_ref().map(|_| arguments.source.open()).transpose()?;
    let watched = arguments.observer.as_ref().zip(read.as_ref());
    let load = |(wish, trace)| Observer::load(wish, &arguments.source.trace, trace);
    let mut observer = watched.map(load).transpose()?;
    let mut options = arguments.runtime.options()?;
    options.observer = observer.as_mut().map(|observer| observer as &mut dyn reprise_replay::Observer);
    options.quit_after_frame = arguments.quit_after_frame;
    options.frames = arguments.frames;
    options.rounds = arguments.loop_frame.map(|frames| LoopFrames { frames, count: arguments.loop_count });
    options.quit_after_call = arguments.quit_after_call;
    options.sync = arguments.sync;
    options.check = arguments.check;
    options.create_dummy_allocations = arguments.create_dummy_allocations;
    options.recorded_addresses = arguments.addresses == Addresses::Recorded;
    options.patch_guess = arguments.patch_guess;
    arguments.inspecting.apply(&mut options);
    options.measure = arguments.measuring.measure();
    options.screenshots = arguments.screenshots.screenshots();
    // A check plays nothing.
    let pictured = !options.screenshots.frames.is_empty() && !options.check;
    options.frame_hashes = arguments.frame_hashes.is_some();
    arguments.checking_descriptors.apply(&mut options, on_call);
    let pause = pause(arguments)?;
    has_frames(arguments)?;
    if let Some(each) = arguments.checking_nan.each() {
        return check_nan(arguments, options, each);
    }
    arguments.windowed.apply(&mut options, pause)?;
    arguments.runtime.say_threads(&options);
    tell_of_recorder(&arguments.source.trace);
    edits::tell(&arguments.source);
    let found = arguments.diagnosing.apply(&mut options);
    let pause = pause.filter(|_| !arguments.windowed.is_wanted());
    let played = play_or_say(&arguments.source, options, pause);
    if let Err((failure, true)) = &played
        && arguments.diagnosing.asks_again()
        // What its shaders found is told below, and may be why.
        && !arguments.checking_descriptors.is_wanted()
    {
        reprise_log::error(format_args!("{failure}"));
        reprise_log::warning(format_args!("the trace is played again with --diagnose, to tell where the GPU stopped"));
        let code = diagnosing::again(&["--diagnose"])?;
        return Ok(if code == exit::STOPPED { code } else { exit::FAILED });
    }
    if let Some(code) = arguments.diagnosing.write(&found, &arguments.source, arguments.sync, arguments.json)? {
        return Ok(code);
    }
    if played.is_err() && arguments.checking_descriptors.is_wanted() {
        // What a wrong descriptor led to may be why.
        let trace = arguments.source.open()?;
        checking_descriptors::write(&trace, None, arguments.json, arguments.quiet)?;
    }
    let report = played.map_err(|(failure, _)| failure)?;
    if arguments.checking_descriptors.is_wanted() {
        let trace = arguments.source.open()?;
        let code = checking_descriptors::write(&trace, Some(&report), arguments.json, arguments.quiet)?;
        sound(&report, &arguments.source)?;
        return Ok(match (code, arguments.adapter.is_wrong()) {
            (0, true) => exit::VALIDATION,
            (code, _) => code,
        });
    }
    arguments.measuring.write(&report)?;
    if let Some(path) = &arguments.frame_hashes {
        write_hashes(path, &report.hash_lines())?;
    }
    let written = match arguments {
        Arguments { json: true, .. } => as_json(&report, &arguments.adapter),
        Arguments { quiet: true, .. } => {
            single_calls::complain(&report);
            Ok(())
        }
        _ => summary(&report, &arguments.adapter),
    };
    written.context("cannot write to standard output").or_exit(exit::FAILED)?;
    let unseen = pictured && report.screenshots == 0;
    if unseen && report.frames.iter().all(|frame| frame.width == 0) {
        reprise_log::error(format_args!(
            "no screenshot was written: nothing is presented ({} played); `reprise thumbnails` makes pictures of what a trace without presents wrote",
            output::plural(report.frames.len() as u64, if report.by_submissions { "submission" } else { "frame" })
        ));
    } else if unseen {
        reprise_log::error(format_args!(
            "no screenshot was written: none of the frames asked for was shown ({} played); `reprise info` says which frames \
             the trace has, and which of them are wanted: of others there are no pictures",
            output::plural(report.frames.len() as u64, "frame")
        ));
    }
    let refused = unseen || report.refused_states > 0 || report.refused.is_some_and(|calls| calls > 0);
    sound(&report, &arguments.source)?;
    Ok(match (refused || single_calls::is_incomplete(&report), arguments.adapter.is_wrong()) {
        (true, _) => exit::FAILED,
        (false, true) => exit::VALIDATION,
        (false, false) => 0,
    })
}

/// Refuses frames of which something is wanted and that the trace does not have, before all of it is played for nothing.
///
/// # Errors
/// As [`open::Source::has_frame`]; the trace cannot be opened.
fn has_frames(arguments: &Arguments) -> Result<(), Failure> {
    let wanted = [
        arguments.frames.map(|(first, _)| first),
        arguments.loop_frame.map(|(first, _)| first),
        arguments.measuring.measure().map(|measure| measure.range.start),
        arguments.inspecting.renderdoc_frame(),
        arguments.pause_frame,
    ];
    // Most replays want none, and opening an unfinished trace takes reading all of it.
    let Some(last) = wanted.into_iter().flatten().max() else { return Ok(()) };
    arguments.source.has_frame(&arguments.source.open()?, last)
}

/// Plays the trace, several times if need be, to find what writes NaN and infinity.
fn check_nan(arguments: &Arguments, mut options: Options<'_>, each: bool) -> Ended {
    let trace = arguments.source.open()?;
    options.rings.clone_from(&arguments.source.rings);
    let mut progress = Progress::new("replaying");
    options.progress = Some(Box::new(move |state| {
        progress.show(|| format!("frame {}, {}", state.frame, output::plural(state.calls, "call")));
    }));
    let found = reprise_replay::check_nan(&arguments.source.trace, &mut options, each, arguments.checking_nan.words());
    drop(options);
    let (report, found) = found.map_err(|error| failure(&arguments.source, error))?;
    let code = checking_nan::write(&trace, &found, arguments.json, arguments.quiet)?;
    sound(&report, &arguments.source)?;
    Ok(match (code, arguments.adapter.is_wrong()) {
        (0, true) => exit::VALIDATION,
        (code, _) => code,
    })
}

/// # Errors
/// The trace is damaged: what was played is not all that was recorded.
pub(crate) fn sound(report: &Report, source: &open::Source) -> Result<(), Failure> {
    let listed = report.damage.len() as u64;
    Met::listed(report.damage.clone(), report.damaged.saturating_sub(listed)).sound(&source.trace)?;
    Ok(())
}

/// The frame to pause after.
///
/// # Errors
/// There is nobody to press a key.
fn pause(arguments: &Arguments) -> Result<Option<u64>, Failure> {
    let frame = arguments.pause_frame.or(arguments.paused.then_some(1));
    match frame {
        Some(_) if !arguments.windowed.is_wanted() && !std::io::stdin().is_terminal() => Err(Failure::message(
            exit::USAGE,
            "--pause-frame and --paused wait for Enter, and standard input is no terminal; with --window a key goes on",
        )),
        frame => Ok(frame),
    }
}

/// Waits until Enter is pressed, or nobody can press it any more.
fn wait_for_enter(frame: u64) {
    eprintln!("\nreprise: paused after frame {frame}; press Enter to go on");
    let _ = std::io::stdin().read_line(&mut String::new());
}

/// Where a replay ends, as far as that is known before: how long the rest takes is told by it.
#[derive(Clone, Copy, Debug)]
enum Extent {
    Calls(u64),
    Frames(u64),
    Unknown,
}

impl Extent {
    fn of(source: &open::Source, options: &Options<'_>) -> Extent {
        let Ok(trace) = source.open() else { return Extent::Unknown };
        let calls = trace.statistics().calls;
        let last = [options.quit_after_frame, options.frames.map(|(_, last)| last)].into_iter().flatten().min();
        match (options.rounds.is_some(), options.quit_after_call, last) {
            (true, ..) | (_, Some(_), Some(_)) => Extent::Unknown,
            (_, Some(call), None) => Extent::Calls(call.min(calls)),
            (_, None, Some(frame)) => Extent::Frames(frame.min(trace.frame_count().into())),
            (_, None, None) => Extent::Calls(calls),
        }
    }

    fn show(self, state: reprise_replay::Progress, progress: &mut Progress) {
        let said = || format!("frame {}, {}", state.frame, output::plural(state.calls, "call"));
        match self {
            Extent::Calls(calls) => progress.show_part(state.calls, calls, said),
            Extent::Frames(frames) => progress.show_part(state.frame, frames, said),
            Extent::Unknown => progress.show(said),
        }
    }
}

/// Plays a trace and says how far it is; pauses after a frame where that is asked for.
///
/// # Errors
/// With the exit code that tells a damaged trace from a failed replay.
pub(crate) fn play(source: &open::Source, options: Options<'_>, pause_after: Option<u64>) -> Result<Report, Failure> {
    play_or_say(source, options, pause_after).map_err(|(failure, _)| failure)
}

/// The same; beside the failure stands whether a wait for the GPU expired, or the device was lost.
fn play_or_say(
    source: &open::Source,
    mut options: Options<'_>,
    pause_after: Option<u64>,
) -> Result<Report, (Failure, bool)> {
    let mut progress = Progress::new("replaying");
    let extent = Extent::of(source, &options);
    options.progress = Some(Box::new(move |state| {
        extent.show(state, &mut progress);
        if state.ended && pause_after == Some(state.frame) {
            wait_for_enter(state.frame);
        }
    }));
    play_to_its_end(source, options)
}

/// Plays a trace for something else than what the program read back: that is compared only where [`Options::on_read`] asks for it.
///
/// # Errors
/// As [`play`].
pub(crate) fn play_quietly(source: &open::Source, mut options: Options<'_>) -> Result<Report, Failure> {
    options.compare_reads &= options.on_read.is_some();
    play_and_compare(source, options)
}

/// Plays a trace. Where an address that was asked for is not to be had after lists were recorded that rely on it, the replay begins
/// anew with all addresses moved, and says so.
///
/// # Errors
/// As [`play`].
pub(crate) fn play_and_compare(source: &open::Source, options: Options<'_>) -> Result<Report, Failure> {
    let library = options.runtime.clone();
    let played = play_to_its_end(source, options).map_err(|(failure, _)| failure);
    played.inspect(|report| left_out::tell(report, library.as_deref()))
}

/// The same; beside the failure stands whether a wait for the GPU expired, or the device was lost.
fn play_to_its_end(source: &open::Source, mut options: Options<'_>) -> Result<Report, (Failure, bool)> {
    let trace = source.open().map_err(|failure| (failure, false))?;
    options.frame_ends = trace.chosen_ends().cloned();
    drop(trace);
    if says_in_order(&options).is_some() {
        options.recorders = 0;
    }
    options.rings.clone_from(&source.rings);
    let mut played = reprise_replay::replay(&source.trace, &mut options);
    if let Err(error @ reprise_replay::Error::Late { .. }) = &played {
        reprise_log::warning(format_args!(
            "{error}; the replay begins anew and moves all addresses, as --addresses moved does"
        ));
        options.recorded_addresses = false;
        played = reprise_replay::replay(&source.trace, &mut options);
    }
    played.map_err(|error| {
        let stopped = diagnosing::is_of_the_gpu(&error);
        (failure(source, error), stopped)
    })
}

/// Prints a line to standard output.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print(line: &str) -> Result<(), Failure> {
    let mut output = Output::new();
    let written = output.line(line).and_then(|_| output.flush());
    written.map(|_| ()).context("cannot write to standard output").or_exit(exit::FAILED)
}

/// Bytes of contents that one replay keeps, where a command shows many; more take several replays.
pub(crate) const MOST_SHOWN_BYTES: u64 = 1 << 30;

/// Plays a trace for shots alone, up to the last of them, and gives each as soon as it is there.
///
/// # Errors
/// The trace cannot be opened, or the replay fails before all are there.
pub(crate) fn shoot(
    source: &open::Source,
    runtime: &Runtime,
    shots: Vec<Shot>,
    mut take: impl FnMut(usize, Result<ShotContents, String>),
) -> Result<Report, Failure> {
    let mut options = runtime.options()?;
    options.dumps.shots = shots;
    let mut given = HashSet::new();
    // A replay that begins anew shows again what it showed.
    options.on_shot = Some(Box::new(move |shot, shown| {
        if given.insert(shot) {
            take(shot, shown);
        }
    }));
    let library = options.runtime.clone();
    let played = play_or_say(source, options, None).map_err(|(failure, _)| failure);
    played.inspect(|report| left_out::tell(report, library.as_deref()))
}

/// The failure of a replay, which names the edit that made the call at which it failed.
fn failure(source: &open::Source, error: reprise_replay::Error) -> Failure {
    let code = exit_code(&error);
    match edits::blame(source, error.call()) {
        Some(blame) => Failure::message(code, format!("{error}. {blame}")),
        None => Failure::new(code, error),
    }
}

/// What the exit code says of a replay that ended with this.
fn exit_code(error: &reprise_replay::Error) -> u8 {
    match error {
        reprise_replay::Error::Trace { .. } => exit::TRACE,
        reprise_replay::Error::Replacement { .. }
        | reprise_replay::Error::Runtime { .. }
        | reprise_replay::Error::NoRuntime { .. } => exit::USAGE,
        _ => exit::FAILED,
    }
}

/// Writes a frame hash file.
/// Says what a flight recorder's trace lacks, before it is played.
fn tell_of_recorder(path: &Path) {
    let Ok(trace) = Trace::open(path) else { return };
    if let Some(recorder) = trace.meta().get("flight_recorder") {
        let kept = info::flight_recorder(recorder, trace.statistics().frames);
        reprise_log::info(format_args!("{}: {kept}", path.display()));
    }
}

fn write_hashes(path: &Path, lines: &[FrameLine]) -> Result<(), Failure> {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    whole_file::write(path, text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
        .or_exit(exit::FAILED)
}

/// Prints what a replay did and what was not as at capture.
fn summary(report: &Report, adapter: &adapter::Choice) -> std::io::Result<()> {
    let mut output = Output::new();
    // Nothing of the program's ended a frame.
    let frame = if report.by_submissions { "submission" } else { "frame" };
    output.line(&format!(
        "{} and {} replayed on {} in {:.2} s",
        output::plural(report.frames.len() as u64, frame),
        output::plural(report.replayed, "call"),
        report.runtime,
        report.timings.total.as_secs_f64(),
    ))?;
    output.line(&format!("  {}", differences::machines(report)))?;
    if let Some(words) = adapter.in_words() {
        output.line(&format!("  {words}"))?;
    }
    if let Some(measured) = &report.measured {
        output.line(&format!("  {}", measure::in_words(measured)))?;
    }
    if let Some(line) = rounds_in_words(&report.rounds) {
        output.line(&format!("  {line}"))?;
    }
    for line in single_calls::in_words(report) {
        output.line(&format!("  {line}"))?;
    }
    for (reason, skipped) in &report.skipped {
        output.line(&format!("  {} not replayed: {reason}", output::plural(skipped.count, "call")))?;
        for line in differences::methods(skipped) {
            output.line(&format!("    {line}"))?;
        }
    }
    if report.tables_nowhere > 0 {
        let calls = output::plural(report.tables_nowhere, "call");
        output
            .line(&format!("  {calls} set a descriptor table to a handle that lies in no heap, as the program did"))?;
    }
    if report.compared_bytes > 0 {
        let (bytes, written) = (output::bytes(report.compared_bytes), output::bytes(report.gpu_written_bytes));
        output.line(&format!(
            "  {bytes} that the program saw the GPU write compared with those here; submitted work had written {written} of them"
        ))?;
    }
    for line in [differences::early_line(report), differences::uncompared_line(report)].into_iter().flatten() {
        output.line(&format!("  {line}"))?;
    }
    if report.untold_bytes > 0 {
        let bytes = output::bytes(report.untold_bytes);
        output.line(&format!(
            "  {bytes} not stored: the trace has them as stores of the program, and they are what the GPU wrote there"
        ))?;
    }
    if report.time_bytes > 0 {
        let bytes = output::bytes(report.time_bytes);
        output.line(&format!(
            "  {bytes} of times that the GPU's clock gave not compared: they are other ones in every run"
        ))?;
    }
    if report.size_bytes > 0 {
        let bytes = output::bytes(report.size_bytes);
        output.line(&format!("  {bytes} of sizes of acceleration structures not compared: this driver has others"))?;
    }
    for line in differences::lines(report) {
        output.line(&format!("  {line}"))?;
    }
    output.flush().map(|_| ())
}

/// How long the rounds of repeated frames took; the median is of all but the first, which fills caches.
fn rounds_in_words(rounds: &[Duration]) -> Option<String> {
    let (first, mut others) = (rounds.first()?, rounds.get(1..)?.to_vec());
    others.sort_unstable();
    let ms = |time: &Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
    let others = match (others.first(), others.get(others.len() / 2), others.last()) {
        (Some(least), Some(median), Some(most)) => {
            format!(", then {} to {}, the median {}", ms(least), ms(most), ms(median))
        }
        _ => String::new(),
    };
    let count = output::plural(rounds.len() as u64, "round");
    Some(format!("{count} of the repeated frames, the GPU's work included: the first {}{others}", ms(first)))
}

/// The same for programs; of the differences no more than the report keeps in words.
fn as_json(report: &Report, adapter: &adapter::Choice) -> std::io::Result<()> {
    let frame = |frame: &reprise_replay::Frame| {
        let hash = frame.hash.map(|hash| hash.to_string());
        json!({ "frame": frame.number, "width": frame.width, "height": frame.height, "format": frame.format, "hash": hash })
    };
    let timings = &report.timings;
    let (dumped, replaced) = single_calls::as_json(report);
    let mut json = json!({
        "runtime": report.runtime,
        "frames": report.frames.iter().map(frame).collect::<Vec<_>>(),
        "divided": report.by_submissions,
        "calls": report.calls,
        "replayed": report.replayed,
        "skipped": report.skipped.iter().map(|(reason, skipped)| (reason, skipped.count)).collect::<BTreeMap<_, _>>(),
        "skipped_methods": report.skipped.iter().map(|(reason, skipped)| (reason, &skipped.methods)).collect::<BTreeMap<_, _>>(),
        "compared_bytes": report.compared_bytes,
        "gpu_written_bytes": report.gpu_written_bytes,
        "different_bytes": report.different_bytes,
        "untold_bytes": report.untold_bytes,
        "damaged": report.damaged,
        "time_bytes": report.time_bytes,
        "size_bytes": report.size_bytes,
        "tables_nowhere": report.tables_nowhere,
        "seconds": {
            "total": timings.total.as_secs_f64(),
            "fence_waits": timings.fence_waits.as_secs_f64(),
            "read_back": timings.read_back.as_secs_f64(),
        },
        "validation": adapter.as_json(),
        "measured": report.measured.as_ref().map(measure::as_json),
        "round_seconds": report.rounds.iter().map(Duration::as_secs_f64).collect::<Vec<_>>(),
        "dumped": dumped,
        "replaced_shaders": replaced,
    });
    for (name, value) in differences::as_json(report) {
        json[name] = value;
    }
    let mut output = Output::new();
    output.line(&json.to_string())?;
    output.flush().map(|_| ())
}

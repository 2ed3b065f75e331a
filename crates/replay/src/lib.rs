//! Plays a trace on any Direct3D 12 runtime.
//!
//! Events come from `reprise_trace`, native arguments from `reprise_codec`, calls go through `reprise_d3d12`. This crate
//! owns what lies between: the object behind an id, the place of a recorded address or descriptor *as of that point of the
//! trace*, the bytes that the program had written to mapped memory, the fence values that it had seen, its presentation.
//!
//! Invariant: a call is replayed, or there is a stated reason why not (`call::decision`). What names things that are not there is made as
//! well as it can be (`stale`). A call that cannot be honoured ends the replay with an error that names it; a difference from the capture is
//! reported.
//!
//! The way of a call: `walk` is the loop. A call goes the short way (`light`), the long way (`arguments`, `call`), to other
//! threads (`ahead`, with `jobs` and `lists`), or to a part with code of its own (`handlers`, `sync`, `present`, `memory`,
//! `repeat`). Its result is compared by `results`, and `report` keeps what was found. All of them share the `context`, with
//! the runtime's side (`world`, `resolve`) in it. Modules import each other in one direction: a part does not know the loop.
//!
//! ```no_run
//! use reprise_replay::{Options, replay};
//! use std::path::Path;
//!
//! // On the runtime that this program links, or on the first that is installed.
//! let report = replay(Path::new("game.reprise"), &mut Options::default())?;
//! println!("{} of {} calls on {}, {} frames", report.replayed, report.calls, report.runtime, report.frames.len());
//! report.differences.iter().for_each(|difference| println!("differs: {difference}"));
//! # Ok::<(), reprise_replay::Error>(())
//! ```

mod ahead;
mod arguments;
mod awaited;
mod call;
mod capability;
mod context;
mod control;
mod custom_view;
mod debug;
mod diagnose;
mod error;
mod executables;
mod experiment;
mod format;
mod handlers;
mod heaps;
mod hresult;
mod identifiers;
mod indirect;
mod input;
mod jobs;
mod leader;
mod light;
mod lists;
mod lone_draw;
mod marks;
mod measure;
mod memory;
mod mesh;
mod nan;
mod observer;
mod opened;
mod options;
mod overdraw;
mod overlay;
mod picture;
mod pipeline_description;
mod pipeline_origin;
mod pixel;
mod present;
mod repeat;
mod report;
mod resolve;
mod resource_dump;
mod results;
mod root_arguments;
mod runtime;
mod stale;
mod stead;
mod structures;
mod sync;
mod target_sets;
#[cfg(test)]
mod tests;
mod timing;
mod token_shader;
mod view_mask;
mod walk;
mod wished;
mod world;

use std::path::Path;

use repeat::plan::Looped;
use reprise_codec::translate::{self, Extended};
use reprise_trace::read::{Events, Trace};
use walk::Engine;
use world::World;

pub use capability::Capabilities;
pub use control::Control;
pub use custom_view::{CustomView, ViewChannels, ViewedTexels};
pub use debug::breakpoint::Breakpoints;
pub use error::{Error, Place, Subject};
pub use leader::{Leader, Order, Stand, Why};
pub use marks::{Element, NoNumber};
pub use measure::{Measure, MeasureRange, Measured};
pub use nan::{NanReport, NotNumber};
pub use observer::{ObservedCall, Observer};
pub use options::{LoopFrames, OnDiagnosis, OnPicture, OnRead, Options, Progress, Read};
pub use picture::Picture;
pub use picture::frame_ranges::{FrameRanges, FrameRangesError};
pub use picture::pixel_comparison::{Pixels, Unlike, unlike};
pub use picture::screenshot::{ScreenshotFormat, ScreenshotSize, Screenshots};
pub use pixel::histories_of_pixels;
pub use report::experiment::{Experiment, ExperimentReport, ExperimentWish};
pub use report::lone_draw::{DrawCounts, DrawnAlone, LoneDraw};
pub use report::mesh::{
    Mesh, MeshColumn, MeshKind, MeshOf, MeshStage, MeshWish, Meshlet, Meshlets, Outputs, PatchPart,
};
pub use report::overdraw::{Overdraw, OverdrawReport, OverdrawTarget};
pub use report::overlay::{Overlay, OverlayColours, OverlayCull, OverlayLayer, OverlayWish};
pub use report::pixel::{
    DrawTests, Fragment, NoPixelHistory, PixelDraw, PixelDraws, PixelEvent, PixelHistory, PixelPlace, PixelRays,
    PixelTest, PixelTests, PixelTouch, PixelWish,
};
pub use report::timing::{DriverList, DriverSubmission, TimeKind, TimeWish, TimedOperation, TimedRound, TimingReport};
pub use report::{
    Addresses, Answer, Change, Concession, Difference, Dumped, Frame, Guess, Guesses, LeftOutWork, MovedStructures,
    Replaced, Replanned, Report, Skipped, Stale, Timings, Uncompared, diagnosis, frame_comparison,
};
pub use reprise_trace::frame_hash::{FrameHash, FrameLine};
pub use resource_dump::{
    BuildInputs, DrawShot, DumpAt, DumpRequest, OnGiven, OnShot, ResourceContents, ResourceDumps, Shot, ShotContents,
    ShotOf, ShotPart, Snapshot, SnapshotPart, WantedBuild, WantedContents, draws_of_frame,
};
pub use runtime::machine::Machine;
pub use runtime::{Convention, ExpectedHeaps, LinkedRuntime, is_installed};
pub use stead::{Missing, Stead};

/// Replays the trace file at `path`.
///
/// # Errors
/// The runtime cannot be loaded, the file cannot be read, or a call cannot be honoured; see [`Error`].
pub fn replay(path: &Path, options: &mut Options<'_>) -> Result<Report, Error> {
    let trace = open(path, options)?;
    play(&trace, options).map_err(|error| in_file(path, error))
}

fn open(path: &Path, options: &Options<'_>) -> Result<Trace, Error> {
    let trace = match &options.rings {
        Some(rings) => Trace::open_with_rings(path, rings),
        None => Trace::open(path),
    };
    let trace = trace.map_err(|error| unreadable(path, &error.to_string()))?;
    if let Some(ends) = &options.frame_ends {
        trace.end_frames(ends.clone());
    }
    Ok(trace)
}

/// A trace of another model is a file that cannot be read.
fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Foreign { reason } => unreadable(path, &reason),
        error => error,
    }
}

fn unreadable(path: &Path, error: &str) -> Error {
    // The reader begins with the path, and so does our own message.
    let named = format!("{}: ", path.display());
    Error::Trace { path: path.to_owned(), reason: error.strip_prefix(&named).unwrap_or(error).to_owned() }
}

/// Plays the trace file at `path` and looks for NaN and infinity that draws and dispatches write; plays it again to find which did. With
/// `each` every draw and dispatch is looked at by itself; with `words`, words of raw and structured unordered views are looked at as floats.
///
/// # Errors
/// As [`replay`].
pub fn check_nan(
    path: &Path,
    options: &mut Options<'_>,
    each: bool,
    words: bool,
) -> Result<(Report, NanReport), Error> {
    let trace = open(path, options)?;
    let mut report = None;
    let found = nan::hunt(&trace, each, words, |points| {
        options.dumps.points = points;
        let mut played = play(&trace, options);
        if let Err(Error::Late { .. }) = &played {
            options.recorded_addresses = false;
            played = play(&trace, options);
        }
        let mut played = played?;
        let looks = std::mem::take(&mut played.looks);
        report.get_or_insert(played);
        Ok(looks)
    });
    let found = found.map_err(|error| in_file(path, error))?;
    Ok((report.unwrap_or_default(), found))
}

/// Events with what the program stored whole, or where it lies.
fn in_form(events: Events<'_>, whole: bool) -> Events<'_> {
    if whole { events } else { events.in_pieces() }
}

/// Replays a trace that is open.
///
/// # Errors
/// As [`replay`].
pub fn play(trace: &Trace, options: &mut Options<'_>) -> Result<Report, Error> {
    let today = Extended::new(reprise_d3d12::MODEL);
    translate::attach(trace, &today).map_err(|error| Error::Foreign { reason: error.to_string() })?;
    let mut engine = Engine::new(World::new(options.load_runtime()?), options);
    engine.context.report.by_submissions = trace.is_by_submissions();
    let whole = engine.context.options.patch_guess;
    let report = if let Some(plan) = engine.prepare(trace)? {
        engine.run(&mut Looped::new(trace.events(), plan), trace)
    } else if engine.context.options.threads > 1 {
        trace.events_and_blobs_ahead(|events| engine.run(&mut in_form(events, whole), trace))
    } else {
        engine.run(&mut in_form(trace.events(), whole), trace)
    };
    let (damage, more) = trace.damage();
    report.map(|report| Report { damaged: damage.len() as u64 + more, damage, ..report })
}

//! Plays a trace on any Direct3D 12 runtime.
//!
//! Events come from `reprise_trace`, native arguments from `reprise_codec`, calls go through `reprise_d3d12`. This crate
//! owns what lies between: which real object an id is, where a recorded address or descriptor lies *as of that point in
//! time*, what the program had written to mapped memory, which fence values it had seen, and what it presented.
//!
//! Invariant: a call is replayed, or there is a stated reason why not (`policy`); what cannot be honoured ends the
//! replay with an error that names the call, and what differs from the capture is reported.

mod address;
mod adjust;
mod ahead;
mod asked;
mod batch;
mod bmp;
mod breakpoint;
mod call;
mod check;
mod clock;
mod compare;
mod creations;
mod device;
mod difference;
mod dump;
mod engine;
mod error;
mod events;
mod frames;
mod handle;
mod hooks;
mod hosted;
mod ids;
mod indirect;
mod intervals;
mod lanes;
mod light;
mod lists;
mod lockstep;
mod looping;
mod machine;
mod measure;
mod memory;
mod nowhere;
mod objects;
mod options;
mod pack;
mod picture;
mod placements;
mod policy;
mod present;
mod readback;
mod reads;
mod record_ahead;
mod recorders;
mod refusal;
mod renderdoc;
mod replace;
mod replan;
mod report;
mod resolve;
mod rounds;
mod runtime;
mod screen;
mod screenshot;
#[cfg(test)]
mod script;
#[cfg(test)]
mod scripted;
#[cfg(test)]
mod scripted_blobs;
#[cfg(test)]
mod scripted_clock;
#[cfg(test)]
mod scripted_every;
#[cfg(test)]
mod scripted_indirect;
#[cfg(test)]
mod scripted_lists;
#[cfg(test)]
mod scripted_loop;
#[cfg(test)]
mod scripted_options;
#[cfg(test)]
mod scripted_portable;
#[cfg(test)]
mod scripted_present;
#[cfg(test)]
mod scripted_real;
#[cfg(test)]
mod scripted_threads;
mod settle;
mod source;
mod special;
mod sync;
mod values;
pub mod verify;
mod workers;
mod world;

use std::path::Path;

use clock::Clocks;
use engine::Engine;
use looping::Looped;
use reprise_codec::schema;
use reprise_trace::read::Trace;
use reprise_trace::wanted::Wanted;
use runtime::Runtime;
use world::World;

pub use breakpoint::Breakpoints;
pub use difference::{Pixels, Unlike, unlike};
pub use dump::{DumpAt, DumpRequest, Dumped, ResourceDumps};
pub use error::{Error, Place, Subject};
pub use frames::{FrameRanges, FrameRangesError};
pub use looping::LoopFrames;
pub use machine::Machine;
pub use measure::{Measure, MeasureRange, Measured};
pub use options::{Convention, OnPicture, OnRead, Options, Progress, Read};
pub use picture::Picture;
pub use replace::Replaced;
pub use report::{Change, Difference, Frame, Replanned, Report, Timings};
pub use reprise_trace::frame_hash::{FrameHash, FrameLine};
pub use runtime::{LinkedRuntime, is_installed};
pub use screenshot::{ScreenshotFormat, ScreenshotSize, Screenshots};

/// Replays the trace file at `path`.
///
/// # Errors
/// The runtime cannot be loaded, the file cannot be read, or a call cannot be honoured; see [`Error`].
pub fn replay(path: &Path, options: &mut Options<'_>) -> Result<Report, Error> {
    let unreadable = |error: String| {
        // The reader begins with the path, and so does our own message.
        let named = format!("{}: ", path.display());
        Error::Trace { path: path.to_owned(), reason: error.strip_prefix(&named).unwrap_or(&error).to_owned() }
    };
    let trace = match &options.rings {
        Some(rings) => Trace::open_with_rings(path, rings),
        None => Trace::open(path),
    };
    let trace = trace.map_err(|error| unreadable(error.to_string()))?;
    play(&trace, options).map_err(|error| match error {
        Error::Foreign { reason } => unreadable(reason),
        error => error,
    })
}

/// Replays a trace that is open.
///
/// # Errors
/// As [`replay`].
pub fn play(trace: &Trace, options: &mut Options<'_>) -> Result<Report, Error> {
    let understood = schema::check(&reprise_d3d12::MODEL, trace.schema());
    understood.map_err(|error| Error::Foreign { reason: error.to_string() })?;
    let runtime = Runtime::load(options)?;
    let mut engine = Engine::new(World::new(runtime), options);
    if indirect::are_in(trace.schema()) {
        engine.world.indirect.follow();
    }
    engine.report.recorded_on = Machine::recorded(trace.meta());
    engine.wanted = Wanted::of(trace.meta());
    if placements::are_in(trace.schema()) {
        engine.find_placements(&mut trace.events());
    }
    if clock::are_in(trace.schema()) {
        engine.clocks = Some(Clocks::over(trace.events()));
    }
    engine.prepare(&mut trace.events(), trace)?;
    let report = if let Some(plan) = engine.prepare_rounds(&mut trace.events())? {
        engine.run(&mut Looped::new(trace.events(), plan), trace)
    } else if engine.options.threads > 1 {
        trace.events_ahead(|mut events| engine.run(&mut events, trace))
    } else {
        engine.run(&mut trace.events(), trace)
    };
    let (damage, more) = trace.damage();
    report.map(|report| Report { damaged: damage.len() as u64 + more, damage, ..report })
}

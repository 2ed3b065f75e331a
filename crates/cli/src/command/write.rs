//! `reprise write`: the writer process of a capture. Not for people: `reprise capture` starts it.

use crate::capture::ending::{ENDED_WELL, segments_beside};
use crate::capture::motion;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::output;
use reprise_codec::schema;
use reprise_d3d12::model::MethodId;
use reprise_timeline::standing::StillStanding;
use reprise_trace::chunk::Compression;
use reprise_trace::record::Kind;
use reprise_trace::writer_process::{Flight, Knowing, Reason, WriteError, Written};
use reprise_trace::{session, writer_process};
use reprise_view::api;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Drain one session into a trace
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The session's folder
    #[arg(long, value_name = "DIR")]
    session: PathBuf,
    /// The trace to write
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// The recording process, where the session does not say it (Wine)
    #[arg(long, value_name = "PID")]
    program: Option<u32>,
    /// The largest size of the trace, in bytes
    #[arg(long, value_name = "BYTES")]
    max_size: Option<u64>,
    /// As `reprise capture` takes it
    #[arg(long, value_name = "HOW", default_value_t)]
    compression: Compression,
    /// As `reprise capture` takes it
    #[arg(long, value_name = "SECONDS")]
    hang_after: Option<u64>,
    /// Keep so many frames only
    #[arg(long, value_name = "FRAMES")]
    flight_frames: Option<u32>,
    /// Bytes that those may take
    #[arg(long, value_name = "BYTES", default_value_t = u64::MAX)]
    flight_size: u64,
    /// Write them when this file appears
    #[arg(long, value_name = "FILE")]
    flight_trigger: Option<PathBuf>,
    /// Write them at the end in any case
    #[arg(long)]
    flight_at_end: bool,
    /// Do not tell of what is written
    #[arg(long)]
    quiet: bool,
}

/// What came on standard input: nothing yet, its end, or its end behind [`ENDED_WELL`].
static END: Mutex<Option<bool>> = Mutex::new(None);
static ENDS: Condvar = Condvar::new();

pub(crate) fn run(arguments: &Arguments) -> Ended {
    become_deaf();
    give_up_without_session(arguments.session.clone());
    let options = writer_process::Options {
        session: arguments.session.clone(),
        output: arguments.output.clone(),
        program: arguments.program,
        max_bytes: arguments.max_size,
        compression: arguments.compression,
        schema: Box::new(|methods| schema::of(api::model(), methods)),
    };
    let codec = api::codec();
    let gives = Arc::new(move |method| codec.traits(MethodId(method)).output_objects);
    let hang_after = arguments.hang_after.map(Duration::from_secs);
    let path = arguments.output.clone();
    let lost = Box::new(move |loss: &str| {
        let path = path.display();
        reprise_log::error(format_args!("{path}: the recording loses what the program does from here on: {loss}"));
    });
    let knowing = Knowing { gives, hang_after, role: Box::new(motion::role), flight: flight(arguments), lost };
    let summary = match writer_process::run_knowing(options, knowing) {
        // On Windows the program is known beforehand. That it recorded nothing is for the one who started us to tell.
        Err(WriteError::NoSession(_)) if cfg!(windows) => return Ok(0),
        result => result.or_exit(exit::CAPTURE)?,
    };
    // The one who started us may be gone: the trace is finished all the same.
    let writer_process::Summary { frames, calls, bytes, gaps, program, .. } = summary;
    let stopped = summary.stopped.unwrap_or(0);
    if let Some(why) = &summary.unpacked {
        let path = arguments.output.display();
        reprise_log::warning(format_args!(
            "{path}: it is whole and larger than it need be, because what was stored in a hurry could not be packed: {why}"
        ));
    }
    if arguments.flight_frames.is_none() {
        let _ = writeln!(std::io::stdout(), "{frames} {calls} {bytes} {gaps} {stopped} {program}");
        return Ok(0);
    }
    if summary.written.is_empty() {
        let _ = writeln!(std::io::stdout(), "0 0 0 0 0 {program}");
    }
    let mut failed = false;
    for Written { path, first_frame, outcome, bytes, .. } in &summary.written {
        let Ok(totals) = outcome else {
            failed = true;
            continue;
        };
        let frames = (u64::from(totals.frames) + 1).saturating_sub(*first_frame);
        let (calls, gaps) = (totals.kinds[Kind::Enter as usize].0, totals.gaps);
        let _ = writeln!(std::io::stdout(), "{frames} {calls} {bytes} {gaps} {stopped} {program} {}", path.display());
    }
    if failed {
        Err(Failure::message(exit::CAPTURE, "a trace of the flight recorder could not be written"))
    } else {
        Ok(0)
    }
}

/// The flight recorder that is asked for.
fn flight(arguments: &Arguments) -> Option<Flight> {
    let frames = arguments.flight_frames?;
    let quiet = arguments.quiet;
    Some(Flight {
        frames,
        bytes: arguments.flight_size,
        folder: segments_beside(&arguments.output),
        trigger: arguments.flight_trigger.clone(),
        at_end: arguments.flight_at_end,
        reduce: Arc::new(StillStanding),
        ended_well: Box::new(ended_well),
        told: Box::new(move |written| tell(written, quiet)),
    })
}

/// Waits until whoever started us says how the program ended. One who is gone says nothing: then it did not end well.
fn ended_well() -> bool {
    let end = END.lock().unwrap_or_else(PoisonError::into_inner);
    let end = ENDS.wait_while(end, |end| end.is_none()).unwrap_or_else(PoisonError::into_inner);
    *end == Some(true)
}

fn tell(written: &Written, quiet: bool) {
    let why = match written.reason {
        Reason::Trigger => "the trigger asked for it",
        Reason::Removed => "a device was removed",
        Reason::Hang => "nothing moved any more (--hang-after); `reprise diagnose` tells where it stands",
        Reason::Ended => "the program ended badly",
        Reason::End => "the program ended",
    };
    let path = written.path.display();
    match &written.outcome {
        Err(error) => reprise_log::error(format_args!("{path}: the last frames are not written: {error}")),
        Ok(_) if quiet => {}
        Ok(totals) => reprise_log::info(format_args!(
            "{path}: frames {} to {}, {}: {why}",
            written.first_frame,
            u64::from(totals.frames) + 1,
            output::bytes(written.bytes)
        )),
    }
}

/// What ends the program must not end its writer.
#[cfg(unix)]
pub(crate) fn become_deaf() {
    // The last one: a file that may grow no more (`ulimit -f`) is a full disk to us.
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE, libc::SIGXFSZ] {
        // SAFETY: ignoring a signal involves no memory and no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// The launcher starts its writer outside of the console's group.
#[cfg(windows)]
fn become_deaf() {}

/// Ends this process when its standard input ends before a session appeared: then the program has ended, or whoever was
/// to start it has. A session that is gone again has been attached to.
fn give_up_without_session(folder: PathBuf) {
    std::thread::spawn(move || {
        let (mut byte, mut well) = ([0], false);
        while std::io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {
            well |= byte == [ENDED_WELL];
        }
        *END.lock().unwrap_or_else(PoisonError::into_inner) = Some(well);
        ENDS.notify_all();
        if !writer_process::is_attached() && !folder.join(session::FILE).exists() {
            // Empty if it is there at all: nobody recorded.
            let _ = std::fs::remove_dir(&folder);
            std::process::exit(0);
        }
    });
}

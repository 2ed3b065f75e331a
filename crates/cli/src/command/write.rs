//! `reprise write`: the writer process of a capture. Not for people: `reprise capture` starts it.

use crate::terminal::exit::{self, Ended, OrExit};
use crate::trace::api;
use reprise_codec::schema;
use reprise_d3d12::model::MethodId;
use reprise_trace::chunk::Compression;
use reprise_trace::{session, writer_process};
use std::io::{Read, Write};
use std::path::PathBuf;

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
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    become_deaf();
    give_up_without_session(arguments.session.clone(), arguments.output.clone());
    let options = writer_process::Options {
        session: arguments.session.clone(),
        output: arguments.output.clone(),
        program: arguments.program,
        max_bytes: arguments.max_size,
        compression: arguments.compression,
        schema: Box::new(|methods| schema::of(api::model(), methods)),
    };
    let codec = api::codec();
    let gives = |method| codec.traits(MethodId(method)).output_objects;
    let summary = writer_process::run_knowing(options, &gives).or_exit(exit::CAPTURE)?;
    // The one who started us may be gone: the trace is finished all the same.
    let writer_process::Summary { frames, calls, bytes, gaps, program, .. } = summary;
    let stopped = summary.stopped.unwrap_or(0);
    let _ = writeln!(std::io::stdout(), "{frames} {calls} {bytes} {gaps} {stopped} {program}");
    Ok(0)
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
/// to start it has. A session that is gone again has left its trace, which exists before the session's folder goes.
fn give_up_without_session(folder: PathBuf, output: PathBuf) {
    std::thread::spawn(move || {
        let mut byte = [0];
        while std::io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {}
        if !writer_process::is_attached() && !folder.join(session::FILE).exists() && !output.exists() {
            // Empty if it is there at all: nobody recorded.
            let _ = std::fs::remove_dir(&folder);
            std::process::exit(0);
        }
    });
}

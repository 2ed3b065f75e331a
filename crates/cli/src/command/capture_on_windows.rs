//! `reprise capture` on Windows: runs a program with the capture libraries beside it, and the writer as a helper process.
//!
//! Invariant: as on Linux, the exit code is the program's own unless capturing failed or lost something, and nothing but the trace is left behind.

use crate::capture::finished::{self, Finished};
use crate::capture::windows_library;
use crate::launch::windows::executable::{Executable, Machine};
use crate::launch::windows::explanation::{Known, NARROW};
use crate::launch::windows::placement::{self, Placement};
use crate::launch::windows::{folders, host_log};
use crate::options::logging::Logging;
use crate::terminal::exit::{self, Ended, Failure, OrExit};
use crate::terminal::{output, place};
use anyhow::{Context, anyhow};
use reprise_environment::capture as variable;
use reprise_trace::chunk::Compression;
use reprise_trace::session::{self, Session};
use reprise_trace::wanted_frames;
use std::ffi::OsString;
use std::io::Read;
use std::os::windows::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const EXAMPLES: &str = "\
Examples:
  reprise capture -- game.exe -dx12                  into game.reprise, which must not exist yet
  reprise capture -o bug.reprise -- game.exe         into bug.reprise
  reprise capture --frames 100-110 -- game.exe       what replaying eleven frames needs, and no more
  reprise capture --clean-up C:\\Games\\game           put back what a capture that was killed left beside a program

The capture libraries are beside the program while it runs; files of these names that are there already are put back
afterwards. Only the process that is started here is recorded. What Linux has besides is not here: triggers, sizes, other places.

Exit codes: the program's own; 124 when it ended well without ever using Direct3D 12, 125 when capturing failed, or the program ended well
and something of the recording is lost, 126 when it cannot be run, 127 when there is no such program.";

/// Keeps Ctrl-C of the console from the writer.
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// Run a program and record what it asks of Direct3D 12
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The trace to write [default: PROGRAM.reprise in this folder]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace FILE if it exists
    #[arg(short, long)]
    force: bool,
    /// Write the hash of each presented frame to this file, one `frame hash` a line
    #[arg(long, value_name = "FILE")]
    frame_hashes: Option<PathBuf>,
    /// The frames that are wanted, such as 10-20 or 1,100-105, counted from 1
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    frames: Option<String>,
    /// How the trace is compressed: zstd, lz4, none, or zstd:LEVEL from 1 to 19
    #[arg(long, value_name = "HOW", default_value_t)]
    compression: Compression,
    /// Put the capture libraries beside the programs in and below this folder, too
    #[arg(long, value_name = "FOLDER")]
    beside: Vec<PathBuf>,
    /// Put back what captures that were killed left in this folder and below it, and capture nothing
    #[arg(long, value_name = "FOLDER", exclusive = true)]
    clean_up: Option<PathBuf>,
    /// Say nothing on success
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    logging: Logging,
    /// The program and its arguments
    #[arg(value_name = "PROGRAM", required_unless_present = "clean_up", last = true)]
    program: Vec<OsString>,
}

fn frames(text: &str) -> Result<String, String> {
    wanted_frames::ranges(text).map(|_| text.to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    if let Some(folder) = &arguments.clean_up {
        return placement::clean_up_and_tell(folder);
    }
    let (name, rest) = arguments
        .program
        .split_first()
        .ok_or_else(|| Failure::message(exit::USAGE, "no program to capture: reprise capture -- PROGRAM ARGUMENTS"))?;
    let (program, executable) = find(Path::new(name))?;
    let output = output_path(arguments, &program)?;
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let hashes = arguments.frame_hashes.as_ref().map(absolute);
    let files: Vec<&Path> = std::iter::once(output.as_path()).chain(hashes.as_deref()).collect();
    arguments.logging.begin(&files)?;
    let rings = session::folder_beside(&output);
    let host_log = host_log::path_beside(&rings);
    let folder = program.parent().unwrap_or(Path::new("."));
    let roots: Vec<PathBuf> = (!folders::is_common(folder, None)).then(|| folder.to_owned()).into_iter().collect();
    let roots: Vec<PathBuf> = roots.into_iter().chain(arguments.beside.iter().map(absolute)).collect();
    let placement = windows_library::find();
    let placement = placement.and_then(|libraries| Placement::beside(&libraries, None, Some(folder), &roots));
    let placement = placement.map_err(|error| Failure::message(exit::CAPTURE, error))?;
    if !arguments.quiet {
        let (name, folder) = (program.file_name().unwrap_or_default().display(), folder.display());
        let more = match placement.folders().count() {
            0 | 1 => String::new(),
            count => format!(" and {} more", output::plural(count as u64 - 1, "folder")),
        };
        reprise_log::info(format_args!("Windows program {name}: d3d12.dll, dxgi.dll in {folder}{more} for this run"));
        if placement.is_cut() {
            reprise_log::warning("there are more folders than were searched: name others with --beside");
        }
    }
    prepare(&rings, arguments.force)?;
    let mut command = Command::new(&program);
    command.args(rest).env(variable::SESSION, &rings).env(variable::OUTPUT, &output).env(variable::HOST_LOG, &host_log);
    // Only what is started here has a writer.
    command.env(variable::PROCESS_NAME, program.file_name().unwrap_or_default());
    command.envs(reprise_log::environment());
    command.envs(arguments.frames.iter().map(|frames| (variable::FRAMES, frames)));
    command.envs(hashes.iter().map(|hashes| (variable::FRAME_HASHES, hashes)));
    let child = command.spawn().with_context(|| format!("{}: cannot be run", program.display()));
    let mut child = child.or_exit(exit::CANNOT_RUN)?;
    let writer = Writer::start(&rings, &output, child.id(), arguments.compression);
    let status = child.wait().context("cannot wait for the program").or_exit(exit::CAPTURE)?;
    let finished = writer.and_then(|writer| writer.finish(&rings));
    let told = host_log::take(&host_log);
    let replaced = placement.replaced();
    drop(placement);
    // Fails where the rings are kept for repair.
    let _ = std::fs::remove_dir(&rings);
    // Windows has codes of 32 bits; what does not fit is an exception's.
    let code = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
    let Some(numbers) = finished.or_exit(exit::CAPTURE)? else {
        let known = Known { executable: Some(&executable), told, replaced, ..Known::default() };
        let name = program.file_name().unwrap_or_default().display();
        reprise_log::error(format_args!("no trace: {name} ended (exit code {code}); {}", known.reason()));
        return Ok(if code == 0 { exit::NO_DEVICE } else { code });
    };
    let finished = Finished::of(output, numbers);
    finished.tell(arguments.quiet);
    Ok(finished::code(code, finished.loss.is_some()))
}

/// The program's file, by its path or along the system's, and what its header says.
fn find(name: &Path) -> Result<(PathBuf, Executable), Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::iter::once(PathBuf::new()).chain(std::env::split_paths(&path)).collect();
    let names = [name.to_owned(), name.with_added_extension("exe")];
    let candidates = folders.iter().flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let found = candidates.into_iter().find(|candidate| candidate.is_file());
    let found = found.and_then(|found| std::path::absolute(found).ok());
    let found =
        found.ok_or_else(|| Failure::message(exit::NOT_FOUND, format!("{}: no such program", name.display())))?;
    let refuse = |what: &str| Err(Failure::message(exit::CANNOT_RUN, format!("{}: {what}", found.display())));
    match Executable::read(&found) {
        None => refuse("no Windows program"),
        Some(Executable { machine: Machine::Bits64, imports }) => {
            Ok((found, Executable { machine: Machine::Bits64, imports }))
        }
        Some(Executable { machine: Machine::Bits32, .. }) => refuse(NARROW),
        Some(_) => refuse("only programs for x86-64 are captured"),
    }
}

fn output_path(arguments: &Arguments, program: &Path) -> Result<PathBuf, Failure> {
    arguments.frame_hashes.as_deref().map_or(Ok(()), place::named)?;
    let default = || PathBuf::from(program.file_stem().unwrap_or_default()).with_added_extension("reprise");
    let named = arguments.output.clone().unwrap_or_else(default);
    place::named(&named)?;
    let path = std::path::absolute(&named).with_context(|| named.display().to_string()).or_exit(exit::USAGE)?;
    place::other_than_file(&path)?;
    place::free(&path, arguments.force)?;
    Ok(path)
}

/// Makes the folder of the rings, in which nothing of an earlier capture is.
fn prepare(rings: &Path, force: bool) -> Result<(), Failure> {
    if !force && rings.join(session::FILE).exists() {
        let message = format!(
            "{} holds what an earlier capture recorded: save it with reprise repair, or drop it with --force",
            rings.display()
        );
        return Err(Failure::message(exit::USAGE, message));
    }
    let made = std::fs::create_dir_all(rings).and_then(|()| Session::clear(rings));
    made.with_context(|| format!("cannot make the folder {}", rings.display())).or_exit(exit::CAPTURE)
}

/// The process that writes the trace.
struct Writer(Child);

impl Writer {
    fn start(rings: &Path, output: &Path, program: u32, compression: Compression) -> anyhow::Result<Writer> {
        let mut command = Command::new(std::env::current_exe().context("cannot tell where this program lies")?);
        command.arg("write").arg("--session").arg(rings).arg("--output").arg(output);
        command.arg("--program").arg(program.to_string()).arg("--compression").arg(compression.to_string());
        command.envs(reprise_log::environment()).creation_flags(CREATE_NEW_PROCESS_GROUP);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        child.map(Writer).context("cannot start the writer")
    }

    /// Frames, calls, bytes and gaps of the trace, and why it was stopped; `None` when nothing was recorded.
    fn finish(mut self, rings: &Path) -> anyhow::Result<Option<[u64; 5]>> {
        drop(self.0.stdin.take());
        let mut text = String::new();
        if let Some(mut output) = self.0.stdout.take() {
            output.read_to_string(&mut text).context("cannot read from the writer")?;
        }
        let status = self.0.wait().context("cannot wait for the writer")?;
        // Windows removes no file that is mapped, as these are in the writer until its end.
        let doomed = session::doomed(rings, self.0.id());
        if doomed.exists() && Session::clear(&doomed).is_ok() {
            let _ = std::fs::remove_dir(&doomed);
        }
        let counts: Vec<u64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match counts[..] {
            [] if status.success() => Ok(None),
            [frames, calls, bytes, gaps, stopped, ..] if status.success() => {
                Ok(Some([frames, calls, bytes, gaps, stopped]))
            }
            _ => Err(anyhow!("the writer failed ({status})")),
        }
    }
}

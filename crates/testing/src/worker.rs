//! A Direct3D 12 program of several threads that keeps a log of its own of the calls that have returned, in memory that
//! outlives it, and ends in any way it is told to. It runs on the null runtime.
//!
//! Invariant: the log is written by the program alone, so it is an expectation independent of the capture library.

use crate::missing::{self, Missing};
use crate::{artifact, program};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const PROGRAM: &str = include_str!("worker/worker.c");
const SHIM: &str = include_str!("worker/shim.c");

/// Threads of the program.
pub const THREADS: usize = 3;

/// How the program comes to its runtime.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Link {
    /// Linked with it.
    Linked,
    /// Opened for this program alone, and asked for the function behind the handle.
    Opened,
}

/// How far a program has come, or came: calls that had returned, by thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Log {
    /// Its process id; 0 before it began.
    pub pid: u32,
    /// Draws: numbered from 1, with the number of the thread as count of instances.
    pub draws: [u64; THREADS],
    /// Calls of `GetNodeCount`.
    pub nodes: [u64; THREADS],
    /// Calls of `ID3D12CommandQueue::Signal`; the value is the number, from 1, times 256, plus the thread.
    pub signals: [u64; THREADS],
    /// Calls of `SetPrivateData` with 512 bytes that begin with the number, from 1, and the thread.
    pub data: [u64; THREADS],
}

impl Log {
    /// What the log in a file says now; all zeros where there is none yet.
    pub fn read(path: &Path) -> Log {
        let mut bytes = Vec::new();
        // A file that is not there, or not whole, is a log that has not begun.
        let _ = std::fs::File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
        bytes.resize(4096, 0);
        let word = |at: usize| bytes[at..].first_chunk::<8>().map_or(0, |word| u64::from_le_bytes(*word));
        let kind = |kind: usize| std::array::from_fn(|thread| word(8 + 8 * (thread * 4 + kind)));
        Log { pid: word(0) as u32, draws: kind(0), nodes: kind(1), signals: kind(2), data: kind(3) }
    }

    /// All calls that had returned.
    pub fn calls(&self) -> u64 {
        [self.draws, self.nodes, self.signals, self.data].iter().flatten().sum()
    }
}

/// Builds the program into a folder; gives its path. Its arguments: see the source.
///
/// # Errors
/// [`Missing`] when there is no C compiler, or no header of the API.
///
/// # Panics
/// When the runtime does not build, or the compiler does not take the program.
pub fn build(folder: &Path, link: Link) -> Result<PathBuf, Missing> {
    build_on(&runtime(), folder, link)
}

/// As [`build`], on this null runtime, whose convention is win64.
///
/// # Errors
/// As [`build`].
///
/// # Panics
/// When the compiler does not take the program.
pub fn build_on(runtime: &Path, folder: &Path, link: Link) -> Result<PathBuf, Missing> {
    missing::file(&["/usr/include/vkd3d/vkd3d.h"], "libvkd3d-dev")?;
    let place = runtime.parent().unwrap_or(Path::new("/"));
    let mut arguments = vec!["-I/usr/include/vkd3d".to_owned(), "-lpthread".to_owned(), "-ldl".to_owned()];
    match link {
        Link::Opened => arguments.push(format!("-DOPENED=\"{}\"", runtime.display())),
        Link::Linked => arguments.extend([
            format!("-L{}", place.display()),
            "-lreprise_null_win64".to_owned(),
            format!("-Wl,-rpath,{}", place.display()),
        ]),
    }
    compile(folder, "worker", PROGRAM, &arguments)
}

/// Builds a layer of somebody else's, to be preloaded, which says `shim: N` on standard error as a program ends that has
/// made N devices.
///
/// # Errors
/// [`Missing`] when there is no C compiler.
///
/// # Panics
/// When the compiler does not take it.
pub fn shim(folder: &Path) -> Result<PathBuf, Missing> {
    compile(folder, "shim.so", SHIM, &["-shared".to_owned(), "-fPIC".to_owned(), "-ldl".to_owned()])
}

/// The runtime of the program.
///
/// # Panics
/// When it does not build.
pub fn runtime() -> PathBuf {
    artifact::null_library().unwrap_or_else(|error| panic!("{error:#}"))
}

fn compile(folder: &Path, name: &str, source: &str, arguments: &[String]) -> Result<PathBuf, Missing> {
    let compiler = missing::program("gcc", "gcc")?;
    let (file, output) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&file, source).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut command = Command::new(compiler);
    command.args(["-O1", "-Wall", "-o"]).arg(&output).arg(&file).args(arguments);
    let finished = program::run(&mut command, Duration::from_secs(120)).unwrap_or_else(|error| panic!("gcc: {error}"));
    assert!(finished.status.success(), "{}", finished.errors());
    let _ = std::fs::remove_file(&file);
    Ok(output)
}

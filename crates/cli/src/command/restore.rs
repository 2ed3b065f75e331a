//! `reprise restore`: takes away what a run has left, and puts the folders of a Windows program back when it was killed. Not for people:
//! `reprise capture` and `reprise run` start it, and have `--clean-up` for them.

use crate::command::write::become_deaf;
use crate::launch::folder;
use crate::launch::mark::Mark;
use crate::launch::processes;
use crate::launch::windows::journal::{self, Refusal};
use crate::terminal::exit::Ended;
use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(200);

/// Put folders back when the run has ended
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder by which the processes of the run are known
    #[arg(long, value_name = "DIR")]
    session: PathBuf,
    /// The variable of their environment that names it
    #[arg(long, value_name = "NAME")]
    variable: String,
    /// A file of the run, or its folder, to remove at the end
    #[arg(long, value_name = "PATH")]
    remove: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    become_deaf();
    let mark = Mark::new(&arguments.variable, &arguments.session);
    let mut input = Vec::new();
    // What cannot be read any more is as an end.
    let _ = std::io::stdin().read_to_end(&mut input);
    let paths = input.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let folders: Vec<PathBuf> = paths.map(|path| OsStr::from_bytes(path).into()).collect();
    let is_left = || folders.iter().any(|folder| folder.join(journal::NAME).exists());
    // A program that still runs may load a library late.
    while is_left() && !processes::of_windows(&mark).is_empty() {
        std::thread::sleep(LOOK);
    }
    for folder in &folders {
        match restore(folder) {
            Ok(left) => left.iter().flatten().for_each(reprise_log::warning),
            // Another run came first, and has put it back itself.
            Err(Refusal::Busy(_)) => {}
            Err(refusal) => reprise_log::error(refusal.message(folder)),
        }
    }
    remove(&arguments.remove, &mark);
    Ok(0)
}

/// Removes a file that nobody reads any more, or a folder of a run once none of its processes is left. After an orderly end it may be
/// gone already.
fn remove(path: &Path, mark: &Mark) {
    let is_folder =
        path.is_dir() && path.file_name().is_some_and(|name| name.as_bytes().starts_with(folder::PREFIX.as_bytes()));
    if !is_folder {
        let _ = std::fs::remove_file(path);
        return;
    }
    become_mute();
    while path.exists() && !processes::of_any(mark).is_empty() {
        std::thread::sleep(LOOK);
    }
    let _ = std::fs::remove_dir_all(path);
}

/// From here on there is nothing to say: whoever reads standard error to its end need not wait for ours.
fn become_mute() {
    if let Ok(nothing) = std::fs::File::options().write(true).open("/dev/null") {
        // SAFETY: both are open descriptors of this process; the copy in the place of standard error stays open.
        unsafe { libc::dup2(nothing.as_raw_fd(), libc::STDERR_FILENO) };
    }
}

/// As [`journal::restore`], with patience: the kernel closes the files of a process that was killed one by one, and the lock may come
/// after our input.
fn restore(folder: &Path) -> Result<Option<Vec<String>>, Refusal> {
    const PATIENCE: Duration = Duration::from_secs(2);
    let since = Instant::now();
    loop {
        match journal::restore(folder) {
            Err(Refusal::Busy(_)) if since.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(10)),
            result => return result,
        }
    }
}

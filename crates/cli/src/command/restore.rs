//! `reprise restore`: puts the folders of a Windows program back when its capture was killed. Not for people: `reprise capture`
//! starts it, and has `--clean-up` for them.

use crate::capture::windows::journal::{self, Refusal};
use crate::capture::windows::{host_log, processes};
use crate::command::write::become_deaf;
use crate::terminal::exit::Ended;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Put folders back when the capture has ended
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder of the capture's rings
    #[arg(long, value_name = "DIR")]
    session: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Ended {
    const LOOK: Duration = Duration::from_millis(200);
    become_deaf();
    let mut input = Vec::new();
    // What cannot be read any more is as an end.
    let _ = std::io::stdin().read_to_end(&mut input);
    let paths = input.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let folders: Vec<PathBuf> = paths.map(|path| OsStr::from_bytes(path).into()).collect();
    let is_left = || folders.iter().any(|folder| folder.join(journal::NAME).exists());
    // A program that still runs may load a library late.
    while is_left() && !processes::of_capture(&arguments.session).is_empty() {
        std::thread::sleep(LOOK);
    }
    // Nobody reads it any more; after an orderly end it is gone already.
    let _ = std::fs::remove_file(host_log::path_beside(&arguments.session));
    for folder in &folders {
        match restore(folder) {
            Ok(left) => left.iter().flatten().for_each(reprise_log::warning),
            // Another capture came first, and has put it back itself.
            Err(Refusal::Busy(_)) => {}
            Err(refusal) => reprise_log::error(refusal.message(folder)),
        }
    }
    Ok(0)
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

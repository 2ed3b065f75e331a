//! A folder for one run. It is gone when the run is over, and no process of the run needs it any more.

use crate::launch::mark::Mark;
use crate::launch::processes;
use crate::launch::restorer::Restorer;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the folders are called, before letters that make each the only one.
pub(crate) const PREFIX: &str = "reprise-run-";

/// An `exec` takes less.
const SECOND_LOOK: Duration = Duration::from_millis(20);

/// The folder. Dropped, it is removed.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    mark: Mark,
    /// Removes the folder at the end, whatever happens to us; `None`: we do.
    restorer: Option<Restorer>,
}

impl Folder {
    /// Makes a folder in the folder `place`, for our user alone. `mark` says, of the folder, how the processes of the run are known.
    ///
    /// # Errors
    /// The system makes no folder there.
    pub(crate) fn make(place: &Path, mark: impl FnOnce(&Path) -> Mark) -> io::Result<Folder> {
        let path = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?.keep();
        let mark = mark(&path);
        let restorer = Restorer::start(&mark, &path);
        Ok(Folder { path, mark, restorer })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn mark(&self) -> &Mark {
        &self.mark
    }

    /// The run is over. Where processes that the program left still run, the folder stays until they have ended.
    pub(crate) fn end(mut self) {
        let mut left = processes::of_any(&self.mark);
        if left.is_empty() {
            // One that was at its `exec` showed no environment.
            std::thread::sleep(SECOND_LOOK);
            left = processes::of_any(&self.mark);
        }
        if let Some(one) = left.first()
            && let Some(restorer) = self.restorer.take()
        {
            let name = one.name();
            reprise_log::info(format_args!("{name} (process {}) still runs, and keeps our libraries", one.id));
            restorer.outlives_us();
            std::mem::forget(self);
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.restorer.is_none() {
            // One that another removed is gone as well.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

//! Looks at the Windows processes of a run, so that it can be said afterwards why none used our libraries.

use crate::launch::mark::Mark;
use crate::launch::processes::{self, Process};
use crate::launch::windows::executable::Executable;
use crate::launch::windows::explanation::Seen;
use crate::launch::windows::libraries;
use crate::launch::windows::prefix::Prefix;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often. A look costs about a millisecond for each hundred processes of the machine.
const LOOK: Duration = Duration::from_millis(250);

/// A thread that looks, until it is stopped.
#[derive(Debug)]
pub(crate) struct Observer {
    seen: Arc<Mutex<BTreeMap<u32, Seen>>>,
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Observer {
    /// Begins to look for the processes of this mark.
    pub(crate) fn start(mark: &Mark, prefix: Option<Prefix>, directory: &Path) -> Observer {
        let (seen, stop) = (Arc::<Mutex<BTreeMap<u32, Seen>>>::default(), Arc::<AtomicBool>::default());
        let (kept, stopped, mark, directory) =
            (Arc::clone(&seen), Arc::clone(&stop), mark.clone(), directory.to_owned());
        let thread = std::thread::spawn(move || {
            let mut ours = BTreeMap::new();
            while !stopped.load(Ordering::Acquire) {
                let processes = processes::of_windows(&mark);
                let mut seen = kept.lock().unwrap_or_else(PoisonError::into_inner);
                for process in processes.into_iter().filter(|process| !process.begins()) {
                    note(&mut seen, &mut ours, process, prefix.as_ref(), &directory);
                }
                drop(seen);
                std::thread::park_timeout(LOOK);
            }
        });
        Observer { seen, stop, thread }
    }

    /// The programs that ran, in the order of their processes' numbers.
    pub(crate) fn finish(self) -> Vec<Seen> {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        // A panic there was printed; what it had seen is good all the same.
        let _ = self.thread.join();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *seen).into_values().collect()
    }
}

/// `ours` is what is known of files: they are large, and asked for at every look.
fn note(
    seen: &mut BTreeMap<u32, Seen>,
    ours: &mut BTreeMap<PathBuf, bool>,
    process: Process,
    prefix: Option<&Prefix>,
    directory: &Path,
) {
    let entry = seen.entry(process.id).or_insert_with(|| {
        let file = prefix.and_then(|prefix| prefix.locate(&process.program, directory));
        let machine = file.and_then(|file| Executable::read(&file)).map(|executable| executable.machine);
        Seen { name: process.name(), machine, direct3d: None }
    });
    // Ours tells of itself.
    let mut is_ours = |path: &PathBuf| *ours.entry(path.clone()).or_insert_with(|| libraries::is_ours(path));
    let direct3d = process.direct3d.filter(|path| !is_ours(path));
    entry.direct3d = direct3d.or(entry.direct3d.take());
}

//! Where our libraries stand for one run: the folders, taken together and given back together.

use crate::launch::restorer::Restorer;
use crate::launch::windows::folders;
use crate::launch::windows::journal::{self, Folder, Refusal};
use crate::launch::windows::libraries::Libraries;
use crate::terminal::exit::{self, Ended, Failure};
use crate::terminal::output;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of one run. Dropped, they are given back.
#[derive(Debug)]
pub(crate) struct Placement {
    folders: Vec<Folder>,
    /// Ends after they were given back; `None` where it could not be started.
    restorer: Option<Restorer>,
    /// More programs may lie deeper than was searched.
    cut: bool,
}

impl Placement {
    /// Beside the program of the folder `first`, where there is one, and beside all programs of 64 bits in and below the folders
    /// of `roots`. The restorer hears of each folder before it changes.
    ///
    /// # Errors
    /// Another run uses a folder; or nothing can stand in `first`, or anywhere.
    pub(crate) fn beside(
        libraries: &Libraries,
        restorer: Option<Restorer>,
        first: Option<&Path>,
        roots: &[PathBuf],
    ) -> Result<Placement, String> {
        let mut wanted: Vec<PathBuf> = first.map(Path::to_owned).into_iter().collect();
        let mut cut = false;
        for root in roots {
            let found = folders::below(root);
            cut |= found.cut;
            wanted.extend(found.folders);
        }
        let mut known = BTreeSet::new();
        wanted.retain(|folder| known.insert(folder.canonicalize().unwrap_or_else(|_| folder.clone())));
        Placement::take(libraries, restorer, &wanted, first, cut)
    }

    /// In the folder of the system's libraries of a prefix. Windows' own folder is not for us to change.
    ///
    /// # Errors
    /// As [`Placement::beside`].
    #[cfg(unix)]
    pub(crate) fn system(
        libraries: &Libraries,
        restorer: Option<Restorer>,
        folder: &Path,
    ) -> Result<Placement, String> {
        if !folder.is_dir() {
            return Err(format!("there is no folder {}: let Wine make the prefix first (wineboot)", folder.display()));
        }
        Placement::take(libraries, restorer, &[folder.to_owned()], Some(folder), false)
    }

    fn take(
        libraries: &Libraries,
        restorer: Option<Restorer>,
        wanted: &[PathBuf],
        needed: Option<&Path>,
        cut: bool,
    ) -> Result<Placement, String> {
        let mut placement = Placement { folders: Vec::new(), restorer, cut };
        let mut refused = Vec::new();
        for folder in wanted {
            placement.restorer.iter_mut().for_each(|restorer| restorer.tell(folder));
            match Folder::take(folder, &libraries.folder, &libraries.names_for(folder)) {
                Ok(taken) => placement.folders.push(taken),
                // Two runs must not count on the same folder, wherever it is.
                Err(refusal) if needed == Some(folder) || matches!(refusal, Refusal::Busy(_)) => {
                    return Err(refusal.message(folder));
                }
                Err(refusal) => refused.push(refusal.message(folder)),
            }
        }
        if placement.folders.is_empty() {
            return Err(refused
                .pop()
                .unwrap_or_else(|| "there is no Windows program of 64 bits to stand beside".into()));
        }
        refused.iter().for_each(|refusal| {
            reprise_log::warning(format_args!("our libraries do not stand beside programs there: {refusal}"))
        });
        Ok(placement)
    }

    /// The folders.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(Folder::path)
    }

    /// Whether programs may lie deeper than was searched.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Files of ours that another replaced.
    pub(crate) fn replaced(&self) -> Vec<String> {
        let replaced = self.folders.iter().flat_map(|folder| {
            folder.replaced().into_iter().map(|name| folder.path().join(name).display().to_string())
        });
        replaced.collect()
    }
}

impl Drop for Placement {
    fn drop(&mut self) {
        for folder in self.folders.drain(..) {
            let path = folder.path().to_owned();
            match folder.restore() {
                Ok(left) => left.iter().for_each(reprise_log::warning),
                Err(refusal) => {
                    let path = path.display();
                    reprise_log::error(format_args!(
                        "{path} is not as it was ({refusal:?}): run `reprise capture --clean-up {path}`"
                    ));
                }
            }
        }
    }
}

/// Puts back the folder and those below it, where runs were killed. Returns the number of folders that were put back, and a message for
/// each file that could not be.
fn clean_up(root: &Path) -> (usize, Vec<String>) {
    let (mut cleaned, mut left) = (0, Vec::new());
    for folder in folders::with_file(root, journal::NAME) {
        match journal::restore(&folder) {
            Ok(Some(warnings)) => {
                cleaned += 1;
                left.extend(warnings);
            }
            Ok(None) => {}
            Err(refusal) => left.push(refusal.message(&folder)),
        }
    }
    (cleaned, left)
}

/// Puts back what runs that were killed left in a folder and below it, and says so.
///
/// # Errors
/// There is no such folder.
pub(crate) fn clean_up_and_tell(folder: &Path) -> Ended {
    if !folder.is_dir() {
        return Err(Failure::message(exit::USAGE, format!("--clean-up: there is no folder {}", folder.display())));
    }
    let (cleaned, left) = clean_up(folder);
    left.iter().for_each(reprise_log::warning);
    reprise_log::info(match cleaned {
        0 => format!("{}: nothing was left there", folder.display()),
        _ => format!("{}: put back", output::plural(cleaned as u64, "folder")),
    });
    Ok(if left.is_empty() { 0 } else { exit::CAPTURE })
}

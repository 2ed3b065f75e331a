//! The right to record into one trace: its ring folder, locked as long as the capture or one of its writers lives.
//!
//! Invariants: two captures never share a ring folder; a folder that is claimed holds nothing of an earlier capture; what
//! an earlier capture had not stored is not thrown away unless asked to. The lock is the kernel's, on the folder itself,
//! so it ends with the processes that hold it, however they end.

use crate::terminal::exit::{self, Failure, OrExit};
use anyhow::Context;
use reprise_trace::session::{self, Session};
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long the writer of an earlier capture, whose program is gone, may take to finish its trace.
const FINISHING: Duration = Duration::from_secs(30);

/// A claimed folder. It exists from here on; when the claim ends it is removed, if it is still there and empty.
#[derive(Debug)]
pub(crate) struct Claim {
    folder: PathBuf,
    lock: File,
}

/// Whether a folder is free to be used.
enum State {
    Free,
    /// The writer of an earlier capture still works, but its program is gone: soon it will be.
    Finishing,
    /// A program still records there.
    Recording(u32),
    /// Records that are in no trace yet.
    Unsaved,
}

impl Claim {
    /// Claims the ring folder of the trace `output`; `force` gives up what an earlier capture had not stored.
    ///
    /// # Errors
    /// When another capture records there, or one that was cut short left records behind.
    pub(crate) fn take(folder: &Path, output: &Path, force: bool) -> Result<Claim, Failure> {
        let patience = Instant::now() + FINISHING;
        let claim = loop {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))
                .or_exit(exit::CAPTURE)?;
            let state = match Claim::try_lock(folder).or_exit(exit::CAPTURE)? {
                Some(claim) => match state_of(folder) {
                    State::Free => break claim,
                    State::Unsaved if force => break claim,
                    state => state,
                },
                None => match state_of(folder) {
                    State::Recording(process) => State::Recording(process),
                    _ => State::Finishing,
                },
            };
            let output = output.display();
            let message = match state {
                State::Unsaved => {
                    let folder = folder.display();
                    format!(
                        "an earlier capture was cut short: {folder} holds calls that are not in {output} yet; save them \
                         with `reprise repair {output}`, or drop them with --force"
                    )
                }
                State::Recording(process) => format!("process {process} is being recorded into {output} right now"),
                _ if Instant::now() < patience => {
                    std::thread::sleep(Duration::from_millis(10));
                    continue;
                }
                _ => format!("another capture is writing {output} right now"),
            };
            return Err(Failure::message(exit::USAGE, message));
        };
        claim.clear(force)?;
        Ok(claim)
    }

    /// `None` where somebody else has the lock, or the folder was replaced meanwhile.
    fn try_lock(folder: &Path) -> anyhow::Result<Option<Claim>> {
        let lock = match File::open(folder) {
            Ok(lock) => lock,
            // Removed between our making it and this.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).with_context(|| format!("cannot open {}", folder.display())),
        };
        match lock.try_lock() {
            Ok(()) => {
                let claim = Claim { folder: folder.into(), lock };
                Ok(claim.is_in_place().then_some(claim))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("cannot lock the folder {}", folder.display()))
            }
        }
    }

    /// Whether the folder of that name is still the one that is locked.
    fn is_in_place(&self) -> bool {
        let number = |data: std::io::Result<std::fs::Metadata>| data.ok().map(|data| (data.dev(), data.ino()));
        number(self.lock.metadata()).is_some_and(|own| number(std::fs::metadata(&self.folder)) == Some(own))
    }

    /// What a writer must hold open, so that the claim lasts as long as it does.
    pub(crate) fn descriptor(&self) -> RawFd {
        self.lock.as_raw_fd()
    }

    /// Removes what earlier captures left in the folder and beside it.
    fn clear(&self, force: bool) -> Result<(), Failure> {
        let cannot = |path: &Path| format!("cannot remove what an earlier capture left in {}", path.display());
        Session::clear(&self.folder).with_context(|| cannot(&self.folder)).or_exit(exit::CAPTURE)?;
        let Some(entries) = self.folder.parent().and_then(|parent| std::fs::read_dir(parent).ok()) else {
            return Ok(());
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            let stale = match kind_of(&self.folder, &path) {
                Some(Kind::Doomed) => true,
                // Of a process whose writer or program may still run: then it is theirs.
                Some(Kind::Further(_)) => match state_of(&path) {
                    State::Free => true,
                    State::Unsaved if force => true,
                    State::Unsaved => {
                        let path = path.display();
                        let message = format!(
                            "an earlier capture was cut short: {path} holds calls that are in no trace yet; save them with \
                             `reprise repair --rings {path} TRACE`, or drop them with --force"
                        );
                        return Err(Failure::message(exit::USAGE, message));
                    }
                    State::Finishing | State::Recording(_) => false,
                },
                None => false,
            };
            if stale && let Ok(Some(other)) = Claim::try_lock(&path) {
                Session::clear(&path).with_context(|| cannot(&path)).or_exit(exit::CAPTURE)?;
                drop(other);
            }
        }
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // While it is ours nobody else puts another one in its place.
        if self.is_in_place() {
            // A process that was killed while it made its session leaves the beginning of one.
            if !self.folder.join(session::FILE).exists() {
                let _ = Session::clear(&self.folder);
            }
            // Fails where the rings are kept for repair.
            let _ = std::fs::remove_dir(&self.folder);
        }
    }
}

fn state_of(folder: &Path) -> State {
    if !folder.join(session::FILE).exists() {
        return State::Free;
    }
    // What cannot be opened is for people to look at.
    let Ok(session) = Session::open_snapshot(folder) else { return State::Unsaved };
    if session.program_runs() {
        State::Recording(session.pid())
    } else if session.has_writer() {
        State::Finishing
    } else if session.has_unsaved() {
        State::Unsaved
    } else {
        State::Free
    }
}

/// What else captures make beside the first ring folder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// The session of a further process, by its id: `x.reprise.123.rings` beside `x.reprise.rings`; `x.reprise.123-2.rings` once
    /// that process has become another program.
    Further(u32),
    /// What a writer was removing when it was killed: `x.reprise.rings.456`, `x.reprise.123.rings.456`.
    Doomed,
}

/// What `folder` is to the ring folder `first`; `None` where it is something else.
pub(crate) fn kind_of(first: &Path, folder: &Path) -> Option<Kind> {
    let name = folder.file_name()?.to_str()?;
    let rest = name.strip_prefix(first.file_stem().and_then(OsStr::to_str)?)?;
    let (process, last) = rest.split_once(".rings")?;
    // `.123`, or `.123-2` where the process has become another program.
    let number = |text: &str| {
        let (pid, image) = text.strip_prefix('.').map(|own| own.split_once('-').unwrap_or((own, "1")))?;
        image.parse::<u32>().ok().and(pid.parse::<u32>().ok())
    };
    match (process, last) {
        ("", "") => None,
        (process, "") => number(process).map(Kind::Further),
        (process, last) => {
            (number(last).is_some() && (process.is_empty() || number(process).is_some())).then_some(Kind::Doomed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_beside_the_first() {
        let first = Path::new("/t/x.reprise.rings");
        let kind = |name: &str| kind_of(first, &Path::new("/t").join(name));
        assert_eq!(kind("x.reprise.123.rings"), Some(Kind::Further(123)));
        assert_eq!(kind("x.reprise.123-2.rings"), Some(Kind::Further(123)));
        assert_eq!(kind("x.reprise.rings.456"), Some(Kind::Doomed));
        assert_eq!(kind("x.reprise.123.rings.456"), Some(Kind::Doomed));
        for other in [
            "x.reprise.rings",
            "x.reprise.12a.rings",
            "y.reprise.123.rings",
            "x.reprise.123",
            "x.reprise.rings.old",
            "x.reprise.a.rings.1",
            "x.reprise-2.reprise.rings",
        ] {
            assert_eq!(kind(other), None, "{other}");
        }
    }
}

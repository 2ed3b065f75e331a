//! Whether anything opened the system's Direct3D 12 while a program ran.
//!
//! The kernel keeps what it saw (inotify), so a library that is loaded and left between two looks at the processes is known, too. It does not
//! say which process it was.

use crate::launch::windows::explanation::Opened;
use crate::launch::windows::prefix::Prefix;
use std::fs::File;
use std::io::Read;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// A watch over the system's library, from before the program begins.
#[derive(Debug)]
pub(crate) struct Watch {
    events: File,
    library: PathBuf,
}

impl Watch {
    /// Begins to watch the library of a prefix, where it has one.
    pub(crate) fn begin(prefix: &Prefix) -> Option<Watch> {
        let library = prefix.system().join("d3d12.dll");
        let path = std::ffi::CString::new(library.as_os_str().as_bytes()).ok()?;
        // SAFETY: the flags are those of the function, which takes nothing else.
        let descriptor = unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) };
        if descriptor < 0 {
            return None;
        }
        // SAFETY: the descriptor is new, and nobody else has it.
        let events = unsafe { File::from_raw_fd(descriptor) };
        // SAFETY: the descriptor is one of inotify, and the path ends with a zero.
        let watch = unsafe { libc::inotify_add_watch(descriptor, path.as_ptr(), libc::IN_OPEN) };
        (watch >= 0).then_some(Watch { events, library })
    }

    /// What it saw.
    pub(crate) fn finish(mut self) -> Opened {
        // There are no other events, so one byte of an event is enough; without events nothing can be read.
        match self.events.read(&mut [0; 4096]) {
            Ok(bytes) if bytes > 0 => Opened::Yes(self.library),
            _ => Opened::No,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_was_open_for_an_instant_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        let prefix = Prefix::of(|name| (name == "WINEPREFIX").then(|| folder.path().to_owned())).unwrap();
        assert!(Watch::begin(&prefix).is_none(), "there is no prefix yet");
        std::fs::create_dir_all(prefix.system()).unwrap();
        let library = prefix.system().join("d3d12.dll");
        std::fs::write(&library, "MZ").unwrap();
        let (idle, busy) = (Watch::begin(&prefix).unwrap(), Watch::begin(&prefix).unwrap());
        assert_eq!(idle.finish(), Opened::No);
        drop(File::open(&library).unwrap());
        assert_eq!(busy.finish(), Opened::Yes(library));
    }
}

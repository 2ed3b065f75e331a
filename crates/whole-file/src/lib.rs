//! A file to write that is there whole or not at all.
//!
//! Invariants: until [`Whole::finish`] the new file has no name, or, on file systems without nameless files, a name of its own beside the
//! target. An old file at the target is not touched until then. It is then replaced, not written over, so whoever reads it goes on reading
//! the old contents. Two kinds of targets are written to directly: files that are not regular, and those that this process has open
//! already (`/dev/stdout`).
//!
//! ```
//! use reprise_whole_file::Whole;
//! use std::io::Write;
//!
//! let path = std::env::temp_dir().join(format!("whole-{}.txt", std::process::id()));
//! let whole = Whole::begin(&path)?;
//! whole.writer()?.write_all(b"all of it")?;
//! assert!(!path.exists());
//! whole.finish()?;
//! assert_eq!(std::fs::read(&path)?, b"all of it");
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(windows)]
#[path = "windows.rs"]
mod system;

/// A file under way. Dropped before it is finished it leaves nothing.
#[derive(Debug)]
pub struct Whole {
    file: File,
    state: State,
    /// Where it is to stand, links followed.
    target: PathBuf,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Under no name.
    Unnamed,
    /// Under this one.
    Named(PathBuf),
    /// It is the target itself.
    InPlace,
}

impl Whole {
    /// Begins a file.
    ///
    /// # Errors
    /// There can be no file of that name.
    pub fn begin(path: &Path) -> io::Result<Whole> {
        if let Some(file) = system::open_already(path) {
            return Ok(Whole { file: file?, state: State::InPlace, target: path.to_owned() });
        }
        let target = match fs::canonicalize(path) {
            Ok(there) => there,
            // A link to nowhere: what it names is made, as without us.
            Err(_) => fs::read_link(path).map_or_else(|_| path.to_owned(), |to| path.with_file_name(to)),
        };
        match fs::metadata(&target) {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => {
                let file = OpenOptions::new().write(true).open(&target)?;
                return Ok(Whole { file, state: State::InPlace, target });
            }
            _ => {}
        }
        if let Some(file) = system::unnamed(folder(&target))? {
            return Ok(Whole { file, state: State::Unnamed, target });
        }
        let name = own_name(&target);
        let file = OpenOptions::new().write(true).create_new(true).open(&name)?;
        Ok(Whole { file, state: State::Named(name), target })
    }

    /// Whether what is written goes to the target at once.
    pub fn is_in_place(&self) -> bool {
        self.state == State::InPlace
    }

    /// The file, to write to; what it gets must be there before the end.
    ///
    /// # Errors
    /// The process has too many files open.
    pub fn writer(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// The place cannot be taken; then nothing is left, as before.
    pub fn finish(mut self) -> io::Result<()> {
        if self.state != State::InPlace
            && let Ok(before) = fs::metadata(&self.target)
        {
            // What is kept from others stays so; where it cannot, the file is still this user's.
            let _ = self.file.set_permissions(before.permissions());
        }
        if self.state == State::Unnamed {
            let name = own_name(&self.target);
            system::link(&self.file, &name)?;
            self.state = State::Named(name);
        }
        if let State::Named(name) = &self.state {
            fs::rename(name, &self.target)?;
            self.state = State::InPlace;
        }
        Ok(())
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let State::Named(name) = &self.state {
            let _ = fs::remove_file(name);
        }
    }
}

/// Writes a file at once.
///
/// # Errors
/// As [`Whole::begin`], and as writing.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut whole = Whole::begin(path)?;
    whole.file.write_all(bytes)?;
    whole.finish()
}

fn folder(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name beside the target that nobody else takes.
fn own_name(target: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    // A name has 255 bytes.
    let name: String = name.chars().take(50).collect();
    folder(target).join(format!(".{name}.{}-{number}.part", std::process::id()))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::symlink;

    /// A folder of its own, removed at the end.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("reprise-whole-{}-{name}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn names(&self) -> Vec<String> {
            let all = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name());
            let mut all: Vec<String> = all.map(|name| name.into_string().unwrap()).collect();
            all.sort();
            all
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn what_stood_there_stays_until_the_end() {
        let folder = Folder::new("stays");
        let path = folder.0.join("table");
        fs::write(&path, "old").unwrap();
        let reader = File::open(&path).unwrap();
        for finished in [false, true] {
            let whole = Whole::begin(&path).unwrap();
            whole.writer().unwrap().write_all(b"new").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"old");
            if finished {
                whole.finish().unwrap();
            }
            assert_eq!(folder.names(), ["table"]);
        }
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(io::read_to_string(reader).unwrap(), "old", "a reader keeps what it has open");
    }

    #[test]
    fn a_file_with_a_name_of_its_own_goes_the_same_way() {
        let folder = Folder::new("named");
        let target = folder.0.join("table");
        for finished in [false, true] {
            let name = own_name(&target);
            let file = File::create_new(&name).unwrap();
            let whole = Whole { file, state: State::Named(name), target: target.clone() };
            if finished {
                whole.finish().unwrap();
            } else {
                drop(whole);
                assert!(folder.names().is_empty());
            }
        }
        assert_eq!(folder.names(), ["table"]);
    }

    #[test]
    fn links_are_followed_and_devices_written_to() {
        let folder = Folder::new("links");
        let link = folder.0.join("link");
        symlink("real", &link).unwrap();
        for text in ["made", "replaced"] {
            write(&link, text.as_bytes()).unwrap();
            assert_eq!(fs::read_link(&link).unwrap(), Path::new("real"));
            assert_eq!(fs::read_to_string(folder.0.join("real")).unwrap(), text);
        }
        let (open, text) = (folder.0.join("open"), || fs::read_to_string(folder.0.join("open")).unwrap());
        let mut other = File::create(&open).unwrap();
        other.write_all(b"before, ").unwrap();
        write(Path::new(&format!("/proc/self/fd/{}", other.as_raw_fd())), b"between").unwrap();
        other.write_all(b", after").unwrap();
        assert_eq!(text(), "before, between, after");
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        assert_eq!(write(&folder.0, b"").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(write(&folder.0.join("no/table"), b"").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

//! The output of a trace writer: a file whose disk space is reserved ahead, or memory.
//!
//! Invariant: after an error the output holds whole appended pieces only.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;

use reprise_whole_file::Whole;

use crate::os;

/// The smallest limit of a file's size, in bytes: room for the tables, and a chunk or two.
pub const MIN_LIMIT: u64 = 4 << 20;

/// Disk space is reserved in steps of this many bytes: one system call for many chunks.
const RESERVE_STEP: u64 = 16 << 20;

/// Takes the bytes of a trace.
/// Threads that compress append, too.
pub trait Output: Send + 'static {
    /// Appends all bytes, or none.
    ///
    /// # Errors
    /// The system cannot write; then nothing was appended.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// The same of two pieces, as if they were one.
    ///
    /// # Errors
    /// As [`Output::append`].
    fn append_both(&mut self, first: &[u8], second: &[u8]) -> io::Result<()> {
        self.append(&[first, second].concat())
    }

    /// Makes sure that so many bytes can still be appended, where that can be known.
    ///
    /// # Errors
    /// There is no room for them, on the disk or within the size that was asked for ([`SizeReached`]).
    fn reserve(&mut self, bytes: u64) -> io::Result<()>;

    /// Takes note that the chunk at this place of the trace was packed in a hurry, and would be smaller without.
    fn note_hurried(&mut self, _place: u64) {}
}

/// The inner error of an [`Output`] whose file would become larger than was asked for. The trace ends there as on a full
/// disk, and says that the user asked for it.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the trace has the size that was asked for, {0} bytes")]
pub struct SizeReached(pub u64);

/// The inner error of an [`Output`] whose file has no name any more: it goes with its writer.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the file was removed while it was written")]
pub struct Removed;

impl Output for Vec<u8> {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn reserve(&mut self, _bytes: u64) -> io::Result<()> {
        Ok(())
    }
}

/// An ordinary file.
#[derive(Debug)]
pub struct FileOutput {
    file: File,
    len: u64,
    reserved: u64,
    limit: u64,
    /// Where chunks begin that were packed in a hurry.
    hurried: Vec<u64>,
    /// The file had a name at first. Some file systems do not count names.
    is_named: bool,
}

impl FileOutput {
    /// Makes the file, or empties it.
    ///
    /// # Errors
    /// The system refuses to make it.
    pub fn create(path: &Path) -> io::Result<FileOutput> {
        Ok(FileOutput::of(File::create(path)?))
    }

    /// Makes the file. A new, empty file takes the place of one that is there, which is not written over: its readers go on reading it.
    /// Of a link, the file that it names is replaced.
    ///
    /// # Errors
    /// The system refuses to make it; then an old file is still there.
    pub fn replace(path: &Path) -> io::Result<FileOutput> {
        let whole = Whole::begin(path)?;
        let file = whole.writer()?;
        whole.finish()?;
        Ok(FileOutput::of(file))
    }

    /// Writes to a file that is open and empty.
    pub fn of(file: File) -> FileOutput {
        let is_named = os::is_named(&file);
        FileOutput { file, len: 0, reserved: 0, limit: u64::MAX, hurried: Vec::new(), is_named }
    }

    /// Keeps the file from becoming larger than so many bytes; a smaller limit than [`MIN_LIMIT`] counts as that.
    pub fn limit(&mut self, bytes: u64) {
        self.limit = bytes.max(MIN_LIMIT);
    }

    /// Bytes written.
    pub fn bytes(&self) -> u64 {
        self.len
    }

    /// The places of chunks that were packed in a hurry, rising.
    pub fn take_hurried(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.hurried)
    }

    /// Gives back the disk space that was reserved and not used. The result is the file's length in bytes.
    ///
    /// # Errors
    /// The system cannot set the file's length.
    pub fn finish(self) -> io::Result<u64> {
        self.file.set_len(self.len)?;
        Ok(self.len)
    }
}

impl Output for FileOutput {
    fn note_hurried(&mut self, place: u64) {
        self.hurried.push(place);
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.append_both(bytes, &[])
    }

    fn append_both(&mut self, first: &[u8], second: &[u8]) -> io::Result<()> {
        let result = self.file.write_all(first).and_then(|()| self.file.write_all(second));
        if result.is_err() {
            self.file.set_len(self.len)?;
            self.file.seek(io::SeekFrom::Start(self.len))?;
            self.reserved = 0;
        } else {
            self.len += (first.len() + second.len()) as u64;
        }
        result
    }

    fn reserve(&mut self, bytes: u64) -> io::Result<()> {
        if self.is_named && !os::is_named(&self.file) {
            return Err(io::Error::other(Removed));
        }
        let end = self.len + bytes;
        if end > self.limit {
            return Err(io::Error::new(io::ErrorKind::QuotaExceeded, SizeReached(self.limit)));
        }
        if end <= self.reserved {
            return Ok(());
        }
        // Generously where there is room, else exactly.
        let from = self.reserved.max(self.len);
        for to in [(end + RESERVE_STEP).min(self.limit), end] {
            match os::reserve(&self.file, from, to - from) {
                Ok(()) => {
                    self.reserved = to;
                    return Ok(());
                }
                Err(error) if to == end => return Err(error),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::fs;

    /// A reader of the old file goes on reading it, a link still names the file, and no other name is left.
    #[test]
    fn a_file_is_replaced_and_not_written_over() {
        let folder = std::env::temp_dir().join(format!("reprise-output-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        let (path, link) = (folder.join("a.reprise"), folder.join("link.reprise"));
        fs::write(&path, "the old trace").unwrap();
        std::os::unix::fs::symlink("a.reprise", &link).unwrap();
        let mut reader = File::open(&path).unwrap();
        let mut output = FileOutput::replace(&link).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        output.append(b"new").unwrap();
        output.finish().unwrap();
        assert_eq!(io::read_to_string(&mut reader).unwrap(), "the old trace");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }
}

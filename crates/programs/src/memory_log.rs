//! The program's own account of what mapped memory holds when lists are submitted, for `reprise check-memory`.
//!
//! The file: the line [`HEAD`], then for each buffer of each submission that is told of three numbers (u64, little-endian: the
//! submission's, counted from 1 over all calls of `ExecuteCommandLists` of the process; the address that `Map` gave; the size)
//! and the bytes. Invariant: nothing stores to a buffer from before it is written down until after the submission.

use crate::failure::Failure;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

const HEAD: &[u8] = b"reprise memory log 1\n";

/// A log, or none.
pub(crate) struct MemoryLog(Option<BufWriter<File>>);

impl MemoryLog {
    /// Begins the file that the user asked for, if one was.
    pub(crate) fn create(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self(None)) };
        let mut log = Self(Some(BufWriter::new(File::create(path).map_err(|error| failed(&error))?)));
        log.put(&[HEAD])?;
        Ok(log)
    }

    /// Writes down what a buffer holds.
    pub(crate) fn add(&mut self, submission: u64, address: u64, bytes: &[u8]) -> Result<(), Failure> {
        let numbers = [submission, address, bytes.len() as u64].map(u64::to_le_bytes);
        self.put(&[&numbers.concat(), bytes])
    }

    /// Writes what is still kept.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.0.as_mut().map_or(Ok(()), |file| file.flush().map_err(|error| failed(&error)))
    }

    fn put(&mut self, parts: &[&[u8]]) -> Result<(), Failure> {
        let Some(file) = &mut self.0 else { return Ok(()) };
        parts.iter().try_for_each(|part| file.write_all(part)).map_err(|error| failed(&error))
    }
}

fn failed(error: &std::io::Error) -> Failure {
    Failure::Wrong(format!("the memory log cannot be written: {error}"))
}

//! The bytes of a trace: in a file or in memory.
//!
//! Owns positioned reads. Invariant: a read stays within the file, and allocates no more than the file has.

use std::fs::File;
use std::io;

#[derive(Debug)]
enum Base {
    File(File),
    Bytes(Vec<u8>),
}

/// A file or bytes in memory, and what salvage appends to them.
#[derive(Debug)]
pub(crate) struct Source {
    base: Base,
    base_len: u64,
    extension: Vec<u8>,
}

impl Source {
    pub(crate) fn file(file: File) -> io::Result<Source> {
        let base_len = file.metadata()?.len();
        Ok(Source { base: Base::File(file), base_len, extension: Vec::new() })
    }

    pub(crate) fn bytes(bytes: Vec<u8>) -> Source {
        let base_len = bytes.len() as u64;
        Source { base: Base::Bytes(bytes), base_len, extension: Vec::new() }
    }

    /// Length of what was there first.
    pub(crate) fn base_len(&self) -> u64 {
        self.base_len
    }

    /// Length of all.
    pub(crate) fn len(&self) -> u64 {
        self.base_len + self.extension.len() as u64
    }

    /// Puts bytes behind the base.
    pub(crate) fn extend(&mut self, bytes: Vec<u8>) {
        self.extension = bytes;
    }

    /// Reads exactly so many bytes.
    pub(crate) fn read(&self, offset: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_to(&mut bytes, offset, len)?;
        Ok(bytes)
    }

    /// Reads exactly so many bytes in the place of what is in the block.
    pub(crate) fn read_to(&self, block: &mut Vec<u8>, offset: u64, len: u64) -> io::Result<()> {
        block.clear();
        let short = || io::Error::from(io::ErrorKind::UnexpectedEof);
        let end = offset.checked_add(len).filter(|&end| end <= self.len()).ok_or_else(short)?;
        if let Some(start) = offset.checked_sub(self.base_len) {
            let end = end - self.base_len;
            block.extend_from_slice(self.extension.get(start as usize..end as usize).ok_or_else(short)?);
            return Ok(());
        }
        if end > self.base_len {
            return Err(short());
        }
        match &self.base {
            Base::Bytes(bytes) => {
                block.extend_from_slice(bytes.get(offset as usize..end as usize).ok_or_else(short)?);
                Ok(())
            }
            Base::File(file) => {
                block.resize(usize::try_from(len).map_err(|_| short())?, 0);
                read_exact_at(file, block, offset)
            }
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

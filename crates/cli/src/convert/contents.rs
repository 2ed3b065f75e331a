//! What the table says of blobs and of bytes in mapped memory: a hash always, and the bytes where they are asked for.
//!
//! Invariant: a file's name is made of the hash of its content; nothing in a trace names a file.

use crate::terminal::whole_file;
use reprise_trace::read::{self, Trace};
use reprise_view::dump::names;
use serde_json::{Map, Value as Json};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

/// Hashes that are remembered, so that contents are not unpacked for each mention.
const REMEMBERED: usize = 1 << 16;

/// Where contents go.
#[derive(Debug)]
pub(crate) enum Place {
    Nowhere,
    /// Into the table, as base64.
    Table,
    /// Each into a file of this folder, which exists.
    Folder(PathBuf),
}

/// Knows the contents of a trace.
#[derive(Debug)]
pub(crate) struct Contents<'t> {
    trace: &'t Trace,
    place: Place,
    hashes: RefCell<HashMap<u64, u128>>,
    failed: RefCell<Option<io::Error>>,
    missing: Cell<u64>,
}

impl<'t> Contents<'t> {
    pub(crate) fn new(trace: &'t Trace, place: Place) -> Contents<'t> {
        let (hashes, failed) = (RefCell::default(), RefCell::default());
        Contents { trace, place, hashes, failed, missing: Cell::new(0) }
    }

    /// How many mentions of blobs lead to none that can be read.
    pub(crate) fn missing(&self) -> u64 {
        self.missing.get()
    }

    /// Why a file could not be written.
    pub(crate) fn failed(&self) -> Option<io::Error> {
        self.failed.take()
    }

    fn put(&self, hash: u128, bytes: &[u8], members: &mut Map<String, Json>) {
        match &self.place {
            Place::Nowhere => {}
            Place::Table => {
                members.insert("base64".into(), base64(bytes).into());
            }
            Place::Folder(folder) => {
                let name = format!("{hash:032x}.bin");
                let path = folder.join(&name);
                // A file of another size is not ours.
                let there = std::fs::metadata(&path).is_ok_and(|file| file.len() == bytes.len() as u64);
                if !there && let Err(error) = whole_file::write(&path, bytes) {
                    let named = io::Error::new(error.kind(), format!("{}: {error}", path.display()));
                    self.failed.borrow_mut().get_or_insert(named);
                }
                members.insert("file".into(), name.into());
            }
        }
    }

    fn hash(&self, id: u64) -> Result<u128, read::ReadError> {
        if let Some(hash) = self.hashes.borrow().get(&id) {
            return Ok(*hash);
        }
        let hash = self.trace.blob_hash(id)?;
        let mut hashes = self.hashes.borrow_mut();
        if hashes.len() >= REMEMBERED {
            hashes.clear();
        }
        hashes.insert(id, hash);
        Ok(hash)
    }
}

impl names::Contents for Contents<'_> {
    fn blob(&self, id: u64, members: &mut Map<String, Json>) {
        let told = self.hash(id).and_then(|hash| {
            members.insert("hash".into(), format!("{hash:032x}").into());
            if !matches!(self.place, Place::Nowhere) {
                self.put(hash, &self.trace.blob_by_id(id)?, members);
            }
            Ok(())
        });
        if let Err(error) = told {
            self.missing.set(self.missing.get() + 1);
            members.insert("error".into(), error.to_string().into());
        }
    }

    fn bytes(&self, bytes: &[u8], members: &mut Map<String, Json>) {
        let hash = read::content_hash(bytes);
        members.insert("hash".into(), format!("{hash:032x}").into());
        self.put(hash, bytes, members);
    }
}

/// Base64 with padding, as RFC 4648 has it.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = DIGITS[(bits >> (18 - 6 * digit) & 63) as usize];
            text.push(if digit <= group.len() { char::from(value) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648.
    #[test]
    fn base64_is_as_the_standard_has_it() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }
}

//! Translated shaders on disk, by what they were translated from, and other bytes that are dear to make.
//!
//! One file per key, named by the hash of everything that the content depends on; for a shader the shader itself, the interface,
//! the link, the target and the translator's version. A file that is damaged, cut or of another version is as good as none. The folder is
//! bounded: when it has grown past its limit the files that were used longest ago go, until three quarters are left. No
//! error of the file system reaches the caller: a cache that does not work makes translation slower, nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::wire::{self, Reader, Writer};
use crate::{Interface, Link, Spirv, Stage, Target};

/// First bytes of a file; ends with the number of the layout.
const MAGIC: [u8; 8] = *b"RPCACHE2";
/// Bytes before the content: magic, key, hash of the content.
const HEADER: usize = 8 + 16 + 8;
/// Ending of finished files.
const ENDING: &str = "cached";
/// Largest file that is read, in bytes.
const FILE_LIMIT: u64 = 64 << 20;

/// A folder. Several processes may share one.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    /// Bytes that it may hold.
    limit: u64,
    /// Bytes that it holds, as far as this process knows.
    size: AtomicU64,
    /// Makes names of unfinished files different.
    counter: AtomicU64,
}

/// Names a content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u128);

impl Key {
    /// The key of a translation.
    pub fn new(blob: &[u8], stage: Stage, interface: &Interface, link: &Link, target: &Target) -> Key {
        let mut bytes = Writer(Vec::new());
        bytes.0.extend(xxh3_128(blob).to_le_bytes());
        bytes.0.extend((blob.len() as u64).to_le_bytes());
        for version in [
            dxil_spirv_sys::DXIL_SPV_API_VERSION_MAJOR,
            dxil_spirv_sys::DXIL_SPV_API_VERSION_MINOR,
            dxil_spirv_sys::DXIL_SPV_API_VERSION_PATCH,
        ] {
            bytes.0.extend(version.to_le_bytes());
        }
        // What the build mends of the translator.
        bytes.0.extend(xxh3_128(include_bytes!("../translator/mended.cmake")).to_le_bytes());
        // Our own part of the translation is of one version with the program.
        bytes.0.extend(env!("CARGO_PKG_VERSION").as_bytes());
        wire::write_question(&mut bytes, stage, interface, link, target);
        Key(xxh3_128(&bytes.0))
    }

    /// The key of something else that these bytes name.
    pub fn of(name: &[u8]) -> Key {
        Key(xxh3_128(name))
    }
}

impl Cache {
    /// A cache in `folder` that holds up to `limit` bytes. The folder is made when it is not there.
    ///
    /// # Errors
    /// When the folder cannot be made or read.
    pub fn open(folder: &Path, limit: u64) -> std::io::Result<Cache> {
        fs::create_dir_all(folder)?;
        let size = files(folder)?.iter().map(|file| file.size).sum();
        Ok(Cache { folder: folder.to_owned(), limit, size: AtomicU64::new(size), counter: AtomicU64::new(0) })
    }

    fn path(&self, key: Key) -> PathBuf {
        self.folder.join(format!("{:032x}.{ENDING}", key.0))
    }

    /// The shader of this key, if it is there and whole.
    pub fn get(&self, key: Key) -> Option<Spirv> {
        let content = self.bytes(key)?;
        let mut from = Reader(&content);
        let spirv = wire::read_spirv(&mut from)?;
        from.0.is_empty().then_some(spirv)
    }

    /// Stores a shader; readers see all of it or nothing.
    pub fn put(&self, key: Key, spirv: &Spirv) {
        let mut content = Writer(Vec::new());
        wire::write_spirv(&mut content, spirv);
        self.put_bytes(key, &content.0);
    }

    /// The bytes of this key, if they are there and whole.
    pub fn bytes(&self, key: Key) -> Option<Vec<u8>> {
        let path = self.path(key);
        let file = fs::File::open(&path).ok()?;
        if file.metadata().ok()?.len() > FILE_LIMIT {
            return None;
        }
        let content = parse(fs::read(&path).ok()?, key)?;
        // The time of last use decides what goes first.
        let _ = file.set_modified(SystemTime::now());
        Some(content)
    }

    /// Stores bytes in place of what the key has had; readers see all of them or nothing. What is too large is not stored.
    pub fn put_bytes(&self, key: Key, content: &[u8]) {
        let bytes = file(content, key);
        let size = bytes.len() as u64;
        if size > FILE_LIMIT || size > self.limit {
            return;
        }
        let number = self.counter.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join(format!("{}-{number}.part", std::process::id()));
        let stored = fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, self.path(key)));
        if stored.is_err() {
            let _ = fs::remove_file(&unfinished);
            return;
        }
        if self.size.fetch_add(size, Ordering::Relaxed) + size > self.limit {
            self.shrink();
        }
    }

    /// Removes what was used longest ago until three quarters of the limit are left.
    fn shrink(&self) {
        let Ok(mut all) = files(&self.folder) else { return };
        all.sort_by_key(|file| file.used);
        let mut size: u64 = all.iter().map(|file| file.size).sum();
        for file in all {
            if size <= self.limit / 4 * 3 {
                break;
            }
            if fs::remove_file(&file.path).is_ok() {
                size -= file.size;
            }
        }
        self.size.store(size, Ordering::Relaxed);
    }
}

/// A file of the cache.
struct File {
    path: PathBuf,
    size: u64,
    used: SystemTime,
}

fn files(folder: &Path) -> std::io::Result<Vec<File>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let Ok(entry) = entry else { continue };
        let Ok(data) = entry.metadata() else { continue };
        let path = entry.path();
        // Unfinished files count, so that those of processes that died go one day.
        let ours = path.extension().is_some_and(|ending| ending == ENDING || ending == "part");
        if data.is_file() && ours {
            all.push(File { path, size: data.len(), used: data.modified().unwrap_or(SystemTime::UNIX_EPOCH) });
        }
    }
    Ok(all)
}

fn file(content: &[u8], key: Key) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + content.len());
    bytes.extend(MAGIC);
    bytes.extend(key.0.to_le_bytes());
    bytes.extend(xxh3_64(content).to_le_bytes());
    bytes.extend(content);
    bytes
}

/// The content of a file.
fn parse(mut bytes: Vec<u8>, key: Key) -> Option<Vec<u8>> {
    let (header, content) = bytes.split_at_checked(HEADER)?;
    let (magic, rest) = header.split_at_checked(MAGIC.len())?;
    let (stored, hash) = rest.split_at_checked(16)?;
    if magic != MAGIC || stored != key.0.to_le_bytes() || hash != xxh3_64(content).to_le_bytes() {
        return None;
    }
    bytes.drain(..HEADER);
    Some(bytes)
}

#[cfg(test)]
mod tests;

//! States what an index file must have been written by: a hash of this crate's sources, and of those that it reads traces with.
//! So a build that lays states out in another way, or reads a trace in another way, never reads what an older one wrote.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::Path;

/// This crate, and the crates beside it that it uses. The API model has a fingerprint of its own.
const SOURCES: [&str; 5] = ["src", "../trace/src", "../codec/src", "../dxbc/src", "../state-object/src"];

fn main() {
    // Its keys are fixed: equal sources, equal hash.
    let mut hasher = DefaultHasher::new();
    for sources in SOURCES {
        println!("cargo:rerun-if-changed={sources}");
        add(Path::new(sources), &mut hasher);
    }
    println!("cargo:rustc-env=REPRISE_TIMELINE_SOURCES={}", hasher.finish());
}

fn add(folder: &Path, hasher: &mut DefaultHasher) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(&path, hasher);
        } else if let Ok(bytes) = std::fs::read(&path) {
            hasher.write(&bytes);
        }
    }
}

//! States what an index file must have been written by: a hash of this crate's sources. So a build with another layout of
//! states never reads what an older one wrote.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=src");
    // Its keys are fixed: equal sources, equal hash.
    let mut hasher = DefaultHasher::new();
    add(Path::new("src"), &mut hasher);
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

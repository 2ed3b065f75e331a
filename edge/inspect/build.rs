//! Lists the files of the built page (`page/dist`), to be part of the program. Building the page needs npm; building the program does not.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("page/dist");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, "", &mut files);
    files.sort();
    assert!(
        files.iter().any(|(name, _)| name == "index.html"),
        "{} has no index.html: the built page belongs into the repository (npm run build in page/)",
        folder.display()
    );
    let mut list = String::from("/// Path and bytes of each file.\nstatic FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        // Writing to a text cannot fail.
        let _ = writeln!(list, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    list.push_str("];\n");
    let to = PathBuf::from(env::var("OUT_DIR").unwrap_or_default()).join("page.rs");
    fs::write(&to, list).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
}

fn collect(folder: &Path, before: &str, files: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.push((name, entry.path()));
        }
    }
}

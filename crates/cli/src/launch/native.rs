//! Our runtime for native programs: under the names of vkd3d-proton's library and of Microsoft's for Linux, in a folder that the loader
//! searches first.

use crate::launch::folder::Folder;
use crate::launch::runtime;
use crate::launch::windows::host_log::Told;
use std::ffi::OsString;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const VARIABLE: &str = "LD_LIBRARY_PATH";
/// The folder of an installation with our runtime under the names that Microsoft's Linux programs load (package `reprise-linux-d3d12`),
/// seen from the program's own.
const INSTALLED: &str = "../lib/reprise/linux-d3d12";
/// The first of these names that programs load.
const LINUX: &str = "libd3d12.so";
/// Where the loader looks without being told, beside the folders of its cache.
const CACHE: &str = "/etc/ld.so.cache";
const SYSTEM: [&str; 5] = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib"];
/// What programs are linked with or load. The other half is loaded by a `libvkd3d-proton-d3d12.so` that a program brings. By its name the
/// library knows how its programs call methods.
const NAMES: [&str; 7] = [
    "libvkd3d-proton-d3d12.so",
    "libvkd3d-proton-d3d12.so.0",
    "libvkd3d-proton-d3d12core.so",
    "libvkd3d-proton-d3d12core.so.0",
    "libd3d12.so",
    "libd3d12core.so",
    "libdxcore.so",
];
/// What is said where nothing was loaded.
const UNLOADED: &str = "no process loaded our runtime, which stands in the place of libvkd3d-proton-d3d12.so, libd3d12.so and \
    libdxcore.so. Programs that \
    use libvkd3d.so.1 call it by another convention; those that are linked statically or with an RPATH of their own do not look \
    where we put it";

/// Why a native program made no device, as far as that can be known.
pub(crate) fn reason(told: &Told) -> String {
    if !told.refused.is_empty() {
        return told.refused.join("; ");
    }
    match told.loaded.first() {
        Some(name) => {
            format!("our runtime was loaded ({name}), and the program asked it for no device{}", told.lacked())
        }
        None => UNLOADED.to_owned(),
    }
}

/// What the environment of a program gets that is not told to run on ours: our runtime as `libd3d12.so`, where it is installed under that
/// name and the machine has no other. A program that loads the library by itself needs no option so.
pub(crate) fn installed() -> Option<(&'static str, OsString)> {
    let executable = std::env::current_exe().ok()?;
    let existing = std::env::var_os(VARIABLE);
    let cache = std::fs::read(CACHE).unwrap_or_default();
    installed_from(&executable, existing, &cache, &SYSTEM).map(|list| (VARIABLE, list))
}

fn installed_from(executable: &Path, existing: Option<OsString>, cache: &[u8], system: &[&str]) -> Option<OsString> {
    let folder = executable.parent()?.join(INSTALLED).canonicalize().ok()?;
    let existing = existing.filter(|list| !list.is_empty());
    let told = existing.iter().flat_map(std::env::split_paths);
    let mut places = told.chain(system.iter().map(PathBuf::from));
    let in_cache = memchr::memmem::find(cache, format!("/{LINUX}\0").as_bytes()).is_some();
    if in_cache || places.any(|place| place.join(LINUX).exists()) {
        return None;
    }
    // The user's own folders go first.
    let all = existing.iter().flat_map(std::env::split_paths).chain([folder]);
    std::env::join_paths(all).ok()
}

/// Puts links to our runtime into the folder of a run. Gives what the program's environment gets.
///
/// # Errors
/// A message: our runtime is missing, or the folder cannot be written to.
pub(crate) fn prepare(folder: &Folder) -> Result<(&'static str, OsString), String> {
    let library = runtime::native()?;
    let links = folder.path().join("lib");
    link(&links, &library).map_err(|error| format!("{}: {error}", links.display()))?;
    Ok((VARIABLE, search(&links, std::env::var_os(VARIABLE))))
}

fn link(links: &Path, library: &Path) -> io::Result<()> {
    std::fs::create_dir(links)?;
    NAMES.iter().try_for_each(|name| symlink(library, links.join(name)))
}

/// The folders that the loader searches: ours first. An empty entry would mean the current folder.
fn search(links: &Path, existing: Option<OsString>) -> OsString {
    let mut list = links.as_os_str().to_owned();
    if let Some(existing) = existing.filter(|list| !list.is_empty()) {
        list.push(":");
        list.push(existing);
    }
    list
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ours_is_searched_first() {
        let links = Path::new("/tmp/x/lib");
        assert_eq!(search(links, None), "/tmp/x/lib");
        assert_eq!(search(links, Some("".into())), "/tmp/x/lib");
        assert_eq!(search(links, Some("/a:/b".into())), "/tmp/x/lib:/a:/b");
    }

    #[test]
    fn an_installation_serves_where_nothing_else_does() {
        let place = tempfile::tempdir().unwrap();
        let (executable, links) = (place.path().join("bin/reprise"), place.path().join("lib/reprise/linux-d3d12"));
        let other = place.path().join("other");
        let of = |existing: Option<&str>, cache: &[u8], system: &[&str]| {
            installed_from(&executable, existing.map(OsString::from), cache, system)
        };
        std::fs::create_dir_all(executable.parent().unwrap()).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        let (there, cache) = (other.to_str().unwrap(), b"libd3d12.so\0/usr/lib/wsl/lib/libd3d12.so\0");
        assert_eq!(of(None, b"", &[]), None, "not installed");
        std::fs::create_dir_all(&links).unwrap();
        let links = links.canonicalize().unwrap();
        assert_eq!(of(None, b"", &[there]), Some(links.clone().into()));
        assert_eq!(of(Some(""), b"", &[there]), Some(links.clone().into()));
        assert_eq!(of(Some(there), b"", &[]), Some(format!("{there}:{}", links.display()).into()));
        assert_eq!(of(None, cache, &[]), None, "Microsoft's is installed");
        assert!(of(None, b"/x/libd3d12.so.1\0", &[]).is_some());
        std::fs::write(other.join(LINUX), "").unwrap();
        assert_eq!(of(Some(there), b"", &[]), None, "the user named another");
        assert_eq!(of(None, b"", &[there]), None, "the system has another");
    }

    #[test]
    fn all_names_lead_to_ours() {
        let place = tempfile::tempdir().unwrap();
        let (links, library) = (place.path().join("lib"), place.path().join("own.so"));
        std::fs::write(&library, "ours").unwrap();
        link(&links, &library).unwrap();
        assert_eq!(std::fs::read_dir(&links).unwrap().count(), NAMES.len());
        for name in NAMES {
            assert_eq!(std::fs::read(links.join(name)).unwrap(), b"ours", "{name}");
        }
    }
}

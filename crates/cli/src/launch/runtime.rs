//! Where our Direct3D 12 runtime is: the shared object for native programs, and the libraries for Windows programs.

use crate::launch::windows::libraries::{self, CORE, Libraries};
use std::path::{Path, PathBuf};

/// Names another library than the one beside the executable.
use reprise_environment::command::RUNTIME_LIBRARY as OVERRIDE;

/// What a captured program runs on
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Which {
    /// The Direct3D 12 that the program finds without us
    #[default]
    System,
    /// Our own runtime
    Ours,
}

const NAME: &str = "libreprise_d3d12.so";
const DIRECT3D: &str = "d3d12.dll";
const WINDOWS: &[&str] = &[DIRECT3D, CORE];
/// Its folder in that of the libraries for Windows programs.
const FOLDER: &str = "runtime";

/// The library for native programs: named by the environment, beside the executable, or in `../lib/reprise` seen from there.
///
/// # Errors
/// A message that says where it was looked for.
pub(crate) fn native() -> Result<PathBuf, String> {
    let executable =
        std::env::current_exe().map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    native_from(std::env::var_os(OVERRIDE).filter(|path| !path.is_empty()).map(PathBuf::from), &executable)
}

fn native_from(named: Option<PathBuf>, executable: &Path) -> Result<PathBuf, String> {
    if let Some(path) = named {
        return match path.canonicalize() {
            Ok(path) if path.is_file() => Ok(path),
            _ => Err(format!("{OVERRIDE} names {}, which is no file", path.display())),
        };
    }
    let folder = executable.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(NAME), folder.join("../lib/reprise").join(NAME)];
    let found = places.iter().find(|place| place.is_file()).and_then(|place| place.canonicalize().ok());
    found.ok_or_else(|| {
        format!(
            "our runtime {NAME} is neither in {} nor in ../lib/reprise beside it; \
             build it (cargo build --package reprise-runtime-library) or name it with {OVERRIDE}",
            folder.display()
        )
    })
}

/// What a run puts beside a Windows program: one library under two names, so that each works beside anybody's other half.
///
/// # Errors
/// A message that says where they were looked for, or that one is another's.
pub(crate) fn windows() -> Result<Libraries, String> {
    let folder = libraries::find("our runtime's libraries", FOLDER, WINDOWS)?;
    if let Some(other) = WINDOWS.iter().map(|name| folder.join(name)).find(|path| !libraries::is_runtime(path)) {
        return Err(format!("{}: this is no library of our runtime, or a very old one", other.display()));
    }
    Ok(Libraries { folder, names: WINDOWS, needed: &[], in_place: &[] })
}

/// The file that a capture of a Windows program loads in the place of the system's Direct3D 12.
///
/// # Errors
/// As [`windows`].
pub(crate) fn windows_library() -> Result<PathBuf, String> {
    windows().map(|libraries| libraries.folder.join(DIRECT3D))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_program_then_in_lib() {
        let place = tempfile::tempdir().unwrap();
        let (bin, lib) = (place.path().join("bin"), place.path().join("lib/reprise"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&lib).unwrap();
        let executable = bin.join("reprise");
        assert!(native_from(None, &executable).unwrap_err().contains(OVERRIDE));
        for folder in [&lib, &bin] {
            std::fs::write(folder.join(NAME), "").unwrap();
            assert_eq!(native_from(None, &executable).unwrap(), folder.join(NAME).canonicalize().unwrap());
        }
        assert!(native_from(Some(place.path().join("nowhere")), &executable).is_err());
        let named = lib.join(NAME);
        assert_eq!(native_from(Some(named.clone()), &executable).unwrap(), named.canonicalize().unwrap());
    }
}

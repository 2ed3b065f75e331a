//! Where the capture library is: the shared object that is preloaded into a captured program.

use std::path::{Path, PathBuf};

/// Names another library than the one beside the executable.
pub(crate) const OVERRIDE: &str = "REPRISE_CAPTURE_LIBRARY";
const NAME: &str = "libreprise_capture.so";

/// Finds the library: named by the environment, beside the executable, or in `../lib/reprise` seen from there.
///
/// # Errors
/// A message that says where it was looked for.
pub(crate) fn find() -> Result<PathBuf, String> {
    let named = std::env::var_os(OVERRIDE).filter(|path| !path.is_empty());
    let executable =
        std::env::current_exe().map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    find_from(named.map(PathBuf::from), &executable)
}

fn find_from(named: Option<PathBuf>, executable: &Path) -> Result<PathBuf, String> {
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
            "the capture library {NAME} is neither in {} nor in ../lib/reprise beside it; \
             build it (cargo build --package reprise-capture) or name it with {OVERRIDE}",
            folder.display()
        )
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn beside_the_program_then_in_lib() {
        let folder = std::env::temp_dir().join(format!("reprise-library-{}", std::process::id()));
        let (bin, lib) = (folder.join("bin"), folder.join("lib/reprise"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&lib).unwrap();
        let executable = bin.join("reprise");
        assert!(find_from(None, &executable).unwrap_err().contains(OVERRIDE));
        std::fs::write(lib.join(NAME), "").unwrap();
        assert_eq!(find_from(None, &executable).unwrap(), lib.join(NAME).canonicalize().unwrap());
        std::fs::write(bin.join(NAME), "").unwrap();
        assert_eq!(find_from(None, &executable).unwrap(), bin.join(NAME).canonicalize().unwrap());
        assert!(find_from(Some(folder.join("nowhere")), &executable).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}

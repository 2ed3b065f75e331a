//! Where the capture library is: the shared object that is preloaded into a captured program.

use reprise_d3d12::FINGERPRINT;
use reprise_trace::session::LIBRARY_MARK;
use std::path::Path;
#[cfg(unix)]
use std::path::PathBuf;

/// Names another library than the one beside the executable.
#[cfg(unix)]
pub(crate) use reprise_environment::command::CAPTURE_LIBRARY as OVERRIDE;
#[cfg(unix)]
const NAME: &str = "libreprise_capture.so";

/// Finds the library: named by the environment, beside the executable, or in `../lib/reprise` seen from there.
///
/// # Errors
/// A message that says where it was looked for.
#[cfg(unix)]
pub(crate) fn find() -> Result<PathBuf, String> {
    let named = std::env::var_os(OVERRIDE).filter(|path| !path.is_empty());
    let executable =
        std::env::current_exe().map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    let library = find_from(named.map(PathBuf::from), &executable)?;
    check(&library)?;
    Ok(library)
}

/// A library of another build may number the API's methods otherwise, and its records would be told by wrong names.
///
/// # Errors
/// A message that says so.
pub(crate) fn check(library: &Path) -> Result<(), String> {
    let bytes = std::fs::read(library).map_err(|error| format!("{}: cannot be read: {error}", library.display()))?;
    let at = bytes.windows(LIBRARY_MARK.len()).position(|window| window == LIBRARY_MARK);
    let model = at.and_then(|at| bytes.get(at + LIBRARY_MARK.len()..)?.first_chunk().copied().map(u64::from_le_bytes));
    match model {
        Some(FINGERPRINT) => Ok(()),
        Some(_) => Err(format!(
            "{}: this capture library is of another build than this program, with another model of the API; \
             build or install both together",
            library.display()
        )),
        None => Err(format!("{}: this is no capture library of ours, or a very old one", library.display())),
    }
}

#[cfg(unix)]
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

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_another_build_is_refused() {
        let path = std::env::temp_dir().join(format!("reprise-library-check-{}", std::process::id()));
        let said = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            check(&path)
        };
        let marked = |model: u64| [&b"\x7fELF.."[..], &LIBRARY_MARK, &model.to_le_bytes(), b"rest"].concat();
        assert_eq!(said(&marked(FINGERPRINT)), Ok(()));
        assert!(said(&marked(FINGERPRINT ^ 1)).unwrap_err().contains("another build"));
        assert!(said(b"").unwrap_err().contains("no capture library"));
        let whole = marked(FINGERPRINT);
        assert!(said(&whole[..whole.len() - 8]).is_err());
        std::fs::remove_file(&path).unwrap();
    }

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

//! Our libraries for Windows programs: the capture library, and the forwarders that stand in the names of Direct3D's own.

use crate::capture::library;
use reprise_trace::session::LIBRARY_MARK;
use std::path::{Path, PathBuf};

/// Names another folder than those around the executable.
use reprise_environment::command::WINDOWS_LIBRARIES as OVERRIDE;

/// The capture library.
pub(crate) const CAPTURE: &str = "reprise_capture.dll";
/// The forwarders that every program needs.
pub(crate) const FORWARDERS: [&str; 2] = ["d3d12.dll", "dxgi.dll"];
/// The forwarder for programs that bring the other half of Direct3D 12 themselves.
pub(crate) const CORE: &str = "d3d12core.dll";

/// The folder with all of them, checked to be of this build.
///
/// # Errors
/// A message that says where it was looked for, or what is wrong with it.
pub(crate) fn find() -> Result<PathBuf, String> {
    let executable =
        std::env::current_exe().map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    let named = std::env::var_os(OVERRIDE).filter(|path| !path.is_empty());
    let folder = find_from(named.map(PathBuf::from), &executable)?;
    library::check(&folder.join(CAPTURE))?;
    Ok(folder)
}

fn find_from(named: Option<PathBuf>, executable: &Path) -> Result<PathBuf, String> {
    let has_all = |folder: &Path| {
        let names = FORWARDERS.iter().chain([&CAPTURE, &CORE]);
        let missing: Vec<&str> = names.copied().filter(|name| !folder.join(name).is_file()).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("{} lacks {}", folder.display(), missing.join(", "))) }
    };
    if let Some(folder) = named {
        return has_all(&folder).map(|()| folder).map_err(|lack| format!("{OVERRIDE}: {lack}"));
    }
    let beside = executable.parent().unwrap_or(Path::new("/"));
    let places = [beside.join("windows"), beside.join("../windows"), beside.join("../lib/reprise/windows")];
    let found = places.iter().find(|folder| has_all(folder).is_ok()).and_then(|folder| folder.canonicalize().ok());
    found.ok_or_else(|| {
        format!(
            "the capture libraries for Windows programs ({CAPTURE} and others) are neither in {} nor in ../windows or \
             ../lib/reprise/windows beside it; build them (cargo xtask build-windows) or name their folder with {OVERRIDE}",
            places[0].display()
        )
    })
}

/// Whether a file is one of ours: a forwarder names the capture library, and that has a mark.
pub(crate) fn is_ours(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let has = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    has(b"reprise_capture") || has(&LIBRARY_MARK)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_all_of_them_or_is_passed_over() {
        let place = tempfile::tempdir().unwrap();
        let (bin, beside) = (place.path().join("bin"), place.path().join("windows"));
        std::fs::create_dir_all(bin.join("windows")).unwrap();
        std::fs::create_dir_all(&beside).unwrap();
        let executable = bin.join("reprise");
        assert!(find_from(None, &executable).unwrap_err().contains("build-windows"));
        for name in [CAPTURE, "d3d12.dll", "dxgi.dll"] {
            std::fs::write(beside.join(name), "").unwrap();
        }
        let lack = find_from(Some(beside.clone()), &executable).unwrap_err();
        assert!(lack.contains(CORE) && lack.contains(OVERRIDE), "{lack}");
        std::fs::write(beside.join(CORE), "reprise_capture.D3D12GetInterface").unwrap();
        assert_eq!(find_from(None, &executable).unwrap(), beside.canonicalize().unwrap());
        assert!(is_ours(&beside.join(CORE)) && !is_ours(&beside.join("dxgi.dll")) && !is_ours(&bin.join("nothing")));
    }
}

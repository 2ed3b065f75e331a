//! Libraries of ours for Windows programs: which ones a run puts beside its program, and how one of ours is told from another's.

use memchr::memmem;
use reprise_environment::runtime;
use reprise_trace::session;
use std::path::{Path, PathBuf};

/// Names another folder than those around the executable.
use reprise_environment::command::WINDOWS_LIBRARIES as OVERRIDE;

/// The other half of Direct3D 12, which programs bring or load besides `d3d12.dll`.
pub(crate) const CORE: &str = "d3d12core.dll";

/// What one run puts beside a program.
#[derive(Clone, Debug)]
pub(crate) struct Libraries {
    /// Where they lie.
    pub(crate) folder: PathBuf,
    /// The names that programs load; the first are told to people.
    pub(crate) names: &'static [&'static str],
    /// What those names need besides, under a name that no program asks for.
    pub(crate) needed: &'static [&'static str],
    /// Names that stand only where a library of that name stands already.
    pub(crate) in_place: &'static [&'static str],
}

impl Libraries {
    /// The names that a folder gets.
    pub(super) fn names_for(&self, folder: &Path) -> Vec<&'static str> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let there: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        let in_place = self.in_place.iter().filter(|name| there.iter().any(|file| file.eq_ignore_ascii_case(name)));
        self.needed.iter().chain(self.names).chain(in_place).copied().collect()
    }

    /// The names without `.dll`, as overrides have them.
    #[cfg(unix)]
    pub(super) fn overrides(&self) -> Vec<&'static str> {
        let names = self.names.iter().chain(self.in_place);
        names.map(|name| name.strip_suffix(".dll").unwrap_or(name)).collect()
    }
}

/// The folder that has all files of these names: `folder` in the one that the environment names, or in one of those around the
/// executable. `what` says what they are, to people.
///
/// # Errors
/// A message that says where it was looked for, or which files are missing.
pub(crate) fn find(what: &str, folder: &str, names: &[&str]) -> Result<PathBuf, String> {
    let executable =
        std::env::current_exe().map_err(|error| format!("cannot tell where this program lies: {error}"))?;
    let named = std::env::var_os(OVERRIDE).filter(|path| !path.is_empty());
    find_from(named.map(PathBuf::from), &executable, what, folder, names)
}

fn find_from(
    named: Option<PathBuf>,
    executable: &Path,
    what: &str,
    folder: &str,
    names: &[&str],
) -> Result<PathBuf, String> {
    let has_all = |folder: &Path| {
        let missing: Vec<&str> = names.iter().copied().filter(|name| !folder.join(name).is_file()).collect();
        if missing.is_empty() { Ok(()) } else { Err(format!("{} lacks {}", folder.display(), missing.join(", "))) }
    };
    if let Some(named) = named {
        let found = named.join(folder);
        return has_all(&found).map(|()| found).map_err(|lack| format!("{OVERRIDE}: {lack}"));
    }
    let beside = executable.parent().unwrap_or(Path::new("/"));
    let places = [beside.join("windows"), beside.join("../windows"), beside.join("../lib/reprise/windows")];
    let mut found = places.iter().map(|place| place.join(folder)).filter(|place| has_all(place).is_ok());
    found.next().and_then(|place| place.canonicalize().ok()).ok_or_else(|| {
        format!(
            "{what} for Windows programs ({}) are neither in {} nor in ../windows or ../lib/reprise/windows beside it; \
             build them (cargo xtask build-windows) or name their folder with {OVERRIDE}",
            names.join(", "),
            places[0].display()
        )
    })
}

/// Whether a file is our runtime's, not the capture's.
#[cfg(unix)]
pub(crate) fn is_runtime(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| memmem::find(&bytes, &runtime::LIBRARY_MARK).is_some())
}

/// Whether a file is one of ours: a forwarder names the capture library; that and our runtime have marks.
pub(crate) fn is_ours(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else { return false };
    let marks = [&b"reprise_capture"[..], &session::LIBRARY_MARK, &runtime::LIBRARY_MARK];
    marks.into_iter().any(|mark| memmem::find(&bytes, mark).is_some())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_all_of_them_or_is_passed_over() {
        let names = ["reprise_capture.dll", "d3d12.dll", "dxgi.dll", CORE];
        let place = tempfile::tempdir().unwrap();
        let (bin, beside) = (place.path().join("bin"), place.path().join("windows"));
        std::fs::create_dir_all(bin.join("windows")).unwrap();
        std::fs::create_dir_all(beside.join("runtime")).unwrap();
        let executable = bin.join("reprise");
        let find = |named: Option<PathBuf>| find_from(named, &executable, "the capture libraries", "", &names);
        assert!(find(None).unwrap_err().contains("build-windows"));
        for name in &names[..3] {
            std::fs::write(beside.join(name), "").unwrap();
        }
        let lack = find(Some(beside.clone())).unwrap_err();
        assert!(lack.contains(CORE) && lack.contains(OVERRIDE), "{lack}");
        std::fs::write(beside.join(CORE), "reprise_capture.D3D12GetInterface").unwrap();
        assert_eq!(find(None).unwrap(), beside.canonicalize().unwrap());
        assert!(is_ours(&beside.join(CORE)) && !is_ours(&beside.join("dxgi.dll")) && !is_ours(&bin.join("nothing")));
        // Our runtime lies in a folder of its own there.
        let runtime = beside.join("runtime").join("d3d12.dll");
        std::fs::write(&runtime, [&b"MZ"[..], &runtime::LIBRARY_MARK, b"rest"].concat()).unwrap();
        let found = find_from(None, &executable, "our runtime's libraries", "runtime", &["d3d12.dll"]).unwrap();
        assert_eq!(found.join("d3d12.dll"), runtime.canonicalize().unwrap());
        assert!(is_ours(&runtime));
    }

    #[test]
    fn some_stand_only_in_the_place_of_another() {
        let place = tempfile::tempdir().unwrap();
        let libraries = Libraries {
            folder: place.path().into(),
            names: &["d3d12.dll", "dxgi.dll"],
            needed: &["reprise_capture.dll"],
            in_place: &[CORE],
        };
        assert_eq!(libraries.names_for(place.path()), ["reprise_capture.dll", "d3d12.dll", "dxgi.dll"]);
        std::fs::write(place.path().join("D3D12Core.dll"), "").unwrap();
        assert_eq!(libraries.names_for(place.path()), ["reprise_capture.dll", "d3d12.dll", "dxgi.dll", CORE]);
        assert_eq!(libraries.overrides(), ["d3d12", "dxgi", "d3d12core"]);
    }
}

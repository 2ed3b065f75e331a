//! The folders beside whose programs our libraries have to stand.
//!
//! A launcher's child is not known beforehand, so every folder with a program of 64 bits is one, from the program's folder down. Bounds
//! keep a program in a large folder from having all of a disk searched; what was left out is told.

use crate::launch::windows::executable::{Executable, Machine, is_executable_name};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Folders deeper below the first one are not searched: `Game/Binaries/Win64/Game.exe` is three deep.
const DEPTH: u32 = 6;
/// So many folders are looked into.
const SEARCHED: usize = 5000;
/// So many folders get our libraries.
const FOUND: usize = 64;

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Found {
    /// Folders with programs of 64 bits, those higher up first.
    pub(crate) folders: Vec<PathBuf>,
    /// A bound was met: there may be more.
    pub(crate) cut: bool,
}

/// Searches a folder and those below it.
pub(crate) fn below(root: &Path) -> Found {
    let mut found = Found::default();
    let mut searched = 0;
    let mut queue = VecDeque::from([(root.to_owned(), 0)]);
    while let Some((folder, depth)) = queue.pop_front() {
        searched += 1;
        if searched > SEARCHED || found.folders.len() >= FOUND {
            found.cut = true;
            break;
        }
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut has_program = false;
        let mut deeper = Vec::new();
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            // Of a link only the file counts: links to folders make circles.
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => deeper.extend((!is_elsewhere(name)).then(|| entry.path())),
                Ok(_) => has_program |= !has_program && is_executable_name(name) && is_wide(&entry.path()),
                Err(_) => {}
            }
        }
        if has_program {
            found.folders.push(folder);
        }
        if depth == DEPTH {
            found.cut |= !deeper.is_empty();
            continue;
        }
        deeper.sort();
        queue.extend(deeper.into_iter().map(|folder| (folder, depth + 1)));
    }
    found
}

/// The folders in and below `root` that hold a file of this name; links are not followed.
pub(crate) fn with_file(root: &Path, name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut queue = vec![root.to_owned()];
    while let Some(folder) = queue.pop() {
        if folder.join(name).is_file() {
            found.push(folder.clone());
        }
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        queue.extend(
            entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()),
        );
    }
    found
}

/// Folders that belong to no program: hidden ones, and what Wine has in its prefixes.
fn is_elsewhere(name: &str) -> bool {
    name.starts_with('.') || matches!(name, "dosdevices" | "windows" | "pfx")
}

/// Whether a file is a program of 64 bits.
pub(crate) fn is_wide(path: &Path) -> bool {
    Executable::read(path).is_some_and(|executable| executable.machine == Machine::Bits64)
}

/// Whether many things that have nothing to do with a program lie in its folder, so that only the folder itself counts: the root
/// of a drive, a home, a folder for downloads or for temporary files.
pub(crate) fn is_common(folder: &Path, home: Option<&Path>) -> bool {
    let is_drive = folder.file_name().is_none_or(|name| name == "drive_c")
        || folder.parent().and_then(Path::file_name).is_some_and(|name| name == "dosdevices");
    let name = folder.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
    let is_home = home.is_some_and(|home| {
        home.starts_with(folder)
            || (folder.parent() == Some(home) && matches!(name, "Desktop" | "Documents" | "Downloads" | "Games"))
    });
    is_drive || is_home || matches!(folder.to_str(), Some("/tmp" | "/var/tmp" | "/mnt" | "/media" | "/opt"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::launch::windows::executable::tests::header;

    #[test]
    fn folders_with_programs_of_64_bits() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let put = |path: &str, bytes: &[u8]| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        };
        let (wide, narrow) = (header(0x8664, true), header(0x14c, false));
        put("launcher.exe", &narrow);
        put("Game/Binaries/Win64/Game-Shipping.EXE", &wide);
        put("Game/Binaries/Win32/Game.exe", &narrow);
        put("tools/a.exe", &wide);
        put("tools/b.exe", &wide);
        put("text/readme.exe", b"text");
        put(".hidden/a.exe", &wide);
        put("windows/system32/cmd.exe", &wide);
        put("1/2/3/4/5/6/deep.exe", &wide);
        let found = below(root);
        let names: Vec<&str> =
            found.folders.iter().map(|path| path.strip_prefix(root).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["tools", "Game/Binaries/Win64", "1/2/3/4/5/6"]);
        assert!(!found.cut);
        put("1/2/3/4/5/6/7/deeper.exe", &wide);
        assert!(below(root).cut);
        assert_eq!(below(&root.join("nowhere")), Found::default());
    }

    #[test]
    fn common_folders() {
        let home = Some(Path::new("/home/u"));
        for common in ["/", "/home", "/home/u", "/home/u/Downloads", "/tmp", "/p/drive_c", "/p/dosdevices/e:"] {
            assert!(is_common(Path::new(common), home), "{common}");
        }
        for own in ["/home/u/Games/x", "/home/u/x", "/tmp/x", "/p/drive_c/Games", "/opt/game"] {
            assert!(!is_common(Path::new(own), home), "{own}");
        }
    }
}

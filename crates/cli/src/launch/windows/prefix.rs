//! A Wine prefix: the folder that holds a program's drives.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A prefix, which may not exist yet: Wine makes it at its first start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Prefix(PathBuf);

impl Prefix {
    /// The prefix that Wine or Proton will use, by the variables that they read.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<Prefix> {
        let set = |name| variable(name).filter(|path| !path.as_os_str().is_empty());
        // Proton sets WINEPREFIX itself, from this.
        let prefix = set("STEAM_COMPAT_DATA_PATH").map(|data| data.join("pfx"));
        let prefix = prefix.or_else(|| set("WINEPREFIX")).or_else(|| Some(set("HOME")?.join(".wine")));
        prefix.map(Prefix)
    }

    /// The folder of the system's libraries of 64 bits.
    pub(crate) fn system(&self) -> PathBuf {
        self.0.join("drive_c/windows/system32")
    }

    /// Whether a file belongs to the system in the prefix.
    pub(crate) fn is_system(&self, path: &Path) -> bool {
        path.starts_with(self.0.join("drive_c/windows"))
    }

    /// The file that a word of a command line names: a Unix path, or a path of Windows with a drive (`C:\a\b`), Wine's form of
    /// a Unix path (`\\?\unix\a\b`) or a relative one. `None` where there is no such file.
    pub(crate) fn locate(&self, word: &OsStr, directory: &Path) -> Option<PathBuf> {
        let unix = directory.join(word);
        if unix.is_file() {
            return Some(unix);
        }
        let text = word.to_str()?.replace('\\', "/");
        if let Some(rest) = text.strip_prefix("//?/unix/") {
            return find(Path::new("/"), rest);
        }
        match text.split_once(':') {
            Some((drive, rest)) if drive.len() == 1 => {
                let drive = format!("{}:", drive.to_ascii_lowercase());
                find(&self.0.join("dosdevices").join(drive), rest)
            }
            Some(_) => None,
            None => find(directory, &text).or_else(|| {
                // Wine looks for a bare name in the system, too.
                (!text.contains('/')).then(|| find(&self.system(), &text)).flatten()
            }),
        }
    }
}

/// A file below a folder, where the case of letters does not count.
fn find(folder: &Path, relative: &str) -> Option<PathBuf> {
    let mut path = folder.to_owned();
    for component in Path::new(relative).components() {
        match component {
            Component::RootDir | Component::CurDir => {}
            Component::ParentDir => path.push(".."),
            Component::Prefix(_) => return None,
            Component::Normal(name) => path = entry(&path, name)?,
        }
    }
    path.is_file().then_some(path)
}

fn entry(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let exact = folder.join(name);
    if exact.exists() {
        return Some(exact);
    }
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    entries
        .map(|entry| entry.path())
        .find(|path| path.file_name().is_some_and(|found| found.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn variables_say_where_it_is() {
        let of = |set: &[(&str, &str)]| {
            Prefix::of(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value)))
        };
        let home = ("HOME", "/h");
        assert_eq!(of(&[home]), Some(Prefix("/h/.wine".into())));
        assert_eq!(of(&[home, ("WINEPREFIX", "/p")]), Some(Prefix("/p".into())));
        assert_eq!(of(&[home, ("WINEPREFIX", "")]), Some(Prefix("/h/.wine".into())));
        let steam = ("STEAM_COMPAT_DATA_PATH", "/s/compatdata/1");
        assert_eq!(of(&[home, ("WINEPREFIX", "/p"), steam]), Some(Prefix("/s/compatdata/1/pfx".into())));
        assert_eq!(of(&[]), None);
    }

    #[test]
    #[cfg(unix)]
    fn paths_of_windows_lead_to_files() {
        let place = tempfile::tempdir().unwrap();
        let prefix = Prefix(place.path().join("prefix"));
        let games = prefix.0.join("drive_c/Program Files/Games");
        std::fs::create_dir_all(&games).unwrap();
        std::fs::create_dir_all(prefix.system()).unwrap();
        std::fs::create_dir_all(prefix.0.join("dosdevices")).unwrap();
        std::os::unix::fs::symlink("../drive_c", prefix.0.join("dosdevices/c:")).unwrap();
        std::os::unix::fs::symlink(place.path(), prefix.0.join("dosdevices/e:")).unwrap();
        std::fs::write(games.join("Game.exe"), "").unwrap();
        std::fs::write(prefix.system().join("notepad.exe"), "").unwrap();
        std::fs::write(place.path().join("own.exe"), "").unwrap();
        let locate = |word: &str| {
            let found = prefix.locate(OsStr::new(word), &games)?;
            Some(found.canonicalize().unwrap())
        };
        let game = Some(games.join("Game.exe").canonicalize().unwrap());
        for word in [
            r"C:\Program Files\Games\Game.exe",
            r"c:\program files\games\GAME.EXE",
            "C:/Program Files/Games/Game.exe",
            "Game.exe",
            r".\game.exe",
            r"..\Games\game.exe",
            games.join("Game.exe").to_str().unwrap(),
            &format!(r"\\?\unix{}", games.join("Game.exe").to_str().unwrap().replace('/', r"\")),
        ] {
            assert_eq!(locate(word), game, "{word}");
        }
        assert!(locate(r"e:\own.exe").is_some() && locate("notepad.exe").is_some());
        for word in ["nothing.exe", r"X:\a.exe", r"C:\Program Files", "ab:c.exe", ""] {
            assert_eq!(locate(word), None, "{word}");
        }
        assert!(prefix.is_system(&prefix.system().join("notepad.exe")) && !prefix.is_system(&games));
    }
}

//! What our library in Windows processes tells: it was loaded, a device was made, a process is not recorded.
//!
//! It appends lines `PROCESS EVENT TEXT` to a file that the launcher names (`REPRISE_HOST_LOG`).

use std::path::{Path, PathBuf};

/// What was told.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Told {
    /// Which of our libraries were loaded, by which programs.
    pub(crate) loaded: Vec<String>,
    pub(crate) devices: usize,
    /// Why processes are not recorded.
    pub(crate) refused: Vec<String>,
    /// What the program asked for and did not get. Most go on without.
    pub(crate) lacking: Vec<String>,
}

impl Told {
    /// The end of a sentence about a program that asked for no device: what else it asked for.
    pub(crate) fn lacked(&self) -> String {
        let mut all = self.lacking.clone();
        all.dedup();
        if all.is_empty() {
            return String::new();
        }
        format!("; before it ended it asked for {}, which our runtime does not have", all.join(", "))
    }
}

/// The file beside the folder of the rings: container and program see both.
pub(crate) fn path_beside(rings: &Path) -> PathBuf {
    rings.with_extension("host")
}

/// Reads and removes the file. None is as an empty one: nothing was loaded.
pub(crate) fn take(path: &Path) -> Told {
    let text = std::fs::read(path).unwrap_or_default();
    let _ = std::fs::remove_file(path);
    parse(&String::from_utf8_lossy(&text))
}

fn parse(text: &str) -> Told {
    let mut told = Told::default();
    for line in text.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(process), Some(event)) = (words.next(), words.next()) else { continue };
        // Lines of two processes may be mixed up where the file system does not append as a whole.
        if process.parse::<u32>().is_err() {
            continue;
        }
        let text = words.next().unwrap_or_default().trim().to_owned();
        match event {
            "loaded" => told.loaded.push(text),
            "device" => told.devices += 1,
            "refused" => told.refused.push(text),
            "lacking" => told.lacking.push(text),
            _ => {}
        }
    }
    told
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_events() {
        let told = parse(
            "12 loaded d3d12.dll game.exe\n12 device\nodd\n13 refused its version is unknown\nx device\n12 new a\n12 lacking x\n",
        );
        assert_eq!(
            told,
            Told {
                loaded: vec!["d3d12.dll game.exe".into()],
                devices: 1,
                refused: vec!["its version is unknown".into()],
                lacking: vec!["x".into()],
            }
        );
        let folder = tempfile::tempdir().unwrap();
        let path = path_beside(&folder.path().join("x.reprise.rings"));
        assert_eq!(take(&path), Told::default());
        std::fs::write(&path, "1 device\n").unwrap();
        assert_eq!((take(&path).devices, path.exists()), (1, false));
    }
}

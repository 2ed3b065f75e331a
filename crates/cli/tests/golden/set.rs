//! The sets of golden traces, as `cargo xtask golden` leaves them.

use serde_json::Value as Json;
use std::fmt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// A folder of traces that one build recorded.
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) traces: Vec<Golden>,
    folder: PathBuf,
}

/// A trace, and what it must say.
pub(crate) struct Golden {
    pub(crate) name: String,
    /// Its writer was killed: rings lie beside it.
    pub(crate) rings: bool,
    /// Exit code of `info` and `dump`.
    pub(crate) exit: i32,
    /// `ours` or `null-win64`; `None` where it is only read.
    pub(crate) replay: Option<String>,
    /// Whether `verify` has something to compare.
    pub(crate) verify: bool,
    folder: PathBuf,
}

impl fmt::Display for Golden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.folder.file_name().unwrap_or_default().display(), self.name)
    }
}

/// All sets, sorted by name.
pub(crate) fn sets() -> Vec<Set> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut sets: Vec<Set> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|folder| folder.join("traces.json").is_file())
        .map(Set::read)
        .collect();
    sets.sort_by(|one, other| one.name.cmp(&other.name));
    sets
}

impl Set {
    fn read(folder: PathBuf) -> Set {
        let list: Json = serde_json::from_slice(&std::fs::read(folder.join("traces.json")).unwrap()).unwrap();
        let golden = |trace: &Json| Golden {
            name: trace["name"].as_str().unwrap().into(),
            rings: trace["rings"].as_bool().unwrap(),
            exit: trace["exit"].as_i64().unwrap().try_into().unwrap(),
            replay: trace["replay"].as_str().map(str::to_owned),
            verify: trace["verify"].as_bool().unwrap(),
            folder: folder.clone(),
        };
        let traces = list["traces"].as_array().unwrap().iter().map(golden).collect();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        Set { name, traces, folder }
    }

    /// XXH3-128 of the names and contents of all files but the README.
    pub(crate) fn hash(&self) -> String {
        let mut files = Vec::new();
        list(&self.folder, &mut files);
        files.sort();
        let mut hash = Xxh3::new();
        for file in files.iter().filter(|file| file.extension().is_none_or(|extension| extension != "md")) {
            let content = std::fs::read(file).unwrap();
            hash.update(file.strip_prefix(&self.folder).unwrap().to_str().unwrap().as_bytes());
            hash.update(&(content.len() as u64).to_le_bytes());
            hash.update(&content);
        }
        format!("{:032x}", hash.digest128())
    }
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { list(&entry, files) } else { files.push(entry) }
    }
}

impl Golden {
    pub(crate) fn path(&self, suffix: &str) -> PathBuf {
        self.folder.join(format!("{}{suffix}", self.name))
    }

    fn text(&self, suffix: &str) -> String {
        String::from_utf8(zstd::decode_all(std::fs::File::open(self.path(suffix)).unwrap()).unwrap()).unwrap()
    }

    /// What `dump --json` said when it was recorded.
    pub(crate) fn dump(&self) -> String {
        self.text(".dump.zst")
    }

    /// The lines that `dump --json` must have: those of then. Where nothing had ended a frame, submissions do today.
    pub(crate) fn lines(&self) -> Vec<Json> {
        let lines = crate::lines(&self.dump());
        let recorded = lines.iter().any(|line| line["event"] == "frame");
        if recorded { lines } else { divided(lines) }
    }

    /// What `info --json` said when it was recorded.
    pub(crate) fn info(&self) -> Json {
        serde_json::from_str(&self.text(".info.zst")).unwrap()
    }
}

/// Lines of a dump whose frames submissions end.
pub(crate) fn divided(lines: Vec<Json>) -> Vec<Json> {
    let (mut all, mut frame) = (Vec::new(), 1u64);
    for mut line in lines {
        if line.get("frame").is_some() {
            line["frame"] = frame.into();
        }
        let ends = line["method"] == "ID3D12CommandQueue::ExecuteCommandLists" && line["returned"] != false;
        all.push(line);
        if ends {
            all.push(serde_json::json!({ "event": "frame", "frame": frame, "source": "submission" }));
            frame += 1;
        }
    }
    all
}

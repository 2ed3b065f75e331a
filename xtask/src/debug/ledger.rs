//! The runs of a source, as a file keeps them, so that a task that was ended goes on where it was.
//!
//! A line of JSON for each source that is through. Invariant: a line is written whole, when all runs of its source are known.
//! What a crash left of a last line is cut off, and its source runs anew.

use super::verdict::Ran;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The run of a shader: where, of which kind, what it came to, and what its control came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) place: String,
    pub(super) kind: String,
    pub(super) ran: Ran,
    pub(super) control: Option<Ran>,
}

impl Entry {
    fn json(&self) -> Value {
        let control = self.control.as_ref().map(Ran::json);
        json!({ "place": self.place, "kind": self.kind, "ran": self.ran.json(), "control": control })
    }

    fn of(value: &Value) -> Option<Entry> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        let control = match &value["control"] {
            Value::Null => None,
            control => Some(Ran::of_json(control)?),
        };
        Some(Entry { place: text("place")?, kind: text("kind")?, ran: Ran::of_json(&value["ran"])?, control })
    }
}

/// The file, and what it had when it was opened.
#[derive(Debug)]
pub(super) struct Ledger {
    file: File,
    path: PathBuf,
    /// The runs of sources that are through, by the sources' names.
    pub(super) known: BTreeMap<String, Vec<Entry>>,
}

impl Ledger {
    /// Opens a file, or makes it.
    pub(super) fn open(path: &Path) -> Result<Ledger> {
        let named = || path.display().to_string();
        let mut file = File::options().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.as_mut().map_err(|error| anyhow::anyhow!("cannot open {}: {error}", named()))?;
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(named)?;
        let whole = text.rfind('\n').map_or(0, |last| last + 1);
        if whole < text.len() {
            println!("debug: {}: the last line is cut, its source runs anew", named());
            file.set_len(whole as u64).with_context(named)?;
            file.seek(std::io::SeekFrom::Start(whole as u64)).with_context(named)?;
        }
        let mut known = BTreeMap::new();
        for (number, line) in text[..whole].lines().enumerate() {
            let read = || -> Option<(String, Vec<Entry>)> {
                let line: Value = serde_json::from_str(line).ok()?;
                let runs = line["runs"].as_array()?.iter().map(Entry::of).collect::<Option<_>>()?;
                Some((line["source"].as_str()?.to_owned(), runs))
            };
            let (source, runs) =
                read().with_context(|| format!("{}, line {}: not a line that this task wrote", named(), number + 1))?;
            let is_new = known.insert(source.clone(), runs).is_none();
            ensure!(is_new, "{}, line {}: source {source} is there twice", named(), number + 1);
        }
        Ok(Ledger { file: file.try_clone().with_context(named)?, path: path.to_owned(), known })
    }

    /// Writes the line of a source that is through.
    pub(super) fn add(&mut self, source: &str, runs: &[Entry]) -> Result<()> {
        let runs: Vec<_> = runs.iter().map(Entry::json).collect();
        let line = json!({ "source": source, "runs": runs }).to_string() + "\n";
        self.file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::verdict::Verdict;
    use super::*;

    fn entry(place: &str, verdict: Verdict) -> Entry {
        let ran = |verdict| Ran { shaders: vec!["a".to_owned(), "b x".to_owned()], verdict, opens: true };
        let control = ran(Verdict::Different("y".to_owned()));
        Entry { place: place.to_owned(), kind: "compute".to_owned(), ran: ran(verdict), control: Some(control) }
    }

    /// What was written is read again, of a source whose line was cut nothing, and the next line follows what is whole.
    #[test]
    fn what_is_through_is_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs");
        let names = ["Sin: its last bits; all", "Cos"].map(str::to_owned);
        let first = [entry("t, call 1", Verdict::Open(names.into())), entry("t, call 2", Verdict::Absent)];
        let mut ledger = Ledger::open(&path).unwrap();
        assert!(ledger.known.is_empty());
        ledger.add("t", &first).unwrap();
        ledger.add("u", &[entry("u", Verdict::Equal)]).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &text[..text.len() - 3]).unwrap();
        let mut ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.known.keys().collect::<Vec<_>>(), ["t"]);
        assert_eq!(ledger.known["t"], first);
        // Shorter than what was cut: nothing of that is left.
        ledger.add("u", &[]).unwrap();
        let mut ledger = Ledger::open(&path).unwrap();
        assert_eq!(ledger.known.keys().collect::<Vec<_>>(), ["t", "u"]);
        let refused = [entry("v", Verdict::Refused("z".to_owned()))];
        ledger.add("v", &refused).unwrap();
        let known = Ledger::open(&path).unwrap().known;
        assert_eq!((known["t"].as_slice(), known["u"].as_slice()), (&first[..], &[][..]));
        assert_eq!(known["v"], refused);
    }

    /// Another file is not taken for one, and stays as it is.
    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs");
        for text in ["{}\n", "words\n", "{\"source\":\"t\",\"runs\":[{}]}\n"] {
            std::fs::write(&path, text).unwrap();
            assert!(Ledger::open(&path).unwrap_err().to_string().contains("line 1: not a line"), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}

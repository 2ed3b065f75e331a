//! The runs of a source, as a file keeps them, so that a task that was ended goes on where it was.
//!
//! A line of JSON with what the task was asked for, and one for each source that is through. Invariant: a line is written whole, when all runs of its
//! source are known. What a crash left of a last line is cut off, and its source runs anew. One task has the file at a time, and a task that is asked for
//! something else is refused.

use super::verdict::Ran;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
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
    /// Opens a file, or makes it; `asked`: what the task is asked for, and by which build.
    pub(super) fn open(path: &Path, asked: &Value) -> Result<Ledger> {
        let named = || path.display().to_string();
        let file = File::options().read(true).append(true).create(true).open(path);
        let mut file = file.with_context(|| format!("cannot open {}", named()))?;
        file.try_lock().with_context(|| format!("{}: another task writes it", named()))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(named)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let text = str::from_utf8(bytes.get(..whole).unwrap_or_default());
        let text = text.with_context(|| format!("{}: not a file that this task wrote", named()))?;
        let first = text.lines().next().map(|line| serde_json::from_str::<Value>(line).unwrap_or_default());
        if let Some(first) = &first {
            let is_own = first.get("asked").is_some();
            ensure!(is_own, "{}, line 1: not a line that this task wrote", named());
            ensure!(
                first["asked"] == *asked,
                "{}: its runs are of {}, and this task is {asked}: name another file",
                named(),
                first["asked"]
            );
        }
        if whole < bytes.len() {
            println!("debug: {}: the last line is cut, its source runs anew", named());
            file.set_len(whole as u64).with_context(named)?;
        }
        if first.is_none() {
            file.write_all((json!({ "asked": asked }).to_string() + "\n").as_bytes()).with_context(named)?;
        }
        let mut known = BTreeMap::new();
        for (number, line) in text.lines().enumerate().skip(1) {
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
        Ok(Ledger { file, path: path.to_owned(), known })
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

    /// Whole lines are read again. A line that was cut is dropped, and the next line is written in its place.
    #[test]
    fn what_is_through_is_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs");
        let names = ["Sin: its last bits; all", "Cos"].map(str::to_owned);
        let first = [entry("t, call 1", Verdict::Open(names.into())), entry("t, call 2", Verdict::Absent)];
        let asked = json!({ "calls": 1 });
        let mut ledger = Ledger::open(&path, &asked).unwrap();
        assert!(ledger.known.is_empty());
        assert!(Ledger::open(&path, &asked).unwrap_err().to_string().contains("another task writes it"));
        ledger.add("t", &first).unwrap();
        ledger.add("u", &[entry("u", Verdict::Equal)]).unwrap();
        drop(ledger);
        // Cut within a character.
        let text = std::fs::read_to_string(&path).unwrap();
        let cut = [&text.as_bytes()[..text.len() - 3], &"ä".as_bytes()[..1]].concat();
        std::fs::write(&path, cut).unwrap();
        let other = Ledger::open(&path, &json!({ "calls": 2 })).unwrap_err().to_string();
        assert!(other.contains("name another file"), "{other}");
        let mut ledger = Ledger::open(&path, &asked).unwrap();
        assert_eq!(ledger.known.keys().collect::<Vec<_>>(), ["t"]);
        assert_eq!(ledger.known["t"], first);
        // Shorter than what was cut: nothing of that is left.
        ledger.add("u", &[]).unwrap();
        drop(ledger);
        let mut ledger = Ledger::open(&path, &asked).unwrap();
        assert_eq!(ledger.known.keys().collect::<Vec<_>>(), ["t", "u"]);
        let refused = [entry("v", Verdict::Refused("z".to_owned()))];
        ledger.add("v", &refused).unwrap();
        drop(ledger);
        let known = Ledger::open(&path, &asked).unwrap().known;
        assert_eq!((known["t"].as_slice(), known["u"].as_slice()), (&first[..], &[][..]));
        assert_eq!(known["v"], refused);
    }

    /// Another file is not taken for one, and stays as it is.
    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs");
        let asked = json!({ "calls": 1 });
        let head = "{\"asked\":{\"calls\":1}}\n";
        let line = format!("{head}{{\"source\":\"t\",\"runs\":[{{}}]}}\n");
        for (text, number) in [("{}\n", 1), ("words\n", 1), (&*line, 2)] {
            std::fs::write(&path, text).unwrap();
            let refused = Ledger::open(&path, &asked).unwrap_err().to_string();
            assert!(refused.contains(&format!("line {number}: not a line")), "{text}: {refused}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}

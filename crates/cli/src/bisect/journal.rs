//! The log of a bisect: a line of JSON for each step. What is in it need not be done again.
//!
//! The first line says what is asked. Each further line is a run of a candidate; a last one, where there is one, is the answer. A line that
//! the end of the process cut is left out. Invariant: a line is on disk before the next run begins.

use crate::bisect::search::Verdict;
use crate::bisect::symptom::Symptom;
use crate::terminal::exit::{self, Failure, OrExit};
use crate::trial::outcome::Outcome;
use anyhow::Context;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A run of a candidate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    /// Its place among the candidates, from 0.
    pub(crate) candidate: usize,
    pub(crate) label: String,
    pub(crate) verdict: String,
    /// What was looked for; null where everything counted.
    pub(crate) looked_for: Option<Symptom>,
    pub(crate) outcome: Outcome,
    pub(crate) seconds: f64,
}

impl Run {
    /// What it says, for the search.
    pub(crate) fn verdict(&self) -> Verdict {
        match self.verdict.as_str() {
            "good" => Verdict::Good,
            "bad" => Verdict::Bad,
            _ => Verdict::Skip,
        }
    }
}

/// The word for a verdict in the log.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Good => "good",
        Verdict::Bad => "bad",
        Verdict::Skip => "skip",
    }
}

/// The log under way.
#[derive(Debug)]
pub(crate) struct Journal {
    pub(crate) path: PathBuf,
    pub(crate) runs: Vec<Run>,
    file: File,
}

impl Journal {
    /// Begins a log, or goes on with one.
    ///
    /// # Errors
    /// There is a log already and nobody wants to go on with it, it is one of another question, or cannot be written.
    pub(crate) fn open(path: &Path, asked: &Json, resume: bool) -> Result<Journal, Failure> {
        let name = path.display();
        let cannot = || format!("the log {}", path.display());
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(cannot).or_exit(exit::USAGE),
        };
        let head = json!({ "bisect": asked });
        let (first, runs, whole) = read(&text);
        if let Some(first) = &first {
            if !resume {
                let message = format!("{name}: there is a log already: --resume goes on with it, or remove it");
                return Err(Failure::message(exit::USAGE, message));
            }
            if *first != head {
                let message = format!("{name}: this log is of another question ({})", unlike(first, &head));
                return Err(Failure::message(exit::USAGE, message));
            }
        } else if !text.is_empty() {
            return Err(Failure::message(exit::USAGE, format!("{name} is no log of a bisect")));
        }
        let file = OpenOptions::new().append(true).create(true).open(path).with_context(cannot).or_exit(exit::USAGE)?;
        // What was cut goes, so that the next line begins at a line's beginning.
        file.set_len(whole as u64).with_context(cannot).or_exit(exit::FAILED)?;
        let mut journal = Journal { path: path.to_owned(), runs, file };
        if first.is_none() {
            journal.line(&head)?;
        }
        Ok(journal)
    }

    /// Keeps a run.
    ///
    /// # Errors
    /// The log cannot be written.
    pub(crate) fn keep(&mut self, run: Run) -> Result<(), Failure> {
        self.line(&json!({ "run": run }))?;
        self.runs.push(run);
        Ok(())
    }

    /// Keeps the answer.
    ///
    /// # Errors
    /// The log cannot be written.
    pub(crate) fn answer(&mut self, answer: &Json) -> Result<(), Failure> {
        self.line(&json!({ "answer": answer }))
    }

    fn line(&mut self, line: &Json) -> Result<(), Failure> {
        let written = self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.sync_data());
        written.with_context(|| format!("the log {}", self.path.display())).or_exit(exit::FAILED)
    }
}

/// The first line, the runs, and how many bytes are whole lines that are known.
fn read(text: &str) -> (Option<Json>, Vec<Run>, usize) {
    let (mut first, mut runs, mut whole) = (None, Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let Some(json) = line.strip_suffix('\n').and_then(|line| serde_json::from_str::<Json>(line).ok()) else {
            break;
        };
        if first.is_none() {
            if json.get("bisect").is_none() {
                break;
            }
            first = Some(json);
        } else if let Some(run) = json.get("run") {
            let Ok(run) = Run::deserialize(run) else { break };
            runs.push(run);
        } else if json.get("answer").is_none() {
            break;
        }
        whole += line.len();
    }
    (first, runs, whole)
}

/// Which part of the question is another one.
fn unlike(log: &Json, asked: &Json) -> String {
    let fields = asked["bisect"].as_object().into_iter().flatten();
    let other: Vec<&str> =
        fields.filter(|(name, value)| log["bisect"][name] != **value).map(|(name, _)| name.as_str()).collect();
    format!("other: {}", other.join(", "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::trial::outcome::Ending;

    fn run(candidate: usize, verdict: &str) -> Run {
        let outcome =
            Outcome { ending: Ending::Completed, said: "ends\nhere".into(), difference: None, errors: Vec::new() };
        Run { candidate, label: "a.so".into(), verdict: verdict.into(), looked_for: None, outcome, seconds: 0.5 }
    }

    #[test]
    fn a_log_that_is_cut_anywhere_gives_the_runs_before_the_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let asked = json!({ "trace": "a", "candidates": ["x", "y"] });
        let mut journal = Journal::open(&path, &asked, false).unwrap();
        let runs: Vec<Run> = (0..3).map(|at| run(at, ["good", "bad", "skip"][at])).collect();
        runs.iter().for_each(|run| journal.keep(run.clone()).unwrap());
        journal.answer(&json!({ "first_bad": 1 })).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for cut in lines[0]..=text.len() {
            let (first, read, whole) = super::read(&text[..cut]);
            let lines = lines.iter().filter(|end| **end <= cut).count();
            assert_eq!((first.is_some(), read.len()), (true, (lines - 1).min(3)), "{cut}");
            assert_eq!(read, runs[..read.len()]);
            assert!(whole <= cut && text[..whole].ends_with('\n'));
        }
        std::fs::write(&path, &text[..lines[1] + 9]).unwrap();
        let mut again = Journal::open(&path, &asked, true).unwrap();
        assert_eq!(again.runs, runs[..1]);
        again.keep(runs[1].clone()).unwrap();
        assert_eq!(super::read(&std::fs::read_to_string(&path).unwrap()).1, runs[..2]);
        assert!(Journal::open(&path, &asked, false).unwrap_err().to_string().contains("--resume"));
        let other = json!({ "trace": "a", "candidates": ["x"] });
        assert!(Journal::open(&path, &other, true).unwrap_err().to_string().contains("other: candidates"));
        std::fs::write(&path, "something else\n").unwrap();
        assert!(Journal::open(&path, &asked, true).unwrap_err().to_string().contains("no log"));
    }
}

//! The file: lines of JSON, each an object with one key that says what it is.
//!
//! | key | what the line has | how often |
//! |---|---|---|
//! | `times` | the version of the form, 1, and what was measured | once, first |
//! | `operation` | the number of a call, and what is known of it | for each operation |
//! | `run` | the number of a replay, from 1, and a submission with its times | for each submission of each replay |
//! | `untimed` | the number of a replay, a reason, and calls of submissions | for each reason |
//! | `counted` | a submission with its counts | for each submission |
//! | `uncounted` | a reason, and calls | for each reason |
//! | `driver_counters` | counters of the driver that a replay counted | for each such replay |
//! | `driver` | the number of such a replay, from 1, and a submission with its counts | for each submission |
//! | `driver_uncounted` | the same number, a reason, and calls | for each reason |
//! | `cpu` | the number of a replay, and how long its CPU was in the runtime | for each replay that measured it |
//! | `changed` | what an experiment changed | once, where there was one |
//! | `read_back` | how many bytes that the program read back were compared, and differ | once, where a replay compared them |
//! | `executables` | the id of a pipeline state or state object, and what the driver made of its shaders | for each that it says something of |
//! | `silence` | why nothing is told of shaders: `driver` or `library` | once, if so |
//! | `end` | how many lines stand before it | once, last: a file without it was cut |

use crate::{
    About, Changed, Counted, CountedSubmission, Cpu, DriverCounted, DriverCounter, DriverCounts, Executable, Operation,
    ReadBack, Run, Silence, Submission, Times,
};
use reprise_whole_file::Whole;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::{error, fmt};

/// The version of the form.
const VERSION: u32 = 1;
/// More replays than this no file has.
const RUNS: usize = 100_000;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Times { version: u32, about: About },
    Operation(u64, Operation),
    Run(usize, Submission),
    Untimed(usize, String, Vec<u64>),
    Counted(CountedSubmission),
    Uncounted(String, Vec<u64>),
    DriverCounters(Vec<DriverCounter>),
    Driver(usize, DriverCounts),
    DriverUncounted(usize, String, Vec<u64>),
    Executables(u32, Vec<Executable>),
    Silence(Silence),
    Cpu(usize, Cpu),
    Changed(Changed),
    ReadBack(ReadBack),
    End(u64),
}

/// Why a file cannot be read.
#[derive(Debug)]
pub struct Error {
    line: u64,
    what: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no file of times, or a damaged one: line {}: {}", self.line, self.what)
    }
}

impl error::Error for Error {}

/// Where the times of a trace are looked for: the trace's name, with `.times` behind it.
#[must_use]
pub fn beside(trace: &Path) -> PathBuf {
    let mut name = OsString::from(trace);
    name.push(".times");
    name.into()
}

impl Times {
    /// Writes the file whole, or not at all.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let whole = Whole::begin(path)?;
        let mut writer = BufWriter::new(whole.writer()?);
        self.write(&mut writer)?;
        writer.flush()?;
        drop(writer);
        whole.finish()
    }

    /// Whether they are of this trace, as far as its size tells.
    ///
    /// # Errors
    /// In words: they are of another one.
    pub fn is_of(&self, trace: &Path) -> Result<(), String> {
        let bytes = std::fs::metadata(trace).map_err(|error| format!("{}: {error}", trace.display()))?.len();
        if bytes == self.about.trace_bytes {
            return Ok(());
        }
        Err(format!(
            "these are times of another trace, of {} bytes; {} has {bytes}: `reprise time --save` measures it anew",
            self.about.trace_bytes,
            trace.display()
        ))
    }

    /// Reads a file.
    ///
    /// # Errors
    /// There is none, or it is damaged, with the line.
    pub fn open(path: &Path) -> io::Result<Times> {
        Times::read(BufReader::new(File::open(path)?))
    }

    /// Writes the lines.
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&self, mut writer: impl Write) -> io::Result<()> {
        let mut count = 0;
        let mut line = |line: &Line| {
            count += 1;
            serde_json::to_writer(&mut writer, line)?;
            writer.write_all(b"\n")
        };
        line(&Line::Times { version: VERSION, about: self.about.clone() })?;
        for (call, operation) in &self.operations {
            line(&Line::Operation(*call, operation.clone()))?;
        }
        for (number, run) in (1..).zip(&self.runs) {
            for submission in &run.submissions {
                line(&Line::Run(number, submission.clone()))?;
            }
            for (reason, calls) in &run.untimed {
                line(&Line::Untimed(number, reason.clone(), calls.clone()))?;
            }
            if let Some(cpu) = &run.cpu {
                line(&Line::Cpu(number, cpu.clone()))?;
            }
        }
        if let Some(counted) = &self.counted {
            for submission in &counted.submissions {
                line(&Line::Counted(submission.clone()))?;
            }
            for (reason, calls) in &counted.uncounted {
                line(&Line::Uncounted(reason.clone(), calls.clone()))?;
            }
        }
        for (number, counted) in (1..).zip(&self.driver) {
            line(&Line::DriverCounters(counted.counters.clone()))?;
            for submission in &counted.submissions {
                line(&Line::Driver(number, submission.clone()))?;
            }
            for (reason, calls) in &counted.uncounted {
                line(&Line::DriverUncounted(number, reason.clone(), calls.clone()))?;
            }
        }
        for (pipeline, executables) in &self.executables {
            line(&Line::Executables(*pipeline, executables.clone()))?;
        }
        if let Some(silence) = self.silence {
            line(&Line::Silence(silence))?;
        }
        if let Some(changed) = &self.experiment {
            line(&Line::Changed(changed.clone()))?;
        }
        if let Some(read_back) = self.read_back {
            line(&Line::ReadBack(read_back))?;
        }
        let before = count;
        serde_json::to_writer(&mut writer, &Line::End(before))?;
        writer.write_all(b"\n")
    }

    /// Reads the lines.
    ///
    /// # Errors
    /// The reader's, and [`Error`] as `InvalidData`.
    pub fn read(reader: impl BufRead) -> io::Result<Times> {
        let mut times = Times::default();
        let (mut number, mut ended) = (0, false);
        let wrong = |line: u64, what: String| io::Error::new(io::ErrorKind::InvalidData, Error { line, what });
        for text in reader.lines() {
            let text = text.map_err(|error| match error.kind() {
                io::ErrorKind::InvalidData => wrong(number + 1, error.to_string()),
                _ => error,
            })?;
            number += 1;
            if ended {
                return Err(wrong(number, "something stands behind the end".into()));
            }
            let line = match serde_json::from_str::<Line>(&text) {
                Ok(line) => line,
                Err(_) if number > 1 && is_unknown(&text) => {
                    times.unknown += 1;
                    continue;
                }
                Err(error) => return Err(wrong(number, error.to_string())),
            };
            if (number == 1) != matches!(line, Line::Times { .. }) {
                return Err(wrong(number, "the line `times` stands first, and there alone".into()));
            }
            match line {
                Line::Times { version: VERSION, about } => times.about = about,
                Line::Times { version, .. } => {
                    return Err(wrong(number, format!("version {version}; this build reads {VERSION}")));
                }
                Line::Operation(call, operation) => _ = times.operations.insert(call, operation),
                Line::Run(at, submission) => times.run(at, number)?.submissions.push(submission),
                Line::Untimed(at, reason, calls) => _ = times.run(at, number)?.untimed.insert(reason, calls),
                Line::Counted(submission) => times.counts().submissions.push(submission),
                Line::Uncounted(reason, calls) => _ = times.counts().uncounted.insert(reason, calls),
                Line::DriverCounters(counters) => {
                    times.driver.push(DriverCounted { counters, ..DriverCounted::default() })
                }
                Line::Driver(at, submission) => times.driven(at, number)?.submissions.push(submission),
                Line::DriverUncounted(at, reason, calls) => {
                    times.driven(at, number)?.uncounted.insert(reason, calls);
                }
                Line::Executables(pipeline, all) => _ = times.executables.insert(pipeline, all),
                Line::Silence(silence) => times.silence = Some(silence),
                Line::Cpu(at, cpu) => times.run(at, number)?.cpu = Some(cpu),
                Line::Changed(changed) => times.experiment = Some(changed),
                Line::ReadBack(read_back) => times.read_back = Some(read_back),
                Line::End(before) if before == number - 1 => ended = true,
                Line::End(before) => return Err(wrong(number, format!("{before} lines were written before it"))),
            }
        }
        if ended { Ok(times) } else { Err(wrong(number, "the line `end` is missing: the file was cut".into())) }
    }

    fn counts(&mut self) -> &mut Counted {
        self.counted.get_or_insert_default()
    }

    /// The replay of this number in which the driver counted.
    fn driven(&mut self, at: usize, line: u64) -> io::Result<&mut DriverCounted> {
        let counted = at.checked_sub(1).and_then(|at| self.driver.get_mut(at));
        let what = format!("there is no replay {at} with counters of the driver");
        counted.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, Error { line, what }))
    }

    /// The replay of this number. Replays without a line of their own stand before it.
    fn run(&mut self, at: usize, line: u64) -> io::Result<&mut Run> {
        if at == 0 || at > RUNS {
            let what = format!("there is no replay {at}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, Error { line, what }));
        }
        if self.runs.len() < at {
            self.runs.resize_with(at, Run::default);
        }
        self.runs.get_mut(at - 1).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Whether a line has one key, which this build does not know.
fn is_unknown(text: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "times",
        "operation",
        "run",
        "untimed",
        "counted",
        "uncounted",
        "executables",
        "silence",
        "cpu",
        "changed",
        "read_back",
        "end",
    ];
    let Ok(serde_json::Value::Object(line)) = serde_json::from_str(text) else { return false };
    line.len() == 1 && line.keys().all(|key| !KNOWN.contains(&key.as_str()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{Amount, Counts, List, Pipeline, Statistic, TimedPass};

    fn example() -> Times {
        let operation = |method: &str, pipeline, markers: &[&str]| Operation {
            method: method.into(),
            pipeline,
            markers: markers.iter().map(|&marker| marker.to_owned()).collect(),
            targets: 3,
            resources: vec![4, 5],
            copied: (method == "CopyResource").then_some(4096),
            cleared: None,
        };
        let list = |scale: f64| List {
            list: 7,
            at: Some(1e15 + 0.5),
            duration: 3.25 * scale,
            operations: vec![(10, 1.25 * scale), (11, 2.0 * scale)],
            passes: vec![TimedPass { first: 10, last: 11, operations: 2, duration: 3.25 * scale }],
        };
        let run = |scale| Run {
            submissions: vec![
                Submission { call: 20, frame: 1, queue: 2, lists: vec![list(scale), list(scale)] },
                Submission { call: 30, frame: 2, queue: 2, lists: vec![] },
            ],
            untimed: BTreeMap::from([("a \"reason\"\nof two lines".to_owned(), vec![40, 41])]),
            cpu: Some(Cpu {
                calls: BTreeMap::from([(10, 0.5), (20, 99.25)]),
                lists: vec![(20, 7, 4.5)],
                frames: BTreeMap::from([(1, 1e6)]),
            }),
        };
        let mut counts = Counts::default();
        counts.0[7] = Some(u64::MAX);
        let counted = CountedSubmission { call: 20, frame: 1, queue: 2, lists: vec![(7, vec![(10, counts)])] };
        Times {
            about: About { trace_bytes: 99, frames: (1, Some(2)), by_operation: true, ..About::default() },
            operations: BTreeMap::from([
                (10, operation("DrawInstanced", Some(Pipeline::State(7)), &["frame", "sky »"])),
                (11, operation("CopyResource", None, &[])),
            ]),
            runs: vec![run(1.0), Run::default(), run(0.1)],
            counted: Some(Counted {
                submissions: vec![counted],
                uncounted: BTreeMap::from([("a bundle".to_owned(), vec![11])]),
            }),
            driver: vec![
                DriverCounted {
                    counters: vec![DriverCounter {
                        name: "L2 hits".into(),
                        category: "cache".into(),
                        unit: "count".into(),
                        adds: true,
                        ..DriverCounter::default()
                    }],
                    submissions: vec![DriverCounts {
                        call: 20,
                        frame: 1,
                        queue: 2,
                        lists: vec![(7, vec![(10, vec![Amount::Whole(u64::MAX)]), (11, vec![Amount::Signed(-1)])])],
                    }],
                    uncounted: BTreeMap::from([("the end of a pass".to_owned(), vec![12])]),
                },
                DriverCounted {
                    submissions: vec![DriverCounts {
                        lists: vec![(7, vec![(10, vec![Amount::of(0.1)])])],
                        ..DriverCounts::default()
                    }],
                    ..DriverCounted::default()
                },
            ],
            silence: None,
            executables: BTreeMap::from([(
                7,
                vec![Executable {
                    name: "PS".into(),
                    stages: vec!["pixel".into()],
                    lanes: 32,
                    statistics: vec![Statistic { name: "Registers".into(), about: "of a thread".into(), value: 24.0 }],
                }],
            )]),
            experiment: Some(Changed { changed: 3, unchanged: BTreeMap::from([("a bundle".to_owned(), vec![11])]) }),
            read_back: Some(ReadBack { compared: 16, different: 4 }),
            unknown: 0,
        }
    }

    use std::collections::BTreeMap;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("game.reprise"));
        assert!(path.ends_with("game.reprise.times"));
        example().save(&path).unwrap();
        assert_eq!(Times::open(&path).unwrap(), example());
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_refused_with_its_line() {
        let mut bytes = Vec::new();
        example().write(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        for cut in 0..text.len() - 1 {
            assert!(Times::read(&text.as_bytes()[..cut]).is_err() || !text.is_char_boundary(cut), "{cut}");
        }
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let without: Vec<&str> =
                lines.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, line)| *line).collect();
            assert!(Times::read(without.join("\n").as_bytes()).is_err(), "without line {}", at + 1);
        }
        let error = Times::read(text.replace("CopyResource\"", "CopyResource").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("line 3:"), "{error}");
        let error = Times::read(text.replace("\"version\":1", "\"version\":2").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("version 2"), "{error}");
        // The number of a replay whose counters are not there.
        let error = Times::read(text.replace("{\"driver\":[2,", "{\"driver\":[3,").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("no replay 3 with counters"), "{error}");
    }

    #[test]
    fn what_later_builds_write_is_passed_over_and_counted() {
        let mut bytes = Vec::new();
        Times::default().write(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap().replace("{\"end\":1}", "{\"watts\":[1,2]}\n{\"end\":2}");
        assert_eq!(Times::read(text.as_bytes()).unwrap(), Times { unknown: 1, ..Times::default() });
    }
}

//! Notes that people keep of a trace: a small file beside it, `TRACE.notes`, in JSON.
//!
//! Invariant: a note is about a call, an object, a frame, or the trace. A file with notes of another trace is refused, and so is one that is
//! larger than these can be; nothing of it is overwritten then. Changes come one after the other, whichever process makes them.

use crate::count::plural;
use reprise_timeline::index::Chronicle;
use reprise_trace::read::{ReadError, Trace};
use reprise_trace::record::Kind;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The version of the file that this build writes and reads.
const VERSION: u32 = 1;
/// Bytes of a file.
const BYTES: u64 = 16 << 20;
/// Notes of a file.
pub const MOST: usize = 10_000;
/// Bytes of a note's text.
pub const TEXT: usize = 4096;
/// What to do with a file that is not understood.
const MEND: &str = "mend it, or move it away (it is left as it is)";

/// A note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// The object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<u32>,
    /// The frame, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<u64>,
    /// What is said; empty for a bookmark alone.
    #[serde(default)]
    pub text: String,
}

/// What the file has.
#[derive(Debug, Serialize)]
struct Written {
    version: u32,
    /// `Trace::identity`, 32 digits.
    trace: String,
    notes: Vec<Note>,
}

impl Written {
    /// What a file says; in words, what is wrong with it.
    fn of(json: &Json) -> Result<Written, String> {
        if !json.is_object() {
            return Err("it has to be one JSON object".to_owned());
        }
        let trace = json["trace"].as_str().ok_or("`trace` has to be the identity of a trace, a text")?;
        let version = json["version"].as_u64().and_then(|version| u32::try_from(version).ok());
        let version = version.ok_or_else(|| format!("`version` has to be {VERSION}"))?;
        let notes = json["notes"].as_array().ok_or("`notes` has to be a list")?;
        let note = |(place, json): (usize, &Json)| {
            Note::deserialize(json).map_err(|_| {
                format!(
                    "note {} has to be an object of `call`, `object`, `frame` (whole numbers, each may be absent) and `text`, and of nothing else",
                    place + 1
                )
            })
        };
        let notes = notes.iter().enumerate().map(note).collect::<Result<_, _>>()?;
        Ok(Written { version, trace: trace.to_owned(), notes })
    }
}

/// Where the notes of a trace are kept.
pub fn beside(trace: &Path) -> PathBuf {
    let mut name = OsString::from(trace);
    name.push(".notes");
    name.into()
}

/// Why notes are not read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is no such file, is damaged, or has the notes of another trace.
    #[error("{0}")]
    File(String),
    /// What was asked cannot be done with these notes.
    #[error("{0}")]
    Asked(String),
    /// The file cannot be written.
    #[error("{0}")]
    Write(String),
}

/// The notes of a trace; none where there is no file.
///
/// # Errors
/// The file cannot be read, is no such file, or has the notes of another trace.
pub fn read(path: &Path, trace: &Trace) -> Result<Vec<Note>, Error> {
    let wrong = |what: &dyn Display| Error::File(format!("{}: {what}", path.display()));
    if !is_there(path)? {
        return Ok(Vec::new());
    }
    if fs::metadata(path).is_ok_and(|file| file.len() > BYTES) {
        return Err(wrong(&"it is larger than notes can be"));
    }
    let bytes = fs::read(path).map_err(|error| wrong(&error))?;
    let json: Json = serde_json::from_slice(&bytes).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        wrong(&format!("these are no notes of reprise: it is no JSON from line {line}, column {column}, on; {MEND}"))
    })?;
    let version = json.get("version").and_then(Json::as_u64);
    if let Some(version) = version.filter(|version| *version != u64::from(VERSION)) {
        return Err(wrong(&format!("it has version {version}, and this build reads version {VERSION}")));
    }
    let written =
        Written::of(&json).map_err(|what| wrong(&format!("these are no notes of reprise: {what}; {MEND}")))?;
    let own = identity(trace);
    if written.trace != own {
        let what = "these are notes of another trace, whose numbers of calls and objects mean other things: move the file away";
        return Err(wrong(&what));
    }
    written.notes.iter().try_for_each(check).map_err(|error| wrong(&error))?;
    Ok(written.notes)
}

/// Whether there is a file of notes. What is there and is no regular file is refused: reading a pipe would wait for somebody who writes.
///
/// # Errors
/// Something else is there.
pub fn is_there(path: &Path) -> Result<bool, Error> {
    let wrong = |what: &dyn Display| Error::File(format!("{}: {what}", path.display()));
    match fs::metadata(path) {
        Ok(file) if file.is_file() => Ok(true),
        Ok(_) => Err(wrong(&"it is no regular file, so it has no notes: move it away")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(wrong(&error)),
    }
}

/// Changes the notes of a trace. Whoever else changes them waits meanwhile, in this process or another one, so that nothing is lost.
///
/// # Errors
/// As [`read`]; what `change` says; or the notes cannot be written.
pub fn change(
    path: &Path,
    trace: &Trace,
    change: impl FnOnce(&mut Vec<Note>) -> Result<(), String>,
) -> Result<Vec<Note>, Error> {
    // Nothing is made beside what is refused.
    is_there(path)?;
    let _lock = lock(path)?;
    let mut notes = read(path, trace)?;
    change(&mut notes).map_err(Error::Asked)?;
    put(path, trace, notes)
}

/// Writes the notes of a new trace in the place of whatever notes are there.
///
/// # Errors
/// There are too many, one is too long, or the file cannot be written.
pub fn replace(path: &Path, trace: &Trace, notes: Vec<Note>) -> Result<Vec<Note>, Error> {
    is_there(path)?;
    let _lock = lock(path)?;
    put(path, trace, notes)
}

/// Holds the notes until it is dropped. The lock is on a file of its own, which stays: a file that is replaced or removed cannot be locked, because
/// one process may hold the old one and another the new.
fn lock(path: &Path) -> Result<File, Error> {
    let mut name = OsString::from(path);
    name.push(".lock");
    let name = PathBuf::from(name);
    let wrong = |what: &dyn Display| Error::Write(format!("{}: {what}", name.display()));
    if fs::metadata(&name).is_ok_and(|there| !there.is_file()) {
        return Err(wrong(&"it is no regular file, and changes of notes lock it: move it away"));
    }
    // Nothing is ever written to it.
    let file = File::options().read(true).write(true).create(true).truncate(false).open(&name);
    let file = file.map_err(|error| wrong(&error))?;
    file.lock().map_err(|error| wrong(&format!("it cannot be locked, so notes are not changed: {error}")))?;
    Ok(file)
}

/// Writes notes: those of calls and frames in their order, then those of objects. The file is removed where there are none.
fn put(path: &Path, trace: &Trace, mut notes: Vec<Note>) -> Result<Vec<Note>, Error> {
    if notes.len() > MOST {
        return Err(Error::Asked(format!("a trace has at most {MOST} notes")));
    }
    notes.iter().try_for_each(check).map_err(Error::Asked)?;
    notes.sort_by_key(|note| (note.object.is_some(), note.object, note.call.is_some(), note.call, note.frame));
    let done = match notes.is_empty() {
        true => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        false => {
            let written = Written { version: VERSION, trace: identity(trace), notes };
            let text = serde_json::to_string_pretty(&written).map_err(|error| Error::Write(error.to_string()))?;
            // A file that `read` refuses is not written, because these commands could not mend it. The end of the line is one byte more.
            if text.len() as u64 >= BYTES {
                let what = "all notes of a trace together have at most 16 MiB in their file: remove or shorten some";
                return Err(Error::Asked(what.into()));
            }
            let done = reprise_whole_file::write(path, (text + "\n").as_bytes());
            notes = written.notes;
            done
        }
    };
    done.map_err(|error| Error::Write(format!("{}: {error}", path.display())))?;
    Ok(notes)
}

/// Refuses a note about what a trace does not have. `chronicle` is asked only of notes about objects, and about frames where submissions stand
/// for them, because it takes a walk through the trace.
///
/// # Errors
/// What the trace does not have, in words; or it cannot be read.
pub fn is_about<'c>(
    trace: &Trace,
    note: &Note,
    chronicle: impl FnOnce() -> Result<&'c Chronicle, String>,
) -> Result<(), String> {
    if let Some(call) = note.call {
        match has_call(trace, call) {
            Ok(true) => {}
            Ok(false) => return Err(format!("the trace has no call {call}: `reprise dump` numbers them")),
            Err(error) => return Err(format!("whether the trace has call {call} cannot be told: {error}")),
        }
    }
    let frames = u64::from(trace.statistics().frames);
    if note.object.is_none() && (note.frame.is_none() || frames != 0) {
        return has_frame(note.frame, frames, "frame");
    }
    let chronicle = chronicle()?;
    match frames {
        0 => has_frame(note.frame, chronicle.submissions.len() as u64, "submission")?,
        _ => has_frame(note.frame, frames, "frame")?,
    }
    match note.object.filter(|object| chronicle.life(*object).is_none()) {
        Some(object) => Err(format!("the trace has no object {object}: `reprise dump` names them")),
        None => Ok(()),
    }
}

fn has_frame(frame: Option<u64>, count: u64, what: &str) -> Result<(), String> {
    match frame.filter(|frame| *frame > count) {
        Some(frame) => Err(format!("the trace has no frame {frame}: it has {}", plural(count, what))),
        None => Ok(()),
    }
}

/// Whether a trace has a call.
fn has_call(trace: &Trace, call: u64) -> Result<bool, ReadError> {
    let mut events = trace.from_call(call);
    while let Some(event) = events.next()? {
        if event.kind == Kind::Enter && event.number >= call {
            return Ok(event.number == call);
        }
    }
    Ok(false)
}

/// The notes of a trace as notes of one that was made out of it. The functions say what a call and a frame became, and whether an object is there;
/// a note about anything that is not there is left out. How many those are is told, too.
pub fn moved(
    notes: Vec<Note>,
    call: impl Fn(u64) -> Option<u64>,
    frame: impl Fn(u64) -> Option<u64>,
    object: impl Fn(u32) -> bool,
) -> (Vec<Note>, usize) {
    let all = notes.len();
    let one = |note: Note| {
        let call = note.call.map_or(Some(None), |old| call(old).map(Some))?;
        let frame = note.frame.map_or(Some(None), |old| frame(old).map(Some))?;
        note.object.is_none_or(&object).then_some(Note { call, frame, ..note })
    };
    let kept: Vec<Note> = notes.into_iter().filter_map(one).collect();
    let lost = all - kept.len();
    (kept, lost)
}

/// Whether a note can be kept.
fn check(note: &Note) -> Result<(), String> {
    match note {
        _ if note.text.len() > TEXT => Err(format!("the text of a note has at most {TEXT} bytes")),
        Note { call: Some(0), .. } | Note { frame: Some(0), .. } | Note { object: Some(0), .. } => {
            Err("calls, frames and objects count from 1".to_owned())
        }
        Note { call: None, object: None, frame: None, text } if text.is_empty() => {
            Err("a note is about a call, an object or a frame, or has a text".to_owned())
        }
        _ => Ok(()),
    }
}

fn identity(trace: &Trace) -> String {
    format!("{:032x}", trace.identity())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const GEARS: &str = "../cli/tests/golden/v3/gears.reprise";

    fn note(call: Option<u64>, object: Option<u32>, text: &str) -> Note {
        Note { call, object, frame: None, text: text.into() }
    }

    #[test]
    fn notes_come_back_as_they_were() {
        let trace = Trace::open(Path::new(GEARS)).unwrap();
        let file = std::env::temp_dir().join(format!("reprise-notes-{}", std::process::id()));
        let _ = fs::remove_file(&file);
        assert_eq!(read(&file, &trace).unwrap(), []);
        let notes =
            vec![note(Some(93), None, "the hole"), note(None, Some(18), ""), note(Some(91), None, "\u{1b}[31m")];
        let kept = put(&file, &trace, notes.clone()).unwrap();
        assert_eq!(kept, [notes[2].clone(), notes[0].clone(), notes[1].clone()], "calls in their order, then objects");
        assert_eq!(read(&file, &trace).unwrap(), kept);
        // Another trace's notes are refused, and stay.
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(&identity(&trace), &"0".repeat(32))).unwrap();
        assert!(read(&file, &trace).unwrap_err().to_string().contains("another trace"));
        let own = identity(&trace);
        let odd = format!("{{\"version\":1,\"trace\":\"{own}\",\"notes\":[{{\"call\":\"x\"}}]}}");
        let wrong = [
            ("[1]", "one JSON object"),
            ("{\"version\":1,\"trace\":3}", "`trace`"),
            (odd.as_str(), "note 1 has to be"),
        ];
        for (wrong, what) in wrong.into_iter().chain([
            ("{", "no JSON from line 1, column 1"),
            ("", "no notes"),
            ("{\"version\":9,\"trace\":\"\",\"notes\":[]}", "version 9"),
        ]) {
            fs::write(&file, wrong).unwrap();
            let said = read(&file, &trace).unwrap_err().to_string();
            assert!(said.contains(what) && !said.contains("Written"), "{wrong}: {said}");
        }
        assert!(put(&file, &trace, vec![note(None, None, "")]).unwrap_err().to_string().contains("is about"));
        assert!(put(&file, &trace, vec![note(Some(0), None, "")]).unwrap_err().to_string().contains("count from 1"));
        assert!(
            put(&file, &trace, vec![note(Some(1), None, &"x".repeat(TEXT + 1))])
                .unwrap_err()
                .to_string()
                .contains("at most")
        );
        assert_eq!(put(&file, &trace, Vec::new()).unwrap(), []);
        assert!(!file.exists());
    }

    /// Each of these notes is within its limits, and so is their number; only the file is not.
    #[test]
    fn a_file_that_could_not_be_read_again_is_not_written() {
        let trace = Trace::open(Path::new(GEARS)).unwrap();
        let file = std::env::temp_dir().join(format!("reprise-notes-large-{}", std::process::id()));
        let _ = fs::remove_file(&file);
        let many = |count: u64| (1..=count).map(|call| note(Some(call), None, &"x".repeat(TEXT))).collect::<Vec<_>>();
        let few = put(&file, &trace, many(3900)).unwrap();
        assert_eq!(read(&file, &trace).unwrap(), few);
        let said = put(&file, &trace, many(4100)).unwrap_err().to_string();
        assert!(said.contains("16 MiB"), "{said}");
        assert_eq!(read(&file, &trace).unwrap(), few, "what was there stays");
        fs::remove_file(&file).unwrap();
    }

    #[test]
    fn what_is_cut_away_is_counted() {
        let notes = vec![
            note(Some(5), None, "a"),
            note(Some(50), None, "b"),
            note(None, Some(7), "c"),
            note(None, Some(8), "d"),
        ];
        let (kept, lost) = moved(notes, |call| (call < 10).then_some(call + 100), Some, |object| object == 7);
        assert_eq!((kept, lost), (vec![note(Some(105), None, "a"), note(None, Some(7), "c")], 2));
    }

    /// Changes at once, of threads that each open the lock's file anew, as processes do.
    #[test]
    fn changes_at_once_lose_nothing() {
        let folder = std::env::temp_dir().join(format!("reprise-notes-at-once-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("trace.notes");
        let trace = Trace::open(Path::new(GEARS)).unwrap();
        std::thread::scope(|scope| {
            for call in 1..=24 {
                let (file, trace) = (&file, &trace);
                scope.spawn(move || {
                    let add = |notes: &mut Vec<Note>| {
                        std::thread::sleep(std::time::Duration::from_millis(2));
                        notes.push(note(Some(call), None, "x"));
                        Ok(())
                    };
                    change(file, trace, add).unwrap()
                });
            }
        });
        assert_eq!(read(&file, &trace).unwrap().len(), 24);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_no_regular_file_is_refused() {
        let trace = Trace::open(Path::new(GEARS)).unwrap();
        let folder = std::env::temp_dir().join(format!("reprise-notes-folder-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert!(matches!(read(&folder, &trace), Err(Error::File(what)) if what.contains("no regular file")));
        assert!(replace(&folder, &trace, Vec::new()).is_err());
        fs::remove_dir(&folder).unwrap();
    }
}

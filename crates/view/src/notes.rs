//! Notes that people keep of a trace: a small file beside it, `TRACE.notes`, in JSON.
//!
//! Invariant: a note is about a call, an object, a frame, or the trace. A file with notes of another trace is refused, and so is one that is
//! larger than these can be; nothing of it is overwritten then.

use reprise_trace::read::Trace;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The version of the file that this build writes and reads.
const VERSION: u32 = 1;
/// Bytes of a file.
const BYTES: u64 = 16 << 20;
/// Notes of a file.
pub const MOST: usize = 10_000;
/// Bytes of a note's text.
pub const TEXT: usize = 4096;

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
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    version: u32,
    /// `Trace::identity`, 32 digits.
    trace: String,
    notes: Vec<Note>,
}

/// Where the notes of a trace are kept.
pub fn beside(trace: &Path) -> PathBuf {
    let mut name = OsString::from(trace);
    name.push(".notes");
    name.into()
}

/// The notes of a trace; none where there is no file.
///
/// # Errors
/// The file cannot be read, is no such file, or has the notes of another trace.
pub fn read(path: &Path, trace: &Trace) -> Result<Vec<Note>, String> {
    let wrong = |what: &dyn Display| format!("{}: {what}", path.display());
    match fs::metadata(path) {
        Ok(file) if file.len() > BYTES => return Err(wrong(&"it is larger than notes can be")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        _ => {}
    }
    let bytes = fs::read(path).map_err(|error| wrong(&error))?;
    let written: Written =
        serde_json::from_slice(&bytes).map_err(|error| wrong(&format!("these are no notes of reprise: {error}")))?;
    if written.version != VERSION {
        return Err(wrong(&format!("it has version {}, and this build reads version {VERSION}", written.version)));
    }
    let own = identity(trace);
    if written.trace != own {
        let what = "these are notes of another trace, whose numbers of calls and objects mean other things: move the file away";
        return Err(wrong(&what));
    }
    written.notes.iter().try_for_each(check).map_err(|error| wrong(&error))?;
    Ok(written.notes)
}

/// Writes the notes of a trace: those of calls and frames in their order, then those of objects. The file is removed where there are none.
///
/// # Errors
/// There are too many, one is too long, or the file cannot be written.
pub fn write(path: &Path, trace: &Trace, mut notes: Vec<Note>) -> Result<Vec<Note>, String> {
    if notes.len() > MOST {
        return Err(format!("a trace has at most {MOST} notes"));
    }
    notes.iter().try_for_each(check)?;
    notes.sort_by_key(|note| (note.object.is_some(), note.object, note.call.is_some(), note.call, note.frame));
    let done = match notes.is_empty() {
        true => match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        false => {
            let written = Written { version: VERSION, trace: identity(trace), notes };
            let text = serde_json::to_string_pretty(&written).map_err(|error| error.to_string())?;
            let done = reprise_whole_file::write(path, (text + "\n").as_bytes());
            notes = written.notes;
            done
        }
    };
    done.map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(notes)
}

/// The notes of a trace as notes of one that was cut out of it; `call` and `frame` say what numbers became, and nothing of what is not in it.
/// Objects keep their numbers. How many are left out is told, too.
pub fn moved(
    notes: Vec<Note>,
    call: impl Fn(u64) -> Option<u64>,
    frame: impl Fn(u64) -> Option<u64>,
) -> (Vec<Note>, usize) {
    let all = notes.len();
    let one = |note: Note| {
        let call = note.call.map_or(Some(None), |old| call(old).map(Some))?;
        let frame = note.frame.map_or(Some(None), |old| frame(old).map(Some))?;
        Some(Note { call, frame, ..note })
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
        let kept = write(&file, &trace, notes.clone()).unwrap();
        assert_eq!(kept, [notes[2].clone(), notes[0].clone(), notes[1].clone()], "calls in their order, then objects");
        assert_eq!(read(&file, &trace).unwrap(), kept);
        // Another trace's notes are refused, and stay.
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace(&identity(&trace), &"0".repeat(32))).unwrap();
        assert!(read(&file, &trace).unwrap_err().contains("another trace"));
        for (wrong, what) in [("", "no notes"), ("{\"version\":9,\"trace\":\"\",\"notes\":[]}", "version 9")] {
            fs::write(&file, wrong).unwrap();
            assert!(read(&file, &trace).unwrap_err().contains(what), "{wrong}");
        }
        assert!(write(&file, &trace, vec![note(None, None, "")]).unwrap_err().contains("is about"));
        assert!(write(&file, &trace, vec![note(Some(0), None, "")]).unwrap_err().contains("count from 1"));
        assert!(
            write(&file, &trace, vec![note(Some(1), None, &"x".repeat(TEXT + 1))]).unwrap_err().contains("at most")
        );
        assert_eq!(write(&file, &trace, Vec::new()).unwrap(), []);
        assert!(!file.exists());
    }

    #[test]
    fn what_is_cut_away_is_counted() {
        let notes = vec![note(Some(5), None, "a"), note(Some(50), None, "b"), note(None, Some(7), "c")];
        let (kept, lost) = moved(notes, |call| (call < 10).then_some(call + 100), Some);
        assert_eq!((kept, lost), (vec![note(Some(105), None, "a"), note(None, Some(7), "c")], 1));
    }
}

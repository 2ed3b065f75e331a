//! What a candidate is compared with: pictures and read-backs of the good one, or of the capture.

use crate::child_replay::picture_pipe::Message;
use crate::trial::outcome::Difference;
use reprise_replay::{FrameHash, Picture, Read, Unlike, unlike};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Something that a replay shows, in its order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    Picture { frame: u64, hash: FrameHash },
    Read { call: u64, frame: u64, resource: u32, offset: u64, hash: u128 },
}

impl Seen {
    pub(crate) fn of(message: &Message) -> Option<Seen> {
        match message {
            Message::Picture(frame, picture) => Some(Seen::Picture { frame: *frame, hash: picture.hash() }),
            Message::Read(Read { call, frame, resource, offset, hash, .. }) => {
                Some(Seen::Read { call: *call, frame: *frame, resource: *resource, offset: *offset, hash: *hash })
            }
            Message::End { .. } => None,
        }
    }

    fn frame(&self) -> u64 {
        let (Seen::Picture { frame, .. } | Seen::Read { frame, .. }) = self;
        *frame
    }

    /// The frame and the hash of a picture.
    pub(crate) fn picture(&self) -> Option<(u64, FrameHash)> {
        match self {
            Seen::Picture { frame, hash } => Some((*frame, *hash)),
            Seen::Read { .. } => None,
        }
    }

    pub(crate) fn in_words(&self) -> String {
        match self {
            Seen::Picture { .. } => "its picture".into(),
            Seen::Read { call, resource, offset, .. } => {
                format!("what is read back of resource {resource} at offset {offset} after call {call}")
            }
        }
    }

    /// The same place, whatever is seen there.
    fn is_at(&self, other: &Seen) -> bool {
        match (self, other) {
            (Seen::Picture { frame, .. }, Seen::Picture { frame: other, .. }) => frame == other,
            (
                Seen::Read { call, resource, offset, .. },
                Seen::Read { call: other_call, resource: other_resource, offset: other_offset, .. },
            ) => (call, resource, offset) == (other_call, other_resource, other_offset),
            _ => false,
        }
    }

    fn line(&self) -> String {
        match self {
            Seen::Picture { frame, hash } => format!("picture {frame} {hash}"),
            Seen::Read { call, frame, resource, offset, hash } => {
                format!("read {call} {frame} {resource} {offset} {hash:032x}")
            }
        }
    }

    fn of_line(line: &str) -> Option<Seen> {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["picture", frame, hash] => {
                let hash = FrameHash(u128::from_str_radix(hash, 16).ok()?);
                Some(Seen::Picture { frame: frame.parse().ok()?, hash })
            }
            ["read", call, frame, resource, offset, hash] => Some(Seen::Read {
                call: call.parse().ok()?,
                frame: frame.parse().ok()?,
                resource: resource.parse().ok()?,
                offset: offset.parse().ok()?,
                hash: u128::from_str_radix(hash, 16).ok()?,
            }),
            _ => None,
        }
    }
}

/// What is expected.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Reference {
    /// All that the good candidate showed, and the kinds of validation errors that it has.
    Kept { seen: Vec<Seen>, errors: BTreeSet<String> },
    /// The frames that the trace has hashes of; what is read back is in the trace.
    Recorded(BTreeMap<u64, FrameHash>),
}

/// How far pictures may differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tolerance {
    pub(crate) max_step: u32,
    pub(crate) max_pixels: u64,
}

impl Tolerance {
    pub(crate) fn is_exact(self) -> bool {
        self == Tolerance::default()
    }

    /// What of two pictures of a frame differs by more.
    fn beyond(self, expected: &Picture, picture: &Picture) -> Option<String> {
        let unlike = unlike(expected, picture, self.max_step)?;
        let accepted = matches!(&unlike, Unlike::Pixels(pixels) if pixels.beyond <= self.max_pixels);
        (!accepted).then(|| unlike.to_string())
    }
}

impl Reference {
    /// Validation errors that do not count.
    pub(crate) fn errors(&self) -> Option<&BTreeSet<String>> {
        match self {
            Reference::Kept { errors, .. } => Some(errors),
            Reference::Recorded(_) => None,
        }
    }

    /// Keeps it for a search that goes on later.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self, path: &Path) -> std::io::Result<()> {
        let Reference::Kept { seen, errors } = self else { return Ok(()) };
        let mut text = String::new();
        errors.iter().for_each(|error| _ = writeln!(text, "error {error}"));
        seen.iter().for_each(|seen| _ = writeln!(text, "{}", seen.line()));
        text.push_str("end\n");
        std::fs::write(path, text)
    }

    /// What [`Reference::write`] wrote, where all of it is there.
    pub(crate) fn read(path: &Path) -> Option<Reference> {
        let text = std::fs::read_to_string(path).ok()?;
        let (mut seen, mut errors) = (Vec::new(), BTreeSet::new());
        for line in text.strip_suffix("end\n")?.lines() {
            match line.strip_prefix("error ") {
                Some(error) => _ = errors.insert(error.to_owned()),
                None => seen.push(Seen::of_line(line)?),
            }
        }
        Some(Reference::Kept { seen, errors })
    }
}

/// Follows a replay beside what is expected.
#[derive(Debug)]
pub(crate) struct Comparison<'a> {
    reference: &'a Reference,
    tolerance: Tolerance,
    /// What comes next of what was kept.
    next: usize,
    missing: Vec<u64>,
}

impl<'a> Comparison<'a> {
    pub(crate) fn new(reference: &'a Reference, tolerance: Tolerance) -> Comparison<'a> {
        let missing = match reference {
            Reference::Recorded(hashes) => hashes.keys().rev().copied().collect(),
            Reference::Kept { .. } => Vec::new(),
        };
        Comparison { reference, tolerance, next: 0, missing }
    }

    /// What of this differs; `beside` is what a replay of the good candidate shows there, where one runs beside.
    pub(crate) fn see(&mut self, message: &Message, beside: Option<&Message>) -> Option<Difference> {
        let seen = Seen::of(message)?;
        let frame = seen.frame();
        let what = match self.reference {
            Reference::Recorded(hashes) => self.recorded(hashes, message, &seen),
            Reference::Kept { seen: kept, .. } => {
                let expected = beside.and_then(Seen::of).or_else(|| kept.get(self.next).cloned());
                self.next += 1;
                match expected {
                    None => Some(format!("{} is not there on the good candidate", seen.in_words())),
                    Some(expected) if !seen.is_at(&expected) => Some(format!(
                        "{} where the good candidate has {} of frame {}",
                        seen.in_words(),
                        expected.in_words(),
                        expected.frame()
                    )),
                    Some(expected) if expected == seen => None,
                    Some(_) => match (beside, message) {
                        (Some(Message::Picture(_, expected)), Message::Picture(_, picture)) => {
                            self.tolerance.beyond(expected, picture)
                        }
                        // Bytes have no steps: what pictures may differ by shows in what is read back of them.
                        _ if !self.tolerance.is_exact() => None,
                        _ => Some(format!("{} differs", seen.in_words())),
                    },
                }
            }
        };
        what.map(|what| Difference { frame, what })
    }

    fn recorded(&mut self, hashes: &BTreeMap<u64, FrameHash>, message: &Message, seen: &Seen) -> Option<String> {
        let differs = match (message, seen) {
            (Message::Read(read), _) => read.differs,
            (_, Seen::Picture { frame, hash }) => {
                self.missing.retain(|missing| missing != frame);
                hashes.get(frame).is_some_and(|expected| expected != hash)
            }
            _ => false,
        };
        differs.then(|| format!("{} is not as at capture", seen.in_words()))
    }

    /// What is missing where the replay is over.
    pub(crate) fn end(&self) -> Option<Difference> {
        match self.reference {
            Reference::Recorded(_) => {
                let frame = *self.missing.last()?;
                Some(Difference { frame, what: "it is not presented".into() })
            }
            Reference::Kept { seen, .. } => {
                let missing = seen.get(self.next)?;
                Some(Difference { frame: missing.frame(), what: format!("{} is missing", missing.in_words()) })
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn picture(value: u8) -> Message {
        Message::Picture(1, Picture { width: 2, height: 1, format: 28, bytes: vec![value; 8] })
    }

    fn read(hash: u128, differs: bool) -> Message {
        let (answers, values) = (None, Some(hash));
        Message::Read(Read { call: 7, frame: 1, resource: 5, offset: 64, hash, answers, values, differs })
    }

    fn kept(messages: &[Message]) -> Reference {
        let errors = BTreeSet::from(["SYNC-HAZARD-READ-AFTER-WRITE".to_owned()]);
        Reference::Kept { seen: messages.iter().filter_map(Seen::of).collect(), errors }
    }

    #[test]
    fn what_differs_and_what_is_missing_is_named() {
        let reference = kept(&[read(3, false), picture(9)]);
        let mut same = Comparison::new(&reference, Tolerance::default());
        assert_eq!((same.see(&read(3, true), None), same.see(&picture(9), None), same.end()), (None, None, None));
        let mut other = Comparison::new(&reference, Tolerance::default());
        let difference = other.see(&read(4, false), None).unwrap();
        assert_eq!(difference.what, "what is read back of resource 5 at offset 64 after call 7 differs");
        assert_eq!(other.end().unwrap().what, "its picture is missing");
        let mut swapped = Comparison::new(&reference, Tolerance::default());
        assert!(
            swapped.see(&picture(9), None).unwrap().what.starts_with("its picture where the good candidate has what")
        );
    }

    #[test]
    fn a_tolerance_is_of_pictures_beside_each_other() {
        let reference = kept(&[]);
        let compare = |max_step, value| {
            let mut comparison = Comparison::new(&reference, Tolerance { max_step, max_pixels: 0 });
            comparison.see(&picture(value), Some(&picture(9))).map(|difference| difference.what)
        };
        assert_eq!((compare(1, 10), compare(2, 7)), (None, None));
        let reference = kept(&[read(3, false)]);
        let mut tolerant = Comparison::new(&reference, Tolerance { max_step: 1, max_pixels: 0 });
        assert_eq!(tolerant.see(&read(4, false), None), None, "bytes have no steps");
        assert_eq!(compare(1, 11).unwrap(), "2 of 2 pixels differ, by up to 2, the first at (0, 0)");
    }

    #[test]
    fn what_was_recorded_is_the_trace_s() {
        let Some(Seen::Picture { hash, .. }) = Seen::of(&picture(9)) else { panic!() };
        let reference = Reference::Recorded([(1, hash), (2, hash)].into());
        let mut comparison = Comparison::new(&reference, Tolerance::default());
        assert_eq!(comparison.see(&read(4, false), None), None);
        assert!(comparison.see(&read(4, true), None).is_some());
        assert_eq!(comparison.see(&picture(9), None), None);
        assert_eq!(comparison.end(), Some(Difference { frame: 2, what: "it is not presented".into() }));
        assert!(comparison.see(&picture(8), None).is_some());
    }

    #[test]
    fn a_reference_is_read_as_it_was_written_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reference");
        let reference = kept(&[read(3, false), picture(9)]);
        reference.write(&path).unwrap();
        assert_eq!(Reference::read(&path), Some(reference));
        let text = std::fs::read_to_string(&path).unwrap();
        for cut in 0..text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            assert_eq!(Reference::read(&path), None, "{cut}");
        }
    }
}

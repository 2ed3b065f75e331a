//! The frames that the user wants of a trace, and the reason why a recording stopped before its program ended.
//!
//! The capture library states both as facts ([`fact::WANTED`], [`fact::STOP`]); this module turns them into the trace's meta.
//! Invariant: the meta depends on the events alone. So an unfinished trace and its finished twin agree on the frames that both
//! have.

use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use crate::fact;
use crate::file::cursor::Cursor;

/// Why a trace ended before its program: the first word of a [`fact::STOP`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum StopReason {
    /// The last wanted frame had ended.
    Frames = 1,
    /// The user ended it, with a signal or the trigger file.
    Trigger = 2,
    /// The file would have become larger than asked for.
    Size = 3,
    /// Nothing moved any more for as long as the user allowed.
    Hang = 4,
}

impl StopReason {
    /// The reason with this number.
    pub fn from_u32(number: u32) -> Option<StopReason> {
        [StopReason::Frames, StopReason::Trigger, StopReason::Size, StopReason::Hang]
            .into_iter()
            .find(|reason| *reason as u32 == number)
    }

    /// Its name in the meta.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::Frames => "frames",
            StopReason::Trigger => "trigger",
            StopReason::Size => "size",
            StopReason::Hang => "hang",
        }
    }
}

/// Takes a fact into account, if it is one of the two. `ended` frames end before it.
pub(crate) fn note(meta: &mut Map<String, Value>, kind: u32, word: u32, ended: u32) {
    match kind {
        fact::WANTED if word != 0 => {
            let ranges = meta.entry("wanted_frames").or_insert_with(|| json!([]));
            if let Some(ranges) = ranges.as_array_mut() {
                ranges.push(json!([u64::from(ended) + 1, Value::Null]));
            }
        }
        fact::WANTED => close(meta, ended),
        fact::STOP => {
            let reason = StopReason::from_u32(word).map_or("other", StopReason::name);
            meta.insert("stopped".into(), json!({"because": reason, "after_frame": ended}));
            close(meta, ended);
        }
        _ => {}
    }
}

/// Ends the range that is open, if one is.
fn close(meta: &mut Map<String, Value>, ended: u32) {
    let last = meta.get_mut("wanted_frames").and_then(Value::as_array_mut).and_then(|ranges| ranges.last_mut());
    if let Some(range) = last
        && range[1].is_null()
    {
        range[1] = u64::from(ended).max(range[0].as_u64().unwrap_or(1)).into();
    }
}

/// The reason, if the payload of a fact is that of a [`fact::STOP`].
pub(crate) fn stop(payload: &[u8]) -> Option<u32> {
    let mut cursor = Cursor(payload);
    let (kind, _, reason) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
    (kind == fact::STOP).then_some(reason)
}

/// The payload of a [`fact::STOP`].
pub(crate) fn stop_payload(reason: StopReason) -> [u8; 16] {
    let mut payload = [0; 16];
    payload[..4].copy_from_slice(&fact::STOP.to_le_bytes());
    payload[8..12].copy_from_slice(&(reason as u32).to_le_bytes());
    payload
}

/// The frames that a user wants, as written: `10-20` or `1,100-105`, counted from 1.
///
/// # Errors
/// A part is no range; the error is a sentence about it.
pub fn ranges(text: &str) -> Result<Vec<RangeInclusive<u64>>, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse(), last.trim().parse()) {
            (Ok(first), Ok(last)) if 0 < first && first <= last => Ok(first..=last),
            _ => Err(format!("{part:?} is no range of frames: write 10-20 or 1,100-105, counted from 1")),
        }
    };
    text.split(',').map(range).collect()
}

/// Frames, from 1, of a trace that says which of its frames are wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WantedFrames(Vec<(u64, u64)>);

impl WantedFrames {
    /// The wanted frames of a trace with this meta; `None` if every frame is wanted.
    pub fn of(meta: &Value) -> Option<WantedFrames> {
        let ranges = meta.get("wanted_frames")?.as_array()?;
        let range = |range: &Value| Some((range.get(0)?.as_u64()?, range.get(1)?.as_u64().unwrap_or(u64::MAX)));
        Some(WantedFrames(ranges.iter().filter_map(range).collect()))
    }

    /// Whether this frame is one of them.
    pub fn contains(&self, frame: u64) -> bool {
        self.0.iter().any(|(first, last)| (*first..=*last).contains(&frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meta_follows_the_facts() {
        let mut meta = Map::new();
        note(&mut meta, fact::META, 1, 0);
        assert_eq!(WantedFrames::of(&Value::Object(meta.clone())), None);
        note(&mut meta, fact::WANTED, 1, 9);
        let open = WantedFrames::of(&Value::Object(meta.clone())).unwrap_or_default();
        assert_eq!([9, 10, 1_000_000].map(|frame| open.contains(frame)), [false, true, true]);
        note(&mut meta, fact::WANTED, 0, 12);
        note(&mut meta, fact::WANTED, 1, 19);
        note(&mut meta, fact::STOP, StopReason::Frames as u32, 20);
        assert_eq!(meta["wanted_frames"], json!([[10, 12], [20, 20]]));
        assert_eq!(meta["stopped"], json!({"because": "frames", "after_frame": 20}));
        let closed = WantedFrames::of(&Value::Object(meta)).unwrap_or_default();
        let frames: Vec<u64> = (0..30).filter(|frame| closed.contains(*frame)).collect();
        assert_eq!(frames, [10, 11, 12, 20]);
    }

    #[test]
    fn frames_are_ranges_from_1() {
        assert_eq!(ranges("1,100-105"), Ok(vec![1..=1, 100..=105]));
        assert_eq!(ranges("3-3, 2"), Ok(vec![3..=3, 2..=2]));
        for wrong in ["", "0", "0-3", "5-4", "a", "1-", "-1", "1,,2", "7,5-4"] {
            assert!(ranges(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_stop_is_told_from_other_facts() {
        assert_eq!(stop(&stop_payload(StopReason::Size)), Some(3));
        let other: Vec<u8> = [fact::WANTED, 0, 1, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
        assert_eq!(stop(&other), None);
        assert_eq!(stop(&[0; 4]), None);
    }
}

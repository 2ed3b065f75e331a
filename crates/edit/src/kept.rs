//! What an edit replaced, as facts of the new trace: with these the edit can be undone.
//!
//! A fact stands right before what it is about, on its thread. The blobs that its bytes name stand before it, as before any record.
//! Invariant: facts of one level are of one `reprise edit`; the level of the last one is how often the trace was edited.

use crate::error::Error;
use reprise_d3d12::MODEL;
use reprise_d3d12::model::Order;
use reprise_trace::fact::EDITED;
use reprise_trace::read::{Event, Trace, content_hash};
use reprise_trace::record::{Kind, ORDERED, SEQUENCE};
use reprise_trace::rewriter::NewRecord;
use serde_json::{Value, json};

/// What is kept of the trace before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept<'a> {
    /// The thread's next call was not there: the edit, by its place among those of the level.
    Inserted(u32),
    /// The thread's next call had these arguments: the last edit that changed them, likewise.
    Arguments(u32, &'a [u8]),
    /// This record stood here.
    Record(Past<'a>),
    /// The thread's next store had these bytes, from this byte of its payload on.
    Stored(usize, &'a [u8]),
}

/// A record of the trace before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Past<'a> {
    pub(crate) kind: Kind,
    pub(crate) method: u16,
    pub(crate) object: u32,
    pub(crate) ordinal: u32,
    pub(crate) flags: u8,
    /// The call's number in the trace before.
    pub(crate) number: u64,
    pub(crate) ticks: u64,
    pub(crate) payload: &'a [u8],
}

impl<'a> Past<'a> {
    pub(crate) fn of(event: &Event<'a>) -> Past<'a> {
        let Event { kind, method, object, ordinal, number, ticks, payload, .. } = *event;
        Past { kind, method, object, ordinal, flags: event.flags & (SEQUENCE | ORDERED), number, ticks, payload }
    }

    pub(crate) fn on(self, thread: u32) -> NewRecord<'a> {
        let Past { kind, method, object, ordinal, flags, number, ticks, payload } = self;
        NewRecord { thread, kind, method, returns: returns(method), object, ordinal, flags, number, ticks, payload }
    }
}

/// Whether calls of a method have a leave, too.
pub(crate) fn returns(method: u16) -> bool {
    MODEL.methods.get(usize::from(method)).is_some_and(|row| row.order == Order::EnterLeave)
}

impl<'a> Kept<'a> {
    /// The payload of the fact.
    pub(crate) fn payload(&self, level: u32) -> Vec<u8> {
        let mut payload = Vec::new();
        let mut words = |words: &[u64]| words.iter().for_each(|word| payload.extend(word.to_le_bytes()));
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        words(&[EDITED.into()]);
        let bytes = match self {
            Kept::Inserted(by) => {
                words(&[pair(level, 0), (*by).into()]);
                return payload;
            }
            Kept::Arguments(by, bytes) => {
                words(&[pair(level, 1), (*by).into()]);
                bytes
            }
            Kept::Record(past) => {
                words(&[pair(level, 2), pair(past.kind as u32, past.method.into()), pair(past.object, past.ordinal)]);
                words(&[past.flags.into(), past.number, past.ticks]);
                past.payload
            }
            Kept::Stored(at, bytes) => {
                words(&[pair(level, 3), *at as u64]);
                bytes
            }
        };
        words(&[bytes.len() as u64]);
        payload.extend_from_slice(bytes);
        payload
    }

    /// The level and what is kept, of the payload of such a fact; none of another fact, or of one that nobody wrote.
    pub(crate) fn parse(payload: &'a [u8]) -> Option<(u32, Kept<'a>)> {
        let mut rest = payload;
        let mut word = || {
            let (word, behind) = rest.split_first_chunk()?;
            rest = behind;
            Some(u64::from_le_bytes(*word))
        };
        let halves = |word: u64| (word as u32, (word >> 32) as u32);
        if word()? != u64::from(EDITED) {
            return None;
        }
        let (level, what) = halves(word()?);
        let past = match what {
            0 => return Some((level, Kept::Inserted(u32::try_from(word()?).ok()?))),
            1 => None,
            2 => {
                let ((kind, method), (object, ordinal)) = (halves(word()?), halves(word()?));
                let kind = Kind::from_u8(u8::try_from(kind).ok()?)?;
                let (method, flags) = (u16::try_from(method).ok()?, u8::try_from(word()?).ok()?);
                Some(Past { kind, method, object, ordinal, flags, number: word()?, ticks: word()?, payload: &[] })
            }
            3 => None,
            _ => return None,
        };
        let first = if what == 2 { 0 } else { word()? };
        let bytes = usize::try_from(word()?).ok()?;
        let bytes = rest.get(..bytes)?;
        let kept = match past {
            Some(past) => Kept::Record(Past { payload: bytes, ..past }),
            None if what == 1 => Kept::Arguments(u32::try_from(first).ok()?, bytes),
            None => Kept::Stored(usize::try_from(first).ok()?, bytes),
        };
        Some((level, kept))
    }

    /// That what `event` is: the level and what is kept.
    pub(crate) fn of(event: &Event<'a>) -> Option<(u32, Kept<'a>)> {
        (event.kind == Kind::Fact).then(|| Kept::parse(event.payload)).flatten()
    }
}

/// The part of a payload that another one of the same length has otherwise.
pub(crate) fn different<'a>(old: &'a [u8], new: &[u8]) -> (usize, &'a [u8]) {
    let differ = |(a, b): (&u8, &u8)| a != b;
    let first = old.iter().zip(new).position(differ).unwrap_or(old.len());
    let last = old.iter().zip(new).rposition(differ).map_or(first, |last| last + 1);
    (first, old.get(first..last).unwrap_or_default())
}

/// How often a trace was edited.
pub(crate) fn level(meta: &Value) -> u32 {
    std::iter::successors(meta.get("edited"), |edited| edited.get("before")).count() as u32
}

/// What all records of a trace hash to, so that an undone edit is compared with what there was.
#[derive(Clone, Default, Debug)]
pub(crate) struct Tally {
    hash: u128,
    left_out: [u64; 2],
}

impl Tally {
    /// A record of this trace, with blobs of it.
    pub(crate) fn add(
        &mut self,
        trace: &Trace,
        thread: u32,
        past: &Past<'_>,
        blobs: &[(u32, u64)],
    ) -> Result<(), Error> {
        if let Some((calls, frames)) = reprise_trace::fact::left_out(past.payload).filter(|_| past.kind == Kind::Fact) {
            // Where they stand in several records is the writer's affair.
            self.left_out[0] = self.left_out[0].wrapping_add(calls);
            self.left_out[1] = self.left_out[1].wrapping_add(frames.into());
            return Ok(());
        }
        let mut bytes = self.hash.to_le_bytes().to_vec();
        let ordinal = if past.flags & ORDERED != 0 { 0 } else { past.ordinal };
        for word in [thread, past.kind as u32, past.method.into(), past.object, ordinal, past.flags.into()] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(past.ticks.to_le_bytes());
        bytes.extend(content_hash(past.payload).to_le_bytes());
        for (number, id) in blobs {
            let hash = trace.blob_hash(*id).map_err(|error| Error::Trace(error.to_string()))?;
            bytes.extend(number.to_le_bytes());
            bytes.extend(hash.to_le_bytes());
        }
        self.hash = content_hash(&bytes);
        Ok(())
    }

    /// As the meta of a trace has it.
    pub(crate) fn json(&self) -> Value {
        let [calls, frames] = self.left_out;
        json!(format!("{:032x}-{calls}-{frames}", self.hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_kept_is_read_again() {
        let payload = [1, 2, 3, 4, 5, 6, 7, 8];
        let (kind, flags, number, ticks) = (Kind::Leave, SEQUENCE, 1 << 40, u64::MAX);
        let past = Past { kind, method: 700, object: 3, ordinal: 9, flags, number, ticks, payload: &payload };
        let all =
            [Kept::Inserted(4), Kept::Arguments(5, &payload), Kept::Record(past), Kept::Stored(24, &payload[..3])];
        for kept in all {
            let mut bytes = kept.payload(7);
            // As a record has it.
            bytes.resize(bytes.len().next_multiple_of(8), 0);
            assert_eq!(Kept::parse(&bytes), Some((7, kept)));
            assert_eq!(Kept::parse(&bytes[..bytes.len() - 8]), None, "{kept:?}");
            bytes[0] ^= 1;
            assert_eq!(Kept::parse(&bytes), None);
        }
    }

    #[test]
    fn what_differs_is_the_least_run_of_bytes() {
        assert_eq!(different(&[1, 2, 3, 4], &[1, 9, 3, 8]), (1, &[2, 3, 4][..]));
        assert_eq!(different(&[1, 2, 3, 4], &[1, 2, 9, 4]), (2, &[3][..]));
        assert_eq!(different(&[1, 2], &[1, 2]), (2, &[][..]));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100), what in 0u32..5) {
            _ = Kept::parse(&bytes);
            let mut known = u64::from(EDITED).to_le_bytes().to_vec();
            known.extend([1u32.to_le_bytes(), what.to_le_bytes()].concat());
            known.extend(&bytes);
            _ = Kept::parse(&known);
        }
    }
}

//! The calls of a list or bundle from one `Reset` to its `Close`, as a tree: markers, and in them the calls that make the GPU do something.
//!
//! Invariant: entries stand in the order of the calls. Each has the place that follows its last descendant. A marker that is never ended goes on to
//! the end of the recording. An end without a beginning is left out.

use super::Subject;
use super::kind::{self, Kind};
use crate::answer::{Deadline, Refused};
use reprise_codec::Value;
use reprise_d3d12::model::MethodId;
use reprise_timeline::state::lists::Marker;
use reprise_trace::record::Kind as Record;
use reprise_view::api;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Entries that are kept, of all recordings together.
const KEPT: usize = 4 << 20;
/// Entries of one recording.
const MOST: usize = 16 << 20;
/// Characters of a marker's text.
const TEXT: usize = 512;

/// An entry of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) call: u64,
    pub(crate) kind: Kind,
    pub(crate) method: u16,
    /// The place that follows its last descendant; its own place plus one where it has none.
    pub(crate) end: u32,
    /// Draws and dispatches below it, and itself.
    pub(crate) draws: u32,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) entries: Vec<Entry>,
    /// Text and colour of markers, by place.
    pub(crate) markers: HashMap<u32, (String, Option<u32>)>,
    /// Of bundles that are run: place, and the bundle.
    pub(crate) bundles: HashMap<u32, u32>,
    /// The last call.
    pub(crate) last: u64,
    /// There are more entries than are kept.
    pub(crate) cut: bool,
}

/// Recordings that were read, by list and first call, each with when it was asked for.
#[derive(Debug, Default)]
pub(crate) struct Recordings(Mutex<(u64, Kept)>);

/// By list and first call: when it was asked for last, and the recording.
type Kept = HashMap<(u32, u64), (u64, Arc<Recording>)>;

impl Recording {
    /// Places of the entries right below a place; of all that stand outside, for `None`.
    pub(crate) fn below(&self, place: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let (mut at, end) = match place {
            None => (0, self.entries.len() as u32),
            Some(place) => (place + 1, self.entries.get(place as usize).map_or(0, |entry| entry.end)),
        };
        std::iter::from_fn(move || {
            let entry = self.entries.get(at as usize).filter(|_| at < end)?;
            let here = at;
            at = entry.end.max(at + 1);
            Some(here)
        })
    }

    /// The place of a call.
    pub(crate) fn place_of(&self, call: u64) -> Option<u32> {
        self.entries.binary_search_by_key(&call, |entry| entry.call).ok().map(|place| place as u32)
    }

    /// The entries that a place lies in, outermost first.
    pub(crate) fn around(&self, place: u32) -> Vec<u32> {
        let mut all = Vec::new();
        let mut level = None;
        while let Some(next) = self.below(level).find(|at| (*at..self.entries[*at as usize].end).contains(&place)) {
            if next == place {
                break;
            }
            all.push(next);
            level = Some(next);
        }
        all
    }

    /// Draws and dispatches.
    pub(crate) fn draws(&self) -> u32 {
        self.below(None).map(|place| self.entries[place as usize].draws).sum()
    }

    fn push(&mut self, entry: Entry) -> u32 {
        let place = self.entries.len() as u32;
        self.entries.push(Entry { end: place + 1, ..entry });
        place
    }

    /// Ends an entry here.
    fn end(&mut self, place: u32) {
        let end = self.entries.len() as u32;
        let draws = self.entries[place as usize + 1..].iter().map(|entry| match entry.kind {
            Kind::Marker => 0,
            _ => entry.draws,
        });
        let draws = draws.sum();
        let entry = &mut self.entries[place as usize];
        (entry.end, entry.draws) = (end, draws);
    }
}

impl Subject {
    /// A recording of a list that began with this call.
    ///
    /// # Errors
    /// The trace cannot be read, or it takes too long.
    pub(crate) fn recording(&self, list: u32, begun: u64, deadline: &Deadline) -> Result<Arc<Recording>, Refused> {
        {
            let mut kept = self.recordings.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.0 += 1;
            let now = kept.0;
            if let Some((asked, recording)) = kept.1.get_mut(&(list, begun)) {
                *asked = now;
                return Ok(recording.clone());
            }
        }
        let recording = Arc::new(self.read(list, begun, deadline)?);
        let mut kept = self.recordings.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = kept.0;
        let mut total: usize = kept.1.values().map(|(_, recording)| recording.entries.len()).sum();
        while total > KEPT
            && let Some(oldest) = kept.1.iter().min_by_key(|(_, (asked, _))| *asked).map(|(key, _)| *key)
            && let Some((_, gone)) = kept.1.remove(&oldest)
        {
            total -= gone.entries.len();
        }
        kept.1.insert((list, begun), (now, recording.clone()));
        Ok(recording)
    }

    fn read(&self, list: u32, begun: u64, deadline: &Deadline) -> Result<Recording, Refused> {
        let codec = api::codec();
        let mut recording = Recording::default();
        let mut open: Vec<u32> = Vec::new();
        let mut events = self.trace.from_call(begun.saturating_add(1)).without_pages();
        while let Some(event) = events.next()? {
            deadline.check()?;
            if event.kind != Record::Enter || event.object != list {
                continue;
            }
            let kind = kind::of(event.method);
            let name = api::method(event.method).map_or("", |method| method.name);
            if kind == Kind::List {
                // Closed, or begun anew.
                recording.last = event.number;
                break;
            }
            if matches!(kind, Kind::Set | Kind::Get | Kind::Release | Kind::Other) {
                continue;
            }
            if name == "EndEvent" {
                if let Some(place) = open.pop() {
                    recording.end(place);
                }
                continue;
            }
            if recording.entries.len() >= MOST {
                recording.cut = true;
                break;
            }
            let draws = u32::from(kind.draws());
            let entry = Entry { call: event.number, kind, method: event.method, end: 0, draws };
            let place = recording.push(entry);
            recording.last = event.number;
            match kind {
                Kind::Marker => {
                    let marker = self.marker(&codec, event.method, event.payload, event.blobs, event.number);
                    recording.markers.insert(place, marker);
                    if name == "BeginEvent" && open.len() < reprise_timeline::state::lists::MOST_DEPTH {
                        open.push(place);
                    }
                }
                Kind::Bundle => {
                    let arguments = codec.decode_enter(MethodId(event.method), event.payload).ok();
                    let bundle = arguments.and_then(|arguments| match arguments.members.first()?.value {
                        Value::Object(id, _) => Some(id),
                        _ => None,
                    });
                    bundle.and_then(|bundle| recording.bundles.insert(place, bundle));
                }
                _ => {}
            }
        }
        while let Some(place) = open.pop() {
            recording.end(place);
        }
        Ok(recording)
    }

    /// Text and colour of a marker.
    pub(crate) fn marker(
        &self,
        codec: &reprise_codec::Codec,
        method: u16,
        payload: &[u8],
        blobs: &[(u32, u64)],
        call: u64,
    ) -> (String, Option<u32>) {
        let Ok(arguments) = codec.decode_enter(MethodId(method), payload) else {
            return ("(damaged)".to_owned(), None);
        };
        let mut metadata = 0;
        let mut data: Option<Vec<u8>> = None;
        for member in &arguments.members {
            match (&member.value, member.field.name) {
                (Value::Unsigned(value), "Metadata") => metadata = *value as u32,
                (Value::Bytes(bytes), _) => data = Some(bytes.to_vec()),
                (Value::Blob(number, ..), _) => {
                    let id = blobs.iter().find(|(own, _)| own == number).map(|(_, id)| *id);
                    data = id.and_then(|id| self.trace.blob_by_id(id).ok()).map(|bytes| bytes.to_vec());
                }
                _ => {}
            }
        }
        let marker = Marker::new(metadata, data.as_deref().unwrap_or_default(), call);
        (marker.text.chars().take(TEXT).collect(), marker.colour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(call: u64, kind: Kind) -> Entry {
        Entry { call, kind, method: 0, end: 0, draws: u32::from(kind.draws()) }
    }

    #[test]
    fn a_tree_is_found_from_both_sides() {
        let mut recording = Recording::default();
        recording.push(entry(1, Kind::Draw));
        let outer = recording.push(entry(2, Kind::Marker));
        recording.push(entry(3, Kind::Draw));
        let inner = recording.push(entry(4, Kind::Marker));
        recording.push(entry(5, Kind::Dispatch));
        recording.end(inner);
        recording.end(outer);
        recording.push(entry(6, Kind::Copy));
        assert_eq!(recording.below(None).collect::<Vec<_>>(), [0, 1, 5]);
        assert_eq!(recording.below(Some(1)).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(recording.below(Some(3)).collect::<Vec<_>>(), [4]);
        assert_eq!(recording.around(4), [1, 3]);
        assert!(recording.around(5).is_empty());
        assert_eq!((recording.entries[1].draws, recording.draws()), (2, 3));
        assert_eq!(recording.place_of(5), Some(4));
    }
}

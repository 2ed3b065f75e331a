//! What the program stored to mapped memory.

use crate::answer::{Deadline, Refused, part};
use crate::parameters::Parameters;
use crate::subject::Subject;
use reprise_timeline::state::memory::Contents;
use reprise_trace::record::{Kind, OBSERVED};
use serde_json::{Value as Json, json};

/// Bytes of one answer.
const MOST: u64 = 1 << 20;

pub(crate) fn writes(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let object = with.needed::<u32>("object")?;
    let last = with.number::<u64>("until")?.unwrap_or(u64::MAX);
    let (first, count) = with.part(1000)?;
    let mut total = 0;
    let mut items = Vec::new();
    let mut events = subject.trace.events().without_pages();
    while let Some(event) = events.next()? {
        until.check()?;
        if event.number > last {
            break;
        }
        if !matches!(event.kind, Kind::Memory | Kind::Pages) || event.object != object {
            continue;
        }
        total += 1;
        if total <= first || items.len() as u64 >= count {
            continue;
        }
        let Some((offset, bytes)) = event.memory_range() else { continue };
        items.push(json!({
            "call": event.number, "thread": event.thread, "frame": u64::from(event.frame) + 1, "time_ns": event.time_ns,
            "subresource": event.ordinal, "offset": offset, "bytes": bytes, "observed": event.method == OBSERVED,
        }));
    }
    Ok(part(total, first, items))
}

pub(crate) fn bytes(subject: &Subject, with: &Parameters, until: &Deadline) -> Result<Json, Refused> {
    let (object, call) = (with.needed::<u32>("object")?, with.needed::<u64>("call")?);
    let offset = with.number::<u64>("offset")?.unwrap_or(0);
    let length = with.needed::<u64>("length")?.min(MOST);
    let subresource = with.number::<u32>("subresource")?.unwrap_or(0);
    let end = offset.checked_add(length).ok_or_else(|| Refused::question("offset is too large"))?;
    let mut contents = Contents::default();
    let mut known: Vec<[u64; 2]> = Vec::new();
    let mut events = subject.trace.events().in_pieces();
    while let Some(event) = events.next()? {
        until.check()?;
        if event.kind == Kind::Enter && event.number >= call {
            break;
        }
        if event.object != object || event.ordinal != subresource {
            continue;
        }
        let mut store = |at: u64, bytes: &[u8]| {
            // Only what is asked for is kept.
            let (from, to) = (at.max(offset), at.saturating_add(bytes.len() as u64).min(end));
            if from < to {
                contents.store(object, subresource, from, &bytes[(from - at) as usize..(to - at) as usize]);
                known.push([from, to]);
            }
        };
        match event.kind {
            Kind::Memory => {
                if let Some((at, bytes)) = event.memory() {
                    store(at, bytes);
                }
            }
            Kind::Pages => event.pieces().for_each(|(at, bytes)| store(at, bytes)),
            _ => {}
        }
        if known.len() > 4096 {
            known = joined(known);
        }
    }
    let mut bytes = vec![0; length as usize];
    contents.read(object, subresource, offset, &mut bytes);
    let known: Vec<[u64; 2]> = joined(known).into_iter().map(|[from, to]| [from, to - from]).collect();
    Ok(json!({ "offset": offset, "length": length, "hex": reprise_codec::json::hex(&bytes), "known": known }))
}

/// Ranges in order, those that meet as one.
fn joined(mut ranges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    ranges.sort_unstable();
    let mut all: Vec<[u64; 2]> = Vec::new();
    for [from, to] in ranges {
        match all.last_mut().filter(|last| from <= last[1]) {
            Some(last) => last[1] = last[1].max(to),
            None => all.push([from, to]),
        }
    }
    all
}

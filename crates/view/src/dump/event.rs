//! Everything in a trace that is no call, as an object for a line: memory, fence values, frames, facts, gaps.

use super::names::{Contents, Names};
use crate::api;
use reprise_d3d12::markers::{Markers, Why};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::removal::Removal;
use reprise_d3d12::result::name;
use reprise_trace::apart::{self, Apart};
use reprise_trace::read::Event;
use reprise_trace::record::{FrameSource, GapReason, Kind, OBSERVED};
use reprise_trace::wanted_frames::StopReason;
use reprise_trace::{fact, frame_hash};
use serde_json::{Map, Value as Json, json};

/// The line of an event that is no call; `None` for kinds that mean nothing by themselves. `contents` says more of memory.
pub fn line(event: &Event<'_>, names: &Names, contents: Option<&dyn Contents>) -> Option<Map<String, Json>> {
    let mut line = Map::new();
    let mut put = |name: &str, value: Json| {
        line.insert(name.to_owned(), value);
    };
    let name = match event.kind {
        Kind::Memory => "memory",
        Kind::Observe => "observe",
        Kind::Frame => "frame",
        Kind::Fact => "fact",
        Kind::Gap => "gap",
        _ => return None,
    };
    put("event", name.into());
    put("after_call", event.number.into());
    put("thread", event.thread.into());
    put("frame", frame(event).into());
    put("time_ns", event.time_ns.into());
    if event.object != 0 {
        put("object", names.object_json(event.object));
    }
    match event.kind {
        Kind::Memory => match event.memory() {
            Some((offset, bytes)) => {
                put("subresource", event.ordinal.into());
                put("offset", offset.into());
                put("bytes", bytes.len().into());
                if event.method == OBSERVED {
                    put("observed", true.into());
                }
            }
            None => put("error", "the payload is too short".into()),
        },
        Kind::Observe => put("value", word(event.payload, 0).map_or(Json::Null, Json::from)),
        Kind::Frame => put("source", source(half(event.payload, 0).unwrap_or(0)).into()),
        Kind::Fact => match event.fact() {
            Some((kind, bytes)) => fact_members(kind, bytes, &mut put),
            None => put("error", "the payload is too short".into()),
        },
        Kind::Gap => {
            let (reason, text) = event.fact().unwrap_or((0, &[]));
            put("reason", gap_reason(reason).into());
            if let Some(method) = gap_method(event) {
                put("method", method.into());
            }
            put("text", self::text(text).into());
        }
        _ => {}
    }
    if let (Some(contents), Some((_, bytes))) = (contents, event.memory()) {
        contents.bytes(bytes, &mut line);
    }
    Some(line)
}

/// Frames count from 1, as everywhere people see them; what follows the last frame boundary has the next number.
pub fn frame(event: &Event<'_>) -> u64 {
    u64::from(event.frame) + 1
}

/// What ended a frame, by the number in the record.
pub fn source(number: u32) -> &'static str {
    match FrameSource::from_u32(number) {
        Some(FrameSource::Present) => "present",
        Some(FrameSource::Marker) => "marker",
        Some(FrameSource::Submission) => "submission",
        None => "other",
    }
}

/// Why something is missing, in words; numbers as in `FORMAT.md`.
pub fn gap_reason(number: u32) -> String {
    const REASONS: [(GapReason, &str); 11] = [
        (GapReason::Capture, "could not be recorded"),
        (GapReason::MissingSequence, "records are missing"),
        (GapReason::MissingOrdinal, "calls of an object are missing"),
        (GapReason::Overflow, "a thread stopped recording"),
        (GapReason::DiskFull, "the disk was full"),
        (GapReason::DamagedRing, "a ring is damaged"),
        (GapReason::DamagedChunk, "a part of the file is damaged"),
        (GapReason::Late, "a record came too late"),
        (GapReason::IncompleteBlob, "a blob is incomplete"),
        (GapReason::UnreadArguments, "the thread died on the arguments of a call"),
        (GapReason::Unfinished, "the thread ended within a call"),
    ];
    let known = REASONS.iter().find(|(reason, _)| *reason as u32 == number);
    known.map_or_else(|| format!("reason {number}"), |(_, words)| (*words).to_owned())
}

/// The call that a gap is about, where it is about one.
pub fn gap_method(event: &Event<'_>) -> Option<String> {
    let reason = event.fact().map_or(0, |(reason, _)| reason);
    (reason == GapReason::UnreadArguments as u32).then(|| api::name(MethodId(event.method)))
}

fn fact_members(kind: u32, bytes: &[u8], put: &mut dyn FnMut(&str, Json)) {
    let words = |names: &[(&str, Option<Json>)], put: &mut dyn FnMut(&str, Json)| {
        for (name, value) in names {
            put(name, value.clone().unwrap_or(Json::Null));
        }
    };
    let hex = |at| word(bytes, at).map(|value| Json::from(format!("{value:#x}")));
    let long = |at| word(bytes, at).map(Json::from);
    let short = |at| half(bytes, at).map(Json::from);
    let parsed = || serde_json::from_str(&text(bytes)).unwrap_or_else(|_| Json::from(text(bytes)));
    match kind {
        fact::META => words(&[("fact", Some("meta".into())), ("value", Some(parsed()))], put),
        fact::ADDRESS_RANGE => {
            words(&[("fact", Some("address_range".into())), ("address", hex(0)), ("bytes", long(8))], put);
        }
        fact::CAPTURE_ADDRESS => {
            words(&[("fact", Some("capture_address".into())), ("address", hex(0)), ("bytes", long(8))], put);
        }
        fact::GROUP_HANDLES => {
            words(&[("fact", Some("group_handles".into())), ("bytes", Some(bytes.len().into()))], put);
        }
        fact::DESCRIPTOR_HEAP => {
            let cpu_gpu = [("fact", Some("descriptor_heap".into())), ("cpu", hex(0)), ("gpu", hex(8))];
            words(&cpu_gpu, put);
            words(&[("increment", short(16)), ("count", short(20))], put);
        }
        fact::MAPPING_MODE => words(&[("fact", Some("mapping_mode".into())), ("value", Some(parsed()))], put),
        fact::ALLOCATION => {
            words(&[("fact", Some("allocation".into())), ("bytes", long(0)), ("alignment", long(8))], put);
        }
        fact::PRESENT => {
            words(&[("fact", Some("present".into())), ("width", short(0)), ("height", short(4))], put);
            words(&[("format", short(8)), ("index", short(12))], put);
        }
        fact::BACK_BUFFER => {
            words(&[("fact", Some("back_buffer".into())), ("width", short(0)), ("height", short(4))], put);
            words(&[("format", short(8)), ("layers", short(12)), ("flags", short(16))], put);
        }
        fact::EDITED => words(&[("fact", Some("edited".into())), ("bytes", Some(bytes.len().into()))], put),
        fact::FRAME_HASH => {
            words(&[("fact", Some("frame_hash".into())), ("width", short(0)), ("height", short(4))], put);
            words(&[("format", short(8)), ("hash", hash(bytes).map(|hash| hash.to_string().into()))], put);
        }
        fact::FRAME_SURFACE => {
            put("fact", "frame_surface".into());
            if word(bytes, 0).is_some_and(|handle| handle != 0) {
                words(&[("handle", hex(0))], put);
            }
        }
        fact::THREAD_NAME => words(&[("fact", Some("thread_name".into())), ("name", Some(text(bytes).into()))], put),
        fact::EVENT => words(&[("fact", Some("event".into())), ("handle", hex(0)), ("value", long(8))], put),
        fact::DEVICE => {
            words(&[("fact", Some("device".into())), ("luid", hex(0)), ("nodes", short(8))], put);
            let increments: Vec<Json> = (0..4).filter_map(|heap| half(bytes, 12 + heap * 4)).map(Json::from).collect();
            put("increments", increments.into());
        }
        fact::FEATURE => {
            let feature = half(bytes, 0).map(|feature| api::enum_name("D3D12_FEATURE", feature).into());
            let size = half(bytes, 4).unwrap_or(0) as usize;
            let data = bytes.get(8..).and_then(|data| data.get(..size)).map(|data| hexadecimal(data).into());
            words(&[("fact", Some("feature".into())), ("feature", feature), ("data", data)], put);
        }
        fact::WANTED => {
            words(&[("fact", Some("wanted".into())), ("frames", short(0).map(|word| (word != 0).into()))], put)
        }
        fact::REMOVAL => {
            let removal = Removal::from_bytes(bytes);
            put("fact", "removal".into());
            if let Some(removal) = removal {
                let result = |code: u32| name(code).map_or_else(|| format!("{code:#x}"), str::to_owned);
                put("reason", result(removal.reason).into());
                put("breadcrumbs", result(removal.breadcrumbs).into());
                put("page_fault", result(removal.fault).into());
                put("address", format!("{:#x}", removal.address).into());
                let lists = removal.lists.iter().map(|list| {
                    let operations = list.operations.len();
                    json!({ "list": list.list, "queue": list.queue, "completed": list.completed, "operations": operations })
                });
                put("lists", lists.collect());
            }
        }
        fact::LEFT_OUT => {
            words(&[("fact", Some("left_out".into())), ("calls", long(0)), ("frames", short(8))], put);
        }
        fact::APART => {
            put("fact", "apart".into());
            let part = |part: Apart| {
                let why = match part.why {
                    apart::Why::Time => "time",
                    apart::Why::Size => "size",
                    apart::Why::Answer => "answer",
                };
                json!({ "offset": part.bytes.start, "bytes": part.bytes.end - part.bytes.start, "why": why })
            };
            put("parts", apart::parts(bytes).map(part).collect());
        }
        fact::STILL => words(&[("fact", Some("still".into())), ("seconds", short(0))], put),
        fact::MARKERS => {
            put("fact", "markers".into());
            if let Some(markers) = Markers::from_bytes(bytes) {
                let why = match markers.why {
                    Why::Removed => "the device was removed",
                    Why::Still => "nothing moves",
                    Why::Moves => "something moves again",
                };
                put("because", why.into());
                put("milliseconds", markers.milliseconds.into());
                let lists = markers.lists.iter().map(|it| {
                    json!({ "list": it.list, "queue": it.queue, "submission": it.submission, "index": it.index,
                        "reached": it.reached, "completed": it.completed, "operations": it.operations })
                });
                put("lists", lists.collect());
            }
        }
        fact::STOP => {
            let reason = half(bytes, 0).and_then(StopReason::from_u32).map(|reason| reason.name().into());
            words(&[("fact", Some("stop".into())), ("because", reason)], put);
        }
        fact::MAPPING => {
            words(&[("fact", Some("mapping".into())), ("address", hex(0)), ("bytes", long(8))], put);
            let heap = half(bytes, 20).filter(|heap| *heap != 0);
            let heap = heap.map(|heap| api::enum_name("D3D12_HEAP_TYPE", heap).into());
            words(&[("subresource", short(16)), ("heap_type", heap)], put);
        }
        other => {
            let start = hexadecimal(&bytes[..bytes.len().min(64)]);
            words(
                &[("fact", Some(other.into())), ("length", Some(bytes.len().into())), ("start", Some(start.into()))],
                put,
            );
        }
    }
}

/// The hash in the bytes of a [`fact::FRAME_HASH`].
pub fn hash(bytes: &[u8]) -> Option<frame_hash::FrameHash> {
    let bytes: [u8; 16] = bytes.get(16..32)?.try_into().ok()?;
    Some(frame_hash::FrameHash(u128::from_le_bytes(bytes)))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Text as records hold it: UTF-8 with zeros behind it.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

//! A long trace of which chunks are left out: the same answers as without the file that says what chunks have, whatever is asked, and whatever
//! that file is.

use crate::{answer, program};
use reprise_codec::{BlobSink, Codec, Objects, Wide};
use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::D3D12_CONSTANT_BUFFER_VIEW_DESC;
use reprise_d3d12::{MODEL, method};
use reprise_trace::fact;
use reprise_trace::layout::FileHeader;
use reprise_trace::record::{Header, Kind, LEAVES, ORDERED, Record, SEQUENCE, TICKS};
use reprise_trace::trace_writer::{Progress, TraceWriter};
use serde_json::Value as Json;
use std::fs;
use std::path::Path;

/// More than a trace must have for its chunks to be looked into (2^18).
const CALLS: u64 = 270_000;

/// A trace whose method, object and time change slowly: constants are set on lists, a few draws between them, and fences that are waited for.
fn write(path: &Path) {
    let mut file = TraceWriter::create(Vec::new(), &FileHeader::default(), Default::default()).unwrap();
    let thread = file.add_thread(0, 1, "");
    let constant = method("ID3D12GraphicsCommandList", "SetGraphicsRoot32BitConstant").0;
    let dispatch = method("ID3D12GraphicsCommandList", "Dispatch").0;
    let draw = method("ID3D12GraphicsCommandList", "DrawInstanced").0;
    let wait = method("ID3D12Fence", "SetEventOnCompletion").0;
    let copy = method("ID3D12GraphicsCommandList", "CopyResource");
    let view = method("ID3D12Device", "CreateConstantBufferView");
    let put = |file: &mut TraceWriter<Vec<u8>>,
               kind: Kind,
               method: u16,
               flags: u8,
               object: u32,
               head: &[u64],
               words: &[u64]| {
        let size = (16 + 8 * (head.len() + words.len())) as u32;
        let header = Header { size, method, kind: kind as u8, flags, object, ordinal: 0 };
        let mut bytes = header.to_bytes().to_vec();
        head.iter().chain(words).for_each(|word| bytes.extend(word.to_le_bytes()));
        file.record(thread, &Record::parse(&bytes).unwrap(), false);
    };
    let mut sequence = 0;
    // Buffers of 256 bytes, at addresses that rise with their ids.
    for buffer in 100..200u32 {
        let place = [fact::ADDRESS_RANGE.into(), address(buffer), 256];
        sequence += 1;
        put(&mut file, Kind::Fact, 0, SEQUENCE, buffer, &[sequence], &place);
    }
    for number in 1..=CALLS {
        let object = 10 + (number / 40_000) as u32;
        match number % 5000 {
            // On another object, with a time.
            0 => {
                sequence += 2;
                put(
                    &mut file,
                    Kind::Enter,
                    wait,
                    SEQUENCE | TICKS | LEAVES,
                    3,
                    &[sequence, number * 1000],
                    &[number, 0],
                );
                put(&mut file, Kind::Leave, wait, SEQUENCE | TICKS, 3, &[sequence + 1, number * 1000 + 500], &[0]);
            }
            _ if (100_000..120_000).contains(&number) => {
                put(&mut file, Kind::Enter, draw, ORDERED, object, &[], &[3 | 1 << 32, 0])
            }
            // Barriers, copies and views are looked through for what they name.
            _ if (140_000..150_000).contains(&number) => {
                let to = u64::from(100 + (number / 100 % 100) as u32);
                put(&mut file, Kind::Enter, copy.0, ORDERED, object, &[], &[to, 7])
            }
            _ if (150_000..160_000).contains(&number) => {
                let buffer = 100 + (number / 100 % 100) as u32;
                let payload = constant_view(view, address(buffer) + 16);
                put(&mut file, Kind::Enter, view.0, ORDERED, 1, &[], &payload)
            }
            _ if number > 200_000 => put(&mut file, Kind::Enter, dispatch, ORDERED, object, &[], &[1 | 1 << 32, 1]),
            _ => put(&mut file, Kind::Enter, constant, ORDERED, object, &[], &[number << 32, number % 7]),
        }
        if file.is_full(false) || number % 10_000 == 0 {
            assert!(file.flush(false, |_| Progress::default()).unwrap());
        }
    }
    let schema = |methods: &[u16]| reprise_codec::schema::of(&MODEL, methods);
    let (bytes, _) = file.finish(vec![], |_| Progress::default(), &schema).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Where a buffer lies.
fn address(buffer: u32) -> u64 {
    0x1_0000_0000 + u64::from(buffer) * 256
}

/// The payload of the making of a view of constants.
#[allow(unsafe_code)] // The encoder reads native arguments.
fn constant_view(view: MethodId, location: u64) -> Vec<u64> {
    let desc = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: location, SizeInBytes: 256 };
    let (mut payload, codec) = (Vec::new(), Codec::new(MODEL, Wide::Bits16));
    let words = [core::ptr::from_ref(&desc) as u64, 0x7000];
    // SAFETY: the words are arguments of the method; it has no objects, and no blobs.
    unsafe { codec.encode_enter(view, &words, &Nobody, &mut payload, &mut Nobody) };
    payload.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// No object, and no blob.
struct Nobody;

impl Objects for Nobody {
    fn id_of(&self, _: u64) -> u64 {
        0
    }

    fn real_of(&self, _: u64) -> u64 {
        0
    }
}

impl BlobSink for Nobody {
    fn blob(&mut self, _: &[u8]) -> u32 {
        0
    }
}

/// Questions in one: of each predicate how many calls, which, and what came of them.
fn question() -> String {
    let mut random = 0x1234_5678_9abc_def0u64;
    let mut next = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let methods = ["SetGraphicsRoot32BitConstant", "Dispatch", "DrawInstanced", "SetEventOnCompletion", "Close"];
    let mut parts = Vec::new();
    for number in 0..14 {
        let mut predicates = Vec::new();
        if number % 2 == 0 {
            predicates.push(format!("method = '{}'", methods[next(5) as usize]));
        }
        if number % 3 == 0 {
            predicates.push(format!("object IN ({}, {})", 10 + next(9), [3, 17][next(2) as usize]));
        }
        if number % 4 == 1 || predicates.is_empty() {
            let from = next(CALLS * 300);
            predicates.push(format!("time_ns BETWEEN {from} AND {}", from + next(CALLS * 100)));
        }
        if number % 7 == 3 {
            predicates.push(format!("call > {}", next(CALLS)));
        }
        parts.push(format!(
            "SELECT {number} AS number, count(*) AS n, sum(call) AS calls, sum(duration_ns) AS took, count(result) AS results FROM calls WHERE {}",
            predicates.join(" AND ")
        ));
    }
    parts.push("SELECT 100, count(*), sum(call), sum(instances), sum(vertices) FROM draws WHERE list = 12".into());
    // Objects that arguments name, by id and by address.
    for (number, from, named) in [
        (110, "copies", "destination = 145"),
        (111, "copies", "source = 7 AND destination IN (150, 1000)"),
        (112, "copies", "source = 8"),
        (113, "copies", "destination = 145 OR call < 140100"),
        (114, "descriptors", "object = 145"),
        (115, "descriptors", "object IN (199, 3) AND method = 'CreateConstantBufferView'"),
        (116, "barriers", "object = 145"),
    ] {
        parts.push(format!("SELECT {number}, count(*), sum(call), sum(frame), min(call) FROM {from} WHERE {named}"));
    }
    parts.push("SELECT 101, count(*), sum(call), sum(x), sum(y) FROM dispatches WHERE list = 16".into());
    parts.push(
        "SELECT 102, count(*), sum(call), count(\"hEvent\"), sum(\"Value\") FROM method('SetEventOnCompletion')".into(),
    );
    format!("SELECT * FROM ({}) ORDER BY number", parts.join(" UNION ALL "))
}

#[test]
fn what_chunks_have_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (trace, cache) = (folder.path().join("long.reprise"), folder.path().join("cache"));
    write(&trace);
    let sql = question();
    let asked = |cache: Option<&Path>| -> Vec<Json> {
        let mut command = program();
        command.env_remove("XDG_CACHE_HOME").env_remove("HOME").args(["--format", "json"]).arg(&trace).arg(&sql);
        answer(command.envs(cache.map(|cache| ("XDG_CACHE_HOME", cache))))
    };
    let without = asked(None);
    assert_eq!(without.len(), 24);
    assert_eq!(without[16]["n"], CALLS / 5000);
    let named: Vec<u64> = without[17..].iter().map(|row| row["n"].as_u64().unwrap()).collect();
    assert_eq!(named, [100, 99, 0, 199, 100, 100, 0], "{:?}", &without[17..]);
    assert_eq!(asked(Some(&cache)), without, "when it is made");
    assert_eq!(asked(Some(&cache)), without, "when it is found");
    let kept: Vec<_> = fs::read_dir(cache.join("reprise/index")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    let mut bytes = fs::read(kept).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    fs::write(kept, &bytes).unwrap();
    assert_eq!(asked(Some(&cache)), without, "when it is damaged");
}

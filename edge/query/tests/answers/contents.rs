//! A long trace of which chunks are left out: the same answers as without the file that says what chunks have, whatever is asked, and whatever
//! that file is.

use crate::{answer, program};
use reprise_d3d12::{MODEL, method};
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
    assert_eq!(without.len(), 17);
    assert_eq!(without[16]["n"], CALLS / 5000);
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

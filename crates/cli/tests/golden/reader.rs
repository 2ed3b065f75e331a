//! The independent reader, written in Python from FORMAT.md alone (`reader/`): it lists the same calls as `dump --json`.

use crate::place::Place;
use crate::set::{Golden, divided};
use crate::{each, lines};
use reprise_testing::{missing, program, require};
use serde_json::Value as Json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Debian's interpreter: another one in `PATH` does not have Debian's packages.
const PYTHON: &str = "/usr/bin/python3";
const PATIENCE: Duration = Duration::from_secs(300);

/// The interpreter with what the reader imports.
fn python() -> Option<PathBuf> {
    for (module, package) in [("zstandard", "python3-zstandard"), ("xxhash", "python3-xxhash")] {
        require(missing::file(&[&format!("/usr/lib/python3/dist-packages/{module}")], package))?;
    }
    require(missing::file(&[PYTHON], "python3"))
}

/// What the reader lists of a trace.
fn read(python: &Path, trace: &Path) -> Vec<Json> {
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/reader/reader.py");
    // -B: no compiled copies beside the sources.
    let finished = program::run_quietly(Command::new(python).arg("-B").arg(reader).arg(trace), PATIENCE).unwrap();
    assert!(finished.status.success(), "{}: {}", trace.display(), finished.errors());
    lines(&finished.text())
}

/// Whether the dump says what the reader does. The dump names more: the class of an object, the kind of a blob, the object that
/// an address or a handle belongs to. Floats of 32 bits may be written with other digits.
///
/// # Errors
/// Where they differ, and how.
fn agree(read: &Json, dumped: &Json) -> Result<(), String> {
    let differ = || Err(format!(": the reader has {read}, dump {dumped}"));
    match (read, dumped) {
        (Json::Object(read), Json::Object(dumped)) => read.iter().try_for_each(|(name, value)| {
            let other = dumped.get(name).ok_or_else(|| format!(".{name}: not in the dump"))?;
            agree(value, other).map_err(|what| format!(".{name}{what}"))
        }),
        (Json::Array(read), Json::Array(dumped)) if read.len() == dumped.len() => {
            let mut pairs = read.iter().zip(dumped).enumerate();
            pairs.try_for_each(|(index, (one, other))| agree(one, other).map_err(|what| format!("[{index}]{what}")))
        }
        (Json::String(_), Json::Object(named)) => match named.get("address").or(named.get("handle")) {
            Some(number) => agree(read, number),
            None => differ(),
        },
        (Json::Number(one), Json::Number(other)) if one.is_f64() && other.is_f64() => {
            let single = |number: &serde_json::Number| number.as_f64().map(|number| (number as f32).to_bits());
            if single(one) == single(other) { Ok(()) } else { differ() }
        }
        (one, other) if one == other => Ok(()),
        _ => differ(),
    }
}

/// Call by call: number, thread, frame, method, object, every argument and no other, result.
pub(crate) fn check(name: &str, read: &[Json], dump: &[Json]) {
    let dumped: Vec<&Json> = dump.iter().filter(|line| line.get("call").is_some()).collect();
    for (read, dumped) in read.iter().zip(&dumped) {
        agree(read, dumped).unwrap_or_else(|what| panic!("{name}: call {}{what}\n{read}\n{dumped}", read["call"]));
        let arguments = |call: &Json| {
            let mut names: Vec<String> = call["args"].as_object().unwrap().keys().cloned().collect();
            names.sort();
            names
        };
        assert_eq!(arguments(read), arguments(dumped), "{name}: arguments of call {}", read["call"]);
    }
    assert_eq!(read.len(), dumped.len(), "{name}: calls");
}

#[test]
fn an_independent_reader_lists_the_same_calls() {
    let Some(python) = python() else { return };
    each(|golden: &Golden| {
        let place = Place::with(golden);
        // The schema is written when a trace is finished: the file of an unfinished one names no call, its repaired copy does.
        let mut trace = "trace.reprise";
        if golden.rings {
            trace = "whole.reprise";
            assert_eq!(place.said(&["repair", "-o", trace, "trace.reprise"]).1, 0, "{golden}: repair");
        }
        let (dump, _) = place.said(&["dump", "--json", trace]);
        let mut read = read(&python, &place.path(trace));
        if golden.info()["frames"] == 0 {
            // The reader knows of recorded frames alone.
            read = divided(read).into_iter().filter(|line| line.get("call").is_some()).collect();
        }
        check(&golden.to_string(), &read, &lines(&dump));
    });
}

/// Damage is an error that says where, and nothing half-read passes for a call.
#[test]
fn the_reader_checks_what_it_reads() {
    let Some(python) = python() else { return };
    let set = crate::sets().into_iter().next().unwrap();
    let golden = set.traces.iter().find(|golden| golden.name == "workers").unwrap();
    let place = Place::with(golden);
    let path = place.path("trace.reprise");
    let mut bytes = std::fs::read(&path).unwrap();
    // The checksum of the header covers the version.
    bytes[8] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let reader = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/reader/reader.py");
    let finished = program::run_quietly(Command::new(python).arg("-B").arg(reader).arg(&path), PATIENCE).unwrap();
    assert_eq!(finished.status.code(), Some(1), "{}", finished.text());
    assert!(finished.errors().contains("version 3"), "{}", finished.errors());
}

#[test]
fn what_differs_is_found() {
    let json = |text: &str| serde_json::from_str::<Json>(text).unwrap();
    let dumped = json(
        r#"{"call": 1, "args": {"a": {"id": 3, "class": "ID3D12Heap"}, "b": {"address": "0x10", "object": 2}, "c": 0.1}}"#,
    );
    assert_eq!(
        agree(&json(r#"{"call": 1, "args": {"a": {"id": 3}, "b": "0x10", "c": 0.100000001}}"#), &dumped),
        Ok(())
    );
    for (text, place) in [
        (r#"{"args": {"a": {"id": 4}}}"#, ".args.a.id: "),
        (r#"{"args": {"b": "0x11"}}"#, ".args.b: "),
        (r#"{"args": {"c": 0.2}}"#, ".args.c: "),
        (r#"{"args": {"d": 1}}"#, ".args.d: "),
        (r#"{"args": {"a": [1]}}"#, ".args.a: "),
    ] {
        let error = agree(&json(text), &dumped).unwrap_err();
        assert!(error.starts_with(place), "{text}: {error}");
    }
}

//! What `extract` writes, compared with what the captured program was built with.

use crate::bench::Bench;
use crate::programs;
use reprise_testing::artifact;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// The shaders that a program is built with: content to `FILE.ENTRY` and the hash that is stated for it.
fn built_with(program: &str) -> BTreeMap<Vec<u8>, (String, String)> {
    let folder = artifact::workspace().join("crates/programs/shaders");
    let text = std::fs::read_to_string(folder.join("blobs.txt")).unwrap();
    let mut shaders = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with(&format!("{program}.hlsl "))) {
        let words: Vec<&str> = line.split(' ').collect();
        let name = format!("{program}.{}", words[1]);
        for (ending, hash) in [("dxbc", words[5]), ("dxil", words[6])] {
            let bytes = std::fs::read(folder.join(format!("{name}.{ending}"))).unwrap();
            shaders.insert(bytes, (name.clone(), format!("{hash}.compute.{ending}")));
        }
    }
    shaders
}

/// The calls of a whole dump that are given contents of a kind.
fn calls(bench: &Bench, kind: &str) -> BTreeSet<u64> {
    let text = bench.output(&["dump", "--json", "trace.reprise"]);
    let lines = text.lines().filter(|line| line.contains(&format!("\"kind\":\"{kind}\"")));
    lines.map(|line| serde_json::from_str::<Json>(line).unwrap()["call"].as_u64().unwrap()).collect()
}

fn used(entries: &Json) -> BTreeSet<u64> {
    let uses = entries.as_array().unwrap().iter().flat_map(|entry| entry["uses"].as_array().unwrap());
    uses.map(|used| used["call"].as_u64().unwrap()).collect()
}

#[test]
fn the_shaders_are_those_that_the_program_was_built_with() {
    let bench = Bench::new();
    programs::capture(&bench, "dispatches", &programs::ours());
    let index: Json = serde_json::from_str(&bench.output(&["extract", "--json", "trace.reprise"])).unwrap();
    let folder = bench.path("trace.extracted");
    let known = built_with("dispatches");
    let shaders = index["shaders"].as_array().unwrap();
    let mut names = BTreeSet::new();
    for shader in shaders {
        let file = shader["file"].as_str().unwrap();
        let (name, expected) = &known[&std::fs::read(folder.join(file)).unwrap()];
        assert_eq!(file, expected);
        assert_eq!((&shader["stage"], &shader["checksum"]), (&"compute".into(), &"valid".into()), "{shader}");
        names.insert(name.as_str());
    }
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["dispatches.arguments", "dispatches.count", "dispatches.move"]);
    assert_eq!(shaders.len(), 3, "each once");
    assert_eq!(used(&index["shaders"]), calls(&bench, "Shader"));

    let signatures = index["root_signatures"].as_array().unwrap();
    assert!(!signatures.is_empty());
    let text = bench.output(&["dump", "--json", "--methods", "CreateRootSignature", "trace.reprise"]);
    let created: BTreeSet<u64> =
        text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap()["call"].as_u64().unwrap()).collect();
    assert_eq!(used(&index["root_signatures"]), created);
    for signature in signatures {
        let read = |name: &str| std::fs::read(folder.join(signature[name].as_str().unwrap())).unwrap();
        assert!(read("file").starts_with(b"DXBC"));
        let decoded: Json = serde_json::from_slice(&read("decoded")).unwrap();
        assert!(!decoded["parameters"].as_array().unwrap().is_empty(), "{decoded}");
    }

    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, shaders.len() + 2 * signatures.len() + 1, "a file each, what is decoded, the index");
    assert_eq!(serde_json::from_slice::<Json>(&std::fs::read(folder.join("index.json")).unwrap()).unwrap(), index);
    let text = bench.output(&["extract", "-o", "again", "trace.reprise"]);
    assert_eq!(text.lines().count(), shaders.len() + signatures.len());
    std::fs::write(bench.path("file"), "").unwrap();
    assert_eq!(bench.run(&["extract", "-o", "file/under", "trace.reprise"]).status.code(), Some(1));
}

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
        let parameters = decoded["parameters"].as_array().unwrap();
        assert!(!parameters.is_empty(), "{decoded}");
        let hlsl = String::from_utf8(read("hlsl")).unwrap();
        let clauses = ["CBV(", "SRV(", "UAV(", "RootConstants(", "DescriptorTable("];
        let said = hlsl.lines().filter(|line| clauses.iter().any(|clause| line.starts_with(clause))).count();
        assert_eq!(said, parameters.len(), "{hlsl}");
    }

    let files = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(files, shaders.len() + 3 * signatures.len() + 1, "a file each, what is decoded twice, the index");
    assert_eq!(serde_json::from_slice::<Json>(&std::fs::read(folder.join("index.json")).unwrap()).unwrap(), index);
    let text = bench.output(&["extract", "-o", "again", "trace.reprise"]);
    assert_eq!(text.lines().count(), shaders.len() + signatures.len());
    let index = bench.output(&["extract", "--json", "--disassemble", "-o", "text", "trace.reprise"]);
    let index: Json = serde_json::from_str(&index).unwrap();
    for shader in index["shaders"].as_array().unwrap() {
        let text = shader["disassembled"].as_str().unwrap_or_else(|| panic!("{shader}"));
        let text = std::fs::read_to_string(bench.path("text").join(text)).unwrap();
        assert!(text.contains("define") && text.contains("@dx.op."), "{text}");
    }
    std::fs::write(bench.path("file"), "").unwrap();
    assert_eq!(bench.run(&["extract", "-o", "file/under", "trace.reprise"]).status.code(), Some(1));
}

/// What is no shader, or a damaged one, is an error of the process that reads it, and of nothing else.
#[test]
fn what_cannot_be_disassembled_is_said() {
    let shader = std::fs::read(artifact::workspace().join("crates/programs/shaders/compute.main.dxil")).unwrap();
    let bench = Bench::new();
    for (name, bytes) in [("whole", &shader[..]), ("cut", &shader[..shader.len() / 2]), ("empty", &[][..])] {
        std::fs::write(bench.path(name), bytes).unwrap();
        let mut command = bench.command();
        command.arg("disassemble").stdin(std::fs::File::open(bench.path(name)).unwrap());
        let finished = command.output().unwrap();
        let errors = String::from_utf8_lossy(&finished.stderr);
        assert_eq!(finished.status.success(), name == "whole", "{name}: {errors}");
        assert_eq!(errors.is_empty(), name == "whole", "{name}");
    }
}

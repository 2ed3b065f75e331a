//! All shaders of this repository as text: none of them ends the process, and each text says what its names are.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reprise_shader::disassemble;

/// The containers below a folder, but for what is built.
fn containers(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_container = path.extension().is_some_and(|ending| ending == "dxbc" || ending == "dxil");
        if path.is_dir() && !path.ends_with("target") {
            containers(&path, found);
        } else if is_container {
            found.push(path);
        }
    }
}

/// The numbers of the blocks of each function, with how often each block begins.
fn blocks(function: &str) -> BTreeMap<&str, u32> {
    let mut begun = BTreeMap::new();
    let labels = function.lines().filter_map(|line| line.strip_suffix(':'));
    labels.for_each(|label| *begun.entry(label).or_default() += 1);
    begun
}

#[test]
fn every_shader_has_a_text() {
    let mut all = Vec::new();
    containers(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut all);
    assert!(all.len() > 250, "{} shaders", all.len());
    for path in all {
        let name = path.display();
        let text = disassemble(&std::fs::read(&path).unwrap()).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(text.contains("\ndefine "), "{name}");
        assert!(!text.contains("unimplemented"), "{name}: {text}");
        for function in text.split("\ndefine ").skip(1) {
            let begun = blocks(function);
            assert!(begun.values().all(|times| *times == 1), "{name}: {begun:?}");
            for (_, behind) in function.match_indices("label %").map(|(at, label)| function.split_at(at + label.len()))
            {
                let end = behind.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(behind.len());
                assert!(begun.contains_key(&behind[..end]), "{name}: no block {}", &behind[..end]);
            }
        }
    }
}

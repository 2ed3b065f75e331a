//! Which calls are draws, dispatches, copies and the rest is said once, in `operation`: no other source of the workspace lists the methods.

#![allow(clippy::unwrap_used, missing_docs)]

use reprise_d3d12::{MODEL, operation};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// So many names of operations in a file are a list.
const LIST: usize = 3;

/// Files and folders that name methods for another reason than to tell what they are.
const OTHERS: [(&str, &str); 19] = [
    ("d3d12/src/operation.rs", "the statement"),
    ("d3d12/src/breadcrumb.rs", "the numbers of DRED's histories"),
    ("d3d12/src/generated", "the model"),
    ("timeline/src/state/lists/action.rs", "where a draw's arguments are"),
    ("timeline/src/state/lists/effects.rs", "what each method leaves set"),
    ("timeline/src/index/contents/named.rs", "which arguments name objects"),
    ("lint/src/record.rs", "what each method reads and writes, by argument"),
    ("trim/src/restore/samples.rs", "calls that trimming makes"),
    ("edit/src/contents.rs", "where a copy's arguments are"),
    ("edit/src/limits.rs", "which arguments have limits"),
    ("replay/src/call/decision.rs", "how each method is played"),
    ("replay/src/memory/commands.rs", "where a copy's arguments are"),
    ("replay/src/control.rs", "which arguments a control changes"),
    ("replay/src/timing/bytes.rs", "which arguments say how many bytes are written"),
    ("replay/src/stead.rs", "what stands for an argument that is not there"),
    ("query/src/table/view.rs", "which arguments are columns"),
    ("runtime/src", "where each method is implemented"),
    ("programs/src", "programs that call them"),
    ("windows-programs/src", "programs that call them"),
];

fn names() -> BTreeSet<&'static str> {
    MODEL.methods.iter().filter(|method| operation::is_operation(method)).map(|method| method.name).collect()
}

/// The operations that a source names by words alone. A name beside its interface or its parameters is looked up in the model.
fn named(source: &str) -> BTreeSet<&'static str> {
    let looked_up = ["argument!(", "method(", "list!(", "call!(", "number!(", "groups!("];
    let body = source.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = body
        .lines()
        .filter(|line| !looked_up.iter().any(|by| line.contains(by)) && !line.trim_start().starts_with("//"));
    let text: String = lines.collect::<Vec<_>>().join("\n");
    names().into_iter().filter(|name| text.contains(&format!("\"{name}\""))).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        let name = entry.file_name().unwrap().to_str().unwrap_or_default();
        match entry.is_dir() {
            true if !matches!(name, "tests" | "target" | "benches" | "examples") => sources(&entry, found),
            false if name.ends_with(".rs") && name != "tests.rs" => found.push(entry),
            _ => {}
        }
    }
}

#[test]
fn no_other_source_lists_methods_by_what_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    ["crates", "edge"].iter().for_each(|folder| sources(&root.join(folder), &mut all));
    assert!(all.len() > 500, "{}", all.len());
    for path in all {
        let found = named(&std::fs::read_to_string(&path).unwrap());
        if found.len() < LIST {
            continue;
        }
        let exception = OTHERS.iter().find(|(of, _)| path.to_str().unwrap().contains(&format!("/{of}")));
        assert!(exception.is_some(), "{} lists {found:?}: ask d3d12::operation", path.display());
    }
}

#[test]
fn a_list_is_found() {
    let list = r#"const DRAWS: [&str; 3] = ["DrawInstanced", "DispatchMesh",
        "ExecuteIndirect"];"#;
    assert_eq!(named(list).len(), 3);
    assert_eq!(named(r#"argument!("ID3D12GraphicsCommandList", "DrawInstanced", "InstanceCount")"#).len(), 0);
}

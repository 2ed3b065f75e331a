//! `cargo xtask modules [CRATE]...`: circular imports between the modules of a crate.
//!
//! Each folder is judged by itself: its modules are nodes, a module stands for everything below it, and an import between
//! two of them is an edge. A name that a folder re-exports counts as an import of the module that defines it. A
//! module's own file and the modules below it are one room: imports between them are not counted. Test modules are
//! left out.
//!
//! Invariant: fails when a circle is found that [`ALLOWED`] does not name, and when `ALLOWED` names one that is gone.

mod circle;
mod source;

use anyhow::{Context, Result, bail, ensure};
use reprise_testing::artifact;
use source::Tree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Circles that stay: the crate, the modules of the circle in alphabetic order, and why.
const ALLOWED: &[(&str, &[&str], &str)] = &[
    (
        "codec",
        &["codec", "decode", "encode", "outputs", "rule", "schema", "shape", "translate", "unwrap"],
        "one description of the wire form: the walks are methods of `Codec`, and each asks it what a pointer leads to",
    ),
    (
        "d3d12",
        &["build", "generated", "lookup", "plain"],
        "the generated tables are put together by constant functions, which find names in these tables",
    ),
    (
        "programs",
        &[
            "acceleration",
            "arguments",
            "buffer",
            "descriptor",
            "draw",
            "graphics",
            "list",
            "pipeline",
            "program",
            "queue",
            "sampler",
            "signature",
            "stage",
            "state_object",
            "swap_chain",
            "target",
            "texture",
        ],
        "fixtures of test programs: a list copies buffers, and a list fills a buffer when it is made",
    ),
    ("programs", &["com", "runtime"], "a pointer knows its runtime's convention, and the runtime takes words of calls"),
];

/// A circle: the crate and the paths of the modules in it.
type Circle = (String, Vec<String>);

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let crates = crates()?;
    for name in arguments {
        ensure!(
            crates.contains_key(name),
            "no crate {name}: {}",
            crates.keys().cloned().collect::<Vec<_>>().join(", ")
        );
    }
    let wanted = |name: &String| arguments.is_empty() || arguments.contains(name);
    let mut found = BTreeMap::new();
    for (name, folder) in crates.iter().filter(|(name, _)| wanted(name)) {
        let tree = Tree::read(&folder.join("src")).with_context(|| format!("crate {name}"))?;
        let before = found.len();
        for (circle, imports) in circle::find(&tree) {
            found.insert((name.clone(), circle), imports);
        }
        println!("modules: {name}: {} files, {} circles", tree.files(), found.len() - before);
    }
    let allowed: BTreeSet<Circle> = ALLOWED
        .iter()
        .filter(|(name, ..)| wanted(&(*name).to_owned()))
        .map(|(name, modules, _)| ((*name).to_owned(), modules.iter().map(|m| (*m).to_owned()).collect()))
        .collect();
    let new: Vec<_> = found.iter().filter(|(circle, _)| !allowed.contains(circle)).collect();
    for ((name, modules), imports) in &new {
        println!("modules: {name}: circle of {}: {}", modules.len(), modules.join(", "));
        imports.iter().for_each(|line| println!("  {line}"));
    }
    let gone: Vec<_> = allowed.iter().filter(|circle| !found.contains_key(*circle)).collect();
    for (name, modules) in &gone {
        println!("modules: {name}: no circle any more, take it off the list: {}", modules.join(", "));
    }
    if new.is_empty() && gone.is_empty() {
        return Ok(());
    }
    bail!("{} circles that are not allowed, {} allowed ones that are gone", new.len(), gone.len())
}

/// The workspace's crates with sources, by the name of their folder.
fn crates() -> Result<BTreeMap<String, PathBuf>> {
    let root = artifact::workspace();
    let mut crates = BTreeMap::new();
    let listed = std::fs::read_dir(root.join("crates")).context("cannot list the crates")?;
    let folders = listed.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    for folder in folders.into_iter().chain(["benches", "xtask"].map(|name| root.join(name))) {
        if has_root(&folder)
            && let Some(name) = folder.file_name().and_then(|name| name.to_str())
        {
            crates.insert(name.to_owned(), folder);
        }
    }
    Ok(crates)
}

fn has_root(folder: &Path) -> bool {
    ["src/lib.rs", "src/main.rs"].iter().any(|file| folder.join(file).is_file())
}

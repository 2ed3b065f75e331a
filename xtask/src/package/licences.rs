//! The licences of all that is linked into a program, as their authors ask for.

use super::{cargo, output};
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// One text: each crate with its version and licence, then each text with the crates that it is of.
pub(super) fn text(manifest: &str) -> Result<String> {
    let mut ask = cargo::command();
    ask.args([
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        TARGET,
        "--manifest-path",
        manifest,
    ]);
    let metadata: Value = serde_json::from_str(&output(&mut ask)?).context("cargo metadata")?;
    let packages: HashMap<&str, &Value> =
        list(&metadata["packages"]).filter_map(|one| Some((one["id"].as_str()?, one))).collect();
    let mut listed = BTreeSet::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for id in linked(&metadata).context("cargo metadata has no tree")? {
        // Ours have the licence of the whole.
        let Some(package) = packages.get(id.as_str()).filter(|package| !package["source"].is_null()) else { continue };
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {}", field("name"), field("version"));
        listed.insert(format!("{name}  {}", field("license")));
        let Some(folder) = Path::new(field("manifest_path")).parent() else { continue };
        for text in files(folder)? {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let mut text = String::from("Libraries that are linked into this program, and their licences.\n\n");
    for line in listed {
        let _ = writeln!(text, "{line}");
    }
    for (licence, of) in texts {
        let of: Vec<String> = of.into_iter().collect();
        let _ = write!(text, "\n{}\n{}:\n\n{}\n", "-".repeat(72), of.join(", "), licence.trim_end());
    }
    Ok(text)
}

/// The packages that the root needs as it runs: not those that only build it or test it.
fn linked(metadata: &Value) -> Option<BTreeSet<String>> {
    let nodes: HashMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let mut found = BTreeSet::new();
    let mut left = vec![metadata["resolve"]["root"].as_str()?.to_owned()];
    while let Some(id) = left.pop() {
        if !found.insert(id.clone()) {
            continue;
        }
        for dependency in list(&nodes.get(id.as_str())?["deps"]) {
            let runs = list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
            if let (true, Some(id)) = (runs, dependency["pkg"].as_str()) {
                left.push(id.to_owned());
            }
        }
    }
    Some(found)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The texts of a crate's licences, and of libraries in other languages that it brings along in folders of its own.
fn files(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            texts.extend(files(&entry.path())?);
            continue;
        }
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_licence =
            ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|begin| name.starts_with(begin));
        if is_licence && entry.file_type()?.is_file() {
            texts.push(String::from_utf8_lossy(&fs::read(entry.path())?).into_owned());
        }
    }
    Ok(texts)
}

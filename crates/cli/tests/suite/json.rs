//! docs/json.md, held against what the commands print: each field is there, and each that is there is printed.

use crate::bench::Bench;
use reprise_testing::artifact;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// A section of the page, and the command that it is about, with a trace of gears.
const COMMANDS: &[(&str, &[&str])] = &[
    ("info", &["info", "--json", "gears.reprise"]),
    ("dump", &["dump", "--json", "--methods", "Draw*", "gears.reprise"]),
    ("state", &["state", "--json", "--no-index", "gears.reprise", "CALL"]),
    ("stat", &["stat", "--json", "gears.reprise"]),
    ("lint", &["lint", "--json", "wrong.reprise"]),
    ("extract", &["extract", "--json", "-o", "shaders", "gears.reprise"]),
    ("replay", &["replay", "--json", "gears.reprise"]),
    ("verify", &["verify", "--json", "--runtime", "ours", "gears.reprise"]),
    ("verify --pictures", &["verify", "--json", "--pictures", "shots", "gears.reprise"]),
    ("verify --against", &["verify", "--json", "--against", "ours", "gears.reprise"]),
    ("thumbnails", &["thumbnails", "--json", "gears.reprise"]),
    ("draws", &["draws", "--json", "--frame", "2", "gears.reprise"]),
    ("overdraw", &["overdraw", "--json", "--frame", "2", "gears.reprise"]),
    ("time", &["time", "--json", "--runs", "1", "gears.reprise"]),
    ("time --what-if", &["time", "--json", "--what-if=draws,blending", "--runs", "1", "gears.reprise"]),
    ("pixel", &["pixel", "--json", "--frame", "2", "--at", "150,150", "gears.reprise"]),
    ("mesh", &["mesh", "--json", "--call", "93", "gears.reprise"]),
    ("diff", &["diff", "--json", "gears.reprise", "wrong.reprise"]),
    ("diff --replay", &["diff", "--replay", "--json", "gears.reprise"]),
    ("diagnose", &["diagnose", "--json", "gears.reprise"]),
    ("trim", &["trim", "--json", "--frames", "2", "-o", "part.reprise", "gears.reprise"]),
    ("repair", &["repair", "--json", "-o", "whole.reprise", "gears.reprise"]),
    ("suite list", &["suite", "list", "--json", "suite"]),
    ("gpus", &["gpus", "--json"]),
    ("features", &["features", "--json"]),
];

/// The fields of a section, with their types in words.
fn documented(page: &str, command: &str) -> BTreeMap<String, String> {
    let title = format!("## `reprise {command}`\n");
    let section = page.split_once(&title).unwrap_or_else(|| panic!("docs/json.md lacks {title}")).1;
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| row.split_once("` | ").unwrap())
        .map(|(field, rest)| (field.to_owned(), rest.split(" |").next().unwrap().to_owned()))
        .collect()
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "flag",
        Json::Number(_) => "number",
        Json::String(_) => "text",
        Json::Array(_) => "list",
        Json::Object(_) => "object",
    }
}

#[test]
fn the_page_says_what_the_commands_print() {
    let page = std::fs::read_to_string(artifact::workspace().join("docs/json.md")).unwrap();
    let golden =
        |name: &str| artifact::workspace().join("crates/cli/tests/golden/v3").join(name).with_extension("reprise");
    let bench = Bench::new();
    std::fs::copy(golden("gears"), bench.path("gears.reprise")).unwrap();
    let mut command = bench.command();
    command.args(["capture", "-o", "wrong.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args(["--wrong", "state-before", "--library"]).arg(artifact::runtime_library().unwrap());
    reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    bench.output(&["suite", "add", "suite", "gears.reprise"]);
    bench.output(&["replay", "--screenshot-all", "--screenshot-dir", "shots", "gears.reprise"]);
    let first = bench.output(&["dump", "--json", "--methods", "Draw*", "gears.reprise"]);
    let first: Json = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    let call = first["call"].to_string();
    let mut wrong = Vec::new();
    for (section, words) in COMMANDS {
        let words: Vec<&str> = words.iter().map(|word| if *word == "CALL" { call.as_str() } else { word }).collect();
        let said = bench.run(&words);
        let printed = said.text();
        // An object stands on one line.
        let first = printed.lines().next().unwrap_or_default();
        let Ok(Json::Object(printed)) = serde_json::from_str(first) else {
            wrong.push(format!("{section}: no object: {printed}{}", said.errors()));
            continue;
        };
        let documented = documented(&page, section);
        for (field, value) in &printed {
            match documented.get(field) {
                Some(types) if types.split(" or ").any(|one| one == kind(value)) => {}
                Some(types) => wrong.push(format!("{section}: {field} is {}, not {types}", kind(value))),
                None => wrong.push(format!("{section}: {field} ({}) is not in docs/json.md", kind(value))),
            }
        }
        for (field, types) in &documented {
            if !types.contains("absent") && !printed.contains_key(field) {
                wrong.push(format!("{section}: {field} is not printed"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

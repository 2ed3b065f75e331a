//! A run of a vertex or a pixel as JSON, and as lines for people.

use super::Store;
use super::outputs::{Compared, Output, Verdict};
use super::told::{self, Run, operation, text};
use reprise_interpreter::Module;
use serde_json::{Value as Json, json};

/// Numbers that are listed in text.
const SOME: usize = 12;

/// All of a run; `about`: what was run.
pub(crate) fn json(run: &Run<'_>, store: &mut Store<'_>, about: Json, compared: Option<&Compared>) -> Json {
    let mut told = run.json(store, None);
    if let (Json::Object(told), Json::Object(about)) = (&mut told, about) {
        for of_groups in ["groups", "threads_of_group", "thread", "group", "lane", "wave", "groups_run"] {
            told.remove(of_groups);
        }
        told.extend(about);
    }
    told["shader"]["stage"] = match run.module.stage().as_str() {
        "Vertex" => json!("vertex"),
        _ => json!("pixel"),
    };
    let output = |output: &Output| {
        json!({
            "name": output.name,
            "expected": output.expected,
            "found": output.found,
            "verdict": match output.verdict {
                Verdict::Equal => "equal",
                Verdict::Open => "open",
                Verdict::Differs => "differs",
            },
            "tolerance": output.tolerance,
            "unbounded": output.tolerance.is_some_and(f64::is_infinite),
            "open": run.open(output.open),
        })
    };
    told["check"] = compared.map_or(Json::Null, |compared| {
        json!({
            "equal": (!compared.is_empty()).then(|| !compared.is_wrong()),
            "left_out": compared.left_out,
            "outputs": compared.outputs.iter().map(output).collect::<Vec<_>>(),
            "unseen": compared.unseen,
            "notes": compared.notes,
        })
    });
    told
}

/// Whether a step writes what counts: an output, or a resource.
pub(crate) fn is_output(module: &Module, step: &Json) -> bool {
    match step["write"]["variable"].as_str() {
        Some(name) => module
            .outputs()
            .iter()
            .any(|output| name.strip_prefix(output).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))),
        None => true,
    }
}

/// What a JSON object of [`json`] says, in lines.
pub(crate) fn lines(told: &Json, listed: (usize, usize), is_listed: impl Fn(&Json) -> bool) -> Vec<String> {
    let what = match (&told["vertex"], &told["pixel"]) {
        (Json::Null, pixel) => {
            let part = |name: &str, member: &Json| match member {
                Json::Null => String::new(),
                member => format!(", {name} {}", text(member)),
            };
            format!(
                "pixel {},{}{}{}{}{}",
                pixel[0],
                pixel[1],
                part("view", &told["view"]),
                part("sample", &told["sample"]),
                part("primitive", &told["primitive"]),
                part("instance", &told["instance"])
            )
        }
        (vertex, _) => {
            let view = told["view"].as_u64().map_or_else(String::new, |view| format!(", view {view}"));
            format!("vertex {vertex}, instance {}{view}", told["instance"])
        }
    };
    let mut lines = vec![
        format!("call {}: {what}", told["call"]),
        format!(
            "  {} shader {}, run by call {}",
            text(&told["shader"]["stage"]),
            text(&told["shader"]["hash"]),
            told["submission"]
        ),
    ];
    for note in told["notes"].as_array().into_iter().flatten() {
        lines.push(format!("  {}", text(note)));
    }
    if told["discarded"] == true {
        lines.push("  the fragment is discarded: what it gives does not show".to_owned());
    }
    told::listing(told, listed, is_listed, &mut lines);
    check(&told["check"], &mut lines);
    lines
}

fn check(check: &Json, lines: &mut Vec<String>) {
    if check.is_null() {
        lines.push("not compared with the GPU".to_owned());
        return;
    }
    let all = check["outputs"].as_array().map_or(&[][..], Vec::as_slice);
    let of = |verdict: &str| all.iter().filter(|output| output["verdict"] == verdict).count();
    let (open, differ) = (of("open"), of("differs"));
    let unseen = check["unseen"].as_array().map_or(&[][..], Vec::as_slice);
    let result = match (differ, open) {
        (0, 0) if all.is_empty() => "nothing was compared with the GPU".to_owned(),
        (0, 0) => "equal to what the GPU gave".to_owned(),
        (0, open) => format!("{open} differ from what the GPU gave, where the API leaves the result open"),
        (differ, _) => format!("{differ} differ from what the GPU gave"),
    };
    lines.push(format!("{} numbers compared: {result}", all.len()));
    for output in all.iter().filter(|output| output["verdict"] != "equal").take(SOME) {
        let why = match (&output["open"], output["tolerance"].as_f64()) {
            (Json::Null, _) => String::new(),
            (open, None) if output["unbounded"] == true => format!(", open: {}, not bounded", operation(open)),
            (open, None) => format!(", open: {}", operation(open)),
            (open, Some(tolerance)) => format!(", open: {}, by {tolerance:.1e} at most", operation(open)),
        };
        lines.push(format!(
            "  {}: interpreter {}, GPU {}{why}",
            text(&output["name"]),
            text(&output["expected"]),
            text(&output["found"])
        ));
    }
    for note in check["notes"].as_array().into_iter().flatten() {
        lines.push(format!("  {}", text(note)));
    }
    for unseen in unseen {
        lines.push(format!("  not compared: {}", text(unseen)));
    }
}

//! A run of a vertex or a pixel as JSON, and as lines for people.

use super::Store;
use super::outputs::Compared;
use super::outputs_told;
use super::told::{self, Run, text};
use super::{emitted, emitted_told};
use reprise_dxbc::signature::Element;
use reprise_interpreter::Module;
use serde_json::{Value as Json, json};

/// All of a run, with the rows of what the shader gives; `about`: what was run.
pub(crate) fn json(
    (run, rows): (&Run<'_>, &[Element]),
    store: &mut Store<'_>,
    about: Json,
    compared: Option<&Compared>,
) -> Json {
    let mut told = run.json(store, None);
    if let (Json::Object(told), Json::Object(about)) = (&mut told, about) {
        for of_groups in ["groups", "threads_of_group", "thread", "group", "lane", "wave", "groups_run"] {
            told.remove(of_groups);
        }
        told.extend(about);
    }
    told["shader"]["stage"] = match run.module.stage().as_str() {
        "Vertex" => json!("vertex"),
        "TessellationControl" => json!("hull"),
        "TessellationEvaluation" => json!("domain"),
        "Geometry" => json!("geometry"),
        _ => json!("pixel"),
    };
    for (step, told) in run.ran.steps.iter().zip(told["steps"].as_array_mut().into_iter().flatten()) {
        if let Some(emitted) = &step.emitted {
            told["emits"] = emitted::json((rows, run.module), emitted, run.opens);
        }
    }
    told["check"] = compared.map_or(Json::Null, |compared| {
        json!({
            "equal": (!compared.is_empty()).then(|| !compared.is_wrong()),
            "left_out": compared.left_out,
            "outputs": compared.outputs.iter().map(|it| outputs_told::json(run, it)).collect::<Vec<_>>(),
            "unseen": compared.unseen,
            "notes": compared.notes,
        })
    });
    told
}

/// Whether a step emits, or writes what counts: an output, or a resource.
pub(crate) fn is_output(module: &Module, step: &Json) -> bool {
    if step["emits"].is_object() {
        return true;
    }
    if !step["write"].is_object() {
        return false;
    }
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
    let part = |name: &str, member: &Json| match member {
        Json::Null => String::new(),
        member => format!(", {name} {}", text(member)),
    };
    let what = match (&told["vertex"], &told["pixel"]) {
        (Json::Null, Json::Null) => format!(
            "primitive {}{}{}{}{}{}",
            told["primitive"],
            part("instance", &told["instance"]),
            part("instance of the shader", &told["gs_instance"]),
            part("point", &told["point"]),
            place(&told["location"]),
            part("view", &told["view"])
        ),
        (Json::Null, pixel) => {
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
    emitted_told::lines(&told["emitted"], &mut lines);
    gives(&told["gives"], &mut lines);
    check(&told["check"], &mut lines);
    lines
}

/// A place in a patch.
fn place(location: &Json) -> String {
    match location {
        Json::Array(parts) => format!(" at {}", parts.iter().map(text).collect::<Vec<_>>().join(",")),
        _ => String::new(),
    }
}

/// What a hull shader gives.
fn gives(gives: &Json, lines: &mut Vec<String>) {
    for (name, value) in gives.as_object().into_iter().flatten() {
        let parts: Vec<String> = value.as_array().into_iter().flatten().map(text).collect();
        lines.push(format!("  gives {name} ({})", parts.join(", ")));
    }
}

fn check(check: &Json, lines: &mut Vec<String>) {
    if check.is_null() {
        lines.push("not compared with the GPU".to_owned());
        return;
    }
    outputs_told::lines(check, lines);
    for note in check["notes"].as_array().into_iter().flatten() {
        lines.push(format!("  {}", text(note)));
    }
    for unseen in check["unseen"].as_array().into_iter().flatten() {
        lines.push(format!("  not compared: {}", text(unseen)));
    }
}

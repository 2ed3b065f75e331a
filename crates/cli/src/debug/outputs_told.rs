//! Numbers that were compared with the GPU's as JSON, and as lines for people.

use super::outputs::{Output, Verdict};
use super::told::{Run, operation, text};
use serde_json::{Value as Json, json};

/// Numbers that are listed in text.
const SOME: usize = 12;

/// A number that was compared.
pub(super) fn json(run: &Run<'_>, output: &Output) -> Json {
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
}

/// Numbers that were compared.
pub(super) fn lines(check: &Json, lines: &mut Vec<String>) {
    let all = check["outputs"].as_array().map_or(&[][..], Vec::as_slice);
    let of = |verdict: &str| all.iter().filter(|output| output["verdict"] == verdict).count();
    let (open, differ) = (of("open"), of("differs"));
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
}

//! What a run of `reprise debug` came to.

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What `reprise debug` says of a draw that gives no colours.
const NO_PIXELS: &str = "its pipeline has no pixel shader";

/// The verdict on a run of a shader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// Bit for bit, or within the conversion to the target's format.
    Equal,
    /// It differs where the API leaves the result open, by these operations.
    Open(BTreeSet<String>),
    /// It differs, and nothing explains that.
    Different(String),
    /// It is not run, or nothing of it is compared.
    Refused(String),
    /// There is no such vertex or fragment.
    Absent,
}

/// A run of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ran {
    /// The shaders that ran, by their hashes; of libraries with their names. None where that is not told.
    pub(super) shaders: Vec<String>,
    pub(super) verdict: Verdict,
    /// Operations that are open in the shader, whether or not the result differs.
    pub(super) opens: bool,
}

impl Ran {
    /// Of the exit code, and of what was printed.
    pub(super) fn of(code: Option<i32>, timed_out: bool, text: &str, errors: &str) -> Ran {
        let told: Value = serde_json::from_str(text).unwrap_or(Value::Null);
        let called = told["shaders"].as_array().into_iter().flatten();
        let called = called.map(|it| format!("{} {}", self::text(&it["library"]), self::text(&it["name"])));
        let shaders = told["shader"]["hash"].as_str().map(str::to_owned).into_iter().chain(called).collect();
        let opens = told["open"].as_array().is_some_and(|all| !all.is_empty());
        let verdict = match code {
            _ if timed_out => Verdict::Refused("it takes too long".to_owned()),
            Some(0 | 1 | 4) if told["check"].is_object() => of_check(&told["check"]),
            Some(2) => Verdict::Absent,
            Some(1 | 3) => match reason(errors) {
                // There is no shader to run.
                reason if reason == NO_PIXELS => Verdict::Absent,
                reason => Verdict::Refused(reason),
            },
            other => Verdict::Different(format!("reprise ended with {other:?}: {}", reason(errors))),
        };
        Ran { shaders, verdict, opens }
    }

    /// As a file keeps it.
    pub(super) fn json(&self) -> Value {
        let (word, why) = match &self.verdict {
            Verdict::Equal => ("equal", Value::Null),
            Verdict::Open(names) => ("open", json!(names)),
            Verdict::Different(what) => ("different", json!(what)),
            Verdict::Refused(why) => ("refused", json!(why)),
            Verdict::Absent => ("absent", Value::Null),
        };
        json!({ "shaders": self.shaders, "verdict": word, "why": why, "opens": self.opens })
    }

    /// What a file kept; `None`: it is of another form.
    pub(super) fn of_json(value: &Value) -> Option<Ran> {
        let texts = |value: &Value| -> Option<Vec<String>> {
            value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
        };
        let why = || value["why"].as_str().map(str::to_owned);
        let verdict = match value["verdict"].as_str()? {
            "equal" => Verdict::Equal,
            "open" => Verdict::Open(texts(&value["why"])?.into_iter().collect()),
            "different" => Verdict::Different(why()?),
            "refused" => Verdict::Refused(why()?),
            "absent" => Verdict::Absent,
            _ => return None,
        };
        Some(Ran { shaders: texts(&value["shaders"])?, verdict, opens: value["opens"].as_bool()? })
    }
}

fn of_check(check: &Value) -> Verdict {
    let list = |member: &str| check[member].as_array().map_or(&[][..], Vec::as_slice);
    let (outputs, words) = (list("outputs"), list("differences"));
    let output = outputs
        .iter()
        .find(|it| it["verdict"] == "differs")
        .map(|it| format!("{}: interpreter {}, GPU {}", text(&it["name"]), text(&it["expected"]), text(&it["found"])));
    let word = words.iter().find(|it| it["open"].is_null() || it["beyond"] == true).map(|it| {
        format!(
            "resource {} + {}: interpreter {}, GPU {}{}",
            it["resource"],
            it["offset"],
            text(&it["expected"]),
            text(&it["found"]),
            it["open"]["operation"].as_str().map(|what| format!(", beyond {what}")).unwrap_or_default()
        )
    });
    if let Some(what) = output.or(word) {
        return Verdict::Different(what);
    }
    if let Some(unseen) = list("unseen").first() {
        let what = unseen["error"].as_str().or(unseen.as_str()).unwrap_or_default();
        return Verdict::Refused(format!("not compared: {}", numberless(what)));
    }
    if check["left_out"] == true {
        return Verdict::Refused("not compared: a predicate left the call out".to_owned());
    }
    if let (true, [why, ..]) = (check["equal"].is_null(), list("notes")) {
        return Verdict::Refused(numberless(&text(why)));
    }
    if check["equal"].is_null() {
        return Verdict::Refused("not compared: the shader writes nothing that is bound".to_owned());
    }
    let open = outputs.iter().filter(|it| it["verdict"] == "open").chain(words);
    let open: BTreeSet<String> = open.map(|it| text(&it["open"]["operation"])).collect();
    if open.is_empty() { Verdict::Equal } else { Verdict::Open(open) }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Why, as the last line says: without what is of one call only.
fn reason(errors: &str) -> String {
    let line = errors.lines().rfind(|line| line.starts_with("reprise: ")).or(errors.lines().last()).unwrap_or_default();
    // The trace's name, the call, and the instruction behind them.
    let line = line.trim_start_matches("reprise: ");
    let line = line.split_once(".reprise: ").map_or(line, |(_, rest)| rest);
    let line = line.split_once("SPIR-V module: ").map_or(line, |(_, rest)| rest);
    let line = match line.split_once(": ") {
        Some((first, rest)) if first.starts_with("call ") => rest,
        _ => line,
    };
    let line = line.split_once(": %").map_or(line, |(reason, _)| reason);
    numberless(line)
}

/// Numbers differ from one trace to the next; those in names do not.
fn numberless(text: &str) -> String {
    let mut result = String::new();
    let mut word = false;
    for letter in text.chars() {
        let is_number = letter.is_ascii_digit() && !word;
        match (is_number, result.ends_with('N')) {
            (true, true) => {}
            (true, false) => result.push('N'),
            (false, _) => result.push(letter),
        }
        word = letter.is_ascii_alphabetic() || letter == '_' || word && letter.is_ascii_digit();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(code: i32, text: &str, errors: &str) -> Verdict {
        Ran::of(Some(code), false, text, errors).verdict
    }

    #[test]
    fn runs_are_told_apart() {
        let of = |check: &str| verdict(0, &format!(r#"{{"shader":{{"hash":"a"}},"check":{check}}}"#), "");
        assert_eq!(of(r#"{"equal":true,"outputs":[{"verdict":"equal"}],"unseen":[]}"#), Verdict::Equal);
        let open = Verdict::Open(["Sin: its last bits".to_owned()].into());
        let output = |verdict: &str| {
            format!(r#"{{"verdict":"{verdict}","name":"X","open":{{"operation":"Sin: its last bits","word":3}}}}"#)
        };
        assert_eq!(of(&format!(r#"{{"equal":true,"outputs":[{}]}}"#, output("open"))), open);
        let found = of(&format!(r#"{{"equal":false,"outputs":[{},{}]}}"#, output("open"), output("differs")));
        assert!(matches!(found, Verdict::Different(_)), "{found:?}");
        let word =
            |beyond| format!(r#"{{"open":{{"operation":"Sin: its last bits"}},"beyond":{beyond},"resource":1}}"#);
        assert_eq!(of(&format!(r#"{{"equal":true,"differences":[{}]}}"#, word(false))), open);
        assert!(matches!(of(&format!(r#"{{"equal":false,"differences":[{}]}}"#, word(true))), Verdict::Different(_)));
        assert!(matches!(of(r#"{"equal":false,"differences":[{"open":null}]}"#), Verdict::Different(_)));
        // What compares nothing is not equal.
        assert!(matches!(of(r#"{"equal":null,"outputs":[],"unseen":["nothing"]}"#), Verdict::Refused(_)));
        let noted = of(r#"{"equal":null,"outputs":[],"differences":[],"unseen":[],"notes":["not compared: a query"]}"#);
        assert_eq!(noted, Verdict::Refused("not compared: a query".to_owned()));
        assert!(matches!(of(r#"{"equal":null,"differences":[]}"#), Verdict::Refused(_)));
        assert!(matches!(of(r#"{"equal":false,"outputs":[{"verdict":"equal"}],"unseen":["x"]}"#), Verdict::Refused(_)));
        assert_eq!(verdict(2, "", "reprise: no vertex"), Verdict::Absent);
        assert!(matches!(verdict(101, "", "panicked"), Verdict::Different(_)));
    }

    #[test]
    fn reasons_are_the_same_in_all_traces() {
        let reason = |errors| match verdict(1, "", errors) {
            Verdict::Refused(reason) => reason,
            other => format!("{other:?}"),
        };
        let one = "reprise: a/b.reprise: call 12: its pipeline has no mesh shader";
        assert_eq!(reason(one), "its pipeline has no mesh shader");
        let none = "reprise: a/b.reprise: call 12: its pipeline has no pixel shader";
        assert_eq!(verdict(1, "", none), Verdict::Absent);
        let other =
            "note\nreprise: call 7: word 650 of the SPIR-V module: unsupported: a ray query: %5 = OpRayQuery %3";
        assert_eq!(reason(other), "unsupported: a ray query");
        assert_eq!(reason("reprise: resource 12: gone in level 3 of D3D12"), "resource N: gone in level N of D3D12");
    }
}

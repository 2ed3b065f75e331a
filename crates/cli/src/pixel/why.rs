//! Why a draw changes a pixel or does not: what its tests left of the fragments that come there.

use crate::shown::number::plain;
use crate::terminal::output::plural;
use reprise_codec::json::hex;
use reprise_picture::Texels;
use reprise_replay::{DrawTests, Fragment, PixelTest};
use serde_json::{Value as Json, json};

/// Adds two things to an event: how many fragments each test took, and the outcome. The outcome is the test that took the last fragment; where
/// fragments pass all tests, it is what they did to the value.
pub(crate) fn put(event: &mut Json, tests: &Result<DrawTests, String>) {
    let tests = match tests {
        Ok(tests) => tests,
        Err(reason) => {
            event["tests"] = json!({ "not_tested": reason });
            event["why"] = format!("not tested: {reason}").into();
            return;
        }
    };
    let changed = event["changed"].as_bool();
    let left: Vec<Json> =
        tests.left.iter().map(|(test, count)| json!({ "test": test.name(), "left": count })).collect();
    let outcome = outcome(tests, changed);
    event["tests"] = json!({
        "outcome": outcome,
        "fragments": first(tests),
        "passed": last(tests),
        "front": tests.faces.map(|faces| faces.0),
        "back": tests.faces.map(|faces| faces.1),
        "left": left,
        "shown": tests.fragments.iter().map(|it| fragment(it, tests.output_format)).collect::<Vec<_>>(),
        "notes": tests.notes,
    });
    event["why"] = in_words(tests, outcome).into();
}

/// A fragment by itself.
fn fragment(it: &Fragment, format: u32) -> Json {
    let output = it.output.as_ref().map(|bytes| {
        let texels = Texels::new(format, 0, (1, 1), bytes.clone()).ok();
        let values = texels.and_then(|texels| {
            let there = texels.layout().channels();
            let values = texels.at(0, 0)?.into_iter().zip(there).filter_map(|(value, there)| there.then_some(value));
            Some(values.map(plain).collect::<Vec<Json>>())
        });
        json!({ "values": values, "bytes": hex(bytes) })
    });
    json!({
        "primitive": it.primitive,
        "instance": it.instance,
        "front": it.front,
        "depth": it.depth.map(|depth| plain(f64::from(depth))),
        "output": output,
    })
}

fn first(tests: &DrawTests) -> u64 {
    tests.left.first().map_or(0, |(_, count)| *count)
}

fn last(tests: &DrawTests) -> u64 {
    tests.left.last().map_or(0, |(_, count)| *count)
}

fn outcome(tests: &DrawTests, changed: Option<bool>) -> &'static str {
    if first(tests) == 0 {
        return if tests.is_outside { "viewport" } else { "not_covered" };
    }
    if let Some((test, _)) = tests.left.iter().find(|(_, count)| *count == 0) {
        return test.name();
    }
    match (tests.masked, changed) {
        (true, _) => "write_mask",
        (false, Some(false)) => "same_value",
        (false, Some(true)) => "written",
        (false, None) => "passed",
    }
}

/// How many each test took.
fn lost(tests: &DrawTests) -> Vec<(PixelTest, u64)> {
    let pairs = tests.left.windows(2);
    let lost = pairs.map(|pair| (pair[1].0, pair[0].1.saturating_sub(pair[1].1)));
    lost.filter(|(_, count)| *count > 0).collect()
}

fn in_words(tests: &DrawTests, outcome: &str) -> String {
    let all = first(tests);
    let mut words = match outcome {
        "viewport" => return "the pixel lies outside of the viewport".into(),
        "not_covered" => return "no primitive covers the pixel".into(),
        _ => plural(all, "fragment"),
    };
    if let Some((front, back)) = tests.faces {
        let faces = match (front, back) {
            (_, 0) => ", front".to_owned(),
            (0, _) => ", back".to_owned(),
            (front, back) => format!(", {front} front and {back} back"),
        };
        words.push_str(&faces);
    }
    for (test, count) in lost(tests) {
        let by = match test {
            PixelTest::Coverage => "coverage",
            PixelTest::Scissor => "lost to the scissor",
            PixelTest::Cull => "culled",
            PixelTest::DepthClip => "clipped at the near or far plane",
            PixelTest::SampleMask => "lost to the sample mask",
            PixelTest::Discard => "discarded by the pixel shader",
            PixelTest::DepthBounds => "outside of the depth bounds",
            PixelTest::Stencil => "failing the stencil test",
            PixelTest::Depth => "failing the depth test",
            PixelTest::Predicate => "left out by the predicate",
        };
        words.push_str(&format!("; {count} {by}"));
    }
    let passed = last(tests);
    if passed > 0 {
        words.push_str(&format!("; {passed} passed"));
    }
    match outcome {
        "write_mask" => words.push_str(", and the write mask takes nothing"),
        "same_value" => words.push_str(", and left the value as it was"),
        _ => {}
    }
    for note in &tests.notes {
        words.push_str("; ");
        words.push_str(note);
    }
    words
}

//! `replay --check-nan`: which call wrote NaN or infinity first, and where. The calls are counted in the dump, the elements are those that the
//! programs (`reprise-programs --wrong nan-…`) choose.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::artifact;
use serde_json::{Value as Json, json};

/// What `replay --check-nan` ends with where it found something.
const FOUND: i32 = 5;

fn captured(arguments: &[&str]) -> Bench {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-q", "-o", "trace.reprise", "--"]).arg(artifact::programs().unwrap());
    command.args(arguments).arg("--library").arg(programs::ours());
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(finished.status.success(), "{arguments:?}: {}\n{}", finished.status, finished.errors());
    bench
}

/// The calls of a method, in their order.
fn calls(bench: &Bench, name: &str) -> Vec<u64> {
    let lines = bench.output(&["dump", "--json", "trace.reprise"]);
    let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let named = lines.filter(|line| line["method"].as_str().is_some_and(|method| method.ends_with(name)));
    named.map(|line| line["call"].as_u64().unwrap()).collect()
}

/// What is found, in the order in which it is told.
fn check(bench: &Bench, option: &str) -> Vec<Json> {
    let finished = bench.run(&["replay", "--json", option, "trace.reprise"]);
    let mut report: Json = serde_json::from_str(&finished.text()).unwrap();
    let Json::Array(findings) = report["findings"].take() else { panic!("{report}") };
    let code = if findings.is_empty() { 0 } else { FOUND };
    assert_eq!(finished.status.code(), Some(code), "{}{}", finished.text(), finished.errors());
    assert_eq!(report["left_out"], json!({}));
    findings
}

/// Kind, calls, place and number of elements.
fn places(findings: &[Json]) -> Vec<Json> {
    let place = |it: &Json| json!([it["what"], it["call"], it["last_call"], it["place"], it["elements"]]);
    findings.iter().map(place).collect()
}

fn texel(x: u32, y: u32) -> Json {
    json!({ "subresource": 0, "x": x, "y": y, "z": 0 })
}

#[test]
fn the_first_draw_and_pixel_are_named() {
    let bench = captured(&["--wrong", "nan-targets"]);
    // The first four are of the list before: two of another target, and two of one pixel.
    let draws = calls(&bench, "::DrawInstanced");
    assert_eq!(draws.len(), 44);
    let (hidden, nan, infinity) = (draws[2], draws[4 + 22], draws[4 + 29]);
    let findings = check(&bench, "--check-nan");
    let expected = [json!(["nan", nan, nan, texel(5, 6), 4]), json!(["infinity", infinity, infinity, texel(7, 9), 3])];
    assert_eq!(places(&findings), expected);
    for found in &findings {
        assert_eq!(found["resource"]["name"], "light");
        assert_eq!(
            (&found["format"], &found["method"]),
            (&json!(10), &json!("ID3D12GraphicsCommandList::DrawInstanced"))
        );
        let stages: Vec<&Json> = found["shaders"].as_array().unwrap().iter().map(|shader| &shader["stage"]).collect();
        assert_eq!(stages, ["VS", "PS"]);
    }
    assert_eq!(findings[0]["values"], json!([23.0, "NaN", -1.0, 1.0]));
    assert_eq!(findings[1]["values"], json!([30.0, 65504.0, "inf", 1.0]));
    // What a later draw covers is seen where each draw is looked at.
    let all = places(&check(&bench, "--check-nan=all"));
    assert_eq!(all, [json!(["nan", hidden, hidden, texel(20, 20), 1]), expected[1].clone()]);

    let text = bench.run(&["replay", "--check-nan", "trace.reprise"]).text();
    assert!(text.contains(&format!("call {nan} ID3D12GraphicsCommandList::DrawInstanced")), "{text}");
    assert!(text.contains("\"light\", subresource 0, pixel (5, 6) = (23, NaN, -1, 1)"), "{text}");
}

#[test]
fn the_first_dispatch_and_element_are_named() {
    let bench = captured(&["--wrong", "nan-views"]);
    let dispatches = calls(&bench, "::Dispatch");
    let (nan, infinity) = (dispatches[2], dispatches[3]);
    let mut found: Vec<String> = check(&bench, "--check-nan")
        .iter()
        .map(|it| json!([it["resource"]["name"], it["what"], it["call"], it["place"], it["elements"]]).to_string())
        .collect();
    found.sort();
    let mut expected = [
        json!(["numbers", "nan", nan, { "offset": 16 + 4 * 37 }, 1]),
        json!(["numbers", "infinity", infinity, { "offset": 16 + 4 * 11 }, 1]),
        json!(["picture", "nan", nan, texel(37 % 8, 37 / 8), 1]),
        json!(["picture", "infinity", infinity, texel(11 % 8, 11 / 8), 1]),
    ]
    .map(|it| it.to_string());
    expected.sort();
    assert_eq!(found, expected);
}

/// The draws of a pass are looked at one by one; nothing can stand between those of a bundle.
#[test]
fn draws_of_passes_are_told_one_by_one_and_bundles_as_a_whole() {
    let bench = captured(&["--wrong", "nan-pass"]);
    let draws = calls(&bench, "::DrawInstanced");
    assert_eq!(places(&check(&bench, "--check-nan")), [json!(["nan", draws[3], draws[3], texel(2, 3), 1])]);
    let bench = captured(&["--wrong", "nan-bundle"]);
    let draws = calls(&bench, "::DrawInstanced");
    assert_eq!(places(&check(&bench, "--check-nan")), [json!(["infinity", draws[0], draws[1], texel(9, 8), 16])]);
}

/// The twins upload, copy and clear to NaN and infinity, and have it drawn beside.
#[test]
fn correct_twins_and_programs_have_no_finding() {
    for fault in ["nan-targets", "nan-views", "nan-pass", "nan-bundle"] {
        let bench = captured(&["--wrong", fault, "--right"]);
        for option in ["--check-nan", "--check-nan=all"] {
            assert_eq!(check(&bench, option), [] as [Json; 0], "{fault}");
        }
    }
    for name in ["uavs", "typed-loads", "resolves", "passes", "bundles", "blending"] {
        let bench = captured(&[name, "--shaders", "dxil"]);
        assert_eq!(check(&bench, "--check-nan"), [] as [Json; 0], "{name}");
    }
}

#[test]
fn what_is_not_played_whole_is_not_checked() {
    let bench = Bench::new();
    for other in ["--check", "--diagnose", "--window"] {
        assert_eq!(bench.run(&["replay", "--check-nan", other, "trace.reprise"]).status.code(), Some(2), "{other}");
    }
}

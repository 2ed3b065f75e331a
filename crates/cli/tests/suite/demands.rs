//! Traces of programs that ask for more than this device has: they play with what there is, and the replay says so.
//!
//! The null runtime grants everything, so a program captured on it has a device of the highest level and shares what it makes.

use crate::bench::Bench;
use crate::programs;
use crate::state::capture_on_null;
use reprise_testing::artifact;
use serde_json::{Value as Json, json};
use xxhash_rust::xxh3::Xxh3;

/// The calls of `trace.reprise`.
fn calls(bench: &Bench) -> Vec<Json> {
    bench.output(&["dump", "--json", "trace.reprise"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The hash that the programs print of these bytes.
fn digest(bytes: &[u8]) -> String {
    let mut state = Xxh3::new();
    state.update(&(bytes.len() as u64).to_le_bytes());
    state.update(bytes);
    format!("{:032x}", state.digest128())
}

#[test]
fn what_a_replay_does_not_need_refuses_nothing() {
    let bench = Bench::new();
    capture_on_null(&bench, "demands");
    let calls = calls(&bench);
    let last =
        |name: &str| calls.iter().rfind(|call| call["method"].as_str().unwrap_or_default().ends_with(name)).unwrap();
    let submission = &last("::ExecuteCommandLists")["call"];
    let readback = &last("::CopyTextureRegion")["args"]["pDst"]["pResource"]["id"];
    let dump = format!("{readback}@{submission}");
    let arguments = ["replay", "--json", "--dump-resource", &dump, "--dump-resources-dir", "out", "trace.reprise"];
    let report: Json = serde_json::from_str(&bench.output(&arguments)).unwrap();

    // The copied bytes are those that the program demands of a runtime that copies.
    let file = report["dumped"][0]["files"][0].as_str().unwrap();
    let bytes = std::fs::read(bench.path(file)).unwrap();
    assert_eq!(digest(&bytes), programs::expected("demands"), "{report}");

    let asked = report["asked_for_less"].as_array().unwrap();
    let found = |method: &str, field: &str| {
        let found = asked.iter().filter(|one| one["method"] == method && one["field"] == field);
        found.map(|one| json!([one["asked"], one["given"], one["count"]])).collect::<Vec<_>>()
    };
    let device = &found("D3D12CreateDevice", "MinimumFeatureLevel")[0];
    assert_eq!((&device[0], &device[2]), (&json!("D3D_FEATURE_LEVEL_12_2"), &json!(1)));
    let given = device[1].as_str().unwrap();
    assert!(given.starts_with("D3D_FEATURE_LEVEL_1") && given < "D3D_FEATURE_LEVEL_12_2", "{given}");
    // Our runtime takes flags of sharing like all others (a handle is what it refuses), so there is no other fallback.
    assert_eq!(asked.len(), 1, "{asked:?}");
    let text = bench.output(&["replay", "trace.reprise"]);
    let line = format!("D3D12CreateDevice: MinimumFeatureLevel {given} instead of D3D_FEATURE_LEVEL_12_2");
    assert!(text.lines().any(|said| said.starts_with("  fallback: call ") && said.ends_with(&line)), "{text}");
    // A runtime that grants everything needs no fallback.
    let null = artifact::null_sysv_library().unwrap();
    let text = bench.output(&["replay", "trace.reprise", "--runtime", &null.to_string_lossy()]);
    assert!(!text.contains("fallback"), "{text}");
}

/// What really needs the higher level is made where the device has it. On a device without it, it ends the replay at its call, and the
/// error says what the device lacks.
#[test]
fn what_needs_the_level_fails_by_name() {
    let bench = Bench::new();
    capture_on_null(&bench, "demands-rays");
    let calls = calls(&bench);
    let rays = calls.iter().find(|call| call["method"] == "ID3D12Device5::CreateStateObject").unwrap();
    let tier = bench.output(&["features", "ours"]);
    let tier = tier.lines().find(|line| line.contains("D3D12_OPTIONS5.RaytracingTier")).unwrap();
    let replay = bench.run(&["replay", "trace.reprise"]);
    assert_eq!(replay.status.success(), !tier.ends_with("NOT_SUPPORTED"), "{tier}: {}", replay.errors());
    if replay.status.success() {
        // Ray tracing alone does not make the level: less is asked for where the device has less.
        let highest = bench.output(&["features", "ours"]);
        let highest = highest.lines().find(|line| line.contains("FEATURE_LEVELS.MaxSupportedFeatureLevel")).unwrap();
        let less = replay.text().contains("instead of D3D_FEATURE_LEVEL_12_2");
        assert_eq!(less, !highest.contains("12_2"), "{highest}: {}", replay.text());
    }

    // A device without ray tracing, because its shaders are of an older model. The library heeds this variable, the program does not.
    let library = artifact::runtime_library().unwrap();
    let lesser = |arguments: &[&str]| {
        let mut command = bench.command();
        command.args(arguments).arg("--runtime").arg(&library).env("VKD3D_SHADER_MODEL", "6_2");
        reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap()
    };
    let replay = lesser(&["replay", "trace.reprise"]);
    assert_eq!(replay.status.code(), Some(1), "{}", replay.text());
    let place = format!("call {} (frame {}), ID3D12Device5::CreateStateObject", rays["call"], rays["frame"]);
    for part in
        [&place, "E_NOTIMPL", "The program's device had D3D_FEATURE_LEVEL_12_2, this one has D3D_FEATURE_LEVEL_1"]
    {
        assert!(replay.errors().contains(part), "{part}: {}", replay.errors());
    }
    // A check names the call, too, and goes on: the rest can be made.
    let check = lesser(&["replay", "--check", "trace.reprise"]);
    assert!(check.text().contains("1 call cannot be made here") && check.text().contains(&place), "{}", check.text());
}

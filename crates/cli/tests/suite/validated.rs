//! `replay --validate`: what Vulkan's layer says of a program that does what the API forbids, and of one that does not.

use crate::bench::{Bench, PATIENCE};
use crate::programs;
use reprise_testing::{Finished, missing, require};
use serde_json::{Value as Json, json};

/// Vulkan's rule that the program `overlaps` breaks once.
const RULE: &str = "VUID-vkCmdCopyBuffer-pRegions-00117";

/// Replays `trace.reprise` under validation, with these arguments, too.
fn replay(bench: &Bench, arguments: &[&str]) -> Finished {
    bench.run(&[&["replay", "--validate", "trace.reprise"], arguments].concat())
}

fn counts(finished: &Finished) -> Json {
    serde_json::from_str::<Json>(&finished.text()).unwrap()["validation"].clone()
}

#[test]
fn an_error_of_the_layer_is_exit_code_4() {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let bench = Bench::new();
    programs::capture(&bench, "overlaps", &programs::ours());

    let wrong = replay(&bench, &[]);
    assert_eq!(wrong.status.code(), Some(4), "{}", wrong.errors());
    assert!(wrong.errors().contains(&format!("validation error: {RULE}")), "{}", wrong.errors());
    assert!(wrong.text().contains("Vulkan's validation: 1 error, 0 warnings\n"), "{}", wrong.text());
    assert!(
        wrong.text().contains("256 bytes that the program saw the GPU write"),
        "played to the end: {}",
        wrong.text()
    );
    let quiet = replay(&bench, &["--quiet"]);
    assert_eq!((quiet.status.code(), quiet.text().as_str()), (Some(4), ""), "{}", quiet.errors());
    let told = replay(&bench, &["--json"]);
    assert_eq!(told.status.code(), Some(4), "{}", told.errors());
    assert_eq!(counts(&told), json!({ "errors": 1, "warnings": 0, "left_out": 0 }));

    // Left out by a part of its id, and by asking for others only.
    for (choice, ids, code) in [
        ("--denied-messages", "SYNC-HAZARD,vkCmdCopyBuffer-pRegions", 0),
        ("--denied-messages", "SYNC-HAZARD", 4),
        ("--allowed-messages", "SYNC-HAZARD", 0),
        ("--allowed-messages", "00117", 4),
    ] {
        let chosen = replay(&bench, &["--json", choice, ids]);
        let errors = u64::from(code == 4);
        assert_eq!(chosen.status.code(), Some(code), "{choice} {ids}: {}", chosen.errors());
        assert_eq!(counts(&chosen), json!({ "errors": errors, "warnings": 0, "left_out": 1 - errors }));
        assert_eq!(chosen.errors().contains(RULE), code == 4, "{choice} {ids}: {}", chosen.errors());
    }
    let said = replay(&bench, &["--denied-messages", RULE]);
    assert!(said.text().contains("Vulkan's validation: 0 errors, 0 warnings, 1 left out\n"), "{}", said.text());

    // Not asked, the layer says nothing.
    let unasked = bench.run(&["replay", "--json", "trace.reprise"]);
    assert_eq!((unasked.status.code(), counts(&unasked)), (Some(0), Json::Null), "{}", unasked.errors());
    assert_eq!(unasked.errors(), "");
}

#[test]
fn a_program_that_keeps_the_rules_is_exit_code_0() {
    if require(missing::validation_layer()).is_none() {
        return;
    }
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let right = replay(&bench, &["--json"]);
    assert_eq!(right.status.code(), Some(0), "{}", right.errors());
    assert_eq!(counts(&right), json!({ "errors": 0, "warnings": 0, "left_out": 0 }));
}

#[test]
fn a_layer_that_is_not_installed_is_named() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let mut command = bench.command();
    // Where the loader looks for layers in place of where they are installed.
    command.env("VK_LAYER_PATH", bench.path("no-layers")).args(["replay", "--validate", "trace.reprise"]);
    let finished = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert_eq!((finished.status.code(), finished.text().as_str()), (Some(2), ""), "{}", finished.errors());
    assert!(finished.errors().contains("install vulkan-validationlayers"), "{}", finished.errors());
}

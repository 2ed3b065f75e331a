//! What mesh shaders give: the page has what `reprise mesh` writes.

use crate::page::{Page, lines, programs, traced};
use serde_json::json;

#[test]
#[ignore = "replays: run with --include-ignored"]
fn what_a_mesh_shader_gives_is_behind_it() {
    let folder = tempfile::tempdir().unwrap();
    let trace = traced(folder.path(), "mesh");
    let trace_name = trace.to_str().unwrap();
    let calls = lines(&["dump", "--json", "--methods", "DispatchMesh", trace_name]);
    // The first stands in a bundle.
    let Some(call) = calls.get(1).map(|call| call["call"].clone()) else {
        println!("SKIPPED: the device has no mesh shaders");
        return;
    };
    let page = Page::with(&["--replay", trace_name], &programs());
    let behind = page.job(&json!({ "kind": "mesh", "call": call, "stage": "vertex" }));
    assert_eq!(behind["state"], "done", "{behind}");
    let behind = &behind["result"];
    let raw = folder.path().join("raw.bin");
    let said = &lines(&["mesh", "--json", "--call", &call.to_string(), "--raw", raw.to_str().unwrap(), trace_name])[0];
    assert_eq!((&behind["behind"], &behind["vertices"]), (&json!("mesh"), &said["vertices"]));
    assert_eq!(behind["topology"], "D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST");
    // No instances are spoken of, which mesh shaders do not have.
    assert_eq!(behind["notes"], said["notes"]);
    let file = behind["file"].as_str().unwrap();
    let bytes = page.asked(&format!("/{}/{file}", page.token), "").body;
    assert!(!bytes.is_empty() && bytes == std::fs::read(&raw).unwrap());
}

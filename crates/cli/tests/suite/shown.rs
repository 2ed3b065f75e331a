//! `reprise show`, against what the captured programs read back themselves.

use crate::bench::Bench;
use crate::programs;
use serde_json::{Value as Json, json};

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The program copies its target to a buffer when it has drawn. What the last draw left in the target is what the buffer has, and what
/// earlier draws left is something else. One replay shows all of it.
#[test]
fn a_target_is_what_the_program_reads_back() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    let calls = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let called = |name: &str| {
        let name = name.to_owned();
        calls.iter().filter(move |call| call["method"].as_str().is_some_and(|method| method.ends_with(&name)))
    };
    let copy = called("::CopyTextureRegion").next().unwrap();
    let at = copy["call"].as_u64().unwrap();
    let id = |end: &str| copy["args"][end]["pResource"]["id"].as_u64().unwrap();
    let submission = called("::ExecuteCommandLists").find(|call| call["call"].as_u64() > Some(at)).unwrap();
    let draws: Vec<u64> =
        called("::DrawInstanced").map(|call| call["call"].as_u64().unwrap()).filter(|it| *it < at).collect();
    let clear = called("::ClearRenderTargetView").next().unwrap()["call"].as_u64().unwrap();
    let depth = called("::ClearDepthStencilView").next().unwrap()["call"].as_u64().unwrap();
    let (first, last) = (draws[0], draws[draws.len() - 1]);
    let wishes = [
        json!({ "id": "last", "call": last, "target": 0, "raw": "last.bin", "pixels": [[20, 30]] }),
        json!({ "id": "buffer", "call": submission["call"], "buffer": id("pDst"), "bytes": "0-65535", "output": "read.bin" }),
        json!({ "id": "before", "call": first, "before": true, "target": 0, "raw": "before.bin" }),
        json!({ "id": "clear", "call": clear, "target": 0, "raw": "clear.bin" }),
        json!({ "id": "middle", "call": draws[draws.len() / 2], "resource": id("pSrc"), "raw": "middle.bin", "output": "middle.dds" }),
        json!({ "id": "depth", "call": depth, "depth": true, "output": "depth.exr" }),
        json!({ "id": "stencil", "call": depth, "stencil": true, "output": "stencil.png" }),
        json!({ "id": "none", "call": last, "target": 5 }),
        json!({ "id": "gone", "call": last, "resource": 4000 }),
        json!({ "id": "level", "call": last, "resource": id("pSrc"), "mip": 3 }),
    ];
    let batch: String = wishes.iter().map(|wish| format!("{wish}\n")).collect();
    std::fs::write(bench.path("batch"), batch).unwrap();
    let finished = bench.run(&["show", "--batch", "batch", "--json", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "some cannot be shown: {}", finished.errors());
    let answers = lines(&finished.text());
    assert_eq!(answers.len(), wishes.len());
    let answer = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    let read = |name: &str| std::fs::read(bench.path(name)).unwrap();
    let shown = read("last.bin");
    assert_eq!(shown.len(), 64 * 64 * 16);
    assert!(shown == read("read.bin"), "the target is not what the program read back: {}", answer("last"));
    let texel = shown[(30 * 64 + 20) * 16..][..16].as_chunks::<4>().0.iter();
    let texel: Vec<u32> = texel.map(|word| u32::from_le_bytes(*word)).collect();
    assert_eq!(answer("last")["pixels"], json!([{ "x": 20, "y": 30, "values": texel }]));
    assert_eq!(answer("last")["submission"], submission["call"]);
    assert!(read("before.bin").iter().all(|byte| *byte == 0) && read("clear.bin") == read("before.bin"));
    assert!(read("middle.bin") != read("before.bin") && read("middle.bin") != shown);
    assert!(read("middle.dds")[148..] == read("middle.bin"));
    // The program clears depth to 0.75 and stencil to 5.
    assert_eq!((&answer("depth")["minimum"], &answer("depth")["maximum"]), (&json!([0.75]), &json!([0.75])));
    assert_eq!((&answer("stencil")["minimum"], &answer("stencil")["maximum"]), (&json!([5]), &json!([5])));
    for (id, what) in [("none", "no target 5 is bound"), ("gone", "4000"), ("level", "no mip 3")] {
        assert!(answer(id)["error"].as_str().unwrap().contains(what), "{}", answer(id));
    }
    assert!(bench.path("depth.exr").exists() && bench.path("stencil.png").exists());
}

/// Nothing made up is a crash or goes unsaid.
#[test]
fn what_cannot_be_shown_is_said() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let said = |arguments: &[&str]| {
        let finished = bench.run(&[&["show", "trace.reprise"], arguments].concat());
        (finished.status.code(), finished.errors())
    };
    for (arguments, code, what) in [
        (&["--call", "99999", "--target", "0"][..], 1, "no such call"),
        (&["--call", "2", "--target", "0"], 1, "none of a list"),
        (&["--call", "2"], 2, "say what to show"),
        (&["--call", "2", "--target", "0", "--range", "0-9"], 2, "--buffer"),
        (&["--call", "2", "--target", "0", "--target", "1", "-o", "x.png"], 2, "folder"),
        (&["--call", "2", "--buffer", "4294967295"], 1, "4294967295"),
        (&["--call", "2", "--target", "0", "-o", "trace.reprise"], 2, "the trace that is read"),
    ] {
        let (ended, errors) = said(arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(what), "{arguments:?}: {errors}");
    }
}

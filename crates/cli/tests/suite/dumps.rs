//! `replay --dump-resource` and `--dump-draw`, against what the captured program read back itself.

use crate::bench::Bench;
use crate::programs;
use serde_json::Value as Json;

/// A texture that the program copies to a buffer: dumped before that copy it holds what the buffer holds after it.
#[test]
fn a_dump_is_what_the_program_reads_back() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    let calls = bench.output(&["dump", "--json", "trace.reprise"]);
    let calls: Vec<Json> = calls.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let called = |name: &str| {
        let name = name.to_owned();
        calls.iter().filter(move |call| call["method"].as_str().is_some_and(|method| method.ends_with(&name)))
    };
    let copy = called("::CopyTextureRegion").next().unwrap();
    let id = |end: &str| copy["args"][end]["pResource"]["id"].as_u64().unwrap();
    assert_eq!(copy["args"]["pDst"]["PlacedFootprint"]["Footprint"]["RowPitch"], 64 * 16, "rows without gaps");
    let at = copy["call"].as_u64().unwrap();
    let submission = called("::ExecuteCommandLists").find(|call| call["call"].as_u64() > Some(at)).unwrap();
    let submission = submission["call"].as_u64().unwrap();
    let draw = called("::DrawInstanced").rfind(|call| call["call"].as_u64() < Some(at)).unwrap();
    let draw = draw["call"].as_u64().unwrap();
    let (texture, buffer) = (format!("{}@{at}", id("pSrc")), format!("{}@{submission}", id("pDst")));
    let draw_text = draw.to_string();
    let arguments = ["replay", "--dump-resource", &texture, "--dump-resource", &buffer, "--dump-draw", &draw_text];
    bench.output(&[&arguments[..], &["--dump-resources-dir", "out", "trace.reprise"]].concat());
    let read = |name: String| std::fs::read(bench.path("out").join(name)).unwrap();
    let dds = read(format!("call{at:08}_after_res{}.dds", id("pSrc")));
    let bin = read(format!("call{submission:08}_after_res{}.bin", id("pDst")));
    let pixels = &dds[148..];
    assert_eq!(pixels.len(), 64 * 64 * 16);
    assert!(pixels == &bin[..pixels.len()], "the texture and its copy differ");
    assert!(pixels.iter().any(|&byte| byte != 0));
    let target = read(format!("call{draw:08}_after_target0_res{}.dds", id("pSrc")));
    assert!(target == dds, "the last draw's target is not what was copied");
    let depth = "_after_depth_";
    assert!(
        std::fs::read_dir(bench.path("out")).unwrap().any(|file| file
            .unwrap()
            .file_name()
            .to_string_lossy()
            .contains(depth))
    );

    // What cannot be dumped is said, and the exit code says it to scripts.
    let finished = bench.run(&["replay", "-q", "--dump-resource", "6@99999", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1));
    assert!(finished.errors().contains("no such call"), "{}", finished.errors());
    let finished = bench.run(&["replay", "--dump-resource", "six", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(2));
}

/// The compute program's shader has b0 as a root descriptor, t0 to t2 and u0 to u3 in tables: those, and nothing else.
#[test]
fn what_tables_name_is_dumped() {
    let bench = Bench::new();
    programs::capture(&bench, "compute", &programs::ours());
    let call = bench.output(&["dump", "--json", "--methods", "Dispatch", "trace.reprise"]);
    let call: Json = serde_json::from_str(call.lines().next().unwrap()).unwrap();
    let call = call["call"].to_string();
    bench.output(&["replay", "--dump-draw", &call, "--dump-resources-dir", "out", "trace.reprise"]);
    let files = std::fs::read_dir(bench.path("out")).unwrap().map(|file| file.unwrap().path());
    let mut found: Vec<(String, bool)> = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "bin")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let role = name.split('_').nth(2).unwrap().to_owned();
        found.push((role, std::fs::read(path).unwrap().iter().any(|&byte| byte != 0)));
    }
    found.sort();
    let expected = ["rootcbv0", "t0", "t1", "t2", "u0", "u1", "u2", "u3"].map(|role| (role.to_owned(), true));
    assert_eq!(found, expected, "the dispatch reads and writes all of them");
}

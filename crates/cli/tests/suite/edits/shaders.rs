//! Shaders in the place of others.

use super::*;

#[test]
fn a_replaced_shader_runs_in_its_place() {
    // Both forms of a description: `targets` has structures, `pipelines` streams.
    let targets = Targets::new();
    let lines = &targets.lines;
    let scene = Scene::of(lines);
    let pipeline = lines.iter().find(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let id = pipeline["args"]["ppPipelineState"]["id"].as_u64().unwrap();
    // It writes the same colour to the first target, and a colour only where all channels are.
    let other = format!("shader of {id} PS = \"{}\"", shader("rectangle.many.dxil"));
    let original = format!("shader of {id} PS = \"{}\"", shader("rectangle.many.dxbc"));
    assert_eq!(targets.picture(&[&other], 0), scene.picture(), "the same shader in another form");
    there_and_back(&targets.bench, &[&other], &[&original], [0, 0, 1]);
    // A shader that writes bits of integers, which a target of floats takes for none of the colours.
    let none = format!("shader of {id} PS = \"{}\"", shader("rectangle.nothing.dxbc"));
    let mut without = scene.clone();
    without.draws.remove(0);
    assert_eq!(targets.picture(&[&none], 0), without.picture(), "a shader that writes no colour");
    there_and_back(&targets.bench, &[&none], &[&original], [0, 0, 1]);

    // What a driver kept of the pipeline has the old shader in it: it goes with it.
    let (bench, number) = (&targets.bench, pipeline["call"].as_u64().unwrap());
    std::fs::write(bench.path("kept.bin"), [7; 300]).unwrap();
    let kept = format!("call {number}: pDesc.CachedPSO.pCachedBlob = file \"kept.bin\"");
    edit(bench, "trace.reprise", &[&kept], "kept.reprise");
    let cached = |trace: &str| {
        let lines = dump(bench, trace);
        let cached = &call(&lines, number)["args"]["pDesc"]["CachedPSO"];
        (cached["pCachedBlob"]["bytes"].clone(), cached["CachedBlobSizeInBytes"].clone())
    };
    assert_eq!(cached("kept.reprise"), (300.into(), 300.into()));
    edit(bench, "kept.reprise", &[&none], "edited.reprise");
    assert_eq!(cached("edited.reprise"), (Json::Null, 0.into()));

    let bench = Bench::new();
    capture(&bench, "--shaders dxil mesh");
    let lines = dump(&bench, "trace.reprise");
    let made = call(&lines, calls(&lines, "CreatePipelineState")[0]);
    let id = made["args"]["ppPipelineState"]["id"].as_u64().unwrap();
    let stages = made["args"]["pDesc"]["pPipelineStateSubobjectStream"].as_array().unwrap();
    assert!(stages.iter().any(|it| it["Type"] == "D3D12_PIPELINE_STATE_SUBOBJECT_TYPE_MS"), "{made}");
    let none = format!("shader of {id} PS = \"{}\"", shader("rectangle.nothing.dxil"));
    let original = format!("shader of {id} PS = \"{}\"", shader("mesh.pixel.dxil"));
    there_and_back(&bench, &[&none], &[&original], [0, 0, 1]);
    let different = |edits: &[&str]| {
        let mut arguments = vec!["replay", "--json"];
        edits.iter().for_each(|edit| arguments.extend(["-e", edit]));
        arguments.push("trace.reprise");
        let played = bench.output(&arguments);
        let played: Json = serde_json::from_str(&played[played.find('{').unwrap()..]).unwrap();
        assert_eq!(played["failures"].as_array().map_or(0, Vec::len), 0, "{played}");
        played["different_bytes"].as_u64().unwrap()
    };
    assert_eq!(different(&[]), 0);
    assert!(different(&[&none]) > 0, "a pixel shader that writes nothing shows in what is read back");
}

#[test]
fn a_shader_is_meant_by_its_hash_wherever_it_is() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let bytes = std::fs::read(shader("rectangle.many.dxbc")).unwrap();
    let hash = format!("{:032x}", reprise_trace::read::content_hash(&bytes));
    let with = |file: &str| format!("shader {hash} = \"{}\"", shader(file));
    // All four pipelines have it.
    edit(bench, "trace.reprise", &[&with("rectangle.nothing.dxbc")], "edited.reprise");
    let nothing = std::fs::read(shader("rectangle.nothing.dxbc")).unwrap();
    let back =
        format!("shader {:032x} = \"{}\"", reprise_trace::read::content_hash(&nothing), shader("rectangle.many.dxbc"));
    let mut without = Scene::of(lines);
    without.draws.clear();
    assert_eq!(targets.picture(&[&with("rectangle.nothing.dxbc")], 0), without.picture());
    there_and_back(bench, &[&with("rectangle.nothing.dxbc")], &[&back], [0, 0, 4]);
}

/// A stand-in for the compiler that writes down how it was called, and gives a shader that was compiled before.
#[cfg(unix)]
#[test]
fn hlsl_is_compiled_where_there_is_a_compiler() {
    use std::os::unix::fs::PermissionsExt;
    let targets = Targets::new();
    let bench = &targets.bench;
    let made = targets.lines.iter().find(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let id = &made["args"]["ppPipelineState"]["id"];
    std::fs::write(bench.path("red.hlsl"), "not looked at").unwrap();
    let edit = format!("shader of {id} PS = \"red.hlsl\" entry many");
    let run = |library: &str| {
        let mut command = bench.command();
        command.args(["edit", "--force", "-o", "edited.reprise", "-e", &edit, "trace.reprise"]);
        command.env("REPRISE_DXCOMPILER", bench.path(library)).env("PATH", "");
        reprise_testing::run(&mut command, PATIENCE).unwrap()
    };
    let none = run("libdxcompiler.so");
    assert_eq!(none.status.code(), Some(1), "{}", none.errors());
    assert!(none.errors().contains("its compiler dxc cannot be run"), "{}", none.errors());
    let compiler = |script: String| {
        std::fs::write(bench.path("dxc"), script).unwrap();
        std::fs::set_permissions(bench.path("dxc"), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let shader = shader("rectangle.nothing.dxil");
    compiler(format!("#!/bin/sh\necho \"$*\" > called.txt\n/bin/cat '{shader}' > \"$7\"\n"));
    let compiled = run("libdxcompiler.so");
    assert!(compiled.status.success(), "{}", compiled.errors());
    let called = std::fs::read_to_string(bench.path("called.txt")).unwrap();
    assert!(called.starts_with("-nologo -T ps_6_0 -E many -Fo ") && called.trim().ends_with("red.hlsl"), "{called}");
    assert_eq!(diff(bench, "edited.reprise"), [0, 0, 1]);

    // One function of all four pipelines is compiled once.
    let many = std::fs::read(self::shader("rectangle.many.dxbc")).unwrap();
    let hash = reprise_trace::read::content_hash(&many);
    compiler(format!("#!/bin/sh\necho \"$*\" >> calls.txt\n/bin/cat '{shader}' > \"$7\"\n"));
    let mut command = bench.command();
    let edit_all = format!("shader {hash:032x} = \"red.hlsl\"");
    command.args(["edit", "--force", "-o", "edited.reprise", "-e", &edit_all, "trace.reprise"]);
    command.env("REPRISE_DXCOMPILER", bench.path("libdxcompiler.so")).env("PATH", "");
    let compiled = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(compiled.status.success(), "{}", compiled.errors());
    assert_eq!(diff(bench, "edited.reprise"), [0, 0, 4]);
    assert_eq!(std::fs::read_to_string(bench.path("calls.txt")).unwrap().lines().count(), 1);

    compiler("#!/bin/sh\necho 'red.hlsl:1:1: error: unknown type name' >&2\nexit 3\n".to_owned());
    let refused = run("libdxcompiler.so");
    assert_eq!(refused.status.code(), Some(1), "{}", refused.errors());
    assert!(refused.errors().contains("unknown type name"), "{}", refused.errors());
}

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
        // What a view does not take is refused, and not passed over.
        (&["--call", "2", "--buffer", "1", "--histogram"], 2, "--histogram is nothing for --buffer"),
        (&["--call", "2", "--buffer", "1", "--range", "fit"], 2, "--range fit is nothing for --buffer"),
        (&["--call", "2", "--target", "0", "--mip", "1"], 2, "--mip is nothing for --target: a bound view has a level"),
        (&["--call", "2", "--target", "0", "--plane", "1"], 2, "name the texture by --resource ID"),
        (&["--call", "2", "--overlay", "clipping", "--range", "fit"], 2, "say one by --range LOW,HIGH"),
        (&["--call", "2", "--target", "0", "--range", "FIT"], 2, "fit or fit-each in small letters"),
        (&["--batch", "x.jsonl", "--mip", "1"], 2, "as \"mip\""),
        // A submission is of a list.
        (&["--call", "2", "--resource", "1", "--submission", "3"], 1, "no resource"),
    ] {
        let (ended, errors) = said(arguments);
        assert_eq!(ended, Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(what), "{arguments:?}: {errors}");
    }
}

#[test]
fn what_is_wrong_with_a_submission_a_heap_or_a_bundle_is_said() {
    let bench = Bench::new();
    let captured = |program: &str| {
        _ = std::fs::remove_file(bench.path("trace.reprise"));
        programs::capture(&bench, program, &programs::ours());
        lines(&bench.output(&["dump", "--json", "trace.reprise"]))
    };
    let named = |calls: &[Json], end: &str| -> Vec<u64> {
        let is = |call: &&Json| call["method"].as_str().is_some_and(|name| name.ends_with(end));
        calls.iter().filter(is).map(|call| call["call"].as_u64().unwrap()).collect()
    };
    let failed = |arguments: &[&str], says: &str| {
        let finished = bench.run(&[&["show", "trace.reprise"], arguments].concat());
        assert_eq!(finished.status.code(), Some(1), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains(says), "{arguments:?}: {}", finished.errors());
    };
    let calls = captured("bundles");
    let bundle = named(&calls, "::ExecuteBundle")[0].to_string();
    failed(&["--call", &bundle, "--overlay", "draw"], "ExecuteBundle runs a bundle");
    let draw = named(&calls, "::DrawInstanced")[0].to_string();
    let submission = named(&calls, "::ExecuteCommandLists")[0];
    let set = named(&calls, "::OMSetRenderTargets")[0].to_string();
    let says = format!("call {draw} does not submit its command list: call");
    failed(&["--call", &set, "--target", "0", "--submission", &draw, "-o", "x.png"], &says);
    // A target is bound, and of its view nothing is known.
    let views = named(&calls, "::CreateRenderTargetView");
    let at = named(&calls, "::OMSetRenderTargets")[0];
    let at = (at - views.iter().filter(|view| **view < at).count() as u64).to_string();
    let without = ["--call", &at, "--target", "0", "-e", "every CreateRenderTargetView: drop", "-o", "x.png"];
    failed(&without, "target 0 is bound by a handle at which the trace has no view");
    let overlay = ["--overlay", "nan", "--call", &at, "-e", "every CreateRenderTargetView: drop"];
    failed(&overlay, "target 0 is bound by a handle at which the trace has no view");
    let texture = named(&calls, "::CreateCommittedResource")[0];
    let made = calls.iter().find(|call| call["call"] == texture).unwrap();
    let id = made["args"]["ppvResource"]["id"].to_string();
    let (at, one) = (submission.to_string(), "1");
    failed(
        &["--call", &at, "--resource", &id, "--submission", one, "-o", "x.png"],
        "the call is none of one: it is shown once, without --submission",
    );

    let calls = captured("tiles");
    let heap = named(&calls, "::CreateHeap")[0];
    let made = calls.iter().find(|call| call["call"] == heap).unwrap();
    let id = made["args"]["ppvHeap"]["id"].to_string();
    let at = (heap + 1).to_string();
    failed(&["--call", &at, "--resource", &id, "-o", "x.png"], "and no resource: name a texture or a buffer");
}

/// A resolve is the mean of the samples: the GPU's own, of all four samples that are shown one by one.
#[test]
fn samples_are_shown_one_by_one() {
    let bench = Bench::new();
    programs::capture(&bench, "samples", &programs::ours());
    let calls = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let resolve =
        calls.iter().find(|call| call["method"].as_str().is_some_and(|it| it.ends_with("::ResolveSubresource")));
    let resolve = resolve.unwrap();
    let at = resolve["call"].to_string();
    let id = |end: &str| resolve["args"][end]["id"].to_string();
    let raw = |resource: &str, sample: &str, side: &[&str]| {
        let arguments =
            ["show", "trace.reprise", "--call", &at, "--resource", resource, "--sample", sample, "--raw", "raw.bin"];
        bench.output(&[&arguments[..], side].concat());
        std::fs::read(bench.path("raw.bin")).unwrap()
    };
    let samples = ["0", "1", "2", "3"].map(|sample| raw(&id("pSrcResource"), sample, &["--before"]));
    let resolved = raw(&id("pDstResource"), "0", &[]);
    assert_eq!(resolved.len(), 32 * 32 * 4);
    let mean = |at: usize| samples.iter().map(|sample| u32::from(sample[at])).sum::<u32>() as f32 / 4.0;
    let wrong = (0..resolved.len()).find(|at| (mean(*at) - f32::from(resolved[*at])).abs() > 0.5);
    assert_eq!(wrong, None);
    assert!(samples[0] != samples[3], "edges differ from sample to sample");
}

/// A thumbnail is the mean of the frame's pixels, as the screenshots have them; and the last picture of a frame, draw by draw, is what it presents.
#[test]
fn small_pictures_are_means_of_the_frames() {
    let bench = Bench::new();
    programs::capture(&bench, "presents", &programs::ours());
    let frames = lines(&bench.output(&["info", "--json", "trace.reprise"]))[0]["frames"].as_u64().unwrap();
    assert!(frames >= 2, "{frames}");
    bench.output(&["replay", "-q", "--screenshots", "2", "--screenshot-dir", "shots", "trace.reprise"]);
    let said = bench.output(&["thumbnails", "trace.reprise", "--frames", "2", "--size", "1", "-o", "thumbs", "--json"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    assert_eq!(said["frames"][0]["file"], "thumbs/frame_000002.png");
    let pixels = |name: &str| {
        let file = std::io::BufReader::new(std::fs::File::open(bench.path(name)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        bytes.truncate(info.buffer_size());
        let step = info.color_type.samples();
        bytes.chunks(step).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect::<Vec<_>>()
    };
    let whole = pixels("shots/frame_000002.png");
    let mean = |channel: usize| {
        let sum: u64 = whole.iter().map(|pixel| u64::from(pixel[channel])).sum();
        ((sum + whole.len() as u64 / 2) / whole.len() as u64) as u8
    };
    assert_eq!(pixels("thumbs/frame_000002.png")[0], [mean(0), mean(1), mean(2)]);
}

/// Every picture of the list of a frame is another one, in the order of the calls, and the last is what `show` has after that call.
#[test]
fn a_frame_is_shown_draw_by_draw() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    let said = bench.output(&["draws", "trace.reprise", "--frame", "1", "--size", "64", "--json", "-o", "steps"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    let pictures = said["pictures"].as_array().unwrap();
    let calls: Vec<u64> = pictures.iter().map(|it| it["call"].as_u64().unwrap()).collect();
    assert!(calls.is_sorted_by(|one, next| one < next) && calls.len() > 8, "{calls:?}");
    assert_eq!(pictures[0]["method"], "ClearRenderTargetView");
    let last = pictures.last().unwrap();
    let call = last["call"].to_string();
    bench.output(&["show", "trace.reprise", "--call", &call, "--target", "0", "-o", "last.png"]);
    let read = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert!(read("last.png") == read(last["file"].as_str().unwrap()));
    bench.output(&["draws", "trace.reprise", "--frame", "1", "-o", "all.apng", "--size", "16"]);
    assert!(read("all.apng").windows(4).any(|it| it == b"acTL"));
    let finished = bench.run(&["draws", "trace.reprise", "--frame", "9"]);
    assert_eq!(finished.status.code(), Some(2));
    assert!(finished.errors().contains("no frame 9"), "{}", finished.errors());
}

/// The bytes that a program read back, as elements: the words of `--raw`, and with another declaration other values.
#[test]
fn bytes_are_elements_of_a_structure() {
    let bench = Bench::new();
    programs::capture(&bench, "depth", &programs::ours());
    let calls = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let named =
        |end: &str| calls.iter().find(|call| call["method"].as_str().is_some_and(|it| it.ends_with(end))).unwrap();
    let buffer = named("::CopyTextureRegion")["args"]["pDst"]["pResource"]["id"].to_string();
    let call = named("::ExecuteCommandLists")["call"].to_string();
    let show = |more: &[&str]| {
        let what = ["show", "trace.reprise", "--call", &call, "--buffer", &buffer, "--range", "16384-32770"];
        bench.output(&[&what, more].concat())
    };
    let said: Json =
        serde_json::from_str(&show(&["--struct", "uint a; uint3 b;", "--raw", "read.bin", "--json"])).unwrap();
    let raw = std::fs::read(bench.path("read.bin")).unwrap();
    let words: Vec<u32> = raw.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    assert!(words.iter().any(|word| *word != 0));
    let elements = said["elements"].as_array().unwrap();
    assert_eq!((elements.len(), &said["left"]), (1024, &json!(3)));
    for (element, words) in elements.iter().zip(words.as_chunks::<4>().0) {
        assert_eq!(*element, json!({ "a": words[0], "b": words[1..] }));
    }
    assert_eq!(said["notes"], json!([]));
    let behind = ["show", "trace.reprise", "--call", &call, "--buffer", &buffer, "--range", "65532-65543", "--json"];
    let behind: Json = serde_json::from_str(&bench.output(&behind)).unwrap();
    assert_eq!(behind["notes"], json!(["the buffer ends there: 4 of the 12 bytes that are asked for"]));
    let other: Json = serde_json::from_str(&show(&["--struct", "uint2 a; uint2 b;", "--json"])).unwrap();
    assert_ne!(said["elements"], other["elements"]);
    show(&["--struct", "uint a; uint3 b;", "-o", "elements.csv"]);
    let csv = std::fs::read_to_string(bench.path("elements.csv")).unwrap();
    let line = words[4..8].iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    assert_eq!((csv.lines().next(), csv.lines().nth(2)), (Some("a,b.x,b.y,b.z"), Some(line.as_str())));
    let wish = json!({ "call": call.parse::<u64>().unwrap(), "buffer": buffer.parse::<u64>().unwrap(), "bytes": "16384-32770",
        "struct": "struct A { uint a; }; struct B { uint a; uint3 b; };", "struct_name": "B" });
    std::fs::write(bench.path("batch"), format!("{wish}\n")).unwrap();
    let batched: Json =
        serde_json::from_str(&bench.output(&["show", "trace.reprise", "--batch", "batch", "--json"])).unwrap();
    assert_eq!(batched["elements"], said["elements"]);
    let what =
        ["show", "trace.reprise", "--call", &call, "--buffer", &buffer, "--struct", "float3 position; colour kind;"];
    let finished = bench.run(&what);
    assert_eq!(finished.status.code(), Some(2));
    assert!(finished.errors().contains("line 1, column 18: colour is no type"), "{}", finished.errors());
}

/// The program `outputs` draws five rectangles over each other, some of whose pixels the shaders discard and some of which write depth. Here are
/// its rectangles again, and what the depth test makes of them.
#[test]
fn overdraw_is_what_passes_the_tests_and_is_not_discarded() {
    const SIZE: usize = 32;
    let bench = Bench::new();
    programs::capture(&bench, "outputs", &programs::ours());
    let said = bench.output(&["overdraw", "trace.reprise", "--frame", "1", "--json", "--raw", "raw", "-o", "x.png"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    let hole = |x: usize, y: usize| (x + y).is_multiple_of(3);
    let (mut depths, mut counts) = ([[1.0f32; SIZE]; SIZE], [[0u32; SIZE]; SIZE]);
    // Shader, left, top, width, height, depth: 0 writes depth in eighths, 1 discards, 2 discards behind an early test.
    let draws = [
        (1, 0, 0, 20, 20, 0.5),
        (2, 12, 4, 20, 10, 0.375),
        (0, 4, 12, 24, 16, 0.0),
        (3, 0, 2, 32, 8, 0.625),
        (0, 2, 2, 8, 30, 1.0),
    ];
    for (shader, left, top, width, height, near) in draws {
        for (y, x) in (top..top + height).flat_map(|y| (left..left + width).map(move |x| (y, x))) {
            let new = if shader == 0 { (x % 8) as f32 / 8.0 } else { near };
            if new < depths[y][x] && (shader != 1 || !hole(x, y)) {
                depths[y][x] = new;
                counts[y][x] += 1;
            }
        }
    }
    let raw = std::fs::read(bench.path("raw")).unwrap();
    let counted: Vec<u32> = raw.as_chunks::<4>().0.iter().map(|count| u32::from_le_bytes(*count)).collect();
    assert!(counted == *counts.as_flattened(), "{said}");
    let target = &said["targets"][0];
    assert_eq!((&target["draws"], &target["maximum"]), (&json!(5), &json!(counts.as_flattened().iter().max())));
    assert_eq!(said["left_out"], json!([]));
    // Sixteen rectangles side by side, without a depth buffer, in a later submission: these are the program's frames.
    let later = |frame: &u64| {
        bench.run(&["overdraw", "trace.reprise", "--frame", &frame.to_string(), "--raw", "raw", "-o", "x.png"])
    };
    let frame = (2..6).find(|frame| later(frame).status.success()).unwrap().to_string();
    let raw = std::fs::read(bench.path("raw")).unwrap();
    assert!(!raw.is_empty() && raw.as_chunks::<4>().0.iter().all(|count| u32::from_le_bytes(*count) == 1));
    let beside = bench.output(&["overdraw", "trace.reprise", "--frame", &frame, "--json", "-o", "x.png"]);
    let beside: Json = serde_json::from_str(&beside).unwrap();
    assert!(bench.path("x.png").exists());
    // The depth buffer is none while colours are drawn.
    let (shown, other) = (target["resource"].as_u64().unwrap(), beside["targets"][0]["resource"].as_u64().unwrap());
    let wrong =
        bench.run(&["overdraw", "trace.reprise", "--frame", "1", "--resource", "1", "-o", "none.png", "--raw", "none"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", wrong.errors());
    assert!(wrong.errors().contains("resource 1 is no target") && wrong.errors().contains(&shown.to_string()));
    assert!(!bench.path("none.png").exists() && !bench.path("none").exists());
    bench.output(&["overdraw", "trace.reprise", "--frame", &frame, "--resource", &other.to_string(), "-o", "x.png"]);
    // One draw alone finds the depth that the others left.
    let third = target["calls"][2].to_string();
    let said = bench.output(&["overdraw", "trace.reprise", "--frame", "1", "--call", &third, "--json", "-o", "x.png"]);
    let said: Json = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["targets"][0]["draws"], &said["targets"][0]["maximum"]), (&json!(1), &json!(1)));
}

/// A program that lets go of a target in the middle of a frame: what comes behind changes other pictures.
#[test]
fn a_target_that_is_gone_is_no_failure_of_draws() {
    let bench = Bench::new();
    programs::capture(&bench, "targets", &programs::ours());
    // The program presents nothing, so its submissions are its frames; those that draw nothing have no pictures.
    let draws =
        |frame: u64| bench.run(&["draws", "--frame", &frame.to_string(), "--json", "-o", "sheet.png", "trace.reprise"]);
    let said = (1..20).map(draws).find(|finished| finished.status.success()).unwrap();
    let said: Json = serde_json::from_str(&said.text()).unwrap();
    let calls = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let releases = calls.iter().filter(|call| call["method"] == "IUnknown::Release" && call["result"] == 0);
    let gone: Vec<u64> = releases.filter_map(|call| call["call"].as_u64()).collect();
    let pictures: Vec<u64> =
        said["pictures"].as_array().unwrap().iter().map(|it| it["call"].as_u64().unwrap()).collect();
    let last = pictures.iter().max().unwrap();
    assert!(gone.iter().any(|call| call < last), "pictures {pictures:?}, releases {gone:?}");
}

/// Values of texels that would be pieces of texels are refused; a format of the same size reads them otherwise.
#[test]
fn another_format_has_texels_of_the_same_size() {
    let bench = Bench::new();
    let golden = reprise_testing::artifact::workspace().join("crates/cli/tests/golden/v3/gears.reprise");
    std::fs::copy(golden, bench.path("gears.reprise")).unwrap();
    let show = |format: &str| {
        bench.run(&[
            "show",
            "--call",
            "101",
            "--target",
            "0",
            "--as",
            format,
            "--pixel",
            "60,200",
            "--json",
            "gears.reprise",
        ])
    };
    for (format, said) in
        [("R16_UINT", "texels of 2 bytes"), ("R32G32_UINT", "texels of 8 bytes"), ("BC1_UNORM", "blocks of 8 bytes")]
    {
        let finished = show(format);
        assert_eq!(finished.status.code(), Some(1), "{format}: {}", finished.text());
        assert!(finished.text().contains(said), "{format}: {}", finished.text());
    }
    let values = |format: &str| -> Vec<u8> {
        let said = lines(&show(format).text());
        let values = said[0]["pixels"][0]["values"].as_array().unwrap().iter();
        // Each channel's bytes, as they lie.
        values
            .flat_map(
                |it| if format == "R32_UINT" { u32_of(it).to_le_bytes().to_vec() } else { vec![u32_of(it) as u8] },
            )
            .collect()
    };
    let bytes = values("R8G8B8A8_UINT");
    assert!(bytes.len() == 4 && bytes[..3] != [0; 3], "{bytes:?}");
    assert_eq!(values("R32_UINT"), bytes);
}

fn u32_of(value: &Json) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

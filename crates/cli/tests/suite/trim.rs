//! Frames cut out of a trace: they show, and read back, what they do in the whole.

use crate::bench::Bench;
use reprise_codec::translate::Extended;
use reprise_testing::artifact;
use reprise_trace::read::Trace;
use reprise_trace::trace_writer::FileOutput;
use reprise_trim::{Cut, Played, Request, Take};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Cuts frames out, from one trace into another.
fn trim(bench: &Bench, from: &str, frames: &str, to: &str) {
    bench.output(&["trim", "--quiet", "--force", "--frames", frames, "-o", to, from]);
}

/// The hash of each frame, as this runtime plays it. Nothing that was read back may differ.
fn hashes(bench: &Bench, trace: &str, runtime: &str) -> BTreeMap<u64, String> {
    let report = bench.output(&["replay", "--runtime", runtime, "--json", "--frame-hashes", "hashes.txt", trace]);
    // libvkd3d says on standard output what it has not.
    let report: Json = serde_json::from_str(&report[report.find('{').unwrap()..]).unwrap();
    assert_eq!((&report["difference_count"], &report["different_bytes"]), (&0.into(), &0.into()), "{trace}: {report}");
    let text = std::fs::read_to_string(bench.path("hashes.txt")).unwrap();
    let lines = text.lines().map(|line| line.split_once(' ').unwrap());
    lines.map(|(frame, hash)| (frame.parse().unwrap(), hash.to_owned())).collect()
}

fn size(bench: &Bench, trace: &str) -> u64 {
    std::fs::metadata(bench.path(trace)).unwrap().len()
}

#[test]
fn frames_of_gears_show_what_they_do_in_the_whole() {
    let bench = Bench::new();
    let Some(_) = bench.capture("vkd3d-gears", 40) else { return };
    let whole = hashes(&bench, "trace.reprise", "ours");
    let elsewhere = hashes(&bench, "trace.reprise", "vkd3d");
    for first in [1, 2, 3, 4, 7, 12, 19, 25, 33, 39] {
        let frames = format!("{first}-{}", first + 1);
        trim(&bench, "trace.reprise", &frames, "part.reprise");
        let shown =
            |whole: &BTreeMap<u64, String>| [(1, whole[&first].clone()), (2, whole[&(first + 1)].clone())].into();
        assert_eq!(hashes(&bench, "part.reprise", "ours"), shown(&whole), "frames {frames}");
        if [2, 19].contains(&first) {
            assert_eq!(hashes(&bench, "part.reprise", "vkd3d"), shown(&elsewhere), "frames {frames} on libvkd3d");
        }
        assert!(size(&bench, "part.reprise") < size(&bench, "trace.reprise"), "frames {frames}");
    }
    // A part of a part, into the name that the command chooses.
    trim(&bench, "trace.reprise", "10-20", "part.reprise");
    bench.output(&["trim", "--frames", "4", "part.reprise"]);
    assert_eq!(hashes(&bench, "part.frame-4.reprise", "ours"), [(1, whole[&13].clone())].into());
    // By submissions: one a frame here.
    bench.output(&["trim", "--quiet", "--submission", "5-6", "-o", "submissions.reprise", "trace.reprise"]);
    assert_eq!(hashes(&bench, "submissions.reprise", "ours"), [(1, whole[&5].clone())].into());
    // It is a trace like any other, and says what it is.
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "part.frame-4.reprise"])).unwrap();
    assert_eq!((&info["frames"], &info["gap_count"], &info["complete"]), (&1.into(), &0.into(), &true.into()));
    assert_eq!(info["trimmed"]["frames"], serde_json::json!([4, 4]));
    let first = info["trimmed"]["first_call"].as_u64().unwrap().to_string();
    let call = |trace: &str, call: &str| -> Json {
        let lines = bench.output(&["dump", "--json", "--calls", call, trace]);
        serde_json::from_str(lines.lines().next().unwrap()).unwrap()
    };
    assert_eq!(call("part.reprise", &first)["frame"], 4);
    assert!(bench.output(&["verify", "part.frame-4.reprise"]).contains("frame"), "its frames are those of the capture");
}

#[test]
fn a_capture_that_trims_keeps_the_frames_alone_or_everything() {
    let bench = Bench::new();
    let whole = |options: &[&str], program: &[&str]| {
        let mut command = bench.command();
        command.args(["capture", "--frame-boundary", "submissions", "--force", "-o", "trace.reprise"]).args(options);
        command.arg("--").arg(artifact::programs().unwrap()).args(program);
        reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap()
    };
    let finished = whole(&["--frames", "4-5", "--trim"], &["aliasing"]);
    assert!(finished.status.success(), "{}", finished.errors());
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    assert_eq!((&info["frames"], &info["trimmed"]["frames"]), (&2.into(), &serde_json::json!([4, 5])));
    hashes(&bench, "trace.reprise", "ours");
    assert_eq!(bench.files(), ["hashes.txt", "trace.reprise"], "the recording is gone");
    // The program ends before the first frame: its recording stays, and its name is said.
    let finished = whole(&["--frames", "500-501", "--trim"], &["aliasing"]);
    assert_eq!(finished.status.code(), Some(125), "{}", finished.errors());
    assert!(finished.errors().contains("is kept whole"), "{}", finished.errors());
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "trace.reprise"])).unwrap();
    assert!(info["frames"].as_u64().unwrap() > 5 && info["trimmed"].is_null(), "{info}");
    for wrong in [&["--trim"][..], &["--frames", "1,4-5", "--trim"], &["--flight-recorder", "--trim"]] {
        let finished = whole(wrong, &["aliasing"]);
        assert_eq!(finished.status.code(), Some(2), "{wrong:?}: {}", finished.errors());
    }
}

/// Captures a program with its options into `trace.reprise`. Every submission ends a frame.
fn capture(bench: &Bench, program: &str) {
    let mut command = bench.command();
    command.args(["capture", "-q", "--force", "--frame-boundary", "submissions", "-o", "trace.reprise", "--"]);
    command.arg(artifact::programs().unwrap()).args(program.split(' '));
    let captured = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(captured.status.success(), "{program}: {}", captured.errors());
}

/// The numbers of a trace's calls of some methods.
fn calls(bench: &Bench, trace: &str, methods: &str) -> Vec<u64> {
    let lines = bench.output(&["dump", "--json", "--methods", methods, trace]);
    let lines = lines.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    lines.filter_map(|line| line["call"].as_u64()).collect()
}

/// Cuts a program at some of its submissions.
fn check(program: &str, cuts: &[u64]) {
    let bench = Bench::new();
    capture(&bench, program);
    for cut in cuts {
        trim(&bench, "trace.reprise", &format!("{cut}-"), "part.reprise");
        hashes(&bench, "part.reprise", "ours");
        let part = bench.output(&["replay", "part.reprise"]);
        assert!(part.contains("that the program saw the GPU write compared"), "{program} cut at {cut}: {part}");
    }
}

#[test]
fn resources_that_share_memory_are_cut_by_who_is_active() {
    check("aliasing", &[2, 4, 6]);
}

/// Shaders write by an address that two placed buffers have: both are taken, and a warning names each. The copies behind it tell.
#[test]
fn buffers_of_which_nobody_knows_which_was_written_are_both_taken() {
    let bench = Bench::new();
    capture(&bench, "either");
    let dispatched = calls(&bench, "trace.reprise", "Dispatch");
    let placed = bench.output(&["dump", "--json", "--methods", "*CreatePlacedResource", "trace.reprise"]);
    let placed = placed.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let both: Vec<u64> = placed.filter_map(|line| line["args"]["ppvResource"]["id"].as_u64()).collect();
    // Behind the first dispatch; behind the second; behind the copy, which names one of them.
    for (submission, doubted) in [(3, Some(dispatched[0])), (4, Some(dispatched[1])), (5, None)] {
        let cut = format!("{submission}-");
        let said =
            bench.output(&["trim", "--force", "--json", "--submissions", &cut, "-o", "part.reprise", "trace.reprise"]);
        let said: Json = serde_json::from_str(&said).unwrap();
        let warnings = said["warnings"].as_array().unwrap();
        let warned: Vec<_> =
            warnings.iter().map(|it| (it["resource"].as_u64().unwrap(), it["call"].as_u64())).collect();
        let expected: Vec<_> =
            doubted.map(|call| both.iter().map(|it| (*it, Some(call))).collect()).unwrap_or_default();
        assert_eq!(warned, expected, "cut at {submission}");
        let copies = bench.output(&["dump", "--json", "--methods", "CopyBufferRegion", "part.reprise"]);
        let copies = copies.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
        let before = copies.filter(|line| line["call"].as_u64() <= said["calls_before"].as_u64());
        let restored: Vec<u64> = before.filter_map(|line| line["args"]["pDstBuffer"]["id"].as_u64()).collect();
        assert!(both.iter().all(|buffer| restored.contains(buffer)), "cut at {submission}: {restored:?}");
        hashes(&bench, "part.reprise", "ours");
        assert!(bench.output(&["replay", "part.reprise"]).contains("that the program saw the GPU write compared"));
    }
}

/// A shader picks one of two descriptors by an index.
#[test]
fn textures_of_which_nobody_knows_which_was_read_are_both_taken() {
    use crate::lint_program::{DEVICE, Program, texture};
    use reprise_d3d12::types::D3D12_RESOURCE_FLAGS;
    /// As a shader lists views for writing.
    const UNORDERED: u32 = 6;
    let mut program = Program::new();
    let memory = program.id();
    program.script.heap(DEVICE, memory, 1 << 20);
    let both = [program.id(), program.id()];
    for id in both {
        program.script.placed(DEVICE, memory, 0, &texture(D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS), id);
    }
    let views = program.views();
    (0..).zip(both).for_each(|(at, texture)| program.uav(texture, views, at));
    let (signature, back) = (program.signature_of_array(), program.texture(0));
    let pipeline = program.compute_of_array(signature, (UNORDERED, 0, 7));
    program.set_heap(views);
    program.set_compute(signature, pipeline);
    program.table(views, 0);
    let dispatch = program.dispatch();
    program.run();
    program.reset();
    both.iter().for_each(|texture| _ = program.copy(back, *texture));
    program.run();
    let trace = program.script.trace();
    let bench = Bench::new();
    let file = FileOutput::create(&bench.path("part.reprise")).unwrap();
    let mut asked = Vec::new();
    let mut nothing = |_: Played, request: &Request, _: &mut Take<'_>| {
        asked = request.resources.iter().map(|wanted| wanted.resource).collect();
        Ok(())
    };
    let trimmed = reprise_trim::trim(&trace, Cut::Submissions(2, u64::MAX), &mut nothing, file).unwrap();
    let warned: Vec<_> = trimmed.warnings.iter().map(|warning| (warning.resource, warning.call)).collect();
    assert_eq!(warned, both.map(|texture| (texture, dispatch)));
    assert!(both.iter().all(|texture| asked.contains(texture)), "{asked:?}");
}

/// Bundles from before that the part executes; textures that several queues use at a time, without barriers.
#[test]
fn bundles_and_simultaneous_access_are_cut() {
    check("kept-bundles", &[2, 5, 7]);
    check("simultaneous", &[3, 8]);
}

#[test]
fn textures_of_several_planes_and_levels_are_cut() {
    check("aspects", &[5]);
    check("subresources", &[2]);
}

/// Every sample of colours, numbers, floats, depth and stencil, drawn anew.
#[test]
fn textures_of_several_samples_are_cut() {
    check("samples", &[2, 3]);
    check("resolves", &[8, 13, 18, 26]);
}

/// Decoded and encoded again: finest levels, and regions of all levels.
#[test]
fn maps_of_sampler_feedback_are_cut() {
    check("sampler-feedback --shaders dxil", &[3, 7, 11]);
}

/// What a part ends with is what the whole shows at its last draw, and nothing that runs behind it.
#[test]
fn draws_are_cut() {
    let bench = Bench::new();
    capture(&bench, "samples");
    let calls = |trace: &str, methods: &str| calls(&bench, trace, methods);
    let draws = calls("trace.reprise", "*DrawInstanced");
    let shown = |trace: &str, call: u64, what: &[&str]| {
        let call = call.to_string();
        let asked = ["show", "--json", "--call", &call, "--sample", "2", "--raw", "texels.bin"];
        let said = bench.output(&[&asked, what, &[trace][..]].concat());
        let said: Json = serde_json::from_str(said.lines().next().unwrap()).unwrap();
        (said["resource"].to_string(), std::fs::read(bench.path("texels.bin")).unwrap())
    };
    // The second draw, and the fourth: behind it two more change what is seen.
    let (first, last) = (draws[1], draws[3]);
    let (target, expected) = shown("trace.reprise", last, &["--target", "0"]);
    bench.output(&["trim", "--quiet", "--draws", &format!("{first}-{last}"), "-o", "part.reprise", "trace.reprise"]);
    assert_eq!(calls("part.reprise", "*DrawInstanced").len(), 4, "those before the first one stay");
    let end = |trace: &str| *calls(trace, "*ExecuteCommandLists").last().unwrap();
    let (_, at_end) = shown("part.reprise", end("part.reprise"), &["--resource", &target]);
    assert!(expected == at_end && expected.iter().any(|byte| *byte != 0));
    let first_submission = calls("trace.reprise", "*ExecuteCommandLists")[0];
    assert_ne!(shown("trace.reprise", first_submission, &["--resource", &target]).1, expected);
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "part.reprise"])).unwrap();
    assert_eq!(info["trimmed"]["draws"], serde_json::json!([first, last]));
    for (wrong, says) in [
        ("1", "is no draw"),
        ("0", "calls count from 1"),
        (&*format!("{last}-{first}"), "ends before it begins: the smaller number of calls comes first"),
        (&*format!("{last}-"), "a first and a last"),
    ] {
        let finished = bench.run(&["trim", "--draws", wrong, "-o", "wrong.reprise", "trace.reprise"]);
        assert_eq!(finished.status.code(), Some(2), "{wrong}: {}", finished.errors());
        assert!(finished.errors().contains(says), "{wrong}: {}", finished.errors());
    }
}

/// A query that the last command begins is ended, one that it ends is not ended twice, and no render pass stays suspended.
#[test]
fn draws_are_cut_where_queries_and_passes_begin_and_end() {
    let bench = Bench::new();
    capture(&bench, "crossing-queries");
    let [begun, ended] = ["BeginQuery", "EndQuery"].map(|method| calls(&bench, "trace.reprise", method));
    // The third query begins within two others; the first one ends, and later there is another one of its index.
    for last in [begun[2], ended[1]] {
        bench.output(&["trim", "-fq", "--draws", &last.to_string(), "-o", "part.reprise", "trace.reprise"]);
        let [begun, ended] = ["BeginQuery", "EndQuery"].map(|method| calls(&bench, "part.reprise", method).len());
        assert_eq!((begun, ended), (3, 3), "call {last}");
        hashes(&bench, "part.reprise", "ours");
    }
    capture(&bench, "passes");
    // It suspends its pass.
    let last = calls(&bench, "trace.reprise", "EndRenderPass")[1].to_string();
    let finished = bench.run(&["trim", "--draws", &last, "-o", "suspended.reprise", "trace.reprise"]);
    assert_eq!(finished.status.code(), Some(1), "{}", finished.errors());
    assert!(finished.errors().contains("that another list resumes"), "{}", finished.errors());
}

/// A query's result is in no resource until it is resolved. Only one that ended before the part and is resolved in it is missing there.
#[test]
fn queries_are_refused_that_ended_before_and_are_resolved_in_the_part() {
    use crate::lint_program::{DEVICE, In, Program, script::pointer};
    use reprise_d3d12::types::D3D12_QUERY_HEAP_DESC;
    use reprise_d3d12::{interface, method};
    const BINARY_OCCLUSION: u64 = 1;
    // The query that ends in the first submission; whether it is resolved there; the one that ends in the second; those resolved there.
    let cut = |first: u64, resolved_before: bool, second: u64, resolved: std::ops::Range<u64>| {
        let mut program = Program::new();
        let heap = program.id();
        let desc = D3D12_QUERY_HEAP_DESC { Count: 4, ..Default::default() };
        let make = method("ID3D12Device", "CreateQueryHeap");
        program.script.create(DEVICE, make, &[pointer(&desc)], interface("ID3D12QueryHeap"), heap);
        let (heap, back) = (u64::from(heap), u64::from(program.buffer(In::Readback)));
        let query = |program: &mut Program, index: u64| {
            program.list("BeginQuery", &[heap, BINARY_OCCLUSION, index]);
            program.list("EndQuery", &[heap, BINARY_OCCLUSION, index]);
        };
        query(&mut program, first);
        if resolved_before {
            program.list("ResolveQueryData", &[heap, BINARY_OCCLUSION, first, 1, back, 0]);
        }
        program.run();
        program.reset();
        query(&mut program, second);
        let count = resolved.end - resolved.start;
        let call = program.list("ResolveQueryData", &[heap, BINARY_OCCLUSION, resolved.start, count, back, 0]);
        program.run();
        let bench = Bench::new();
        let file = FileOutput::create(&bench.path("part.reprise")).unwrap();
        let mut nothing = |_: Played, _: &Request, _: &mut Take<'_>| Ok(());
        let trimmed = reprise_trim::trim(&program.script.trace(), Cut::Submissions(2, u64::MAX), &mut nothing, file);
        trimmed.map(|_| ()).map_err(|error| error.to_string().replace(&format!("call {call}: "), ""))
    };
    assert_eq!(cut(0, true, 1, 1..2), Ok(()), "resolved before: bytes of a buffer");
    assert_eq!(cut(0, false, 0, 0..1), Ok(()), "ended anew");
    assert_eq!(cut(0, false, 1, 1..4), Ok(()), "the others never ended");
    let refused = cut(0, false, 1, 0..2).unwrap_err();
    assert!(refused.starts_with("it resolves query 0 of heap "), "{refused}");
}

/// What a later process needs for the same identifiers of shaders goes with the state object.
#[test]
fn handles_of_shader_groups_stay() {
    use crate::lint_program::{DEVICE, LIST, Program, script::pointer};
    use reprise_d3d12::types::D3D12_STATE_OBJECT_DESC;
    use reprise_d3d12::{interface, method};
    use reprise_trace::{fact, record::Kind};
    let mut program = Program::new();
    let state = program.id();
    let make = method("ID3D12Device5", "CreateStateObject");
    let desc = D3D12_STATE_OBJECT_DESC::default();
    program.script.create(DEVICE, make, &[pointer(&desc)], interface("ID3D12StateObject"), state);
    let said = [0x1234_5678_9abc_def0, 7];
    program.script.fact(state, fact::GROUP_HANDLES, &said);
    program.run();
    program.reset();
    program.script.call(LIST, method("ID3D12GraphicsCommandList4", "SetPipelineState1"), &[state.into()], 0);
    program.run();
    let trace = program.script.trace();
    let bench = Bench::new();
    let file = FileOutput::create(&bench.path("part.reprise")).unwrap();
    let mut nothing = |_: Played, _: &Request, _: &mut Take<'_>| Ok(());
    reprise_trim::trim(&trace, Cut::Submissions(2, u64::MAX), &mut nothing, file).unwrap();
    let part = Trace::open(&bench.path("part.reprise")).unwrap();
    let (mut events, mut found) = (part.events(), Vec::new());
    while let Some(event) = events.next().unwrap() {
        match event.fact() {
            Some((fact::GROUP_HANDLES, bytes)) => found.push((event.object, bytes.to_vec())),
            _ if event.kind == Kind::Enter && event.method == make.0 => assert_eq!(found, [], "it is made first"),
            _ => {}
        }
    }
    assert_eq!(found, [(state, said.into_iter().flat_map(u64::to_le_bytes).collect())]);
}

/// Where the part begins one thread closes a list, and another one makes a heap. Both calls return in the part, so they are made there, once.
/// A third one lets go of a reference, which is gone from the beginning of that call on.
#[test]
fn calls_that_are_under_way_are_made_in_the_part() {
    use crate::lint_program::script::{Script, pointer};
    use reprise_d3d12::types::{D3D12_COMMAND_QUEUE_DESC, D3D12_DESCRIPTOR_HEAP_DESC};
    use reprise_d3d12::{interface, method};
    use reprise_trace::{fact, record::Kind};
    const CLOSE: reprise_d3d12::model::MethodId = method("ID3D12GraphicsCommandList", "Close");
    const EXECUTE: reprise_d3d12::model::MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
    const RELEASE: reprise_d3d12::model::MethodId = method("IUnknown", "Release");
    const MAKE: reprise_d3d12::model::MethodId = method("ID3D12Device", "CreateDescriptorHeap");
    let (device, queue, ready, late, heap, fence) = (1, 2, 5, 7, 8, 9);
    let mut script = Script::new(4);
    script.device(device);
    let desc = D3D12_COMMAND_QUEUE_DESC::default();
    let make = method("ID3D12Device", "CreateCommandQueue");
    script.create(device, make, &[pointer(&desc)], interface("ID3D12CommandQueue"), queue);
    for list in [ready, late] {
        let make = method("ID3D12Device", "CreateCommandAllocator");
        script.create(device, make, &[0], interface("ID3D12CommandAllocator"), list - 1);
        let words = [0, 0, u64::from(list - 1), 0];
        let make = method("ID3D12Device", "CreateCommandList");
        script.create(device, make, &words, interface("ID3D12GraphicsCommandList"), list);
    }
    script.create(device, method("ID3D12Device", "CreateFence"), &[0, 0], interface("ID3D12Fence"), fence);
    script.call(fence, method("IUnknown", "AddRef"), &[], 2);
    script.call(ready, CLOSE, &[], 0);
    let run = |script: &mut Script, list: u32| _ = script.call(queue, EXECUTE, &[1, pointer(&u64::from(list))], 0);
    run(&mut script, ready);
    let desc = D3D12_DESCRIPTOR_HEAP_DESC { NumDescriptors: 1, ..Default::default() };
    let (class, slot) = (interface("ID3D12DescriptorHeap").get().iid, u64::from(heap));
    let words = [pointer(&desc), pointer(&class), pointer(&slot)];
    script.thread = 1;
    script.enter(late, CLOSE, &[]);
    script.thread = 2;
    script.enter(device, MAKE, &words);
    script.fact(heap, fact::DESCRIPTOR_HEAP, &[0x1000, 0, 32 | 1 << 32]);
    script.thread = 3;
    script.enter(fence, RELEASE, &[]);
    script.thread = 0;
    run(&mut script, ready);
    script.thread = 3;
    script.leave(RELEASE, &[], 1);
    script.call(fence, method("ID3D12Fence", "Signal"), &[3], 0);
    script.thread = 2;
    script.leave(MAKE, &words, 0);
    let start = 0x1000_u64;
    script.call(heap, method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart"), &[pointer(&start)], 0);
    script.thread = 1;
    script.leave(CLOSE, &[], 0);
    run(&mut script, late);
    let trace = script.trace();

    let bench = Bench::new();
    let file = FileOutput::create(&bench.path("part.reprise")).unwrap();
    let mut nothing = |_: Played, _: &Request, _: &mut Take<'_>| Ok(());
    reprise_trim::trim(&trace, Cut::Submissions(2, u64::MAX), &mut nothing, file).unwrap();
    let part = Trace::open(&bench.path("part.reprise")).unwrap();
    let (mut events, mut all) = (part.events(), Vec::new());
    while let Some(event) = events.next().unwrap() {
        all.push((event.kind, event.method, event.object));
    }
    let places = |kind: Kind, method: u16, object: u32| -> Vec<usize> {
        let is = |it: &(Kind, u16, u32)| it.0 == kind && it.1 == method && (object == 0 || it.2 == object);
        all.iter().enumerate().filter(|(_, it)| is(it)).map(|(at, _)| at).collect()
    };
    let (closed, runs) = (places(Kind::Enter, CLOSE.0, late), places(Kind::Enter, EXECUTE.0, queue));
    assert!(closed.len() == 1 && runs.len() == 2 && closed[0] < runs[1], "{closed:?} {runs:?}");
    let (made, said) = (places(Kind::Enter, MAKE.0, device), places(Kind::Fact, 0, heap));
    assert!(made.len() == 1 && said.iter().all(|said| *said > made[0]), "{made:?} {said:?}");
    let counts =
        [heap, fence].map(|id| [RELEASE, method("IUnknown", "AddRef")].map(|it| places(Kind::Enter, it.0, id).len()));
    assert_eq!(counts, [[0; 2]; 2], "the program holds each once");
    let mut state = reprise_timeline::State::default();
    reprise_timeline::walk(&part, &mut [&mut state]).unwrap();
    assert!(state.lists.get(late).is_some_and(|list| list.closed.is_some()));
}

#[test]
fn several_queues_are_cut() {
    check("queues", &[13]);
}

#[test]
fn tiles_are_cut() {
    check("tiles", &[36]);
}

/// A reserved texture whose tiles are a placed one's, in turn.
#[test]
fn shared_tiles_are_cut_by_who_used_them_last() {
    check("remapped", &[4, 7]);
}

#[test]
fn work_behind_a_wait_is_of_the_part() {
    check("waits", &[2, 3, 14]);
}

/// Built, updated, compacted, from inputs that are gone or overwritten; serialised; instances by pointers; recordings that name structures.
#[test]
fn acceleration_structures_are_built_again() {
    check("structures --shaders dxil", &[6, 18]);
    check("ray-queries --shaders dxil", &[14, 20]);
    check("rays-grown --shaders dxil", &[5]);
}

/// A trace that is cut without anybody telling what resources hold shows another picture: the contents are what makes it right.
#[test]
fn the_contents_matter() {
    let bench = Bench::new();
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/v3/gears.reprise");
    trim(&bench, golden, "2", "part.reprise");
    let whole = hashes(&bench, golden, "ours");
    assert_eq!(hashes(&bench, "part.reprise", "ours"), [(1, whole[&2].clone())].into());
    let trace = Trace::open(golden.as_ref()).unwrap();
    reprise_codec::translate::attach(&trace, &Extended::new(reprise_d3d12::MODEL)).unwrap();
    let file = FileOutput::create(&bench.path("empty.reprise")).unwrap();
    let mut asked = Vec::new();
    let mut nothing = |played: Played, request: &Request, _: &mut Take<'_>| {
        assert_eq!(played, Played::Frames(1));
        asked = request.resources.iter().map(|wanted| wanted.resource).collect();
        Ok(())
    };
    let trimmed = reprise_trim::trim(&trace, Cut::Frames(2, 2), &mut nothing, file).unwrap();
    assert_eq!((trimmed.frames, trimmed.resources), (1, 0));
    // Constants, vertices, indices, instances; no image of the swap chain, and not the depth buffer, which the frame clears.
    assert_eq!(asked, [19, 20, 21, 22]);
    assert_ne!(hashes(&bench, "empty.reprise", "ours")[&1], whole[&2]);
}

#[test]
fn what_cannot_be_cut_is_refused_by_name_and_leaves_no_file() {
    let bench = Bench::new();
    let golden = |name: &str| format!("{}/tests/golden/v3/{name}.reprise", env!("CARGO_MANIFEST_DIR"));
    let refused = |arguments: &[&str], code: i32, says: &str| {
        let finished = bench.run(&[&["trim", "-o", "part.reprise"], arguments].concat());
        assert_eq!(finished.status.code(), Some(code), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains(says), "{arguments:?}: {}", finished.errors());
        assert_eq!(bench.files(), Vec::<String>::new(), "{arguments:?}");
    };
    refused(&["--frames", "4", &golden("gears")], 2, "whose last frame is 3");
    refused(&["--frames", "0", &golden("gears")], 2, "frames");
    refused(&["--submission", "9", &golden("gears")], 2, "whose last submission is 3");
    // A bit flipped in the middle.
    let mut bytes = std::fs::read(golden("gears")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = bench.folder.with_extension("work");
    std::fs::write(&damaged, bytes).unwrap();
    refused(&["--frames", "2", damaged.to_str().unwrap()], 3, "damaged");
    std::fs::remove_file(damaged).unwrap();
}

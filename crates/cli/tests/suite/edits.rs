//! Edited traces: they show and compute what the edit says, differ from the original in that and nothing else, and edits that take the
//! others back give the original bytes of calls.
//!
//! What is expected comes from a model of the program in this file, which knows nothing of traces but the arguments that the programs pass.

use crate::bench::{Bench, PATIENCE};
use reprise_codec::translate::Extended;
use reprise_d3d12::MODEL;
use reprise_testing::artifact;
use reprise_trace::read::Trace;
use reprise_trace::record::Kind;
use serde_json::Value as Json;
use std::path::PathBuf;

/// Captures a program into `trace.reprise`. Every submission ends a frame.
fn capture(bench: &Bench, program: &str) {
    let mut command = bench.command();
    command.args(["capture", "-q", "--force", "--frame-boundary", "submissions", "-o", "trace.reprise", "--"]);
    command.arg(artifact::programs().unwrap()).args(program.split(' '));
    let captured = reprise_testing::run(&mut command, PATIENCE).unwrap();
    assert!(captured.status.success(), "{program}: {}", captured.errors());
}

/// A compiled shader of the programs.
fn shader(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../programs/shaders");
    folder.join(name).display().to_string()
}

/// A record of a trace, as its bytes say it.
type Said = (Kind, String, u32, Vec<u8>, Vec<Vec<u8>>);

/// All records but those that say of time.
fn records(bench: &Bench, name: &str) -> Vec<Said> {
    let trace = Trace::open(&bench.path(name)).unwrap();
    reprise_codec::translate::attach(&trace, &Extended::new(MODEL)).unwrap();
    let mut events = trace.events_as_recorded();
    let mut all = Vec::new();
    while let Some(event) = events.next().unwrap() {
        let method = MODEL.methods.get(usize::from(event.method)).map_or("", |method| method.name).to_owned();
        let blobs = event.blobs.iter().map(|(_, id)| trace.blob_by_id(*id).unwrap().to_vec()).collect();
        all.push((event.kind, method, event.object, event.payload.to_vec(), blobs));
    }
    all
}

/// Lines of a dump, for programs.
fn dump(bench: &Bench, trace: &str) -> Vec<Json> {
    let text = bench.output(&["dump", "--json", trace]);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The numbers of the calls of a method.
fn calls(lines: &[Json], method: &str) -> Vec<u64> {
    let ends = format!("::{method}");
    let is = |line: &&Json| line["method"].as_str().is_some_and(|name| name.ends_with(&ends));
    lines.iter().filter(is).map(|line| line["call"].as_u64().unwrap()).collect()
}

fn call(lines: &[Json], number: u64) -> &Json {
    lines.iter().find(|line| line["call"] == number).unwrap()
}

fn edit(bench: &Bench, from: &str, edits: &[&str], to: &str) {
    let mut arguments = vec!["edit", "--quiet", "--force", "-o", to, from];
    edits.iter().for_each(|edit| arguments.extend(["-e", edit]));
    bench.output(&arguments);
}

/// What `diff` counts: only in the first, only in the second, changed.
fn diff(bench: &Bench, other: &str) -> [u64; 3] {
    let found = bench.run(&["diff", "trace.reprise", other]);
    let text = found.text();
    let line = text.lines().find(|line| line.contains("only in the first, "));
    let Some(line) = line else {
        assert_eq!(found.status.code(), Some(0), "{text}");
        return [0; 3];
    };
    let numbers: Vec<u64> = line.split([' ', ',', ';']).filter_map(|word| word.parse().ok()).collect();
    [numbers[0], numbers[1], numbers[2]]
}

/// Edits a trace, and takes the edits back: so many records are left out, added and changed, and then none is.
fn there_and_back(bench: &Bench, edits: &[&str], back: &[&str], expected: [u64; 3]) {
    edit(bench, "trace.reprise", edits, "edited.reprise");
    assert_eq!(diff(bench, "edited.reprise"), expected, "{edits:?}");
    edit(bench, "edited.reprise", back, "back.reprise");
    let (first, edited, again) =
        (records(bench, "trace.reprise"), records(bench, "edited.reprise"), records(bench, "back.reprise"));
    assert_ne!(first, edited, "{edits:?} changes nothing");
    let at = first.iter().zip(&again).position(|(first, again)| first != again);
    assert_eq!((first.len(), at), (again.len(), None), "{back:?} is not the way back from {edits:?}");
    // Nothing but what diff counts: records that are neither side's.
    let [removed, added, changed] = expected;
    let same = first.iter().filter(|record| edited.contains(record)).count() as u64;
    assert!(same + removed + changed >= first.len() as u64, "{edits:?} changes more: {same} of {}", first.len());
    // Calls without a leave are one record.
    assert_eq!(edited.len() as u64 + removed, first.len() as u64 + added, "{edits:?}");
}

/// The bytes of a buffer behind a call, as a replay with edits has them.
fn bytes(bench: &Bench, edits: &[&str], resource: u64, call: u64) -> Vec<u8> {
    dumped(bench, edits, (resource, call), "bin")
}

/// The texels of a texture's first subresource, likewise: they stand behind the header of 148 bytes that DDS files with formats of DXGI have.
fn texels(bench: &Bench, edits: &[&str], resource: u64, call: u64) -> Vec<u8> {
    dumped(bench, edits, (resource, call), "dds")[148..].to_vec()
}

fn dumped(bench: &Bench, edits: &[&str], (resource, call): (u64, u64), extension: &str) -> Vec<u8> {
    let folder = bench.path("dumped");
    _ = std::fs::remove_dir_all(&folder);
    let at = format!("{resource}@{call}");
    let mut arguments = vec!["replay", "-q", "--dump-resource", &at, "--dump-resources-dir", "dumped"];
    edits.iter().for_each(|edit| arguments.extend(["-e", edit]));
    arguments.push("trace.reprise");
    bench.output(&arguments);
    let mut files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
    let file = files.find(|file| file.extension().is_some_and(|found| found == extension)).unwrap();
    std::fs::read(file).unwrap()
}

/// What `targets` draws into the first of its four targets.
#[derive(Clone, Debug)]
struct Scene {
    viewport: [f32; 4],
    scissor: [i64; 4],
    clears: Vec<([f32; 4], Vec<[i64; 4]>)>,
    draws: Vec<Rectangle>,
}

#[derive(Clone, Debug)]
struct Rectangle {
    call: u64,
    edges: [u32; 4],
    colour: [f32; 4],
    /// Channels that are written, red the lowest.
    mask: u64,
}

const SIZE: usize = 32;

impl Scene {
    /// By the arguments that the program passed.
    fn of(lines: &[Json]) -> Scene {
        let argument = |name: &str, path: &str| -> Json {
            call(lines, calls(lines, name)[0])["args"].pointer(path).unwrap().clone()
        };
        let float = |json: &Json| json.as_f64().unwrap() as f32;
        let viewport = argument("RSSetViewports", "/pViewports/0");
        let scissor = argument("RSSetScissorRects", "/pRects/0");
        let sides = |rect: &Json| ["left", "top", "right", "bottom"].map(|side| rect[side].as_i64().unwrap());
        let list = &call(lines, calls(lines, "RSSetViewports")[0])["this"]["id"];
        let draws = calls(lines, "DrawInstanced");
        let last = draws[3];
        let target = &argument("OMSetRenderTargets", "/pRenderTargetDescriptors/0")["heap"];
        let mut scene = Scene {
            viewport: ["TopLeftX", "TopLeftY", "Width", "Height"].map(|name| float(&viewport[name])),
            scissor: sides(&scissor),
            clears: Vec::new(),
            draws: Vec::new(),
        };
        let (mut pipeline, mut constants) = (Json::Null, Json::Null);
        for line in
            lines.iter().filter(|line| line["this"]["id"] == *list && line["call"].as_u64().unwrap_or(u64::MAX) <= last)
        {
            let args = &line["args"];
            match line["method"].as_str().unwrap().rsplit("::").next().unwrap() {
                "ClearRenderTargetView" if args["RenderTargetView"]["heap"] == *target => {
                    let colour = [0, 1, 2, 3].map(|at| float(&args["ColorRGBA"][at]));
                    let rects = args["pRects"].as_array().map_or(Vec::new(), |rects| rects.iter().map(sides).collect());
                    scene.clears.push((colour, rects));
                }
                "SetPipelineState" => pipeline = args["pPipelineState"]["id"].clone(),
                "SetGraphicsRoot32BitConstants" => constants = args["pSrcData"].clone(),
                "DrawInstanced" => {
                    let made = lines.iter().find(|line| line["args"]["ppPipelineState"]["id"] == pipeline).unwrap();
                    let mask = &made["args"]["pDesc"]["BlendState"]["RenderTarget"][0]["RenderTargetWriteMask"];
                    let word = |at: usize| constants[at].as_u64().unwrap() as u32;
                    scene.draws.push(Rectangle {
                        call: line["call"].as_u64().unwrap(),
                        edges: [word(0), word(1), word(2), word(3)],
                        colour: [8, 9, 10, 11].map(|at| f32::from_bits(word(at))),
                        mask: mask.as_u64().unwrap(),
                    });
                }
                _ => {}
            }
        }
        assert_eq!((scene.draws.len(), scene.clears.len()), (4, 2), "the program is another one: {scene:?}");
        scene
    }

    /// Four bytes a pixel, row by row.
    fn picture(&self) -> Vec<u8> {
        let mut picture = vec![0; SIZE * SIZE * 4];
        let byte = |value: f32| (value.clamp(0.0, 1.0) * 255.0 + 0.5).floor() as u8;
        for (colour, rects) in &self.clears {
            let whole = vec![[0, 0, SIZE as i64, SIZE as i64]];
            for [left, top, right, bottom] in if rects.is_empty() { &whole } else { rects } {
                for (y, x) in (*top..*bottom).flat_map(|y| (*left..*right).map(move |x| (y as usize, x as usize))) {
                    let at = (y * SIZE + x) * 4;
                    picture[at..at + 4].copy_from_slice(&colour.map(byte));
                }
            }
        }
        // The shader makes pixels of a viewport of 32 of them; the viewport puts them elsewhere.
        let [left, top, width, height] = self.viewport;
        for draw in &self.draws {
            for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
                let within = |at: usize, from: i64, to: i64| from <= at as i64 && (at as i64) < to;
                let seen = within(x, self.scissor[0], self.scissor[2]) && within(y, self.scissor[1], self.scissor[3]);
                let pixel = |at: usize, first: f32, side: f32| (at as f32 + 0.5 - first) / side * SIZE as f32;
                let (px, py) = (pixel(x, left, width), pixel(y, top, height));
                let [from_x, from_y, to_x, to_y] = draw.edges.map(|edge| edge as f32);
                if seen && from_x <= px && px < to_x && from_y <= py && py < to_y {
                    for channel in (0..4).filter(|channel| draw.mask >> channel & 1 != 0) {
                        picture[(y * SIZE + x) * 4 + channel] = byte(draw.colour[channel]);
                    }
                }
            }
        }
        picture
    }
}

/// The picture of the first target of `targets`, as the program reads it back: rows lie 256 bytes apart.
struct Targets {
    bench: Bench,
    lines: Vec<Json>,
    resource: u64,
    at: u64,
}

impl Targets {
    fn new() -> Targets {
        let bench = Bench::new();
        capture(&bench, "targets");
        let lines = dump(&bench, "trace.reprise");
        let copy = call(&lines, calls(&lines, "CopyTextureRegion")[0]);
        let resource = copy["args"]["pDst"]["pResource"]["id"].as_u64().unwrap();
        let at =
            calls(&lines, "Unmap").into_iter().find(|number| call(&lines, *number)["this"]["id"] == resource).unwrap();
        Targets { bench, lines, resource, at }
    }

    /// With edits that move the numbers of calls by so many.
    fn picture(&self, edits: &[&str], moved: i64) -> Vec<u8> {
        let at = self.at.saturating_add_signed(moved);
        let bytes = bytes(&self.bench, edits, self.resource, at);
        bytes.chunks(256).take(SIZE).flat_map(|row| &row[..SIZE * 4]).copied().collect()
    }
}

#[test]
fn arguments_dropped_and_new_calls_show_in_the_picture() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let scene = Scene::of(lines);
    assert_eq!(targets.picture(&[], 0), scene.picture(), "the model does not know the program");
    let viewport = calls(lines, "RSSetViewports")[0];
    let scissor = calls(lines, "RSSetScissorRects")[0];
    let clear = calls(lines, "ClearRenderTargetView")[0];
    let constants = calls(lines, "SetGraphicsRoot32BitConstants")[0];
    let draw = &scene.draws[0];

    // Each: the edits, those that take them back, what diff counts, by how much calls move, and the scene.
    type Case = (Vec<String>, Vec<String>, [u64; 3], i64, Scene);
    let mut cases: Vec<Case> = Vec::new();
    let mut case = |edits: &[String], back: &[String], counts, moved, change: &dyn Fn(&mut Scene)| {
        let mut changed = scene.clone();
        change(&mut changed);
        cases.push((edits.to_vec(), back.to_vec(), counts, moved, changed));
    };
    case(
        &[format!("call {viewport}: pViewports[0].Width = 16")],
        &[format!("call {viewport} RSSetViewports: pViewports[0].Width = 32.0")],
        [0, 0, 1],
        0,
        &|scene| scene.viewport[2] = 16.0,
    );
    case(
        &[format!("call {viewport}: RSSetViewports[0].TopLeftY = -8.5, RSSetViewports[0].Height = 64")],
        &[format!("call {viewport}: pViewports[0].TopLeftY = 0, pViewports[0].Height = 32")],
        [0, 0, 1],
        0,
        &|scene| (scene.viewport[1], scene.viewport[3]) = (-8.5, 64.0),
    );
    case(
        &[format!("call {scissor}: pRects[0].left = 4, pRects[0].bottom = 0x18")],
        &[format!("call {scissor}: pRects[0].left = 0, pRects[0].bottom = 32")],
        [0, 0, 1],
        0,
        &|scene| (scene.scissor[0], scene.scissor[3]) = (4, 24),
    );
    case(
        &[format!("call {clear}: ColorRGBA[0] = 1, ColorRGBA[1] = 0.2")],
        &[format!("call {clear}: ColorRGBA[0] = 0.0, ColorRGBA[1] = 1.0")],
        [0, 0, 1],
        0,
        &|scene| scene.clears[0].0 = [1.0, 0.2, 0.0, 1.0],
    );
    case(
        &[format!("call {clear}: ColorRGBA[0] = inf, ColorRGBA[2] = -inf")],
        &[format!("call {clear}: ColorRGBA[0] = 0, ColorRGBA[2] = 0")],
        [0, 0, 1],
        0,
        &|scene| scene.clears[0].0 = [f32::INFINITY, 1.0, f32::NEG_INFINITY, 1.0],
    );
    case(
        &[format!("call {constants}: pSrcData[0] = 0, pSrcData[9] = {}", 0.4f32.to_bits())],
        &[format!("call {constants}: pSrcData[0] = {}, pSrcData[9] = {}", draw.edges[0], draw.colour[1].to_bits())],
        [0, 0, 1],
        0,
        &|scene| (scene.draws[0].edges[0], scene.draws[0].colour[1]) = (0, 0.4),
    );
    case(
        &[format!("call {}: drop", draw.call)],
        &[format!("insert before call {}: DrawInstanced(4, 1, 0, 0)", draw.call)],
        [1, 0, 0],
        -1,
        &|scene| _ = scene.draws.remove(0),
    );
    // Another call in the place of one that is left out.
    for side in ["before", "after"] {
        let scissor = "RSSetScissorRects(1, [{left = 6, top = 7, right = 20, bottom = 15}])";
        case(
            &[format!("call {}: drop", draw.call), format!("insert {side} call {}: {scissor}", draw.call)],
            &[
                format!("insert {side} call {}: DrawInstanced(4, 1, 0, 0)", draw.call),
                format!("call {}: drop", draw.call),
            ],
            [1, 1, 0],
            0,
            &|scene| {
                scene.scissor = [6, 7, 20, 15];
                scene.draws.remove(0);
            },
        );
    }
    // After a command that stays.
    case(
        &[format!("insert after call {}: RSSetScissorRects(1, [{{right = 0}}])", draw.call)],
        &[format!("call {}: drop", draw.call + 1)],
        [0, 1, 0],
        1,
        &|scene| scene.draws.truncate(1),
    );
    case(&[format!("call {}: repeat", draw.call)], &[format!("call {}: drop", draw.call + 1)], [0, 1, 0], 1, &|_| {});
    case(
        &[format!(
            "insert before call {}: RSSetScissorRects(NumRects = 1, pRects = [{{left = 6, top = 7, right = 20, bottom = 15}}])",
            draw.call
        )],
        &[format!("call {}: drop", draw.call)],
        [0, 1, 0],
        1,
        &|scene| scene.scissor = [6, 7, 20, 15],
    );
    case(
        &[format!("frame 1: calls 1-{} DrawInstanced where VertexCountPerInstance = 4: drop", scene.draws[1].call)],
        &[
            format!("insert before call {}: DrawInstanced(4, 1, 0, 0)", scene.draws[0].call),
            format!(
                "insert before call {}: ID3D12GraphicsCommandList(7)::DrawInstanced(VertexCountPerInstance=4, InstanceCount=1, StartVertexLocation=0, StartInstanceLocation=0)",
                scene.draws[1].call - 1
            ),
        ],
        [2, 0, 0],
        -2,
        &|scene| _ = scene.draws.drain(..2),
    );
    case(
        &["every CreateGraphicsPipelineState where pDesc.BlendState.RenderTarget[0].RenderTargetWriteMask = 8: pDesc.BlendState.RenderTarget[0].RenderTargetWriteMask = 7".to_owned()],
        &["every CreateGraphicsPipelineState where pDesc.BlendState.RenderTarget[0].RenderTargetWriteMask = 7: pDesc.BlendState.RenderTarget[0].RenderTargetWriteMask = 8".to_owned()],
        [0, 0, 1],
        0,
        &|scene| scene.draws.iter_mut().filter(|draw| draw.mask == 8).for_each(|draw| draw.mask = 7),
    );
    for (edits, back, counts, moved, changed) in &cases {
        let (edits, back): (Vec<&str>, Vec<&str>) =
            (edits.iter().map(String::as_str).collect(), back.iter().map(String::as_str).collect());
        assert_eq!(targets.picture(&edits, *moved), changed.picture(), "{edits:?}");
        let shows = changed.picture() != scene.picture();
        assert!(shows || edits[0].ends_with("repeat"), "{edits:?} would show nothing");
        there_and_back(bench, &edits, &back, *counts);
    }
    let info: Json = serde_json::from_str(&bench.output(&["info", "--json", "back.reprise"])).unwrap();
    assert_eq!(info["edited"]["edits"].as_array().unwrap().len(), 1, "{info}");
    assert_eq!(info["edited"]["before"]["edits"].as_array().unwrap().len(), 1, "{info}");
    assert_eq!((&info["complete"], &info["gap_count"]), (&true.into(), &0.into()));
}

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
fn contents_are_replaced_where_the_program_stored_them() {
    let bench = Bench::new();
    capture(&bench, "compute");
    let lines = dump(&bench, "trace.reprise");
    let dispatch = calls(&lines, "Dispatch")[0];
    let upload = |index: usize| lines.iter().filter(|line| line["event"] == "memory").nth(index).unwrap();
    let (settings, raw) = (upload(0)["object"]["id"].as_u64().unwrap(), upload(1)["object"]["id"].as_u64().unwrap());
    let copy = call(&lines, calls(&lines, "CopyBufferRegion")[0]);
    let (read_back, first_map) = (copy["args"]["pDstBuffer"]["id"].as_u64().unwrap(), calls(&lines, "Unmap")[0]);
    let words =
        |bytes: &[u8]| -> Vec<u32> { bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect() };
    let stored = |resource: u64| {
        let is = |record: &&Said| record.0 == Kind::Memory && u64::from(record.2) == resource;
        records(&bench, "trace.reprise").iter().find(is).unwrap().3[16..].to_vec()
    };
    let (old_settings, old_raw) = (stored(settings), stored(raw));
    // value = raw * multiplier + addend, as `compute.hlsl` has it.
    let expected = |settings: &[u32], raw: &[u32]| -> Vec<u32> {
        raw.iter().map(|raw| raw.wrapping_mul(settings[0]).wrapping_add(settings[1])).collect()
    };
    let of = |edits: &[&str]| words(&bytes(&bench, edits, read_back, first_map));
    assert_eq!(of(&[]), expected(&words(&old_settings), &words(&old_raw)), "the model does not know the program");

    let new: Vec<u8> = [3u32, 1000, 24, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(bench.path("settings.bin"), &new).unwrap();
    std::fs::write(bench.path("old.bin"), &old_settings[..16]).unwrap();
    let edit = format!("buffer {settings} = \"settings.bin\"");
    assert_eq!(of(&[&edit]), expected(&words(&new), &words(&old_raw)));
    there_and_back(&bench, &[&edit], &[&format!("buffer {settings} = \"old.bin\"")], [0, 0, 1]);

    // A part of a larger one.
    std::fs::write(bench.path("raw.bin"), [7; 8]).unwrap();
    std::fs::write(bench.path("old raw.bin"), &old_raw[64..72]).unwrap();
    let mut changed = old_raw.clone();
    changed[64..72].fill(7);
    let edit = format!("buffer {raw}+0x40 = \"raw.bin\"");
    assert_eq!(of(&[&edit]), expected(&words(&old_settings), &words(&changed)));
    there_and_back(&bench, &[&edit], &[&format!("buffer {raw}+64 = \"old raw.bin\"")], [0, 0, 1]);

    // Half of the groups leave the other half as it was made: zeros.
    let groups = call(&lines, dispatch)["args"]["ThreadGroupCountX"].as_u64().unwrap() as usize;
    let edit = format!("call {dispatch}: ThreadGroupCountX = {}", groups / 2);
    let mut half = expected(&words(&old_settings), &words(&old_raw));
    half[groups / 2 * 64..].fill(0);
    assert_eq!(of(&[&edit]), half);
    there_and_back(&bench, &[&edit], &[&format!("call {dispatch}: ThreadGroupCountX = {groups}")], [0, 0, 1]);

    // The GPU writes what is read back.
    let refused = bench.run(&["edit", "--check", "-e", &format!("buffer {read_back} = \"raw.bin\""), "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(1), "{}", refused.errors());
    assert!(refused.errors().contains("come from the GPU"), "{}", refused.errors());

    let bench = Bench::new();
    capture(&bench, "textures");
    let lines = dump(&bench, "trace.reprise");
    let copy = calls(&lines, "CopyTextureRegion")[0];
    let texture = call(&lines, copy)["args"]["pDst"]["pResource"]["id"].as_u64().unwrap();
    let new: Vec<u8> = (0..16 * 16 * 4).map(|at| (at * 7 % 251) as u8).collect();
    std::fs::write(bench.path("texels.bin"), &new).unwrap();
    let edit = format!("texture {texture} subresource 0 = \"texels.bin\"");
    let submitted = calls(&lines, "ExecuteCommandLists")[0];
    let of = |edits: &[&str]| texels(&bench, edits, texture, submitted)[..new.len()].to_vec();
    let before = of(&[]);
    assert_ne!(before, new);
    assert_eq!(of(&[&edit]), new);
    std::fs::write(bench.path("old.bin"), &before).unwrap();
    there_and_back(&bench, &[&edit], &[&format!("texture {texture} = \"old.bin\"")], [0, 0, 1]);
}

#[test]
fn what_is_forced_is_forced_everywhere_and_only_there() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let force = "force format DXGI_FORMAT_R8G8B8A8_UNORM = DXGI_FORMAT_B8G8R8A8_UNORM";
    let back = "force format DXGI_FORMAT_B8G8R8A8_UNORM = DXGI_FORMAT_R8G8B8A8_UNORM";
    // The channels of the first target lie in another order then.
    let mut swapped = Scene::of(lines).picture();
    swapped.chunks_mut(4).for_each(|texel| texel.swap(0, 2));
    assert_eq!(targets.picture(&[force], 0), swapped);
    edit(bench, "trace.reprise", &[force], "edited.reprise");
    let [removed, added, changed] = diff(bench, "edited.reprise");
    assert!(removed + added == 0 && changed > 4, "{removed} {added} {changed}");
    there_and_back(bench, &[force], &[back], [0, 0, changed]);

    // The second viewport is a list that is written whole, and its count follows.
    let viewport = calls(lines, "RSSetViewports")[0];
    let list = format!("call {viewport}: pViewports = [{{Width = 8, Height = 8, MaxDepth = 1}}, {{Width = 4}}]");
    edit(bench, "trace.reprise", &[&list], "edited.reprise");
    let edited = dump(bench, "edited.reprise");
    assert_eq!(call(&edited, viewport)["args"]["NumViewports"], 2);
    assert_eq!(call(&edited, viewport)["args"]["pViewports"][1]["Width"], 4.0);
    // What is as large as the targets: without the copies, whose rows would be others.
    let sized = |lines: &[Json], size: u64| {
        let text = |line: &&Json| {
            let args = line["args"].to_string();
            let texture = args.contains(&format!("\"Width\":{size},\"Height\":{size},"));
            let others =
                [format!("\"Width\":{size}.0,\"Height\":{size}.0"), format!("\"right\":{size},\"bottom\":{size}}}")];
            let makes =
                line["method"].as_str().is_some_and(|name| name.contains("::Create") || name.contains("::RSSet"));
            makes && (texture || others.iter().any(|other| args.contains(other)))
        };
        lines.iter().filter(text).count()
    };
    let before = sized(lines, 32);
    edit(bench, "trace.reprise", &["every CopyTextureRegion: drop", "force size 32x32 = 16x16"], "edited.reprise");
    let edited = dump(bench, "edited.reprise");
    assert!(before > 3, "{before}");
    assert_eq!((sized(&edited, 32), sized(&edited, 16)), (0, before + sized(lines, 16)));
    bench.output(&["replay", "-q", "edited.reprise"]);

    let bench = Bench::new();
    capture(&bench, "resolves");
    let lines = dump(&bench, "trace.reprise");
    let counts = |lines: &[Json], count: u64| {
        let makes = |line: &&Json| line["method"].as_str().is_some_and(|name| name.contains("::Create"));
        lines
            .iter()
            .filter(makes)
            .filter(|line| line["args"].to_string().contains(&format!("\"SampleDesc\":{{\"Count\":{count}")))
            .count()
    };
    let (four, two) = (counts(&lines, 4), counts(&lines, 2));
    assert!(four > 0, "the program has no four samples");
    edit(&bench, "trace.reprise", &["force samples 4 = 8"], "edited.reprise");
    let edited = dump(&bench, "edited.reprise");
    assert_eq!((counts(&edited, 4), counts(&edited, 2)), (counts(&lines, 4) - four, two));
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_written() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let scene = Scene::of(lines);
    let (viewport, draw) = (calls(lines, "RSSetViewports")[0], scene.draws[0].call);
    let heap = calls(lines, "CreateDescriptorHeap")[0];
    let (list, close, map) = (calls(lines, "CreateCommandList")[0], calls(lines, "Close")[0], calls(lines, "Map")[0]);
    let signal = calls(lines, "Signal")[0];
    let pipeline = calls(lines, "SetPipelineState")[0];
    let target = calls(lines, "OMSetRenderTargets")[0];
    let made = lines.iter().find(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let id = &made["args"]["ppPipelineState"]["id"];
    let vertex = shader("rectangle.vertex.dxbc");
    std::fs::write(bench.path("damaged.dxbc"), {
        let mut bytes = std::fs::read(shader("rectangle.many.dxbc")).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        bytes
    })
    .unwrap();
    let cases: Vec<(String, u8, &str)> = vec![
        (format!("call {viewport}: pViewports[9].Width = 1"), 1, "pViewports has no [9]"),
        (format!("call {viewport}: pViewports[0].Wide = 1"), 1, "has no Wide: it has"),
        (format!("call {viewport}: pViewports[0] = 1"), 1, "not one value"),
        (format!("call {viewport}: NumViewports = 9"), 1, "would read what it does not have"),
        (format!("call {viewport}: NumViewports = 4294967296"), 1, "out of range"),
        (format!("call {target}: pRenderTargetDescriptors = [null, null, null, null, null]"), 1, "more elements than"),
        (format!("call {viewport}: pViewports = [{{Wide = 1}}]"), 1, "has no Wide"),
        ("force size 32x32 = 16x16".into(), 1, "whose rows are others"),
        (format!("call {viewport}: pViewports[0].Width = \"wide\""), 1, "a number"),
        (format!("call {viewport}: pViewports[0].Width = 32"), 1, "nothing would change"),
        (format!("call {viewport} DrawInstanced: drop"), 1, "not DrawInstanced"),
        (format!("call {pipeline}: pPipelineState = 999"), 1, "does not exist there"),
        (format!("call {pipeline}: pPipelineState = 1"), 1, "not ID3D12PipelineState"),
        (format!("call {target}: pRenderTargetDescriptors[0] = heap {}[77]", 1), 1, "no descriptor heap"),
        (format!("call {target}: pRenderTargetDescriptors[0] = 0x77"), 1, "not a descriptor"),
        ("call 99999: drop".into(), 1, "there is no call 99999"),
        ("every DrawIndexedInstanced: drop".into(), 1, "nothing in the trace"),
        ("frame 2: calls 1-9 DrawInstanced: drop".into(), 1, "nothing in the trace"),
        (format!("call {heap}: drop"), 1, "uses: it cannot be dropped"),
        (format!("call {list}: drop"), 1, "uses: it cannot be dropped"),
        (format!("call {close}: drop"), 1, "without Close"),
        (format!("call {map}: drop"), 1, "count on Map"),
        (format!("call {signal}: drop"), 1, "wait for what Signal says"),
        (format!("insert before call {draw}: DrawInstanced(3)"), 1, "takes 4 arguments"),
        (format!("insert before call {draw}: Close()"), 1, "no command that a list records"),
        (format!("insert before call {list}: DrawInstanced(3, 1, 0, 0)"), 1, "only beside the commands"),
        (format!("insert before call {draw}: SetPipelineState(1)"), 1, "not ID3D12PipelineState"),
        (format!("shader of {id} PS = \"{vertex}\""), 1, "is a vertex shader"),
        (format!("shader of {id} GS = \"{vertex}\""), 1, "has no GS: it has VS, PS"),
        (format!("shader of {id} PS = \"damaged.dxbc\""), 1, "checksum"),
        (format!("shader of {id} PS = \"{}\"", shader("uavs.pixel.dxbc")), 1, "uses register u0 of space 0"),
        (format!("shader of {id} PS = \"{}\"", shader("vertices.pixel.dxbc")), 1, "PS takes in"),
        (format!("shader of {id} PS = \"trace.reprise\""), 1, "no shader container"),
        ("shader 00000000000000000000000000000000 = \"trace.reprise\"".into(), 1, "nothing in the trace"),
        ("buffer 9999 = \"trace.reprise\"".into(), 1, "no resource 9999"),
        ("force samples 1 = 4".into(), 1, "2, 4, 8 or 16"),
        ("force format DXGI_FORMAT_R8G8B8A8_UNORM = DXGI_FORMAT_BC1_UNORM".into(), 1, "differ in blocks"),
        (format!("call {viewport}: "), 2, "column"),
        ("every Drawn: drop".into(), 2, "column 7: the name of a method"),
        (format!("call {viewport}: pViewports[x] = 1"), 2, "the number of an element"),
    ];
    let files = bench.files();
    for (edit, code, says) in &cases {
        let refused = bench.run(&["edit", "-o", "no.reprise", "-e", edit, "trace.reprise"]);
        let why = refused.errors();
        assert_eq!(refused.status.code(), Some(i32::from(*code)), "{edit}: {why}");
        assert!(why.contains(says), "{edit}: {why}");
        assert!(*code == 2 || why.contains(edit.as_str()), "{edit}: {why}");
    }
    assert_eq!(bench.files(), files, "nothing is written");
    // A damaged trace, and a file of edits that names its own line.
    let mut bytes = std::fs::read(bench.path("trace.reprise")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(bench.path("damaged.reprise"), bytes).unwrap();
    let refused = bench.run(&["edit", "-e", "call 1: drop", "-o", "no.reprise", "damaged.reprise"]);
    assert_eq!(refused.status.code(), Some(3), "{}", refused.errors());
    std::fs::write(bench.path("changes.txt"), "# What is wrong here\n\nevery DrawInstanced: drup\n").unwrap();
    let refused = bench.run(&["edit", "--edits", "changes.txt", "-o", "no.reprise", "trace.reprise"]);
    assert_eq!(refused.status.code(), Some(2), "{}", refused.errors());
    assert!(refused.errors().contains("changes.txt, line 3, column"), "{}", refused.errors());
    assert!(!bench.path("no.reprise").exists());
}

#[test]
fn a_replay_of_an_edited_trace_says_that_it_is_one() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let scene = Scene::of(&targets.lines);
    let edit = format!("call {}: drop", scene.draws[0].call);
    let files = bench.files();
    let played = bench.run(&["replay", "--json", "-e", &edit, "trace.reprise"]);
    assert!(played.status.success() && played.errors().contains("edited (1 edit)"), "{}", played.errors());
    let text = played.text();
    let report: Json = serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap();
    assert!(report["different_bytes"].as_u64().unwrap() > 0, "what is read back shows the edit: {report}");
    assert_eq!(bench.files(), files, "no trace is left");
    let plain = bench.run(&["replay", "--json", "trace.reprise"]);
    assert!(!plain.errors().contains("edited"), "{}", plain.errors());
    let verified = bench.run(&["verify", "-e", &edit, "trace.reprise"]);
    assert_eq!(verified.status.code(), Some(1), "{}", verified.errors());
    assert!(verified.errors().contains("differences are expected"), "{}", verified.errors());
}

#[test]
fn nothing_that_is_read_is_written_to() {
    let targets = Targets::new();
    let bench = &targets.bench;
    let draw = Scene::of(&targets.lines).draws[0].call;
    let drop = format!("call {draw}: drop");
    let made = targets.lines.iter().find(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let edits = format!("{drop}\nshader of {} PS = \"named.dxil\"\n", made["args"]["ppPipelineState"]["id"]);
    let named = std::fs::read(shader("rectangle.many.dxil")).unwrap();
    std::fs::write(bench.path("changes.txt"), &edits).unwrap();
    std::fs::write(bench.path("named.dxil"), &named).unwrap();
    let trace = std::fs::read(bench.path("trace.reprise")).unwrap();
    let at = draw.to_string();
    let with_line: [&[&str]; 4] = [
        &["replay", "--frame-hashes", "trace.reprise"],
        &["replay", "--log-file", "trace.reprise"],
        &["show", "--call", &at, "--target", "0", "-o", "trace.reprise"],
        &["edit", "--force", "-o", "trace.reprise"],
    ];
    let with_file: [&[&str]; 4] = [
        &["replay", "--frame-hashes", "changes.txt"],
        &["replay", "--log-file", "changes.txt"],
        &["edit", "--force", "-o", "changes.txt"],
        &["edit", "--force", "-o", "named.dxil"],
    ];
    let line = with_line.iter().map(|arguments| [arguments, &["-e", &drop, "trace.reprise"][..]].concat());
    let file = with_file.iter().map(|arguments| [arguments, &["--edit", "changes.txt", "trace.reprise"][..]].concat());
    for arguments in line.chain(file) {
        let refused = bench.run(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {}", refused.errors());
        let says = ["that is read: name another", "is a file of this command already"];
        assert!(says.iter().any(|says| refused.errors().contains(says)), "{arguments:?}: {}", refused.errors());
        assert_eq!(std::fs::read(bench.path("trace.reprise")).unwrap(), trace, "{arguments:?}");
        assert_eq!(std::fs::read_to_string(bench.path("changes.txt")).unwrap(), edits, "{arguments:?}");
        assert_eq!(std::fs::read(bench.path("named.dxil")).unwrap(), named, "{arguments:?}");
    }
    bench.output(&["replay", "-q", "--frame-hashes", "hashes.txt", "-e", &drop, "trace.reprise"]);
}

#[test]
fn what_is_inserted_after_a_call_that_returns_is_behind_its_end() {
    let bench = Bench::new();
    capture(&bench, "passes");
    let lines = dump(&bench, "trace.reprise");
    let is_list = |number: &u64| {
        call(&lines, *number)["method"].as_str().is_some_and(|name| name.starts_with("ID3D12GraphicsCommandList"))
    };
    let reset = calls(&lines, "Reset").into_iter().find(is_list).unwrap();
    let insert = format!("insert after call {reset}: RSSetScissorRects(1, [{{right = 77, bottom = 7}}])");
    there_and_back(&bench, &[&insert], &[&format!("call {}: drop", reset + 1)], [0, 1, 0]);
    edit(&bench, "trace.reprise", &[&insert], "edited.reprise");
    let records = records(&bench, "edited.reprise");
    let is_new =
        |record: &Said| record.1 == "RSSetScissorRects" && record.3.windows(4).any(|word| word == 77u32.to_le_bytes());
    let at = records.iter().position(is_new).unwrap();
    let before = &records[at - 1];
    assert_eq!((before.0, before.1.as_str(), before.2), (Kind::Leave, "Reset", records[at].2));
    bench.output(&["replay", "-q", "edited.reprise"]);
}

#[test]
fn edits_that_spoil_each_other_are_refused() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    let draw = Scene::of(lines).draws[0].call;
    let refused = |edits: &[String], says: &[&str]| {
        let mut arguments = vec!["edit", "--check"];
        edits.iter().for_each(|edit| arguments.extend(["-e", edit]));
        arguments.push("trace.reprise");
        let refused = bench.run(&arguments);
        assert_eq!(refused.status.code(), Some(1), "{edits:?}: {}", refused.errors());
        says.iter().for_each(|says| assert!(refused.errors().contains(says), "{edits:?}: {}", refused.errors()));
    };
    let (drop, repeat) = (format!("call {draw}: drop"), format!("call {draw}: repeat"));
    for edits in [[drop.clone(), repeat.clone()], [repeat, drop]] {
        refused(&edits, &["repeat): ", "another edit drops the call that this one repeats"]);
    }

    // A pipeline that nobody makes any more, and that nobody but the inserted call uses.
    let made = lines.iter().rfind(|line| line["args"]["ppPipelineState"].is_object()).unwrap();
    let id = made["args"]["ppPipelineState"]["id"].as_u64().unwrap();
    let uses = |line: &&Json| {
        line["this"]["id"] == id
            || line["args"]["ppPipelineState"]["id"] == id
            || line["args"]["pPipelineState"]["id"] == id
    };
    let mut edits: Vec<String> = lines
        .iter()
        .filter(uses)
        .filter_map(|line| line["call"].as_u64())
        .map(|call| format!("call {call}: drop"))
        .collect();
    assert!(edits.len() > 1, "{edits:?}");
    let sets = |line: &&Json| line["args"]["pPipelineState"]["id"] == id;
    let user = &lines.iter().rfind(sets).unwrap()["call"];
    let arguments: Vec<&str> = edits.iter().flat_map(|edit| ["-e", edit]).collect();
    bench.output(&[&["edit", "--check"], &arguments[..], &["trace.reprise"]].concat());
    edits.push(format!("insert before call {user}: SetPipelineState({id})"));
    let how = format!(
        "makes object {id}, which the call that is inserted before call {user} (ID3D12GraphicsCommandList::SetPipelineState) uses"
    );
    refused(&edits, &[&how]);
}

#[test]
fn a_trace_that_claims_endless_calls_is_refused() {
    use reprise_trace::layout::FileHeader;
    use reprise_trace::record::{Header, Record};
    use reprise_trace::trace_writer::{FileOutput, Progress, TraceWriter};
    let bench = Bench::new();
    let hostile = |name: &str, calls: u64| {
        let header = FileHeader { api_version: 1, api_hash: reprise_d3d12::FINGERPRINT, start: Default::default() };
        let file = FileOutput::create(&bench.path(name)).unwrap();
        let mut writer = TraceWriter::create(file, &header, serde_json::Map::new()).unwrap();
        let thread = writer.add_thread(1, 1, "main");
        let mut payload = [0; 24];
        payload[..4].copy_from_slice(&reprise_trace::fact::LEFT_OUT.to_le_bytes());
        payload[8..16].copy_from_slice(&calls.to_le_bytes());
        let header = Header { kind: Kind::Fact as u8, ..Header::default() };
        let record = Record { header, kind: Kind::Fact, sequence: 0, ticks: 0, after: 0, payload: &payload };
        writer.record(thread, &record, false);
        let made =
            writer.finish(Vec::new(), |_| Progress::default(), &|methods| reprise_codec::schema::of(&MODEL, methods));
        made.unwrap().0.finish().unwrap();
        bench.run(&["edit", "--check", "-e", "every DrawInstanced: drop", name])
    };
    let endless = hostile("endless.reprise", 1 << 63);
    assert_eq!(endless.status.code(), Some(3), "{}", endless.errors());
    assert!(endless.errors().contains("damaged"), "{}", endless.errors());
    let none = hostile("none.reprise", 0);
    assert_eq!(none.status.code(), Some(1), "{}", none.errors());
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

#[test]
fn what_belongs_together_is_dropped_together() {
    let targets = Targets::new();
    let (bench, lines) = (&targets.bench, &targets.lines);
    // The root signature was serialised, and its bytes are in the call that makes it: the blob is of no use to a replay.
    let made = call(lines, calls(lines, "CreateRootSignature")[0])["call"].as_u64().unwrap();
    let serialise = lines.iter().find(|line| line["method"] == "D3D12SerializeRootSignature").unwrap();
    let (first, blob) = (serialise["call"].as_u64().unwrap(), &serialise["args"]["ppBlob"]["id"]);
    let users: Vec<u64> =
        lines.iter().filter(|line| line["this"]["id"] == *blob).filter_map(|line| line["call"].as_u64()).collect();
    assert!(users.len() > 1 && users.iter().all(|user| (first..made + 4).contains(user)), "{users:?}");
    let alone = format!("call {first}: drop");
    let refused = bench.run(&["edit", "--check", "-e", &alone, "trace.reprise"]);
    let why = format!("call {first}: it makes object {blob}, which call {} (", users[0]);
    assert!(refused.status.code() == Some(1) && refused.errors().contains(&why), "{}", refused.errors());
    let user = format!("call {}: drop", users[users.len() - 1]);
    let refused = bench.run(&["edit", "--check", "-e", &user, "trace.reprise"]);
    assert!(refused.errors().contains("references are counted"), "{}", refused.errors());
    let mut all = vec![alone];
    all.extend(users.iter().map(|user| format!("call {user}: drop")));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    edit(bench, "trace.reprise", &all, "edited.reprise");
    assert_eq!(diff(bench, "edited.reprise"), [all.len() as u64, 0, 0]);
    assert_eq!(targets.picture(&all, -(all.len() as i64)), Scene::of(lines).picture());

    let bench = Bench::new();
    capture(&bench, "passes");
    let lines = dump(&bench, "trace.reprise");
    let passes = calls(&lines, "BeginRenderPass").len() as u64;
    let ends = calls(&lines, "EndRenderPass").len() as u64;
    assert!(passes > 0 && passes == ends, "{passes} {ends}");
    let (begin, end) = ("every BeginRenderPass: drop", "every EndRenderPass: drop");
    for (one, other) in [(begin, "EndRenderPass"), (end, "BeginRenderPass")] {
        let refused = bench.run(&["edit", "--check", "-e", one, "trace.reprise"]);
        let says = format!("({other}), which belongs to it");
        assert!(refused.status.code() == Some(1) && refused.errors().contains(&says), "{}", refused.errors());
    }
    edit(&bench, "trace.reprise", &[begin, end], "edited.reprise");
    assert_eq!(diff(&bench, "edited.reprise"), [passes + ends, 0, 0]);
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

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

mod contents;
mod forced;
mod outputs;
mod pictures;
mod refused;
mod shaders;
mod undone;
mod unrolled;

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

/// All records but those that say of time, and those that keep what an edit replaced.
fn records(bench: &Bench, name: &str) -> Vec<Said> {
    let trace = Trace::open(&bench.path(name)).unwrap();
    reprise_codec::translate::attach(&trace, &Extended::new(MODEL)).unwrap();
    let mut events = trace.events_as_recorded();
    let mut all = Vec::new();
    while let Some(event) = events.next().unwrap() {
        if event.kind == Kind::Fact && event.fact().is_some_and(|(number, _)| number == reprise_trace::fact::EDITED) {
            continue;
        }
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
    undone::undo(bench, "edited.reprise", "trace.reprise");
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

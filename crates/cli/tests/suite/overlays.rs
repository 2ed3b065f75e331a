//! `reprise show --overlay`: counts by class, against what the captured programs draw by their own constants, and against the histories of pixels,
//! which count fragments in another way.

use crate::bench::Bench;
use crate::programs;
use reprise_replay::{Options, OverlayColours, OverlayLayer, OverlayWish};
use serde_json::{Value as Json, json};

fn lines(text: &str) -> Vec<Json> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn captured(name: &str) -> Bench {
    let bench = Bench::new();
    programs::capture(&bench, name, &programs::ours());
    bench
}

/// The calls whose methods end in one of these names.
fn calls(bench: &Bench, names: &[&str]) -> Vec<u64> {
    let all = lines(&bench.output(&["dump", "--json", "trace.reprise"]));
    let is_it =
        |call: &&Json| call["method"].as_str().is_some_and(|method| names.iter().any(|name| method.ends_with(name)));
    all.iter().filter(is_it).map(|call| call["call"].as_u64().unwrap()).collect()
}

/// What `show --overlay` says with these arguments, and the exit code.
fn overlays(bench: &Bench, call: u64, kinds: &str, more: &[&str]) -> (Vec<Json>, i32) {
    let call = call.to_string();
    let arguments = ["show", "trace.reprise", "--json", "--call", &call, "--overlay", kinds];
    let finished = bench.run(&[&arguments[..], more].concat());
    (lines(&finished.text()), finished.status.code().unwrap())
}

/// The target of a draw.
fn said_resource(bench: &Bench, draw: u64) -> String {
    let said = lines(&bench.output(&["show", "trace.reprise", "--json", "--call", &draw.to_string(), "--target", "0"]));
    said[0]["resource"].to_string()
}

/// The counts of one overlay.
fn counts(bench: &Bench, call: u64, kind: &str, more: &[&str]) -> Json {
    let (said, code) = overlays(bench, call, kind, more);
    assert_eq!(code, 0, "{said:?}");
    assert_eq!((said.len(), &said[0]["overlay"]), (1, &json!(kind)));
    said[0]["counts"].clone()
}

/// Red, green and blue of the pixels of a PNG file, and its width.
pub(crate) fn pixels(bench: &Bench, name: &str) -> (Vec<[u8; 3]>, usize) {
    let file = std::io::BufReader::new(std::fs::File::open(bench.path(name)).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    bytes.truncate(info.buffer_size());
    let step = info.color_type.samples();
    (bytes.chunks(step).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(), info.width as usize)
}

const GREEN: [u8; 3] = [30, 200, 60];
const RED: [u8; 3] = [230, 30, 30];

/// The program `pixels` draws cells of four by four pixels, each with one reason why it is lost.
#[test]
fn each_test_takes_the_cell_that_it_is_to_take() {
    let bench = captured("pixels");
    let draws = calls(&bench, &["::DrawInstanced"]);
    assert_eq!(draws.len(), 15);
    // In the cell of what is discarded, columns from 24 on and rows from 0 on: those that add up to a multiple of three.
    let discarded = (24..28).flat_map(|x| (0..4).map(move |y| x + y)).filter(|sum| sum % 3 == 0).count();
    let left = 16 - discarded;
    let test = |passed: usize, failed: usize| json!({ "passed": passed, "failed": failed });
    let less = |drawn: usize, more: usize| json!({ "drawn": drawn, "more": more });
    let faces = |front: usize, back: usize| json!({ "front": front, "back": back, "both": 0 });
    for (cell, kind, wanted) in [
        (0, "draw", json!({ "drawn": 16 })),
        (0, "depth", test(16, 0)),
        (0, "without=all", less(16, 0)),
        (1, "draw", json!({ "drawn": 0 })),
        (1, "without=scissor", less(0, 16)),
        (1, "without=depth", less(0, 0)),
        (2, "backface", faces(16, 0)),
        (2, "without=cull", less(0, 16)),
        (3, "backface", faces(0, 16)),
        (3, "without=cull", less(0, 16)),
        (4, "without=depth-clip", less(0, 16)),
        (4, "without=cull", less(0, 0)),
        (5, "without=sample-mask", less(0, 16)),
        (6, "draw", json!({ "drawn": left })),
        (6, "without=discard", less(left, discarded)),
        (6, "depth", test(left, 0)),
        (7, "stencil", test(0, 16)),
        (7, "depth", test(0, 0)),
        (7, "without=stencil", less(0, 16)),
        (8, "depth", test(0, 16)),
        (8, "stencil", test(16, 0)),
        (8, "without=depth", less(0, 16)),
        (8, "without=all", less(0, 16)),
        (11, "draw", json!({ "drawn": 32 * 32 })),
        (12, "draw", json!({ "drawn": 0 })),
        (13, "depth", test(16, 0)),
        (13, "changed", json!({ "changed": 16 })),
        (6, "changed", json!({ "changed": left })),
        (8, "changed", json!({ "changed": 0 })),
        // It writes the value that is there.
        (10, "changed", json!({ "changed": 0 })),
        (10, "draw", json!({ "drawn": 16 })),
    ] {
        assert_eq!(counts(&bench, draws[cell], kind, &[]), wanted, "cell {cell}: {kind}");
    }
    // A kind that is named twice is one, and its picture may be a file.
    let (said, code) = overlays(&bench, draws[0], "draw,depth,draw", &[]);
    assert_eq!((said.len(), code, &said[0]["overlay"], &said[1]["overlay"]), (2, 0, &json!("draw"), &json!("depth")));
    assert_eq!(counts(&bench, draws[0], "draw", &["--overlay", "draw", "-o", "draw.png"]), json!({ "drawn": 16 }));
    // The control: a count is of its own draw.
    assert_ne!(counts(&bench, draws[8], "depth", &[]), counts(&bench, draws[13], "depth", &[]));
}

/// The viewport of one draw is a quarter of the target, and the scissor of another one its lower half.
#[test]
fn viewports_and_scissors_are_outlined() {
    let bench = captured("pixels");
    let draws = calls(&bench, &["::DrawInstanced"]);
    let ring = |width: u32, height: u32| 2 * width + 2 * height - 4;
    let of = |edge: u32, scissor_edge: u32, cut: u32, inside: u32| json!({ "edge": edge, "scissor_edge": scissor_edge, "cut": cut, "inside": inside });
    let quarter = counts(&bench, draws[11], "viewport", &[]);
    // The scissor is the whole target, whose rim the viewport shares for 32 rows and 32 columns.
    assert_eq!(quarter, of(ring(32, 32), ring(64, 64) - 63, 0, 32 * 32 - ring(32, 32)));
    // Three sides of the scissor lie on the viewport's edge.
    let half = counts(&bench, draws[1], "viewport", &[]);
    assert_eq!(half, of(ring(64, 64), 62, 62 * 31, 62 * 30));
}

/// A fragment that the history of a pixel loses at a test is red there in the overlay of the test, and one that passes is green. The histories
/// come from queries under single draws, the overlays from marks in a texture.
#[test]
fn overlays_agree_with_the_histories_of_pixels() {
    let bench = captured("depth");
    let draws: Vec<u64> = calls(&bench, &["::DrawInstanced"]);
    let places: Vec<(usize, usize)> = (0..16).map(|at| (4 * at + at % 3, (17 * at + 5) % 64)).collect();
    let mut arguments: Vec<String> = ["pixel", "trace.reprise", "--frame", "1", "--json"].map(str::to_owned).into();
    arguments.extend(places.iter().flat_map(|(x, y)| ["--at".to_owned(), format!("{x},{y}")]));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let histories = lines(&bench.output(&arguments));
    assert_eq!(histories.len(), places.len());
    let event = |history: &Json, draw: u64| {
        let events = history["events"].as_array().unwrap();
        events.iter().find(|event| event["call"] == draw && event["tests"].is_object()).cloned()
    };
    let events = |draw: u64| histories.iter().map(|history| event(history, draw)).collect::<Vec<_>>();
    let comes = |draw: &u64| events(*draw).iter().flatten().any(|event| event["tests"]["fragments"] != 0);
    let draws: Vec<u64> = draws.into_iter().filter(comes).collect();
    let numbers: Vec<String> = draws.iter().map(u64::to_string).collect();
    let mut arguments = vec!["show", "trace.reprise", "--overlay", "depth,stencil", "-o", "pictures/"];
    arguments.extend(numbers.iter().flat_map(|number| ["--call", number]));
    bench.output(&arguments);
    let mut seen = std::collections::BTreeMap::new();
    let (mut compared, mut control) = (0, 0);
    for draw in &draws {
        let events = events(*draw);
        for kind in ["depth", "stencil"] {
            let (picture, width) = pixels(&bench, &format!("pictures/call{draw:08}_target0_{kind}.png"));
            let colour = |(x, y): (usize, usize)| picture[y * width + x];
            let class = |colour: [u8; 3]| match colour {
                GREEN => "passed",
                RED => "failed",
                _ => "none",
            };
            for (place, event) in places.iter().zip(&events) {
                let Some(event) = event else { continue };
                let left = event["tests"]["left"].as_array().unwrap();
                let of = |test: &str| left.iter().find(|it| it["test"] == test).map(|it| it["left"].as_u64().unwrap());
                let before = |tests: &[&str]| {
                    let before: Vec<u64> = left
                        .iter()
                        .filter(|it| !tests.contains(&it["test"].as_str().unwrap()))
                        .map(|it| it["left"].as_u64().unwrap())
                        .collect();
                    *before.last().unwrap()
                };
                let (comes, passes) = match kind {
                    "depth" => (before(&["depth"]), of("depth").unwrap_or_else(|| before(&[]))),
                    _ => (before(&["depth", "stencil"]), before(&["depth"])),
                };
                let wanted = match (comes, passes) {
                    (0, _) => "none",
                    (_, 0) => "failed",
                    _ => "passed",
                };
                let shown = class(colour(*place));
                assert_eq!(shown, wanted, "{kind} of draw {draw} at {place:?}: {}", event["tests"]);
                *seen.entry((kind, wanted)).or_insert(0) += 1;
                compared += 1;
                control += usize::from(class(colour((63 - place.0, place.1))) != wanted);
            }
        }
    }
    for kind in ["depth", "stencil"] {
        for class in ["passed", "failed", "none"] {
            assert!(seen.get(&(kind, class)).is_some_and(|count| *count > 3), "{kind} {class}: {seen:?}");
        }
    }
    // Elsewhere in the same pictures it is not so.
    assert!(compared > 300 && control * 10 > compared, "{control} of {compared}");
}

/// Every draw once more in all layers: the program reads what it reads without that.
#[test]
fn what_the_program_reads_is_not_changed() {
    let mut painted = 0;
    for name in [
        "pixels",
        "depth",
        "outputs",
        "blending",
        "pipelines",
        "pipeline-streams",
        "targets",
        "viewports",
        "samples",
        "prepass",
    ] {
        let bench = captured(name);
        let draws = calls(&bench, &["::DrawInstanced", "::DrawIndexedInstanced", "::ExecuteIndirect"]);
        let wish = |call: u64| {
            let whole = OverlayLayer::WHOLE;
            // The last one has another scissor than the program's draw.
            let layers = vec![
                whole,
                OverlayLayer { depth: false, ..whole },
                OverlayLayer { wireframe: true, ..whole },
                OverlayLayer::COVERAGE,
            ];
            let everything = OverlayColours { layer: OverlayLayer::COVERAGE, blend: true };
            [Some(0), None].map(|slot| OverlayWish {
                call,
                submission: None,
                slot,
                layers: layers.clone(),
                colours: slot.map(|_| everything),
            })
        };
        let wishes: Vec<OverlayWish> = draws.into_iter().flat_map(wish).collect();
        let replayed = |overlays: Vec<OverlayWish>| {
            let mut reads = Vec::new();
            let runtime = Some(programs::ours().display().to_string());
            let on_read: reprise_replay::OnRead<'_> = Box::new(|read| reads.push(*read));
            let mut options = Options { runtime, overlays, on_read: Some(on_read), ..Options::default() };
            let report = reprise_replay::replay(&bench.path("trace.reprise"), &mut options).unwrap();
            drop(options);
            (reads, report)
        };
        let (with, report) = replayed(wishes);
        let (without, _) = replayed(Vec::new());
        assert!(!with.is_empty() && with.iter().all(|read| !read.differs), "{name}: {with:?}");
        assert_eq!(with, without, "{name}");
        painted += report.overlays.iter().filter(|overlay| overlay.is_ok()).count();
    }
    assert!(painted > 150, "{painted} overlays were painted");
}

/// Without a test, the cell that it takes has the draw's value, which is the cell's number from 1 on; all other texels are what they are.
#[test]
fn a_target_is_shown_as_it_would_be() {
    let bench = captured("pixels");
    let draws = calls(&bench, &["::DrawInstanced"]);
    for (cell, test, column) in
        [(1, "scissor", 4), (2, "cull", 8), (7, "stencil", 28), (8, "depth", 32), (8, "all", 32)]
    {
        let kind = format!("without={test}");
        let more = ["-o", "without.png", "--range", "0,255"];
        let (said, code) = overlays(&bench, draws[cell], &kind, &more);
        assert_eq!((code, &said[0]["numbers"]["different"]), (0, &json!(16)), "{said:?}");
        let call = draws[cell].to_string();
        bench.output(&[
            "show",
            "trace.reprise",
            "--call",
            &call,
            "--target",
            "0",
            "--range",
            "0,255",
            "-o",
            "after.png",
        ]);
        let ((would, width), (is, _)) = (pixels(&bench, "without.png"), pixels(&bench, "after.png"));
        for (at, (would, is)) in would.iter().zip(&is).enumerate() {
            let (x, y) = (at % width, at / width);
            let in_cell = (column..column + 4).contains(&x) && y < 4;
            assert_eq!(*would, if in_cell { [cell as u8 + 1; 3] } else { *is }, "{test}: {x},{y}");
            assert!(!in_cell || would != is);
        }
    }
    // With a test that takes nothing there, nothing is different.
    let (said, _) = overlays(&bench, draws[8], "without=stencil", &[]);
    assert_eq!(said[0]["numbers"]["different"], 0, "{said:?}");
}

/// Without blending, each cell has what the program's pixel shader gives there, and with it something else in most cells.
#[test]
fn blending_is_left_out() {
    let bench = captured("blending");
    let draws = calls(&bench, &["::DrawInstanced"]);
    assert_eq!(draws.len(), 128, "two for each of 64 cells");
    let blended: Vec<u64> = draws.into_iter().skip(1).step_by(2).collect();
    let numbers: Vec<String> = blended.iter().map(u64::to_string).collect();
    let mut arguments = vec!["show", "trace.reprise", "--json", "--overlay", "without=blend", "-o", "pictures/"];
    arguments.extend(["--channels", "rgba"]);
    arguments.extend(numbers.iter().flat_map(|number| ["--call", number]));
    let said = lines(&bench.output(&arguments));
    let mut others = 0;
    for (index, (draw, said)) in blended.iter().zip(&said).enumerate() {
        assert_eq!(said["counts"], json!({ "drawn": 64, "more": 0 }), "{said}");
        let (picture, width) = pixels(&bench, &format!("pictures/call{draw:08}_target0_without_blend.png"));
        let (left, top) = (index % 8 * 8, index / 8 * 8);
        // The colour that the program gives for this equation.
        let new = [100, 99, 255 - 16 * (index / 4) as u8];
        assert_eq!(picture[(top + 3) * width + left + 5], new, "cell {index}");
        others += usize::from(said["numbers"]["different"] == 64);
    }
    assert!(others > 40, "{others} cells are others with blending");
}

/// Of a rectangle of whole pixels that is a strip of two triangles. The corners are in the order upper left, upper right, lower left, lower
/// right; the diagonal is the second triangle's left edge, so the pixels on it are that one's.
#[test]
fn triangles_have_the_sizes_and_squares_that_their_corners_say() {
    let bench = captured("pixels");
    let draws = calls(&bench, &["::DrawInstanced"]);
    for (cell, (left, top, size), area) in [(0u64, (0u32, 0u32, 4u32), "below_16"), (14, (56, 8, 4), "below_16")] {
        let (said, code) = overlays(&bench, draws[cell as usize], "triangles,quads", &[]);
        assert_eq!(code, 0, "{said:?}");
        let (sizes, quads) = (&said[0], &said[1]);
        let all = u64::from(size * size);
        assert_eq!((&sizes["counts"][area], &sizes["numbers"]["triangles"]), (&json!(all), &json!(2)), "{sizes}");
        let mut squares = std::collections::BTreeMap::new();
        for x in left..left + size {
            for y in top..top + size {
                let is_second = (x - left) + (y - top) + 1 >= size;
                squares.entry((x / 2, y / 2)).or_insert_with(std::collections::BTreeSet::new).insert(is_second);
            }
        }
        let times = |times: usize| 4 * squares.values().filter(|it| it.len() == times).count();
        assert_eq!((&quads["counts"]["1"], &quads["counts"]["2"]), (&json!(times(1)), &json!(times(2))), "{quads}");
        let shaded: usize = squares.values().map(std::collections::BTreeSet::len).sum();
        assert_eq!(quads["numbers"], json!({ "quads": shaded, "fragments": all, "most": 2 }));
        let apart = |said: &Json| said["notes"].to_string().contains("not by the GPU");
        assert!(!apart(sizes) && !apart(quads), "{said:?}");
    }
    // A quarter of the target: two triangles of 512 pixels each. Both are culled in the cells of faces.
    let large = counts(&bench, draws[11], "triangles", &[]);
    assert_eq!((&large["large"], &large["below_16"]), (&json!(32 * 32), &json!(0)));
    for cell in [2, 3] {
        assert_eq!(overlays(&bench, draws[cell], "triangles", &[]).0[0]["numbers"]["triangles"], 0);
    }
}

/// What the rasteriser here covers is what the GPU covers, in draws of many shapes.
#[test]
fn triangles_cover_what_the_gpu_covers() {
    let mut compared = 0;
    for name in ["depth", "vertices", "outputs", "targets"] {
        let bench = captured(name);
        for draw in calls(&bench, &["::DrawInstanced", "::DrawIndexedInstanced"]).into_iter().take(12) {
            let (said, _) = overlays(&bench, draw, "quads", &[]);
            if said[0]["error"].is_null() {
                assert!(!said[0]["notes"].to_string().contains("not by the GPU"), "{name}, {draw}: {said:?}");
                compared += usize::from(said[0]["numbers"]["fragments"] != 0);
            }
        }
    }
    assert!(compared > 10, "{compared} draws covered something");
}

/// A draw without targets, for its depth alone, has its overlays over the depth buffer.
#[test]
fn a_draw_without_targets_is_shown_over_depth() {
    let bench = captured("depth-bias");
    let draw = calls(&bench, &["::DrawInstanced"])[0];
    let (said, code) = overlays(&bench, draw, "draw,changed", &[]);
    assert_eq!((code, &said[0]["what"], &said[1]["what"]), (0, &json!("depth"), &json!("depth")), "{said:?}");
    // Depth is written where the draw reaches.
    assert_eq!(said[0]["counts"]["drawn"], said[1]["counts"]["changed"], "{said:?}");
    assert_ne!(said[0]["counts"]["drawn"], 0);
    assert_eq!(counts(&captured("pixels"), 43, "draw", &[])["drawn"], 16);
}

/// Edges are a part of what is covered, or lie beside it, and leave the middle of large triangles out.
#[test]
fn a_wireframe_is_of_edges() {
    let bench = captured("pixels");
    let draws = calls(&bench, &["::DrawInstanced"]);
    let (said, _) = overlays(&bench, draws[11], "wireframe", &["-o", "wire.png"]);
    let (picture, width) = pixels(&bench, "wire.png");
    let is_edge = |x: usize, y: usize| picture[y * width + x] == [255, 220, 0];
    assert_eq!(picture.iter().filter(|pixel| **pixel == [255, 220, 0]).count() as u64, said[0]["counts"]["edge"]);
    // The viewport is 32 by 32 from 0, 32 on; the diagonal goes from its lower left to its upper right.
    for x in 0..64 {
        for y in 0..64 {
            let (right, down) = (x as i32, y as i32 - 32);
            let on_rim = [right, 31 - right, down, 31 - down].iter().any(|distance| (-1..=1).contains(distance));
            let on_diagonal = (right + down - 31).abs() <= 2;
            assert!(!is_edge(x, y) || on_rim || on_diagonal, "{x},{y}");
        }
    }
    let diagonal =
        (4..28).filter(|at| (-2i32..=2).any(|off| is_edge(*at, (32 + 31 - *at as i32 + off) as usize))).count();
    assert_eq!(diagonal, 24);
}

/// The elements that the program makes no numbers of (`no_numbers.rs`): the draw's own value is `NaN, -1, ...` there.
#[test]
fn no_numbers_and_what_a_range_cuts_off_are_counted() {
    let bench = Bench::new();
    let mut command = bench.command();
    command.args(["capture", "-o", "trace.reprise", "--"]).arg(reprise_testing::artifact::programs().unwrap());
    command.args(["--wrong", "nan-targets", "--library"]).arg(programs::ours());
    let finished = reprise_testing::run(&mut command, crate::bench::PATIENCE).unwrap();
    assert!(finished.status.success(), "{}", finished.errors());
    let draws = calls(&bench, &["::DrawInstanced"]);
    let (nan, infinity) = (draws[4 + 22], draws[4 + 29]);
    let before = counts(&bench, nan - 1, "nan", &["--resource", &target(&bench, nan)]);
    assert_eq!((&before["nan"], &before["infinite"]), (&json!(0), &json!(0)), "{before}");
    let after = counts(&bench, nan, "nan", &[]);
    assert_eq!((&after["nan"], &after["infinite"]), (&json!(4), &json!(0)), "{after}");
    let last = counts(&bench, infinity, "nan", &[]);
    assert_eq!((&last["nan"], &last["infinite"]), (&json!(4), &json!(3)), "{last}");
    // What lies in the target is what the raw texels say.
    let call = infinity.to_string();
    bench.output(&["show", "trace.reprise", "--call", &call, "--target", "0", "--raw", "raw.bin"]);
    let halves = std::fs::read(bench.path("raw.bin")).unwrap();
    let about: Json = serde_json::from_slice(&std::fs::read(bench.path("raw.bin.json")).unwrap()).unwrap();
    assert_eq!(about["format"], "R16G16B16A16_FLOAT");
    // The bits of halves keep the order of the values, but for the sign: 0x3c00 is 1, 0x7c00 infinity.
    let texels: Vec<[u16; 3]> = halves
        .as_chunks::<8>()
        .0
        .iter()
        .map(|it| [0, 2, 4].map(|at| u16::from_le_bytes([it[at], it[at + 1]])))
        .collect();
    let is_above = |half: &u16| (0x3c01..=0x7c00).contains(half);
    let is_below = |half: &u16| (0x8001..=0xfc00).contains(half);
    let count = |wanted: (bool, bool)| {
        texels.iter().filter(|it| (it.iter().any(is_below), it.iter().any(is_above)) == wanted).count()
    };
    let wanted = json!({ "below": count((true, false)), "above": count((false, true)), "both": count((true, true)) });
    assert_eq!(counts(&bench, infinity, "clipping", &[]), wanted);
    assert_ne!(wanted["above"], 0);
    let wide = counts(&bench, infinity, "clipping", &["--range", "-70000,70000"]);
    assert_eq!(wide, json!({ "below": 0, "above": 3, "both": 0 }));
    // The histogram counts the same texels.
    let said = bench.output(&["show", "trace.reprise", "--call", &call, "--target", "0", "--histogram=8", "--json"]);
    let histogram = lines(&said)[0]["histogram"].clone();
    let sum = |name: &str| histogram.as_array().unwrap().iter().map(|it| it[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("nan"), sum("infinite"), sum("negative_infinite")), (4, 3, 0), "{histogram}");
    for channel in histogram.as_array().unwrap() {
        let bins: u64 = channel["bins"].as_array().unwrap().iter().map(|bin| bin.as_u64().unwrap()).sum();
        let not = ["nan", "infinite", "negative_infinite"].map(|name| channel[name].as_u64().unwrap());
        assert_eq!(bins + not.iter().sum::<u64>(), texels.len() as u64, "{channel}");
    }
}

/// The id of what a draw has as its first target.
fn target(bench: &Bench, draw: u64) -> String {
    let said = bench.output(&["show", "trace.reprise", "--call", &draw.to_string(), "--target", "0", "--json"]);
    lines(&said)[0]["resource"].to_string()
}

/// Each channel of a picture has a range of its own, where that is asked for.
#[test]
fn ranges_fit_a_picture_or_each_channel() {
    let bench = captured("pixels");
    let draw = calls(&bench, &["::DrawInstanced"])[13].to_string();
    let shown = |more: &[&str], name: &str| {
        bench.output(&[&["show", "trace.reprise", "--call", &draw, "--target", "0", "-o", name], more].concat());
        pixels(&bench, name).0
    };
    // The cell of the first draw has 1 in each channel, that of the fourteenth 14.
    let fit = shown(&["--range", "fit"], "fit.png");
    assert_eq!((fit[0], fit[13 * 4]), ([18; 3], [255; 3]));
    assert_eq!(shown(&["--range", "fit-each"], "each.png"), fit);
    assert_eq!(shown(&["--range", "0,28"], "range.png")[13 * 4], [128; 3]);
    assert_eq!(shown(&["--range", "fit", "--channel", "g"], "green.png"), fit, "one channel alone is grey");
    let wrong = bench.run(&["show", "trace.reprise", "--call", &draw, "--target", "0", "--range", "fits"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", wrong.errors());
}

/// Of four samples a texel, each draw reaches the rectangle that the program gives it, where its mask leaves a sample.
#[test]
fn one_sample_of_a_texel_is_enough() {
    let bench = captured("samples");
    let draws = calls(&bench, &["::DrawInstanced"]);
    // Width, height and mask of the program's draws, in their order; the depth test is left out.
    let rectangles =
        [(20, 20, 0b1111u32), (10, 30, 0b0011), (30, 10, 0b1110), (24, 24, 0b0100), (16, 16, 0xffff_fff8), (12, 12, 0)];
    for ((width, height, mask), draw) in rectangles.into_iter().zip(&draws) {
        let found = counts(&bench, *draw, "without=depth", &[]);
        let reached = found["drawn"].as_u64().unwrap() + found["more"].as_u64().unwrap();
        assert_eq!(reached, if mask & 0xf == 0 { 0 } else { width * height }, "mask {mask:b}");
    }
}

/// The program says which texels the draws of its passes cover, and that a resumed pass clears nothing.
#[test]
fn draws_within_render_passes_are_looked_at() {
    let bench = captured("passes");
    let counts = |call: u64, kinds: &str, class: &str| -> Vec<u64> {
        let (said, code) = overlays(&bench, call, kinds, &[]);
        assert_eq!(code, 0, "{said:?}");
        said.iter().map(|overlay| overlay["counts"][class].as_u64().unwrap()).collect()
    };
    let draws = calls(&bench, &["::DrawInstanced"]);
    for (draw, texels) in draws[..2].iter().zip([10 * 11, 10 * 11]) {
        assert_eq!(counts(*draw, "changed", "changed"), [texels]);
        assert_eq!(counts(*draw, "draw", "drawn"), [texels]);
    }
    let target = said_resource(&bench, draws[0]);
    let begins = calls(&bench, &["::BeginRenderPass"]);
    let changed: Vec<Json> = (begins[..3].iter())
        .map(|begin| overlays(&bench, *begin, "changed", &["--resource", &target]).0[0]["counts"]["changed"].clone())
        .collect();
    assert_eq!(changed, [32 * 32, 0, 0].map(Json::from), "the first one clears");
}

#[test]
fn what_has_no_overlay_is_said() {
    let bench = captured("bundles");
    let draw = calls(&bench, &["::DrawInstanced", "::DrawIndexedInstanced"])[0];
    let (said, code) = overlays(&bench, draw, "draw,changed", &[]);
    assert_eq!(code, 1);
    assert!(said[0]["error"].as_str().unwrap().contains("bundle"), "{said:?}");
    assert_eq!(said[0]["overlay"], "draw");
    // Before and after a draw in a bundle are one moment: nothing would seem to change.
    assert!(said[1]["error"].as_str().unwrap().contains("as the bundle left it"), "{said:?}");
    let bench = captured("pixels");
    let draw = calls(&bench, &["::DrawInstanced"])[0];
    for (arguments, code, what) in [
        (&["--overlay", "colours"][..], 2, "is no overlay"),
        (&["--overlay", "without=blending"], 2, "is no overlay"),
        (&["--overlay", "draw", "--raw", "x.bin"], 2, "cannot be used with"),
        (&["--overlay", "draw,depth", "-o", "x.png"], 2, "folder"),
        (&["--overlay", "draw", "-o", "x.exr"], 1, "name a .png file"),
        (&["--overlay", "clipping"], 1, "whole numbers"),
        (&["--overlay", "draw", "--resource", "6"], 1, "name --target"),
        (&["--overlay", "draw", "--target", "3"], 1, "no target 3"),
        (&["--overlay", "changed", "--call", "1"], 1, "none of a list"),
        (&["--overlay", "changed,nan", "--as", "R8_UNORM"], 1, "--as R8_UNORM: it has texels of 1 bytes"),
    ] {
        let call = draw.to_string();
        let finished = bench.run(&[&["show", "trace.reprise", "--call", &call], arguments].concat());
        assert_eq!(finished.status.code(), Some(code), "{arguments:?}: {}", finished.errors());
        assert!(finished.errors().contains(what), "{arguments:?}: {}", finished.errors());
    }
}

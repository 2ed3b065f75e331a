//! Arguments, and calls that are dropped, repeated and inserted: they show in the picture.

use super::*;

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
    // What is repeated has the arguments that all edits leave it, in whatever order they stand.
    for first in [true, false] {
        let mut edits = [format!("call {scissor}: repeat"), format!("call {scissor}: pRects[0].right = 16")];
        if first {
            edits.swap(0, 1);
        }
        let back = [format!("call {scissor}: pRects[0].right = 32"), format!("call {}: drop", scissor + 1)];
        case(&edits, &back, [0, 1, 1], 1, &|scene| scene.scissor[2] = 16);
    }
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

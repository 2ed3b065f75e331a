//! Bundles that stand in the lists that run them.

use super::*;

/// The programs check what they drew, and the capture has the bytes that they read back.
#[test]
fn unrolled_bundles_draw_what_they_drew_as_draws_of_lists() {
    let bench = Bench::new();
    for program in ["bundles", "kept-bundles", "indirect-bundles", "view-instances --shaders dxil"] {
        capture(&bench, program);
        let unroll = "every ExecuteBundle: unroll";
        bench.output(&["edit", "trace.reprise", "-o", "unrolled.reprise", "--force", "-e", unroll]);
        let lines = dump(&bench, "unrolled.reprise");
        assert_eq!(calls(&lines, "ExecuteBundle"), [] as [u64; 0], "{program}");
        let played = bench.run(&["replay", "unrolled.reprise"]);
        assert_eq!(played.status.code(), Some(0), "{program}: {}", played.errors());
        let text = played.text();
        assert!(text.contains("compared with those here") && !text.contains("differ"), "{program}: {text}");
        undone::undo(&bench, "unrolled.reprise", "trace.reprise");
    }
    capture(&bench, "bundles");
    let lines = dump(&bench, "trace.reprise");
    let draw = calls(&lines, "DrawInstanced")[0];
    let runs = calls(&lines, "ExecuteBundle");
    // What other edits make of the bundle is what stands in the list: a draw that is dropped is not drawn, and shows.
    let drop = format!("call {draw}: drop");
    let edits = ["-e", &drop, "-e", "every ExecuteBundle: unroll"];
    bench.output(&[&["edit", "trace.reprise", "-o", "less.reprise", "--force"][..], &edits].concat());
    let less = bench.output(&["replay", "less.reprise"]);
    assert!(less.contains("bytes that the GPU wrote differ"), "a dropped draw makes no difference: {less}");
    // One of them alone, whose draw is looked at.
    let one = format!("call {}: unroll", runs[0]);
    bench.output(&["edit", "trace.reprise", "-o", "one.reprise", "-e", &one]);
    let lines = dump(&bench, "one.reprise");
    assert_eq!(calls(&lines, "ExecuteBundle").len(), runs.len() - 1);
    let first = calls(&lines, "DrawInstanced").into_iter().find(|call| *call > runs[0]).unwrap().to_string();
    let looked = ["show", "one.reprise", "--call", &first, "--overlay", "draw,changed", "--json"];
    let looked = bench.output(&looked);
    assert!(looked.contains("\"drawn\"") && !looked.contains("error"), "{looked}");
    let twice = ["-e", "every ExecuteBundle: unroll", "-e", &one];
    let twice = bench.run(&[&["edit", "trace.reprise", "-o", "no.reprise"][..], &twice].concat());
    assert!(
        twice.status.code() == Some(1) && twice.errors().contains("unrolls the call already"),
        "{}",
        twice.errors()
    );
    let dropped = format!("call {}: drop", runs[0]);
    let dropped = bench.run(&["edit", "trace.reprise", "-o", "no.reprise", "-e", &one, "-e", &dropped]);
    assert!(dropped.status.code() == Some(1), "{}", dropped.errors());
    let refused = bench.run(&["edit", "trace.reprise", "-o", "no.reprise", "-e", &format!("call {draw}: unroll")]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.errors().contains("only ExecuteBundle can be unrolled"), "{}", refused.errors());
}

/// What the list has between two calls of the trace that was edited: names of methods with an argument. `moved` is by how many calls of the list
/// the first one moves.
fn between(bench: &Bench, edits: &[&str], (first, last): (u64, u64), moved: isize) -> Vec<String> {
    edit(bench, "trace.reprise", edits, "edited.reprise");
    let (old, new) = (dump(bench, "trace.reprise"), dump(bench, "edited.reprise"));
    let list = &call(&old, first)["this"]["id"];
    let all = |lines: &[Json]| -> Vec<Json> {
        lines.iter().filter(|line| line["this"]["id"] == *list && line["method"].is_string()).cloned().collect()
    };
    let (old, new) = (all(&old), all(&new));
    let before = old.iter().take_while(|line| line["call"] != first).count() + 1;
    let before = before.checked_add_signed(moved).unwrap();
    let behind = old.len() - old.iter().take_while(|line| line["call"] != last).count();
    let shown = |line: &Json| {
        let name = line["method"].as_str().unwrap().rsplit("::").next().unwrap().to_owned();
        let args = &line["args"];
        match &*name {
            "SetViewInstanceMask" => format!("mask {}", args["Mask"]),
            "SetPipelineState" => format!("pipeline {}", args["pPipelineState"]["id"]),
            "DrawInstanced" => format!("draw {}", args["InstanceCount"]),
            _ => name,
        }
    };
    let told = |lines: &[Json]| lines.iter().map(&shown).collect::<Vec<_>>();
    // What stands behind the two is the same.
    assert_eq!(told(&old[old.len() - behind..]), told(&new[new.len() - behind..]), "{edits:?}");
    told(&new[before..new.len() - behind])
}

/// All that edits put into a bundle is unrolled: also right behind its reset and right before its close.
#[test]
fn what_is_inserted_at_the_ends_of_a_bundle_is_unrolled() {
    let bench = Bench::new();
    capture(&bench, "kept-bundles");
    let lines = dump(&bench, "trace.reprise");
    let runs = calls(&lines, "ExecuteBundle");
    // A bundle that is recorded anew, and the first call that runs it from then on.
    let is_reset = |line: &&Json| line["method"].as_str().is_some_and(|name| name.ends_with("CommandList::Reset"));
    let bundle = |run: u64| call(&lines, run)["args"]["pCommandList"]["id"].as_u64().unwrap();
    let mut found = None;
    for reset in lines.iter().filter(is_reset) {
        let (number, list) = (reset["call"].as_u64().unwrap(), reset["this"]["id"].as_u64().unwrap());
        let run = runs.iter().find(|run| **run > number && bundle(**run) == list);
        found = found.or(run.map(|run| (number, list, *run)));
    }
    let (reset, list, run) = found.expect("the program resets a bundle");
    let closes = calls(&lines, "Close").into_iter();
    let close = closes.filter(|close| call(&lines, *close)["this"]["id"] == list && *close > reset).min().unwrap();
    let unroll = format!("call {run}: unroll");
    let told = |edits: &[&str]| {
        let edits = [&[&*unroll][..], edits].concat();
        between(&bench, &edits, (run - 1, run + 1), 0)
    };
    let draw = |count: u32| format!("draw {count}");
    let expected = [&[draw(11)][..], &told(&[]), &[draw(12)]].concat();
    let after = format!("insert after call {reset}: DrawInstanced(3, 11, 0, 0)");
    let before = format!("insert before call {close}: DrawInstanced(3, 12, 0, 0)");
    assert_eq!(told(&[&after, &before]), expected);
}

/// What a bundle begins with is what the edits leave, not what was recorded.
#[test]
fn an_edited_beginning_is_unrolled_as_it_is_edited() {
    let bench = Bench::new();
    capture(&bench, "view-instances --shaders dxil");
    let lines = dump(&bench, "trace.reprise");
    let run = calls(&lines, "ExecuteBundle")[0];
    let masks = calls(&lines, "SetViewInstanceMask");
    let bundle = call(&lines, run)["args"]["pCommandList"]["id"].as_u64().unwrap();
    let own = |method: &str| {
        let mut all = calls(&lines, method).into_iter();
        all.find(|number| call(&lines, *number)["this"]["id"] == bundle).unwrap()
    };
    let (own_mask, own_pipeline) = (own("SetViewInstanceMask"), own("SetPipelineState"));
    let pipeline = call(&lines, own_pipeline)["args"]["pPipelineState"]["id"].as_u64().unwrap();
    let made = calls(&lines, "CreateCommandList").into_iter();
    let made = made.filter(|made| call(&lines, *made)["args"]["ppCommandList"]["id"] == bundle).max().unwrap();
    // The list's mask where it runs the bundle.
    let outer = *masks.iter().rfind(|mask| **mask < run && **mask != own_mask).unwrap();
    let (unroll, no_mask) = (format!("call {run}: unroll"), format!("call {own_mask}: drop"));
    let masks = |edits: &[&str], moved: isize| -> Vec<String> {
        let told = between(&bench, &[&[&*unroll][..], edits].concat(), (run - 1, run + 1), moved);
        told.into_iter().filter(|told| told.starts_with("mask")).collect()
    };
    let mask = |mask: u32| format!("mask {mask}");
    assert_eq!(masks(&[], 0), [mask(0), mask(5)], "the bundle's own stays");
    assert_eq!(masks(&[&no_mask], 0), [mask(0), mask(11)]);
    assert_eq!(masks(&[&no_mask, &format!("call {outer}: Mask = 3")], 0), [mask(0), mask(3)]);
    let inserted = format!("insert after call {outer}: SetViewInstanceMask(6)");
    assert_eq!(masks(&[&no_mask, &inserted], 1), [mask(0), mask(6)]);
    assert_eq!(masks(&[&no_mask, &format!("call {outer}: drop")], -1), [] as [String; 0]);
    // Right before the call that is unrolled, too.
    let right = format!("insert before call {run}: SetViewInstanceMask(9)");
    assert_eq!(masks(&[&no_mask, &right], 0), [mask(9), mask(0), mask(9)]);
    // The pipeline state with which the bundle is made.
    let begins = [&*unroll, &format!("call {made}: pInitialState = {pipeline}"), &format!("call {own_pipeline}: drop")];
    let told = between(&bench, &begins, (run - 1, run + 1), 0);
    let pipelines: Vec<&String> = told.iter().filter(|told| told.starts_with("pipeline")).collect();
    assert_eq!(pipelines, [&format!("pipeline {pipeline}")]);
}

/// In either order of the edits.
#[test]
fn what_is_inserted_before_the_call_stands_before_the_unrolled_commands() {
    let bench = Bench::new();
    capture(&bench, "bundles");
    let lines = dump(&bench, "trace.reprise");
    let run = calls(&lines, "ExecuteBundle")[0];
    let (unroll, insert) =
        (format!("call {run}: unroll"), format!("insert before call {run}: DrawInstanced(3, 11, 0, 0)"));
    let after = format!("insert after call {run}: DrawInstanced(3, 12, 0, 0)");
    let plain = between(&bench, &[&unroll], (run - 1, run + 1), 0);
    let expected = [&["draw 11".to_owned()][..], &plain, &["draw 12".to_owned()]].concat();
    for edits in [[&*insert, &unroll, &after], [&unroll, &insert, &after], [&after, &unroll, &insert]] {
        assert_eq!(between(&bench, &edits, (run - 1, run + 1), 0), expected, "{edits:?}");
    }
}

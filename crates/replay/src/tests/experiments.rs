//! Frames without some of their work: which calls the runtime is asked for, and which not.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::RECT;
use reprise_d3d12::{interface, method};
use reprise_null::{full_name, log};

use crate::tests::program::{ALLOCATOR, DEVICE, LIST, QUEUE, alone, device, iid, list, options, out, queue};
use crate::tests::script::Script;
use crate::{Convention, Experiment, ExperimentReport, ExperimentWish, TimeKind, TimeWish};

const OTHER: u32 = 77;

fn record(script: &mut Script, list: u32, vertices: &[u64]) -> Vec<u64> {
    let mut call = |name, words: &[u64]| script.call(list, method("ID3D12GraphicsCommandList", name), words, 0);
    let rectangles = [RECT { left: 5, top: 6, right: 50, bottom: 60 }];
    call("RSSetScissorRects", &[1, rectangles.as_ptr() as u64]);
    let draws = vertices.iter().map(|count| call("DrawInstanced", &[*count, 1, 0, 0])).collect();
    call("CopyBufferRegion", &[0, 0, 0, 0, 64]);
    call("Close", &[]);
    draws
}

fn execute(script: &mut Script, list: u32) {
    let lists = [u64::from(list)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
}

/// Two frames that run the same list, the second one another list before it; with the draws of both.
fn program() -> (Script, Vec<u64>, Vec<u64>) {
    let mut script = Script::new();
    let mut slot = 0;
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    let words = [0, 0, u64::from(ALLOCATOR), 0, iid(interface("ID3D12GraphicsCommandList")), out(&mut slot, OTHER)];
    let kept = record(&mut script, LIST, &[3]);
    execute(&mut script, LIST);
    script.frame();
    script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
    let own = record(&mut script, OTHER, &[4, 5]);
    execute(&mut script, OTHER);
    execute(&mut script, LIST);
    script.frame();
    (script, kept, own)
}

/// What the runtime is asked for of draws, copies and scissors, and what became of an experiment.
fn played(what: Experiment, frames: (u64, u64), calls: &[(u64, u64)]) -> (Vec<&'static str>, ExperimentReport) {
    let (mut script, ..) = program();
    log::take();
    let mut options = options(Convention::SysV);
    options.timing = Some(TimeWish { frames, what: TimeKind::Lists, serial: false });
    options.experiment = Some(ExperimentWish { what, frames, calls: calls.to_vec() });
    let report = script.play(&mut options).unwrap().experiment.unwrap();
    let asked = log::take().into_iter().filter_map(|call| match full_name(call.method).split("::").last().unwrap() {
        "DrawInstanced" => Some("draw"),
        "RSSetScissorRects" => Some("scissors"),
        "CopyBufferRegion" => Some("copy"),
        _ => None,
    });
    (asked.collect(), report)
}

#[test]
fn frames_before_and_what_they_run_stay_as_they_are() {
    let _alone = alone();
    let (_, kept, own) = program();
    let early = "frames before run the same list: ask for these frames, too";
    // Both frames: everything is left out.
    let (asked, report) = played(Experiment::Draws, (1, 2), &[]);
    assert_eq!(asked, ["scissors", "copy", "scissors", "copy"]);
    assert_eq!((report.changed, report.unchanged.len()), (3, 0));
    // The second one: the first list has run before.
    let (asked, report) = played(Experiment::Draws, (2, 2), &[]);
    assert_eq!(asked, ["scissors", "draw", "copy", "scissors", "copy"]);
    assert_eq!((report.changed, &report.unchanged[early]), (2, &kept));
    let (asked, report) = played(Experiment::Copies, (2, 2), &[]);
    assert_eq!(asked, ["scissors", "draw", "copy", "scissors", "draw", "draw"]);
    assert_eq!((report.changed, report.unchanged[early].len()), (1, 1));
    // The first one alone: the second frame's list is not there yet.
    let (_, report) = played(Experiment::Draws, (1, 1), &[]);
    assert_eq!(report.changed, 1);
    // Of one draw alone.
    let (asked, report) = played(Experiment::Draws, (2, 2), &[(own[1], own[1])]);
    assert_eq!(asked, ["scissors", "draw", "copy", "scissors", "draw", "copy"]);
    assert_eq!((report.changed, report.unchanged.len()), (1, 0));
}

#[test]
fn what_is_set_for_a_draw_is_set_back() {
    let _alone = alone();
    let (_, _, own) = program();
    let (asked, report) = played(Experiment::Scissor, (2, 2), &[(own[0], own[0])]);
    assert_eq!(
        asked,
        ["scissors", "draw", "copy", "scissors", "scissors", "draw", "scissors", "draw", "copy"],
        "{report:?}"
    );
    assert_eq!(report.changed, 1);
    // Draws without a pipeline state: each is named.
    let (asked, report) = played(Experiment::PixelShader, (2, 2), &[(own[0], own[1])]);
    assert_eq!(asked, ["scissors", "draw", "copy", "scissors", "draw", "draw", "copy"]);
    assert_eq!((report.changed, &report.unchanged["draws without a pipeline state"]), (0, &own));
}

//! Repeated frames on the null runtime, compared by its log.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::method;
use reprise_d3d12::types::D3D12_HEAP_TYPE;
use reprise_null::control::{self, Action};
use reprise_null::{Value, full_name, log};

use crate::tests::program::{
    ALLOCATOR, BUFFER, FENCE, LIST, QUEUE, alone, buffer, device, failure, fence, list, options, queue,
};
use crate::tests::script::Script;
use crate::{Convention, LoopFrames, Options, Report};

const EXECUTE: reprise_d3d12::model::MethodId = method("ID3D12CommandQueue", "ExecuteCommandLists");
const SIGNAL: reprise_d3d12::model::MethodId = method("ID3D12CommandQueue", "Signal");

/// A first frame that makes everything, and a second one that records, submits and signals.
fn two_frames(inside: impl FnOnce(&mut Script)) -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    fence(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x100);
    let mut address = 0x1234_0000u64;
    script.call(BUFFER, method("ID3D12Resource", "Map"), &[0, 0, core::ptr::from_mut(&mut address) as u64], 0);
    script.memory(BUFFER, 0, 0, &[1; 8]);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    script.call(QUEUE, SIGNAL, &[u64::from(FENCE), 5], 0);
    script.observe(FENCE, 5);
    script.frame();
    let reset = method("ID3D12GraphicsCommandList", "Reset");
    script.call(LIST, reset, &[u64::from(ALLOCATOR), 0], 0);
    inside(&mut script);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    let lists = [u64::from(LIST)];
    script.call(QUEUE, EXECUTE, &[1, lists.as_ptr() as u64], 0);
    script.memory(BUFFER, 0, 4, &[2; 8]);
    script.call(QUEUE, SIGNAL, &[u64::from(FENCE), 6], 0);
    script.call(QUEUE, method("ID3D12CommandQueue", "Wait"), &[u64::from(FENCE), 6], 0);
    script.call(QUEUE, method("ID3D12CommandQueue", "Wait"), &[u64::from(FENCE), 4], 0);
    script.call(QUEUE, SIGNAL, &[u64::from(FENCE), 8], 0);
    script.observe(FENCE, 8);
    script.frame();
    script.call(QUEUE, SIGNAL, &[u64::from(FENCE), 9], 0);
    script.frame();
    script
}

fn looped(frames: (u64, u64), count: u64) -> Options<'static> {
    Options { rounds: Some(LoopFrames { frames, count }), ..options(Convention::SysV) }
}

/// Second arguments of the calls of this name: the values of signals and waits.
fn values(calls: &[log::Call], name: &str) -> Vec<u64> {
    let of = |call: &log::Call| match call.inputs[1] {
        Value::Bits { bits, .. } => bits,
        ref other => panic!("{other:?} is no number"),
    };
    calls.iter().filter(|call| full_name(call.method) == name).map(of).collect()
}

#[test]
fn a_frame_is_played_again_with_fences_that_rise() {
    let _alone = alone();
    let mut script = two_frames(|_| ());
    let report: Report = script.play(&mut looped((2, 2), 3)).unwrap();
    assert_eq!((report.rounds.len(), report.frames.len()), (3, 2), "nothing is played after the loop");
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);
    let calls = log::take();
    // The program's own, and not those of fences of replay's own, which are signalled at 1.
    let signals: Vec<u64> =
        values(&calls, "ID3D12CommandQueue::Signal").into_iter().filter(|&value| value > 1).collect();
    assert_eq!(signals, [5, 6, 8, 9, 11, 12, 14]);
    assert_eq!(values(&calls, "ID3D12CommandQueue::Wait"), [6, 4, 9, 4, 12, 4], "what was reached before is not moved");
    let count = |name: &str| calls.iter().filter(|call| full_name(call.method) == name).count();
    assert_eq!(count("ID3D12CommandQueue::ExecuteCommandLists"), 3);
    assert_eq!(count("ID3D12GraphicsCommandList::Close"), 4);
}

/// What is not done when the frames begin would be taken for a part of them.
#[test]
fn work_that_does_not_end_is_told_on_both_sides_of_the_frames() {
    let _alone = alone();
    // The program's own signal, then replay's before the frames; or three of the program's more, and replay's after them.
    for (nth, side) in [(2, "before"), (5, "after")] {
        control::clear();
        control::on(SIGNAL, nth, Action::Fail(0x8007_0057_u32 as i32));
        let error = failure(two_frames(|_| ()).play(&mut looped((2, 2), 2)));
        control::clear();
        let expected = format!("in frames that are repeated: the queues do not finish {side} the frames");
        assert!(error.contains(&expected), "{nth}: {error}");
    }
}

/// Objects that the frame makes are made anew, those that it releases live on, and nothing is left.
#[test]
fn objects_of_the_frame_are_of_its_round() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = two_frames(|script| {
        buffer(script, 60, D3D12_HEAP_TYPE::UPLOAD, 0x40);
        script.call(60, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], 0x7000_0000);
        script.call(BUFFER, method("IUnknown", "Release"), &[], 0);
    });
    // It is stored to after its release only in a trace that is wrong: here it is the first store of the next round.
    script.events.retain(|event| event.kind != reprise_trace::record::Kind::Memory || event.frame == 0);
    script.play(&mut looped((2, 2), 4)).unwrap();
    let calls = log::take();
    let made = calls.iter().filter(|call| full_name(call.method) == "ID3D12Device::CreateCommittedResource").count();
    assert_eq!(made, 1 + 4);
    assert_eq!(reprise_null::live(), before, "objects are left");
}

#[test]
fn what_cannot_be_repeated_is_refused_by_name() {
    let _alone = alone();
    let refused = |script: &mut Script, frames, words: &str| {
        let error = failure(script.play(&mut looped(frames, 2)));
        assert!(error.contains("frames") && error.contains("repeated") && error.contains(words), "{error}");
    };
    refused(&mut two_frames(|_| ()), (2, 9), "the last frame of the trace is 3");
    // Open at the end, ended in the next frame.
    let mut script = two_frames(|_| ());
    let reset = method("ID3D12GraphicsCommandList", "Reset");
    script.call(LIST, reset, &[u64::from(ALLOCATOR), 0], 0);
    script.frame();
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    script.frame();
    refused(&mut script, (4, 4), "begun in the frames and ended after them");
    refused(&mut script, (5, 5), "begun before the frames and is ended in them");
    // A value that only a later frame signals, and one that falls.
    let wait = method("ID3D12CommandQueue", "Wait");
    refused(
        &mut two_frames(|script| _ = script.call(QUEUE, wait, &[u64::from(FENCE), 9], 0)),
        (2, 2),
        "waits until fence 7 is at 9",
    );
    let mut script = two_frames(|_| ());
    script.call(QUEUE, SIGNAL, &[u64::from(FENCE), 2], 0);
    script.frame();
    refused(&mut script, (4, 4), "goes from 9 down to 2");
}

//! Options of whole replays: where they stop, what they measure, when they wait.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::method;
use reprise_null::{full_name, log};

use crate::tests::program::{DEVICE, FENCE, LIST, QUEUE, alone, device, fence, list, options, queue};
use crate::tests::script::Script;
use crate::{Convention, Measure, Options};

/// How often the null runtime was called so.
fn count(name: &str) -> usize {
    log::calls().iter().filter(|call| full_name(call.method) == name).count()
}

#[test]
fn a_replay_ends_after_the_call_that_was_named() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    let first = script.call(DEVICE, method("ID3D12Device", "GetNodeCount"), &[], 1);
    for _ in 0..9 {
        script.call(DEVICE, method("ID3D12Device", "GetNodeCount"), &[], 1);
        script.frame();
    }
    for calls in [first, first + 3, first + 9] {
        log::take();
        let mut options = Options { quit_after_call: Some(calls), ..options(Convention::SysV) };
        let report = script.play(&mut options).unwrap();
        assert_eq!((report.calls, report.replayed), (calls, calls));
        assert_eq!(report.frames.len() as u64, calls - first);
        assert_eq!(count("ID3D12Device::GetNodeCount") as u64, calls - first + 1);
    }
}

/// Five frames with a queue.
fn frames() -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    (0..5).for_each(|_| script.frame());
    script
}

#[test]
fn a_measurement_has_the_frames_asked_for() {
    let _alone = alone();
    let mut script = frames();
    let cases = [("2-4", false, Some((2, 4)), 5), ("2-4", true, Some((2, 4)), 3), ("4-99", true, Some((4, 6)), 5)];
    for (range, quit, measured, frames) in cases.into_iter().chain([("6-7", true, None, 5)]) {
        let measure = Measure { range: range.parse().unwrap(), quit, flush: false };
        let report = script.play(&mut Options { measure: Some(measure), ..options(Convention::SysV) }).unwrap();
        let found = report.measured.as_ref().map(|measured| (measured.range.start, measured.range.end));
        assert_eq!((found, report.frames.len()), (measured, frames), "{range}");
        assert!(report.measured.is_none_or(|found| found.frames.len() as u64 == found.range.end - found.range.start));
    }
}

#[test]
fn a_flushed_measurement_waits_at_both_ends() {
    let _alone = alone();
    let mut script = frames();
    for (flush, range, waits) in [(false, "2-4", 0), (true, "2-4", 2), (true, "2-99", 1)] {
        log::take();
        let measure = Measure { range: range.parse().unwrap(), quit: false, flush };
        script.play(&mut Options { measure: Some(measure), ..options(Convention::SysV) }).unwrap();
        // One more drains the queue before its objects go.
        assert_eq!(count("ID3D12CommandQueue::Signal"), waits + 1, "{flush} {range}");
    }
}

#[test]
fn in_lockstep_every_submission_is_waited_for() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    fence(&mut script);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    let lists = [u64::from(LIST)];
    let execute = |script: &mut Script| {
        script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
    };
    execute(&mut script);
    execute(&mut script);
    // What waits for a later signal cannot finish before it.
    script.call(QUEUE, method("ID3D12CommandQueue", "Wait"), &[u64::from(FENCE), 5], 0);
    execute(&mut script);
    execute(&mut script);
    script.call(FENCE, method("ID3D12Fence", "Signal"), &[5], 0);
    execute(&mut script);
    for (sync, waits) in [(false, 0), (true, 4)] {
        log::take();
        let report = script.play(&mut Options { sync, ..options(Convention::SysV) }).unwrap();
        assert_eq!(report.difference_count, 0);
        assert_eq!(count("ID3D12CommandQueue::Signal"), waits + 1, "{sync}");
    }
}

//! Replays with several threads on the null runtime, which can make calls wait for each other.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::D3D12_COMPUTE_PIPELINE_STATE_DESC;
use reprise_d3d12::{interface, method};
use reprise_null::control::{self, Action};
use reprise_null::{full_name, log};

use crate::tests::program::{DEVICE, FENCE, LIST, alone, by_ref, device, failure, fence, iid, list, options, out};
use crate::tests::script::Script;
use crate::{Convention, Options};

const ROOT: u32 = 60;
const FIRST: u32 = 71;
const SECOND: u32 = 72;

fn threads<'a>(threads: usize) -> Options<'a> {
    Options { threads, ..options(Convention::SysV) }
}

fn root_signature(script: &mut Script) {
    let (mut slot, blob) = (0, [3u8; 40]);
    let words = [0, by_ref(&blob), 40, iid(interface("ID3D12RootSignature")), out(&mut slot, ROOT)];
    script.call(DEVICE, method("ID3D12Device", "CreateRootSignature"), &words, 0);
}

/// Gives the number of the call.
fn pipeline(script: &mut Script, id: u32) -> u64 {
    let mut slot = 0;
    let mut desc = D3D12_COMPUTE_PIPELINE_STATE_DESC { NodeMask: id, ..Default::default() };
    desc.pRootSignature = core::ptr::without_provenance_mut(ROOT as usize);
    let words = [by_ref(&desc), iid(interface("ID3D12PipelineState")), out(&mut slot, id)];
    script.call(DEVICE, method("ID3D12Device", "CreateComputePipelineState"), &words, 0)
}

fn use_pipeline(script: &mut Script, id: u32) {
    script.call(LIST, method("ID3D12GraphicsCommandList", "SetPipelineState"), &[u64::from(id)], 0);
}

fn release(script: &mut Script, id: u32) {
    script.call(id, method("IUnknown", "Release"), &[], 0);
}

/// Names of the calls, without those on references.
fn names(calls: &[log::Call]) -> Vec<String> {
    calls.iter().map(|call| full_name(call.method)).filter(|name| !name.starts_with("IUnknown::")).collect()
}

#[test]
fn pipelines_are_made_at_the_same_time_while_the_replay_goes_on() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    list(&mut script);
    root_signature(&mut script);
    pipeline(&mut script, FIRST);
    pipeline(&mut script, SECOND);
    let name = ['n' as u16, 0];
    script.call(FIRST, method("ID3D12Object", "SetName"), &[by_ref(&name)], 0);
    // The program needs it no more; the pipelines under way do.
    release(&mut script, ROOT);
    fence(&mut script);
    use_pipeline(&mut script, SECOND);
    use_pipeline(&mut script, FIRST);
    [FENCE, FIRST, SECOND, LIST].iter().for_each(|&id| release(&mut script, id));
    let create = method("ID3D12Device", "CreateComputePipelineState");
    control::on(create, 1, Action::Block);
    control::on(create, 2, Action::Block);
    let watcher = std::thread::spawn(|| {
        // Ends only if both are under way at once, and the call after them is made meanwhile.
        let started = std::time::Instant::now();
        let is_so =
            || control::blocked() == 2 && names(&log::calls()).iter().any(|name| name == "ID3D12Device::CreateFence");
        while !is_so() && started.elapsed().as_secs() < 300 {
            std::thread::yield_now();
        }
        let was_so = is_so();
        control::unblock();
        was_so
    });
    let report = script.play(&mut threads(2)).unwrap();
    assert!(watcher.join().unwrap(), "the pipelines were not made at the same time");
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);
    let all = log::take();
    let at = |name: &str| names(&all).iter().position(|other| other == name).unwrap();
    assert!(at("ID3D12Object::SetName") > at("ID3D12Device::CreateFence"));
    let used: Vec<String> = (all.iter().filter(|call| full_name(call.method).ends_with("SetPipelineState")))
        .map(|call| format!("{:?}", call.inputs))
        .collect();
    assert_eq!(used.len(), 2);
    assert_ne!(used[0], used[1]);
    assert_eq!(reprise_null::live(), before, "references were lost or taken twice");
}

/// A name waits for its object, which may go first.
#[test]
fn a_pipeline_may_be_named_and_released_unused() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    root_signature(&mut script);
    pipeline(&mut script, FIRST);
    let name = ['n' as u16, 0];
    script.call(FIRST, method("ID3D12Object", "SetName"), &[by_ref(&name)], 0);
    release(&mut script, FIRST);
    let report = script.play(&mut threads(2)).unwrap();
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);
    assert!(report.skipped.keys().any(|reason| reason.contains("went before its name")), "{:?}", report.skipped);
    assert_eq!(reprise_null::live(), before);
}

#[test]
fn one_thread_makes_every_call_where_it_stands() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    list(&mut script);
    root_signature(&mut script);
    pipeline(&mut script, FIRST);
    fence(&mut script);
    use_pipeline(&mut script, FIRST);
    script.play(&mut threads(1)).unwrap();
    let calls = log::take();
    let tail = &names(&calls)[4..];
    assert_eq!(
        tail,
        [
            "ID3D12Device::CreateComputePipelineState",
            "ID3D12Device::CreateFence",
            "ID3D12GraphicsCommandList::SetPipelineState"
        ]
    );
}

/// Whichever is waited for first, each refused pipeline is named with its own call, and what is dispatched with it is left out.
#[test]
fn a_creation_that_fails_names_its_own_call() {
    let _alone = alone();
    for (used, count) in [(false, 1), (true, 1), (false, 2), (true, 2)] {
        let mut script = Script::new();
        device(&mut script);
        list(&mut script);
        root_signature(&mut script);
        let call = pipeline(&mut script, FIRST);
        pipeline(&mut script, SECOND);
        fence(&mut script);
        if used {
            use_pipeline(&mut script, SECOND);
        }
        control::clear();
        control::on(method("ID3D12Device", "CreateComputePipelineState"), 0, Action::Fail(0x8007_0057_u32 as i32));
        if used {
            script.call(LIST, method("ID3D12GraphicsCommandList", "Dispatch"), &[1, 1, 1], 0);
        }
        log::take();
        let report = script.play(&mut threads(count)).unwrap();
        let [first, second] = &report.differences[..] else { panic!("{:?}", report.differences) };
        assert!(first.place.call == call && first.what.contains("E_INVALIDARG"), "{used} {count}: {first}");
        assert!(second.place.call == call + 1 && second.what.contains("E_INVALIDARG"), "{used} {count}: {second}");
        let left_out: Vec<_> = report.stale.iter().map(|it| it.place.method.to_string()).collect();
        let expected = ["ID3D12GraphicsCommandList::SetPipelineState", "ID3D12GraphicsCommandList::Dispatch"];
        assert_eq!(left_out, if used { &expected[..] } else { &[] }, "{count}");
        let calls = names(&log::take());
        assert!(!calls.iter().any(|name| name.ends_with("::Dispatch")), "{calls:?}");

        // A check counts what cannot be made.
        let report = script.play(&mut Options { check: true, ..threads(count) }).unwrap();
        assert_eq!(report.refused, Some(2), "{:?}", report.differences);

        // A device that has no memory left ends the replay.
        control::clear();
        control::on(method("ID3D12Device", "CreateComputePipelineState"), 0, Action::Fail(0x8007_000e_u32 as i32));
        let error = failure(script.play(&mut threads(count)));
        assert!(error.contains(&format!("call {call} ")) && error.contains("E_OUTOFMEMORY"), "{used} {count}: {error}");
    }
}

//! Replays with a change that must show: what the runtime is asked for, and what not.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::model::{Method, MethodId};
use reprise_d3d12::types::{D3D12_HEAP_TYPE, D3D12_RESOURCE_BARRIER};
use reprise_d3d12::{MODEL, method};
use reprise_null::{Value, full_name, log};

use crate::tests::program::{
    BUFFER, CPU, HEAP, INCREMENT, LIST, QUEUE, alone, bits, buffer, by_ref, device, list, options, queue, target_heap,
};
use crate::tests::script::Script;
use crate::{Control, Convention};

const SOURCE: u32 = 40;
const COPY: MethodId = method("ID3D12GraphicsCommandList", "CopyBufferRegion");

/// A program that clears, draws, computes, copies and submits.
fn program() -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    target_heap(&mut script, HEAP, 2);
    buffer(&mut script, SOURCE, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::READBACK, 0x1000);
    let mut call = |name, words: &[u64]| script.call(LIST, method("ID3D12GraphicsCommandList", name), words, 0);
    let targets = [CPU + INCREMENT];
    call("OMSetRenderTargets", &[1, targets.as_ptr() as u64, 0, 0]);
    let colour = [0.25f32, 1.0, 0.0, 0.5];
    call("ClearRenderTargetView", &[targets[0], by_ref(&colour), 0, 0]);
    call("DrawInstanced", &[3, 1, 0, 0]);
    call("DrawInstanced", &[6, 1, 0, 0]);
    call("Dispatch", &[1, 1, 1]);
    call("ResourceBarrier", &[1, by_ref(&D3D12_RESOURCE_BARRIER::default())]);
    call("CopyBufferRegion", &[BUFFER.into(), 258, SOURCE.into(), 0, 64]);
    // No word of its own fits in there.
    call("CopyBufferRegion", &[BUFFER.into(), 1025, SOURCE.into(), 0, 3]);
    call("Close", &[]);
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
    script
}

/// Calls of the list that the runtime saw, under a change.
fn seen(control: Option<Control>) -> Vec<log::Call> {
    seen_of(program(), control)
}

fn seen_of(mut program: Script, control: Option<Control>) -> Vec<log::Call> {
    log::take();
    let mut options = options(Convention::SysV);
    options.control = control;
    program.play(&mut options).unwrap();
    let is_of_list = |call: &log::Call| full_name(call.method).starts_with("ID3D12GraphicsCommandList");
    log::take().into_iter().filter(is_of_list).collect()
}

fn names(calls: &[log::Call]) -> Vec<String> {
    calls.iter().map(|call| full_name(call.method).split("::").last().unwrap().to_owned()).collect()
}

fn floats(value: &Value) -> Vec<f32> {
    let Value::List(items) = value else { panic!("{value:?}") };
    let float = |item: &Value| match item {
        Value::F32(bits) => f32::from_bits(*bits),
        other => panic!("{other:?}"),
    };
    items.iter().map(float).collect()
}

#[test]
fn a_gpu_that_does_nothing_is_asked_for_nothing() {
    let _alone = alone();
    let all = ["OMSetRenderTargets", "ClearRenderTargetView", "DrawInstanced", "DrawInstanced", "Dispatch"];
    let rest = ["ResourceBarrier", "CopyBufferRegion", "CopyBufferRegion", "Close"];
    assert_eq!(names(&seen(None)), [&all[..], &rest].concat());
    assert_eq!(names(&seen(Some(Control::Idle))), ["OMSetRenderTargets", "ResourceBarrier", "Close"]);
}

#[test]
fn a_gpu_that_does_something_else_paints_and_leaves_words() {
    let _alone = alone();
    let plain = seen(None);
    let calls = seen(Some(Control::Painted));
    let clears = ["OMSetRenderTargets", "ClearRenderTargetView", "ClearRenderTargetView"];
    let copies = ["ResourceBarrier", "CopyBufferRegion", "WriteBufferImmediate", "CopyBufferRegion", "Close"];
    assert_eq!(names(&calls), [&clears[..], &copies].concat());
    assert_eq!(floats(&plain[1].inputs[1]), [0.25, 1.0, 0.0, 0.5]);
    assert_eq!(floats(&calls[1].inputs[1]), [1.0, 0.0, 1.0, 0.0], "each channel is another one");
    assert_eq!(floats(&calls[2].inputs[1]), [1.0; 4], "one draw paints for all of them");
    assert_eq!(bits(&calls[2].inputs[0]), bits(&calls[1].inputs[0]), "it paints the target that is set");
    let word = format!("{:?}", calls[5].inputs[1]);
    // Behind the first byte that is copied, where a word may begin.
    assert!(word.contains(&0x5a5a_a5a5_u32.to_string()) && bits(&calls[4].inputs[1]) == 258, "{word}");
    let Value::Object(buffer) = calls[4].inputs[0] else { panic!("{:?}", calls[4].inputs[0]) };
    assert!(word.contains(&((buffer << 32) + 260).to_string()), "{word}");
    assert_eq!(calls[4].method, COPY);
}

/// A draw of depth 0 over a clear to 1 leaves 0: so a clear that should show must leave neither.
#[test]
fn depth_is_cleared_to_what_draws_do_not_leave() {
    let _alone = alone();
    for depth in [0.0f32, 1.0, 0.8125, 0.1875] {
        let mut script = Script::new();
        device(&mut script);
        list(&mut script);
        target_heap(&mut script, HEAP, 2);
        let words = [CPU, 1, depth.to_bits().into(), 0, 0, 0];
        script.call(LIST, method("ID3D12GraphicsCommandList", "ClearDepthStencilView"), &words, 0);
        let calls = seen_of(script, Some(Control::Painted));
        let Value::F32(cleared) = calls[0].inputs[2] else { panic!("{:?}", calls[0].inputs) };
        let cleared = f32::from_bits(cleared);
        assert!(cleared > 0.0 && cleared < 1.0 && cleared != depth, "{depth}: {cleared}");
    }
}

/// By hand, from the API's documentation: all that a list can have the GPU write, and what it must go on doing.
#[test]
fn whatever_writes_is_left_out() {
    let of = |name: &str| -> Vec<&'static Method> {
        let is = |method: &&Method| {
            let class = method.interface.map_or("", |id| id.get().name);
            method.name == name && class.starts_with("ID3D12GraphicsCommandList") && !class.contains("Ext")
        };
        MODEL.methods.iter().filter(is).collect()
    };
    let shaders = [
        "DrawInstanced",
        "DrawIndexedInstanced",
        "Dispatch",
        "ExecuteIndirect",
        "ExecuteBundle",
        "BuildRaytracingAccelerationStructure",
        "EmitRaytracingAccelerationStructurePostbuildInfo",
        "CopyRaytracingAccelerationStructure",
        "DispatchRays",
        "DispatchMesh",
        "DispatchGraph",
        "InitializeMetaCommand",
        "ExecuteMetaCommand",
    ];
    let writes = [
        "CopyBufferRegion",
        "CopyTextureRegion",
        "CopyResource",
        "CopyTiles",
        "ResolveSubresource",
        "ResolveSubresourceRegion",
        "ResolveQueryData",
        "ClearRenderTargetView",
        "ClearDepthStencilView",
        "ClearUnorderedAccessViewUint",
        "ClearUnorderedAccessViewFloat",
        "DiscardResource",
        "AtomicCopyBufferUINT",
        "AtomicCopyBufferUINT64",
        "WriteBufferImmediate",
        "BeginRenderPass",
        "EndRenderPass",
    ];
    let settings =
        ["ResourceBarrier", "Barrier", "SetPredication", "BeginQuery", "EndQuery", "Reset", "Close", "SetProgram"];
    for (names, idle, painted) in [(&shaders[..], true, true), (&writes, true, false), (&settings, false, false)] {
        for name in names {
            let methods = of(name);
            assert!(!methods.is_empty(), "{name}");
            for method in methods {
                let left_out = Control::ALL.map(|control| control.leaves_out(method));
                assert_eq!(left_out, [idle, painted], "{name}");
            }
        }
    }
}

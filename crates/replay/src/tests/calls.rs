//! Calls of all kinds, on the null runtime: arguments, objects, memory, fences, errors.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use reprise_d3d12::types::{
    D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_CONSTANT_BUFFER_VIEW_DESC, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_HEAP_TYPE,
    D3D12_PIPELINE_STATE_STREAM_DESC,
};
use reprise_d3d12::{function, interface, method};
use reprise_null::{Value, control, full_name, log, method_named};

use crate::Convention;
use crate::tests::program::{
    ADDRESS, ALLOCATOR, BUFFER, CPU, DEVICE, FENCE, GPU, HEAP, INCREMENT, LIST, QUEUE, alone, bits, buffer, by_ref,
    device, failure, fence, iid, list, logged, options, out, queue, release, seen,
};
use crate::tests::script::Script;

/// Numbers of the program's world become those of the runtime's, in both conventions.
#[test]
fn addresses_and_handles_are_the_runtimes_own() {
    let _alone = alone();
    for convention in [Convention::Win64, Convention::SysV] {
        let mut script = Script::new();
        device(&mut script);
        list(&mut script);
        buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
        script.call(BUFFER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS);
        let mut slot = 0;
        let desc = D3D12_DESCRIPTOR_HEAP_DESC { NumDescriptors: 16, ..Default::default() };
        let words = [by_ref(&desc), iid(interface("ID3D12DescriptorHeap")), out(&mut slot, HEAP)];
        script.call(DEVICE, method("ID3D12Device", "CreateDescriptorHeap"), &words, 0);
        let mut start = CPU;
        let pointer = core::ptr::from_mut(&mut start) as u64;
        script.call(HEAP, method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart"), &[pointer], pointer);
        let mut start = GPU;
        let pointer = core::ptr::from_mut(&mut start) as u64;
        script.call(HEAP, method("ID3D12DescriptorHeap", "GetGPUDescriptorHandleForHeapStart"), &[pointer], pointer);
        script.call(DEVICE, method("ID3D12Device", "GetDescriptorHandleIncrementSize"), &[0], INCREMENT);
        let view = D3D12_CONSTANT_BUFFER_VIEW_DESC { BufferLocation: ADDRESS + 0x300, SizeInBytes: 256 };
        let words = [by_ref(&view), CPU + 5 * INCREMENT];
        script.call(DEVICE, method("ID3D12Device", "CreateConstantBufferView"), &words, 0);
        let root = method("ID3D12GraphicsCommandList", "SetGraphicsRootConstantBufferView");
        script.call(LIST, root, &[2, ADDRESS + 0x200], 0);
        let table = method("ID3D12GraphicsCommandList", "SetGraphicsRootDescriptorTable");
        script.call(LIST, table, &[1, GPU + 9 * INCREMENT], 0);
        script.play(&mut options(convention)).unwrap();

        let calls = log::take();
        let buffer = logged(&calls, "ID3D12Device::CreateCommittedResource");
        let Some(Some(Value::List(made))) = buffer.outputs.last() else { panic!("{buffer:?}") };
        let Value::Object(serial) = made[0] else { panic!("{made:?}") };
        let address = serial << 32;
        assert_eq!(
            bits(&logged(&calls, "ID3D12GraphicsCommandList::SetGraphicsRootConstantBufferView").inputs[1]),
            address + 0x200
        );
        let increment = logged(&calls, "ID3D12Device::GetDescriptorHandleIncrementSize").result;
        let start = |name: &str| bits(logged(&calls, name).outputs[0].as_ref().unwrap());
        let cpu = start("ID3D12DescriptorHeap::GetCPUDescriptorHandleForHeapStart");
        let gpu = start("ID3D12DescriptorHeap::GetGPUDescriptorHandleForHeapStart");
        assert_ne!((cpu, gpu, increment), (CPU, GPU, INCREMENT), "the test would prove nothing");
        let view = logged(&calls, "ID3D12Device::CreateConstantBufferView");
        assert_eq!(bits(&view.inputs[1]), cpu + 5 * increment);
        assert!(format!("{:?}", view.inputs[0]).contains(&format!("{}", address + 0x300)), "{:?}", view.inputs[0]);
        let table = logged(&calls, "ID3D12GraphicsCommandList::SetGraphicsRootDescriptorTable");
        assert_eq!(bits(&table.inputs[1]), gpu + 9 * increment);
    }
}

#[test]
fn calls_come_in_the_order_of_the_trace_and_objects_go() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    fence(&mut script);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
    script.call(QUEUE, method("ID3D12CommandQueue", "Signal"), &[u64::from(FENCE), 3], 0);
    script.observe(FENCE, 3);
    release(&mut script, LIST, 0);
    release(&mut script, ALLOCATOR, 1);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    let seen = seen();
    let expected = [
        "D3D12CreateDevice",
        "ID3D12Device::CreateCommandQueue",
        "ID3D12Device::CreateCommandAllocator",
        "ID3D12Device::CreateCommandList",
        "ID3D12Device::CreateFence",
        "ID3D12GraphicsCommandList::Close",
        "ID3D12CommandQueue::ExecuteCommandLists",
        "ID3D12CommandQueue::Signal",
        "ID3D12Fence::GetCompletedValue",
    ];
    assert_eq!(seen[..expected.len()], expected, "{seen:?}");
    assert_eq!(reprise_null::live(), before, "objects are left");
    assert_eq!((report.calls, report.replayed), (10, 9), "{report:?}");
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);
}

#[test]
fn stores_arrive_in_the_mapping_and_nowhere_else() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x100);
    let mut slot = 0x1234_0000u64;
    let words = [0, 0, core::ptr::from_mut(&mut slot) as u64];
    script.call(BUFFER, method("ID3D12Resource", "Map"), &words, 0);
    script.memory(BUFFER, 0, 0xf8, &[1, 2, 3, 4, 5, 6, 7, 8]);
    script.call(BUFFER, method("ID3D12Resource", "Unmap"), &[0, 0], 0);
    script.memory(BUFFER, 0, 0x10, &[9]);
    script.play(&mut options(Convention::Win64)).unwrap();
    let maps = log::take().iter().filter(|call| full_name(call.method) == "ID3D12Resource::Map").count();
    assert_eq!(maps, 2, "one of the program's, one for the late store");

    for (id, subresource, offset, words) in [
        (BUFFER, 0, 0xf9, "do not fit"),
        (BUFFER, 0, u64::MAX, "do not fit"),
        (BUFFER, 1, 0, "has no subresource 1"),
        (99, 0, 0, "object 99"),
    ] {
        script.events.pop();
        script.memory(id, subresource, offset, &[0; 8]);
        let error = failure(script.play(&mut options(Convention::SysV)));
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn what_the_gpu_wrote_is_left_alone() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::READBACK, 0x100);
    script.memory(BUFFER, 0, 0, &[1; 16]);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    assert!(!seen().iter().any(|name| name.ends_with("::Map")));
    assert!(report.skipped.keys().any(|reason| reason.contains("GPU wrote")), "{:?}", report.skipped);
}

#[test]
fn damage_is_named_before_the_runtime_sees_it() {
    let _alone = alone();
    type Damage = (&'static str, fn(&mut Script), &'static str);
    let damages: [Damage; 6] = [
        ("a dangling object", |s| _ = s.call(77, method("ID3D12GraphicsCommandList", "Close"), &[], 0), "object 77"),
        ("no object", |s| _ = s.call(0, method("ID3D12GraphicsCommandList", "Close"), &[], 0), "no object"),
        (
            "a dangling argument",
            |s| {
                let lists = [78u64];
                s.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
            },
            "object 78",
        ),
        (
            "an absurd count",
            |s| {
                let lists = [u64::from(LIST)];
                s.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
                let payload = &mut s.events.last_mut().unwrap().payload;
                payload[..4].copy_from_slice(&u32::MAX.to_le_bytes());
            },
            "ExecuteCommandLists",
        ),
        (
            "an unknown method",
            |s| {
                s.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
                let at = s.events.len() - 2;
                s.events[at].method = u16::MAX;
            },
            "no method 65535",
        ),
        (
            "a leave without its enter",
            |s| {
                s.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
                let leave = s.events.len() - 1;
                s.events.remove(leave - 1);
            },
            "did not begin",
        ),
    ];
    for (what, damage, words) in damages {
        let mut script = Script::new();
        device(&mut script);
        queue(&mut script);
        list(&mut script);
        damage(&mut script);
        log::take();
        let error = failure(script.play(&mut options(Convention::Win64)));
        assert!(error.contains(words) && error.contains("call 5"), "{what}: {error}");
    }
}

/// Every byte of every payload turned over: an error or a replay, nothing else.
#[test]
fn flipped_payloads_do_no_harm() {
    let _alone = alone();
    control::set_logging(false);
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    list(&mut script);
    buffer(&mut script, BUFFER, D3D12_HEAP_TYPE::UPLOAD, 0x1000);
    script.call(BUFFER, method("ID3D12Resource", "GetGPUVirtualAddress"), &[], ADDRESS);
    let root = method("ID3D12GraphicsCommandList", "SetGraphicsRootConstantBufferView");
    script.call(LIST, root, &[2, ADDRESS + 0x200], 0);
    let lists = [u64::from(LIST)];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
    for event in 0..script.events.len() {
        for byte in 0..script.events[event].payload.len() {
            for mask in [0x01, 0x80, 0xff] {
                script.events[event].payload[byte] ^= mask;
                let mut options = options(Convention::SysV);
                options.fence_wait_timeout = Duration::ZERO;
                let _ = script.play(&mut options);
                script.events[event].payload[byte] ^= mask;
            }
        }
    }
    control::set_logging(true);
}

#[test]
fn a_creation_that_fails_here_is_named_with_its_code() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    fence(&mut script);
    let method = method_named("ID3D12Device::CreateFence").unwrap();
    control::on(method, 0, control::Action::Fail(0x8007_000eu32 as i32));
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("call 2") && error.contains("CreateFence") && error.contains("E_OUTOFMEMORY"), "{error}");

    // What failed at capture may fail here, and may succeed.
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0u64;
    let words = [0, 0, iid(interface("ID3D12Fence")), core::ptr::from_mut(&mut slot) as u64];
    script.call(DEVICE, method, &words, 0x8007_0057);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    assert!(report.differences[0].to_string().contains("E_INVALIDARG"), "{:?}", report.differences);
    control::clear();
    let before = reprise_null::live();
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    assert!(report.differences[0].to_string().contains("S_OK"), "{:?}", report.differences);
    assert_eq!(reprise_null::live(), before, "the object that nobody wanted is left");
}

/// Work behind the last wait has to end, too; what a queue waits for at capture, and the trace never brings, is nobody's fault.
#[test]
fn queues_that_do_not_end_end_the_replay() {
    let _alone = alone();
    let signal = method("ID3D12CommandQueue", "Signal");
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    fence(&mut script);
    // The first signal is the program's, the second one says when the queue ends, and is lost.
    script.call(QUEUE, signal, &[u64::from(FENCE), 5], 0);
    script.observe(FENCE, 5);
    control::on(signal, 2, control::Action::Fail(-1));
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("queue 2 still works") && error.contains("--fence-timeout"), "{error}");
    let wait = |script: &mut Script, value: u64| {
        script.call(QUEUE, method("ID3D12CommandQueue", "Wait"), &[u64::from(FENCE), value], 0);
    };
    for (value, is_stuck) in [(5, true), (6, false)] {
        control::clear();
        control::on(signal, 2, control::Action::Fail(-1));
        let mut script = script.copy();
        wait(&mut script, value);
        let played = script.play(&mut options(Convention::SysV));
        assert_eq!(played.is_err(), is_stuck, "waits for {value}");
    }
    // A value that came before its fence went away holds nobody up.
    control::clear();
    control::on(signal, 2, control::Action::Fail(-1));
    wait(&mut script, 6);
    script.call(FENCE, method("ID3D12Fence", "Signal"), &[6], 0);
    release(&mut script, FENCE, 0);
    assert!(script.play(&mut options(Convention::SysV)).is_err());
}

/// The value of a removed device is one that programs may signal.
#[test]
fn the_largest_value_of_a_fence_is_no_removal() {
    let _alone = alone();
    for (signalled, differences) in [(true, 0), (false, 1)] {
        let mut script = Script::new();
        device(&mut script);
        fence(&mut script);
        if signalled {
            script.call(FENCE, method("ID3D12Fence", "Signal"), &[u64::MAX], 0);
            // An older value is seen later: the fence has gone on.
            script.observe(FENCE, 5);
        }
        script.observe(FENCE, u64::MAX);
        let report = script.play(&mut options(Convention::SysV)).unwrap();
        assert_eq!(report.difference_count, differences, "{:?}", report.differences);
    }
}

#[test]
fn a_fence_that_does_not_get_there_ends_the_wait() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    fence(&mut script);
    script.call(FENCE, method("ID3D12Fence", "Signal"), &[4], 0);
    script.observe(FENCE, 5);
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("fence 7") && error.contains("reach 5") && error.contains("its value is 4"), "{error}");

    // Where the library forgets what a queue has signalled (here the program takes it back), the queue's end counts.
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    fence(&mut script);
    script.call(QUEUE, method("ID3D12CommandQueue", "Signal"), &[u64::from(FENCE), 5], 0);
    script.call(FENCE, method("ID3D12Fence", "Signal"), &[4], 0);
    script.observe(FENCE, 5);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    let [difference] = &report.differences[..] else { panic!("{:?}", report.differences) };
    assert!(difference.to_string().contains("lost a fence's value: fence 7 stands at 4"), "{difference}");
    // But never for more than it was told.
    script.observe(FENCE, 6);
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("reach 6") && error.contains("its value is 4"), "{error}");

    // The value that a blocking form waited for counts from its leave on, when another thread has signalled.
    let mut script = Script::new();
    device(&mut script);
    fence(&mut script);
    let wait = method("ID3D12Fence", "SetEventOnCompletion");
    script.thread = 1;
    let number = script.enter(FENCE, wait, &[9, 0]);
    script.thread = 0;
    script.call(FENCE, method("ID3D12Fence", "Signal"), &[9], 0);
    script.thread = 1;
    script.leave(number, FENCE, wait, &[9, 0], 0);
    script.play(&mut options(Convention::SysV)).unwrap();
}

#[test]
fn events_are_replays_own() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    fence(&mut script);
    let wait = method("ID3D12Fence", "SetEventOnCompletion");
    script.call(FENCE, wait, &[1, 0xabcd_ef00], 0);
    script.call(FENCE, method("ID3D12Fence", "Signal"), &[1], 0);
    script.play(&mut options(Convention::SysV)).unwrap();
    let event = bits(&logged(&log::take(), "ID3D12Fence::SetEventOnCompletion").inputs[1]);
    assert!(event != 0 && event != 0xabcd_ef00);
}

#[test]
fn known_objects_are_not_taken_twice_and_differences_are_told() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    let mut slot = 0;
    let words = [iid(interface("ID3D12Device")), out(&mut slot, DEVICE)];
    script.call(QUEUE, method("ID3D12DeviceChild", "GetDevice"), &words, 0);
    script.call(DEVICE, method("ID3D12Device", "GetNodeCount"), &[], 4242);
    let report = script.play(&mut options(Convention::Win64)).unwrap();
    assert_eq!(reprise_null::live(), before);
    assert_eq!(report.difference_count, 1, "{:?}", report.differences);
    assert!(
        report.differences[0].to_string().contains("GetNodeCount: result was 4242, here"),
        "{:?}",
        report.differences
    );
}

/// Two threads create at once; the ids go to the right objects, and use waits for neither.
#[test]
fn calls_of_two_threads_interleave() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    let create = method("ID3D12Device", "CreateFence");
    let (mut first, mut second) = (0, 0);
    let first_words = [11, 0, iid(interface("ID3D12Fence")), out(&mut first, 50)];
    let second_words = [22, 0, iid(interface("ID3D12Fence")), out(&mut second, 51)];
    script.thread = 1;
    let one = script.enter(DEVICE, create, &first_words);
    script.thread = 2;
    let two = script.enter(DEVICE, create, &second_words);
    script.thread = 1;
    script.leave(one, DEVICE, create, &first_words, 0);
    script.thread = 2;
    script.leave(two, DEVICE, create, &second_words, 0);
    script.call(51, method("ID3D12Fence", "Signal"), &[9], 0);
    script.play(&mut options(Convention::SysV)).unwrap();
    let calls = log::take();
    let made = calls.iter().filter(|call| full_name(call.method) == "ID3D12Device::CreateFence");
    let made: Vec<_> = made.map(|call| (bits(&call.inputs[0]), call.outputs[3].clone())).collect();
    let signalled = logged(&calls, "ID3D12Fence::Signal").this;
    let of_second = made.iter().find(|(initial, _)| *initial == 22).unwrap();
    assert_eq!(of_second.1, Some(Value::List(vec![Value::Object(signalled)])));
}

/// A call that the capture saw begin and never end is made; those around it are not lost.
#[test]
fn a_call_that_never_returned_is_made() {
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0;
    let words = [0, 0, iid(interface("ID3D12Fence")), out(&mut slot, FENCE)];
    script.enter(DEVICE, method("ID3D12Device", "CreateFence"), &words);
    let report = script.play(&mut options(Convention::Win64)).unwrap();
    assert_eq!(seen(), ["D3D12CreateDevice", "ID3D12Device::CreateFence"]);
    assert_eq!(report.replayed, 2);
    assert_eq!(reprise_null::live(), before, "what came out of it is left");
}

#[test]
fn what_is_left_out_takes_its_calls_with_it() {
    let _alone = alone();
    const DEBUG: u32 = 60;
    let mut script = Script::new();
    let mut slot = 0;
    let words = [iid(interface("ID3D12Debug")), out(&mut slot, DEBUG)];
    script.call(0, function("D3D12GetDebugInterface"), &words, 0);
    script.call(DEBUG, method("ID3D12Debug", "EnableDebugLayer"), &[], 0);
    let words = [iid(interface("ID3D12Debug1")), out(&mut slot, DEBUG)];
    script.call(DEBUG, method("IUnknown", "QueryInterface"), &words, 0);
    release(&mut script, DEBUG, 0);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    assert_eq!(seen(), Vec::<String>::new());
    assert_eq!(
        (report.calls, report.skipped.values().map(|skipped| skipped.count).sum::<u64>()),
        (4, 3),
        "{:?}",
        report.skipped
    );
}

#[test]
fn what_cannot_be_honoured_says_so() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    let mut slot = 0;
    let open = method("ID3D12Device", "OpenSharedHandle");
    let words = [0x1234, iid(interface("ID3D12Resource")), out(&mut slot, BUFFER)];
    script.call(DEVICE, open, &words, 0);
    // What is done with it is left out, too.
    let name = ['n' as u16, 0];
    script.call(BUFFER, method("ID3D12Object", "SetName"), &[by_ref(&name)], 0);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    let told = report.stale[0].to_string();
    assert!(
        report.stale.len() == 1
            && told.contains("call 2")
            && told.contains("OpenSharedHandle")
            && told.contains("another process"),
        "{told}"
    );
    // It had failed at capture: nothing to honour.
    script.events.truncate(2);
    slot = 0;
    let words = [0x1234, iid(interface("ID3D12Resource")), core::ptr::from_mut(&mut slot) as u64];
    script.call(DEVICE, open, &words, 0x8007_0057);
    script.play(&mut options(Convention::SysV)).unwrap();
    // The same for arguments that no codec can rebuild: a subobject that does not fit its stream.
    let (create, stream) = (method("ID3D12Device2", "CreatePipelineState"), [1u64; 1]);
    let desc = D3D12_PIPELINE_STATE_STREAM_DESC { SizeInBytes: 8, pPipelineStateSubobjectStream: stream.as_ptr() as _ };
    let words = [by_ref(&desc), iid(interface("ID3D12PipelineState")), core::ptr::from_mut(&mut slot) as u64];
    script.call(DEVICE, create, &words, 0x8007_0057);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    assert!(report.skipped.keys().any(|reason| reason.contains("cannot be rebuilt")), "{:?}", report.skipped);
    script.events.truncate(script.events.len() - 2);
    let words = [words[0], words[1], out(&mut slot, BUFFER)];
    script.call(DEVICE, create, &words, 0);
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("CreatePipelineState") && error.contains("does not fit"), "{error}");
}

/// A fence that the program shared gets from replay what another process signalled at capture; what a queue is told to signal is waited for.
#[test]
fn what_others_signal_replay_signals() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    fence(&mut script);
    let share = method("ID3D12Device", "CreateSharedHandle");
    let mut handle = 0x44u64;
    script.call(DEVICE, share, &[u64::from(FENCE), 0, 0, 0, core::ptr::from_mut(&mut handle) as u64], 0);
    script.observe(FENCE, 5);
    let report = script.play(&mut options(Convention::SysV)).unwrap();
    let [difference] = &report.differences[..] else { panic!("{:?}", report.differences) };
    assert!(difference.what.contains("another process signalled fence 7"), "{difference}");
    assert_eq!(bits(&logged(&log::take(), "ID3D12Fence::Signal").inputs[0]), 5);
    // One that is not shared is not signalled.
    script.events.drain(4..6);
    let error = failure(script.play(&mut options(Convention::SysV)));
    assert!(error.contains("fence 7 did not reach 5"), "{error}");
}

/// A pipeline that the program found in its library is made here from its description.
#[test]
fn pipelines_of_a_library_are_made() {
    let _alone = alone();
    const LIBRARY: u32 = 70;
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    let (mut slot, cache) = (0, [7u8; 300]);
    let library = iid(interface("ID3D12PipelineLibrary"));
    let words = [by_ref(&cache), 300, library, out(&mut slot, LIBRARY)];
    script.call(DEVICE, method("ID3D12Device1", "CreatePipelineLibrary"), &words, 0);
    let (name, desc) = (['a' as u16, 0], D3D12_COMPUTE_PIPELINE_STATE_DESC { NodeMask: 5, ..Default::default() });
    let load = method("ID3D12PipelineLibrary", "LoadComputePipeline");
    let pipeline = iid(interface("ID3D12PipelineState"));
    script.call(LIBRARY, load, &[by_ref(&name), by_ref(&desc), pipeline, out(&mut slot, 71)], 0);
    // Not found at capture: the program went on without it.
    slot = 0;
    let nothing = core::ptr::from_mut(&mut slot) as u64;
    script.call(LIBRARY, load, &[by_ref(&name), by_ref(&desc), pipeline, nothing], 0x8007_0057);
    script.call(71, method("ID3D12Object", "SetName"), &[by_ref(&name)], 0);
    let report = script.play(&mut options(Convention::Win64)).unwrap();
    assert_eq!(report.difference_count, 0, "{:?}", report.differences);
    let calls = log::take();
    let made = calls.iter().filter(|call| full_name(call.method) == "ID3D12Device::CreateComputePipelineState");
    assert!(made.clone().all(|call| format!("{:?}", call.inputs[0]).contains("bits: 5")));
    assert_eq!(made.count(), 2);
    assert_eq!(logged(&calls, "ID3D12Device1::CreatePipelineLibrary").inputs[0], Value::Null);
    assert_eq!(reprise_null::live(), before);
}

/// Opening what the program itself shared gives the same object of the runtime, by handle and by name, also once the program has
/// released what it shared. No runtime is asked for handles.
#[test]
fn what_the_program_shared_it_opens_again() {
    const OPENED: u32 = 60;
    const NAMED: u32 = 61;
    let _alone = alone();
    let before = reprise_null::live();
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    fence(&mut script);
    let (share, open) = (method("ID3D12Device", "CreateSharedHandle"), method("ID3D12Device", "OpenSharedHandle"));
    let find = method("ID3D12Device", "OpenSharedHandleByName");
    let name: Vec<u16> = "ours\0".encode_utf16().collect();
    let name = name.as_ptr() as u64;
    let (mut handle, mut slot) = (0x44u64, 0);
    script.call(DEVICE, share, &[u64::from(FENCE), 0, 0, name, core::ptr::from_mut(&mut handle) as u64], 0);
    release(&mut script, FENCE, 0);
    script.call(DEVICE, open, &[0x44, iid(interface("ID3D12Fence")), out(&mut slot, OPENED)], 0);
    let mut other = 0x48u64;
    script.call(DEVICE, find, &[name, 0, core::ptr::from_mut(&mut other) as u64], 0);
    script.call(DEVICE, open, &[0x48, iid(interface("ID3D12Fence1")), out(&mut slot, NAMED)], 0);
    script.call(QUEUE, method("ID3D12CommandQueue", "Signal"), &[u64::from(OPENED), 3], 0);
    script.call(NAMED, method("ID3D12Fence", "Signal"), &[4], 0);
    release(&mut script, OPENED, 0);
    script.play(&mut options(Convention::SysV)).unwrap();
    let calls = log::take();
    let names: Vec<_> = calls.iter().map(|call| full_name(call.method)).collect();
    assert!(names.iter().all(|name| !name.contains("Shared")), "{names:?}");
    // Replay's own signals, when it drains its queues, come later.
    let signalled = calls.iter().find(|call| full_name(call.method) == "ID3D12CommandQueue::Signal").unwrap();
    let fence = logged(&calls, "ID3D12Fence::Signal").this;
    assert_eq!(signalled.inputs[0], Value::Object(fence), "both are the object that was shared");
    assert_eq!(reprise_null::live(), before, "every reference is given back");
}

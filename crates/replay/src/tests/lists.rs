//! Replays that record lists ahead, on the null runtime: its log against that of one thread.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;

use proptest::prelude::*;
use reprise_d3d12::types::{
    D3D12_COMPUTE_PIPELINE_STATE_DESC, D3D12_DESCRIPTOR_HEAP_DESC, D3D12_DESCRIPTOR_HEAP_TYPE, D3D12_HEAP_TYPE,
};
use reprise_d3d12::{interface, method};
use reprise_null::control::{self, Action};
use reprise_null::log::{self, Call};
use reprise_null::{Value, full_name};

use crate::lists::choice::TURNS;
use crate::tests::program::{DEVICE, QUEUE, alone, buffer, by_ref, device, failure, iid, options, out, queue};
use crate::tests::script::Script;
use crate::{Convention, Options, Subject};

const HEAP: u32 = 9;
/// Lists are 20 to 24, their allocators 30 to 33: the last two lists record in turn into one.
const LISTS: u32 = 5;
const TARGETS: u64 = 4;
/// What the "program" was told.
const CPU: u64 = 0x5500_0000;
const INCREMENT: u64 = 48;

fn list(number: u32) -> u32 {
    20 + number
}

fn allocator(number: u32) -> u32 {
    30 + number.min(LISTS - 2)
}

fn recorded_by<'a>(recorders: usize) -> Options<'a> {
    Options { threads: recorders + 1, recorders, recorded_from: Some(8), ..options(Convention::SysV) }
}

/// A device, a queue, a heap for targets, allocators; lists that are closed.
fn stage() -> Script {
    let mut script = Script::new();
    let mut slot = 0;
    device(&mut script);
    queue(&mut script);
    let kind = D3D12_DESCRIPTOR_HEAP_TYPE::RTV;
    let desc = D3D12_DESCRIPTOR_HEAP_DESC { Type: kind, NumDescriptors: TARGETS as u32, ..Default::default() };
    let words = [by_ref(&desc), iid(interface("ID3D12DescriptorHeap")), out(&mut slot, HEAP)];
    script.call(DEVICE, method("ID3D12Device", "CreateDescriptorHeap"), &words, 0);
    let mut start = CPU;
    let pointer = core::ptr::from_mut(&mut start) as u64;
    script.call(HEAP, method("ID3D12DescriptorHeap", "GetCPUDescriptorHandleForHeapStart"), &[pointer], pointer);
    let kind = kind.0 as u64;
    script.call(DEVICE, method("ID3D12Device", "GetDescriptorHandleIncrementSize"), &[kind], INCREMENT);
    for number in 0..LISTS {
        if number < LISTS - 1 {
            let words = [0, iid(interface("ID3D12CommandAllocator")), out(&mut slot, allocator(number))];
            script.call(DEVICE, method("ID3D12Device", "CreateCommandAllocator"), &words, 0);
        }
        let class = iid(interface("ID3D12GraphicsCommandList"));
        let words = [0, 0, u64::from(allocator(number)), 0, class, out(&mut slot, list(number))];
        script.call(DEVICE, method("ID3D12Device", "CreateCommandList"), &words, 0);
        close(&mut script, number);
    }
    script
}

fn reset(script: &mut Script, number: u32) {
    let words = [u64::from(allocator(number)), 0];
    script.call(list(number), method("ID3D12GraphicsCommandList", "Reset"), &words, 0);
}

fn draw(script: &mut Script, number: u32, tag: u64) -> u64 {
    script.call(list(number), method("ID3D12GraphicsCommandList", "DrawInstanced"), &[tag, 1, 0, 0], 0)
}

fn clear(script: &mut Script, number: u32, target: u64, tag: u64) {
    let color = [tag as f32, 0.0, 0.0, 1.0];
    let words = [CPU + target * INCREMENT, by_ref(&color), 0, 0];
    script.call(list(number), method("ID3D12GraphicsCommandList", "ClearRenderTargetView"), &words, 0);
}

/// A call that the short way does not take: it is passed a float.
fn bounds(script: &mut Script, number: u32, tag: u64) {
    let words = [u64::from((tag as f32).to_bits()), u64::from(1f32.to_bits())];
    script.call(list(number), method("ID3D12GraphicsCommandList1", "OMSetDepthBounds"), &words, 0);
}

fn close(script: &mut Script, number: u32) -> u64 {
    script.call(list(number), method("ID3D12GraphicsCommandList", "Close"), &[], 0)
}

fn execute(script: &mut Script, number: u32) {
    let lists = [u64::from(list(number))];
    script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
}

fn write_target(script: &mut Script, target: u64) {
    let words = [0, 0, CPU + target * INCREMENT];
    script.call(DEVICE, method("ID3D12Device", "CreateRenderTargetView"), &words, 0);
}

fn release(script: &mut Script, id: u32) {
    script.call(id, method("IUnknown", "Release"), &[], 0);
}

/// A program that does what it may, as its steps say.
fn program(steps: &[(u8, u8, u8)]) -> Script {
    let mut script = stage();
    let mut open = [false; LISTS as usize];
    let mut buffers = 100;
    let mut tag = 0;
    for &(what, which, how_many) in steps {
        let number = u32::from(which) % LISTS;
        let is_open = open[number as usize];
        let other_open = number >= LISTS - 2 && open[(2 * LISTS - 3 - number) as usize];
        match what % 16 {
            0..8 if is_open => {
                // Enough for other threads now and then.
                for _ in 0..=u32::from(how_many) * u32::from(what % 4) {
                    tag += 1;
                    draw(&mut script, number, tag);
                }
                if what % 16 == 3 {
                    bounds(&mut script, number, tag);
                }
            }
            8 | 9 if is_open => {
                tag += 1;
                clear(&mut script, number, u64::from(how_many) % TARGETS, tag);
            }
            10 if is_open => {
                close(&mut script, number);
                open[number as usize] = false;
            }
            0..9 if !other_open => {
                reset(&mut script, number);
                open[number as usize] = true;
            }
            11 if !is_open => execute(&mut script, number),
            12 if !is_open && !other_open => {
                script.call(allocator(number), method("ID3D12CommandAllocator", "Reset"), &[], 0);
            }
            13 => write_target(&mut script, u64::from(how_many) % TARGETS),
            14 => {
                script.call(list(number), method("ID3D12CommandList", "GetType"), &[], 1);
            }
            15 => {
                buffers += 1;
                buffer(&mut script, buffers, D3D12_HEAP_TYPE::UPLOAD, 0x100);
                release(&mut script, buffers);
            }
            _ => {}
        }
        if how_many == 37 {
            script.frame();
        }
    }
    script
}

/// A call as it is in every replay: what it is, about which object, and the number that the program gave it.
fn line(call: &Call, first: u64) -> String {
    let name = full_name(call.method);
    let tag = match (name.rsplit("::").next().unwrap(), call.inputs.as_slice()) {
        ("DrawInstanced", [Value::Bits { bits, .. }, ..]) => bits.to_string(),
        ("OMSetDepthBounds", [Value::F32(bits), ..]) => f32::from_bits(*bits).to_string(),
        ("ClearRenderTargetView", [_, Value::List(color), ..]) => format!("{:?}", color[0]),
        ("ExecuteCommandLists", [_, Value::List(lists)]) => match lists[0] {
            Value::Object(serial) => format!("{}", serial - first),
            _ => panic!("{lists:?}"),
        },
        _ => String::new(),
    };
    format!("{name} {} {tag}", call.this.saturating_sub(first))
}

/// The log of a replay.
struct Played {
    lines: Vec<String>,
    /// Calls that keep their order: those that an object is in; a target's writes and the reads of one list; those of the walk;
    /// releases and the calls of one list.
    views: HashMap<String, Vec<String>>,
    threads: usize,
}

fn played(script: &mut Script, recorders: usize) -> Played {
    log::take();
    let report = script.play(&mut recorded_by(recorders)).unwrap();
    // The null runtime numbers its answers.
    let asked = method("ID3D12CommandList", "GetType");
    let others: Vec<_> = report.differences.iter().filter(|it| it.place.method != Subject::Method(asked.0)).collect();
    assert!(others.is_empty(), "{others:?}");
    let mut calls = log::take();
    // Interfaces are asked for where a call is resolved; that changes nothing.
    calls.retain(|call| full_name(call.method) != "IUnknown::QueryInterface");
    let device = calls[0].outputs.iter().flatten().find_map(|value| match value {
        Value::List(made) => match made[..] {
            [Value::Object(serial)] => Some(serial),
            _ => None,
        },
        _ => None,
    });
    let first = device.unwrap();
    let mut views: HashMap<String, Vec<String>> = HashMap::new();
    // Which object a list records into, by the log alone.
    let mut into: HashMap<u64, u64> = HashMap::new();
    let objects = |call: &Call| -> Vec<u64> {
        let of = |value: &Value| match value {
            Value::Object(serial) => vec![*serial],
            Value::List(values) => {
                values.iter().filter_map(|it| if let Value::Object(s) = it { Some(*s) } else { None }).collect()
            }
            _ => vec![],
        };
        call.inputs.iter().flat_map(of).chain([call.this]).collect()
    };
    let mut lists: Vec<u64> = Vec::new();
    for call in &calls {
        let name = full_name(call.method);
        if name.ends_with("::CreateCommandList")
            && let Some(Value::List(made)) = call.outputs.last().unwrap()
            && let Value::Object(serial) = made[0]
        {
            lists.push(serial);
        }
    }
    let starts = calls.iter().find(|call| full_name(call.method).ends_with("HandleForHeapStart"));
    let start = match starts.unwrap().outputs[0].as_ref().unwrap() {
        Value::List(items) => items[0].clone(),
        other => other.clone(),
    };
    let Value::Bits { bits: start, .. } = start else { panic!("{start:?}") };
    for call in &calls {
        let (name, line) = (full_name(call.method), line(call, first));
        if name.ends_with("CommandList::Reset")
            && let Value::Object(allocator) = call.inputs[0]
        {
            into.insert(call.this, allocator);
        }
        let mut put = |view: String| views.entry(view).or_default().push(line.clone());
        let recorded = lists.contains(&call.this) && name.starts_with("ID3D12GraphicsCommandList");
        let all = name == "IUnknown::Release";
        for serial in objects(call) {
            put(format!("object {}", serial.saturating_sub(first)));
        }
        if let Some(allocator) = into.get(&call.this).filter(|_| recorded) {
            put(format!("object {}", allocator - first));
        }
        let handle = match name.rsplit("::").next().unwrap() {
            "ClearRenderTargetView" => Some(&call.inputs[0]),
            "CreateRenderTargetView" => Some(&call.inputs[2]),
            _ => None,
        };
        if let Some(Value::Bits { bits, .. }) = handle.map(single) {
            // Nobody can tell which of two lists reads first.
            let readers = if recorded { vec![call.this] } else { lists.clone() };
            readers.into_iter().for_each(|list| put(format!("target {}, list {}", bits - start, list - first)));
        }
        if !recorded {
            put("the walk".into());
        }
        if recorded || all {
            // An object that goes is after all that was recorded before, and before all that comes.
            let concerned = if all { lists.clone() } else { vec![call.this] };
            concerned.into_iter().for_each(|list| put(format!("releases, list {}", list - first)));
        }
    }
    let mut threads: Vec<u64> = calls.iter().map(|call| call.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    Played { lines: calls.iter().map(|call| self::line(call, first)).collect(), views, threads: threads.len() }
}

fn single(value: &Value) -> &Value {
    match value {
        Value::List(items) if items.len() == 1 => &items[0],
        Value::Struct(_, fields) if fields.len() == 1 => &fields[0].1,
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Every object sees the calls that it is in, every descriptor its reads and writes, in the order of one thread; whatever
    /// number of threads there is, and however far they get.
    #[test]
    fn nobody_can_tell_on_how_many_threads_lists_are_recorded(
        steps in prop::collection::vec((any::<u8>(), any::<u8>(), 0..40u8), 1..50),
    ) {
        let _alone = alone();
        let mut script = program(&steps);
        let expected = played(&mut script, 0);
        // The way may change in the middle of a recording, too.
        for (recorders, turns) in [(1, None), (2, None), (7, None), (2, Some(1)), (3, Some(7)), (3, Some(50))] {
            TURNS.set(turns);
            let here = played(&mut script, recorders);
            TURNS.set(None);
            let (mut all, mut calls) = (expected.lines.clone(), here.lines.clone());
            all.sort_unstable();
            calls.sort_unstable();
            prop_assert_eq!(calls, all, "the same calls");
            for (view, lines) in &expected.views {
                prop_assert_eq!(here.views.get(view), Some(lines), "{} on {} threads, {:?}", view, recorders, turns);
            }
        }
    }
}

/// So many calls that they are worth it go to another thread.
fn long(script: &mut Script, number: u32, first: u64) {
    for tag in first..first + 100 {
        draw(script, number, tag);
    }
}

#[test]
fn two_lists_are_recorded_at_the_same_time() {
    let _alone = alone();
    let mut script = stage();
    for number in 0..2 {
        reset(&mut script, number);
        long(&mut script, number, 100 * u64::from(number));
        close(&mut script, number);
    }
    execute(&mut script, 0);
    execute(&mut script, 1);
    let drawn = method("ID3D12GraphicsCommandList", "DrawInstanced");
    control::on(drawn, 1, Action::Block);
    // The walk may do its part, but does not block: both that do are other threads, each in a list of its own.
    control::on(drawn, 2, Action::Block);
    let watcher = std::thread::spawn(|| {
        while control::blocked() < 2 {
            std::thread::yield_now();
        }
        control::unblock();
    });
    script.play(&mut recorded_by(3)).unwrap();
    watcher.join().unwrap();
    let calls = log::take();
    let threads: Vec<u64> = {
        let drawn = calls.iter().filter(|call| call.method == drawn);
        let mut threads: Vec<u64> = drawn.map(|call| call.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    };
    assert!(threads.len() > 1, "{threads:?}");
}

#[test]
fn without_recorders_and_with_hooks_one_thread_makes_every_call() {
    let _alone = alone();
    let mut script = stage();
    reset(&mut script, 0);
    long(&mut script, 0, 0);
    close(&mut script, 0);
    execute(&mut script, 0);
    assert_eq!(played(&mut script, 0).threads, 1);
    for options in [Options { sync: true, ..recorded_by(2) }, Options { check: true, ..recorded_by(2) }] {
        let mut options = options;
        log::take();
        script.play(&mut options).unwrap();
        let mut threads: Vec<u64> = log::take().iter().map(|call| call.thread).collect();
        threads.dedup();
        assert_eq!(threads.len(), 1, "{:?}", options.one_by_one());
    }
}

/// What a list's `Close` gives is compared as if it had been made where it stands.
#[test]
fn a_close_that_differs_names_its_own_call_before_what_comes_later() {
    for recorders in [0, 1, 3] {
        let _alone = alone();
        let mut script = stage();
        (0..LISTS).for_each(|number| execute(&mut script, number));
        let mut closes = Vec::new();
        for number in 0..3 {
            reset(&mut script, number);
            long(&mut script, number, 0);
            closes.push(close(&mut script, number));
        }
        // Another result than at capture, found before the lists are waited for.
        let mut slot = 0u64;
        let words = [0, 0, iid(interface("ID3D12Fence")), core::ptr::from_mut(&mut slot) as u64];
        let fence = script.call(DEVICE, method("ID3D12Device", "CreateFence"), &words, 0x8000_4005);
        (0..3).for_each(|number| execute(&mut script, number));
        // Those of the stage are made by then.
        for nth in u64::from(LISTS) + 1..=u64::from(LISTS) + 3 {
            control::on(method("ID3D12GraphicsCommandList", "Close"), nth, Action::Fail(0x8000_4005_u32 as i32));
        }
        let report = script.play(&mut recorded_by(recorders)).unwrap();
        // The first `Close` stands for all that are alike.
        let found: Vec<_> = report.differences.iter().map(|it| (it.place.call, it.count)).collect();
        assert_eq!(found[0], (closes[0], 3), "{recorders}: {found:?}");
        assert!(found[1..].iter().all(|&(call, _)| call == fence) && found.len() > 1, "{recorders}: {found:?}");
    }
}

#[test]
fn a_device_that_is_removed_is_found_at_the_close_that_says_so() {
    let mut errors = Vec::new();
    for recorders in [0, 1, 3] {
        let _alone = alone();
        let mut script = stage();
        for number in 0..3 {
            reset(&mut script, number);
            long(&mut script, number, 0);
            close(&mut script, number);
        }
        (0..3).for_each(|number| execute(&mut script, number));
        let removed = Action::Fail(0x887a_0005_u32 as i32);
        control::on(method("ID3D12GraphicsCommandList", "Close"), 0, removed);
        errors.push(failure(script.play(&mut recorded_by(recorders))));
    }
    assert!(errors[0].contains("::Close") && errors[0].contains("removed"), "{}", errors[0]);
    assert_eq!(errors[1], errors[0]);
    assert_eq!(errors[2], errors[0]);
}

/// An argument that cannot be honoured is found where it stands, and all calls before it are made.
#[test]
fn damage_in_a_list_names_its_own_call() {
    let mut errors = Vec::new();
    for recorders in [0, 1, 3] {
        let _alone = alone();
        let mut script = stage();
        reset(&mut script, 0);
        long(&mut script, 0, 0);
        let set = method("ID3D12GraphicsCommandList", "SetPipelineState");
        let call = script.call(list(0), set, &[0xdead], 0);
        long(&mut script, 0, 0);
        log::take();
        let error = failure(script.play(&mut recorded_by(recorders)));
        assert!(error.contains(&format!("call {call} ")) && error.contains("object 57005"), "{error}");
        let drawn = log::take().iter().filter(|call| full_name(call.method).ends_with("DrawInstanced")).count();
        assert_eq!(drawn, 100, "{recorders}");
        errors.push(error);
    }
    assert_eq!(errors[0], errors[1]);
    assert_eq!(errors[0], errors[2]);
}

/// A pipeline that is still being made is waited for where the list uses it, by the walk.
#[test]
fn a_list_may_use_a_pipeline_that_is_still_being_made() {
    let _alone = alone();
    let mut script = stage();
    let (mut slot, blob) = (0, [3u8; 40]);
    let words = [0, by_ref(&blob), 40, iid(interface("ID3D12RootSignature")), out(&mut slot, 60)];
    script.call(DEVICE, method("ID3D12Device", "CreateRootSignature"), &words, 0);
    let root = core::ptr::without_provenance_mut(60);
    let desc = D3D12_COMPUTE_PIPELINE_STATE_DESC { pRootSignature: root, ..Default::default() };
    let words = [by_ref(&desc), iid(interface("ID3D12PipelineState")), out(&mut slot, 61)];
    script.call(DEVICE, method("ID3D12Device", "CreateComputePipelineState"), &words, 0);
    reset(&mut script, 0);
    long(&mut script, 0, 0);
    script.call(list(0), method("ID3D12GraphicsCommandList", "SetPipelineState"), &[61], 0);
    long(&mut script, 0, 100);
    close(&mut script, 0);
    execute(&mut script, 0);
    let create = method("ID3D12Device", "CreateComputePipelineState");
    control::on(create, 1, Action::Block);
    let watcher = std::thread::spawn(|| {
        while control::blocked() < 1 {
            std::thread::yield_now();
        }
        control::unblock();
    });
    script.play(&mut recorded_by(2)).unwrap();
    watcher.join().unwrap();
    let calls = log::take();
    let of_list: Vec<&Call> =
        calls.iter().filter(|call| full_name(call.method).starts_with("ID3D12GraphicsCommandList")).collect();
    let set = of_list.iter().position(|call| full_name(call.method).ends_with("SetPipelineState")).unwrap();
    assert!(full_name(of_list[set - 1].method).ends_with("DrawInstanced"));
    assert_eq!(of_list[set + 1].words[0], 100, "it stays in its place");
}

/// Nothing is lost, and nothing left alive, where a replay ends in the middle.
#[test]
fn what_is_under_way_at_the_end_is_made() {
    for recorders in [1, 3] {
        let _alone = alone();
        let before = reprise_null::live();
        let mut script = stage();
        reset(&mut script, 0);
        long(&mut script, 0, 0);
        draw(&mut script, 0, 7);
        reset(&mut script, 1);
        draw(&mut script, 1, 7);
        log::take();
        script.play(&mut recorded_by(recorders)).unwrap();
        let drawn = log::take().iter().filter(|call| full_name(call.method).ends_with("DrawInstanced")).count();
        assert_eq!(drawn, 102);
        assert_eq!(reprise_null::live(), before);
    }
}

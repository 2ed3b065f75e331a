//! DXGI in whole replays of hand-made traces: which buffer each present shows, and what is left out.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::{
    DXGI_ADAPTER_DESC, DXGI_FORMAT, DXGI_PRESENT_PARAMETERS, DXGI_SWAP_CHAIN_DESC, DXGI_SWAP_CHAIN_DESC1, RECT,
};
use reprise_d3d12::{function, interface, method};
use reprise_null::{full_name, log};
use reprise_trace::fact;

use crate::tests::program::{
    ALLOCATOR, DEVICE, LIST, QUEUE, alone, bits, by_ref, device, failure, iid, list, options, out, queue, release,
};
use crate::tests::script::Script;
use crate::{Convention, Error, Options, Report};

const FACTORY: u32 = 20;
const CHAIN: u32 = 21;
const ADAPTER: u32 = 22;
const BACK: u32 = 30;

const FLIP_DISCARD: i32 = 4;
const DISCARD: i32 = 0;
const TEST: u64 = 1;
const DO_NOT_SEQUENCE: u64 = 2;
const STILL_DRAWING: u64 = 0x887a_000a;

fn desc(effect: i32, count: u32) -> DXGI_SWAP_CHAIN_DESC1 {
    let mut desc = DXGI_SWAP_CHAIN_DESC1 { Width: 5, Height: 3, BufferCount: count, ..Default::default() };
    desc.Format = DXGI_FORMAT(87);
    desc.BufferUsage = 0x20 as _;
    desc.SwapEffect.0 = effect;
    desc
}

/// A device, a queue, a factory, and a chain for a window.
fn chain(desc: &DXGI_SWAP_CHAIN_DESC1) -> Script {
    let mut script = Script::new();
    let mut slot = 0;
    let words = [0, iid(interface("IDXGIFactory4")), out(&mut slot, FACTORY)];
    script.call(0, function("CreateDXGIFactory2"), &words, 0);
    device(&mut script);
    queue(&mut script);
    let words = [u64::from(QUEUE), 0x1234, by_ref(desc), 0, 0, out(&mut slot, CHAIN)];
    script.call(FACTORY, method("IDXGIFactory2", "CreateSwapChainForHwnd"), &words, 0);
    script
}

/// `GetBuffer` of one number, as object `BACK` and that number.
fn take(script: &mut Script, index: u32) {
    take_as(script, index, BACK + index);
}

fn take_as(script: &mut Script, index: u32, id: u32) {
    let mut slot = 0;
    let words = [u64::from(index), iid(interface("ID3D12Resource")), out(&mut slot, id)];
    script.call(CHAIN, method("IDXGISwapChain", "GetBuffer"), &words, 0);
}

/// A present, and the frame that it ends unless nothing was shown.
fn present(script: &mut Script, flags: u64, result: u64) {
    script.call(CHAIN, method("IDXGISwapChain", "Present"), &[1, flags], result);
    if flags & TEST == 0 && (result as i32) >= 0 {
        script.frame();
    }
}

fn told(script: &mut Script, index: u64) {
    script.call(CHAIN, method("IDXGISwapChain3", "GetCurrentBackBufferIndex"), &[], index);
}

fn play(script: &mut Script) -> Result<Report, Error> {
    log::take();
    script.play(&mut Options { frame_hashes: true, ..options(Convention::Win64) })
}

/// Plays; which buffers were read back, in turn: each by the place of its first picture.
fn shown(script: &mut Script) -> Vec<usize> {
    let report = play(script).unwrap();
    assert_eq!(report.differences, []);
    assert_eq!(report.frames.len(), report.hash_lines().len());
    let calls = log::take().into_iter();
    let copies = calls.filter(|call| full_name(call.method).ends_with("::CopyTextureRegion"));
    let mut known = Vec::new();
    let sources = copies.map(|call| format!("{:?}", call.inputs[4]));
    let number = |source| {
        known.iter().position(|other| *other == source).unwrap_or_else(|| {
            known.push(source);
            known.len() - 1
        })
    };
    sources.map(number).collect()
}

fn fact(script: &mut Script, object: u32, kind: u32, numbers: &[u32]) {
    let words = [kind, 0].into_iter().chain(numbers.iter().copied()).flat_map(u32::to_le_bytes);
    script.fact(object, words.collect());
}

#[test]
fn flip_chains_go_round() {
    let _alone = alone();
    let mut script = chain(&desc(FLIP_DISCARD, 3));
    (0..3).for_each(|index| take(&mut script, index));
    (0..5).for_each(|_| present(&mut script, 0, 0));
    assert_eq!(shown(&mut script), [0, 1, 2, 0, 1]);
}

#[test]
fn the_program_was_told_which_buffer_is_next() {
    let _alone = alone();
    for effect in [FLIP_DISCARD, DISCARD] {
        let mut script = chain(&desc(effect, 3));
        (0..3).for_each(|index| take(&mut script, index));
        for index in [2, 2, 0, 1] {
            told(&mut script, index);
            present(&mut script, 0, 0);
        }
        assert_eq!(shown(&mut script), [0, 0, 1, 2]);
    }
}

#[test]
fn blit_chains_show_their_only_buffer() {
    let _alone = alone();
    let mut script = chain(&desc(DISCARD, 2));
    take(&mut script, 0);
    (0..3).for_each(|_| present(&mut script, 0, 0));
    assert_eq!(shown(&mut script), [0, 0, 0]);
}

#[test]
fn presents_that_show_nothing_change_nothing() {
    let _alone = alone();
    let mut script = chain(&desc(FLIP_DISCARD, 2));
    (0..2).for_each(|index| take(&mut script, index));
    present(&mut script, 0, 0);
    present(&mut script, TEST, 0);
    // It is not waited for the screen: nothing was presented.
    present(&mut script, 8, STILL_DRAWING);
    present(&mut script, 0, 0);
    // Occluded windows show as much as others.
    present(&mut script, 0, 0x087a_0001);
    present(&mut script, DO_NOT_SEQUENCE, 0);
    present(&mut script, 0, 0);
    let mut areas = [RECT { left: 0, top: 0, right: 2, bottom: 2 }];
    let parameters = DXGI_PRESENT_PARAMETERS {
        DirtyRectsCount: 1,
        pDirtyRects: areas.as_mut_ptr(),
        pScrollRect: core::ptr::null_mut(),
        pScrollOffset: core::ptr::null_mut(),
    };
    script.call(CHAIN, method("IDXGISwapChain1", "Present1"), &[1, 0, by_ref(&parameters)], 0);
    script.frame();
    // The third one is of the present that failed: it is thrown away.
    assert_eq!(shown(&mut script), [0, 1, 1, 0, 1, 1, 0]);
    assert_eq!(play(&mut script).unwrap().frames.len(), 6);
}

#[test]
fn a_buffer_that_the_program_gives_back_stays_in_its_chain() {
    let _alone = alone();
    let mut script = chain(&desc(FLIP_DISCARD, 2));
    for round in 0..2 {
        for index in 0..2 {
            take_as(&mut script, index, BACK + 2 * round + index);
            release(&mut script, BACK + 2 * round + index, 0);
            present(&mut script, 0, 0);
        }
    }
    release(&mut script, CHAIN, 0);
    assert_eq!(shown(&mut script), [0, 1, 0, 1]);
}

/// Sizes of all frames.
fn sizes(report: &Report) -> Vec<(u32, u32)> {
    report.frames.iter().map(|frame| (frame.width, frame.height)).collect()
}

fn resize(script: &mut Script, words: [u64; 5]) {
    script.call(CHAIN, method("IDXGISwapChain", "ResizeBuffers"), &words, 0);
}

#[test]
fn sizes_are_the_programs_or_the_windows() {
    let _alone = alone();
    let mut script = chain(&DXGI_SWAP_CHAIN_DESC1 { Width: 0, Height: 0, ..desc(FLIP_DISCARD, 2) });
    // As large as the window: the fact behind the call says how large that is.
    take(&mut script, 0);
    fact(&mut script, BACK, fact::BACK_BUFFER, &[7, 5, 87, 1, 1, 0]);
    present(&mut script, 0, 0);
    release(&mut script, BACK, 0);
    resize(&mut script, [3, 9, 8, 0, 0]);
    take_as(&mut script, 0, BACK + 1);
    present(&mut script, 0, 0);
    // A part of the buffer.
    script.call(CHAIN, method("IDXGISwapChain2", "SetSourceSize"), &[4, 2], 0);
    take_as(&mut script, 1, BACK + 2);
    present(&mut script, 0, 0);
    [1, 2].into_iter().for_each(|id| release(&mut script, BACK + id, 0));
    // The window's again; the program asks.
    resize(&mut script, [0; 5]);
    let size = DXGI_SWAP_CHAIN_DESC1 { Width: 11, Height: 10, ..desc(FLIP_DISCARD, 3) };
    script.call(CHAIN, method("IDXGISwapChain1", "GetDesc1"), &[by_ref(&size)], 0);
    take_as(&mut script, 0, BACK + 3);
    present(&mut script, 0, 0);
    let report = play(&mut script).unwrap();
    assert_eq!(report.differences, []);
    assert_eq!(sizes(&report), [(7, 5), (9, 8), (4, 2), (11, 10)]);
    assert!(report.frames.iter().all(|frame| frame.format == 87 && frame.hash.is_some()));
}

#[test]
fn a_buffer_of_unknown_size_is_refused_where_it_is_used() {
    let _alone = alone();
    let mut script = chain(&DXGI_SWAP_CHAIN_DESC1 { Width: 0, ..desc(FLIP_DISCARD, 2) });
    take(&mut script, 0);
    script.call(DEVICE, method("ID3D12Device", "CreateRenderTargetView"), &[u64::from(BACK), 0, 0], 0);
    let error = failure(play(&mut script));
    assert!(error.contains("CreateRenderTargetView") && error.contains("as large as its window"), "{error}");
}

#[test]
fn a_buffer_that_was_never_taken_has_no_picture() {
    let _alone = alone();
    let mut script = chain(&desc(FLIP_DISCARD, 2));
    take(&mut script, 0);
    (0..2).for_each(|_| present(&mut script, 0, 0));
    let report = play(&mut script).unwrap();
    assert_eq!((report.frames.len(), report.hash_lines().len(), report.difference_count), (2, 1, 1));
}

/// Chains of every function that makes one.
#[test]
fn chains_are_made_for_windows_and_without() {
    let _alone = alone();
    let desc = desc(FLIP_DISCARD, 2);
    let mut old = DXGI_SWAP_CHAIN_DESC { BufferCount: 2, BufferUsage: 0x20 as _, ..Default::default() };
    (old.BufferDesc.Width, old.BufferDesc.Height, old.BufferDesc.Format) = (5, 3, DXGI_FORMAT(87));
    old.SwapEffect.0 = FLIP_DISCARD;
    let queue_word = u64::from(QUEUE);
    let mut slot = 0;
    let place = out(&mut slot, CHAIN);
    let makers: [(&str, &str, Vec<u64>); 4] = [
        ("IDXGIFactory", "CreateSwapChain", vec![queue_word, by_ref(&old), place]),
        ("IDXGIFactory2", "CreateSwapChainForCoreWindow", vec![queue_word, 0, by_ref(&desc), 0, place]),
        ("IDXGIFactory2", "CreateSwapChainForComposition", vec![queue_word, by_ref(&desc), 0, place]),
        (
            "IDXGIFactoryMedia",
            "CreateSwapChainForCompositionSurfaceHandle",
            vec![queue_word, 0x77, by_ref(&desc), 0, place],
        ),
    ];
    for (owner, name, words) in makers {
        let mut script = Script::new();
        let mut factory = 0;
        let asked = [iid(interface("IDXGIFactory1")), out(&mut factory, FACTORY)];
        script.call(0, function("CreateDXGIFactory1"), &asked, 0);
        device(&mut script);
        queue(&mut script);
        script.call(FACTORY, method(owner, name), &words, 0);
        (0..2).for_each(|index| take(&mut script, index));
        (0..3).for_each(|_| present(&mut script, 0, 0));
        assert_eq!(shown(&mut script), [0, 1, 0], "{name}");
    }
}

/// A chain that presents for another API has nothing to show.
#[test]
fn a_chain_of_another_api_is_left_out() {
    let _alone = alone();
    let mut script = Script::new();
    let mut slot = 0;
    let words = [iid(interface("IDXGIFactory2")), out(&mut slot, FACTORY)];
    script.call(0, function("CreateDXGIFactory1"), &words, 0);
    let desc = desc(FLIP_DISCARD, 2);
    let words = [u64::from(ADAPTER), 0x1234, by_ref(&desc), 0, 0, out(&mut slot, CHAIN)];
    script.call(FACTORY, method("IDXGIFactory2", "CreateSwapChainForHwnd"), &words, 0);
    take(&mut script, 0);
    present(&mut script, 0, 0);
    let report = play(&mut script).unwrap();
    assert_eq!((report.frames.len(), report.hash_lines().len(), report.replayed), (1, 0, 0));
    assert_eq!(report.differences, []);
}

/// Objects that a chain gives out lead to the runtime's.
#[test]
fn a_chain_knows_its_queue_and_its_device() {
    let _alone = alone();
    let mut script = chain(&desc(FLIP_DISCARD, 2));
    let get = method("IDXGIDeviceSubObject", "GetDevice");
    for (class, id) in [("ID3D12Device", 40), ("ID3D12CommandQueue", 41), ("IDXGIDevice", 42)] {
        let mut slot = 0;
        script.call(CHAIN, get, &[iid(interface(class)), out(&mut slot, id)], 0);
    }
    script.call(40, method("ID3D12Device", "GetNodeCount"), &[], 0);
    let mut slot = 0u64;
    script.call(42, method("IDXGIDevice", "GetAdapter"), &[out(&mut slot, 43)], 0);
    script.call(43, method("IDXGIObject", "GetParent"), &[iid(interface("IDXGIFactory")), out(&mut slot, 44)], 0);
    script.call(44, method("IUnknown", "QueryInterface"), &[iid(interface("IDXGIFactory6")), out(&mut slot, 45)], 0);
    script.call(45, method("IDXGIFactory5", "CheckFeatureSupport"), &[0, 0, 0], 0x8000_4001);
    let report = play(&mut script).unwrap();
    assert!(log::take().iter().any(|call| full_name(call.method) == "ID3D12Device::GetNodeCount"));
    let windows = report.skipped.iter().find(|(reason, _)| reason.contains("stay with the captured program")).unwrap();
    assert_eq!(windows.1.methods["IDXGIObject::GetParent"], 1);
    assert_eq!(windows.1.methods["IDXGIFactory5::CheckFeatureSupport"], 1);
}

/// The order in which `wgpu-hal` 30 opens a window on Windows, up to its first frames; whatever Wine's library answers.
#[test]
fn a_program_that_opens_a_window_is_played() {
    let _alone = alone();
    const DEBUG: u32 = 50;
    const ADAPTER4: u32 = 51;
    const FENCE: u32 = 52;
    let mut script = Script::new();
    let mut slot = 0;
    let unknown = method("IUnknown", "QueryInterface");
    let fails = |script: &mut Script, object: u32, class: InterfaceId, code: u64| {
        let mut none = 0u64;
        script.call(object, unknown, &[iid(class), core::ptr::from_mut(&mut none) as u64], code);
    };
    let words = [iid(interface("ID3D12Debug1")), out(&mut slot, DEBUG)];
    script.call(0, function("D3D12GetDebugInterface"), &words, 0);
    script.call(DEBUG, method("ID3D12Debug", "EnableDebugLayer"), &[], 0);
    let words = [1, iid(interface("IDXGIFactory4")), out(&mut slot, FACTORY)];
    script.call(0, function("CreateDXGIFactory2"), &words, 0);
    fails(&mut script, FACTORY, interface("IDXGIFactoryMedia"), 0x8000_4002);
    script.call(FACTORY, unknown, &[iid(interface("IDXGIFactory6")), out(&mut slot, FACTORY)], 0);
    let words = [0, 2, iid(interface("IDXGIAdapter4")), out(&mut slot, ADAPTER4)];
    script.call(FACTORY, method("IDXGIFactory6", "EnumAdapterByGpuPreference"), &words, 0);
    let told = DXGI_ADAPTER_DESC::default();
    script.call(ADAPTER4, method("IDXGIAdapter", "GetDesc"), &[by_ref(&told)], 0);
    let words = [u64::from(ADAPTER4), 0xb000, iid(interface("ID3D12Device")), out(&mut slot, DEVICE)];
    script.call(0, function("D3D12CreateDevice"), &words, 0);
    // What Wine 8 does not know.
    for feature in [0x20, 0x25, 0x28, 0x2a, 0x30u64] {
        let data = [0u32; 8];
        let check = method("ID3D12Device", "CheckFeatureSupport");
        script.call(DEVICE, check, &[feature, data.as_ptr() as u64, 4], 0x8007_0057);
    }
    for class in ["ID3D12InfoQueue", "ID3D12DebugDevice", "ID3D12SharingContract", "ID3D12Device10"] {
        fails(&mut script, DEVICE, interface(class), 0x8000_4002);
    }
    queue(&mut script);
    let words = [0, 1, iid(interface("ID3D12Fence")), out(&mut slot, FENCE)];
    script.call(DEVICE, method("ID3D12Device", "CreateFence"), &words, 0);
    let desc = DXGI_SWAP_CHAIN_DESC1 { Flags: 0x840, ..desc(FLIP_DISCARD, 2) };
    let words = [u64::from(QUEUE), 0x5_0066, by_ref(&desc), 0, 0, out(&mut slot, CHAIN)];
    script.call(FACTORY, method("IDXGIFactory2", "CreateSwapChainForHwnd"), &words, 0);
    script.call(CHAIN, unknown, &[iid(interface("IDXGISwapChain3")), out(&mut slot, CHAIN)], 0);
    script.call(FACTORY, method("IDXGIFactory", "MakeWindowAssociation"), &[0x5_0066, 2], 0);
    script.call(CHAIN, method("IDXGISwapChain2", "SetMaximumFrameLatency"), &[2], 0);
    script.call(CHAIN, method("IDXGISwapChain2", "GetFrameLatencyWaitableObject"), &[], 0x1c8);
    script.call(CHAIN, method("IDXGISwapChain3", "SetColorSpace1"), &[0], 0);
    (0..2).for_each(|index| take(&mut script, index));
    list(&mut script);
    script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
    for value in 1..=3 {
        script.call(ALLOCATOR, method("ID3D12CommandAllocator", "Reset"), &[], 0);
        script.call(LIST, method("ID3D12GraphicsCommandList", "Reset"), &[u64::from(ALLOCATOR), 0], 0);
        script.call(LIST, method("ID3D12GraphicsCommandList", "Close"), &[], 0);
        let lists = [u64::from(LIST)];
        script.call(QUEUE, method("ID3D12CommandQueue", "ExecuteCommandLists"), &[1, lists.as_ptr() as u64], 0);
        script.call(QUEUE, method("ID3D12CommandQueue", "Signal"), &[u64::from(FENCE), value], 0);
        script.call(FENCE, method("ID3D12Fence", "SetEventOnCompletion"), &[value, 0x1d0], 0);
        script.call(FENCE, method("ID3D12Fence", "GetCompletedValue"), &[], value);
        present(&mut script, 0, 0);
    }
    let report = play(&mut script).unwrap();
    assert_eq!((report.frames.len(), report.hash_lines().len()), (3, 3));
    assert_eq!(report.differences, []);
    // The null runtime knows all features and interfaces.
    let answers: Vec<(String, &str)> =
        report.answers.iter().map(|answer| (answer.place.method.to_string(), answer.change.field.as_str())).collect();
    let query = |name| ("IUnknown::QueryInterface".to_owned(), name);
    assert!(answers.contains(&query("ID3D12Device10")), "{answers:?}");
    assert!(answers.iter().any(|(method, _)| method.ends_with("CheckFeatureSupport")), "{answers:?}");
    let fences: Vec<_> =
        log::take().into_iter().filter(|call| full_name(call.method).ends_with("::CreateFence")).collect();
    assert!(fences.iter().any(|call| bits(&call.inputs[1]) == 1), "the program's fence is asked for as it was");
}

/// More event handles than a program has open at once: they share events, for nothing waits for one.
#[test]
fn handles_are_without_number() {
    let _alone = alone();
    let mut script = Script::new();
    device(&mut script);
    crate::tests::program::fence(&mut script);
    const SET: MethodId = method("ID3D12Fence", "SetEventOnCompletion");
    for handle in 1..=5000u64 {
        script.call(crate::tests::program::FENCE, SET, &[0, handle * 4], 0);
    }
    let report = play(&mut script).unwrap();
    assert_eq!((report.replayed, report.difference_count), (5002, 0));
}

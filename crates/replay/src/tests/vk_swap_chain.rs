//! `IDXGIVkSwapChain` in whole replays of hand-made traces: chains of the queue's own factory, replayed as DXGI's are.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::types::{DXGI_FORMAT, DXGI_SWAP_CHAIN_DESC1};
use reprise_d3d12::{interface, method};
use reprise_null::{full_name, log};

use crate::tests::program::{QUEUE, alone, by_ref, device, iid, options, out, queue};
use crate::tests::script::Script;
use crate::{Convention, Options, Report};

const CHAIN: u32 = 21;
const BACK: u32 = 30;
const DO_NOT_SEQUENCE: u64 = 2;

fn desc(width: u32, height: u32, count: u32) -> DXGI_SWAP_CHAIN_DESC1 {
    let mut desc = DXGI_SWAP_CHAIN_DESC1 { Width: width, Height: height, BufferCount: count, ..Default::default() };
    desc.Format = DXGI_FORMAT(87);
    desc
}

/// As vkd3d-proton's demos do: the factory is an interface of the queue, the surface factory an object of the program.
fn chain(desc: &DXGI_SWAP_CHAIN_DESC1) -> Script {
    let mut script = Script::new();
    device(&mut script);
    queue(&mut script);
    let mut slot = 0;
    let words = [iid(interface("IDXGIVkSwapChainFactory")), out(&mut slot, QUEUE)];
    script.call(QUEUE, method("IUnknown", "QueryInterface"), &words, 0);
    let words = [0, by_ref(desc), out(&mut slot, CHAIN)];
    script.call(QUEUE, method("IDXGIVkSwapChainFactory", "CreateSwapChain"), &words, 0);
    let words = [iid(interface("IDXGIVkSwapChain2")), out(&mut slot, CHAIN)];
    script.call(CHAIN, method("IUnknown", "QueryInterface"), &words, 0);
    script.call(CHAIN, method("IDXGIVkSwapChain", "GetFrameLatencyEvent"), &[], 7);
    script
}

fn take(script: &mut Script, index: u32, id: u32) {
    let mut slot = 0;
    let words = [u64::from(index), iid(interface("ID3D12Resource")), out(&mut slot, id)];
    script.call(CHAIN, method("IDXGIVkSwapChain", "GetImage"), &words, 0);
}

fn present(script: &mut Script, flags: u64) {
    script.call(CHAIN, method("IDXGIVkSwapChain", "Present"), &[2, flags, 0], 0);
    script.frame();
}

fn change(script: &mut Script, desc: &DXGI_SWAP_CHAIN_DESC1) {
    script.call(CHAIN, method("IDXGIVkSwapChain", "ChangeProperties"), &[by_ref(desc), 0, 0], 0);
}

fn play(script: &mut Script) -> Report {
    log::take();
    let report = script.play(&mut Options { frame_hashes: true, ..options(Convention::SysV) }).unwrap();
    assert_eq!(report.differences, []);
    report
}

/// The sources of replay's own copies, each by the place of its first one.
fn copied() -> Vec<usize> {
    let calls = log::take();
    let asked = |call: &&reprise_null::log::Call| full_name(call.method).contains("IDXGI");
    assert_eq!(calls.iter().filter(asked).count(), 0, "no runtime is asked for presentation");
    let copies = calls.iter().filter(|call| full_name(call.method).ends_with("::CopyTextureRegion"));
    let mut known = Vec::new();
    let mut number = |source: String| {
        known.iter().position(|other| *other == source).unwrap_or_else(|| {
            known.push(source);
            known.len() - 1
        })
    };
    copies.map(|call| number(format!("{:?}", call.inputs[4]))).collect()
}

#[test]
fn presents_go_round_whatever_effect_and_flags_say() {
    let _alone = alone();
    let mut script = chain(&desc(5, 3, 3));
    (0..3).for_each(|index| take(&mut script, index, BACK + index));
    for flags in [0, 0, DO_NOT_SEQUENCE, 0] {
        present(&mut script, flags);
    }
    assert_eq!(play(&mut script).frames.len(), 4);
    assert_eq!(copied(), [0, 1, 2, 0]);
}

#[test]
fn other_properties_make_other_buffers_and_the_same_do_not() {
    let _alone = alone();
    let mut script = chain(&desc(5, 3, 2));
    (0..2).for_each(|index| take(&mut script, index, BACK + index));
    present(&mut script, 0);
    change(&mut script, &desc(5, 3, 2));
    present(&mut script, 0);
    change(&mut script, &desc(7, 4, 2));
    (0..2).for_each(|index| take(&mut script, index, BACK + 10 + index));
    present(&mut script, 0);
    script.call(CHAIN, method("IDXGIVkSwapChain", "GetImageIndex"), &[], 0);
    present(&mut script, 0);
    let sizes: Vec<_> = play(&mut script).frames.iter().map(|frame| (frame.width, frame.height)).collect();
    assert_eq!(sizes, [(5, 3), (5, 3), (7, 4), (7, 4)]);
    assert_eq!(copied(), [0, 1, 2, 2]);
}

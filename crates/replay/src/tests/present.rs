//! Presentation in whole replays of hand-made traces: DXGI swap chains, and libvkd3d's wrapped Vulkan images.
#![allow(clippy::unwrap_used)]

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{
    D3D12_RESOURCE_DIMENSION, DXGI_FORMAT, DXGI_SAMPLE_DESC, DXGI_SWAP_CHAIN_DESC1, VkPresentInfoKHR,
    vkd3d_image_resource_create_info,
};
use reprise_d3d12::{function, interface, method};
use reprise_null::{full_name, log};
use reprise_trace::frame_hash::hash_rows;

use crate::tests::program::{DEVICE, QUEUE, alone, by_ref, device, failure, iid, options, out, queue};
use crate::tests::script::Script;
use crate::{Convention, Options, ScreenshotFormat, ScreenshotSize, Screenshots};

/// What the lists of replay's own copied from, in order.
fn copied() -> Vec<String> {
    let calls = log::take().into_iter();
    let copies = calls.filter(|call| full_name(call.method) == "ID3D12GraphicsCommandList::CopyTextureRegion");
    copies.map(|call| format!("{:?}", call.inputs[4])).collect()
}

#[test]
fn dxgi_presents_become_frames() {
    let _alone = alone();
    const FACTORY: u32 = 20;
    const CHAIN: u32 = 21;
    const BACK: u32 = 22;
    let mut script = Script::new();
    let mut slot = 0;
    let words = [iid(interface("IDXGIFactory2")), out(&mut slot, FACTORY)];
    script.call(0, function("CreateDXGIFactory1"), &words, 0);
    device(&mut script);
    queue(&mut script);
    let mut desc = DXGI_SWAP_CHAIN_DESC1 { Width: 5, Height: 3, BufferCount: 2, ..Default::default() };
    desc.Format = DXGI_FORMAT(87);
    desc.SwapEffect.0 = 4;
    let words = [u64::from(QUEUE), 0x1234, by_ref(&desc), 0, 0, out(&mut slot, CHAIN)];
    script.call(FACTORY, method("IDXGIFactory2", "CreateSwapChainForHwnd"), &words, 0);
    for index in 0..2u32 {
        let words = [u64::from(index), iid(interface("ID3D12Resource")), out(&mut slot, BACK + index)];
        script.call(CHAIN, method("IDXGISwapChain", "GetBuffer"), &words, 0);
    }
    let present: MethodId = method("IDXGISwapChain", "Present");
    for _ in 0..3 {
        script.call(CHAIN, present, &[1, 0], 0);
        script.frame();
    }
    let mut options = Options { frame_hashes: true, quit_after_frame: Some(2), ..options(Convention::Win64) };
    let report = script.play(&mut options).unwrap();
    assert_eq!(report.frames.len(), 2);
    // The null runtime's memory is zero.
    let expected = hash_rows((5, 3, 87), &[0; 5 * 3 * 4], 20, 20).unwrap();
    for (frame, number) in report.frames.iter().zip(1..) {
        assert_eq!((frame.number, frame.hash), (number, Some(expected)));
    }
    let copies = copied();
    assert_eq!(copies.len(), 2);
    assert_ne!(copies[0], copies[1], "the two frames show different buffers");
}

const CHAIN: u64 = 0x5a_0001;
pub(crate) const VK_QUEUE: u64 = 0x5a_0002;
const IMAGES: [u64; 3] = [0x5a_0010, 0x5a_0020, 0x5a_0030];
pub(crate) const FIRST: u32 = 30;

/// As Debian's demos do: a Vulkan swap chain, its images wrapped as resources.
pub(crate) fn vulkan_swap_chain(script: &mut Script) {
    device(script);
    queue(script);
    let (mut count, mut images) = (3u32, IMAGES);
    let words = [1, CHAIN, core::ptr::from_mut(&mut count) as u64, images.as_mut_ptr() as u64];
    script.call(0, function("vkGetSwapchainImagesKHR"), &words, 0);
    for (image, id) in IMAGES.into_iter().zip(FIRST..) {
        let mut info = vkd3d_image_resource_create_info { vk_image: image as _, ..Default::default() };
        info.r#type.0 = 2;
        info.desc.Dimension = D3D12_RESOURCE_DIMENSION::TEXTURE2D;
        (info.desc.Width, info.desc.Height) = (4, 2);
        (info.desc.DepthOrArraySize, info.desc.MipLevels) = (1, 1);
        info.desc.Format = DXGI_FORMAT(28);
        info.desc.SampleDesc = DXGI_SAMPLE_DESC { Count: 1, Quality: 0 };
        let mut slot = 0;
        let words = [u64::from(DEVICE), by_ref(&info), out(&mut slot, id)];
        script.call(0, function("vkd3d_create_image_resource"), &words, 0);
    }
    script.call(0, function("vkd3d_acquire_vk_queue"), &[u64::from(QUEUE)], VK_QUEUE);
}

pub(crate) fn vulkan_present(script: &mut Script, queue: u64, index: u32) {
    let (chains, indices) = ([CHAIN], [index]);
    let info = VkPresentInfoKHR {
        swapchainCount: 1,
        pSwapchains: chains.as_ptr() as _,
        pImageIndices: indices.as_ptr(),
        ..Default::default()
    };
    script.call(0, function("vkQueuePresentKHR"), &[queue, by_ref(&info)], 0);
    script.frame();
}

#[test]
pub(crate) fn vulkan_presents_become_frames_and_nothing_vulkan_is_called() {
    let _alone = alone();
    let mut script = Script::new();
    vulkan_swap_chain(&mut script);
    for index in [1, 0, 1] {
        vulkan_present(&mut script, VK_QUEUE, index);
    }
    let folder = std::env::temp_dir().join(format!("reprise-present-{}", std::process::id()));
    let mut options = Options {
        frame_hashes: true,
        screenshots: Screenshots { frames: "2".parse().unwrap(), dir: folder.clone(), ..Screenshots::default() },
        ..options(Convention::SysV)
    };
    let report = script.play(&mut options).unwrap();
    let expected = hash_rows((4, 2, 28), &[0; 4 * 2 * 4], 16, 16).unwrap();
    let hashes: Vec<_> = report.hash_lines().iter().map(|line| (line.frame, line.hash)).collect();
    assert_eq!(hashes, [(1, expected), (2, expected), (3, expected)]);
    let names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["frame_000002.png"]);
    std::fs::remove_dir_all(folder).unwrap();
    let calls = log::calls();
    assert!(!calls.iter().any(|call| full_name(call.method).starts_with("vk")));
    let copies = copied();
    assert_eq!(copies[0], copies[2]);
    assert_ne!(copies[0], copies[1]);
}

#[test]
fn screenshots_are_those_asked_for() {
    let _alone = alone();
    let mut script = Script::new();
    vulkan_swap_chain(&mut script);
    (0..5).for_each(|index| vulkan_present(&mut script, VK_QUEUE, index % 2));
    let folder = std::env::temp_dir().join(format!("reprise-screenshots-{}", std::process::id()));
    let screenshots = Screenshots {
        frames: "2-".parse().unwrap(),
        interval: 3,
        dir: folder.clone(),
        format: ScreenshotFormat::Bmp,
        size: ScreenshotSize::Pixels(9, 5),
        ..Screenshots::default()
    };
    script.play(&mut Options { screenshots, ..options(Convention::SysV) }).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert_eq!(files, [folder.join("frame_000002.bmp"), folder.join("frame_000005.bmp")]);
    // Two headers and rows of 9 pixels, 3 bytes each, padded to 28.
    assert!(files.iter().all(|file| std::fs::metadata(file).unwrap().len() == 54 + 5 * 28));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A present that never returned ends no frame; its picture is there for a capture that had hashed it.
#[test]
fn a_present_that_never_returned_is_no_frame() {
    let _alone = alone();
    let mut script = Script::new();
    vulkan_swap_chain(&mut script);
    vulkan_present(&mut script, VK_QUEUE, 0);
    vulkan_present(&mut script, VK_QUEUE, 1);
    // Frame and leave of the second one are gone.
    script.events.truncate(script.events.len() - 2);
    let mut options = Options { frame_hashes: true, ..options(Convention::SysV) };
    let report = script.play(&mut options).unwrap();
    let lines = |report: &crate::Report, expected: &[_]| -> Vec<u64> {
        report.hash_lines_for(expected).iter().map(|line| line.frame).collect()
    };
    assert_eq!(lines(&report, &[]), [1]);
    let unfinished = report.unfinished.as_ref().and_then(crate::Frame::line).unwrap();
    assert_eq!(unfinished.frame, 2);
    assert_eq!(lines(&report, &[unfinished]), [1, 2]);
}

#[test]
fn presents_of_what_replay_does_not_know_are_named() {
    let _alone = alone();
    for (queue, index, words) in [(VK_QUEUE, 3, "no image 3"), (7, 0, "0x7")] {
        let mut script = Script::new();
        vulkan_swap_chain(&mut script);
        vulkan_present(&mut script, queue, index);
        let mut options = Options { frame_hashes: true, ..options(Convention::SysV) };
        let error = failure(script.play(&mut options));
        assert!(error.contains(words) && error.contains("vkQueuePresentKHR"), "{error}");
    }
}

//! Frames in a window: resized, minimised, made full screen, and with a device that is lost and made anew half way.
//!
//! Every tenth back buffer is read back and compared with what was drawn, and after each change the screen itself is looked at.
//! What is asked of the chain must fit what was done to it. A question that a runtime does not answer (`E_NOTIMPL`) is printed.

use crate::device::{Create, Device};
use crate::drawing::{Drawing, Picture};
use crate::kernel;
use crate::object::Object;
use crate::window::Window;
use reprise_d3d12::generated::types::*;
use reprise_d3d12::interface;
use reprise_d3d12::model::Guid;
use std::ffi::c_void;
use std::time::{Duration, Instant};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn WaitForSingleObject(object: *mut c_void, milliseconds: u32) -> u32;
    fn CloseHandle(object: *mut c_void) -> i32;
}

/// `DXGI_SWAP_CHAIN_FLAG_FRAME_LATENCY_WAITABLE_OBJECT`.
const WAITABLE: u32 = 0x40;
/// `DXGI_ERROR_INVALID_CALL`, `DXGI_ERROR_DEVICE_REMOVED`, `DXGI_ERROR_FRAME_STATISTICS_DISJOINT`, `DXGI_STATUS_OCCLUDED`, `E_NOTIMPL`.
const INVALID_CALL: i32 = 0x887a_0001_u32 as i32;
const REMOVED: i32 = 0x887a_0005_u32 as i32;
const DISJOINT: i32 = 0x887a_000b_u32 as i32;
const OCCLUDED: i32 = 0x087a_0001;
const NOT_THERE: i32 = 0x8000_4001_u32 as i32;
/// A frame is read back so often.
const OFTEN: u32 = 10;
/// Longest until the screen shows a frame.
const PATIENCE: Duration = Duration::from_secs(10);

/// Shows so many frames, and the last one for so many milliseconds; `Err` says what is wrong.
pub(crate) fn show(create: Create, frames: u32, stay: u64) -> Result<(), String> {
    let window = Window::new([320, 240]).ok_or("no window")?;
    let mut stage = Stage::new(create, &window)?;
    let part = (frames / 8).max(4);
    stage.frames(part)?;
    // Before the window has another size: Wine's own chains give it the size that it had when they were made.
    stage.full_screen()?;
    stage.resize([400, 200], 3)?;
    stage.frames(part)?;
    stage.minimise()?;
    stage.frames(part)?;
    stage.lose()?;
    drop(stage);
    let mut stage = Stage::new(create, &window)?;
    stage.frames(part)?;
    stage.full_screen()?;
    stage.resize([333, 171], 2)?;
    stage.frames(frames.saturating_sub(4 * part).max(4))?;
    stage.ask()?;
    println!("shown");
    std::thread::sleep(Duration::from_millis(stay));
    Ok(())
}

/// A window with a device and a chain.
struct Stage<'w> {
    window: &'w Window,
    chain: Chain,
    drawing: Drawing,
    /// Frames that this chain has presented.
    presented: u32,
    /// What the chain counted before any: Wine's own does not begin at zero.
    before: Result<u32, i32>,
    /// Numbers of pictures.
    frame: u32,
}

fn demand(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

impl<'w> Stage<'w> {
    fn new(create: Create, window: &'w Window) -> Result<Stage<'w>, String> {
        let drawing = Device::new(create).and_then(Drawing::new).ok_or("no device")?;
        let chain = Chain::new(&drawing.queue, window)?;
        let before = chain.count();
        let stage = Stage { window, chain, drawing, presented: 0, before, frame: 0 };
        stage.is_described(window.inside(), 2, true)?;
        Ok(stage)
    }

    /// Draws and presents frames, and looks at the screen after the last one.
    fn frames(&mut self, count: u32) -> Result<(), String> {
        for _ in 0..count {
            self.window.pump();
            self.chain.wait()?;
            let index = self.chain.index();
            let back = self.chain.buffer(index).ok_or("no back buffer")?;
            let picture = Picture::new(self.frame, self.chain.size);
            let right = self.drawing.draw(&back, picture, self.frame.is_multiple_of(OFTEN)).ok_or("the GPU hangs")?;
            demand(right, &format!("frame {} is not what was drawn", self.frame))?;
            drop(back);
            let result = self.chain.present(self.frame % 2, 0);
            demand(result == 0, &format!("Present: {result:#x}"))?;
            let next = self.chain.index();
            demand(next == (index + 1) % self.chain.buffers, "the buffers do not take their turns")?;
            self.presented += 1;
            self.frame += 1;
        }
        self.is_visible()
    }

    /// Whether the screen shows the last frame.
    fn is_visible(&mut self) -> Result<(), String> {
        self.drawing.finish().ok_or("the GPU hangs")?;
        let picture = Picture::new(self.frame - 1, self.chain.size);
        let [width, height] = picture.size;
        let places = [picture.middle(), [0, 0], [width - 1, 0], [0, height - 1], [width - 1, height - 1]];
        let start = Instant::now();
        loop {
            self.window.pump();
            let wrong = places.into_iter().find(|&place| self.window.pixel(place) != picture.at(place));
            let Some(place) = wrong else { return Ok(()) };
            if start.elapsed() > PATIENCE {
                let (found, wanted) = (self.window.pixel(place), picture.at(place));
                return Err(format!("frame {} at {place:?}: {found:?} in place of {wanted:?}", self.frame - 1));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Makes the window larger or smaller, and the buffers with it.
    fn resize(&mut self, size: [u32; 2], buffers: u32) -> Result<(), String> {
        let held = self.chain.buffer(0).ok_or("no back buffer")?;
        let result = self.chain.resize(buffers);
        demand(result == INVALID_CALL, &format!("ResizeBuffers with a buffer held: {result:#x}"))?;
        drop(held);
        self.window.resize(size);
        self.drawing.finish().ok_or("the GPU hangs")?;
        let result = self.chain.resize(buffers);
        demand(result == 0, &format!("ResizeBuffers: {result:#x}"))?;
        // Programs written for Windows begin with the first one again; Wine's own chains go on.
        println!("rewound {}", self.chain.index() == 0);
        self.is_described(size, buffers, true)
    }

    /// Presents while there is nothing to see.
    fn minimise(&mut self) -> Result<(), String> {
        self.window.minimise();
        for _ in 0..5 {
            self.chain.wait()?;
            let result = self.chain.present(0, 0);
            demand([0, OCCLUDED].contains(&result), &format!("Present while minimised: {result:#x}"))?;
            self.presented += u32::from(result == 0);
        }
        println!("occluded {}", self.chain.present(0, 1) == OCCLUDED);
        self.window.restore();
        Ok(())
    }

    /// The device goes, as one does whose driver crashed: nothing can be presented until there is another one.
    fn lose(&mut self) -> Result<(), String> {
        let device = self.drawing.device5();
        let reason = device.as_ref().map_or(0, |device| {
            device.call("ID3D12Device5", "RemoveDevice", &[]);
            device.call("ID3D12Device", "GetDeviceRemovedReason", &[])
        });
        println!("lost {}", reason != 0);
        if reason != 0 {
            let result = self.chain.present(0, 0);
            demand(result == REMOVED, &format!("Present without the device: {result:#x}"))?;
            let result = self.chain.resize(2);
            demand(result == REMOVED, &format!("ResizeBuffers without the device: {result:#x}"))?;
        }
        Ok(())
    }

    /// There and back.
    fn full_screen(&mut self) -> Result<(), String> {
        let (before, frame, size) = (self.window.place(), self.window.frame(), self.chain.size);
        let result = self.chain.com.call("IDXGISwapChain", "SetFullscreenState", &[1, 0]);
        demand(result == 0, &format!("SetFullscreenState(1): {result:#x}"))?;
        self.window.pump();
        demand(self.chain.is_full_screen() == (true, true), "GetFullscreenState does not say full screen")?;
        demand(self.window.place() == self.window.monitor(), "the window does not cover its monitor")?;
        demand(self.window.frame() == 0, "the window has a frame, full screen")?;
        let result = self.chain.resize(2);
        demand(result == 0, &format!("ResizeBuffers, full screen: {result:#x}"))?;
        self.is_described(self.window.inside(), 2, false)?;
        self.frames(6)?;
        let result = self.chain.com.call("IDXGISwapChain", "SetFullscreenState", &[0, 0]);
        demand(result == 0, &format!("SetFullscreenState(0): {result:#x}"))?;
        self.window.pump();
        demand(self.chain.is_full_screen() == (false, false), "GetFullscreenState does not say windowed")?;
        let after = self.window.place();
        demand(after == before, &format!("the window is at {after:?}, not where it was: {before:?}"))?;
        demand(self.window.frame() == frame, "the window has another frame than before")?;
        let result = self.chain.resize(2);
        demand(result == 0, &format!("ResizeBuffers, windowed again: {result:#x}"))?;
        self.is_described(size, 2, true)?;
        self.frames(6)
    }

    /// Whether the chain says of itself what it was made like.
    fn is_described(&self, size: [u32; 2], buffers: u32, windowed: bool) -> Result<(), String> {
        let desc: DXGI_SWAP_CHAIN_DESC = self.chain.ask("IDXGISwapChain", "GetDesc")?;
        let desc1: DXGI_SWAP_CHAIN_DESC1 = self.chain.ask("IDXGISwapChain1", "GetDesc1")?;
        let sizes = [[desc.BufferDesc.Width, desc.BufferDesc.Height], [desc1.Width, desc1.Height]];
        demand(sizes == [size; 2], &format!("GetDesc: {sizes:?} in place of {size:?}"))?;
        demand([desc.BufferCount, desc1.BufferCount] == [buffers; 2], "GetDesc: the number of buffers")?;
        demand(desc.OutputWindow == self.window.0, "GetDesc: the window")?;
        demand((desc.Windowed != 0) == windowed, "GetDesc: whether it is windowed")?;
        demand([desc.Flags, desc1.Flags] == [WAITABLE; 2], "GetDesc: the flags")?;
        demand(desc1.SwapEffect == DXGI_SWAP_EFFECT::FLIP_DISCARD, "GetDesc1: the swap effect")
    }

    /// Everything else that programs ask.
    fn ask(&mut self) -> Result<(), String> {
        let chain = &self.chain.com;
        let device = chain.make("IDXGIDeviceSubObject", "GetDevice", &[], "ID3D12Device").ok_or("GetDevice")?;
        demand(device.0 == self.drawing.device.0, "GetDevice gives another device")?;
        let factory = chain.make("IDXGIObject", "GetParent", &[], "IDXGIFactory2").ok_or("GetParent")?;
        demand(factory.0 == self.chain.factory.0, "GetParent gives another factory")?;
        let output = chain.take("IDXGISwapChain", "GetContainingOutput", &[]).ok_or("GetContainingOutput")?;
        demand(output.query("IDXGIOutput").is_some(), "GetContainingOutput gives no output")?;
        let mut window: *mut c_void = std::ptr::null_mut();
        let result = chain.call("IDXGISwapChain1", "GetHwnd", &[(&raw mut window) as u64]);
        demand(result == 0 && window == self.window.0, "GetHwnd")?;
        let result = chain.call("IDXGISwapChain", "Present", &[5, 0]);
        demand(result == INVALID_CALL, &format!("Present with an interval of 5: {result:#x}"))?;
        let none = self.chain.buffer(self.chain.buffers);
        demand(none.is_none(), "GetBuffer gives a buffer that there is not")?;
        demand(self.chain.latency() == Ok(2), "GetMaximumFrameLatency")?;
        match (self.chain.count(), self.before) {
            (Ok(count), Ok(before)) => {
                let (count, right) = (count - before, self.presented);
                demand(count == right, &format!("GetLastPresentCount: {count}, not {right}"))?;
            }
            (Err(NOT_THERE), _) => println!("no present count"),
            wrong => return Err(format!("GetLastPresentCount: {wrong:?}")),
        }
        let mut statistics = DXGI_FRAME_STATISTICS::default();
        match chain.call("IDXGISwapChain", "GetFrameStatistics", &[(&raw mut statistics) as u64]) {
            NOT_THERE => println!("no statistics"),
            DISJOINT => println!("disjoint statistics"),
            0 => {
                let count = statistics.PresentCount;
                demand(count > 0 && count <= self.presented, &format!("GetFrameStatistics: {count} presents"))?;
                demand(statistics.SyncQPCTime > 0, "GetFrameStatistics: no time")?;
            }
            wrong => return Err(format!("GetFrameStatistics: {wrong:#x}")),
        }
        Ok(())
    }
}

/// A swap chain.
struct Chain {
    waitable: *mut c_void,
    com: Object,
    factory: Object,
    size: [u32; 2],
    buffers: u32,
    window: *const Window,
}

impl Chain {
    fn new(queue: &Object, window: &Window) -> Result<Chain, String> {
        let factory = factory().ok_or("no factory")?;
        let size = window.inside();
        let desc = DXGI_SWAP_CHAIN_DESC1 {
            Width: size[0],
            Height: size[1],
            Format: DXGI_FORMAT::FORMAT_R8G8B8A8_UNORM,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            // `DXGI_USAGE_RENDER_TARGET_OUTPUT`.
            BufferUsage: 0x20,
            BufferCount: 2,
            SwapEffect: DXGI_SWAP_EFFECT::FLIP_DISCARD,
            Flags: WAITABLE,
            ..Default::default()
        };
        let make = |desc: &DXGI_SWAP_CHAIN_DESC1| {
            let words = [queue.0 as u64, window.0 as u64, (&raw const *desc) as u64, 0, 0];
            factory.take("IDXGIFactory2", "CreateSwapChainForHwnd", &words)
        };
        let old = DXGI_SWAP_CHAIN_DESC1 { SwapEffect: DXGI_SWAP_EFFECT::DISCARD, ..desc };
        // Direct3D 12 has none; DXVK's dxgi lets it pass.
        println!("without flips {}", make(&old).is_some());
        let com = make(&desc).and_then(|chain| chain.query("IDXGISwapChain3")).ok_or("no swap chain")?;
        let result = com.call("IDXGISwapChain2", "SetMaximumFrameLatency", &[2]);
        demand(result == 0, &format!("SetMaximumFrameLatency: {result:#x}"))?;
        let waitable = com.call_pointer("IDXGISwapChain2", "GetFrameLatencyWaitableObject");
        demand(!waitable.is_null(), "GetFrameLatencyWaitableObject gives nothing")?;
        Ok(Chain { waitable, com, factory, size, buffers: 2, window })
    }

    /// Waits until a frame may begin.
    fn wait(&self) -> Result<(), String> {
        // SAFETY: the handle is the chain's.
        let waited = unsafe { WaitForSingleObject(self.waitable, PATIENCE.as_millis() as u32) };
        demand(waited == 0, "no frame may begin")
    }

    fn index(&self) -> u32 {
        self.com.call("IDXGISwapChain3", "GetCurrentBackBufferIndex", &[]) as u32
    }

    fn buffer(&self, index: u32) -> Option<Object> {
        self.com.make("IDXGISwapChain", "GetBuffer", &[index.into()], "ID3D12Resource")
    }

    fn present(&self, interval: u32, flags: u32) -> i32 {
        self.com.call("IDXGISwapChain", "Present", &[interval.into(), flags.into()])
    }

    /// Buffers of the window's size.
    fn resize(&mut self, buffers: u32) -> i32 {
        let result = self.com.call("IDXGISwapChain", "ResizeBuffers", &[buffers.into(), 0, 0, 0, WAITABLE.into()]);
        if result == 0 {
            // SAFETY: the window outlives the chain: both are made and dropped in `show`.
            self.size = unsafe { &*self.window }.inside();
            self.buffers = buffers;
        }
        result
    }

    fn is_full_screen(&self) -> (bool, bool) {
        let (mut state, mut output) = (0i32, std::ptr::null_mut());
        let words = [(&raw mut state) as u64, (&raw mut output) as u64];
        let result = self.com.call("IDXGISwapChain", "GetFullscreenState", &words);
        (state != 0, Object::made(result as u32 as u64, output).is_some())
    }

    fn latency(&self) -> Result<u32, i32> {
        self.number("IDXGISwapChain2", "GetMaximumFrameLatency")
    }

    /// Presents that the chain has counted.
    fn count(&self) -> Result<u32, i32> {
        self.number("IDXGISwapChain", "GetLastPresentCount")
    }

    fn number(&self, class: &str, name: &str) -> Result<u32, i32> {
        let mut number = 0u32;
        let result = self.com.call(class, name, &[(&raw mut number) as u64]);
        if result == 0 { Ok(number) } else { Err(result) }
    }

    fn ask<T: Default>(&self, class: &str, name: &str) -> Result<T, String> {
        let mut answer = T::default();
        let result = self.com.call(class, name, &[(&raw mut answer) as u64]);
        if result == 0 { Ok(answer) } else { Err(format!("{name}: {result:#x}")) }
    }
}

impl Drop for Chain {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, and closed once.
        unsafe { CloseHandle(self.waitable) };
    }
}

fn factory() -> Option<Object> {
    type Factory = unsafe extern "system" fn(u32, *const Guid, *mut *mut c_void) -> i32;
    let function = kernel::function(c"dxgi.dll", c"CreateDXGIFactory2")?;
    // SAFETY: the exported function of that name has this type.
    let create = unsafe { std::mem::transmute::<*const c_void, Factory>(function) };
    let iid = interface("IDXGIFactory2").get().iid;
    let mut factory: *mut c_void = std::ptr::null_mut();
    // SAFETY: id and place outlive the call.
    let result = unsafe { create(0, &raw const iid, &raw mut factory) };
    Object::made(result as u32 as u64, factory)
}

//! A swap chain of DXGI for a window, opened as real programs do: by a factory and an adapter, for a queue.

use crate::com::{Com, Null, Word, attempt, call, create, succeeded};
use crate::draw::rect;
use crate::failure::Failure;
use crate::picture::Area;
use crate::stage::Stage;
use core::ffi::c_void;
use reprise_d3d12::model::{InterfaceId, MethodId};
use reprise_d3d12::types::*;
use reprise_d3d12::{function, interface};

/// `DXGI_SWAP_CHAIN_FLAG_FRAME_LATENCY_WAITABLE_OBJECT`.
const LATENCY: u32 = 0x40;
/// `DXGI_USAGE_RENDER_TARGET_OUTPUT`.
const TARGET: u32 = 0x20;
/// `DXGI_MWA_NO_ALT_ENTER`.
const NO_FULL_SCREEN: u32 = 2;

/// A swap chain of the flip model.
pub(crate) struct SwapChain {
    pub(crate) com: Com,
    /// In pixels.
    pub(crate) size: [u32; 2],
    buffers: u32,
}

impl SwapChain {
    /// Opens one for the stage's queue.
    pub(crate) fn new(
        stage: &Stage,
        window: &Window,
        size: [u32; 2],
        format: DXGI_FORMAT,
        buffers: u32,
    ) -> Result<Self, Failure> {
        let factory = factory(stage)?;
        let _: Com = adapter(&factory)?;
        let desc = DXGI_SWAP_CHAIN_DESC1 {
            Width: size[0],
            Height: size[1],
            Format: format,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            BufferUsage: TARGET,
            BufferCount: buffers,
            SwapEffect: DXGI_SWAP_EFFECT::FLIP_DISCARD,
            Flags: LATENCY,
            ..Default::default()
        };
        let mut made: *mut c_void = core::ptr::null_mut();
        attempt!(
            factory,
            "IDXGIFactory2",
            "CreateSwapChainForHwnd",
            &stage.queue.com,
            window.handle(),
            &raw const desc,
            Null,
            Null,
            &raw mut made
        )?;
        // SAFETY: the call succeeded, so this is null or a swap chain with a reference for us.
        let chain = unsafe { Com::new(factory.runtime(), interface("IDXGISwapChain1"), made) };
        let chain = chain.ok_or_else(|| Failure::Wrong("CreateSwapChainForHwnd gives nothing".into()))?;
        let com = create!(chain, "IUnknown", "QueryInterface"; "IDXGISwapChain3")?;
        attempt!(factory, "IDXGIFactory", "MakeWindowAssociation", window.handle(), NO_FULL_SCREEN)?;
        attempt!(com, "IDXGISwapChain2", "SetMaximumFrameLatency", 2u32)?;
        call!(com, "IDXGISwapChain2", "GetFrameLatencyWaitableObject");
        attempt!(com, "IDXGISwapChain3", "SetColorSpace1", 0i32)?;
        Ok(Self { com, size, buffers })
    }

    /// The number of the buffer that is presented next.
    pub(crate) fn current(&self) -> u32 {
        call!(self.com, "IDXGISwapChain3", "GetCurrentBackBufferIndex") as u32 % self.buffers
    }

    /// Presents the next buffer, of which `changed` is new: each frame in another way than the one before.
    pub(crate) fn present(&self, frame: u32, changed: Area) -> Result<(), Failure> {
        let mut changed = rect(changed);
        let mut parameters = DXGI_PRESENT_PARAMETERS {
            DirtyRectsCount: 1,
            pDirtyRects: (&raw mut changed).cast(),
            pScrollRect: core::ptr::null_mut(),
            pScrollOffset: core::ptr::null_mut(),
        };
        match frame % 3 {
            0 => attempt!(self.com, "IDXGISwapChain", "Present", 1u32, 0u32),
            1 => attempt!(self.com, "IDXGISwapChain1", "Present1", 1u32, 0u32, &raw mut parameters),
            _ => attempt!(self.com, "IDXGISwapChain", "Present", 0u32, 0u32),
        }
    }

    /// Gives the chain other buffers; the program holds none of the old ones.
    pub(crate) fn resize(&mut self, size: [u32; 2], buffers: u32) -> Result<(), Failure> {
        attempt!(self.com, "IDXGISwapChain", "ResizeBuffers", buffers, size[0], size[1], 0i32, LATENCY)?;
        (self.size, self.buffers) = (size, buffers);
        Ok(())
    }

    /// Asks what programs ask. The answers are the machine's, but for the device.
    pub(crate) fn ask_what_it_is(&self) -> Result<(), Failure> {
        let mut desc = DXGI_SWAP_CHAIN_DESC1::default();
        attempt!(self.com, "IDXGISwapChain1", "GetDesc1", &raw mut desc)?;
        let device: Com = create!(self.com, "IDXGIDeviceSubObject", "GetDevice"; "ID3D12Device")?;
        call!(device, "ID3D12Device", "GetNodeCount");
        let _: Com = create!(self.com, "IDXGIObject", "GetParent"; "IDXGIFactory2")?;
        let mut presents = 0u32;
        // Wine 8 has no statistics.
        let _ = attempt!(self.com, "IDXGISwapChain", "GetLastPresentCount", &raw mut presents);
        Ok(())
    }
}

/// The newest factory that old systems have, too.
fn factory(stage: &Stage) -> Result<Com, Failure> {
    const CREATE: MethodId = function("CreateDXGIFactory2");
    const CLASS: InterfaceId = interface("IDXGIFactory4");
    let runtime = stage.device.com.runtime();
    let mut made: *mut c_void = core::ptr::null_mut();
    let words: [Word; 3] = [0u32.into(), (&raw const CLASS.get().iid).into(), (&raw mut made).into()];
    // SAFETY: the words are those of the function: flags, an interface id, and a place of ours.
    succeeded(CREATE, unsafe { runtime.call(CREATE, &words) }?)?;
    // SAFETY: the call succeeded, so this is null or a factory with a reference for us.
    let factory = unsafe { Com::new(runtime, CLASS, made) };
    factory.ok_or_else(|| Failure::Wrong("CreateDXGIFactory2 gives nothing".into()))
}

/// The first adapter, asked what it is.
fn adapter(factory: &Com) -> Result<Com, Failure> {
    let mut made: *mut c_void = core::ptr::null_mut();
    attempt!(factory, "IDXGIFactory1", "EnumAdapters1", 0u32, &raw mut made)?;
    // SAFETY: the call succeeded, so this is null or an adapter with a reference for us.
    let adapter = unsafe { Com::new(factory.runtime(), interface("IDXGIAdapter1"), made) };
    let adapter = adapter.ok_or_else(|| Failure::Wrong("EnumAdapters1 gives nothing".into()))?;
    let mut desc = DXGI_ADAPTER_DESC1::default();
    attempt!(adapter, "IDXGIAdapter1", "GetDesc1", &raw mut desc)?;
    Ok(adapter)
}

/// A window of the system's, which nobody needs to see.
#[cfg(windows)]
pub(crate) struct Window(*mut c_void);

#[cfg(windows)]
#[link(name = "user32")]
unsafe extern "system" {
    fn CreateWindowExA(
        extended: u32,
        class: *const core::ffi::c_char,
        name: *const core::ffi::c_char,
        style: u32,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        parent: *mut c_void,
        menu: *mut c_void,
        instance: *mut c_void,
        parameter: *mut c_void,
    ) -> *mut c_void;
    fn DestroyWindow(window: *mut c_void) -> i32;
}

#[cfg(windows)]
impl Window {
    pub(crate) fn new() -> Result<Self, Failure> {
        const VISIBLE: u32 = 0x1000_0000;
        let null = core::ptr::null_mut();
        // SAFETY: the class is the system's own; the texts end with zero; everything else may be null.
        let window = unsafe {
            CreateWindowExA(
                0,
                c"STATIC".as_ptr(),
                c"presents".as_ptr(),
                VISIBLE,
                0,
                0,
                160,
                120,
                null,
                null,
                null,
                null,
            )
        };
        if window.is_null() { Err(Failure::Cannot("there is no window".into())) } else { Ok(Self(window)) }
    }

    pub(crate) fn handle(&self) -> *mut c_void {
        self.0
    }
}

#[cfg(windows)]
impl Drop for Window {
    fn drop(&mut self) {
        // SAFETY: made by this thread, and destroyed once.
        unsafe { DestroyWindow(self.0) };
    }
}

/// Elsewhere only libraries that look at no window have DXGI.
#[cfg(not(windows))]
pub(crate) struct Window;

#[cfg(not(windows))]
impl Window {
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    pub(crate) fn handle(&self) -> *mut c_void {
        core::ptr::without_provenance_mut(0x1234)
    }
}

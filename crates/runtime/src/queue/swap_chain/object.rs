//! The swap chain as an object.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ash::vk;
use reprise_com::{Object, Public, Ref};
use reprise_d3d12::types::{
    D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES, DXGI_COLOR_SPACE_TYPE, DXGI_SAMPLE_DESC, DXGI_SWAP_CHAIN_DESC1,
};
use reprise_gpu::present::{Picture, Presenter};

use crate::device::Device;
use crate::queue::object::CommandQueue;
use crate::queue::swap_chain::latency::{LIMIT, Latency};
use crate::queue::swap_chain::pace::Pace;
use crate::resource::create::{Initial, Wanted, lasting};
use crate::resource::object::Resource;
use crate::{Error, Result};

/// `DXGI_SWAP_CHAIN_FLAG_FRAME_LATENCY_WAITABLE_OBJECT`.
const WAITABLE: u32 = 0x40;
/// `DXGI_USAGE_UNORDERED_ACCESS`.
const UNORDERED_ACCESS: u32 = 0x400;

/// The body of `IDXGIVkSwapChain`.
pub(super) struct SwapChain {
    /// The queue that presents. The program's references to the chain hold a public one, so that its threads stay.
    pub(super) queue: Ref<CommandQueue>,
    pub(super) latency: Arc<Latency>,
    presenter: Arc<Presenter>,
    state: Mutex<State>,
}

/// What the program's calls change.
struct State {
    desc: DXGI_SWAP_CHAIN_DESC1,
    buffers: Vec<Ref<Resource>>,
    /// The buffer that is shown next.
    next: usize,
    /// Frames that were presented.
    presented: u64,
    space: vk::ColorSpaceKHR,
    pace: Pace,
}

/// What became of a present.
pub(super) enum Presented {
    /// It is on its way.
    Shown,
    /// The window is minimised.
    Occluded,
}

impl SwapChain {
    /// A chain on a surface, which it takes over.
    ///
    /// # Errors
    /// The queue cannot show frames on the surface, or there are no such textures.
    ///
    /// # Safety
    /// The surface was made on the device's instance, and is nobody else's.
    pub(super) unsafe fn new(
        queue: &Object<CommandQueue>,
        desc: &DXGI_SWAP_CHAIN_DESC1,
        surface: vk::SurfaceKHR,
    ) -> Result<SwapChain> {
        let device = queue.device();
        // SAFETY: the caller's promise is the same.
        let presenter = Arc::new(unsafe { Presenter::new(&device.logical, &queue.gpu, surface)? });
        let latency = Arc::new(Latency::new(desc.Flags & WAITABLE != 0)?);
        let state = State {
            desc: *desc,
            buffers: buffers(device, desc)?,
            next: 0,
            presented: 0,
            space: vk::ColorSpaceKHR::SRGB_NONLINEAR,
            pace: Pace::default(),
        };
        // The public reference that `release` gives back.
        queue.add_ref();
        Ok(SwapChain { queue: queue.keep(), latency, presenter, state: Mutex::new(state) })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program has given its last reference back: nothing of the chain is on the queue afterwards.
    pub(super) fn release(&self) {
        self.queue.drain();
        // SAFETY: the public reference of `new`, given back once.
        unsafe { Object::release(self.queue.origin()) };
    }

    /// As the program described it last.
    pub(super) fn desc(&self) -> DXGI_SWAP_CHAIN_DESC1 {
        self.lock().desc
    }

    /// A back buffer, with a public reference.
    ///
    /// # Errors
    /// There is no buffer of this number.
    pub(super) fn buffer(&self, index: u32) -> Result<Public<Resource>> {
        let state = self.lock();
        let buffer =
            state.buffers.get(index as usize).ok_or(Error::Invalid("there is no back buffer of this number"))?;
        Ok(again(buffer))
    }

    /// The number of the buffer that is shown next.
    pub(super) fn index(&self) -> u32 {
        self.lock().next as u32
    }

    /// Frames that were presented.
    pub(super) fn presented(&self) -> u64 {
        self.lock().presented
    }

    /// Limits the frames in a second.
    pub(super) fn set_rate(&self, rate: f64) {
        self.lock().pace.set(rate);
    }

    /// Makes other buffers where the description asks for others.
    ///
    /// # Errors
    /// The program still holds a buffer, or there are no such textures; then everything stays as it was.
    pub(super) fn change(&self, desc: &DXGI_SWAP_CHAIN_DESC1) -> Result<()> {
        let mut state = self.lock();
        if state.buffers.iter().any(|buffer| buffer.again_if_held().is_some()) {
            return Err(Error::Call("the program still holds back buffers"));
        }
        let what =
            |desc: &DXGI_SWAP_CHAIN_DESC1| (desc.Width, desc.Height, desc.BufferCount, desc.Format.0, desc.Flags);
        if what(&state.desc) != what(desc) {
            self.queue.drain();
            state.buffers = buffers(self.queue.device(), desc)?;
            if state.next >= state.buffers.len() {
                state.next = 0;
            }
            self.presenter.renew();
        }
        state.desc = *desc;
        Ok(())
    }

    /// Whether the surface shows a colour space.
    pub(super) fn has(&self, space: DXGI_COLOR_SPACE_TYPE) -> bool {
        self::space(space).is_some_and(|space| self.presenter.has(space))
    }

    /// How the numbers of later frames are meant.
    ///
    /// # Errors
    /// The surface does not show the colour space.
    pub(super) fn set_space(&self, space: DXGI_COLOR_SPACE_TYPE) -> Result<()> {
        let space = self::space(space).filter(|space| self.presenter.has(*space));
        self.lock().space = space.ok_or(Error::Invalid("the surface does not show this colour space"))?;
        Ok(())
    }

    /// Gives the next buffer to the queue, and waits until few enough frames are under way. `test` only asks.
    ///
    /// # Errors
    /// The device is removed.
    pub(super) fn present(&self, interval: u32, test: bool) -> Result<Presented> {
        if self.queue.device().removed_reason() != reprise_com::result::S_OK {
            return Err(Error::REMOVED);
        }
        if self.presenter.is_empty() {
            return Ok(Presented::Occluded);
        }
        if test {
            return Ok(Presented::Shown);
        }
        let mut state = self.lock();
        let pause = state.pace.wait(Instant::now());
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
        let image = state.buffers[state.next].image().cloned();
        let image = image.ok_or(Error::Fail("a back buffer is no image"))?;
        let picture = Picture { image, interval, space: state.space };
        self.queue.gpu.show(self.presenter.frame(picture, self.latency.clone()));
        state.next = (state.next + 1) % state.buffers.len();
        state.presented += 1;
        drop(state);
        self.latency.begin();
        Ok(Presented::Shown)
    }
}

impl core::fmt::Debug for SwapChain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SwapChain").field("presenter", &self.presenter).finish_non_exhaustive()
    }
}

/// A buffer that the chain holds, for the program once more.
fn again(buffer: &Object<Resource>) -> Public<Resource> {
    let (buffer, first) = buffer.again();
    if first {
        buffer.device.hold();
    }
    buffer
}

/// Vulkan's name of a colour space; `None` for those that nobody shows.
fn space(space: DXGI_COLOR_SPACE_TYPE) -> Option<vk::ColorSpaceKHR> {
    match space {
        DXGI_COLOR_SPACE_TYPE::RGB_FULL_G22_NONE_P709 => Some(vk::ColorSpaceKHR::SRGB_NONLINEAR),
        DXGI_COLOR_SPACE_TYPE::RGB_FULL_G2084_NONE_P2020 => Some(vk::ColorSpaceKHR::HDR10_ST2084_EXT),
        DXGI_COLOR_SPACE_TYPE::RGB_FULL_G10_NONE_P709 => Some(vk::ColorSpaceKHR::EXTENDED_SRGB_LINEAR_EXT),
        _ => None,
    }
}

/// The textures of a chain.
fn buffers(device: &Object<Device>, desc: &DXGI_SWAP_CHAIN_DESC1) -> Result<Vec<Ref<Resource>>> {
    if desc.BufferCount == 0 || desc.BufferCount > LIMIT {
        return Err(Error::Invalid("a swap chain of no buffers, or of more than 16"));
    }
    if desc.SampleDesc.Count > 1 {
        return Err(Error::Invalid("back buffers with several samples"));
    }
    let mut flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    if desc.BufferUsage & UNORDERED_ACCESS != 0 {
        flags.0 |= D3D12_RESOURCE_FLAGS::ALLOW_UNORDERED_ACCESS.0;
    }
    let heap = D3D12_HEAP_PROPERTIES { Type: D3D12_HEAP_TYPE::DEFAULT, ..Default::default() };
    let make = |_| {
        let mut desc = D3D12_RESOURCE_DESC1 {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: desc.Width.into(),
            Height: desc.Height,
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: desc.Format,
            SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
            Flags: flags,
            ..Default::default()
        };
        let initial = Initial::State(D3D12_RESOURCE_STATES::PRESENT);
        let mut wanted = Wanted { desc: &mut desc, initial, clear: None, castable: &[] };
        Ok(lasting(device, &heap, D3D12_HEAP_FLAGS::NONE, &mut wanted)?.keep())
    };
    (0..desc.BufferCount).map(make).collect()
}

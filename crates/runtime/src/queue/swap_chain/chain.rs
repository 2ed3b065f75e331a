//! What every swap chain is, whichever interface it has: back buffers in their turn, a presenter, and the frames under way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ash::vk;
use reprise_com::{Object, Public, Ref};
use reprise_d3d12::types::{
    D3D12_HEAP_FLAGS, D3D12_HEAP_PROPERTIES, D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION,
    D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES, DXGI_COLOR_SPACE_TYPE, DXGI_SAMPLE_DESC, DXGI_SCALING,
    DXGI_SWAP_CHAIN_DESC1,
};
use reprise_gpu::present::{Hdr, Part, Picture, Presenter};

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

/// The core of a swap chain.
pub(super) struct Chain {
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
    /// The buffer that was shown last.
    shown: Option<usize>,
    /// Frames that were presented.
    presented: u64,
    space: vk::ColorSpaceKHR,
    /// What of a buffer is shown; `None` for all.
    part: Option<vk::Rect2D>,
    /// What is around a frame that is not stretched.
    background: [f32; 4],
    /// What the display is told of the frames' brightness.
    hdr: Option<Hdr>,
    pace: Pace,
}

/// How a frame is presented.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Request {
    /// Screens that it stays at least.
    pub(super) interval: u32,
    /// Only asks whether it could be shown.
    pub(super) test: bool,
    /// The frame that was shown last, once more; the buffers keep their turns.
    pub(super) again: bool,
    /// Fails where it would have to wait.
    pub(super) at_once: bool,
}

/// What became of a present.
pub(super) enum Presented {
    /// It is on its way.
    Shown,
    /// The window is minimised.
    Occluded,
    /// Too many frames are under way, and the program does not want to wait.
    Busy,
}

impl Chain {
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
    ) -> Result<Chain> {
        let device = queue.device();
        // SAFETY: the caller's promise is the same.
        let presenter = Arc::new(unsafe { Presenter::new(&device.logical, &queue.gpu, surface)? });
        let latency = Arc::new(Latency::new(desc.Flags & WAITABLE != 0)?);
        let state = State {
            desc: *desc,
            buffers: buffers(device, desc)?,
            next: 0,
            shown: None,
            presented: 0,
            space: vk::ColorSpaceKHR::SRGB_NONLINEAR,
            part: None,
            background: [0.0, 0.0, 0.0, 1.0],
            hdr: None,
            pace: Pace::default(),
        };
        // The public reference that `release` gives back.
        queue.add_ref();
        Ok(Chain { queue: queue.keep(), latency, presenter, state: Mutex::new(state) })
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

    /// Shows only a part of later frames; `None` for all of them.
    ///
    /// # Errors
    /// The part is empty, or not within the buffers.
    pub(super) fn set_part(&self, part: Option<vk::Rect2D>) -> Result<()> {
        let mut state = self.lock();
        if part.is_some_and(|part| !is_within(part, [state.desc.Width, state.desc.Height])) {
            return Err(Error::Invalid("a part of the frame that is empty, or not within it"));
        }
        state.part = part;
        Ok(())
    }

    /// Tells the display how bright later frames are; `None` for nothing.
    pub(super) fn set_hdr(&self, hdr: Option<Hdr>) {
        self.lock().hdr = hdr;
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
            let new = buffers(self.queue.device(), desc)?;
            leave(&core::mem::replace(&mut state.buffers, new));
            state.shown = None;
            if state.next >= state.buffers.len() {
                state.next = 0;
            }
            state.part = None;
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

    /// Nothing can be seen of a frame, so it is not shown.
    pub(super) fn occluded(&self, request: Request) -> Presented {
        if !request.test {
            self.latency.skip();
        }
        Presented::Occluded
    }

    /// Gives the next buffer to the queue, and waits until few enough frames are under way. Where no frame was shown yet, showing it
    /// once more does nothing, as DXGI says of `DXGI_PRESENT_DO_NOT_SEQUENCE`.
    ///
    /// # Errors
    /// The device is removed.
    pub(super) fn present(&self, request: Request) -> Result<Presented> {
        if self.queue.device().removed_reason() != reprise_com::result::S_OK {
            return Err(Error::REMOVED);
        }
        if self.presenter.is_empty() {
            return Ok(self.occluded(request));
        }
        if request.test {
            return Ok(Presented::Shown);
        }
        if request.at_once && self.latency.is_full() {
            return Ok(Presented::Busy);
        }
        let mut state = self.lock();
        let index = if request.again { state.shown } else { Some(state.next) };
        let Some(index) = index else {
            self.latency.skip();
            return Ok(Presented::Shown);
        };
        let pause = state.pace.wait(Instant::now());
        if !pause.is_zero() {
            std::thread::sleep(pause);
        }
        let image = state.buffers[index].image().cloned();
        let image = image.ok_or(Error::Fail("a back buffer is no image"))?;
        let part = Part {
            shown: state.part,
            stretched: state.desc.Scaling != DXGI_SCALING::NONE,
            background: state.background,
        };
        let picture = Picture { image, interval: request.interval, space: state.space, part, hdr: state.hdr };
        self.queue.gpu.show(self.presenter.frame(picture, self.latency.clone()));
        if !request.again {
            state.next = (state.next + 1) % state.buffers.len();
            state.shown = Some(index);
        }
        state.presented += 1;
        drop(state);
        self.latency.begin();
        Ok(Presented::Shown)
    }
}

/// What only DXGI's own interface asks for.
#[cfg(windows)]
impl Chain {
    /// The buffers take their turns from the first one.
    pub(super) fn rewind(&self) {
        self.lock().next = 0;
    }

    /// A frame that nobody can see is presented: the buffers take their turns, and it counts.
    pub(super) fn pass(&self, request: Request) {
        if request.test {
            return;
        }
        let mut state = self.lock();
        if !request.again {
            state.shown = Some(state.next);
            state.next = (state.next + 1) % state.buffers.len();
        }
        state.presented += 1;
    }

    /// The size of what is shown of a frame, in texels.
    pub(super) fn shown(&self) -> [u32; 2] {
        let state = self.lock();
        state.part.map_or([state.desc.Width, state.desc.Height], |part| [part.extent.width, part.extent.height])
    }

    /// The colour around frames that are not stretched.
    pub(super) fn set_background(&self, color: [f32; 4]) {
        self.lock().background = color;
    }

    /// See [`Chain::set_background`].
    pub(super) fn background(&self) -> [f32; 4] {
        self.lock().background
    }
}

/// Whether a part is one of a frame of this size, in texels.
fn is_within(part: vk::Rect2D, [width, height]: [u32; 2]) -> bool {
    let fits = |from: i32, size: u32, all: u32| {
        size > 0 && u32::try_from(from).is_ok_and(|from| from.checked_add(size).is_some_and(|end| end <= all))
    };
    fits(part.offset.x, part.extent.width, width) && fits(part.offset.y, part.extent.height, height)
}

impl core::fmt::Debug for Chain {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Chain").field("presenter", &self.presenter).finish_non_exhaustive()
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

/// Views of these name nothing any more, before the buffers go.
fn leave(buffers: &[Ref<Resource>]) {
    buffers.iter().for_each(|buffer| buffer.device.targets.leave(&buffer.number));
}

impl Drop for State {
    fn drop(&mut self) {
        leave(&self.buffers);
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

//! The presenter: shows frames of a queue on a surface.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use crate::error::{Error, Result};
use crate::logical::Logical;
use crate::present::blit;
use crate::present::chain::{Chain, Wish};
use crate::present::choice;
use crate::present::picture::{Hdr, Picture};
use crate::present::surface::Surface;
use crate::queue::hardware::Hardware;
use crate::queue::{CommandQueue, Fence, Frame, Order, Recorded};

/// Swap chains that a frame may make before it is given up: a window may be resized again meanwhile.
const TRIES: u32 = 4;

/// Shows frames of one queue on one surface.
pub struct Presenter {
    logical: Arc<Logical>,
    hardware: Arc<Hardware>,
    functions: ash::khr::swapchain::Device,
    /// Before the surface: it is on it.
    state: Mutex<State>,
    surface: Surface,
    /// The window is minimised: there is nothing to show on.
    empty: AtomicBool,
}

#[derive(Default)]
struct State {
    chain: Option<Chain>,
    /// The chain does not fit the surface any more, or is to be made anew for another reason.
    stale: bool,
    /// The surface is gone: nothing is shown any more.
    lost: bool,
    /// What the display was told last of frames of this chain.
    told: Option<Hdr>,
}

/// How an attempt to show a frame ended.
enum Shown {
    /// It is on its way, or cannot be shown.
    Done,
    /// The swap chain does not fit the surface any more.
    Stale,
}

impl Presenter {
    /// For frames of a queue.
    ///
    /// # Errors
    /// As [`Surface::new`].
    ///
    /// # Safety
    /// As [`Surface::new`], for the device of the queue.
    pub unsafe fn new(logical: &Arc<Logical>, queue: &CommandQueue, surface: vk::SurfaceKHR) -> Result<Presenter> {
        let hardware = queue.hardware();
        let copies = hardware.family == logical.families.graphics;
        // SAFETY: the caller's promise is the same.
        let surface = unsafe { Surface::new(logical, surface, hardware.family)? };
        if !copies {
            return Err(Error::Invalid("only direct queues show frames"));
        }
        let functions = logical.ext.swapchain.clone();
        Ok(Presenter {
            functions: functions.ok_or(Error::Unsupported("swap chains: the Vulkan device has none"))?,
            logical: logical.clone(),
            hardware: hardware.clone(),
            state: Mutex::default(),
            surface,
            empty: AtomicBool::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the surface shows numbers of a colour space.
    pub fn has(&self, space: vk::ColorSpaceKHR) -> bool {
        self.surface.formats.iter().any(|row| row.color_space == space)
    }

    /// Whether the window is minimised, so that frames are not shown.
    pub fn is_empty(&self) -> bool {
        if self.empty.load(Ordering::Relaxed) {
            let caps = self.surface.capabilities();
            let empty = caps.is_ok_and(|caps| caps.current_extent.width == 0 || caps.current_extent.height == 0);
            self.empty.store(empty, Ordering::Relaxed);
        }
        self.empty.load(Ordering::Relaxed)
    }

    /// The next frame makes a new swap chain: some windows do not tell that they were resized.
    pub fn renew(&self) {
        self.lock().stale = true;
    }

    /// A frame for [`CommandQueue::show`]; `done` is told when the GPU has written it to the screen's image.
    pub fn frame(self: &Arc<Presenter>, picture: Picture, done: Arc<dyn Fence>) -> Box<dyn Frame> {
        Box::new(Pending { presenter: self.clone(), picture, done })
    }

    /// Makes the chain that a picture wants, where there is another or none. `false` where nothing can be shown.
    fn fit(&self, state: &mut State, picture: &Picture) -> Result<bool> {
        let offered = &self.surface.formats;
        let format = choice::format(picture.image.format, picture.space, offered);
        let format =
            format.or_else(|| offered.first().copied()).ok_or(Error::Unsupported("a surface without formats"))?;
        let wish = Wish { mode: choice::mode(picture.interval, &self.surface.modes), format };
        if !state.stale && state.chain.as_ref().is_some_and(|chain| chain.wish == wish) {
            return Ok(true);
        }
        let caps = self.surface.capabilities()?;
        if !caps.supported_usage_flags.contains(vk::ImageUsageFlags::TRANSFER_DST) {
            return Err(Error::Unsupported("a surface whose images cannot be copied to"));
        }
        let frame = vk::Extent2D { width: picture.image.extent.width, height: picture.image.extent.height };
        let extent = choice::extent(&caps, frame);
        self.empty.store(extent.is_none(), Ordering::Relaxed);
        let Some(extent) = extent else {
            state.chain = None;
            return Ok(false);
        };
        let (wanted, old) = ((wish, extent, &caps), state.chain.as_ref());
        let new = Chain::new(&self.logical, &self.hardware, &self.functions, &self.surface, wanted, old);
        // The old one is retired even where no new one was made.
        state.chain = None;
        state.chain = Some(new?);
        (state.stale, state.told) = (false, None);
        Ok(true)
    }

    /// Tells the display how bright frames are, where Vulkan can; that nobody says so any more is zeros.
    fn tell(&self, chain: vk::SwapchainKHR, hdr: Option<&Hdr>) {
        let Some(functions) = &self.logical.ext.hdr_metadata else { return };
        let xy = |[x, y]: [f32; 2]| vk::XYColorEXT { x, y };
        let mut data = vk::HdrMetadataEXT::default();
        if let Some(hdr) = hdr {
            let [red, green, blue, white] = hdr.primaries.map(xy);
            data = data
                .display_primary_red(red)
                .display_primary_green(green)
                .display_primary_blue(blue)
                .white_point(white)
                .min_luminance(hdr.luminance[0])
                .max_luminance(hdr.luminance[1])
                .max_content_light_level(hdr.content)
                .max_frame_average_light_level(hdr.frame);
        }
        // SAFETY: the chain is this thread's and lives.
        unsafe { functions.set_hdr_metadata(&[chain], &[data]) };
    }

    fn show(&self, state: &mut State, picture: &Picture, order: &mut dyn Order) -> Result<Shown> {
        if !self.fit(state, picture)? {
            return Ok(Shown::Done);
        }
        let Some(chain) = &mut state.chain else { return Ok(Shown::Done) };
        if state.told != picture.hdr {
            self.tell(chain.chain, picture.hdr.as_ref());
            state.told = picture.hdr;
        }
        let slot = chain.slot()?.clone();
        // SAFETY: the chain is this thread's; the semaphore is free, because the GPU has left the slot.
        let got = unsafe { self.functions.acquire_next_image(chain.chain, u64::MAX, slot.acquired, vk::Fence::null()) };
        let (index, suboptimal) = match got {
            Ok(got) => got,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => return Ok(Shown::Stale),
            Err(error) => return Err(Error::Vulkan("vkAcquireNextImageKHR", error)),
        };
        let (image, written) = (chain.images[index as usize], chain.written[index as usize]);
        // SAFETY: the GPU has left the slot's commands; image and extent are the chain's.
        unsafe { blit::record(&self.logical, slot.commands, (&picture.image, &picture.part), (image, chain.extent))? };
        let work = Recorded::new(slot.commands, vec![picture.image.clone()], None, picture.image.clone());
        let Some(point) = order.submit(Arc::new(work), [slot.acquired, written])? else { return Ok(Shown::Done) };
        chain.sent(point);
        let (semaphores, chains, indices) = ([written], [chain.chain], [index]);
        let info =
            vk::PresentInfoKHR::default().wait_semaphores(&semaphores).swapchains(&chains).image_indices(&indices);
        let queue = self.hardware.lock();
        // SAFETY: the queue is locked; the image was acquired, and the semaphore is signalled by the submission before.
        let presented = unsafe { self.functions.queue_present(*queue, &info) };
        drop(queue);
        match presented {
            // It is shown, but another chain would fit better: the next frame makes it.
            Ok(late) => state.stale = late || suboptimal,
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => return Ok(Shown::Stale),
            Err(error) => return Err(Error::Vulkan("vkQueuePresentKHR", error)),
        }
        Ok(Shown::Done)
    }
}

impl core::fmt::Debug for Presenter {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Presenter").field("surface", &self.surface).finish_non_exhaustive()
    }
}

/// A frame between the program and the queue's thread.
#[derive(Debug)]
struct Pending {
    presenter: Arc<Presenter>,
    picture: Picture,
    done: Arc<dyn Fence>,
}

impl Frame for Pending {
    fn show(self: Box<Self>, order: &mut dyn Order) {
        let Pending { presenter, picture, done } = *self;
        let mut state = presenter.lock();
        for _ in 0..TRIES {
            if state.lost || presenter.logical.is_lost() {
                break;
            }
            match presenter.show(&mut state, &picture, order) {
                Ok(Shown::Done) => break,
                Ok(Shown::Stale) => state.stale = true,
                Err(error) => {
                    let _ = presenter.logical.check("presentation", lost(&error));
                    reprise_log::error(format_args!("frames are not shown any more: {error}"));
                    state.lost = true;
                }
            }
        }
        drop(state);
        order.tell(done);
    }
}

/// What Vulkan said where a call of it failed.
fn lost(error: &Error) -> core::result::Result<(), vk::Result> {
    match error {
        Error::Vulkan(_, result) => Err(*result),
        _ => Ok(()),
    }
}

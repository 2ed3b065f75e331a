//! `vkQueuePresentKHR`: the frame boundary of native programs, and the only instant at which a frame can be read.
//!
//! Invariant: the presentation engine gets the same images after the same work, with frame hashes and without. A read of an
//! image waits for the present's semaphores, and the present then waits for the read's.

use ash::vk;
use ash::vk::Handle;
use reprise_d3d12::format::texel_bytes;
use reprise_trace::fact;
use reprise_trace::frame_hash::{FrameHash, hash_rows};

use super::copier::{Copier, Taken};
use super::swapchains::{self, Known};
use crate::entry;
use crate::loader::resolved;
use crate::picture::{self, Shown, files, hashes};
use crate::session::surfaces::{self, Surface};

/// Between the recorder and the real function.
///
/// # Safety
/// As the real function.
pub(crate) unsafe extern "sysv64" fn queue_present(
    queue: vk::Queue,
    info: *const vk::PresentInfoKHR<'_>,
) -> vk::Result {
    let Some(address) = resolved::real(c"vkQueuePresentKHR") else { return vk::Result::ERROR_EXTENSION_NOT_PRESENT };
    // SAFETY: the type of Vulkan's header.
    let present = unsafe { core::mem::transmute::<*const core::ffi::c_void, vk::PFN_vkQueuePresentKHR>(address) };
    // SAFETY: the program's valid structure.
    let mut changed = unsafe { *info };
    let mut semaphore = vk::Semaphore::null();
    // SAFETY: the program's valid structure.
    unsafe { note(&changed) };
    // SAFETY: the program's valid structure.
    if hashes::wanted() && unsafe { ends_frame(&raw const changed) } {
        let frame = hashes::next_frame();
        if entry::frame_is_wanted() {
            // SAFETY: the program owns the queue during this call, so we may submit to it.
            let hash = unsafe { read(queue, &changed, &mut semaphore, frame) };
            hashes::write(frame, hash);
        }
    }
    if !semaphore.is_null() {
        changed.wait_semaphore_count = 1;
        changed.p_wait_semaphores = &raw const semaphore;
    }
    // SAFETY: the caller's own arguments, or ours in their place.
    unsafe { present(queue, &raw const changed) }
}

/// Whether a present ends a frame.
///
/// # Safety
/// A valid structure.
pub(crate) unsafe fn ends_frame(info: *const vk::PresentInfoKHR<'_>) -> bool {
    // SAFETY: the caller passes a valid structure.
    unsafe { presented(&*info) }.iter().any(|(swapchain, _)| is_of_frame(*swapchain))
}

fn is_of_frame(swapchain: vk::SwapchainKHR) -> bool {
    surfaces::ends_frame(Surface::Vulkan(swapchain.as_raw()))
}

/// The images presented, as facts.
///
/// # Safety
/// A valid structure.
unsafe fn note(info: &vk::PresentInfoKHR<'_>) {
    // SAFETY: the caller passes a valid structure.
    for (swapchain, index) in unsafe { presented(info) } {
        let state = swapchains::known();
        let image = state.image(swapchain, index);
        let Some(shown) = image.and_then(|image| state.shown(image)) else { continue };
        drop(state);
        let mut bytes = [0; 16];
        for (at, word) in [shown.width, shown.height, shown.format, index].into_iter().enumerate() {
            bytes[at * 4..][..4].copy_from_slice(&word.to_le_bytes());
        }
        entry::fact(shown.object, fact::PRESENT, &bytes);
    }
}

/// # Safety
/// A valid structure, used while it is alive.
unsafe fn presented(info: &vk::PresentInfoKHR<'_>) -> Vec<(vk::SwapchainKHR, u32)> {
    let count = info.swapchain_count as usize;
    // SAFETY: two arrays of the length stated.
    (0..count).map(|at| unsafe { (*info.p_swapchains.add(at), *info.p_image_indices.add(at)) }).collect()
}

/// Reads the first image presented that ends a frame. `signal` becomes the semaphore that the present has to wait for, if the copy has
/// taken the program's own.
///
/// # Safety
/// The program's arguments of a present on a queue that nobody else uses meanwhile.
unsafe fn read(
    queue: vk::Queue,
    info: &vk::PresentInfoKHR<'_>,
    signal: &mut vk::Semaphore,
    frame: u64,
) -> Result<FrameHash, String> {
    // SAFETY: the caller passes a valid structure.
    let Some((swapchain, index)) =
        unsafe { presented(info) }.into_iter().find(|(swapchain, _)| is_of_frame(*swapchain))
    else {
        return Err("nothing is presented".into());
    };
    let waits = match info.wait_semaphore_count {
        0 => &[][..],
        // SAFETY: an array of the length stated.
        count => unsafe { core::slice::from_raw_parts(info.p_wait_semaphores, count as usize) },
    };
    let (work, mut copier) = prepare(queue, swapchain, index)?;
    let Work { image, shown, extent, row } = work;
    // The state is not locked while the GPU works: other threads may have to call in before it can go on.
    // SAFETY: the image was rendered to before this present, on this queue or before the semaphores.
    let taken = unsafe { copier.take(queue, image, index as usize, extent, waits) };
    let result = taken.and_then(|Taken { bytes, semaphore }| {
        *signal = semaphore;
        let picture = (shown.width, shown.height, shown.format);
        files::keep(frame, shown, bytes);
        hash_rows(picture, bytes, row, row).ok_or_else(|| "the picture is too short".into())
    });
    if let Some(chain) = swapchains::known().swapchains.get_mut(&swapchain.as_raw()) {
        chain.copier = Some(copier);
    }
    let hash = result?;
    picture::note_hash(shown, hash);
    Ok(hash)
}

/// What is to be copied.
struct Work {
    image: vk::Image,
    shown: Shown,
    extent: vk::Extent2D,
    /// Bytes of a row.
    row: usize,
}

/// Finds out what a swap chain's image is, and takes the swap chain's copier; presents are one after the other
/// ([`picture::in_order`]), so nobody else looks for it.
fn prepare(queue: vk::Queue, swapchain: vk::SwapchainKHR, index: u32) -> Result<(Work, Copier), String> {
    let mut guard = swapchains::known();
    let state: &mut Known = &mut guard;
    let family = state.family(queue).ok_or("the queue did not come from vkd3d_acquire_vk_queue")?;
    let image = state.image(swapchain, index).ok_or("the image is not one of a known swap chain")?;
    let shown = state.shown(image).ok_or("no resource was made of the image")?;
    let device = state.swapchains.get(&swapchain.as_raw()).map(|chain| chain.device).unwrap_or_default();
    let physical = state.physical(device).ok_or("the physical device is unknown")?;
    let chain = state.swapchains.get_mut(&swapchain.as_raw()).ok_or("the swap chain is unknown")?;
    if let Some(reason) = chain.refused {
        return Err(reason.into());
    }
    if (chain.extent.width, chain.extent.height) != (shown.width, shown.height) {
        return Err("the resource has not the image's size".into());
    }
    let pixel = texel_bytes(shown.format).ok_or_else(|| format!("DXGI_FORMAT {} has no plain pixels", shown.format))?;
    let row = shown.width as usize * pixel as usize;
    let work = Work { image, shown, extent: chain.extent, row };
    let copier = match chain.copier.take() {
        Some(copier) => copier,
        None => {
            let size = row as u64 * u64::from(shown.height);
            // SAFETY: device, physical device and family belong together; the images stay until the swap chain goes.
            unsafe { Copier::new(physical, device, family, size, chain.images.len())? }
        }
    };
    Ok((work, copier))
}

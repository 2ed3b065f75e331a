//! Runs this crate's compute shaders in a list.
//!
//! Invariant: what a kernel takes of the command buffer's state (pipeline, first set, push constants) is dirty afterwards.

use ash::vk;

use crate::encoder::Encoder;
use crate::encoder::dirty::Dirty;
use crate::error::{Error, Result};
use crate::kernel::{Kernel, ROOM};

/// Threads of a group of kernels over words.
const LANES: u64 = 64;
/// Groups in a row; every device has more.
const ROW: u64 = 32768;

/// Words of push constants, in the order of a kernel's block.
pub type Push = [u32; ROOM as usize / 4];

/// The block of a kernel whose members are `words`.
pub fn push<const N: usize>(words: [u32; N]) -> Push {
    let mut all = [0; ROOM as usize / 4];
    all[..N].copy_from_slice(&words);
    all
}

/// Groups for so many words, in rows.
pub fn rows(words: u64) -> [u32; 3] {
    let groups = words.div_ceil(LANES);
    [groups.min(ROW) as u32, groups.div_ceil(ROW) as u32, 1]
}

/// Images of a kernel; null for what it does not use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Images {
    /// The one that is written, in `GENERAL`.
    pub written: vk::ImageView,
    /// The one that is read, at rest.
    pub read: vk::ImageView,
    /// The layout of the one that is read.
    pub layout: vk::ImageLayout,
}

impl Encoder {
    /// Runs a kernel. Compute has lost its pipeline and first set then, and both bind points their push constants.
    ///
    /// # Errors
    /// The device has no push descriptors, which kernels with images need, or Vulkan cannot make the pipeline.
    pub fn run(&mut self, kernel: Kernel, images: Images, push: &Push, groups: [u32; 3]) -> Result<()> {
        self.bind(kernel, images, push)?;
        let [x, y, z] = groups;
        // SAFETY: all that the kernel uses is bound.
        unsafe { self.device.logical.vk.cmd_dispatch(self.buffer, x, y, z) };
        Ok(())
    }

    /// As [`Encoder::run`], of a kernel without images, with the groups that a buffer says.
    ///
    /// # Errors
    /// Vulkan cannot make the pipeline.
    pub fn run_from(&mut self, kernel: Kernel, push: &Push, (buffer, offset): (vk::Buffer, u64)) -> Result<()> {
        self.bind(kernel, Images::default(), push)?;
        // SAFETY: all that the kernel uses is bound; the caller's buffer has three words there.
        unsafe { self.device.logical.vk.cmd_dispatch_indirect(self.buffer, buffer, offset) };
        Ok(())
    }

    fn bind(&mut self, kernel: Kernel, images: Images, push: &Push) -> Result<()> {
        self.outside();
        let device = &self.device;
        let kernels = &device.kernels;
        let (point, pipeline) = (vk::PipelineBindPoint::COMPUTE, kernels.pipeline(kernel)?);
        // SAFETY: words are bytes.
        let bytes = unsafe { core::slice::from_raw_parts(push.as_ptr().cast::<u8>(), ROOM as usize) };
        let info = |view, layout| [vk::DescriptorImageInfo::default().image_view(view).image_layout(layout)];
        let written = info(images.written, vk::ImageLayout::GENERAL);
        let read = info(images.read, images.layout);
        let write = |binding: u32, kind: vk::DescriptorType| {
            vk::WriteDescriptorSet::default().dst_binding(binding).descriptor_type(kind)
        };
        let written = (images.written, write(0, vk::DescriptorType::STORAGE_IMAGE).image_info(&written));
        let read = (images.read, write(1, vk::DescriptorType::SAMPLED_IMAGE).image_info(&read));
        let there = |image: &(vk::ImageView, _)| image.0 != vk::ImageView::null();
        let writes = match (there(&written), there(&read)) {
            (false, false) => &[][..],
            (true, false) => &[written.1],
            (false, true) => &[read.1],
            (true, true) => &[written.1, read.1],
        };
        if !writes.is_empty() {
            let missing =
                Error::Unsupported("commands that the runtime's own shaders do, without VK_KHR_push_descriptor");
            let extension = device.ext.push_descriptor.as_ref().ok_or(missing)?;
            // In one call: lavapipe maps memory for each, of which a process has room for some ten thousands.
            // SAFETY: the views are of living resources; the structures live until the call returns.
            unsafe { extension.cmd_push_descriptor_set(self.buffer, point, kernels.layout, 0, writes) };
        }
        // SAFETY: the pipeline lives as long as the device; the block is as large as the layout's range.
        unsafe {
            device.vk.cmd_bind_pipeline(self.buffer, point, pipeline);
            device.vk.cmd_push_constants(self.buffer, kernels.layout, vk::ShaderStageFlags::COMPUTE, 0, bytes);
        }
        self.dirty.set(Dirty::COMPUTE.or(Dirty::COMPUTE_ROOT).or(Dirty::GRAPHICS_ROOT));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_room_for_every_word() {
        assert_eq!(rows(1), [1, 1, 1]);
        assert_eq!(rows(64 * 32768), [32768, 1, 1]);
        assert_eq!(rows(64 * 32768 + 1), [32768, 2, 1]);
        // The largest buffer that has an index for every word.
        let [x, y, _] = rows(1 << 32);
        assert!(u64::from(x) * u64::from(y) * LANES >= 1 << 32 && y < 65536);
    }
}

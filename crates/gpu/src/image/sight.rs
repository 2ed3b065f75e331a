//! What an image may be seen as.
//!
//! Invariant: no view is made that Vulkan forbids of its image, whatever a program describes.

use ash::vk;

use super::Shape;
use crate::descriptor::view::ImageView;
use crate::error::{Error, Result};
use crate::format::{Format, caps};
use crate::logical::Logical;

/// Refuses what Vulkan forbids and the API's own layer would: other uses than the image's, formats that share no bits with it or
/// that the device cannot use so, and kinds that the image was not made for.
pub(super) fn check(device: &Logical, shape: &Shape, view: &ImageView) -> Result<()> {
    if !shape.usage.contains(view.usage) {
        return Err(Error::Invalid("a view for what its texture is not for"));
    }
    let planes = vk::ImageAspectFlags::PLANE_0 | vk::ImageAspectFlags::PLANE_1 | vk::ImageAspectFlags::PLANE_2;
    if view.format != shape.format && !view.aspects.intersects(planes) {
        let mutable = shape.flags.contains(vk::ImageCreateFlags::MUTABLE_FORMAT);
        let texels = shape.flags.contains(vk::ImageCreateFlags::BLOCK_TEXEL_VIEW_COMPATIBLE);
        let rows = Format::of_vulkan(shape.format).zip(Format::of_vulkan(view.format));
        if !mutable || rows.is_some_and(|(image, view)| !shares_bits(image, view, texels)) {
            return Err(Error::Invalid("a view of a format that its texture cannot be seen as"));
        }
    }
    let has = caps::features(device, view.format);
    let has = match shape.tiling {
        vk::ImageTiling::LINEAR => has.linear_tiling_features,
        _ => has.optimal_tiling_features,
    };
    let rows = [
        (vk::ImageUsageFlags::SAMPLED, vk::FormatFeatureFlags::SAMPLED_IMAGE),
        (vk::ImageUsageFlags::STORAGE, vk::FormatFeatureFlags::STORAGE_IMAGE),
        (vk::ImageUsageFlags::COLOR_ATTACHMENT, vk::FormatFeatureFlags::COLOR_ATTACHMENT),
        (vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT),
    ];
    if rows.into_iter().any(|(usage, needs)| view.usage.contains(usage) && !has.contains(needs)) {
        return Err(Error::Invalid("a view of a format that the device cannot use so"));
    }
    let drawn = view.aspects.intersects(planes) && view.usage.contains(vk::ImageUsageFlags::COLOR_ATTACHMENT);
    if drawn && !caps::draws_to_planes(device, shape.format) {
        return Err(Error::Unsupported("render targets that are a plane of a texture, on this device"));
    }
    let cube = matches!(view.kind, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY);
    if cube && !shape.flags.contains(vk::ImageCreateFlags::CUBE_COMPATIBLE) {
        return Err(Error::Invalid("a view of cubes of a texture that has none"));
    }
    Ok(())
}

/// Whether an image of one format may be seen as another; `texels` says whether its blocks may be seen as texels.
fn shares_bits(image: &Format, view: &Format, texels: bool) -> bool {
    if [image, view].iter().any(|format| format.has_depth() || format.has_stencil()) {
        return image.vk == view.vk;
    }
    match (image.is_block_compressed(), view.is_block_compressed()) {
        (false, false) => image.block_bytes == view.block_bytes,
        (true, true) => image.family == view.family,
        (true, false) => texels && image.block_bytes == view.block_bytes,
        (false, true) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_share_bits_by_size_and_blocks_by_family() {
        use vk::Format as F;
        let shares = |image: F, view: F, texels: bool| {
            let rows = Format::of_vulkan(image).zip(Format::of_vulkan(view));
            rows.is_some_and(|(image, view)| shares_bits(image, view, texels))
        };
        assert!(shares(F::R8G8B8A8_UNORM, F::R32_SFLOAT, false) && !shares(F::R8G8B8A8_UNORM, F::R16_SFLOAT, false));
        assert!(shares(F::BC3_UNORM_BLOCK, F::BC3_SRGB_BLOCK, false));
        assert!(!shares(F::BC3_UNORM_BLOCK, F::BC7_UNORM_BLOCK, true), "as large, and another family");
        assert!(shares(F::BC3_UNORM_BLOCK, F::R32G32B32A32_UINT, true));
        assert!(!shares(F::BC3_UNORM_BLOCK, F::R32G32B32A32_UINT, false));
        assert!(!shares(F::R32G32B32A32_UINT, F::BC3_UNORM_BLOCK, true));
        assert!(!shares(F::R32_SFLOAT, F::D32_SFLOAT, true), "depth is nothing else");
    }
}

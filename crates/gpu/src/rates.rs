//! Shading rates: what a device can do about pixels that are shaded together (`VK_KHR_fragment_shading_rate`).

use crate::instance::Instance;
use crate::requirements::Enabled;
use crate::vulkan as vk;

/// Sides of the tiles that the API lets a device have, in pixels.
const TILES: [u32; 3] = [8, 16, 32];

/// Decided once, when the device is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rates {
    /// Lists set a rate for what they draw: 1x1, 1x2, 2x1 and 2x2 at least.
    pub lists: bool,
    /// Shaders give a rate with each primitive.
    pub primitives: bool,
    /// They do so where there are several viewports, too.
    pub viewports: bool,
    /// Mesh shaders do.
    pub meshes: bool,
    /// Side of the square of pixels that has one texel of an image of rates; 0 without such images.
    pub tile: u32,
    /// Rates are combined by their minimum and maximum, not only chosen.
    pub combined: bool,
    /// Rates can be multiplied.
    pub products: bool,
    /// Rates of 2x4 with one or two samples, of 4x2 and 4x4 with one.
    pub large: bool,
}

impl Rates {
    pub(crate) fn read(
        instance: &Instance,
        physical: vk::PhysicalDevice,
        extensions: &Enabled,
        features: &vk::PhysicalDeviceFragmentShadingRateFeaturesKHR<'_>,
        mesh: &vk::PhysicalDeviceMeshShaderFeaturesEXT<'_>,
    ) -> Rates {
        if !extensions.shading_rate || features.pipeline_fragment_shading_rate == 0 {
            return Rates::default();
        }
        let mut limits = vk::PhysicalDeviceFragmentShadingRatePropertiesKHR::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
        // SAFETY: the instance lives; the device knows the structure of its extension.
        unsafe { instance.instance.get_physical_device_properties2(physical, &mut all) };
        let yes = |feature: vk::Bool32| feature != 0;
        let primitives = yes(features.primitive_fragment_shading_rate);
        Rates {
            lists: true,
            primitives,
            viewports: primitives && yes(limits.primitive_fragment_shading_rate_with_multiple_viewports),
            meshes: primitives && yes(mesh.primitive_fragment_shading_rate_mesh_shader),
            tile: match yes(features.attachment_fragment_shading_rate) {
                true => tile(&limits),
                false => 0,
            },
            combined: yes(limits.fragment_shading_rate_non_trivial_combiner_ops),
            products: yes(limits.fragment_shading_rate_strict_multiply_combiner),
            large: are_large(&offered(instance, physical)),
        }
    }
}

/// The least side of a square tile that the device and the API both have; 0 where there is none.
fn tile(limits: &vk::PhysicalDeviceFragmentShadingRatePropertiesKHR<'_>) -> u32 {
    let (least, most) = (
        limits.min_fragment_shading_rate_attachment_texel_size,
        limits.max_fragment_shading_rate_attachment_texel_size,
    );
    let fits = |side: &u32| (least.width..=most.width).contains(side) && (least.height..=most.height).contains(side);
    TILES.into_iter().find(fits).unwrap_or(0)
}

/// A rate and the numbers of samples that it can be had with.
type Rate = (vk::Extent2D, vk::SampleCountFlags);

fn offered(instance: &Instance, physical: vk::PhysicalDevice) -> Vec<Rate> {
    let functions = ash::khr::fragment_shading_rate::Instance::new(&instance.entry, &instance.instance);
    let ask = functions.fp().get_physical_device_fragment_shading_rates_khr;
    let mut count = 0;
    // SAFETY: the device has the extension; a null array asks for the count.
    let asked = unsafe { ask(physical, &mut count, core::ptr::null_mut()) };
    let mut rates = vec![vk::PhysicalDeviceFragmentShadingRateKHR::default(); count as usize];
    // SAFETY: the array has as many structures as the count says.
    let given = unsafe { ask(physical, &mut count, rates.as_mut_ptr()) };
    if asked != vk::Result::SUCCESS || given != vk::Result::SUCCESS {
        return Vec::new();
    }
    rates.iter().take(count as usize).map(|rate| (rate.fragment_size, rate.sample_counts)).collect()
}

/// Whether all rates are offered that the API calls additional.
fn are_large(offered: &[Rate]) -> bool {
    let (one, two) = (vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_1 | vk::SampleCountFlags::TYPE_2);
    [(2, 4, two), (4, 2, one), (4, 4, one)].into_iter().all(|(width, height, samples)| {
        offered.iter().any(|(size, counts)| (size.width, size.height) == (width, height) && counts.contains(samples))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32) -> vk::Extent2D {
        vk::Extent2D { width, height }
    }

    #[test]
    fn tiles_are_squares_that_both_have() {
        let of = |least: vk::Extent2D, most: vk::Extent2D| {
            tile(
                &vk::PhysicalDeviceFragmentShadingRatePropertiesKHR::default()
                    .min_fragment_shading_rate_attachment_texel_size(least)
                    .max_fragment_shading_rate_attachment_texel_size(most),
            )
        };
        assert_eq!(of(size(16, 16), size(16, 16)), 16);
        assert_eq!(of(size(8, 8), size(32, 32)), 8, "the finest");
        assert_eq!(of(size(8, 16), size(32, 32)), 16);
        assert_eq!(of(size(4, 4), size(4, 4)), 0);
        assert_eq!(of(size(8, 32), size(16, 32)), 0, "no square");
    }

    #[test]
    fn all_additional_rates_count_together() {
        let (one, two) = (vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_1 | vk::SampleCountFlags::TYPE_2);
        let all = [(size(4, 4), one), (size(4, 2), one), (size(2, 4), two), (size(2, 2), two)];
        assert!(are_large(&all) && !are_large(&all[1..]) && !are_large(&[]));
        assert!(!are_large(&[all[0], all[1], (size(2, 4), one)]), "2x4 with two samples, too");
    }
}

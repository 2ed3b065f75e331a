//! Where samples can lie in pixels (`VK_EXT_sample_locations`).

use crate::instance::Instance;
use crate::requirements::Enabled;
use crate::vulkan as vk;

/// Parts of a pixel's side between which samples lie.
pub const STEPS: f32 = 16.0;
/// Numbers of samples, each twice the one before, from 1.
const COUNTS: usize = 5;

/// Decided once, when the device is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// By the logarithm of the number of samples: width and height in pixels of the largest pattern that repeats. Zero where samples
    /// lie in their usual places.
    grids: [[u32; 2]; COUNTS],
}

impl Positions {
    pub(crate) fn read(instance: &Instance, physical: vk::PhysicalDevice, extensions: &Enabled) -> Positions {
        if !extensions.sample_locations {
            return Positions::default();
        }
        let mut limits = vk::PhysicalDeviceSampleLocationsPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut limits);
        // SAFETY: the instance lives; the device knows the structure of its extension.
        unsafe { instance.instance.get_physical_device_properties2(physical, &mut all) };
        if !reaches(&limits) {
            return Positions::default();
        }
        let functions = ash::ext::sample_locations::Instance::new(&instance.entry, &instance.instance);
        let mut grids = [[0; 2]; COUNTS];
        for (power, grid) in grids.iter_mut().enumerate() {
            let samples = vk::SampleCountFlags::from_raw(1 << power);
            if limits.sample_location_sample_counts.contains(samples) {
                let mut found = vk::MultisamplePropertiesEXT::default();
                // SAFETY: the device has the extension; the structure lives until the call returns.
                unsafe { functions.get_physical_device_multisample_properties(physical, samples, &mut found) };
                *grid = [found.max_sample_location_grid_size.width, found.max_sample_location_grid_size.height];
            }
        }
        Positions::of(grids)
    }

    /// By the logarithm of the number of samples: width and height in pixels of the largest pattern that repeats.
    pub fn of(grids: [[u32; 2]; COUNTS]) -> Positions {
        Positions { grids }
    }

    /// Whether so many samples lie where a list puts them, in a pattern of one pixel, or of two by two.
    pub fn has(&self, samples: u32, side: u32) -> bool {
        let power = samples.trailing_zeros() as usize;
        samples.is_power_of_two()
            && self.grids.get(power).is_some_and(|[width, height]| *width >= side && *height >= side)
    }
}

/// Whether samples can lie at every sixteenth of a pixel.
fn reaches(limits: &vk::PhysicalDeviceSampleLocationsPropertiesEXT<'_>) -> bool {
    let [least, most] = limits.sample_location_coordinate_range;
    limits.sample_location_sub_pixel_bits >= 4 && least <= 0.0 && most >= 15.0 / STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_those_of_the_number_of_samples() {
        let positions = Positions::of([[0, 0], [2, 2], [2, 1], [1, 1], [0, 0]]);
        assert!(!positions.has(1, 1) && positions.has(2, 2) && positions.has(4, 1) && !positions.has(4, 2));
        assert!(positions.has(8, 1) && !positions.has(16, 1) && !positions.has(32, 1));
        assert!(!positions.has(3, 1) && !positions.has(0, 1));
    }

    #[test]
    fn sixteenths_of_a_pixel_are_needed() {
        let of = |bits, range| {
            reaches(
                &vk::PhysicalDeviceSampleLocationsPropertiesEXT::default()
                    .sample_location_sub_pixel_bits(bits)
                    .sample_location_coordinate_range(range),
            )
        };
        assert!(of(4, [0.0, 0.9375]) && of(8, [0.0, 1.0]));
        assert!(!of(3, [0.0, 0.9375]) && !of(4, [0.0625, 0.9375]) && !of(4, [0.0, 0.875]));
    }
}

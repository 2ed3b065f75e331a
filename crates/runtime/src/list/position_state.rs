//! A pattern of positions of samples. Pure.

use ash::vk;
use reprise_d3d12::types::D3D12_SAMPLE_POSITION;
use reprise_gpu::positions::{Positions, STEPS};

use crate::{Error, Result};

/// Positions of a pattern, at most.
pub(super) const MOST: usize = 16;

/// A pattern of positions that repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pattern {
    /// Samples of a pixel.
    pub(super) samples: u32,
    /// Pixels in a row, and rows of them.
    side: u32,
    /// All samples of a pixel, then those of the next, row by row. In pixels, from the upper left corner.
    places: [[f32; 2]; MOST],
}

impl Pattern {
    /// Of the API's arguments, on a device that has these positions. `None` for the usual ones.
    ///
    /// # Errors
    /// [`Error::Call`] where the API leaves the call out; the device lacks such patterns.
    pub(super) fn new(
        samples: u32,
        pixels: u32,
        given: &[D3D12_SAMPLE_POSITION],
        has: &Positions,
    ) -> Result<Option<Pattern>> {
        if samples == 0 && pixels == 0 {
            return Ok(None);
        }
        let side = match pixels {
            1 => 1,
            4 => 2,
            _ => return Err(Error::Call("SetSamplePositions for other than 1 or 4 pixels")),
        };
        let count = samples.saturating_mul(pixels) as usize;
        if !samples.is_power_of_two() || count > MOST || given.len() != count {
            return Err(Error::Call("SetSamplePositions of a number of positions that the API does not have"));
        }
        if given.iter().any(|at| !(-8..8).contains(&at.X) || !(-8..8).contains(&at.Y)) {
            return Err(Error::Call("SetSamplePositions outside of a pixel"));
        }
        if !has.has(samples, side) {
            return Err(Error::Unsupported("SetSamplePositions"));
        }
        let mut places = [[0.0; 2]; MOST];
        let from_corner = |step: i8| (f32::from(step) + STEPS / 2.0) / STEPS;
        for (place, at) in places.iter_mut().zip(given) {
            *place = [from_corner(at.X), from_corner(at.Y)];
        }
        Ok(Some(Pattern { samples, side, places }))
    }

    /// As Vulkan takes it.
    pub(super) fn tell(&self, tell: impl FnOnce(&vk::SampleLocationsInfoEXT<'_>)) {
        let count = (self.samples * self.side * self.side) as usize;
        let all = self.places.map(|[x, y]| vk::SampleLocationEXT { x, y });
        tell(
            &vk::SampleLocationsInfoEXT::default()
                .sample_locations_per_pixel(vk::SampleCountFlags::from_raw(self.samples))
                .sample_location_grid_size(vk::Extent2D { width: self.side, height: self.side })
                .sample_locations(&all[..count.min(MOST)]),
        );
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn at(x: i8, y: i8) -> D3D12_SAMPLE_POSITION {
        D3D12_SAMPLE_POSITION { X: x, Y: y }
    }

    #[test]
    fn positions_count_from_the_corner() {
        let has = Positions::of([[0, 0], [2, 2], [1, 1], [0, 0], [0, 0]]);
        let pattern = Pattern::new(2, 1, &[at(-8, 7), at(0, -4)], &has).unwrap().unwrap();
        let mut told = (0, 0);
        pattern.tell(|info| told = (info.sample_locations_count, info.sample_location_grid_size.width));
        assert_eq!(told, (2, 1));
        assert_eq!(pattern.places[..2], [[0.0, 0.9375], [0.5, 0.25]]);
        let four: Vec<_> = (0..8).map(|step| at(step - 4, -step)).collect();
        let pattern = Pattern::new(2, 4, &four, &has).unwrap().unwrap();
        pattern.tell(|info| told = (info.sample_locations_count, info.sample_location_grid_size.width));
        assert_eq!(told, (8, 2));
        assert_eq!(pattern.places[7], [11.0 / 16.0, 1.0 / 16.0]);
    }

    #[test]
    fn what_the_api_does_not_have_is_left_out_and_what_the_device_lacks_refused() {
        let has = Positions::of([[0, 0], [2, 2], [1, 1], [0, 0], [0, 0]]);
        let positions = [at(0, 0); MOST];
        let of = |samples: u32, pixels: u32| {
            Pattern::new(samples, pixels, &positions[..((samples * pixels) as usize).min(MOST)], &has)
        };
        assert!(of(0, 0).unwrap().is_none() && of(4, 1).unwrap().is_some());
        for (samples, pixels) in [(2, 2), (3, 1), (8, 4), (0, 1), (2, 0)] {
            assert!(matches!(of(samples, pixels), Err(Error::Call(_))), "{samples} {pixels}");
        }
        for (samples, pixels) in [(4, 4), (1, 1), (8, 1)] {
            assert!(matches!(of(samples, pixels), Err(Error::Unsupported(_))), "{samples} {pixels}");
        }
        assert!(matches!(Pattern::new(2, 1, &[at(8, 0), at(0, 0)], &has), Err(Error::Call(_))), "the right edge");
        assert!(matches!(Pattern::new(2, 1, &[], &has), Err(Error::Call(_))), "no array");
    }
}

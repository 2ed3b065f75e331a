//! A list's shading rate and image of rates. Pure.
//!
//! The API and Vulkan write a rate alike: two bits for the logarithm of the height, and two above for that of the width. So images and
//! values of shaders need no translation. A source that the device lacks gives 1x1, as the API says, which decides its combiner.

use ash::vk;
use reprise_d3d12::types::{D3D12_SHADING_RATE, D3D12_SHADING_RATE_COMBINER as Combiner};
use reprise_gpu::rates::Rates;

use crate::{Error, Result};

type Operation = vk::FragmentShadingRateCombinerOpKHR;

/// The list's rate, and how it is combined with that of the primitive, and the result with that of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    pub(super) size: vk::Extent2D,
    pub(super) combiners: [Operation; 2],
}

impl Default for Rate {
    /// Each pixel is shaded by itself.
    fn default() -> Rate {
        Rate { size: vk::Extent2D { width: 1, height: 1 }, combiners: [Operation::KEEP; 2] }
    }
}

impl Rate {
    /// Of the API's arguments, on a device that has these rates.
    ///
    /// # Errors
    /// They are none of the API's, or the device lacks what they need.
    pub(super) fn new(rate: D3D12_SHADING_RATE, combiners: [Combiner; 2], has: &Rates) -> Result<Rate> {
        let axis = |bits: i32| match bits {
            0..=2 => Ok(1 << bits),
            _ => Err(Error::Invalid("RSSetShadingRate: a rate that the API does not have")),
        };
        let mut made = Rate {
            size: vk::Extent2D { width: axis(rate.0 >> 2)?, height: axis(rate.0 & 3)? },
            combiners: [Operation::KEEP; 2],
        };
        let sources = [has.primitives, has.tile != 0];
        for (at, (combiner, there)) in combiners.into_iter().zip(sources).enumerate() {
            let operation = match combiner {
                Combiner::PASSTHROUGH => Operation::KEEP,
                Combiner::OVERRIDE => Operation::REPLACE,
                Combiner::MIN => Operation::MIN,
                Combiner::MAX => Operation::MAX,
                Combiner::SUM => Operation::MUL,
                _ => return Err(Error::Invalid("RSSetShadingRate: a combiner that the API does not have")),
            };
            match operation {
                _ if there => made.combiners[at] = operation,
                // The other rate is 1x1: that is the least, and one times anything is that.
                Operation::REPLACE | Operation::MIN => made = Rate::default(),
                _ => {}
            }
        }
        let uses = |operation| made.combiners.contains(&operation);
        if made.size != Rate::default().size && !has.lists {
            return Err(Error::Unsupported("RSSetShadingRate"));
        }
        if (uses(Operation::MIN) || uses(Operation::MAX)) && !has.combined || uses(Operation::MUL) && !has.products {
            return Err(Error::Unsupported("RSSetShadingRate with this combiner"));
        }
        Ok(made)
    }
}

/// An image of rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RateImage {
    pub(super) view: vk::ImageView,
    /// In tiles.
    pub(super) size: vk::Extent2D,
}

impl RateImage {
    /// Whether there is a texel for each tile of an area. Vulkan asks for that.
    pub(super) fn covers(&self, area: vk::Extent2D, tile: u32) -> bool {
        let fits = |tiles: u32, pixels: u32| u64::from(tiles) * u64::from(tile) >= u64::from(pixels);
        fits(self.size.width, area.width) && fits(self.size.height, area.height)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ALL: Rates = Rates {
        lists: true,
        primitives: true,
        viewports: true,
        meshes: true,
        tile: 16,
        combined: true,
        products: true,
        large: true,
    };
    const KEEP: [Combiner; 2] = [Combiner::PASSTHROUGH; 2];

    #[test]
    fn the_width_stands_above_the_height() {
        let size = |rate: D3D12_SHADING_RATE| {
            let vk::Extent2D { width, height } = Rate::new(rate, KEEP, &ALL).unwrap().size;
            (width, height)
        };
        assert_eq!(size(D3D12_SHADING_RATE::RATE_1X1), (1, 1));
        assert_eq!(size(D3D12_SHADING_RATE::RATE_1X2), (1, 2));
        assert_eq!(size(D3D12_SHADING_RATE::RATE_2X1), (2, 1));
        assert_eq!(size(D3D12_SHADING_RATE::RATE_2X4), (2, 4));
        assert_eq!(size(D3D12_SHADING_RATE::RATE_4X2), (4, 2));
        assert_eq!(size(D3D12_SHADING_RATE::RATE_4X4), (4, 4));
        for bad in [3, 12, 16, -1] {
            assert!(matches!(Rate::new(D3D12_SHADING_RATE(bad), KEEP, &ALL), Err(Error::Invalid(_))), "{bad}");
        }
    }

    /// What the API's specification of shading rates says of sources that are not there: each is 1x1.
    #[test]
    fn sources_that_a_device_lacks_are_1x1() {
        let simple = Rates { lists: true, ..Rates::default() };
        let of = |combiners, has: &Rates| Rate::new(D3D12_SHADING_RATE::RATE_2X2, combiners, has);
        let plain = of(KEEP, &simple).unwrap();
        assert_eq!(plain.combiners, [Operation::KEEP; 2]);
        for (combiner, keeps) in [
            (Combiner::PASSTHROUGH, true),
            (Combiner::OVERRIDE, false),
            (Combiner::MIN, false),
            (Combiner::MAX, true),
            (Combiner::SUM, true),
        ] {
            for combiners in [[combiner, Combiner::PASSTHROUGH], [Combiner::PASSTHROUGH, combiner]] {
                let expected = if keeps { plain } else { Rate::default() };
                assert_eq!(of(combiners, &simple).unwrap(), expected, "{combiners:?}");
            }
        }
        let all = of([Combiner::MAX, Combiner::SUM], &ALL).unwrap();
        assert_eq!(all.combiners, [Operation::MAX, Operation::MUL]);
        // A device without images, whose least rate is the image's.
        let no_images = Rates { tile: 0, ..ALL };
        assert_eq!(of([Combiner::MAX, Combiner::MIN], &no_images).unwrap(), Rate::default());
    }

    #[test]
    fn what_a_device_lacks_is_refused() {
        let none = Rates::default();
        let rate = D3D12_SHADING_RATE::RATE_1X2;
        assert!(matches!(Rate::new(rate, KEEP, &none), Err(Error::Unsupported(_))));
        assert!(Rate::new(rate, [Combiner::MIN, Combiner::PASSTHROUGH], &none).is_ok(), "1x1 in the end");
        assert!(Rate::new(D3D12_SHADING_RATE::RATE_1X1, [Combiner::SUM; 2], &none).is_ok());
        let (least, sum) = ([Combiner::MIN; 2], [Combiner::PASSTHROUGH, Combiner::SUM]);
        assert!(Rate::new(rate, least, &Rates { combined: false, ..ALL }).is_err());
        assert!(Rate::new(rate, sum, &Rates { products: false, ..ALL }).is_err());
        assert!(Rate::new(rate, [Combiner::OVERRIDE; 2], &Rates { combined: false, ..ALL }).is_ok());
        assert!(matches!(Rate::new(rate, [Combiner(9); 2], &ALL), Err(Error::Invalid(_))));
    }

    #[test]
    fn an_image_covers_whole_tiles() {
        let image = |width, height| RateImage { view: vk::ImageView::null(), size: vk::Extent2D { width, height } };
        let area = |width, height| vk::Extent2D { width, height };
        assert!(image(4, 2).covers(area(64, 32), 16) && image(4, 2).covers(area(49, 17), 16));
        assert!(!image(4, 2).covers(area(65, 32), 16) && !image(4, 2).covers(area(64, 33), 16));
    }
}

//! Shading rates: of lists, of images, and how both are combined with those of primitives.
//!
//! The API and Vulkan write a rate alike: two bits for the logarithm of the height, and two above for that of the width. So images and
//! values of shaders need no translation. A source that the device lacks gives 1x1, as the API says, which decides its combiner.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{D3D12_SHADING_RATE, D3D12_SHADING_RATE_COMBINER as Combiner};
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::encoder::Dirty;
use reprise_gpu::rates::Rates;
use reprise_log::warning_once;

use crate::list::array::array;
use crate::list::command::Command;
use crate::list::recording::Recording;
use crate::pipeline::Graphics;
use crate::resource::object::Resource;
use crate::{Error, Result};

/// Methods about shading rates.
pub(super) const LIST_METHODS: &Slots =
    &[("RSSetShadingRate", set_rate as *const c_void), ("RSSetShadingRateImage", set_image as *const c_void)];

type Operation = vk::FragmentShadingRateCombinerOpKHR;

/// The list's rate, and how it is combined with that of the primitive, and the result with that of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate {
    size: vk::Extent2D,
    combiners: [Operation; 2],
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
    fn new(rate: D3D12_SHADING_RATE, combiners: [Combiner; 2], has: &Rates) -> Result<Rate> {
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
    view: vk::ImageView,
    /// In tiles.
    size: vk::Extent2D,
}

impl RateImage {
    /// Whether there is a texel for each tile of an area. Vulkan asks for that.
    fn covers(&self, area: vk::Extent2D, tile: u32) -> bool {
        let fits = |tiles: u32, pixels: u32| u64::from(tiles) * u64::from(tile) >= u64::from(pixels);
        fits(self.size.width, area.width) && fits(self.size.height, area.height)
    }
}

impl Recording {
    pub(super) fn set_rate(&mut self, rate: D3D12_SHADING_RATE, combiners: [Combiner; 2]) -> Result<()> {
        let rate = Rate::new(rate, combiners, &self.encoder.device.caps.rates)?;
        if self.bound.rate != rate {
            self.bound.rate = rate;
            self.encoder.dirty.set(Dirty::RATE);
        }
        Ok(())
    }

    /// Rendering begins again with another image.
    pub(super) fn set_rate_image(&mut self, resource: Option<&Object<Resource>>) -> Result<()> {
        let image = match resource {
            None => None,
            Some(_) if self.encoder.device.caps.rates.tile == 0 => {
                return Err(Error::Unsupported("RSSetShadingRateImage"));
            }
            Some(resource) => {
                const WRONG: Error = Error::Call("RSSetShadingRateImage with another texture than one of rates");
                let image = resource.image().ok_or(WRONG)?;
                let usage = vk::ImageUsageFlags::FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
                if !image.usage.contains(usage) {
                    return Err(WRONG);
                }
                let view = image.view(&ImageView {
                    format: image.format,
                    kind: vk::ImageViewType::TYPE_2D,
                    aspects: vk::ImageAspectFlags::COLOR,
                    usage,
                    first_level: 0,
                    levels: 1,
                    first_layer: 0,
                    layers: 1,
                    components: [0; 4],
                    least: 0,
                    sliced: false,
                })?;
                self.uses(resource);
                let vk::Extent3D { width, height, .. } = image.extent;
                Some(RateImage { view, size: vk::Extent2D { width, height } })
            }
        };
        if self.bound.rate_image != image {
            self.encoder.outside();
            self.bound.rate_image = image;
        }
        Ok(())
    }

    /// Tells Vulkan the rate, for a pipeline that has it dynamic.
    pub(super) fn flush_rate(&mut self, graphics: &Graphics) {
        self.bound.told.rate = graphics.rate;
        let rates = self.encoder.logical.ext.shading_rate.as_ref();
        if let Some(rates) = rates.filter(|_| graphics.rate) {
            let Rate { size, combiners } = &self.bound.rate;
            // SAFETY: the command buffer is being recorded; the device has what the rate was made for.
            unsafe { (rates.fp().cmd_set_fragment_shading_rate_khr)(self.encoder.buffer, size, combiners) };
        }
    }

    /// What rendering to an area begins with of the image of rates.
    pub(super) fn rates_of(
        &self,
        area: vk::Extent2D,
    ) -> Option<vk::RenderingFragmentShadingRateAttachmentInfoKHR<'static>> {
        let tile = self.encoder.device.caps.rates.tile;
        let image = self.bound.rate_image.as_ref()?;
        if !image.covers(area, tile) {
            warning_once("a command list leaves out", "an image of shading rates that is smaller than the targets");
            return None;
        }
        Some(
            vk::RenderingFragmentShadingRateAttachmentInfoKHR::default()
                .image_view(image.view)
                // Such images have no other layout.
                .image_layout(vk::ImageLayout::GENERAL)
                .shading_rate_attachment_texel_size(vk::Extent2D { width: tile, height: tile }),
        )
    }
}

unsafe extern "C" fn set_rate(this: *mut c_void, rate: D3D12_SHADING_RATE, combiners: *const Combiner) {
    // SAFETY: a list of ours; the program gives two combiners or null.
    let combiners = match unsafe { array(combiners, if combiners.is_null() { 0 } else { 2 }) } {
        [first, second] => [*first, *second],
        _ => [Combiner::PASSTHROUGH; 2],
    };
    // SAFETY: a list of ours.
    unsafe { Recording::command(this, Command::Rate { rate, combiners }) };
}

unsafe extern "C" fn set_image(this: *mut c_void, image: *mut c_void) {
    // SAFETY: a list of ours, null or the program's texture.
    unsafe {
        match (image.is_null(), Object::<Resource>::from_pointer(image)) {
            (false, None) => {
                Recording::on_any(this, |_| {
                    Err(Error::Invalid("RSSetShadingRateImage: not a resource of this runtime"))
                });
            }
            (_, image) => Recording::record(
                this,
                |list| list.set_rate_image(image),
                || Command::RateImage(image.map(Object::keep)),
            ),
        }
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

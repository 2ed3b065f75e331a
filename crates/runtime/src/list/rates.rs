//! Shading rates: of lists, of images, and how both are combined with those of primitives.

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{D3D12_SHADING_RATE, D3D12_SHADING_RATE_COMBINER as Combiner};
use reprise_gpu::descriptor::view::ImageView;
use reprise_gpu::encoder::Dirty;
use reprise_log::warning_once;

use crate::list::array::array;
use crate::list::command::Command;
use crate::list::rate_state::{Rate, RateImage};
use crate::list::recording::Recording;
use crate::pipeline::Graphics;
use crate::resource::object::Resource;
use crate::{Error, Result};

/// Methods about shading rates.
pub(super) const LIST_METHODS: &Slots =
    &[("RSSetShadingRate", set_rate as *const c_void), ("RSSetShadingRateImage", set_image as *const c_void)];

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
                Recording::on_any(this, |_| Err(Error::Call("RSSetShadingRateImage: not a resource of this runtime")));
            }
            (_, image) => Recording::record(
                this,
                |list| list.set_rate_image(image),
                || Command::RateImage(image.map(Object::keep)),
            ),
        }
    }
}

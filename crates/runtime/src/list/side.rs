//! Sides of a resolve, and textures between them.

use std::sync::Arc;

use ash::vk;
use reprise_com::{Object, Ref};
use reprise_d3d12::types::{
    D3D12_RESOURCE_DESC1, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS as Flags, D3D12_RESOURCE_STATES as States,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};

use crate::list::recording::Recording;
use crate::list::region::Subresource;
use crate::resource::create::{self, Initial, Wanted};
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::image::Image;

/// One side of a resolve.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) resource: &'a Object<Resource>,
    pub(super) image: &'a Arc<Image>,
    pub(super) subresource: Subresource,
    /// The first texel.
    pub(super) at: [u32; 3],
}

impl<'a> Side<'a> {
    pub(super) fn new(resource: &'a Object<Resource>, index: u32, at: [u32; 3]) -> Result<Side<'a>> {
        let image = resource.image().ok_or(Error::Invalid("a resolve: not a texture"))?;
        Ok(Side { resource, image, subresource: Subresource::of(resource, image, index)?, at })
    }

    /// The first subresource of a texture of the runtime's own.
    pub(super) fn whole(resource: &'a Object<Resource>) -> Result<Side<'a>> {
        Side::new(resource, 0, [0; 3])
    }

    pub(super) fn place(&self) -> (&Arc<Image>, &Subresource, [u32; 3]) {
        (self.image, &self.subresource, self.at)
    }

    /// Whether texels have one sample.
    pub(super) fn single(&self) -> bool {
        self.image.samples == vk::SampleCountFlags::TYPE_1
    }
}

impl Recording {
    /// A texture of the runtime's own, which lives until the GPU is done with the list; to be written before it is read.
    pub(super) fn temporary(
        &mut self,
        format: DXGI_FORMAT,
        size: [u32; 3],
        samples: u32,
        flags: Flags,
    ) -> Result<Ref<Resource>> {
        let mut desc = D3D12_RESOURCE_DESC1 {
            Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
            Width: size[0].into(),
            Height: size[1],
            DepthOrArraySize: 1,
            MipLevels: 1,
            Format: format,
            SampleDesc: DXGI_SAMPLE_DESC { Count: samples, Quality: 0 },
            Flags: flags,
            ..Default::default()
        };
        let mut wanted =
            Wanted { desc: &mut desc, initial: Initial::State(States::COMMON), clear: None, castable: &[] };
        let device = self.owner.clone();
        let made = create::temporary(&device, &mut wanted)?.keep();
        // The list keeps what it is the first to use.
        self.uses(&made);
        Ok(made)
    }
}

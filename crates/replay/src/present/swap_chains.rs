//! Swap chains without windows: ordinary textures stand for their images.
//!
//! Native programs wrap Vulkan swap-chain images as resources, others take buffers of a DXGI swap chain (`dxgi`). Here both are
//! textures of the same size and format. Invariant: a recorded image handle leads to at most one texture, and the texture that is
//! presented is the one that the program named.

use std::collections::HashMap;

use reprise_codec::value::Member;
use reprise_d3d12::types::D3D12_RESOURCE_DESC;

use super::dxgi::DxgiChains;
use super::stand_in::texture;
use crate::input::values::{at, number_at, numbers};

/// Swap chains of either kind.
#[derive(Clone, Default)]
pub(crate) struct SwapChains {
    /// Vulkan swap chain to its images, image to its resource, queue handle to the queue that lent it.
    vk_images: HashMap<u64, Vec<u64>>,
    vk_resources: HashMap<u64, u32>,
    vk_queues: HashMap<u64, u32>,
    pub(crate) dxgi: DxgiChains,
}

/// The texture that a present call shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shown {
    pub(crate) resource: u32,
    /// Id of the queue that presents.
    pub(crate) queue: u32,
}

/// Images of one swap chain, and buffers: no program has more.
const MOST_IMAGES: usize = 64;

impl SwapChains {
    /// `vkGetSwapchainImagesKHR` gave these.
    pub(crate) fn set_vk_images(&mut self, chain: u64, images: Vec<u64>) {
        if !images.is_empty() && images.len() <= MOST_IMAGES {
            self.vk_images.insert(chain, images);
        }
    }

    /// `vkd3d_create_image_resource` made a resource of an image.
    pub(crate) fn set_vk_resource(&mut self, image: u64, resource: u32) {
        self.vk_resources.insert(image, resource);
    }

    /// `vkd3d_acquire_vk_queue` lent this handle.
    pub(crate) fn set_vk_queue(&mut self, handle: u64, queue: u32) {
        self.vk_queues.insert(handle, queue);
    }

    /// The textures that `vkQueuePresentKHR` shows, one per swap chain, of those that are `wanted`.
    pub(crate) fn vk_shown(
        &self,
        arguments: &[Member<'_>],
        wanted: impl Fn(u64) -> bool,
    ) -> Result<Vec<Shown>, String> {
        let handle = number_at(arguments, "queue").ok_or("the present call names no queue")?;
        let queue = *self.vk_queues.get(&handle).ok_or_else(|| {
            format!("the Vulkan queue 0x{handle:x} was lent by no queue that replay knows (vkd3d_acquire_vk_queue)")
        })?;
        let all = |path| at(arguments, path).map(numbers).unwrap_or_default();
        let chains = all("pPresentInfo.pSwapchains");
        let indices = all("pPresentInfo.pImageIndices");
        if chains.is_empty() || chains.len() != indices.len() {
            return Err("the present call's swap chains and image indices are not in the trace".into());
        }
        let wanted = chains.iter().zip(indices).filter(|(chain, _)| wanted(**chain));
        let shown = wanted.map(|(chain, index)| {
            let images = self
                .vk_images
                .get(chain)
                .ok_or_else(|| format!("the images of swap chain 0x{chain:x} are not in the trace"))?;
            let image = usize::try_from(index).ok().and_then(|index| images.get(index));
            let image = image.ok_or_else(|| format!("swap chain 0x{chain:x} has no image {index}"))?;
            let resource = self.vk_resources.get(image);
            let resource =
                *resource.ok_or_else(|| format!("image {index} of swap chain 0x{chain:x} never became a resource"))?;
            Ok(Shown { resource, queue })
        });
        shown.collect()
    }
}

/// The texture for a wrapped Vulkan image, by the description that the program gave.
pub(crate) fn texture_of_image(arguments: &[Member<'_>]) -> Result<D3D12_RESOURCE_DESC, String> {
    let field = |name: &str| {
        let path = format!("create_info.desc.{name}");
        number_at(arguments, &path).ok_or_else(|| format!("{path} is not in the trace"))
    };
    let mut desc = texture(field("Width")? as u32, field("Height")? as u32, field("Format")? as u32);
    desc.DepthOrArraySize = field("DepthOrArraySize")? as u16;
    desc.MipLevels = field("MipLevels")? as u16;
    desc.Flags.0 |= field("Flags")? as u32;
    Ok(desc)
}

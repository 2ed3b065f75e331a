//! Swap chains without windows: ordinary textures stand for their images.
//!
//! Native programs wrap Vulkan swap-chain images as resources, others take buffers of a DXGI swap chain. Here both are textures of
//! the same size and format. Invariant: a recorded image handle or buffer number leads to at most one texture, and the texture
//! that is presented is the one that the program named.

use std::collections::HashMap;

use reprise_codec::value::Member;
use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_HEAP_TYPE, D3D12_RESOURCE_DESC, D3D12_RESOURCE_DIMENSION, D3D12_RESOURCE_FLAGS, D3D12_RESOURCE_STATES,
    DXGI_FORMAT, DXGI_SAMPLE_DESC,
};

use crate::call::creation::MadeObject;
use crate::input::values::{at, number_at, numbers};
use crate::runtime::com::Com;
use crate::runtime::reference::Reference;
use crate::runtime::replay_objects;
use crate::world::World;

/// Swap chains of either kind.
#[derive(Clone, Default)]
pub(crate) struct SwapChains {
    /// Vulkan swap chain to its images, image to its resource, queue handle to the queue that lent it.
    vk_images: HashMap<u64, Vec<u64>>,
    vk_resources: HashMap<u64, u32>,
    vk_queues: HashMap<u64, u32>,
    dxgi: HashMap<u32, DxgiChain>,
}

/// A DXGI swap chain.
#[derive(Clone)]
pub(crate) struct DxgiChain {
    /// Id of the queue that presents.
    queue: u32,
    /// In pixels; 0: as large as the window.
    width: u32,
    height: u32,
    /// `DXGI_FORMAT`.
    format: u32,
    /// Number of buffers.
    count: u32,
    /// Blit-model chains present buffer 0 always.
    flips: bool,
    /// The buffer that is presented next.
    current: u32,
    /// Ids of buffers that the program took, by number.
    buffers: HashMap<u32, u32>,
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

    /// The textures that `vkQueuePresentKHR` shows, one per swap chain.
    pub(crate) fn vk_shown(&self, arguments: &[Member<'_>]) -> Result<Vec<Shown>, String> {
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
        let shown = chains.iter().zip(indices).map(|(chain, index)| {
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

    /// A DXGI swap chain was made, presented by `queue`.
    pub(crate) fn add_dxgi(&mut self, id: u32, queue: u32, desc: &[Member<'_>]) {
        // DXGI_SWAP_CHAIN_DESC nests what DXGI_SWAP_CHAIN_DESC1 has itself.
        let field = |name: &str| {
            let nested = format!("BufferDesc.{name}");
            number_at(desc, name).or_else(|| number_at(desc, &nested)).unwrap_or(0) as u32
        };
        let effect = field("SwapEffect");
        let chain = DxgiChain {
            queue,
            width: field("Width"),
            height: field("Height"),
            format: field("Format"),
            count: field("BufferCount").max(1),
            flips: effect >= 3,
            current: 0,
            buffers: HashMap::new(),
        };
        self.dxgi.insert(id, chain);
    }

    /// `ResizeBuffers`: a zero keeps the value.
    pub(crate) fn resize_dxgi(&mut self, id: u32, arguments: &[Member<'_>]) {
        let Some(chain) = self.dxgi.get_mut(&id) else { return };
        // `ChangeProperties` has all of it in a description.
        let nested = |name: &str| number_at(arguments, &format!("pDesc.{name}"));
        let field = |names: [&str; 2]| {
            names.iter().find_map(|name| number_at(arguments, name).or_else(|| nested(name))).unwrap_or(0) as u32
        };
        for (slot, names) in [
            (&mut chain.count, ["BufferCount"; 2]),
            (&mut chain.width, ["Width"; 2]),
            (&mut chain.height, ["Height"; 2]),
            (&mut chain.format, ["NewFormat", "Format"]),
        ] {
            let value = field(names);
            if value != 0 {
                *slot = value;
            }
        }
        chain.current = 0;
        chain.buffers.clear();
    }

    /// The program was told which buffer is next.
    pub(crate) fn set_dxgi_index(&mut self, id: u32, index: u32) {
        if let Some(chain) = self.dxgi.get_mut(&id) {
            chain.current = index;
        }
    }

    /// The program was told the size of a chain that it made as large as its window.
    pub(crate) fn set_dxgi_size(&mut self, id: u32, width: u32, height: u32) {
        if let Some(chain) = self.dxgi.get_mut(&id)
            && (chain.width == 0 || chain.height == 0)
        {
            (chain.width, chain.height) = (width, height);
        }
    }

    /// The buffer that is presented now; the chain moves on to the next.
    pub(crate) fn dxgi_shown(&mut self, id: u32) -> Result<Shown, String> {
        let chain = self.dxgi.get_mut(&id).ok_or_else(|| format!("object {id} is no swap chain that replay knows"))?;
        let index = if chain.flips { chain.current } else { 0 };
        let resource =
            *chain.buffers.get(&index).ok_or_else(|| format!("buffer {index} of swap chain {id} was never taken"))?;
        chain.current = (index + 1) % chain.count.max(1);
        Ok(Shown { resource, queue: chain.queue })
    }

    /// `GetBuffer`: makes the texture that stands for it, if it is new.
    pub(crate) fn dxgi_buffer(&mut self, world: &mut World, chain_id: u32, index: u32, id: u32) -> Result<(), String> {
        let chain = self
            .dxgi
            .get_mut(&chain_id)
            .ok_or_else(|| format!("object {chain_id} is no swap chain that replay knows"))?;
        chain.buffers.insert(index, id);
        if world.objects.contains(id) {
            return Ok(());
        }
        if chain.width == 0 || chain.height == 0 {
            return Err(format!("swap chain {chain_id} is as large as its window, whose size is not in the trace"));
        }
        let desc = texture(chain.width, chain.height, chain.format);
        let queue = chain.queue;
        stand_in(world, queue, id, &desc)
    }
}

/// A texture that can be presented.
fn texture(width: u32, height: u32, format: u32) -> D3D12_RESOURCE_DESC {
    let mut desc = D3D12_RESOURCE_DESC {
        Dimension: D3D12_RESOURCE_DIMENSION::TEXTURE2D,
        Width: u64::from(width),
        Height: height,
        DepthOrArraySize: 1,
        MipLevels: 1,
        Format: DXGI_FORMAT(format as _),
        SampleDesc: DXGI_SAMPLE_DESC { Count: 1, Quality: 0 },
        ..Default::default()
    };
    desc.Flags = D3D12_RESOURCE_FLAGS::ALLOW_RENDER_TARGET;
    desc
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

/// Makes a committed texture, in the state of a presented image, that has the id of an image of the swap chain.
/// `child` is the device itself or anything it made.
pub(crate) fn stand_in(world: &mut World, child: u32, id: u32, desc: &D3D12_RESOURCE_DESC) -> Result<(), String> {
    let pointer = {
        let device = match world.pointer(child, interface("ID3D12Device")) {
            Ok(device) => {
                let again = world.runtime.query(device, &interface("ID3D12Device").get().iid);
                Reference::new(&world.runtime, again.unwrap_or(0)).ok_or("the device does not know itself")?
            }
            Err(_) => world.device_of(child)?,
        };
        replay_objects::committed(
            device.runtime(),
            device.pointer(),
            D3D12_HEAP_TYPE::DEFAULT,
            desc,
            D3D12_RESOURCE_STATES::PRESENT,
        )?
        .into_pointer()
    };
    if world.objects.given(&world.runtime, id, interface("ID3D12Resource"), pointer) {
        world.made(id, MadeObject::Resource { desc: *desc, heap_type: D3D12_HEAP_TYPE::DEFAULT.0 as u32 });
    }
    Ok(())
}

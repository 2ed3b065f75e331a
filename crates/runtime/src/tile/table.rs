//! What the tiles of a reserved resource are mapped to, and the Vulkan calls that map them.
//!
//! Invariant: the table says what the resource's queue has been told, in the order of the queue; memory that a tile is
//! mapped to lives as long as the mapping.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;
use reprise_com::Ref;

use crate::Result;
use crate::memory::Allocation;
use crate::resource::{Kind, Resource};
use crate::tile::range::Source;
use crate::tile::tiling::{Place, TILE, Tiling};

/// The bytes of packed levels, as Vulkan numbers an image's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail {
    /// Where those of the first layer begin.
    pub offset: u64,
    /// From layer to layer.
    pub stride: u64,
    /// Bytes of a layer's.
    pub size: u64,
}

/// The tiles of a reserved resource.
#[derive(Debug)]
pub struct Tiles {
    /// How it is cut.
    pub tiling: Tiling,
    /// Memory types that its tiles can be mapped to, one bit each.
    pub types: u32,
    tail: Tail,
    mapped: Mutex<Vec<Option<Mapping>>>,
}

/// Memory of a tile.
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Whose.
    pub allocation: Arc<Allocation>,
    /// The first byte.
    pub offset: u64,
}

/// A change of mappings that a queue makes in its order.
#[derive(Debug)]
pub enum Update {
    /// `UpdateTileMappings`: tiles, and what they are mapped to; heap tiles begin at the mapping given.
    Map(Ref<Resource>, Vec<(u32, Source)>, Option<Mapping>),
    /// `CopyTileMappings`: tiles of the first resource get the mappings of tiles of the second.
    Copy(Ref<Resource>, Ref<Resource>, Vec<(u32, u32)>),
}

/// Binds of one resource.
#[derive(Debug, Default)]
pub struct Binds {
    buffer: Vec<vk::SparseMemoryBind>,
    opaque: Vec<vk::SparseMemoryBind>,
    image: Vec<vk::SparseImageMemoryBind>,
    /// Mappings that are gone once the GPU has come past this.
    pub before: Vec<Mapping>,
}

impl Tiles {
    /// Nothing is mapped.
    pub fn new(tiling: Tiling, types: u32, tail: Tail) -> Tiles {
        let mapped = Mutex::new(vec![None; tiling.total() as usize]);
        Tiles { tiling, types, tail, mapped }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Option<Mapping>>> {
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the table, and says what Vulkan has to be told. A tile that is named twice gets what it is given last.
    fn set(&self, kind: &Kind, changes: Vec<(u32, Option<Mapping>)>) -> Binds {
        let mut touched: Vec<u32> = changes.iter().map(|change| change.0).collect();
        touched.sort_unstable();
        touched.dedup();
        let (mut mapped, mut binds) = (self.lock(), Binds::default());
        for (tile, mapping) in changes {
            binds.before.extend(core::mem::replace(&mut mapped[tile as usize], mapping));
        }
        for tile in touched {
            self.bind(kind, tile, mapped[tile as usize].as_ref(), &mut binds);
        }
        binds
    }

    fn bind(&self, kind: &Kind, tile: u32, mapping: Option<&Mapping>, binds: &mut Binds) {
        let (memory, memory_offset) =
            mapping.map_or((vk::DeviceMemory::null(), 0), |mapping| (mapping.allocation.memory, mapping.offset));
        let bytes = |resource_offset: u64, size: u64| vk::SparseMemoryBind {
            resource_offset,
            size,
            memory,
            memory_offset,
            ..Default::default()
        };
        let image = match kind {
            Kind::Buffer(_) => {
                let bind = bytes(u64::from(tile) * TILE, TILE);
                match binds.buffer.last_mut() {
                    Some(last) if continues(last, &bind) => last.size += TILE,
                    _ => binds.buffer.push(bind),
                }
                return;
            }
            Kind::Image(image) => image,
        };
        match self.tiling.place(tile) {
            Place::Level(layer, level, at) => {
                let shape = self.tiling.shape;
                let offset: [u32; 3] = core::array::from_fn(|axis| at[axis] * shape[axis]);
                let whole = [image.extent.width, image.extent.height, image.extent.depth];
                let extent: [u32; 3] =
                    core::array::from_fn(|axis| shape[axis].min((whole[axis] >> level).max(1) - offset[axis]));
                binds.image.push(vk::SparseImageMemoryBind {
                    subresource: vk::ImageSubresource {
                        aspect_mask: image.aspects,
                        mip_level: level,
                        array_layer: layer,
                    },
                    offset: vk::Offset3D { x: offset[0] as i32, y: offset[1] as i32, z: offset[2] as i32 },
                    extent: vk::Extent3D { width: extent[0], height: extent[1], depth: extent[2] },
                    memory,
                    memory_offset,
                    ..Default::default()
                });
            }
            Place::Packed(index) => {
                let layer = u64::from(tile / self.tiling.per_layer());
                let within = u64::from(index) * TILE;
                let size = TILE.min(self.tail.size.saturating_sub(within));
                binds.opaque.push(bytes(self.tail.offset + layer * self.tail.stride + within, size));
            }
        }
    }
}

/// Whether a bind of buffer tiles goes on where another ends, on both sides.
fn continues(last: &vk::SparseMemoryBind, next: &vk::SparseMemoryBind) -> bool {
    last.resource_offset + last.size == next.resource_offset
        && last.memory == next.memory
        && (last.memory == vk::DeviceMemory::null() || last.memory_offset + last.size == next.memory_offset)
}

impl Update {
    /// The resource whose mappings change.
    pub fn resource(&self) -> &Ref<Resource> {
        match self {
            Update::Map(to, ..) | Update::Copy(to, ..) => to,
        }
    }

    /// Changes the tables. Called on the queue's thread, in the order of the queue.
    pub fn apply(&self) -> Binds {
        let resource = self.resource();
        let Some(tiles) = &resource.tiles else { return Binds::default() };
        let changes = match self {
            Update::Map(_, pairs, base) => {
                let mapping = |source: &Source| match (source, base) {
                    (Source::Heap(tile), Some(base)) => {
                        let offset = base.offset + u64::from(*tile) * TILE;
                        Some(Mapping { allocation: base.allocation.clone(), offset })
                    }
                    _ => None,
                };
                pairs.iter().map(|(tile, source)| (*tile, mapping(source))).collect()
            }
            Update::Copy(_, from, pairs) => {
                let Some(from) = &from.tiles else { return Binds::default() };
                let mapped = from.lock();
                pairs.iter().map(|(to, from)| (*to, mapped[*from as usize].clone())).collect()
            }
        };
        tiles.set(&resource.kind, changes)
    }
}

impl Binds {
    /// Gives the binds to Vulkan.
    ///
    /// # Safety
    /// The queue is the caller's alone; semaphores are as `vkQueueBindSparse` demands.
    pub unsafe fn submit(
        &self,
        resource: &Resource,
        queue: vk::Queue,
        waits: (&[vk::Semaphore], &[u64]),
        signal: (vk::Semaphore, u64),
    ) -> Result<()> {
        let (signals, values) = ([signal.0], [signal.1]);
        let mut timeline =
            vk::TimelineSemaphoreSubmitInfo::default().wait_semaphore_values(waits.1).signal_semaphore_values(&values);
        let mut info = vk::BindSparseInfo::default().wait_semaphores(waits.0).signal_semaphores(&signals);
        let (buffers, opaque, images);
        match &resource.kind {
            Kind::Buffer(buffer) => {
                buffers = [vk::SparseBufferMemoryBindInfo::default().buffer(buffer.vk()).binds(&self.buffer)];
                info = info.buffer_binds(&buffers);
            }
            Kind::Image(image) => {
                opaque = [vk::SparseImageOpaqueMemoryBindInfo::default().image(image.image).binds(&self.opaque)];
                images = [vk::SparseImageMemoryBindInfo::default().image(image.image).binds(&self.image)];
                if !self.opaque.is_empty() {
                    info = info.image_opaque_binds(&opaque);
                }
                if !self.image.is_empty() {
                    info = info.image_binds(&images);
                }
            }
        }
        let info = [info.push_next(&mut timeline)];
        // SAFETY: by contract; resource and memory live, and are held until the signal.
        let result = unsafe { resource.device.vk.queue_bind_sparse(queue, &info, vk::Fence::null()) };
        resource.device.check("vkQueueBindSparse", result)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.opaque.is_empty() && self.image.is_empty()
    }
}

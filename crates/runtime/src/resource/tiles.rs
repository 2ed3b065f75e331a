//! The tiles of a reserved resource and the memory that they are mapped to.
//!
//! Invariants: the table changes in the order of the resource's queue; memory lives as long as a tile is mapped to it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;
use reprise_gpu::sparse::{Binds, Mapping, Target};

use crate::resource::backing::Backing;
use crate::resource::pieces::Pieces;
use crate::resource::tiling::{Place, TILE, Tiling};

/// The bytes of packed levels, as Vulkan numbers an image's memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail {
    /// Where those of the first layer begin.
    pub offset: u64,
    /// From layer to layer.
    pub stride: u64,
    /// Bytes of a layer's, or of all layers' where the image has them in one piece.
    pub size: u64,
}

impl Tail {
    /// Tiles of a layer's, or of all layers'.
    pub fn tiles(&self) -> u64 {
        self.size.div_ceil(TILE)
    }
}

/// The tiles of a reserved resource.
#[derive(Debug)]
pub struct Tiles {
    /// How it is cut.
    pub tiling: Tiling,
    /// Memory types that its tiles can be mapped to, one bit each.
    pub types: u32,
    /// Of buffers, where texels of tiles are lost.
    pub pieces: Option<Pieces>,
    tail: Tail,
    mapped: Mutex<Vec<Option<Mapping>>>,
}

impl Tiles {
    /// Nothing is mapped.
    pub fn new(tiling: Tiling, types: u32, tail: Tail) -> Tiles {
        let mapped = Mutex::new(vec![None; tiling.total() as usize]);
        Tiles { tiling, types, pieces: None, tail, mapped }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Vec<Option<Mapping>>> {
        self.mapped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the table, and says what Vulkan has to be told. A tile that is named twice gets what it is given last.
    pub(crate) fn set(&self, backing: &Backing, changes: Vec<(u32, Option<Mapping>)>) -> Binds {
        let mut touched: Vec<u32> = changes.iter().map(|change| change.0).collect();
        touched.sort_unstable();
        touched.dedup();
        let (mut mapped, mut binds) = (self.lock(), Binds::none(target(backing)));
        for (tile, mapping) in changes {
            binds.before.extend(core::mem::replace(&mut mapped[tile as usize], mapping));
        }
        for tile in touched {
            self.bind(backing, tile, mapped[tile as usize].as_ref(), &mut binds);
        }
        binds
    }

    fn bind(&self, backing: &Backing, tile: u32, mapping: Option<&Mapping>, binds: &mut Binds) {
        let (memory, memory_offset) = mapping
            .map_or((vk::DeviceMemory::null(), 0), |mapping| (mapping.slice.allocation().memory, mapping.offset));
        let bytes = |resource_offset: u64, size: u64| vk::SparseMemoryBind {
            resource_offset,
            size,
            memory,
            memory_offset,
            ..Default::default()
        };
        let image = match backing {
            Backing::Buffer(_) => {
                let bind = bytes(u64::from(tile) * TILE, TILE);
                match binds.buffer.last_mut() {
                    Some(last) if continues(last, &bind) => last.size += TILE,
                    _ => binds.buffer.push(bind),
                }
                return;
            }
            Backing::Image(image) => image,
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
                let tiles = self.tail.tiles().max(1);
                let (layer, within) = (u64::from(index) / tiles, u64::from(index) % tiles * TILE);
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

/// What Vulkan binds memory to.
pub(crate) fn target(backing: &Backing) -> Target {
    match backing {
        Backing::Buffer(buffer) => Target::Buffer(buffer.vk()),
        Backing::Image(image) => Target::Image(image.image),
    }
}

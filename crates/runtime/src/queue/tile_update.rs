//! Changes of mappings, which queues make in their order.

use reprise_com::Ref;
use reprise_gpu::sparse::{Binds, Change, Mapping};

use crate::queue::tile_range::Source;
use crate::resource::object::Resource;
use crate::resource::tiles::target;
use crate::resource::tiling::TILE;

/// A change of mappings that a queue makes in its order.
#[derive(Debug)]
pub(super) enum Update {
    /// `UpdateTileMappings`: tiles, and what they are mapped to; heap tiles begin at the mapping given.
    Map(Ref<Resource>, Vec<(u32, Source)>, Option<Mapping>),
    /// `CopyTileMappings`: tiles of the first resource get the mappings of tiles of the second.
    Copy(Ref<Resource>, Ref<Resource>, Vec<(u32, u32)>),
}

impl Update {
    /// The resource whose mappings change.
    fn resource(&self) -> &Ref<Resource> {
        match self {
            Update::Map(to, ..) | Update::Copy(to, ..) => to,
        }
    }
}

impl Change for Update {
    fn apply(&self) -> Binds {
        let resource = self.resource();
        let Some(tiles) = &resource.tiles else { return Binds::none(target(&resource.backing)) };
        let changes = match self {
            Update::Map(_, pairs, base) => {
                let mapping = |source: &Source| match (source, base) {
                    (Source::Heap(tile), Some(base)) => {
                        let offset = base.offset + u64::from(*tile) * TILE;
                        Some(Mapping { slice: base.slice.clone(), offset })
                    }
                    _ => None,
                };
                pairs.iter().map(|(tile, source)| (*tile, mapping(source))).collect()
            }
            Update::Copy(_, from, pairs) => {
                let Some(from) = &from.tiles else { return Binds::none(target(&resource.backing)) };
                let mapped = from.lock();
                pairs.iter().map(|(to, from)| (*to, mapped[*from as usize].clone())).collect()
            }
        };
        tiles.set(&resource.backing, changes)
    }
}

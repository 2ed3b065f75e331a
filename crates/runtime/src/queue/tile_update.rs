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
    /// Tells the resource, at the call, where its texels are to be found once the queue has come there.
    pub(super) fn foretell(&self) {
        let Some(pieces) = self.resource().tiles.as_ref().and_then(|tiles| tiles.pieces.as_ref()) else { return };
        let moves = match self {
            Update::Map(_, pairs, base) => pieces.map(mappings(pairs, base.as_ref())),
            Update::Copy(_, from, pairs) => {
                let from = from.tiles.as_ref().and_then(|tiles| tiles.pieces.as_ref());
                let mapping = |tile: u32| from.and_then(|from| from.mapping(tile));
                let changes: Vec<_> = pairs.iter().map(|(to, from)| (*to, mapping(*from))).collect();
                pieces.map(changes)
            }
        };
        if moves {
            reprise_log::warning_once(
                "tiles of a reserved buffer are mapped anew:",
                "on this device (Mesa's software rasteriser, before 26.1) typed views made before show what was mapped then",
            );
        }
    }

    /// The resource whose mappings change.
    fn resource(&self) -> &Ref<Resource> {
        match self {
            Update::Map(to, ..) | Update::Copy(to, ..) => to,
        }
    }
}

/// What tiles get; heap tiles begin at the mapping given.
fn mappings(pairs: &[(u32, Source)], base: Option<&Mapping>) -> impl Iterator<Item = (u32, Option<Mapping>)> {
    pairs.iter().map(move |(tile, source)| {
        let mapping = match (source, base) {
            (Source::Heap(tile), Some(base)) => {
                Some(Mapping { slice: base.slice.clone(), offset: base.offset + u64::from(*tile) * TILE })
            }
            _ => None,
        };
        (*tile, mapping)
    })
}

impl Change for Update {
    fn apply(&self) -> Binds {
        let resource = self.resource();
        let Some(tiles) = &resource.tiles else { return Binds::none(target(&resource.backing)) };
        let changes = match self {
            Update::Map(_, pairs, base) => mappings(pairs, base.as_ref()).collect(),
            Update::Copy(_, from, pairs) => {
                let Some(from) = &from.tiles else { return Binds::none(target(&resource.backing)) };
                let mapped = from.lock();
                pairs.iter().map(|(to, from)| (*to, mapped[*from as usize].clone())).collect()
            }
        };
        tiles.set(&resource.backing, changes)
    }
}

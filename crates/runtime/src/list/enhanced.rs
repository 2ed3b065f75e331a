//! Enhanced barriers.
//!
//! A layout says what a tracked image is used for next, and whether contents may be given up. Stages are the program's; kinds of access
//! are reduced to reading and writing, which fits every stage. A split barrier acts where it ends, and waits for everything, because
//! its end does not say what it began after. Invariant: a scope is never narrower than what the API allows.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::types::{
    D3D12_BARRIER_ACCESS as Access, D3D12_BARRIER_GROUP, D3D12_BARRIER_LAYOUT as Layout,
    D3D12_BARRIER_SUBRESOURCE_RANGE as Range, D3D12_BARRIER_SYNC as Sync, D3D12_BARRIER_TYPE as Type,
    D3D12_TEXTURE_BARRIER, D3D12_TEXTURE_BARRIER_FLAGS as Flags,
};

use ash::vk;

use crate::list::layouts::{named, of_layout};
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::image::Shape;
use reprise_gpu::scope::{Gathered, Scope};

type Stages = vk::PipelineStageFlags2;

/// Methods about enhanced barriers.
pub(super) const LIST_METHODS: &Slots = &[("Barrier", barrier as *const c_void)];

/// Stages of a synchronisation scope.
fn stages(sync: Sync) -> Stages {
    let vertices = Stages::VERTEX_INPUT | Stages::PRE_RASTERIZATION_SHADERS | Stages::TRANSFORM_FEEDBACK_EXT;
    let depth = Stages::EARLY_FRAGMENT_TESTS | Stages::LATE_FRAGMENT_TESTS;
    let colour = Stages::COLOR_ATTACHMENT_OUTPUT;
    // Some copies, resolves, clears and indirect commands are kernels of the runtime's own.
    let commands = Stages::ALL_TRANSFER | Stages::COMPUTE_SHADER;
    let table: [(Sync, Stages); 14] = [
        (Sync::DRAW, vertices | Stages::FRAGMENT_SHADER | depth | colour | Stages::DRAW_INDIRECT),
        (Sync::INDEX_INPUT, Stages::VERTEX_INPUT),
        (Sync::VERTEX_SHADING, vertices),
        (Sync::PIXEL_SHADING, Stages::FRAGMENT_SHADER),
        (Sync::DEPTH_STENCIL, depth),
        (Sync::RENDER_TARGET, colour),
        (Sync::COMPUTE_SHADING, Stages::COMPUTE_SHADER),
        (Sync::COPY, commands),
        (Sync::RESOLVE, commands),
        // Also `PREDICATION`, which a kernel reads.
        (Sync::EXECUTE_INDIRECT, commands | Stages::DRAW_INDIRECT),
        (Sync::ALL_SHADING, vertices | Stages::FRAGMENT_SHADER | Stages::COMPUTE_SHADER),
        (Sync::NON_PIXEL_SHADING, vertices | Stages::COMPUTE_SHADER),
        (Sync::CLEAR_UNORDERED_ACCESS_VIEW, commands),
        (Sync::NONE, Stages::NONE),
    ];
    let mut left = sync.0;
    let mut all = Stages::NONE;
    for (part, stages) in table {
        if sync.0 & part.0 != 0 {
            left &= !part.0;
            all |= stages;
        }
    }
    // Everything, and what has no row.
    if left == 0 { all } else { Stages::ALL_COMMANDS }
}

/// Kinds of access: reading, or both.
fn access(access: Access) -> vk::AccessFlags2 {
    const READS: u32 = Access::VERTEX_BUFFER.0
        | Access::CONSTANT_BUFFER.0
        | Access::INDEX_BUFFER.0
        | Access::DEPTH_STENCIL_READ.0
        | Access::SHADER_RESOURCE.0
        | Access::INDIRECT_ARGUMENT.0
        | Access::COPY_SOURCE.0
        | Access::SHADING_RATE_SOURCE.0;
    match access {
        Access::NO_ACCESS => vk::AccessFlags2::NONE,
        Access(bits) if bits != 0 && bits & !READS == 0 => vk::AccessFlags2::MEMORY_READ,
        _ => vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE,
    }
}

/// One side of a barrier; nothing where nothing is synchronised.
fn scope(sync: Sync, kinds: Access) -> Scope {
    match stages(sync) {
        Stages::NONE => Scope::default(),
        // Images of shading rates are read in a stage of their own, which not every device has.
        _ if kinds.0 & Access::SHADING_RATE_SOURCE.0 != 0 && kinds != Access::NO_ACCESS => {
            Scope { stages: Stages::ALL_COMMANDS, access: access(kinds) }
        }
        stages => Scope { stages, access: access(kinds) },
    }
}

/// What an enhanced barrier is between; `None` where a split one begins.
fn scopes([before, after]: [Sync; 2], kinds: [Access; 2]) -> Option<[Scope; 2]> {
    let first = if before == Sync::SPLIT { Scope::ALL } else { scope(before, kinds[0]) };
    (after != Sync::SPLIT).then(|| [first, scope(after, kinds[1])])
}

/// Adds an enhanced barrier.
fn add(gathered: &mut Gathered, sync: [Sync; 2], kinds: [Access; 2]) {
    if let Some([before, after]) = scopes(sync, kinds) {
        gathered.add(before, after);
    }
}

/// The subresources of a range; `None` when they are only some planes, or not of the image.
fn subresources(image: &Shape, range: &Range, planes: u32) -> Option<vk::ImageSubresourceRange> {
    if range.NumMipLevels == 0 {
        let levels_and_layers = image.levels * image.layers;
        if range.IndexOrFirstMipLevel == u32::MAX {
            return Some(image.whole());
        }
        let index = (planes == 1).then_some(range.IndexOrFirstMipLevel).filter(|index| *index < levels_and_layers)?;
        return Some(vk::ImageSubresourceRange {
            aspect_mask: image.aspects,
            base_mip_level: index % image.levels,
            level_count: 1,
            base_array_layer: index / image.levels,
            layer_count: 1,
        });
    }
    let inside = |first: u32, count: u32, all: u32| first.checked_add(count).is_some_and(|end| end <= all);
    let fits = range.FirstPlane == 0
        && range.NumPlanes >= planes
        && inside(range.IndexOrFirstMipLevel, range.NumMipLevels, image.levels)
        && inside(range.FirstArraySlice, range.NumArraySlices, image.layers);
    fits.then_some(vk::ImageSubresourceRange {
        aspect_mask: image.aspects,
        base_mip_level: range.IndexOrFirstMipLevel,
        level_count: range.NumMipLevels,
        base_array_layer: range.FirstArraySlice,
        layer_count: range.NumArraySlices,
    })
}

impl Recording {
    /// What a barrier of a texture does to it beside what it waits for.
    ///
    /// # Safety
    /// The barrier names null or a living resource.
    unsafe fn texture_barrier(&mut self, barrier: &D3D12_TEXTURE_BARRIER) -> Result<()> {
        // SAFETY: the caller promises: the barrier names null or a living resource.
        let resource = unsafe { Object::<Resource>::from_pointer(barrier.pResource) };
        let found = resource.and_then(|resource| Some((resource, resource.image()?)));
        let (resource, image) = found.ok_or(Error::Call("Barrier: a barrier of a texture without one"))?;
        self.uses(resource);
        let discards = barrier.LayoutBefore == Layout::UNDEFINED && barrier.Flags.0 & Flags::DISCARD.0 != 0;
        let sync = [barrier.SyncBefore, barrier.SyncAfter];
        let Some([before, after]) = scopes(sync, [barrier.AccessBefore, barrier.AccessAfter]) else { return Ok(()) };
        let of = of_layout(barrier.LayoutAfter);
        if discards && image.is_shared_target() {
            let planes = crate::resource::desc::planes(&resource.desc);
            if let Some(range) = subresources(image, &barrier.Subresources, planes) {
                self.encoder.let_go(image, range, of, [Scope::ALL; 2]);
                return Ok(());
            }
        }
        if self.encoder.tracks_layouts()
            && let Some(range) = named(resource, image, &barrier.Subresources)
        {
            // Another resource may use the memory of an image without contents.
            let after = if barrier.LayoutAfter == Layout::UNDEFINED { Scope::ALL } else { after };
            self.encoder.ready_between(image, range, of, [before, after]);
        }
        Ok(())
    }
}

unsafe extern "C" fn barrier(this: *mut c_void, count: u32, groups: *const D3D12_BARRIER_GROUP) {
    // SAFETY: a list of ours, the program's arrays.
    unsafe {
        Recording::on_list(this, |recording| {
            let mut gathered = Gathered::default();
            for at in 0..count as usize {
                let group = &*groups.add(at);
                for at in 0..group.NumBarriers as usize {
                    match group.Type {
                        Type::GLOBAL => {
                            let one = &*group.Anonymous.pGlobalBarriers.add(at);
                            let kinds = [one.AccessBefore, one.AccessAfter];
                            add(&mut gathered, [one.SyncBefore, one.SyncAfter], kinds);
                        }
                        Type::TEXTURE => {
                            let one = &*group.Anonymous.pTextureBarriers.add(at);
                            let kinds = [one.AccessBefore, one.AccessAfter];
                            add(&mut gathered, [one.SyncBefore, one.SyncAfter], kinds);
                            // The others stay.
                            if let Err(error) = recording.texture_barrier(one) {
                                recording.refuse(error);
                            }
                        }
                        Type::BUFFER => {
                            let one = &*group.Anonymous.pBufferBarriers.add(at);
                            let kinds = [one.AccessBefore, one.AccessAfter];
                            add(&mut gathered, [one.SyncBefore, one.SyncAfter], kinds);
                        }
                        _ => recording.refuse(Error::Call("Barrier: a group of a type that the API does not have")),
                    }
                }
            }
            recording.encoder.barriers(&gathered);
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_shape(aspects: vk::ImageAspectFlags, levels: u32, layers: u32) -> Shape {
        let extent = vk::Extent3D { width: 1 << levels, height: 1 << levels, depth: 1 };
        Shape { aspects, extent, levels, layers, ..Shape::default() }
    }

    #[test]
    fn scopes_have_the_programs_stages() {
        let targets = scope(Sync::RENDER_TARGET, Access::RENDER_TARGET);
        assert_eq!(targets.stages, Stages::COLOR_ATTACHMENT_OUTPUT);
        assert!(targets.access.contains(vk::AccessFlags2::MEMORY_WRITE));
        let read = scope(Sync::PIXEL_SHADING, Access(Access::SHADER_RESOURCE.0 | Access::CONSTANT_BUFFER.0));
        assert_eq!((read.stages, read.access), (Stages::FRAGMENT_SHADER, vk::AccessFlags2::MEMORY_READ));
        assert_eq!(scope(Sync::NONE, Access::NO_ACCESS), Scope::default());
        assert_eq!(scope(Sync::PIXEL_SHADING, Access::SHADING_RATE_SOURCE).stages, Stages::ALL_COMMANDS);
        assert_eq!(scope(Sync::PIXEL_SHADING, Access::NO_ACCESS).stages, Stages::FRAGMENT_SHADER);
        assert_eq!(scope(Sync::ALL, Access::COMMON), Scope::ALL);
        assert_eq!(stages(Sync::RAYTRACING), Stages::ALL_COMMANDS, "what has no row");
    }

    #[test]
    fn a_split_barrier_acts_where_it_ends() {
        let mut gathered = Gathered::default();
        let kinds = [Access::RENDER_TARGET, Access::SHADER_RESOURCE];
        add(&mut gathered, [Sync::RENDER_TARGET, Sync::SPLIT], kinds);
        assert_eq!(gathered, Gathered::default());
        add(&mut gathered, [Sync::SPLIT, Sync::PIXEL_SHADING], kinds);
        assert_eq!(gathered.before, Scope::ALL, "it is not said any more what it began after");
        assert_eq!(gathered.after.stages, Stages::FRAGMENT_SHADER);
    }

    #[test]
    fn ranges_name_levels_layers_and_all_planes() {
        let image = of_shape(vk::ImageAspectFlags::COLOR, 4, 6);
        let range = |first, levels, slice, slices, planes| Range {
            IndexOrFirstMipLevel: first,
            NumMipLevels: levels,
            FirstArraySlice: slice,
            NumArraySlices: slices,
            FirstPlane: 0,
            NumPlanes: planes,
        };
        let parts = |range: vk::ImageSubresourceRange| {
            (range.base_mip_level, range.level_count, range.base_array_layer, range.layer_count)
        };
        let found = |range| subresources(&image, &range, 1).map(parts);
        assert_eq!(found(range(1, 2, 3, 3, 1)), Some((1, 2, 3, 3)));
        assert_eq!(found(range(9, 0, 0, 0, 0)), Some((1, 1, 2, 1)), "an index");
        assert_eq!(found(range(1, 4, 0, 1, 1)), None, "beyond the last level");
        assert_eq!(found(range(24, 0, 0, 0, 0)), None);
        let all = (0, vk::REMAINING_MIP_LEVELS, 0, vk::REMAINING_ARRAY_LAYERS);
        assert_eq!(found(range(u32::MAX, 0, 0, 0, 0)), Some(all));
        let both = of_shape(vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL, 1, 1);
        assert!(subresources(&both, &range(0, 1, 0, 1, 1), 2).is_none(), "one plane of two");
    }

    proptest! {
        /// A combination synchronises what its parts do.
        #[test]
        fn combined_scopes_cover_their_parts(a: u32, b: u32) {
            let (one, both) = (stages(Sync(a)), stages(Sync(a | b)));
            prop_assert!(both == Stages::ALL_COMMANDS || both.contains(one) && one != Stages::ALL_COMMANDS);
            let (one, both) = (access(Access(a)), access(Access(a | b)));
            prop_assert!(a == 0 || a | b == Access::NO_ACCESS.0 || both.contains(one));
        }
    }
}

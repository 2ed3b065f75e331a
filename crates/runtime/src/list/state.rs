//! What a list has been told and has not yet told Vulkan. Pure.
//!
//! Invariant: what is not dirty is what Vulkan's command buffer has. Setters mark, flushes clear.

use ash::vk;
use reprise_d3d12::types::{D3D_PRIMITIVE_TOPOLOGY as Topology, D3D12_RECT, D3D12_VIEWPORT};

use crate::root::PushLayout;

/// Root arguments take 64 words at most, by the API.
pub const WORDS: usize = 64;
/// Viewports, scissors, and render targets are not more than these.
pub const VIEWPORTS: usize = 16;
/// Render targets.
pub const TARGETS: usize = 8;
/// Vertex buffers.
pub const VERTEX_BUFFERS: usize = 32;

/// Parts of the state that Vulkan does not have yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dirty(u32);

impl Dirty {
    /// Viewports.
    pub const VIEWPORTS: Dirty = Dirty(1);
    /// Blend factor.
    pub const BLEND: Dirty = Dirty(2);
    /// Stencil reference.
    pub const STENCIL: Dirty = Dirty(4);
    /// Primitive topology.
    pub const TOPOLOGY: Dirty = Dirty(8);
    /// Index buffer.
    pub const INDEX: Dirty = Dirty(16);
    /// Render targets: rendering has to begin (again).
    pub const TARGETS: Dirty = Dirty(32);
    /// Pipeline of graphics.
    pub const GRAPHICS: Dirty = Dirty(64);
    /// Pipeline of compute.
    pub const COMPUTE: Dirty = Dirty(128);
    /// Depth bounds.
    pub const DEPTH_BOUNDS: Dirty = Dirty(256);
    /// What of depth and stencil is written: the pipeline's and the view's say.
    pub const WRITES: Dirty = Dirty(512);
    /// Scissors; Vulkan wants as many as viewports.
    pub const SCISSORS: Dirty = Dirty(1024);
    /// Vertex buffers, which have a bit each besides.
    pub const VERTEX: Dirty = Dirty(2048);
    /// Sets and root arguments of graphics.
    pub const GRAPHICS_ROOT: Dirty = Dirty(4096);
    /// Sets and root arguments of compute.
    pub const COMPUTE_ROOT: Dirty = Dirty(8192);
    /// Targets of stream output.
    pub const STREAM: Dirty = Dirty(16384);
    /// Everything: what a command buffer begins with.
    pub const ALL: Dirty = Dirty(0x7fff);
    /// Not a part, but stands here so that one look tells that a command can be recorded as it is: the list is closed, or a
    /// bundle, which keeps its commands.
    pub const DEFERRED: Dirty = Dirty(1 << 31);
    /// What a draw needs.
    pub const DRAW: Dirty = Dirty::ALL.without(Dirty::INDEX).without(Dirty::DISPATCH);
    /// What an indexed draw needs.
    pub const DRAW_INDEXED: Dirty = Dirty::ALL.without(Dirty::DISPATCH);
    /// What a dispatch needs.
    pub const DISPATCH: Dirty = Dirty::COMPUTE.or(Dirty::COMPUTE_ROOT);

    /// These parts or the others.
    #[must_use]
    pub const fn or(self, other: Dirty) -> Dirty {
        Dirty(self.0 | other.0)
    }

    /// All but these.
    #[must_use]
    pub const fn without(self, other: Dirty) -> Dirty {
        Dirty(self.0 & !other.0)
    }

    /// Marks parts.
    #[inline(always)]
    pub fn set(&mut self, parts: Dirty) {
        self.0 |= parts.0;
    }

    /// Whether one of the parts was dirty; they are clean then.
    #[inline(always)]
    pub fn take(&mut self, part: Dirty) -> bool {
        let was = self.0 & part.0 != 0;
        self.0 &= !part.0;
        was
    }

    /// Whether one of the parts is dirty.
    #[inline(always)]
    pub fn has(self, part: Dirty) -> bool {
        self.0 & part.0 != 0
    }
}

/// Vertex buffers, as Vulkan is told them.
#[derive(Clone, Debug)]
pub struct VertexBuffers {
    buffers: [vk::Buffer; VERTEX_BUFFERS],
    offsets: [u64; VERTEX_BUFFERS],
    sizes: [u64; VERTEX_BUFFERS],
    strides: [u64; VERTEX_BUFFERS],
    /// One bit a slot that Vulkan lacks.
    dirty: u32,
    /// One bit a slot that Vulkan has been told.
    told: u32,
}

impl Default for VertexBuffers {
    fn default() -> VertexBuffers {
        VertexBuffers {
            buffers: [vk::Buffer::null(); VERTEX_BUFFERS],
            offsets: [0; VERTEX_BUFFERS],
            sizes: [vk::WHOLE_SIZE; VERTEX_BUFFERS],
            strides: [0; VERTEX_BUFFERS],
            dirty: 0,
            told: 0,
        }
    }
}

/// Neighbouring slots: the first, and buffer, offset, size and stride of each.
pub type VertexRun<'a> = (u32, &'a [vk::Buffer], &'a [u64], &'a [u64], &'a [u64]);

impl VertexBuffers {
    /// Sets a slot to `size` bytes of a buffer from `offset` on; a null buffer has neither. No effect beyond the last slot.
    #[inline]
    pub fn set(&mut self, slot: u32, buffer: vk::Buffer, offset: u64, size: u64, stride: u64) {
        let at = slot as usize;
        if at < VERTEX_BUFFERS {
            let null = buffer == vk::Buffer::null();
            self.buffers[at] = buffer;
            self.offsets[at] = if null { 0 } else { offset };
            self.sizes[at] = if null { vk::WHOLE_SIZE } else { size };
            self.strides[at] = stride;
            self.dirty |= 1 << slot;
        }
    }

    /// A pipeline reads these slots: those that Vulkan has never been told are dirty too.
    pub fn read(&mut self, slots: u32) {
        self.dirty |= slots & !self.told;
    }

    /// Vulkan has lost all slots.
    pub fn forget(&mut self) {
        self.dirty |= self.told;
    }

    /// The first run of dirty slots among `slots`; it is clean then.
    #[inline]
    pub fn take(&mut self, slots: u32) -> Option<VertexRun<'_>> {
        let left = self.dirty & slots;
        if left == 0 {
            return None;
        }
        let first = left.trailing_zeros();
        let count = (left >> first).trailing_ones();
        let bits = (((1u64 << count) - 1) << first) as u32;
        self.dirty &= !bits;
        self.told |= bits;
        let run = first as usize..(first + count) as usize;
        let (buffers, offsets) = (&self.buffers[run.clone()], &self.offsets[run.clone()]);
        Some((first, buffers, offsets, &self.sizes[run.clone()], &self.strides[run]))
    }
}

/// Words of root arguments and which of them Vulkan lacks.
#[derive(Clone, Debug)]
pub struct Words {
    words: [u32; WORDS],
    /// One bit a word.
    dirty: u64,
}

impl Default for Words {
    fn default() -> Words {
        Words { words: [0; WORDS], dirty: u64::MAX }
    }
}

impl Words {
    /// Sets words; what does not fit is cut off.
    #[inline]
    pub fn set(&mut self, first: u32, values: &[u32]) {
        for (at, value) in (first as usize..WORDS).zip(values) {
            // A word that stays the same needs no push.
            self.dirty |= u64::from(self.words[at] != *value) << at;
            self.words[at] = *value;
        }
    }

    /// Moves the arguments of one root signature to where they lie in another: addresses, constants and tables each in their
    /// order. Programs leave out what they have set for another root signature, and drivers of the API let them.
    pub fn relocate(&mut self, from: &PushLayout, to: &PushLayout) {
        if from.groups() == to.groups() {
            return;
        }
        let old = core::mem::replace(&mut self.words, [0; WORDS]);
        for ((from, count), (to, room)) in from.groups().into_iter().zip(to.groups()) {
            let count = count.min(room) as usize;
            let part = old.get(from as usize..).and_then(|rest| rest.get(..count));
            if let (Some(part), Some(place)) = (part, self.words.get_mut(to as usize..to as usize + count)) {
                place.copy_from_slice(part);
            }
        }
    }

    /// Vulkan has lost all of them.
    pub fn touch(&mut self) {
        self.dirty = u64::MAX;
    }

    /// The smallest run among the first `count` words that covers all dirty ones, with its beginning; they are clean then.
    #[inline]
    pub fn take(&mut self, count: u32) -> Option<(u32, &[u32])> {
        let mask = if count as usize >= WORDS { u64::MAX } else { (1 << count) - 1 };
        let dirty = self.dirty & mask;
        self.dirty &= !mask;
        if dirty == 0 {
            return None;
        }
        let (first, end) = (dirty.trailing_zeros(), WORDS as u32 - dirty.leading_zeros());
        Some((first, &self.words[first as usize..end as usize]))
    }
}

/// Whether a viewport has an area; one whose height is negative is upside down.
fn has_area(viewport: &D3D12_VIEWPORT) -> bool {
    viewport.Width > 0.0 && viewport.Height != 0.0 && !viewport.Height.is_nan()
}

/// Vulkan's viewport: its y axis points the other way. A viewport without area becomes one that its scissor empties.
pub fn viewport(viewport: &D3D12_VIEWPORT) -> vk::Viewport {
    let (width, height) = if has_area(viewport) { (viewport.Width, viewport.Height) } else { (1.0, 1.0) };
    vk::Viewport {
        x: viewport.TopLeftX,
        y: viewport.TopLeftY + height,
        width,
        height: -height,
        min_depth: viewport.MinDepth,
        max_depth: viewport.MaxDepth,
    }
}

/// Vulkan's scissor of a viewport: without a rectangle, and for viewports without area, nothing is drawn. The API cuts to the
/// viewport too, whose edges it rounds down to whole pixels; Vulkan does not.
pub fn scissor(rect: Option<&D3D12_RECT>, viewport: &D3D12_VIEWPORT) -> vk::Rect2D {
    match rect {
        Some(rect) if has_area(viewport) => {
            // `as` saturates; edges left of the target are cut by `rectangle`.
            let edge = floor;
            let (first, second) = (viewport.TopLeftY, viewport.TopLeftY + viewport.Height);
            rectangle(&D3D12_RECT {
                left: rect.left.max(edge(viewport.TopLeftX)),
                top: rect.top.max(edge(first.min(second))),
                right: rect.right.min(edge(viewport.TopLeftX + viewport.Width)),
                bottom: rect.bottom.min(edge(first.max(second))),
            })
        }
        _ => vk::Rect2D::default(),
    }
}

/// The greatest whole number that is not above: what `f32::floor` gives, which older processors only have as a function.
fn floor(at: f32) -> i32 {
    let cut = at as i32;
    cut.saturating_sub((cut as f32 > at).into())
}

/// The part of a rectangle with coordinates that are not negative.
pub fn rectangle(rect: &D3D12_RECT) -> vk::Rect2D {
    let (left, top) = (rect.left.max(0), rect.top.max(0));
    vk::Rect2D {
        offset: vk::Offset2D { x: left, y: top },
        extent: vk::Extent2D {
            width: rect.right.saturating_sub(left).max(0) as u32,
            height: rect.bottom.saturating_sub(top).max(0) as u32,
        },
    }
}

/// A rectangle cut to an extent; `None` when nothing is left.
pub fn clipped(rect: &D3D12_RECT, width: u32, height: u32) -> Option<vk::Rect2D> {
    let mut cut = rectangle(rect);
    cut.extent.width = cut.extent.width.min(width.saturating_sub(cut.offset.x as u32));
    cut.extent.height = cut.extent.height.min(height.saturating_sub(cut.offset.y as u32));
    (cut.extent.width != 0 && cut.extent.height != 0).then_some(cut)
}

/// Vulkan's topology, and the control points of a patch (0 for others).
pub fn topology(topology: Topology) -> Option<(vk::PrimitiveTopology, u32)> {
    use vk::PrimitiveTopology as V;
    Some(match topology {
        Topology::D3D_PRIMITIVE_TOPOLOGY_POINTLIST => (V::POINT_LIST, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST => (V::LINE_LIST, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP => (V::LINE_STRIP, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST => (V::TRIANGLE_LIST, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP => (V::TRIANGLE_STRIP, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLEFAN => (V::TRIANGLE_FAN, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINELIST_ADJ => (V::LINE_LIST_WITH_ADJACENCY, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_LINESTRIP_ADJ => (V::LINE_STRIP_WITH_ADJACENCY, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLELIST_ADJ => (V::TRIANGLE_LIST_WITH_ADJACENCY, 0),
        Topology::D3D_PRIMITIVE_TOPOLOGY_TRIANGLESTRIP_ADJ => (V::TRIANGLE_STRIP_WITH_ADJACENCY, 0),
        Topology(patch @ 33..=64) => (V::PATCH_LIST, patch as u32 - 32),
        _ => return None,
    })
}

/// Whether primitives share vertices with the one before, so that an index can end a run of them.
pub fn is_strip(topology: vk::PrimitiveTopology) -> bool {
    use vk::PrimitiveTopology as V;
    matches!(
        topology,
        V::LINE_STRIP
            | V::TRIANGLE_STRIP
            | V::TRIANGLE_FAN
            | V::LINE_STRIP_WITH_ADJACENCY
            | V::TRIANGLE_STRIP_WITH_ADJACENCY
    )
}

#[cfg(test)]
mod tests {
    use ash::vk::Handle;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn arguments_follow_their_group_into_another_layout() {
        // (addresses, constants, tables)
        let layout = |addresses: u32, constants: u32, tables: u32| {
            let first = addresses * 2 + constants;
            PushLayout { arguments: Vec::new(), addresses, tables: first, words: first + tables }
        };
        let mut words = Words::default();
        words.set(0, &[1, 2, 10, 11, 12, 20, 21]);
        words.relocate(&layout(1, 3, 2), &layout(2, 2, 3));
        assert_eq!(words.words[..9], [1, 2, 0, 0, 10, 11, 20, 21, 0]);
        words.relocate(&layout(2, 2, 3), &layout(0, 0, 1));
        assert_eq!(words.words[..3], [20, 0, 0]);
        let mut full = Words::default();
        full.set(0, &[7; WORDS]);
        full.relocate(&layout(32, 0, 0), &layout(0, 64, 0));
        assert_eq!(full.words, [0; WORDS]);
    }

    proptest! {
        /// A model that pushes everything sees the same words as one that pushes what `take` gives.
        #[test]
        fn pushes_of_dirty_words_leave_vulkan_with_all_words(
            steps in prop::collection::vec((0u32..64, prop::collection::vec(0u32..4, 0..8), 0u32..=64, any::<bool>()), 1..50),
        ) {
            let (mut words, mut vulkan, mut all) = (Words::default(), [u32::MAX; WORDS], [0u32; WORDS]);
            for (first, values, count, lost) in steps {
                words.set(first, &values);
                for (at, value) in (first as usize..WORDS).zip(&values) {
                    all[at] = *value;
                }
                if lost {
                    words.touch();
                    vulkan = [u32::MAX; WORDS];
                }
                if let Some((at, run)) = words.take(count) {
                    prop_assert!(at as usize + run.len() <= count as usize);
                    vulkan[at as usize..at as usize + run.len()].copy_from_slice(run);
                }
                prop_assert_eq!(&vulkan[..count as usize], &all[..count as usize]);
            }
        }
    }

    proptest! {
        /// A model that is told whole slots sees what a draw reads, whatever the order of sets, draws and pipelines.
        #[test]
        fn vulkan_has_the_vertex_buffers_that_draws_read(
            steps in prop::collection::vec((0u32..34, 0u64..3, any::<u32>(), any::<bool>()), 1..60),
        ) {
            let (mut slots, mut vulkan, mut all) = (VertexBuffers::default(), [None; 32], [(0, 0, vk::WHOLE_SIZE, 0); 32]);
            for (slot, buffer, read, draw) in steps {
                slots.set(slot, vk::Buffer::from_raw(buffer), 4, 8, u64::from(slot));
                if let Some(one) = all.get_mut(slot as usize) {
                    *one = if buffer == 0 { (0, 0, vk::WHOLE_SIZE, u64::from(slot)) } else { (buffer, 4, 8, u64::from(slot)) };
                }
                if draw {
                    slots.read(read);
                    while let Some((first, buffers, offsets, sizes, strides)) = slots.take(read) {
                        for at in 0..buffers.len() {
                            vulkan[first as usize + at] = Some((buffers[at].as_raw(), offsets[at], sizes[at], strides[at]));
                        }
                    }
                    for at in (0..32).filter(|at| read & 1 << at != 0) {
                        prop_assert_eq!(vulkan[at], Some(all[at]));
                    }
                }
            }
        }
    }

    #[test]
    fn a_part_of_one_kind_of_command_is_no_business_of_another() {
        let mut dirty = Dirty::ALL;
        assert!(dirty.take(Dirty::DRAW) && !dirty.has(Dirty::DRAW));
        assert!(dirty.has(Dirty::DRAW_INDEXED) && dirty.has(Dirty::DISPATCH));
        assert!(dirty.take(Dirty::DRAW_INDEXED) && dirty.take(Dirty::DISPATCH));
        assert_eq!(dirty, Dirty(0));
        dirty.set(Dirty::DEFERRED);
        assert!(!dirty.has(Dirty::ALL));
    }

    #[test]
    fn nothing_is_pushed_twice() {
        let mut words = Words::default();
        assert_eq!(words.take(3).map(|(first, run)| (first, run.len())), Some((0, 3)));
        assert_eq!(words.take(3), None);
        words.set(1, &[0]);
        assert_eq!(words.take(3), None);
        words.set(1, &[5]);
        assert_eq!(words.take(3), Some((1, &[5][..])));
    }

    proptest! {
        #[test]
        fn floors_are_those_of_the_standard_library(bits: u32, near in -70000.0f32..70000.0) {
            for at in [f32::from_bits(bits), near, near.trunc()] {
                prop_assert_eq!(floor(at), at.floor() as i32);
            }
        }
    }

    #[test]
    fn a_viewport_is_turned_around() {
        let given =
            D3D12_VIEWPORT { TopLeftX: 3.0, TopLeftY: 5.0, Width: 20.0, Height: 10.0, MinDepth: 0.25, MaxDepth: 1.0 };
        let turned = viewport(&given);
        assert_eq!((turned.x, turned.y, turned.width, turned.height), (3.0, 15.0, 20.0, -10.0));
        let rect = D3D12_RECT { left: -5, top: 2, right: 7, bottom: 1 };
        let cut = scissor(Some(&rect), &given);
        assert_eq!((cut.offset.x, cut.offset.y, cut.extent.width, cut.extent.height), (3, 5, 4, 0));
        let fractions = D3D12_VIEWPORT { TopLeftX: 1.75, TopLeftY: -0.5, Width: 32.0, Height: 4.0, ..given };
        let cut = scissor(Some(&D3D12_RECT { left: 0, top: 0, right: 64, bottom: 64 }), &fractions);
        assert_eq!((cut.offset.x, cut.offset.y, cut.extent.width, cut.extent.height), (1, 0, 32, 3));
        assert_eq!(scissor(None, &given), vk::Rect2D::default());
        assert_eq!(scissor(Some(&rect), &D3D12_VIEWPORT::default()), vk::Rect2D::default());
        assert!(clipped(&D3D12_RECT { left: 8, top: 0, right: 20, bottom: 20 }, 8, 8).is_none());
    }

    #[test]
    fn patches_have_their_control_points() {
        assert_eq!(topology(Topology(33)), Some((vk::PrimitiveTopology::PATCH_LIST, 1)));
        assert_eq!(topology(Topology(64)), Some((vk::PrimitiveTopology::PATCH_LIST, 32)));
        assert_eq!(topology(Topology(0)), None);
    }
}

//! The parts of a list's state that Vulkan's command buffer lacks. Pure.
//!
//! Invariant: what is not dirty is what the command buffer has. Setters mark, flushes clear.

/// Parts of the state that Vulkan does not have yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dirty(u32);

impl Default for Dirty {
    fn default() -> Dirty {
        Dirty::NONE
    }
}

impl Dirty {
    /// Nothing.
    pub const NONE: Dirty = Dirty(0);
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
    /// Write masks of depth and stencil, which depend on the pipeline and on the view.
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
    /// Layouts of images that copies have used: they have to rest, because shaders may read them.
    pub const LAYOUTS: Dirty = Dirty(32768);
    /// Shading rate.
    pub const RATE: Dirty = Dirty(0x1_0000);
    /// Positions of samples.
    pub const POSITIONS: Dirty = Dirty(0x2_0000);
    /// Views: the pipeline state draws several times, or not at all. It stays dirty while such a pipeline state is bound.
    pub const VIEWS: Dirty = Dirty(0x4_0000);
    /// The record of a draw or dispatch, where shaders look at descriptors. It stays dirty there, because each has its own.
    pub const RECORD: Dirty = Dirty(0x8_0000);
    /// Acceleration structures for draws: the program has asked for no barrier since the last build.
    pub const DRAWN_BUILDS: Dirty = Dirty(0x10_0000);
    /// The same for dispatches.
    pub const DISPATCHED_BUILDS: Dirty = Dirty(0x20_0000);
    /// The same for all commands.
    pub const BUILDS: Dirty = Dirty::DRAWN_BUILDS.or(Dirty::DISPATCHED_BUILDS);
    /// Everything: what a command buffer begins with.
    pub const ALL: Dirty = Dirty(0x3f_ffff);
    /// Not a part, but stands here so that one look tells that a command can be recorded as it is: the list is closed, or a
    /// bundle, which keeps its commands.
    pub const DEFERRED: Dirty = Dirty(1 << 31);
    /// What a draw needs.
    pub const DRAW: Dirty = Dirty::DRAW_INDEXED.without(Dirty::INDEX);
    /// What an indexed draw needs.
    pub const DRAW_INDEXED: Dirty =
        Dirty::ALL.without(Dirty::COMPUTE).without(Dirty::COMPUTE_ROOT).without(Dirty::DISPATCHED_BUILDS);
    /// What a mesh shader's draw needs: there is no input assembler. Its topology stays dirty while a pipeline of mesh shaders is
    /// bound, so that a draw of vertices looks at the pipeline.
    pub const DRAW_MESHES: Dirty = Dirty::DRAW.without(Dirty::TOPOLOGY).without(Dirty::VERTEX).without(Dirty::STREAM);
    /// What a dispatch needs.
    pub const DISPATCH: Dirty =
        Dirty::COMPUTE.or(Dirty::COMPUTE_ROOT).or(Dirty::LAYOUTS).or(Dirty::RECORD).or(Dirty::DISPATCHED_BUILDS);

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

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! Scopes of barriers: pipeline stages and kinds of access.
//!
//! Invariant: a scope is never narrowed, also not where a queue cannot do all of it.

use ash::vk;

use crate::families::Role;

type Stages = vk::PipelineStageFlags2;
type Access = vk::AccessFlags2;

/// Stages and kinds of access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Pipeline stages.
    pub stages: Stages,
    /// Kinds of access.
    pub access: Access,
}

impl Scope {
    /// Anything at all.
    pub const ALL: Scope = Scope {
        stages: Stages::ALL_COMMANDS,
        access: Access::from_raw(Access::MEMORY_READ.as_raw() | Access::MEMORY_WRITE.as_raw()),
    };

    /// Builds of acceleration structures, copies of them, and what tells about them.
    pub const BUILDS: Scope = Scope {
        stages: Stages::from_raw(Stages::ACCELERATION_STRUCTURE_BUILD_KHR.as_raw() | Stages::ALL_TRANSFER.as_raw()),
        access: Access::from_raw(
            Access::ACCELERATION_STRUCTURE_READ_KHR.as_raw()
                | Access::ACCELERATION_STRUCTURE_WRITE_KHR.as_raw()
                | Access::SHADER_READ.as_raw()
                | Access::TRANSFER_READ.as_raw()
                | Access::TRANSFER_WRITE.as_raw(),
        ),
    };

    /// What rendering writes and reads of its attachments.
    pub const ATTACHMENTS: Scope = Scope {
        stages: Stages::from_raw(
            Stages::COLOR_ATTACHMENT_OUTPUT.as_raw()
                | Stages::EARLY_FRAGMENT_TESTS.as_raw()
                | Stages::LATE_FRAGMENT_TESTS.as_raw(),
        ),
        access: Access::from_raw(
            Access::COLOR_ATTACHMENT_READ.as_raw()
                | Access::COLOR_ATTACHMENT_WRITE.as_raw()
                | Access::DEPTH_STENCIL_ATTACHMENT_READ.as_raw()
                | Access::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
        ),
    };

    /// The process.
    pub const HOST: Scope = Scope {
        stages: Stages::HOST,
        access: Access::from_raw(Access::HOST_READ.as_raw() | Access::HOST_WRITE.as_raw()),
    };

    /// This scope or the other.
    #[must_use]
    #[inline]
    pub fn or(self, other: Scope) -> Scope {
        Scope { stages: self.stages | other.stages, access: self.access | other.access }
    }

    /// The part that a queue can do, and everything that it can do when that is none.
    #[must_use]
    pub fn on(self, role: Role) -> Scope {
        let graphics = Stages::VERTEX_INPUT
            | Stages::PRE_RASTERIZATION_SHADERS
            | Stages::FRAGMENT_SHADER
            | Stages::EARLY_FRAGMENT_TESTS
            | Stages::LATE_FRAGMENT_TESTS
            | Stages::COLOR_ATTACHMENT_OUTPUT
            | Stages::TRANSFORM_FEEDBACK_EXT
            | Stages::CONDITIONAL_RENDERING_EXT;
        let without = match role {
            Role::Compute => graphics,
            Role::Copy => graphics | Stages::COMPUTE_SHADER | Stages::DRAW_INDIRECT,
            Role::Graphics => Stages::empty(),
        };
        // Where something is left out the rest is widened rather than matched access by access.
        if self.stages.intersects(without) { Scope::ALL } else { self }
    }
}

/// The barriers of a call, gathered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// What must be done before.
    pub before: Scope,
    /// What waits for it.
    pub after: Scope,
}

impl Gathered {
    /// Adds a barrier.
    #[inline]
    pub fn add(&mut self, before: Scope, after: Scope) {
        self.before = self.before.or(before);
        self.after = self.after.or(after);
    }

    /// The barrier that a command buffer of a queue takes; `None` when there is nothing to do. Only writes have to be made
    /// available.
    #[inline]
    pub fn barrier(&self, role: Role) -> Option<vk::MemoryBarrier2<'static>> {
        if self.before == Scope::default() && self.after == Scope::default() {
            return None;
        }
        let (before, after) = (self.before.on(role), self.after.on(role));
        let writes = Access::MEMORY_WRITE
            | Access::SHADER_WRITE
            | Access::COLOR_ATTACHMENT_WRITE
            | Access::DEPTH_STENCIL_ATTACHMENT_WRITE
            | Access::TRANSFER_WRITE
            | Access::ACCELERATION_STRUCTURE_WRITE_KHR
            | Access::TRANSFORM_FEEDBACK_WRITE_EXT
            | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT;
        Some(
            vk::MemoryBarrier2::default()
                .src_stage_mask(before.stages)
                .src_access_mask(before.access & writes)
                .dst_stage_mask(after.stages)
                .dst_access_mask(after.access),
        )
    }
}

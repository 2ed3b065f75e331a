//! A list's command buffer, for programs that record Vulkan's commands themselves.

use ash::vk;
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;
use reprise_gpu::encoder::Dirty;

use crate::list::CommandList;
use crate::list::recording::Recording;
use crate::{Error, Result};

impl CommandList {
    /// The command buffer, for commands of the program's own: outside of rendering, with all images in their layouts between lists.
    /// The list's next command sets all state anew.
    ///
    /// # Safety
    /// The program calls no other method of this list meanwhile.
    ///
    /// # Errors
    /// The list is closed, inside a render pass, under a predicate, or a bundle, which has no command buffer.
    pub(crate) unsafe fn lend(&self) -> Result<vk::CommandBuffer> {
        // SAFETY: the caller is in the one method that the program has called on this list.
        let recording = unsafe { self.recording() };
        if recording.allocator.is_none() {
            return Err(Error::Call("a closed list has no command buffer"));
        }
        if self.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE {
            return Err(Error::Invalid("a bundle has no command buffer"));
        }
        if recording.in_pass() {
            return Err(Error::Call("a list gives no command buffer inside a render pass"));
        }
        if recording.encoder.is_predicated() {
            return Err(Error::Unsupported("the command buffer of a list under a predicate"));
        }
        recording.encoder.outside();
        recording.encoder.end_builds();
        recording.encoder.rest_all();
        recording.lose_state();
        recording.encoder.dirty.set(Dirty::TARGETS);
        Ok(recording.encoder.buffer)
    }
}

impl Recording {
    /// The command buffer has none of the state any more that was set outside of rendering. Rendering goes on.
    pub(super) fn lose_state(&mut self) {
        self.bound.vertex.forget();
        self.encoder.forget_heaps();
        for root in [&mut self.bound.graphics, &mut self.bound.compute] {
            root.sets = true;
            root.words.touch();
        }
        self.encoder.dirty.set(Dirty::ALL.without(Dirty::TARGETS));
    }
}

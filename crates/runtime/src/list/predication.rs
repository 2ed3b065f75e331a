//! Predication: 64 bits in memory decide whether commands happen.
//!
//! The API reads the value when it is set. Vulkan reads 32 bits at any time until the end. So a kernel copies the value into scratch
//! memory of the list. Vulkan then skips draws, dispatches and clears inside of rendering. Other commands run so that they have no
//! effect (`list/clear`, `list/predicated`).

use core::ffi::c_void;

use ash::vk;
use reprise_com::{Object, Slots};
use reprise_d3d12::types::{D3D12_PREDICATION_OP, D3D12_RESOURCE_STATES as States};

use crate::list::barrier::scope;
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_gpu::encoder::Predicate;
use reprise_gpu::scope::{Gathered, Scope};

/// Methods about predication.
pub(super) const LIST_METHODS: &Slots = &[("SetPredication", set_predication as *const c_void)];

impl Recording {
    fn set_predicate(&mut self, resource: &Object<Resource>, offset: u64, skip_zero: bool) -> Result<()> {
        self.encoder.pause_predication();
        if self.encoder.device.ext.conditional_rendering.is_none() {
            return Err(Error::Unsupported("SetPredication without VK_EXT_conditional_rendering"));
        }
        let buffer = resource.buffer().ok_or(Error::Call("SetPredication: not a buffer"))?;
        if !offset.is_multiple_of(8) || offset.checked_add(8).is_none_or(|end| end > buffer.size) {
            return Err(Error::Call("SetPredication: no 64 bits of the buffer"));
        }
        let scratch = self.encoder.scratch(8)?;
        let shaders = scope(States::UNORDERED_ACCESS);
        self.encoder.barriers(&Gathered { before: Scope::ALL, after: shaders });
        self.gather(buffer.address + offset, scratch.address, 1, 1, true)?;
        let reads = Scope {
            stages: vk::PipelineStageFlags2::CONDITIONAL_RENDERING_EXT,
            access: vk::AccessFlags2::CONDITIONAL_RENDERING_READ_EXT,
        };
        self.encoder.barriers(&Gathered { before: shaders, after: reads });
        let predicate = Predicate { buffer: scratch.buffer, offset: scratch.offset, inverted: !skip_zero };
        self.encoder.resume_predication(Some(predicate));
        Ok(())
    }
}

unsafe extern "C" fn set_predication(
    this: *mut c_void,
    buffer: *mut c_void,
    offset: u64,
    operation: D3D12_PREDICATION_OP,
) {
    // SAFETY: a list of ours, the program's buffer.
    unsafe {
        Recording::on_list(this, |list| match Object::<Resource>::from_pointer(buffer) {
            None => {
                list.encoder.pause_predication();
                Ok(())
            }
            Some(resource) => {
                let skip_zero = match operation {
                    D3D12_PREDICATION_OP::EQUAL_ZERO => true,
                    D3D12_PREDICATION_OP::NOT_EQUAL_ZERO => false,
                    _ => return Err(Error::Call("SetPredication: an operation that the API does not have")),
                };
                list.set_predicate(resource, offset, skip_zero)
            }
        });
    }
}

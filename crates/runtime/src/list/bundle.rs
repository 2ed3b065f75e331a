//! What the commands of bundles do on a list.
//!
//! A list that is no bundle records them at once, so a bundle means exactly what its commands mean on the list.

use core::ffi::c_void;

use reprise_com::{Object, Slots};
use reprise_d3d12::types::D3D12_COMMAND_LIST_TYPE;

use crate::list::CommandList;
use crate::list::command::Command;
use crate::list::recording::Recording;
use crate::{Error, Result};

/// Methods about bundles.
pub(super) const LIST_METHODS: &Slots = &[("ExecuteBundle", execute as *const c_void)];

impl Recording {
    /// Records a command that records itself; a bundle keeps it.
    ///
    /// # Safety
    /// As [`Recording::on_list`].
    #[inline(always)]
    pub(super) unsafe fn command(this: *mut c_void, command: Command) {
        // SAFETY: the caller passes a list of ours, and calls no other method of it meanwhile.
        unsafe { Self::record(this, |recording| command.record(recording), || command.clone()) };
    }
}

impl Command {
    /// Records the command.
    #[inline(always)]
    pub(super) fn record(&self, list: &mut Recording) -> Result<()> {
        match self {
            Command::Pipeline(pipeline) => list.set_pipeline(pipeline),
            Command::Heaps { views, samplers } => list.set_heaps(views.as_deref(), samplers.as_deref()),
            Command::Root { compute, signature } => list.set_root(*compute, signature.as_deref()),
            Command::Constant { compute, parameter, offset, value } => {
                return list.set_constants(*compute, *parameter, *offset, &[*value]);
            }
            Command::Constants { compute, parameter, offset, values } => {
                return list.set_constants(*compute, *parameter, *offset, values);
            }
            Command::Address { compute, parameter, address } => {
                return list.set_address(*compute, *parameter, *address);
            }
            Command::Table { compute, parameter, handle } => return list.set_table(*compute, *parameter, *handle),
            Command::Topology(topology) => list.set_topology(*topology),
            Command::Index(view) => list.set_index(view),
            Command::Vertex { slot, view } => return list.set_vertex(*slot, view),
            Command::Blend(blend) => list.set_blend(*blend),
            Command::Stencil(stencil) => list.set_stencil(*stencil),
            Command::DepthBounds(bounds) => list.set_depth_bounds(*bounds),
            Command::DepthBias(bias) => list.set_depth_bias(*bias),
            Command::StripCut(cut) => list.set_strip_cut(*cut),
            Command::Rate { rate, combiners } => return list.set_rate(*rate, *combiners),
            Command::RateImage(image) => return list.set_rate_image(image.as_deref()),
            Command::ViewMask(mask) => list.bound.view_mask = *mask,
            Command::Draw { vertices, instances, first_vertex, first_instance } => {
                return list.draw(*vertices, *instances, *first_vertex, *first_instance);
            }
            Command::DrawIndexed { indices, instances, first_index, base_vertex, first_instance } => {
                return list.draw_indexed(*indices, *instances, *first_index, *base_vertex, *first_instance);
            }
            Command::Dispatch(groups) => return list.dispatch(*groups),
            Command::DispatchMesh(groups) => return list.dispatch_mesh(*groups),
            Command::StateObject(object) => return list.set_state_object(object),
            Command::DispatchRays(desc) => return list.dispatch_rays(desc),
            Command::WriteImmediate { address, value, mode } => {
                return list.write_immediate(*address, *value, *mode);
            }
            Command::Indirect { signature, most, arguments, offset, count } => {
                let count = count.as_ref().map(|(buffer, offset)| (&**buffer, *offset));
                return list.execute_indirect(signature, *most, arguments, *offset, count);
            }
        }
        Ok(())
    }
}

unsafe extern "C" fn execute(this: *mut c_void, bundle: *mut c_void) {
    // SAFETY: a list of ours, the program's bundle.
    unsafe {
        Recording::on_list(this, |list| {
            let bundle = Object::<CommandList>::from_pointer(bundle)
                .filter(|bundle| bundle.kind == D3D12_COMMAND_LIST_TYPE::BUNDLE)
                .ok_or(Error::Call("ExecuteBundle: not a bundle"))?;
            if list.kind != D3D12_COMMAND_LIST_TYPE::DIRECT {
                return Err(Error::Fail("only direct lists execute bundles"));
            }
            let commands = bundle.bundle().ok_or(Error::Call("ExecuteBundle: the bundle is open"))?;
            // A bundle begins without views. What it sets stays.
            let mask = core::mem::take(&mut list.bound.view_mask);
            for command in commands.iter() {
                // What a list leaves out of its own calls it leaves out of a bundle's.
                if let Err(error) = command.record(list) {
                    list.refuse(error);
                }
            }
            if !commands.iter().any(|command| matches!(command, Command::ViewMask(_))) {
                list.bound.view_mask = mask;
            }
            Ok(())
        });
    }
}

#[cfg(test)]
mod tests;

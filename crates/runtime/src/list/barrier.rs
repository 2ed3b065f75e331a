//! Barriers by states.
//!
//! All barriers of a call are one memory barrier, with transitions of the images whose layouts are tracked. Split barriers act where
//! they end. Invariant: a scope is never narrower than what the API's state or access allows.

use core::ffi::c_void;

use ash::vk;
use reprise_com::Slots;
use reprise_d3d12::types::{
    D3D12_RESOURCE_BARRIER, D3D12_RESOURCE_BARRIER_FLAGS as Flags, D3D12_RESOURCE_BARRIER_TYPE as Type,
    D3D12_RESOURCE_STATES as States,
};

use reprise_gpu::scope::{Gathered, Scope};

use crate::list::array::array;
use crate::list::layouts::{indexed, of_state};
use crate::list::recording::Recording;
use crate::resource::object::Resource;
use crate::{Error, Result};
use reprise_com::Object;

type Stages = vk::PipelineStageFlags2;
type Access = vk::AccessFlags2;

/// Methods about barriers.
pub(super) const LIST_METHODS: &Slots = &[("ResourceBarrier", resource_barrier as *const c_void)];

/// What a state allows. `COMMON` is also what promotion starts from and decay ends in: anything.
pub fn scope(states: States) -> Scope {
    if states == States::COMMON {
        return Scope::ALL;
    }
    let shaders = Stages::PRE_RASTERIZATION_SHADERS | Stages::FRAGMENT_SHADER | Stages::COMPUTE_SHADER;
    let depth = Stages::EARLY_FRAGMENT_TESTS | Stages::LATE_FRAGMENT_TESTS;
    let table: [(States, Stages, Access); 15] = [
        (
            States::VERTEX_AND_CONSTANT_BUFFER,
            shaders | Stages::VERTEX_INPUT,
            // Root constant buffers are read by address.
            Access::VERTEX_ATTRIBUTE_READ | Access::UNIFORM_READ | Access::SHADER_READ,
        ),
        (States::INDEX_BUFFER, Stages::VERTEX_INPUT, Access::INDEX_READ),
        (
            States::RENDER_TARGET,
            Stages::COLOR_ATTACHMENT_OUTPUT,
            Access::COLOR_ATTACHMENT_READ | Access::COLOR_ATTACHMENT_WRITE,
        ),
        (States::UNORDERED_ACCESS, shaders, Access::SHADER_READ | Access::SHADER_WRITE),
        (States::DEPTH_WRITE, depth, Access::DEPTH_STENCIL_ATTACHMENT_READ | Access::DEPTH_STENCIL_ATTACHMENT_WRITE),
        (States::DEPTH_READ, depth, Access::DEPTH_STENCIL_ATTACHMENT_READ),
        (
            States::NON_PIXEL_SHADER_RESOURCE,
            Stages::PRE_RASTERIZATION_SHADERS | Stages::COMPUTE_SHADER,
            Access::SHADER_READ,
        ),
        (States::PIXEL_SHADER_RESOURCE, Stages::FRAGMENT_SHADER, Access::SHADER_READ),
        (
            States::STREAM_OUT,
            Stages::TRANSFORM_FEEDBACK_EXT | Stages::DRAW_INDIRECT,
            Access::TRANSFORM_FEEDBACK_WRITE_EXT
                | Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT
                | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT,
        ),
        (
            // Also `PREDICATION`; kernels read some arguments.
            States::INDIRECT_ARGUMENT,
            Stages::DRAW_INDIRECT | Stages::ALL_TRANSFER | Stages::COMPUTE_SHADER,
            Access::INDIRECT_COMMAND_READ | Access::TRANSFER_READ | Access::SHADER_READ,
        ),
        (States::COPY_DEST, Stages::ALL_TRANSFER, Access::TRANSFER_READ | Access::TRANSFER_WRITE),
        (States::COPY_SOURCE, Stages::ALL_TRANSFER, Access::TRANSFER_READ),
        (States::RESOLVE_DEST, Stages::ALL_TRANSFER, Access::TRANSFER_READ | Access::TRANSFER_WRITE),
        // Some modes are kernels; one writes samples back into the source.
        (
            States::RESOLVE_SOURCE,
            Stages::ALL_TRANSFER | Stages::COMPUTE_SHADER,
            Access::TRANSFER_READ | Access::TRANSFER_WRITE | Access::SHADER_READ,
        ),
        (States(0), Stages::empty(), Access::empty()),
    ];
    let mut left = states.0;
    let mut all = Scope::default();
    for (state, stages, access) in table {
        if states.0 & state.0 != 0 {
            left &= !state.0;
            all = all.or(Scope { stages, access });
        }
    }
    // States that have no row: anything.
    if left == 0 { all } else { Scope::ALL }
}

/// Adds a barrier of `ResourceBarrier`; `false` for types that the API does not have.
fn add(gathered: &mut Gathered, barrier: &D3D12_RESOURCE_BARRIER) -> bool {
    if barrier.Flags == Flags::BEGIN_ONLY {
        return true;
    }
    match barrier.Type {
        Type::TRANSITION => {
            // SAFETY: the type says which arm of the union is set.
            let transition = unsafe { barrier.Anonymous.Transition };
            gathered.add(scope(transition.StateBefore), scope(transition.StateAfter));
        }
        Type::UAV => {
            let scope = scope(States::UNORDERED_ACCESS);
            gathered.add(scope, scope);
        }
        Type::ALIASING => gathered.add(Scope::ALL, Scope::ALL),
        _ => return false,
    }
    true
}

impl Recording {
    /// Records barriers of one call.
    ///
    /// # Safety
    /// Each names null or living resources, and its type says which arm of its union is set.
    pub(super) unsafe fn resource_barriers(&mut self, barriers: &[D3D12_RESOURCE_BARRIER]) -> Result<()> {
        let mut gathered = Gathered::default();
        for barrier in barriers {
            if !add(&mut gathered, barrier) {
                self.refuse(Error::Call("ResourceBarrier: a type that the API does not have"));
                continue;
            }
            // SAFETY: the type says which arm of the union is set, as the caller promises.
            let resource = unsafe {
                match barrier.Type {
                    Type::TRANSITION => barrier.Anonymous.Transition.pResource,
                    Type::UAV => barrier.Anonymous.UAV.pResource,
                    _ => barrier.Anonymous.Aliasing.pResourceAfter,
                }
            };
            // SAFETY: null or a living resource, as the caller promises.
            match unsafe { Object::<Resource>::from_pointer(resource) } {
                Some(resource) => {
                    self.uses(resource);
                    if self.encoder.tracks_layouts() {
                        // SAFETY: the type says which arm of the union is set, as the caller promises.
                        unsafe { self.change_layouts(resource, barrier) };
                    }
                }
                None if barrier.Type == Type::TRANSITION => {
                    return Err(Error::Invalid("ResourceBarrier: a transition without a resource"));
                }
                None if barrier.Type == Type::ALIASING => self.encoder.rest_placed(None),
                None => {}
            }
        }
        self.encoder.barriers(&gathered);
        Ok(())
    }

    /// What a barrier does to the layouts of its resource; for aliasing that is the one after.
    ///
    /// # Safety
    /// The barrier's type says which arm of its union is set.
    unsafe fn change_layouts(&mut self, resource: &Object<Resource>, barrier: &D3D12_RESOURCE_BARRIER) {
        let image = resource.image();
        match (barrier.Type, image) {
            (Type::ALIASING, image) => self.encoder.rest_placed(image),
            (Type::TRANSITION, Some(image)) if barrier.Flags != Flags::BEGIN_ONLY => {
                // SAFETY: the type says which arm of the union is set.
                let transition = unsafe { barrier.Anonymous.Transition };
                let [before, after] = [transition.StateBefore, transition.StateAfter];
                if let Some(range) = indexed(resource, image, transition.Subresource) {
                    self.encoder.ready_between(image, range, of_state(after), [scope(before), scope(after)]);
                }
            }
            _ => {}
        }
    }
}

unsafe extern "C" fn resource_barrier(this: *mut c_void, count: u32, barriers: *const D3D12_RESOURCE_BARRIER) {
    // SAFETY: a list of ours, the program's array.
    unsafe { Recording::on_list(this, |recording| recording.resource_barriers(array(barriers, count))) };
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use reprise_d3d12::types::{
        D3D12_RESOURCE_BARRIER_2, D3D12_RESOURCE_TRANSITION_BARRIER, D3D12_RESOURCE_UAV_BARRIER,
    };

    use reprise_gpu::families::Role;

    use super::*;

    fn transition(before: States, after: States, flags: Flags) -> D3D12_RESOURCE_BARRIER {
        let transition =
            D3D12_RESOURCE_TRANSITION_BARRIER { StateBefore: before, StateAfter: after, ..Default::default() };
        D3D12_RESOURCE_BARRIER {
            Type: Type::TRANSITION,
            Flags: flags,
            Anonymous: D3D12_RESOURCE_BARRIER_2 { Transition: transition },
        }
    }

    #[test]
    fn a_split_barrier_acts_where_it_ends() {
        let mut gathered = Gathered::default();
        assert!(add(&mut gathered, &transition(States::RENDER_TARGET, States::COPY_SOURCE, Flags::BEGIN_ONLY)));
        assert!(gathered.barrier(Role::Graphics).is_none());
        assert!(add(&mut gathered, &transition(States::RENDER_TARGET, States::COPY_SOURCE, Flags::END_ONLY)));
        let barrier = gathered.barrier(Role::Graphics).unwrap();
        assert_eq!(barrier.src_stage_mask, Stages::COLOR_ATTACHMENT_OUTPUT);
        assert_eq!(barrier.src_access_mask, Access::COLOR_ATTACHMENT_WRITE, "reads need not be made available");
        assert_eq!(barrier.dst_stage_mask, Stages::ALL_TRANSFER);
        assert_eq!(barrier.dst_access_mask, Access::TRANSFER_READ);
    }

    #[test]
    fn a_uav_barrier_is_for_all_shaders() {
        let mut gathered = Gathered::default();
        let uav = D3D12_RESOURCE_BARRIER {
            Type: Type::UAV,
            Flags: Flags::NONE,
            Anonymous: D3D12_RESOURCE_BARRIER_2 { UAV: D3D12_RESOURCE_UAV_BARRIER::default() },
        };
        assert!(add(&mut gathered, &uav));
        let barrier = gathered.barrier(Role::Graphics).unwrap();
        assert!(barrier.src_stage_mask.contains(Stages::COMPUTE_SHADER | Stages::FRAGMENT_SHADER));
        assert!(barrier.src_access_mask.contains(Access::SHADER_WRITE));
        assert!(barrier.dst_access_mask.contains(Access::SHADER_READ | Access::SHADER_WRITE));
    }

    proptest! {
        /// A combination allows what its parts allow; unknown bits allow anything.
        #[test]
        fn combined_states_cover_their_parts(a: u32, b: u32) {
            let (one, both) = (scope(States(a)), scope(States(a | b)));
            prop_assert!(both == Scope::ALL || one == Scope::ALL
                || both.stages.contains(one.stages) && both.access.contains(one.access));
        }

        /// No queue is given a stage that it does not have.
        #[test]
        fn queues_get_stages_that_they_have(states: u32) {
            let on = scope(States(states)).on(Role::Copy);
            prop_assert!(on == Scope::ALL || Stages::ALL_TRANSFER.contains(on.stages));
        }
    }
}

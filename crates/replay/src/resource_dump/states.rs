//! The state of each subresource at a point where the queues have done all submitted work.
//!
//! The order in which lists run is known only at their submission. So inside a list a resource has the state of the list's last
//! barrier for it; without a barrier it has its state at the submission. Implicit promotion is not followed: a texture that a
//! list used in `D3D12_RESOURCE_STATE_COMMON` without a barrier counts as being in that state. Layouts of enhanced barriers
//! become the equivalent states.

use std::collections::BTreeMap;

use reprise_d3d12::types::{D3D12_BARRIER_LAYOUT as Layout, D3D12_RESOURCE_STATES as State};
use reprise_timeline::state::lists::{BarrierState, Setting, States as Barriers};
use reprise_timeline::state::memory::InitialState;

/// States of the subresources of one resource, as far as they are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct States {
    all: Option<u32>,
    /// States that differ from `all`, by subresource.
    except: BTreeMap<u32, u32>,
}

impl States {
    /// All in one state.
    pub(crate) fn all(state: u32) -> Self {
        Self { all: Some(state), except: BTreeMap::new() }
    }

    /// One for each subresource, in their order.
    pub(super) fn each(states: &[u32]) -> Self {
        Self { all: None, except: (0..).zip(states.iter().copied()).collect() }
    }

    /// What the barriers of a list say.
    pub(crate) fn of(barriers: &Barriers) -> Self {
        let state = |setting: &Setting<BarrierState>| match setting.value {
            BarrierState::Legacy(state) => state,
            BarrierState::Layout(layout) => state_of(layout),
        };
        let except = barriers.apart.iter().map(|(subresource, setting)| (*subresource, state(setting)));
        Self { all: barriers.all.as_ref().map(state), except: except.collect() }
    }

    /// What a creation says.
    pub(crate) fn initial(state: InitialState) -> Self {
        Self::all(match state {
            InitialState::State(state) => state,
            InitialState::Layout(layout) => state_of(layout),
        })
    }

    /// The state of one subresource, if it is known.
    pub(crate) fn get(&self, subresource: u32) -> Option<u32> {
        self.except.get(&subresource).copied().or(self.all)
    }

    /// The states of `later`, and these where it has none.
    pub(crate) fn then(&self, later: &States) -> States {
        if later.all.is_some() {
            return later.clone();
        }
        let mut both = self.clone();
        both.except.extend(&later.except);
        both
    }
}

/// The state that a layout is equivalent to.
fn state_of(layout: u32) -> u32 {
    let state = match Layout(layout as i32) {
        Layout::GENERIC_READ | Layout::DIRECT_QUEUE_GENERIC_READ | Layout::COMPUTE_QUEUE_GENERIC_READ => {
            State::GENERIC_READ
        }
        Layout::RENDER_TARGET => State::RENDER_TARGET,
        Layout::UNORDERED_ACCESS | Layout::DIRECT_QUEUE_UNORDERED_ACCESS | Layout::COMPUTE_QUEUE_UNORDERED_ACCESS => {
            State::UNORDERED_ACCESS
        }
        Layout::DEPTH_STENCIL_WRITE => State::DEPTH_WRITE,
        Layout::DEPTH_STENCIL_READ => State::DEPTH_READ,
        Layout::SHADER_RESOURCE | Layout::DIRECT_QUEUE_SHADER_RESOURCE => State::ALL_SHADER_RESOURCE,
        Layout::COMPUTE_QUEUE_SHADER_RESOURCE => State::NON_PIXEL_SHADER_RESOURCE,
        Layout::COPY_SOURCE | Layout::DIRECT_QUEUE_COPY_SOURCE | Layout::COMPUTE_QUEUE_COPY_SOURCE => {
            State::COPY_SOURCE
        }
        Layout::COPY_DEST | Layout::DIRECT_QUEUE_COPY_DEST | Layout::COMPUTE_QUEUE_COPY_DEST => State::COPY_DEST,
        Layout::RESOLVE_SOURCE => State::RESOLVE_SOURCE,
        Layout::RESOLVE_DEST => State::RESOLVE_DEST,
        Layout::SHADING_RATE_SOURCE => State::SHADING_RATE_SOURCE,
        _ => State::COMMON,
    };
    state.0
}

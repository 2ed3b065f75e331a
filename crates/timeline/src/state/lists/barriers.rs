//! States of resources, as stated by the barriers of a list.
//!
//! A barrier states the state of a subresource from there on, and claims the state before it. The claim is kept if the list
//! has said nothing else about the subresource. Invariant: a subresource without a barrier has no state here.

use super::bound::Setting;
use reprise_d3d12::types::{D3D12_BARRIER_LAYOUT, D3D12_RESOURCE_STATES};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most subresources that one barrier names one by one; more than any texture has (mips, slices and planes at their limits).
pub(super) const MOST_SUBRESOURCES: u64 = 15 * 2048 * 2;

/// The state of a subresource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// `D3D12_RESOURCE_STATES`.
    Legacy(u32),
    /// `D3D12_BARRIER_LAYOUT`.
    Layout(u32),
}

impl State {
    /// As `D3D12_RESOURCE_STATES`: of a layout the equivalent state. Source: the enhanced barriers specification, "Compatibility with
    /// legacy D3D12_RESOURCE_STATES".
    pub fn legacy(self) -> u32 {
        use D3D12_BARRIER_LAYOUT as L;
        use D3D12_RESOURCE_STATES as S;
        let layout = match self {
            State::Legacy(state) => return state,
            State::Layout(layout) => L(layout as i32),
        };
        let state = match layout {
            L::GENERIC_READ | L::DIRECT_QUEUE_GENERIC_READ | L::COMPUTE_QUEUE_GENERIC_READ => S::GENERIC_READ,
            L::RENDER_TARGET => S::RENDER_TARGET,
            L::UNORDERED_ACCESS | L::DIRECT_QUEUE_UNORDERED_ACCESS | L::COMPUTE_QUEUE_UNORDERED_ACCESS => {
                S::UNORDERED_ACCESS
            }
            L::DEPTH_STENCIL_WRITE => S::DEPTH_WRITE,
            L::DEPTH_STENCIL_READ => S::DEPTH_READ,
            L::SHADER_RESOURCE | L::DIRECT_QUEUE_SHADER_RESOURCE => S::ALL_SHADER_RESOURCE,
            L::COMPUTE_QUEUE_SHADER_RESOURCE => S::NON_PIXEL_SHADER_RESOURCE,
            L::COPY_SOURCE | L::DIRECT_QUEUE_COPY_SOURCE | L::COMPUTE_QUEUE_COPY_SOURCE => S::COPY_SOURCE,
            L::COPY_DEST | L::DIRECT_QUEUE_COPY_DEST | L::COMPUTE_QUEUE_COPY_DEST => S::COPY_DEST,
            L::RESOLVE_SOURCE => S::RESOLVE_SOURCE,
            L::RESOLVE_DEST => S::RESOLVE_DEST,
            L::SHADING_RATE_SOURCE => S::SHADING_RATE_SOURCE,
            _ => S::COMMON,
        };
        state.0
    }
}

/// The states of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct States {
    /// Of all subresources that are not named apart.
    pub all: Option<Setting<State>>,
    /// By subresource.
    pub apart: BTreeMap<u32, Setting<State>>,
}

impl States {
    /// A barrier for one subresource, or for all.
    pub(super) fn set(&mut self, subresource: Option<u32>, state: Setting<State>) {
        match subresource {
            Some(subresource) if u64::from(subresource) < MOST_SUBRESOURCES => {
                self.apart.insert(subresource, state);
            }
            Some(_) => {}
            None => {
                self.all = Some(state);
                self.apart.clear();
            }
        }
    }

    /// Barriers that come after these.
    pub fn then(&mut self, later: &States) {
        if let Some(all) = later.all {
            self.set(None, all);
        }
        for (subresource, state) in &later.apart {
            self.set(Some(*subresource), *state);
        }
    }

    /// Of one subresource.
    pub fn of(&self, subresource: u32) -> Option<Setting<State>> {
        self.apart.get(&subresource).copied().or(self.all)
    }
}

//! Which state each subresource of a resource is in, by the barriers of the trace.
//!
//! Lists are recorded before anyone knows in which order they run, so a list keeps what its own barriers say, and the rest
//! is what held when it was submitted. Implicit promotion is not followed: a texture that a list used out of
//! `D3D12_RESOURCE_STATE_COMMON` without a barrier counts as being in that state. Layouts of enhanced barriers become the
//! states that they are equivalent to.

use std::collections::{BTreeMap, HashMap};

use reprise_codec::Value;
use reprise_codec::value::Member;
use reprise_d3d12::types::{D3D12_BARRIER_LAYOUT as Layout, D3D12_RESOURCE_STATES as State};

use crate::input::values::{at, number_at, structure};

/// `D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES`.
const ALL: u64 = u32::MAX as u64;
/// `D3D12_RESOURCE_BARRIER_FLAG_BEGIN_ONLY`.
const BEGIN_ONLY: u64 = 1;

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

    fn set(&mut self, subresource: Option<u32>, state: u32) {
        match subresource {
            None => *self = Self::all(state),
            Some(subresource) => _ = self.except.insert(subresource, state),
        }
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

/// Mips, array slices and planes of a texture, where subresources are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) mips: u32,
    pub(crate) slices: u32,
}

/// More subresources than any texture has: mips, slices and planes at their limits.
const MOST: u64 = 15 * 2048 * 2;

/// Applies the arguments of `ResourceBarrier`.
pub(crate) fn legacy(arguments: &[Member<'_>], mut set: impl FnMut(u32, States)) {
    let Some(Value::Array(barriers)) = at(arguments, "pBarriers") else { return };
    for barrier in barriers.iter().filter_map(structure) {
        let number = |path| number_at(barrier, path);
        let (Some(resource), Some(state)) = (number("Transition.pResource"), number("Transition.StateAfter")) else {
            continue;
        };
        if number("Flags").unwrap_or(0) & BEGIN_ONLY != 0 {
            continue;
        }
        let subresource = number("Transition.Subresource").filter(|&subresource| subresource != ALL);
        let mut states = States::default();
        states.set(subresource.map(|subresource| subresource as u32), state as u32);
        set(resource as u32, states);
    }
}

/// Applies the arguments of `Barrier`.
pub(crate) fn enhanced(arguments: &[Member<'_>], extents: &HashMap<u32, Extent>, mut set: impl FnMut(u32, States)) {
    let Some(Value::Array(groups)) = at(arguments, "pBarrierGroups") else { return };
    for group in groups.iter().filter_map(structure) {
        let Some(Value::Array(barriers)) = at(group, "pTextureBarriers") else { continue };
        for barrier in barriers.iter().filter_map(structure) {
            let number = |path: &str| number_at(barrier, path);
            let (Some(resource), Some(layout)) = (number("pResource"), number("LayoutAfter")) else { continue };
            let (resource, state) = (resource as u32, state_of(layout as u32));
            let range = |name: &str| number(&format!("Subresources.{name}")).unwrap_or(0);
            let (first, mips) = (range("IndexOrFirstMipLevel"), range("NumMipLevels"));
            let mut states = States::default();
            match extents.get(&resource) {
                _ if mips == 0 && first == ALL => states.set(None, state),
                _ if mips == 0 => states.set(Some(first as u32), state),
                Some(extent) => {
                    let slices = (range("FirstArraySlice"), range("NumArraySlices").max(1));
                    let planes = (range("FirstPlane"), range("NumPlanes").max(1));
                    let all = mips.saturating_mul(slices.1).saturating_mul(planes.1);
                    if all > MOST {
                        continue;
                    }
                    for index in 0..all {
                        let (mip, slice) = (first + index % mips, slices.0 + index / mips % slices.1);
                        let plane = planes.0 + index / (mips * slices.1);
                        let (mips, slices) = (u64::from(extent.mips), u64::from(extent.slices));
                        let subresource = mip + mips * (slice + slices * plane);
                        states.set(u32::try_from(subresource).ok(), state);
                    }
                }
                None => continue,
            }
            set(resource, states);
        }
    }
}

/// The state that a layout is equivalent to.
pub(super) fn state_of(layout: u32) -> u32 {
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

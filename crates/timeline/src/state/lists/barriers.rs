//! States of resources, as stated by the barriers of a list.
//!
//! A barrier states the state of a subresource from there on, and claims the state before it. The claim is kept if the list
//! has said nothing else about the subresource. Invariant: a subresource without a barrier has no state here.

use super::bound::Setting;
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

//! The state of each subresource at a point where the queues have done all submitted work.
//!
//! The order in which lists run is known only at their submission. So inside a list a resource has the state of the list's last
//! barrier for it; without a barrier it has its state at the submission. Implicit promotion is not followed: a texture that a
//! list used in `D3D12_RESOURCE_STATE_COMMON` without a barrier counts as being in that state. Layouts of enhanced barriers
//! become the equivalent states.

use std::collections::BTreeMap;

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
        let state = |setting: &Setting<BarrierState>| setting.value.legacy();
        let except = barriers.apart.iter().map(|(subresource, setting)| (*subresource, state(setting)));
        Self { all: barriers.all.as_ref().map(state), except: except.collect() }
    }

    /// What a creation says.
    pub(crate) fn initial(state: InitialState) -> Self {
        Self::all(match state {
            InitialState::State(state) => state,
            InitialState::Layout(layout) => BarrierState::Layout(layout).legacy(),
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

//! Lists whose pipeline state is not here: what they draw and dispatch with it is left out, as drivers leave it out.

use std::collections::HashSet;

use reprise_d3d12::model::MethodId;
use reprise_timeline::state::lists::action;

/// What a call of a list is to its pipeline state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Sets another one.
    Sets,
    /// Draws or dispatches with it.
    Acts,
    Nothing,
}

impl Part {
    /// Of calls of this method.
    pub(crate) fn of(method: MethodId) -> Self {
        let row = method.get();
        let list = row.interface.is_some_and(|id| id.get().name.starts_with("ID3D12GraphicsCommandList"));
        match row.name {
            "SetPipelineState" | "SetPipelineState1" | "SetProgram" | "Reset" | "ClearState" if list => Self::Sets,
            _ if action(method).is_some() => Self::Acts,
            _ => Self::Nothing,
        }
    }
}

/// Lists whose pipeline state is not here.
#[derive(Default)]
pub(crate) struct WithoutPipeline(HashSet<u32>);

impl WithoutPipeline {
    /// Whether all lists have what they set.
    #[inline]
    pub(crate) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a list lacks its pipeline state.
    pub(crate) fn is(&self, list: u32) -> bool {
        self.0.contains(&list)
    }

    /// A list sets its pipeline state; `here`: whether it is here.
    pub(crate) fn sets(&mut self, list: u32, here: bool) {
        if here {
            self.0.remove(&list);
        } else {
            self.0.insert(list);
        }
    }
}

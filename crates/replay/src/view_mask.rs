//! One view instance of a draw by itself: the mask of the list while replay's own draws are recorded.
//!
//! Invariant: what is begun is ended in the same recording, so that the program's draws have the program's mask.

use reprise_d3d12::{interface, method};
use reprise_timeline::state::lists::Bound;

use crate::world::World;

/// `D3D12_MAX_VIEW_INSTANCE_COUNT`: view instances that a pipeline state has at most.
pub(crate) const MOST_VIEWS: usize = 4;

const LIST: &str = "ID3D12GraphicsCommandList1";

/// The mask of a list, and the one in its place.
pub(crate) struct ViewMask {
    list: u64,
    own: u32,
    view: u32,
}

impl ViewMask {
    /// Of a list with this bound; `None`: no view is asked for.
    ///
    /// # Errors
    /// Lists of this library have no mask.
    pub(crate) fn of(world: &mut World, list: u32, bound: &Bound, view: Option<u32>) -> Result<Option<Self>, String> {
        let Some(view) = view else { return Ok(None) };
        // What was never set is 0.
        let own = bound.view_instances.as_ref().map_or(0, |set| set.value);
        Ok(Some(Self { list: world.pointer(list, interface(LIST))?, own, view }))
    }

    /// The view that is asked for alone.
    pub(crate) fn begin(&self, world: &World) {
        self.set(world, 1u32.checked_shl(self.view).unwrap_or(0));
    }

    /// Those of the program.
    pub(crate) fn end(&self, world: &World) {
        self.set(world, self.own);
    }

    fn set(&self, world: &World, mask: u32) {
        // SAFETY: the list is alive, recording, and has this interface.
        unsafe { world.runtime.call(self.list, method(LIST, "SetViewInstanceMask"), &[mask.into()]) };
    }
}

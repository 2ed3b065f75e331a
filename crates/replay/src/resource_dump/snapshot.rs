//! Contents of resources where a replay ends, as they lie in a buffer that they were copied to.
//!
//! Invariant: all queues are done, and the contents are whole: a resource of which not every byte can be copied is an error that
//! names it.

use std::time::Duration;

use reprise_d3d12::types::D3D12_PLACED_SUBRESOURCE_FOOTPRINT as Footprint;

use super::plan::Job;
use super::states::States;
use super::take;
use crate::world::World;

/// A resource whose contents are wanted.
#[derive(Clone, Debug)]
pub struct WantedContents {
    /// Its id in the trace.
    pub resource: u32,
    /// `D3D12_RESOURCE_STATES` of each subresource where the replay ends; empty: all in `COMMON`.
    pub states: Vec<u32>,
}

/// The contents of a resource.
#[derive(Clone, Copy)]
pub struct ResourceContents<'a> {
    /// Its id in the trace.
    pub resource: u32,
    /// All bytes of a buffer; of a texture those of its subresources, as `GetCopyableFootprints` places them.
    pub bytes: &'a [u8],
    /// By number of the subresource, where it lies; empty for buffers.
    pub subresources: &'a [(u32, Footprint)],
}

/// Takes the contents of a resource; an error ends the replay.
pub type OnContents<'a> = Box<dyn FnMut(ResourceContents<'_>) -> Result<(), String> + 'a>;

/// Gives the contents of each resource in turn.
///
/// # Errors
/// Queues that do not finish, and resources that cannot be copied.
pub(crate) fn take(
    world: &mut World,
    wanted: &[WantedContents],
    give: &mut OnContents<'_>,
    timeout: Duration,
) -> Result<(), String> {
    if !world.drain(timeout) {
        return Err("a queue still waits for what comes later, or does not finish".into());
    }
    for WantedContents { resource, states } in wanted {
        let states = if states.is_empty() { States::all(0) } else { States::each(states) };
        let job = Job { resource: *resource, states, ..Job::default() };
        let failed = |what: String| format!("resource {resource}: {what}");
        let copy = take::when_idle(world, &job, timeout).map_err(failed)?;
        let given = copy.look(&world.runtime, |bytes, subresources| {
            give(ResourceContents { resource: *resource, bytes, subresources })
        });
        copy.release(&world.runtime);
        given.map_err(failed)?;
    }
    Ok(())
}

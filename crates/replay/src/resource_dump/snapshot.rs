//! Contents at the end of a replay: of resources, as a copy to a buffer lays them out, and what builds of acceleration structures read
//! when they ran.
//!
//! Invariant: all queues are done, and the contents are whole: a resource of which not every byte can be copied is an error that
//! names it.

use std::collections::HashMap;
use std::time::Duration;

use reprise_d3d12::interface;
use reprise_d3d12::types::{
    D3D12_PLACED_SUBRESOURCE_FOOTPRINT as Footprint, D3D12_RAYTRACING_ACCELERATION_STRUCTURE_PREBUILD_INFO as Sizes,
};

use reprise_trace::apart::Apart;

use super::Point;
use super::plan::Job;
use super::states::States;
use super::take;
use crate::structures;
use crate::world::World;

/// A resource whose contents are wanted.
#[derive(Clone, Debug)]
pub struct WantedContents {
    /// Its id in the trace.
    pub resource: u32,
    /// `D3D12_RESOURCE_STATES` of each subresource where the replay ends; empty: all in `COMMON`.
    pub states: Vec<u32>,
    /// Of a map of sampler feedback: how many texels its regions have in each direction. It is decoded.
    pub regions: Option<[u32; 2]>,
}

/// A build of an acceleration structure whose inputs are wanted, as its last run found them.
#[derive(Clone, Debug)]
pub struct WantedBuild {
    /// The call.
    pub call: u64,
    /// The list that it is recorded into.
    pub list: u32,
    /// The payload of its enter.
    pub enter: Box<[u8]>,
    /// What is read: buffer, offset and bytes, within the buffer.
    pub reads: Vec<(u32, u64, u64)>,
}

/// What is wanted where a replay ends.
pub struct Snapshot<'a> {
    /// The device that is asked for the sizes of structures.
    pub device: u32,
    /// Queues that wait where the replay ends, each with the call that makes it wait: what it was given before is done.
    pub held: Vec<(u32, u64)>,
    /// Given first.
    pub builds: Vec<WantedBuild>,
    /// Given afterwards.
    pub resources: Vec<WantedContents>,
    /// Takes each in turn; an error ends the replay.
    pub give: OnGiven<'a>,
}

impl Snapshot<'_> {
    /// Whether something happens beside single calls for it.
    pub(crate) fn looks_at_calls(&self) -> bool {
        !self.builds.is_empty() || !self.held.is_empty()
    }
}

/// The contents of a resource.
#[derive(Clone, Copy)]
pub struct ResourceContents<'a> {
    /// Its id in the trace.
    pub resource: u32,
    /// All bytes of a buffer; of a texture those of its subresources, as `GetCopyableFootprints` places them.
    pub bytes: &'a [u8],
    /// By number of the subresource, where it lies; empty for buffers. Of several samples a texel the first sample's texels lie there, row by
    /// row without gaps, and those of the others right behind them, sample by sample.
    pub subresources: &'a [(u32, Footprint)],
    /// Of a buffer: which bytes are times, sizes of acceleration structures, or answers of queries.
    pub apart: &'a [Apart],
}

/// The inputs of a build.
#[derive(Clone, Copy)]
pub struct BuildInputs<'a> {
    /// The call.
    pub call: u64,
    /// What this device says of such a structure.
    pub sizes: Sizes,
    /// What was asked for, in this order.
    pub bytes: &'a [Vec<u8>],
}

/// Something that was wanted.
#[derive(Clone, Copy)]
pub enum SnapshotPart<'a> {
    /// What a resource holds.
    Contents(ResourceContents<'a>),
    /// What a build read.
    Build(BuildInputs<'a>),
}

/// Takes what was wanted; an error ends the replay.
pub type OnGiven<'a> = Box<dyn FnMut(SnapshotPart<'_>) -> Result<(), String> + 'a>;

/// Where the inputs of builds are copied: right before each, in its list.
pub(crate) fn points(builds: &[WantedBuild]) -> impl Iterator<Item = Point> {
    builds.iter().flat_map(|build| {
        build.reads.iter().map(|(resource, offset, bytes)| Point {
            list: build.list,
            call: build.call,
            before: true,
            resource: *resource,
            subresource: None,
            bytes: Some((*offset, *bytes)),
            format: None,
        })
    })
}

/// The bytes of [`points`], by their number, and the number of the first one.
pub(crate) type Kept = (usize, HashMap<usize, Result<Vec<u8>, String>>);

/// Gives what was wanted. `apart`: which bytes of buffers comparisons treat apart.
///
/// # Errors
/// Inputs that were not read, and resources that cannot be copied. All queues are to be done.
pub(crate) fn give(
    world: &mut World,
    snapshot: &mut Snapshot<'_>,
    ((first, mut kept), apart): (Kept, &HashMap<u32, Vec<Apart>>),
    timeout: Duration,
) -> Result<(), String> {
    let Snapshot { device, builds, resources, give, .. } = snapshot;
    let mut point = first;
    for WantedBuild { call, enter, reads, .. } in builds {
        let failed = |what: String| format!("the inputs of call {call}: {what}");
        let mut bytes = Vec::with_capacity(reads.len());
        for _ in reads {
            bytes.push(kept.remove(&point).unwrap_or_else(|| Err("they were not read".into())).map_err(failed)?);
            point += 1;
        }
        let device = world.pointer(*device, interface("ID3D12Device5"))?;
        // SAFETY: the device has this interface.
        let sizes = unsafe { structures::sizes(&world.runtime, device, enter) }.map_err(failed)?;
        give(SnapshotPart::Build(BuildInputs { call: *call, sizes, bytes: &bytes }))?;
    }
    for WantedContents { resource, states, regions } in resources {
        let states = if states.is_empty() { States::all(0) } else { States::each(states) };
        let job = Job { resource: *resource, states, regions: *regions, ..Job::default() };
        let failed = |what: String| format!("resource {resource}: {what}");
        if let Some((bytes, subresources)) = take::samples_when_idle(world, &job, timeout).map_err(failed)? {
            let subresources = &subresources;
            let contents = ResourceContents { resource: *resource, bytes: &bytes, subresources, apart: &[] };
            give(SnapshotPart::Contents(contents)).map_err(failed)?;
            continue;
        }
        let copy = take::when_idle(world, &job, timeout).map_err(failed)?;
        let apart = apart.get(resource).map_or(&[][..], Vec::as_slice);
        let given = copy.look(&world.runtime, |bytes, subresources| {
            give(SnapshotPart::Contents(ResourceContents { resource: *resource, bytes, subresources, apart }))
        });
        copy.release(&world.runtime);
        given.map_err(failed)?;
    }
    Ok(())
}

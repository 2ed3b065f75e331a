//! Replays that ask what the driver makes of shaders ([`Executables`]).

use std::collections::BTreeMap;

use reprise_d3d12::interface;
use reprise_times::Executable;

use crate::call::open_call::Enter;
use crate::executables::Executables;
use crate::world::World;

/// Methods of devices that make pipelines, or what pipelines are loaded from.
const MAKERS: [&str; 6] = [
    "CreateGraphicsPipelineState",
    "CreateComputePipelineState",
    "CreatePipelineState",
    "CreateStateObject",
    "CreatePipelineLibrary",
    "AddToStateObject",
];

/// A call is made next: where it may make a pipeline, its device is told first.
pub(crate) fn before(world: &mut World, enter: Enter<'_, '_>) {
    if !MAKERS.contains(&enter.method.name) {
        return;
    }
    let id = enter.event.object;
    let device = world.pointer(id, interface("ID3D12Device"));
    if let (Ok(device), Some(executables)) = (device, &mut world.executables) {
        executables.tell(&world.runtime, id, device);
    }
}

/// What was found, pipelines included that are alive at the end.
pub(crate) fn finish(mut executables: Executables, world: &mut World) -> BTreeMap<u32, Vec<Executable>> {
    world.finish_creations();
    for id in world.objects.ids() {
        executables.ask(&mut world.objects, &world.runtime, id);
    }
    executables.into_found()
}

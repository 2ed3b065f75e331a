//! `--sync`: CPU and GPU in turn, for finding out which submission goes wrong.
//!
//! After each submission and signal all queues finish their work, except those that wait for a signal that the trace makes later.

use reprise_d3d12::method;
use reprise_d3d12::model::MethodId;

use crate::call::open_call::Enter;
use crate::context::Context;
use crate::error::Error;
use crate::sync::held_up::HeldUp;

/// What gives queues something to do, or lets them go on.
const WORK: [MethodId; 5] = [
    method("ID3D12CommandQueue", "ExecuteCommandLists"),
    method("ID3D12CommandQueue", "Signal"),
    method("ID3D12CommandQueue", "UpdateTileMappings"),
    method("ID3D12CommandQueue", "CopyTileMappings"),
    method("ID3D12Fence", "Signal"),
];

/// A call was made: lets the queues finish, if it gave them something to do.
///
/// # Errors
/// A queue does not finish in time.
pub(crate) fn keep(context: &mut Context<'_, '_>, held_up: &mut HeldUp, enter: Enter<'_, '_>) -> Result<(), Error> {
    if !WORK.contains(&enter.id()) {
        return Ok(());
    }
    let timeout = context.options.fence_wait_timeout;
    let finished = held_up.finish_others(&mut context.world, timeout);
    finished.map(|_| ()).map_err(|unended| enter.place.fail(format!("--sync: {}", unended.what)))
}

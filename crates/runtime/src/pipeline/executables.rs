//! What the driver says of pipelines' shaders, told by private data ([`reprise_d3d12::executables`] has the protocol).

use ash::vk;
use reprise_com::result::{S_FALSE, S_OK};
use reprise_d3d12::executables::{ID, write};
use reprise_d3d12::model::Guid;
use reprise_gpu::executables::Executables;

use super::PipelineState;
use crate::Device;

/// `SetPrivateData` of a device.
pub fn ask(device: &Device, id: &Guid) -> Option<i32> {
    (*id == ID).then(|| if device.executables.keep(&device.logical) { S_OK } else { S_FALSE })
}

/// `GetPrivateData` of a pipeline state: of the pipeline that it was made with, then of those for other targets, each once.
pub(super) fn of_state(state: &PipelineState, id: &Guid) -> Option<Vec<u8>> {
    if *id != ID || !state.has_executables {
        return None;
    }
    let others = state.variants.as_ref().map(super::variants::Variants::made).unwrap_or_default();
    // SAFETY: the state has its pipelines until it goes, and they were made to keep what the driver says.
    unsafe { of(&state.device, [state.pipeline].into_iter().chain(others)) }
}

/// What the driver says of these pipelines; the same is said once.
///
/// # Safety
/// They are the device's, alive, and were made with its flags while it kept what the driver says.
pub(crate) unsafe fn of(device: &Device, pipelines: impl Iterator<Item = vk::Pipeline>) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for pipeline in pipelines {
        // SAFETY: as the caller says.
        match unsafe { Executables::read(&device.logical, pipeline) } {
            Ok(found) => all.extend(found.into_iter().filter(|one| !all.contains(one)).collect::<Vec<_>>()),
            Err(error) => {
                reprise_log::warning(format_args!(
                    "the driver does not say what it made of a pipeline's shaders: {error}"
                ));
                return None;
            }
        }
    }
    // Work graphs and collections have none of these pipelines.
    (!all.is_empty()).then(|| write(&all))
}

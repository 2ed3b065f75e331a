//! `REPRISE_SLOW`: the draws and dispatches of one pipeline state take longer than they would. It serves tests of tools that measure time.
//!
//! The pipeline state is chosen by its number among those that its device makes since it was asked for (`crate::pipeline::slow`). Behind each of its draws, dispatches and indirect commands,
//! and behind each bundle that leaves it bound, stands a kernel of one thread that steps a generator, with barriers around it. Invariant:
//! nothing that the program sees depends on it but time.

use reprise_gpu::encoder::{Images, push};
use reprise_gpu::kernel::Kernel;
use reprise_gpu::scope::{Gathered, Scope};

use crate::Result;
use crate::list::bound::halves;
use crate::list::recording::Recording;

/// An operation that runs what is bound was recorded.
pub(super) fn after_operation(recording: &mut Recording) {
    let steps = recording.bound.pipeline.as_ref().map_or(0, |pipeline| pipeline.slow);
    if steps != 0
        && let Err(error) = spin(recording, steps)
    {
        reprise_log::error(format_args!("REPRISE_SLOW has no effect: {error}"));
    }
}

fn spin(recording: &mut Recording, steps: u32) -> Result<()> {
    let all = Gathered { before: Scope::ALL, after: Scope::ALL };
    let [low, high] = halves(recording.encoder.scratch(4)?.address);
    recording.encoder.outside();
    recording.encoder.barriers(&all);
    // Of the recording, which tells Vulkan again what the kernel has taken: the program's pipeline and root arguments.
    recording.run(Kernel::Spin, Images::default(), &push([low, high, steps]), [1, 1, 1])?;
    recording.encoder.barriers(&all);
    Ok(())
}

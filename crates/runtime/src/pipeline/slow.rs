//! Which pipeline state is the slow one of `REPRISE_SLOW`.

use std::sync::atomic::Ordering;

use crate::device::Device;
use crate::environment::settings;

/// A pipeline state of a device is made: steps behind each of its operations, 0 for all but one.
pub(super) fn steps_of_next(device: &Device) -> u32 {
    let Some(slow) = settings().slow else { return 0 };
    // Of the device since it was asked for, not of the process: where a trace is played again, the same one is slow then.
    let number = device.pipeline_states.fetch_add(1, Ordering::Relaxed) + 1;
    if number == slow.pipeline { slow.steps } else { 0 }
}

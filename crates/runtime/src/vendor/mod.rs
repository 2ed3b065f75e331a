//! Private interfaces by which programs and libraries reach what is behind a device.
//!
//! They are vkd3d-proton's: Vulkan handles for programs that drive the device by Vulkan as well ([`interop`], [`device_ext`]), and
//! what only one vendor's hardware can. Queues and lists have theirs in modules `ext` of their own. Extensions of NVIDIA and AMD are not there: questions for them are
//! answered with no, and methods that need them say so once and fail with `E_NOTIMPL`. So libraries that ask go on without.
//! Invariant: an interface is answered only where its Vulkan handles are real.

mod device_ext;
mod interop;
mod low_latency;

use core::ffi::c_void;

use reprise_com::Object;
use reprise_d3d12::lookup;
use reprise_d3d12::model::{Guid, InterfaceId};

use crate::device::Device;

pub(crate) use device_ext::FACET as DEVICE_EXT;
pub(crate) use interop::FACET as INTEROP;
pub(crate) use low_latency::FACET as LOW_LATENCY;

/// The facet of a device that answers an interface id.
pub(crate) fn answer(object: &Object<Device>, iid: &Guid) -> Option<*mut c_void> {
    let answers: [fn(&Object<Device>, InterfaceId) -> Option<*mut c_void>; 3] =
        [device_ext::answer, interop::answer, low_latency::answer];
    let asked = lookup::by_iid(iid)?;
    answers.iter().find_map(|answer| answer(object, asked))
}

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
use reprise_d3d12::model::Guid;
use reprise_d3d12::{interface, lookup};

use crate::device::Device;

pub(crate) use device_ext::new_facet as device_ext;
pub(crate) use interop::new_facet as interop;
pub(crate) use low_latency::new_facet as low_latency;

/// The facet of a device that answers an interface id.
pub(crate) fn answer(object: &Object<Device>, iid: &Guid) -> Option<*mut c_void> {
    let asked = lookup::by_iid(iid)?;
    if asked == interface("IAmdExtAntiLagApi") {
        // It has no method that says no, so the answer is that there is none.
        reprise_log::warning_once(
            "ID3D12Device answers no",
            "IAmdExtAntiLagApi: AMD's extension for latency is not in use here",
        );
        return None;
    }
    let first = device_ext::answer(object, asked).or_else(|| interop::answer(object, asked));
    first.or_else(|| low_latency::answer(object, asked))
}

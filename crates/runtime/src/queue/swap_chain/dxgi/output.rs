//! Outputs of the program's DXGI.

use core::ffi::c_void;

use reprise_d3d12::model::MethodId;
use reprise_d3d12::types::{DXGI_MODE_DESC, DXGI_OUTPUT_DESC};
use reprise_d3d12::{interface, method};

use crate::queue::swap_chain::dxgi::foreign::Foreign;

/// Adapters and outputs that are looked at: more than a machine has.
const MOST: u64 = 64;

/// The output of a monitor; `None` where the factory knows none.
pub(super) fn of_monitor(factory: &Foreign, monitor: *mut c_void) -> Option<Foreign> {
    const ADAPTERS: MethodId = method("IDXGIFactory", "EnumAdapters");
    const OUTPUTS: MethodId = method("IDXGIAdapter", "EnumOutputs");
    let factory = factory.query(interface("IDXGIFactory"))?;
    for adapter in 0..MOST {
        // SAFETY: a factory has the method, which takes a number and a place.
        let adapter = unsafe { factory.make(ADAPTERS, &[adapter]) };
        let Some(adapter) = adapter else { break };
        for output in 0..MOST {
            // SAFETY: an adapter has the method, which takes a number and a place.
            let output = unsafe { adapter.make(OUTPUTS, &[output]) };
            let Some(output) = output else { break };
            if desc(&output).is_some_and(|desc| desc.Monitor == monitor) {
                return Some(output);
            }
        }
    }
    None
}

/// What an output is.
pub(super) fn desc(output: &Foreign) -> Option<DXGI_OUTPUT_DESC> {
    const DESC: MethodId = method("IDXGIOutput", "GetDesc");
    let mut desc = DXGI_OUTPUT_DESC::default();
    // SAFETY: an output has the method, which takes a place for a description.
    let result = unsafe { output.call(DESC, &[(&raw mut desc) as u64]) };
    (result as i32 >= 0).then_some(desc)
}

/// The mode of an output that is next to the wanted one.
pub(super) fn closest(output: &Foreign, wanted: &DXGI_MODE_DESC) -> Option<DXGI_MODE_DESC> {
    const CLOSEST: MethodId = method("IDXGIOutput", "FindClosestMatchingMode");
    let mut found = DXGI_MODE_DESC::default();
    // SAFETY: an output has the method, which takes a mode, a place for one, and a device or null.
    let result = unsafe { output.call(CLOSEST, &[(&raw const *wanted) as u64, (&raw mut found) as u64, 0]) };
    (result as i32 >= 0).then_some(found)
}

//! Interfaces by which a layer asks an object that a program hands to it for its own object, whatever wraps it.
//!
//! Invariant: what these give out is the layer's own pointer, and no object of the trace.

use crate::model;
use reprise_d3d12::model::Guid;

/// By which DXVK's `d3d11.dll` gets at the adapter of its `dxgi.dll`. Its methods return C++ objects: GCC passes the place of such a
/// result in the register of `this`, so that no stub of ours could stand for them.
const DXVK_ADAPTER: Guid =
    Guid { data1: 0x907b_f281, data2: 0xea3c, data3: 0x43b4, data4: [0xa8, 0xe4, 0x9f, 0x23, 0x11, 0x07, 0xb4, 0xff] };

/// Whether the interface of this id is one of them.
pub(crate) fn is_wanted(iid: &Guid) -> bool {
    *iid == DXVK_ADAPTER || model::by_iid(iid) == Some(model::known().own_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interfaces_that_lead_behind_a_wrapper() {
        assert_eq!(DXVK_ADAPTER.to_string(), "907bf281-ea3c-43b4-a8e4-9f231107b4ff");
        assert!(is_wanted(&DXVK_ADAPTER));
        assert!(is_wanted(&reprise_d3d12::interface("ID3D12ExtDummyInterface").get().iid));
        assert!(!is_wanted(&reprise_d3d12::interface("IDXGIAdapter4").get().iid));
    }
}

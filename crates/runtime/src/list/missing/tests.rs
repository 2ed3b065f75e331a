//! Through the vtable, as programs call them. Needs a Vulkan 1.3 driver.
#![allow(clippy::unwrap_used)]

use reprise_com::Object;
use reprise_com::result::{E_FAIL, E_INVALIDARG, E_NOTIMPL, S_OK};
use reprise_d3d12::types::{D3D12_COMMAND_LIST_TYPE as Kind, D3D12_SHADING_RATE, D3D12_SHADING_RATE_COMBINER};

use super::*;
use crate::device::Device;
use crate::list::{CommandAllocator, CommandList, NEWEST};

/// A list of a kind that is open, with its allocator.
struct OpenList {
    list: reprise_com::Public<CommandList>,
    allocator: reprise_com::Public<CommandAllocator>,
}

impl OpenList {
    fn new(device: &Object<Device>, kind: Kind) -> OpenList {
        let allocator = Object::make(CommandAllocator::new(device, kind).unwrap());
        let open = OpenList { list: Object::make(CommandList::new(device, kind)), allocator };
        assert_eq!(open.reset(), S_OK);
        open
    }

    /// The function in a method's slot. The stubs read at most the words that are passed.
    fn call(&self, name: &str, words: [usize; 4]) -> i32 {
        type Function = unsafe extern "C" fn(*mut c_void, usize, usize, usize, usize) -> i32;
        let slot = (0..NEWEST.slots()).find(|slot| NEWEST.slot(*slot).unwrap().get().name == name);
        let this = self.list.pointer();
        // SAFETY: the object's vtable has the slot; the arguments are what the method takes, or more.
        unsafe {
            let table = *this.cast::<*const Function>();
            table.add(slot.unwrap_or_else(|| panic!("{name}")).into()).read()(
                this, words[0], words[1], words[2], words[3],
            )
        }
    }

    fn close(&self) -> i32 {
        self.call("Close", [0; 4])
    }

    fn reset(&self) -> i32 {
        self.call("Reset", [self.allocator.pointer() as usize, 0, 0, 0])
    }
}

#[test]
fn a_list_with_a_command_that_is_missing_does_not_close() {
    let device = crate::entry::device::independent().unwrap();
    let open = OpenList::new(&device, Kind::DIRECT);
    // No session is made here; it is not looked at.
    open.call("SetProtectedResourceSession", [8, 0, 0, 0]);
    assert_eq!(open.close(), E_NOTIMPL);
    // It begins anew all the same.
    assert_eq!(open.reset(), S_OK);
    assert_eq!(open.close(), S_OK);
}

#[test]
fn what_is_so_anyway_may_be_asked_for() {
    let device = crate::entry::device::independent().unwrap();
    let open = OpenList::new(&device, Kind::DIRECT);
    let sums = [D3D12_SHADING_RATE_COMBINER::SUM; 2];
    let if_there = |there: bool| if there { S_OK } else { E_NOTIMPL };
    let (rates, positions) = (if_there(device.caps.rates.lists), if_there(device.caps.positions.has(4, 1)));
    let lists = [
        ("RSSetShadingRate", [0, 0, 0, 0], S_OK),
        ("RSSetShadingRate", [D3D12_SHADING_RATE::RATE_2X2.0 as usize, 0, 0, 0], rates),
        // Rates add up as logarithms, so a sum of 1x1 and 1x1 is 1x1.
        ("RSSetShadingRate", [0, sums.as_ptr() as usize, 0, 0], S_OK),
        ("RSSetShadingRateImage", [0; 4], S_OK),
        ("SetProtectedResourceSession", [0; 4], S_OK),
        ("SetSamplePositions", [0; 4], S_OK),
        ("SetSamplePositions", [4, 1, sums.as_ptr() as usize, 0], positions),
        // Left out, as the API says: of three samples, and of two pixels.
        ("SetSamplePositions", [3, 1, sums.as_ptr() as usize, 0], S_OK),
        ("SetSamplePositions", [2, 2, sums.as_ptr() as usize, 0], S_OK),
        ("SetViewInstanceMask", [3, 0, 0, 0], S_OK),
        ("SetPredication", [0; 4], S_OK),
        ("SOSetTargets", [0; 4], S_OK),
    ];
    for (name, words, expected) in lists {
        open.call(name, words);
        assert_eq!(open.close(), expected, "{name} {words:?}");
        assert_eq!(open.reset(), S_OK);
    }
}

/// Codes as the API documents them for `Close`.
#[test]
fn wrong_calls_are_found_when_the_list_closes() {
    let device = crate::entry::device::independent().unwrap();
    let open = OpenList::new(&device, Kind::DIRECT);
    // A draw without anything is left out; the list stays good.
    for name in ["DrawInstanced", "DrawIndexedInstanced", "Dispatch", "DispatchMesh"] {
        open.call(name, [3, 1, 1, 0]);
    }
    assert_eq!(open.close(), S_OK);
    assert_eq!(open.close(), E_FAIL, "closed twice");
    assert_eq!(open.reset(), S_OK);
    assert_eq!(open.reset(), E_FAIL, "opened twice");

    open.call("BeginRenderPass", [0; 4]);
    assert_eq!(open.close(), E_FAIL, "a pass that does not end");
    assert_eq!(open.reset(), S_OK);
    open.call("EndRenderPass", [0; 4]);
    assert_eq!(open.close(), E_INVALIDARG, "a pass that did not begin");
    assert_eq!(open.reset(), S_OK);
    open.call("BeginRenderPass", [0; 4]);
    open.call("CopyResource", [0; 4]);
    open.call("EndRenderPass", [0; 4]);
    assert_eq!(open.close(), E_FAIL, "a copy in a pass");

    // Meta commands that are none.
    for name in ["InitializeMetaCommand", "ExecuteMetaCommand"] {
        assert_eq!(open.reset(), S_OK);
        open.call(name, [0; 4]);
        assert_eq!(open.close(), E_INVALIDARG, "{name}");
    }

    // No list does what its queue or its kind cannot.
    for (kind, name) in [
        (Kind::BUNDLE, "CopyResource"),
        (Kind::COMPUTE, "DrawInstanced"),
        (Kind::COMPUTE, "DispatchMesh"),
        (Kind::COMPUTE, "BeginRenderPass"),
        (Kind::COPY, "DrawInstanced"),
        (Kind::COPY, "Dispatch"),
    ] {
        let open = OpenList::new(&device, kind);
        open.call(name, [if name == "CopyResource" || name == "BeginRenderPass" { 0 } else { 1 }; 4]);
        assert_eq!(open.close(), E_FAIL, "{name} on {kind:?}");
    }
}

/// Numbers of 32 bits whose sums have more: the call is left out, and the program lives.
#[test]
fn runs_that_end_behind_the_last_number_are_left_out() {
    let device = crate::entry::device::independent().unwrap();
    let views = [[0u64; 4]; 33];
    let (all, views) = (u32::MAX as usize, views.as_ptr() as usize);
    let handles = [0u64; 8];
    let handles = handles.as_ptr() as usize;
    let cases = [
        ("IASetVertexBuffers", [all, 2, views, 0]),
        ("IASetVertexBuffers", [all, 1, views, 0]),
        ("IASetVertexBuffers", [31, 2, views, 0]),
        ("IASetVertexBuffers", [31, 1, views, 0]),
        ("IASetVertexBuffers", [all, 2, 0, 0]),
        ("SOSetTargets", [all, 2, views, 0]),
        ("SOSetTargets", [3, 2, views, 0]),
        ("SOSetTargets", [3, 1, views, 0]),
        ("SetGraphicsRoot32BitConstants", [all, all, 0, all]),
        ("SetGraphicsRoot32BitConstant", [0, 1, all, 0]),
        ("RSSetViewports", [17, views, 0, 0]),
        ("RSSetScissorRects", [17, views, 0, 0]),
        // Eight targets from a null descriptor on are null.
        ("OMSetRenderTargets", [8, handles, 1, 0]),
        ("ResolveQueryData", [0, 0, all, 2]),
    ];
    for (name, words) in cases {
        let open = OpenList::new(&device, Kind::DIRECT);
        open.call(name, words);
        assert_eq!(open.close(), S_OK, "{name} {words:?}");
    }
    // Bundles keep the calls, and leave them out when they run.
    let bundle = OpenList::new(&device, Kind::BUNDLE);
    bundle.call("IASetVertexBuffers", [all, 2, views, 0]);
    assert_eq!(bundle.close(), S_OK);
    let open = OpenList::new(&device, Kind::DIRECT);
    open.call("ExecuteBundle", [bundle.list.pointer() as usize, 0, 0, 0]);
    assert_eq!(open.close(), S_OK);
}

//! The address at which a device faulted, by DRED, and the buffer that lies or lay there.

use reprise_d3d12::types::D3D12_DRED_PAGE_FAULT_OUTPUT;
use reprise_d3d12::{function, interface, method};

use crate::report::diagnosis::{Fault, Owner, Range};
use crate::runtime::Runtime;
use crate::runtime::com::Com;
use crate::world::World;

/// `D3D12_DRED_ENABLEMENT_FORCED_ON`.
const ON: u64 = 2;

/// Asks the runtime to keep addresses of faults, before it makes a device. One that does not know DRED keeps none.
pub(super) fn ask(runtime: &Runtime) {
    const SET: reprise_d3d12::model::MethodId =
        method("ID3D12DeviceRemovedExtendedDataSettings", "SetPageFaultEnablement");
    let iid = &interface("ID3D12DeviceRemovedExtendedDataSettings").get().iid;
    let mut settings = 0u64;
    let words = [core::ptr::from_ref(iid) as u64, core::ptr::from_mut(&mut settings) as u64];
    // SAFETY: an interface id and an out pointer, both ours.
    let result = unsafe { runtime.call_function(function("D3D12GetDebugInterface"), &words) };
    if result.is_some_and(|result| result as i32 >= 0) && settings != 0 {
        // SAFETY: the runtime gave out this pointer to this interface just now.
        unsafe { runtime.call(settings, SET, &[ON]) };
        runtime.release(settings);
    }
}

/// The fault of a queue's device; `None` where nothing tells it.
pub(super) fn tell(world: &mut World, queue: u32) -> Option<Fault> {
    const OUTPUT: reprise_d3d12::model::MethodId =
        method("ID3D12DeviceRemovedExtendedData", "GetPageFaultAllocationOutput");
    let device = world.device_of(queue).ok()?;
    let data = device.runtime().query(device.pointer(), &interface("ID3D12DeviceRemovedExtendedData").get().iid)?;
    let mut output = D3D12_DRED_PAGE_FAULT_OUTPUT::default();
    // SAFETY: the interface is alive; the output is ours.
    let result = unsafe { device.runtime().call(data, OUTPUT, &[core::ptr::from_mut(&mut output) as u64]) } as i32;
    device.runtime().release(data);
    drop(device);
    let address = output.PageFaultVA;
    (result >= 0 && address != 0).then(|| Fault { address, owner: owner(world, address) })
}

/// What lies at an address, or lay there last.
fn owner(world: &mut World, address: u64) -> Option<Owner> {
    let buffers: Vec<(u32, u64)> = world.buffers().collect();
    let live = buffers.into_iter().find_map(|(resource, bytes)| {
        let address_here = world.base_address(resource).ok()?;
        Range { resource, address: address_here, bytes, released: None }.owner(address)
    });
    live.or_else(|| world.freed.as_ref().and_then(|freed| freed.find(address)))
}
